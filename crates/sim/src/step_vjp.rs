//! The adjoint of `step.rs`, stage by stage in reverse order.
//!
//! The trace of the step is only read. [`BackScratch`] holds cotangents of what stages pass to each other;
//! [`StepCotangents`] holds those of the step's own inputs: state, input, parameters and time step.

use gradbody_contact::{
    CollideCotangents, Collided, Impulses, ImpulsesCotangents, ImpulsesGradient, MassTerm, Solver,
    apply_forces_vjp, collide_vjp, impulses_vjp,
};
use gradbody_dynamics::{
    ActuatorCotangents, ActuatorInputs, CoordinateCotangents, DynamicsCotangents,
    ImplicitDampingCotangents, actuator_forces_vjp, implicit_damping_vjp, integrate_vjp,
    joint_forces_vjp, kinematics_vjp, limit_activations_vjp, solved_dynamics_vjp,
};
use gradbody_math::{Scalar, Vec3};
use gradbody_model::{ContactLaw, Model, Params};

use crate::runge_kutta_vjp;
use crate::scratch::{BackScratch, add_scaled, scale_by};
use crate::step::At;
use crate::trace::{Evaluation, Stages};
use crate::{InputCotangents, Integrator, State, StateCotangents, StepScratch, StepTrace, TapsVjp};

/// Cotangents of a step.
#[derive(Clone, Debug)]
pub struct StepCotangents<S> {
    /// Of the state. [`step_vjp`](crate::step_vjp()) replaces that of the state after the step by that of the state
    /// before it.
    pub state: StateCotangents<S>,
    /// Of the input. [`step_vjp`](crate::step_vjp()) adds to it.
    pub input: InputCotangents<S>,
    /// Of the parameters. [`step_vjp`](crate::step_vjp()) adds to them.
    pub params: Params<S>,
    /// Of the time step. [`step_vjp`](crate::step_vjp()) adds to it.
    pub dt: S,
    /// Of the force of each contact of the step, in the order of [`StepTrace::contacts`]; empty if nothing depends on them.
    /// [`step_vjp`](crate::step_vjp()) reads it and leaves it empty.
    pub contact_forces: Vec<Vec3<S>>,
    /// Of the point of each contact, in the same order; empty if nothing depends on them. Read and emptied likewise.
    pub contact_points: Vec<Vec3<S>>,
}

impl<S: Scalar> StepCotangents<S> {
    /// All zero, sized for a model.
    pub fn zero(model: &Model<S>) -> Self {
        StepCotangents {
            state: StateCotangents::zero(model),
            input: InputCotangents::zero(model),
            params: model.params.zeros_like(),
            dt: S::ZERO,
            contact_forces: Vec::new(),
            contact_points: Vec::new(),
        }
    }

    /// Sets all cotangents to zero.
    pub fn clear(&mut self) {
        self.state.clear();
        self.input.clear();
        self.params = self.params.zeros_like();
        self.dt = S::ZERO;
        self.contact_forces.clear();
        self.contact_points.clear();
    }
}

/// The adjoint of [`step`](crate::step). `model` must be the one given to `step`, and `trace` the one it wrote. Turns
/// `bars.state`, the cotangent of the state after the step, into that of the state before it; adds to those of input,
/// parameters and time step.
#[inline(always)]
pub(crate) fn step_vjp<S: Scalar>(
    model: &Model<S>,
    trace: &StepTrace<S>,
    taps: &mut (impl TapsVjp<S> + ?Sized),
    scratch: &mut StepScratch<S>,
    bars: &mut StepCotangents<S>,
) {
    let StepTrace { own_model, stages, .. } = trace;
    assert_eq!(stages.tapped, !taps.is_idle(), "step_vjp needs the taps that the step had");
    debug_assert!(
        bars.contact_forces.is_empty() || bars.contact_forces.len() == trace.contacts().len(),
        "there must be a cotangent for each contact force, or none at all"
    );
    let record = &stages.evaluation.taps;
    if own_model.is_some() {
        taps.begin_model_vjp(&mut bars.params);
    }
    let model = own_model.as_ref().unwrap_or(model);
    scratch.back.begin(&stages.evaluation);
    scratch.back.forces_are_read = !bars.contact_forces.is_empty();
    for (contact, force_bar) in scratch.back.contacts.iter_mut().zip(bars.contact_forces.drain(..))
    {
        contact.force_w += force_bar;
    }
    for (contact, point_bar) in scratch.back.contacts.iter_mut().zip(bars.contact_points.drain(..))
    {
        contact.point_w += point_bar;
    }
    taps.end_vjp(record, trace.contacts(), &mut scratch.back.contacts, &mut bars.state);
    advance_vjp(model, stages, scratch, bars);
    taps.velocity_vjp(record, &mut bars.state.v);
    let may_leave_mass =
        stages.options.integrator != Integrator::Rk4 && !taps.looks_at_accelerations();
    let mass = contact_impulses_vjp(model, stages, may_leave_mass, scratch, bars);
    match stages.options.integrator {
        Integrator::SemiImplicitEuler | Integrator::ImplicitDamping => {
            free_motion_vjp(model, stages, mass, taps, scratch, bars);
        }
        Integrator::Rk4 => runge_kutta_vjp::free_motion_vjp(model, stages, taps, scratch, bars),
    }
    if own_model.is_some() {
        taps.model_vjp(record, &mut bars.params, &mut bars.state, &mut bars.input);
    }
    taps.state_vjp(record, &mut bars.state, &mut bars.input);
}

/// From the state after the step to the velocity and actuator states it moved with. Reads `dq`, the end velocity,
/// `touched`, `activation`; writes `back.dq` and `back.delay`; turns `bars.state` into that of `start.q`, of that
/// velocity and of `activation`; adds to those of parameters and time step.
#[inline(always)]
fn advance_vjp<S: Scalar>(
    model: &Model<S>,
    stages: &Stages<S>,
    scratch: &mut StepScratch<S>,
    bars: &mut StepCotangents<S>,
) {
    let Stages { options, dq, touched, activation, .. } = stages;
    let v_end = stages.v_end();
    let BackScratch { dq: dq_bar, delay: delay_bar, .. } = &mut scratch.back;
    let StateCotangents { q, v, activation: activation_bar, .. } = &mut bars.state;
    limit_activations_vjp(model, activation, activation_bar, &mut bars.params);
    dq_bar.fill(S::ZERO);
    integrate_vjp(model, dq, q, dq_bar);
    for k in 0..v.len() {
        let with_velocity = if options.integrator == Integrator::Rk4 {
            let touched = touched[scratch.roots[k]];
            S::ZERO.select_lt(touched, dq_bar[k], S::ZERO)
        } else {
            dq_bar[k]
        };
        delay_bar[k] = -dq_bar[k];
        dq_bar[k] -= with_velocity;
        v[k] = with_velocity.mul_add(options.dt, v[k]);
        bars.dt = with_velocity.mul_add(v_end[k], bars.dt);
    }
}

/// Adjoint of the impulses, to the velocity without them. Reads `evaluation`, `start`, `problem`, `tape`,
/// `free_motions_w`, `v`, `delay`, `back.delay`; turns `bars.state.v` into that of the velocity without impulses and
/// `bars.state.contact` into that of the impulses of the step before; adds to `bars.state.q`, `bars.params`, `bars.dt`,
/// `back.kin`, `back.contacts` and `back.added_inertia`. If it leaves the mass matrix to [`dynamics_vjp`]
/// ([`MassTerm::Left`]), it writes what that needs to `back.impulses.y` and `.change`.
fn contact_impulses_vjp<S: Scalar>(
    model: &Model<S>,
    stages: &Stages<S>,
    may_leave_mass: bool,
    scratch: &mut StepScratch<S>,
    bars: &mut StepCotangents<S>,
) -> MassTerm {
    let Stages { options, start, evaluation, problem, tape, .. } = stages;
    if problem.is_empty() {
        bars.state.contact.clear();
        return MassTerm::Added;
    }
    let found = Impulses {
        model,
        q: &start.q,
        kin: &evaluation.kin,
        aba: &evaluation.aba,
        v: &stages.v,
        free_motions_w: &stages.free_motions_w,
        contacts: &evaluation.collisions.contacts,
        problem,
        tape,
        demands: &options.contact.demands(options.dt),
        memory: &start.contact,
        delay: stages.delay.get(),
    };
    let BackScratch { kin, contacts, impulses, added_inertia, delay, .. } = &mut scratch.back;
    let mut out = ImpulsesCotangents {
        delay,
        v: &mut bars.state.v,
        q: &mut bars.state.q,
        added_inertia,
        contacts,
        memory: &mut bars.state.contact,
        kin,
        params: &mut bars.params,
        dt: &mut bars.dt,
    };
    let solver = &options.contact.solver;
    let how = ImpulsesGradient { solver, contact: stages.contact_gradient, may_leave_mass };
    impulses_vjp(how, &found, &mut scratch.solver, impulses, &mut out)
}

/// Adjoint of semi-implicit Euler. Reads `evaluation`, and `back` as left by the impulses; turns `bars.state` into that
/// of `start`; adds to the rest of `bars`.
#[inline(always)]
fn free_motion_vjp<S: Scalar>(
    model: &Model<S>,
    stages: &Stages<S>,
    mass: MassTerm,
    taps: &mut (impl TapsVjp<S> + ?Sized),
    scratch: &mut StepScratch<S>,
    bars: &mut StepCotangents<S>,
) {
    let Stages { options, start, input, evaluation, .. } = stages;
    let (back, qdd) = (&mut scratch.back, evaluation.qdd());
    for k in 0..model.nv() {
        back.qdd[k] = bars.state.v[k];
        bars.dt = bars.state.v[k].mul_add(qdd[k], bars.dt);
    }
    for (i, bar) in bars.state.activation.iter().enumerate() {
        back.activation_rate[i] = *bar * options.dt;
        bars.dt = bar.mul_add(evaluation.activation_rate[i], bars.dt);
    }
    // Scaled after the solve, so that a world without contact has the same bits next to one with contact.
    let incoming = Incoming { qdd_scale: options.dt, mass };
    let at = At { model, state: start, input, options };
    accelerations_vjp(at, evaluation, incoming, taps, scratch, bars);
}

/// How the cotangents of accelerations are passed on.
#[derive(Clone, Copy)]
pub(crate) struct Incoming<S> {
    /// Factor to multiply `back.qdd` by.
    pub(crate) qdd_scale: S,
    /// Whether the mass matrix of the impulses is still to be differentiated.
    pub(crate) mass: MassTerm,
}

/// Adjoint of one evaluation of the accelerations. Reads `of`, the cotangents `back.qdd` and `back.activation_rate`,
/// and `back` as left by the impulses; adds to `bars`, as cotangents of `at.state`.
pub(crate) fn accelerations_vjp<S: Scalar>(
    at: At<'_, S>,
    of: &Evaluation<S>,
    mut incoming: Incoming<S>,
    taps: &mut (impl TapsVjp<S> + ?Sized),
    scratch: &mut StepScratch<S>,
    bars: &mut StepCotangents<S>,
) {
    let back = &mut scratch.back;
    if taps.looks_at_accelerations() {
        let scale = std::mem::replace(&mut incoming.qdd_scale, S::ONE);
        scale_by(&mut back.qdd, scale);
        taps.accelerations_vjp(&of.taps, &mut back.qdd);
    }
    dynamics_vjp(at, of, incoming, back, bars);
    sum_joint_forces_vjp(at, of, taps, back, bars);
    if !taps.is_idle() {
        back.before_taps.copy_from(of);
    }
    link_forces_vjp(at, of, taps, back, bars);
    poses_vjp(at, of, taps, scratch, bars);
}

/// Adjoint of forward dynamics. Reads `back.qdd`, or `back.impulses` if the mass matrix was left to it; writes the
/// cotangents of joint forces, in `back.dynamics`, and of link forces, in `back.external`; adds to those of poses,
/// parameters and the added inertia.
fn dynamics_vjp<S: Scalar>(
    at: At<'_, S>,
    of: &Evaluation<S>,
    incoming: Incoming<S>,
    back: &mut BackScratch<S>,
    bars: &mut StepCotangents<S>,
) {
    let At { model, input, options, .. } = at;
    let Evaluation { kin, aba, .. } = of;
    let BackScratch { qdd, mass_times, dynamics, impulses, added_inertia, .. } = back;
    match incoming.mass {
        MassTerm::Left => {
            // With the impulses' change of velocity as an acceleration: M stands to the left of both.
            let rate = options.dt.recip();
            dynamics.tau_bar.copy_from_slice(&impulses.y);
            mass_times.copy_from_slice(&aba.qdd);
            add_scaled(mass_times, rate, &impulses.change);
        }
        MassTerm::Added => {
            dynamics.solve(model, kin, aba, qdd);
            mass_times.copy_from_slice(&aba.qdd);
        }
    }
    scale_by(&mut dynamics.tau_bar, incoming.qdd_scale);
    let out = DynamicsCotangents { kin: &mut back.kin, params: &mut bars.params };
    solved_dynamics_vjp(model, kin, mass_times, of.forces(input), dynamics, out);
    S::vectorised(
        #[inline(always)]
        || {
            for k in 0..added_inertia.len() {
                added_inertia[k] = dynamics.tau_bar[k].neg_mul_add(mass_times[k], added_inertia[k]);
            }
            for (link, bar) in back.external.iter_mut().enumerate() {
                *bar = dynamics.external_bar(link);
            }
        },
    );
}

/// Adjoint of the joint forces. Reads the cotangents of their sum, `back.dynamics.tau_bar` (which it overwrites), of
/// the added inertia and of the rates of actuator states; adds to `bars`.
#[inline(always)]
pub(crate) fn sum_joint_forces_vjp<S: Scalar>(
    at: At<'_, S>,
    of: &Evaluation<S>,
    taps: &mut (impl TapsVjp<S> + ?Sized),
    back: &mut BackScratch<S>,
    bars: &mut StepCotangents<S>,
) {
    let At { model, state: State { q, v, activation, .. }, input, options } = at;
    let BackScratch { dynamics, added_inertia, unlimited_tau, activation_rate, passive, .. } = back;
    let tau = &mut dynamics.tau_bar;
    passive.copy_from_slice(tau);
    let StateCotangents { q: q_bar, v: v_bar, activation: activation_bar, .. } = &mut bars.state;
    let mut coordinates = CoordinateCotangents { q: q_bar, v: v_bar, params: &mut bars.params };
    let stops = options.joint_stops;
    if options.integrator == Integrator::ImplicitDamping {
        let replaced = taps.replaced_joints();
        for &k in replaced {
            tau[k] = S::ZERO;
            added_inertia[k] = S::ZERO;
        }
        let bar = ImplicitDampingCotangents {
            tau,
            added_inertia,
            dt: &mut bars.dt,
            coordinates: coordinates.reborrow(),
        };
        implicit_damping_vjp(model, q, v, stops, options.dt, bar);
        for &k in replaced {
            tau[k] = passive[k];
        }
    }
    taps.passive_forces_vjp(&of.taps, passive);
    joint_forces_vjp(model, q, v, stops, passive, coordinates.reborrow());
    taps.actuator_forces_vjp(&of.taps, tau);
    let inputs = ActuatorInputs { q, v, control: &input.control, activation };
    let bar = ActuatorCotangents {
        tau,
        activation_rate,
        control: &mut bars.input.control,
        activation: activation_bar,
        coordinates,
    };
    actuator_forces_vjp(model, inputs, &input.tau, unlimited_tau, bar);
    add_scaled(&mut bars.input.tau, S::ONE, tau);
}

/// Adjoint of the link forces of input, compliant contacts and taps. Reads `back.external` and the cotangents of
/// contact forces in `back.contacts`; adds to the cotangents of input, contacts and poses. The cotangent of a rigid
/// contact's force is also that of the part that taps added: the force is their sum.
#[inline(always)]
fn link_forces_vjp<S: Scalar>(
    at: At<'_, S>,
    of: &Evaluation<S>,
    taps: &mut (impl TapsVjp<S> + ?Sized),
    back: &mut BackScratch<S>,
    bars: &mut StepCotangents<S>,
) {
    let BackScratch { contacts, kin, external, before_taps, .. } = back;
    taps.wrenches_vjp(&of.taps, &of.kin, &mut before_taps.external, external, kin);
    S::vectorised(
        #[inline(always)]
        || {
            for (sum, bar) in bars.input.external.iter_mut().zip(external.iter()) {
                *sum += *bar;
            }
        },
    );
    let found = &of.collisions.contacts;
    let with_rigid = taps.acts_at_rigid_contacts();
    if !(with_rigid || found.iter().any(|contact| contact.law == ContactLaw::Compliant)) {
        return;
    }
    let before = if taps.is_idle() {
        apply_forces_vjp(found, &of.kin, false, external, contacts, kin);
        found
    } else {
        let acting = &mut before_taps.contacts;
        apply_forces_vjp(acting, &of.kin, with_rigid, external, contacts, kin);
        taps.contact_forces_vjp(&of.taps, acting, contacts);
        acting
    };
    at.options.contact.compliance.forces_vjp(before, contacts);
}

/// Adjoint of contacts and poses, to the state. Reads the cotangents of contacts and poses in `back`; adds to `bars`.
/// With taps, `back.before_taps` must hold the values before the later taps changed them.
pub(crate) fn poses_vjp<S: Scalar>(
    at: At<'_, S>,
    of: &Evaluation<S>,
    taps: &mut (impl TapsVjp<S> + ?Sized),
    scratch: &mut StepScratch<S>,
    bars: &mut StepCotangents<S>,
) {
    let At { model, state, options, .. } = at;
    let BackScratch { kin: kin_bar, contacts, before_taps, .. } = &mut scratch.back;
    let mut collided =
        Collided { kin: &of.kin, shapes: &of.collisions, contacts: &of.collisions.contacts };
    let mut kin = &of.kin;
    if !taps.is_idle() && options.contact.solver != Solver::Off {
        taps.contacts_vjp(&of.taps, &mut before_taps.contacts, contacts);
        collided.contacts = &before_taps.contacts;
    }
    let out = CollideCotangents { kin: kin_bar, params: &mut bars.params };
    collide_vjp(model, collided, contacts, &mut scratch.collide, out);
    if !taps.is_idle() {
        let (state, input) = (&mut bars.state, &mut bars.input);
        taps.links_vjp(&of.taps, &mut before_taps.kin, kin_bar, state, input);
        kin = &before_taps.kin;
    }
    let StateCotangents { q, v, .. } = &mut bars.state;
    let out = CoordinateCotangents { q, v, params: &mut bars.params };
    kinematics_vjp(model, &state.q, &state.v, kin, kin_bar, out);
}
