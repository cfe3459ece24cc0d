//! Random numbers that can be written to a file.
//!
//! Only exact operations and the elementary functions of `gradbody-math` are used, so one seed gives the same bits
//! on every machine.

use gradbody_math::Scalar;
use serde::{Deserialize, Serialize};

/// The generator xoshiro256++ [Blackman and Vigna 2021].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Random([u64; 4]);

impl Random {
    /// One seed, one sequence.
    pub fn new(seed: u64) -> Self {
        let mut state = seed;
        Random(std::array::from_fn(|_| split_mix(&mut state)))
    }

    /// A sequence of its own for each path below a seed, as (round, searcher).
    pub fn derived(seed: u64, path: &[u64]) -> Self {
        Random::new(derived_seed(seed, path))
    }

    /// Any 64 bits.
    pub fn bits(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let shifted = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= shifted;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Uniform in [0, 1): a multiple of 2⁻⁵³.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in [low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform in 0..n; 0 if n is 0.
    pub fn below(&mut self, n: usize) -> usize {
        // The high half of the product: biased by less than n/2⁶⁴.
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// Normal with mean 0 and variance 1 [Box and Muller 1958].
    pub fn normal(&mut self) -> f64 {
        // The trait's functions, not the standard library's: these round alike everywhere.
        let radius = (-2.0 * Scalar::ln(1.0 - self.unit())).sqrt();
        let (_, cos) = Scalar::sin_cos(std::f64::consts::TAU * self.unit());
        radius * cos
    }

    /// Puts the items in an order in which all orders are equally likely [Fisher and Yates 1938].
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

/// A seed for a path below a seed.
pub(super) fn derived_seed(seed: u64, path: &[u64]) -> u64 {
    path.iter().fold(seed, |seed, &step| {
        let mut state = seed ^ step.wrapping_mul(0xd134_2543_de82_ef95).rotate_left(32);
        split_mix(&mut state)
    })
}

/// SplitMix64 [Steele, Lea and Flood 2014], which xoshiro's authors recommend to seed with.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::Random;

    /// What the authors' program gives for the state 1, 2, 3, 4.
    #[test]
    fn the_generator_is_xoshiro_256_plus_plus() {
        let mut random = Random([1, 2, 3, 4]);
        let drawn: Vec<u64> = (0..4).map(|_| random.bits()).collect();
        assert_eq!(drawn, [41943041, 58720359, 3588806011781223, 3591011842654386]);
    }

    #[test]
    fn normal_numbers_have_the_moments_of_a_normal_distribution() {
        let mut random = Random::new(7);
        let n = 200_000;
        let drawn: Vec<f64> = (0..n).map(|_| random.normal()).collect();
        let moment = |k: i32| drawn.iter().map(|x| x.powi(k)).sum::<f64>() / f64::from(n);
        // Five standard errors of each mean: √(var/n) with variances 1, 2, 15 and 96.
        for (k, expected, variance) in
            [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0)]
        {
            let error = (moment(k) - expected).abs();
            assert!(
                error < 5.0 * f64::sqrt(variance / f64::from(n)),
                "moment {k} is off by {error}"
            );
        }
    }
}
