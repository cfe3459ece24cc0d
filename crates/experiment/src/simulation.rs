//! `[simulation]`: how the model is stepped.

use gradbody_contact::{Lcp, Ncp, Solver};
use gradbody_optimise::Method;
use gradbody_sim::{Integrator, StepOptions};
use serde::{Deserialize, Serialize};

use super::{Experiment, ExperimentError};

/// How the model is stepped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Simulation {
    /// Time steps from one sample to the next.
    pub substeps: usize,
    /// The integrator.
    pub integrator: Scheme,
    /// How contact forces are computed.
    pub contact: ContactMethod,
    /// Which derivative of rigid contacts to use. If it is not given, it is that of the exact solution, until a search
    /// by Levenberg-Marquardt or Gauss-Newton is stuck; then the search goes on with secants.
    pub gradient: Option<ContactSlope>,
}

/// The secants of a search that derivatives have misled [standard deviations of the noise].
pub const USUAL_SECANT: f64 = 0.2;

impl Default for Simulation {
    fn default() -> Self {
        Simulation {
            substeps: 1,
            integrator: Scheme::ImplicitDamping,
            contact: ContactMethod::Ncp,
            gradient: None,
        }
    }
}

impl Simulation {
    /// How the model is stepped, with a time step of `dt` [s].
    pub fn step_options(&self, dt: f64) -> StepOptions<f64> {
        step_options(dt, self.integrator, self.contact)
    }

    /// The derivative of rigid contacts with which a search begins.
    pub fn slope(&self) -> ContactSlope {
        self.gradient.unwrap_or_default()
    }
}

/// How a model is stepped, with a time step of `dt` [s].
pub fn step_options(dt: f64, integrator: Scheme, contact: ContactMethod) -> StepOptions<f64> {
    let integrator = match integrator {
        Scheme::Euler => Integrator::SemiImplicitEuler,
        Scheme::ImplicitDamping => Integrator::ImplicitDamping,
        Scheme::Rk4 => Integrator::Rk4,
    };
    let solver = match contact {
        ContactMethod::Ncp => Solver::Ncp(Ncp { warm_start: false, ..Ncp::default() }),
        ContactMethod::Lcp => Solver::Lcp(Lcp::default()),
        ContactMethod::HuntCrossley => Solver::HuntCrossley,
        ContactMethod::Off => Solver::Off,
    };
    StepOptions::new(dt).with(integrator).with_solver(solver)
}

/// An integrator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// Semi-implicit Euler: first the velocity, then the position.
    Euler,
    /// The same, with damping forces taken at the new velocity.
    #[default]
    ImplicitDamping,
    /// Runge-Kutta of fourth order.
    Rk4,
}

/// How contact forces are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContactMethod {
    /// Rigid contacts with Coulomb friction, solved by sweeps.
    #[default]
    Ncp,
    /// Rigid contacts with Coulomb friction, solved by pivoting.
    Lcp,
    /// Springs and dampers.
    HuntCrossley,
    /// Bodies pass through each other.
    Off,
}

/// Which derivative of rigid contacts to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContactSlope {
    /// The derivative of the exact solution.
    #[default]
    Implicit,
    /// The derivative of the sweeps that were made.
    Unrolled,
    /// A smoothed derivative that also sees contacts about to close or open within this velocity [m/s].
    Smoothed(f64),
    /// Secants of errors over changes of this many standard deviations of the noise, in place of derivatives.
    Secant(f64),
}

impl Experiment {
    /// Refuses a `simulation.gradient` that would have no effect.
    pub(super) fn check_gradient(&self) -> Result<(), ExperimentError> {
        let simulation = &self.simulation;
        let gradient = simulation.slope();
        if gradient == ContactSlope::Implicit {
            return Ok(());
        }
        let wrong = |why: String| Err(ExperimentError::wrong("simulation.gradient", why));
        let contact = match simulation.contact {
            ContactMethod::Ncp | ContactMethod::Lcp => None,
            ContactMethod::HuntCrossley => Some("hunt-crossley"),
            ContactMethod::Off => Some("off"),
        };
        if let Some(contact) = contact {
            return wrong(format!(
                "it is about rigid contacts, and simulation.contact is \"{contact}\": leave it out"
            ));
        }
        let (name, width, unit) = match gradient {
            ContactSlope::Smoothed(width) => ("smoothed", width, " velocity [m/s]"),
            ContactSlope::Secant(width) => ("secant", width, " number"),
            ContactSlope::Implicit | ContactSlope::Unrolled => ("", 1.0, ""),
        };
        if !(width > 0.0 && width.is_finite()) {
            return wrong(format!("{name} = {width}: a positive{unit} is needed"));
        }
        let networks = !self.augmentation.is_empty();
        let fits_parameters = !self.change.parameters.is_empty() || self.change.period || !networks;
        let methods = [
            ("optimiser", &self.optimiser, fits_parameters),
            ("training.optimiser", &self.training.optimiser, networks),
        ];
        let secant = matches!(gradient, ContactSlope::Secant(_));
        let mut used = methods.into_iter().filter(|(_, _, used)| *used);
        match used.find(|(_, method, _)| method.needs_quadratic() != secant) {
            None => Ok(()),
            Some((key, ..)) if secant => wrong(format!(
                "{key} follows the gradient of the cost, and \"secant\" is about the derivatives of single errors, \
                 which Levenberg-Marquardt and Gauss-Newton take: use one of these, or gradient = {{ smoothed = … }}"
            )),
            Some((key, ..)) => wrong(refusal(key)),
        }
    }

    /// Whether a search of parameters that derivatives have misled may go on with secants.
    pub fn may_take_secants(&self) -> bool {
        let rigid = matches!(self.simulation.contact, ContactMethod::Ncp | ContactMethod::Lcp);
        let sums_squares =
            matches!(self.optimiser, Method::LevenbergMarquardt(_) | Method::GaussNewton(_));
        // A secant is about the errors of a fit without networks: these are trained by gradients.
        self.simulation.gradient.is_none() && rigid && sums_squares && self.augmentation.is_empty()
    }

    /// Refuses a `simulation.gradient` that a search by Levenberg-Marquardt, of `user`, would ignore.
    pub fn check_gradient_for_quadratic(&self, user: &str) -> Result<(), ExperimentError> {
        match self.simulation.slope() {
            ContactSlope::Implicit | ContactSlope::Secant(_) => Ok(()),
            _ => Err(ExperimentError::wrong("simulation.gradient", refusal(user))),
        }
    }
}

/// Why a method with a second-order model takes no other gradient.
fn refusal(user: &str) -> String {
    format!(
        "{user} uses Levenberg-Marquardt or Gauss-Newton, whose derivatives are those of the exact solution \
         (\"implicit\") or secants ({{ secant = 0.2 }}): use these, or method = \"lbfgs\" or \"adam\""
    )
}

#[cfg(test)]
mod tests {
    use super::Experiment;

    const START: &str = "[model]\nfile = 'cube.urdf'\n[data]\nfiles = 'a.csv'\n[channels]\nx = { is = 'joint/a/position' }\n\
                         [change]\nparameters = ['link/*/mass']\n";

    fn checked(rest: &str) -> Result<(), String> {
        let experiment = Experiment::from_toml(&format!("{START}{rest}"), "a.toml").expect("TOML");
        experiment.check().map_err(|error| error.to_string())
    }

    #[test]
    fn a_smoothed_gradient_that_levenberg_marquardt_would_ignore_is_refused() {
        let smoothed = "[simulation]\ngradient = { smoothed = 0.01 }\n";
        for optimiser in [
            "",
            "[optimiser]\nmethod = 'gauss-newton'\n",
            "[optimiser]\nmethod = 'basin-hopping'\nlocal = { method = 'levenberg-marquardt' }\n",
        ] {
            for gradient in [smoothed, "[simulation]\ngradient = 'unrolled'\n"] {
                let error = checked(&format!("{gradient}{optimiser}")).expect_err("refused");
                assert!(
                    error.contains("simulation.gradient") && error.contains("lbfgs"),
                    "{error}"
                );
            }
            checked(optimiser).expect("the gradient that is used anyway");
        }
        for method in ["lbfgs", "adam", "cma-es", "basin-hopping"] {
            let optimiser = format!("{smoothed}[optimiser]\nmethod = '{method}'\n");
            checked(&optimiser).expect("a method that follows it");
        }
    }

    #[test]
    fn secants_is_for_levenberg_marquardt() {
        let secant = "[simulation]\ngradient = { secant = 1 }\n";
        checked(secant).expect("Levenberg-Marquardt takes it");
        let error = checked(&format!("{secant}[optimiser]\nmethod = 'adam'\n")).expect_err("Adam");
        assert!(error.contains("Levenberg-Marquardt"), "{error}");
        let zero = checked("[simulation]\ngradient = { secant = 0 }\n").expect_err("zero");
        assert!(zero.contains("secant = 0: a positive number"), "{zero}");
    }

    #[test]
    fn a_gradient_of_rigid_contacts_is_refused_without_them() {
        for contact in ["off", "hunt-crossley"] {
            let text = format!(
                "[simulation]\ncontact = '{contact}'\ngradient = 'unrolled'\n[optimiser]\nmethod = 'adam'\n"
            );
            let error = checked(&text).expect_err("refused");
            assert!(error.contains(contact), "{error}");
        }
        let zero = "[simulation]\ngradient = { smoothed = 0 }\n[optimiser]\nmethod = 'adam'\n";
        assert!(checked(zero).expect_err("refused").contains("positive"));
    }
}
