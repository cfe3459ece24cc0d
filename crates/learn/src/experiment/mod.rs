//! An experiment: a model, data, what may change and how, as one TOML file.
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

mod error;
mod hint;
mod layout;
mod notes;
mod setup;
mod toml_error;

use std::collections::BTreeMap;

use gradbody_augment::{Augmentation, Blueprint};
use serde::{Deserialize, Serialize};

use crate::objective::{Estimate, Prior};
use gradbody_data::process::{Resample, Split};
use gradbody_data::{Delimiter, Format, Missing, ReadOptions, TimeColumn, one_or_many};
use gradbody_optimise::{Adam, LevenbergMarquardt, Limits, Method};

pub use error::ExperimentError;
pub(crate) use setup::evenly;
pub use setup::{LoadModel, Part, Setup};

/// What is to be fitted to what, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Experiment {
    /// What it is called; else the name of its file.
    #[serde(default)]
    pub name: String,
    /// What draws random numbers alike.
    #[serde(default)]
    pub seed: u64,
    /// The model.
    pub model: ModelOptions,
    /// The data.
    pub data: DataOptions,
    /// What the columns of the data are.
    pub channels: BTreeMap<String, ChannelSpec>,
    /// What may change.
    #[serde(default)]
    pub change: Change,
    /// Names of signals that networks read.
    #[serde(default)]
    pub signals: Vec<String>,
    /// Networks.
    #[serde(default)]
    pub augmentation: Vec<Augmentation>,
    /// How the model is stepped.
    #[serde(default)]
    pub simulation: Simulation,
    /// What errors are compared over.
    #[serde(default)]
    pub objective: ObjectiveOptions,
    /// How parameters are found.
    #[serde(default = "levenberg_marquardt")]
    pub optimiser: Method,
    /// When that ends at the latest.
    #[serde(default = "enough")]
    pub limits: Limits,
    /// How networks are trained, after the parameters were found without them.
    #[serde(default)]
    pub training: Training,
    /// How the model is judged.
    #[serde(default)]
    pub prediction: Prediction,
    /// What `discover` tries.
    #[serde(default)]
    pub discover: crate::discover::DiscoverOptions,
}

/// More than any search needs that is getting somewhere.
fn enough() -> Limits {
    Limits::iterations(300)
}

fn levenberg_marquardt() -> Method {
    Method::LevenbergMarquardt(LevenbergMarquardt::default())
}

/// Which model, and what is different from its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ModelOptions {
    /// A URDF or MJCF file, beside the experiment's.
    pub file: String,
    /// How the root link of a URDF is held: "auto", "fixed" or "free".
    #[serde(default)]
    pub base: BaseOption,
    /// Replace impossible inertias by the nearest possible ones.
    #[serde(default)]
    pub repair_inertia: bool,
    /// Numbers of the model that are set before anything else.
    #[serde(default)]
    pub set: BTreeMap<String, f64>,
    /// A flat ground under it.
    #[serde(default)]
    pub ground: Option<Ground>,
    /// The configuration to begin the search for states with, where no sensor says it.
    #[serde(default)]
    pub q: Option<Vec<f64>>,
}

/// How the root link of a URDF is held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BaseOption {
    /// As the importer thinks.
    #[default]
    Auto,
    /// To the world.
    Fixed,
    /// Not at all.
    Free,
}

/// A flat ground.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Ground {
    /// Where it is [m].
    #[serde(default)]
    pub height: f64,
    /// Its coefficient of friction.
    pub friction: f64,
    /// Its coefficient of restitution.
    #[serde(default)]
    pub restitution: f64,
}

/// Which data, and how they are read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct DataOptions {
    /// A published set, in place of files: see [`sets`](gradbody_data::sets).
    pub set: Option<PublishedSet>,
    /// Files or patterns, beside the experiment's.
    #[serde(deserialize_with = "one_or_many")]
    pub files: Vec<String>,
    /// See [`ReadOptions::format`](gradbody_data::ReadOptions).
    pub format: Option<Format>,
    /// What is between the cells of a line.
    pub delimiter: Option<Delimiter>,
    /// Whether the first row has names.
    pub header: Option<bool>,
    /// Names of the columns.
    pub columns: Option<Vec<String>>,
    /// The column that has the time.
    pub time: Option<TimeColumn>,
    /// Samples a second, if no column has the time.
    pub rate: Option<f64>,
    /// Columns that tell trajectories of one file apart.
    #[serde(deserialize_with = "one_or_many")]
    pub trajectory: Vec<String>,
    /// What a cell without number means.
    pub missing: Missing,
    /// To another rate.
    pub resample: Option<Resample>,
    /// Which recordings are learned from, chosen by and judged by.
    pub split: Option<Split>,
    /// No more than so many samples of each recording.
    pub samples: Option<usize>,
}

/// A set that others have published, in the folder that `GRADBODY_DATA` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PublishedSet {
    /// Runs `runs/N`, and the sequences to predict `validation/N`; channels theta1 and theta2.
    IbmDoublePendulum,
    /// Segments `id/N`; channels theta1, theta2, and their rates.
    MultiarmDoublePendulum,
    /// Tosses of a cube.
    ContactnetsCube,
}

/// What a column of the data is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ChannelSpec {
    /// The column; else that of the channel's name.
    pub column: Option<String>,
    /// Its unit.
    pub unit: String,
    /// What its numbers are multiplied by.
    pub scale: Option<f64>,
    /// The unit of counts times their scale.
    pub of: Option<String>,
    /// What it is in the model.
    pub is: String,
    /// Its standard deviation, in its unit; else it is estimated from how rough the data are.
    pub noise: Option<f64>,
    /// From how many standard deviations on errors count by their size and not by their square.
    pub huber: Option<f64>,
    /// Angles that jump by a turn are joined again.
    pub unwrap: bool,
}

/// What may change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Change {
    /// Parameters, by paths or patterns.
    #[serde(deserialize_with = "one_or_many")]
    pub parameters: Vec<String>,
    /// The least and the greatest value of parameters, by paths or patterns.
    pub bounds: BTreeMap<String, (f64, f64)>,
    /// What is known of parameters beforehand, by paths or patterns.
    pub priors: BTreeMap<String, Prior>,
    /// Whether the time between samples may.
    pub period: bool,
    /// Where windows begin.
    pub starts: Starts,
}

/// Where windows begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Starts {
    /// Where the model fits best: starts are unknowns.
    #[default]
    Free,
    /// Where the data say.
    Measured,
}

/// How the model is stepped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Simulation {
    /// Steps from a sample to the next.
    pub substeps: usize,
    /// The scheme.
    pub integrator: Scheme,
    /// What happens where bodies touch.
    pub contact: ContactLaw,
    /// Which derivative rigid contacts have.
    pub gradient: ContactSlope,
}

impl Default for Simulation {
    fn default() -> Self {
        Simulation {
            substeps: 1,
            integrator: Scheme::ImplicitDamping,
            contact: ContactLaw::Ncp,
            gradient: ContactSlope::Implicit,
        }
    }
}

/// A scheme that carries a state over a time step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// First the velocity, then the position.
    Euler,
    /// The same, with damping at the new velocity.
    #[default]
    ImplicitDamping,
    /// Runge-Kutta, of fourth order.
    Rk4,
}

/// What happens where bodies touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContactLaw {
    /// Coulomb's law, by sweeps.
    #[default]
    Ncp,
    /// Coulomb's law, by pivots.
    Lcp,
    /// Springs and dampers.
    HuntCrossley,
    /// Nothing.
    Off,
}

/// Which derivative rigid contacts have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContactSlope {
    /// That of contacts solved exactly.
    #[default]
    Implicit,
    /// That of the sweeps that were made.
    Unrolled,
    /// One that sees contacts about to close or open, over so much velocity [m/s].
    Smoothed(f64),
}

/// What errors are compared over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ObjectiveOptions {
    /// Samples that a window goes on for: 1 for one-step errors; left out, whole recordings.
    pub window: Option<usize>,
    /// Samples from the beginning of a window to that of the next; left out, windows join.
    pub stride: Option<usize>,
    /// At most so many windows, evenly chosen.
    pub windows: Option<usize>,
    /// Standard deviation of a jump between windows that join.
    pub jump: Option<Jump>,
    /// The weight of half the sum of squares of weights.
    pub weight_decay: f64,
    /// The weight of the sum of sizes of weights of first layers.
    pub lasso: f64,
    /// The weight of the sum over inputs of the length of their weights in first layers.
    pub group_lasso: f64,
    /// How states are found from the data.
    pub estimate: Estimate,
}

/// Standard deviation of a jump between windows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Jump {
    /// Of positions [m, rad].
    pub position: f64,
    /// Of velocities [m/s, rad/s].
    pub velocity: f64,
}

/// More steps between samples than this are a mistake.
const MOST_SUBSTEPS: usize = 10_000;

/// How networks are trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Training {
    /// By which method.
    pub optimiser: Method,
    /// When that ends at the latest.
    pub limits: Limits,
    /// How many windows are in a part, for methods that take parts; left out, all.
    pub windows: Option<usize>,
    /// Whether parameters go on changing.
    pub parameters: bool,
}

impl Default for Training {
    fn default() -> Self {
        Training {
            optimiser: Method::Adam(Adam::default()),
            limits: Limits::iterations(500),
            windows: None,
            parameters: true,
        }
    }
}

/// How the model is judged: it is given some samples and predicts those that follow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Prediction {
    /// Samples that it is given.
    pub warm_up: usize,
    /// Samples that it predicts; left out, all that follow, up to 500.
    pub horizon: Option<usize>,
    /// At most so many windows of each part, evenly chosen.
    pub windows: usize,
    /// Purely learned models to compare with.
    pub baselines: Vec<BaselineSpec>,
    /// Parameters whose profile likelihood is drawn.
    pub profiles: Vec<String>,
}

/// A purely learned model to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BaselineSpec {
    /// Which.
    pub kind: BaselineKind,
    /// About how many weights; left out, as many as the fit changes numbers, but at least 500.
    #[serde(default)]
    pub weights: Option<usize>,
    /// No longer than this [s].
    #[serde(default)]
    pub seconds: Option<f64>,
}

/// A way to predict without mechanics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BaselineKind {
    /// What was last measured goes on with its velocity.
    HoldVelocity,
    /// Dense layers on the last few samples.
    Mlp,
    /// Long short-term memory.
    Lstm,
}

impl BaselineKind {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            BaselineKind::HoldVelocity => "hold velocity",
            BaselineKind::Mlp => "mlp",
            BaselineKind::Lstm => "lstm",
        }
    }
}

impl Default for Prediction {
    fn default() -> Self {
        Prediction {
            warm_up: 8,
            horizon: None,
            windows: 100,
            baselines: vec![BaselineSpec {
                kind: BaselineKind::HoldVelocity,
                weights: None,
                seconds: None,
            }],
            profiles: Vec::new(),
        }
    }
}

impl Experiment {
    /// From the text of a file of this name.
    pub fn from_toml(text: &str, file: &str) -> Result<Self, ExperimentError> {
        let mut experiment: Experiment = toml::from_str(text)
            .map_err(|error| ExperimentError::Toml(toml_error::explain(&error, text, file)))?;
        if experiment.name.is_empty() {
            let stem = std::path::Path::new(file).file_stem();
            experiment.name = stem.map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        }
        Ok(experiment)
    }

    /// As the text of a file that reads back as the same experiment.
    pub fn to_toml(&self) -> Result<String, ExperimentError> {
        // By way of a table: half as much to compile.
        let table = toml::Table::try_from(self);
        (table.and_then(|table| toml::to_string(&table)))
            .map_err(|error| ExperimentError::Toml(error.to_string()))
    }

    /// How its files are read.
    pub fn read_options(&self) -> Result<ReadOptions, ExperimentError> {
        setup::read_options(self)
    }

    /// Refuses numbers that make no sense, before anything is read.
    pub fn check(&self) -> Result<(), ExperimentError> {
        let wrong = |what: &str, why: &str| Err(ExperimentError::wrong(what, why));
        let zero = |n: Option<usize>| n == Some(0);
        let objective = &self.objective;
        if zero(objective.window) {
            return wrong("objective.window", "a window has at least 1 sample");
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
        if let Some((path, _)) = self.model.set.iter().find(|(_, value)| !value.is_finite()) {
            return wrong(&format!("model.set.\"{path}\""), "a finite number is needed");
        }
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
        Ok(())
    }

    /// Its networks.
    pub fn blueprint(&self) -> Blueprint {
        Blueprint { signals: self.signals.clone(), augmentations: self.augmentation.clone() }
    }
}
