//! The derivatives of a step with respect to its start and its inputs, from formulas for whole matrices.
//!
//! With a = (v⁺ − v)/dt the acceleration over the step, impulses included, D the inertia that implicit damping adds, and
//! `id` inverse dynamics with all forces on links, a step satisfies
//!
//! ```text
//!   dt (id(q, v, a) + D a − τ(q, v, u)) = 0,      v⁺ = v + dt a,      q⁺ = q ⊕ dt v⁺
//! ```
//!
//! With impulses λ held fixed the change x of v⁺ − v follows from M x = −dt ∂(id + D a − τ), one matrix for all columns
//! (`rnea_jacobian`; the joints' own forces have derivatives on the diagonal alone). M is factorised in the trace. Changes of
//! the impulses are added between its two halves (`contacts_jacobian/`). The forward step is not computed again.

use gradbody_contact::{
    Bounces, ColumnsMut, ContactGradient, ContactsAt, NoSlopes, contact_columns, impulse_columns,
};
use gradbody_dynamics::{
    Addend, CoordinateCotangents, RneaAt, add_force_column, into_factors, joint_forces_vjp,
    mass_columns, out_of_factors, rnea_jacobian, spatial_axes, tree_motion, turn_jacobians,
};
use gradbody_math::{Force, Scalar};
use gradbody_model::{Activation, JointKind, Model};

use super::{LinearPath, LinearStep, LinearWork, NotAnalytical};
use crate::step::At;
use crate::step_vjp::sum_joint_forces_vjp;
use crate::trace::Stages;
use crate::{Integrator, NoTaps, StepCotangents, StepScratch, StepTrace, TapsVjp, step_vjp};

/// Writes the derivatives of the step that left `trace` to `out`, and says how it found them. `model` and `taps` must be
/// those of the step. Nothing is allocated once the first steps with contacts have made room.
///
/// They are those of [`step_vjp`](crate::step_vjp()), row by row: of contacts the implicit gradient, unless the trace asks
/// for another.
pub fn linearise_step(
    model: &Model<f64>,
    trace: &StepTrace<f64>,
    taps: &mut dyn TapsVjp<f64>,
    scratch: &mut StepScratch<f64>,
    work: &mut LinearWork,
    out: &mut LinearStep,
) -> LinearPath {
    let stages = &trace.stages;
    assert_eq!(out.states(), 2 * model.nv() + model.topology.na, "out is of another model");
    let found = match not_analytical(stages) {
        Some(reason) => Err(reason),
        None => f64::vectorised(
            #[inline(always)]
            || analytical(model, stages, scratch, work, out),
        ),
    };
    match found {
        Ok(()) => LinearPath::Analytical,
        Err(reason) => {
            by_rows(model, trace, taps, scratch, work, out);
            LinearPath::RowsOfAdjoint(reason)
        }
    }
}

/// The reason why this step has no formulas, if its options say so.
fn not_analytical(stages: &Stages<f64>) -> Option<NotAnalytical> {
    if stages.options.integrator == Integrator::Rk4 {
        Some(NotAnalytical::RungeKutta)
    } else if stages.tapped {
        Some(NotAnalytical::Taps)
    } else if stages.contact_gradient != ContactGradient::Implicit && !stages.problem.is_empty() {
        Some(NotAnalytical::ContactGradient)
    } else {
        None
    }
}

#[inline(always)]
fn analytical(
    model: &Model<f64>,
    stages: &Stages<f64>,
    scratch: &mut StepScratch<f64>,
    work: &mut LinearWork,
    out: &mut LinearStep,
) -> Result<(), NotAnalytical> {
    let nv = model.nv();
    prepare(model, stages, work);
    out.rows_mut().0.fill(0.0);
    joint_force_columns(model, stages, scratch, work, out);
    let stride = out.stride();
    let (_, x) = out.rows_mut().0.split_at_mut(nv * stride);
    let x = &mut x[..nv * stride];
    link_force_columns(model, stages, work, x, stride);
    let touches = !stages.evaluation.collisions.contacts.is_empty() || !stages.problem.is_empty();
    if touches {
        let LinearWork { chains, axes, start, end, contacts, .. } = &mut *work;
        tree_motion(model, chains, axes, &stages.v, end);
        let solver = &stages.options.contact.solver;
        let demands = &stages.options.contact.demands(stages.options.dt);
        let at = ContactsAt {
            model,
            chains,
            q: &stages.start.q,
            kin: &stages.evaluation.kin,
            axes,
            start,
            end,
            collisions: &stages.evaluation.collisions,
            problem: &stages.problem,
            demands,
            compliance: &stages.options.contact.compliance,
        };
        let slopes =
            solver.impulse_slopes(&stages.problem, &mut scratch.solver, &mut contacts.slopes);
        slopes.map_err(|why| match why {
            NoSlopes::TooManyRows => NotAnalytical::TooManyRows,
            NoSlopes::Inaccurate => NotAnalytical::Inaccurate,
        })?;
        let columns = &mut ColumnsMut { numbers: x, stride };
        let found = contact_columns(&at, &mut scratch.collide, contacts, columns);
        found.map_err(|Bounces| NotAnalytical::Bounces)?;
    }
    mass_columns(
        model,
        &work.chains,
        &work.axes,
        &stages.evaluation.kin,
        &stages.evaluation.aba,
        &mut work.mass,
    );
    into_factors(&work.chains, &work.mass, x, stride);
    if touches {
        let columns = &mut ColumnsMut { numbers: x, stride };
        impulse_columns(&stages.problem, &mut work.contacts, columns);
    }
    out_of_factors(&work.chains, &work.mass, x, stride);
    for k in 0..nv {
        x[k * stride + nv + k] += 1.0;
    }
    position_rows(model, stages, out);
    Ok(())
}

/// Axes and motions at the start, accelerations, and forces on links.
#[inline(always)]
fn prepare(model: &Model<f64>, stages: &Stages<f64>, work: &mut LinearWork) {
    let Stages { options, start, input, evaluation, problem, v, .. } = stages;
    spatial_axes(model, &evaluation.kin, &mut work.axes);
    tree_motion(model, &work.chains, &work.axes, &start.v, &mut work.start);
    let rate = options.dt.recip();
    for k in 0..model.nv() {
        work.qdd[k] = (v[k] - start.v[k]) * rate;
    }
    match evaluation.forces(input) {
        [] => work.forces.fill(Force::ZERO),
        forces => work.forces.copy_from_slice(forces),
    }
    for rows in &problem.contacts {
        let contact = &evaluation.collisions.contacts[rows.contact];
        for (link, sign) in [(contact.link_b, 1.0), (contact.link_a, -1.0)] {
            if let Some(link) = link {
                let lever = contact.point_w - evaluation.kin.bodies[link.index()].pos_w;
                let force = Force { ang: contact.torque_w, lin: contact.force_w } * sign;
                work.forces[link.index()] += force.acting_at(lever);
            }
        }
    }
}

/// Forces of joints, controls and commanded forces, and actuator states: diagonal but for springs of rotations.
#[inline(always)]
fn joint_force_columns(
    model: &Model<f64>,
    stages: &Stages<f64>,
    scratch: &mut StepScratch<f64>,
    work: &mut LinearWork,
    out: &mut LinearStep,
) {
    let Stages { options, start, input, evaluation, activation, .. } = stages;
    let (nv, dt) = (model.nv(), options.dt);
    let LinearWork { qdd, bars, .. } = work;
    bars.state.clear();
    bars.input.clear();
    let back = &mut scratch.back;
    back.dynamics.tau_bar.fill(dt);
    for k in 0..nv {
        back.added_inertia[k] = -dt * qdd[k];
    }
    back.activation_rate.fill(dt);
    let at = At { model, state: start, input, options };
    // Every joint force depends on its own coordinate alone, so the sum of all rows has all derivatives.
    sum_joint_forces_vjp(at, evaluation, &mut NoTaps, back, bars);
    let (controls, n_controls) = out.control_columns();
    let (forces, n_forces) = out.force_columns();
    let (numbers, stride) = out.rows_mut();
    let mut set = |row: usize, column: usize, x: f64| numbers[row * stride + column] += x;
    for k in 0..nv {
        set(nv + k, k, bars.state.q[k]);
        set(nv + k, nv + k, bars.state.v[k]);
        if k < n_forces {
            set(nv + k, forces + k, bars.input.tau[k]);
        }
    }
    let actuators = model.topology.actuators.iter().zip(&model.params.actuators);
    for (i, (actuator, params)) in actuators.enumerate() {
        let k = model.topology.links[actuator.joint.index()].joint.v_start;
        let by_control = bars.input.control[i];
        match actuator.activation {
            Activation::Direct => {
                if i < n_controls {
                    set(nv + k, controls + i, by_control);
                }
            }
            Activation::Integrator { index } => {
                set(nv + k, 2 * nv + index, bars.state.activation[index]);
                let (low, high) = (params.activation_lower, params.activation_upper);
                if low <= activation[index] && activation[index] <= high {
                    set(2 * nv + index, 2 * nv + index, 1.0);
                    if i < n_controls {
                        set(2 * nv + index, controls + i, by_control);
                    }
                }
            }
        }
    }
    rotation_springs(model, stages, scratch, work, out);
}

/// The first of the three coordinates of a joint that turn it by a quaternion, if it has a spring.
#[inline(always)]
fn sprung_rotations(model: &Model<f64>) -> impl Iterator<Item = usize> {
    model.topology.links.iter().zip(&model.params.joints).filter_map(|(link, params)| {
        let first = match link.joint.kind {
            JointKind::Spherical => link.joint.v_start,
            JointKind::Free => link.joint.v_start + 3,
            _ => return None,
        };
        (params.stiffness != 0.0).then_some(first)
    })
}

/// Springs of rotations: three by three numbers, in place of the diagonal.
#[inline(always)]
fn rotation_springs(
    model: &Model<f64>,
    stages: &Stages<f64>,
    scratch: &mut StepScratch<f64>,
    work: &mut LinearWork,
    out: &mut LinearStep,
) {
    if sprung_rotations(model).next().is_none() {
        return;
    }
    let Stages { options, start, .. } = stages;
    let (nv, bars) = (model.nv(), &mut work.bars);
    let tau = &mut scratch.back.passive;
    let (numbers, stride) = out.rows_mut();
    for row in 0..3 {
        tau.fill(0.0);
        sprung_rotations(model).for_each(|first| tau[first + row] = options.dt);
        bars.state.clear();
        let StepCotangents { state, params, .. } = &mut *bars;
        let to = CoordinateCotangents { q: &mut state.q, v: &mut state.v, params };
        joint_forces_vjp(model, &start.q, &start.v, options.joint_stops, tau, to);
        for first in sprung_rotations(model) {
            let columns = first..first + 3;
            let to = &mut numbers[(nv + first + row) * stride..][columns.clone()];
            to.copy_from_slice(&bars.state.q[columns]);
        }
    }
}

/// Inverse dynamics, and the forces of the input, which do not turn with their links.
#[inline(always)]
fn link_force_columns(
    model: &Model<f64>,
    stages: &Stages<f64>,
    work: &mut LinearWork,
    x: &mut [f64],
    stride: usize,
) {
    let Stages { options, start, input, evaluation, .. } = stages;
    let kin = &evaluation.kin;
    let LinearWork { chains, axes, start: motion, rnea, qdd, forces, .. } = work;
    let at = RneaAt { model, chains, kin, axes, v: &start.v, motion };
    let mut out = Addend { numbers: x, stride, factor: -options.dt };
    rnea_jacobian(&at, qdd, forces, rnea, &mut out);
    for (link, force) in input.external.iter().enumerate() {
        if force.ang.is_zero() && force.lin.is_zero() {
            continue;
        }
        let place = (link, kin.bodies[link].pos_w);
        for &j in chains.of_link(link) {
            let turn = axes.axes[j as usize].ang * -options.dt;
            let change = Force { ang: turn.cross(force.ang), lin: turn.cross(force.lin) };
            add_force_column(chains, axes, place, change, j as usize, (x, stride));
        }
    }
}

/// dq⁺ = dq + dt dv⁺; for rotations dq⁺ = Rᵀ dq + dt J dv⁺.
#[inline(always)]
fn position_rows(model: &Model<f64>, stages: &Stages<f64>, out: &mut LinearStep) {
    let (nv, dt) = (model.nv(), stages.options.dt);
    let (numbers, stride) = out.rows_mut();
    let (positions, velocities) = numbers.split_at_mut(nv * stride);
    for k in 0..nv {
        let (to, from) = (&mut positions[k * stride..][..stride], &velocities[k * stride..]);
        for (to, from) in to.iter_mut().zip(from) {
            *to = from * dt;
        }
        to[k] += 1.0;
    }
    turn_jacobians(model, &stages.dq, |turn| {
        let first = turn.first;
        let from = &velocities[first * stride..][..3 * stride];
        for row in 0..3 {
            let to = &mut positions[(first + row) * stride..][..stride];
            let by = turn.by_turn[row] * dt;
            for c in 0..stride {
                to[c] = by.x * from[c] + by.y * from[stride + c] + by.z * from[2 * stride + c];
            }
            for c in 0..3 {
                to[first + c] += turn.by_before[row][c];
            }
        }
    });
}

/// Row by row, by adjoints.
fn by_rows(
    model: &Model<f64>,
    trace: &StepTrace<f64>,
    taps: &mut dyn TapsVjp<f64>,
    scratch: &mut StepScratch<f64>,
    work: &mut LinearWork,
    out: &mut LinearStep,
) {
    let bars = &mut work.bars;
    let (_, controls) = out.control_columns();
    let (_, forces) = out.force_columns();
    let states = out.states();
    let (numbers, stride) = out.rows_mut();
    for row in 0..states {
        bars.state.clear();
        bars.input.clear();
        let state = &mut bars.state;
        let all = state.q.iter_mut().chain(&mut state.v).chain(&mut state.activation);
        all.enumerate().for_each(|(k, x)| *x = if k == row { 1.0 } else { 0.0 });
        step_vjp(model, trace, taps, scratch, bars);
        let state = &bars.state;
        let found = state.q.iter().chain(&state.v).chain(&state.activation);
        let found = found.chain(&bars.input.control[..controls]).chain(&bars.input.tau[..forces]);
        let to = &mut numbers[row * stride..][..stride];
        to.iter_mut().zip(found).for_each(|(to, from)| *to = *from);
    }
}
