//! Rollouts and their gradients as functions that XLA calls, without Python in between: see `gradbody/jax.py`.
//!
//! XLA may call a function again, leave a call out, or make several at once. So a call depends on its arrays alone. A
//! batch that it leaves behind only saves time: a gradient whose rollout ran last need not run it again, and it knows that
//! by comparing the bits of all inputs.

use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gradbody::model::Selection;
use gradbody::sim::{
    BatchCotangents, BatchGradient, BatchRecord, Failure, GradientOptions, StepOptions,
};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::arrays::Dtype;
use crate::manifold::{normalise, rows, to_gradient, to_tangent};
use crate::model::Model;
use crate::options::{Options, options_or_default};
use crate::patterns::{Patterns, selected};
use crate::worlds::{Acts, MOST_WORLDS, Worlds, in_either, number_of_threads};
use crate::xla::{Call, Function, Input, Numbers, Output, Target, capsule};

type Inner = gradbody::model::Model<f64>;

/// Batches that wait for their next call, of each simulated model.
const MOST_IDLE: usize = 8;

/// All that were made. A compiled program knows its own by its place, and may call it until the process ends.
static ALL: Mutex<Vec<Arc<Simulated>>> = Mutex::new(Vec::new());

/// A model that XLA simulates.
struct Simulated {
    model: Arc<Inner>,
    selection: Selection,
    how: (StepOptions<f64>, GradientOptions),
    threads: usize,
    idle: Mutex<Vec<Idle>>,
    process: u32,
}

/// Worlds between two calls.
struct Idle {
    dtype: Dtype,
    count: usize,
    worlds: Worlds,
    /// The parameters that were set last.
    params: Option<Vec<f64>>,
    kept: Option<Kept>,
}

/// A rollout that can be differentiated.
struct Kept {
    given: Given,
    motion: Motion,
}

/// What a rollout depends on, a row for each world.
struct Given {
    dtype: Dtype,
    worlds: usize,
    q: Vec<f64>,
    v: Vec<f64>,
    acts: Acts,
    params: Vec<f64>,
}

/// The states after each step, (worlds, steps, width).
struct Motion {
    q: Vec<f64>,
    v: Vec<f64>,
    /// Worlds that have no motion, or only a part of one.
    lost: Vec<bool>,
}

/// A model, parameters by name and options, for :class:`gradbody.jax.Rollout`.
#[pyclass(frozen, module = "gradbody._gradbody", name = "_Simulated")]
pub(crate) struct PySimulated {
    inner: Arc<Simulated>,
    place: usize,
}

#[pymethods]
impl PySimulated {
    #[new]
    #[pyo3(signature = (model, params, *, options=None, threads=None))]
    fn new(
        model: &Model,
        params: Patterns,
        options: Option<&Options>,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let model = model.inner();
        let inner = Arc::new(Simulated {
            selection: selected(&model, &params.list())?,
            how: options_or_default(options, &model),
            threads: number_of_threads(threads)?,
            idle: Mutex::default(),
            process: process::id(),
            model,
        });
        let mut all = all();
        all.push(inner.clone());
        Ok(PySimulated { inner, place: all.len() - 1 })
    }

    /// By which the functions of XLA know it.
    #[getter]
    fn place(&self) -> usize {
        self.place
    }

    /// Numbers of a world: nq, nv, nu, and how many parameters are named.
    #[getter]
    fn sizes(&self) -> (usize, usize, usize, usize) {
        let Simulated { model, selection, .. } = &*self.inner;
        (model.nq(), model.nv(), model.topology.actuators.len(), selection.len())
    }
}

impl Drop for PySimulated {
    /// Batches are large; a program that still calls makes new ones.
    fn drop(&mut self) {
        if self.inner.process == process::id() {
            self.inner.idle().clear();
        }
    }
}

/// The functions that XLA calls, by their names.
#[pyfunction]
pub(crate) fn _xla_functions(
    py: Python<'_>,
) -> PyResult<[(&'static str, Bound<'_, PyCapsule>); 2]> {
    Ok([
        ("gradbody_rollout", capsule::<RolloutTarget>(py)?),
        ("gradbody_gradient", capsule::<GradientTarget>(py)?),
    ])
}

struct RolloutTarget;

impl Target for RolloutTarget {
    const CALL: Function = rollout;
}

struct GradientTarget;

impl Target for GradientTarget {
    const CALL: Function = gradient;
}

/// Inputs: q (…, nq), v (…, nv), what acts (…, steps, width), parameters (…, k). Outputs: q (…, steps, nq), v (…, steps, nv)
/// after each step. With `keep`, a gradient is likely to follow.
fn rollout(call: &mut Call<'_>) -> Result<(), String> {
    let simulated = simulated(call)?;
    let given = simulated.read(call)?;
    let keep = call.integer("keep") == Some(1);
    let (nq, nv) = (simulated.model.nq(), simulated.model.nv());
    let (n, steps) = (given.worlds, given.acts.steps);
    let [to_q, to_v] = outputs(call, [n * steps * nq, n * steps * nv])?;
    if n == 0 {
        return Ok(());
    }
    let mut worlds = simulated.take(&given)?;
    let motion = worlds.run(&simulated, &given, keep)?;
    write(to_q, &motion.q);
    write(to_v, &motion.v);
    worlds.kept = keep.then_some(Kept { given, motion });
    simulated.give_back(worlds);
    Ok(())
}

/// Inputs: those of [`rollout`], then how much a result grows with each of its outputs. Outputs: how much it grows with
/// each of its inputs.
fn gradient(call: &mut Call<'_>) -> Result<(), String> {
    let simulated = simulated(call)?;
    let given = simulated.read(call)?;
    let model = &simulated.model;
    let (nq, nv) = (model.nq(), model.nv());
    let (n, steps) = (given.worlds, given.acts.steps);
    let q_bar = read(call, 4, n * steps * nq)?;
    let v_bar = read(call, 5, n * steps * nv)?;
    let sizes = [n * nq, n * nv, given.acts.numbers.len(), given.params.len()];
    let to = outputs(call, sizes)?;
    if n == 0 {
        return Ok(());
    }
    let (mut worlds, kept) = match simulated.take_kept(&given) {
        Some(found) => found,
        None => {
            let mut worlds = simulated.take(&given)?;
            let motion = worlds.run(&simulated, &given, true)?;
            (worlds, Kept { given, motion })
        }
    };
    let found = worlds.differentiate(&simulated, &kept, &q_bar, &v_bar)?;
    simulated.give_back(worlds);
    to.into_iter().zip(found).for_each(|(to, found)| write(to, &found));
    Ok(())
}

impl Simulated {
    fn idle(&self) -> MutexGuard<'_, Vec<Idle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The inputs of a call.
    fn read(&self, call: &Call<'_>) -> Result<Given, String> {
        let (nq, nv, nu) = (self.model.nq(), self.model.nv(), self.model.topology.actuators.len());
        let dtype = match input(call, 0)?.numbers {
            Numbers::F32(_) => Dtype::F32,
            Numbers::F64(_) => Dtype::F64,
        };
        let leading = |k: usize, behind: usize| {
            let shape = input(call, k)?.shape;
            let count = shape.len().checked_sub(behind).ok_or("an input has too few axes")?;
            let product = shape[..count].iter().product::<i64>();
            usize::try_from(product).map_err(|_| "an array is too large".to_string())
        };
        let worlds = leading(0, 1)?;
        if worlds > MOST_WORLDS {
            return Err(format!("{worlds} worlds at once; at most {MOST_WORLDS} can be simulated"));
        }
        let are_forces = call.integer("forces") == Some(1);
        let shape = input(call, 2)?.shape;
        let &[.., steps, width] = shape else { return Err("an input has too few axes".into()) };
        let (steps, width) = (steps as usize, width as usize);
        if width != 0 && width != if are_forces { nv } else { nu } {
            return Err(format!("{width} numbers act on a world, which takes others"));
        }
        let acts = read(call, 2, worlds * steps * width)?;
        Ok(Given {
            dtype,
            worlds,
            q: read(call, 0, worlds * nq)?,
            v: read(call, 1, worlds * nv)?,
            acts: Acts { numbers: acts, are_forces, steps },
            params: read(call, 3, worlds * self.selection.len())?,
        })
    }

    /// Worlds for a call: those that have waited longest, or new ones.
    fn take(&self, given: &Given) -> Result<Idle, String> {
        let Given { dtype, worlds: count, .. } = *given;
        let mut idle = self.idle();
        if let Some(place) = idle.iter().position(|one| one.dtype == dtype && one.count == count) {
            return Ok(idle.remove(place));
        }
        drop(idle);
        let worlds = Worlds::new(&self.model, count, self.how, dtype, self.threads);
        let worlds = worlds.map_err(|e| e.to_string())?;
        Ok(Idle { dtype, count, worlds, params: None, kept: None })
    }

    /// Worlds that hold exactly this rollout, if there are any.
    fn take_kept(&self, given: &Given) -> Option<(Idle, Kept)> {
        let mut idle = self.idle();
        let holds = |one: &Idle| one.kept.as_ref().is_some_and(|kept| kept.given.is(given));
        let place = idle.iter().position(holds)?;
        let mut found = idle.remove(place);
        let kept = found.kept.take()?;
        Some((found, kept))
    }

    fn give_back(&self, worlds: Idle) {
        let mut idle = self.idle();
        if idle.len() == MOST_IDLE {
            idle.remove(0);
        }
        idle.push(worlds);
    }
}

impl Given {
    /// Whether all is the same, bit by bit.
    fn is(&self, other: &Given) -> bool {
        let Acts { numbers, are_forces, steps } = &self.acts;
        self.dtype == other.dtype
            && self.worlds == other.worlds
            && *steps == other.acts.steps
            && *are_forces == other.acts.are_forces
            && same(&self.q, &other.q)
            && same(&self.v, &other.v)
            && same(numbers, &other.acts.numbers)
            && same(&self.params, &other.params)
    }
}

impl Idle {
    /// The motion of all worlds. A world with a number that is not finite, or a quaternion without a direction, has none.
    fn run(&mut self, simulated: &Simulated, given: &Given, keep: bool) -> Result<Motion, String> {
        let Simulated { model, selection, .. } = simulated;
        let (nq, nv, k) = (model.nq(), model.nv(), selection.len());
        let (n, steps) = (given.worlds, given.acts.steps);
        let width = given.acts.numbers.len() / n;
        self.kept = None;
        let (mut unit, mut v) = (given.q.clone(), given.v.clone());
        let (mut acts, mut params) = (given.acts.numbers.clone(), given.params.clone());
        let mut lost = vec![false; n];
        for (world, lost) in lost.iter_mut().enumerate() {
            let q = &mut unit[world * nq..(world + 1) * nq];
            let v = &mut v[world * nv..(world + 1) * nv];
            let acts = &mut acts[world * width..(world + 1) * width];
            let params = &mut params[world * k..(world + 1) * k];
            let all = q.iter().chain(v.iter()).chain(acts.iter()).chain(params.iter());
            *lost = !all.copied().all(f64::is_finite) || normalise(&model.topology, q).is_err();
            if *lost {
                // Something that can be simulated, so that its neighbours are.
                q.copy_from_slice(&model.neutral());
                v.fill(0.0);
                acts.fill(0.0);
                params.copy_from_slice(&selection.values(model));
            }
        }
        let worlds = &mut self.worlds;
        if k > 0 && !self.params.as_ref().is_some_and(|set| same(set, &params)) {
            in_either!(worlds, batch => batch.set_params(selection, &params))
                .map_err(|e| e.to_string())?;
            self.params = Some(params);
        }
        in_either!(worlds, batch => batch.write_states(&unit, &v)).map_err(|e| e.to_string())?;
        let mut motion =
            Motion { q: vec![0.0; n * steps * nq], v: vec![0.0; n * steps * nv], lost };
        let record = Some(BatchRecord { q: &mut motion.q, v: &mut motion.v });
        worlds
            .rollout(model, n, steps, (&acts, given.acts.are_forces), None, record, keep)
            .map_err(|e| e.to_string())?;
        let failures = in_either!(&*worlds, batch => batch.failures());
        for (world, failure) in failures.into_iter().enumerate() {
            let from = match (motion.lost[world], failure) {
                (false, None) => continue,
                (false, Some(Failure::Diverged { step, .. })) => step,
                _ => 0,
            };
            motion.lost[world] = true;
            motion.q[(world * steps + from) * nq..(world + 1) * steps * nq].fill(f64::NAN);
            motion.v[(world * steps + from) * nv..(world + 1) * steps * nv].fill(f64::NAN);
        }
        Ok(motion)
    }

    /// How much a result grows with q, v, what acts, and the parameters, after a [`run`](Idle::run) with `keep`. Rows of
    /// worlds that were lost are zero; those of others without a gradient are NaN.
    fn differentiate(
        &mut self,
        simulated: &Simulated,
        kept: &Kept,
        q_bar: &[f64],
        v_bar: &[f64],
    ) -> Result<[Vec<f64>; 4], String> {
        let Simulated { model, selection, .. } = simulated;
        let Kept { given, motion } = kept;
        let (nq, nv) = (model.nq(), model.nv());
        let (n, steps) = (given.worlds, given.acts.steps);
        let topology = &model.topology;
        let mut q_local =
            rows([&motion.q, q_bar], [nq, nq, nv], |q, bar, to| to_tangent(topology, q, bar, to));
        let mut v_bar = v_bar.to_vec();
        let mut without = vec![false; n];
        for (world, without) in without.iter_mut().enumerate() {
            let row = world * steps * nv..(world + 1) * steps * nv;
            let bars = [&mut q_local[row.clone()], &mut v_bar[row]];
            *without = !bars.iter().flat_map(|bar| bar.iter()).all(|x| x.is_finite());
            if *without || motion.lost[world] {
                bars.into_iter().for_each(|bar| bar.fill(0.0));
            }
        }
        let bars = BatchCotangents::new(model, n, steps, &q_local, &v_bar);
        let found = bars.and_then(|bars| {
            // Inputs that are not finite belong to worlds that are lost.
            let Acts { numbers, are_forces, steps } = &given.acts;
            let finite = numbers.iter().map(|x| if x.is_finite() { *x } else { 0.0 }).collect();
            let acts = Acts { numbers: finite, are_forces: *are_forces, steps: *steps };
            self.worlds.backward(model, n, &acts, None, &bars, selection)
        });
        let BatchGradient { start_q, start_v, inputs, params, failures, .. } =
            found.map_err(|e| e.to_string())?;
        let q = rows([&given.q, &start_q], [nq, nv, nq], |q, bar, to| {
            to_gradient(topology, q, bar, to);
        });
        // A batch without inputs has no row for them.
        let mut found = [q, start_v, inputs, params];
        for world in 0..n {
            let value = match (motion.lost[world], without[world] || failures[world].is_some()) {
                (true, _) => 0.0,
                (false, true) => f64::NAN,
                (false, false) => continue,
            };
            for all in &mut found {
                let width = all.len() / n;
                all[world * width..(world + 1) * width].fill(value);
            }
        }
        Ok(found)
    }
}

/// Whether these are the same numbers, bit by bit.
fn same(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

fn all() -> MutexGuard<'static, Vec<Arc<Simulated>>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a call simulates.
fn simulated(call: &Call<'_>) -> Result<Arc<Simulated>, String> {
    let place = call.integer("simulated").and_then(|place| usize::try_from(place).ok());
    let found = place.and_then(|place| all().get(place).cloned());
    let found = found.ok_or(
        "this program was compiled in another process: compile it in the one that runs it",
    )?;
    if found.process != process::id() {
        return Err(
            "this function was made before the process forked; make it in the process that uses it"
                .into(),
        );
    }
    Ok(found)
}

fn input<'c, 'a>(call: &'c Call<'a>, k: usize) -> Result<&'c Input<'a>, String> {
    call.inputs.get(k).ok_or_else(|| format!("input {k} is missing"))
}

/// The numbers of an input, which must have so many.
fn read(call: &Call<'_>, k: usize, size: usize) -> Result<Vec<f64>, String> {
    let found: Vec<f64> = match input(call, k)?.numbers {
        Numbers::F32(numbers) => numbers.iter().map(|x| f64::from(*x)).collect(),
        Numbers::F64(numbers) => numbers.to_vec(),
    };
    if found.len() == size {
        return Ok(found);
    }
    Err(format!("input {k} has {} numbers, but needs {size}", found.len()))
}

/// The outputs, which must have so many numbers.
fn outputs<'c, 'a, const N: usize>(
    call: &'c mut Call<'a>,
    sizes: [usize; N],
) -> Result<[&'c mut Output<'a>; N], String> {
    for (k, (output, size)) in call.outputs.iter().zip(sizes).enumerate() {
        if output.len() != size {
            return Err(format!("output {k} has {} numbers, but needs {size}", output.len()));
        }
    }
    let outputs: Vec<_> = call.outputs.iter_mut().collect();
    outputs.try_into().map_err(|_| format!("{N} outputs are needed"))
}

fn write(to: &mut Output<'_>, numbers: &[f64]) {
    match to {
        Output::F32(to) => to.iter_mut().zip(numbers).for_each(|(to, x)| *to = *x as f32),
        Output::F64(to) => to.iter_mut().zip(numbers).for_each(|(to, x)| *to = *x),
    }
}
