//! The system of all rows, solved by coordinates: for heaps and for single bodies, which have more rows than coordinates.
//!
//! A = G Gᵀ has as many columns of G as there are coordinates, so that the factorised system (`system.rs`) is
//! B + K G Gᵀ, with K = −f_w and B = 1 − f_λ + K R block by block. With z = Gᵀ y,
//!
//! ```text
//!   y = B⁻¹ (x − K G z),      (1 + Gᵀ B⁻¹ K G) z = Gᵀ B⁻¹ x                    [Woodbury 1950]
//! ```
//!
//! Where a contact sticks, B is as small as R, and B⁻¹ K is its reciprocal: y is right to some 1e-8 of its size in double precision. That is
//! enough for a step of Newton's method, whose next step mends it.

use gradbody_math::{Scalar, Vec3};

use super::system::{Group, Rows, Softness};
use crate::Problem;

/// Problems with this many coordinates are solved by coordinates, whatever their rows: the number of coordinates is a
/// matter of structure, so that a world takes the same way alone and beside others.
const HEAPS: core::ops::RangeInclusive<usize> = 36..=96;

/// A free body, alone or with one or two joints: it touches by several corners, with three rows each. Impulses are sought
/// by coordinates, but derivatives are found by rows, which say whether any are nearly redundant.
const BODIES: core::ops::RangeInclusive<usize> = 6..=8;

/// Whether everything is solved by coordinates in a problem with this many.
pub(super) fn takes(coordinates: usize) -> bool {
    HEAPS.contains(&coordinates)
}

/// Whether impulses are sought by coordinates in a problem with this many. In single precision those of a body are not: too
/// few digits would be left.
pub(super) fn seeks<S: Scalar>(coordinates: usize) -> bool {
    takes(coordinates) || (S::EPSILON < 1e-12 && BODIES.contains(&coordinates))
}

/// The factors, by coordinates.
#[derive(Clone, Debug)]
pub(super) struct ByCoordinates<S> {
    /// B⁻¹ of each group, by rows.
    inverses: Vec<[Vec3<S>; 3]>,
    /// G of a group at each of its coordinates.
    factors: Vec<(usize, Vec3<S>)>,
    /// LU of 1 + Gᵀ B⁻¹ K G, by rows, with reciprocals of the pivots on the diagonal.
    matrix: Vec<S>,
    z: Vec<S>,
}

impl<S> Default for ByCoordinates<S> {
    fn default() -> Self {
        ByCoordinates {
            inverses: Vec::new(),
            factors: Vec::new(),
            matrix: Vec::new(),
            z: Vec::new(),
        }
    }
}

impl<S: Scalar> ByCoordinates<S> {
    /// With room for this many groups, if a problem with this many coordinates is solved so.
    pub(super) fn with_room(groups: usize, coordinates: usize) -> Self {
        if !seeks::<S>(coordinates) {
            return ByCoordinates::default();
        }
        ByCoordinates {
            inverses: Vec::with_capacity(groups),
            factors: Vec::with_capacity(coordinates),
            matrix: Vec::with_capacity(coordinates * coordinates),
            z: Vec::with_capacity(coordinates),
        }
    }

    /// Factorises the system of these groups.
    #[inline(always)]
    pub(super) fn factorise(
        &mut self,
        groups: &[Group<S>],
        softness: Softness,
        problem: &Problem<S>,
    ) {
        let ByCoordinates { inverses, factors, matrix, .. } = self;
        let n = problem.u.len();
        inverses.clear();
        // `resize` is a call, which a portable build does not compile for this machine's instructions: `fill` does the work.
        matrix.resize(n * n, S::ZERO);
        matrix.fill(S::ZERO);
        for k in 0..n {
            matrix[k * n + k] = S::ONE;
        }
        for (index, group) in groups.iter().enumerate() {
            let inverse = inverse(group, softness, problem);
            inverses.push(inverse);
            factors.clear();
            group.for_factors(
                problem,
                #[inline(always)]
                |k, g| factors.push((k, g)),
            );
            for &(column, g) in factors.iter() {
                // B⁻¹ K g.
                let answer = -times(&inverse, times(&group.by_velocity, g));
                for &(row, g) in factors.iter() {
                    let entry = &mut matrix[row * n + column];
                    *entry += g.dot(answer);
                }
            }
            if let Some(contact) = contact_of(groups, index) {
                // Friction against turning follows the normal impulse, which answers to the contact's own velocity.
                let by_normal = times(&inverse, Vec3::from_slice(&group.by_normal));
                let of = &groups[contact];
                of.for_factors(
                    problem,
                    #[inline(always)]
                    |column, g| {
                        let normal = inverses[contact][0].dot(times(&of.by_velocity, g));
                        for &(row, g) in factors.iter() {
                            let entry = &mut matrix[row * n + column];
                            *entry = g.dot(by_normal).neg_mul_add(normal, *entry);
                        }
                    },
                );
            }
        }
        lu(matrix, n);
    }

    /// Replaces x, a list with an entry a row, by the solution.
    #[inline(always)]
    pub(super) fn solve(&mut self, groups: &[Group<S>], problem: &Problem<S>, x: &mut [S]) {
        let ByCoordinates { inverses, matrix, z, .. } = self;
        let n = problem.u.len();
        z.clear();
        z.resize(n, S::ZERO);
        for (index, group) in groups.iter().enumerate() {
            let y = answer_of(groups, inverses, index, problem, x, None);
            group.spread(problem, y, z);
        }
        for i in 1..n {
            let mut sum = z[i];
            for (l, z) in matrix[i * n..][..i].iter().zip(z.iter()) {
                sum = l.neg_mul_add(*z, sum);
            }
            z[i] = sum;
        }
        for i in (0..n).rev() {
            let row = &matrix[i * n..][..n];
            let mut sum = z[i];
            for j in i + 1..n {
                sum = row[j].neg_mul_add(z[j], sum);
            }
            z[i] = sum * row[i];
        }
        // From the last group on, so that turning rows still see the right-hand side of their contact.
        for (index, group) in groups.iter().enumerate().rev() {
            let y = answer_of(groups, inverses, index, problem, x, Some(z));
            for row in 0..group.width {
                x[group.first + row] = y[row];
            }
        }
    }
}

/// The contact that the turning rows of group `index` belong to, if it is listed: it comes just before them.
#[inline(always)]
fn contact_of<S>(groups: &[Group<S>], index: usize) -> Option<usize> {
    let Rows::Turning(i) = groups[index].rows else { return None };
    index.checked_sub(1).filter(|before| groups[*before].rows == Rows::Contact(i))
}

/// B⁻¹ (x − K G z) of a group, with the part that turning rows have from the normal impulse of their contact.
#[inline(always)]
fn answer_of<S: Scalar>(
    groups: &[Group<S>],
    inverses: &[[Vec3<S>; 3]],
    index: usize,
    problem: &Problem<S>,
    x: &[S],
    z: Option<&[S]>,
) -> Vec3<S> {
    let group = &groups[index];
    let mut rest = alone(group, problem, x, z);
    if let Some(contact) = contact_of(groups, index) {
        let normal = inverses[contact][0].dot(alone(&groups[contact], problem, x, z));
        rest = Vec3::from_slice(&group.by_normal).scale_add(normal, rest);
    }
    times(&inverses[index], rest)
}

/// x − K G z of a group.
#[inline(always)]
fn alone<S: Scalar>(group: &Group<S>, problem: &Problem<S>, x: &[S], z: Option<&[S]>) -> Vec3<S> {
    let x = group.of(x);
    let Some(z) = z else { return x };
    let mut w = Vec3::ZERO;
    group.for_factors(
        problem,
        #[inline(always)]
        |k, g| w = g.scale_add(z[k], w),
    );
    x + times(&group.by_velocity, w)
}

/// J x, for a matrix given by rows.
#[inline(always)]
fn times<S: Scalar>(rows: &[Vec3<S>; 3], x: Vec3<S>) -> Vec3<S> {
    Vec3::new(rows[0].dot(x), rows[1].dot(x), rows[2].dot(x))
}

/// B⁻¹ of a group; zero in lanes where it does not act.
#[inline(always)]
fn inverse<S: Scalar>(group: &Group<S>, softness: Softness, problem: &Problem<S>) -> [Vec3<S>; 3] {
    let soft = group.soft(softness, problem);
    let cfm = group.cfm(problem);
    let mut b = [Vec3::ZERO; 3];
    for row in 0..3 {
        for column in 0..3 {
            let yields = soft[column] + cfm;
            let by_impulse = group.by_impulse[row][column];
            b[row][column] = -group.by_velocity[row][column].mul_add(yields, by_impulse);
        }
        b[row][row] += S::ONE;
    }
    // Gauss-Jordan without pivoting: the normal row comes first and depends on nothing else.
    let mut inverse = [Vec3::ZERO; 3];
    for row in 0..3 {
        inverse[row][row] = S::ONE;
    }
    for k in 0..3 {
        let pivot = safe_reciprocal(b[k][k]);
        b[k] = b[k] * pivot;
        inverse[k] = inverse[k] * pivot;
        for row in 0..3 {
            if row != k {
                let factor = -b[row][k];
                b[row] = b[k].scale_add(factor, b[row]);
                inverse[row] = inverse[k].scale_add(factor, inverse[row]);
            }
        }
    }
    [inverse[0] * group.acts, inverse[1] * group.acts, inverse[2] * group.acts]
}

/// 1/x; x is kept away from zero by 1e-30.
#[inline(always)]
fn safe_reciprocal<S: Scalar>(x: S) -> S {
    let little = S::from_f64(1e-30);
    little.select_lt(x.abs(), x, little).recip()
}

/// LU of a matrix by rows, without pivoting, in place. Stores the reciprocals of the pivots on the diagonal.
#[inline(always)]
pub(super) fn lu<S: Scalar>(matrix: &mut [S], n: usize) {
    let little = S::from_f64(64.0 * S::EPSILON);
    for k in 0..n {
        let pivot = matrix[k * n + k];
        let safe = little.select_lt(pivot.abs(), pivot, little + little);
        let inverse = safe.recip();
        for i in k + 1..n {
            let (above, below) = matrix.split_at_mut(i * n);
            let (top, row) = (&above[k * n..][k..n], &mut below[k..n]);
            if row[0].is_zero() {
                continue;
            }
            let factor = row[0] * inverse;
            row[0] = factor;
            for (x, t) in row[1..].iter_mut().zip(&top[1..]) {
                *x = factor.neg_mul_add(*t, *x);
            }
        }
        matrix[k * n + k] = inverse;
    }
}
