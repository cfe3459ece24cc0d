//! A task with its environment.

use std::collections::BTreeMap;

use gradbody_env::{Description, Environment, RewardTerm};
use gradbody_experiment::{ExperimentError, matching};
use gradbody_math::names::{did_you_mean, is_pattern, list};
use gradbody_model::Model;

use crate::{Method, Range, Task};

/// A task with its environment.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The task.
    pub task: Task,
    /// The environment, with the parameters that the task sets: the policy is evaluated in it.
    pub environment: Description,
    /// The environment that it learns in: the same, with what differs between worlds and episodes.
    pub varied: Description,
    /// Parameters that differ between worlds and episodes while the policy learns.
    pub ranges: Vec<Range>,
}

impl Setup {
    /// Makes the environment of a task. Fails if the task asks for what it does not have.
    pub fn new(task: Task) -> Result<Setup, ExperimentError> {
        task.check()?;
        let mut environment = environment(&task.environment)
            .map_err(|why| ExperimentError::wrong("environment", why))?;
        change(&mut environment.model, &task.set)
            .map_err(|(path, why)| ExperimentError::wrong(format!("set.\"{path}\""), why))?;
        if !task.forces.unwrap_or(task.method != Method::Shac) {
            environment = environment.without_forces();
        }
        let ranges = task.randomise.ranges(&environment.model)?;
        let mut varied = environment.clone();
        task.randomise.vary(&mut varied)?;
        let described = varied.check();
        described.map_err(|error| ExperimentError::wrong("randomise", error.to_string()))?;
        let setup = Setup { task, environment, varied, ranges };
        if let (Some(wanted), Some(most)) =
            (setup.task.limits.mean_return, most_return(&setup.environment))
            && wanted > most
        {
            let why = format!(
                "{wanted}: an episode of {} returns {most} at most",
                setup.environment.name
            );
            return Err(ExperimentError::wrong("limits.return", why));
        }
        Ok(setup)
    }
}

/// The environment of this name, or why there is none.
pub(crate) fn environment(name: &str) -> Result<Description, String> {
    Environment::named(name).map(Environment::describe).ok_or_else(|| {
        let known = Environment::ALL.map(Environment::name);
        match did_you_mean(name, known) {
            hint if hint.is_empty() => {
                format!("there is no environment \"{name}\"; there are {}", list(known))
            }
            hint => format!("there is no environment \"{name}\"{hint}"),
        }
    })
}

/// Changes parameters of a model, by paths or patterns: a path takes precedence over patterns. An error is the path and
/// what is wrong with it.
pub(crate) fn change(
    model: &mut Model<f64>,
    set: &BTreeMap<String, f64>,
) -> Result<(), (String, String)> {
    let (patterns, paths): (Vec<_>, Vec<_>) = set.iter().partition(|(path, _)| is_pattern(path));
    for (path, value) in patterns.into_iter().chain(paths) {
        let wrong = |why: String| (path.clone(), why);
        let ids = matching(&model.topology, path);
        if ids.is_empty() {
            let why = match model.topology.param_id(path) {
                Err(unknown) if !is_pattern(path) => unknown.to_string(),
                _ => "no parameter matches it".to_owned(),
            };
            return Err(wrong(why));
        }
        for id in ids {
            model.set(id, *value);
            model.topology.note_friction_given(id);
        }
        model.check().map_err(|error| wrong(error.to_string()))?;
    }
    Ok(())
}

/// The most that an episode can return, where that is known: the rewards for being healthy and for following commands, if
/// nothing else is positive.
fn most_return(of: &Description) -> Option<f64> {
    let mut most = 0.0;
    for term in &of.reward {
        match term {
            RewardTerm::Healthy { reward } => most += reward,
            RewardTerm::FollowVelocity { weight, .. }
            | RewardTerm::FollowYawRate { weight, .. } => {
                most += weight;
            }
            RewardTerm::Control { .. }
            | RewardTerm::Contact { .. }
            | RewardTerm::Distance { .. }
            | RewardTerm::VerticalVelocity { .. }
            | RewardTerm::RollAndPitch { .. }
            | RewardTerm::Height { .. } => {}
            RewardTerm::Forward { .. } => return None,
        }
    }
    Some(most * of.time_limit as f64)
}
