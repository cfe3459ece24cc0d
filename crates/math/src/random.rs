//! Random numbers that are the same on every machine.
//!
//! One seed gives one sequence, to the last bit: only exact operations and the elementary functions of this crate are
//! used. [`Random`] draws numbers; where its bits come from is its type's parameter. Searches use [`Xoshiro256`].
//! Initial weights, random parts of a data set and directions of `gradbody check` use [`SplitMix64`], which seeds the
//! other. Published results depend on both sequences, so neither may change (docs/decisions/0015-small-tools.md).

use crate::Scalar;

/// Where random bits come from.
pub trait Source {
    /// The next 64 bits.
    fn next(&mut self) -> u64;
}

/// The generator SplitMix64 [Steele, Lea and Flood 2014].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitMix64(u64);

impl Source for SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// The generator xoshiro256++ [Blackman and Vigna 2021].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Xoshiro256([u64; 4]);

impl Source for Xoshiro256 {
    fn next(&mut self) -> u64 {
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
}

/// Draws random numbers.
///
/// ```
/// use gradbody_math::random::Random;
///
/// let mut random = Random::new(7);
/// assert!((2.0..3.0).contains(&random.between(2.0, 3.0)));
/// assert_eq!(Random::new(7), Random::new(7));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random<S = Xoshiro256>(S);

impl Random {
    /// The numbers of xoshiro256++. Its state is filled by SplitMix64, as its authors recommend.
    pub fn new(seed: u64) -> Self {
        let mut bits = SplitMix64(seed);
        Random(Xoshiro256(std::array::from_fn(|_| bits.next())))
    }

    /// A sequence of its own for each path below a seed, as (round, searcher).
    pub fn derived(seed: u64, path: &[u64]) -> Self {
        Random::new(derived_seed(seed, path))
    }

    /// What to write to a file so that [`Random::from_state`] goes on from here.
    pub fn state(&self) -> [u64; 4] {
        self.0.0
    }

    /// Goes on from a state.
    pub fn from_state(state: [u64; 4]) -> Self {
        Random(Xoshiro256(state))
    }
}

impl Random<SplitMix64> {
    /// The numbers of SplitMix64.
    pub fn split_mix(seed: u64) -> Self {
        Random(SplitMix64(seed))
    }
}

impl<S: Source> Random<S> {
    /// Any 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next()
    }

    /// Uniform in [0, 1): a multiple of 2⁻⁵³.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in [low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform in [−1, 1).
    pub fn signed(&mut self) -> f64 {
        self.between(-1.0, 1.0)
    }

    /// So many numbers, uniform in [−1, 1).
    pub fn numbers(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.signed()).collect()
    }

    /// Uniform in 0..n; 0 if n is 0.
    pub fn below(&mut self, n: usize) -> usize {
        // The high half of the product: biased by less than n/2⁶⁴.
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// Normal with mean 0 and variance 1.
    pub fn normal(&mut self) -> f64 {
        normal_of(1.0 - self.unit(), self.unit())
    }

    /// Puts the items in an order in which all orders are equally likely [Fisher and Yates 1938].
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

/// A normal number with mean 0 and variance 1, of two uniform ones, the first in (0, 1] [Box and Muller 1958].
pub fn normal_of(first: f64, second: f64) -> f64 {
    // The trait's functions, not the standard library's: these round alike everywhere.
    let radius = (-2.0 * Scalar::ln(first)).sqrt();
    let (_, cos) = Scalar::sin_cos(std::f64::consts::TAU * second);
    radius * cos
}

/// A seed for a path below a seed.
pub fn derived_seed(seed: u64, path: &[u64]) -> u64 {
    path.iter().fold(seed, |seed, &step| {
        SplitMix64(seed ^ step.wrapping_mul(0xd134_2543_de82_ef95).rotate_left(32)).next()
    })
}

#[cfg(test)]
mod tests {
    use super::Random;

    /// The first numbers of the published generator for seed 1234567.
    #[test]
    fn split_mix_is_split_mix_64() {
        let mut random = Random::split_mix(1234567);
        let drawn: Vec<u64> = (0..3).map(|_| random.bits()).collect();
        assert_eq!(drawn, [6457827717110365317, 3203168211198807973, 9817491932198370423]);
    }

    /// What the authors' program gives for the state 1, 2, 3, 4.
    #[test]
    fn the_usual_generator_is_xoshiro_256_plus_plus() {
        let mut random = Random::from_state([1, 2, 3, 4]);
        let drawn: Vec<u64> = (0..4).map(|_| random.bits()).collect();
        assert_eq!(drawn, [41943041, 58720359, 3588806011781223, 3591011842654386]);
    }

    #[test]
    fn a_state_goes_on_with_the_same_numbers() {
        let mut random = Random::derived(3, &[1, 4]);
        random.normal();
        let mut other = Random::from_state(random.state());
        assert_eq!(random.numbers(5), other.numbers(5));
        assert_ne!(random, Random::derived(3, &[1, 5]));
    }

    #[test]
    fn a_shuffle_keeps_every_item() {
        let mut items: Vec<usize> = (0..20).collect();
        Random::new(1).shuffle(&mut items);
        assert_ne!(items, Vec::from_iter(0..20));
        items.sort_unstable();
        assert_eq!(items, Vec::from_iter(0..20));
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
