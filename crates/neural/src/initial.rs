//! Weights to start training from.
//!
//! They are drawn by a generator of our own and by the elementary functions of `gradbody-math`, so
//! one seed gives the same bits on every machine.

use gradbody_math::Scalar;
use serde::{Deserialize, Serialize};

use crate::Network;

/// How wide the entries of a matrix are spread. Biases start at zero.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spread {
    /// Uniform in ±√(6/(inputs + outputs)) [Glorot and Bengio 2010]; for tanh and the like.
    XavierUniform,
    /// Normal with variance 2/(inputs + outputs) [Glorot and Bengio 2010]; for tanh and the like.
    XavierNormal,
    /// Uniform in ±√(6/inputs) [He et al. 2015]; for relu and the like.
    HeUniform,
    /// Normal with variance 2/inputs [He et al. 2015]; for relu and the like.
    HeNormal,
    /// Normal with this standard deviation, whatever the sizes.
    Small(f64),
    /// All zero. Hidden layers that start so learn nothing; see [`Initial::zero_last`] instead.
    Zeros,
}

/// How weights are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Initial {
    /// How wide.
    pub spread: Spread,
    /// Makes the last layer zero, so that training starts from a network whose output is exactly
    /// zero.
    pub zero_last: bool,
    /// One number, one set of weights.
    pub seed: u64,
}

impl Default for Initial {
    /// Xavier's uniform spread with seed 0.
    fn default() -> Self {
        Initial { spread: Spread::XavierUniform, zero_last: false, seed: 0 }
    }
}

impl Network {
    /// Draws weights.
    pub fn initial_weights(&self, initial: &Initial) -> Vec<f64> {
        let mut random = Random::new(initial.seed);
        let mut weights = vec![0.0; self.n_weights()];
        let last = self.layers().len().checked_sub(1);
        for parameter in self.parameters() {
            let (Some(layer), [outputs, inputs]) = (parameter.layer, &parameter.shape[..]) else {
                continue;
            };
            if initial.zero_last && Some(layer) == last {
                continue;
            }
            // A gate of a recurrent unit counts as a layer of its own.
            let outputs = *outputs / self.layers()[layer].n_gates();
            let (inputs, outputs) = (*inputs as f64, outputs as f64);
            for weight in &mut weights[parameter.range] {
                *weight = match initial.spread {
                    Spread::XavierUniform => (6.0 / (inputs + outputs)).sqrt() * random.signed(),
                    Spread::XavierNormal => (2.0 / (inputs + outputs)).sqrt() * random.normal(),
                    Spread::HeUniform => (6.0 / inputs).sqrt() * random.signed(),
                    Spread::HeNormal => (2.0 / inputs).sqrt() * random.normal(),
                    Spread::Small(deviation) => deviation * random.normal(),
                    Spread::Zeros => 0.0,
                };
            }
        }
        weights
    }
}

/// SplitMix64 [Steele, Lea and Flood 2014].
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in (0, 1]: a multiple of 2⁻⁵³.
    fn unit(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in (−1, 1].
    fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// Normal with variance 1 [Box and Muller 1958].
    fn normal(&mut self) -> f64 {
        // The trait's functions, not the standard library's: these round alike everywhere.
        let radius = (-2.0 * Scalar::ln(self.unit())).sqrt();
        let (_, cos) = Scalar::sin_cos(core::f64::consts::TAU * self.unit());
        radius * cos
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    /// The first numbers of the published generator for seed 1234567.
    #[test]
    fn the_generator_is_split_mix_64() {
        let mut random = Random::new(1234567);
        let drawn: Vec<u64> = (0..3).map(|_| random.next()).collect();
        assert_eq!(drawn, [6457827717110365317, 3203168211198807973, 9817491932198370423]);
    }
}
