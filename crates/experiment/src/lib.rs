//! The file that describes a fit, as types: which model, which data, what may change and how.
//!
//! ```toml
//! [model]
//! file = "arm.urdf"
//!
//! [data]
//! files = "runs/*.csv"
//! time = "t"
//! split = { fractions = { train = 0.6, validation = 0.2, test = 0.2 } }
//!
//! [channels]
//! shoulder = { unit = "deg", is = "joint/shoulder/position", noise = 0.2 }
//! elbow = { unit = "deg", is = "joint/elbow/position", noise = 0.2 }
//! current = { is = "control/motor" }
//!
//! [change]
//! parameters = ["link/*/mass", "joint/*/damping"]
//! ```

mod change;
mod data;
mod data_place;
mod discover;
mod error;
mod load;
mod model;
mod objective;
mod objects;
mod place_shapes;
mod prediction;
mod shapes;
mod simulation;
mod toml_error;
pub mod toml_text;
mod training;

use std::collections::BTreeMap;

use gradbody_augment::{Augmentation, Blueprint};
use gradbody_optimise::{LevenbergMarquardt, Limits, Method};
use serde::{Deserialize, Serialize};

pub use change::{Change, Prior, Starts};
pub use data::{ChannelLoss, ChannelSpec, DataOptions, PublishedSet};
pub use discover::DiscoverOptions;
pub use error::ExperimentError;
pub use load::{LoadModel, matching};
pub use model::{BaseOption, Ground, ModelOptions, Servo};
pub use objective::{Estimate, Jump, ObjectiveOptions};
pub use objects::ObjectSpec;
pub use prediction::{BaselineKind, BaselineSpec, Prediction};
pub use shapes::{PairSpec, ShapeSpec};
pub use simulation::{ContactMethod, ContactSlope, Scheme, Simulation, USUAL_SECANT, step_options};
pub use training::Training;

/// A fit: which model, which data, what may change and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Experiment {
    /// Its name. Without it, the name of its file.
    #[serde(default)]
    pub name: String,
    /// Seed of every random number: the same seed gives the same fit.
    #[serde(default)]
    pub seed: u64,
    /// The robot.
    pub model: ModelOptions,
    /// The recordings.
    pub data: DataOptions,
    /// What the columns of the recordings measure.
    pub channels: BTreeMap<String, ChannelSpec>,
    /// What the fit may change.
    #[serde(default)]
    pub change: Change,
    /// Names of signals that networks read.
    #[serde(default)]
    pub signals: Vec<String>,
    /// Networks inside the step, and where.
    #[serde(default)]
    pub augmentation: Vec<Augmentation>,
    /// How the model is stepped.
    #[serde(default)]
    pub simulation: Simulation,
    /// Which errors the fit makes small.
    #[serde(default)]
    pub objective: ObjectiveOptions,
    /// The method that finds the parameters.
    #[serde(default = "levenberg_marquardt")]
    pub optimiser: Method,
    /// When it stops at the latest.
    #[serde(default = "enough")]
    pub limits: Limits,
    /// How networks are trained, once the parameters have been fitted without them.
    #[serde(default)]
    pub training: Training,
    /// How the fitted model is judged.
    #[serde(default)]
    pub prediction: Prediction,
    /// What `gradbody discover` tries.
    #[serde(default)]
    pub discover: DiscoverOptions,
}

/// More iterations than any search needs that makes progress.
fn enough() -> Limits {
    Limits::iterations(300)
}

fn levenberg_marquardt() -> Method {
    Method::LevenbergMarquardt(LevenbergMarquardt::default())
}

/// More substeps than this are a mistake.
const MOST_SUBSTEPS: usize = 10_000;

impl Experiment {
    /// Reads an experiment from `text`, the contents of the file `file`.
    pub fn from_toml(text: &str, file: &str) -> Result<Self, ExperimentError> {
        let mut experiment: Experiment = toml::from_str(text)
            .map_err(|error| ExperimentError::Toml(toml_text::explain(&error, text, file)))?;
        if let Some(told) = toml_text::too_long(text, &experiment, file) {
            return Err(ExperimentError::Toml(told));
        }
        if experiment.name.is_empty() {
            let stem = std::path::Path::new(file).file_stem();
            experiment.name = stem.map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        }
        Ok(experiment)
    }

    /// The text of a file that reads back as the same experiment.
    pub fn to_toml(&self) -> Result<String, ExperimentError> {
        // By way of a table: half as much to compile.
        let table = toml::Table::try_from(self);
        (table.and_then(|table| toml::to_string(&table)))
            .map_err(|error| ExperimentError::Toml(error.to_string()))
    }

    /// Refuses impossible numbers, before any file is read.
    pub fn check(&self) -> Result<(), ExperimentError> {
        let wrong = |what: &str, why: &str| Err(ExperimentError::wrong(what, why));
        let zero = |n: Option<usize>| n == Some(0);
        let objective = &self.objective;
        if zero(objective.window) {
            return wrong("objective.window", "a window has at least 1 sample");
        }
        let lessons = objective.curriculum.iter().copied().chain(objective.window);
        if objective.curriculum.contains(&0) || !lessons.is_sorted_by(|a, b| a < b) {
            return wrong(
                "objective.curriculum",
                "each window must be longer than the one before, up to objective.window",
            );
        }
        if zero(objective.stride) {
            return wrong("objective.stride", "windows are at least 1 sample apart");
        }
        if zero(objective.windows) {
            return wrong("objective.windows", "at least 1 window is needed");
        }
        if self.prediction.warm_up == 0 {
            return wrong("prediction.warm-up", "at least 1 sample must be given");
        }
        if zero(self.prediction.horizon) {
            return wrong("prediction.horizon", "at least 1 sample must be predicted");
        }
        if self.prediction.windows == 0 {
            return wrong("prediction.windows", "at least 1 window is needed");
        }
        if self.data.samples.is_some_and(|n| n < 2) {
            return wrong("data.samples", "at least 2 samples are needed");
        }
        if self.simulation.substeps == 0 || self.simulation.substeps > MOST_SUBSTEPS {
            return wrong("simulation.substeps", "from 1 to 10000 steps");
        }
        for (what, x) in [
            ("objective.weight-decay", objective.weight_decay),
            ("objective.lasso", objective.lasso),
            ("objective.group-lasso", objective.group_lasso),
        ] {
            if !(x.is_finite() && x >= 0.0) {
                return wrong(what, "a number that is not negative is needed");
            }
        }
        self.model.check()?;
        if let Some(jump) = objective.jump {
            let positive = |x: f64| x.is_finite() && x > 0.0;
            if !(positive(jump.position) && positive(jump.velocity)) {
                return wrong("objective.jump", "standard deviations are positive numbers");
            }
            if self.change.starts == Starts::Measured {
                return wrong(
                    "objective.jump",
                    "measured starts cannot meet; let change.starts be \"free\"",
                );
            }
        }
        self.check_gradient()
    }

    /// Its networks.
    pub fn blueprint(&self) -> Blueprint {
        Blueprint { signals: self.signals.clone(), augmentations: self.augmentation.clone() }
    }
}
