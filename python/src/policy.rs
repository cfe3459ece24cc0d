//! Policies in files.

use std::path::PathBuf;

use gradbody::policy::{DenseRows, PolicyFile, onnx};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrays::{Dim, Dtype, array, numbers};
use crate::exceptions::{OrValueError as _, error};

/// A trained policy: actions for observations.
///
/// :func:`load_policy` reads one. It brings observations to mean zero and spread one, runs a small network, and brings the result
/// to the range of the actions, without the noise of learning.
#[pyclass(frozen, module = "gradbody")]
pub(crate) struct Policy {
    file: PolicyFile,
    path: PathBuf,
}

/// Reads a policy: a file that `gradbody train` wrote, or the folder of a training.
#[pyfunction]
pub(crate) fn load_policy(path: PathBuf) -> PyResult<Policy> {
    let inside = path.join("policy.safetensors");
    let path = if path.is_dir() && inside.exists() { inside } else { path };
    let file = PolicyFile::read(&path).map_err(error)?;
    Ok(Policy { file, path })
}

#[pymethods]
impl Policy {
    /// Actions for one observation or for rows of them.
    fn act<'py>(
        &self,
        py: Python<'py>,
        observations: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let actor = &self.file.actor;
        let width = Dim::Is(actor.n_observations(), "n_observations");
        let one = numbers("observations", observations, &[width]);
        let is_one = one.is_ok();
        let (seen, _) = match one {
            Ok(one) => one,
            Err(_) => numbers("observations", observations, &[Dim::Any("rows"), width])?,
        };
        let actions = py.detach(|| {
            let mut rows = DenseRows::new(&actor.network, "policy")?;
            let mut actions = Vec::new();
            if !seen.is_empty() {
                actor.act(&mut rows, &seen, &mut actions);
            }
            Ok::<_, gradbody::policy::TrainError>(actions)
        });
        let actions = actions.or_value_error()?;
        let (count, n) = (seen.len() / actor.n_observations(), actor.n_actions());
        let shape = if is_one { vec![n] } else { vec![count, n] };
        array(py, Dtype::F64, actions, &shape)
    }

    /// The policy as the bytes of an ONNX file, with the input `observations`, (rows, n), and the output `actions`, (rows, m).
    fn to_onnx<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let PolicyFile { actor, about } = &self.file;
        Ok(PyBytes::new(py, &onnx(actor, about).or_value_error()?))
    }

    /// The file that it was read from.
    #[getter]
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// Name of the environment that it is for.
    #[getter]
    fn environment(&self) -> &str {
        &self.file.about.environment
    }

    /// Name of each number of an observation.
    #[getter]
    fn observations(&self) -> Vec<String> {
        self.file.about.observations.clone()
    }

    /// Name of each number of an action.
    #[getter]
    fn actions(&self) -> Vec<String> {
        self.file.about.actions.clone()
    }

    /// Duration of an action [s].
    #[getter]
    fn seconds_per_action(&self) -> f64 {
        self.file.about.seconds_per_action
    }

    /// How it was trained, as a dict: `method`, `seed`, `samples`, `gradient_samples`, `seconds`, `return`, `task` and `program`.
    /// None for a policy from elsewhere.
    #[getter]
    fn training<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let text = serde_json::to_string(&self.file.about.training).map_err(error)?;
        py.import("json")?.call_method1("loads", (text,))
    }

    fn __repr__(&self) -> String {
        let about = &self.file.about;
        let (n, m) = (about.observations.len(), about.actions.len());
        format!("<gradbody.Policy for {}: {n} observations, {m} actions>", about.environment)
    }
}
