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
mod knot_map;
mod knots;
mod legged;
mod motion;
mod problem;
mod qp;
mod quantity;
mod riccati;
mod shooting;

pub use actions::{Action, Actions};
pub use cost::{Cost, Shape, When};
pub use error::ControlError;
pub use ilqr::{Ilqr, IlqrSearch, IlqrState, Iteration, Progress, Smoothing};
pub use legged::{
    Command, ConvexMpc, Foot, FootholdRule, ForceChooser, Gait, LEGS, LegPhase, LeggedError,
    MpcOptions, Quadruped, Situation, SwingOptions, Walker, WalkerOptions,
};
pub use motion::{Diverged, Motion};
pub use problem::Problem;
pub use qp::{QpError, QpReport, QpSolver, QuadraticProgram, Side};
pub use quantity::{At, Quantity, QuantityBars, StateFunction};
pub use riccati::Gains;
pub use shooting::Shooting;

#[cfg(test)]
mod tests;
