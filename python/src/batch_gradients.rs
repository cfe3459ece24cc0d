//! Derivatives of the worlds of a batch: the gradient of a rollout, and the Jacobian of the next step.

use gradbody::model::Selection;
use gradbody::sim::{self, BatchCotangents, BatchError, BatchGradient};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Dim, numbers, wide, zeros};
use crate::batch::{Batch, Inside};
use crate::exceptions::value_error;
use crate::manifold::{rows, to_gradient, to_tangent};
use crate::patterns::Patterns;

impl Batch {
    /// See `vjp`.
    pub(crate) fn gradient<'py>(
        &self,
        py: Python<'py>,
        q_bar: Option<&Bound<'py, PyAny>>,
        v_bar: Option<&Bound<'py, PyAny>>,
        params: Option<Patterns>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (nq, nv, nu) = self.sizes();
        let n = self.count;
        let selection = match &params {
            Some(patterns) => self.select(&patterns.list())?,
            None => Selection::none(),
        };
        let mut inside = self.inside.lock()?;
        let Inside { worlds, networks, kept, .. } = &mut *inside;
        let networks = networks.as_ref();
        let Some(done) = kept.as_ref() else { return Err(self.error(BatchError::NothingKept)) };
        let steps = done.acts.steps;
        let shape = |width, size| [Dim::Is(n, "n"), Dim::Is(steps, "steps"), Dim::Is(width, size)];
        let q_bar = q_bar.map(|x| numbers("q_bar", x, &shape(nq, "nq"))).transpose()?;
        let v_bar = v_bar.map(|x| numbers("v_bar", x, &shape(nv, "nv"))).transpose()?;
        let (q_bar, v_bar) = (q_bar.map(|x| x.0), v_bar.map(|x| x.0));
        let topology = &self.model.topology;
        let found = py.detach(|| {
            let zero = vec![0.0; n * steps * nv];
            let local = q_bar.as_ref().map(|bar| {
                rows([&done.q, bar], [nq, nq, nv], |q, bar, to| to_tangent(topology, q, bar, to))
            });
            let (q_bar, v_bar) = (local.as_ref().unwrap_or(&zero), v_bar.as_ref().unwrap_or(&zero));
            let bars = BatchCotangents::new(&self.model, n, steps, q_bar, v_bar)?;
            worlds.backward(&self.model, n, &done.acts, networks, &bars, &selection)
        });
        let done = kept.take();
        let found = found.map_err(|e| self.error(e))?;
        py.check_signals()?;
        let Some(done) = done else { return Err(self.error(BatchError::NothingKept)) };
        let q = rows([&done.start, &found.start_q], [nq, nv, nq], |q, bar, to| {
            to_gradient(topology, q, bar, to);
        });
        let BatchGradient { start_q, start_v, inputs, params, taps, dt, failures, .. } = found;
        let gradient = PyDict::new(py);
        gradient.set_item("q", self.out(py, q, &[n, nq])?)?;
        gradient.set_item("q_local", self.out(py, start_q, &[n, nv])?)?;
        gradient.set_item("v", self.out(py, start_v, &[n, nv])?)?;
        if !done.acts.numbers.is_empty() {
            let (name, width) =
                if done.acts.are_forces { ("forces", nv) } else { ("controls", nu) };
            gradient.set_item(name, self.out(py, inputs, &[n, steps, width])?)?;
        }
        gradient.set_item("params", self.out(py, params, &[n, selection.len()])?)?;
        if let Some(networks) = networks {
            let shape = [n, networks.weights.len()];
            gradient.set_item("weights", self.out(py, taps, &shape)?)?;
        }
        gradient.set_item("dt", self.out(py, dt, &[n])?)?;
        gradient.set_item("failures", self.failures_of(py, &failures)?)?;
        Ok(gradient)
    }

    /// See `jacobian`.
    pub(crate) fn derivatives<'py>(
        &self,
        py: Python<'py>,
        control: Option<&Bound<'py, PyAny>>,
        force: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (_, nv, nu) = self.sizes();
        let (acting, are_forces) = self.act(control, force)?;
        let n = self.count;
        let m = 2 * nv + self.model.topology.na;
        let width = m + nu + nv;
        let mut all = zeros(&[n, m, width])?;
        let (mut state, mut control, mut force) =
            (zeros(&[n, m, m])?, zeros(&[n, m, nu])?, zeros(&[n, m, nv])?);
        let inside = self.inside.lock()?;
        if inside.networks.is_some() {
            return Err(value_error(
                "Jacobians of batches with networks are not computed; use rollout(keep=True) and vjp",
            ));
        }
        let worlds = &inside.worlds;
        let done = py.detach(|| {
            let done = worlds.linearise(&self.model, n, (&acting, are_forces), &mut all)?;
            for (row, numbers) in all.chunks_exact(width.max(1)).enumerate() {
                state[row * m..(row + 1) * m].copy_from_slice(&numbers[..m]);
                control[row * nu..(row + 1) * nu].copy_from_slice(&numbers[m..m + nu]);
                force[row * nv..(row + 1) * nv].copy_from_slice(&numbers[m + nu..]);
            }
            Ok(done)
        });
        let done = done.map_err(|e| self.error(e))?;
        py.check_signals()?;
        let failures: Vec<Option<sim::Failure>> = done.into_iter().map(Result::err).collect();
        let found = PyDict::new(py);
        found.set_item("state", wide(py, state, &[n, m, m])?)?;
        found.set_item("control", wide(py, control, &[n, m, nu])?)?;
        found.set_item("force", wide(py, force, &[n, m, nv])?)?;
        found.set_item("failures", self.failures_of(py, &failures)?)?;
        Ok(found)
    }
}
