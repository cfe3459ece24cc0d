//! The derivative of impulses from the conditions they satisfy.
//!
//! Solved impulses are a fixed point of the contacts' answers, λ = f(λ, w) with w = b + A λ (`local_vjp.rs`). So a
//! change of b, A or of f's parameters θ changes them by
//!
//! ```text
//!   T dλ = f_w (db + dA λ) + f_θ dθ,      T = 1 − f_λ − f_w A
//! ```
//!
//! and backwards, from the cotangent λ̄: solve Tᵀ g = λ̄, then b̄ = f_wᵀ g and θ̄ = f_θᵀ g; that of A is b̄ λᵀ. The
//! diagonal of T is near one. For few rows T is factorised; for many rows, or where that fails, the equation is solved
//! by the solver's own sweeps, transposed.

use gradbody_math::{Carried, Rounds, Scalar, Vec3};

use super::SolverWork;
use super::answering::Answering;
use super::ncp::prepare;
use super::system::{
    CORRECTIONS, DERIVATIVES, LAST_CORRECTIONS, MANY_ROWS, NEARLY_EXACT, Rows, Softness, System,
    along, transposed,
};
use crate::{Problem, ProblemCotangents};

/// Buffers of the implicit derivative.
#[derive(Clone, Debug)]
pub(super) struct ImplicitWork<S> {
    system: System<S>,
    g: Vec<S>,
    u: Vec<S>,
}

impl<S> Default for ImplicitWork<S> {
    fn default() -> Self {
        ImplicitWork { system: System::default(), g: Vec::new(), u: Vec::new() }
    }
}

/// Takes the cotangents of impulses in `bars` back to what they depend on, and adds Gᵀ b̄ to `u_bar`.
pub(super) fn implicit_vjp<S: Scalar>(
    answering: Answering,
    problem: &Problem<S>,
    work: &mut SolverWork<S>,
    bars: &mut ProblemCotangents<S>,
    u_bar: &mut [S],
) {
    let SolverWork { ncp, implicit, .. } = work;
    let rows = S::vectorised(
        #[inline(always)]
        || {
            prepare(problem, ncp);
            implicit.system.list(answering, None, problem, ncp)
        },
    );
    let mut solved = S::ZERO;
    if rows <= MANY_ROWS {
        S::vectorised(
            #[inline(always)]
            || {
                implicit.system.assemble(problem, rows);
                solved = factorise_and_solve(problem, implicit, rows, bars);
                for group in &implicit.system.groups {
                    group.contribute(problem, group.of(&implicit.g), bars, u_bar);
                }
            },
        );
    }
    let unsolved = S::ONE - solved;
    let mut sums = Bars { rows: bars, u: u_bar };
    S::when(unsolved, &mut sums, |sums| sweep(problem, implicit, unsolved, sums));
    clear_impulses(bars);
}

/// Cotangents of rows and of u.
struct Bars<'a, S> {
    rows: &'a mut ProblemCotangents<S>,
    u: &'a mut [S],
}

impl<S: Scalar> Carried<S> for Bars<'_, S> {
    fn each(&mut self, visit: &mut dyn FnMut(&mut S)) {
        self.rows.each(visit);
        self.u.iter_mut().for_each(visit);
    }
}

fn clear_impulses<S: Scalar>(bars: &mut ProblemCotangents<S>) {
    for bar in &mut bars.contacts {
        bar.impulse = Vec3::ZERO;
        bar.turning.impulse = Vec3::ZERO;
    }
    bars.joints.iter_mut().for_each(|bar| bar.impulse = S::ZERO);
}

/// Solves Tᵀ g = λ̄ by elimination; returns 1 in lanes where it succeeded, and sets g to zero elsewhere.
///
/// The factors are those of T − f_w R; corrections with the residual of T take out R, and rounding.
#[inline(always)]
fn factorise_and_solve<S: Scalar>(
    problem: &Problem<S>,
    work: &mut ImplicitWork<S>,
    n: usize,
    bars: &ProblemCotangents<S>,
) -> S {
    let ImplicitWork { system, g, u: rest } = work;
    rest.clear();
    rest.resize(n, S::ZERO);
    for group in system.groups.iter() {
        // Groups that are inactive in a lane have a zero right-hand side there.
        let bar = group.impulse_bar(bars) * group.acts;
        for row in 0..group.width {
            rest[group.first + row] = bar[row];
        }
    }
    let size = largest(rest);
    system.factorise(DERIVATIVES, problem, n);
    g.clear();
    g.resize(n, S::ZERO);
    let mut mending = Mending { g, rest, live: S::ONE, misfit: S::ZERO };
    mending.correct(CORRECTIONS, DERIVATIVES, system, problem, bars);
    let slow = mending.live;
    S::when(
        slow,
        &mut mending,
        #[inline(always)]
        |mending| {
            mending.live = system.nearly_redundant(problem, mending.live);
            let weak = mending.live;
            S::when(
                weak,
                mending,
                #[inline(always)]
                |mending| {
                    system.factorise(NEARLY_EXACT, problem, n);
                    mending.correct(LAST_CORRECTIONS, NEARLY_EXACT, system, problem, bars);
                },
            );
        },
    );
    let Mending { g, misfit, .. } = mending;
    let solved = misfit.select_le(size * S::from_f64(GOOD), S::ONE, S::ZERO);
    for g in g.iter_mut() {
        *g = S::ZERO.select_lt(solved, *g, S::ZERO);
    }
    solved
}

/// The largest absolute value of a list.
#[inline(always)]
fn largest<S: Scalar>(list: &[S]) -> S {
    let mut size = S::ZERO;
    for x in list {
        size = size.max(x.abs());
    }
    size
}

/// The state of the corrections between rounds.
struct Mending<'a, S> {
    /// The solution so far.
    g: &'a mut Vec<S>,
    /// The residual: the right-hand side minus Tᵀ times the solution so far.
    rest: &'a mut Vec<S>,
    /// 1 in lanes that continue, else 0.
    live: S,
    /// The largest residual of a solution by the factors.
    misfit: S,
}

impl<S: Scalar> Mending<'_, S> {
    /// Corrects the solution by the factors at hand, which are those of this softness, in the lanes that continue.
    #[inline(always)]
    fn correct(
        &mut self,
        corrections: u32,
        softness: Softness,
        system: &System<S>,
        problem: &Problem<S>,
        bars: &ProblemCotangents<S>,
    ) {
        S::repeat(
            Rounds { most: corrections, period: 1 },
            self,
            #[inline(always)]
            |_, Mending { g, rest, live, misfit }| {
                system.solve_transposed(rest);
                for (g, step) in g.iter_mut().zip(rest.iter()) {
                    *g = step.mul_add(*live, *g);
                }
                let (step, mut miss) = (largest(rest), S::ZERO);
                let n = rest.len();
                for group in &system.groups {
                    // What R adds to the factorised system.
                    let yields = transposed(&group.by_velocity, group.of(rest));
                    let soft = group.soft(softness, problem);
                    let bar = group.impulse_bar(bars) * group.acts;
                    for row in 0..group.width {
                        let entries = &system.matrix[(group.first + row) * n..][..n];
                        let mut after = bar[row];
                        for (t, g) in entries.iter().zip(g.iter()) {
                            after = t.neg_mul_add(*g, after);
                        }
                        rest[group.first + row] = after;
                        miss = miss.max(yields[row].mul_add(soft[row], after).abs());
                    }
                }
                // NaN must stay: max would drop it.
                let miss = miss.select_le(S::from_f64(f64::MAX), miss, S::from_f64(f64::INFINITY));
                *misfit = S::ZERO.select_lt(*live, misfit.max(miss), *misfit);
                let enough = largest(g) * S::from_f64(ENOUGH * S::EPSILON);
                *live = step.select_le(enough, S::ZERO, *live);
                *live
            },
        );
    }
}

impl<S: Scalar> Carried<S> for Mending<'_, S> {
    fn each(&mut self, visit: &mut dyn FnMut(&mut S)) {
        self.g.each(visit);
        self.rest.each(visit);
        [&mut self.live, &mut self.misfit].into_iter().for_each(visit);
    }
}

/// Corrections end when one is at most this many roundings of the solution: each is far smaller than the one before.
pub(super) const ENOUGH: f64 = 500.0;

/// The relative residual below which the factors count as right.
pub(super) const GOOD: f64 = 1e-6;

/// Maximum number of transposed sweeps.
const SWEEPS: u32 = 2000;

/// Solves the same equation by the solver's sweeps, transposed, in the lanes that are `live`, and sums their
/// contributions.
fn sweep<S: Scalar>(
    problem: &Problem<S>,
    work: &mut ImplicitWork<S>,
    live: S,
    sums: &mut Bars<'_, S>,
) {
    let ImplicitWork { system: System { groups, .. }, u, .. } = work;
    // The sum of what the sweeps have contributed so far.
    u.clear();
    u.resize(problem.u.len(), S::ZERO);
    let tolerance = S::from_f64(S::EPSILON * 10.0);
    let bars = Bars { rows: &mut *sums.rows, u };
    let mut state = Sweeping { bars, live, most: S::ZERO };
    S::repeat(Rounds { most: SWEEPS, period: 1 }, &mut state, |_, state| {
        let Sweeping { bars: Bars { rows: bars, u }, live, most } = state;
        let mut change = S::ZERO;
        for group in groups.iter().rev() {
            let (felt, bar) = match group.rows {
                Rows::Contact(i) => (problem.contact_along(i, u), bars.contacts[i].impulse),
                Rows::Turning(i) => (problem.turning_along(i, u), bars.contacts[i].turning.impulse),
                Rows::Joint(i) => {
                    let felt = Vec3::new(problem.single_along(i, u), S::ZERO, S::ZERO);
                    (felt, group.impulse_bar(bars))
                }
            };
            // Lanes that have converged no longer change.
            let whole = (bar + felt).map(
                #[inline(always)]
                |x| S::ZERO.select_lt(*live, x, S::ZERO),
            );
            let w_bar = group.contribute(problem, whole, bars, u);
            let next = transposed(&group.by_impulse, whole) - felt;
            let next = w_bar.scale_add(group.cfm(problem), next);
            change = change.max(w_bar.x.abs()).max(w_bar.y.abs()).max(w_bar.z.abs());
            match group.rows {
                Rows::Contact(i) => bars.contacts[i].impulse = next,
                Rows::Turning(i) => {
                    bars.contacts[i].turning.impulse = next;
                    bars.contacts[i].impulse.x += along(&group.by_normal, whole);
                }
                Rows::Joint(i) => bars.joints[i].impulse = next.x,
            }
        }
        *most = most.max(change);
        *live = change.select_le(*most * tolerance, S::ZERO, *live);
        *live
    });
    sums.u.iter_mut().zip(u.iter()).for_each(|(to, from)| *to += *from);
}

/// The state of the transposed sweeps between sweeps.
struct Sweeping<'a, S> {
    bars: Bars<'a, S>,
    /// 1 in lanes that continue, else 0.
    live: S,
    /// The largest change in a sweep so far.
    most: S,
}

impl<S: Scalar> Carried<S> for Sweeping<'_, S> {
    fn each(&mut self, visit: &mut dyn FnMut(&mut S)) {
        self.bars.each(visit);
        [&mut self.live, &mut self.most].into_iter().for_each(visit);
    }
}
