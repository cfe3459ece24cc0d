//! Options of a step.

use gradbody_contact::{Demands, Detection, FrictionLaw, HuntCrossley, Ncp, Solver};
use gradbody_dynamics::JointStops;
use gradbody_math::Scalar;

use crate::Integrator;

/// Options of a step.
#[derive(Clone, Copy, Debug)]
pub struct StepOptions<S> {
    /// Time step [s].
    pub dt: S,
    /// The integration scheme.
    pub integrator: Integrator,
    /// How contacts are detected and solved.
    pub contact: ContactOptions,
    /// How joint limits and Coulomb friction are modelled.
    pub joint_stops: JointStops,
}

impl<S: Scalar> StepOptions<S> {
    /// The default options with this time step.
    pub fn new(dt: f64) -> Self {
        StepOptions {
            dt: S::from_f64(dt),
            integrator: Integrator::default(),
            contact: ContactOptions::default(),
            joint_stops: JointStops::default(),
        }
    }

    /// For exact derivatives, by adjoints or dual numbers: contacts are solved to the last digit, in up to 10,000
    /// sweeps and without a warm start. Steps with sliding or mutually pressing contacts become slower.
    pub fn accurate_gradients(dt: f64) -> Self {
        StepOptions::new(dt).with_solver(Solver::Ncp(Ncp::converged()))
    }

    /// Sets the integration scheme.
    pub fn with(mut self, integrator: Integrator) -> Self {
        self.integrator = integrator;
        self
    }

    /// Sets the contact solver.
    pub fn with_solver(mut self, solver: Solver) -> Self {
        self.contact.solver = solver;
        self
    }

    /// Turns contacts off: bodies pass through each other.
    pub fn without_contact(self) -> Self {
        self.with_solver(Solver::Off)
    }
}

impl<S> StepOptions<S> {
    /// Sets the time step, of the same or another scalar type.
    pub fn with_dt<T>(self, dt: T) -> StepOptions<T> {
        let StepOptions { integrator, contact, joint_stops, .. } = self;
        StepOptions { dt, integrator, contact, joint_stops }
    }
}

impl StepOptions<f64> {
    /// The same options in another scalar: equal in every lane, with zero derivatives.
    pub fn cast<T: Scalar>(&self) -> StepOptions<T> {
        self.with_dt(T::from_f64(self.dt))
    }
}

/// How contacts are detected and solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactOptions {
    /// The solver of rigid contacts.
    pub solver: Solver,
    /// The force law of compliant contacts.
    pub compliance: HuntCrossley,
    /// How contact points are detected.
    pub detection: Detection,
    /// Least approach speed at which an impact bounces, if the surface has restitution [m/s].
    pub bounce_speed: f64,
    /// Whether the derivative of a bounce is that of an impact at the time when the bodies touch. If false, it is the
    /// derivative of the discrete step, which does not contain that time. The former is exact for the continuous
    /// motion, the latter for the discrete motion. Values do not change.
    pub impact_times: bool,
    /// Penetration that is not corrected [m, rad]; correcting smaller ones would make bodies shake.
    pub slop: f64,
    /// Largest speed at which penetrating bodies are pushed apart, and joints back into their range [m/s, rad/s].
    pub recovery_speed: f64,
}

impl ContactOptions {
    pub(crate) fn demands<S: Scalar>(&self, dt: S) -> Demands<S> {
        Demands {
            dt,
            impact_times: self.impact_times,
            bounce_speed: S::from_f64(self.bounce_speed),
            slop: S::from_f64(self.slop),
            recovery_speed: S::from_f64(self.recovery_speed),
        }
    }
}

impl Default for ContactOptions {
    fn default() -> Self {
        ContactOptions {
            solver: Solver::default(),
            compliance: HuntCrossley { friction: FrictionLaw::default() },
            detection: Detection::default(),
            // Below this speed, a bouncing ball comes to rest after a few hops of millimetres.
            bounce_speed: 0.05,
            impact_times: true,
            slop: 1e-4,
            // Fast enough to separate bodies that have sunk in; a body released at this speed rises by about a
            // centimetre.
            recovery_speed: 0.5,
        }
    }
}
