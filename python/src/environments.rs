//! Learning environments: many worlds of one.

use gradbody::env::{
    Autoreset, Delay, Description, EnvBatch, EnvError, EnvGradient, EnvSnapshot, Environment,
    Outcome, Position, Pushes, Randomised, Range, RewardTerm,
};
use gradbody::math::names;
use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Dim, Dtype, array, array_of, wide};
use crate::exceptions::{OrValueError as _, value_error};
use crate::guarded::{Guarded, all_cores};
use crate::manifold::{normalise, rows, to_gradient};
use crate::rollout::told;

/// Worlds in either precision.
enum Worlds {
    F64(EnvBatch<f64>),
    F32(EnvBatch<f32>),
}

macro_rules! in_either {
    ($worlds:expr, $batch:ident => $call:expr) => {
        match $worlds {
            Worlds::F64($batch) => $call,
            Worlds::F32($batch) => $call,
        }
    };
}

/// `n` worlds of a learning environment that stay in vector lanes: what `gradbody.gym` and `gradbody.sb3` are made of.
///
/// `name` is one of :func:`environment_names`. `autoreset` says when a world whose episode has ended starts anew:
/// ``"next-step"``, ``"same-step"`` or ``"disabled"``, as in Gymnasium. `time_limit` is the number of steps after which an episode
/// is truncated, if not the environment's own. A world's results have the same bits whatever the
/// number of worlds and threads.
///
/// What makes episodes differ, drawn by each world for itself at each start: `randomise` has names of parameters, or patterns
/// such as ``"link/*/mass"``, with the ends of the range of a factor; `randomise_values` the same with values in their place.
/// Actions are `delay` steps late, a number or (least, most). `pushes` is (size, mean time in seconds): the first two velocities
/// change by up to `size` at random times.
#[pyclass(frozen, module = "gradbody", weakref)]
pub(crate) struct Environments {
    worlds: Guarded<Worlds>,
    of: Description,
    count: usize,
    dtype: Dtype,
}

/// A number of steps, or a range of them.
#[derive(FromPyObject)]
enum Steps {
    All(usize),
    Between(usize, usize),
}

/// Parameters that are drawn, from a dict of names and ranges.
fn drawn(
    given: Option<&Bound<'_, PyDict>>,
    range: fn(f64, f64) -> Range,
) -> PyResult<Vec<Randomised>> {
    let Some(given) = given else { return Ok(Vec::new()) };
    let one = |(name, ends): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let name: String = name.extract()?;
        let (low, high) = ends.extract().map_err(|_| {
            value_error(format_args!("the range of \"{name}\" is {ends}; give two numbers"))
        })?;
        Ok(Randomised { parameters: vec![name], range: range(low, high), together: false })
    };
    given.iter().map(one).collect()
}

/// Names of the learning environments.
#[pyfunction]
pub(crate) fn environment_names() -> Vec<&'static str> {
    Environment::ALL.iter().map(|environment| environment.name()).collect()
}

impl Environments {
    fn out<'py>(
        &self,
        py: Python<'py>,
        numbers: Vec<f64>,
        shape: &[usize],
    ) -> PyResult<Bound<'py, PyAny>> {
        array(py, self.dtype, numbers, shape)
    }

    fn observations<'py>(&self, py: Python<'py>, numbers: &[f64]) -> PyResult<Bound<'py, PyAny>> {
        array_of(py, self.dtype, numbers, &[self.count, self.of.n_observations()])
    }
}

#[pymethods]
impl Environments {
    #[new]
    #[pyo3(signature = (
        name, n, *, seed=0, dtype=None, threads=None, autoreset="next-step", time_limit=None, randomise=None,
        randomise_values=None, delay=None, pushes=None
    ))]
    fn new(
        py: Python<'_>,
        name: &str,
        n: usize,
        seed: u64,
        dtype: Option<&Bound<'_, PyAny>>,
        threads: Option<usize>,
        autoreset: &str,
        time_limit: Option<usize>,
        randomise: Option<&Bound<'_, PyDict>>,
        randomise_values: Option<&Bound<'_, PyDict>>,
        delay: Option<Steps>,
        pushes: Option<(f64, f64)>,
    ) -> PyResult<Self> {
        let Some(environment) = Environment::named(name) else {
            let hint = names::did_you_mean(name, environment_names());
            return Err(value_error(format_args!(
                "no environment \"{name}\"{hint} (there are: {})",
                environment_names().join(", ")
            )));
        };
        let autoreset = match autoreset {
            "next-step" => Autoreset::NextStep,
            "same-step" => Autoreset::SameStep,
            "disabled" => Autoreset::Disabled,
            other => {
                return Err(value_error(format_args!(
                    "autoreset=\"{other}\" is not known; use \"next-step\", \"same-step\" or \"disabled\""
                )));
            }
        };
        let dtype = dtype.map_or(Ok(Dtype::F64), Dtype::of)?;
        let threads = Some(threads.unwrap_or_else(all_cores));
        if threads == Some(0) {
            return Err(value_error("threads is 0; give at least one"));
        }
        let mut of = environment.describe();
        of.time_limit = time_limit.unwrap_or(of.time_limit);
        of.randomise = drawn(randomise, Range::Factor)?;
        of.randomise.extend(drawn(randomise_values, Range::Value)?);
        of.delay = match delay {
            None => of.delay,
            Some(Steps::All(steps)) => Delay { least: steps, most: steps },
            Some(Steps::Between(least, most)) => Delay { least, most },
        };
        let push = |(size, mean_time)| Pushes { v: 0, count: 2, size, mean_time };
        of.pushes = pushes.map(push).or(of.pushes);
        let make = || -> Result<Worlds, EnvError> {
            Ok(match dtype {
                Dtype::F64 => Worlds::F64(
                    EnvBatch::with_description(of.clone(), n, seed, threads)?
                        .with_autoreset(autoreset),
                ),
                Dtype::F32 => Worlds::F32(
                    EnvBatch::with_description(of.clone(), n, seed, threads)?
                        .with_autoreset(autoreset),
                ),
            })
        };
        let worlds = Guarded::new(py.detach(make).or_value_error()?, "set of environments");
        Ok(Environments { worlds, of, count: n, dtype })
    }

    fn __len__(&self) -> usize {
        self.count
    }

    fn __repr__(&self) -> String {
        format!(
            "<gradbody.Environments: {} worlds of {}, {}>",
            self.count,
            self.of.name,
            self.dtype.name()
        )
    }

    /// Name of the environment.
    #[getter]
    fn name(&self) -> String {
        self.of.name.clone()
    }

    /// ``"float64"`` or ``"float32"``.
    #[getter]
    fn dtype(&self) -> &'static str {
        self.dtype.name()
    }

    /// Number of numbers of an action.
    #[getter]
    fn n_actions(&self) -> usize {
        self.of.n_actions()
    }

    /// Number of numbers of an observation.
    #[getter]
    fn n_observations(&self) -> usize {
        self.of.n_observations()
    }

    /// A name for each number of an observation.
    #[getter]
    fn observation_names(&self) -> Vec<String> {
        self.of.observation_names()
    }

    /// Lower ends of the actions' ranges.
    #[getter]
    fn action_low<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        wide(py, self.of.actions.low.clone(), &[self.of.n_actions()])
    }

    /// Upper ends of the actions' ranges.
    #[getter]
    fn action_high<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        wide(py, self.of.actions.high.clone(), &[self.of.n_actions()])
    }

    /// Number of steps after which an episode is truncated.
    #[getter]
    fn time_limit(&self) -> usize {
        self.of.time_limit
    }

    /// Duration of a step [s].
    #[getter]
    fn seconds_per_step(&self) -> f64 {
        self.of.seconds_per_step()
    }

    /// Number of numbers of a command; 0 in an environment without commands.
    #[getter]
    fn n_commands(&self) -> usize {
        self.of.n_commands()
    }

    /// Whether the motion along x is rewarded.
    #[getter]
    fn rewards_motion(&self) -> bool {
        self.of.reward.iter().any(|term| match term {
            RewardTerm::Forward { position, .. } => !matches!(position, Position::Closeness { .. }),
            _ => false,
        })
    }

    /// Names of the terms of the reward.
    #[getter]
    fn reward_names(&self) -> Vec<&'static str> {
        self.of.reward.iter().map(|term| term.key()).collect()
    }

    /// Starts worlds anew: all, or those with True in `mask` (n). A seed begins their random numbers again. Returns the
    /// observations of all worlds, (n, observations).
    #[pyo3(signature = (seed=None, mask=None))]
    fn reset<'py>(
        &self,
        py: Python<'py>,
        seed: Option<u64>,
        mask: Option<Vec<bool>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut worlds = self.worlds.lock()?;
        in_either!(&mut *worlds, batch => {
            let found = match &mask {
                None => batch.reset(seed),
                Some(mask) => batch.reset_worlds(mask, seed).or_value_error()?,
            };
            self.observations(py, found)
        })
    }

    /// A step of all worlds under `actions` (n, actions).
    ///
    /// Returns a dict: `observations` (n, observations), `rewards` (n), `terminated` (n), `truncated` (n),
    /// `was_reset` (n), `diverged` (n), `positions` (n) [m], `terms` (n, terms of the reward), `episode_returns` (n),
    /// `episode_lengths` (n); and of the k worlds whose episode ended, in their order, `final_observations` (k, observations) and
    /// `final_positions` (k).
    fn step<'py>(
        &self,
        py: Python<'py>,
        actions: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (n, width) = (self.count, self.of.n_actions());
        let (actions, _) = self.dtype.numbers(
            "actions",
            actions,
            &[Dim::Is(n, "n"), Dim::Is(width, "actions")],
        )?;
        let actions = &actions[..];
        let mut worlds = self.worlds.lock()?;
        in_either!(&mut *worlds, batch => {
            let out = py.detach(|| batch.step(actions)).map_err(|error| match error {
                EnvError::Ended { world } => value_error(format_args!(
                    "the episode of world {world} has ended: reset it before its next step, by reset(mask=…) or \
                     reset(options={{\"reset_mask\": …}})"
                )),
                other => value_error(other),
            })?;
            self.outcome(py, out)
        })
    }

    /// Configurations (n, nq) and velocities (n, nv).
    fn states<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let worlds = self.worlds.lock()?;
        let (q, v) = in_either!(&*worlds, batch => batch.states());
        let model = &self.of.model;
        Ok((
            self.out(py, q, &[self.count, model.nq()])?,
            self.out(py, v, &[self.count, model.nv()])?,
        ))
    }

    /// Puts every world into a state (n, nq), (n, nv), at the start of an episode. Returns the observations.
    fn set_states<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let model = &self.of.model;
        let n = Dim::Is(self.count, "n");
        let (mut q, _) = self.dtype.numbers("q", q, &[n, Dim::Is(model.nq(), "nq")])?;
        let (v, _) = self.dtype.numbers("v", v, &[n, Dim::Is(model.nv(), "nv")])?;
        for (world, q) in q.chunks_exact_mut(model.nq().max(1)).enumerate() {
            normalise(&model.topology, q).map_err(|at| {
                value_error(format_args!(
                    "q[{world}, {at}:{}] is a quaternion without a direction",
                    at + 4
                ))
            })?;
        }
        let mut worlds = self.worlds.lock()?;
        in_either!(&mut *worlds, batch => {
            self.observations(py, batch.set_states(&q, &v).or_value_error()?)
        })
    }

    /// The command of each world, (n, n_commands): velocity forwards and sideways [m/s], yaw rate [rad/s].
    #[getter]
    fn commands<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let worlds = self.worlds.lock()?;
        let commands = in_either!(&*worlds, batch => batch.commands().to_vec());
        wide(py, commands, &[self.count, self.of.n_commands()])
    }

    /// Gives each world a command (n, n_commands), until another is drawn: at the start of an episode, and at random times within
    /// it. Returns the present observations, which have the new commands.
    fn set_commands<'py>(
        &self,
        py: Python<'py>,
        commands: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let wanted = [Dim::Is(self.count, "n"), Dim::Is(self.of.n_commands(), "n_commands")];
        let (commands, _) = self.dtype.numbers("commands", commands, &wanted)?;
        let mut worlds = self.worlds.lock()?;
        in_either!(&mut *worlds, batch => {
            self.observations(py, batch.set_commands(&commands).or_value_error()?)
        })
    }

    /// Everything that the worlds remember, as two arrays: numbers (float64) and counts (uint64). See :meth:`restore`.
    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let worlds = self.worlds.lock()?;
        let EnvSnapshot { numbers, counts } = in_either!(&*worlds, batch => batch.snapshot());
        let n = numbers.len();
        Ok((wide(py, numbers, &[n])?, counts.into_pyarray(py).into_any()))
    }

    /// Puts all worlds where they were when :meth:`snapshot` was called, on this set or on one made alike: they go on with the
    /// same bits. Returns the observations.
    fn restore<'py>(
        &self,
        py: Python<'py>,
        numbers: PyReadonlyArray1<'py, f64>,
        counts: PyReadonlyArray1<'py, u64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let numbers = numbers.as_array().iter().copied().collect();
        let counts = counts.as_array().iter().copied().collect();
        let from = EnvSnapshot { numbers, counts };
        let mut worlds = self.worlds.lock()?;
        in_either!(&mut *worlds, batch => {
            batch.restore(&from).or_value_error()?;
            self.observations(py, &batch.outcome().observations)
        })
    }

    /// The discounted sum of rewards under `actions` (n, horizon, actions), from the present states, with its gradient.
    /// The worlds stay where they are.
    ///
    /// Returns a dict: `returns` (n), `actions` (n, horizon, actions), `q` (n, nq) and `v` (n, nv), by the start, `end_q` and
    /// `end_v`, the states at the end, and `failures`, a dict from world to reason.
    #[pyo3(signature = (actions, discount=1.0))]
    fn gradient<'py>(
        &self,
        py: Python<'py>,
        actions: &Bound<'py, PyAny>,
        discount: f64,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (n, width) = (self.count, self.of.n_actions());
        let model = &self.of.model;
        let wanted = [Dim::Is(n, "n"), Dim::Any("horizon"), Dim::Is(width, "actions")];
        let (actions, shape) = self.dtype.numbers("actions", actions, &wanted)?;
        if !discount.is_finite() {
            return Err(value_error(format_args!("discount is {discount}")));
        }
        let actions = &actions[..];
        let mut worlds = self.worlds.lock()?;
        let (start, _) = in_either!(&*worlds, batch => batch.states());
        let found =
            in_either!(&mut *worlds, batch => py.detach(|| batch.gradient(actions, discount)));
        let EnvGradient { returns, actions, start_q, start_v, end_q, end_v, failures, .. } =
            found.or_value_error()?;
        let (nq, nv) = (model.nq(), model.nv());
        let by_q = rows([&start, &start_q], [nq, nv, nq], |q, bar, to| {
            to_gradient(&model.topology, q, bar, to);
        });
        let gradient = PyDict::new(py);
        gradient.set_item("returns", self.out(py, returns, &[n])?)?;
        gradient.set_item("actions", self.out(py, actions, &shape)?)?;
        gradient.set_item("q", self.out(py, by_q, &[n, nq])?)?;
        gradient.set_item("v", self.out(py, start_v, &[n, nv])?)?;
        gradient.set_item("end_q", self.out(py, end_q, &[n, nq])?)?;
        gradient.set_item("end_v", self.out(py, end_v, &[n, nv])?)?;
        let failed = PyDict::new(py);
        for (world, failure) in failures.iter().enumerate() {
            if let Some(failure) = failure {
                failed.set_item(world, told(&self.of.model, failure))?;
            }
        }
        gradient.set_item("failures", failed)?;
        Ok(gradient)
    }
}

impl Environments {
    fn outcome<'py>(&self, py: Python<'py>, out: &Outcome) -> PyResult<Bound<'py, PyDict>> {
        let n = self.count;
        let found = PyDict::new(py);
        found.set_item("observations", self.observations(py, &out.observations)?)?;
        found.set_item("rewards", wide(py, out.rewards.clone(), &[n])?)?;
        found.set_item("terminated", out.terminated.clone().into_pyarray(py))?;
        found.set_item("truncated", out.truncated.clone().into_pyarray(py))?;
        found.set_item("was_reset", out.was_reset.clone().into_pyarray(py))?;
        found.set_item("diverged", out.diverged.clone().into_pyarray(py))?;
        found.set_item("positions", wide(py, out.positions.clone(), &[n])?)?;
        found.set_item("terms", wide(py, out.terms.clone(), &[n, self.of.reward.len()])?)?;
        found.set_item("episode_returns", wide(py, out.episode_returns.clone(), &[n])?)?;
        let ended: Vec<usize> =
            (0..n).filter(|world| out.terminated[*world] || out.truncated[*world]).collect();
        let width = self.of.n_observations();
        let last = |world: &usize| &out.final_observations[world * width..(world + 1) * width];
        let last: Vec<f64> = ended.iter().flat_map(last).copied().collect();
        found.set_item("final_observations", self.out(py, last, &[ended.len(), width])?)?;
        let positions: Vec<f64> = ended.iter().map(|world| out.final_positions[*world]).collect();
        found.set_item("final_positions", wide(py, positions, &[ended.len()])?)?;
        let lengths: Vec<i64> = out.episode_lengths.iter().map(|k| *k as i64).collect();
        found.set_item("episode_lengths", lengths.into_pyarray(py))?;
        Ok(found)
    }
}
