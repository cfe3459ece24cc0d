//! Heads that keep a promise: whatever the weights are, the force takes energy out, or conserves
//! it.

mod conservative;
mod dissipative;

pub use conservative::{Conservative, ConservativeWork};
pub use dissipative::{Damping, Dissipative};

use thiserror::Error;

use crate::Activation;

/// Why a network cannot stand behind a head.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HeadError {
    /// A head needs another number of outputs.
    #[error("{head} needs a network with {expected} outputs, this one has {found}")]
    Outputs {
        /// The head.
        head: &'static str,
        /// Outputs it reads.
        expected: usize,
        /// Outputs there are.
        found: usize,
    },
    /// A potential depends on where a body is, not on how it came there.
    #[error(
        "a conservative force needs a network without memory, this one has gated recurrent units"
    )]
    Memory,
    /// The gradient of the potential would jump.
    #[error(
        "layer {layer} has activation {activation:?}, whose slope jumps, and so would the force: \
         a conservative force needs a smooth one, such as Softplus, Elu or Tanh"
    )]
    Rough {
        /// Place of the layer, from 0.
        layer: usize,
        /// Its activation.
        activation: Activation,
    },
}
