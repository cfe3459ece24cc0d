//! `[search]`: the method that finds a plan.

use gradbody_control::{Ilqr, Mppi};
use gradbody_experiment::ExperimentError;
use gradbody_optimise::{Adam, BasinHopping, CmaEs, Islands, Lbfgs, Method};
use serde::{Deserialize, Serialize};

/// The method that finds a plan, with its options, as in `method = "ilqr"`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "kebab-case")]
pub enum PlanMethod {
    /// A motion is linearised and improved as a whole, with feedback.
    Ilqr(Ilqr),
    /// Random changes of the plan, weighted by what they cost. Needs no derivatives.
    Mppi(Mppi),
    /// The gradient of the whole motion with respect to all actions and parameters.
    #[serde(alias = "l-bfgs", alias = "l-bfgs-b")]
    Lbfgs(Lbfgs),
    /// The same gradient, in small steps.
    Adam(Adam),
    /// For few numbers. Needs no derivatives.
    CmaEs(CmaEs),
    /// Local searches, restarted around the best plan found.
    BasinHopping(BasinHopping),
    /// Populations that evolve separately and exchange their best plans.
    Islands(Islands),
}

/// With more damping than this, iLQR cannot move any action.
const MOST_DAMPING: f64 = 1e6;

impl Default for PlanMethod {
    fn default() -> Self {
        PlanMethod::Ilqr(Ilqr::default())
    }
}

impl PlanMethod {
    /// Its name in files.
    pub fn name(&self) -> &'static str {
        match self {
            PlanMethod::Ilqr(_) => "ilqr",
            PlanMethod::Mppi(_) => "mppi",
            PlanMethod::Lbfgs(_) => "lbfgs",
            PlanMethod::Adam(_) => "adam",
            PlanMethod::CmaEs(_) => "cma-es",
            PlanMethod::BasinHopping(_) => "basin-hopping",
            PlanMethod::Islands(_) => "islands",
        }
    }

    /// Whether it draws random numbers, so that a plan depends on the seed.
    pub fn is_random(&self) -> bool {
        match self {
            PlanMethod::Ilqr(_) | PlanMethod::Lbfgs(_) | PlanMethod::Adam(_) => false,
            PlanMethod::Mppi(_)
            | PlanMethod::CmaEs(_)
            | PlanMethod::BasinHopping(_)
            | PlanMethod::Islands(_) => true,
        }
    }

    /// As a method that minimises a function of numbers, if it is one.
    pub(crate) fn direct(&self) -> Option<Method> {
        match self.clone() {
            PlanMethod::Ilqr(_) | PlanMethod::Mppi(_) => None,
            PlanMethod::Lbfgs(options) => Some(Method::Lbfgs(options)),
            PlanMethod::Adam(options) => Some(Method::Adam(options)),
            PlanMethod::CmaEs(options) => Some(Method::CmaEs(options)),
            PlanMethod::BasinHopping(options) => Some(Method::BasinHopping(options)),
            PlanMethod::Islands(options) => Some(Method::Islands(options)),
        }
    }

    pub(crate) fn check(&self) -> Result<(), ExperimentError> {
        if let PlanMethod::Ilqr(Ilqr { damping, .. }) = self
            && *damping > MOST_DAMPING
        {
            let why = format!("damping = {damping:e}: it must be at most 1e6");
            return Err(ExperimentError::wrong("search.damping", why));
        }
        let wrong =
            |error: &dyn std::fmt::Display| ExperimentError::wrong("search", error.to_string());
        match (self, self.direct()) {
            (PlanMethod::Ilqr(options), _) => options.check().map_err(|error| wrong(&error)),
            (PlanMethod::Mppi(options), _) => options.check().map_err(|error| wrong(&error)),
            (_, Some(method)) if method.needs_quadratic() => Err(wrong(
                &"its local method needs a cost that is half a sum of squares; use lbfgs or adam",
            )),
            (_, Some(method)) => method.check().map_err(|error| wrong(&error)),
            (_, None) => Ok(()),
        }
    }
}
