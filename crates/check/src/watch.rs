//! Progress of a check, and requests to stop it.

use std::error::Error;
use std::fmt;

use gradbody_model::LinkId;

/// Why a check ends early.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stop {
    /// The motion is no longer finite.
    Diverged {
        /// The first link whose motion is not finite.
        link: LinkId,
        /// When it was noticed [s].
        time: f64,
    },
    /// The [`Watch`] asked to stop.
    Interrupted,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Diverged { link, time } => {
                write!(f, "at t = {time} s the motion of link {} is no longer finite", link.index())
            }
            Stop::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl Error for Stop {}

/// Follows the progress of a check, and can end it. Rollouts run on several threads.
pub trait Watch: Sync {
    /// This many more rollouts are expected.
    fn expect(&self, rollouts: usize);

    /// This many more rollouts are done, or not needed.
    fn done(&self, rollouts: usize);

    /// Whether the check should end as soon as it can. Called in every step.
    fn asks_to_stop(&self) -> bool;
}

/// No progress reports; the check runs to its end.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn expect(&self, _: usize) {}

    fn done(&self, _: usize) {}

    fn asks_to_stop(&self) -> bool {
        false
    }
}
