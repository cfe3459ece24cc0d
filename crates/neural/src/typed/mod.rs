//! Heads with a guarantee: whatever the weights are, the force dissipates energy, or conserves it.

mod conservative;
mod dissipative;

pub use conservative::{Conservative, ConservativeWork};
pub use dissipative::{Damping, Dissipative};

use thiserror::Error;

use crate::Activation;

/// Why a network cannot be used with a head.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HeadError {
    /// A head needs a different number of outputs.
    #[error("{head} needs a network with {expected} outputs, this one has {found}")]
    Outputs {
        /// The head.
        head: &'static str,
        /// Number of outputs it reads.
        expected: usize,
        /// Number of outputs of the network.
        found: usize,
    },
    /// A potential depends on the position only, not on the past.
    #[error(
        "a conservative force needs a network without memory, but this one has recurrent units"
    )]
    Memory,
    /// The gradient of the potential would be discontinuous.
    #[error(
        "layer {layer} has activation {activation:?}, whose slope is discontinuous, as the force would be: \
         a conservative force needs a smooth one, such as Softplus, Elu or Tanh"
    )]
    Rough {
        /// Index of the layer, from 0.
        layer: usize,
        /// Its activation.
        activation: Activation,
    },
}
