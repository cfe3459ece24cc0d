//! Contacts: collision detection, contact forces and contact impulses.
//!
//! ```text
//! Kinematics ──► collide ──► contacts ──┬─► compliant: forces ──► aba
//!                                       └─► rigid ──► Problem ──► solver ──► impulses
//! ```
//!
//! [`collide`] finds where shapes touch, in three stages: a filter that depends on the structure alone
//! ([`Candidates`]), a sweep for pairs that are near, and [`geometry`], with a file for each pair of shapes. Compliant
//! contacts are forces ([`HuntCrossley`]); rigid ones become the rows of a [`Problem`], for which a [`Solver`] finds
//! impulses.

mod broad_phase;
mod candidates;
mod collide;
mod collide_vjp;
mod contact;
mod contacts_jacobian;
mod cotangents;
pub mod geometry;
mod gradient;
mod impulses_vjp;
mod joint_rows;
mod memory;
mod overlaps;
mod problem;
mod solver;
mod surfaces;

pub use candidates::{Candidates, Rule};
pub use collide::{CollideOptions, CollideWork, Collisions, Detection, collide};
pub use collide_vjp::{CollideCotangents, Collided, collide_vjp};
pub use contact::{Contact, ContactId};
pub use contacts_jacobian::{
    Bounces, ColumnsMut, ContactColumnsWork, ContactsAt, contact_columns, impulse_columns,
};
pub use cotangents::{ContactCotangents, MemoryCotangents};
pub use gradient::{
    ContactGradient, ContactRowCotangents, JointRowCotangents, ProblemCotangents,
    TurningRowCotangents,
};
pub use impulses_vjp::{
    Impulses, ImpulsesCotangents, ImpulsesGradient, ImpulsesVjpWork, MassTerm, impulses_vjp,
};
pub use joint_rows::{JointStop, StopKind};
pub use memory::{ContactMemory, MemoryLayout};
pub use overlaps::{exclude_overlaps, exclude_self_collisions};
pub use problem::{
    ContactRows, Demands, FreeMotion, JointRow, Problem, TurningRows, contact_frame,
    contact_frame_vjp,
};
pub use solver::{
    Cone, ContactSolver, FrictionLaw, HuntCrossley, ImpulseSlopes, Lcp, LcpWork, Ncp, NcpWork,
    NoSlopes, Solved, Solver, SolverWork, SweepTape, apply_forces, apply_forces_vjp,
};
pub use surfaces::{Idle, Surfaces};
