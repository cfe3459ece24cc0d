//! Why an experiment cannot be done.

use gradbody_data::DataError;
use gradbody_data::process::ProcessError;
use gradbody_optimise::OptimiseError;

/// Why an experiment cannot be done.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ExperimentError {
    /// The file is not TOML, or says what is not known.
    #[error("{0}")]
    Toml(
        /// The file, the line and what is wrong.
        String,
    ),
    /// The model cannot be had.
    #[error("model: {0}")]
    Model(String),
    /// The data cannot be had.
    #[error("data: {0}")]
    Data(DataError),
    /// The data cannot be made fit.
    #[error("data: {0}")]
    Process(ProcessError),
    /// A channel that is nothing in the model.
    #[error("channels.{channel}: the model has no \"{quantity}\"{hint}")]
    Quantity {
        /// The channel.
        channel: String,
        /// What it should be.
        quantity: String,
        /// The nearest name, as the end of a sentence.
        hint: String,
    },
    /// Something that cannot be.
    #[error("{what}: {why}")]
    Wrong {
        /// Where in the file.
        what: String,
        /// What is wrong with it.
        why: String,
    },
    /// The search cannot begin.
    #[error("optimiser: {0}")]
    Optimiser(OptimiseError),
    /// The networks cannot be bound.
    #[error("augmentation: {0}")]
    Networks(String),
}

// Not as sources: each is told whole, and would be told twice by who prints the chain.
impl From<DataError> for ExperimentError {
    fn from(error: DataError) -> Self {
        ExperimentError::Data(error)
    }
}

impl From<ProcessError> for ExperimentError {
    fn from(error: ProcessError) -> Self {
        ExperimentError::Process(error)
    }
}

impl From<OptimiseError> for ExperimentError {
    fn from(error: OptimiseError) -> Self {
        ExperimentError::Optimiser(error)
    }
}

impl ExperimentError {
    pub(crate) fn wrong(what: impl Into<String>, why: impl Into<String>) -> Self {
        ExperimentError::Wrong { what: what.into(), why: why.into() }
    }
}
