//! Settings of a step: a contact solver with a kind of joint stop, and an integrator.

use std::fmt;

use gradbody::contact::{Lcp, Ncp, Solver};
use gradbody::dynamics::JointStops;
use gradbody::math::Scalar;
use gradbody::sim::{Integrator, StepOptions};

/// Time step [s].
const DT: f64 = 4e-3;

/// One combination of settings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    solver_name: &'static str,
    integrator_name: &'static str,
    solver: Solver,
    stops: JointStops,
    integrator: Integrator,
}

const INTEGRATORS: [(&str, Integrator); 3] = [
    ("euler", Integrator::SemiImplicitEuler),
    ("implicit-damping", Integrator::ImplicitDamping),
    ("rk4", Integrator::Rk4),
];

impl Setting {
    /// Every solver with every integrator; hard joint stops with `ncp` only.
    pub(crate) fn all() -> Vec<Setting> {
        let solvers = [
            ("ncp", Solver::Ncp(Ncp::default()), JointStops::Soft),
            ("ncp-hard", Solver::Ncp(Ncp::default()), JointStops::Hard),
            ("lcp", Solver::Lcp(Lcp::default()), JointStops::Soft),
            ("hunt-crossley", Solver::HuntCrossley, JointStops::Soft),
            ("off", Solver::Off, JointStops::Soft),
        ];
        solvers.into_iter().flat_map(Setting::with_each_integrator).collect()
    }

    /// The default solver with every integrator.
    pub(crate) fn ncp() -> Vec<Setting> {
        Setting::all().into_iter().filter(|setting| setting.solver_name == "ncp").collect()
    }

    /// A solver that converges to the last digit without a warm start, which dual numbers need.
    pub(crate) fn converged() -> Vec<Setting> {
        let solver = Solver::Ncp(Ncp::converged());
        Setting::with_each_integrator(("ncp-converged", solver, JointStops::Soft))
    }

    /// Compliant contacts with every integrator.
    pub(crate) fn compliant() -> Vec<Setting> {
        let solver = ("hunt-crossley", Solver::HuntCrossley, JointStops::Soft);
        Setting::with_each_integrator(solver)
    }

    fn with_each_integrator(
        (solver_name, solver, stops): (&'static str, Solver, JointStops),
    ) -> Vec<Setting> {
        let with = |(integrator_name, integrator)| Setting {
            solver_name,
            integrator_name,
            solver,
            stops,
            integrator,
        };
        INTEGRATORS.into_iter().map(with).collect()
    }

    pub(crate) fn options<S: Scalar>(&self) -> StepOptions<S> {
        let mut options = StepOptions::new(DT).with(self.integrator).with_solver(self.solver);
        options.joint_stops = self.stops;
        options
    }
}

/// `SOLVER/INTEGRATOR`.
impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.solver_name, self.integrator_name)
    }
}
