//! The state of one world.

use gradbody::sim;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrays::{Dim, frozen, numbers};
use crate::exceptions::value_error;
use crate::manifold::normalise;
use crate::model::Model;

/// Everything that the next step depends on besides its input: time [s], configuration `q` (nq), velocity `v` (nv),
/// actuator states `activation` (na), what networks remember, and what the contact solver starts from.
///
/// A state does not change; `replace` makes one with other numbers. Quaternions are scaled to length one. A pickled state
/// loses what the contact solver starts from, so that later steps may differ by the solver's tolerance.
#[pyclass(frozen, module = "gradbody")]
#[derive(Clone, Debug)]
pub(crate) struct State {
    inner: sim::State<f64>,
}

impl State {
    pub(crate) fn from_inner(inner: sim::State<f64>) -> Self {
        State { inner }
    }

    pub(crate) fn inner(&self) -> &sim::State<f64> {
        &self.inner
    }

    /// Fails if the state has other sizes than the model's.
    pub(crate) fn check(&self, model: &gradbody::model::Model<f64>) -> PyResult<()> {
        let sim::State { q, v, activation, .. } = &self.inner;
        let sizes = [
            ("q", q.len(), model.nq()),
            ("v", v.len(), model.nv()),
            ("activation", activation.len(), model.topology.na),
        ];
        match sizes.into_iter().find(|(_, given, needed)| given != needed) {
            None => Ok(()),
            Some((part, given, needed)) => Err(value_error(format_args!(
                "the state is not of this model: its {part} has {given} numbers, the model's {needed}"
            ))),
        }
    }
}

#[pymethods]
impl State {
    /// A state of `model`: at rest with every joint at zero, where no number is given.
    #[new]
    #[pyo3(signature = (model, q=None, v=None, *, activation=None, time=0.0))]
    fn new(
        model: &Model,
        q: Option<&Bound<'_, PyAny>>,
        v: Option<&Bound<'_, PyAny>>,
        activation: Option<&Bound<'_, PyAny>>,
        time: f64,
    ) -> PyResult<Self> {
        let model = model.inner();
        let mut inner = sim::State::neutral(&model);
        let parts = [
            ("q", "nq", q, &mut inner.q),
            ("v", "nv", v, &mut inner.v),
            ("activation", "na", activation, &mut inner.activation),
        ];
        for (name, size, given, to) in parts {
            if let Some(given) = given {
                let (given, _) = numbers(name, given, &[Dim::Is(to.len(), size)])?;
                to.copy_from_slice(&given);
            }
        }
        normalise(&model.topology, &mut inner.q).map_err(|at| {
            value_error(format_args!("q[{at}:{}] is a quaternion without a direction", at + 4))
        })?;
        if !time.is_finite() {
            return Err(value_error(format_args!("time is {time}")));
        }
        inner.time = time;
        Ok(State { inner })
    }

    /// Time [s].
    #[getter]
    fn time(&self) -> f64 {
        self.inner.time
    }

    /// Configuration, (nq): angles [rad], positions [m], quaternions as w, x, y, z.
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        frozen(py, self.inner.q.clone(), &[self.inner.q.len()])
    }

    /// Velocity, (nv) [rad/s or m/s].
    #[getter]
    fn v<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        frozen(py, self.inner.v.clone(), &[self.inner.v.len()])
    }

    /// Actuator states, (na).
    #[getter]
    fn activation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        frozen(py, self.inner.activation.clone(), &[self.inner.activation.len()])
    }

    /// The same state with other numbers. The contact solver then starts afresh.
    #[pyo3(signature = (model, *, q=None, v=None, activation=None, time=None))]
    fn replace(
        &self,
        model: &Model,
        q: Option<&Bound<'_, PyAny>>,
        v: Option<&Bound<'_, PyAny>>,
        activation: Option<&Bound<'_, PyAny>>,
        time: Option<f64>,
    ) -> PyResult<Self> {
        self.check(&model.inner())?;
        let time = time.unwrap_or(self.inner.time);
        let mut new = State::new(model, q, v, activation, time)?;
        new.inner.memory = self.inner.memory.clone();
        for (given, to, from) in [
            (q, &mut new.inner.q, &self.inner.q),
            (v, &mut new.inner.v, &self.inner.v),
            (activation, &mut new.inner.activation, &self.inner.activation),
        ] {
            if given.is_none() {
                to.copy_from_slice(from);
            }
        }
        Ok(new)
    }

    fn __copy__(&self) -> Self {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.clone()
    }

    fn __repr__(&self) -> String {
        let sim::State { time, q, v, .. } = &self.inner;
        format!("<gradbody.State at {time} s: q={q:.4?}, v={v:.4?}>")
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.inner == other.inner
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let rebuild = py.import("gradbody._gradbody")?.getattr("State")?.getattr("_rebuild")?;
        let sim::State { time, q, v, activation, memory, .. } = slf.get().inner.clone();
        (rebuild, (time, q, v, activation, memory)).into_pyobject(py)
    }

    /// Makes a pickled state again; what the contact solver starts from is not kept.
    #[staticmethod]
    fn _rebuild(
        time: f64,
        q: Vec<f64>,
        v: Vec<f64>,
        activation: Vec<f64>,
        memory: Vec<f64>,
    ) -> Self {
        State { inner: sim::State { time, q, v, activation, memory, contact: Default::default() } }
    }
}
