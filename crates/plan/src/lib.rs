//! The file that describes a task, as types, and the search for a plan that does it.
//!
//! ```toml
//! [model]
//! file = "cartpole.urdf"
//!
//! [start]
//! positions = { pole = 3.1416 }
//!
//! [horizon]
//! seconds = 2
//! knot = 0.02
//!
//! [actions]
//! inputs = "joint/slider/force"
//!
//! [costs]
//! up = { of = "joint/*/position", target = 0, weight = 100, when = "end" }
//! rest = { of = "joint/*/velocity", weight = 10, when = "end" }
//! effort = { of = "joint/slider/force", weight = 1e-3 }
//! ```
//!
//! A [`Task`] is such a file. With its model and start it is a [`Setup`], and a [`Run`] searches for its plan: it can be
//! interrupted, written as a [`Journal`] and resumed with the same bits. A [`PlanOutcome`] is what was found.

mod actions;
mod catalogue;
mod costs;
mod horizon;
mod method;
mod notes;
mod outcome;
mod receding;
mod replans;
mod run;
mod search;
mod setup;
mod start;

use std::collections::BTreeMap;

use gradbody_experiment::{ExperimentError, ModelOptions, toml_text};
use gradbody_optimise::Limits;
use serde::{Deserialize, Serialize};

pub use gradbody_control::Begun;

pub use actions::ActionSpec;
pub use costs::{CostSpec, Numbers, Span};
pub use horizon::{Horizon, Stepping};
pub use method::PlanMethod;
pub use outcome::{
    ActionTrack, CostOutcome, ForceTrack, Note, ParameterOutcome, PlanOutcome, Point,
    RecedingOutcome, Rival,
};
pub use receding::{PushSpec, RecedingRun, RecedingSpec};
pub use replans::{PlanTimes, ReplanOutcome};
pub use run::{Ending, Glimpse, Journal, Run};
pub use search::SearchState;
pub use setup::Setup;
pub use start::StartSpec;

/// A task: a robot, its start, a horizon, what may act, and what the motion costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Task {
    /// Its name. Without it, the name of its file.
    #[serde(default)]
    pub name: String,
    /// Seed of every random number: the same seed gives the same plan.
    #[serde(default)]
    pub seed: u64,
    /// The robot.
    pub model: ModelOptions,
    /// The state that the plan begins in.
    #[serde(default)]
    pub start: StartSpec,
    /// How the model is stepped.
    #[serde(default)]
    pub simulation: Stepping,
    /// How long the plan is, and how often it may change what it does.
    pub horizon: Horizon,
    /// What the plan chooses.
    #[serde(default)]
    pub actions: ActionSpec,
    /// What the motion costs: the sum of these.
    pub costs: BTreeMap<String, CostSpec>,
    /// The method that finds the plan.
    #[serde(default)]
    pub search: PlanMethod,
    /// When it stops at the latest: after 500 iterations, unless iterations or a time are given.
    #[serde(default)]
    pub limits: Option<Limits>,
    /// Plans made anew while the robot moves.
    #[serde(default)]
    pub receding: Option<RecedingSpec>,
}

impl Task {
    /// Reads a task from `text`, the contents of the file `file`.
    pub fn from_toml(text: &str, file: &str) -> Result<Self, ExperimentError> {
        let mut task: Task = toml::from_str(text)
            .map_err(|error| ExperimentError::Toml(toml_text::explain(&error, text, file)))?;
        if let Some(told) = toml_text::too_long(text, &task, file) {
            return Err(ExperimentError::Toml(told));
        }
        if task.name.is_empty() {
            let stem = std::path::Path::new(file).file_stem();
            task.name = stem.map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        }
        Ok(task)
    }

    /// Refuses impossible numbers, before any file is read.
    pub fn check(&self) -> Result<(), ExperimentError> {
        if self.name.contains(['/', '\\']) {
            let why = "a name is also that of a folder, and must have no slash";
            return Err(ExperimentError::wrong("name", why));
        }
        self.model.check()?;
        self.simulation.check()?;
        self.horizon.check(&self.simulation)?;
        self.start.check()?;
        if self.model.q.is_some() {
            let why = "a task begins as [start] says; give start.q";
            return Err(ExperimentError::wrong("model.q", why));
        }
        if let Some(limits) = &self.limits {
            if limits.seconds.is_some_and(|seconds| seconds.is_nan() || seconds <= 0.0) {
                return Err(ExperimentError::wrong(
                    "limits.seconds",
                    "a positive time is needed [s]",
                ));
            }
            if limits.iterations == Some(0) {
                let why = "0: the search needs at least 1";
                return Err(ExperimentError::wrong("limits.iterations", why));
            }
            if limits.target.is_some_and(f64::is_nan) {
                return Err(ExperimentError::wrong("limits.target", "a number is needed"));
            }
        }
        if self.costs.is_empty() {
            let why = "there are none, so every plan is as good as any other";
            return Err(ExperimentError::wrong("costs", why));
        }
        if let Some(receding) = &self.receding {
            let step = self.simulation.step;
            receding.check(step, step * self.horizon.steps(&self.simulation) as f64)?;
            if self.limits.is_some() {
                let why = "they are about one plan; with [receding], set receding.iterations";
                return Err(ExperimentError::wrong("limits", why));
            }
        }
        self.search.check()
    }
}

#[cfg(test)]
mod tests;
