//! Many worlds that stay in vector lanes.

use std::collections::HashMap;

use gradbody::augment::Bound as Networked;
use gradbody::model::Selection;
use gradbody::sim::{
    self, BatchCotangents, BatchError, BatchGradient, BatchRecord, BatchTaps, Controls,
    GradientOptions, InputColumns, LinearPath, NoInputs, NoTaps, NoThreads, StepOptions,
};
use pyo3::exceptions::{PyIndexError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Dim, Dtype, array, has_bools, numbers, wide, zeros};
use crate::exceptions::{failed, value_error};
use crate::guarded::{Guarded, all_cores};
use crate::manifold::{normalise, rows, to_gradient, to_tangent};
use crate::model::Model;
use crate::networks::{Networks, structure};
use crate::options::{Options, options_or_default};
use crate::rollout::{length, told};
use crate::state::State;

type Inner = gradbody::model::Model<f64>;

/// World-steps between two looks at whether the user asked to stop: some tenths of a second.
const WORLD_STEPS_BETWEEN_SIGNALS: usize = 200_000;

/// Worlds in either precision.
pub(crate) enum Worlds {
    F64(sim::Batch<f64>),
    F32(sim::Batch<f32>),
}

macro_rules! in_either {
    ($worlds:expr, $batch:ident => $call:expr) => {
        match $worlds {
            Worlds::F64($batch) => $call,
            Worlds::F32($batch) => $call,
        }
    };
}

pub(crate) use in_either;

/// Most worlds of a batch.
pub(crate) const MOST_WORLDS: usize = 1 << 24;

/// What acts on the worlds during a rollout.
pub(crate) struct Acts {
    /// (worlds, steps, width), or nothing.
    pub(crate) numbers: Vec<f64>,
    pub(crate) are_forces: bool,
    pub(crate) steps: usize,
}

/// The last rollout that can be differentiated.
struct Kept {
    /// Configurations at the start, (worlds, nq), as they were written.
    start: Vec<f64>,
    /// Configurations after each step, (worlds, steps, nq).
    q: Vec<f64>,
    acts: Acts,
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
    inside: Guarded<Inside>,
    model: Inner,
    count: usize,
    dtype: Dtype,
}

struct Inside {
    worlds: Worlds,
    networks: Option<Networked<f64>>,
    /// q of the last `set_states` before normalisation; None after any step or reset. The gradient by q needs the lengths
    /// of its quaternions.
    written: Option<Vec<f64>>,
    kept: Option<Kept>,
    /// How many rollouts were kept: tells a later one from the one that is to be differentiated.
    kept_so_far: u64,
    /// How often the parameters of each selection were set, by their names.
    params_set: HashMap<Vec<String>, u64>,
    /// How often the weights were set.
    weights_set: u64,
}

impl Batch {
    fn sizes(&self) -> (usize, usize, usize) {
        (self.model.nq(), self.model.nv(), self.model.topology.actuators.len())
    }

    fn out<'py>(
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
    fn act(
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

    fn error(&self, error: BatchError) -> PyErr {
        match error {
            BatchError::NothingKept => value_error(
                "nothing to differentiate: call rollout(…, keep=True) before each vjp, and change no state or parameter between \
                 them",
            ),
            other => value_error(other),
        }
    }

    /// The names of the worlds that failed: a dict from world to reason.
    fn failures_of<'py>(
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

impl Worlds {
    pub(crate) fn new(
        model: &Inner,
        n: usize,
        (step, gradient): (StepOptions<f64>, GradientOptions),
        dtype: Dtype,
        threads: usize,
    ) -> Result<Self, NoThreads> {
        macro_rules! make {
            ($t:ty) => {
                sim::Batch::<$t>::new(model, n, step)
                    .with_gradient(gradient)
                    .with_threads(threads)?
            };
        }
        Ok(match dtype {
            Dtype::F64 => Worlds::F64(make!(f64)),
            Dtype::F32 => Worlds::F32(make!(f32)),
        })
    }

    pub(crate) fn rollout(
        &mut self,
        model: &Inner,
        worlds: usize,
        steps: usize,
        acts: (&[f64], bool),
        networks: Option<&Networked<f64>>,
        record: Option<BatchRecord<'_>>,
        keep: bool,
    ) -> Result<(), BatchError> {
        match networks {
            None => self.rollout_with(model, worlds, steps, acts, &NoTaps, record, keep),
            Some(networks) => self.rollout_with(model, worlds, steps, acts, networks, record, keep),
        }
    }

    fn rollout_with(
        &mut self,
        model: &Inner,
        worlds: usize,
        steps: usize,
        acts: (&[f64], bool),
        taps: &impl BatchTaps,
        record: Option<BatchRecord<'_>>,
        keep: bool,
    ) -> Result<(), BatchError> {
        let (numbers, are_forces) = acts;
        let controls = match are_forces {
            true => Controls::joint_forces(model, worlds, numbers)?,
            false => Controls::new(model, worlds, numbers)?,
        };
        let nothing = numbers.is_empty();
        in_either!(self, batch => match (keep, nothing) {
            (true, true) => batch.forward_into(steps, &NoInputs, taps, record),
            (true, false) => batch.forward_into(steps, &controls, taps, record),
            (false, true) => batch.rollout_into(steps, &NoInputs, taps, record),
            (false, false) => batch.rollout_into(steps, &controls, taps, record),
        })
    }

    pub(crate) fn backward(
        &mut self,
        model: &Inner,
        worlds: usize,
        acts: &Acts,
        networks: Option<&Networked<f64>>,
        bars: &BatchCotangents<'_>,
        selection: &Selection,
    ) -> Result<BatchGradient, BatchError> {
        match networks {
            None => self.backward_with(model, worlds, acts, &NoTaps, bars, selection),
            Some(networks) => self.backward_with(model, worlds, acts, networks, bars, selection),
        }
    }

    fn backward_with(
        &mut self,
        model: &Inner,
        worlds: usize,
        acts: &Acts,
        taps: &impl BatchTaps,
        bars: &BatchCotangents<'_>,
        selection: &Selection,
    ) -> Result<BatchGradient, BatchError> {
        if acts.numbers.is_empty() {
            return in_either!(self, batch => batch.backward(&NoInputs, taps, bars, selection));
        }
        let controls = match acts.are_forces {
            true => Controls::joint_forces(model, worlds, &acts.numbers)?,
            false => Controls::new(model, worlds, &acts.numbers)?,
        };
        in_either!(self, batch => batch.backward(&controls, taps, bars, selection))
    }

    /// The derivatives of the next step by state, controls and joint forces.
    fn linearise(
        &self,
        model: &Inner,
        worlds: usize,
        (numbers, are_forces): (&[f64], bool),
        rows: &mut [f64],
    ) -> Result<Vec<Result<LinearPath, sim::Failure>>, BatchError> {
        let columns = InputColumns::Both;
        if numbers.is_empty() {
            return in_either!(self, batch => batch.linearise(&NoInputs, columns, rows));
        }
        let controls = match are_forces {
            true => Controls::joint_forces(model, worlds, numbers)?,
            false => Controls::new(model, worlds, numbers)?,
        };
        in_either!(self, batch => batch.linearise(&controls, columns, rows))
    }
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

    /// Configurations (n, nq) and velocities (n, nv) of all worlds.
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

    /// One step of all worlds, under controls (n, nu) or joint forces (n, nv).
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

    /// Many steps of all worlds, under controls (n, steps, nu) or joint forces (n, steps, nv), or `steps` steps without.
    ///
    /// Returns the configurations (n, steps, nq) and velocities (n, steps, nv) after each step. With `keep`, the motion
    /// can be differentiated by :meth:`vjp`.
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
    fn select(&self, patterns: &[String]) -> PyResult<Selection> {
        selected(&self.model, patterns)
    }
}

/// The parameters that match the patterns; none for no pattern.
pub(crate) fn selected(model: &Inner, patterns: &[String]) -> PyResult<Selection> {
    if patterns.is_empty() {
        return Ok(Selection::none());
    }
    Selection::of(model, patterns).map_err(|e| PyKeyError::new_err(e.to_string()))
}

/// The number of threads to use; all cores if none is given.
pub(crate) fn number_of_threads(given: Option<usize>) -> PyResult<usize> {
    match given {
        Some(0) => Err(value_error("threads is 0; give at least one")),
        Some(threads) => Ok(threads),
        None => Ok(all_cores()),
    }
}

/// A pattern of parameters, or several.
#[derive(FromPyObject)]
pub(crate) enum Patterns {
    One(String),
    Many(Vec<String>),
}

impl Patterns {
    pub(crate) fn list(&self) -> Vec<String> {
        match self {
            Patterns::One(pattern) => vec![pattern.clone()],
            Patterns::Many(patterns) => patterns.clone(),
        }
    }
}
