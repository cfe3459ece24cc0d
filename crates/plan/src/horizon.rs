//! `[simulation]` and `[horizon]`: time steps, knots, and how long a plan is.

use gradbody_contact::{Ncp, Solver};
use gradbody_control::rounded_time;
use gradbody_experiment::{ContactMethod, ExperimentError, Scheme, step_options};
use gradbody_sim::StepOptions;
use serde::{Deserialize, Serialize};

/// How the model is stepped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Stepping {
    /// The time step [s].
    pub step: f64,
    /// The integrator.
    pub integrator: Scheme,
    /// How contact forces are computed.
    pub contact: ContactMethod,
}

impl Default for Stepping {
    fn default() -> Self {
        Stepping { step: 2e-3, integrator: Scheme::ImplicitDamping, contact: ContactMethod::Ncp }
    }
}

impl Stepping {
    /// As options of the simulation. Contacts are solved to the last digit, since plans follow derivatives.
    pub fn options(&self) -> StepOptions<f64> {
        let mut options = step_options(self.step, self.integrator, self.contact);
        if self.contact == ContactMethod::Ncp {
            options.contact.solver = Solver::Ncp(Ncp::converged());
        }
        options
    }

    pub(crate) fn check(&self) -> Result<(), ExperimentError> {
        if self.step > 0.0 && self.step.is_finite() {
            return Ok(());
        }
        let why = format!("{}: a positive time is needed [s]", self.step);
        Err(ExperimentError::wrong("simulation.step", why))
    }
}

/// How long a plan is, and how often it may change what it does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Horizon {
    /// Its duration [s].
    pub seconds: f64,
    /// Time between changes of the actions [s]: a whole number of time steps. Without it, 10 ms or one time step.
    #[serde(default)]
    pub knot: Option<f64>,
}

/// Without a number of its own, a knot takes at least this long [s].
const KNOT: f64 = 0.01;
/// More time steps than this are a mistake.
const MOST: f64 = 1e7;
/// More knots than this do not fit into a machine.
const MOST_KNOTS: usize = 100_000;
/// A ratio of times is a whole number if it differs from one by less than this.
const WHOLE: f64 = 1e-6;

impl Horizon {
    /// The time steps of a knot.
    pub fn steps(&self, stepping: &Stepping) -> usize {
        match self.knot {
            Some(knot) => (knot / stepping.step).round() as usize,
            None => (KNOT / stepping.step - WHOLE).ceil() as usize,
        }
    }

    /// The number of knots.
    pub fn knots(&self, stepping: &Stepping) -> usize {
        (self.seconds / stepping.step).round() as usize / self.steps(stepping).max(1)
    }

    pub(crate) fn check(&self, stepping: &Stepping) -> Result<(), ExperimentError> {
        let wrong =
            |key: &str, why: String| Err(ExperimentError::wrong(format!("horizon.{key}"), why));
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let Horizon { seconds, knot } = *self;
        if !positive(seconds) {
            return wrong("seconds", format!("{seconds}: a plan needs a positive time [s]"));
        }
        let step = stepping.step;
        if let Some(knot) = knot
            && !(positive(knot) && is_whole(knot / step))
        {
            let why = format!(
                "{knot} s: a whole number of time steps is needed, and simulation.step is {step} s"
            );
            return wrong("knot", why);
        }
        let knot = step * self.steps(stepping) as f64;
        if !is_whole(seconds / knot) {
            let why = format!(
                "{seconds} s: a whole number of knots of {} s is needed; set horizon.knot",
                rounded_time(knot)
            );
            return wrong("seconds", why);
        }
        if seconds / step > MOST {
            return wrong("seconds", format!("{seconds} s are more than 10 million time steps"));
        }
        let knots = self.knots(stepping);
        if knots > MOST_KNOTS {
            return wrong("seconds", format!("{knots} knots are more than {MOST_KNOTS}"));
        }
        Ok(())
    }
}

/// Whether a ratio of times is a whole number, at least one.
pub(crate) fn is_whole(ratio: f64) -> bool {
    ratio >= 0.5 && (ratio - ratio.round()).abs() < WHOLE * ratio
}
