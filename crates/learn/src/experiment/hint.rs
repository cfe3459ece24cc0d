//! What to write instead of a name that the model does not have, or a unit that is missing.

use gradbody_model::Model;

use super::ExperimentError;
use crate::quantity::{Given, Quantity, Role};
use gradbody_data::Unit;
use gradbody_data::suggest::{did_you_mean, list};

/// More names than this nobody reads in a message.
const FEW: usize = 12;

/// The end of a sentence that says that the model does not have a quantity.
pub(super) fn for_quantity(asked: &str, model: &Model<f64>, all: &[Quantity]) -> String {
    if asked.starts_with("control/") && model.topology.actuators.is_empty() {
        let is_force = |q: &&Quantity| matches!(q.role, Role::Given(Given::JointForce(_)));
        let forces = all.iter().filter(is_force).map(|q| q.name.as_str());
        return format!(
            "; it has no actuators (a URDF never does): what a motor does at a joint is {}",
            list(forces)
        );
    }
    let near = did_you_mean(asked, all.iter().map(|q| q.name.as_str()));
    let Some(named) = Named::of(asked, model) else { return near };
    let Some(name) = named.found() else { return near.clone() + &named.all_after(&near) };
    let prefix = format!("{}/{name}/", named.kind);
    let own: Vec<&str> = all.iter().filter_map(|q| q.name.strip_prefix(&prefix)).collect();
    let asked = asked.strip_prefix(&prefix).unwrap_or("");
    match did_you_mean(asked, own.iter().copied()).is_empty() {
        true => format!("; of \"{name}\" there are {}", list(own)),
        false => near,
    }
}

/// What goes on after a message about paths, if one of them is of a joint, link or actuator that is not there.
pub(super) fn for_paths(message: &str, paths: &[String], model: &Model<f64>) -> String {
    let exact = paths.iter().filter(|path| !path.contains('*'));
    let mut named = exact.filter_map(|path| Named::of(path, model));
    let unknown = named.find(|named| named.found().is_none());
    unknown.map_or(String::new(), |named| named.all_after(message))
}

/// A path of something that has a name, and the names that there are.
struct Named<'a> {
    kind: &'a str,
    /// What comes after the kind.
    rest: &'a str,
    known: Vec<&'a str>,
}

impl<'a> Named<'a> {
    fn of(path: &'a str, model: &'a Model<f64>) -> Option<Self> {
        let topology = &model.topology;
        let (kind, rest) = path.split_once('/')?;
        let known = match kind {
            "joint" => topology.links.iter().map(|link| link.joint.name.as_str()).collect(),
            "link" => topology.frames.iter().skip(1).map(|frame| frame.name.as_str()).collect(),
            "control" => topology.actuators.iter().map(|a| a.name.as_str()).collect(),
            _ => return None,
        };
        Some(Named { kind, rest, known })
    }

    /// The name in the path, if it is one. Names may have slashes in them.
    fn found(&self) -> Option<&'a str> {
        let ends = |rest: &str| rest.is_empty() || rest.starts_with('/');
        let begins = |name: &&str| self.rest.strip_prefix(*name).is_some_and(ends);
        self.known.iter().copied().find(begins)
    }

    /// All names, if they are few, as what follows these words.
    fn all_after(&self, words: &str) -> String {
        if self.known.is_empty() || self.known.len() > FEW {
            return String::new();
        }
        let its = if words.ends_with('?') { " Its" } else { "; its" };
        let kind = if self.kind == "control" { "actuator" } else { self.kind };
        format!("{its} {kind}s are {}", self.known.join(", "))
    }
}

/// A channel whose unit must be said and is not.
pub(super) fn no_unit(channel: &str, quantity: &Quantity) -> ExperimentError {
    let units: Vec<String> =
        Unit::names_of(quantity.dimension).map(|unit| format!("\"{unit}\"")).collect();
    let why = format!(
        "no unit is given; {} is {}: unit = {}, or \"count\" with a scale (\"1\" is the unit of plain numbers)",
        quantity.name,
        quantity.dimension,
        units.join(", ")
    );
    ExperimentError::wrong(format!("channels.{channel}"), why)
}
