//! What can be wrong with sequences and options.

use gradbody_neural::NetworkError;
use thiserror::Error;

use gradbody_optimise::OptimiseError;

/// Why a baseline cannot be trained or asked.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum BaselineError {
    /// Nothing to learn from.
    #[error("there are no sequences to learn from")]
    NoSequences,
    /// Nothing to predict.
    #[error("the samples have no channels: there is nothing to predict")]
    NoChannels,
    /// Fewer samples than a window has.
    #[error(
        "sequence {sequence} has {given} samples, but {needed} are needed (warm-up and horizon together): \
         leave it out, or shorten warm-up or horizon"
    )]
    TooShort {
        /// Which, from 0.
        sequence: usize,
        /// How many it has.
        given: usize,
        /// How many a window has.
        needed: usize,
    },
    /// A row of another length than the first.
    #[error(
        "sequence {sequence}, sample {sample}: {given} {what}, but there are {needed} elsewhere"
    )]
    RowLength {
        /// Which, from 0.
        sequence: usize,
        /// Which of its samples, from 0.
        sample: usize,
        /// "channels" or "inputs".
        what: &'static str,
        /// How many it has.
        given: usize,
        /// How many the others have.
        needed: usize,
    },
    /// A number that is none.
    #[error("sequence {sequence}, sample {sample}: number {place} of its {what} is not finite")]
    NotFinite {
        /// Which, from 0.
        sequence: usize,
        /// Which of its samples, from 0.
        sample: usize,
        /// "channels" or "inputs".
        what: &'static str,
        /// Which of the numbers, from 0.
        place: usize,
    },
    /// Too few rows of inputs.
    #[error("sequence {sequence} has {given} rows of inputs, but {needed} are needed")]
    FewInputs {
        /// Which, from 0.
        sequence: usize,
        /// How many rows there are.
        given: usize,
        /// How many there should be.
        needed: usize,
    },
    /// Marks for another number of channels.
    #[error("there are {given} marks of which channels are angles, but {needed} channels")]
    Angles {
        /// How many marks.
        given: usize,
        /// How many channels.
        needed: usize,
    },
    /// An option out of range.
    #[error("{option} = {given} makes no sense: it must be at least {least}")]
    Option {
        /// Its name.
        option: &'static str,
        /// What was given.
        given: usize,
        /// The least that makes sense.
        least: usize,
    },
    /// A time limit that is none.
    #[error("seconds = {0} makes no sense: it must be above 0")]
    Seconds(f64),
    /// Not enough samples to go on from.
    #[error("{given} samples to go on from, but at least {needed} are needed")]
    ShortWarmUp {
        /// How many there are.
        given: usize,
        /// How many there should be.
        needed: usize,
    },
    /// A baseline without weights has no objective.
    #[error("holding the velocity has no weights: there is nothing to train")]
    NoWeights,
    /// A set of weights of another length.
    #[error("{given} weights for a network of {needed}")]
    WeightCount {
        /// How many there are.
        given: usize,
        /// How many there should be.
        needed: usize,
    },
    /// A network that cannot be.
    #[error("the network cannot be: {0}")]
    Network(#[from] NetworkError),
    /// A search that cannot begin.
    #[error("training cannot begin: {0}")]
    Optimise(#[from] OptimiseError),
}
