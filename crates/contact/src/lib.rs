//! Shapes that touch, and what happens then.
//!
//! ```text
//! Kinematics ──► collide ──► contacts ──┬─► compliant: forces ──► aba
//!                                       └─► rigid ──► Problem ──► solver ──► impulses
//! ```
//!
//! [`collide`] finds where shapes touch: a filter that depends on the structure alone
//! ([`Candidates`]), a sweep for pairs that are near, and [`geometry`], a file for each pair of
//! shapes. Compliant contacts are forces ([`HuntCrossley`]); rigid ones become the rows of a
//! [`Problem`], which a [`Solver`] finds impulses for.

mod broad_phase;
mod candidates;
mod collide;
mod contact;
pub mod geometry;
mod joint_rows;
mod memory;
mod overlaps;
mod problem;
mod solver;

pub use candidates::{Candidates, Rule};
pub use collide::{Collisions, Detection, collide};
pub use contact::{Contact, ContactId};
pub use joint_rows::{JointStop, StopKind};
pub use memory::ContactMemory;
pub use overlaps::{exclude_overlaps, exclude_self_collisions};
pub use problem::{ContactRows, Demands, FreeMotion, JointRow, Problem, TurningRows};
pub use solver::{
    Cone, ContactSolver, FrictionLaw, HuntCrossley, Lcp, LcpWork, Ncp, NcpWork, Solved, Solver,
    SolverWork,
};
