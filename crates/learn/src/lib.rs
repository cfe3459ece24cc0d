//! Fits models to recorded motion.
//!
//! An [`Experiment`] names the model, the recordings and the unknowns. [`data`] reads the recordings, [`objective`] is
//! the cost of a model's errors on them, [`optimise`] minimises it, and [`outcome`] holds the results.

mod at_work;
pub mod baseline;
mod compare;
pub mod discover;
mod errors;
pub mod experiment;
mod figures;
mod foresight;
pub mod judge;
mod known;
mod leave_out;
pub mod objective;
pub mod outcome;
mod quantity;
mod residuals;
mod responses;
pub mod run;
mod summary;
mod without_jumps;

pub use gradbody_data as data;
pub use gradbody_optimise as optimise;

pub use errors::ErrorRow;
pub use foresight::{COVERAGE, EnergyScore, Foresight};
pub use leave_out::{LeftOut, leave_out};
pub use without_jumps::deviations_without_jumps;

pub use experiment::{DataPart, Experiment, ExperimentError, Setup};
pub use quantity::{Given, Observed, Quantity, Role, quantities};
