//! Contact as a linear complementarity problem, solved exactly [Anitescu and Potra 1997].
//!
//! The friction cone is a pyramid of several sides. For each contact, with D the directions of its
//! sides,
//!
//! ```text
//!   0 ≤ λₙ ⊥ wₙ              ≥ 0
//!   0 ≤ β  ⊥ Dᵀ wₜ + γ        ≥ 0      λₜ = D β
//!   0 ≤ γ  ⊥ μ λₙ − Σ β       ≥ 0
//! ```
//!
//! Torsional friction is such a pyramid of two sides, rolling friction another; a joint's friction is a variable
//! between two bounds. Lemke's method finds which variables are zero, in plain numbers, one world at a time. The values
//! of the others come from a linear system in the scalar itself, so that they have derivatives. Where rounding makes
//! the pivots fail, the sweeps of [`Ncp`](super::Ncp) take over. The cost is cubic in the number of contacts: a
//! reference, not for many bodies. A world's result in lanes agrees with its result alone up to rounding, not to the
//! bit; in f32 rounding often defeats the pivots.

use gradbody_math::{Scalar, Vec3};

use super::lemke::Lemke;
use super::{ContactSolver, Solved, SolverWork, SweepTape, worst};
use crate::Problem;

/// Options of the solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lcp {
    /// Sides of the pyramid; at least 4; an odd number is rounded up.
    pub sides: u32,
}

impl Default for Lcp {
    /// Within 2 % of the cone.
    fn default() -> Self {
        Lcp { sides: 16 }
    }
}

/// Buffers of [`Lcp`].
#[derive(Clone, Debug)]
pub struct LcpWork<S> {
    rows: Vec<Row>,
    variables: Vec<Variable<S>>,
    /// J M⁻¹ Jᵀ + R over all rows.
    delassus: Vec<S>,
    m: Vec<S>,
    q: Vec<S>,
    z: Vec<S>,
    plain_m: Vec<f64>,
    plain_q: Vec<f64>,
    lemke: Lemke,
    basic: Vec<S>,
    used: Vec<usize>,
    system: Vec<S>,
}

/// A row of the problem: one direction of an impulse.
#[derive(Clone, Copy, Debug)]
enum Row {
    Contact { contact: usize, direction: usize },
    Turning { contact: usize, direction: usize },
    Joint { joint: usize },
}

/// A variable of the complementarity problem, and its complementary velocity or slack.
#[derive(Clone, Copy, Debug)]
enum Variable<S> {
    /// An impulse along a combination of two rows.
    Impulse { rows: [usize; 2], weights: [S; 2], slack: Option<usize> },
    /// The slack of impulses whose sum is bounded by `share` of another impulse, or by `most`.
    Slack { of: Option<usize>, share: S, most: S },
}

impl<S: Scalar> LcpWork<S> {
    /// Empty buffers; the first steps with contacts allocate.
    pub fn new() -> Self {
        LcpWork {
            rows: Vec::new(),
            variables: Vec::new(),
            delassus: Vec::new(),
            m: Vec::new(),
            q: Vec::new(),
            z: Vec::new(),
            plain_m: Vec::new(),
            plain_q: Vec::new(),
            lemke: Lemke::default(),
            basic: Vec::new(),
            used: Vec::new(),
            system: Vec::new(),
        }
    }
}

impl<S: Scalar> Default for LcpWork<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Scalar> ContactSolver<S> for Lcp {
    fn impulses(
        &self,
        problem: &mut Problem<S>,
        _tape: &mut SweepTape<S>,
        work: &mut SolverWork<S>,
    ) -> Solved {
        let work = &mut work.lcp;
        S::in_registers(
            #[inline(always)]
            || {
                forget_impulses(problem);
                list_rows(problem, work);
                self.list_variables(problem, work);
                assemble(problem, work);
            },
        );
        let pivots = find_basis(work);
        S::in_registers(
            #[inline(always)]
            || {
                solve_basis(work);
                problem.residual = violation(problem, work);
                push_impulses(problem, work);
            },
        );
        Solved { sweeps: pivots, rounds: 0, residual: worst(problem.residual), wedged: false }
    }
}

#[inline(always)]
fn forget_impulses<S: Scalar>(problem: &mut Problem<S>) {
    problem.u.fill(S::ZERO);
    for rows in &mut problem.contacts {
        rows.impulse = Vec3::ZERO;
        if let Some(turning) = &mut rows.turning {
            turning.impulse = Vec3::ZERO;
        }
    }
    problem.joints.iter_mut().for_each(|row| row.impulse = S::ZERO);
}

fn list_rows<S: Scalar>(problem: &Problem<S>, work: &mut LcpWork<S>) {
    work.rows.clear();
    for (contact, rows) in problem.contacts.iter().enumerate() {
        work.rows.extend((0..3).map(|direction| Row::Contact { contact, direction }));
        if rows.turning.is_some() {
            work.rows.extend((0..3).map(|direction| Row::Turning { contact, direction }));
        }
    }
    work.rows.extend((0..problem.joints.len()).map(|joint| Row::Joint { joint }));
}

impl Lcp {
    /// The actual number of sides of the pyramid.
    pub(super) fn sides(&self) -> u32 {
        self.sides.max(4).next_multiple_of(2)
    }

    fn list_variables<S: Scalar>(&self, problem: &Problem<S>, work: &mut LcpWork<S>) {
        let sides = self.sides();
        let variables = &mut work.variables;
        variables.clear();
        let mut row = 0;
        for rows in &problem.contacts {
            let normal = variables.len();
            let single = |row| Variable::Impulse {
                rows: [row, row],
                weights: [S::ONE, S::ZERO],
                slack: None,
            };
            variables.push(single(row));
            self.pyramid(variables, [row + 1, row + 2], sides, normal, rows.friction);
            row += 3;
            if let Some(turning) = &rows.turning {
                self.pyramid(variables, [row, row], 2, normal, turning.torsional);
                let across = [row + 1, row + 2];
                self.pyramid(variables, across, sides, normal, turning.rolling);
                row += 3;
            }
        }
        for joint in &problem.joints {
            // Both directions, each up to its bound: at most one of the two is nonzero.
            for (weight, most) in [(S::ONE, joint.upper), (-S::ONE, -joint.lower)] {
                let slack = Some(variables.len() + 1);
                let rows = [row, row];
                variables.push(Variable::Impulse { rows, weights: [weight, S::ZERO], slack });
                variables.push(Variable::Slack { of: None, share: S::ZERO, most });
            }
            row += 1;
        }
    }

    /// Impulses along the sides of a pyramid in the plane of two rows, and their slack.
    fn pyramid<S: Scalar>(
        &self,
        variables: &mut Vec<Variable<S>>,
        rows: [usize; 2],
        sides: u32,
        normal: usize,
        share: S,
    ) {
        let slack = Some(variables.len() + sides as usize);
        for side in 0..sides {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(side) / f64::from(sides)).sin_cos();
            let sin = if sides == 2 { 0.0 } else { sin };
            let weights = [S::from_f64(cos), S::from_f64(sin)];
            variables.push(Variable::Impulse { rows, weights, slack });
        }
        variables.push(Variable::Slack { of: Some(normal), share, most: S::ZERO });
    }
}

/// The velocity along a row.
#[inline(always)]
fn velocity<S: Scalar>(problem: &Problem<S>, row: Row) -> S {
    match row {
        Row::Contact { contact, direction } => problem.velocity(contact)[direction],
        Row::Turning { contact, direction } => match &problem.contacts[contact].turning {
            Some(turning) => problem.turning_velocity(contact, turning)[direction],
            None => S::ZERO,
        },
        Row::Joint { joint } => problem.joint_velocity(joint),
    }
}

/// The part of the velocity along a row that the impulses cause.
#[inline(always)]
fn response<S: Scalar>(problem: &Problem<S>, row: Row) -> S {
    match row {
        Row::Contact { contact, direction } => problem.response(contact)[direction],
        Row::Turning { contact, direction } => match &problem.contacts[contact].turning {
            Some(turning) => problem.turning_response(contact, turning)[direction],
            None => S::ZERO,
        },
        Row::Joint { joint } => problem.joint_response(joint),
    }
}

/// Adds an impulse along a row.
#[inline(always)]
fn push<S: Scalar>(problem: &mut Problem<S>, row: Row, impulse: S) {
    let along = |direction: usize| {
        let mut vector = Vec3::ZERO;
        vector[direction] = impulse;
        vector
    };
    match row {
        Row::Contact { contact, direction } => problem.push(contact, along(direction)),
        Row::Turning { contact, direction } => problem.twist(contact, along(direction)),
        Row::Joint { joint } => problem.push_joint(joint, impulse),
    }
}

/// M and q: first the Delassus matrix, column by column, then the combinations of its rows that form the variables.
#[inline(always)]
fn assemble<S: Scalar>(problem: &mut Problem<S>, work: &mut LcpWork<S>) {
    let rows = work.rows.len();
    work.delassus.clear();
    work.delassus.resize(rows * rows, S::ZERO);
    for j in 0..rows {
        push(problem, work.rows[j], S::ONE);
        for i in 0..rows {
            work.delassus[i * rows + j] = response(problem, work.rows[i]);
        }
        push(problem, work.rows[j], -S::ONE);
        problem.u.fill(S::ZERO);
    }
    let n = work.variables.len();
    work.m.clear();
    work.m.resize(n * n, S::ZERO);
    work.q.clear();
    work.q.resize(n, S::ZERO);
    for (i, variable) in work.variables.iter().enumerate() {
        match variable {
            Variable::Impulse { rows: [a, b], weights: [x, y], slack } => {
                let (va, vb) = (velocity(problem, work.rows[*a]), velocity(problem, work.rows[*b]));
                work.q[i] = va.mul_add(*x, vb * *y);
                for (j, other) in work.variables.iter().enumerate() {
                    let Variable::Impulse { rows: [c, d], weights: [s, t], .. } = other else {
                        continue;
                    };
                    let entry = |r: usize, c: usize| work.delassus[r * rows + c];
                    let along_s = entry(*a, *c).mul_add(*x, entry(*b, *c) * *y);
                    let along_t = entry(*a, *d).mul_add(*x, entry(*b, *d) * *y);
                    work.m[i * n + j] = along_s.mul_add(*s, along_t * *t);
                }
                if let Some(slack) = slack {
                    work.m[i * n + slack] = S::ONE;
                    work.m[slack * n + i] = -S::ONE;
                }
            }
            Variable::Slack { of, share, most } => {
                // The slack of an unbounded impulse is never zero.
                work.q[i] = most.min(S::from_f64(UNBOUNDED));
                if let Some(of) = of {
                    work.m[i * n + of] = *share;
                }
            }
        }
    }
}

/// An impulse larger than any real one [N s].
const UNBOUNDED: f64 = 1e12;

/// Compliances to try in turn, relative to the largest response. With redundant contacts, rounding may decide the
/// choice of a pivot, which may fail; a little compliance makes the contacts distinct.
const COMPLIANCES: [f64; 4] = [0.0, 1e-10, 1e-8, 1e-6];

/// Marks the basic variables with 1 in each lane. Returns the largest number of pivots of a lane. Where no basis is
/// found no impulse acts, and the residual shows it.
fn find_basis<S: Scalar>(work: &mut LcpWork<S>) -> u32 {
    let n = work.variables.len();
    work.basic.clear();
    work.basic.resize(n, S::ZERO);
    let mut pivots = 0;
    for lane in 0..S::LANES {
        work.plain_q.clear();
        work.plain_q.extend(work.q.iter().map(|x| x.lane(lane)));
        for compliance in COMPLIANCES {
            work.plain_m.clear();
            work.plain_m.extend(work.m.iter().map(|x| x.lane(lane)));
            let largest = (0..n).fold(0.0_f64, |most, i| most.max(work.plain_m[i * n + i]));
            let add = |i: usize| match work.variables[i] {
                Variable::Impulse { .. } => compliance * largest,
                Variable::Slack { .. } => 0.0,
            };
            (0..n).for_each(|i| work.plain_m[i * n + i] += add(i));
            let found = work.lemke.solve(&work.plain_m, &work.plain_q);
            pivots = pivots.max(work.lemke.pivots);
            if found {
                for i in 0..n {
                    let basic = work.lemke.basic[i];
                    put_lane(&mut work.basic[i], lane, f64::from(u8::from(basic)));
                    let diagonal = &mut work.m[i * n + i];
                    *diagonal += S::from_lanes(|l| if l == lane { add(i) } else { 0.0 });
                }
                break;
            }
        }
    }
    pivots
}

fn put_lane<S: Scalar>(x: &mut S, lane: usize, value: f64) {
    let old = *x;
    *x = S::from_lanes(|l| if l == lane { value } else { old.lane(l) });
}

/// z of the basic variables from M z = −q restricted to them, the others being zero: Gaussian elimination with pivots
/// chosen by `select`, since lanes may choose differently. Variables that are basic in no lane are left out.
#[inline(always)]
fn solve_basis<S: Scalar>(work: &mut LcpWork<S>) {
    let LcpWork { m, q, z, basic, system, used, .. } = work;
    let all = q.len();
    used.clear();
    used.extend((0..all).filter(|i| basic[*i].any()));
    let n = used.len();
    let width = n + 1;
    system.clear();
    system.resize(n * width, S::ZERO);
    for (row, i) in used.iter().enumerate() {
        for (column, j) in used.iter().enumerate() {
            let other = if i == j { S::ONE - basic[*i] } else { S::ZERO };
            system[row * width + column] = (basic[*i] * basic[*j]).mul_add(m[i * all + j], other);
        }
        system[row * width + n] = -(basic[*i] * q[*i]);
    }
    // Pivots below this are rounding.
    let largest = system.iter().fold(S::ZERO, |most, x| most.max(x.abs()));
    let rounding = largest * S::from_f64(1e4 * S::EPSILON);
    for k in 0..n {
        for i in k + 1..n {
            let (above, below) = system.split_at_mut(i * width);
            let (top, other) = (&mut above[k * width..][k..width], &mut below[k..width]);
            let (a, b) = (top[0].abs(), other[0].abs());
            for (x, y) in top.iter_mut().zip(other.iter_mut()) {
                (*x, *y) = (a.select_lt(b, *y, *x), a.select_lt(b, *x, *y));
            }
        }
        let pivot = system[k * width + k];
        let inverse = rounding.select_lt(pivot.abs(), pivot, S::ONE).recip();
        for i in k + 1..n {
            let (above, below) = system.split_at_mut(i * width);
            let (top, other) = (&above[k * width..][k..width], &mut below[k..width]);
            let factor = other[0] * inverse;
            other.iter_mut().zip(top).for_each(|(y, x)| *y = factor.neg_mul_add(*x, *y));
        }
    }
    z.clear();
    z.resize(all, S::ZERO);
    for k in (0..n).rev() {
        let row = &system[k * width..][..width];
        let sum = (k + 1..n).fold(row[n], |sum, j| row[j].neg_mul_add(z[used[j]], sum));
        let pivot = row[k];
        // A variable that the others already determine is set to zero.
        let safe = rounding.select_lt(pivot.abs(), pivot, S::ONE);
        z[used[k]] = rounding.select_lt(pivot.abs(), sum / safe, S::ZERO);
    }
}

/// The largest violation of z ≥ 0 or w ≥ 0. Where z is far from a solution, no impulse acts.
#[inline(always)]
fn violation<S: Scalar>(problem: &mut Problem<S>, work: &mut LcpWork<S>) -> S {
    let worst = worst_violation(work);
    let scale = work.q.iter().fold(S::ONE, |most, q| most.max((-*q).max(S::ZERO)));
    let kept = worst.select_le(scale * S::from_f64(1e-3), S::ONE, S::ZERO);
    problem.unsolved = S::ONE - kept;
    if !problem.unsolved.any() {
        return worst;
    }
    for z in &mut work.z {
        *z = S::ZERO.select_lt(kept, *z, S::ZERO);
    }
    worst_violation(work)
}

#[inline(always)]
fn worst_violation<S: Scalar>(work: &LcpWork<S>) -> S {
    let n = work.variables.len();
    let mut worst = S::ZERO;
    for i in 0..n {
        let w = (0..n).fold(work.q[i], |sum, j| work.m[i * n + j].mul_add(work.z[j], sum));
        worst = worst.max(-w).max(-work.z[i]);
    }
    worst
}

#[inline(always)]
fn push_impulses<S: Scalar>(problem: &mut Problem<S>, work: &LcpWork<S>) {
    for (variable, z) in work.variables.iter().zip(&work.z) {
        if let Variable::Impulse { rows: [a, b], weights: [x, y], .. } = variable {
            push(problem, work.rows[*a], *z * *x);
            push(problem, work.rows[*b], *z * *y);
        }
    }
}
