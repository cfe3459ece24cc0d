//! The linear system of all rows: T = 1 − f_λ − f_w A.
//!
//! λ = f(λ, w) says that every group of rows has the impulse that it answers with to its velocity w = b + A λ. T is the
//! derivative of λ − f(λ, w). Newton's method solves it forwards (`newton.rs`), the implicit gradient backwards
//! (`implicit.rs`), each with its own f.
//!
//! Contacts that are more than a body needs (a box on four corners) make T singular. So what is factorised is
//! T − f_w R, as if each row yielded a little to its impulse: R is a small share of the row's own response
//! ([`Softness`]). A few corrections by the same factors, each with the residual of T itself, take the effect of R
//! out again, except along impulses that change no motion: those stay as small as possible.

use gradbody_math::{Scalar, Sym3, Vec3};

use super::answering::{Answering, answer, onto_figure_vjp};
use super::coordinates::{ByCoordinates, lu, takes};
use super::local_vjp::{Turn, onto_disk_vjp, range_vjp, turning_vjp};
use super::ncp::{NcpWork, Steps};
use crate::problem::{ContactRows, JointRow};
use crate::{Problem, ProblemCotangents};

/// The groups of a problem that have any influence, and their system.
#[derive(Clone, Debug)]
pub(super) struct System<S> {
    pub(super) groups: Vec<Group<S>>,
    /// G of one group, by coordinate.
    dense: Vec<Vec3<S>>,
    /// Tᵀ, by rows.
    pub(super) matrix: Vec<S>,
    factors: Vec<S>,
    by_coordinates: ByCoordinates<S>,
    /// Whether it was last factorised by coordinates.
    in_coordinates: bool,
}

impl<S> Default for System<S> {
    fn default() -> Self {
        System {
            groups: Vec::new(),
            dense: Vec::new(),
            matrix: Vec::new(),
            factors: Vec::new(),
            by_coordinates: ByCoordinates::default(),
            in_coordinates: false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rows {
    Contact(usize),
    Turning(usize),
    Joint(usize),
}

/// Rows that answer together, and the Jacobian of their answer, row by row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group<S> {
    pub(super) rows: Rows,
    /// Index of its first row.
    pub(super) first: usize,
    pub(super) width: usize,
    pub(super) by_impulse: [Vec3<S>; 3],
    pub(super) by_velocity: [Vec3<S>; 3],
    /// By friction; for turning rows by torsional friction, for joints by the lower bound.
    by_friction: [S; 3],
    /// By rolling friction; for joints by the upper bound.
    by_other: [S; 3],
    /// By the normal impulse, for turning rows.
    pub(super) by_normal: [S; 3],
    /// 1 in lanes where it depends on anything, else 0.
    pub(super) acts: S,
}

/// How soft the factorised system is: R as a share of each row's own response to an impulse.
#[derive(Clone, Copy, Debug)]
pub(super) struct Softness {
    /// Of normals.
    pub(super) normal: f64,
    /// Of directions of friction.
    pub(super) tangent: f64,
    /// Of joint stops.
    pub(super) joint: f64,
}

/// For derivatives. The smaller R is, the larger are the derivatives of impulses that change no motion, and their
/// rounding; the larger it is, the more corrections are needed. Stops are not redundant without contacts.
pub(super) const DERIVATIVES: Softness = Softness { normal: 1e-4, tangent: 1e-4, joint: 1e-12 };

/// Number of solutions by the factors, each of what the ones before have left: n of them leave the effect of Rⁿ.
pub(super) const CORRECTIONS: u32 = 8;

/// For rows that are nearly redundant but not quite: along some direction they respond so little that [`DERIVATIVES`]
/// would count it as redundant. Only where [`System::nearly_redundant`] says so.
pub(super) const NEARLY_EXACT: Softness = Softness { normal: 1e-12, tangent: 1e-12, joint: 1e-12 };

/// Number of solutions by the factors of [`NEARLY_EXACT`].
pub(super) const LAST_CORRECTIONS: u32 = 4;

/// A row whose response is below this many roundings (1e-10 in double precision) of its own, once the rows before have
/// had theirs, is redundant: rounding leaves its derivative fewer than six digits. In single precision all weak rows are.
const REDUNDANT: f64 = 4.5e5;

/// From this share of its own on, the response of a row is not weak: [`DERIVATIVES`] and its corrections do.
const WEAK: f64 = 0.03;

/// Friction nearer to its limit than this share slides.
const SLIDES: f64 = 1e-6;

/// Number of rows above which sweeps are cheaper than a factorisation.
pub(super) const MANY_ROWS: usize = 160;

impl<S: Scalar> System<S> {
    /// Lists the groups that have any influence; returns the number of their rows. If impulses are still `sought`, also
    /// those that have an impulse, which Newton's method takes away if they answer with none; the answers then are those
    /// to velocities multiplied by that factor.
    #[inline(always)]
    pub(super) fn list(
        &mut self,
        answering: Answering,
        sought: Option<S>,
        problem: &Problem<S>,
        steps: &NcpWork<S>,
    ) -> usize {
        let mut list = List { groups: &mut self.groups, rows: 0, sought };
        list.groups.clear();
        list_groups(answering, problem, &steps.contacts, &steps.joints, &mut list);
        list.rows
    }
}

impl<S: Scalar> System<S> {
    /// With room for this many groups with `n` rows in all, and for this many coordinates.
    pub(super) fn with_room(groups: usize, n: usize, coordinates: usize) -> Self {
        let by_rows = if takes(coordinates) { 0 } else { n };
        System {
            groups: Vec::with_capacity(groups),
            dense: Vec::with_capacity(coordinates),
            matrix: Vec::with_capacity(by_rows * by_rows),
            factors: Vec::with_capacity(by_rows * by_rows),
            by_coordinates: ByCoordinates::with_room(groups, coordinates),
            in_coordinates: false,
        }
    }

    /// As [`with_room`](System::with_room), for systems that are factorised by rows whatever their coordinates.
    pub(super) fn with_room_by_rows(groups: usize, n: usize, coordinates: usize) -> Self {
        System {
            groups: Vec::with_capacity(groups),
            dense: Vec::with_capacity(coordinates),
            matrix: Vec::with_capacity(n * n),
            factors: Vec::with_capacity(n * n),
            by_coordinates: ByCoordinates::default(),
            in_coordinates: false,
        }
    }

    /// Number of rows of the listed groups.
    pub(super) fn rows(&self) -> usize {
        self.groups.last().map_or(0, |group| group.first + group.width)
    }
}

/// Groups as they are found.
struct List<'a, S> {
    groups: &'a mut Vec<Group<S>>,
    /// Number of their rows.
    rows: usize,
    /// See [`System::list`].
    sought: Option<S>,
}

impl<S: Scalar> List<'_, S> {
    /// Whether impulses are taken as solved: each group is where its impulse says. Else its velocity decides what it does.
    #[inline(always)]
    fn solved(&self, answering: Answering) -> bool {
        self.sought.is_none() && !matches!(answering, Answering::Smoothed(_))
    }

    /// Adds a group, if it has any influence in the lanes of the mask.
    #[inline(always)]
    fn add(&mut self, mut group: Group<S>, mask: S, problem: &Problem<S>) {
        group.acts = group.any_influence() * mask;
        if self.sought.is_some() {
            let Vec3 { x, y, z } = group.impulse(problem);
            let any = x.abs() + y.abs() + z.abs();
            group.acts = S::ZERO.select_lt(any, S::ONE, group.acts);
        }
        if !group.acts.is_zero() {
            group.first = self.rows;
            self.rows += group.width;
            self.groups.push(group);
        }
    }
}

#[inline(always)]
fn list_groups<S: Scalar>(
    answering: Answering,
    problem: &Problem<S>,
    steps: &[Steps<S>],
    joint_steps: &[S],
    list: &mut List<'_, S>,
) {
    let scale = list.sought.unwrap_or(S::ONE);
    for (i, rows) in problem.contacts.iter().enumerate() {
        let turn = Turn { impulse: rows.impulse, velocity: problem.velocity(i) * scale };
        let mut group = Group::new(Rows::Contact(i), 3);
        // Only sticking contacts of the gradient use it.
        let soft = Sym3::diagonal(group.soft(DERIVATIVES, problem));
        let steps_alone = Steps { block: inverse_of_block(&(rows.delassus + soft)), ..steps[i] };
        for row in 0..3 {
            let bars = answer(answering, problem.swept, rows, &steps_alone, &turn, unit(row));
            group.by_impulse[row] = bars.0;
            group.by_velocity[row] = bars.1 * scale;
            group.by_friction[row] = bars.2;
        }
        // Contacts that carry nothing are not part of the derivative, even if they touch. Of more supports than a body
        // needs some may carry nothing: rounding must not decide whether they press.
        let presses = match list.solved(answering) {
            true => S::ZERO.select_lt(rows.impulse.x, S::ONE, S::ZERO),
            false => S::ONE,
        };
        list.add(group, presses, problem);
        if let Some(turning) = &rows.turning {
            let velocity = problem.turning_velocity(i, turning) * scale;
            let turn = Turn { impulse: turning.impulse, velocity };
            let mut group = Group::new(Rows::Turning(i), 3);
            for row in 0..3 {
                let bar = unit(row);
                let normal = rows.impulse.x;
                let bars = match answering {
                    Answering::Polygon(sides) => turning_vjp(
                        turning,
                        &steps[i],
                        &turn,
                        normal,
                        bar,
                        #[inline(always)]
                        |y, radius, bar| onto_figure_vjp(sides, problem.swept, y, radius, bar),
                    ),
                    _ => turning_vjp(
                        turning,
                        &steps[i],
                        &turn,
                        normal,
                        bar,
                        #[inline(always)]
                        |y, radius, bar| onto_disk_vjp(y, radius, bar),
                    ),
                };
                group.by_impulse[row] = bars.impulse;
                group.by_velocity[row] = bars.velocity * scale;
                group.by_friction[row] = bars.torsional;
                group.by_other[row] = bars.rolling;
                group.by_normal[row] = bars.normal;
            }
            list.add(group, S::ONE, problem);
        }
    }
    for (i, row) in problem.joints.iter().enumerate() {
        let step = joint_steps[i] * scale;
        let mut free = problem.joint_velocity(i).neg_mul_add(step, row.impulse);
        if list.solved(answering) {
            free = row.at_bound_or(free);
        }
        let [x, lower, upper] = range_vjp(free, row.lower, row.upper, S::ONE);
        let mut group = Group::new(Rows::Joint(i), 1);
        group.by_impulse[0].x = x;
        group.by_velocity[0].x = -(step * x);
        group.by_friction[0] = lower;
        group.by_other[0] = upper;
        list.add(group, S::ONE, problem);
    }
}

/// The inverse of a contact's block; zero if the contact cannot move at all.
#[inline(always)]
fn inverse_of_block<S: Scalar>(a: &Sym3<S>) -> Sym3<S> {
    let least = S::from_f64(1e-30);
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

#[inline(always)]
fn unit<S: Scalar>(row: usize) -> Vec3<S> {
    let mut unit = Vec3::ZERO;
    unit[row] = S::ONE;
    unit
}

impl<S: Scalar> Group<S> {
    #[inline(always)]
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
            let numbers = numbers[0].abs() + numbers[1].abs() + numbers[2].abs();
            sum += x.abs() + y.abs() + z.abs() + numbers;
        }
        S::ZERO.select_lt(sum, S::ONE, S::ZERO)
    }

    /// Adds the effect of a cotangent `g` of the answer on everything but the impulses; returns the cotangent of the
    /// velocities.
    #[inline(always)]
    pub(super) fn contribute(
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
            }
            Rows::Turning(i) => {
                let bar = &mut bars.contacts[i].turning;
                bar.free += w_bar;
                bar.torsional += friction;
                bar.rolling += other;
            }
            Rows::Joint(i) => {
                let bar = &mut bars.joints[i];
                bar.free += w_bar.x;
                bar.lower += friction;
                bar.upper += other;
            }
        }
        self.spread(problem, w_bar, u_bar);
        w_bar
    }

    /// Calls `f` with G of its rows at each of its coordinates in turn.
    #[inline(always)]
    pub(super) fn for_factors(&self, problem: &Problem<S>, mut f: impl FnMut(usize, Vec3<S>)) {
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

    /// Adds Gᵀ x of its rows to any u.
    #[inline(always)]
    pub(super) fn spread(&self, problem: &Problem<S>, x: Vec3<S>, u: &mut [S]) {
        match self.rows {
            Rows::Contact(i) => problem.contact_spread(i, x, u),
            Rows::Turning(i) => problem.turning_spread(i, x, u),
            Rows::Joint(i) => problem.single_spread(i, x.x, u),
        }
    }

    /// Its part of a list with an entry a row of the system.
    #[inline(always)]
    pub(super) fn of(&self, list: &[S]) -> Vec3<S> {
        match self.width {
            1 => Vec3::new(list[self.first], S::ZERO, S::ZERO),
            _ => Vec3::from_slice(&list[self.first..]),
        }
    }

    pub(super) fn impulse_bar(&self, bars: &ProblemCotangents<S>) -> Vec3<S> {
        match self.rows {
            Rows::Contact(i) => bars.contacts[i].impulse,
            Rows::Turning(i) => bars.contacts[i].turning.impulse,
            Rows::Joint(i) => Vec3::new(bars.joints[i].impulse, S::ZERO, S::ZERO),
        }
    }

    /// The material's constraint force mixing.
    #[inline(always)]
    pub(super) fn cfm(&self, problem: &Problem<S>) -> S {
        match self.rows {
            Rows::Contact(i) => problem.contacts[i].cfm,
            _ => S::ZERO,
        }
    }

    /// 1 for rows that hold, else 0: normals that press, friction that does not slide, joints between their bounds. All
    /// turning rows of contacts that press count.
    #[inline(always)]
    fn holds(&self, problem: &Problem<S>) -> Vec3<S> {
        let acts = self.acts;
        match self.rows {
            Rows::Contact(i) => {
                let ContactRows { impulse, friction, .. } = &problem.contacts[i];
                let presses = S::ZERO.select_lt(impulse.x, acts, S::ZERO);
                let most = *friction * impulse.x * S::from_f64(1.0 - SLIDES);
                let squared = impulse.y.mul_add(impulse.y, impulse.z * impulse.z);
                let sticks = squared.select_lt(most * most, presses, S::ZERO);
                Vec3::new(presses, sticks, sticks)
            }
            Rows::Turning(i) => {
                // In a lane without this contact its rows still stand in the list.
                let presses = S::ZERO.select_lt(problem.contacts[i].impulse.x, acts, S::ZERO);
                Vec3::new(presses, presses, presses)
            }
            Rows::Joint(i) => {
                let JointRow { impulse, lower, upper, .. } = &problem.joints[i];
                let inside =
                    lower.select_lt(*impulse, impulse.select_lt(*upper, acts, S::ZERO), S::ZERO);
                Vec3::new(inside, S::ZERO, S::ZERO)
            }
        }
    }

    /// The response of each of its rows to its own impulse.
    #[inline(always)]
    fn response(&self, problem: &Problem<S>) -> Vec3<S> {
        match self.rows {
            Rows::Contact(i) => {
                let Sym3 { xx, yy, zz, .. } = problem.contacts[i].delassus;
                Vec3::new(xx, yy, zz)
            }
            Rows::Turning(i) => problem.contacts[i].turning.map_or(Vec3::ZERO, |t| t.delassus),
            Rows::Joint(i) => Vec3::new(problem.joints[i].delassus, S::ZERO, S::ZERO),
        }
    }

    /// R of its rows, not below the scalar's precision.
    #[inline(always)]
    pub(super) fn soft(&self, softness: Softness, problem: &Problem<S>) -> Vec3<S> {
        let share = |share: f64| S::from_f64(share.max(32.0 * S::EPSILON));
        let [normal, tangent, joint] =
            [share(softness.normal), share(softness.tangent), share(softness.joint)];
        let mean = |sum: S| sum * S::from_f64(1.0 / 3.0);
        match self.rows {
            Rows::Contact(i) => {
                let Sym3 { xx, yy, zz, .. } = problem.contacts[i].delassus;
                let mean = mean(xx + yy + zz);
                Vec3::new(mean * normal, mean * tangent, mean * tangent)
            }
            Rows::Turning(i) => {
                let response = problem.contacts[i].turning.map_or(Vec3::ZERO, |t| t.delassus);
                let soft = mean(response.x + response.y + response.z) * tangent;
                Vec3::new(soft, soft, soft)
            }
            Rows::Joint(i) => Vec3::new(problem.joints[i].delassus * joint, S::ZERO, S::ZERO),
        }
    }

    /// R λ: the velocity by which its rows yield to their impulse.
    #[inline(always)]
    pub(super) fn yielding(&self, softness: Softness, problem: &Problem<S>) -> Vec3<S> {
        let (soft, impulse) = (self.soft(softness, problem), self.impulse(problem));
        Vec3::new(soft.x * impulse.x, soft.y * impulse.y, soft.z * impulse.z)
    }

    /// The current impulse of its rows.
    #[inline(always)]
    pub(super) fn impulse(&self, problem: &Problem<S>) -> Vec3<S> {
        match self.rows {
            Rows::Contact(i) => problem.contacts[i].impulse,
            Rows::Turning(i) => problem.contacts[i].turning.map_or(Vec3::ZERO, |t| t.impulse),
            Rows::Joint(i) => Vec3::new(problem.joints[i].impulse, S::ZERO, S::ZERO),
        }
    }
}

/// Jᵀ g, for a Jacobian given by rows.
#[inline(always)]
pub(super) fn transposed<S: Scalar>(rows: &[Vec3<S>; 3], g: Vec3<S>) -> Vec3<S> {
    rows[0].scale_add(g.x, rows[1].scale_add(g.y, rows[2] * g.z))
}

#[inline(always)]
pub(super) fn along<S: Scalar>(numbers: &[S; 3], g: Vec3<S>) -> S {
    Vec3::from_slice(numbers).dot(g)
}

impl<S: Scalar> System<S> {
    /// Writes Tᵀ, of `n` rows.
    #[inline(always)]
    pub(super) fn assemble(&mut self, problem: &Problem<S>, n: usize) {
        let System { groups, dense, matrix, .. } = self;
        matrix.clear();
        matrix.resize(n * n, S::ZERO);
        dense.clear();
        dense.resize(problem.u.len(), Vec3::ZERO);
        for (b, at) in groups.iter().enumerate() {
            at.for_factors(
                problem,
                #[inline(always)]
                |k, g| dense[k] = g,
            );
            for (a, of) in groups.iter().enumerate() {
                // Rows of A between the two.
                let mut block = [Vec3::ZERO; 3];
                of.for_factors(
                    problem,
                    #[inline(always)]
                    |k, g| {
                        for q in 0..3 {
                            block[q] = dense[k].scale_add(g[q], block[q]);
                        }
                    },
                );
                if a == b {
                    let cfm = of.cfm(problem);
                    for q in 0..3 {
                        block[q][q] += cfm;
                    }
                }
                for row in 0..of.width {
                    let by = of.by_velocity[row];
                    let mut t =
                        -block[0].scale_add(by.x, block[1].scale_add(by.y, block[2] * by.z));
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
            at.for_factors(
                problem,
                #[inline(always)]
                |k, _| dense[k] = Vec3::ZERO,
            );
        }
    }

    /// LU of (T − f_w R)ᵀ without pivoting, since the diagonal is near one. Stores the reciprocals of the pivots on the
    /// diagonal.
    #[inline(always)]
    pub(super) fn factorise(&mut self, softness: Softness, problem: &Problem<S>, n: usize) {
        self.in_coordinates = false;
        let System { groups, matrix, factors, .. } = self;
        factors.clear();
        factors.extend_from_slice(matrix);
        for group in groups.iter() {
            let soft = group.soft(softness, problem) * group.acts;
            for (row, column) in
                (0..group.width).flat_map(|r| (0..group.width).map(move |c| (r, c)))
            {
                let entry = &mut factors[(group.first + column) * n + group.first + row];
                *entry = group.by_velocity[row][column].neg_mul_add(soft[column], *entry);
            }
        }
        lu(factors, n);
    }

    /// Factorises T − f_w R for [`solve`](System::solve), by rows or `by_coordinates`.
    #[inline(always)]
    pub(super) fn factorise_forwards(
        &mut self,
        by_coordinates: bool,
        softness: Softness,
        problem: &Problem<S>,
        n: usize,
    ) {
        if by_coordinates {
            self.in_coordinates = true;
            self.by_coordinates.factorise(&self.groups, softness, problem);
        } else {
            self.assemble(problem, n);
            self.factorise(softness, problem, n);
        }
    }

    /// The lanes of a mask in which rows that hold nearly depend on each other, but none does entirely: by the pivots of
    /// A, relative to each row's own response. Newton's method and the implicit gradient ask this of the same numbers, so
    /// that they agree about every problem. Overwrites the factors. Heaps, which are solved by coordinates, are not asked.
    #[inline(always)]
    pub(super) fn nearly_redundant(&mut self, problem: &Problem<S>, mask: S) -> S {
        if takes(problem.u.len()) {
            return S::ZERO;
        }
        let n = self.rows();
        let System { groups, dense, factors, .. } = self;
        factors.clear();
        factors.resize(n * n, S::ZERO);
        dense.clear();
        dense.resize(problem.u.len(), Vec3::ZERO);
        for (b, at) in groups.iter().enumerate() {
            at.for_factors(
                problem,
                #[inline(always)]
                |k, g| dense[k] = g,
            );
            let at_holds = at.holds(problem);
            for of in &groups[b..] {
                let mut block = [Vec3::ZERO; 3];
                of.for_factors(
                    problem,
                    #[inline(always)]
                    |k, g| {
                        for q in 0..3 {
                            block[q] = dense[k].scale_add(g[q], block[q]);
                        }
                    },
                );
                let holds = of.holds(problem);
                for row in 0..of.width {
                    for column in 0..at.width {
                        let both = holds[row] * at_holds[column];
                        factors[(of.first + row) * n + at.first + column] =
                            block[row][column] * both;
                    }
                }
            }
            at.for_factors(
                problem,
                #[inline(always)]
                |k, _| dense[k] = Vec3::ZERO,
            );
        }
        let (mut independent, mut weak) = (mask, S::ZERO);
        for group in groups.iter() {
            let (holds, response) = (group.holds(problem), group.response(problem));
            for row in 0..group.width {
                let k = group.first + row;
                // Rows that do not hold stand alone.
                let pivot = S::ZERO.select_lt(holds[row], factors[k * n + k], S::ONE);
                let own = response[row] * holds[row];
                let least = own * S::from_f64(REDUNDANT * S::EPSILON);
                independent = least.select_lt(pivot, independent, S::ZERO);
                weak = pivot.select_lt(own * S::from_f64(WEAK), S::ONE, weak);
                let inverse = least.select_lt(pivot, pivot, S::ONE).recip();
                // A = L D Lᵀ, one column after the other; only the pivots are wanted.
                for i in k + 1..n {
                    let (above, below) = factors.split_at_mut(i * n);
                    let factor = below[k] * inverse;
                    for j in k + 1..i {
                        below[j] = factor.neg_mul_add(above[j * n + k], below[j]);
                    }
                    below[i] = factor.neg_mul_add(below[k], below[i]);
                }
            }
        }
        independent * weak
    }

    /// Replaces x by the solution of (T − f_w R)ᵀ y = x.
    #[inline(always)]
    pub(super) fn solve_transposed(&self, x: &mut [S]) {
        let (factors, n) = (&self.factors, x.len());
        for i in 1..n {
            let mut sum = x[i];
            for (l, x) in factors[i * n..][..i].iter().zip(x.iter()) {
                sum = l.neg_mul_add(*x, sum);
            }
            x[i] = sum;
        }
        for i in (0..n).rev() {
            let row = &factors[i * n..][..n];
            let mut sum = x[i];
            for j in i + 1..n {
                sum = row[j].neg_mul_add(x[j], sum);
            }
            x[i] = sum * row[i];
        }
    }

    /// Replaces x by the solution of (T − f_w R) y = x.
    #[inline(always)]
    pub(super) fn solve(&mut self, problem: &Problem<S>, x: &mut [S]) {
        if self.in_coordinates {
            return self.by_coordinates.solve(&self.groups, problem, x);
        }
        let (factors, n) = (&self.factors, x.len());
        // The transpose is L U, so this is Uᵀ Lᵀ.
        for k in 0..n {
            let row = &factors[k * n..][..n];
            let known = x[k] * row[k];
            x[k] = known;
            for (x, u) in x[k + 1..].iter_mut().zip(&row[k + 1..]) {
                *x = u.neg_mul_add(known, *x);
            }
        }
        for k in (1..n).rev() {
            let known = x[k];
            let row = &factors[k * n..][..k];
            for (x, l) in x[..k].iter_mut().zip(row) {
                *x = l.neg_mul_add(known, *x);
            }
        }
    }
}

/// Rows of matrices are added up in blocks of this many numbers.
const BLOCK: usize = 8;

impl System<f64> {
    /// As [`solve`](System::solve) by rows, for the columns of a matrix of `stride` numbers a row, a multiple of
    /// eight.
    #[inline(always)]
    pub(super) fn solve_columns(&self, x: &mut [f64], stride: usize) {
        let (factors, n, blocks) = (&self.factors, x.len() / stride, stride / BLOCK);
        for i in 0..n {
            let (known, rest) = x.split_at_mut(i * stride);
            let known = known.as_chunks::<BLOCK>().0;
            let inverse = factors[i * n + i];
            for (b, to) in rest[..stride].as_chunks_mut::<BLOCK>().0.iter_mut().enumerate() {
                let known = known.get(b..).unwrap_or(&[]);
                let sum = subtract(*to, |k| factors[k * n + i], 0..i, known, blocks);
                *to = sum.map(|x| x * inverse);
            }
        }
        for i in (0..n).rev() {
            let (rest, known) = x.split_at_mut((i + 1) * stride);
            let known = known.as_chunks::<BLOCK>().0;
            let to = rest[i * stride..].as_chunks_mut::<BLOCK>().0;
            for (b, to) in to.iter_mut().enumerate() {
                let known = known.get(b..).unwrap_or(&[]);
                let factor = |k: usize| factors[(i + 1 + k) * n + i];
                *to = subtract(*to, factor, 0..n - i - 1, known, blocks);
            }
        }
    }
}

/// `from` minus the sum of `factor(k)` times every `blocks`-th block of `known`.
#[inline(always)]
fn subtract(
    from: [f64; BLOCK],
    factor: impl Fn(usize) -> f64,
    range: core::ops::Range<usize>,
    known: &[[f64; BLOCK]],
    blocks: usize,
) -> [f64; BLOCK] {
    let mut sum = from;
    for k in range {
        let (factor, known) = (-factor(k), &known[k * blocks]);
        for lane in 0..BLOCK {
            sum[lane] = factor.mul_add(known[lane], sum[lane]);
        }
    }
    sum
}
