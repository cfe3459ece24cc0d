//! Newton's method on all rows at once, where sweeps converge too slowly.
//!
//! Solved impulses are a fixed point of λ = P(λ − D w), the *natural map*: each row takes a step against its own velocity,
//! and P brings the result back to the impulses that are allowed (pressing, inside the friction cone, between a joint's
//! bounds). Its residual λ − P(λ − D w), divided by D, is a velocity: by how much the rows miss their conditions [m/s].
//! The map is piecewise smooth [Alart and Curnier 1991], so that Newton's method converges in a few rounds once it has
//! found which rows press and which slide. Until then it may go in circles. A second attempt from the same impulses then
//! makes shorter steps, each up to the first contact that begins to slide or to part, which finds the contacts that are
//! wedged against each other. If that fails too, some more sweeps are made and it begins again.
//!
//! Where more contacts press than a body needs, their impulses are not unique. The factorised system (`system.rs`) lets
//! each row yield a little, w + R λ in place of w; its solution is unique, and shares a load as equal springs would. Once
//! near it, rounds yield only to the *change* of impulses, w + R dλ, so that they end at w itself: the proximal point
//! method [Rockafellar 1976].
//!
//! Dual numbers end with rounds that change derivatives alone ([`settle`]): differentiating the residual, not the solver.

use gradbody_math::{Carried, Rounds, Scalar, Vec3};
use gradbody_model::Model;

use super::answering::Answering;
use super::coordinates::{seeks, takes};
use super::ncp::{Steps, onto_disk};
use super::system::{
    CORRECTIONS, DERIVATIVES, LAST_CORRECTIONS, MANY_ROWS, NEARLY_EXACT, Rows, Softness, System,
};
use super::{Cone, Ncp, NcpWork};
use crate::Problem;
use crate::contact::CONTACTS_PER_SHAPE;
use crate::problem::ContactRows;

/// Buffers of Newton's method.
#[derive(Clone, Debug)]
pub(super) struct NewtonWork<S> {
    system: System<S>,
    /// The step of the impulses, by row of the system.
    step: Vec<S>,
    /// Impulses that the sweeps have reached, and the best ones so far.
    swept: Vec<S>,
    best: Vec<S>,
    /// Gᵀ λ with its derivatives.
    u: Vec<S>,
}

impl<S: Scalar> NewtonWork<S> {
    /// Buffers with room for every problem of a model that Newton's method takes.
    pub(super) fn new(model: &Model<S>) -> Self {
        let contacts = CONTACTS_PER_SHAPE * model.topology.shapes.len();
        let many = if takes(model.nv()) { usize::MAX } else { MANY_ROWS };
        let groups = (2 * contacts + 3 * model.nv()).min(many);
        let n = (6 * contacts + 3 * model.nv()).min(many);
        NewtonWork {
            system: System::with_room(groups, n, model.nv()),
            step: Vec::with_capacity(n),
            swept: Vec::with_capacity(n),
            best: Vec::with_capacity(n),
            u: Vec::with_capacity(model.nv()),
        }
    }
}

/// An attempt ends after this many rounds without a better residual; with short steps, after twice as many.
const PATIENCE: f64 = 5.0;

/// How soft rows are while impulses are sought: wedged contacts are found sooner if friction is softer.
const SEEKING: Softness = Softness { normal: 1e-8, tangent: 1e-7, joint: 1e-8 };

/// Near a solution: the residual is at most this multiple of the velocity by which rows yield.
const NEAR: f64 = 4.0;

/// Sweeps after an attempt with whole steps and one with short steps.
const SWEEPS_BETWEEN: u32 = 20;

/// Writes the residual of the natural map in the live lanes and, where it is above the tolerance, makes Newton's rounds:
/// then the best impulses found and their residual. Returns the number of rounds.
pub(super) fn polish<S: Scalar>(
    ncp: &Ncp,
    problem: &mut Problem<S>,
    steps: &NcpWork<S>,
    work: &mut NewtonWork<S>,
    tolerance: S,
    residual: &mut S,
) -> u32 {
    let mut live = S::ZERO;
    let start = S::vectorised(
        #[inline(always)]
        || {
            let start = natural_residual(ncp.cone, problem, steps);
            live = tolerance.select_lt(start, problem.live, S::ZERO);
            start
        },
    );
    *residual = start;
    if !live.any() {
        return 0;
    }
    let NewtonWork { system, step, swept, best, .. } = work;
    problem.copy_impulses(swept);
    problem.copy_impulses(best);
    let mut state = Polishing {
        problem,
        live,
        swept,
        best,
        least: start,
        recent: start,
        stale: S::ZERO,
        near: S::ZERO,
        found: S::ZERO,
        short: S::ZERO,
        scale: S::ONE,
    };
    let rounds = S::repeat(Rounds { most: ncp.rounds, period: 1 }, &mut state, |_, state| {
        let mut stuck = S::ZERO;
        S::vectorised(
            #[inline(always)]
            || {
                state.round(ncp.cone, steps, system, step, tolerance);
                let patience = S::from_f64(PATIENCE) * (S::ONE + state.short);
                stuck = patience.select_le(state.stale, state.live, S::ZERO);
            },
        );
        S::when(stuck, state, |state| state.begin_again(ncp, steps, stuck, tolerance));
        state.live
    });
    S::vectorised(
        #[inline(always)]
        || {
            let Polishing { problem, best, least, .. } = state;
            let tried = S::ZERO.select_lt(live, S::ONE, S::ZERO);
            problem.set_impulses(best, tried);
            *residual = S::ZERO.select_lt(tried, least, start);
        },
    );
    rounds
}

/// Gives the impulses of dual numbers the derivative of the solution, and leaves their values as they are.
#[cold]
pub(super) fn settle<S: Scalar>(
    cone: Cone,
    problem: &mut Problem<S>,
    steps: &mut NcpWork<S>,
    work: &mut NewtonWork<S>,
) {
    S::vectorised(
        #[inline(always)]
        || problem.stop_derivatives(&mut work.u),
    );
    // The solution does not depend on D.
    steps.stop_derivatives();
    // Each round settles derivatives of one order more.
    for _ in 0..S::ORDER {
        S::vectorised(
            #[inline(always)]
            || linearise(cone, DERIVATIVES, None, problem, steps, &mut work.system),
        );
        settle_by(CORRECTIONS, cone, problem, steps, work, problem.live);
        let mut weak = S::ZERO;
        S::vectorised(
            #[inline(always)]
            || weak = work.system.nearly_redundant(problem, problem.live),
        );
        if weak.any() {
            let rows = work.system.rows();
            S::vectorised(
                #[inline(always)]
                || work.system.factorise(NEARLY_EXACT, problem, rows),
            );
            settle_by(LAST_CORRECTIONS, cone, problem, steps, work, weak);
        }
    }
}

/// Corrects the derivatives of impulses by the factors at hand, in the lanes of the mask.
fn settle_by<S: Scalar>(
    corrections: u32,
    cone: Cone,
    problem: &mut Problem<S>,
    steps: &NcpWork<S>,
    work: &mut NewtonWork<S>,
    mask: S,
) {
    let NewtonWork { system, step, u, .. } = work;
    for _ in 0..corrections {
        S::vectorised(
            #[inline(always)]
            || {
                newton_step(cone, problem, steps, system, None, S::ZERO, step);
                // Minus the step, with the value +0: subtracting it keeps the sign of a zero impulse.
                for x in step.iter_mut() {
                    *x = x.constant() - *x;
                }
                for_rows(
                    problem,
                    system,
                    #[inline(always)]
                    |impulse, row| {
                        *impulse = S::ZERO.select_lt(mask, *impulse - step[row], *impulse);
                    },
                );
                problem.sum_derivatives(u);
            },
        );
    }
}

/// Takes the impulses of solved lanes to the last digit, where rows are nearly redundant. A small residual does not say
/// that impulses are there: along some direction such rows respond so little that a change hardly shows in it.
pub(super) fn finish<S: Scalar>(
    cone: Cone,
    problem: &mut Problem<S>,
    steps: &NcpWork<S>,
    work: &mut NewtonWork<S>,
    tolerance: S,
    residual: &mut S,
) {
    let NewtonWork { system, step, best, .. } = work;
    let solved = residual.select_le(tolerance, problem.live, S::ZERO);
    let mut weak = S::ZERO;
    S::vectorised(
        #[inline(always)]
        || {
            let n = system.list(Answering::RowByRow(cone), Some(S::ONE), problem, steps);
            weak = system.nearly_redundant(problem, solved);
            if weak.any() {
                system.assemble(problem, n);
                system.factorise(NEARLY_EXACT, problem, n);
            }
        },
    );
    if !weak.any() {
        return;
    }
    problem.copy_impulses(best);
    S::vectorised(
        #[inline(always)]
        || {
            for _ in 0..LAST_STEPS {
                newton_step(cone, problem, steps, system, Some(S::ONE), S::ZERO, step);
                add(problem, system, step, weak);
            }
            let after = natural_residual(cone, problem, steps);
            let worse = tolerance.select_lt(after, weak, S::ZERO);
            problem.set_impulses(best, worse);
            *residual = S::ZERO.select_lt(weak * (S::ONE - worse), after, *residual);
        },
    );
}

/// Number of steps that [`finish`] makes.
const LAST_STEPS: u32 = 2;

/// Whether a problem has few enough coordinates, or rows, for Newton's method.
pub(super) fn is_small<S: Scalar>(problem: &Problem<S>) -> bool {
    if takes(problem.u.len()) {
        return true;
    }
    let turning = problem.contacts.iter().filter(|rows| rows.turning.is_some()).count();
    3 * (problem.contacts.len() + turning) + problem.joints.len() <= MANY_ROWS
}

/// Factorises the system at the current impulses, which are solved, or sought with this factor of D.
#[inline(always)]
fn linearise<S: Scalar>(
    cone: Cone,
    softness: Softness,
    sought: Option<S>,
    problem: &Problem<S>,
    steps: &NcpWork<S>,
    system: &mut System<S>,
) {
    let n = system.list(Answering::RowByRow(cone), sought, problem, steps);
    let coordinates = problem.u.len();
    let by_coordinates =
        if sought.is_some() { seeks::<S>(coordinates) } else { takes(coordinates) };
    system.factorise_forwards(by_coordinates, softness, problem, n);
}

/// Writes the step of Newton's method from the current impulses, (T − f_w R) step = P(λ − D w) − λ, where they are
/// sought; its derivatives alone, where they are solved. In the lanes where `yields` is 1, every row also yields to its
/// whole impulse, by R λ.
#[inline(always)]
fn newton_step<S: Scalar>(
    cone: Cone,
    problem: &Problem<S>,
    steps: &NcpWork<S>,
    system: &mut System<S>,
    sought: Option<S>,
    yields: S,
    step: &mut Vec<S>,
) {
    step.clear();
    step.resize(system.rows(), S::ZERO);
    for group in &system.groups {
        let mut change = change(cone, problem, steps, sought, group.rows);
        if sought.is_none() {
            change -= change.map(S::constant);
        }
        let yielding = group.yielding(SEEKING, problem) * yields;
        for row in 0..group.width {
            let by_yielding = group.by_velocity[row].dot(yielding);
            step[group.first + row] = (change[row] + by_yielding) * group.acts;
        }
    }
    system.solve(problem, step);
}

/// Adds a step to the impulses, in the lanes of the mask.
#[inline(always)]
fn add<S: Scalar>(problem: &mut Problem<S>, system: &System<S>, step: &[S], mask: S) {
    for_rows(
        problem,
        system,
        #[inline(always)]
        |impulse, row| *impulse = S::ZERO.select_lt(mask, *impulse + step[row], *impulse),
    );
    problem.sum_impulses(mask);
}

/// Visits the impulses of a system's rows, with their indices.
#[inline(always)]
fn for_rows<S: Scalar>(
    problem: &mut Problem<S>,
    system: &System<S>,
    mut visit: impl FnMut(&mut S, usize),
) {
    for group in &system.groups {
        let triple = match group.rows {
            Rows::Contact(i) => Some(&mut problem.contacts[i].impulse),
            Rows::Turning(i) => problem.contacts[i].turning.as_mut().map(|t| &mut t.impulse),
            Rows::Joint(i) => {
                visit(&mut problem.joints[i].impulse, group.first);
                None
            }
        };
        if let Some(Vec3 { x, y, z }) = triple {
            visit(x, group.first);
            visit(y, group.first + 1);
            visit(z, group.first + 2);
        }
    }
}

/// The share of a step, at most 1, up to where the first contact leaves the inside of its cone, or ceases to press. A
/// pyramid counts as the circular cone: this only chooses a way.
#[inline(always)]
fn length<S: Scalar>(problem: &Problem<S>, system: &System<S>, step: &[S]) -> S {
    let mut least = S::ONE;
    for group in &system.groups {
        let Rows::Contact(i) = group.rows else { continue };
        let ContactRows { impulse, friction, .. } = &problem.contacts[i];
        let by = Vec3::from_slice(&step[group.first..]);
        let presses = S::ZERO.select_lt(impulse.x, S::ONE, S::ZERO);
        // λₙ + t dₙ = 0.
        let parts = impulse.x / -by.x;
        let parts = by.x.select_lt(S::ZERO, parts, S::ONE);
        // |λₜ + t dₜ| = μ (λₙ + t dₙ): a t² + 2 b t + c = 0, where c < 0 inside the cone.
        let mu2 = *friction * *friction;
        let a = by.y.mul_add(by.y, by.z * by.z) - mu2 * by.x * by.x;
        let b = impulse.y.mul_add(by.y, impulse.z * by.z) - mu2 * impulse.x * by.x;
        let limit = mu2 * impulse.x * impulse.x;
        let c = impulse.y.mul_add(impulse.y, impulse.z * impulse.z) - limit;
        let root = (b * b - a * c).max(S::ZERO).sqrt();
        // The smallest positive root, without cancellation.
        let far = S::from_f64(f64::MAX);
        let positive = |t: S| S::ZERO.select_lt(t, t, far);
        let q = b.select_lt(S::ZERO, root - b, -(b + root));
        let slides = positive(q / a).min(positive(c / q));
        let inside = c.select_lt(limit * S::from_f64(-1e-9), presses, S::ZERO);
        least = S::ZERO.select_lt(presses, least.min(parts), least);
        least = S::ZERO.select_lt(inside, least.min(slides), least);
    }
    // A little beyond, so that this contact changes.
    least.mul_add(S::from_f64(1.0 + 1e-7), S::from_f64(1e-12)).min(S::ONE)
}

/// P(λ − D w) − λ of a group, where D is the step of each row, times a factor while impulses are `sought`.
#[inline(always)]
fn change<S: Scalar>(
    cone: Cone,
    problem: &Problem<S>,
    steps: &NcpWork<S>,
    sought: Option<S>,
    rows: Rows,
) -> Vec3<S> {
    let scale = sought.unwrap_or(S::ONE);
    match rows {
        Rows::Contact(i) => {
            let rows = &problem.contacts[i];
            natural(cone, rows, &steps.contacts[i], problem.velocity(i) * scale) - rows.impulse
        }
        Rows::Turning(i) => {
            let rows = &problem.contacts[i];
            let Some(turning) = &rows.turning else { return Vec3::ZERO };
            let w = problem.turning_velocity(i, turning) * scale;
            super::ncp::in_turning_cone(turning, &steps.contacts[i], w, rows.impulse.x)
                - turning.impulse
        }
        Rows::Joint(i) => {
            let row = &problem.joints[i];
            let w = problem.joint_velocity(i) * scale;
            let wanted = w.neg_mul_add(steps.joints[i], row.impulse);
            let wanted = if sought.is_none() { row.at_bound_or(wanted) } else { wanted };
            Vec3::new(wanted.clamp(row.lower, row.upper) - row.impulse, S::ZERO, S::ZERO)
        }
    }
}

/// P(λ − D w) of a contact: the normal, then the tangents brought into what that normal impulse allows.
#[inline(always)]
fn natural<S: Scalar>(cone: Cone, rows: &ContactRows<S>, steps: &Steps<S>, w: Vec3<S>) -> Vec3<S> {
    let x = w.x.neg_mul_add(steps.normal, rows.impulse.x).max(S::ZERO);
    let y = w.y.neg_mul_add(steps.tangent, rows.impulse.y);
    let z = w.z.neg_mul_add(steps.tangent, rows.impulse.z);
    let most = rows.friction * x;
    match cone {
        Cone::Circular => {
            let shrink = onto_disk(y, z, most);
            Vec3 { x, y: y * shrink, z: z * shrink }
        }
        Cone::Pyramid => Vec3 { x, y: y.clamp(-most, most), z: z.clamp(-most, most) },
    }
}

/// The largest residual of the natural map over all rows, as a velocity [m/s or rad/s].
#[inline(always)]
fn natural_residual<S: Scalar>(cone: Cone, problem: &Problem<S>, steps: &NcpWork<S>) -> S {
    let mut worst = S::ZERO;
    for (i, rows) in problem.contacts.iter().enumerate() {
        let Steps { normal, tangent, spin, roll, .. } = steps.contacts[i];
        let Vec3 { x, y, z } = change(cone, problem, steps, Some(S::ONE), Rows::Contact(i));
        let tangent = reciprocal(tangent);
        worst = worst.max(size(x * reciprocal(normal)));
        worst = worst.max(size(y * tangent)).max(size(z * tangent));
        if rows.turning.is_some() {
            let Vec3 { x, y, z } = change(cone, problem, steps, Some(S::ONE), Rows::Turning(i));
            let roll = reciprocal(roll);
            worst = worst.max(size(x * reciprocal(spin)));
            worst = worst.max(size(y * roll)).max(size(z * roll));
        }
    }
    for i in 0..problem.joints.len() {
        let Vec3 { x, .. } = change(cone, problem, steps, Some(S::ONE), Rows::Joint(i));
        worst = worst.max(size(x * reciprocal(steps.joints[i])));
    }
    worst
}

/// The absolute value; infinite for what is not a number.
#[inline(always)]
fn size<S: Scalar>(x: S) -> S {
    let size = x.abs();
    size.select_le(S::from_f64(f64::MAX), size, S::from_f64(f64::INFINITY))
}

/// 1/x, or zero for a row that cannot move.
#[inline(always)]
fn reciprocal<S: Scalar>(x: S) -> S {
    let safe = S::ZERO.select_lt(x, x, S::ONE);
    S::ZERO.select_lt(x, safe.recip(), S::ZERO)
}

/// The state of Newton's method between rounds.
struct Polishing<'a, S> {
    problem: &'a mut Problem<S>,
    /// 1 in lanes that continue, else 0.
    live: S,
    /// The impulses that the sweeps have reached.
    swept: &'a mut Vec<S>,
    /// The best impulses so far, and their residual [m/s].
    best: &'a mut Vec<S>,
    least: S,
    /// The least residual of this attempt [m/s], and the number of rounds since.
    recent: S,
    stale: S,
    /// 1 in lanes that are near a solution, and so yield only to changes, else 0.
    near: S,
    /// 1 in lanes that have been near one in any attempt, else 0.
    found: S,
    /// 1 in lanes that make short steps, else 0.
    short: S,
    /// Factor of D: another one makes the method take another way.
    scale: S,
}

impl<S: Scalar> Polishing<'_, S> {
    /// A round: a step, and if it comes near a solution another one with the same factors.
    #[inline(always)]
    fn round(
        &mut self,
        cone: Cone,
        steps: &NcpWork<S>,
        system: &mut System<S>,
        step: &mut Vec<S>,
        tolerance: S,
    ) {
        linearise(cone, SEEKING, Some(self.scale), self.problem, steps, system);
        let (live, before) = (self.live, self.recent);
        let (sought, yields) = (Some(self.scale), S::ONE - self.near);
        newton_step(cone, self.problem, steps, system, sought, yields, step);
        let mut whole = S::ONE;
        if self.short.any() {
            let length = length(self.problem, system, step);
            whole = S::ZERO.select_lt(self.short, length, S::ONE);
            for x in step.iter_mut() {
                *x *= whole;
            }
        }
        add(self.problem, system, step, live);
        let residual = self.judge(cone, steps, live, tolerance);
        // The residual of a solution that yields is what it yields by.
        let mut yields = S::ZERO;
        for group in &system.groups {
            let Vec3 { x, y, z } = group.yielding(SEEKING, self.problem);
            yields = yields.max(x.abs()).max(y.abs().max(z.abs()));
        }
        let near = residual.select_le(yields * S::from_f64(NEAR), self.live, S::ZERO);
        let near = whole.select_lt(S::ONE, S::ZERO, near);
        self.near = self.near.max(near);
        self.found = self.found.max(near);
        S::when(
            near,
            self,
            #[inline(always)]
            |state| {
                newton_step(cone, state.problem, steps, system, sought, S::ZERO, step);
                add(state.problem, system, step, near);
                state.judge(cone, steps, near, tolerance);
            },
        );
        let fresh = self.recent.select_lt(before, live, S::ZERO);
        self.stale = S::ZERO.select_lt(fresh, S::ZERO, self.stale + live);
    }

    /// Compares the current impulses with the best ones in the lanes of the mask, and ends those that are solved; returns
    /// the residual [m/s].
    #[inline(always)]
    fn judge(&mut self, cone: Cone, steps: &NcpWork<S>, mask: S, tolerance: S) -> S {
        let residual = natural_residual(cone, self.problem, steps);
        // Near a solution that yields, only one that is clearly better counts: contacts that are wedged cannot do without
        // yielding, and impulses on the way to the limit of friction are worse than those.
        let at_most = self.least * S::ZERO.select_lt(self.found, S::from_f64(0.1), S::ONE);
        let better = residual.select_lt(at_most.max(tolerance.min(self.least)), mask, S::ZERO);
        self.problem.keep_impulses(self.best, better);
        self.least = S::ZERO.select_lt(better, residual, self.least);
        let fresh = residual.select_lt(self.recent, mask, S::ZERO);
        self.recent = S::ZERO.select_lt(fresh, residual, self.recent);
        self.live = self.least.select_le(tolerance, S::ZERO, self.live);
        residual
    }

    /// Goes back to the swept impulses in the `stuck` lanes, to make short steps from there. Lanes that have done so make
    /// some more sweeps first, or end if they have found a solution that yields.
    #[cold]
    fn begin_again(&mut self, ncp: &Ncp, steps: &NcpWork<S>, stuck: S, tolerance: S) {
        S::vectorised(
            #[inline(always)]
            || {
                self.problem.set_impulses(self.swept, stuck);
                let sweeps = stuck * self.short;
                S::when(
                    sweeps,
                    self,
                    #[inline(always)]
                    |state| {
                        let rounds = Rounds { most: SWEEPS_BETWEEN, period: 2 };
                        S::repeat(
                            rounds,
                            state,
                            #[inline(always)]
                            |sweep, state| {
                                ncp.sweep_quietly(state.problem, steps, sweeps, sweep % 2 == 0);
                                sweeps
                            },
                        );
                        state.problem.keep_impulses(state.swept, sweeps);
                    },
                );
                let pick = |new: S, old: S| S::ZERO.select_lt(stuck, new, old);
                // Wedged contacts that short steps do not solve keep yielding.
                self.live = pick(S::ONE - self.found * self.short, self.live);
                self.recent = pick(S::from_f64(f64::INFINITY), self.recent);
                self.stale = pick(S::ZERO, self.stale);
                self.near = pick(S::ZERO, self.near);
                // 1, then 1/8, 8, 1/64, 64 …
                let next = (self.scale * self.scale).select_lt(
                    S::ONE,
                    self.scale.recip(),
                    self.scale.recip() * S::from_f64(0.125),
                );
                self.scale = pick(S::ZERO.select_lt(self.short, next, self.scale), self.scale);
                self.short = pick(S::ONE - self.short, self.short);
                self.judge(ncp.cone, steps, stuck, tolerance);
            },
        );
    }
}

impl<S: Scalar> Carried<S> for Polishing<'_, S> {
    fn each(&mut self, visit: &mut dyn FnMut(&mut S)) {
        self.problem.each_impulse(visit);
        self.swept.each(visit);
        self.best.each(visit);
        let Polishing { live, least, recent, stale, near, found, short, scale, .. } = self;
        [live, least, recent, stale, near, found, short, scale].into_iter().for_each(visit);
    }
}
