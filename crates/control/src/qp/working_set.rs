//! The bounds that hold with equality, as an orthogonal basis.
//!
//! In the coordinates U x the Hessian is the identity. There the normals of the active bounds are the columns of a
//! matrix D = Q R with orthonormal columns of Q and R upper triangular; both are updated when a bound comes or goes.

use gradbody_math::Scalar;

use super::factor::{add_scaled, dot};
use super::program::Side;

/// Sine of the angle to the active normals below which a normal counts as dependent on them.
const DEPENDENT: f64 = 1e-10;

/// A bound that holds with equality.
#[derive(Clone, Copy, Debug)]
pub(super) struct Active {
    pub(super) row: usize,
    pub(super) side: Side,
    /// Not negative at a minimum.
    pub(super) multiplier: f64,
}

/// The active bounds with the factors of their normals.
#[derive(Clone, Debug, Default)]
pub(super) struct WorkingSet {
    pub(super) active: Vec<Active>,
    /// Length of a normal, with padding.
    stride: usize,
    /// Most active bounds: the number of unknowns.
    most: usize,
    /// Columns of Q, one after the other.
    q: Vec<f64>,
    /// Columns of R, each of length `most`.
    r: Vec<f64>,
}

/// A normal split into its part in the span of the active ones and the rest.
#[derive(Clone, Debug, Default)]
pub(super) struct Split {
    /// Qᵀ d.
    pub(super) along: Vec<f64>,
    /// d − Q Qᵀ d.
    pub(super) rest: Vec<f64>,
    /// Square of the length of `rest`; zero if the normal depends on the active ones.
    pub(super) rest_squared: f64,
}

impl Split {
    pub(super) fn reserve(&mut self, n: usize, stride: usize) {
        self.along.reserve(n);
        self.rest.reserve(stride);
    }
}

impl WorkingSet {
    pub(super) fn reserve(&mut self, n: usize, stride: usize) {
        self.active.reserve(n);
        self.q.reserve(n * stride);
        self.r.reserve(n * n);
    }

    /// Removes all bounds, for programs of `most` unknowns.
    pub(super) fn reset(&mut self, most: usize, stride: usize) {
        self.active.clear();
        (self.most, self.stride) = (most, stride);
        self.q.clear();
        self.q.resize(most * stride, 0.0);
        self.r.clear();
        self.r.resize(most * most, 0.0);
    }

    #[inline(always)]
    fn q(&self, column: usize) -> &[f64] {
        &self.q[column * self.stride..][..self.stride]
    }

    /// Splits a normal `d`, given in the coordinates U x.
    pub(super) fn split(&self, d: &[f64], split: &mut Split) {
        let m = self.active.len();
        split.rest.clear();
        split.rest.extend_from_slice(d);
        split.along.clear();
        split.along.resize(m, 0.0);
        let (whole, rest) = f64::vectorised(
            #[inline(always)]
            || {
                // Twice is enough for full precision [Giraud, Langou and Rozložník 2005].
                for _ in 0..2 {
                    for column in 0..m {
                        let part = dot(self.q(column), &split.rest, 0);
                        add_scaled(-part, self.q(column), &mut split.rest, 0);
                        split.along[column] += part;
                    }
                }
                (dot(d, d, 0), dot(&split.rest, &split.rest, 0))
            },
        );
        let full = m == self.most;
        let depends = full || rest <= whole * DEPENDENT * DEPENDENT;
        split.rest_squared = if depends { 0.0 } else { rest };
    }

    /// Adds a bound whose normal was split.
    pub(super) fn add(&mut self, active: Active, split: &Split) {
        let (m, length) = (self.active.len(), split.rest_squared.sqrt());
        let column = &mut self.q[m * self.stride..][..self.stride];
        column.iter_mut().zip(&split.rest).for_each(|(q, rest)| *q = rest / length);
        let column = &mut self.r[m * self.most..][..m + 1];
        column[..m].copy_from_slice(&split.along);
        column[m] = length;
        self.active.push(active);
    }

    /// Removes a bound.
    pub(super) fn remove(&mut self, place: usize) {
        self.active.remove(place);
        let m = self.active.len();
        self.r.copy_within((place + 1) * self.most..(m + 1) * self.most, place * self.most);
        // One number below the diagonal is left in each column from here on: turn pairs of rows until it is zero.
        for k in place..m {
            let (a, b) = (self.r[k * self.most + k], self.r[k * self.most + k + 1]);
            let length = a.hypot(b);
            let (cos, sin) = (a / length, b / length);
            for column in k..m {
                let pair = &mut self.r[column * self.most + k..][..2];
                (pair[0], pair[1]) = (cos * pair[0] + sin * pair[1], cos * pair[1] - sin * pair[0]);
            }
            let (left, right) = self.q.split_at_mut((k + 1) * self.stride);
            let (left, right) = (&mut left[k * self.stride..], &mut right[..self.stride]);
            for (a, b) in left.iter_mut().zip(right) {
                (*a, *b) = (cos * *a + sin * *b, cos * *b - sin * *a);
            }
        }
    }

    /// Solves R r = c in place.
    pub(super) fn solve(&self, c: &mut [f64]) {
        for k in (0..self.active.len()).rev() {
            let column = &self.r[k * self.most..][..k + 1];
            c[k] /= column[k];
            let x = c[k];
            c[..k].iter_mut().zip(column).for_each(|(c, r)| *c -= r * x);
        }
    }

    /// Solves Rᵀ r = c in place.
    pub(super) fn solve_transposed(&self, c: &mut [f64]) {
        for k in 0..self.active.len() {
            let column = &self.r[k * self.most..][..k + 1];
            let sum: f64 = column[..k].iter().zip(&c[..k]).map(|(r, c)| r * c).sum();
            c[k] = (c[k] - sum) / column[k];
        }
    }

    /// Adds Q c to `to`.
    pub(super) fn add_combination(&self, c: &[f64], to: &mut [f64]) {
        f64::vectorised(
            #[inline(always)]
            || {
                for (column, c) in c.iter().enumerate() {
                    add_scaled(*c, self.q(column), to, 0);
                }
            },
        );
    }

    /// Writes Qᵀ y to `c`.
    pub(super) fn components(&self, y: &[f64], c: &mut Vec<f64>) {
        c.clear();
        c.resize(self.active.len(), 0.0);
        f64::vectorised(
            #[inline(always)]
            || {
                for (column, c) in c.iter_mut().enumerate() {
                    *c = dot(self.q(column), y, 0);
                }
            },
        );
    }
}
