//! The quantities that a cost can be about: how far each is from its target, and the adjoint of that.

use std::fmt;
use std::sync::Arc;

use gradbody_dynamics::{
    CoordinateCotangents, Kinematics, KinematicsCotangents, centre_of_mass,
    centre_of_mass_velocity, centre_of_mass_velocity_vjp, centre_of_mass_vjp, difference,
    difference_vjp, frame_pose, frame_pose_vjp, frame_velocity, frame_velocity_vjp, kinematics_vjp,
    log_vjp,
};
use gradbody_math::{Force, Quat, Vec3};
use gradbody_model::{FrameId, JointKind, LinkId, Model, Params};
use gradbody_sim::State;

use crate::Problem;

/// A quantity that a cost can be about. All but [`Quantity::Actions`], [`Quantity::ContactForce`] and
/// [`Quantity::Custom`] depend on the state alone.
#[derive(Clone, Debug)]
pub enum Quantity {
    /// Chosen coordinates of the configuration, by their indices in v. The target is a whole configuration (nq numbers),
    /// and differences are taken on the manifold.
    Configuration(Vec<usize>),
    /// Chosen velocities, by their indices in v.
    Velocity(Vec<usize>),
    /// Chosen actions, by their indices in [`Actions`](crate::Actions).
    Actions(Vec<usize>),
    /// The position of a frame's origin in the world [m].
    FramePosition(FrameId),
    /// The velocity of a frame's origin in the world's axes [m/s].
    FrameVelocity(FrameId),
    /// The angular velocity of a frame in the world's axes [rad/s].
    FrameSpin(FrameId),
    /// A unit vector that is fixed to a frame, in the world's axes. The target is where it should point.
    FrameDirection(FrameId, Vec3<f64>),
    /// The orientation of a frame in the world: the target is a quaternion (w, x, y, z), the difference the rotation
    /// vector that turns the target into it [rad], in the frame's axes.
    FrameOrientation(FrameId),
    /// The centre of mass [m].
    CentreOfMass,
    /// The velocity of the centre of mass [m/s].
    CentreOfMassVelocity,
    /// The force that everything a link touches exerts on it, in the world's axes [N].
    ContactForce(LinkId),
    /// A function of the state and of the actions.
    Custom(Arc<dyn StateFunction>),
}

/// A function of the state at the end of a knot and of the actions in it, for costs of your own.
pub trait StateFunction: fmt::Debug + Send + Sync {
    /// How many numbers it has.
    fn len(&self) -> usize;

    /// True if it has none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes its value to `out`.
    fn value(&self, at: &At<'_>, out: &mut [f64]);

    /// Adds the adjoint of [`value`](StateFunction::value): `bars` are cotangents of its numbers.
    fn vjp(&self, at: &At<'_>, bars: &[f64], to: &mut QuantityBars);
}

/// Where a quantity is taken.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// The model.
    pub model: &'a Model<f64>,
    /// The state.
    pub state: &'a State<f64>,
    /// Poses and velocities of the links in that state.
    pub kin: &'a Kinematics<f64>,
    /// The actions in the knot that ends there.
    pub actions: &'a [f64],
    /// The sum of the contact forces on each link in the step that ended there [N], (n_links). Not for functions of your
    /// own: their derivatives would have to be known for every link.
    pub(crate) contact_forces: &'a [Vec3<f64>],
}

/// Cotangents of everything that a quantity depends on.
#[derive(Clone, Debug)]
pub struct QuantityBars {
    /// Of poses and velocities of the links; they are taken to q, v and parameters afterwards.
    pub kin: KinematicsCotangents<f64>,
    /// Of the configuration, in local coordinates, (nv).
    pub q: Vec<f64>,
    /// Of the velocity, (nv).
    pub v: Vec<f64>,
    /// Of the actuator states, (na).
    pub activation: Vec<f64>,
    /// Of the actions.
    pub actions: Vec<f64>,
    /// Of the sum of the contact forces on each link, (n_links).
    pub(crate) contact_forces: Vec<Vec3<f64>>,
    /// Of the parameters.
    pub params: Params<f64>,
    /// Whether `kin` is not all zero. Set it when you add to `kin`.
    pub has_kin: bool,
    unused: Vec<f64>,
    direction: Vec<f64>,
    unit: Vec<f64>,
}

impl QuantityBars {
    pub(crate) fn new(problem: &Problem) -> Self {
        let nv = problem.model.nv();
        QuantityBars {
            kin: KinematicsCotangents::new(&problem.model),
            q: vec![0.0; nv],
            v: vec![0.0; nv],
            activation: vec![0.0; problem.model.topology.na],
            actions: vec![0.0; problem.actions.len()],
            contact_forces: vec![Vec3::ZERO; problem.model.n_links()],
            params: problem.model.params.zeros_like(),
            has_kin: false,
            unused: vec![0.0; nv],
            direction: vec![0.0; nv],
            unit: Vec::new(),
        }
    }

    /// Sets all cotangents but those of the parameters to zero.
    pub(crate) fn clear(&mut self) {
        self.q.fill(0.0);
        self.v.fill(0.0);
        self.activation.fill(0.0);
        self.actions.fill(0.0);
        self.contact_forces.fill(Vec3::ZERO);
    }

    /// Takes cotangents of poses and velocities to q, v and parameters.
    pub(crate) fn finish(&mut self, at: &At<'_>) {
        if self.has_kin {
            let QuantityBars { kin, q, v, params, .. } = self;
            let out = CoordinateCotangents { q, v, params };
            kinematics_vjp(at.model, &at.state.q, &at.state.v, at.kin, kin, out);
            self.kin.clear();
            self.has_kin = false;
        }
    }
}

impl Quantity {
    /// Number of differences from the target.
    pub fn len(&self) -> usize {
        match self {
            Quantity::Configuration(which)
            | Quantity::Velocity(which)
            | Quantity::Actions(which) => which.len(),
            Quantity::Custom(function) => function.len(),
            _ => 3,
        }
    }

    /// True if there is no difference that could cost anything.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of numbers of a target.
    pub fn target_len(&self, model: &Model<f64>) -> usize {
        match self {
            Quantity::Configuration(_) => model.nq(),
            Quantity::FrameOrientation(_) => 4,
            _ => self.len(),
        }
    }

    /// Whether its numbers are the components of one vector.
    pub fn is_vector(&self) -> bool {
        !matches!(
            self,
            Quantity::Configuration(_)
                | Quantity::Velocity(_)
                | Quantity::Actions(_)
                | Quantity::Custom(_)
        )
    }

    /// Whether it is about actions, and not about the state.
    pub fn is_of_actions(&self) -> bool {
        matches!(self, Quantity::Actions(_))
    }

    /// Whether it depends on poses or velocities of links.
    pub(crate) fn needs_kinematics(&self) -> bool {
        !matches!(
            self,
            Quantity::Configuration(_)
                | Quantity::Velocity(_)
                | Quantity::Actions(_)
                | Quantity::ContactForce(_)
        )
    }

    /// Why the quantity does not exist in this problem, if so.
    pub(crate) fn wrong(&self, problem: &Problem) -> Option<String> {
        let model = &problem.model;
        let beyond = |which: &[usize], most: usize, what: &str| {
            let index = which.iter().find(|index| **index >= most)?;
            Some(format!("there is no {what} {index}: there are {most}"))
        };
        match self {
            _ if self.is_empty() => Some("it is about nothing".into()),
            Quantity::Configuration(which) | Quantity::Velocity(which) => {
                beyond(which, model.nv(), "coordinate")
            }
            Quantity::Actions(which) => beyond(which, problem.actions.len(), "action"),
            Quantity::FrameDirection(_, direction) if (direction.norm() - 1.0).abs() > 1e-6 => {
                Some("its direction is not a unit vector".into())
            }
            Quantity::FramePosition(frame)
            | Quantity::FrameVelocity(frame)
            | Quantity::FrameSpin(frame)
            | Quantity::FrameDirection(frame, _)
            | Quantity::FrameOrientation(frame) => {
                beyond(&[frame.index()], model.topology.frames.len(), "frame")
            }
            Quantity::ContactForce(link) => beyond(&[link.index()], model.n_links(), "link"),
            _ => None,
        }
    }

    /// Writes how far it is from `target`. `all` is scratch, (nv).
    pub(crate) fn difference(&self, at: &At<'_>, target: &[f64], out: &mut [f64], all: &mut [f64]) {
        let At { model, state, kin, actions, contact_forces } = *at;
        let mut vector = |x: Vec3<f64>| {
            let x = x - Vec3::from_slice(target);
            out.copy_from_slice(&x.to_array());
        };
        match self {
            Quantity::Configuration(which) => {
                difference(model, target, &state.q, all);
                which.iter().zip(out).for_each(|(&k, out)| *out = all[k]);
            }
            Quantity::Velocity(which) => {
                which
                    .iter()
                    .zip(target)
                    .zip(out)
                    .for_each(|((&k, target), out)| *out = state.v[k] - target);
            }
            Quantity::Actions(which) => {
                which
                    .iter()
                    .zip(target)
                    .zip(out)
                    .for_each(|((&k, target), out)| *out = actions[k] - target);
            }
            Quantity::FramePosition(frame) => vector(frame_pose(model, kin, *frame).pos),
            Quantity::FrameVelocity(frame) => vector(frame_velocity(model, kin, *frame).lin),
            Quantity::FrameSpin(frame) => vector(frame_velocity(model, kin, *frame).ang),
            Quantity::FrameDirection(frame, own) => {
                vector(frame_pose(model, kin, *frame).rot * *own)
            }
            Quantity::FrameOrientation(frame) => {
                out.copy_from_slice(&turn_from(target, at, *frame).to_array());
            }
            Quantity::CentreOfMass => vector(centre_of_mass(model, kin)),
            Quantity::CentreOfMassVelocity => vector(centre_of_mass_velocity(model, kin)),
            Quantity::ContactForce(link) => vector(contact_forces[link.index()]),
            Quantity::Custom(function) => {
                function.value(at, out);
                out.iter_mut().zip(target).for_each(|(out, target)| *out -= target);
            }
        }
    }

    /// The adjoint of [`Quantity::difference`]: adds to `to`, for `bars` the cotangents of the differences.
    pub(crate) fn difference_vjp(
        &self,
        at: &At<'_>,
        target: &[f64],
        bars: &[f64],
        to: &mut QuantityBars,
    ) {
        let At { model, state, kin, .. } = *at;
        let QuantityBars {
            kin: kin_bar,
            q,
            v,
            actions,
            contact_forces,
            params,
            has_kin,
            unused,
            direction,
            ..
        } = to;
        let vector = || Vec3::from_slice(bars);
        let turned = |frame: &FrameId, turn_w, kin_bar: &mut _, params: &mut _| {
            frame_pose_vjp(model, kin, *frame, turn_w, Vec3::ZERO, kin_bar, params);
        };
        *has_kin |= self.needs_kinematics() && !matches!(self, Quantity::Custom(_));
        match self {
            Quantity::Configuration(which) => {
                direction.fill(0.0);
                which.iter().zip(bars).for_each(|(&k, bar)| direction[k] += bar);
                difference_vjp(model, target, &state.q, direction, unused, q);
            }
            Quantity::Velocity(which) => which.iter().zip(bars).for_each(|(&k, bar)| v[k] += bar),
            Quantity::Actions(which) => {
                which.iter().zip(bars).for_each(|(&k, bar)| actions[k] += bar)
            }
            Quantity::FramePosition(frame) => {
                frame_pose_vjp(model, kin, *frame, Vec3::ZERO, vector(), kin_bar, params);
            }
            Quantity::FrameVelocity(frame) => {
                let bar = Force::new(Vec3::ZERO, vector());
                frame_velocity_vjp(model, kin, *frame, bar, kin_bar, params);
            }
            Quantity::FrameSpin(frame) => {
                let bar = Force::new(vector(), Vec3::ZERO);
                frame_velocity_vjp(model, kin, *frame, bar, kin_bar, params);
            }
            Quantity::FrameDirection(frame, own) => {
                let points_w = frame_pose(model, kin, *frame).rot * *own;
                turned(frame, points_w.cross(vector()), kin_bar, params);
            }
            Quantity::FrameOrientation(frame) => {
                let own_turn_bar = log_vjp(turn_from(target, at, *frame), vector());
                turned(frame, frame_pose(model, kin, *frame).rot * own_turn_bar, kin_bar, params);
            }
            Quantity::CentreOfMass => centre_of_mass_vjp(model, kin, vector(), kin_bar, params),
            Quantity::CentreOfMassVelocity => {
                centre_of_mass_velocity_vjp(model, kin, vector(), kin_bar, params)
            }
            Quantity::ContactForce(link) => contact_forces[link.index()] += vector(),
            Quantity::Custom(function) => function.vjp(at, bars, to),
        }
    }

    /// Calls `each` with every difference and its slope. `bars` and `row` are scratch.
    pub(crate) fn jacobian(
        &self,
        at: &At<'_>,
        target: &[f64],
        bars: &mut QuantityBars,
        row: &mut Vec<(usize, f64)>,
        each: &mut impl FnMut(usize, Slope<'_>),
    ) {
        let nv = at.model.nv();
        match self {
            Quantity::Velocity(which) => {
                for (k, coordinate) in which.iter().enumerate() {
                    each(k, Slope::State(&[(nv + coordinate, 1.0)]));
                }
            }
            Quantity::Actions(which) => {
                (0..which.len()).for_each(|k| each(k, Slope::Action(which[k])));
            }
            Quantity::ContactForce(link) => {
                (0..3).for_each(|axis| each(axis, Slope::ContactForce(*link, axis)));
            }
            Quantity::Configuration(which) => {
                configuration_jacobian(at, which, target, bars, row, each);
            }
            _ => {
                let mut unit = std::mem::take(&mut bars.unit);
                for k in 0..self.len() {
                    unit.clear();
                    unit.resize(self.len(), 0.0);
                    unit[k] = 1.0;
                    bars.clear();
                    self.difference_vjp(at, target, &unit, bars);
                    bars.finish(at);
                    row.clear();
                    let all = bars.q.iter().chain(&bars.v).chain(&bars.activation).enumerate();
                    row.extend(
                        all.filter(|(_, slope)| **slope != 0.0).map(|(k, slope)| (k, *slope)),
                    );
                    match bars.actions.iter().all(|slope| *slope == 0.0) {
                        true => each(k, Slope::State(row)),
                        false => each(k, Slope::StateAndActions(row, &bars.actions)),
                    }
                }
                bars.unit = unit;
            }
        }
    }
}

/// How a difference changes with what it depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Slope<'a> {
    /// With these numbers of (q, v, actuator states), and not with others.
    State(&'a [(usize, f64)]),
    /// Likewise, and with each action.
    StateAndActions(&'a [(usize, f64)], &'a [f64]),
    /// With one action, one to one.
    Action(usize),
    /// With one axis of the contact force on a link, one to one.
    ContactForce(LinkId, usize),
}

/// Differences of configurations: each depends on its own coordinate, and those of a rotation on all three of it. So
/// three adjoints, each with one difference of every rotation, give all slopes.
fn configuration_jacobian(
    at: &At<'_>,
    which: &[usize],
    target: &[f64],
    bars: &mut QuantityBars,
    row: &mut Vec<(usize, f64)>,
    each: &mut impl FnMut(usize, Slope<'_>),
) {
    let rotations = || {
        at.model.topology.links.iter().filter_map(|link| match link.joint.kind {
            JointKind::Spherical => Some(link.joint.v_start),
            JointKind::Free => Some(link.joint.v_start + 3),
            _ => None,
        })
    };
    for part in 0..3 {
        let QuantityBars { direction, unused, q, .. } = &mut *bars;
        direction.fill(0.0);
        rotations().for_each(|first| direction[first + part] = 1.0);
        q.fill(0.0);
        difference_vjp(at.model, target, &at.state.q, direction, unused, q);
        for (k, &coordinate) in which.iter().enumerate() {
            match rotations().find(|first| (*first..first + 3).contains(&coordinate)) {
                Some(first) if coordinate == first + part => {
                    row.clear();
                    row.extend((first..first + 3).map(|c| (c, q[c])));
                    each(k, Slope::State(row));
                }
                None if part == 0 => each(k, Slope::State(&[(coordinate, 1.0)])),
                _ => {}
            }
        }
    }
}

/// The rotation vector from the orientation `target` to that of a frame, in the frame's axes.
fn turn_from(target: &[f64], at: &At<'_>, frame: FrameId) -> Vec3<f64> {
    let target = Quat::from_slice(target).normalized();
    let is = Quat::from_mat3(&frame_pose(at.model, at.kin, frame).rot);
    (target.conjugate() * is).log()
}
