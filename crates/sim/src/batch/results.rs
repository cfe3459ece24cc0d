//! What a batch returns: gradients, and states after each step.

use gradbody_math::Scalar;

use crate::{Failure, Gradient, State};

/// The gradients of a batch's losses. A world that failed, in the forward or the backward pass, has rows of zeros and a
/// cost of NaN.
#[derive(Clone, Debug, Default)]
pub struct BatchGradient {
    /// The loss of each world.
    pub costs: Vec<f64>,
    /// Gradient with respect to the initial configuration, in local coordinates, (worlds, nv).
    pub start_q: Vec<f64>,
    /// Gradient with respect to the initial velocity, (worlds, nv).
    pub start_v: Vec<f64>,
    /// Gradient with respect to the initial actuator states, (worlds, na).
    pub start_activation: Vec<f64>,
    /// Gradient with respect to the numbers of the inputs, a row for each world. For [`Controls`](crate::Controls) a
    /// row is (steps, actuators), or (steps, nv) for joint forces; for a policy it has the policy's weights.
    pub inputs: Vec<f64>,
    /// Gradient with respect to the selected parameters, (worlds, selected).
    pub params: Vec<f64>,
    /// Gradient with respect to the numbers of the taps, such as weights, a row for each world.
    pub taps: Vec<f64>,
    /// Gradient with respect to the time step, (worlds).
    pub dt: Vec<f64>,
    /// The largest residual of the contact solver in any step, (worlds) [m/s or rad/s]. The error of an implicit
    /// gradient shrinks with it.
    pub residuals: Vec<f64>,
    /// The failure of each world, if any.
    pub failures: Vec<Option<Failure>>,
}

/// Where a batch writes the states after each step. In a [`Batch::forward_into`], the states of a world that fails are NaN
/// from the failing step on.
#[derive(Debug)]
pub struct BatchRecord<'a> {
    /// Configurations, (worlds, steps, nq).
    pub q: &'a mut [f64],
    /// Velocities, (worlds, steps, nv).
    pub v: &'a mut [f64],
}

impl BatchRecord<'_> {
    /// Writes the state after step `k` of `steps`, of as many worlds as there is room for.
    pub(super) fn write<S: Scalar>(&mut self, k: usize, steps: usize, state: &State<S>) {
        let rows = |to: &mut [f64], from: &[S]| {
            let width = from.len();
            for (lane, world) in to.chunks_exact_mut((steps * width).max(1)).enumerate() {
                let to = &mut world[k * width..(k + 1) * width];
                to.iter_mut().zip(from).for_each(|(to, x)| *to = x.lane(lane));
            }
        };
        rows(self.q, &state.q);
        rows(self.v, &state.v);
    }

    /// Writes NaN from a step on, into the row of one world if there is one.
    pub(super) fn lose(&mut self, lane: usize, from: usize, steps: usize, [nq, nv]: [usize; 2]) {
        for (rows, width) in [(&mut *self.q, nq), (&mut *self.v, nv)] {
            if let Some(world) = rows.chunks_exact_mut((steps * width).max(1)).nth(lane) {
                world[from * width..].fill(f64::NAN);
            }
        }
    }
}

/// The gradients of a group.
pub(super) struct Rows<S> {
    pub(super) gradient: Gradient<S>,
    pub(super) params: Vec<S>,
    pub(super) inputs: Vec<S>,
    pub(super) taps: Vec<S>,
}

impl<S: Scalar> Rows<S> {
    /// Appends the row of one world.
    pub(super) fn write(&self, lane: usize, to: &mut BatchGradient) {
        let failed = self.gradient.failures[lane].is_some();
        let row = |to: &mut Vec<f64>, from: &[S]| {
            to.extend(from.iter().map(|x| if failed { 0.0 } else { x.lane(lane) }));
        };
        to.failures.push(self.gradient.failures[lane]);
        to.costs.push(self.gradient.cost.lane(lane));
        row(&mut to.start_q, &self.gradient.start.q);
        row(&mut to.start_v, &self.gradient.start.v);
        row(&mut to.start_activation, &self.gradient.start.activation);
        row(&mut to.dt, &[self.gradient.dt]);
        to.residuals.push(self.gradient.residual.lane(lane));
        row(&mut to.inputs, &self.inputs);
        row(&mut to.params, &self.params);
        row(&mut to.taps, &self.taps);
    }
}
