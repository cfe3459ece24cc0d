//! Errors of derivatives.

use gradbody_model::WrongCount;

use crate::Failure;

/// Why the derivatives of a rollout could not be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DerivativeError {
    /// The rollout failed.
    #[error(transparent)]
    Failed(#[from] Failure),
    /// A sampled step lies outside the rollout.
    #[error("sampled step {step} is not in a rollout of {steps} steps; the first is step 0")]
    NoSuchStep {
        /// The sampled step.
        step: usize,
        /// Number of steps of the rollout.
        steps: usize,
    },
    /// The sampled steps are not in ascending order.
    #[error("sampled step {step} comes after {before}; list each step once, in ascending order")]
    NotAscending {
        /// A step in the list.
        before: usize,
        /// The next step in the list.
        step: usize,
    },
    /// A direction has the wrong number of selected parameters.
    #[error(transparent)]
    Params(#[from] WrongCount),
    /// A part of a direction has the wrong size.
    #[error("the direction's {part} has {given} entries, but needs {needed}; use Direction::zero")]
    Direction {
        /// Which part.
        part: &'static str,
        /// Number of entries it has.
        given: usize,
        /// Number of entries it needs.
        needed: usize,
    },
}
