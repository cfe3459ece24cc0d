//! Predictors that know no mechanics, for comparison with a fitted robot.
//!
//! A [`Baseline`] predicts the channels of a recording from earlier samples: by holding the last velocity, or by a
//! network that is trained on [`Sequence`]s of evenly spaced samples. A network reads the latest sample (angles as sine
//! and cosine), the changes before it and the inputs, and predicts the next change; then its predictions become its
//! samples. [`Baseline::train`] fits it to whole rollouts, [`TrainedBaseline::predict`] continues from a warm-up, and
//! [`hidden_for`] chooses the width for a given number of weights.
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
    /// Continues from the last sample with the mean velocity of the last few samples.
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
    /// Number of samples that it reads: the latest, and the changes that led to it.
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
    /// Length of its memory.
    pub hidden: usize,
}

impl Default for LstmOptions {
    /// 20: about 2000 weights on two channels.
    fn default() -> Self {
        LstmOptions { hidden: 20 }
    }
}

/// Evenly spaced samples.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sequence {
    /// A row for each sample, with a number for each channel. Angles [rad] may jump by whole turns.
    pub samples: Vec<Vec<f64>>,
    /// A row of known inputs from each sample to the next; empty if there are none.
    pub inputs: Vec<Vec<f64>>,
}
