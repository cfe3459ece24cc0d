//! Iterative linear-quadratic regulation (iLQR), or differential dynamic programming without second derivatives of the
//! dynamics: the motion is linearised, the costs are expanded to second order, and the best change of all actions follows in
//! one backward pass, with a feedback law for each knot. Actions stay within their bounds (box-DDP).

mod pass;
mod search;

use serde::{Deserialize, Serialize};

use crate::{ControlError, Diverged};

pub use search::IlqrSearch;

/// Options of iLQR.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Ilqr {
    /// Converged if an iteration decreases the cost by less than this share of it.
    pub cost_tolerance: f64,
    /// Contacts are smoothed in the first iterations, if given.
    pub smoothing: Option<Smoothing>,
    /// The damping of the first iteration: the share of an action's mean curvature that is added to its own.
    pub damping: f64,
}

/// Derivatives of contacts that see contacts about to close, to open, to stick or to slide
/// ([`ContactGradient::Smoothed`]).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "GivenSmoothing")]
pub struct Smoothing {
    /// The velocity over which contacts change at first [m/s]. It falls by half where the search can no longer use it.
    pub kappa: f64,
    /// After this many iterations, at least one, derivatives are exact.
    pub iterations: u64,
}

/// What a file gives of [`Smoothing`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenSmoothing {
    kappa: Option<f64>,
    iterations: Option<u64>,
}

impl TryFrom<GivenSmoothing> for Smoothing {
    type Error = &'static str;

    /// A missing key would be told without the name of its table.
    fn try_from(given: GivenSmoothing) -> Result<Self, Self::Error> {
        let GivenSmoothing { kappa, iterations } = given;
        let both = kappa.zip(iterations).map(|(kappa, iterations)| Smoothing { kappa, iterations });
        both.ok_or("smoothing needs kappa and iterations, as in { kappa = 0.3, iterations = 30 }")
    }
}

impl Default for Ilqr {
    fn default() -> Self {
        Ilqr { cost_tolerance: 1e-6, smoothing: None, damping: 1e-3 }
    }
}

impl Ilqr {
    /// Refuses options that are out of range.
    pub fn check(&self) -> Result<(), ControlError> {
        let wrong = |option, value, hint| Err(ControlError::Option { option, value, hint });
        if !(self.cost_tolerance >= 0.0 && self.cost_tolerance.is_finite()) {
            return wrong("cost-tolerance", self.cost_tolerance, "it must not be negative");
        }
        if !(self.damping >= 0.0 && self.damping.is_finite()) {
            return wrong("damping", self.damping, "it must not be negative");
        }
        match self.smoothing {
            Some(Smoothing { kappa, .. }) if !(kappa > 0.0 && kappa.is_finite()) => {
                wrong("smoothing.kappa", kappa, "it must be positive, in m/s")
            }
            Some(Smoothing { iterations: 0, .. }) => {
                wrong("smoothing.iterations", 0.0, "it must be at least 1, or leave smoothing out")
            }
            _ => Ok(()),
        }
    }
}

/// What an iteration did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Iteration {
    /// The cost after it.
    pub cost: f64,
    /// The fall of the cost that the expansion promised for the first step that was tried; none if second derivatives
    /// were not positive or derivatives not finite.
    pub promised: Option<f64>,
    /// The share of the step that was taken; 0 if none.
    pub length: f64,
    /// The damping of the step that was taken or, if none was, of the first that was tried.
    pub damping: f64,
    /// The velocity over which contacts were smoothed [m/s]; 0 if they were not.
    pub kappa: f64,
    /// How many motions were simulated. The linearisation of the motion is one more.
    pub motions: usize,
    /// How many steps of the simulation were linearised row by row.
    pub by_rows: usize,
    /// Where the motion diverged with the first step that was tried, if it did.
    pub diverged: Option<Diverged>,
}

/// How a search goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Progress {
    /// It goes on.
    Going,
    /// The cost falls by less than the tolerance.
    Converged,
    /// The cost hardly falls any more, although its derivatives promise more: it has kinks or jumps there.
    Stuck,
    /// Nothing that the actions do changes the cost: all its slopes are zero.
    Flat,
    /// Derivatives of the motion or of the costs are not finite.
    NotFinite,
}

/// What a plan from another start begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Begun {
    /// The last plan, whose gains answer to the difference between its motion and the new start.
    Feedback,
    /// The actions of the last plan as they were, because there are no gains or the motion with them diverges.
    OpenLoop,
    /// The actions that the first plan began with, because all others diverge.
    FirstActions,
}

/// What a search needs to go on with the same bits, besides its problem and options.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IlqrState {
    /// The actions of the best motion so far, knot by knot.
    pub actions: Vec<f64>,
    /// The present damping.
    pub damping: f64,
    /// The curvature of each action that damping is a share of. Empty for a search that begins, which takes it from the
    /// ranges of the actions.
    pub curvature: Vec<f64>,
    /// The present smoothing [m/s]; 0 for none.
    pub kappa: f64,
    /// The cost of the motion that the search began with; none for a search that begins.
    pub first_cost: Option<f64>,
    /// All iterations so far.
    pub history: Vec<Iteration>,
    /// How the search goes on.
    pub progress: Progress,
}
