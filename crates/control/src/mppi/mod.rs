//! Model-predictive path integral control (MPPI): a search by samples, without derivatives [Williams, Aldrich, Theodorou
//! 2017]. Many plans near the present one are tried, and the next one is their mean, in which a plan counts the more the
//! less it costs. It gets through costs with kinks and jumps, where derivatives lead nowhere, but is never exact.

mod search;

use serde::{Deserialize, Serialize};

use crate::{ControlError, Progress};

pub use search::MppiSearch;

/// Options of MPPI.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Mppi {
    /// Plans that are tried in an iteration.
    pub samples: usize,
    /// The standard deviation of the noise in an action, as a share of half of its range (of 1 if it has none). It
    /// falls by half where the search no longer gains anything.
    pub spread: f64,
    /// The cost by which a plan's weight falls to 1/e, as a share of the difference between the median and the least
    /// cost. The smaller it is, the fewer plans count.
    pub temperature: f64,
    /// How much of the noise of a knot persists into the next one: 0 for independent knots, near 1 for noise that
    /// changes slowly. Its standard deviation does not depend on this.
    pub memory: f64,
}

impl Default for Mppi {
    fn default() -> Self {
        Mppi { samples: 256, spread: 0.3, temperature: 0.1, memory: 0.8 }
    }
}

/// More samples than this are a mistake.
const MOST_SAMPLES: usize = 100_000;

impl Mppi {
    /// Refuses options that are out of range.
    pub fn check(&self) -> Result<(), ControlError> {
        let wrong = |option, value, hint| Err(ControlError::Option { option, value, hint });
        let is_positive = |x: f64| x > 0.0 && x.is_finite();
        if self.samples < 2 {
            return wrong("samples", self.samples as f64, "it must be at least 2");
        }
        if self.samples > MOST_SAMPLES {
            return wrong("samples", self.samples as f64, "it must be at most 100000");
        }
        if !is_positive(self.spread) {
            return wrong("spread", self.spread, "it must be positive, as a share of half a range");
        }
        if !is_positive(self.temperature) {
            return wrong("temperature", self.temperature, "it must be positive");
        }
        if !(0.0..1.0).contains(&self.memory) {
            return wrong("memory", self.memory, "it must be at least 0 and below 1");
        }
        Ok(())
    }
}

/// What an iteration of MPPI did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MppiIteration {
    /// The least cost so far.
    pub cost: f64,
    /// The cost of the weighted mean of the plans; none if its motion diverges.
    pub mean_plan: Option<f64>,
    /// The least cost of a plan that was tried; none if all diverge.
    pub least: Option<f64>,
    /// The mean cost of the plans that were tried and do not diverge; none if all do.
    pub mean: Option<f64>,
    /// How many of the plans diverge.
    pub diverged: usize,
    /// The number of plans that effectively count: (Σ w)² / Σ w² of their weights w.
    pub effective: f64,
    /// The spread of the noise, as [`Mppi::spread`].
    pub spread: f64,
}

/// What a search needs to go on with the same bits, besides its problem and options.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MppiState {
    /// Seed of the random numbers, which are a function of it, of the iteration and of the plan.
    pub seed: u64,
    /// The actions of the best motion so far, knot by knot.
    pub actions: Vec<f64>,
    /// The plan that the next ones are near.
    pub mean: Vec<f64>,
    /// The present spread.
    pub spread: f64,
    /// For how many iterations the best motion has hardly gained.
    pub idle: usize,
    /// All iterations so far.
    pub history: Vec<MppiIteration>,
    /// How the search goes on.
    pub progress: Progress,
}
