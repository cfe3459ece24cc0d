//! Why there is no walking controller, and the checks of its options.

/// Why a model is no robot that walks, or why it cannot walk so.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LeggedError {
    /// The trunk does not move freely.
    #[error(
        "link \"{0}\" is not moved by a free joint, so it cannot be the trunk of a walking robot"
    )]
    TrunkNotFree(String),
    /// A foot is not on a leg.
    #[error("the foot \"{0}\" is not on a leg of the trunk")]
    NoLeg(String),
    /// The stance has the wrong length.
    #[error("the stance has {given} numbers; the model has {needed}")]
    Stance {
        /// How many were given.
        given: usize,
        /// How many are needed.
        needed: usize,
    },
    /// The soles are not below the centre of mass in the stance.
    #[error("in the stance the centre of mass is not above the soles")]
    NotAbove,
    /// An option is out of range.
    #[error("{option} = {value} is out of range: {hint}")]
    Option {
        /// Its name.
        option: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        hint: &'static str,
    },
}

/// Refuses an option that does not fulfil its condition.
fn ask(
    fulfilled: bool,
    option: &'static str,
    value: f64,
    hint: &'static str,
) -> Result<(), LeggedError> {
    if fulfilled { Ok(()) } else { Err(LeggedError::Option { option, value, hint }) }
}

/// Refuses an option that is not finite.
pub(super) fn finite(option: &'static str, value: f64) -> Result<(), LeggedError> {
    ask(value.is_finite(), option, value, "it must be finite")
}

/// Refuses an option that is negative or not finite.
pub(super) fn not_negative(option: &'static str, value: f64) -> Result<(), LeggedError> {
    ask(value >= 0.0 && value.is_finite(), option, value, "it must be finite and not negative")
}

/// Refuses an option that is not positive, or not finite.
pub(super) fn positive(option: &'static str, value: f64) -> Result<(), LeggedError> {
    ask(value > 0.0 && value.is_finite(), option, value, "it must be positive and finite")
}

/// Refuses an option that is not above 0 and at most 1.
pub(super) fn share(option: &'static str, value: f64) -> Result<(), LeggedError> {
    ask(value > 0.0 && value <= 1.0, option, value, "it must be above 0 and at most 1")
}
