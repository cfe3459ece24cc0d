//! Why an experiment cannot be run.

use gradbody_data::DataError;
use gradbody_data::process::ProcessError;
use gradbody_optimise::OptimiseError;

use crate::data_place::place_of;
use crate::toml_text;

/// Why an experiment cannot be run.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ExperimentError {
    /// The file is not TOML, or has an unknown key.
    #[error("{0}")]
    Toml(
        /// The file, the line and what is wrong.
        String,
    ),
    /// The model cannot be loaded.
    #[error("model: {0}")]
    Model(String),
    /// The data cannot be read.
    #[error("data: {0}")]
    Data(DataError),
    /// The data cannot be processed.
    #[error("data: {0}")]
    Process(ProcessError),
    /// A channel measures something that the model does not have.
    #[error("channels.{channel}: the model has no \"{quantity}\"{hint}")]
    Quantity {
        /// The channel.
        channel: String,
        /// What it is said to measure.
        quantity: String,
        /// The nearest name, as the end of a sentence.
        hint: String,
    },
    /// An impossible setting.
    #[error("{what}: {why}")]
    Wrong {
        /// Its place in the file.
        what: String,
        /// What is wrong with it.
        why: String,
    },
    /// The search cannot start.
    #[error("optimiser: {0}")]
    Optimiser(OptimiseError),
    /// The networks cannot be bound.
    #[error("augmentation: {0}")]
    Networks(String),
}

// These are not sources of the error: its message already contains theirs, and a printed chain would repeat it.
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
    /// An error at `what`, a place in the file such as "objective.window".
    pub fn wrong(what: impl Into<String>, why: impl Into<String>) -> Self {
        ExperimentError::Wrong { what: what.into(), why: why.into() }
    }

    /// The message after the file and, if it is about a place in the file's text, the line.
    pub fn in_file(&self, text: &str, file: &str) -> String {
        let place = match self {
            ExperimentError::Toml(message) => return message.clone(),
            ExperimentError::Data(error) | ExperimentError::Process(ProcessError::Data(error)) => {
                let place = place_of(error, text);
                let told = match place.starts_with("channels.") || place == "data.time" {
                    true => format!("{place}: {error}"),
                    false => self.to_string(),
                };
                return toml_text::at(&place, &told, text, file);
            }
            ExperimentError::Wrong { what, .. } => what,
            ExperimentError::Quantity { channel, .. } => &format!("channels.{channel}"),
            ExperimentError::Model(_) => "model.file",
            ExperimentError::Process(_) => "data",
            ExperimentError::Optimiser(_) => "optimiser",
            ExperimentError::Networks(_) => "augmentation",
        };
        toml_text::at(place, &self.to_string(), text, file)
    }
}
