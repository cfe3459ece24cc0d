//! Plans and controllers: by the derivatives of the simulation, and by quadratic programs for contact forces of walking robots.

mod actions;
mod box_qp;
mod candidates;
mod cost;
mod dense;
mod error;
mod expansion;
mod feedback;
mod ilqr;
mod knot_costs;
mod knot_inputs;
mod knot_map;
pub mod legged;
mod motion;
mod mpc;
mod mppi;
mod problem;
mod qp;
mod quantity;
mod riccati;
mod shooting;

pub use actions::{Action, Actions};
pub use cost::{Cost, Shape, When};
pub use error::ControlError;
pub use ilqr::{Begun, Ilqr, IlqrSearch, IlqrState, Iteration, Progress, Smoothing};
pub use motion::{Diverged, PlannedMotion};
pub use mpc::{
    ClosedLoop, ClosedLoopEnding, Mpc, MpcMoment, MpcOptions, Push, Replan, Tail, run_closed_loop,
};
pub use mppi::{Mppi, MppiIteration, MppiSearch, MppiState};
pub use problem::{Problem, rounded_time};
pub use qp::{QpError, QpReport, QpSolver, QuadraticProgram, Side};
pub use quantity::{At, Quantity, QuantityBars, StateFunction};
pub use riccati::Gains;
pub use shooting::Shooting;

#[cfg(test)]
mod tests;
