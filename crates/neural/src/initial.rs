//! Weights to start training from.
//!
//! One seed gives the same bits on every machine.

use gradbody_math::random::{Random, SplitMix64, normal_of};
use serde::{Deserialize, Serialize};

use crate::Network;

/// The distribution of a matrix's entries. Biases start at zero.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spread {
    /// Uniform in ±√(6/(inputs + outputs)) [Glorot and Bengio 2010]; for tanh and similar activations.
    XavierUniform,
    /// Normal with variance 2/(inputs + outputs) [Glorot and Bengio 2010]; for tanh and similar activations.
    XavierNormal,
    /// Uniform in ±√(6/inputs) [He et al. 2015]; for relu and similar activations.
    HeUniform,
    /// Normal with variance 2/inputs [He et al. 2015]; for relu and similar activations.
    HeNormal,
    /// Normal with this standard deviation, whatever the sizes.
    Small(f64),
    /// All zero. Hidden layers that start from zero learn nothing; see [`Initial::zero_last`] instead.
    Zeros,
}

/// How weights are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Initial {
    /// The distribution.
    pub spread: Spread,
    /// Makes the last layer zero, so that the network's output is exactly zero at the start of training.
    pub zero_last: bool,
    /// Seed of the random numbers.
    pub seed: u64,
}

impl Default for Initial {
    /// Xavier's uniform distribution with seed 0.
    fn default() -> Self {
        Initial { spread: Spread::XavierUniform, zero_last: false, seed: 0 }
    }
}

impl Network {
    /// Draws weights.
    pub fn initial_weights(&self, initial: &Initial) -> Vec<f64> {
        let mut random = Random::split_mix(initial.seed);
        let mut weights = vec![0.0; self.n_weights()];
        let last = self.layers().len().checked_sub(1);
        for parameter in self.parameters() {
            let (Some(layer), [outputs, inputs]) = (parameter.layer, &parameter.shape[..]) else {
                continue;
            };
            if initial.zero_last && Some(layer) == last {
                continue;
            }
            // Each gate of a recurrent unit counts as a separate layer.
            let outputs = *outputs / self.layers()[layer].n_gates();
            let (inputs, outputs) = (*inputs as f64, outputs as f64);
            for weight in &mut weights[parameter.range] {
                *weight = match initial.spread {
                    Spread::XavierUniform => {
                        (6.0 / (inputs + outputs)).sqrt() * signed(&mut random)
                    }
                    Spread::XavierNormal => (2.0 / (inputs + outputs)).sqrt() * normal(&mut random),
                    Spread::HeUniform => (6.0 / inputs).sqrt() * signed(&mut random),
                    Spread::HeNormal => (2.0 / inputs).sqrt() * normal(&mut random),
                    Spread::Small(deviation) => deviation * normal(&mut random),
                    Spread::Zeros => 0.0,
                };
            }
        }
        weights
    }
}

/// Uniform in (−1, 1].
fn signed(random: &mut Random<SplitMix64>) -> f64 {
    2.0 * positive(random) - 1.0
}

/// Normal with mean 0 and variance 1.
fn normal(random: &mut Random<SplitMix64>) -> f64 {
    normal_of(positive(random), positive(random))
}

/// Uniform in (0, 1]: a multiple of 2⁻⁵³. Weights of published fits were drawn so, and not from [0, 1).
fn positive(random: &mut Random<SplitMix64>) -> f64 {
    random.unit() + 0.5 * f64::EPSILON
}
