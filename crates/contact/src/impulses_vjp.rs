//! Back from the velocities after impulses to those before, and to everything the impulses depend on.
//!
//! Forwards, with J the rows' Jacobian and w what the solver makes zero where a row presses,
//!
//! ```text
//!   w = J v + J M⁻¹ Jᵀ λ − demand + R λ,       v⁺ = v + M⁻¹ Jᵀ λ
//! ```
//!
//! Backwards: u = Fᵀ v̄⁺ gives the cotangent of λ, G u, from which the solver's adjoint finds that of the
//! rows, b̄. With y = M⁻¹ (v̄⁺ + Jᵀ b̄) = F (u + Gᵀ b̄) all else follows from
//!
//! ```text
//!   λ · J y  +  b̄ · J v⁺  −  yᵀ M Δv,          Δv = v⁺ − v
//! ```
//!
//! differentiated with respect to poses alone: a row's J x is the motion of two links at a point along
//! a direction, so its cotangents are forces there, and those of M are [`mass_product_vjp`]'s. The
//! sweeps' own derivative has a cotangent of G instead of b̄'s part in y: see `factors_back`.

use gradbody_dynamics::{
    AbaWork, Kinematics, KinematicsCotangents, MassProductWork, Response, impulse_response,
    link_motions_vjp, mass_product_vjp, velocity_change,
};
use gradbody_math::{Force, Mat3, Motion, Scalar, Vec3};
use gradbody_model::{LinkId, Model, Params};

use crate::joint_rows::POSITION_GAIN;
use crate::problem::{ContactRows, contact_frame_vjp};
use crate::{
    Contact, ContactCotangents, ContactGradient, ContactMemory, Demands, JointRow,
    MemoryCotangents, Problem, ProblemCotangents, Solver, SolverWork, StopKind,
};

/// Buffers of [`impulses_vjp`].
#[derive(Clone, Debug)]
pub struct ImpulsesVjpWork<S> {
    rows: ProblemCotangents<S>,
    response: Response<S>,
    mass_product: MassProductWork<S>,
    /// Cotangent of the frame of each of the problem's contacts.
    frames: Vec<Mat3<S>>,
    /// Cotangent of the time at which each contact bounces.
    times: Vec<S>,
    u: Vec<S>,
    /// y, (nv). Written by `impulses_vjp`.
    pub y: Vec<S>,
    /// Δv, (nv). Written by `impulses_vjp`.
    pub change: Vec<S>,
    moved: Vec<S>,
    /// Gᵀ times what rows ask of the velocity without impulses alone, (nv).
    kept: Vec<S>,
    unused: Vec<S>,
    motions_y: Vec<Motion<S>>,
    motions_moved: Vec<Motion<S>>,
    forces_y: Vec<Force<S>>,
    forces_moved: Vec<Force<S>>,
    forces_free: Vec<Force<S>>,
    paths: Paths,
    /// The lower part of Gᵀ Ḡ: of each coordinate with those between it and the root.
    products: Vec<S>,
}

/// The coordinates between each coordinate and the root.
#[derive(Clone, Debug)]
struct Paths {
    /// The next one inwards.
    inner: Vec<Option<usize>>,
    /// How many there are.
    depth: Vec<usize>,
    /// The most of any coordinate, itself included.
    longest: usize,
}

impl Paths {
    fn new<S: Scalar>(model: &Model<S>) -> Self {
        let links = &model.topology.links;
        let (mut inner, mut depth) = (Vec::new(), Vec::new());
        for link in links {
            let mut last = link.parent.map(|p| links[p.index()].joint.v_range().end - 1);
            for k in link.joint.v_range() {
                inner.push(last);
                depth.push(last.map_or(0, |last| depth[last] + 1));
                last = Some(k);
            }
        }
        let longest = depth.iter().map(|depth| depth + 1).max().unwrap_or(0);
        Paths { inner, depth, longest }
    }
}

impl<S: Scalar> ImpulsesVjpWork<S> {
    /// Buffers for a model.
    pub fn new(model: &Model<S>) -> Self {
        let zeros = vec![S::ZERO; model.nv()];
        let still = vec![Motion::ZERO; model.n_links()];
        let forces = vec![Force::ZERO; model.n_links()];
        ImpulsesVjpWork {
            rows: ProblemCotangents::default(),
            response: Response::new(model),
            mass_product: MassProductWork::new(model),
            frames: Vec::new(),
            times: Vec::new(),
            u: zeros.clone(),
            y: zeros.clone(),
            change: zeros.clone(),
            moved: zeros.clone(),
            kept: zeros.clone(),
            unused: zeros,
            motions_y: still.clone(),
            motions_moved: still,
            forces_y: forces.clone(),
            forces_moved: forces.clone(),
            forces_free: forces,
            paths: Paths::new(model),
            products: Vec::new(),
        }
    }
}

/// What the impulses of a step were found from, and what was found.
#[derive(Clone, Copy, Debug)]
pub struct Impulses<'a, S> {
    /// The model.
    pub model: &'a Model<S>,
    /// Configuration at the start of the step.
    pub q: &'a [S],
    /// Poses there.
    pub kin: &'a Kinematics<S>,
    /// The forward dynamics of the step.
    pub aba: &'a AbaWork<S>,
    /// Velocity with the impulses, (nv).
    pub v: &'a [S],
    /// Motions of the links without them.
    pub free_motions_w: &'a [Motion<S>],
    /// The contacts.
    pub contacts: &'a [Contact<S>],
    /// The impulses.
    pub problem: &'a Problem<S>,
    /// What turned velocities into demands.
    pub demands: &'a Demands<S>,
    /// What a warm start began with.
    pub memory: &'a ContactMemory<S>,
    /// What bounces fall short by, if there are any: M⁻¹ Jᵀ (λ t), see [`Problem::delays`].
    pub delay: Option<&'a Vec<S>>,
}

/// Where the adjoint of the impulses adds to.
#[derive(Debug)]
pub struct ImpulsesCotangents<'a, S> {
    /// Of the velocity: of that with the impulses, then of that without, (nv).
    pub v: &'a mut [S],
    /// Of what bounces fall short by, (nv).
    pub delay: &'a [S],
    /// Of the configuration, (nv).
    pub q: &'a mut [S],
    /// Of what was added to the diagonal of the mass matrix, (nv).
    pub added: &'a mut [S],
    /// Of the contacts.
    pub contacts: &'a mut [ContactCotangents<S>],
    /// Of the memory: of what was stored, then of what was recalled.
    pub memory: &'a mut MemoryCotangents<S>,
    /// Of poses and velocities.
    pub kin: &'a mut KinematicsCotangents<S>,
    /// Of the parameters.
    pub params: &'a mut Params<S>,
    /// Of the time step.
    pub dt: &'a mut S,
}

/// The adjoint of finding the impulses of a step and adding what they do to the velocity.
///
/// If `may_leave_mass` it may leave out the derivative of −yᵀ M Δv, and say so: then y is M⁻¹ times the
/// cotangent of the velocity it gives, so that who goes back over M from there has the same left side,
/// and can do both at once.
pub fn impulses_vjp<S: Scalar>(
    solver: &Solver,
    gradient: ContactGradient,
    may_leave_mass: bool,
    found: &Impulses<'_, S>,
    solver_work: &mut SolverWork<S>,
    work: &mut ImpulsesVjpWork<S>,
    bars: &mut ImpulsesCotangents<'_, S>,
) -> bool {
    let Impulses { model, kin, aba, problem, .. } = *found;
    work.response.prepare(aba);
    work.u.fill(S::ZERO);
    impulse_response(model, kin, aba, &mut work.response, bars.v, &mut work.u);
    work.frames.clear();
    work.frames.resize(problem.contacts.len(), Mat3 { cols: [Vec3::ZERO; 3] });
    work.rows.begin(problem, &work.u);
    ContactMemory::store_vjp(problem, bars.memory, &mut work.rows, &mut work.frames);
    forces_back(found, work, bars);
    delays_back(found, work, bars);
    solver.impulses_vjp(gradient, problem, solver_work, &mut work.rows, &mut work.u);
    bars.memory.clear();
    if work.rows.of_factors && solver.starts_warm() {
        let ImpulsesVjpWork { rows, frames, .. } = work;
        found.memory.recall_vjp(found.contacts, problem, rows, frames, bars.memory);
    }
    let any_kept = S::vectorised(
        #[inline(always)]
        || {
            motions(found, work);
            rows_back(found, work, bars)
        },
    );
    let leaves_mass = may_leave_mass && !work.rows.of_factors;
    if leaves_mass {
        if any_kept {
            add_kept(found, work, bars);
        }
    } else {
        for k in 0..model.nv() {
            work.unused[k] = -work.y[k];
            bars.added[k] = work.unused[k].mul_add(work.change[k], bars.added[k]);
        }
        let ImpulsesVjpWork { unused, change, mass_product, .. } = work;
        mass_product_vjp(model, kin, unused, change, mass_product, bars.kin, bars.params);
    }
    if work.rows.of_factors {
        factors_back(found, work, bars);
    }
    for (rows, frame_bar) in problem.contacts.iter().zip(&work.frames) {
        let normal = found.contacts[rows.contact].normal_w;
        bars.contacts[rows.contact].normal_w += contact_frame_vjp(normal, frame_bar);
    }
    leaves_mass
}

/// Adds to y what rows ask of the velocity without impulses alone, and takes its part in −yᵀ M Δv, which
/// it does not have, off again.
fn add_kept<S: Scalar>(
    found: &Impulses<'_, S>,
    work: &mut ImpulsesVjpWork<S>,
    bars: &mut ImpulsesCotangents<'_, S>,
) {
    let Impulses { model, kin, aba, .. } = *found;
    let ImpulsesVjpWork { response, kept, moved, y, change, mass_product, .. } = work;
    moved.fill(S::ZERO);
    velocity_change(model, kin, aba, response, kept, moved);
    mass_product_vjp(model, kin, moved, change, mass_product, bars.kin, bars.params);
    for k in 0..model.nv() {
        bars.added[k] = moved[k].mul_add(change[k], bars.added[k]);
        y[k] += moved[k];
    }
}

/// Back over [`Problem::write_forces`], if anything depends on the forces.
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

/// Back over what bounces fall short by: to the impulses, and, with x = M⁻¹ times its cotangent, over
/// `λ t · J x − xᵀ M delay`.
fn delays_back<S: Scalar>(
    found: &Impulses<'_, S>,
    work: &mut ImpulsesVjpWork<S>,
    bars: &mut ImpulsesCotangents<'_, S>,
) {
    let Impulses { model, kin, aba, problem, .. } = *found;
    work.times.clear();
    work.times.resize(problem.contacts.len(), S::ZERO);
    let Some(delay) = found.delay else { return };
    work.moved.fill(S::ZERO);
    impulse_response(model, kin, aba, &mut work.response, bars.delay, &mut work.moved);
    work.y.fill(S::ZERO);
    velocity_change(model, kin, aba, &mut work.response, &work.moved, &mut work.y);
    work.motions_y.copy_from_slice(work.response.motions_w());
    work.forces_y.fill(Force::ZERO);
    for (i, rows) in problem.contacts.iter().enumerate() {
        let time = rows.impact_time;
        let felt = problem.contact_along(i, &work.moved);
        let turning_felt = problem.turning_along(i, &work.moved);
        let twist = rows.turning.map_or(Vec3::ZERO, |t| t.impulse);
        let row = &mut work.rows.contacts[i];
        row.impulse = felt.scale_add(time, row.impulse);
        row.turning.impulse = turning_felt.scale_add(time, row.turning.impulse);
        work.times[i] = rows.impulse.dot(felt) + twist.dot(turning_felt);
        let at = RowsAt { contact: &found.contacts[rows.contact], rows, kin };
        at.motion_vjp(
            &work.motions_y,
            rows.impulse * time,
            twist * time,
            &mut work.frames[i],
            &mut bars.contacts[rows.contact],
            bars.kin,
            &mut work.forces_y,
        );
    }
    let ImpulsesVjpWork { y, motions_y, forces_y, unused, mass_product, .. } = work;
    link_motions_vjp(model, kin, y, motions_y, forces_y, bars.kin, None);
    for k in 0..y.len() {
        unused[k] = -y[k];
        bars.added[k] = unused[k].mul_add(delay[k], bars.added[k]);
    }
    mass_product_vjp(model, kin, unused, delay, mass_product, bars.kin, bars.params);
}

/// y, Δv and the velocity that the rows' b̄ goes with, and the motions of links at each.
#[inline(always)]
fn motions<S: Scalar>(found: &Impulses<'_, S>, work: &mut ImpulsesVjpWork<S>) {
    let Impulses { model, kin, aba, v, free_motions_w, problem, .. } = *found;
    work.change.fill(S::ZERO);
    velocity_change(model, kin, aba, &mut work.response, &problem.u, &mut work.change);
    for i in 0..model.n_links() {
        work.motions_moved[i] = free_motions_w[i];
        if !work.rows.of_factors {
            work.motions_moved[i] += work.response.motions_w()[i];
        }
    }
    for k in 0..model.nv() {
        work.moved[k] = if work.rows.of_factors { v[k] - work.change[k] } else { v[k] };
    }
    work.y.fill(S::ZERO);
    velocity_change(model, kin, aba, &mut work.response, &work.u, &mut work.y);
    work.motions_y.copy_from_slice(work.response.motions_w());
}

/// Back over each row; gives whether part of a demand depends on the velocity without impulses.
#[inline(always)]
fn rows_back<S: Scalar>(
    found: &Impulses<'_, S>,
    work: &mut ImpulsesVjpWork<S>,
    bars: &mut ImpulsesCotangents<'_, S>,
) -> bool {
    let Impulses { model, kin, v, free_motions_w, problem, .. } = *found;
    let zero = Vec3::ZERO;
    work.forces_y.fill(Force::ZERO);
    work.forces_moved.fill(Force::ZERO);
    work.forces_free.fill(Force::ZERO);
    let mut any_kept = false;
    work.kept.fill(S::ZERO);
    for (i, rows) in problem.contacts.iter().enumerate() {
        let row = work.rows.contacts[i];
        let contact = &found.contacts[rows.contact];
        let (twist, twist_bar) = match &rows.turning {
            Some(turning) => (turning.impulse, row.turning.free),
            None => (zero, zero),
        };
        let frame_bar = &mut work.frames[i];
        let bar = &mut bars.contacts[rows.contact];
        let mut along = |motions: &[Motion<S>], weights, turning, forces: &mut [Force<S>]| {
            let at = RowsAt { contact, rows, kin };
            at.motion_vjp(motions, weights, turning, frame_bar, bar, bars.kin, forces);
        };
        along(&work.motions_y, rows.impulse, twist, &mut work.forces_y);
        along(&work.motions_moved, row.free, twist_bar, &mut work.forces_moved);
        let material = &mut bar.material;
        material.friction += row.friction;
        material.cfm += row.cfm;
        material.torsional_friction += row.turning.torsional;
        material.rolling_friction += row.turning.rolling;
        let demand_bar = -(row.free.x * (S::ONE - rows.forgone));
        let free = rows.free.x + rows.demand;
        let (kept_bar, dt_bar) = found.demands.normal_velocity_vjp(contact, free, demand_bar, bar);
        let (gap_bar, closing_bar) = found.demands.impact_time_vjp(contact, free, work.times[i]);
        bar.gap += gap_bar;
        let kept_bar = kept_bar + closing_bar;
        *bars.dt += dt_bar;
        if !kept_bar.is_zero() {
            any_kept = true;
            let at = RowsAt { contact, rows, kin };
            let weights = Vec3::new(kept_bar, S::ZERO, S::ZERO);
            let forces = &mut work.forces_free;
            at.motion_vjp(free_motions_w, weights, zero, frame_bar, bar, bars.kin, forces);
            problem.contact_spread(i, weights, &mut work.kept);
        }
    }
    for (row, bar) in problem.joints.iter().zip(&work.rows.joints) {
        bars.v[row.coordinate] += bar.free;
        joint_back(found, row, bar.free, (bar.lower, bar.upper), bars);
    }
    let ImpulsesVjpWork { y, moved, motions_y, motions_moved, forces_y, forces_moved, .. } = work;
    link_motions_vjp(model, kin, y, motions_y, forces_y, bars.kin, None);
    link_motions_vjp(model, kin, moved, motions_moved, forces_moved, bars.kin, Some(bars.v));
    if any_kept {
        // Part of the demand, and when bodies bounce, depend on the velocity without impulses.
        for k in 0..moved.len() {
            moved[k] = v[k] - work.change[k];
        }
        let forces = &mut work.forces_free;
        link_motions_vjp(model, kin, moved, free_motions_w, forces, bars.kin, Some(bars.v));
    }
    any_kept
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
            let near = row.upper.select_lt(S::from_f64(1.0), S::ZERO, S::ONE);
            let gap = S::ZERO.select_lt(near, q(found) - params.limit_lower, S::ZERO);
            let (gap_bar, _, dt_bar) = found.demands.position_vjp(gap, gain, demand_bar * near);
            bars.q[row.coordinate] += gap_bar;
            params_bar.limit_lower -= gap_bar;
            *bars.dt += dt_bar;
        }
        StopKind::Upper => {
            let near = (-row.lower).select_lt(S::from_f64(1.0), S::ZERO, S::ONE);
            let gap = S::ZERO.select_lt(near, params.limit_upper - q(found), S::ZERO);
            let (gap_bar, _, dt_bar) = found.demands.position_vjp(gap, gain, -demand_bar * near);
            bars.q[row.coordinate] -= gap_bar;
            params_bar.limit_upper += gap_bar;
            *bars.dt += dt_bar;
        }
    }
}

/// The rows of one contact.
struct RowsAt<'a, S> {
    contact: &'a Contact<S>,
    rows: &'a ContactRows<S>,
    kin: &'a Kinematics<S>,
}

impl<S: Scalar> RowsAt<'_, S> {
    /// The adjoint of the relative motion of the contact's links along its rows, times `weights`
    /// (linear) and `turning` (angular): adds to the frame, the point, the links' places, and to the
    /// cotangents of the links' motions.
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "everything that a row's motion depends on")]
    fn motion_vjp(
        &self,
        motions_w: &[Motion<S>],
        weights: Vec3<S>,
        turning: Vec3<S>,
        frame_bar: &mut Mat3<S>,
        bar: &mut ContactCotangents<S>,
        kin_bar: &mut KinematicsCotangents<S>,
        forces: &mut [Force<S>],
    ) {
        let force = self.rows.frame_w * weights;
        let torque = self.rows.frame_w * turning;
        let sides = [(self.contact.link_b, S::ONE), (self.contact.link_a, -S::ONE)];
        for (link, sign) in sides {
            let Some(link) = link.map(LinkId::index) else { continue };
            let lever = self.contact.point_w - self.kin.bodies[link].pos_w;
            let motion = motions_w[link].at(lever) * sign;
            for c in 0..3 {
                let col = &mut frame_bar.cols[c];
                *col = motion.lin.scale_add(weights[c], motion.ang.scale_add(turning[c], *col));
            }
            let point_bar = force.cross(motion.ang);
            bar.point_w += point_bar;
            kin_bar.bodies[link].pos_w -= point_bar;
            let (lin, ang) = (force * sign, torque * sign);
            forces[link] += Force { ang: lever.cross_add(lin, ang), lin };
        }
    }
}

/// From the cotangent Ḡ of the factors to poses and inertias. From G = J F and Fᵀ M F = 1, where F is
/// lower triangular (a coordinate moves itself and those further out) and stays so,
///
/// ```text
///   dG = dJ F + G Ψ,      Ψ + Ψᵀ = −Fᵀ dM F,      Ψ lower triangular
/// ```
fn factors_back<S: Scalar>(
    found: &Impulses<'_, S>,
    work: &mut ImpulsesVjpWork<S>,
    bars: &mut ImpulsesCotangents<'_, S>,
) {
    let Impulses { model, kin, aba, problem, .. } = *found;
    work.products.clear();
    work.products.resize(model.nv() * work.paths.longest, S::ZERO);
    for (i, rows) in problem.contacts.iter().enumerate() {
        let turning = rows.turning.map(|t| t.factors);
        for (factors, turns) in [(Some(rows.factors), false), (turning, true)] {
            let Some(factors) = factors else { continue };
            let coordinates = rows.coordinates.of(&problem.coordinates);
            for row in 0..3 {
                let bar = |g: &Vec3<S>| g[row];
                let factors_bar = factors.of(&work.rows.triples);
                if factors_bar.iter().all(|g| bar(g).is_zero()) {
                    continue;
                }
                work.u.fill(S::ZERO);
                work.moved.fill(S::ZERO);
                let both = factors.of(&problem.triples).iter().zip(factors_bar);
                for (k, (g, g_bar)) in coordinates.iter().zip(both) {
                    work.moved[*k as usize] = bar(g);
                    work.u[*k as usize] = bar(g_bar);
                }
                add_products(coordinates, work);
                work.y.fill(S::ZERO);
                velocity_change(model, kin, aba, &mut work.response, &work.u, &mut work.y);
                work.motions_y.copy_from_slice(work.response.motions_w());
                let mut unit = Vec3::ZERO;
                unit[row] = S::ONE;
                let (along, about) = if turns { (Vec3::ZERO, unit) } else { (unit, Vec3::ZERO) };
                let contact = &found.contacts[rows.contact];
                let at = RowsAt { contact, rows, kin };
                work.forces_y.fill(Force::ZERO);
                at.motion_vjp(
                    &work.motions_y,
                    along,
                    about,
                    &mut work.frames[i],
                    &mut bars.contacts[rows.contact],
                    bars.kin,
                    &mut work.forces_y,
                );
                let ImpulsesVjpWork { y, motions_y, forces_y, .. } = work;
                link_motions_vjp(model, kin, y, motions_y, forces_y, bars.kin, None);
            }
        }
    }
    for row in &problem.joints {
        let factors_bar = row.factors.of(&work.rows.singles);
        if factors_bar.iter().all(|g| g.is_zero()) {
            continue;
        }
        work.u.fill(S::ZERO);
        work.moved.fill(S::ZERO);
        let both = row.factors.of(&problem.singles).iter().zip(factors_bar);
        let coordinates = row.coordinates.of(&problem.coordinates);
        for (k, (g, g_bar)) in coordinates.iter().zip(both) {
            work.moved[*k as usize] = *g;
            work.u[*k as usize] = *g_bar;
        }
        add_products(coordinates, work);
    }
    masses_back(found, work, bars);
}

/// Adds the products of one row: of g in `work.moved` and ḡ in `work.u`.
#[inline(always)]
fn add_products<S: Scalar>(coordinates: &[u32], work: &mut ImpulsesVjpWork<S>) {
    let ImpulsesVjpWork { paths, products, moved, u, .. } = work;
    for k in coordinates.iter().map(|k| *k as usize) {
        let mut at = Some(k);
        while let Some(j) = at {
            let product = &mut products[k * paths.longest + paths.depth[j]];
            *product = moved[k].mul_add(u[j], *product);
            at = paths.inner[j];
        }
    }
}

/// The part of the mass matrix: with P = Gᵀ Ḡ it is `−Σ P_kj (F e_k)ᵀ dM (F e_j)` over k further out than
/// j, and half of that where they are the same. Coordinates at the same depth are taken together: what
/// one of them moves, no other does.
fn masses_back<S: Scalar>(
    found: &Impulses<'_, S>,
    work: &mut ImpulsesVjpWork<S>,
    bars: &mut ImpulsesCotangents<'_, S>,
) {
    let Impulses { model, kin, aba, .. } = *found;
    for depth in 0..work.paths.longest {
        let ImpulsesVjpWork { paths, products, moved, u, .. } = &mut *work;
        let mut any = false;
        for k in 0..model.nv() {
            let is_here = paths.depth[k] == depth;
            u[k] = if is_here { S::ONE } else { S::ZERO };
            let product = products[k * paths.longest + depth];
            moved[k] = -if is_here { product * S::from_f64(0.5) } else { product };
            any |= !product.is_zero();
        }
        if !any {
            continue;
        }
        work.change.fill(S::ZERO);
        velocity_change(model, kin, aba, &mut work.response, &work.moved, &mut work.change);
        work.y.fill(S::ZERO);
        velocity_change(model, kin, aba, &mut work.response, &work.u, &mut work.y);
        let ImpulsesVjpWork { y, change, mass_product, .. } = &mut *work;
        mass_product_vjp(model, kin, y, change, mass_product, bars.kin, bars.params);
        for k in 0..model.nv() {
            bars.added[k] = y[k].mul_add(change[k], bars.added[k]);
        }
    }
}
