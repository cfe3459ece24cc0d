//! What all algorithms have in common.

use crate::{Actor, Snapshot, TrainError};

/// An algorithm with its worlds and everything it remembers.
pub trait Learner: Send {
    /// One iteration: gathers samples or gradients, and improves the actor.
    fn advance(&mut self) -> Result<Progress, TrainError>;

    /// The actor as it is now.
    fn actor(&self) -> &Actor;

    /// Everything that [`restore`](Learner::restore) needs to go on with the same bits.
    fn snapshot(&self) -> Snapshot;

    /// Goes on from a snapshot of a learner that was made with the same options.
    fn restore(&mut self, from: &Snapshot) -> Result<(), TrainError>;
}

/// What an iteration did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Steps of the environment in this iteration, over all worlds.
    pub samples: u64,
    /// How many of these were differentiated.
    pub gradient_samples: u64,
    /// Steps that an optimiser took, of all networks.
    pub updates: u64,
    /// Returns of the episodes that ended in this iteration, with the noise of training.
    pub returns: Vec<f64>,
    /// Numbers of the algorithm, such as losses, by name.
    pub details: Vec<(&'static str, f64)>,
}
