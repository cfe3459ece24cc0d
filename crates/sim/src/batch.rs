//! Many worlds that stay where they are: in lanes, from call to call.
//!
//! A [`Batch`] holds the states of thousands of worlds of one model side by side, as many in a group as the widest
//! vectors of the machine hold. They are stepped, rolled out and differentiated there, on all threads; nothing is
//! gathered again for a call. What goes in and out is plain arrays with a row for each world. A world has the same bits
//! wherever it stands, whatever its neighbours do and however many threads there are: docs/decisions/0008-batches.md.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

use gradbody_math::Scalar;
use gradbody_model::{Model, Selection, Topology};
use rayon::prelude::*;

use crate::ensemble::state_in;
use crate::state::in_lane;
use crate::step::first_diverged_in;
use crate::{
    BatchError, BatchInputs, BatchLoss, BatchTaps, Failure, Gradient, GradientOptions, Inputs,
    Kernel, Loss, LossCotangents, Moment, NoTaps, NoThreads, Precision, Rollout, RolloutTrace,
    Simulated, State, StepOptions, TapsVjp, rollout_backward, rollout_forward, run_widest, step,
};

/// Worlds of one model that stay in lanes, in the precision `T` (f64 or f32).
#[derive(Debug)]
pub struct Batch<T> {
    /// A `Resident<S>`, with S the widest vectors of T that this machine has.
    resident: Box<dyn Lanes>,
    gradient: GradientOptions,
    threads: Option<rayon::ThreadPool>,
    precision: PhantomData<T>,
}

/// The gradients of the losses of a batch. Rows of worlds that failed, forwards or back, are zero, their costs not a
/// number.
#[derive(Clone, Debug, Default)]
pub struct BatchGradient {
    /// The loss of each world.
    pub costs: Vec<f64>,
    /// With respect to the configuration at the start, in local coordinates, (worlds, nv).
    pub start_q: Vec<f64>,
    /// With respect to the velocity at the start, (worlds, nv).
    pub start_v: Vec<f64>,
    /// With respect to the numbers of the inputs, a row for each world: for [`Controls`](crate::Controls) each row is
    /// (steps, actuators), for a policy its weights.
    pub inputs: Vec<f64>,
    /// With respect to the selected parameters, (worlds, selected).
    pub params: Vec<f64>,
    /// With respect to the numbers of the taps, such as weights, a row for each world.
    pub taps: Vec<f64>,
    /// What went wrong, world by world.
    pub failures: Vec<Option<Failure>>,
}

/// All groups of worlds, on lanes of S.
#[derive(Debug)]
struct Resident<S> {
    worlds: usize,
    groups: Vec<Group<S>>,
    options: StepOptions<S>,
    /// Buffers that no thread uses now.
    buffers: Mutex<Vec<Box<RolloutTrace<S>>>>,
}

/// As many worlds as S has lanes.
#[derive(Debug)]
struct Group<S> {
    /// The world in each lane; the last is repeated where there are too few.
    worlds: Vec<usize>,
    /// Shared by all groups until their parameters differ.
    model: Arc<Model<S>>,
    state: State<S>,
    /// Where each world was put last or began to be kept, and where it goes back to if it fails.
    home: State<S>,
    /// Steps since then.
    steps: S,
    failures: Vec<Option<Failure>>,
    /// What the last [`Batch::forward`] kept.
    kept: Option<Box<RolloutTrace<S>>>,
}

impl<T: Precision> Batch<T> {
    /// So many worlds of a model, each with every joint at zero, at rest.
    pub fn new(model: &Model<f64>, worlds: usize, options: StepOptions<f64>) -> Self {
        Batch {
            resident: run_widest::<T, _>(Make { model, worlds, options }),
            gradient: GradientOptions::default(),
            threads: None,
            precision: PhantomData,
        }
    }

    /// With another kind of gradient.
    pub fn with_gradient(mut self, gradient: GradientOptions) -> Self {
        self.gradient = gradient;
        self
    }

    /// On so many threads of its own.
    pub fn with_threads(mut self, threads: usize) -> Result<Self, NoThreads> {
        let threads = threads.max(1);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        self.threads = Some(pool.map_err(|source| NoThreads::new(threads, source))?);
        Ok(self)
    }

    /// How many worlds there are.
    pub fn len(&self) -> usize {
        self.resident.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The state of a world; none if there is no such world.
    pub fn state(&self, world: usize) -> Option<State<f64>> {
        (world < self.len()).then(|| self.resident.state(world))
    }

    /// Puts some worlds into a state. What they had failed by is forgotten, and the last [`forward`](Batch::forward) of all
    /// worlds cannot be gone back over any more.
    pub fn reset(&mut self, worlds: &[usize], state: &State<f64>) -> Result<(), BatchError> {
        if let Some(&world) = worlds.iter().find(|world| **world >= self.len()) {
            return Err(BatchError::NoSuchWorld { world, worlds: self.len() });
        }
        let [q, v, activation] = self.resident.sizes();
        let parts = [
            ("q", state.q.len(), q),
            ("v", state.v.len(), v),
            ("activation", state.activation.len(), activation),
        ];
        if let Some((part, given, needed)) = parts.into_iter().find(|(_, n, needed)| n != needed) {
            let world = worlds.first().copied().unwrap_or(0);
            return Err(BatchError::Start { world, part, given, needed });
        }
        worlds.iter().for_each(|world| self.resident.put(*world, state));
        Ok(())
    }

    /// Writes the configurations, (worlds, nq), and velocities, (worlds, nv), of all worlds.
    pub fn read_states(&self, q: &mut [f64], v: &mut [f64]) -> Result<(), BatchError> {
        let [nq, nv, _] = self.resident.sizes();
        check_size("q", q.len(), self.len() * nq)?;
        check_size("v", v.len(), self.len() * nv)?;
        self.resident.read(q, v);
        Ok(())
    }

    /// Puts every world somewhere, at time zero: configurations, (worlds, nq), and velocities, (worlds, nv). Actuators are at
    /// rest, and what worlds had failed by is forgotten.
    pub fn write_states(&mut self, q: &[f64], v: &[f64]) -> Result<(), BatchError> {
        let [nq, nv, _] = self.resident.sizes();
        check_size("q", q.len(), self.len() * nq)?;
        check_size("v", v.len(), self.len() * nv)?;
        let Some(mut state) = self.state(0) else { return Ok(()) };
        state.time = 0.0;
        state.activation.fill(0.0);
        state.memory.clear();
        state.contact.clear();
        for world in 0..self.len() {
            state.q.copy_from_slice(&q[world * nq..(world + 1) * nq]);
            state.v.copy_from_slice(&v[world * nv..(world + 1) * nv]);
            self.resident.put(world, &state);
        }
        Ok(())
    }

    /// Gives each world its own numbers of the selected parameters, (worlds, selected).
    pub fn set_params(&mut self, selection: &Selection, values: &[f64]) -> Result<(), BatchError> {
        self.check_selection(selection)?;
        check_size("parameters", values.len(), self.len() * selection.len())?;
        self.resident.set_params(selection, values);
        Ok(())
    }

    /// What went wrong going forwards, world by world, since each was put somewhere. Such a world was taken back to where
    /// it was put, and went on from there; in a [`forward`](Batch::forward), to where that began, and waits there.
    pub fn failures(&self) -> Vec<Option<Failure>> {
        self.resident.failures()
    }

    /// One step of every world.
    pub fn step(&mut self, inputs: &impl BatchInputs) -> Result<(), BatchError> {
        self.rollout(1, inputs)
    }

    /// So many steps of every world.
    pub fn rollout(&mut self, steps: usize, inputs: &impl BatchInputs) -> Result<(), BatchError> {
        self.rollout_with(steps, inputs, &NoTaps)
    }

    /// The same with taps. What they remember is part of the states; at first nothing is remembered.
    pub fn rollout_with(
        &mut self,
        steps: usize,
        inputs: &impl BatchInputs,
        taps: &impl BatchTaps,
    ) -> Result<(), BatchError> {
        inputs.check(self.len(), self.resident.actuators())?;
        let Batch { resident, threads, .. } = self;
        let resident = &mut **resident;
        enter(threads, || run_widest::<T, _>(Advance { resident, steps, inputs, taps }));
        Ok(())
    }

    /// So many steps of every world, of which is kept what [`backward`](Batch::backward) needs.
    pub fn forward(
        &mut self,
        steps: usize,
        inputs: &impl BatchInputs,
        taps: &impl BatchTaps,
    ) -> Result<(), BatchError> {
        inputs.check(self.len(), self.resident.actuators())?;
        let Batch { resident, threads, gradient, .. } = self;
        let (resident, how) = (&mut **resident, *gradient);
        enter(threads, || run_widest::<T, _>(Forward { resident, steps, inputs, taps, how }));
        Ok(())
    }

    /// Goes back over the steps of the last [`forward`](Batch::forward), which had the same inputs and taps. Once, and not
    /// if worlds were put somewhere or parameters changed since: see [`Failure::NothingKept`]. A gradient with respect
    /// to parameters is that of the selected ones.
    pub fn backward(
        &mut self,
        inputs: &impl BatchInputs,
        taps: &impl BatchTaps,
        loss: &impl BatchLoss,
        selection: &Selection,
    ) -> Result<BatchGradient, BatchError> {
        inputs.check(self.len(), self.resident.actuators())?;
        self.check_selection(selection)?;
        let Batch { resident, threads, .. } = self;
        let resident = &mut **resident;
        let judged = Judged { loss, selection };
        Ok(enter(threads, || run_widest::<T, _>(Backward { resident, inputs, taps, judged })))
    }
}

impl<T> Batch<T> {
    fn check_selection(&self, selection: &Selection) -> Result<(), BatchError> {
        let fits = self.resident.topology().is_none_or(|topology| selection.fits(topology));
        if fits { Ok(()) } else { Err(BatchError::OtherSelection) }
    }
}

fn check_size(part: &'static str, given: usize, needed: usize) -> Result<(), BatchError> {
    if given == needed { Ok(()) } else { Err(BatchError::Array { part, given, needed }) }
}

fn enter<R: Send>(threads: &Option<rayon::ThreadPool>, run: impl FnOnce() -> R + Send) -> R {
    match threads {
        Some(pool) => pool.install(run),
        None => run(),
    }
}

// --- in plain numbers -----------------------------------------------------------------------------

/// What a batch does whatever its lanes are.
trait Lanes: Any + Send + Sync + std::fmt::Debug {
    fn as_any(&mut self) -> &mut dyn Any;
    fn len(&self) -> usize;
    /// Sizes of q, v and activation.
    fn sizes(&self) -> [usize; 3];
    fn actuators(&self) -> usize;
    /// That of the model; none without worlds.
    fn topology(&self) -> Option<&Topology>;
    fn state(&self, world: usize) -> State<f64>;
    fn put(&mut self, world: usize, state: &State<f64>);
    fn read(&self, q: &mut [f64], v: &mut [f64]);
    fn set_params(&mut self, selection: &Selection, values: &[f64]);
    fn failures(&self) -> Vec<Option<Failure>>;
}

impl<S: Simulated> Lanes for Resident<S> {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn len(&self) -> usize {
        self.worlds
    }

    fn sizes(&self) -> [usize; 3] {
        self.topology().map_or([0; 3], |t| [t.nq, t.nv, t.na])
    }

    fn actuators(&self) -> usize {
        self.topology().map_or(0, |t| t.actuators.len())
    }

    fn topology(&self) -> Option<&Topology> {
        self.groups.first().map(|group| &group.model.topology)
    }

    fn state(&self, world: usize) -> State<f64> {
        state_in(&self.groups[world / S::LANES].state, world % S::LANES)
    }

    fn put(&mut self, world: usize, state: &State<f64>) {
        // In every group, so that what a call gives does not depend on which worlds stand side by side.
        self.groups.iter_mut().for_each(Group::forget);
        let group = &mut self.groups[world / S::LANES];
        for lane in 0..S::LANES {
            if group.worlds[lane] == world {
                group.home.set_lane(lane, state);
                group.state.set_lane(lane, state);
                group.steps = in_lane(group.steps, lane, 0.0);
                group.failures[lane] = None;
            }
        }
    }

    fn read(&self, q: &mut [f64], v: &mut [f64]) {
        let [nq, nv, _] = self.sizes();
        for (world, (q, v)) in q.chunks_mut(nq.max(1)).zip(v.chunks_mut(nv.max(1))).enumerate() {
            let (state, lane) = (&self.groups[world / S::LANES].state, world % S::LANES);
            q.iter_mut().zip(&state.q).for_each(|(to, x)| *to = x.lane(lane));
            v.iter_mut().zip(&state.v).for_each(|(to, x)| *to = x.lane(lane));
        }
    }

    fn set_params(&mut self, selection: &Selection, values: &[f64]) {
        let n = selection.len();
        for group in &mut self.groups {
            group.forget();
            let of = |k: usize| S::from_lanes(|lane| values[group.worlds[lane] * n + k]);
            let x: Vec<S> = (0..n).map(of).collect();
            let model = Arc::make_mut(&mut group.model);
            selection.apply(model, &x).expect("as many numbers as are selected");
        }
    }

    fn failures(&self) -> Vec<Option<Failure>> {
        (0..self.worlds).map(|w| self.groups[w / S::LANES].failures[w % S::LANES]).collect()
    }
}

// --- in lanes ---------------------------------------------------------------------------------------

struct Make<'a> {
    model: &'a Model<f64>,
    worlds: usize,
    options: StepOptions<f64>,
}

impl Kernel for Make<'_> {
    type Output = Box<dyn Lanes>;

    fn run<S: Simulated>(self) -> Box<dyn Lanes> {
        let Make { model, worlds, options } = self;
        let model: Arc<Model<S>> = Arc::new(model.cast());
        let group = |first: usize| Group {
            worlds: (first..first + S::LANES).map(|world| world.min(worlds - 1)).collect(),
            model: model.clone(),
            state: State::neutral(&model),
            home: State::neutral(&model),
            steps: S::ZERO,
            failures: vec![None; S::LANES],
            kept: None,
        };
        let groups = (0..worlds).step_by(S::LANES).map(group).collect();
        let options = options.cast();
        Box::new(Resident { worlds, groups, options, buffers: Mutex::default() })
    }
}

/// The groups of a batch on lanes of S: it was made on the lanes that every call finds again.
fn on_lanes<S: Simulated>(resident: &mut dyn Lanes) -> &mut Resident<S> {
    resident.as_any().downcast_mut().expect("the machine has the same vectors as before")
}

impl<S: Simulated> Resident<S> {
    /// Runs `run` on every group, on all threads, with inputs and buffers that serve many groups; gives what it gave, in
    /// order.
    fn each<I: BatchInputs, R: Send>(
        &mut self,
        inputs: &I,
        run: impl Fn(&mut Group<S>, &StepOptions<S>, &mut I::Inputs<S>, &mut Lease<'_, S>) -> R + Sync,
    ) -> Vec<R> {
        let Resident { groups, options, buffers, .. } = self;
        let (options, buffers) = (&*options, &*buffers);
        let Some(model) = groups.first().map(|group| group.model.clone()) else {
            return Vec::new();
        };
        groups
            .par_iter_mut()
            .map_init(
                || (inputs.make(&model), Lease { buffers: None, from: buffers }),
                |(made, lease), group| {
                    inputs.turn_to(made, &group.worlds);
                    run(group, options, made, lease)
                },
            )
            .collect()
    }
}

/// Buffers that a thread has taken, and gives back when it is done.
struct Lease<'a, S> {
    buffers: Option<Box<RolloutTrace<S>>>,
    from: &'a Mutex<Vec<Box<RolloutTrace<S>>>>,
}

impl<S: Scalar> Lease<'_, S> {
    fn buffers(&mut self, model: &Model<S>) -> &mut RolloutTrace<S> {
        self.buffers.get_or_insert_with(|| {
            let free = self.from.lock().unwrap_or_else(PoisonError::into_inner).pop();
            free.unwrap_or_else(|| Box::new(RolloutTrace::new(model)))
        })
    }
}

impl<S> Drop for Lease<'_, S> {
    fn drop(&mut self) {
        if let Some(buffers) = self.buffers.take() {
            self.from.lock().unwrap_or_else(PoisonError::into_inner).push(buffers);
        }
    }
}

struct Advance<'a, I, P> {
    resident: &'a mut dyn Lanes,
    steps: usize,
    inputs: &'a I,
    taps: &'a P,
}

impl<I: BatchInputs, P: BatchTaps> Kernel for Advance<'_, I, P> {
    type Output = ();

    fn run<S: Simulated>(self) {
        let Advance { resident, steps, inputs, taps } = self;
        let n_memory = taps.n_memory();
        on_lanes::<S>(resident).each(inputs, |group, options, inputs, lease| {
            let mut taps = taps.for_worlds::<S>(&group.worlds);
            group.remember(n_memory);
            let buffers = lease.buffers(&group.model);
            for k in 0..steps {
                group.step(k, options, inputs, &mut taps, buffers);
            }
        });
    }
}

impl<S: Simulated> Group<S> {
    /// The last `forward` cannot be gone back over any more.
    fn forget(&mut self) {
        if let Some(kept) = &mut self.kept {
            kept.forget();
        }
    }

    /// Makes room for what taps remember; without taps it stays as it is.
    fn remember(&mut self, n: usize) {
        if n > 0 {
            self.state.memory.resize(n, S::ZERO);
            self.home.memory.resize(n, S::ZERO);
        }
    }

    /// One step; worlds that diverge go back home.
    fn step(
        &mut self,
        k: usize,
        options: &StepOptions<S>,
        inputs: &mut impl Inputs<S>,
        taps: &mut dyn TapsVjp<S>,
        buffers: &mut RolloutTrace<S>,
    ) {
        let RolloutTrace { input, last, scratch, .. } = buffers;
        let Group { model, state, home, steps, failures, .. } = self;
        state.time = options.dt.mul_add(*steps, home.time);
        input.clear();
        inputs.set(k, state, input);
        let report = step(model, state, input, options, taps, last, scratch);
        *steps += S::ONE;
        if report.diverged.is_some() {
            for lane in 0..S::LANES {
                if let Some(link) = first_diverged_in(model, state, lane) {
                    let step = steps.lane(lane) as usize - 1;
                    failures[lane].get_or_insert(Failure::Diverged { step, link });
                    state.return_lane(lane, home);
                    *steps = in_lane(*steps, lane, 0.0);
                }
            }
        }
        state.time = options.dt.mul_add(*steps, home.time);
    }
}

struct Forward<'a, I, P> {
    resident: &'a mut dyn Lanes,
    steps: usize,
    inputs: &'a I,
    taps: &'a P,
    how: GradientOptions,
}

impl<I: BatchInputs, P: BatchTaps> Kernel for Forward<'_, I, P> {
    type Output = ();

    fn run<S: Simulated>(self) {
        let Forward { resident, steps, inputs, taps, how } = self;
        let n_memory = taps.n_memory();
        on_lanes::<S>(resident).each(inputs, |group, options, inputs, _| {
            let mut taps = taps.for_worlds::<S>(&group.worlds);
            group.remember(n_memory);
            let Group { model, state, home, failures, kept, steps: since, .. } = group;
            home.copy_from(state);
            *since = S::from_f64(steps as f64);
            let trace = kept.get_or_insert_with(|| Box::new(RolloutTrace::new(model)));
            let rollout = Rollout { model, start: home, steps, options };
            let rolled = rollout_forward(&rollout, inputs, &mut taps, &how, |_| {}, trace);
            state.copy_from(&rolled.end);
            for (lane, new) in rolled.failures.into_iter().enumerate() {
                if new.is_some() {
                    // Back where it began, whatever became of the worlds beside it.
                    state.return_lane(lane, home);
                    state.time = in_lane(state.time, lane, home.time.lane(lane));
                    *since = in_lane(*since, lane, 0.0);
                }
                failures[lane] = failures[lane].or(new);
            }
        });
    }
}

/// What worlds are judged by, and which parameters' gradients are asked for.
struct Judged<'a, L> {
    loss: &'a L,
    selection: &'a Selection,
}

struct Backward<'a, I, P, L> {
    resident: &'a mut dyn Lanes,
    inputs: &'a I,
    taps: &'a P,
    judged: Judged<'a, L>,
}

impl<I: BatchInputs, P: BatchTaps, L: BatchLoss> Kernel for Backward<'_, I, P, L> {
    type Output = BatchGradient;

    fn run<S: Simulated>(self) -> BatchGradient {
        let Backward { resident, inputs, taps, judged: Judged { loss, selection } } = self;
        let resident = on_lanes::<S>(resident);
        let worlds = resident.worlds;
        let found = resident.each(inputs, |group, options, inputs, _| {
            let mut taps = taps.for_worlds::<S>(&group.worlds);
            let mut loss = loss.for_worlds(&group.model, &group.worlds);
            let Group { model, home, kept, .. } = group;
            let trace = kept.get_or_insert_with(|| Box::new(RolloutTrace::new(model)));
            let steps = trace.kept_steps().unwrap_or(0);
            let rollout = Rollout { model, start: home, steps, options };
            let too_few = loss.check(steps);
            let judge = |at: &Moment<'_, S>, bars: &mut LossCotangents<'_, S>| {
                loss.cost_vjp(at, S::ONE, bars);
                loss.cost(at)
            };
            let gradient = match too_few {
                Err(too_few) => Gradient::failed(model, Failure::TooFewTargets(too_few)),
                Ok(()) => rollout_backward(&rollout, inputs, &mut taps, judge, trace),
            };
            Rows {
                params: selection.gradient(model, &gradient.params),
                inputs: I::numbers_bar(inputs).to_vec(),
                taps: P::weights_bar(&taps).to_vec(),
                gradient,
            }
        });
        let mut all = BatchGradient::default();
        for world in 0..worlds {
            found[world / S::LANES].write(world % S::LANES, &mut all);
        }
        all
    }
}

/// The gradients of a group.
struct Rows<S> {
    gradient: Gradient<S>,
    params: Vec<S>,
    inputs: Vec<S>,
    taps: Vec<S>,
}

impl<S: Scalar> Rows<S> {
    /// Appends the row of one world.
    fn write(&self, lane: usize, to: &mut BatchGradient) {
        let failed = self.gradient.failures[lane].is_some();
        let row = |to: &mut Vec<f64>, from: &[S]| {
            to.extend(from.iter().map(|x| if failed { 0.0 } else { x.lane(lane) }));
        };
        to.failures.push(self.gradient.failures[lane]);
        to.costs.push(self.gradient.cost.lane(lane));
        row(&mut to.start_q, &self.gradient.start.q);
        row(&mut to.start_v, &self.gradient.start.v);
        row(&mut to.inputs, &self.inputs);
        row(&mut to.params, &self.params);
        row(&mut to.taps, &self.taps);
    }
}
