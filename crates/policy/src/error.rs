//! Why training stops.

use gradbody_env::EnvError;
use gradbody_neural::NetworkError;

use crate::SnapshotError;

/// Why training stops.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The environment refuses.
    #[error(transparent)]
    Env(#[from] EnvError),
    /// A network cannot be built.
    #[error("network of the {what}: {why}")]
    Network {
        /// Which network.
        what: &'static str,
        /// What is wrong with it.
        why: NetworkError,
    },
    /// A network has layers that cannot be trained here.
    #[error("network of the {what}: only dense layers without residual connections can be trained")]
    NotDense {
        /// Which network.
        what: &'static str,
    },
    /// An option is out of its range.
    #[error("{option} = {given}: {needed}")]
    Option {
        /// Its name.
        option: &'static str,
        /// Its value.
        given: f64,
        /// What is allowed.
        needed: &'static str,
    },
    /// A number is no longer finite.
    #[error("after {samples} samples {what} is no longer finite. {hint}")]
    NotFinite {
        /// Samples so far.
        samples: u64,
        /// What it is.
        what: &'static str,
        /// What may help.
        hint: &'static str,
    },
    /// An actor has another number of inputs or outputs than the environment has observations or actions.
    #[error(
        "the policy has {given} {part}, but the environment {environment} has {needed}: was it trained for another one?"
    )]
    OtherEnvironment {
        /// "observations" or "actions".
        part: &'static str,
        /// What the policy has.
        given: usize,
        /// What the environment has.
        needed: usize,
        /// Name of the environment.
        environment: String,
    },
    /// A snapshot does not fit.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
}
