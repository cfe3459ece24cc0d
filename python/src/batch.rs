//! Many worlds that stay in vector lanes.

use std::collections::HashMap;

use gradbody::augment::Bound as Networked;
use gradbody::model::Selection;
use gradbody::sim::{self, BatchError, BatchRecord};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Dim, Dtype, array, has_bools, numbers, wide, zeros};
use crate::exceptions::{failed, value_error};
use crate::guarded::Guarded;
use crate::manifold::normalise;
use crate::model::Model;
use crate::networks::{Networks, structure};
use crate::options::{Options, options_or_default};
use crate::patterns::{Patterns, selected};
use crate::rollout::{length, told};
use crate::state::State;
use crate::worlds::{Acts, MOST_WORLDS, Worlds, in_either, number_of_threads};

type Inner = gradbody::model::Model<f64>;

/// World-steps between two looks at whether the user asked to stop: some tenths of a second.
const WORLD_STEPS_BETWEEN_SIGNALS: usize = 200_000;

/// The last rollout that can be differentiated.
pub(crate) struct Kept {
    /// Configurations at the start, (worlds, nq), as they were written.
    pub(crate) start: Vec<f64>,
    /// Configurations after each step, (worlds, steps, nq).
    pub(crate) q: Vec<f64>,
    pub(crate) acts: Acts,
}

/// `n` worlds of one model, which stay in vector lanes from call to call: each has its own state and parameters.
///
/// Calls release the interpreter and use `threads` threads (all cores if none is given). A world's results have the same
/// bits whatever its position, its neighbours and the number of threads. A world that diverges returns to where it was
/// placed and goes on; `failures` names it.
///
/// - `dtype`: ``"float64"`` or ``"float32"``, of the computation and of the arrays that are returned.
/// - `networks`: :class:`Networks` inside the physics, with their present weights; `set_weights` changes these.
#[pyclass(frozen, module = "gradbody", weakref)]
pub(crate) struct Batch {
    pub(crate) inside: Guarded<Inside>,
    pub(crate) model: Inner,
    pub(crate) count: usize,
    dtype: Dtype,
}

pub(crate) struct Inside {
    pub(crate) worlds: Worlds,
    pub(crate) networks: Option<Networked<f64>>,
    /// q of the last `set_states` before normalisation; None after any step or reset. The gradient by q needs the lengths
    /// of its quaternions.
    written: Option<Vec<f64>>,
    pub(crate) kept: Option<Kept>,
    /// How many rollouts were kept: tells a later one from the one that is to be differentiated.
    kept_so_far: u64,
    /// How often the parameters of each selection were set, by their names.
    params_set: HashMap<Vec<String>, u64>,
    /// How often the weights were set.
    weights_set: u64,
}

impl Batch {
    pub(crate) fn sizes(&self) -> (usize, usize, usize) {
        (self.model.nq(), self.model.nv(), self.model.topology.actuators.len())
    }

    pub(crate) fn out<'py>(
        &self,
        py: Python<'py>,
        numbers: Vec<f64>,
        shape: &[usize],
    ) -> PyResult<Bound<'py, PyAny>> {
        array(py, self.dtype, numbers, shape)
    }

    /// What acts during a rollout.
    fn acts(
        &self,
        controls: Option<&Bound<'_, PyAny>>,
        forces: Option<&Bound<'_, PyAny>>,
        steps: Option<usize>,
    ) -> PyResult<Acts> {
        let (_, nv, nu) = self.sizes();
        let (name, given, width, size) = match (controls, forces) {
            (Some(_), Some(_)) => return Err(value_error("give controls or forces, not both")),
            (Some(given), None) => ("controls", given, nu, "nu"),
            (None, Some(given)) => ("forces", given, nv, "nv"),
            (None, None) => {
                let steps = length(steps, &[])?;
                return Ok(Acts { numbers: Vec::new(), are_forces: false, steps });
            }
        };
        let wanted = [Dim::Is(self.count, "n"), Dim::Any("steps"), Dim::Is(width, size)];
        let (numbers, shape) = self.dtype.numbers(name, given, &wanted)?;
        Ok(Acts { numbers, are_forces: forces.is_some(), steps: length(steps, &shape[1..2])? })
    }

    /// What acts during a step, and whether these are joint forces.
    pub(crate) fn act(
        &self,
        control: Option<&Bound<'_, PyAny>>,
        force: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Vec<f64>, bool)> {
        let (_, nv, nu) = self.sizes();
        let n = Dim::Is(self.count, "n");
        let of = self.dtype;
        let acting = match (control, force) {
            (Some(_), Some(_)) => return Err(value_error("give control or force, not both")),
            (Some(given), None) => of.numbers("control", given, &[n, Dim::Is(nu, "nu")])?.0,
            (None, Some(given)) => of.numbers("force", given, &[n, Dim::Is(nv, "nv")])?.0,
            (None, None) => Vec::new(),
        };
        Ok((acting, force.is_some()))
    }

    pub(crate) fn error(&self, error: BatchError) -> PyErr {
        match error {
            BatchError::NothingKept => value_error(
                "nothing to differentiate: call rollout(…, keep=True) before each vjp, and change no state or parameter between \
                 them",
            ),
            other => value_error(other),
        }
    }

    /// The names of the worlds that failed: a dict from world to reason.
    pub(crate) fn failures_of<'py>(
        &self,
        py: Python<'py>,
        failures: &[Option<sim::Failure>],
    ) -> PyResult<Bound<'py, PyDict>> {
        let found = PyDict::new(py);
        for (world, failure) in failures.iter().enumerate() {
            if let Some(failure) = failure {
                found.set_item(world, told(&self.model, failure))?;
            }
        }
        Ok(found)
    }
}

/// The numbers that act in worlds, from one step on: (worlds, steps, width) → (worlds, count, width).
fn part(all: &[f64], steps: usize, width: usize, first: usize, count: usize) -> Vec<f64> {
    let rows = all.chunks_exact((steps * width).max(1));
    rows.flat_map(|row| row[first * width..(first + count) * width].iter().copied()).collect()
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (model, n, *, options=None, dtype=None, threads=None, networks=None))]
    fn new(
        model: &Model,
        n: usize,
        options: Option<&Options>,
        dtype: Option<&Bound<'_, PyAny>>,
        threads: Option<usize>,
        networks: Option<&Networks>,
    ) -> PyResult<Self> {
        if n == 0 {
            return Err(value_error("n is 0; a batch has at least one world"));
        }
        if n > MOST_WORLDS {
            return Err(value_error(format_args!(
                "n is {n}; a batch has at most {MOST_WORLDS} worlds"
            )));
        }
        let dtype = dtype.map_or(Ok(Dtype::F64), Dtype::of)?;
        let model = model.inner();
        let how = options_or_default(options, &model);
        let networks = networks.map(|of| of.for_steps(&model, &how.0.contact)).transpose()?;
        let threads = number_of_threads(threads)?;
        let worlds = Worlds::new(&model, n, how, dtype, threads).map_err(failed)?;
        let model = (*model).clone();
        let inside = Inside {
            worlds,
            networks,
            written: None,
            kept: None,
            kept_so_far: 0,
            params_set: HashMap::new(),
            weights_set: 0,
        };
        Ok(Batch { inside: Guarded::new(inside, "batch"), model, count: n, dtype })
    }

    fn __len__(&self) -> usize {
        self.count
    }

    fn __repr__(&self) -> String {
        let (n, name) = (self.count, &self.model.topology.name);
        format!("<gradbody.Batch: {n} worlds of \"{name}\", {}>", self.dtype())
    }

    /// ``"float64"`` or ``"float32"``.
    #[getter]
    fn dtype(&self) -> &'static str {
        self.dtype.name()
    }

    /// Number of position coordinates of a world.
    #[getter]
    fn nq(&self) -> usize {
        self.model.nq()
    }

    /// Number of velocity coordinates of a world.
    #[getter]
    fn nv(&self) -> usize {
        self.model.nv()
    }

    /// Number of actuators of a world.
    #[getter]
    fn nu(&self) -> usize {
        self.model.topology.actuators.len()
    }

    /// Configurations (n, nq) [rad or m] and velocities (n, nv) [rad/s or m/s] of all worlds.
    fn states<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let (nq, nv, _) = self.sizes();
        let inside = self.inside.lock()?;
        let (mut q, mut v) = (vec![0.0; self.count * nq], vec![0.0; self.count * nv]);
        in_either!(&inside.worlds, batch => batch.read_states(&mut q, &mut v))
            .map_err(|e| self.error(e))?;
        Ok((self.out(py, q, &[self.count, nq])?, self.out(py, v, &[self.count, nv])?))
    }

    /// Sets the configurations (n, nq) and the velocities (n, nv; zero if not given) of all worlds, at time zero, and
    /// clears their failures. Quaternions are scaled to length one.
    #[pyo3(signature = (q, v=None))]
    fn set_states(&self, q: &Bound<'_, PyAny>, v: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let (nq, nv, _) = self.sizes();
        let n = Dim::Is(self.count, "n");
        let (q, _) = self.dtype.numbers("q", q, &[n, Dim::Is(nq, "nq")])?;
        let v = match v {
            Some(v) => self.dtype.numbers("v", v, &[n, Dim::Is(nv, "nv")])?.0,
            None => zeros(&[self.count, nv])?,
        };
        let mut unit = q.clone();
        for (world, q) in unit.chunks_exact_mut(nq.max(1)).enumerate() {
            normalise(&self.model.topology, q).map_err(|at| {
                value_error(format_args!(
                    "q[{world}, {at}:{}] is a quaternion without a direction",
                    at + 4
                ))
            })?;
        }
        let mut inside = self.inside.lock()?;
        in_either!(&mut inside.worlds, batch => batch.write_states(&unit, &v))
            .map_err(|e| self.error(e))?;
        inside.written = Some(q);
        inside.kept = None;
        Ok(())
    }

    /// Puts some worlds into a state.
    fn reset(&self, worlds: &Bound<'_, PyAny>, state: &State) -> PyResult<()> {
        if has_bools(worlds)? {
            return Err(value_error("worlds are indices, not a mask: use np.flatnonzero(mask)"));
        }
        let worlds: Vec<usize> = worlds.extract()?;
        state.check(&self.model)?;
        let mut inside = self.inside.lock()?;
        in_either!(&mut inside.worlds, batch => batch.reset(&worlds, state.inner()))
            .map_err(|e| self.error(e))?;
        inside.written = None;
        inside.kept = None;
        Ok(())
    }

    /// The state of one world.
    fn state(&self, world: isize) -> PyResult<State> {
        let inside = self.inside.lock()?;
        let found = usize::try_from(world).ok();
        let found = found.and_then(|world| in_either!(&inside.worlds, batch => batch.state(world)));
        found.map(State::from_inner).ok_or_else(|| {
            let worlds = self.count;
            PyIndexError::new_err(format!("there is no world {world} in a batch of {worlds}"))
        })
    }

    /// Gives each world its own values (n, k) of the k parameters that match the patterns, or all the same (k). If a
    /// world's numbers are impossible, nothing is changed.
    fn set_params(
        &self,
        py: Python<'_>,
        patterns: Patterns,
        values: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let selection = self.select(&patterns.list())?;
        let k = selection.len();
        let each = [Dim::Is(self.count, "n"), Dim::Is(k, "parameters")];
        let ndim: usize = py.import("numpy")?.call_method1("ndim", (values,))?.extract()?;
        let all = match ndim {
            1 => {
                let (found, shape) = numbers("values", values, &[Dim::Any("parameters")])?;
                if shape[0] != k {
                    return Err(value_error(format_args!(
                        "values has the shape ({}), but needs ({k}), the same for all worlds, or ({}, {k})",
                        shape[0], self.count
                    )));
                }
                found.repeat(self.count)
            }
            _ => numbers("values", values, &each)?.0,
        };
        let mut inside = self.inside.lock()?;
        let worlds = &mut inside.worlds;
        py.detach(|| in_either!(worlds, batch => batch.set_params(&selection, &all)))
            .map_err(|e| self.error(e))?;
        inside.kept = None;
        *inside.params_set.entry(selection.names().to_vec()).or_default() += 1;
        Ok(())
    }

    /// The weights of the networks, (weights), or None without networks.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let inside = self.inside.lock()?;
        let Some(networks) = &inside.networks else { return Ok(None) };
        let n = networks.weights.len();
        wide(py, networks.weights.clone(), &[n]).map(Some)
    }

    /// Sets the weights of the networks, (weights), in all worlds.
    fn set_weights(&self, weights: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut inside = self.inside.lock()?;
        let Inside { networks, kept, weights_set, .. } = &mut *inside;
        let Some(networks) = networks else {
            return Err(value_error("the batch has no networks: Batch(model, n, networks=…)"));
        };
        let wanted = [Dim::Is(networks.weights.len(), "weights")];
        let (weights, _) = self.dtype.numbers("weights", weights, &wanted)?;
        networks.weights = weights;
        *kept = None;
        *weights_set += 1;
        Ok(())
    }

    /// One step of all worlds, under controls (n, nu), in the units of the actuators, or joint forces (n, nv) [N m or N].
    #[pyo3(signature = (control=None, force=None))]
    fn step(
        &self,
        py: Python<'_>,
        control: Option<&Bound<'_, PyAny>>,
        force: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let (acting, are_forces) = self.act(control, force)?;
        let mut inside = self.inside.lock()?;
        inside.written = None;
        inside.kept = None;
        let Inside { worlds, networks, .. } = &mut *inside;
        let (acts, networks) = ((&acting[..], are_forces), networks.as_ref());
        py.detach(|| worlds.rollout(&self.model, self.count, 1, acts, networks, None, false))
            .map_err(|e| self.error(e))
    }

    /// Many steps of all worlds, under controls (n, steps, nu) or joint forces (n, steps, nv) [N m or N], or `steps` steps
    /// without.
    ///
    /// Returns the configurations (n, steps, nq) [rad or m] and velocities (n, steps, nv) [rad/s or m/s] after each step.
    /// With `keep`, the motion can be differentiated by :meth:`vjp`; it then runs to its end before Ctrl-C is heard.
    #[pyo3(signature = (controls=None, *, forces=None, steps=None, keep=false))]
    fn rollout<'py>(
        &self,
        py: Python<'py>,
        controls: Option<&Bound<'py, PyAny>>,
        forces: Option<&Bound<'py, PyAny>>,
        steps: Option<usize>,
        keep: bool,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let (nq, nv, nu) = self.sizes();
        let acts = self.acts(controls, forces, steps)?;
        let Acts { numbers: acting, are_forces, steps } = &acts;
        let (are_forces, steps) = (*are_forces, *steps);
        let (n, width) = (self.count, if are_forces { nv } else { nu });
        let (mut q, mut v) = (zeros(&[n, steps, nq])?, zeros(&[n, steps, nv])?);
        let mut inside = self.inside.lock()?;
        let Inside { worlds, networks, written, kept, kept_so_far, .. } = &mut *inside;
        let networks = networks.as_ref();
        *kept = None;
        let start = match (keep, written.take()) {
            (false, _) => Vec::new(),
            (true, Some(written)) => written,
            (true, None) => {
                let (mut q, mut v) = (vec![0.0; n * nq], vec![0.0; n * nv]);
                in_either!(&*worlds, batch => batch.read_states(&mut q, &mut v))
                    .map_err(|e| self.error(e))?;
                q
            }
        };
        let at_once = (WORLD_STEPS_BETWEEN_SIGNALS / n).max(1);
        if keep || steps <= at_once {
            let record = Some(BatchRecord { q: &mut q, v: &mut v });
            let acts = (&acting[..], are_forces);
            py.detach(|| worlds.rollout(&self.model, n, steps, acts, networks, record, keep))
                .map_err(|e| self.error(e))?;
            py.check_signals()?;
        } else {
            for first in (0..steps).step_by(at_once) {
                py.check_signals()?;
                let count = at_once.min(steps - first);
                py.detach(|| {
                    let now = part(acting, steps, width, first, count);
                    let (mut q_now, mut v_now) =
                        (vec![0.0; n * count * nq], vec![0.0; n * count * nv]);
                    let record = Some(BatchRecord { q: &mut q_now, v: &mut v_now });
                    let acts = (&now[..], are_forces);
                    worlds.rollout(&self.model, n, count, acts, networks, record, false)?;
                    for (to, from, width) in [(&mut q, &q_now, nq), (&mut v, &v_now, nv)] {
                        for world in 0..n {
                            to[(world * steps + first) * width..][..count * width]
                                .copy_from_slice(&from[world * count * width..][..count * width]);
                        }
                    }
                    Ok(())
                })
                .map_err(|e| self.error(e))?;
            }
        }
        if keep {
            *kept_so_far += 1;
            *kept = Some(Kept { start, q: q.clone(), acts });
        }
        Ok((self.out(py, q, &[n, steps, nq])?, self.out(py, v, &[n, steps, nv])?))
    }

    /// The gradient of the last rollout with `keep`. Each can be differentiated once.
    ///
    /// `q_bar` (n, steps, nq) and `v_bar` (n, steps, nv) say how much a result grows with the states that the rollout
    /// returned. Returns a dict of how much it grows with the start: `q` (n, nq) and `v` (n, nv); with `controls`
    /// (n, steps, nu) or `forces` (n, steps, nv); with the parameters that match `params`: `params` (n, k), each world
    /// its own; with the weights of networks: `weights` (n, weights), which all worlds share; with the time step: `dt`
    /// (n); `q_local` (n, nv) is `q` in local coordinates; `failures` names worlds whose rows are zero, because they
    /// failed.
    #[pyo3(signature = (q_bar=None, v_bar=None, *, params=None))]
    fn vjp<'py>(
        &self,
        py: Python<'py>,
        q_bar: Option<&Bound<'py, PyAny>>,
        v_bar: Option<&Bound<'py, PyAny>>,
        params: Option<Patterns>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.gradient(py, q_bar, v_bar, params)
    }

    /// The derivatives of the next step of all worlds, from their present states; no step is taken.
    ///
    /// Returns a dict: `state` (n, m, m), how the state after a step under controls (n, nu) or joint forces (n, nv) changes
    /// with the state before; `control` (n, m, nu) and `force` (n, m, nv), with the inputs. A change of state has
    /// m = 2 nv + na numbers: of q in local coordinates, v, activation. `failures` names worlds that would diverge, whose
    /// rows are NaN. Computed in float64, also for a batch of float32.
    #[pyo3(signature = (control=None, force=None))]
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        control: Option<&Bound<'py, PyAny>>,
        force: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.derivatives(py, control, force)
    }

    /// Number of the last rollout that was kept.
    #[getter]
    fn _kept_so_far(&self) -> PyResult<u64> {
        Ok(self.inside.lock()?.kept_so_far)
    }

    /// How often the parameters of each selection were set, without those that match the patterns.
    fn _params_set(&self, patterns: Vec<String>) -> PyResult<HashMap<String, u64>> {
        let own = self.select(&patterns)?;
        let inside = self.inside.lock()?;
        let others = inside.params_set.iter().filter(|(names, _)| names[..] != *own.names());
        Ok(others.map(|(names, times)| (names.join(" "), *times)).collect())
    }

    /// How often the weights were set.
    #[getter]
    fn _weights_set(&self) -> PyResult<u64> {
        Ok(self.inside.lock()?.weights_set)
    }

    /// The layers of each network, and where its weights begin, as JSON; None without networks.
    #[getter]
    fn _structure(&self) -> PyResult<Option<String>> {
        let inside = self.inside.lock()?;
        inside.networks.as_ref().map(|networks| structure(networks.plan())).transpose()
    }

    /// Whether this rollout is kept, and has not been differentiated.
    fn _can_differentiate(&self, rollout: u64) -> PyResult<bool> {
        let inside = self.inside.lock()?;
        Ok(inside.kept.is_some() && inside.kept_so_far == rollout)
    }

    /// Why worlds failed since they were placed: a dict from world to reason.
    #[getter]
    fn failures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let inside = self.inside.lock()?;
        let failures = in_either!(&inside.worlds, batch => batch.failures());
        self.failures_of(py, &failures)
    }

    /// The largest residual of the contact solver in each world since it was placed, (n) [m/s or rad/s]: how far contacts
    /// were from solved. Where it is large, a gradient means little.
    #[getter]
    fn residuals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let inside = self.inside.lock()?;
        let found = in_either!(&inside.worlds, batch => batch.residuals());
        wide(py, found, &[self.count])
    }
}

impl Batch {
    pub(crate) fn select(&self, patterns: &[String]) -> PyResult<Selection> {
        selected(&self.model, patterns)
    }
}
