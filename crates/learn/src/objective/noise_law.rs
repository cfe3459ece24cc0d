//! How errors count: by their square, or less where they are large, so that outliers have little influence.
//!
//! A law ρ(s) is the cost of a sensor whose squared error is s = |r|², in standard deviations. Its weight is w = 2 dρ/ds,
//! so that the gradient is dρ = w r·dr, and w dr·dr is a positive matrix of second derivatives for Gauss-Newton steps:
//! least squares with weights that follow the errors [Holland and Welsch 1977].

use gradbody_math::Scalar;
use serde::{Deserialize, Serialize};

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

    /// The mean cost of `rows` components under the noise that the law stands for; those that cut off outliers stand for
    /// normal noise.
    pub fn expected(self, rows: usize) -> f64 {
        let n = rows as f64;
        match self {
            NoiseLaw::Student(freedom) => {
                // E ln(1 + s/ν) of a Student distribution.
                let logarithm = digamma(0.5 * (freedom + n)) - digamma(0.5 * freedom);
                0.5 * (freedom + n) * logarithm
            }
            NoiseLaw::Gaussian | NoiseLaw::Huber(_) | NoiseLaw::Tukey(_) => 0.5 * n,
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

/// The derivative of ln Γ: ψ(x) = ψ(x + 1) − 1/x, and its asymptotic series for large x.
fn digamma(x: f64) -> f64 {
    if x < 10.0 {
        return digamma(x + 1.0) - 1.0 / x;
    }
    let square = 1.0 / (x * x);
    x.ln() - 0.5 / x - square * (1.0 / 12.0 - square * (1.0 / 120.0 - square / 252.0))
}

/// 1 − s/c², and 0 beyond c.
#[inline(always)]
fn inside<S: Scalar>(squared: S, width: f64) -> S {
    (S::ONE - squared * S::from_f64(1.0 / (width * width))).max(S::ZERO)
}

#[cfg(test)]
mod tests {
    use super::NoiseLaw;

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
}
