//! Why there are no derivatives.

use gradbody_model::WrongCount;

use crate::Failure;

/// Why there are no derivatives of a rollout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DerivativeError {
    /// The rollout failed.
    #[error(transparent)]
    Failed(#[from] Failure),
    /// A step is sampled that the rollout does not have.
    #[error(
        "step {step} is sampled, but a rollout of {steps} steps ends before; the first is step 0"
    )]
    NoSuchStep {
        /// Which step.
        step: usize,
        /// How many there are.
        steps: usize,
    },
    /// The sampled steps do not ascend.
    #[error("step {step} is sampled after step {before}; give each once, in ascending order")]
    NotAscending {
        /// A step.
        before: usize,
        /// The one after it in the list.
        step: usize,
    },
    /// A direction has another number of selected parameters.
    #[error(transparent)]
    Params(#[from] WrongCount),
    /// A part of a direction has another size than what it is a change of.
    #[error(
        "the direction's {part} has {given} entries and needs {needed}; Direction::zero has them"
    )]
    Direction {
        /// Which part.
        part: &'static str,
        /// How many entries it has.
        given: usize,
        /// How many it needs.
        needed: usize,
    },
}
