//! The file as a whole.

use std::collections::BTreeMap;

use gradbody_experiment::{ExperimentError, toml_text};
use gradbody_policy::{MbpoOptions, PpoOptions, SacOptions, ShacOptions};
use serde::{Deserialize, Serialize};

use crate::{Evaluate, Limits, Method, Randomise};

/// What a policy is trained on, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Task {
    /// Its name. Without it, the name of its file.
    #[serde(default)]
    pub name: String,
    /// The environment, by its name.
    pub environment: String,
    /// The method that trains.
    pub method: Method,
    /// Seed of every random number: the same seed gives the same policy.
    #[serde(default)]
    pub seed: u64,
    /// Worlds that are simulated at once; without it, the method's own number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worlds: Option<usize>,
    /// What numbers the simulation computes with.
    #[serde(default)]
    pub precision: Numbers,
    /// Whether contact forces and forces of actuators are observed, where the environment has them. Without it they are,
    /// except by SHAC: a policy in the loop of a gradient cannot see them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forces: Option<bool>,
    /// When training ends.
    #[serde(default)]
    pub limits: Limits,
    /// Parameters of the model to change, by paths or patterns. A path takes precedence over patterns.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, f64>,
    /// What differs between worlds and episodes.
    #[serde(default)]
    pub randomise: Randomise,
    /// How good the policy is, asked on the way.
    #[serde(default)]
    pub evaluate: Evaluate,
    /// Options of SHAC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shac: Option<ShacOptions>,
    /// Options of PPO.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ppo: Option<PpoOptions>,
    /// Options of SAC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sac: Option<SacOptions>,
    /// Options of MBPO.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mbpo: Option<MbpoOptions>,
}

/// What numbers the simulation computes with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Numbers {
    /// Double precision.
    #[default]
    F64,
    /// Single precision, twice as fast.
    F32,
}

/// More worlds than this are a mistake.
const MOST_WORLDS: usize = 1 << 20;

impl Task {
    /// Reads a task from `text`, the contents of the file `file`.
    pub fn from_toml(text: &str, file: &str) -> Result<Self, ExperimentError> {
        let mut task: Task = toml::from_str(text)
            .map_err(|error| ExperimentError::Toml(toml_text::explain(&error, text, file)))?;
        if let Some(told) = toml_text::too_long(text, &task, file) {
            return Err(ExperimentError::Toml(told));
        }
        // Two numbers of worlds would contradict each other.
        let table: toml::Table = toml::from_str(text).unwrap_or_default();
        let method = task.method.name();
        let has_own = |table: &toml::Table| {
            let options = table.get(method);
            // The worlds of MBPO are those of its SAC.
            let inner = options.map(|options| options.get("sac").unwrap_or(options));
            inner.and_then(|options| options.get("worlds")).is_some()
        };
        if task.worlds.is_some() && has_own(&table) {
            let why = "worlds are given for the whole task too; leave out one of the two";
            return Err(ExperimentError::wrong(format!("{method}.worlds"), why));
        }
        if task.name.is_empty() {
            let stem = std::path::Path::new(file).file_stem();
            task.name = stem.map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        }
        Ok(task)
    }

    /// The text of a file that reads back as the same task.
    pub fn to_toml(&self) -> Result<String, ExperimentError> {
        // By way of a table: half as much to compile.
        let table = toml::Table::try_from(self);
        (table.and_then(|table| toml::to_string(&table)))
            .map_err(|error| ExperimentError::Toml(error.to_string()))
    }

    /// Refuses impossible numbers, before an environment is made.
    pub fn check(&self) -> Result<(), ExperimentError> {
        let wrong = |what: &str, why: &str| Err(ExperimentError::wrong(what, why));
        if self.name.contains(['/', '\\']) {
            return wrong("name", "a name is also that of a folder, and must have no slash");
        }
        if let Some((path, _)) = self.set.iter().find(|(_, value)| !value.is_finite()) {
            return wrong(&format!("set.\"{path}\""), "a finite number is needed");
        }
        if self.worlds.is_some_and(|worlds| worlds == 0 || worlds > MOST_WORLDS) {
            return wrong("worlds", "from 1 to 1048576 worlds");
        }
        if self.precision == Numbers::F32 && !cfg!(feature = "f32") {
            return wrong(
                "precision",
                "this program has no single precision; write \"f64\", or build it with `--features f32`",
            );
        }
        if self.forces == Some(true) && self.method == Method::Shac {
            let why = "SHAC cannot observe forces: they belong to a step that ended; leave this out, or take another method";
            return wrong("forces", why);
        }
        self.limits.check()?;
        self.randomise.check()?;
        self.evaluate.check()
    }

    /// The options of SHAC, with the task's seed and number of worlds.
    pub(crate) fn shac(&self) -> ShacOptions {
        let options = self.shac.clone().unwrap_or_default();
        let worlds = self.worlds.unwrap_or(options.worlds);
        ShacOptions { worlds, seed: self.seed, ..options }
    }

    /// Those of PPO.
    pub(crate) fn ppo(&self) -> PpoOptions {
        let options = self.ppo.clone().unwrap_or_default();
        let worlds = self.worlds.unwrap_or(options.worlds);
        PpoOptions { worlds, seed: self.seed, ..options }
    }

    /// Those of SAC.
    pub(crate) fn sac(&self) -> SacOptions {
        let options = self.sac.clone().unwrap_or_default();
        let worlds = self.worlds.unwrap_or(options.worlds);
        SacOptions { worlds, seed: self.seed, ..options }
    }

    /// Those of MBPO.
    pub(crate) fn mbpo(&self) -> MbpoOptions {
        let mut options = self.mbpo.clone().unwrap_or_default();
        options.seed = self.seed;
        options.sac.worlds = self.worlds.unwrap_or(options.sac.worlds);
        options
    }

    /// The task with all options of its method, also those that the file leaves as they are.
    pub(crate) fn in_full(&self) -> Task {
        let (worlds, shac, ppo, sac, mbpo) = (None, None, None, None, None);
        let mut task = Task { worlds, shac, ppo, sac, mbpo, ..self.clone() };
        match self.method {
            Method::Shac => task.shac = Some(self.shac()),
            Method::Ppo => task.ppo = Some(self.ppo()),
            Method::Sac => task.sac = Some(self.sac()),
            Method::Mbpo => task.mbpo = Some(self.mbpo()),
        }
        task
    }

    /// The first table with options of a method that the task does not use.
    pub fn unused(&self) -> Option<&'static str> {
        let tables = [
            (Method::Shac, self.shac.is_some()),
            (Method::Ppo, self.ppo.is_some()),
            (Method::Sac, self.sac.is_some()),
            (Method::Mbpo, self.mbpo.is_some()),
        ];
        let unused = |(method, given): &(Method, bool)| *given && *method != self.method;
        tables.into_iter().find(unused).map(|(method, _)| method.name())
    }

    /// The task without what may change when training is resumed: its limits and how it is evaluated.
    pub(crate) fn what_is_learnt(&self) -> Task {
        Task {
            name: String::new(),
            limits: Limits::default(),
            evaluate: Evaluate::default(),
            ..self.clone()
        }
    }
}
