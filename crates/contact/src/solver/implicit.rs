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
//!
//! [`Smoothed`](crate::ContactGradient::Smoothed) multiplies f by weights. Pressing has the weight
//! `½ (1 + x/√(x² + κ²))`, where x is the velocity by which the contact presses (negative if it does not), and sticking
//! has the same weight of its distance from sliding.

use gradbody_math::{Carried, Rounds, Scalar, Sym3, Vec3};

use super::local_vjp::{
    FigureBars, Turn, answer_vjp, clamp_vjp, onto_disk_vjp, range_vjp, turning_vjp,
};
use super::ncp::{Steps, prepare};
use super::{Cone, SolverWork};
use crate::problem::ContactRows;
use crate::{Problem, ProblemCotangents};

/// The kind of answer that contacts gave.
#[derive(Clone, Copy, Debug)]
pub(super) enum Answering {
    Cone(Cone),
    /// In a pyramid with this many sides.
    Polygon(u32),
    Smoothed(f64),
}

/// Buffers of the implicit derivative.
#[derive(Clone, Debug)]
pub(super) struct ImplicitWork<S> {
    groups: Vec<Group<S>>,
    /// G of one group, by coordinate.
    dense: Vec<Vec3<S>>,
    matrix: Vec<S>,
    factors: Vec<S>,
    g: Vec<S>,
    u: Vec<S>,
}

impl<S> Default for ImplicitWork<S> {
    fn default() -> Self {
        ImplicitWork {
            groups: Vec::new(),
            dense: Vec::new(),
            matrix: Vec::new(),
            factors: Vec::new(),
            g: Vec::new(),
            u: Vec::new(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rows {
    Contact(usize),
    Turning(usize),
    Joint(usize),
}

/// Rows that answer together, and the Jacobian of their answer, row by row.
#[derive(Clone, Copy, Debug)]
struct Group<S> {
    rows: Rows,
    /// Index of its first row.
    first: usize,
    width: usize,
    by_impulse: [Vec3<S>; 3],
    by_velocity: [Vec3<S>; 3],
    /// By friction; for turning rows by torsional friction, for joints by the lower bound.
    by_friction: [S; 3],
    /// By rolling friction; for joints by the upper bound.
    by_other: [S; 3],
    /// By the normal impulse, for turning rows.
    by_normal: [S; 3],
    /// 1 in lanes where it depends on anything, else 0.
    acts: S,
}

/// Number of rows above which sweeps are cheaper than a factorisation.
const MANY_ROWS: usize = 160;

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
            list_groups(answering, problem, &ncp.contacts, &ncp.joints, implicit)
        },
    );
    let mut solved = S::ZERO;
    if rows <= MANY_ROWS {
        S::vectorised(
            #[inline(always)]
            || {
                assemble(problem, implicit, rows);
                solved = factorise_and_solve(implicit, rows, bars);
                for i in 0..implicit.groups.len() {
                    let group = implicit.groups[i];
                    let g = &implicit.g[group.first..];
                    let g = match group.width {
                        1 => Vec3::new(g[0], S::ZERO, S::ZERO),
                        _ => Vec3::from_slice(g),
                    };
                    group.contribute(problem, g, bars, u_bar);
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

/// Adds a group, if it has any influence.
#[inline(always)]
fn add_group<S: Scalar>(mut group: Group<S>, first: &mut usize, groups: &mut Vec<Group<S>>) {
    group.acts = group.any_influence();
    if !group.acts.is_zero() {
        group.first = *first;
        *first += group.width;
        groups.push(group);
    }
}

#[inline(always)]
fn list_groups<S: Scalar>(
    answering: Answering,
    problem: &Problem<S>,
    steps: &[Steps<S>],
    joint_steps: &[S],
    work: &mut ImplicitWork<S>,
) -> usize {
    work.groups.clear();
    let mut first = 0;
    for (i, rows) in problem.contacts.iter().enumerate() {
        let turn = Turn { impulse: rows.impulse, velocity: problem.velocity(i) };
        let mut group = Group::new(Rows::Contact(i), 3);
        let steps_alone = Steps { block: inverse_of_free_rows(&rows.delassus), ..steps[i] };
        for row in 0..3 {
            let bars = answer(answering, problem.swept, rows, &steps_alone, &turn, unit(row));
            group.by_impulse[row] = bars.0;
            group.by_velocity[row] = bars.1;
            group.by_friction[row] = bars.2;
        }
        add_group(group, &mut first, &mut work.groups);
        if let Some(turning) = &rows.turning {
            let velocity = problem.turning_velocity(i, turning);
            let turn = Turn { impulse: turning.impulse, velocity };
            let mut group = Group::new(Rows::Turning(i), 3);
            for row in 0..3 {
                let bar = unit(row);
                let normal = rows.impulse.x;
                let bars = match answering {
                    Answering::Polygon(sides) => {
                        turning_vjp(turning, &steps[i], &turn, normal, bar, |y, radius, bar| {
                            onto_figure_vjp(sides, problem.swept, y, radius, bar)
                        })
                    }
                    _ => turning_vjp(turning, &steps[i], &turn, normal, bar, onto_disk_vjp),
                };
                group.by_impulse[row] = bars.impulse;
                group.by_velocity[row] = bars.velocity;
                group.by_friction[row] = bars.torsional;
                group.by_other[row] = bars.rolling;
                group.by_normal[row] = bars.normal;
            }
            add_group(group, &mut first, &mut work.groups);
        }
    }
    for (i, row) in problem.joints.iter().enumerate() {
        let free = problem.joint_velocity(i).neg_mul_add(joint_steps[i], row.impulse);
        let [x, lower, upper] = range_vjp(free, row.lower, row.upper, S::ONE);
        let mut group = Group::new(Rows::Joint(i), 1);
        group.by_impulse[0].x = x;
        group.by_velocity[0].x = -(joint_steps[i] * x);
        group.by_friction[0] = lower;
        group.by_other[0] = upper;
        add_group(group, &mut first, &mut work.groups);
    }
    first
}

/// The inverse of a contact's block on the rows that can still move once those before them are held; zero on the
/// others. A mechanism with fewer degrees of freedom than the contact has rows cannot stick in all of them: the normal
/// takes precedence.
#[inline(always)]
fn inverse_of_free_rows<S: Scalar>(a: &Sym3<S>) -> Sym3<S> {
    let held = S::from_f64(HELD.max(64.0 * S::EPSILON));
    let least = (a.xx + a.yy + a.zz).mul_add(held, S::from_f64(1e-30));
    let inverse = |pivot: S| least.select_lt(pivot, pivot.max(least).recip(), S::ZERO);
    // a = L D Lᵀ, and its inverse from the last row to the first.
    let x = inverse(a.xx);
    let (lyx, lzx) = (a.xy * x, a.xz * x);
    let y = inverse(a.xy.neg_mul_add(lyx, a.yy));
    let lzy = a.xz.neg_mul_add(lyx, a.yz) * y;
    let z = inverse(lzy.neg_mul_add(a.xz.neg_mul_add(lyx, a.yz), a.xz.neg_mul_add(lzx, a.zz)));
    let yz = -(lzy * z);
    let yy = lzy.neg_mul_add(yz, y);
    let xz = -(lyx.mul_add(yz, lzx * z));
    let xy = -(lyx.mul_add(yy, lzx * yz));
    let xx = lyx.neg_mul_add(xy, lzx.neg_mul_add(xz, x));
    Sym3 { xx, xy, xz, yy, yz, zz: z }
}

/// A row whose response, relative to the sum over all three, is below this is held by those before it; above rounding.
const HELD: f64 = 1e-9;

#[inline(always)]
fn unit<S: Scalar>(row: usize) -> Vec3<S> {
    let mut unit = Vec3::ZERO;
    unit[row] = S::ONE;
    unit
}

impl<S: Scalar> Group<S> {
    fn new(rows: Rows, width: usize) -> Self {
        Group {
            rows,
            first: 0,
            width,
            by_impulse: [Vec3::ZERO; 3],
            by_velocity: [Vec3::ZERO; 3],
            by_friction: [S::ZERO; 3],
            by_other: [S::ZERO; 3],
            by_normal: [S::ZERO; 3],
            acts: S::ZERO,
        }
    }

    #[inline(always)]
    fn any_influence(&self) -> S {
        let mut sum = S::ZERO;
        for row in 0..3 {
            let Vec3 { x, y, z } = self.by_velocity[row];
            let numbers = [self.by_friction[row], self.by_other[row], self.by_normal[row]];
            let numbers = numbers.into_iter().fold(S::ZERO, |sum, x| sum + x.abs());
            sum += x.abs() + y.abs() + z.abs() + numbers;
        }
        S::ZERO.select_lt(sum, S::ONE, S::ZERO)
    }

    /// Adds the effect of a cotangent `g` of the answer on everything but the impulses; returns the cotangent of the
    /// velocities.
    #[inline(always)]
    fn contribute(
        &self,
        problem: &Problem<S>,
        g: Vec3<S>,
        bars: &mut ProblemCotangents<S>,
        u_bar: &mut [S],
    ) -> Vec3<S> {
        let w_bar = transposed(&self.by_velocity, g);
        let friction = along(&self.by_friction, g);
        let other = along(&self.by_other, g);
        match self.rows {
            Rows::Contact(i) => {
                let bar = &mut bars.contacts[i];
                bar.free += w_bar;
                bar.friction += friction;
                bar.cfm += w_bar.dot(problem.contacts[i].impulse);
                problem.contact_spread(i, w_bar, u_bar);
            }
            Rows::Turning(i) => {
                let bar = &mut bars.contacts[i].turning;
                bar.free += w_bar;
                bar.torsional += friction;
                bar.rolling += other;
                problem.turning_spread(i, w_bar, u_bar);
            }
            Rows::Joint(i) => {
                let bar = &mut bars.joints[i];
                bar.free += w_bar.x;
                bar.lower += friction;
                bar.upper += other;
                problem.single_spread(i, w_bar.x, u_bar);
            }
        }
        w_bar
    }

    /// Calls `f` with G of its rows at each of its coordinates in turn.
    #[inline(always)]
    fn for_factors(&self, problem: &Problem<S>, mut f: impl FnMut(usize, Vec3<S>)) {
        let (coordinates, factors) = match self.rows {
            Rows::Contact(i) => (problem.contacts[i].coordinates, problem.contacts[i].factors),
            Rows::Turning(i) => {
                let rows = &problem.contacts[i];
                let Some(turning) = &rows.turning else { return };
                (rows.coordinates, turning.factors)
            }
            Rows::Joint(i) => {
                let row = &problem.joints[i];
                let singles = row.factors.of(&problem.singles);
                for (k, g) in row.coordinates.of(&problem.coordinates).iter().zip(singles) {
                    f(*k as usize, Vec3::new(*g, S::ZERO, S::ZERO));
                }
                return;
            }
        };
        let triples = factors.of(&problem.triples);
        for (k, g) in coordinates.of(&problem.coordinates).iter().zip(triples) {
            f(*k as usize, *g);
        }
    }

    fn impulse_bar(&self, bars: &ProblemCotangents<S>) -> Vec3<S> {
        match self.rows {
            Rows::Contact(i) => bars.contacts[i].impulse,
            Rows::Turning(i) => bars.contacts[i].turning.impulse,
            Rows::Joint(i) => Vec3::new(bars.joints[i].impulse, S::ZERO, S::ZERO),
        }
    }

    fn cfm(&self, problem: &Problem<S>) -> S {
        match self.rows {
            Rows::Contact(i) => problem.contacts[i].cfm,
            _ => S::ZERO,
        }
    }
}

/// Jᵀ g, for a Jacobian given by rows.
#[inline(always)]
fn transposed<S: Scalar>(rows: &[Vec3<S>; 3], g: Vec3<S>) -> Vec3<S> {
    rows[0].scale_add(g.x, rows[1].scale_add(g.y, rows[2] * g.z))
}

#[inline(always)]
fn along<S: Scalar>(numbers: &[S; 3], g: Vec3<S>) -> S {
    Vec3::from_slice(numbers).dot(g)
}

/// Writes Tᵀ.
#[inline(always)]
fn assemble<S: Scalar>(problem: &Problem<S>, work: &mut ImplicitWork<S>, n: usize) {
    let ImplicitWork { groups, dense, matrix, .. } = work;
    matrix.clear();
    matrix.resize(n * n, S::ZERO);
    dense.clear();
    dense.resize(problem.u.len(), Vec3::ZERO);
    for (b, at) in groups.iter().enumerate() {
        at.for_factors(problem, |k, g| dense[k] = g);
        for (a, of) in groups.iter().enumerate() {
            // Rows of A between the two.
            let mut block = [Vec3::ZERO; 3];
            of.for_factors(problem, |k, g| {
                for q in 0..3 {
                    block[q] = dense[k].scale_add(g[q], block[q]);
                }
            });
            if a == b {
                let cfm = of.cfm(problem);
                (0..3).for_each(|q| block[q][q] += cfm);
            }
            for row in 0..of.width {
                let by = of.by_velocity[row];
                let mut t = -block[0].scale_add(by.x, block[1].scale_add(by.y, block[2] * by.z));
                if a == b {
                    t[row] += S::ONE;
                    t -= of.by_impulse[row];
                }
                // Inactive groups get an identity row in that lane.
                let mut t = t * at.acts;
                if a == b {
                    t[row] += S::ONE - at.acts;
                }
                for column in 0..at.width {
                    matrix[(at.first + column) * n + of.first + row] += t[column];
                }
            }
            if let (Rows::Turning(i), Rows::Contact(j)) = (of.rows, at.rows)
                && i == j
            {
                for row in 0..3 {
                    matrix[at.first * n + of.first + row] -= of.by_normal[row] * at.acts;
                }
            }
        }
        at.for_factors(problem, |k, _| dense[k] = Vec3::ZERO);
    }
}

/// Solves Tᵀ g = λ̄ by elimination; returns 1 in lanes where it succeeded, and sets g to zero elsewhere.
///
/// Redundant contacts can share their impulse in any proportion, which makes T singular. So a small number is added to
/// its diagonal, and the error of this is removed by iterative refinement: directions that matter converge to rounding
/// in a few rounds, the others stay small.
#[inline(always)]
fn factorise_and_solve<S: Scalar>(
    work: &mut ImplicitWork<S>,
    n: usize,
    bars: &ProblemCotangents<S>,
) -> S {
    let ImplicitWork { groups, matrix, factors, g, u: rest, .. } = work;
    rest.clear();
    rest.resize(n, S::ZERO);
    for group in groups.iter() {
        // Groups that are inactive in a lane have a zero right-hand side there.
        let bar = group.impulse_bar(bars) * group.acts;
        for row in 0..group.width {
            rest[group.first + row] = bar[row];
        }
    }
    let size = rest.iter().fold(S::ZERO, |size, x| size.max(x.abs()));
    factorise(matrix, n, factors);
    g.clear();
    g.resize(n, S::ZERO);
    let (enough, at_least) = (size * S::from_f64(4.0 * S::EPSILON), size * S::from_f64(GOOD));
    let mut mending = Mending { g, rest, live: S::ONE, left: size };
    S::repeat(
        Rounds { most: ROUNDS, period: 1 },
        &mut mending,
        #[inline(always)]
        |_, Mending { g, rest, live, left }| {
            solve(factors, n, rest);
            for (g, step) in g.iter_mut().zip(rest.iter()) {
                *g = step.mul_add(*live, *g);
            }
            let mut worst = S::ZERO;
            for (k, group) in groups.iter().flat_map(|g| (0..g.width).map(move |row| (row, g))) {
                let row = group.first + k;
                let entries = &matrix[row * n..][..n];
                let bar = group.impulse_bar(bars)[k] * group.acts;
                rest[row] =
                    entries.iter().zip(g.iter()).fold(bar, |sum, (t, g)| t.neg_mul_add(*g, sum));
                worst = worst.max(rest[row].abs());
            }
            *left = S::ZERO.select_lt(*live, worst, *left);
            *live = worst.select_le(enough, S::ZERO, *live);
            *live
        },
    );
    let Mending { g, left, .. } = mending;
    let solved = left.select_le(at_least, S::ONE, S::ZERO);
    for g in g.iter_mut() {
        *g = S::ZERO.select_lt(solved, *g, S::ZERO);
    }
    solved
}

/// The state of the refinement between rounds.
struct Mending<'a, S> {
    /// The solution so far.
    g: &'a mut Vec<S>,
    /// The residual: the right-hand side minus Tᵀ times the solution so far.
    rest: &'a mut Vec<S>,
    /// 1 in lanes that continue, else 0.
    live: S,
    /// The largest residual after the last round of each lane.
    left: S,
}

impl<S: Scalar> Carried<S> for Mending<'_, S> {
    fn each(&mut self, visit: &mut dyn FnMut(&mut S)) {
        self.g.each(visit);
        self.rest.each(visit);
        [&mut self.live, &mut self.left].into_iter().for_each(visit);
    }
}

/// Number of rounds of refinement, and the relative residual below which the result counts as a solution.
const ROUNDS: u32 = 6;
const GOOD: f64 = 1e-6;

/// LU without pivoting, since the diagonal is near one. Stores the reciprocals of the pivots on the diagonal.
#[inline(always)]
fn factorise<S: Scalar>(matrix: &[S], n: usize, factors: &mut Vec<S>) {
    factors.clear();
    factors.extend_from_slice(matrix);
    let little = S::from_f64(S::EPSILON.powf(0.45));
    for k in 0..n {
        factors[k * n + k] += little;
        let pivot = factors[k * n + k];
        let safe = little.select_lt(pivot.abs(), pivot, little + little);
        let inverse = safe.recip();
        for i in k + 1..n {
            let (above, below) = factors.split_at_mut(i * n);
            let (top, row) = (&above[k * n..][k..n], &mut below[k..n]);
            if row[0].is_zero() {
                continue;
            }
            let factor = row[0] * inverse;
            row[0] = factor;
            row[1..].iter_mut().zip(&top[1..]).for_each(|(x, t)| *x = factor.neg_mul_add(*t, *x));
        }
        factors[k * n + k] = inverse;
    }
}

#[inline(always)]
fn solve<S: Scalar>(factors: &[S], n: usize, x: &mut [S]) {
    for i in 1..n {
        let row = &factors[i * n..][..i];
        x[i] = row.iter().zip(x.iter()).fold(x[i], |sum, (l, x)| l.neg_mul_add(*x, sum));
    }
    for i in (0..n).rev() {
        let row = &factors[i * n..][..n];
        let sum = (i + 1..n).fold(x[i], |sum, j| row[j].neg_mul_add(x[j], sum));
        x[i] = sum * row[i];
    }
}

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
    let ImplicitWork { groups, u, .. } = work;
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

/// Adjoint of a contact's answer: cotangents of impulse, velocity and friction.
#[inline(always)]
fn answer<S: Scalar>(
    answering: Answering,
    swept: S,
    rows: &ContactRows<S>,
    steps: &Steps<S>,
    turn: &Turn<S>,
    bar: Vec3<S>,
) -> (Vec3<S>, Vec3<S>, S) {
    match answering {
        Answering::Cone(cone) => {
            let bars = answer_vjp(cone, rows, steps, turn, bar);
            (bars.impulse, bars.velocity, bars.friction)
        }
        Answering::Polygon(sides) => row_by_row(rows, steps, turn, bar, |y, radius, bar| {
            onto_figure_vjp(sides, swept, y, radius, bar)
        }),
        Answering::Smoothed(kappa) => smoothed(S::from_f64(kappa), rows, steps, turn, bar),
    }
}

/// Adjoint of an answer row by row: the normal, then the tangents projected onto a figure.
#[inline(always)]
fn row_by_row<S: Scalar>(
    rows: &ContactRows<S>,
    steps: &Steps<S>,
    turn: &Turn<S>,
    bar: Vec3<S>,
    figure: impl Fn([S; 2], S, [S; 2]) -> FigureBars<S>,
) -> (Vec3<S>, Vec3<S>, S) {
    let Turn { impulse, velocity: w } = *turn;
    let free = w.x.neg_mul_add(steps.normal, impulse.x);
    let normal = free.max(S::ZERO);
    let y = w.y.neg_mul_add(steps.tangent, impulse.y);
    let z = w.z.neg_mul_add(steps.tangent, impulse.z);
    let FigureBars { point: [y_bar, z_bar], radius: radius_bar } =
        figure([y, z], rows.friction * normal, [bar.y, bar.z]);
    let normal_bar = radius_bar.mul_add(rows.friction, bar.x);
    let free_bar = S::ZERO.select_lt(free, normal_bar, S::ZERO);
    let steps = Vec3::new(steps.normal, steps.tangent, steps.tangent);
    let free_bar = Vec3::new(free_bar, y_bar, z_bar);
    let velocity = Vec3::new(steps.x * free_bar.x, steps.y * free_bar.y, steps.z * free_bar.z);
    (free_bar, -velocity, radius_bar * normal)
}

/// Adjoint of the projection onto the pyramid's polygon; in lanes where sweeps took over, onto the disk that they use.
#[inline(always)]
fn onto_figure_vjp<S: Scalar>(
    sides: u32,
    swept: S,
    point: [S; 2],
    radius: S,
    bar: [S; 2],
) -> FigureBars<S> {
    let polygon = onto_polygon_vjp(sides, point, radius, bar);
    let disk = onto_disk_vjp(point, radius, bar);
    let pick = |disk: S, polygon: S| S::ZERO.select_lt(swept, disk, polygon);
    FigureBars {
        point: [pick(disk.point[0], polygon.point[0]), pick(disk.point[1], polygon.point[1])],
        radius: pick(disk.radius, polygon.radius),
    }
}

/// Adjoint of the projection of a point onto a regular polygon, to the nearest point of its nearest side: cotangents of
/// the point and of the polygon's radius.
#[inline(always)]
fn onto_polygon_vjp<S: Scalar>(
    sides: u32,
    [y, z]: [S; 2],
    radius: S,
    bar: [S; 2],
) -> FigureBars<S> {
    let step = std::f64::consts::TAU / f64::from(sides);
    let (mut most, mut ny, mut nz) = (S::from_f64(f64::NEG_INFINITY), S::ONE, S::ZERO);
    for side in 0..sides {
        let (sin, cos) = ((f64::from(side) + 0.5) * step).sin_cos();
        let (sin, cos) = (S::from_f64(sin), S::from_f64(cos));
        let out = cos.mul_add(y, sin * z);
        ny = most.select_lt(out, cos, ny);
        nz = most.select_lt(out, sin, nz);
        most = most.max(out);
    }
    let (sin, cos) = (0.5 * step).sin_cos();
    let (sin, cos) = (S::from_f64(sin), S::from_f64(cos));
    let inside = most.select_lt(radius * cos, S::ONE, S::ZERO);
    let (ty, tz) = (-nz, ny);
    let (bar_n, bar_t) = (ny.mul_add(bar[0], nz * bar[1]), ty.mul_add(bar[0], tz * bar[1]));
    // Keeps rounding from making a corner part of a side.
    let half = radius * sin * S::from_f64(1.0 - 1e-9);
    let [along_bar, half_bar] = clamp_vjp(ty.mul_add(y, tz * z), half, bar_t);
    let radius_bar = bar_n.mul_add(cos, half_bar * sin);
    let pick = |if_inside: S, outside: S| S::ZERO.select_lt(inside, if_inside, outside);
    FigureBars {
        point: [pick(bar[0], ty * along_bar), pick(bar[1], tz * along_bar)],
        radius: pick(S::ZERO, radius_bar),
    }
}

#[inline(always)]
fn smoothed<S: Scalar>(
    kappa: S,
    rows: &ContactRows<S>,
    steps: &Steps<S>,
    turn: &Turn<S>,
    bar: Vec3<S>,
) -> (Vec3<S>, Vec3<S>, S) {
    let Turn { impulse, velocity: w } = *turn;
    let half = S::from_f64(0.5);
    // ½ (1 + x/√(x² + κ²))
    let kappa = kappa.max(S::from_f64(1e-12));
    let share = |x: S| half.mul_add(x / x.mul_add(x, kappa * kappa).sqrt(), half);
    let free = w.x.neg_mul_add(steps.normal, impulse.x);
    let presses = share(free * rows.delassus.xx);
    let normal = free.max(S::ZERO);
    let radius = rows.friction * normal;
    let y = w.y.neg_mul_add(steps.tangent, impulse.y);
    let z = w.z.neg_mul_add(steps.tangent, impulse.z);
    let squared = y.mul_add(y, z * z);
    let safe = S::ZERO.select_lt(squared, squared, S::ONE);
    let size = S::ZERO.select_lt(squared, safe.sqrt(), S::ZERO);
    let inverse = safe.sqrt().recip();
    let sticks = share((radius - size) / steps.tangent);
    let slides = S::ONE - sticks;
    let (uy, uz) = (y * inverse, z * inverse);
    let along = uy.mul_add(bar.y, uz * bar.z);
    let shrink = (radius * inverse).min(S::ONE);
    let tangent = |u: S, bar: S| {
        let across = along.neg_mul_add(u, bar) * shrink;
        sticks.mul_add(bar, slides * across) * presses
    };
    let radius_bar = slides * along * presses;
    let normal_bar = radius_bar.mul_add(rows.friction, bar.x * presses);
    let free_bar = Vec3::new(normal_bar, tangent(uy, bar.y), tangent(uz, bar.z));
    let velocity = Vec3::new(
        steps.normal * free_bar.x,
        steps.tangent * free_bar.y,
        steps.tangent * free_bar.z,
    );
    (free_bar, -velocity, radius_bar * normal)
}
