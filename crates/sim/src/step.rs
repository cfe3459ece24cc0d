//! One time step.

use gradbody_dynamics::{
    AbaWork, Kinematics, aba, aba_with_added_inertia, actuator_forces, implicit_damping, integrate,
    joint_forces, kinematics, limit_activations, local_rate, velocities,
};
use gradbody_math::Scalar;
use gradbody_model::{Activation, Actuator, LinkId, Model};

use crate::{Input, Integrator, State};

/// How to step.
#[derive(Clone, Copy, Debug)]
pub struct StepOptions<S> {
    /// Time step [s].
    pub dt: S,
    /// Scheme.
    pub integrator: Integrator,
}

impl<S: Scalar> StepOptions<S> {
    /// Semi-implicit Euler with this time step.
    pub fn new(dt: f64) -> Self {
        StepOptions { dt: S::from_f64(dt), integrator: Integrator::default() }
    }

    /// With another scheme.
    pub fn with(mut self, integrator: Integrator) -> Self {
        self.integrator = integrator;
        self
    }
}

/// What happened in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepReport {
    /// The first link whose motion is no longer finite, if any. The state is then unusable.
    pub diverged: Option<LinkId>,
}

/// Every buffer of a step.
#[derive(Clone, Debug)]
pub struct Workspace<S> {
    /// Poses and velocities at the start of the step (after a Runge-Kutta step: of its last stage).
    pub kin: Kinematics<S>,
    /// Accelerations.
    pub aba: AbaWork<S>,
    /// Joint forces, (nv).
    pub tau: Vec<S>,
    added: Vec<S>,
    activation_rate: Vec<S>,
    start: State<S>,
    stage: Vec<S>,
    rates: Rates<S>,
    sum: Rates<S>,
}

/// The rate of a state, in local coordinates of the configuration.
#[derive(Clone, Debug)]
struct Rates<S> {
    q: Vec<S>,
    v: Vec<S>,
    activation: Vec<S>,
}

impl<S: Scalar> Rates<S> {
    fn new(model: &Model<S>) -> Self {
        let zeros = |n| vec![S::ZERO; n];
        Rates { q: zeros(model.nv()), v: zeros(model.nv()), activation: zeros(model.topology.na) }
    }

    fn clear(&mut self) {
        self.q.fill(S::ZERO);
        self.v.fill(S::ZERO);
        self.activation.fill(S::ZERO);
    }

    fn add(&mut self, weight: S, rates: &Rates<S>) {
        add_scaled(&mut self.q, weight, &rates.q);
        add_scaled(&mut self.v, weight, &rates.v);
        add_scaled(&mut self.activation, weight, &rates.activation);
    }
}

fn add_scaled<S: Scalar>(to: &mut [S], weight: S, from: &[S]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = from.mul_add(weight, *to);
    }
}

impl<S: Scalar> Workspace<S> {
    /// Buffers for a model.
    pub fn new(model: &Model<S>) -> Self {
        let zeros = |n| vec![S::ZERO; n];
        Workspace {
            kin: Kinematics::new(model),
            aba: AbaWork::new(model),
            tau: zeros(model.nv()),
            added: zeros(model.nv()),
            activation_rate: zeros(model.topology.na),
            start: State::neutral(model),
            stage: zeros(model.nv()),
            rates: Rates::new(model),
            sum: Rates::new(model),
        }
    }
}

/// Advances `state` by one time step.
pub fn step<S: Scalar>(
    model: &Model<S>,
    state: &mut State<S>,
    input: &Input<S>,
    options: &StepOptions<S>,
    work: &mut Workspace<S>,
) -> StepReport {
    match options.integrator {
        Integrator::SemiImplicitEuler | Integrator::ImplicitDamping => {
            euler(model, state, input, options, work);
        }
        Integrator::Rk4 => runge_kutta(model, state, input, options.dt, work),
    }
    state.time += options.dt;
    StepReport { diverged: first_diverged(model, state) }
}

fn euler<S: Scalar>(
    model: &Model<S>,
    state: &mut State<S>,
    input: &Input<S>,
    options: &StepOptions<S>,
    work: &mut Workspace<S>,
) {
    let dt = options.dt;
    forces(model, state, input, work);
    if options.integrator == Integrator::ImplicitDamping {
        let Workspace { kin, tau, added, aba, .. } = work;
        implicit_damping(model, &state.q, &state.v, dt, tau, added);
        aba_with_added_inertia(model, kin, tau, &input.external, added, aba);
    } else {
        aba(model, &work.kin, &work.tau, &input.external, &mut work.aba);
    }
    add_scaled(&mut state.v, dt, &work.aba.qdd);
    for (dq, v) in work.stage.iter_mut().zip(&state.v) {
        *dq = *v * dt;
    }
    integrate(model, &mut state.q, &work.stage);
    add_scaled(&mut state.activation, dt, &work.activation_rate);
    limit_activations(model, &mut state.activation);
}

/// Kinematics, and the joint forces that joints, actuators and input make.
fn forces<S: Scalar>(
    model: &Model<S>,
    state: &State<S>,
    input: &Input<S>,
    work: &mut Workspace<S>,
) {
    kinematics(model, &state.q, &mut work.kin);
    velocities(model, &state.v, &mut work.kin);
    let State { q, v, activation, .. } = state;
    let Workspace { tau, activation_rate, .. } = work;
    tau.copy_from_slice(&input.tau);
    actuator_forces(model, q, v, &input.control, activation, tau, activation_rate);
    joint_forces(model, q, v, tau);
}

/// Classical Runge-Kutta in local coordinates about the start of the step. The local coordinates of
/// an orientation are a rotation vector, whose rate is not the angular velocity itself but
/// [`local_rate`] of it; so the order is four on the manifold too [Munthe-Kaas 1999].
fn runge_kutta<S: Scalar>(
    model: &Model<S>,
    state: &mut State<S>,
    input: &Input<S>,
    dt: S,
    work: &mut Workspace<S>,
) {
    let half = S::from_f64(0.5);
    // Field by field: a derived `clone_from` would allocate.
    work.start.q.copy_from_slice(&state.q);
    work.start.v.copy_from_slice(&state.v);
    work.start.activation.copy_from_slice(&state.activation);
    work.sum.clear();
    work.stage.fill(S::ZERO);
    for (weight, next_at) in
        [(1.0, Some(half)), (2.0, Some(half)), (2.0, Some(S::ONE)), (1.0, None)]
    {
        forces(model, state, input, work);
        aba(model, &work.kin, &work.tau, &input.external, &mut work.aba);
        local_rate(model, &work.stage, &state.v, &mut work.rates.q);
        work.rates.v.copy_from_slice(&work.aba.qdd);
        work.rates.activation.copy_from_slice(&work.activation_rate);
        work.sum.add(dt * S::from_f64(weight / 6.0), &work.rates);
        let Workspace { start, stage, rates, sum, .. } = work;
        state.q.copy_from_slice(&start.q);
        state.v.copy_from_slice(&start.v);
        state.activation.copy_from_slice(&start.activation);
        stage.fill(S::ZERO);
        let (change, weight) = match next_at {
            Some(fraction) => (&*rates, fraction * dt),
            None => (&*sum, S::ONE),
        };
        add_scaled(stage, weight, &change.q);
        integrate(model, &mut state.q, stage);
        add_scaled(&mut state.v, weight, &change.v);
        add_scaled(&mut state.activation, weight, &change.activation);
        limit_activations(model, &mut state.activation);
    }
}

fn first_diverged<S: Scalar>(model: &Model<S>, state: &State<S>) -> Option<LinkId> {
    model
        .topology
        .link_ids()
        .find(|id| {
            let joint = &model.topology.links[id.index()].joint;
            let q_is_finite = state.q[joint.q_range()].iter().all(|x| x.is_finite());
            let v_is_finite = state.v[joint.v_range()].iter().all(|x| x.is_finite());
            !(q_is_finite && v_is_finite)
        })
        .or_else(|| {
            let bad = |i: &usize| !state.activation[*i].is_finite();
            let index = (0..state.activation.len()).find(bad)?;
            let drives = |a: &&Actuator| a.activation == Activation::Integrator { index };
            model.topology.actuators.iter().find(drives).map(|a| a.joint.link())
        })
}
