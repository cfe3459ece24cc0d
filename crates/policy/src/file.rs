//! Policies as files: an actor, what it is for, and how it was trained.
//!
//! A file is in the safetensors format. Its tensors are the layers of the network in PyTorch's names and layout
//! (`actor.layers.0.weight`, …), `observations.shift` and `observations.scale`, `actions.low` and `actions.high`, and,
//! if the spread of actions is shared, `actions.log_std`. The entry `policy` of its metadata is an [`About`] as JSON,
//! and `checksum` finds damage.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use gradbody_env::Description;
use gradbody_math::names;
use gradbody_neural::{
    NamedTensor, Network, Numbers, WeightsError, WeightsFile, WeightsTrouble, write_tensors,
};
use serde::{Deserialize, Serialize};

use crate::checksum::Checksum;
use crate::{Actor, DenseRows, Head, Normaliser, Spread};

/// A policy as a file has it.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyFile {
    /// The network with its normalisation.
    pub actor: Actor,
    /// What it is for, and where it comes from.
    pub about: About,
}

/// What a policy is for, and where it comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// The environment.
    pub environment: String,
    /// Duration of an action [s].
    pub seconds_per_action: f64,
    /// Parameters of the environment's model that were changed, by paths or patterns.
    #[serde(default)]
    pub set: BTreeMap<String, f64>,
    /// Name of each number that the policy sees.
    pub observations: Vec<String>,
    /// Name of each number that it gives: the actuators.
    pub actions: Vec<String>,
    /// How it was trained; none for a policy from elsewhere.
    pub training: Option<Training>,
}

/// How a policy was trained.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Training {
    /// The method.
    pub method: String,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Steps of the environment until then.
    pub samples: u64,
    /// How many of these were differentiated.
    pub gradient_samples: u64,
    /// Wall-clock seconds until then.
    pub seconds: f64,
    /// Mean return of the episodes that it was evaluated by, without noise; none if it was not evaluated.
    #[serde(rename = "return")]
    pub mean_return: Option<f64>,
    /// The text of the task's file.
    pub task: String,
    /// Version of the program.
    pub program: String,
}

/// The form of a file, so that later ones can differ.
const FORMAT: &str = "gradbody policy 1";

/// The description inside a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    format: String,
    about: About,
    network: Network,
    /// Whether actions are tanh of the network's outputs; otherwise they are cut off at ±1.
    squashed: bool,
    /// Whether the network has a second half of outputs, the logarithms of standard deviations.
    gives_spread: bool,
    /// Largest size of a normalised observation.
    observation_limit: f32,
}

/// Why a policy file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PolicyFileError {
    /// The file cannot be read or written, or a tensor does not fit.
    #[error(transparent)]
    Tensors(#[from] WeightsError),
    /// The file is not a policy of this version, or is damaged.
    #[error("{path}: {why}", path = path.display())]
    Unfit {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}

impl About {
    /// Of an environment, without a training.
    pub fn of(environment: &Description) -> About {
        let actuators = &environment.model.topology.actuators;
        About {
            environment: environment.name.clone(),
            seconds_per_action: environment.seconds_per_step(),
            set: BTreeMap::new(),
            observations: environment.observation_names(),
            actions: actuators.iter().map(|actuator| actuator.name.clone()).collect(),
            training: None,
        }
    }

    /// Fails, with the first difference, if the policy is for another environment than this one. An environment with
    /// another name fits if its observations and actions have the same names in the same order.
    pub fn check(&self, environment: &Description) -> Result<(), String> {
        let is = About::of(environment);
        let (ours, name) = (&self.environment, &is.environment);
        for (what, given, needed) in [
            ("observation", &self.observations, &is.observations),
            ("action", &self.actions, &is.actions),
        ] {
            if given.len() != needed.len() {
                return Err(format!(
                    "the policy is for {ours} with {} {what}s, but {name} has {}",
                    given.len(),
                    needed.len()
                ));
            }
            let differs = given.iter().zip(needed).position(|(given, needed)| given != needed);
            if let Some(k) = differs {
                return Err(format!(
                    "the policy is for {ours}, whose {what} {} is \"{}\", but in {name} it is \"{}\"",
                    k + 1,
                    given[k],
                    needed[k]
                ));
            }
        }
        let (given, needed) = (self.seconds_per_action, is.seconds_per_action);
        if (given - needed).abs() > 1e-9 * needed {
            return Err(format!(
                "the policy is for {ours}, where an action lasts {given} s, but in {name} it lasts {needed} s"
            ));
        }
        Ok(())
    }
}

impl PolicyFile {
    /// Writes the policy to a file, whole or not at all.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), PolicyFileError> {
        let PolicyFile { actor, about } = self;
        let written = Written {
            format: FORMAT.to_owned(),
            about: about.clone(),
            network: actor.network.clone(),
            squashed: actor.head.squashed,
            gives_spread: actor.head.spread == Spread::OfNetwork,
            observation_limit: actor.normaliser.limit(),
        };
        let text = serde_json::to_string(&written).map_err(|error| PolicyFileError::Unfit {
            path: path.as_ref().to_owned(),
            why: format!("cannot be written: {error}"),
        })?;
        let list = |name: &str, numbers: &[f32]| NamedTensor {
            name: name.to_owned(),
            shape: vec![numbers.len()],
            numbers: Numbers::F32(numbers.to_vec()),
        };
        let mut tensors = NamedTensor::of_network("actor", &actor.network, &actor.weights);
        tensors.extend([
            list("observations.shift", actor.normaliser.shift()),
            list("observations.scale", actor.normaliser.scale()),
            list("actions.low", &actor.low),
            list("actions.high", &actor.high),
        ]);
        if let Spread::Shared(logarithms) = &actor.head.spread {
            tensors.push(list("actions.log_std", logarithms));
        }
        let metadata = BTreeMap::from([
            ("policy".to_owned(), text.clone()),
            ("checksum".to_owned(), checksum(&text, actor)),
        ]);
        Ok(write_tensors(path, &tensors, &metadata)?)
    }

    /// Reads a policy. Fails if the file is damaged, is not a policy, or its parts do not fit together.
    pub fn read(path: impl AsRef<Path>) -> Result<PolicyFile, PolicyFileError> {
        let path = path.as_ref();
        let unfit = |why: String| PolicyFileError::Unfit { path: path.to_owned(), why };
        let file = WeightsFile::open(path).map_err(|error| match &error.kind {
            WeightsTrouble::Io(error) if error.kind() == io::ErrorKind::NotFound => {
                unfit("no such file".to_owned())
            }
            WeightsTrouble::Io(_) if path.is_dir() => {
                unfit("this is a folder; name a policy file such as policy.safetensors".to_owned())
            }
            _ => error.into(),
        })?;
        let entry = |name: &str| file.metadata().get(name);
        let Some(text) = entry("policy") else {
            return Err(unfit(
                "not a policy: its metadata have no entry \"policy\"; gradbody train writes such files".to_owned(),
            ));
        };
        let format: serde_json::Value = serde_json::from_str(text)
            .map_err(|error| unfit(format!("the description of the policy is damaged: {error}")))?;
        match format.get("format").and_then(|format| format.as_str()) {
            Some(FORMAT) => {}
            other => {
                let other = other.unwrap_or("nothing").to_owned();
                return Err(unfit(format!(
                    "its format is \"{other}\", but this version reads \"{FORMAT}\""
                )));
            }
        }
        let Written { about, network, squashed, gives_spread, observation_limit, .. } =
            serde_json::from_str(text).map_err(|error| {
                unfit(format!("the description of the policy is damaged: {error}"))
            })?;
        let (observations, actions) = (about.observations.len(), about.actions.len());
        let list = |name: &str, n: usize| -> Result<Vec<f32>, WeightsError> {
            Ok(single(file.numbers(name, &[n])?))
        };
        if network.n_inputs() != observations {
            let inputs = network.n_inputs();
            return Err(unfit(format!(
                "the network has {inputs} inputs, but {observations} observations are named"
            )));
        }
        let outputs = if gives_spread { 2 * actions } else { actions };
        if network.n_outputs() != outputs {
            let given = network.n_outputs();
            return Err(unfit(format!(
                "the network has {given} outputs, but its {actions} named actions need {outputs}"
            )));
        }
        DenseRows::new(&network, "policy").map_err(|error| unfit(error.to_string()))?;
        let spread = match gives_spread {
            true => Spread::OfNetwork,
            false => Spread::Shared(list("actions.log_std", actions)?),
        };
        let (shift, scale) =
            (list("observations.shift", observations)?, list("observations.scale", observations)?);
        let actor = Actor {
            weights: single(&file.weights("actor", &network)?),
            network,
            head: Head { spread, squashed },
            normaliser: Normaliser::fixed(shift, scale),
            low: list("actions.low", actions)?,
            high: list("actions.high", actions)?,
        };
        if observation_limit != actor.normaliser.limit() {
            return Err(unfit(format!(
                "it cuts normalised observations off at ±{observation_limit}, but this version at ±{}",
                actor.normaliser.limit()
            )));
        }
        let known = [
            "observations.shift",
            "observations.scale",
            "actions.low",
            "actions.high",
            "actions.log_std",
        ];
        let others = |name: &&str| !name.starts_with("actor.") && !known.contains(name);
        if let Some(name) = file.tensor_names().find(others) {
            let hint = names::did_you_mean(name, known);
            return Err(unfit(format!("tensor \"{name}\" does not belong to a policy{hint}")));
        }
        if let Some(k) = (0..actions).find(|k| actor.low[*k] >= actor.high[*k]) {
            return Err(unfit(format!(
                "action \"{}\" ranges from {} to {}: the range is empty",
                about.actions[k], actor.low[k], actor.high[k]
            )));
        }
        match entry("checksum") {
            Some(stated) if *stated == checksum(text, &actor) => Ok(PolicyFile { actor, about }),
            Some(_) => Err(unfit(
                "the file is damaged: its checksum does not match its contents".to_owned(),
            )),
            None => Err(unfit("the file is damaged: its checksum is missing".to_owned())),
        }
    }
}

fn single(numbers: &[f64]) -> Vec<f32> {
    numbers.iter().map(|x| *x as f32).collect()
}

/// Of the description and of all numbers.
fn checksum(description: &str, actor: &Actor) -> String {
    let mut sum = Checksum::default();
    sum.add(description.as_bytes());
    let nothing = Vec::new();
    let logarithms = match &actor.head.spread {
        Spread::Shared(logarithms) => logarithms,
        Spread::OfNetwork => &nothing,
    };
    let (shift, scale) = (actor.normaliser.shift(), actor.normaliser.scale());
    for numbers in [&actor.weights[..], shift, scale, &actor.low, &actor.high, logarithms] {
        numbers.iter().for_each(|x| sum.add(&x.to_le_bytes()));
    }
    sum.text()
}
