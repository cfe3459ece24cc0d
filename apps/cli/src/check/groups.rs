//! What a motion depends on, in groups, and a direction to change each in.
//!
//! A direction is random. It changes what has a size by a share of it (a mass, a length), everything
//! else by numbers of the order of one in SI units.

use gradbody::dynamics::integrate;
use gradbody::math::{Motion, Scalar, Vec3};
use gradbody::model::{Model, ParamId, Selection};
use gradbody::sim::{Gradient, Sequence};

use super::case::{Case, World};
use super::random::Random;

/// Numbers that are changed together.
pub(super) struct Group {
    /// In words, for people.
    pub(super) name: String,
    /// The paths of parameters, with a star in place of names.
    pub(super) paths: Option<String>,
    part: Part,
    /// How each number changes.
    direction: Vec<f64>,
}

enum Part {
    Configuration,
    Velocity,
    Activation,
    /// Of each actuator in each step.
    Controls,
    /// On each velocity coordinate in each step.
    JointForces,
    /// On each link in each step, torque and force.
    Wrenches,
    TimeStep,
    Params(Selection),
}

/// What a gradient says about a group.
pub(super) struct Along {
    /// The derivative in the group's direction.
    pub(super) slope: f64,
    /// About how large it would be if the parts of the sum did not cancel.
    pub(super) scale: f64,
    /// Numbers of the group by which the derivative is not zero.
    pub(super) with_influence: usize,
}

impl Group {
    /// Every group a case has. Parameters that are infinite have no derivative and are left out.
    pub(super) fn all(case: &Case, random: &mut Random) -> Vec<Group> {
        let model = &case.model;
        let (nv, steps) = (model.nv(), case.steps());
        let parts = [
            ("initial configuration", Part::Configuration, nv),
            ("initial velocity", Part::Velocity, nv),
            ("initial actuator states", Part::Activation, model.topology.na),
            ("controls of every step", Part::Controls, model.topology.actuators.len() * steps),
            ("joint forces of every step", Part::JointForces, nv * steps),
            ("wrenches on links, every step", Part::Wrenches, 6 * model.n_links() * steps),
        ];
        let mut groups: Vec<Group> = parts
            .into_iter()
            .filter(|(_, _, count)| *count > 0)
            .map(|(name, part, count)| {
                let direction = (0..count).map(|_| random.unit()).collect();
                Group { name: name.into(), paths: None, part, direction }
            })
            .collect();
        let dt = case.options.dt;
        groups.push(Group {
            name: "time step".into(),
            paths: None,
            part: Part::TimeStep,
            direction: vec![dt],
        });
        groups.extend(parameter_groups(model, random));
        groups
    }

    /// A random direction of length one for the whole state, as groups.
    pub(super) fn state_direction(model: &Model<f64>, random: &mut Random) -> Vec<Group> {
        let (nv, na) = (model.nv(), model.topology.na);
        let mut numbers: Vec<f64> = (0..2 * nv + na).map(|_| random.unit()).collect();
        let length = norm(&numbers);
        numbers.iter_mut().for_each(|x| *x /= length);
        let parts = [
            (Part::Configuration, 0..nv),
            (Part::Velocity, nv..2 * nv),
            (Part::Activation, 2 * nv..2 * nv + na),
        ];
        let group = |(part, range): (Part, std::ops::Range<usize>)| Group {
            name: String::new(),
            paths: None,
            part,
            direction: numbers[range].to_vec(),
        };
        parts.map(group).into()
    }

    /// How many numbers there are.
    pub(super) fn count(&self) -> usize {
        self.direction.len()
    }

    /// Whether these are numbers of the model that are all exactly zero.
    pub(super) fn is_zero(&self, model: &Model<f64>) -> bool {
        match &self.part {
            Part::Params(selection) => selection.values(model).iter().all(|x| *x == 0.0),
            _ => false,
        }
    }

    /// Changes a world by `t` times the direction.
    pub(super) fn change<S: Scalar>(&self, world: &mut World<S>, t: S) {
        let World { model, start, inputs, options } = world;
        let by: Vec<S> = self.direction.iter().map(|x| S::from_f64(*x) * t).collect();
        let add = |to: &mut [S], by: &[S]| to.iter_mut().zip(by).for_each(|(to, by)| *to += *by);
        match &self.part {
            Part::Configuration => integrate(model, &mut start.q, &by),
            Part::Velocity => add(&mut start.v, &by),
            Part::Activation => add(&mut start.activation, &by),
            Part::TimeStep => options.dt += by[0],
            Part::Controls => {
                let by = by.chunks(model.topology.actuators.len());
                inputs.iter_mut().zip(by).for_each(|(input, by)| add(&mut input.control, by));
            }
            Part::JointForces => {
                let by = by.chunks(model.nv());
                inputs.iter_mut().zip(by).for_each(|(input, by)| add(&mut input.tau, by));
            }
            Part::Wrenches => {
                let forces = inputs.iter_mut().flat_map(|input| &mut input.external);
                for (force, by) in forces.zip(by.chunks(6)) {
                    force.ang += Vec3::from_slice(&by[..3]);
                    force.lin += Vec3::from_slice(&by[3..]);
                }
            }
            Part::Params(selection) => {
                let mut x = selection.values(model);
                add(&mut x, &by);
                selection.apply(model, &x).expect("as many as it gave itself");
            }
        }
    }

    /// The derivative in the group's direction, from a gradient.
    pub(super) fn along(
        &self,
        case: &Case,
        gradient: &Gradient<f64>,
        inputs: &Sequence<f64>,
    ) -> Along {
        let start = &gradient.start;
        let bars = inputs.bars.iter();
        let slopes: Vec<f64> = match &self.part {
            Part::Configuration => start.q.clone(),
            Part::Velocity => start.v.clone(),
            Part::Activation => start.activation.clone(),
            Part::TimeStep => vec![gradient.dt],
            Part::Controls => bars.flat_map(|bar| bar.control.clone()).collect(),
            Part::JointForces => bars.flat_map(|bar| bar.tau.clone()).collect(),
            Part::Wrenches => {
                let numbers = |m: &Motion<f64>| [m.ang.to_array(), m.lin.to_array()].concat();
                bars.flat_map(|bar| &bar.external).flat_map(numbers).collect()
            }
            Part::Params(selection) => selection.gradient(&case.model, &gradient.params),
        };
        let products: Vec<f64> = slopes.iter().zip(&self.direction).map(|(a, b)| a * b).collect();
        Along {
            slope: products.iter().sum(),
            scale: norm(&products),
            with_influence: slopes.iter().filter(|x| **x != 0.0).count(),
        }
    }
}

/// How many numbers of a model are infinite, and so have no derivative.
pub(super) fn infinite_params(model: &Model<f64>) -> usize {
    let ids = model.topology.param_ids();
    ids.into_iter().filter(|id| !model.get(*id).is_finite()).count()
}

/// The parameters of a model, by what they are.
fn parameter_groups(model: &Model<f64>, random: &mut Random) -> Vec<Group> {
    struct Found {
        name: String,
        pattern: String,
        paths: Vec<String>,
    }
    let topology = &model.topology;
    let mut found: Vec<Found> = Vec::new();
    for id in topology.param_ids().into_iter().filter(|id| model.get(*id).is_finite()) {
        let path = topology.param_path(id);
        let (name, pattern) = kind(id, &path);
        match found.iter_mut().find(|f| f.name == name) {
            Some(found) => found.paths.push(path),
            None => found.push(Found { name, pattern, paths: vec![path] }),
        }
    }
    let group = |Found { name, pattern, paths }: Found| {
        // Its paths are those of the model's own finite numbers.
        let selection = Selection::of(model, &paths).ok()?;
        let direction = shares(&selection.values(model), random);
        Some(Group { name, paths: Some(pattern), part: Part::Params(selection), direction })
    };
    found.into_iter().filter_map(group).collect()
}

/// What a parameter is, in words and as a pattern of paths.
fn kind(id: ParamId, path: &str) -> (String, String) {
    let placement = |of: &str, i: u8| match i {
        0..3 => (format!("{of} positions"), format!("{of}/*/placement/x|y|z")),
        _ => (format!("{of} orientations"), format!("{of}/*/placement/roll|pitch|yaw")),
    };
    let plain = |words: &str, pattern: &str| (words.to_owned(), pattern.to_owned());
    let scalar = |of: &str, list: &str, name: &str| {
        (format!("{of} {}", name.replace(['_', '/'], " ")), format!("{list}/*/{name}"))
    };
    match id {
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
    }
}

/// Random shares of numbers; of those that are zero, of the least of the others.
fn shares(values: &[f64], random: &mut Random) -> Vec<f64> {
    /// Below this share of the largest, a number is zero but for rounding.
    const ZERO: f64 = 1e-6;
    let largest = values.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let counts = |x: &f64| x.abs() > ZERO * largest;
    let least = values.iter().filter(|x| counts(x)).fold(f64::INFINITY, |m, x| m.min(x.abs()));
    let size = |x: &f64| match counts(x) {
        true => x.abs(),
        false if least.is_finite() => least,
        false => 1.0,
    };
    values.iter().map(|x| size(x) * random.unit()).collect()
}

fn norm(numbers: &[f64]) -> f64 {
    numbers.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::shares;
    use crate::check::random::Random;

    #[test]
    fn what_is_zero_changes_like_the_least_of_the_rest() {
        let changes = shares(&[0.0, 2.0, 1e-17, -8.0], &mut Random::new(1));
        assert!(changes[0].abs() <= 2.0 && changes[0] != 0.0);
        assert!(changes[2].abs() > 1e-3 && changes[2].abs() <= 2.0);
        assert!(shares(&[0.0], &mut Random::new(1))[0].abs() <= 1.0);
    }
}
