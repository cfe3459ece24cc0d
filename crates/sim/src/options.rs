//! How to step.

use gradbody_contact::{Demands, Detection, FrictionLaw, HuntCrossley, Ncp, Solver};
use gradbody_dynamics::JointStops;
use gradbody_math::Scalar;

use crate::Integrator;

/// How to step.
#[derive(Clone, Copy, Debug)]
pub struct StepOptions<S> {
    /// Time step [s].
    pub dt: S,
    /// Scheme.
    pub integrator: Integrator,
    /// What happens where bodies touch.
    pub contact: ContactOptions,
    /// What limits and Coulomb friction of joints are.
    pub joint_stops: JointStops,
}

impl<S: Scalar> StepOptions<S> {
    /// The defaults with this time step.
    pub fn new(dt: f64) -> Self {
        StepOptions {
            dt: S::from_f64(dt),
            integrator: Integrator::default(),
            contact: ContactOptions::default(),
            joint_stops: JointStops::default(),
        }
    }

    /// Contacts solved to the last digit, in up to 10,000 sweeps and without a warm start: for exact derivatives, by
    /// adjoints or dual numbers. Steps with contacts that slide or press against each other are slower.
    pub fn accurate_gradients(dt: f64) -> Self {
        StepOptions::new(dt).with_solver(Solver::Ncp(Ncp::converged()))
    }

    /// With another scheme.
    pub fn with(mut self, integrator: Integrator) -> Self {
        self.integrator = integrator;
        self
    }

    /// With another solver of contacts.
    pub fn with_solver(mut self, solver: Solver) -> Self {
        self.contact.solver = solver;
        self
    }

    /// With bodies that pass through each other.
    pub fn without_contact(self) -> Self {
        self.with_solver(Solver::Off)
    }
}

impl<S> StepOptions<S> {
    /// With another time step, in this number or another.
    pub fn with_dt<T>(self, dt: T) -> StepOptions<T> {
        let StepOptions { integrator, contact, joint_stops, .. } = self;
        StepOptions { dt, integrator, contact, joint_stops }
    }
}

impl StepOptions<f64> {
    /// The same in another scalar: in every lane, with zero derivatives.
    pub fn cast<T: Scalar>(&self) -> StepOptions<T> {
        self.with_dt(T::from_f64(self.dt))
    }
}

/// What happens where bodies touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactOptions {
    /// How rigid contacts are solved.
    pub solver: Solver,
    /// The law of compliant contacts.
    pub compliance: HuntCrossley,
    /// Which places count as contacts.
    pub detection: Detection,
    /// Approach speed from which on an impact bounces, if the surface does [m/s].
    pub bounce_speed: f64,
    /// Whether derivatives of a bounce are those of an impact at the time when bodies touch, rather
    /// than of the step, which hides that time: the second are exact for the discrete motion, the first
    /// for the continuous one that it stands for. It changes no value.
    pub impact_times: bool,
    /// Penetration that is left alone [m, rad]: pushing bodies apart for less would shake them.
    pub slop: f64,
    /// Largest speed at which bodies that are inside each other are pushed apart, and joints back
    /// into their range [m/s, rad/s].
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
            // Below it a bouncing ball comes to rest within a few hops of millimetres.
            bounce_speed: 0.05,
            impact_times: true,
            slop: 1e-4,
            // Fast enough to part what has sunk in; what comes out with it is thrown a centimetre.
            recovery_speed: 0.5,
        }
    }
}
