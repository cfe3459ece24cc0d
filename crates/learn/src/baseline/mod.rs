//! Prediction that knows no mechanics, to compare a fitted robot with.
//!
//! A [`Baseline`] predicts the channels of a recording from the samples before: by holding the last velocity, or by
//! a network trained on [`Sequence`]s of samples at even times. A network is given the latest sample (angles as
//! sine and cosine), the changes before it and what acts, and answers with the next change; its predictions are then
//! its samples. [`Baseline::train`] fits it to whole rollouts, [`TrainedBaseline::predict`] goes on from a warm-up.
//! [`hidden_for`] makes it as large as something else.
//!
//! ```
//! use gradbody_learn::baseline::{Baseline, LstmOptions, Sequence, TrainOptions};
//! use std::ops::ControlFlow;
//!
//! let samples: Vec<Vec<f64>> = (0..200).map(|k| vec![(0.2 * f64::from(k)).sin()]).collect();
//! let sequences = [Sequence { samples: samples.clone(), inputs: Vec::new() }];
//! let options = TrainOptions { epochs: 5, ..TrainOptions::default() };
//! let baseline = Baseline::Lstm(LstmOptions { hidden: 4 });
//! let trained = baseline.train(&sequences, &options, &mut |_| ControlFlow::Continue(()))?;
//! assert_eq!(trained.predict(&samples[..20], &[], 30)?.len(), 30);
//! # Ok::<(), gradbody_learn::baseline::BaselineError>(())
//! ```

mod data;
mod error;
mod law;
mod predict;
mod scales;
mod size;
mod train;
mod training;
mod unroll;

use serde::{Deserialize, Serialize};

pub use error::BaselineError;
pub use predict::TrainedBaseline;
pub use size::{Channels, hidden_for};
pub use train::TrainOptions;
pub use training::Training;

/// A way to predict without mechanics.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Baseline {
    /// What was last measured goes on with its velocity, taken from the last few samples.
    HoldVelocity,
    /// Dense layers on the last few samples.
    Mlp(MlpOptions),
    /// A unit of long short-term memory that runs over all samples.
    Lstm(LstmOptions),
}

/// Dense layers with tanh between them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct MlpOptions {
    /// Widths of the hidden layers.
    pub hidden: Vec<usize>,
    /// How many samples it is given: the latest, and the changes that led to it.
    pub history: usize,
}

impl Default for MlpOptions {
    /// Two layers of 32, on four samples.
    fn default() -> Self {
        MlpOptions { hidden: vec![32, 32], history: 4 }
    }
}

/// A unit of long short-term memory and a dense layer on its output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct LstmOptions {
    /// Length of what it remembers.
    pub hidden: usize,
}

impl Default for LstmOptions {
    /// 20: about 2000 weights on two channels.
    fn default() -> Self {
        LstmOptions { hidden: 20 }
    }
}

/// Samples at even times.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sequence {
    /// Each sample: a number for each channel. Angles in radians may jump by whole turns.
    pub samples: Vec<Vec<f64>>,
    /// What acts from each sample to the next, as far as it is known; empty if nothing is.
    pub inputs: Vec<Vec<f64>>,
}
