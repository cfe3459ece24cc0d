//! Receding horizon control (MPC): plans made anew while the robot moves. Each plan begins in the state that was measured,
//! with what is left of the last plan, and is improved by a few iterations of iLQR. Only its first knots are carried out. A
//! simulated robot waits for each plan, unless a delay is given.

mod closed_loop;
mod controller;

use serde::{Deserialize, Serialize};

use crate::{Begun, ControlError, Ilqr};

pub use closed_loop::{ClosedLoop, ClosedLoopEnding, MpcMoment, Push, run_closed_loop};
pub use controller::Mpc;

/// Options of receding horizon control.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct MpcOptions {
    /// How plans are improved. Its damping is that of the first plan.
    pub ilqr: Ilqr,
    /// Iterations for each plan. With 0 the first plan is carried on, with its feedback and the tail.
    pub iterations: u64,
    /// Iterations for the first plan; 0 to carry out the actions that it begins with.
    pub first_iterations: u64,
    /// Knots from one plan to the next.
    pub replan: usize,
    /// Knots that it takes to make a plan, for [`run_closed_loop`]: until then the robot is moved by the plan before. The
    /// new one begins in the state that is predicted from the one that was measured. With 0 the robot waits for each plan.
    pub delay: usize,
    /// What the knots that come into the horizon begin with.
    pub tail: Tail,
}

/// What the knots that come into the horizon begin with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tail {
    /// The last actions of the plan before.
    #[default]
    Last,
    /// The targets of the costs of actions; for actions without such a cost, the last ones.
    Targets,
}

impl Default for MpcOptions {
    fn default() -> Self {
        MpcOptions {
            ilqr: Ilqr::default(),
            iterations: 1,
            first_iterations: 50,
            replan: 1,
            delay: 0,
            tail: Tail::default(),
        }
    }
}

impl MpcOptions {
    /// Refuses options that are out of range for a horizon of `knots`.
    pub fn check(&self, knots: usize) -> Result<(), ControlError> {
        if !(1..=knots).contains(&self.replan) {
            let (option, hint) = ("replan", "it must be at least 1 and at most the horizon");
            return Err(ControlError::Option { option, value: self.replan as f64, hint });
        }
        if self.delay > self.replan {
            let (option, hint) = ("delay", "a plan must be made before the next one is due");
            return Err(ControlError::Option { option, value: self.delay as f64, hint });
        }
        self.ilqr.check()
    }
}

/// How a plan was made.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replan {
    /// The time at which the plan begins [s].
    pub time: f64,
    /// What it began with.
    pub begun: Begun,
    /// Its cost before it was improved.
    pub before: f64,
    /// Its cost.
    pub cost: f64,
    /// The share of the step that its last iteration took; 0 if none.
    pub length: f64,
    /// The largest residual of the contact solver in its motion [m/s or rad/s].
    pub residual: f64,
}
