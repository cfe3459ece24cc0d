//! Why an environment refuses a call.

use gradbody_model::ModelError;
use gradbody_sim::{BatchError, NoThreads};

/// Why an environment refuses a call.
#[derive(Debug, thiserror::Error)]
pub enum EnvError {
    /// There are no worlds.
    #[error("an environment needs at least one world")]
    NoWorlds,
    /// An array has the wrong size.
    #[error("the array of {part} has {given} numbers, but needs {needed}, {shape}")]
    Size {
        /// What the array holds.
        part: &'static str,
        /// Number of values it has.
        given: usize,
        /// Number of values it needs.
        needed: usize,
        /// Its shape.
        shape: &'static str,
    },
    /// A number is NaN or infinite.
    #[error("world {world}: {part} {index} is {value}; it must be finite")]
    NotFinite {
        /// What the number belongs to.
        part: &'static str,
        /// Which world.
        world: usize,
        /// Which number of that world, from 0.
        index: usize,
        /// The number.
        value: f64,
    },
    /// The episodes of worlds have ended, and nothing starts them anew.
    #[error(
        "the episode of world {world} has ended: start it anew by `reset_worlds` before its next step"
    )]
    Ended {
        /// The first of these worlds.
        world: usize,
    },
    /// No world is to be reset.
    #[error("the mask chooses no world to reset")]
    EmptyMask,
    /// The description contradicts itself.
    #[error("environment {name}: {why}")]
    Description {
        /// Name of the environment.
        name: String,
        /// What is wrong.
        why: String,
    },
    /// A snapshot was taken of other worlds, or is damaged.
    #[error("the snapshot does not belong to these worlds: {why}")]
    Snapshot {
        /// What does not fit.
        why: String,
    },
    /// The model is invalid.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The batch refuses.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// The system cannot start the threads.
    #[error(transparent)]
    Threads(#[from] NoThreads),
}

/// Fails unless the array has this size.
pub(crate) fn check_size(
    part: &'static str,
    shape: &'static str,
    given: usize,
    needed: usize,
) -> Result<(), EnvError> {
    if given == needed { Ok(()) } else { Err(EnvError::Size { part, given, needed, shape }) }
}

/// Fails at the first number that is not finite; each world has the same count of them.
pub(crate) fn check_finite(
    part: &'static str,
    numbers: &[f64],
    worlds: usize,
) -> Result<(), EnvError> {
    let Some(k) = numbers.iter().position(|x| !x.is_finite()) else { return Ok(()) };
    let width = numbers.len() / worlds.max(1);
    let (world, index, value) = (k / width.max(1), k % width.max(1), numbers[k]);
    Err(EnvError::NotFinite { part, world, index, value })
}
