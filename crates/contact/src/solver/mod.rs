//! Contact solvers: one file each, one trait, chosen by value.

mod answering;
mod coordinates;
mod friction_law;
mod hunt_crossley;
mod implicit;
mod implicit_matrix;
mod lcp;
mod lemke;
mod local_vjp;
mod ncp;
mod newton;
mod system;
mod tape;
mod unrolled;

use gradbody_dynamics::JointStops;
use gradbody_math::{Carried, Scalar};
use gradbody_model::Model;

use crate::{Contact, ContactGradient, Problem, ProblemCotangents};
use answering::Answering;
use implicit::{ImplicitWork, implicit_vjp};
use newton::NewtonWork;
use unrolled::{UnrolledWork, unrolled_vjp};

pub use friction_law::FrictionLaw;
pub(crate) use system::Rows;

pub use hunt_crossley::{HuntCrossley, apply_forces, apply_forces_vjp};
pub use implicit_matrix::{ImpulseSlopes, NoSlopes};
pub use lcp::{Lcp, LcpWork};
pub use ncp::{Cone, Ncp, NcpWork};
pub use tape::SweepTape;

/// A contact law. Forces depend on the state alone and act before the accelerations are known; impulses correct the
/// velocities afterwards. A law implements one of the two.
pub trait ContactSolver<S: Scalar> {
    /// Writes the forces of compliant contacts.
    fn forces(&self, _contacts: &mut [Contact<S>]) {}

    /// Finds the impulses of a problem, starting from those it holds. Writes the impulses and `u` of `problem`, and its
    /// sweeps to `tape` if that is recording.
    fn impulses(
        &self,
        _problem: &mut Problem<S>,
        _tape: &mut SweepTape<S>,
        _work: &mut SolverWork<S>,
    ) -> Solved {
        Solved::default()
    }
}

/// The solver of rigid contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solver {
    /// None: bodies pass through each other.
    Off,
    /// Coulomb's law, by projected Gauss-Seidel sweeps and Newton's method.
    Ncp(Ncp),
    /// Coulomb's law with a polyhedral cone, solved exactly by pivots.
    Lcp(Lcp),
    /// No contact is rigid: all are compliant.
    HuntCrossley,
}

impl Default for Solver {
    fn default() -> Self {
        Solver::Ncp(Ncp::default())
    }
}

impl Solver {
    /// Whether it keeps bodies apart by impulses.
    pub fn is_rigid(&self) -> bool {
        matches!(self, Solver::Ncp(_) | Solver::Lcp(_))
    }

    fn attempt<S: Scalar>(
        &self,
        problem: &mut Problem<S>,
        tape: &mut SweepTape<S>,
        work: &mut SolverWork<S>,
    ) -> Solved {
        match self {
            // Only joint stops have rows then, which sweeps solve at once.
            Solver::Off | Solver::HuntCrossley => {
                Ncp { tolerance: 1e-8, rounds: 0, ..Ncp::default() }.impulses(problem, tape, work)
            }
            Solver::Ncp(ncp) => ncp.impulses(problem, tape, work),
            Solver::Lcp(lcp) => lcp.impulses(problem, tape, work),
        }
    }

    /// Solves again in the unsolved lanes, without pushing bodies apart. Few steps need it, so it is kept out of line.
    #[cold]
    fn attempt_without_recovery<S: Scalar>(&self, wedged: &mut Wedged<'_, S>) {
        let Wedged { problem, tape, work, solved } = wedged;
        let unsolved = problem.unsolved;
        problem.restart();
        problem.forgo_recovery();
        let without = match self {
            Solver::Lcp(_) => Solver::default().attempt(problem, tape, work),
            _ => self.attempt(problem, tape, work),
        };
        problem.unsolved = unsolved;
        *solved = Solved { wedged: true, ..solved.and(without) };
    }

    /// Whether the derivatives of dual numbers have converged when their values have. With sweeps alone they have not, if
    /// these end when values no longer change, or start from the impulses of the step before. So it is in problems of
    /// more than 160 rows too, which this cannot know. If no contact is rigid, hard joint stops are still solved by sweeps.
    pub fn converges_derivatives(&self, joint_stops: JointStops) -> bool {
        match self {
            Solver::Ncp(ncp) => ncp.rounds > 0 || (ncp.tolerance == 0.0 && !ncp.warm_start),
            Solver::Lcp(_) => true,
            Solver::Off | Solver::HuntCrossley => joint_stops == JointStops::Soft,
        }
    }

    /// Whether it starts from the impulses of the step before.
    pub fn starts_warm(&self) -> bool {
        matches!(self, Solver::Ncp(Ncp { warm_start: true, .. }))
    }
}

impl Solver {
    /// The adjoint of [`impulses`](ContactSolver::impulses), at the impulses it found: takes the cotangents of impulses
    /// in `bars` back to what they depend on. The implicit kinds add the cotangent of the impulses' own effect on the
    /// rows, Gᵀ b̄, to `u_bar`. Unrolling needs recorded sweeps: see [`SweepTape::record`].
    pub fn impulses_vjp<S: Scalar>(
        &self,
        gradient: ContactGradient,
        problem: &Problem<S>,
        tape: &SweepTape<S>,
        work: &mut SolverWork<S>,
        bars: &mut ProblemCotangents<S>,
        u_bar: &mut [S],
    ) {
        let cone = match self {
            Solver::Ncp(ncp) => ncp.cone,
            _ => Cone::Circular,
        };
        let answering = match (self, gradient) {
            (_, ContactGradient::Smoothed { kappa }) => Answering::Smoothed(kappa),
            (Solver::Lcp(lcp), _) => Answering::Polygon(lcp.sides()),
            (_, ContactGradient::Unrolled) => return unrolled_vjp(cone, problem, tape, work, bars),
            (_, ContactGradient::Implicit) => Answering::Cone(cone),
        };
        implicit_vjp(answering, problem, work, bars, u_bar);
    }
}

impl<S: Scalar> ContactSolver<S> for Solver {
    fn impulses(
        &self,
        problem: &mut Problem<S>,
        tape: &mut SweepTape<S>,
        work: &mut SolverWork<S>,
    ) -> Solved {
        tape.clear();
        let mut solved = self.attempt(problem, tape, work);
        if matches!(self, Solver::Lcp(_)) && problem.unsolved.any() {
            // Pivots have failed.
            problem.swept = problem.unsolved;
            problem.restart();
            let sweeps = Ncp { sweeps: 2000, tolerance: 1e-10, ..Ncp::default() };
            solved = solved.and(sweeps.impulses(problem, tape, work));
        }
        let unsolved = problem.unsolved;
        let mut wedged = Wedged { problem, tape, work, solved };
        S::when(unsolved, &mut wedged, |wedged| self.attempt_without_recovery(wedged));
        wedged.solved
    }
}

/// A problem to solve again, in the lanes where bodies are wedged.
struct Wedged<'a, S> {
    problem: &'a mut Problem<S>,
    /// Grows with each sweep, so a scalar that records steps cannot record this while sweeps are kept.
    tape: &'a mut SweepTape<S>,
    /// Each attempt prepares its buffers anew, so they carry no state.
    work: &'a mut SolverWork<S>,
    /// The report, in plain numbers.
    solved: Solved,
}

impl<S: Scalar> Carried<S> for Wedged<'_, S> {
    fn each(&mut self, visit: &mut dyn FnMut(&mut S)) {
        self.problem.each(visit);
    }
}

/// How well a problem was solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Solved {
    /// Number of sweeps (or pivots): the sum over all attempts, each counted in its slowest lane.
    pub sweeps: u32,
    /// Number of rounds of Newton's method, summed alike.
    pub rounds: u32,
    /// The distance from a solution in the worst lane [m/s or rad/s]; for each lane see [`Problem::residual`].
    pub residual: f64,
    /// Whether bodies are wedged in any lane and cannot be pushed apart; they are then only kept from coming closer.
    pub wedged: bool,
}

impl Solved {
    /// Combines it with a further attempt at the unsolved lanes, whose residual covers all lanes.
    fn and(self, further: Solved) -> Self {
        Solved {
            sweeps: self.sweeps + further.sweeps,
            rounds: self.rounds + further.rounds,
            ..further
        }
    }
}

/// The largest over all lanes, or NaN if any lane has it. For reports in plain numbers.
fn worst<S: Scalar>(x: S) -> f64 {
    let larger = |worst: f64, x: f64| if x > worst || x.is_nan() { x } else { worst };
    (0..S::LANES).map(|lane| x.lane(lane)).fold(0.0, larger)
}

/// Buffers of all solvers.
#[derive(Clone, Debug)]
pub struct SolverWork<S> {
    /// Of [`Ncp`].
    pub ncp: NcpWork<S>,
    /// Of [`Lcp`].
    pub lcp: LcpWork<S>,
    newton: NewtonWork<S>,
    implicit: ImplicitWork<S>,
    unrolled: UnrolledWork<S>,
}

impl<S: Scalar> SolverWork<S> {
    /// Buffers for a model.
    pub fn new(model: &Model<S>) -> Self {
        SolverWork {
            ncp: NcpWork::new(model),
            lcp: LcpWork::new(),
            newton: NewtonWork::new(model),
            implicit: ImplicitWork::default(),
            unrolled: UnrolledWork::default(),
        }
    }
}
