//! How a cost is made small: the methods' names, and why a search cannot begin.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{
    Adam, BasinHopping, CmaEs, GaussNewton, Islands, Lbfgs, LevenbergMarquardt, Objective,
};

/// A method and its options, as in `method = "adam"`, `learning-rate = 0.01`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "kebab-case")]
pub enum Method {
    /// For sums of squares: damped Gauss-Newton steps.
    LevenbergMarquardt(LevenbergMarquardt),
    /// For sums of squares: Gauss-Newton steps with a line search.
    GaussNewton(GaussNewton),
    /// For anything smooth.
    #[serde(alias = "l-bfgs", alias = "l-bfgs-b")]
    Lbfgs(Lbfgs),
    /// For networks, minibatches and penalties with corners.
    #[serde(alias = "proximal-adam")]
    Adam(Adam),
    /// For few numbers and costs without a gradient.
    CmaEs(CmaEs),
    /// For many minima: local searches, restarted around the best found.
    BasinHopping(BasinHopping),
    /// For many minima: populations that evolve apart and exchange their best.
    Islands(Islands),
}

impl Method {
    /// True if it goes downhill from where it begins, and so needs a cost there.
    pub fn is_local(&self) -> bool {
        !matches!(self, Method::CmaEs(_) | Method::BasinHopping(_) | Method::Islands(_))
    }

    /// Refuses options that make no sense.
    pub fn check(&self) -> Result<(), OptimiseError> {
        match self {
            Method::LevenbergMarquardt(options) => options.check(),
            Method::GaussNewton(options) => options.check(),
            Method::Lbfgs(options) => options.check(),
            Method::Adam(options) => options.check(),
            Method::CmaEs(options) => options.check(),
            Method::BasinHopping(options) => options.check(),
            Method::Islands(options) => options.check(),
        }
    }

    /// Refuses an objective that it cannot make small, or one that contradicts itself.
    pub(super) fn check_for(&self, objective: &dyn Objective) -> Result<(), OptimiseError> {
        let n = objective.len();
        if n == 0 {
            return Err(OptimiseError::Nothing);
        }
        let bounds = objective.bounds();
        if !bounds.is_empty() && bounds.len() != n {
            return Err(OptimiseError::BoundCount { given: bounds.len(), needed: n });
        }
        // Not `lower > upper`: a bound that is not a number is refused too.
        let wrong =
            |&(lower, upper): &(f64, f64)| lower.partial_cmp(&upper).is_none_or(|o| o.is_gt());
        if let Some(index) = bounds.iter().position(wrong) {
            let (lower, upper) = bounds[index];
            return Err(OptimiseError::Bounds { index, lower, upper });
        }
        let mut grouped = vec![false; n];
        for penalty in objective.penalties() {
            if !(penalty.weight >= 0.0 && penalty.weight.is_finite()) {
                return Err(OptimiseError::PenaltyWeight(penalty.weight));
            }
            for group in &penalty.groups {
                for &index in group {
                    let seen =
                        grouped.get_mut(index).ok_or(OptimiseError::PenaltyIndex { index, n })?;
                    if group.len() > 1 && std::mem::replace(seen, true) {
                        return Err(OptimiseError::PenaltyOverlap { index });
                    }
                }
            }
        }
        if objective.penalties().is_empty() || self.takes_penalties() {
            Ok(())
        } else {
            Err(OptimiseError::Penalties)
        }
    }

    fn takes_penalties(&self) -> bool {
        match self {
            Method::GaussNewton(_) | Method::Lbfgs(_) => false,
            Method::LevenbergMarquardt(_) | Method::Adam(_) | Method::CmaEs(_) => true,
            Method::BasinHopping(options) => options.local.takes_penalties(),
            Method::Islands(options) => {
                options.refinement.as_ref().is_none_or(|r| r.local.takes_penalties())
            }
        }
    }
}

/// Why a search cannot begin.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum OptimiseError {
    /// An option out of range.
    #[error("{option} = {value} makes no sense: {hint}")]
    Option {
        /// Its name.
        option: &'static str,
        /// What was given.
        value: f64,
        /// What it should be.
        hint: &'static str,
    },
    /// A global method within a global method.
    #[error("the local method must be a local one, or CMA-ES")]
    NotLocal,
    /// No numbers at all.
    #[error("the objective depends on no numbers: there is nothing to find")]
    Nothing,
    /// A start of another length.
    #[error("the start has {given} numbers, the objective {needed}")]
    StartLength {
        /// Of the start.
        given: usize,
        /// Of the objective.
        needed: usize,
    },
    /// A start that is not finite.
    #[error("number {index} of the start is not finite")]
    Start {
        /// Which.
        index: usize,
    },
    /// No cost or gradient at the start.
    #[error(
        "the cost or its gradient is not finite at the start: begin elsewhere, or use a global method"
    )]
    StartCost,
    /// Not a sum of squares.
    #[error(
        "the method needs a cost that is half a sum of squares, with its second order in the right shape, \
         and this objective has none: use L-BFGS or Adam"
    )]
    NoQuadratic,
    /// Corners that the method cannot take.
    #[error(
        "the objective has penalties with corners (lasso), which this method cannot take: use \
         Levenberg-Marquardt or Adam"
    )]
    Penalties,
    /// A negative or infinite penalty.
    #[error("a penalty's weight must be finite and not negative, not {0}")]
    PenaltyWeight(f64),
    /// A penalty on a number that is not there.
    #[error("a penalty is on number {index}, and there are {n}")]
    PenaltyIndex {
        /// The number.
        index: usize,
        /// How many there are.
        n: usize,
    },
    /// A penalty on a number of a block.
    #[error(
        "a penalty is on number {index}, which only some residuals depend on: Levenberg-Marquardt takes penalties on \
         numbers that all depend on; use Adam"
    )]
    PenaltyInBlock {
        /// The number.
        index: usize,
    },
    /// Groups that overlap.
    #[error(
        "number {index} is in two groups of a penalty, or twice in one: groups must not overlap"
    )]
    PenaltyOverlap {
        /// The number.
        index: usize,
    },
    /// Bounds for too few or too many numbers.
    #[error("there are {given} bounds for {needed} numbers")]
    BoundCount {
        /// How many bounds.
        given: usize,
        /// How many numbers.
        needed: usize,
    },
    /// Bounds that nothing is between.
    #[error("number {index} has bounds that nothing is between: {lower} and {upper}")]
    Bounds {
        /// The number.
        index: usize,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
}

/// Refuses what is not above zero.
pub(super) fn positive(option: &'static str, value: f64) -> Result<(), OptimiseError> {
    let right = value > 0.0 && value.is_finite();
    right.then_some(()).ok_or(OptimiseError::Option { option, value, hint: "it must be above 0" })
}

/// Refuses what is below zero.
pub(super) fn not_negative(option: &'static str, value: f64) -> Result<(), OptimiseError> {
    let right = value >= 0.0 && value.is_finite();
    let hint = "it must not be negative";
    right.then_some(()).ok_or(OptimiseError::Option { option, value, hint })
}

/// Refuses what is not between 0 and 1, both allowed.
pub(super) fn fraction(option: &'static str, value: f64) -> Result<(), OptimiseError> {
    let hint = "it must be between 0 and 1";
    (0.0..=1.0).contains(&value).then_some(()).ok_or(OptimiseError::Option { option, value, hint })
}
