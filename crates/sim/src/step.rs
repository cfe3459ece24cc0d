//! One time step.
//!
//! [`step`] names the stages. The line above each stage says what it reads and writes. Model, options, taps with their
//! record, and scratch are not mentioned unless a later stage reads what this one leaves there. The trace keeps what
//! the stages wrote; [`step_vjp`](crate::step_vjp()) reads it.

use gradbody_contact::{
    CollideOptions, ContactGradient, ContactSolver, FreeMotion, Solved, Solver, apply_forces,
    collide,
};
use gradbody_dynamics::{
    ActuatorInputs, JointStops, aba, aba_with_added_inertia, actuator_forces, implicit_damping,
    integrate, joint_forces, kinematics, limit_activations, link_motions, velocities,
    velocity_change,
};
use gradbody_math::{Force, Scalar};
use gradbody_model::{Activation, Actuator, ContactLaw, LinkId, Model};

use crate::scratch::{add_scaled, sum_scaled};
use crate::trace::{Evaluation, Stages};
use crate::{Input, Integrator, State, StepOptions, StepScratch, StepTrace, Taps, runge_kutta};

/// The outcome of a step. Contact points and forces are in [`StepTrace::contacts`]; the energy that contacts dissipated
/// is [`Problem::energy`](gradbody_contact::Problem::energy) of [`StepTrace::problem`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// The first link whose motion is no longer finite, if any. The state is then unusable.
    pub diverged: Option<LinkId>,
    /// Number of contacts considered, including near ones that do not touch.
    pub contacts: usize,
    /// How well the contact problem was solved.
    pub solved: Solved,
}

/// Where accelerations are evaluated.
#[derive(Clone, Copy)]
pub(crate) struct At<'a, S> {
    pub(crate) model: &'a Model<S>,
    pub(crate) state: &'a State<S>,
    pub(crate) input: &'a Input<S>,
    pub(crate) options: &'a StepOptions<S>,
}

/// Advances `state` by one time step. Reads `state`, `input`; writes `state`, `trace`.
#[inline(always)]
pub(crate) fn step<S: Scalar>(
    model: &Model<S>,
    state: &mut State<S>,
    input: &Input<S>,
    options: &StepOptions<S>,
    taps: &mut (impl Taps<S> + ?Sized),
    trace: &mut StepTrace<S>,
    scratch: &mut StepScratch<S>,
) -> StepReport {
    let StepTrace { own_model, wanted_gradient, stages } = trace;
    stages.contact_gradient = *wanted_gradient;
    // Unrolled sweeps are differentiated one by one.
    stages.tape.record(*wanted_gradient == ContactGradient::Unrolled);
    begin(state, input, options, taps, stages);
    let model = model_of_step(model, taps, own_model, stages);
    match options.integrator {
        Integrator::SemiImplicitEuler | Integrator::ImplicitDamping => {
            free_motion(model, taps, stages, scratch);
        }
        Integrator::Rk4 => runge_kutta::free_motion(model, taps, stages, scratch),
    }
    let solved = contact_impulses(model, state, stages, scratch);
    end_velocity(taps, stages);
    advance(model, state, stages, scratch);
    let contacts = &stages.evaluation.collisions.contacts;
    taps.end(&mut stages.evaluation.taps, contacts, state);
    StepReport { diverged: first_diverged(model, state), contacts: contacts.len(), solved }
}

/// Records what the step begins with. Reads state, input; writes `options`, `tapped`, `input`, `start`.
#[inline(always)]
fn begin<S: Scalar>(
    state: &mut State<S>,
    input: &Input<S>,
    options: &StepOptions<S>,
    taps: &mut (impl Taps<S> + ?Sized),
    stages: &mut Stages<S>,
) {
    taps.state(&mut stages.evaluation.taps, input, state);
    stages.options = *options;
    stages.tapped = !taps.is_idle();
    stages.input.copy_from(input);
    stages.start.copy_from(state);
}

/// The model with the numbers of this step. Reads `model`, start, input; writes `own_model` if taps change numbers.
#[inline(always)]
fn model_of_step<'a, S: Scalar>(
    model: &'a Model<S>,
    taps: &mut (impl Taps<S> + ?Sized),
    own_model: &'a mut Option<Model<S>>,
    stages: &mut Stages<S>,
) -> &'a Model<S> {
    if !taps.changes_model() {
        *own_model = None;
        return model;
    }
    let own = own_model.get_or_insert_with(|| model.clone());
    own.params.copy_from(&model.params);
    let Stages { start, input, evaluation, .. } = stages;
    taps.model(&mut evaluation.taps, input, start, &mut own.params);
    own
}

/// Free motion by semi-implicit Euler. Reads start, input; writes `evaluation`, `v` without impulses, `activation`.
#[inline(always)]
fn free_motion<S: Scalar>(
    model: &Model<S>,
    taps: &mut (impl Taps<S> + ?Sized),
    stages: &mut Stages<S>,
    scratch: &mut StepScratch<S>,
) {
    let Stages { options, input, start, evaluation, activation, v, .. } = stages;
    accelerations(At { model, state: start, input, options }, taps, evaluation, scratch);
    sum_scaled(v, &start.v, options.dt, evaluation.qdd());
    sum_scaled(activation, &start.activation, options.dt, &evaluation.activation_rate);
}

/// Contacts, and the accelerations without rigid contacts. Reads `at`; writes `found`.
pub(crate) fn accelerations<S: Scalar>(
    at: At<'_, S>,
    taps: &mut (impl Taps<S> + ?Sized),
    found: &mut Evaluation<S>,
    scratch: &mut StepScratch<S>,
) {
    let At { model, state, input, options } = at;
    kinematics(model, &state.q, &mut found.kin);
    velocities(model, &state.v, &mut found.kin);
    taps.links(&mut found.taps, input, state, &mut found.kin);
    find_contacts(at, taps, found, scratch);
    link_forces(at, taps, found);
    sum_joint_forces(at, taps, found, scratch);
    let StepScratch { tau, added_inertia, .. } = scratch;
    let external = found.external.get().unwrap_or(&input.external);
    if options.integrator == Integrator::ImplicitDamping {
        aba_with_added_inertia(model, &found.kin, tau, external, added_inertia, &mut found.aba);
    } else {
        aba(model, &found.kin, tau, external, &mut found.aba);
    }
    found.tapped_qdd.skip();
    if taps.looks_at_accelerations() {
        let qdd = found.tapped_qdd.write();
        qdd.copy_from_slice(&found.aba.qdd);
        taps.accelerations(&mut found.taps, qdd);
    }
}

/// Finds where bodies touch. Reads `found.kin`; writes `found.collisions`.
#[inline(always)]
fn find_contacts<S: Scalar>(
    at: At<'_, S>,
    taps: &mut (impl Taps<S> + ?Sized),
    found: &mut Evaluation<S>,
    scratch: &mut StepScratch<S>,
) {
    let contact = &at.options.contact;
    if contact.solver == Solver::Off {
        return found.collisions.contacts.clear();
    }
    let how = CollideOptions {
        dt: at.options.dt,
        detection: contact.detection,
        all_compliant: !contact.solver.is_rigid(),
    };
    collide(at.model, &found.kin, &how, &mut scratch.collide, &mut found.collisions);
    taps.contacts(&mut found.taps, &mut found.collisions.contacts);
}

/// Sums the link forces of input, compliant contacts and taps. Reads input, `found.kin`, `found.collisions`; writes the
/// forces of contacts (of rigid ones those that taps add), `found.applied_w` if taps act at rigid contacts, and
/// `found.external` if any forces other than the input's act.
#[inline(always)]
fn link_forces<S: Scalar>(
    at: At<'_, S>,
    taps: &mut (impl Taps<S> + ?Sized),
    found: &mut Evaluation<S>,
) {
    let Evaluation { kin, collisions, applied_w, external, taps: record, .. } = found;
    let contacts = &mut collisions.contacts;
    let compliant = contacts.iter().any(|c| c.law == ContactLaw::Compliant);
    let with_rigid = taps.acts_at_rigid_contacts();
    external.skip();
    applied_w.clear();
    if !compliant && taps.is_idle() {
        return;
    }
    let external = external.write();
    if at.input.external.is_empty() {
        external.fill(Force::ZERO);
    } else {
        external.copy_from_slice(&at.input.external);
    }
    if compliant || with_rigid {
        at.options.contact.compliance.forces(contacts);
        taps.contact_forces(record, contacts);
        apply_forces(contacts, kin, with_rigid, external);
    }
    if with_rigid {
        applied_w.extend(contacts.iter().map(|contact| contact.force_w));
    }
    taps.wrenches(record, kin, external);
}

/// Joint forces of input, actuators, springs, dampers and friction. Reads state, input; writes `scratch.tau`,
/// `scratch.added_inertia` (with implicit damping) and `found.activation_rate`.
#[inline(always)]
fn sum_joint_forces<S: Scalar>(
    at: At<'_, S>,
    taps: &mut (impl Taps<S> + ?Sized),
    found: &mut Evaluation<S>,
    scratch: &mut StepScratch<S>,
) {
    let At { model, state: State { q, v, activation, .. }, input, options } = at;
    let StepScratch { tau, passive, explicit_tau, added_inertia, .. } = scratch;
    tau.copy_from_slice(&input.tau);
    let inputs = ActuatorInputs { q, v, control: &input.control, activation };
    actuator_forces(model, inputs, tau, &mut found.activation_rate);
    taps.actuator_forces(&mut found.taps, tau);
    passive.fill(S::ZERO);
    joint_forces(model, q, v, options.joint_stops, passive);
    taps.passive_forces(&mut found.taps, passive);
    add_scaled(tau, S::ONE, passive);
    if options.integrator == Integrator::ImplicitDamping {
        let replaced = taps.replaced_joints();
        if !replaced.is_empty() {
            explicit_tau.copy_from_slice(tau);
        }
        implicit_damping(model, q, v, options.joint_stops, options.dt, tau, added_inertia);
        for &k in replaced {
            tau[k] = explicit_tau[k];
            added_inertia[k] = S::ZERO;
        }
    }
}

/// Impulses of rigid contacts and hard joint stops. Reads `evaluation`, `start.q`, `start.contact` (impulses of the
/// step before) and `v` without impulses; writes `problem`, `tape`, `free_motions_w`, contact forces, `v` with
/// impulses, the state's impulses for the next step, and `delay` if there are impacts in mid-step.
fn contact_impulses<S: Scalar>(
    model: &Model<S>,
    state: &mut State<S>,
    stages: &mut Stages<S>,
    scratch: &mut StepScratch<S>,
) -> Solved {
    let Stages { options, start, evaluation, problem, tape, free_motions_w, v, .. } = stages;
    let Evaluation { kin, collisions, applied_w, aba, .. } = evaluation;
    let StepScratch { solver: solver_work, response, delayed_u, .. } = scratch;
    let solver = &options.contact.solver;
    let contacts = &mut collisions.contacts;
    problem.clear();
    stages.delay.skip();
    let hard_stops = options.joint_stops == JointStops::Hard;
    let rigid = contacts.iter().any(|c| c.law == ContactLaw::Rigid);
    state.contact.clear();
    if !(rigid || hard_stops) {
        return Solved::default();
    }
    response.prepare(aba);
    link_motions(model, kin, v, free_motions_w);
    let free = FreeMotion { model, kin, aba, response, motions_w: free_motions_w };
    let demands = options.contact.demands(options.dt);
    let warm = solver.starts_warm();
    S::vectorised(
        #[inline(always)]
        || {
            problem.add_contacts(&free, contacts, &demands);
            if hard_stops {
                problem.add_joints(&free, &start.q, v, &demands);
            }
            if warm {
                start.contact.recall(contacts, problem);
            }
        },
    );
    let solved = solver.impulses(problem, tape, solver_work);
    delayed_u.fill(S::ZERO);
    let bounces = S::vectorised(
        #[inline(always)]
        || {
            if warm {
                state.contact.store(contacts, problem);
            }
            problem.write_forces(contacts, options.dt);
            for (contact, applied_w) in contacts.iter_mut().zip(applied_w.iter()) {
                if contact.law == ContactLaw::Rigid {
                    contact.force_w += *applied_w;
                }
            }
            problem.delays(delayed_u)
        },
    );
    if bounces {
        let delay = stages.delay.write();
        delay.fill(S::ZERO);
        velocity_change(model, kin, aba, response, delayed_u, delay);
    }
    velocity_change(model, kin, aba, response, &problem.u, v);
    solved
}

/// Shows taps the end velocity. Reads `v`; writes `tapped_v` if there are taps.
#[inline(always)]
fn end_velocity<S: Scalar>(taps: &mut (impl Taps<S> + ?Sized), stages: &mut Stages<S>) {
    stages.tapped_v.skip();
    if !taps.is_idle() {
        let v = stages.tapped_v.write();
        v.copy_from_slice(&stages.v);
        taps.velocity(&mut stages.evaluation.taps, v);
    }
}

/// Moves the state to the end of the step. Reads the end velocity, `delay`, `activation` and, for Runge-Kutta, its
/// `dq`, `problem.u` and `scratch.roots`; writes `dq`, the state and, for Runge-Kutta, `touched`.
#[inline(always)]
fn advance<S: Scalar>(
    model: &Model<S>,
    state: &mut State<S>,
    stages: &mut Stages<S>,
    scratch: &StepScratch<S>,
) {
    let Stages { options, v, tapped_v, dq, problem, touched, delay, activation, .. } = stages;
    let v_end = tapped_v.get().unwrap_or(v);
    if options.integrator == Integrator::Rk4 {
        // Trees with impulses move by v_end · dt, as the contacts require; the others by the Runge-Kutta sum.
        touched.fill(S::ZERO);
        for (root, u) in scratch.roots.iter().zip(&problem.u) {
            touched[*root] += u.abs();
        }
        for (k, root) in scratch.roots.iter().enumerate() {
            dq[k] = S::ZERO.select_lt(touched[*root], v_end[k] * options.dt, dq[k]);
        }
    } else {
        for (dq, v) in dq.iter_mut().zip(v_end.iter()) {
            *dq = *v * options.dt;
        }
    }
    if let Some(delay) = delay.get() {
        // Zero in value: bodies move with their new velocity for the whole step. The derivative is that of an impulse
        // that acts from the time of impact on.
        for (dq, delay) in dq.iter_mut().zip(delay.iter()) {
            *dq -= *delay - delay.constant();
        }
    }
    state.v.copy_from_slice(v_end);
    integrate(model, &mut state.q, dq);
    if !activation.is_empty() {
        state.activation.copy_from_slice(activation);
        limit_activations(model, &mut state.activation);
    }
    state.time += options.dt;
}

#[inline(always)]
fn first_diverged<S: Scalar>(model: &Model<S>, state: &State<S>) -> Option<LinkId> {
    // One pass without branches: nearly every step ends with all numbers finite.
    let finite = |numbers: &[S]| numbers.iter().fold(true, |all, x| all & x.is_finite());
    if finite(&state.q) & finite(&state.v) & finite(&state.activation) {
        return None;
    }
    first_where(model, state, |x| !x.is_finite())
}

/// The first link whose motion is not finite in one world.
pub(crate) fn first_diverged_in<S: Scalar>(
    model: &Model<S>,
    state: &State<S>,
    lane: usize,
) -> Option<LinkId> {
    first_where(model, state, |x| !x.lane(lane).is_finite())
}

/// The first link whose state has a number that meets the condition.
fn first_where<S: Scalar>(
    model: &Model<S>,
    state: &State<S>,
    bad: impl Fn(&S) -> bool,
) -> Option<LinkId> {
    model
        .topology
        .link_ids()
        .find(|id| {
            let joint = &model.topology.links[id.index()].joint;
            state.q[joint.q_range()].iter().any(&bad) || state.v[joint.v_range()].iter().any(&bad)
        })
        .or_else(|| {
            let index = state.activation.iter().position(&bad)?;
            let drives = |a: &&Actuator| a.activation == Activation::Integrator { index };
            model.topology.actuators.iter().find(drives).map(|a| a.joint.link())
        })
}
