//! `[actions]`: what a plan chooses, within which bounds, and what it begins with.

use std::collections::BTreeMap;

use gradbody_control::{Action, Actions};
use gradbody_data::one_or_many;
use gradbody_dynamics::{Kinematics, RneaWork, gravity_forces, kinematics};
use gradbody_experiment::ExperimentError;
use gradbody_math::names::{did_you_mean, is_pattern, matches};
use gradbody_model::{Activation, ActuatorParams, Keyframe, Model, Selection};
use gradbody_sim::State;
use serde::{Deserialize, Serialize};

/// What a plan chooses, within which bounds, and what it begins with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ActionSpec {
    /// Inputs, by names or patterns: `control/*`, `joint/knee/force`. Without them the controls of all actuators, or for a
    /// model without actuators the forces of all joints with one axis.
    #[serde(deserialize_with = "some_names", skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Vec<String>>,
    /// Least and greatest values of inputs, by names or patterns, inside the ranges of the model. Here as in the other
    /// tables a name takes precedence over patterns, and of several patterns the last in alphabetical order counts.
    pub bounds: BTreeMap<String, (f64, f64)>,
    /// The values that the search begins with, by names or patterns. Without one a position servo holds its joint where
    /// it starts, and every other input is zero.
    pub begin: BTreeMap<String, f64>,
    /// Begin with the joint forces that hold the start against gravity, where `begin` says nothing. Contacts do not count.
    pub hold: bool,
    /// Parameters of the model that the plan chooses too, by paths, and their least and greatest values.
    pub parameters: BTreeMap<String, (f64, f64)>,
}

fn some_names<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Vec<String>>, D::Error> {
    one_or_many(from).map(Some)
}

/// The inputs of a task, and the values that the search begins with.
#[derive(Clone, Debug)]
pub(crate) struct ChosenActions {
    pub(crate) actions: Actions,
    /// Their names.
    pub(crate) names: Vec<String>,
    /// The values of a knot that the search begins with.
    pub(crate) begin: Vec<f64>,
    /// Those that begin at a bound, because what they would begin with is beyond it: their names, and that value.
    pub(crate) clamped: Vec<(String, f64)>,
}

impl ActionSpec {
    /// The inputs of a model that begins in `start`, which is based on a keyframe.
    pub(crate) fn choose(
        &self,
        model: &Model<f64>,
        start: &State<f64>,
        key: Option<&Keyframe>,
    ) -> Result<ChosenActions, ExperimentError> {
        let mut actions = match &self.inputs {
            None => Actions::of(model),
            Some(patterns) => named(model, patterns)?,
        };
        let names: Vec<String> = (0..actions.len()).map(|k| actions.name(k, model)).collect();
        let rests = |action: Action| match (action, key) {
            (Action::Control(k), Some(key)) if !key.control.is_empty() => key.control[k],
            _ => holds(model, start, action),
        };
        let mut begin: Vec<f64> = actions.inputs.iter().map(|action| rests(*action)).collect();
        for action in (0..model.topology.actuators.len()).map(Action::Control) {
            if !actions.inputs.contains(&action) && rests(action) != 0.0 {
                actions.held.push((action, rests(action)));
            }
        }
        let ranges = actions.clone();
        if self.hold {
            let against = against_gravity(model, start);
            for (action, begin) in actions.inputs.iter().zip(&mut begin) {
                *begin = holding(model, *action, &against).unwrap_or(*begin);
            }
        }
        for_each_match("bounds", &self.bounds, &names, |k, (lower, upper)| {
            let (least, most) = (ranges.lower[k], ranges.upper[k]);
            check_bounds(lower, upper)?;
            if lower < least || upper > most {
                return Err(format!(
                    "{lower} to {upper} is wider than the range of {} in the model, {least} to {most}",
                    names[k]
                ));
            }
            (actions.lower[k], actions.upper[k]) = (lower, upper);
            Ok(())
        })?;
        for_each_match("begin", &self.begin, &names, |k, value: f64| {
            begin[k] = value;
            let (least, most) = (actions.lower[k], actions.upper[k]);
            // This refuses a number that is not one, too.
            match (least..=most).contains(&value) {
                true => Ok(()),
                false => {
                    Err(format!("{value} is not in the range of {}, {least} to {most}", names[k]))
                }
            }
        })?;
        let sought = begin.clone();
        actions.clamp(&mut begin);
        let changed =
            begin.iter().zip(&sought).zip(&names).filter(|((is, sought), _)| is != sought);
        let clamped = changed.map(|((_, sought), name)| (name.clone(), *sought)).collect();
        Ok(ChosenActions { actions, names, begin, clamped })
    }

    /// The parameters that the plan chooses, and their bounds.
    pub(crate) fn selection(
        &self,
        model: &Model<f64>,
    ) -> Result<(Selection, Vec<(f64, f64)>), ExperimentError> {
        let wrong = |path: &str, why: String| {
            ExperimentError::wrong(format!("actions.parameters.\"{path}\""), why)
        };
        for (path, (lower, upper)) in &self.parameters {
            check_bounds(*lower, *upper).map_err(|why| wrong(path, why))?;
            if !(lower.is_finite() && upper.is_finite()) {
                return Err(wrong(
                    path,
                    format!("finite bounds are needed, not {lower} to {upper}"),
                ));
            }
            if let Err(error) = Selection::of(model, [path]) {
                return Err(wrong(path, error.to_string()));
            }
        }
        let selection = Selection::of(model, self.parameters.keys())
            .map_err(|error| ExperimentError::wrong("actions.parameters", error.to_string()))?;
        let bounds = |name: &String| {
            let mut of_patterns = self.parameters.iter().filter(|(path, _)| matches(path, name));
            self.parameters.get_key_value(name).or_else(|| of_patterns.next_back())
        };
        let bounds: Vec<_> = selection.names().iter().filter_map(bounds).collect();
        let values = selection.values(model);
        for (k, (path, (lower, upper))) in bounds.iter().enumerate() {
            for end in [*lower, *upper] {
                let (mut changed, mut values) = (model.clone(), values.clone());
                values[k] = end;
                let applied = selection.apply(&mut changed, &values);
                applied.expect("there is a number for each parameter");
                if let Err(error) = changed.check() {
                    return Err(wrong(path, format!("{end} is impossible: {error}")));
                }
            }
        }
        let bounds = bounds.into_iter().map(|(_, bounds)| *bounds).collect();
        Ok((selection, bounds))
    }
}

/// Every input of a model.
fn all_inputs(model: &Model<f64>) -> Actions {
    let mut all = Actions::default();
    (0..model.topology.actuators.len()).for_each(|k| all.add(model, Action::Control(k)));
    (0..model.nv()).for_each(|v| all.add(model, Action::JointForce(v)));
    all
}

/// The inputs that match, in the order of the model.
fn named(model: &Model<f64>, patterns: &[String]) -> Result<Actions, ExperimentError> {
    let all = all_inputs(model);
    let names: Vec<String> = (0..all.len()).map(|k| all.name(k, model)).collect();
    for pattern in patterns {
        if !names.iter().any(|name| matches(pattern, name)) {
            let hint = did_you_mean(pattern, names.iter().map(String::as_str));
            let why = match hint.is_empty() && pattern.starts_with("control/") {
                true if model.topology.actuators.is_empty() => {
                    "this model has no actuators; name joint forces, or add [model.servos]".into()
                }
                _ => format!("the model has no input \"{pattern}\"{hint}"),
            };
            return Err(ExperimentError::wrong("actions.inputs", why));
        }
    }
    let mut chosen = Actions::default();
    for (k, (action, name)) in all.inputs.iter().zip(&names).enumerate() {
        // A joint without effort has no motor; patterns pass over it.
        let has_motor = all.upper[k] > all.lower[k] || matches!(action, Action::Control(_));
        if has_motor && patterns.iter().any(|pattern| matches(pattern, name)) {
            chosen.add(model, *action);
        } else if !has_motor && patterns.contains(name) {
            return Err(ExperimentError::wrong("actions.inputs", no_motor(name)));
        }
    }
    for pattern in patterns {
        let is_chosen = |(action, name): (&Action, &String)| {
            matches(pattern, name) && chosen.inputs.contains(action)
        };
        if !all.inputs.iter().zip(&names).any(is_chosen)
            && let Some(name) = names.iter().find(|name| matches(pattern, name))
        {
            return Err(ExperimentError::wrong("actions.inputs", no_motor(name)));
        }
    }
    Ok(chosen)
}

/// Why a joint force cannot be chosen.
fn no_motor(name: &str) -> String {
    let joint = name.strip_prefix("joint/").unwrap_or(name);
    let joint = joint.split_once("/force").map_or(joint, |(joint, _)| joint);
    format!("joint \"{joint}\" has no motor: its effort limit is 0")
}

/// Refuses bounds between which there is no number.
fn check_bounds(lower: f64, upper: f64) -> Result<(), String> {
    match lower.partial_cmp(&upper) {
        None => Err("NaN is no bound".to_owned()),
        Some(std::cmp::Ordering::Greater) => {
            Err(format!("the bounds are crossed: {lower} to {upper}"))
        }
        Some(_) => Ok(()),
    }
}

/// Calls `each` for every name that a key matches; exact names come last, so that they take precedence.
fn for_each_match<T: Copy>(
    table: &str,
    given: &BTreeMap<String, T>,
    names: &[String],
    mut each: impl FnMut(usize, T) -> Result<(), String>,
) -> Result<(), ExperimentError> {
    let (patterns, exact): (Vec<_>, Vec<_>) = given.iter().partition(|(name, _)| is_pattern(name));
    for (pattern, value) in patterns.into_iter().chain(exact) {
        let wrong =
            |why: String| ExperimentError::wrong(format!("actions.{table}.\"{pattern}\""), why);
        let mut found = false;
        for (k, _) in names.iter().enumerate().filter(|(_, name)| matches(pattern, name)) {
            each(k, *value).map_err(wrong)?;
            found = true;
        }
        if !found {
            let hint = did_you_mean(pattern, names.iter().map(String::as_str));
            return Err(wrong(format!("the plan chooses no input \"{pattern}\"{hint}")));
        }
    }
    Ok(())
}

/// The joint forces that hold a robot at rest where it starts, without contacts.
fn against_gravity(model: &Model<f64>, start: &State<f64>) -> Vec<f64> {
    let (mut kin, mut work) = (Kinematics::new(model), RneaWork::new(model));
    kinematics(model, &start.q, &mut kin);
    gravity_forces(model, &kin, &mut work);
    work.tau
}

/// The value of an action that exerts the force that holds its joint; none for servos and for actuators with a state.
fn holding(model: &Model<f64>, action: Action, against: &[f64]) -> Option<f64> {
    match action {
        Action::JointForce(v) => Some(against[v]),
        Action::Control(index) => {
            let (actuator, params) =
                (&model.topology.actuators[index], &model.params.actuators[index]);
            let joint = &model.topology.links[actuator.joint.index()].joint;
            let is_motor = actuator.activation == Activation::Direct && params.bias == [0.0; 3];
            let per_control = params.gear * params.gain;
            let exerts = is_motor && joint.kind.nv() == 1 && per_control != 0.0;
            exerts.then(|| against[joint.v_start] / per_control)
        }
    }
}

/// Whether an actuator pulls its joint to the position that its control gives.
pub(crate) fn is_position_servo(params: &ActuatorParams<f64>) -> bool {
    params.bias[1] != 0.0 && params.gain == -params.bias[1]
}

/// The value with which a position servo holds its joint where it starts; zero for other inputs.
fn holds(model: &Model<f64>, start: &State<f64>, action: Action) -> f64 {
    let Action::Control(index) = action else { return 0.0 };
    let (actuator, params) = (&model.topology.actuators[index], &model.params.actuators[index]);
    let joint = &model.topology.links[actuator.joint.index()].joint;
    if is_position_servo(params)
        && actuator.activation == Activation::Direct
        && joint.kind.nv() == 1
    {
        return params.gear * start.q[joint.q_start];
    }
    0.0
}
