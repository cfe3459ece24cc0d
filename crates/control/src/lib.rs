//! Plans and controllers that use the derivatives of the simulation.

mod actions;
mod box_qp;
mod candidates;
mod cost;
mod dense;
mod error;
mod expansion;
mod feedback;
mod ilqr;
mod knot_map;
mod knots;
mod motion;
mod mpc;
mod mppi;
mod problem;
mod quantity;
mod riccati;
mod shooting;

pub use actions::{Action, Actions};
pub use cost::{Cost, Shape, When};
pub use error::ControlError;
pub use ilqr::{Begun, Ilqr, IlqrSearch, IlqrState, Iteration, Progress, Smoothing};
pub use motion::{Diverged, Motion};
pub use mpc::{ClosedLoop, Ending, Mpc, MpcMoment, MpcOptions, Push, Replan, Tail, run};
pub use mppi::{Mppi, MppiIteration, MppiSearch, MppiState};
pub use problem::Problem;
pub use quantity::{At, Quantity, QuantityBars, StateFunction};
pub use riccati::Gains;
pub use shooting::Shooting;

#[cfg(test)]
mod tests;
