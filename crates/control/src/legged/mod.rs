//! Quadrupeds that walk by planned contact forces.
//!
//! A [`Gait`] says when each foot is on the ground. Several times in a step a [`ForceChooser`] sees the [`Situation`] of
//! the robot and chooses the forces of the feet on the ground; [`ConvexMpc`] does so by a quadratic program over a
//! horizon [Di Carlo et al. 2018]. A [`Walker`] turns these forces into joint torques, and moves the other feet to their
//! next footholds. Nothing here depends on names or sizes of a robot: a [`Quadruped`] describes it.
//!
//! Heading axes (suffix `_h`): x is the horizontal direction in which the trunk looks, z is up; the origin is the robot's
//! centre of mass. They are fixed at the moment of the situation and do not turn along the horizon.

mod convex_mpc;
mod error;
mod footholds;
mod gait;
mod robot;
mod situation;
mod swing;
#[cfg(test)]
mod tests;
mod walker;

pub use convex_mpc::{ConvexMpc, ConvexMpcOptions};
pub use error::LeggedError;
pub use footholds::FootholdRule;
pub use gait::{Gait, LegPhase};
pub use robot::{Foot, Quadruped};
pub use situation::{Command, LEGS, Situation};
pub use swing::SwingOptions;
pub use walker::{ForceChooser, Walker, WalkerOptions};
