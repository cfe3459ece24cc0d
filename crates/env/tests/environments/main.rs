//! Environments as a whole: beside Gymnasium, in batches, and their gradients.

mod commands;
mod disturbances;
mod episodes;
mod forces;
mod gradients;
mod limits;
mod model_files;
mod observations;
mod parity;
mod pendulums;
mod policies;
mod refusals;
mod snapshots;
mod support;
mod transitions;
