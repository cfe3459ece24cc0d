//! Dynamics of many states at once, as functions on arrays.

use gradbody::dynamics::{self, Kinematics};
use gradbody::math::Motion;
use gradbody::model::FrameId;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Dim, numbers, wide};
use crate::exceptions::value_error;
use crate::manifold::normalise;
use crate::model::Model;

type Inner = gradbody::model::Model<f64>;

/// Configurations (…, nq), with quaternions of length one, and the shape before the last axis.
fn configurations(model: &Inner, q: &Bound<'_, PyAny>) -> PyResult<(Vec<f64>, Vec<usize>)> {
    let (mut q, leading) = leading("q", q, model.nq(), "nq")?;
    for q in q.chunks_exact_mut(model.nq().max(1)) {
        normalise(&model.topology, q).map_err(|at| {
            value_error(format_args!("q[…, {at}:{}] is a quaternion without a direction", at + 4))
        })?;
    }
    Ok((q, leading))
}

/// An array whose last axis has `width` numbers, and the shape before it.
fn leading(
    name: &str,
    given: &Bound<'_, PyAny>,
    width: usize,
    size: &'static str,
) -> PyResult<(Vec<f64>, Vec<usize>)> {
    let ndim = match given.getattr("ndim") {
        Ok(ndim) => ndim.extract()?,
        Err(_) => given.py().import("numpy")?.call_method1("ndim", (given,))?.extract()?,
    };
    let mut wanted = vec![Dim::Any("…"); std::cmp::max(ndim, 1) - 1];
    wanted.push(Dim::Is(width, size));
    let (found, mut shape) = numbers(name, given, &wanted)?;
    shape.pop();
    Ok((found, shape))
}

/// The numbers of an array of (…, nv) beside configurations of the same leading shape.
fn beside(name: &str, given: &Bound<'_, PyAny>, nv: usize, shape: &[usize]) -> PyResult<Vec<f64>> {
    let (found, leading) = leading(name, given, nv, "nv")?;
    if leading == shape {
        return Ok(found);
    }
    Err(value_error(format_args!(
        "{name} has the leading shape {leading:?}, but q has {shape:?}; all arrays need the same"
    )))
}

fn with(shape: &[usize], last: &[usize]) -> Vec<usize> {
    [shape, last].concat()
}

/// Accelerations (…, nv) [rad/s² or m/s²] of states `q` (…, nq) [rad or m], `v` (…, nv) [rad/s or m/s] under joint
/// forces `tau` (…, nv) [N m or N], without contact and without the joints' own damping and springs.
#[pyfunction]
pub(crate) fn forward_dynamics<'py>(
    py: Python<'py>,
    model: &Model,
    q: &Bound<'py, PyAny>,
    v: &Bound<'py, PyAny>,
    tau: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let inner = model.inner();
    let nv = inner.nv();
    let (q, shape) = configurations(&inner, q)?;
    let (v, tau) = (beside("v", v, nv, &shape)?, beside("tau", tau, nv, &shape)?);
    let mut found = vec![0.0; v.len()];
    py.detach(|| dynamics::batch::forward_dynamics::<f64>(&inner, &q, &v, &tau, &mut found));
    wide(py, found, &with(&shape, &[nv]))
}

/// Joint forces (…, nv) [N m or N] that give the accelerations `qdd` (…, nv) [rad/s² or m/s²] in states `q` (…, nq)
/// [rad or m], `v` (…, nv) [rad/s or m/s], without contact and without the joints' own damping and springs.
#[pyfunction]
pub(crate) fn inverse_dynamics<'py>(
    py: Python<'py>,
    model: &Model,
    q: &Bound<'py, PyAny>,
    v: &Bound<'py, PyAny>,
    qdd: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let inner = model.inner();
    let nv = inner.nv();
    let (q, shape) = configurations(&inner, q)?;
    let (v, qdd) = (beside("v", v, nv, &shape)?, beside("qdd", qdd, nv, &shape)?);
    let mut found = vec![0.0; v.len()];
    py.detach(|| dynamics::batch::inverse_dynamics::<f64>(&inner, &q, &v, &qdd, &mut found));
    wide(py, found, &with(&shape, &[nv]))
}

/// Mass matrices (…, nv, nv) [kg m², kg m or kg] of configurations `q` (…, nq) [rad or m], armature included.
#[pyfunction]
pub(crate) fn mass_matrix<'py>(
    py: Python<'py>,
    model: &Model,
    q: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let inner = model.inner();
    let (nq, nv) = (inner.nq(), inner.nv());
    let (q, shape) = configurations(&inner, q)?;
    let mut found = vec![0.0; q.len().checked_div(nq).unwrap_or(0) * nv * nv];
    py.detach(|| dynamics::batch::mass_matrices::<f64>(&inner, &q, &mut found));
    wide(py, found, &with(&shape, &[nv, nv]))
}

fn frame_id(model: &Inner, name: &str) -> PyResult<FrameId> {
    model.topology.frame(name).ok_or_else(|| {
        let names = model.topology.frames.iter().map(|frame| frame.name.as_str());
        let hint = gradbody::math::names::did_you_mean(name, names);
        PyKeyError::new_err(format!("no frame \"{name}\"{hint}"))
    })
}

/// Where frames are in configurations `q` (…, nq) [rad or m], in the world.
///
/// Returns a dict: `position` (…, frames, 3) [m] and `rotation` (…, frames, 3, 3). `frames` are names of
/// `Model.frame_names`, all if none is given.
#[pyfunction]
#[pyo3(signature = (model, q, frames=None))]
pub(crate) fn kinematics<'py>(
    py: Python<'py>,
    model: &Model,
    q: &Bound<'py, PyAny>,
    frames: Option<Vec<String>>,
) -> PyResult<Bound<'py, PyDict>> {
    let inner = model.inner();
    let (q, shape) = configurations(&inner, q)?;
    let ids: Vec<FrameId> = match &frames {
        Some(names) => names.iter().map(|name| frame_id(&inner, name)).collect::<PyResult<_>>()?,
        None => (0..inner.topology.frames.len()).map(FrameId::new).collect(),
    };
    let (positions, rotations) = py.detach(|| {
        let (mut positions, mut rotations) = (Vec::new(), Vec::new());
        let mut kin = Kinematics::new(&inner);
        for q in rows_of(&q, inner.nq(), &shape) {
            dynamics::kinematics(&inner, q, &mut kin);
            for id in &ids {
                let pose = dynamics::frame_pose(&inner, &kin, *id);
                positions.extend(pose.pos.to_array());
                rotations.extend((0..9).map(|k| pose.rot.at(k / 3, k % 3)));
            }
        }
        (positions, rotations)
    });
    let found = PyDict::new(py);
    found.set_item("position", wide(py, positions, &with(&shape, &[ids.len(), 3]))?)?;
    found.set_item("rotation", wide(py, rotations, &with(&shape, &[ids.len(), 3, 3]))?)?;
    Ok(found)
}

/// Jacobians (…, 6, nv) of a frame in configurations `q` (…, nq) [rad or m]: its angular velocity [rad/s], then the
/// velocity of its origin [m/s], in the world's axes, from v [rad/s or m/s].
#[pyfunction]
pub(crate) fn jacobian<'py>(
    py: Python<'py>,
    model: &Model,
    q: &Bound<'py, PyAny>,
    frame: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let inner = model.inner();
    let nv = inner.nv();
    let (q, shape) = configurations(&inner, q)?;
    let id = frame_id(&inner, frame)?;
    let found = py.detach(|| {
        let mut found = Vec::new();
        let mut kin = Kinematics::new(&inner);
        for q in rows_of(&q, inner.nq(), &shape) {
            dynamics::kinematics(&inner, q, &mut kin);
            let columns = columns(&inner, &kin, id);
            for row in 0..6 {
                found.extend(columns.iter().map(|column| column[row]));
            }
        }
        found
    });
    wide(py, found, &with(&shape, &[6, nv]))
}

/// Rows of `q`. A model without coordinates has empty rows, as many as the shape says.
fn rows_of<'a>(q: &'a [f64], nq: usize, shape: &[usize]) -> impl Iterator<Item = &'a [f64]> {
    let count: usize = shape.iter().product();
    (0..count).map(move |k| &q[k * nq..(k + 1) * nq])
}

/// Columns of a frame's Jacobian: angular velocity, then that of the origin.
fn columns(model: &Inner, kin: &Kinematics<f64>, frame: FrameId) -> Vec<[f64; 6]> {
    let mut motions = vec![Motion::ZERO; model.nv()];
    dynamics::frame_jacobian(model, kin, frame, &mut motions);
    let column = |motion: &Motion<f64>| {
        let ([a, b, c], [d, e, f]) = (motion.ang.to_array(), motion.lin.to_array());
        [a, b, c, d, e, f]
    };
    motions.iter().map(column).collect()
}
