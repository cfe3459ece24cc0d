//! The parts that a motion depends on: the start, the inputs, the time step, and the model's parameters by kind.

use gradbody_math::{Motion, Scalar};
use gradbody_model::{Model, ParamId, Selection, Topology};
use gradbody_sim::{Gradient, Sequence};

use crate::case::Case;

/// Numbers of one kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// The configuration at the start, changed on its manifold, (nv).
    Configuration,
    /// The velocity at the start, (nv).
    Velocity,
    /// The actuator states at the start, (na).
    Activation,
    /// The control of each actuator in each step.
    Controls,
    /// The force on each velocity coordinate in each step.
    JointForces,
    /// Torque and force on each link in each step.
    Wrenches,
    /// The time step.
    TimeStep,
    /// Parameters of the model of one kind.
    Params {
        /// What they are.
        kind: ParamKind,
        /// All of the kind that are finite.
        selection: Selection,
    },
}

/// What a parameter is, whichever link, joint or shape it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamKind {
    /// In words: "joint damping".
    pub name: String,
    /// The paths of parameters of this kind, with a star in place of names: `joint/*/damping`.
    pub paths: String,
}

impl Part {
    /// Every part a case has. Parameters that are infinite have no derivative and are left out.
    pub fn all(case: &Case) -> Vec<Part> {
        let inputs_and_start = [
            Part::Configuration,
            Part::Velocity,
            Part::Activation,
            Part::Controls,
            Part::JointForces,
            Part::Wrenches,
        ];
        let mut parts: Vec<Part> =
            inputs_and_start.into_iter().filter(|part| part.count(case) > 0).collect();
        parts.push(Part::TimeStep);
        parts.extend(parameters(&case.model));
        parts
    }

    /// In words, for people.
    pub fn name(&self) -> &str {
        match self {
            Part::Configuration => "initial configuration",
            Part::Velocity => "initial velocity",
            Part::Activation => "initial actuator states",
            Part::Controls => "controls of every step",
            Part::JointForces => "joint forces of every step",
            Part::Wrenches => "wrenches on links, every step",
            Part::TimeStep => "time step",
            Part::Params { kind, .. } => &kind.name,
        }
    }

    /// The paths of parameters, with a star in place of names.
    pub fn paths(&self) -> Option<&str> {
        match self {
            Part::Params { kind, .. } => Some(&kind.paths),
            _ => None,
        }
    }

    /// Number of numbers in this part.
    pub fn count(&self, case: &Case) -> usize {
        let (model, steps) = (&case.model, case.steps());
        match self {
            Part::Configuration | Part::Velocity => model.nv(),
            Part::Activation => model.topology.na,
            Part::Controls => model.topology.actuators.len() * steps,
            Part::JointForces => model.nv() * steps,
            Part::Wrenches => 6 * model.n_links() * steps,
            Part::TimeStep => 1,
            Part::Params { selection, .. } => selection.len(),
        }
    }

    /// Whether these are parameters of the model that are all exactly zero.
    pub(crate) fn is_zero(&self, model: &Model<f64>) -> bool {
        match self {
            Part::Params { selection, .. } => selection.values(model).iter().all(|x| *x == 0.0),
            _ => false,
        }
    }

    /// The derivative with respect to each of the numbers, from a gradient.
    pub(crate) fn slopes<S: Scalar>(
        &self,
        model: &Model<S>,
        gradient: &Gradient<S>,
        inputs: &Sequence<S>,
    ) -> Vec<S> {
        let start = &gradient.start;
        let bars = inputs.bars.iter();
        match self {
            Part::Configuration => start.q.clone(),
            Part::Velocity => start.v.clone(),
            Part::Activation => start.activation.clone(),
            Part::TimeStep => vec![gradient.dt],
            Part::Controls => bars.flat_map(|bar| bar.control.clone()).collect(),
            Part::JointForces => bars.flat_map(|bar| bar.tau.clone()).collect(),
            Part::Wrenches => {
                let numbers = |m: &Motion<S>| [m.ang.to_array(), m.lin.to_array()].concat();
                bars.flat_map(|bar| &bar.external).flat_map(numbers).collect()
            }
            Part::Params { selection, .. } => selection.gradient(model, &gradient.params),
        }
    }
}

/// The parameters of a model that have a derivative: those that are finite.
pub fn finite_params(model: &Model<f64>) -> Vec<ParamId> {
    let ids = model.topology.param_ids();
    ids.into_iter().filter(|id| model.get(*id).is_finite()).collect()
}

/// The finite parameters of a model, by kind.
fn parameters(model: &Model<f64>) -> Vec<Part> {
    struct Found {
        kind: ParamKind,
        paths: Vec<String>,
    }
    let mut found: Vec<Found> = Vec::new();
    for id in finite_params(model) {
        let kind = ParamKind::of(&model.topology, id);
        let path = model.topology.param_path(id);
        match found.iter_mut().find(|f| f.kind.name == kind.name) {
            Some(found) => found.paths.push(path),
            None => found.push(Found { kind, paths: vec![path] }),
        }
    }
    let part = |Found { kind, paths }: Found| {
        // The paths are those of the model's own finite parameters.
        let selection = Selection::of(model, &paths).ok()?;
        Some(Part::Params { kind, selection })
    };
    found.into_iter().filter_map(part).collect()
}

impl ParamKind {
    /// The kind of a parameter.
    pub fn of(topology: &Topology, id: ParamId) -> Self {
        let plain = |words: &str, paths: &str| (words.to_owned(), paths.to_owned());
        let scalar = |of: &str, list: &str, name: &str| {
            (format!("{of} {}", name.replace(['_', '/'], " ")), format!("{list}/*/{name}"))
        };
        let placement = |of: &str, i: u8| match i {
            0..3 => (format!("{of} positions"), format!("{of}/*/placement/x|y|z")),
            _ => (format!("{of} orientations"), format!("{of}/*/placement/roll|pitch|yaw")),
        };
        let (name, paths) = match id {
            ParamId::Gravity(_) => plain("gravity", "gravity/x|y|z"),
            ParamId::Mass(_) => plain("link masses", "link/*/mass"),
            ParamId::Com(..) => plain("link centres of mass", "link/*/com/x|y|z"),
            ParamId::Inertia(..) => plain("link inertias", "link/*/inertia/*"),
            ParamId::JointPlacement(_, i) => placement("joint", i),
            ParamId::JointAxis(..) => plain("joint axes", "joint/*/axis/x|y|z"),
            ParamId::JointAxis2(..) => plain("joint second axes", "joint/*/axis2/x|y|z"),
            ParamId::Joint(_, number) => scalar("joint", "joint", number.name()),
            ParamId::FramePlacement(_, i) => placement("frame", i),
            ParamId::ShapePlacement(_, i) => placement("shape", i),
            ParamId::ShapeSize(..) => plain("shape sizes", "shape/*/size/x|y|z"),
            ParamId::ShapeMaterial(_, number) => scalar("surface", "shape", number.name()),
            ParamId::PairMaterial(_, number) => scalar("contact pair", "contact", number.name()),
            ParamId::Actuator(..) => {
                // The end of the path: gear, bias/constant.
                let path = topology.param_path(id);
                let parts: Vec<&str> = path.rsplit('/').collect();
                let twofold = ["bias", "control", "activation", "force"];
                match parts.as_slice() {
                    [last, list, _, ..] if twofold.contains(list) => {
                        scalar("actuator", "actuator", &format!("{list}/{last}"))
                    }
                    [last, ..] => scalar("actuator", "actuator", last),
                    [] => plain("actuators", "actuator/*"),
                }
            }
        };
        ParamKind { name, paths }
    }
}
