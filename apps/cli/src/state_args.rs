//! The state a command starts from: numbers on the command line, a file, or a keyframe.

use std::io::{self, Write as _};
use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use gradbody::model::{JointKind, Keyframe, Model, StateError};
use gradbody::sim::State;

use crate::state_file;
use crate::suggest::list;
use crate::usage::Usage;
use gradbody_report::text::number;

const HEADING: &str = "State";

/// Name of the keyframe that holds the initial pose of an MJCF file.
const FILE_POSE: &str = "qpos0";

/// Arguments that give a state. Without them the positions are the file's initial pose if it has one, else neutral;
/// everything else is zero.
#[derive(Args, Debug)]
pub(crate) struct StateArgs {
    /// Positions in the order of the model's joints; a quaternion is w,x,y,z and is normalised. Without --q, --state
    /// and --key: the initial pose of an MJCF file (keyframe qpos0), else every joint at zero.
    #[arg(long, value_name = "N,N,…", allow_hyphen_values = true, help_heading = HEADING)]
    q: Option<String>,
    /// Velocities.
    #[arg(long, value_name = "N,N,…", allow_hyphen_values = true, help_heading = HEADING)]
    v: Option<String>,
    /// Joint forces, one for each velocity. `simulate` limits their sum with the actuator forces to each joint's effort
    /// limit; `inspect` does not.
    #[arg(long, value_name = "N,N,…", allow_hyphen_values = true, help_heading = HEADING)]
    tau: Option<String>,
    /// A JSON file {"q": […], "v": […], "tau": […]}, each optional, or a CSV file from `simulate`, with a column for
    /// every coordinate, of which the last row is used. --q, --v and --tau override it.
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    state: Option<PathBuf>,
    /// A keyframe of the model, by name or by number from 0.
    #[arg(long, value_name = "NAME", conflicts_with = "state", help_heading = HEADING)]
    key: Option<String>,
}

/// A state and what acts on it.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    /// Time, positions, velocities, actuator states.
    pub(crate) state: State<f64>,
    /// Joint forces, (nv).
    pub(crate) tau: Vec<f64>,
    /// Control of each actuator.
    pub(crate) control: Vec<f64>,
}

impl Start {
    /// Every joint at zero, at rest, without forces.
    pub(crate) fn neutral(model: &Model<f64>) -> Self {
        Start {
            state: State::neutral(model),
            tau: vec![0.0; model.nv()],
            control: vec![0.0; model.topology.actuators.len()],
        }
    }

    /// At a keyframe.
    fn at_keyframe(model: &Model<f64>, key: &Keyframe) -> Self {
        let mut start = Start::neutral(model);
        start.state = State::from_keyframe(model, key);
        start.control.iter_mut().zip(&key.control).for_each(|(to, from)| *to = *from);
        start
    }

    /// At the pose of the model's file if it has one, else neutral.
    fn at_file_pose(model: &Model<f64>) -> Self {
        match model.topology.keyframes.first().filter(|key| key.name == FILE_POSE) {
            Some(key) => Start::at_keyframe(model, key),
            None => Start::neutral(model),
        }
    }
}

impl StateArgs {
    /// True if any of them was given.
    pub(crate) fn given(&self) -> bool {
        let StateArgs { q, v, tau, state, key } = self;
        state.is_some() || [q, v, tau, key].into_iter().any(Option::is_some)
    }

    /// The state they describe.
    pub(crate) fn start(&self, model: &Model<f64>) -> anyhow::Result<Start> {
        let mut start = match (&self.state, &self.key) {
            (Some(file), _) => state_file::read(file, model)?,
            (None, Some(key)) => Start::at_keyframe(model, keyframe(model, key)?),
            (None, None) if self.q.is_some() => Start::neutral(model),
            (None, None) => Start::at_file_pose(model),
        };
        let (positions, velocities) =
            (model.topology.position_names(), model.topology.velocity_names());
        for (flag, given, names, target) in [
            ("--q", &self.q, &positions, &mut start.state.q),
            ("--v", &self.v, &velocities, &mut start.state.v),
            ("--tau", &self.tau, &velocities, &mut start.tau),
        ] {
            if let Some(text) = given {
                *target = numbers(flag, text, names)?;
            }
        }
        let normalised = model.topology.normalise_quaternions(&mut start.state.q);
        normalised.map_err(|problem| match self.q {
            Some(_) => Usage(problem.to_string()).into(),
            None => anyhow!(problem),
        })?;
        tell_out_of_range(model, &start.state.q);
        Ok(start)
    }
}

/// Notes on stderr which joints start outside their range, usually because degrees were given.
fn tell_out_of_range(model: &Model<f64>, q: &[f64]) {
    const SHOWN: usize = 4;
    let outside = model.topology.links.iter().zip(&model.params.joints).filter(|(link, params)| {
        let q = q[link.joint.q_start];
        link.joint.kind.nv() == 1 && !(params.limit_lower..=params.limit_upper).contains(&q)
    });
    let mut err = io::stderr().lock();
    let count = outside.clone().count();
    // A note that cannot be printed is not an error.
    for (link, params) in outside.take(SHOWN) {
        let (name, q) = (&link.joint.name, number(q[link.joint.q_start]));
        let (lower, upper) = (number(params.limit_lower), number(params.limit_upper));
        let turns = matches!(link.joint.kind, JointKind::Revolute(_));
        let unit = if turns { "; angles are in radians" } else { "" };
        let _ = writeln!(err, "note: {name} = {q} is outside its range, {lower} to {upper}{unit}");
    }
    if count > SHOWN {
        let _ = writeln!(err, "note: so are {} more joints", count - SHOWN);
    }
}

/// Parses numbers separated by commas or blanks, one for each name.
fn numbers(flag: &str, text: &str, names: &[String]) -> Result<Vec<f64>, Usage> {
    let words = text.split([',', ' ', '\t', '\n']).map(str::trim);
    let words: Vec<&str> = match text.contains(',') {
        // An empty field between commas is a missing number; extra blanks are allowed.
        true => text.split(',').map(str::trim).collect(),
        false => words.filter(|word| !word.is_empty()).collect(),
    };
    let mut values = Vec::with_capacity(words.len());
    for (i, word) in words.iter().enumerate() {
        let value = word.parse::<f64>().ok().filter(|x| x.is_finite());
        values.push(value.ok_or_else(|| {
            let name = names.get(i).map_or(String::new(), |name| format!(", {name}"));
            Usage(format!("{flag}: \"{word}\" (number {}{name}) is not a finite number", i + 1))
        })?);
    }
    check_count(flag, values.len(), names).map_err(Usage)?;
    Ok(values)
}

/// Refuses a list of numbers that is too short or too long.
pub(crate) fn check_count(what: &str, count: usize, names: &[String]) -> Result<(), String> {
    if count == names.len() {
        return Ok(());
    }
    let plural = |n: usize| if n == 1 { "number" } else { "numbers" };
    let needed = names.len();
    let order = match needed {
        0 => String::new(),
        _ => format!(": {}", list(names)),
    };
    Err(format!("{what} has {count} {}, this model needs {needed}{order}", plural(count)))
}

/// The keyframe of this name or number.
fn keyframe<'a>(model: &'a Model<f64>, wanted: &str) -> Result<&'a Keyframe, Usage> {
    let by_place = |error: StateError| {
        let place = wanted.parse::<usize>().ok();
        place.and_then(|k| model.topology.keyframes.get(k)).ok_or(error)
    };
    let found = model.topology.keyframe(wanted).or_else(by_place);
    found.map_err(|error| Usage(format!("--key: {error}")))
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn numbers_are_split_at_commas_or_blanks() {
        let names: Vec<String> = ["a", "b"].map(String::from).to_vec();
        for text in ["1,-2.5", " 1 , -2.5 ", "1 -2.5", "1e0\t-25e-1"] {
            assert_eq!(numbers("--q", text, &names).unwrap(), [1.0, -2.5]);
        }
        for (text, message) in [
            ("1", "--q has 1 number, this model needs 2: a, b"),
            ("1,2,3", "--q has 3 numbers, this model needs 2: a, b"),
            ("1,,2", "--q: \"\" (number 2, b) is not a finite number"),
            ("1,nan", "--q: \"nan\" (number 2, b) is not a finite number"),
            ("inf,1", "--q: \"inf\" (number 1, a) is not a finite number"),
        ] {
            assert_eq!(numbers("--q", text, &names).unwrap_err().to_string(), message);
        }
    }
}
