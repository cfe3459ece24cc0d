//! The implicit derivative of all impulses at once, as a matrix.
//!
//! `implicit.rs` takes one cotangent back through T dλ = f_w (db + dA λ). Here T K = f_w is solved for the matrix K, so
//! that dλ = K β for as many changes β of the rows' velocities as there are columns of a Jacobian. K has as many columns as
//! rows; it is solved with the factors of the softened system, and corrected by residuals of T, as there.

use gradbody_model::Model;

use super::answering::Answering;
use super::implicit::{ENOUGH, GOOD};
use super::ncp::prepare;
use super::system::{
    CORRECTIONS, DERIVATIVES, Group, LAST_CORRECTIONS, MANY_ROWS, NEARLY_EXACT, Rows, Softness,
    System,
};
use super::{Cone, Solver, SolverWork};
use crate::Problem;

/// The derivative of impulses along the rows that have any.
#[derive(Clone, Debug)]
pub struct ImpulseSlopes {
    /// The groups of rows that the derivative is about.
    pub(crate) groups: Vec<SlopeGroup>,
    /// Number of their rows.
    pub(crate) rows: usize,
    /// K, row by row, with `stride` numbers in each row.
    pub(crate) slopes: Vec<f64>,
    pub(crate) stride: usize,
    /// The most rows that there is room for.
    pub(crate) most_rows: usize,
    /// Whether some impulses change no motion, or nearly so. K then has large entries, whose products lose digits.
    redundant: bool,
    system: System<f64>,
    rest: Vec<f64>,
}

impl ImpulseSlopes {
    /// Buffers with room for this many contacts, or as many as are factorised.
    pub(crate) fn new(model: &Model<f64>, contacts: usize) -> Self {
        let n = (6 * contacts + 3 * model.nv()).min(MANY_ROWS);
        let groups = (2 * contacts + 3 * model.nv()).min(MANY_ROWS);
        ImpulseSlopes {
            groups: Vec::with_capacity(groups),
            rows: 0,
            slopes: Vec::with_capacity(n * n.next_multiple_of(ALIGNED)),
            stride: 0,
            most_rows: n,
            redundant: false,
            system: System::with_room_by_rows(groups, n, model.nv()),
            rest: Vec::with_capacity(n * n.next_multiple_of(ALIGNED)),
        }
    }
}

/// Rows that answer together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlopeGroup {
    pub(crate) rows: Rows,
    /// Index of its first row among those of all groups.
    pub(crate) first: usize,
}

/// Why impulses have no derivative as a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSlopes {
    /// There are too many rows to factorise.
    TooManyRows,
    /// The factors are inaccurate.
    Inaccurate,
}

/// Numbers in a row are a multiple of this, so that rows fill whole vectors.
const ALIGNED: usize = 8;

impl Solver {
    /// Writes the implicit derivative of the impulses that were found for `problem`.
    #[inline(always)]
    pub fn impulse_slopes(
        &self,
        problem: &Problem<f64>,
        work: &mut SolverWork<f64>,
        out: &mut ImpulseSlopes,
    ) -> Result<(), NoSlopes> {
        let answering = match self {
            Solver::Lcp(lcp) => Answering::Polygon(lcp.sides()),
            Solver::Ncp(ncp) => Answering::Cone(ncp.cone),
            Solver::Off | Solver::HuntCrossley => Answering::Cone(Cone::Circular),
        };
        prepare(problem, &mut work.ncp);
        let n = out.system.list(answering, None, problem, &work.ncp);
        out.groups.clear();
        let groups = out.system.groups.iter();
        out.groups.extend(groups.map(|g| SlopeGroup { rows: g.rows, first: g.first }));
        out.rows = n;
        if n == 0 {
            return Ok(());
        }
        if n > MANY_ROWS {
            return Err(NoSlopes::TooManyRows);
        }
        out.stride = n.next_multiple_of(ALIGNED);
        out.system.assemble(problem, n);
        solve(problem, out)
    }
}

impl ImpulseSlopes {
    /// Corrects dλ = K β by its own residual, f_w β − T dλ, where K has large entries. Both matrices have a row for each row
    /// of the system, of `stride` numbers; `rest` is a buffer.
    #[inline(always)]
    pub(crate) fn improve(
        &self,
        changes: &[f64],
        impulses: &mut [f64],
        stride: usize,
        rest: &mut Vec<f64>,
    ) {
        if !self.redundant {
            return;
        }
        let (n, blocks, matrix) = (self.rows, stride / ALIGNED, &self.system.matrix);
        rest.clear();
        rest.resize(n * stride, 0.0);
        let (changes, known) =
            (changes.as_chunks::<ALIGNED>().0, impulses.as_chunks::<ALIGNED>().0);
        for group in &self.system.groups {
            for row in 0..group.width {
                let at = group.first + row;
                let to = rest[at * stride..][..stride].as_chunks_mut::<ALIGNED>().0;
                for (b, to) in to.iter_mut().enumerate() {
                    let mut sum = [0.0; ALIGNED];
                    for column in 0..group.width {
                        let factor = group.by_velocity[row][column];
                        let from = &changes[(group.first + column) * blocks + b];
                        for lane in 0..ALIGNED {
                            sum[lane] = factor.mul_add(from[lane], sum[lane]);
                        }
                    }
                    for k in 0..n {
                        let (t, from) = (-matrix[k * n + at], &known[k * blocks + b]);
                        for lane in 0..ALIGNED {
                            sum[lane] = t.mul_add(from[lane], sum[lane]);
                        }
                    }
                    *to = sum;
                }
            }
        }
        self.system.solve_columns(rest, stride);
        impulses.iter_mut().zip(rest.iter()).for_each(|(sum, step)| *sum += *step);
    }
}

/// Solves T K = f_w.
#[inline(always)]
fn solve(problem: &Problem<f64>, out: &mut ImpulseSlopes) -> Result<(), NoSlopes> {
    let ImpulseSlopes { rows: n, slopes, stride, system, rest, redundant, .. } = out;
    let (n, stride) = (*n, *stride);
    rest.clear();
    rest.resize(n * stride, 0.0);
    for group in &system.groups {
        for row in 0..group.width {
            put_answer(group, row, &mut rest[(group.first + row) * stride..]);
        }
    }
    let size = largest(rest);
    system.factorise(DERIVATIVES, problem, n);
    system.solve_columns(rest, stride);
    slopes.clear();
    slopes.extend_from_slice(rest);
    // Corrections take out what the softened system differs by. The first also shows how accurate the factors are.
    residual(system, slopes, rest, stride);
    let misfit = misfit(DERIVATIVES, problem, system, slopes, rest, stride);
    // NaN is not good either.
    if misfit.partial_cmp(&(GOOD * size)) != Some(core::cmp::Ordering::Less) {
        return Err(NoSlopes::Inaccurate);
    }
    let mut correct = |most: u32, system: &System<f64>| {
        for _ in 0..most {
            system.solve_columns(rest, stride);
            slopes.iter_mut().zip(rest.iter()).for_each(|(sum, step)| *sum += *step);
            if largest(rest) <= largest(slopes) * ENOUGH * f64::EPSILON {
                return true;
            }
            residual(system, slopes, rest, stride);
        }
        false
    };
    *redundant = !correct(CORRECTIONS - 1, system);
    if *redundant {
        if system.nearly_redundant(problem, 1.0) > 0.0 {
            system.factorise(NEARLY_EXACT, problem, n);
            correct(LAST_CORRECTIONS, system);
        } else {
            // For `improve`: the question has overwritten the factors.
            system.factorise(DERIVATIVES, problem, n);
        }
    }
    match slopes.iter().all(|x| x.is_finite()) {
        true => Ok(()),
        false => Err(NoSlopes::Inaccurate),
    }
}

/// Writes a row of f_w at the columns of its group.
#[inline(always)]
fn put_answer(group: &Group<f64>, row: usize, to: &mut [f64]) {
    for column in 0..group.width {
        to[group.first + column] = group.by_velocity[row][column];
    }
}

/// Replaces `rest` by f_w − T K.
#[inline(always)]
fn residual(system: &System<f64>, slopes: &[f64], rest: &mut [f64], stride: usize) {
    let (n, blocks) = (slopes.len() / stride, stride / ALIGNED);
    rest.fill(0.0);
    let (known, _) = slopes.as_chunks::<ALIGNED>();
    for group in &system.groups {
        for row in 0..group.width {
            let at = group.first + row;
            put_answer(group, row, &mut rest[at * stride..]);
            let (to, _) = rest[at * stride..][..stride].as_chunks_mut::<ALIGNED>();
            for (b, to) in to.iter_mut().enumerate() {
                let mut sum = *to;
                for k in 0..n {
                    // The system has Tᵀ by rows.
                    let t = -system.matrix[k * n + at];
                    let from = &known[k * blocks + b];
                    for lane in 0..ALIGNED {
                        sum[lane] = t.mul_add(from[lane], sum[lane]);
                    }
                }
                *to = sum;
            }
        }
    }
}

/// How far the first solution is from solving the softened system: its residual of T, `rest`, would be −f_w R times it.
#[inline(always)]
fn misfit(
    softness: Softness,
    problem: &Problem<f64>,
    system: &System<f64>,
    slopes: &[f64],
    rest: &[f64],
    stride: usize,
) -> f64 {
    let mut most = 0.0_f64;
    for group in &system.groups {
        let soft = group.soft(softness, problem);
        for row in 0..group.width {
            let by = group.by_velocity[row];
            let factors = [by.x * soft.x, by.y * soft.y, by.z * soft.z];
            let rest = &rest[(group.first + row) * stride..][..stride];
            let mut sum = [0.0; ALIGNED];
            let (rest, _) = rest.as_chunks::<ALIGNED>();
            for (b, rest) in rest.iter().enumerate() {
                let mut miss = *rest;
                for (c, factor) in factors[..group.width].iter().enumerate() {
                    let from = &slopes[(group.first + c) * stride + b * ALIGNED..][..ALIGNED];
                    for lane in 0..ALIGNED {
                        miss[lane] = factor.mul_add(from[lane], miss[lane]);
                    }
                }
                // Sums of magnitudes keep NaN.
                for lane in 0..ALIGNED {
                    sum[lane] += miss[lane].abs();
                }
            }
            let sum: f64 = sum.iter().sum();
            most = if sum <= most { most } else { sum };
        }
    }
    most
}

/// The largest absolute value of a list whose length is a multiple of eight.
#[inline(always)]
fn largest(list: &[f64]) -> f64 {
    let mut most = [0.0_f64; ALIGNED];
    for block in list.as_chunks::<ALIGNED>().0 {
        for lane in 0..ALIGNED {
            most[lane] = most[lane].max(block[lane].abs());
        }
    }
    most.iter().fold(0.0, |size, x| size.max(*x))
}
