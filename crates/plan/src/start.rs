//! `[start]`: the state that a plan begins in.

use std::collections::BTreeMap;

use gradbody_experiment::ExperimentError;
use gradbody_math::names::{did_you_mean, is_pattern, matches};
use gradbody_model::{Keyframe, Model};
use gradbody_sim::{Failure, Input, Simulation, State, StepOptions};
use serde::{Deserialize, Serialize};

/// The state that a plan begins in. Without anything the model file's initial pose if it has one, else every joint at
/// zero, at rest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct StartSpec {
    /// A keyframe of the model.
    pub key: Option<String>,
    /// All positions, in the order of the model's joints; quaternions (w, x, y, z) are normalised.
    pub q: Option<Vec<f64>>,
    /// All velocities.
    pub v: Option<Vec<f64>>,
    /// Single positions, by names or patterns: `knee`, `*_knee`, `root/z`.
    pub positions: BTreeMap<String, f64>,
    /// Single velocities, by names or patterns: `knee`, `root/vx`.
    pub velocities: BTreeMap<String, f64>,
    /// Seconds to simulate first, with the first actions held: lets a robot come to rest on its feet.
    pub settle: f64,
}

/// No robot takes longer to come to rest [s].
const LONGEST: f64 = 1000.0;

/// Name of the keyframe that holds the initial pose of an MJCF file.
const FILE_POSE: &str = "qpos0";

impl StartSpec {
    pub(crate) fn check(&self) -> Result<(), ExperimentError> {
        let wrong = |key: &str, why: &str| {
            Err(ExperimentError::wrong(format!("start.{key}"), why.to_owned()))
        };
        let finite = |numbers: &Option<Vec<f64>>| numbers.iter().flatten().all(|x| x.is_finite());
        if !finite(&self.q) {
            return wrong("q", "a number is not finite");
        }
        if !finite(&self.v) {
            return wrong("v", "a number is not finite");
        }
        for (table, numbers) in [("positions", &self.positions), ("velocities", &self.velocities)] {
            if let Some((name, _)) = numbers.iter().find(|(_, x)| !x.is_finite()) {
                return wrong(&format!("{table}.\"{name}\""), "a finite number is needed");
            }
        }
        if !(0.0..=LONGEST).contains(&self.settle) {
            return wrong("settle", "a time from 0 to 1000 s is needed");
        }
        Ok(())
    }

    /// The keyframe that the start is based on: the one that is named, else the file's initial pose unless all positions
    /// are given.
    pub(crate) fn keyframe<'a>(
        &self,
        model: &'a Model<f64>,
    ) -> Result<Option<&'a Keyframe>, ExperimentError> {
        let Some(name) = &self.key else {
            let first = model.topology.keyframes.first();
            return Ok(first.filter(|key| key.name == FILE_POSE && self.q.is_none()));
        };
        let found = model.topology.keyframe(name).map(Some);
        found.map_err(|error| ExperimentError::wrong("start.key", error.to_string()))
    }

    /// The state, before it has settled.
    pub(crate) fn state(&self, model: &Model<f64>) -> Result<State<f64>, ExperimentError> {
        let mut state = match self.keyframe(model)? {
            Some(key) => State::from_keyframe(model, key),
            None => State::neutral(model),
        };
        let (positions, velocities) =
            (model.topology.position_names(), model.topology.velocity_names());
        for (key, given, names, to) in
            [("q", &self.q, &positions, &mut state.q), ("v", &self.v, &velocities, &mut state.v)]
        {
            let Some(given) = given else { continue };
            if given.len() != names.len() {
                let why = format!(
                    "{} numbers; this model needs {}: {}",
                    given.len(),
                    names.len(),
                    gradbody_math::names::list(names.iter().map(String::as_str))
                );
                return Err(ExperimentError::wrong(format!("start.{key}"), why));
            }
            to.copy_from_slice(given);
        }
        set("positions", &self.positions, &positions, &mut state.q)?;
        set("velocities", &self.velocities, &velocities, &mut state.v)?;
        let normalised = model.topology.normalise_quaternions(&mut state.q);
        normalised.map_err(|error| ExperimentError::wrong("start", error.to_string()))?;
        state.time = 0.0;
        Ok(state)
    }

    /// Lets the state come to rest under `input`.
    pub(crate) fn settle(
        &self,
        model: &Model<f64>,
        state: &mut State<f64>,
        input: &Input<f64>,
        options: &StepOptions<f64>,
    ) -> Result<(), ExperimentError> {
        let steps = (self.settle / options.dt).round() as usize;
        let mut world = Simulation::new(model, *options).from_state(state.clone());
        world.input.copy_from(input);
        world.run(steps).map_err(|failure| {
            let why = match failure {
                Failure::Diverged { step, link } => {
                    let link = &model.topology.links[link.index()].name;
                    let time = (step + 1) as f64 * options.dt;
                    format!("link \"{link}\" diverges after {time:.3} s")
                }
                other => other.to_string(),
            };
            ExperimentError::wrong("start.settle", why)
        })?;
        *state = world.state;
        state.time = 0.0;
        Ok(())
    }
}

/// Sets numbers by names or patterns; names come last, so that they take precedence.
fn set(
    table: &str,
    numbers: &BTreeMap<String, f64>,
    names: &[String],
    to: &mut [f64],
) -> Result<(), ExperimentError> {
    let (patterns, exact): (Vec<_>, Vec<_>) =
        numbers.iter().partition(|(name, _)| is_pattern(name));
    for (pattern, value) in patterns.into_iter().chain(exact) {
        let mut found = false;
        for (_, to) in names.iter().zip(&mut *to).filter(|(name, _)| matches(pattern, name)) {
            *to = *value;
            found = true;
        }
        if !found {
            let hint = did_you_mean(pattern, names.iter().map(String::as_str));
            let why = format!("the model has no coordinate \"{pattern}\"{hint}");
            return Err(ExperimentError::wrong(format!("start.{table}.\"{pattern}\""), why));
        }
    }
    Ok(())
}
