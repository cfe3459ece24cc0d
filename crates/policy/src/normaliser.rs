//! Mean and spread of observations, kept while training goes on.

use crate::{Snapshot, SnapshotError};

/// Brings observations to mean zero and standard deviation one, by those seen so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Normaliser {
    /// Number of observations seen.
    count: f64,
    mean: Vec<f64>,
    /// Sum of squared differences from the mean.
    squares: Vec<f64>,
    /// What is subtracted, and what the difference is multiplied by: made of the above by [`settle`](Normaliser::settle).
    shift: Vec<f32>,
    scale: Vec<f32>,
}

/// Normalised observations are between minus and plus this, so that a rare one cannot dominate.
const LARGEST: f32 = 10.0;
/// Added to a variance, for numbers that hardly change.
const LEAST_VARIANCE: f64 = 1e-4;

impl Normaliser {
    /// For observations of `n` numbers; it changes nothing until it has seen some.
    pub fn new(n: usize) -> Self {
        Normaliser {
            count: 0.0,
            mean: vec![0.0; n],
            squares: vec![0.0; n],
            shift: vec![0.0; n],
            scale: vec![1.0; n],
        }
    }

    /// One that always subtracts `shift` and multiplies by `scale`, as a file has them.
    pub fn fixed(shift: Vec<f32>, scale: Vec<f32>) -> Self {
        let n = shift.len();
        Normaliser { count: 0.0, mean: vec![0.0; n], squares: vec![0.0; n], shift, scale }
    }

    /// Numbers of an observation.
    pub fn len(&self) -> usize {
        self.shift.len()
    }

    /// Whether observations have no numbers.
    pub fn is_empty(&self) -> bool {
        self.shift.is_empty()
    }

    /// What is subtracted.
    pub fn shift(&self) -> &[f32] {
        &self.shift
    }

    /// What the difference is multiplied by.
    pub fn scale(&self) -> &[f32] {
        &self.scale
    }

    /// Largest size of a normalised number.
    pub fn limit(&self) -> f32 {
        LARGEST
    }

    /// Takes observations into account, (rows, n). They act from the next [`settle`](Normaliser::settle) on.
    pub fn see(&mut self, observations: &[f64]) {
        for row in observations.chunks_exact(self.len().max(1)) {
            self.count += 1.0;
            let statistics = self.mean.iter_mut().zip(&mut self.squares);
            for (x, (mean, squares)) in row.iter().zip(statistics) {
                // Welford's update.
                let before = x - *mean;
                *mean += before / self.count;
                *squares += before * (x - *mean);
            }
        }
    }

    /// Makes what it has seen act from now on.
    pub fn settle(&mut self) {
        if self.count < 2.0 {
            return;
        }
        for k in 0..self.mean.len() {
            let variance = self.squares[k] / self.count + LEAST_VARIANCE;
            self.shift[k] = self.mean[k] as f32;
            self.scale[k] = (1.0 / variance.sqrt()) as f32;
        }
    }

    /// Writes normalised observations, (rows, n).
    pub fn normalise(&self, observations: &[f64], to: &mut [f32]) {
        let n = self.len().max(1);
        for (row, to) in observations.chunks_exact(n).zip(to.chunks_exact_mut(n)) {
            for (k, (x, to)) in row.iter().zip(to).enumerate() {
                let normal = (*x as f32 - self.shift[k]) * self.scale[k];
                *to = normal.clamp(-LARGEST, LARGEST);
            }
        }
    }

    /// The same for observations in single precision.
    pub fn normalise_single(&self, observations: &[f32], to: &mut [f32]) {
        let n = self.len().max(1);
        for (row, to) in observations.chunks_exact(n).zip(to.chunks_exact_mut(n)) {
            let numbers = self.shift.iter().zip(&self.scale);
            for ((x, to), (shift, scale)) in row.iter().zip(to).zip(numbers) {
                *to = ((x - shift) * scale).clamp(-LARGEST, LARGEST);
            }
        }
    }

    /// How much number `k` of a normalised observation, whose value is `normal`, grows with the number itself: not at all
    /// where it is cut off.
    pub fn slope(&self, k: usize, normal: f32) -> f32 {
        if normal.abs() < LARGEST { self.scale[k] } else { 0.0 }
    }

    /// Writes its memory under `name`.
    pub fn save(&self, name: &str, to: &mut Snapshot) {
        to.put(&format!("{name}/count"), vec![self.count]);
        to.put(&format!("{name}/mean"), self.mean.clone());
        to.put(&format!("{name}/squares"), self.squares.clone());
        to.put(&format!("{name}/shift"), self.shift.clone());
        to.put(&format!("{name}/scale"), self.scale.clone());
    }

    /// Reads its memory.
    pub fn restore(&mut self, name: &str, from: &Snapshot) -> Result<(), SnapshotError> {
        self.count = from.number(&format!("{name}/count"))?;
        from.fill(&format!("{name}/mean"), &mut self.mean)?;
        from.fill(&format!("{name}/squares"), &mut self.squares)?;
        from.fill(&format!("{name}/shift"), &mut self.shift)?;
        from.fill(&format!("{name}/scale"), &mut self.scale)
    }
}

#[cfg(test)]
mod tests {
    use gradbody_math::random::Random;

    use super::*;

    #[test]
    fn normalised_observations_have_mean_zero_and_spread_one() {
        let mut random = Random::new(5);
        let rows: Vec<f64> =
            (0..4000).flat_map(|_| [3.0 + 2.0 * random.normal(), -0.1 * random.normal()]).collect();
        let mut normaliser = Normaliser::new(2);
        normaliser.see(&rows);
        normaliser.settle();
        let mut normal = vec![0.0; rows.len()];
        normaliser.normalise(&rows, &mut normal);
        for k in 0..2 {
            let of = || normal.iter().skip(k).step_by(2).map(|x| f64::from(*x));
            let mean = of().sum::<f64>() / 4000.0;
            let variance = of().map(|x| (x - mean).powi(2)).sum::<f64>() / 4000.0;
            assert!(mean.abs() < 1e-3 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
        }
    }
}
