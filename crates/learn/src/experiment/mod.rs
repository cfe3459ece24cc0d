//! An experiment with its model, recordings and networks loaded.

mod hint;
mod influence;
mod layout;
mod moved;
mod notes;
mod setup;

pub use gradbody_experiment::*;

pub(crate) use setup::evenly;
pub use setup::{DataPart, Setup};
