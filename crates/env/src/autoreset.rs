//! What happens to a world whose episode has ended.

/// When a world starts its next episode by itself: the modes of Gymnasium's vector environments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Autoreset {
    /// The step after the end ignores the world's action: it returns the observation of a new start, with a reward of
    /// zero, and the world has neither terminated nor been truncated.
    #[default]
    NextStep,
    /// The step that ends the episode returns the observation of a new start. The last observation of the episode is
    /// in [`Outcome::final_observations`](crate::Outcome::final_observations).
    SameStep,
    /// Never. [`EnvBatch::reset_worlds`](crate::EnvBatch::reset_worlds) must start the world anew before its next
    /// step.
    Disabled,
}
