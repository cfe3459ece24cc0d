//! The intermediate results of a step: written by [`step`](crate::step), only read afterwards.
//!
//! A [`StepTrace`] holds everything that [`step_vjp`](crate::step_vjp) needs, and results that a caller may want to
//! look at. Fields are in the order of the stages that write them.

use gradbody_contact::{Collisions, Contact, ContactGradient, Problem, SweepTape};
use gradbody_dynamics::{AbaWork, Kinematics};
use gradbody_math::{Force, Motion, Scalar, Vec3};
use gradbody_model::Model;

use crate::runge_kutta::RungeKuttaTrace;
use crate::{Input, Integrator, State, StepOptions, TapRecord};

/// The intermediate results of a step. Allocated once for a model, and overwritten by every [`step`](crate::step()).
#[derive(Clone, Debug)]
pub struct StepTrace<S> {
    /// The model with the numbers of this step, if taps changed some.
    pub(crate) own_model: Option<Model<S>>,
    /// The derivative of contact impulses to use from the next step on.
    pub(crate) wanted_gradient: ContactGradient,
    pub(crate) stages: Stages<S>,
}

/// A buffer that not every step writes. It can be read only if the last step wrote it.
#[derive(Clone, Debug)]
pub(crate) struct Sometimes<T> {
    numbers: Vec<T>,
    written: bool,
}

impl<T> Sometimes<T> {
    pub(crate) fn new(numbers: Vec<T>) -> Self {
        Sometimes { numbers, written: false }
    }

    /// Marks it as not written in this step.
    pub(crate) fn skip(&mut self) {
        self.written = false;
    }

    /// Marks it as written in this step, which must write all of it.
    pub(crate) fn write(&mut self) -> &mut [T] {
        self.written = true;
        &mut self.numbers
    }

    /// The numbers, if this step wrote them.
    pub(crate) fn get(&self) -> Option<&[T]> {
        self.written.then_some(&self.numbers)
    }
}

/// What the stages of a step write. Fields of Runge-Kutta are valid only after a Runge-Kutta step, and `tape` and
/// `free_motions_w` only if `problem` is not empty.
#[derive(Clone, Debug)]
pub(crate) struct Stages<S> {
    /// The derivative of contact impulses to use.
    pub(crate) contact_gradient: ContactGradient,
    /// The options of the step.
    pub(crate) options: StepOptions<S>,
    /// Whether the step had taps.
    pub(crate) tapped: bool,
    /// The input of the step.
    pub(crate) input: Input<S>,
    /// The initial state of the step, as taps left it.
    pub(crate) start: State<S>,
    /// Forces and accelerations at the start.
    pub(crate) evaluation: Evaluation<S>,
    /// The other evaluations of a Runge-Kutta step.
    pub(crate) runge_kutta: Option<Box<RungeKuttaTrace<S>>>,
    /// Actuator states at the end, before clamping to their range, (na).
    pub(crate) activation: Vec<S>,
    /// Motions of the links at the end of the step without rigid contacts.
    pub(crate) free_motions_w: Vec<Motion<S>>,
    /// Rows and impulses of rigid contacts and hard joint stops.
    pub(crate) problem: Problem<S>,
    /// The solver's sweeps, if they are recorded.
    pub(crate) tape: SweepTape<S>,
    /// Velocity at the end of the step, impulses included, (nv).
    pub(crate) v: Vec<S>,
    /// Displacement correction for impacts in mid-step: M⁻¹ Jᵀ (λ t), (nv), if there are any. Only its derivatives
    /// count: it does not change positions.
    pub(crate) delay: Sometimes<S>,
    /// Velocity at the end of the step as taps left it, (nv), if there are taps.
    pub(crate) tapped_v: Sometimes<S>,
    /// For Runge-Kutta, by link: positive if impulses act on the tree of this root link.
    pub(crate) touched: Vec<S>,
    /// Change of the configuration over the step, in local coordinates, (nv).
    pub(crate) dq: Vec<S>,
}

/// Forces and accelerations without rigid contacts, at one state.
#[derive(Clone, Debug)]
pub(crate) struct Evaluation<S> {
    /// Poses and velocities of the links.
    pub(crate) kin: Kinematics<S>,
    /// The contacts.
    pub(crate) collisions: Collisions<S>,
    /// Forces of the contacts before the solve [N], (n_contacts), if taps act at rigid contacts; else empty. Those of
    /// rigid contacts are what taps added; what the solver finds is added to them in [`Contact::force_w`].
    pub(crate) applied_w: Vec<Vec3<S>>,
    /// Link forces from input, contacts before the solve, and taps, if any other than the input's act.
    pub(crate) external: Sometimes<Force<S>>,
    /// Rates of the actuator states, (na).
    pub(crate) activation_rate: Vec<S>,
    /// Forward dynamics.
    pub(crate) aba: AbaWork<S>,
    /// Accelerations as taps left them, (nv), if taps look at them.
    pub(crate) tapped_qdd: Sometimes<S>,
    /// What taps recorded.
    pub(crate) taps: TapRecord,
}

impl<S: Scalar> StepTrace<S> {
    /// Buffers for the steps of a model.
    pub fn new(model: &Model<S>) -> Self {
        let zeros = |n| vec![S::ZERO; n];
        let stages = Stages {
            contact_gradient: ContactGradient::default(),
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
            delay: Sometimes::new(zeros(model.nv())),
            tapped_v: Sometimes::new(zeros(model.nv())),
            touched: zeros(model.n_links()),
            dq: zeros(model.nv()),
        };
        StepTrace { own_model: None, wanted_gradient: ContactGradient::default(), stages }
    }

    /// Allocates room for a scheme, so that its first step does not allocate either: Runge-Kutta stores four
    /// evaluations.
    pub fn for_integrator(mut self, model: &Model<S>, integrator: Integrator) -> Self {
        if integrator == Integrator::Rk4 {
            self.stages.runge_kutta = Some(Box::new(RungeKuttaTrace::new(model)));
        }
        self
    }

    /// Sets the derivative of contact impulses that [`step_vjp`](crate::step_vjp()) of the following steps uses.
    pub fn for_gradient(mut self, gradient: ContactGradient) -> Self {
        self.set_contact_gradient(gradient);
        self
    }

    /// Sets the derivative of contact impulses for the following steps.
    pub fn set_contact_gradient(&mut self, gradient: ContactGradient) {
        self.wanted_gradient = gradient;
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
        self.stages.evaluation.qdd()
    }

    /// The initial state of the step, as taps left it.
    pub fn start(&self) -> &State<S> {
        &self.stages.start
    }

    /// What taps recorded at the start of the step.
    pub fn taps(&self) -> &TapRecord {
        &self.stages.evaluation.taps
    }

    /// The input of the step.
    pub fn input(&self) -> &Input<S> {
        &self.stages.input
    }
}

impl<S: Scalar> Evaluation<S> {
    pub(crate) fn new(model: &Model<S>) -> Self {
        Evaluation {
            kin: Kinematics::new(model),
            collisions: Collisions::new(model),
            applied_w: Vec::new(),
            external: Sometimes::new(vec![Force::ZERO; model.n_links()]),
            activation_rate: vec![S::ZERO; model.topology.na],
            aba: AbaWork::new(model),
            tapped_qdd: Sometimes::new(vec![S::ZERO; model.nv()]),
            taps: TapRecord::default(),
        }
    }

    /// The link forces that forward dynamics used.
    pub(crate) fn forces<'a>(&'a self, input: &'a Input<S>) -> &'a [Force<S>] {
        self.external.get().unwrap_or(&input.external)
    }

    /// Accelerations without rigid contacts, as taps left them, (nv).
    pub(crate) fn qdd(&self) -> &[S] {
        self.tapped_qdd.get().unwrap_or(&self.aba.qdd)
    }
}

impl<S> Stages<S> {
    /// Velocity at the end of the step, (nv).
    pub(crate) fn v_end(&self) -> &[S] {
        self.tapped_v.get().unwrap_or(&self.v)
    }
}
