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
    CORRECTIONS, DERIVATIVES, LAST_CORRECTIONS, MANY_ROWS, NEARLY_EXACT, Rows, Softness, System,
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
            system: System::with_room_by_rows(groups, n, model.nv()),
            rest: Vec::with_capacity(n * n.next_multiple_of(ALIGNED)),
        }
    }

    /// The most rows that there is room for.
    pub(crate) fn most_rows(&self) -> usize {
        self.slopes.capacity().isqrt()
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

/// Solves T K = f_w.
#[inline(always)]
fn solve(problem: &Problem<f64>, out: &mut ImpulseSlopes) -> Result<(), NoSlopes> {
    let ImpulseSlopes { rows: n, slopes, stride, system, rest, .. } = out;
    let (n, stride) = (*n, *stride);
    rest.clear();
    rest.resize(n * stride, 0.0);
    for group in &system.groups {
        for row in 0..group.width {
            for column in 0..group.width {
                rest[(group.first + row) * stride + group.first + column] =
                    group.by_velocity[row][column];
            }
        }
    }
    let size = largest(rest);
    slopes.clear();
    slopes.resize(n * stride, 0.0);
    system.factorise(DERIVATIVES, problem, n);
    let mut misfit = 0.0_f64;
    let mut correct = |softness: Softness, most: u32, system: &System<f64>| {
        for _ in 0..most {
            let step = correction(softness, problem, system, slopes, rest, stride, &mut misfit);
            if step <= largest(slopes) * ENOUGH * f64::EPSILON {
                return true;
            }
        }
        false
    };
    if !correct(DERIVATIVES, CORRECTIONS, system) && system.nearly_redundant(problem, 1.0) > 0.0 {
        system.factorise(NEARLY_EXACT, problem, n);
        correct(NEARLY_EXACT, LAST_CORRECTIONS, system);
    }
    // NaN is not good either.
    if misfit <= GOOD * size { Ok(()) } else { Err(NoSlopes::Inaccurate) }
}

/// Adds the solution for the residual `rest` to the matrix, and replaces `rest` by the next residual; returns the largest
/// entry of the correction. Raises `misfit` to the residual of the softened system.
#[inline(always)]
fn correction(
    softness: Softness,
    problem: &Problem<f64>,
    system: &System<f64>,
    slopes: &mut [f64],
    rest: &mut [f64],
    stride: usize,
    misfit: &mut f64,
) -> f64 {
    let n = slopes.len() / stride;
    system.solve_columns(rest, stride);
    for (sum, step) in slopes.iter_mut().zip(rest.iter()) {
        *sum += *step;
    }
    let step = largest(rest);
    // What R adds to the factorised system: the next residual is f_w − T K, and −f_w R step if the factors are exact.
    let mut miss = 0.0_f64;
    for group in &system.groups {
        let soft = group.soft(softness, problem);
        let (first, width) = (group.first, group.width);
        for column in 0..n {
            let of = |row: usize| rest[(first + row) * stride + column] * soft[row];
            let yielded =
                [of(0), if width > 1 { of(1) } else { 0.0 }, if width > 1 { of(2) } else { 0.0 }];
            let mut yields = [0.0; 3];
            for row in 0..width {
                let by = group.by_velocity[row];
                yields[row] = by.x * yielded[0] + by.y * yielded[1] + by.z * yielded[2];
            }
            for row in 0..width {
                rest[(first + row) * stride + column] = yields[row];
            }
        }
    }
    for group in &system.groups {
        for row in 0..group.width {
            let at = group.first + row;
            let to = &mut rest[at * stride..][..stride];
            let mut after = [0.0; MANY_ROWS + ALIGNED];
            let after = &mut after[..stride];
            for column in 0..group.width {
                after[group.first + column] = group.by_velocity[row][column];
            }
            for k in 0..n {
                // The system has Tᵀ by rows.
                let t = system.matrix[k * n + at];
                if t != 0.0 {
                    for (after, x) in after.iter_mut().zip(&slopes[k * stride..][..stride]) {
                        *after = (-t).mul_add(*x, *after);
                    }
                }
            }
            for (to, after) in to.iter_mut().zip(after.iter()) {
                miss = miss.max((*to + *after).abs());
                *to = *after;
            }
        }
    }
    *misfit = if miss.is_finite() { misfit.max(miss) } else { f64::INFINITY };
    step
}

/// The largest absolute value of a list.
#[inline(always)]
fn largest(list: &[f64]) -> f64 {
    list.iter().fold(0.0, |size, x| size.max(x.abs()))
}
