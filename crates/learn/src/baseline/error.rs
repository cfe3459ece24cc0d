//! Errors of baselines.

use gradbody_neural::NetworkError;
use thiserror::Error;

use gradbody_optimise::OptimiseError;

/// Why a baseline cannot be trained or predict.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum BaselineError {
    /// There are no sequences.
    #[error("there are no sequences to learn from")]
    NoSequences,
    /// The samples have no channels.
    #[error("the samples have no channels: there is nothing to predict")]
    NoChannels,
    /// A sequence has fewer samples than a window.
    #[error(
        "sequence {sequence} has {given} samples, but {needed} are needed (warm-up and horizon together): \
         leave it out, or shorten warm-up or horizon"
    )]
    TooShort {
        /// Index of the sequence.
        sequence: usize,
        /// The number found.
        given: usize,
        /// The number needed.
        needed: usize,
    },
    /// A row has another length than the first.
    #[error(
        "sequence {sequence}, sample {sample}: {given} {what}, but there are {needed} elsewhere"
    )]
    RowLength {
        /// Index of the sequence.
        sequence: usize,
        /// Index of the sample.
        sample: usize,
        /// "channels" or "inputs".
        what: &'static str,
        /// The number found.
        given: usize,
        /// The number that the others have.
        needed: usize,
    },
    /// A number is not finite.
    #[error("sequence {sequence}, sample {sample}: number {place} of its {what} is not finite")]
    NotFinite {
        /// Index of the sequence.
        sequence: usize,
        /// Index of the sample.
        sample: usize,
        /// "channels" or "inputs".
        what: &'static str,
        /// Index of the number in its row.
        place: usize,
    },
    /// There are too few rows of inputs.
    #[error("sequence {sequence} has {given} rows of inputs, but {needed} are needed")]
    FewInputs {
        /// Index of the sequence.
        sequence: usize,
        /// The number found.
        given: usize,
        /// The number needed.
        needed: usize,
    },
    /// There is not one mark for each channel.
    #[error("`angles` has {given} marks, but there are {needed} channels")]
    Angles {
        /// The number of marks.
        given: usize,
        /// The number of channels.
        needed: usize,
    },
    /// An option is out of range.
    #[error("{option} = {given} makes no sense: it must be at least {least}")]
    Option {
        /// Its name.
        option: &'static str,
        /// The given value.
        given: usize,
        /// The least value that makes sense.
        least: usize,
    },
    /// The time limit is not positive.
    #[error("seconds = {0} makes no sense: it must be above 0")]
    Seconds(f64),
    /// The warm-up is too short.
    #[error("the warm-up has {given} samples, but at least {needed} are needed")]
    ShortWarmUp {
        /// The number found.
        given: usize,
        /// The number needed.
        needed: usize,
    },
    /// A baseline without weights has no objective.
    #[error("holding the velocity has no weights: there is nothing to train")]
    NoWeights,
    /// The number of weights does not fit the network.
    #[error("{given} weights for a network that has {needed}")]
    WeightCount {
        /// The number found.
        given: usize,
        /// The number needed.
        needed: usize,
    },
    /// The network cannot be built.
    #[error("the network cannot be built: {0}")]
    Network(#[from] NetworkError),
    /// The search cannot begin.
    #[error("training cannot begin: {0}")]
    Optimise(#[from] OptimiseError),
}
