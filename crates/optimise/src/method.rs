//! The methods with their options, and why a search cannot begin.

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
    /// For any smooth cost.
    #[serde(alias = "l-bfgs", alias = "l-bfgs-b")]
    Lbfgs(Lbfgs),
    /// For networks, minibatches and nonsmooth penalties.
    #[serde(alias = "proximal-adam")]
    Adam(Adam),
    /// For few numbers and costs without a gradient.
    CmaEs(CmaEs),
    /// For many minima: local searches, restarted around the best point found.
    BasinHopping(BasinHopping),
    /// For many minima: populations that evolve separately and exchange their best individuals.
    Islands(Islands),
}

impl Method {
    /// True if it descends from its start, and so needs a finite cost there.
    pub fn is_local(&self) -> bool {
        !matches!(self, Method::CmaEs(_) | Method::BasinHopping(_) | Method::Islands(_))
    }

    /// True if it, or its local method, uses [`Objective::quadratic`].
    pub fn needs_quadratic(&self) -> bool {
        match self {
            Method::LevenbergMarquardt(_) | Method::GaussNewton(_) => true,
            Method::Lbfgs(_) | Method::Adam(_) | Method::CmaEs(_) => false,
            Method::BasinHopping(options) => options.local.needs_quadratic(),
            Method::Islands(options) => {
                options.refinement.as_ref().is_some_and(|r| r.local.needs_quadratic())
            }
        }
    }

    /// Fails if an option is out of range.
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

    /// Fails if the method cannot minimise this objective, or if the objective contradicts itself.
    pub(super) fn check_for(&self, objective: &dyn Objective) -> Result<(), OptimiseError> {
        let n = objective.len();
        if n == 0 {
            return Err(OptimiseError::Nothing);
        }
        let bounds = objective.bounds();
        if !bounds.is_empty() && bounds.len() != n {
            return Err(OptimiseError::BoundCount { given: bounds.len(), needed: n });
        }
        // Not `lower > upper`: this also refuses a bound that is NaN.
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
    /// A global method is nested in a global method.
    #[error("the local method must be one that descends, or CMA-ES")]
    NotLocal,
    /// The objective has no numbers.
    #[error("the objective has no numbers to optimise")]
    Nothing,
    /// The start has the wrong length.
    #[error("the start has {given} numbers, but the objective has {needed}")]
    StartLength {
        /// Length of the start.
        given: usize,
        /// Length of the objective.
        needed: usize,
    },
    /// The start is not finite.
    #[error("number {index} of the start is not finite")]
    Start {
        /// Index of the number.
        index: usize,
    },
    /// The cost or gradient at the start is not finite.
    #[error(
        "the cost or its gradient is not finite at the start: begin elsewhere, or use a global method"
    )]
    StartCost,
    /// The cost is not a sum of squares.
    #[error(
        "the method needs a cost that is half a sum of squares, with a second-order model of the right shape, \
         which this objective does not have: use L-BFGS or Adam"
    )]
    NoQuadratic,
    /// The method cannot minimise nonsmooth penalties.
    #[error(
        "the objective has nonsmooth penalties (lasso), which this method does not support: use \
         Levenberg-Marquardt or Adam"
    )]
    Penalties,
    /// The weight of a penalty is negative or infinite.
    #[error("a penalty's weight must be finite and not negative, not {0}")]
    PenaltyWeight(f64),
    /// A penalty refers to a number that does not exist.
    #[error("a penalty refers to number {index}, but there are only {n}")]
    PenaltyIndex {
        /// Index of the number.
        index: usize,
        /// Number of numbers.
        n: usize,
    },
    /// A penalty refers to a number of a block.
    #[error(
        "a penalty refers to number {index}, which only some residuals depend on: Levenberg-Marquardt supports penalties only \
         on numbers that all residuals depend on; use Adam"
    )]
    PenaltyInBlock {
        /// Index of the number.
        index: usize,
    },
    /// Groups of a penalty overlap.
    #[error(
        "number {index} is in two groups of a penalty, or twice in one: groups must not overlap"
    )]
    PenaltyOverlap {
        /// Index of the number.
        index: usize,
    },
    /// The number of bounds is wrong.
    #[error("{given} bounds for {needed} numbers")]
    BoundCount {
        /// Number of bounds.
        given: usize,
        /// Number of numbers.
        needed: usize,
    },
    /// A lower bound is above its upper bound.
    #[error("number {index} has invalid bounds: lower {lower}, upper {upper}")]
    Bounds {
        /// Index of the number.
        index: usize,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
}

/// Fails unless `value` is above zero.
pub(super) fn positive(option: &'static str, value: f64) -> Result<(), OptimiseError> {
    let right = value > 0.0 && value.is_finite();
    right.then_some(()).ok_or(OptimiseError::Option { option, value, hint: "it must be above 0" })
}

/// Fails if `value` is below zero.
pub(super) fn not_negative(option: &'static str, value: f64) -> Result<(), OptimiseError> {
    let right = value >= 0.0 && value.is_finite();
    let hint = "it must not be negative";
    right.then_some(()).ok_or(OptimiseError::Option { option, value, hint })
}

/// Fails unless `value` is between 0 and 1, both included.
pub(super) fn fraction(option: &'static str, value: f64) -> Result<(), OptimiseError> {
    let hint = "it must be between 0 and 1";
    (0.0..=1.0).contains(&value).then_some(()).ok_or(OptimiseError::Option { option, value, hint })
}
