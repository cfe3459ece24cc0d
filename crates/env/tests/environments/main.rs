//! Environments as a whole: beside Gymnasium, in batches, and their gradients.

mod episodes;
mod gradients;
mod limits;
mod model_files;
mod observations;
mod parity;
mod policies;
mod pushes;
mod refusals;
mod snapshots;
mod support;
