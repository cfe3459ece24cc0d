//! Models fitted to recorded motion.
//!
//! An [`Experiment`] says what is to be fitted to what. [`data`] reads what was measured, [`objective`] says how far a
//! model is from it, [`optimise`] makes that small, [`outcome`] is what came of it.

pub mod baseline;
mod compare;
pub mod discover;
pub mod experiment;
pub mod judge;
pub mod objective;
pub mod outcome;
mod quantity;
mod responses;
pub mod run;
mod summary;

pub use gradbody_data as data;
pub use gradbody_optimise as optimise;

pub use experiment::{Experiment, ExperimentError, Part, Setup};
pub use quantity::{Given, Observed, Quantity, Role, quantities};
