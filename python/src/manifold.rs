//! Gradients with respect to the nq numbers of a configuration, from and to those in its nv local coordinates.
//!
//! A quaternion p that is not of length one stands for p/|p|. With J the derivative of the local coordinates by the
//! numbers of q, a cotangent in local coordinates ξ̄ is the gradient Jᵀ ξ̄ with respect to these numbers. In the other
//! direction, a gradient q̄ with respect to numbers that the engine computed (of length one) has the local cotangent
//! Kᵀ q̄, where K is the derivative of these numbers by the local coordinates. For a quaternion p = (w, u) of length
//! one and a turn θ in the link's own axes, dp = ½ p ⊗ (0, θ), so K = ½ E(p) with E's columns p ⊗ i, p ⊗ j, p ⊗ k, and
//! J = 2 E(p)ᵀ/|p|.

use std::ops::{Range, RangeInclusive};

use gradbody::math::Scalar;
use gradbody::model::{JointKind, Topology};
use pyo3::prelude::*;

use crate::arrays::{Dim, numbers, wide};
use crate::exceptions::value_error;
use crate::model::Model;

/// Coordinates of a joint: plain numbers, then perhaps a quaternion.
struct Coordinates {
    q: Range<usize>,
    v: Range<usize>,
    has_quaternion: bool,
}

fn coordinates(topology: &Topology) -> impl Iterator<Item = Coordinates> {
    topology.links.iter().map(|link| Coordinates {
        q: link.joint.q_range(),
        v: link.joint.v_range(),
        has_quaternion: matches!(link.joint.kind, JointKind::Spherical | JointKind::Free),
    })
}

/// The columns p ⊗ i, p ⊗ j, p ⊗ k.
fn turns<S: Scalar>([w, x, y, z]: [S; 4]) -> [[S; 4]; 3] {
    [[-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w]]
}

fn quaternion<S: Scalar>(q: &[S]) -> [S; 4] {
    [q[0], q[1], q[2], q[3]]
}

fn length(p: [f64; 4]) -> f64 {
    p.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Lengths of quaternions that have a direction: others vanish or overflow when squared.
const LENGTHS: RangeInclusive<f64> = 1e-12..=1e12;

/// Scales every quaternion of a configuration to length one. Returns the place of one without a direction.
pub(crate) fn normalise(topology: &Topology, q: &mut [f64]) -> Result<(), usize> {
    for at in coordinates(topology).filter(|at| at.has_quaternion) {
        let first = at.q.end - 4;
        let p = quaternion(&q[first..]);
        let size = length(p);
        if !LENGTHS.contains(&size) {
            return Err(first);
        }
        // One that has length one to rounding keeps its bits.
        if (size - 1.0).abs() > 1e-15 {
            q[first..at.q.end].iter_mut().for_each(|x| *x /= size);
        }
    }
    Ok(())
}

/// The local cotangent of a gradient with respect to the numbers of q.
pub(crate) fn to_tangent<S: Scalar>(topology: &Topology, q: &[S], q_bar: &[S], to: &mut [S]) {
    for at in coordinates(topology) {
        let plain = at.q.len() - if at.has_quaternion { 4 } else { 0 };
        let first = at.q.start;
        to[at.v.start..at.v.start + plain].copy_from_slice(&q_bar[first..first + plain]);
        if at.has_quaternion {
            let first = first + plain;
            let columns = turns(quaternion(&q[first..]));
            for (k, column) in columns.into_iter().enumerate() {
                let parts = column.iter().zip(&q_bar[first..]);
                let sum = parts.fold(S::ZERO, |sum, (e, bar)| sum + *e * *bar);
                to[at.v.start + plain + k] = S::from_f64(0.5) * sum;
            }
        }
    }
}

/// The gradient with respect to the numbers of q of a local cotangent.
pub(crate) fn to_gradient(topology: &Topology, q: &[f64], bar: &[f64], to: &mut [f64]) {
    for at in coordinates(topology) {
        let plain = at.q.len() - if at.has_quaternion { 4 } else { 0 };
        let first = at.q.start;
        to[first..first + plain].copy_from_slice(&bar[at.v.start..at.v.start + plain]);
        if at.has_quaternion {
            let first = first + plain;
            let p = quaternion(&q[first..]);
            let size = length(p);
            let columns = turns(p.map(|x| x / size));
            for i in 0..4 {
                let parts = columns.iter().zip(&bar[at.v.start + plain..at.v.end]);
                to[first + i] =
                    2.0 / size * parts.map(|(column, bar)| column[i] * bar).sum::<f64>();
            }
        }
    }
}

/// Applies `each` to matching rows of two arrays and collects the results.
pub(crate) fn rows(
    from: [&[f64]; 2],
    widths: [usize; 3],
    mut each: impl FnMut(&[f64], &[f64], &mut [f64]),
) -> Vec<f64> {
    let [a, b, c] = widths;
    let count = from[0].len().checked_div(a).unwrap_or(0);
    let mut to = vec![0.0; count * c];
    for k in 0..count {
        each(
            &from[0][k * a..(k + 1) * a],
            &from[1][k * b..(k + 1) * b],
            &mut to[k * c..(k + 1) * c],
        );
    }
    to
}

/// Cotangents in local coordinates, (n, nv), of gradients `q_bar` with respect to the numbers of `q`, both (n, nq).
///
/// A configuration has nq numbers, but only nv directions to change in: a quaternion has four numbers and three.
#[pyfunction]
pub(crate) fn tangent_of<'py>(
    model: &Model,
    q: &Bound<'py, PyAny>,
    q_bar: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let inner = model.inner();
    let (nq, nv) = (inner.nq(), inner.nv());
    let (q, shape) = numbers("q", q, &[Dim::Any("n"), Dim::Is(nq, "nq")])?;
    let wanted = [Dim::Is(shape[0], "n"), Dim::Is(nq, "nq")];
    let (bar, _) = numbers("q_bar", q_bar.as_any(), &wanted)?;
    let topology = &inner.topology;
    let found = rows([&q, &bar], [nq, nq, nv], |q, bar, to| {
        to_tangent(topology, q, bar, to);
    });
    wide(q_bar.py(), found, &[shape[0], nv])
}

/// Gradients with respect to the numbers of `q`, (n, nq), of cotangents in local coordinates `bar`, (n, nv).
#[pyfunction]
pub(crate) fn gradient_of<'py>(
    model: &Model,
    q: &Bound<'py, PyAny>,
    bar: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let inner = model.inner();
    let (nq, nv) = (inner.nq(), inner.nv());
    let (q, shape) = numbers("q", q, &[Dim::Any("n"), Dim::Is(nq, "nq")])?;
    let wanted = [Dim::Is(shape[0], "n"), Dim::Is(nv, "nv")];
    let (bar_numbers, _) = numbers("bar", bar, &wanted)?;
    let topology = &inner.topology;
    for q in q.chunks_exact(nq.max(1)) {
        normalise(topology, &mut q.to_vec()).map_err(|at| {
            value_error(format_args!("q[…, {at}:{}] is a quaternion without a direction", at + 4))
        })?;
    }
    let found = rows([&q, &bar_numbers], [nq, nv, nq], |q, bar, to| {
        to_gradient(topology, q, bar, to);
    });
    wide(bar.py(), found, &[shape[0], nq])
}
