//! One time step.

use gradbody_contact::{ContactSolver, FreeMotion, Solved, Solver, apply_forces, collide};
use gradbody_dynamics::{
    ActuatorInputs, JointStops, aba, aba_with_added_inertia, actuator_forces, implicit_damping,
    integrate, joint_forces, kinematics, limit_activations, link_motions, velocities,
    velocity_change,
};
use gradbody_math::{Force, Scalar};
use gradbody_model::{Activation, Actuator, ContactLaw, LinkId, Model};

use crate::workspace::add_scaled;
use crate::{Input, Integrator, State, StepOptions, Taps, Workspace, runge_kutta};

/// What happened in a step. Where bodies touched, and with what forces, is in
/// [`Workspace::contacts`]; the energy that this took is [`Problem::energy`](
/// gradbody_contact::Problem::energy) of the workspace's `problem`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// The first link whose motion is no longer finite, if any. The state is then unusable.
    pub diverged: Option<LinkId>,
    /// Number of contacts looked at, near ones included.
    pub contacts: usize,
    /// How well the contact problem was solved.
    pub solved: Solved,
}

/// Advances `state` by one time step.
pub fn step<S: Scalar>(
    model: &Model<S>,
    state: &mut State<S>,
    input: &Input<S>,
    options: &StepOptions<S>,
    taps: &mut impl Taps<S>,
    work: &mut Workspace<S>,
) -> StepReport {
    taps.state(input, state);
    if taps.changes_state() {
        work.begun.copy_from(state);
    }
    match taps.lend_model(model, input, state) {
        None => step_of(model, state, input, options, taps, work),
        Some(lent) => {
            let report = step_of(&lent, state, input, options, taps, work);
            taps.return_model(lent);
            report
        }
    }
}

fn step_of<S: Scalar>(
    model: &Model<S>,
    state: &mut State<S>,
    input: &Input<S>,
    options: &StepOptions<S>,
    taps: &mut impl Taps<S>,
    work: &mut Workspace<S>,
) -> StepReport {
    match options.integrator {
        Integrator::SemiImplicitEuler | Integrator::ImplicitDamping => {
            free_motion(model, state, input, options, taps, work);
        }
        Integrator::Rk4 => runge_kutta::free_motion(model, state, input, options, taps, work),
    }
    let solved = contact_impulses(model, state, options, work);
    taps.velocity(&mut work.v);
    advance(model, state, options, work);
    taps.end(work.contacts(), state);
    StepReport { diverged: first_diverged(model, state), contacts: work.contacts().len(), solved }
}

/// Free motion by semi-implicit Euler: the velocity it ends with in `work.v`, and the actuators'
/// states in `state`.
fn free_motion<S: Scalar>(
    model: &Model<S>,
    state: &mut State<S>,
    input: &Input<S>,
    options: &StepOptions<S>,
    taps: &mut impl Taps<S>,
    work: &mut Workspace<S>,
) {
    accelerations(model, state, input, options, taps, work);
    work.v.copy_from_slice(&state.v);
    add_scaled(&mut work.v, options.dt, &work.aba.qdd);
    add_scaled(&mut state.activation, options.dt, &work.activation_rate);
    limit_activations(model, &mut state.activation);
}

/// Where bodies touch, and the accelerations without rigid contacts.
pub(crate) fn accelerations<S: Scalar>(
    model: &Model<S>,
    state: &State<S>,
    input: &Input<S>,
    options: &StepOptions<S>,
    taps: &mut impl Taps<S>,
    work: &mut Workspace<S>,
) {
    let State { q, v, activation, .. } = state;
    kinematics(model, q, &mut work.kin);
    velocities(model, v, &mut work.kin);
    taps.links(input, state, &mut work.kin);
    find_contacts(model, options, taps, work);
    let gathered = link_forces(input, options, taps, work);
    let Workspace { kin, tau, passive, activation_rate, added, aba: aba_work, external, .. } = work;
    let external = if gathered { &*external } else { &input.external };
    tau.copy_from_slice(&input.tau);
    let actuator_inputs = ActuatorInputs { q, v, control: &input.control, activation };
    actuator_forces(model, actuator_inputs, tau, activation_rate);
    taps.actuator_forces(tau);
    passive.fill(S::ZERO);
    joint_forces(model, q, v, options.joint_stops, passive);
    taps.passive_forces(passive);
    add_scaled(tau, S::ONE, passive);
    if options.integrator == Integrator::ImplicitDamping {
        let replaced = taps.replaced_joints();
        if !replaced.is_empty() {
            passive.copy_from_slice(tau);
        }
        implicit_damping(model, q, v, options.joint_stops, options.dt, tau, added);
        for &k in replaced {
            tau[k] = passive[k];
            added[k] = S::ZERO;
        }
        aba_with_added_inertia(model, kin, tau, external, added, aba_work);
    } else {
        aba(model, kin, tau, external, aba_work);
    }
    taps.accelerations(&mut aba_work.qdd);
}

fn find_contacts<S: Scalar>(
    model: &Model<S>,
    options: &StepOptions<S>,
    taps: &mut impl Taps<S>,
    work: &mut Workspace<S>,
) {
    let all_compliant = match options.contact.solver {
        Solver::Off => return work.collisions.contacts.clear(),
        solver => !solver.is_rigid(),
    };
    let Workspace { kin, collisions, .. } = work;
    collide(model, kin, options.dt, options.contact.detection, all_compliant, collisions);
    taps.contacts(&mut collisions.contacts);
}

/// Puts the forces of input, compliant contacts and taps together, if there are others than those of
/// input.
fn link_forces<S: Scalar>(
    input: &Input<S>,
    options: &StepOptions<S>,
    taps: &mut impl Taps<S>,
    work: &mut Workspace<S>,
) -> bool {
    let Workspace { kin, collisions, external, .. } = work;
    let contacts = &mut collisions.contacts;
    let compliant = contacts.iter().any(|c| c.law == ContactLaw::Compliant);
    if !compliant && taps.is_idle() {
        return false;
    }
    if input.external.is_empty() {
        external.fill(Force::ZERO);
    } else {
        external.copy_from_slice(&input.external);
    }
    if compliant {
        options.contact.compliance.forces(contacts);
        taps.contact_forces(contacts);
        apply_forces(contacts, kin, external);
    }
    taps.wrenches(kin, external);
    true
}

/// Adds to `work.v` what rigid contacts and hard joint stops do.
fn contact_impulses<S: Scalar>(
    model: &Model<S>,
    state: &mut State<S>,
    options: &StepOptions<S>,
    work: &mut Workspace<S>,
) -> Solved {
    let solver = &options.contact.solver;
    let Workspace { kin, aba, response, free_motions_w, collisions, problem, v, .. } = work;
    let contacts = &mut collisions.contacts;
    problem.clear();
    work.bounces = false;
    let hard_stops = options.joint_stops == JointStops::Hard;
    let rigid = contacts.iter().any(|c| c.law == ContactLaw::Rigid);
    if !(rigid || hard_stops) {
        state.contact.clear();
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
                problem.add_joints(&free, &state.q, v, &demands);
            }
            if warm {
                state.contact.recall(contacts, problem);
            }
        },
    );
    let solved = solver.impulses(problem, &mut work.solver);
    S::vectorised(
        #[inline(always)]
        || {
            if warm {
                state.contact.store(contacts, problem);
            }
            problem.write_forces(contacts, options.dt);
        },
    );
    let passed = &mut work.rates.v;
    passed.fill(S::ZERO);
    work.bounces = problem.delays(passed);
    if work.bounces {
        work.delay.fill(S::ZERO);
        velocity_change(model, kin, aba, response, passed, &mut work.delay);
    }
    velocity_change(model, kin, aba, response, &problem.u, v);
    solved
}

/// Takes over the velocity, and moves with it.
fn advance<S: Scalar>(
    model: &Model<S>,
    state: &mut State<S>,
    options: &StepOptions<S>,
    work: &mut Workspace<S>,
) {
    let Workspace { v, dq, problem, roots, touched, delay, bounces, .. } = work;
    if options.integrator == Integrator::Rk4 {
        // What is in contact moves with the velocity it ends with, as the contacts demand; the rest
        // goes its way of fourth order.
        touched.fill(S::ZERO);
        for (root, u) in roots.iter().zip(&problem.u) {
            touched[*root] += u.abs();
        }
        for (k, root) in roots.iter().enumerate() {
            dq[k] = S::ZERO.select_lt(touched[*root], v[k] * options.dt, dq[k]);
        }
    } else {
        for (dq, v) in dq.iter_mut().zip(v.iter()) {
            *dq = *v * options.dt;
        }
    }
    if *bounces {
        // A bounce moves bodies with their new velocity for the whole step; its derivative is that of an
        // impulse that acts from when they touch on. This has that derivative and no value.
        for (dq, delay) in dq.iter_mut().zip(delay.iter()) {
            *dq -= *delay - delay.constant();
        }
    }
    state.v.copy_from_slice(v);
    integrate(model, &mut state.q, dq);
    state.time += options.dt;
}

fn first_diverged<S: Scalar>(model: &Model<S>, state: &State<S>) -> Option<LinkId> {
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

/// The first link with such a number in its state.
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
