//! Learning to act: policies for the environments of [`gradbody_env`], trained by samples or by the gradient of the
//! simulation.
//!
//! ```text
//!              ┌──────────── samples, or gradients of windows ─────────────┐
//!  EnvBatch ───┤                                                           ▼
//!  (worlds)    │◄── actions ── Actor ◄── weights ── Learner (Ppo, Sac, Mbpo, Shac) ──► Progress, Snapshot
//!              │             (network, normaliser, head)
//! ```
//!
//! | type | what it is |
//! |---|---|
//! | [`Actor`] | what is trained: a network from observations to actions, with the normalisation of its inputs |
//! | [`Learner`] | an algorithm with its worlds and all it remembers; one call of [`advance`](Learner::advance) is one iteration |
//! | [`Ppo`] | proximal policy optimisation |
//! | [`Sac`] | soft actor-critic; its options have policy and sample enhancement, by the gradient of single steps |
//! | [`Mbpo`] | SAC on rollouts of learned models |
//! | [`Progress`] | what an iteration did: samples, gradient steps, returns of the episodes that ended |
//! | [`Snapshot`] | everything that a learner remembers, as named arrays: what a checkpoint holds |
//! | [`DenseRows`] | a network of dense layers on many rows at once, in single precision, with its adjoint |
//! | [`Evaluation`] | returns of whole episodes of an actor without noise |
//! | [`PolicyFile`] | an actor as a file, with what it is for; [`onnx`] writes it for other programs |
//!
//! Everything follows from a seed to the last bit, on any number of threads: rows are worked on in blocks of a fixed
//! size, and what is summed over them is summed in their order.

mod actor;
mod adam;
mod checksum;
mod critic;
mod error;
mod evaluation;
mod file;
mod gaussian;
mod in_lanes;
mod learner;
mod matrix;
mod mbpo;
mod normaliser;
mod onnx;
mod orthogonal;
mod ppo;
mod rows;
mod sac;
mod shac;
mod snapshot;
mod worlds;

pub use actor::{Actor, Head, Spread};
pub use adam::{Adam, AdamOptions, clip_norm};
pub use checksum::Checksum;
pub use critic::Critic;
pub use error::TrainError;
pub use evaluation::Evaluation;
pub use file::{About, PolicyFile, PolicyFileError, Training};
pub use in_lanes::{ActorInLanes, ActorInWindow, CriticInLanes, CriticInWindow, Gathered};
pub use learner::{Learner, Progress};
pub use mbpo::{Mbpo, MbpoOptions, ModelOptions, RolloutLength};
pub use normaliser::Normaliser;
pub use onnx::onnx;
pub use ppo::{LearningRate, Ppo, PpoOptions};
pub use rows::DenseRows;
pub use sac::{PolicyEnhancement, Sac, SacOptions, SampleEnhancement, Temperature};
pub use shac::{Shac, ShacOptions};
pub use snapshot::{Array, Snapshot, SnapshotError};
