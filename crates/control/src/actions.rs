//! The inputs that a plan chooses.

use gradbody_math::Scalar;
use gradbody_model::{JointParams, Link, Model};
use gradbody_sim::{Input, InputColumns, InputCotangents};

use crate::ControlError;

/// An input that a plan chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The control of an actuator, by its index.
    Control(usize),
    /// A joint force or torque, by its index in v.
    JointForce(usize),
}

/// The range in which an input acts; beyond it, it is as if it were at the end of the range.
fn range(model: &Model<f64>, action: Action) -> (f64, f64) {
    match action {
        Action::Control(index) => {
            let params = &model.params.actuators[index];
            (params.control_lower, params.control_upper)
        }
        Action::JointForce(index) => {
            let has_it = |link: &gradbody_model::Link| link.joint.v_range().contains(&index);
            let joint = model.topology.links.iter().position(has_it);
            let effort = joint.map_or(f64::INFINITY, |k| model.params.joints[k].effort_limit);
            (-effort, effort)
        }
    }
}

/// The name of an input: `control/motor` or `joint/knee/force`.
fn name(action: Action, model: &Model<f64>) -> String {
    match action {
        Action::Control(k) => format!("control/{}", model.topology.actuators[k].name),
        Action::JointForce(v) => {
            let of = |link: &&Link| link.joint.v_range().contains(&v);
            let Some(link) = model.topology.links.iter().find(of) else {
                return format!("force {v}");
            };
            let joint = &link.joint;
            match joint.kind.velocity_suffixes()[v - joint.v_start] {
                "" => format!("joint/{}/force", joint.name),
                suffix => format!("joint/{}/force/{suffix}", joint.name),
            }
        }
    }
}

/// The inputs that a plan chooses, with their bounds.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Actions {
    /// Which inputs.
    pub inputs: Vec<Action>,
    /// Least value of each; −∞ if there is none.
    pub lower: Vec<f64>,
    /// Greatest value of each; ∞ if there is none.
    pub upper: Vec<f64>,
    /// Inputs that are not chosen, with the values that they keep. Others are zero.
    pub held: Vec<(Action, f64)>,
}

impl Actions {
    /// The controls of all actuators, within their ranges; for a model without actuators, the forces of all joints that
    /// have one axis, within their effort limits.
    pub fn of(model: &Model<f64>) -> Self {
        let mut actions = Actions::default();
        for index in 0..model.topology.actuators.len() {
            actions.add(model, Action::Control(index));
        }
        if actions.is_empty() {
            let joints = model.topology.links.iter().zip(&model.params.joints);
            // A joint without effort has no motor.
            let moves = |(link, params): &(&Link, &JointParams<f64>)| {
                link.joint.kind.nv() == 1 && params.effort_limit > 0.0
            };
            for (link, _) in joints.filter(moves) {
                actions.add(model, Action::JointForce(link.joint.v_start));
            }
        }
        actions
    }

    /// Adds an input, within the range that the model gives it.
    pub fn add(&mut self, model: &Model<f64>, action: Action) {
        let (lower, upper) = range(model, action);
        self.inputs.push(action);
        self.lower.push(lower);
        self.upper.push(upper);
    }

    /// Number of inputs.
    pub fn len(&self) -> usize {
        self.inputs.len()
    }

    /// True if nothing is chosen.
    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    /// The name of an input: `control/motor` or `joint/knee/force`.
    pub fn name(&self, index: usize, model: &Model<f64>) -> String {
        name(self.inputs[index], model)
    }

    /// Writes the actions of a knot, and the inputs that are held, into an input whose other numbers stay as they are.
    pub fn write<S: Scalar>(&self, values: &[S], input: &mut Input<S>) {
        let mut set = |action: Action, value: S| match action {
            Action::Control(index) => input.control[index] = value,
            Action::JointForce(index) => input.tau[index] = value,
        };
        self.inputs.iter().zip(values).for_each(|(action, value)| set(*action, *value));
        self.held.iter().for_each(|(action, value)| set(*action, S::from_f64(*value)));
    }

    /// The adjoint of [`Actions::write`]: adds to the cotangents of the values.
    pub(crate) fn write_vjp<S: Scalar>(&self, input_bar: &InputCotangents<S>, bars: &mut [S]) {
        for (action, bar) in self.inputs.iter().zip(bars) {
            *bar += match *action {
                Action::Control(index) => input_bar.control[index],
                Action::JointForce(index) => input_bar.tau[index],
            };
        }
    }

    /// Reads the actions in a world from an input.
    pub(crate) fn read<S: Scalar>(&self, input: &Input<S>, lane: usize, values: &mut [f64]) {
        for (action, value) in self.inputs.iter().zip(values) {
            *value = match *action {
                Action::Control(index) => input.control[index].lane(lane),
                Action::JointForce(index) => input.tau[index].lane(lane),
            };
        }
    }

    /// The adjoint of [`Actions::read`]: adds to the cotangents of the input.
    pub(crate) fn read_vjp(&self, bars: &[f64], input_bar: &mut InputCotangents<f64>) {
        for (action, bar) in self.inputs.iter().zip(bars) {
            match *action {
                Action::Control(index) => input_bar.control[index] += bar,
                Action::JointForce(index) => input_bar.tau[index] += bar,
            }
        }
    }

    /// Moves the actions of a knot into their bounds.
    pub fn clamp(&self, values: &mut [f64]) {
        for (k, value) in values.iter_mut().enumerate() {
            *value = value.max(self.lower[k]).min(self.upper[k]);
        }
    }

    /// The size of each action: half of its range, or 1 if it has none.
    pub fn scales(&self) -> Vec<f64> {
        let half = |(lower, upper): (&f64, &f64)| {
            let half = 0.5 * (upper - lower);
            if half.is_finite() && half > 0.0 { half } else { 1.0 }
        };
        self.lower.iter().zip(&self.upper).map(half).collect()
    }

    /// The columns of a linearised step that contain them, and which column each is.
    pub(crate) fn columns(&self, model: &Model<f64>) -> (InputColumns, Vec<usize>) {
        let is_control = |action: &Action| matches!(action, Action::Control(_));
        let controls = self.inputs.iter().any(is_control);
        let forces = !self.inputs.iter().all(is_control);
        let which = match (controls, forces) {
            (_, false) => InputColumns::Controls,
            (false, true) => InputColumns::JointForces,
            (true, true) => InputColumns::Both,
        };
        let first_force = if controls { model.topology.actuators.len() } else { 0 };
        let column = |action: &Action| match *action {
            Action::Control(index) => index,
            Action::JointForce(index) => first_force + index,
        };
        (which, self.inputs.iter().map(column).collect())
    }

    /// Refuses actions that no plan can choose.
    pub(crate) fn check(&self, model: &Model<f64>) -> Result<(), ControlError> {
        let exists = |action: Action| match action {
            Action::Control(index) => index < model.topology.actuators.len(),
            Action::JointForce(index) => index < model.nv(),
        };
        if self.lower.len() != self.len() || self.upper.len() != self.len() {
            let needed = self.len();
            let is_other = |bounds: &&Vec<f64>| bounds.len() != needed;
            let given = [&self.lower, &self.upper].into_iter().find(is_other).map_or(0, Vec::len);
            return Err(ControlError::BoundCount { given, needed });
        }
        for (k, (action, value)) in self.held.iter().enumerate() {
            if !exists(*action) {
                return Err(ControlError::UnknownAction(self.len() + k));
            }
            if self.held[..k].iter().any(|(other, _)| other == action) {
                return Err(ControlError::ActionTwice(name(*action, model)));
            }
            if !value.is_finite() {
                return Err(ControlError::HeldNotFinite(name(*action, model)));
            }
        }
        for (k, action) in self.inputs.iter().enumerate() {
            if !exists(*action) {
                return Err(ControlError::UnknownAction(k));
            }
            let held = self.held.iter().map(|(held, _)| held);
            if self.inputs[..k].iter().chain(held).any(|other| other == action) {
                return Err(ControlError::ActionTwice(self.name(k, model)));
            }
            let (lower, upper) = (self.lower[k], self.upper[k]);
            let crossed = lower > upper || lower == f64::INFINITY || upper == f64::NEG_INFINITY;
            if lower.is_nan() || upper.is_nan() || crossed {
                let action = self.name(k, model);
                return Err(ControlError::Bounds { action, lower, upper });
            }
            let (least, most) = range(model, *action);
            if lower < least || upper > most {
                let action = self.name(k, model);
                return Err(ControlError::BeyondRange { action, lower, upper, least, most });
            }
        }
        Ok(())
    }
}
