//! Mean, percentiles and histogram of a set of numbers.

use gradbody::math::random::Random;
use serde_json::{Value, json};

/// Sorted numbers.
#[derive(Clone, Debug)]
pub(super) struct Distribution(Vec<f64>);

impl Distribution {
    /// Sorts the numbers, none of which may be NaN.
    pub(super) fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        Distribution(values)
    }

    pub(super) fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len().max(1) as f64
    }

    /// The interpolated quantile for a share from 0 to 1; zero if there are no numbers.
    pub(super) fn quantile(&self, share: f64) -> f64 {
        let at = share * self.0.len().saturating_sub(1) as f64;
        let (low, part) = (at.floor() as usize, at.fract());
        let value = |i: usize| self.0.get(i).or(self.0.last()).copied().unwrap_or(0.0);
        // Skip an infinite neighbour of weight zero: 0 · ∞ is NaN.
        if part == 0.0 || value(low) == value(low + 1) {
            return value(low);
        }
        value(low) + part * (value(low + 1) - value(low))
    }

    pub(super) fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// Between which values the mean lies in 90 % of draws of as many numbers from these: the bootstrap [Efron 1979]. None
    /// for fewer than five numbers, which say nothing about a spread.
    pub(super) fn range_of_mean(&self) -> Option<[f64; 2]> {
        const DRAWS: usize = 1000;
        let n = self.0.len();
        if n < 5 {
            return None;
        }
        let mut random = Random::new(0);
        let mean = |_| (0..n).map(|_| self.0[random.below(n)]).sum::<f64>() / n as f64;
        let means = Distribution::of((0..DRAWS).map(mean).collect());
        Some([means.quantile(0.05), means.quantile(0.95)])
    }

    /// Each number times a factor.
    pub(super) fn scaled(&self, factor: f64) -> Self {
        Distribution(self.0.iter().map(|x| x * factor).collect())
    }

    /// `{"mean": …, "range_of_mean": […, …], "median": …, "p10": …, "p25": …, "p75": …, "p90": …}`.
    pub(super) fn json(&self) -> Value {
        json!({
            "mean": self.mean(),
            "range_of_mean": self.range_of_mean(),
            "median": self.median(),
            "p10": self.quantile(0.1),
            "p25": self.quantile(0.25),
            "p75": self.quantile(0.75),
            "p90": self.quantile(0.9),
        })
    }

    /// The outline of a histogram from zero to `most`, with the percentage of numbers in each bin. Larger numbers count
    /// in the last bin.
    pub(super) fn histogram(&self, bins: usize, most: f64) -> Vec<(f64, f64)> {
        let mut counts = vec![0.0; bins];
        for value in &self.0 {
            counts[((value / most * bins as f64) as usize).min(bins - 1)] += 1.0;
        }
        let edge = |i: usize| most * i as f64 / bins as f64;
        let share = |i: usize| 100.0 * counts[i] / self.0.len().max(1) as f64;
        let steps = (0..bins).flat_map(|i| [(edge(i), share(i)), (edge(i + 1), share(i))]);
        [(0.0, 0.0)].into_iter().chain(steps).chain([(most, 0.0)]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Distribution;

    #[test]
    fn percentiles_are_interpolated_and_histograms_count_everything() {
        let numbers = Distribution::of(vec![4.0, 1.0, 3.0, 2.0, 5.0]);
        assert_eq!((numbers.mean(), numbers.median()), (3.0, 3.0));
        assert_eq!((numbers.quantile(0.0), numbers.quantile(1.0)), (1.0, 5.0));
        assert_eq!(numbers.quantile(0.125), 1.5);
        let outline = numbers.histogram(2, 3.0);
        assert_eq!(outline[1..5], [(0.0, 20.0), (1.5, 20.0), (1.5, 80.0), (3.0, 80.0)]);
        assert_eq!(Distribution::of(vec![]).quantile(0.9), 0.0);
        assert_eq!(Distribution::of(vec![2.0; 5]).range_of_mean(), Some([2.0, 2.0]));
        assert_eq!(Distribution::of(vec![2.0; 4]).range_of_mean(), None);
        let [low, high] = numbers.range_of_mean().expect("five numbers");
        assert!(1.5 < low && low < 3.0 && 3.0 < high && high < 4.5, "{low} {high}");
        let lost = Distribution::of(vec![1.0, f64::INFINITY, 2.0, f64::INFINITY, f64::INFINITY]);
        assert_eq!([0.0, 0.25, 0.9].map(|share| lost.quantile(share)), [1.0, 2.0, f64::INFINITY]);
    }
}
