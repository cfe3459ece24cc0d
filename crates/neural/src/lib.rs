//! Small neural networks for use inside a simulator, with adjoints written by hand; calls do not allocate.
//!
//! - [`Network`] is a structure without numbers; its weights are one flat slice of any
//!   [`Scalar`](gradbody_math::Scalar). [`Network::forward`] and [`Network::vjp`] run it.
//! - [`Initial`] draws initial weights, the same on every machine.
//! - [`Dissipative`] and [`Conservative`] turn a network's output into a force that dissipates or conserves energy.
//! - [`WeightsFile`] and [`write_weights`] store weights in safetensors files that PyTorch can read; [`from_pytorch`]
//!   imports a network trained there. [`write_tensors`] stores any tensors.
//!
//! ```
//! use gradbody_neural::{
//!     Activation, Initial, Network, NetworkCotangents, NetworkScratch, NetworkTrace,
//! };
//!
//! let network = Network::perceptron(&[2, 16, 1], Activation::Tanh)?;
//! let weights = network.initial_weights(&Initial::default());
//! let (mut trace, mut scratch) = (NetworkTrace::new(&network), NetworkScratch::new(&network));
//! network.forward(&weights, &[0.3, -0.1], &[], &mut trace);
//! let y = trace.outputs()[0];
//!
//! // The gradient of y².
//! let (mut inputs_bar, mut weights_bar) = ([0.0; 2], vec![0.0; network.n_weights()]);
//! let bar = NetworkCotangents {
//!     outputs: &[2.0 * y],
//!     next_memory: &[],
//!     inputs: &mut inputs_bar,
//!     memory: &mut [],
//!     weights: Some(&mut weights_bar),
//! };
//! network.vjp(&weights, &[], &trace, &mut scratch, bar);
//! # Ok::<(), gradbody_neural::NetworkError>(())
//! ```

mod activation;
mod affine;
mod evaluate;
mod file;
mod gru;
mod initial;
mod lstm;
mod network;
mod pytorch;
mod tensors;
mod typed;

pub use activation::Activation;
pub use evaluate::{NetworkCotangents, NetworkScratch, NetworkTrace};
pub use file::{NamedWeights, Shape, WeightsError, WeightsFile, WeightsTrouble, write_weights};
pub use initial::{Initial, Spread};
pub use network::{Layer, Network, NetworkError, Parameter};
pub use pytorch::from_pytorch;
pub use tensors::{NamedTensor, Numbers, write_tensors};
pub use typed::{Conservative, ConservativeWork, Damping, Dissipative, HeadError};
