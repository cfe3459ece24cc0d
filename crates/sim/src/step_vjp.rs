//! One time step, backwards: the adjoint of `step.rs`, stage by stage in reverse.

use gradbody_contact::{
    Contact, ContactCotangents, ContactGradient, Impulses, ImpulsesCotangents, ImpulsesVjpWork,
    apply_forces_vjp, collide_vjp, impulses_vjp,
};
use gradbody_dynamics::{
    ActuatorCotangents, ActuatorInputs, CoordinateCotangents, DynamicsCotangents,
    ForwardDynamicsVjpWork, ImplicitDampingCotangents, KinematicsCotangents, actuator_forces_vjp,
    implicit_damping_vjp, integrate_vjp, joint_forces_vjp, kinematics_vjp, limit_activations_vjp,
    solved_dynamics_vjp,
};
use gradbody_math::{Motion, Scalar};
use gradbody_model::{ContactLaw, Model, Params};

use crate::runge_kutta_vjp::{self, Stages};
use crate::workspace::add_scaled;
use crate::{
    Input, InputCotangents, Integrator, State, StateCotangents, StepOptions, TapsVjp, Workspace,
};

/// Cotangents of a step.
#[derive(Clone, Debug)]
pub struct StepCotangents<S> {
    /// Of the state: of that after the step, and then of that before it.
    pub state: StateCotangents<S>,
    /// Of the input. Added to.
    pub input: InputCotangents<S>,
    /// Of the parameters. Added to.
    pub params: Params<S>,
    /// Of the time step. Added to.
    pub dt: S,
}

impl<S: Scalar> StepCotangents<S> {
    /// Zero, for a model.
    pub fn zero(model: &Model<S>) -> Self {
        StepCotangents {
            state: StateCotangents::zero(model),
            input: InputCotangents::zero(model),
            params: model.params.zeros_like(),
            dt: S::ZERO,
        }
    }

    /// Sets all to zero.
    pub fn clear(&mut self) {
        self.state.clear();
        self.input.clear();
        self.params = self.params.zeros_like();
        self.dt = S::ZERO;
    }
}

/// Every buffer of [`step_vjp`], sized once.
#[derive(Clone, Debug)]
pub struct StepVjpWork<S> {
    pub(crate) kin: KinematicsCotangents<S>,
    pub(crate) contacts: Vec<ContactCotangents<S>>,
    impulses: ImpulsesVjpWork<S>,
    dynamics: ForwardDynamicsVjpWork<S>,
    pub(crate) qdd: Vec<S>,
    /// What `qdd` is to be multiplied by.
    pub(crate) rate: S,
    pub(crate) activation_rate: Vec<S>,
    /// Of the activations at the start, by what Runge-Kutta evaluates there once more.
    activation: Vec<S>,
    pub(crate) added: Vec<S>,
    pub(crate) dq: Vec<S>,
    /// Cotangent of what bounces fall short by.
    delay: Vec<S>,
    /// Whether the impulses have left the mass matrix to the accelerations.
    mass_is_left: bool,
    /// Joint forces before they are held to the effort limits, (nv). Written by `actuator_forces_vjp`.
    unlimited: Vec<S>,
    /// Cotangents of passive joint forces.
    passive: Vec<S>,
    /// Cotangents of the forces on links.
    external: Vec<Motion<S>>,
    pub(crate) stages: Stages<S>,
}

impl<S: Scalar> StepVjpWork<S> {
    /// Buffers for a model.
    pub fn new(model: &Model<S>) -> Self {
        let zeros = |n| vec![S::ZERO; n];
        let nv = model.nv();
        StepVjpWork {
            kin: KinematicsCotangents::new(model),
            contacts: Vec::new(),
            impulses: ImpulsesVjpWork::new(model),
            dynamics: ForwardDynamicsVjpWork::new(model),
            qdd: zeros(nv),
            rate: S::ONE,
            activation_rate: zeros(model.topology.na),
            activation: zeros(model.topology.na),
            added: zeros(nv),
            dq: zeros(nv),
            delay: zeros(nv),
            mass_is_left: false,
            unlimited: zeros(nv),
            passive: zeros(nv),
            external: vec![Motion::ZERO; model.n_links()],
            stages: Stages::new(model),
        }
    }

    /// Begins a pass over one evaluation of the accelerations.
    pub(crate) fn clear(&mut self, work: &Workspace<S>) {
        self.kin.clear();
        self.contacts.clear();
        self.contacts.resize(work.contacts().len(), ContactCotangents::zero());
        self.added.fill(S::ZERO);
    }
}

/// What a step was taken of, and how.
#[derive(Clone, Copy)]
pub(crate) struct Taken<'a, S> {
    pub(crate) model: &'a Model<S>,
    pub(crate) start: &'a State<S>,
    pub(crate) input: &'a Input<S>,
    pub(crate) options: &'a StepOptions<S>,
}

/// The adjoint of [`step`](crate::step): `bars.state`, the cotangent of the state it ended with, becomes
/// that of `start`, the state it began with; those of input, parameters and time step are added to.
/// `work` is as `step` left it, and is used up; for [`ContactGradient::Unrolled`] it has recorded
/// ([`Workspace::record`]). With Runge-Kutta the taps are called again, forwards too.
#[allow(clippy::too_many_arguments, reason = "one for each argument of the forward stage")]
pub fn step_vjp<S: Scalar>(
    model: &Model<S>,
    start: &State<S>,
    input: &Input<S>,
    options: &StepOptions<S>,
    gradient: ContactGradient,
    taps: &mut impl TapsVjp<S>,
    work: &mut Workspace<S>,
    back: &mut StepVjpWork<S>,
    bars: &mut StepCotangents<S>,
) {
    // Lent out, and given back below.
    let begun =
        taps.changes_state().then(|| std::mem::replace(&mut work.begun, State::without_numbers()));
    let lent = taps.lend_model_again(&mut bars.params);
    let (of, from) = (lent.as_ref().unwrap_or(model), begun.as_ref().unwrap_or(start));
    let taken = Taken { model: of, start: from, input, options };
    step_of_vjp(taken, gradient, taps, work, back, bars);
    if let Some(lent) = lent {
        taps.model_vjp(&mut bars.params, &mut bars.state, &mut bars.input);
        taps.return_model(lent);
    }
    if let Some(begun) = begun {
        taps.state_vjp(&mut bars.state, &mut bars.input);
        work.begun = begun;
    }
}

fn step_of_vjp<S: Scalar>(
    taken: Taken<'_, S>,
    gradient: ContactGradient,
    taps: &mut impl TapsVjp<S>,
    work: &mut Workspace<S>,
    back: &mut StepVjpWork<S>,
    bars: &mut StepCotangents<S>,
) {
    let Taken { model, options, .. } = taken;
    back.clear(work);
    taps.end_vjp(work.contacts(), &mut back.contacts, &mut bars.state);
    advance_vjp(model, options, work, back, bars);
    taps.velocity_vjp(&mut work.v, &mut bars.state.v);
    back.mass_is_left = false;
    let may_leave_mass = options.integrator != Integrator::Rk4 && !taps.looks_at_accelerations();
    contact_impulses_vjp(taken, gradient, may_leave_mass, work, back, bars);
    match options.integrator {
        Integrator::SemiImplicitEuler | Integrator::ImplicitDamping => {
            free_motion_vjp(taken, taps, work, back, bars);
        }
        Integrator::Rk4 => {
            runge_kutta_vjp::note_end(back, bars);
            start_vjp(taken, taps, work, back, bars);
            runge_kutta_vjp::free_motion_vjp(taken, taps, work, back, bars);
            add_scaled(&mut bars.state.activation, S::ONE, &back.activation);
        }
    }
}

/// Back over what Runge-Kutta evaluates at the start for rigid contacts, and for taps; its accelerations
/// are not used.
fn start_vjp<S: Scalar>(
    taken: Taken<'_, S>,
    taps: &mut impl TapsVjp<S>,
    work: &mut Workspace<S>,
    back: &mut StepVjpWork<S>,
    bars: &mut StepCotangents<S>,
) {
    back.activation.fill(S::ZERO);
    if taps.is_idle() {
        return poses_vjp(taken, taps, work, back, bars);
    }
    // Cotangents of the activations are still of the end; those of the start wait until they are not.
    std::mem::swap(&mut bars.state.activation, &mut back.activation);
    back.qdd.fill(S::ZERO);
    back.rate = S::ONE;
    back.activation_rate.fill(S::ZERO);
    accelerations_vjp(taken, taps, work, back, bars);
    std::mem::swap(&mut bars.state.activation, &mut back.activation);
}

/// Back to the velocity, from the configuration it moved to.
fn advance_vjp<S: Scalar>(
    model: &Model<S>,
    options: &StepOptions<S>,
    work: &Workspace<S>,
    back: &mut StepVjpWork<S>,
    bars: &mut StepCotangents<S>,
) {
    let StateCotangents { q, v, .. } = &mut bars.state;
    back.dq.fill(S::ZERO);
    integrate_vjp(model, &work.dq, q, &mut back.dq);
    for k in 0..v.len() {
        let with_velocity = if options.integrator == Integrator::Rk4 {
            let touched = work.touched[work.roots[k]];
            S::ZERO.select_lt(touched, back.dq[k], S::ZERO)
        } else {
            back.dq[k]
        };
        back.delay[k] = -back.dq[k];
        back.dq[k] -= with_velocity;
        v[k] = with_velocity.mul_add(options.dt, v[k]);
        bars.dt = with_velocity.mul_add(work.v[k], bars.dt);
    }
}

/// Back over the impulses, to the velocity without them. See [`impulses_vjp`] for `may_leave_mass`.
fn contact_impulses_vjp<S: Scalar>(
    taken: Taken<'_, S>,
    gradient: ContactGradient,
    may_leave_mass: bool,
    work: &mut Workspace<S>,
    back: &mut StepVjpWork<S>,
    bars: &mut StepCotangents<S>,
) {
    let Taken { model, start, options, .. } = taken;
    if work.problem.is_empty() {
        return bars.state.contact.clear();
    }
    let Workspace { kin, aba, free_motions_w, collisions, problem, solver, v, .. } = work;
    let found = Impulses {
        delay: work.bounces.then_some(&work.delay),
        model,
        q: &start.q,
        kin,
        aba,
        v,
        free_motions_w,
        contacts: &collisions.contacts,
        problem,
        demands: &options.contact.demands(options.dt),
        memory: &start.contact,
    };
    let mut out = ImpulsesCotangents {
        delay: &back.delay,
        v: &mut bars.state.v,
        q: &mut bars.state.q,
        added: &mut back.added,
        contacts: &mut back.contacts,
        memory: &mut bars.state.contact,
        kin: &mut back.kin,
        params: &mut bars.params,
        dt: &mut bars.dt,
    };
    let law = &options.contact.solver;
    let work = &mut back.impulses;
    back.mass_is_left = impulses_vjp(law, gradient, may_leave_mass, &found, solver, work, &mut out);
}

/// Back over semi-implicit Euler.
fn free_motion_vjp<S: Scalar>(
    taken: Taken<'_, S>,
    taps: &mut impl TapsVjp<S>,
    work: &mut Workspace<S>,
    back: &mut StepVjpWork<S>,
    bars: &mut StepCotangents<S>,
) {
    let Taken { model, start, options, .. } = taken;
    // Scaled after the solve, so that a world without contact has the same bits beside one with.
    back.rate = options.dt;
    for k in 0..model.nv() {
        back.qdd[k] = bars.state.v[k];
        bars.dt = bars.state.v[k].mul_add(work.aba.qdd[k], bars.dt);
    }
    activations_vjp(model, start, options.dt, work, back, bars);
    accelerations_vjp(taken, taps, work, back, bars);
}

/// Back over the actuators' states after `dt`.
pub(crate) fn activations_vjp<S: Scalar>(
    model: &Model<S>,
    start: &State<S>,
    dt: S,
    work: &mut Workspace<S>,
    back: &mut StepVjpWork<S>,
    bars: &mut StepCotangents<S>,
) {
    let activation = &mut work.start.activation;
    activation.copy_from_slice(&start.activation);
    add_scaled(activation, dt, &work.activation_rate);
    limit_activations_vjp(model, activation, &mut bars.state.activation, &mut bars.params);
    for (i, bar) in bars.state.activation.iter().enumerate() {
        back.activation_rate[i] = *bar * dt;
        bars.dt = bar.mul_add(work.activation_rate[i], bars.dt);
    }
}

/// Back over one evaluation of the accelerations, as `work` has it: from the cotangents of these,
/// `back.qdd`, and of the actuators' rates, `back.activation_rate`, and from what contacts have left in
/// `back`, to the state it is of, `taken.start`; adds to `bars`.
pub(crate) fn accelerations_vjp<S: Scalar>(
    taken: Taken<'_, S>,
    taps: &mut impl TapsVjp<S>,
    work: &mut Workspace<S>,
    back: &mut StepVjpWork<S>,
    bars: &mut StepCotangents<S>,
) {
    let Taken { model, start, input, options } = taken;
    if taps.looks_at_accelerations() {
        let rate = std::mem::replace(&mut back.rate, S::ONE);
        back.qdd.iter_mut().for_each(|bar| *bar *= rate);
        taps.accelerations_vjp(&mut work.aba.qdd, &mut back.qdd);
    }
    dynamics_vjp(taken, taps.is_idle(), work, back, bars);
    let State { q, v, activation, .. } = start;
    let StepVjpWork { dynamics, added, unlimited, activation_rate, passive, .. } = back;
    let tau = &mut dynamics.tau_bar;
    passive.copy_from_slice(tau);
    let StateCotangents { q: q_bar, v: v_bar, activation: activation_bar, .. } = &mut bars.state;
    let mut coordinates = CoordinateCotangents { q: q_bar, v: v_bar, params: &mut bars.params };
    let stops = options.joint_stops;
    if options.integrator == Integrator::ImplicitDamping {
        let replaced = taps.replaced_joints();
        for &k in replaced {
            tau[k] = S::ZERO;
            added[k] = S::ZERO;
        }
        let bar = ImplicitDampingCotangents {
            tau,
            added,
            dt: &mut bars.dt,
            coordinates: coordinates.reborrow(),
        };
        implicit_damping_vjp(model, q, v, stops, options.dt, bar);
        for &k in replaced {
            tau[k] = passive[k];
        }
    }
    taps.passive_forces_vjp(passive);
    joint_forces_vjp(model, q, v, stops, passive, coordinates.reborrow());
    taps.actuator_forces_vjp(tau);
    let inputs = ActuatorInputs { q, v, control: &input.control, activation };
    let bar = ActuatorCotangents {
        tau,
        activation_rate,
        control: &mut bars.input.control,
        activation: activation_bar,
        coordinates,
    };
    actuator_forces_vjp(model, inputs, &input.tau, unlimited, bar);
    add_scaled(&mut bars.input.tau, S::ONE, tau);
    link_forces_vjp(options, taps, work, back, bars);
    poses_vjp(taken, taps, work, back, bars);
}

/// Back over forward dynamics, to joint forces, forces on links, poses and velocities.
fn dynamics_vjp<S: Scalar>(
    taken: Taken<'_, S>,
    no_taps: bool,
    work: &mut Workspace<S>,
    back: &mut StepVjpWork<S>,
    bars: &mut StepCotangents<S>,
) {
    let Taken { model, input, options, .. } = taken;
    let Workspace { kin, aba, collisions, external, .. } = work;
    let StepVjpWork { qdd, dynamics, impulses, added, kin: kin_bar, .. } = back;
    let is_compliant = |contact: &Contact<S>| contact.law == ContactLaw::Compliant;
    let compliant = collisions.contacts.iter().any(is_compliant);
    let gathered = if compliant || !no_taps { &*external } else { &input.external };
    let out = DynamicsCotangents { kin: kin_bar, params: &mut bars.params };
    if back.mass_is_left {
        // With the impulses' change of velocity as an acceleration: M stands to the left of both.
        let rate = options.dt.recip();
        dynamics.tau_bar.copy_from_slice(&impulses.y);
        for k in 0..qdd.len() {
            qdd[k] = impulses.change[k].mul_add(rate, aba.qdd[k]);
        }
    } else {
        dynamics.solve(model, kin, aba, qdd);
        qdd.copy_from_slice(&aba.qdd);
    }
    dynamics.tau_bar.iter_mut().for_each(|z| *z *= back.rate);
    solved_dynamics_vjp(model, kin, qdd, gathered, dynamics, out);
    for k in 0..added.len() {
        added[k] = dynamics.tau_bar[k].neg_mul_add(qdd[k], added[k]);
    }
    for (link, bar) in back.external.iter_mut().enumerate() {
        *bar = dynamics.external_bar(link);
    }
}

/// Back over the forces of input, compliant contacts and taps on links, from `back.external`.
fn link_forces_vjp<S: Scalar>(
    options: &StepOptions<S>,
    taps: &mut impl TapsVjp<S>,
    work: &mut Workspace<S>,
    back: &mut StepVjpWork<S>,
    bars: &mut StepCotangents<S>,
) {
    let Workspace { kin, collisions, external, .. } = work;
    let StepVjpWork { contacts, kin: kin_bar, external: external_bar, .. } = back;
    taps.wrenches_vjp(kin, external, external_bar, kin_bar);
    for (sum, bar) in bars.input.external.iter_mut().zip(external_bar.iter()) {
        *sum += *bar;
    }
    let is_compliant = |contact: &Contact<S>| contact.law == ContactLaw::Compliant;
    if !collisions.contacts.iter().any(is_compliant) {
        return;
    }
    apply_forces_vjp(&collisions.contacts, kin, external_bar, contacts, kin_bar);
    taps.contact_forces_vjp(&mut collisions.contacts, contacts);
    options.contact.compliance.forces_vjp(&collisions.contacts, contacts);
}

/// Back over contacts and poses to the state.
pub(crate) fn poses_vjp<S: Scalar>(
    taken: Taken<'_, S>,
    taps: &mut impl TapsVjp<S>,
    work: &mut Workspace<S>,
    back: &mut StepVjpWork<S>,
    bars: &mut StepCotangents<S>,
) {
    let Taken { model, start, .. } = taken;
    let Workspace { kin, collisions, .. } = work;
    taps.contacts_vjp(&mut collisions.contacts, &mut back.contacts);
    collide_vjp(model, kin, collisions, &back.contacts, &mut back.kin, &mut bars.params);
    taps.links_vjp(kin, &mut back.kin, &mut bars.state, &mut bars.input);
    let StateCotangents { q, v, .. } = &mut bars.state;
    let out = CoordinateCotangents { q, v, params: &mut bars.params };
    kinematics_vjp(model, &start.q, &start.v, kin, &mut back.kin, out);
}
