//! What a step computed: written by [`step`](crate::step), only read afterwards.
//!
//! A [`StepTrace`] is everything that [`step_vjp`](crate::step_vjp) needs to go back over a step, and what one may
//! want to look at after it. Fields stand in the order of the stages that write them.

use gradbody_contact::{Collisions, Contact, Problem, SweepTape};
use gradbody_dynamics::{AbaWork, Kinematics};
use gradbody_math::{Force, Motion, Scalar};
use gradbody_model::Model;

use crate::runge_kutta::RungeKuttaTrace;
use crate::{Input, Integrator, State, StepOptions, TapRecord};

/// What a step computed. Sized once for a model, and written anew by every [`step`](crate::step()); what a step had no use
/// for (the correction for bounces without a bounce, Runge-Kutta's evaluations in another scheme) is left over from
/// earlier ones and not read.
#[derive(Clone, Debug)]
pub struct StepTrace<S> {
    /// The model with the numbers of this step, if taps changed some.
    pub(crate) own_model: Option<Model<S>>,
    pub(crate) stages: Stages<S>,
}

/// What the stages of a step write.
#[derive(Clone, Debug)]
pub(crate) struct Stages<S> {
    /// How the step was taken.
    pub(crate) options: StepOptions<S>,
    /// Whether taps looked into it.
    pub(crate) tapped: bool,
    /// What acted.
    pub(crate) input: Input<S>,
    /// The state it began with, as taps left it.
    pub(crate) start: State<S>,
    /// Forces and accelerations at the start.
    pub(crate) evaluation: Evaluation<S>,
    /// The other evaluations of a Runge-Kutta step.
    pub(crate) runge_kutta: Option<Box<RungeKuttaTrace<S>>>,
    /// Actuator states at the end, before they were held to their range, (na).
    pub(crate) activation: Vec<S>,
    /// Motions of the links at the end of the step, were there no rigid contacts.
    pub(crate) free_motions_w: Vec<Motion<S>>,
    /// Rows and impulses of rigid contacts and hard joint stops.
    pub(crate) problem: Problem<S>,
    /// The solver's sweeps, if they are recorded.
    pub(crate) tape: SweepTape<S>,
    /// Velocity at the end of the step, impulses included, (nv).
    pub(crate) v: Vec<S>,
    /// Displacement by which impacts in mid-step differ from impacts at the start, M⁻¹ Jᵀ (λ t), (nv). It only has
    /// derivatives: positions do not change by it.
    pub(crate) delay: Vec<S>,
    /// Whether there is such an impact: else `delay` means nothing.
    pub(crate) bounces: bool,
    /// Velocity at the end of the step, as taps left it, (nv).
    pub(crate) v_end: Vec<S>,
    /// Whether impulses act on the tree of each root link: more than zero if so, by link. Of Runge-Kutta.
    pub(crate) touched: Vec<S>,
    /// Change of the configuration over the step, in local coordinates, (nv).
    pub(crate) dq: Vec<S>,
}

/// Forces and accelerations without rigid contacts, at one state.
#[derive(Clone, Debug)]
pub(crate) struct Evaluation<S> {
    /// Poses and velocities of the links.
    pub(crate) kin: Kinematics<S>,
    /// Where bodies touch.
    pub(crate) collisions: Collisions<S>,
    /// Forces on links from input, compliant contacts and taps, if `gathers_forces`.
    pub(crate) external: Vec<Force<S>>,
    /// Whether forces other than those of the input act on links.
    pub(crate) gathers_forces: bool,
    /// Rates of the actuator states, (na).
    pub(crate) activation_rate: Vec<S>,
    /// Forward dynamics.
    pub(crate) aba: AbaWork<S>,
    /// Accelerations as taps left them, (nv).
    pub(crate) qdd: Vec<S>,
    /// What taps noted.
    pub(crate) taps: TapRecord,
}

impl<S: Scalar> StepTrace<S> {
    /// Room for the steps of a model.
    pub fn new(model: &Model<S>) -> Self {
        let zeros = |n| vec![S::ZERO; n];
        let stages = Stages {
            options: StepOptions::new(0.0),
            tapped: false,
            input: Input { external: Vec::with_capacity(model.n_links()), ..Input::none(model) },
            start: State::neutral(model),
            evaluation: Evaluation::new(model),
            runge_kutta: None,
            activation: zeros(model.topology.na),
            free_motions_w: vec![Motion::ZERO; model.n_links()],
            problem: Problem::new(model),
            tape: SweepTape::default(),
            v: zeros(model.nv()),
            delay: zeros(model.nv()),
            bounces: false,
            v_end: zeros(model.nv()),
            touched: zeros(model.n_links()),
            dq: zeros(model.nv()),
        };
        StepTrace { own_model: None, stages }
    }

    /// With room for a scheme, so that its first step allocates nothing either: Runge-Kutta keeps four evaluations.
    pub fn for_integrator(mut self, model: &Model<S>, integrator: Integrator) -> Self {
        if integrator == Integrator::Rk4 {
            self.stages.runge_kutta = Some(Box::new(RungeKuttaTrace::new(model)));
        }
        self
    }

    /// From now on the solver's sweeps are recorded, or not: for
    /// [`ContactGradient::Unrolled`](gradbody_contact::ContactGradient).
    pub fn record_sweeps(&mut self, records: bool) {
        self.stages.tape.record(records);
    }

    /// The contacts of the step, with their forces.
    pub fn contacts(&self) -> &[Contact<S>] {
        &self.stages.evaluation.collisions.contacts
    }

    /// Poses and velocities of the links at the start of the step.
    pub fn kin(&self) -> &Kinematics<S> {
        &self.stages.evaluation.kin
    }

    /// Rows and impulses of rigid contacts and hard joint stops.
    pub fn problem(&self) -> &Problem<S> {
        &self.stages.problem
    }

    /// Accelerations without rigid contacts at the start of the step, (nv).
    pub fn accelerations(&self) -> &[S] {
        &self.stages.evaluation.qdd
    }

    /// The state the step began with, as taps left it.
    pub fn start(&self) -> &State<S> {
        &self.stages.start
    }

    /// What acted during the step.
    pub fn input(&self) -> &Input<S> {
        &self.stages.input
    }
}

impl<S: Scalar> Evaluation<S> {
    pub(crate) fn new(model: &Model<S>) -> Self {
        Evaluation {
            kin: Kinematics::new(model),
            collisions: Collisions::new(model),
            external: vec![Force::ZERO; model.n_links()],
            gathers_forces: false,
            activation_rate: vec![S::ZERO; model.topology.na],
            aba: AbaWork::new(model),
            qdd: vec![S::ZERO; model.nv()],
            taps: TapRecord::default(),
        }
    }

    /// The forces on links that the forward dynamics saw.
    pub(crate) fn forces<'a>(&'a self, input: &'a Input<S>) -> &'a [Force<S>] {
        if self.gathers_forces { &self.external } else { &input.external }
    }
}
