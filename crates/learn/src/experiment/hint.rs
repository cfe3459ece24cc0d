//! Hints for names that the model does not have, and for missing units.

use gradbody_model::Model;

use super::ExperimentError;
use crate::quantity::{Given, Quantity, Role};
use gradbody_data::Unit;
use gradbody_math::names::{did_you_mean, is_pattern, list};

/// Longer lists of names are left out of messages.
const FEW: usize = 12;

/// The end of the message "the model has no …": the nearest names.
pub(super) fn for_quantity(asked: &str, model: &Model<f64>, all: &[Quantity]) -> String {
    if asked.starts_with("control/") && model.topology.actuators.is_empty() {
        let is_force = |q: &&Quantity| matches!(q.role, Role::Given(Given::JointForce(_)));
        let forces = all.iter().filter(is_force).map(|q| q.name.as_str());
        return format!(
            "; it has no actuators (a URDF never does): the forces of motors are {}",
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
        true => format!("; \"{name}\" has {}", list(own)),
        false => near,
    }
}

/// The end of a message about paths: the known names, if a path has an unknown joint, link or actuator.
pub(super) fn for_paths(message: &str, paths: &[String], model: &Model<f64>) -> String {
    let exact = paths.iter().filter(|path| !is_pattern(path));
    let mut named = exact.filter_map(|path| Named::of(path, model));
    let unknown = named.find(|named| named.found().is_none());
    unknown.map_or(String::new(), |named| named.all_after(message))
}

/// A path of a joint, link or actuator, and all names of that kind.
struct Named<'a> {
    kind: &'a str,
    /// The path after the kind.
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

    /// The name in the path, or None if it is unknown. Names may contain slashes.
    fn found(&self) -> Option<&'a str> {
        let ends = |rest: &str| rest.is_empty() || rest.starts_with('/');
        let begins = |name: &&str| self.rest.strip_prefix(*name).is_some_and(ends);
        self.known.iter().copied().find(begins)
    }

    /// A clause after `words` that lists all names; empty if there are too many.
    fn all_after(&self, words: &str) -> String {
        if self.known.is_empty() || self.known.len() > FEW {
            return String::new();
        }
        let its = if words.ends_with('?') { " Its" } else { "; its" };
        let kind = if self.kind == "control" { "actuator" } else { self.kind };
        format!("{its} {kind}s are {}", self.known.join(", "))
    }
}

/// The error of a channel that needs a unit and has none.
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
