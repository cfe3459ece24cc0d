//! How errors count: by their square, or less where they are large, so that outliers have little influence.
//!
//! A law ρ(s) is the cost of a sensor whose squared error is s = |r|², in standard deviations. Its weight is w = 2 dρ/ds,
//! so that the gradient is dρ = w r·dr, and w dr·dr is a positive matrix of second derivatives for Gauss-Newton steps:
//! least squares with weights that follow the errors [Holland and Welsch 1977].

use gradbody_math::Scalar;
use serde::{Deserialize, Serialize};

use super::sensor::{Sensor, rows_of};

/// How errors count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoiseLaw {
    /// By their square: ρ = ½ s.
    #[default]
    Gaussian,
    /// By their square up to this many standard deviations c, and by their size beyond: ρ = c √s − ½ c².
    Huber(f64),
    /// As if the noise had a Student distribution with this many degrees of freedom ν: ρ = ½ (ν + n) ln(1 + s/ν) for n
    /// components. Errors beyond √ν standard deviations count less the larger they are.
    Student(f64),
    /// By about their square while they are small, and not at all beyond this many standard deviations c [Beaton and
    /// Tukey 1974]: ρ = c²/6 (1 − (1 − s/c²)³), and c²/6 beyond.
    Tukey(f64),
}

/// JᵀWJ of the weights is neither the information nor the second derivative of the cost, except for squares. With normal noise
/// each of these is this many times as large [Huber 1964].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Efficiency {
    /// The information on the unknowns: the inverse of the variance of what a fit finds.
    pub information: f64,
    /// The variance of the gradient.
    pub scatter: f64,
    /// The second derivative: a Gauss-Newton step goes this share of the way.
    pub slope: f64,
}

impl Default for Efficiency {
    fn default() -> Self {
        Efficiency { information: 1.0, scatter: 1.0, slope: 1.0 }
    }
}

impl Efficiency {
    /// The mean over sensors, by their numbers of errors.
    pub fn of(sensors: &[Sensor]) -> Self {
        if sensors.iter().all(|sensor| sensor.law == NoiseLaw::Gaussian) {
            return Efficiency::default();
        }
        let all = rows_of(sensors) as f64;
        let mean = |of: fn(&Efficiency) -> f64| {
            let each = |s: &Sensor| of(&s.law.efficiency(s.rows())) * s.rows() as f64;
            sensors.iter().map(each).sum::<f64>() / all
        };
        Efficiency {
            information: mean(|of| of.information),
            scatter: mean(|of| of.scatter),
            slope: mean(|of| of.slope),
        }
    }
}

/// Means over normal noise are sums over this many lengths, the longest in standard deviations.
const LENGTHS: usize = 128;
const LONGEST: f64 = 9.0;

impl NoiseLaw {
    /// The cost ρ of a squared error of `rows` components.
    #[inline(always)]
    pub fn cost<S: Scalar>(self, squared: S, rows: usize) -> S {
        let number = S::from_f64;
        match self {
            NoiseLaw::Gaussian => squared * number(0.5),
            NoiseLaw::Huber(width) => {
                // Inside the width the root is not used; its argument stays away from zero.
                let size = squared.max(number(width * width)).sqrt();
                let far = size.mul_add(number(width), number(-0.5 * width * width));
                squared.select_le(number(width * width), squared * number(0.5), far)
            }
            NoiseLaw::Student(freedom) => {
                let relative = squared.mul_add(number(1.0 / freedom), S::ONE);
                relative.ln() * number(0.5 * (freedom + rows as f64))
            }
            NoiseLaw::Tukey(width) => {
                let left = inside(squared, width);
                (S::ONE - left * left * left) * number(width * width / 6.0)
            }
        }
    }

    /// The mean cost of `rows` components of good measurements, whose noise is normal: the mean of ρ over the lengths of vectors
    /// of normal numbers.
    pub fn expected(self, rows: usize) -> f64 {
        if self == NoiseLaw::Gaussian {
            return 0.5 * rows as f64;
        }
        mean(rows, |squared| self.cost(squared, rows))
    }

    /// What the weights say of good measurements, beside what is true of them.
    pub fn efficiency(self, rows: usize) -> Efficiency {
        if self == NoiseLaw::Gaussian {
            return Efficiency::default();
        }
        let weight = |squared| self.weight(squared, rows);
        let n = rows as f64;
        let usual = mean(rows, weight);
        let pull = mean(rows, |squared| weight(squared).powi(2) * squared) / n;
        // The mean slope of the pull w r: for normal noise that of w r·r [Stein 1981].
        let slope = mean(rows, |squared| weight(squared) * squared) / n;
        Efficiency {
            information: slope * slope / (pull * usual),
            scatter: pull / usual,
            slope: slope / usual,
        }
    }

    /// The weight w = 2 dρ/ds of a squared error of `rows` components.
    #[inline(always)]
    pub fn weight<S: Scalar>(self, squared: S, rows: usize) -> S {
        let number = S::from_f64;
        match self {
            NoiseLaw::Gaussian => S::ONE,
            NoiseLaw::Huber(width) => number(width) / squared.max(number(width * width)).sqrt(),
            NoiseLaw::Student(freedom) => {
                number(freedom + rows as f64) / (squared + number(freedom))
            }
            NoiseLaw::Tukey(width) => {
                let left = inside(squared, width);
                left * left
            }
        }
    }
}

/// The mean of a function of the squared length of `rows` normal numbers.
fn mean(rows: usize, of: impl Fn(f64) -> f64) -> f64 {
    // The density of a length r is proportional to rⁿ⁻¹ exp(−r²/2).
    let (mut sum, mut whole) = (0.0, 0.0);
    for k in 0..LENGTHS {
        let length = (k as f64 + 0.5) * LONGEST / LENGTHS as f64;
        let density = length.powi(rows as i32 - 1) * (-0.5 * length * length).exp();
        sum += density * of(length * length);
        whole += density;
    }
    sum / whole
}

/// 1 − s/c², and 0 beyond c.
#[inline(always)]
fn inside<S: Scalar>(squared: S, width: f64) -> S {
    (S::ONE - squared * S::from_f64(1.0 / (width * width))).max(S::ZERO)
}

#[cfg(test)]
mod tests {
    use super::{Efficiency, NoiseLaw};

    #[test]
    fn weights_are_the_slopes_of_costs() {
        for law in
            [NoiseLaw::Gaussian, NoiseLaw::Huber(3.0), NoiseLaw::Student(4.0), NoiseLaw::Tukey(4.7)]
        {
            for rows in [1, 3] {
                for s in [0.0_f64, 0.3, 5.0, 8.9, 9.1, 21.0, 300.0] {
                    let h = 1e-5;
                    let slope = (law.cost(s + h, rows) - law.cost(s - h, rows)) / (2.0 * h);
                    let weight = law.weight(s, rows);
                    assert!(
                        (weight - 2.0 * slope).abs() < 1e-7,
                        "{law:?} at {s}: {weight}, {slope}"
                    );
                    assert!((0.0..=2.0).contains(&weight), "{law:?} at {s}: {weight}");
                }
                assert_eq!(law.cost(0.0, rows), 0.0, "{law:?}");
            }
        }
    }

    #[test]
    fn an_outlier_counts_less_than_its_square() {
        let far: f64 = 1e4;
        assert!((NoiseLaw::Huber(3.0).cost(far, 1) - (300.0 - 4.5)).abs() < 1e-9);
        assert!(NoiseLaw::Student(4.0).cost(far, 1) < 20.0);
        assert!((NoiseLaw::Tukey(4.7).cost(far, 1) - 4.7 * 4.7 / 6.0).abs() < 1e-12);
        assert_eq!(NoiseLaw::Tukey(4.7).weight(far, 1), 0.0);
    }

    /// Widths that are known for 95 % of the efficiency of squares with normal noise; all of it if nothing is cut.
    #[test]
    fn efficiencies_are_those_of_the_literature() {
        let of = |law: NoiseLaw| law.efficiency(1);
        for law in [NoiseLaw::Huber(1.345), NoiseLaw::Tukey(4.685)] {
            // In units of what squares say, which do not have the weights of the law.
            let usual = super::mean(1, |squared| law.weight(squared, 1));
            let information = of(law).information * usual;
            assert!((information - 0.95).abs() < 1e-3, "{law:?}: {information}");
        }
        for law in [NoiseLaw::Huber(9.0), NoiseLaw::Student(1e7), NoiseLaw::Tukey(1e4)] {
            let Efficiency { information, scatter, slope } = of(law);
            for share in [information, scatter, slope] {
                assert!((share - 1.0).abs() < 1e-5, "{law:?}: {share}");
            }
        }
    }

    /// Squares cost ½ each. Huber's loss leaves out ∫ (r − c)² φ dr beyond c.
    #[test]
    fn the_cost_of_good_measurements_is_their_mean() {
        for rows in [1, 3] {
            let half = 0.5 * rows as f64;
            assert_eq!(NoiseLaw::Gaussian.expected(rows), half);
            for law in [NoiseLaw::Huber(9.0), NoiseLaw::Student(1e7), NoiseLaw::Tukey(1e4)] {
                assert!((law.expected(rows) - half).abs() < 1e-5, "{law:?}");
            }
        }
        // (1 + c²) Q(c) − c φ(c) at c = 2.
        let less = 5.0 * 0.022_750_131_948 - 2.0 * 0.053_990_966_513;
        assert!((NoiseLaw::Huber(2.0).expected(1) - (0.5 - less)).abs() < 1e-5);
    }
}
