//! The adjoint of the impulses: from the velocities after them to those before, and to everything else they depend on.
//!
//! In the forward pass, with J the rows' Jacobian and w the velocity that the solver makes zero where a row presses,
//!
//! ```text
//!   w = J v + J M⁻¹ Jᵀ λ − demand + R λ,       v⁺ = v + M⁻¹ Jᵀ λ
//! ```
//!
//! In the backward pass, u = Fᵀ v̄⁺ gives the cotangent of λ, G u, from which the solver's adjoint finds that of the
//! rows, b̄. With y = M⁻¹ (v̄⁺ + Jᵀ b̄) = F (u + Gᵀ b̄) all else follows from
//!
//! ```text
//!   λ · J y  +  b̄ · J v⁺  −  yᵀ M Δv,          Δv = v⁺ − v
//! ```
//!
//! differentiated with respect to poses alone. A row's J x is the relative motion of two links at a point along a
//! direction, so its cotangents are forces there; those of M come from [`mass_product_vjp`]. Unrolled sweeps have a
//! cotangent of G instead of b̄'s part in y: see `factors`.

mod factors;
mod row_motion;

use gradbody_dynamics::{
    AbaWork, Kinematics, KinematicsCotangents, MassProductWork, Response, impulse_response,
    link_motions_vjp, mass_product_vjp, velocity_change,
};
use gradbody_math::{Force, Mat3, Motion, Scalar, Vec3};
use gradbody_model::{Model, Params};

use crate::joint_rows::POSITION_GAIN;
use crate::problem::{GapOf, contact_frame_vjp};
use crate::{
    Contact, ContactCotangents, ContactGradient, ContactMemory, Demands, JointRow,
    MemoryCotangents, Problem, ProblemCotangents, Solver, SolverWork, StopKind, SweepTape,
};

use factors::{FactorWork, factors_back};
use row_motion::{RowWeights, RowsAt, RowsCotangents};

/// Buffers of [`impulses_vjp`].
#[derive(Clone, Debug)]
pub struct ImpulsesVjpWork<S> {
    rows: ProblemCotangents<S>,
    response: Response<S>,
    mass_product: MassProductWork<S>,
    /// Cotangent of the frame of each of the problem's contacts.
    frames: Vec<Mat3<S>>,
    /// Cotangent of the time within the step at which each contact bounces.
    times: Vec<S>,
    /// Cotangent of u = Gᵀ λ, (nv).
    u_bar: Vec<S>,
    /// y, (nv). Written by `impulses_vjp`.
    pub y: Vec<S>,
    /// Δv, (nv). Written by `impulses_vjp`.
    pub change: Vec<S>,
    /// −y, (nv).
    minus_y: Vec<S>,
    /// The velocity that b̄ is multiplied with, (nv): with the impulses, or without them if the factors have their own
    /// cotangent.
    row_velocity: Vec<S>,
    /// The velocity without impulses, (nv).
    free_velocity: Vec<S>,
    /// Gᵀ times the cotangents of the velocity without impulses, from demands and times of impact, (nv).
    free_u: Vec<S>,
    /// M⁻¹ Jᵀ times the same, (nv).
    free_y: Vec<S>,
    motions_y: Vec<Motion<S>>,
    /// Motions of the links at `row_velocity`.
    row_motions: Vec<Motion<S>>,
    forces_y: Vec<Force<S>>,
    row_forces: Vec<Force<S>>,
    free_forces: Vec<Force<S>>,
    delays: DelayWork<S>,
    factors: FactorWork<S>,
}

/// Buffers of the adjoint of bounces in mid-step.
#[derive(Clone, Debug)]
struct DelayWork<S> {
    /// Fᵀ times the cotangent of the displacement, (nv).
    u: Vec<S>,
    /// x = M⁻¹ times the same cotangent, (nv).
    x: Vec<S>,
    minus_x: Vec<S>,
    motions: Vec<Motion<S>>,
    forces: Vec<Force<S>>,
}

impl<S: Scalar> ImpulsesVjpWork<S> {
    /// Buffers for a model.
    pub fn new(model: &Model<S>) -> Self {
        let zeros = || vec![S::ZERO; model.nv()];
        let motions = || vec![Motion::ZERO; model.n_links()];
        let forces = || vec![Force::ZERO; model.n_links()];
        ImpulsesVjpWork {
            rows: ProblemCotangents::default(),
            response: Response::new(model),
            mass_product: MassProductWork::new(model),
            frames: Vec::new(),
            times: Vec::new(),
            u_bar: zeros(),
            y: zeros(),
            change: zeros(),
            minus_y: zeros(),
            row_velocity: zeros(),
            free_velocity: zeros(),
            free_u: zeros(),
            free_y: zeros(),
            motions_y: motions(),
            row_motions: motions(),
            forces_y: forces(),
            row_forces: forces(),
            free_forces: forces(),
            delays: DelayWork {
                u: zeros(),
                x: zeros(),
                minus_x: zeros(),
                motions: motions(),
                forces: forces(),
            },
            factors: FactorWork::new(model),
        }
    }
}

/// The impulses of a step, and what they were found from.
#[derive(Clone, Copy, Debug)]
pub struct Impulses<'a, S> {
    /// The model.
    pub model: &'a Model<S>,
    /// Configuration at the start of the step.
    pub q: &'a [S],
    /// Poses at the start of the step.
    pub kin: &'a Kinematics<S>,
    /// The forward dynamics of the step.
    pub aba: &'a AbaWork<S>,
    /// Velocity with the impulses, (nv).
    pub v: &'a [S],
    /// Motions of the links without the impulses.
    pub free_motions_w: &'a [Motion<S>],
    /// The contacts.
    pub contacts: &'a [Contact<S>],
    /// The problem with its impulses.
    pub problem: &'a Problem<S>,
    /// The sweeps that found them, if they were recorded.
    pub tape: &'a SweepTape<S>,
    /// The options that turned velocities into demands.
    pub demands: &'a Demands<S>,
    /// The impulses that a warm start began with.
    pub memory: &'a ContactMemory<S>,
    /// Displacement correction for impacts in mid-step, if there are any: M⁻¹ Jᵀ (λ t), see
    /// [`Problem::delays`].
    pub delay: Option<&'a [S]>,
}

/// The cotangents that the adjoint of the impulses reads and adds to.
#[derive(Debug)]
pub struct ImpulsesCotangents<'a, S> {
    /// Of the velocity, (nv): first with the impulses, then without them.
    pub v: &'a mut [S],
    /// Of the displacement correction for impacts in mid-step, (nv); read only.
    pub delay: &'a [S],
    /// Of the configuration, (nv).
    pub q: &'a mut [S],
    /// Of the inertia that was added to the diagonal of the mass matrix, (nv).
    pub added_inertia: &'a mut [S],
    /// Of the contacts.
    pub contacts: &'a mut [ContactCotangents<S>],
    /// Of the memory: first of the stored impulses, then of the recalled ones.
    pub memory: &'a mut MemoryCotangents<S>,
    /// Of poses and velocities.
    pub kin: &'a mut KinematicsCotangents<S>,
    /// Of the parameters.
    pub params: &'a mut Params<S>,
    /// Of the time step.
    pub dt: &'a mut S,
}

/// Options of the adjoint of impulses.
#[derive(Clone, Copy, Debug)]
pub struct ImpulsesGradient<'a> {
    /// The solver that found them.
    pub solver: &'a Solver,
    /// Which derivative to use.
    pub contact: ContactGradient,
    /// Whether the derivative of −yᵀ M Δv may be left to the caller: see [`MassTerm`].
    pub may_leave_mass: bool,
}

/// Whether the derivative of −yᵀ M Δv has been added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MassTerm {
    /// It was added to the cotangents.
    Added,
    /// It is left to the caller. `ImpulsesVjpWork::y` is M⁻¹ times the cotangent of the velocity, so the adjoint of
    /// forward dynamics has the same left factor and can compute both terms at once.
    Left,
}

/// The adjoint of finding the impulses of a step and adding their effect to the velocity. Reads `found`; turns `bars.v`
/// into the cotangent of the velocity without impulses and `bars.memory` into that of the impulses of the step before;
/// adds to the rest of `bars`.
pub fn impulses_vjp<S: Scalar>(
    how: ImpulsesGradient<'_>,
    found: &Impulses<'_, S>,
    solver_work: &mut SolverWork<S>,
    work: &mut ImpulsesVjpWork<S>,
    bars: &mut ImpulsesCotangents<'_, S>,
) -> MassTerm {
    S::vectorised(
        #[inline(always)]
        || stages_back(how, found, solver_work, work, bars),
    )
}

#[inline(always)]
fn stages_back<S: Scalar>(
    how: ImpulsesGradient<'_>,
    found: &Impulses<'_, S>,
    solver_work: &mut SolverWork<S>,
    work: &mut ImpulsesVjpWork<S>,
    bars: &mut ImpulsesCotangents<'_, S>,
) -> MassTerm {
    let Impulses { model, kin, aba, problem, tape, .. } = *found;
    let ImpulsesGradient { solver, contact: gradient, may_leave_mass } = how;
    work.response.prepare(aba);
    work.u_bar.fill(S::ZERO);
    impulse_response(model, kin, aba, &mut work.response, bars.v, &mut work.u_bar);
    work.frames.clear();
    work.frames.resize(problem.contacts.len(), Mat3 { cols: [Vec3::ZERO; 3] });
    work.rows.begin(problem, &work.u_bar);
    if solver.starts_warm() {
        ContactMemory::store_vjp(problem, bars.memory, &mut work.rows, &mut work.frames);
    }
    forces_back(found, work, bars);
    delays_back(found, work, bars);
    solver.impulses_vjp(gradient, problem, tape, solver_work, &mut work.rows, &mut work.u_bar);
    bars.memory.clear();
    if work.rows.of_factors && solver.starts_warm() {
        let ImpulsesVjpWork { rows, frames, .. } = work;
        found.memory.recall_vjp(found.contacts, problem, rows, frames, bars.memory);
    }
    motions(found, work);
    let asks_free_velocity = rows_back(found, work, bars);
    let leaves_mass = may_leave_mass && !work.rows.of_factors;
    if leaves_mass {
        if asks_free_velocity {
            add_free_y(found, work, bars);
        }
    } else {
        for k in 0..model.nv() {
            work.minus_y[k] = -work.y[k];
            bars.added_inertia[k] = work.minus_y[k].mul_add(work.change[k], bars.added_inertia[k]);
        }
        let ImpulsesVjpWork { minus_y, change, mass_product, .. } = work;
        mass_product_vjp(model, kin, minus_y, change, mass_product, bars.kin, bars.params);
    }
    if work.rows.of_factors {
        factors_back(found, work, bars);
    }
    for (rows, frame_bar) in problem.contacts.iter().zip(&work.frames) {
        let normal = found.contacts[rows.contact].normal_w;
        bars.contacts[rows.contact].normal_w += contact_frame_vjp(normal, frame_bar);
    }
    if leaves_mass { MassTerm::Left } else { MassTerm::Added }
}

/// Adds to y the part of rows that depend on the velocity without impulses. That part is not part of −yᵀ M Δv,
/// which is added later, so its contribution is subtracted here.
#[inline(always)]
fn add_free_y<S: Scalar>(
    found: &Impulses<'_, S>,
    work: &mut ImpulsesVjpWork<S>,
    bars: &mut ImpulsesCotangents<'_, S>,
) {
    let Impulses { model, kin, aba, .. } = *found;
    let ImpulsesVjpWork { response, free_u, free_y, y, change, mass_product, .. } = work;
    free_y.fill(S::ZERO);
    velocity_change(model, kin, aba, response, free_u, free_y);
    mass_product_vjp(model, kin, free_y, change, mass_product, bars.kin, bars.params);
    for k in 0..model.nv() {
        bars.added_inertia[k] = free_y[k].mul_add(change[k], bars.added_inertia[k]);
        y[k] += free_y[k];
    }
}

/// Adjoint of [`Problem::write_forces`], if anything depends on the forces.
#[inline(always)]
fn forces_back<S: Scalar>(
    found: &Impulses<'_, S>,
    work: &mut ImpulsesVjpWork<S>,
    bars: &mut ImpulsesCotangents<'_, S>,
) {
    let rate = found.demands.dt.recip();
    for (i, rows) in found.problem.contacts.iter().enumerate() {
        let ContactCotangents { force_w, torque_w, .. } = bars.contacts[rows.contact];
        let row = &mut work.rows.contacts[i];
        let twist = rows.turning.map_or(Vec3::ZERO, |turning| turning.impulse);
        let parts = [
            (force_w, rows.impulse, &mut row.impulse),
            (torque_w, twist, &mut row.turning.impulse),
        ];
        for (bar, impulse, impulse_bar) in parts {
            if bar.is_zero() {
                continue;
            }
            *impulse_bar += rows.frame_w.transpose_mul(bar) * rate;
            for c in 0..3 {
                let col = &mut work.frames[i].cols[c];
                *col = bar.scale_add(impulse[c] * rate, *col);
            }
            *bars.dt -= bar.dot(rows.frame_w * impulse) * rate * rate;
        }
    }
}

/// Adjoint of the displacement correction for impacts in mid-step: to the impulses, and, with x = M⁻¹ times its
/// cotangent, of `λ t · J x − xᵀ M delay`.
#[inline(always)]
fn delays_back<S: Scalar>(
    found: &Impulses<'_, S>,
    work: &mut ImpulsesVjpWork<S>,
    bars: &mut ImpulsesCotangents<'_, S>,
) {
    let Impulses { model, kin, aba, problem, .. } = *found;
    work.times.clear();
    work.times.resize(problem.contacts.len(), S::ZERO);
    let Some(delay) = found.delay else { return };
    let ImpulsesVjpWork { rows: rows_bar, response, mass_product, frames, times, .. } = work;
    let DelayWork { u, x, minus_x, motions, forces } = &mut work.delays;
    u.fill(S::ZERO);
    impulse_response(model, kin, aba, response, bars.delay, u);
    x.fill(S::ZERO);
    velocity_change(model, kin, aba, response, u, x);
    motions.copy_from_slice(response.motions_w());
    forces.fill(Force::ZERO);
    for (i, rows) in problem.contacts.iter().enumerate() {
        let time = rows.impact_time;
        let felt = problem.contact_along(i, u);
        let turning_felt = problem.turning_along(i, u);
        let twist = rows.turning.map_or(Vec3::ZERO, |t| t.impulse);
        let row = &mut rows_bar.contacts[i];
        row.impulse = felt.scale_add(time, row.impulse);
        row.turning.impulse = turning_felt.scale_add(time, row.turning.impulse);
        times[i] = rows.impulse.dot(felt) + twist.dot(turning_felt);
        let weights = RowWeights { along: rows.impulse * time, about: twist * time };
        let at = RowsAt { contact: &found.contacts[rows.contact], rows, kin };
        let out = RowsCotangents {
            frame: &mut frames[i],
            contact: &mut bars.contacts[rows.contact],
            kin: bars.kin,
            motions: forces,
        };
        at.motion_vjp(motions, weights, out);
    }
    link_motions_vjp(model, kin, x, motions, forces, bars.kin, None);
    for k in 0..x.len() {
        minus_x[k] = -x[k];
        bars.added_inertia[k] = minus_x[k].mul_add(delay[k], bars.added_inertia[k]);
    }
    mass_product_vjp(model, kin, minus_x, delay, mass_product, bars.kin, bars.params);
}

/// y, Δv, the velocity that the rows' b̄ is multiplied with, and the motions of links at each.
#[inline(always)]
fn motions<S: Scalar>(found: &Impulses<'_, S>, work: &mut ImpulsesVjpWork<S>) {
    let Impulses { model, kin, aba, v, free_motions_w, problem, .. } = *found;
    work.change.fill(S::ZERO);
    velocity_change(model, kin, aba, &mut work.response, &problem.u, &mut work.change);
    for i in 0..model.n_links() {
        work.row_motions[i] = free_motions_w[i];
        if !work.rows.of_factors {
            work.row_motions[i] += work.response.motions_w()[i];
        }
    }
    for k in 0..model.nv() {
        work.row_velocity[k] = if work.rows.of_factors { v[k] - work.change[k] } else { v[k] };
    }
    work.y.fill(S::ZERO);
    velocity_change(model, kin, aba, &mut work.response, &work.u_bar, &mut work.y);
    work.motions_y.copy_from_slice(work.response.motions_w());
}

/// Adjoint of each row; returns whether part of a demand depends on the velocity without impulses.
#[inline(always)]
fn rows_back<S: Scalar>(
    found: &Impulses<'_, S>,
    work: &mut ImpulsesVjpWork<S>,
    bars: &mut ImpulsesCotangents<'_, S>,
) -> bool {
    let Impulses { model, kin, v, free_motions_w, problem, .. } = *found;
    let ImpulsesVjpWork { motions_y, row_motions, forces_y, row_forces, free_forces, .. } = work;
    forces_y.fill(Force::ZERO);
    row_forces.fill(Force::ZERO);
    free_forces.fill(Force::ZERO);
    let mut asks_free_velocity = false;
    work.free_u.fill(S::ZERO);
    for (i, rows) in problem.contacts.iter().enumerate() {
        let row = work.rows.contacts[i];
        let contact = &found.contacts[rows.contact];
        let (twist, twist_bar) = match &rows.turning {
            Some(turning) => (turning.impulse, row.turning.free),
            None => (Vec3::ZERO, Vec3::ZERO),
        };
        let frame_bar = &mut work.frames[i];
        let bar = &mut bars.contacts[rows.contact];
        let at = RowsAt { contact, rows, kin };
        let mut motion_vjp = |motions: &[Motion<S>], along, about, forces: &mut [Force<S>]| {
            let out = RowsCotangents {
                frame: &mut *frame_bar,
                contact: &mut *bar,
                kin: &mut *bars.kin,
                motions: forces,
            };
            at.motion_vjp(motions, RowWeights { along, about }, out);
        };
        motion_vjp(motions_y, rows.impulse, twist, forces_y);
        motion_vjp(row_motions, row.free, twist_bar, row_forces);
        let material = &mut bar.material;
        material.friction += row.friction;
        material.cfm += row.cfm;
        material.torsional_friction += row.turning.torsional;
        material.rolling_friction += row.turning.rolling;
        let demand_bar = -(row.free.x * (S::ONE - rows.forgone));
        let free = rows.free.x + rows.demand;
        let (demand_by_free, dt_bar) =
            found.demands.normal_velocity_vjp(contact, free, demand_bar, bar);
        let (gap_bar, time_by_free) = found.demands.impact_time_vjp(contact, free, work.times[i]);
        bar.gap += gap_bar;
        let free_bar = demand_by_free + time_by_free;
        *bars.dt += dt_bar;
        if !free_bar.is_zero() {
            asks_free_velocity = true;
            let along = Vec3::new(free_bar, S::ZERO, S::ZERO);
            let out = RowsCotangents {
                frame: frame_bar,
                contact: bar,
                kin: bars.kin,
                motions: free_forces,
            };
            at.motion_vjp(free_motions_w, RowWeights { along, about: Vec3::ZERO }, out);
            problem.contact_spread(i, along, &mut work.free_u);
        }
    }
    for (row, bar) in problem.joints.iter().zip(&work.rows.joints) {
        bars.v[row.coordinate] += bar.free;
        joint_back(found, row, bar.free, (bar.lower, bar.upper), bars);
    }
    let ImpulsesVjpWork { y, row_velocity, free_velocity, .. } = work;
    link_motions_vjp(model, kin, y, motions_y, forces_y, bars.kin, None);
    link_motions_vjp(model, kin, row_velocity, row_motions, row_forces, bars.kin, Some(bars.v));
    if asks_free_velocity {
        // Part of the demand, and the time of a bounce, depend on the velocity without impulses.
        for k in 0..v.len() {
            free_velocity[k] = v[k] - work.change[k];
        }
        let forces = free_forces;
        link_motions_vjp(model, kin, free_velocity, free_motions_w, forces, bars.kin, Some(bars.v));
    }
    asks_free_velocity
}

#[inline(always)]
fn joint_back<S: Scalar>(
    found: &Impulses<'_, S>,
    row: &JointRow<S>,
    free_bar: S,
    (lower_bar, upper_bar): (S, S),
    bars: &mut ImpulsesCotangents<'_, S>,
) {
    let link = row.stop.link.index();
    let joint = &found.model.topology.links[link].joint;
    let params = &found.model.params.joints[link];
    let params_bar = &mut bars.params.joints[link];
    let q = |found: &Impulses<'_, S>| found.q[joint.q_start + row.stop.index];
    let demand_bar = -(free_bar * (S::ONE - row.forgone));
    let gain = S::from_f64(POSITION_GAIN);
    match row.stop.kind {
        StopKind::Friction => {
            let most_bar = upper_bar - lower_bar;
            params_bar.friction = most_bar.mul_add(found.demands.dt, params_bar.friction);
            *bars.dt = most_bar.mul_add(params.friction, *bars.dt);
        }
        StopKind::Lower => {
            let near = row.near();
            let gap = S::ZERO.select_lt(near, q(found) - params.limit_lower, S::ZERO);
            let (gap_bar, _, dt_bar) =
                found.demands.position_vjp(gap, GapOf::JointStop, gain, demand_bar * near);
            bars.q[row.coordinate] += gap_bar;
            params_bar.limit_lower -= gap_bar;
            *bars.dt += dt_bar;
        }
        StopKind::Upper => {
            let near = row.near();
            let gap = S::ZERO.select_lt(near, params.limit_upper - q(found), S::ZERO);
            let (gap_bar, _, dt_bar) =
                found.demands.position_vjp(gap, GapOf::JointStop, gain, -demand_bar * near);
            bars.q[row.coordinate] -= gap_bar;
            params_bar.limit_upper += gap_bar;
            *bars.dt += dt_bar;
        }
    }
}
