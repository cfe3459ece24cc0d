//! What a plan is sought for.
//!
//! Time is cut into knots. During a knot every action is constant, and the simulation takes the same number of steps.
//! With states x₀ … x_N at the knots and actions u₀ … u_{N−1} a plan costs
//!
//! ```text
//!   Σₖ h l(uₖ) + Σₖ h l(xₖ₊₁) + l_end(x_N),      k = 0 … N − 1,  h the duration of a knot
//! ```
//!
//! The start costs nothing, since no action changes it.

use gradbody_model::{LinkId, Model};
use gradbody_sim::{State, StepOptions};

use crate::{Actions, ControlError, Cost, Quantity};

/// What a plan is sought for: a robot, its start, a horizon, the inputs that may act, and the costs.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The robot and its surroundings.
    pub model: Model<f64>,
    /// The state that the plan begins in.
    pub start: State<f64>,
    /// How the model is stepped.
    pub options: StepOptions<f64>,
    /// Number of knots.
    pub knots: usize,
    /// Time steps in a knot.
    pub steps: usize,
    /// The inputs that the plan chooses.
    pub actions: Actions,
    /// The costs, which are added.
    pub costs: Vec<Cost>,
}

/// A time without the rounding of its sum, so that 0.15 is not written as 0.15000000000000002.
pub fn rounded_time(time: f64) -> f64 {
    (time * 1e9).round() / 1e9
}

impl Problem {
    /// Duration of a knot [s].
    pub fn knot_seconds(&self) -> f64 {
        self.options.dt * self.steps as f64
    }

    /// Number of coordinates of a change of state: configuration, velocity, actuator states.
    pub fn state_changes(&self) -> usize {
        2 * self.model.nv() + self.model.topology.na
    }

    /// Number of actions of a whole plan.
    pub fn numbers(&self) -> usize {
        self.knots * self.actions.len()
    }

    /// Refuses states in which no plan can begin.
    pub(crate) fn check_start(&self, start: &State<f64>) -> Result<(), ControlError> {
        let State { q, v, activation, .. } = start;
        let model = &self.model;
        let needed = (model.nq(), model.nv(), model.topology.na);
        if (q.len(), v.len(), activation.len()) != needed {
            return Err(ControlError::OtherStart);
        }
        let numbers = q.iter().chain(v).chain(activation).chain([&start.time]);
        if !{ numbers }.all(|x| x.is_finite()) {
            return Err(ControlError::StartNotFinite);
        }
        Ok(())
    }

    /// Moves the actions of all knots into their bounds.
    pub(crate) fn clamp_all(&self, actions: &mut [f64]) {
        let of_knots = actions.chunks_exact_mut(self.actions.len());
        of_knots.for_each(|values| self.actions.clamp(values));
    }

    /// Refuses lists of actions that are no plan.
    pub(crate) fn check_actions(&self, actions: &[f64]) -> Result<(), ControlError> {
        if actions.len() != self.numbers() {
            let (given, needed) = (actions.len(), self.numbers());
            return Err(ControlError::ActionCount { given, needed });
        }
        if !actions.iter().all(|u| u.is_finite()) {
            return Err(ControlError::ActionsNotFinite);
        }
        Ok(())
    }

    /// The links whose contact forces a cost is about.
    pub(crate) fn observed_links(&self) -> Vec<LinkId> {
        let mut links = Vec::new();
        for cost in &self.costs {
            match cost.quantity {
                Quantity::ContactForce(link) if !links.contains(&link) => links.push(link),
                _ => {}
            }
        }
        links
    }

    /// Refuses problems that have no plan.
    pub fn check(&self) -> Result<(), ControlError> {
        self.check_at_any_time()?;
        self.costs.iter().try_for_each(|cost| cost.check_span(self))
    }

    /// The same, but costs may count at times beyond the horizon.
    pub(crate) fn check_at_any_time(&self) -> Result<(), ControlError> {
        if self.knots == 0 || self.steps == 0 {
            return Err(ControlError::NoHorizon);
        }
        if !(self.options.dt > 0.0 && self.options.dt.is_finite()) {
            return Err(ControlError::TimeStep(self.options.dt));
        }
        self.check_start(&self.start)?;
        self.actions.check(&self.model)?;
        if self.costs.is_empty() {
            return Err(ControlError::NoCosts);
        }
        self.costs.iter().try_for_each(|cost| cost.check(self))
    }
}
