//! Coulomb's law, by projected Gauss-Seidel.
//!
//! It finds impulses that satisfy, at each contact,
//!
//! ```text
//!   0 ≤ λₙ ⊥ wₙ ≥ 0,   |λₜ| ≤ μ λₙ,   and where wₜ ≠ 0:  λₜ = −μ λₙ wₜ / |wₜ|
//! ```
//!
//! A sweep solves one contact after another with the others held; alternate sweeps go backwards and forwards. First it
//! solves all three rows for sticking: if that impulse lies inside the friction cone, it is the answer. Otherwise it
//! solves the normal row alone, then the tangents, and projects them onto the disk that the normal impulse allows. The
//! step of the tangents is the same in all directions: only then does the converged friction of a sliding contact
//! oppose its velocity.

use gradbody_math::{Carried, Rounds, Scalar, Sym3, Vec3};
use gradbody_model::Model;

use super::{ContactSolver, Solved, SolverWork, SweepTape, newton, worst};
use crate::Problem;
use crate::contact::CONTACTS_PER_SHAPE;
use crate::geometry::FAR;
use crate::problem::{ContactRows, TurningRows};

/// Options of the solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ncp {
    /// The shape of the friction cone.
    pub cone: Cone,
    /// Maximum number of sweeps over all rows; with `rounds`, at most a few of them.
    pub sweeps: u32,
    /// The residual to reach: by how much rows may miss their conditions [m/s]. With sweeps alone, these end when one
    /// changes velocities by less than this; with 0, only when more would change nothing.
    pub tolerance: f64,
    /// Maximum number of rounds of Newton's method, on all rows together, that follow if a few sweeps have not
    /// converged; with 0 there are only sweeps. It takes over for up to some fifty contacts, and not where sweeps are
    /// recorded to be differentiated one by one.
    pub rounds: u32,
    /// Whether to start from the impulses of the step before, which are then part of the state.
    pub warm_start: bool,
}

impl Default for Ncp {
    /// Tight enough that a body at rest does not drift. With a warm start, one or two sweeps are enough for it.
    fn default() -> Self {
        Ncp { cone: Cone::Circular, sweeps: 100, tolerance: 1e-10, rounds: 100, warm_start: true }
    }
}

/// The tangential impulses that a normal impulse allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cone {
    /// A disk: friction is the same in all directions, as Coulomb's is.
    Circular,
    /// A square along the contact's tangents: up to √2 times too much friction between them.
    Pyramid,
}

/// Bodies are not wedged if the residual, or the last sweep's change, is below this: a tenth of the velocity at which they are to be
/// pushed apart.
#[inline(always)]
fn acceptable<S: Scalar>(problem: &Problem<S>) -> S {
    let mut demand = S::ZERO;
    for rows in &problem.contacts {
        demand = demand.max(rows.demand);
    }
    for row in &problem.joints {
        demand = demand.max(row.demand.abs());
    }
    let tenth = S::from_f64(0.1);
    let far = S::from_f64(FAR);
    demand.select_lt(tenth, far, demand * tenth)
}

/// Diverged if a sweep's change exceeds this multiple of the first sweep's change, or of [`SLOW`] if that is larger.
const EXPLODES: f64 = 10.0;

/// The least change of a first sweep for the test of divergence [m/s].
const SLOW: f64 = 0.01;

/// Buffers of [`Ncp`].
#[derive(Clone, Debug)]
pub struct NcpWork<S> {
    pub(super) contacts: Vec<Steps<S>>,
    pub(super) joints: Vec<S>,
}

impl<S: Scalar> NcpWork<S> {
    /// Buffers for a model.
    pub fn new(model: &Model<S>) -> Self {
        NcpWork {
            contacts: Vec::with_capacity(CONTACTS_PER_SHAPE * model.topology.shapes.len()),
            joints: Vec::with_capacity(3 * model.nv()),
        }
    }
}

impl<S: Scalar> NcpWork<S> {
    /// Makes constants of the steps.
    pub(super) fn stop_derivatives(&mut self) {
        for Steps { block, normal, tangent, tangents: [y, z], spin, roll } in &mut self.contacts {
            let Sym3 { xx, xy, xz, yy, yz, zz } = block;
            for x in [xx, xy, xz, yy, yz, zz, normal, tangent, y, z, spin, roll] {
                *x = x.constant();
            }
        }
        self.joints.iter_mut().for_each(|x| *x = x.constant());
    }
}

/// Reciprocals of the responses of a contact's rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps<S> {
    /// Inverse of the whole block.
    pub(super) block: Sym3<S>,
    pub(super) normal: S,
    pub(super) tangent: S,
    /// Along each tangent separately, for the pyramid.
    pub(super) tangents: [S; 2],
    pub(super) spin: S,
    pub(super) roll: S,
}

impl<S: Scalar> ContactSolver<S> for Ncp {
    fn impulses(
        &self,
        problem: &mut Problem<S>,
        tape: &mut SweepTape<S>,
        work: &mut SolverWork<S>,
    ) -> Solved {
        let SolverWork { ncp: steps, newton, .. } = work;
        let joins = self.rounds > 0 && !tape.records() && newton::is_small(problem);
        let (most, change) = match joins {
            true => (self.sweeps.min(SWEEPS_FIRST), CHANGE * self.effective_tolerance::<S>()),
            false => (self.sweeps, self.effective_tolerance::<S>()),
        };
        let Swept { sweeps, first, mut last } = S::vectorised(
            #[inline(always)]
            || {
                prepare(problem, steps);
                self.sweep_all(problem, tape, steps, most, S::from_f64(change))
            },
        );
        let mut rounds = 0;
        if joins {
            let tolerance = S::from_f64(self.newton_tolerance::<S>());
            rounds = newton::polish(self, problem, steps, newton, tolerance, &mut last);
            if self.tolerance <= LAST_DIGIT {
                newton::finish(self.cone, problem, steps, newton, tolerance, &mut last);
            }
            if S::ORDER > 0 {
                newton::settle(self.cone, problem, steps, newton);
            }
        }
        S::vectorised(
            #[inline(always)]
            || {
                let acceptable = acceptable(problem).max(first * S::from_f64(0.1));
                problem.unsolved = acceptable.select_lt(last, S::ONE, S::ZERO);
                // A further attempt leaves the lanes solved before unchanged.
                problem.residual = S::ZERO.select_lt(problem.live, last, problem.residual);
            },
        );
        Solved { sweeps, rounds, residual: worst(problem.residual), wedged: false }
    }
}

impl Ncp {
    /// Solved up to rounding, without a warm start: for exact derivatives, and comparisons.
    pub fn converged() -> Self {
        Ncp { sweeps: 10_000, tolerance: 1e-13, warm_start: false, ..Ncp::default() }
    }

    /// The tolerance, but not below the precision of the scalar.
    fn effective_tolerance<S: Scalar>(&self) -> f64 {
        if self.tolerance > 0.0 { self.tolerance.max(4.0 * S::EPSILON) } else { 0.0 }
    }

    /// The residual that Newton's method goes for.
    fn newton_tolerance<S: Scalar>(&self) -> f64 {
        if self.tolerance > 0.0 {
            self.tolerance.max(32.0 * S::EPSILON)
        } else {
            512.0 * S::EPSILON
        }
    }

    #[inline(always)]
    fn sweep_all<S: Scalar>(
        &self,
        problem: &mut Problem<S>,
        tape: &mut SweepTape<S>,
        work: &NcpWork<S>,
        most: u32,
        tolerance: S,
    ) -> Swept<S> {
        let NcpWork { contacts: steps, joints: joint_steps } = work;
        tape.begin_attempt(problem);
        let mut state = Sweeping {
            // Converged lanes no longer change, so that a world does not depend on its neighbours.
            live: problem.live,
            problem,
            first: -S::ONE,
            last: S::ZERO,
        };
        // There and back: loads come down a stack in one sweep, support goes up in the next.
        let rounds = Rounds { most, period: 2 };
        let sweeps = S::repeat(
            rounds,
            &mut state,
            #[inline(always)]
            |sweep, state| {
                let Sweeping { problem, live, first, last } = state;
                let backwards = sweep % 2 == 0;
                tape.begin_sweep(*live, backwards);
                let change = self.sweep(problem, steps, joint_steps, tape, *live, backwards);
                *first = first.select_lt(S::ZERO, change, *first);
                *last = S::ZERO.select_lt(*live, change, *last);
                // If bodies are wedged, no impulses may satisfy all demands; the impulses then grow without bound.
                let most = first.max(S::from_f64(SLOW)) * S::from_f64(EXPLODES);
                let grows = change.select_le(most, S::ZERO, S::ONE);
                *live = change.select_le(tolerance, S::ZERO, *live) * (S::ONE - grows);
                *live
            },
        );
        let Sweeping { first, last, .. } = state;
        // Without any sweep nothing has changed.
        Swept { sweeps, first: first.select_lt(S::ZERO, S::ZERO, first), last }
    }

    /// A sweep that is not recorded.
    #[inline(always)]
    pub(super) fn sweep_quietly<S: Scalar>(
        &self,
        problem: &mut Problem<S>,
        steps: &NcpWork<S>,
        live: S,
        backwards: bool,
    ) {
        let mut tape = SweepTape::default();
        self.sweep(problem, &steps.contacts, &steps.joints, &mut tape, live, backwards);
    }

    /// Solves each row once; returns the largest change of a row's velocity [m/s].
    #[inline(always)]
    fn sweep<S: Scalar>(
        &self,
        problem: &mut Problem<S>,
        steps: &[Steps<S>],
        joint_steps: &[S],
        tape: &mut SweepTape<S>,
        live: S,
        backwards: bool,
    ) -> S {
        let mut change = S::ZERO;
        for i in 0..problem.joints.len() {
            let row = &problem.joints[i];
            let w = problem.joint_velocity(i);
            tape.joint(row.impulse, w);
            let wanted = w.neg_mul_add(joint_steps[i], row.impulse);
            let step = while_live(wanted.clamp(row.lower, row.upper) - row.impulse, live);
            change = change.max((step * row.delassus).abs());
            problem.push_joint(i, step);
        }
        let contacts = problem.contacts.len();
        for i in 0..contacts {
            let i = if backwards { contacts - 1 - i } else { i };
            let w = problem.velocity(i);
            let rows = &problem.contacts[i];
            tape.contact(rows.impulse, w);
            let wanted = match self.cone {
                Cone::Circular => in_cone(rows, &steps[i], w),
                Cone::Pyramid => in_pyramid(rows, &steps[i], w),
            };
            let step = (wanted - rows.impulse).map(
                #[inline(always)]
                |x| while_live(x, live),
            );
            let Sym3 { xx, yy, zz, .. } = rows.delassus;
            let tangential = (step.y * yy).abs().max((step.z * zz).abs());
            change = change.max((step.x * xx).abs().max(tangential));
            problem.push(i, step);
            if let Some(turning) = problem.contacts[i].turning {
                let w = problem.turning_velocity(i, &turning);
                let normal = problem.contacts[i].impulse.x;
                tape.contact(turning.impulse, w);
                let wanted = in_turning_cone(&turning, &steps[i], w, normal);
                let step = (wanted - turning.impulse).map(
                    #[inline(always)]
                    |x| while_live(x, live),
                );
                let Vec3 { x, y, z } = turning.delassus;
                let rolling = (step.y * y).abs().max((step.z * z).abs());
                change = change.max((step.x * x).abs().max(rolling));
                problem.twist(i, step);
            }
        }
        change
    }
}

/// Sweeps before Newton's method takes over: a round of it costs as much as some ten sweeps.
const SWEEPS_FIRST: u32 = 8;

/// Who asks for a smaller residual than this [m/s] wants the impulses to the last digit.
const LAST_DIGIT: f64 = 1e-12;

/// They end at a change of this many tolerances: where they converge fast, the residual is then within the tolerance.
const CHANGE: f64 = 10.0;

/// The outcome of sweeps.
struct Swept<S> {
    sweeps: u32,
    /// The largest change of a row's velocity in the first sweep, and in the last one [m/s].
    first: S,
    last: S,
}

/// The state of the iteration between sweeps.
struct Sweeping<'a, S> {
    /// The problem: sweeps change its impulses and u.
    problem: &'a mut Problem<S>,
    /// 1 in lanes that continue, else 0.
    live: S,
    /// The change in the first sweep [m/s]; negative before it.
    first: S,
    /// The change in the last sweep of each lane [m/s].
    last: S,
}

impl<S: Scalar> Carried<S> for Sweeping<'_, S> {
    fn each(&mut self, visit: &mut dyn FnMut(&mut S)) {
        self.problem.each_impulse(visit);
        [&mut self.live, &mut self.first, &mut self.last].into_iter().for_each(visit);
    }
}

/// The step, or zero in lanes that are done: alone, such a world makes no more sweeps.
#[inline(always)]
fn while_live<S: Scalar>(step: S, live: S) -> S {
    if S::LANES == 1 { step } else { step * live }
}

#[inline(always)]
pub(super) fn prepare<S: Scalar>(problem: &Problem<S>, work: &mut NcpWork<S>) {
    work.contacts.clear();
    work.joints.clear();
    // Loops in place of `extend`, whose closures a portable build would not compile for this machine's instructions.
    for row in &problem.joints {
        work.joints.push(inverse_or_zero(row.delassus));
    }
    for rows in &problem.contacts {
        let Sym3 { xx, yy, zz, yz, .. } = rows.delassus;
        // An upper bound of the larger eigenvalue of the tangents' block.
        let half = S::from_f64(0.5);
        let spread = ((yy - zz) * half).squared() + yz.squared();
        let tangent = (yy + zz) * half + spread.sqrt();
        let (spin, roll) = match &rows.turning {
            Some(t) => (t.delassus.x, t.delassus.y.max(t.delassus.z)),
            None => (S::ZERO, S::ZERO),
        };
        let trace = xx + yy + zz;
        let shy = trace.mul_add(S::from_f64(SHY), S::from_f64(1e-30));
        work.contacts.push(Steps {
            block: inverse(rows.delassus, trace, shy),
            normal: least_response(trace).select_lt(xx, xx.max(shy).recip(), S::ZERO),
            tangent: tangent.max(shy).recip(),
            tangents: [yy.max(shy).recip(), zz.max(shy).recip()],
            spin: inverse_or_zero(spin),
            roll: inverse_or_zero(roll),
        });
    }
}

/// The reciprocal of a response; zero for a row that cannot move.
#[inline(always)]
fn inverse_or_zero<S: Scalar>(response: S) -> S {
    let tiny = S::from_f64(1e-30);
    let safe = response.select_lt(tiny, S::ONE, response);
    response.select_lt(tiny, S::ZERO, safe.recip())
}

/// The least response of a contact along a direction, relative to the sum over all three. A mechanism may be unable to
/// move in some directions; this limits the impulse spent on them. Since the inverses only propose steps, it does not
/// change the solution.
pub(super) const SHY: f64 = 1e-6;

/// A contact whose normal responds less than this, relative to the sum, does nothing: it cannot move along it.
const IMMOVABLE: f64 = 1e-10;

/// The same if two bodies cannot move relative to each other at all: a response below this is rounding [1/kg].
const NOTHING: f64 = 1e-18;

/// The response of a normal below which its contact does nothing.
#[inline(always)]
pub(super) fn least_response<S: Scalar>(trace: S) -> S {
    trace.mul_add(S::from_f64(IMMOVABLE), S::from_f64(NOTHING))
}

/// The inverse of a block; if it is nearly singular, as if it responded by at least `shy`.
#[inline(always)]
fn inverse<S: Scalar>(a: Sym3<S>, trace: S, shy: S) -> Sym3<S> {
    // The determinant, relative to that of an isotropic block with the same trace.
    let alike = (trace * S::from_f64(1.0 / 3.0)).powi(3);
    let singular = determinant(&a).select_lt(alike * S::from_f64(SINGULAR), shy, S::ZERO);
    let (xx, yy, zz) = (a.xx + singular, a.yy + singular, a.zz + singular);
    let (xy, xz, yz) = (a.xy, a.xz, a.yz);
    let scale = determinant(&Sym3 { xx, yy, zz, xy, xz, yz }).recip();
    Sym3 {
        xx: yy.mul_add(zz, -(yz * yz)) * scale,
        xy: xz.mul_add(yz, -(xy * zz)) * scale,
        xz: xy.mul_add(yz, -(xz * yy)) * scale,
        yy: xx.mul_add(zz, -(xz * xz)) * scale,
        yz: xy.mul_add(xz, -(xx * yz)) * scale,
        zz: xx.mul_add(yy, -(xy * xy)) * scale,
    }
}

/// A block is nearly singular below this ratio of determinants.
pub(super) const SINGULAR: f64 = 1e-4;

#[inline(always)]
pub(super) fn determinant<S: Scalar>(a: &Sym3<S>) -> S {
    let minor_x = a.yy.mul_add(a.zz, -(a.yz * a.yz));
    let minor_y = a.xz.mul_add(a.yz, -(a.xy * a.zz));
    let minor_z = a.xy.mul_add(a.yz, -(a.xz * a.yy));
    a.xx.mul_add(minor_x, a.xy.mul_add(minor_y, a.xz * minor_z))
}

/// The impulse of a contact alone in the circular cone, given its velocity `w` at its current impulse.
#[inline(always)]
fn in_cone<S: Scalar>(rows: &ContactRows<S>, steps: &Steps<S>, w: Vec3<S>) -> Vec3<S> {
    let stick = rows.impulse - steps.block * w;
    let normal = w.x.neg_mul_add(steps.normal, rows.impulse.x).max(S::ZERO);
    // The change of the normal impulse acts on the tangents.
    let change = normal - rows.impulse.x;
    let wy = rows.delassus.xy.mul_add(change, w.y);
    let wz = rows.delassus.xz.mul_add(change, w.z);
    let y = wy.neg_mul_add(steps.tangent, rows.impulse.y);
    let z = wz.neg_mul_add(steps.tangent, rows.impulse.z);
    let shrink = onto_disk(y, z, rows.friction * normal);
    // Sticking needs λₙ ≥ 0 and |λₜ| ≤ μ λₙ.
    let allowed = rows.friction * stick.x.max(S::ZERO);
    let excess = stick.y.mul_add(stick.y, stick.z * stick.z) - allowed * allowed;
    let excess = stick.x.select_lt(S::ZERO, S::ONE, excess);
    let excess = S::ZERO.select_lt(steps.normal, excess, S::ONE);
    Vec3 {
        x: excess.select_le(S::ZERO, stick.x, normal),
        y: excess.select_le(S::ZERO, stick.y, y * shrink),
        z: excess.select_le(S::ZERO, stick.z, z * shrink),
    }
}

/// The factor that projects a vector onto a disk.
#[inline(always)]
pub(super) fn onto_disk<S: Scalar>(y: S, z: S, radius: S) -> S {
    // A disk of radius zero gives zero with a zero derivative: no friction without pressure.
    let squared = y.mul_add(y, z * z);
    let inside = radius * radius;
    let safe = S::ZERO.select_lt(squared, squared, S::ONE);
    squared.select_lt(inside, S::ONE, radius / safe.sqrt())
}

/// The same in the pyramid, each tangent separately.
#[inline(always)]
fn in_pyramid<S: Scalar>(rows: &ContactRows<S>, steps: &Steps<S>, w: Vec3<S>) -> Vec3<S> {
    let x = w.x.neg_mul_add(steps.normal, rows.impulse.x).max(S::ZERO);
    let change = x - rows.impulse.x;
    let most = rows.friction * x;
    let wy = rows.delassus.xy.mul_add(change, w.y);
    let y = wy.neg_mul_add(steps.tangents[0], rows.impulse.y).clamp(-most, most);
    let wz = rows.delassus.xz.mul_add(change, w.z);
    let wz = rows.delassus.yz.mul_add(y - rows.impulse.y, wz);
    let z = wz.neg_mul_add(steps.tangents[1], rows.impulse.z).clamp(-most, most);
    Vec3 { x, y, z }
}

/// The angular impulse of a contact with this normal impulse.
#[inline(always)]
pub(super) fn in_turning_cone<S: Scalar>(
    rows: &TurningRows<S>,
    steps: &Steps<S>,
    w: Vec3<S>,
    normal: S,
) -> Vec3<S> {
    let most = rows.torsional * normal;
    let x = w.x.neg_mul_add(steps.spin, rows.impulse.x).clamp(-most, most);
    let y = w.y.neg_mul_add(steps.roll, rows.impulse.y);
    let z = w.z.neg_mul_add(steps.roll, rows.impulse.z);
    let shrink = onto_disk(y, z, rows.rolling * normal);
    Vec3 { x, y: y * shrink, z: z * shrink }
}
