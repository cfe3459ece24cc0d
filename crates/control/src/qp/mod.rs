//! Convex quadratic programs: ½ xᵀ H x + gᵀ x made least within bounds on a few sums of unknowns.
//!
//! [`QuadraticProgram`] holds the numbers, [`QpSolver`] finds the minimum by a dual active-set method
//! [Goldfarb and Idnani 1983]. It is exact to rounding, needs few iterations when few bounds are active, and begins
//! with the active bounds of a similar program if they are given: what a controller needs that solves almost the same
//! program again and again. See docs/decisions/0021-quadratic-programs.md.

mod factor;
mod program;
mod solver;
#[cfg(test)]
mod tests;
mod working_set;

pub use program::{QuadraticProgram, Side};
pub use solver::{QpError, QpReport, QpSolver};
