//! Many worlds that stay in vector lanes from call to call.
//!
//! A [`Batch`] holds the states of thousands of worlds of one model. A group has one world per lane of the machine's
//! widest vectors. All calls (step, rollout, gradient) work on these groups in place, on all threads; no call gathers
//! the states again. Inputs and results are plain arrays with a row for each world. A world's results have the same
//! bits whatever its position, its neighbours and the number of threads: docs/decisions/0008-batches.md.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

use gradbody_contact::Contact;
use gradbody_math::Scalar;
use gradbody_model::{Model, Selection, Topology};
use rayon::prelude::*;

use crate::ensemble::state_in;
use crate::rollout_trace::{missing_signals, worse};
use crate::state::in_lane;
use crate::step::first_diverged_in;
use crate::threads::Threads;
use crate::{
    BatchError, BatchInputs, BatchLoss, BatchTaps, Failure, Gradient, GradientOptions, Inputs,
    Kernel, Loss, LossCotangents, Moment, NoTaps, NoThreads, Precision, Rollout, RolloutTrace,
    Simulated, State, StepOptions, Taps, TapsVjp, rollout_backward, rollout_forward, run_widest,
    step,
};

/// Worlds of one model that stay in vector lanes, in the precision `T` (f64 or f32).
#[derive(Debug)]
pub struct Batch<T> {
    /// A `Resident<S>`, where S is the widest vector of T that this machine has.
    resident: Box<dyn Lanes>,
    options: StepOptions<f64>,
    gradient: GradientOptions,
    threads: Threads,
    precision: PhantomData<T>,
}

/// The gradients of a batch's losses. A world that failed, in the forward or the backward pass, has rows of zeros and a
/// cost of NaN.
#[derive(Clone, Debug, Default)]
pub struct BatchGradient {
    /// The loss of each world.
    pub costs: Vec<f64>,
    /// Gradient with respect to the initial configuration, in local coordinates, (worlds, nv).
    pub start_q: Vec<f64>,
    /// Gradient with respect to the initial velocity, (worlds, nv).
    pub start_v: Vec<f64>,
    /// Gradient with respect to the initial actuator states, (worlds, na).
    pub start_activation: Vec<f64>,
    /// Gradient with respect to the numbers of the inputs, a row for each world. For [`Controls`](crate::Controls) a
    /// row is (steps, actuators), or (steps, nv) for joint forces; for a policy it has the policy's weights.
    pub inputs: Vec<f64>,
    /// Gradient with respect to the selected parameters, (worlds, selected).
    pub params: Vec<f64>,
    /// Gradient with respect to the numbers of the taps, such as weights, a row for each world.
    pub taps: Vec<f64>,
    /// Gradient with respect to the time step, (worlds).
    pub dt: Vec<f64>,
    /// The largest residual of the contact solver in any step, (worlds) [m/s or rad/s]. The error of an implicit
    /// gradient shrinks with it.
    pub residuals: Vec<f64>,
    /// The failure of each world, if any.
    pub failures: Vec<Option<Failure>>,
}

/// Where a batch writes the states after each step. In a [`Batch::forward_into`], the states of a world that fails are NaN
/// from the failing step on.
#[derive(Debug)]
pub struct BatchRecord<'a> {
    /// Configurations, (worlds, steps, nq).
    pub q: &'a mut [f64],
    /// Velocities, (worlds, steps, nv).
    pub v: &'a mut [f64],
}

impl BatchRecord<'_> {
    /// Writes the state after step `k` of `steps`, of as many worlds as there is room for.
    fn write<S: Scalar>(&mut self, k: usize, steps: usize, state: &State<S>) {
        let rows = |to: &mut [f64], from: &[S]| {
            let width = from.len();
            for (lane, world) in to.chunks_exact_mut((steps * width).max(1)).enumerate() {
                let to = &mut world[k * width..(k + 1) * width];
                to.iter_mut().zip(from).for_each(|(to, x)| *to = x.lane(lane));
            }
        };
        rows(self.q, &state.q);
        rows(self.v, &state.v);
    }

    /// Writes NaN from a step on, into the row of one world if there is one.
    fn lose(&mut self, lane: usize, from: usize, steps: usize, [nq, nv]: [usize; 2]) {
        for (rows, width) in [(&mut *self.q, nq), (&mut *self.v, nv)] {
            if let Some(world) = rows.chunks_exact_mut((steps * width).max(1)).nth(lane) {
                world[from * width..].fill(f64::NAN);
            }
        }
    }
}

/// All groups of worlds, in lanes of S.
#[derive(Debug)]
struct Resident<S> {
    worlds: usize,
    /// The model that the batch was made with.
    model: Model<f64>,
    /// The same in lanes.
    base: Arc<Model<S>>,
    /// A copy of it whose parameters mean nothing between calls.
    scratch: Option<Box<Model<f64>>>,
    /// Parameters set since then, oldest first, each (worlds, selected).
    set: Vec<(Selection, Vec<f64>)>,
    groups: Vec<Group<S>>,
    options: StepOptions<S>,
    /// Buffers that no thread is using.
    buffers: Mutex<Vec<Box<RolloutTrace<S>>>>,
}

/// As many worlds as S has lanes.
#[derive(Debug)]
struct Group<S> {
    /// The world in each lane. If there are too few worlds, the last one fills the remaining lanes.
    worlds: Vec<usize>,
    /// Shared by all groups until their parameters differ.
    model: Arc<Model<S>>,
    state: State<S>,
    /// Where each world was placed last, or where the last [`Batch::forward`] began. A world that fails returns here.
    home: State<S>,
    /// Steps since `home`.
    steps_since_home: S,
    /// The largest residual of the contact solver since `home`.
    residual: S,
    failures: Vec<Option<Failure>>,
    /// What the last [`Batch::forward`] kept for `backward`.
    kept: Option<Box<RolloutTrace<S>>>,
}

impl<T: Precision> Batch<T> {
    /// `worlds` worlds of a model, each at rest with every joint at zero.
    pub fn new(model: &Model<f64>, worlds: usize, options: StepOptions<f64>) -> Self {
        Batch {
            resident: run_widest::<T, _>(Make { model, worlds, options }),
            options,
            gradient: GradientOptions::default(),
            threads: Threads::default(),
            precision: PhantomData,
        }
    }

    /// Sets the gradient options.
    pub fn with_gradient(mut self, gradient: GradientOptions) -> Self {
        self.gradient = gradient;
        self
    }

    /// Uses a pool of `threads` threads of its own, at least one. Fails if the system cannot start them.
    pub fn with_threads(mut self, threads: usize) -> Result<Self, NoThreads> {
        self.threads = Threads::of_its_own(threads)?;
        Ok(self)
    }

    /// Number of worlds.
    pub fn len(&self) -> usize {
        self.resident.len()
    }

    /// Whether the batch has no worlds.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The state of a world, or `None` if there is no such world.
    pub fn state(&self, world: usize) -> Option<State<f64>> {
        (world < self.len()).then(|| self.resident.state(world))
    }

    /// Puts the given worlds into a state and clears their failures and residuals. The last [`forward`](Batch::forward)
    /// can then no longer be differentiated, for any world.
    pub fn reset(&mut self, worlds: &[usize], state: &State<f64>) -> Result<(), BatchError> {
        if let Some(&world) = worlds.iter().find(|world| **world >= self.len()) {
            return Err(BatchError::NoSuchWorld { world, worlds: self.len() });
        }
        let [q, v, activation] = self.resident.sizes();
        // The state may come with an empty memory even if the taps have one.
        let memory = match (self.resident.memory(), state.memory.len()) {
            (0, given) | (_, given @ 0) => given,
            (held, _) => held,
        };
        let parts = [
            ("q", state.q.len(), q),
            ("v", state.v.len(), v),
            ("activation", state.activation.len(), activation),
            ("memory", state.memory.len(), memory),
        ];
        if let Some((part, given, needed)) = parts.into_iter().find(|(_, n, needed)| n != needed) {
            let world = worlds.first().copied().unwrap_or(0);
            return Err(BatchError::Start { world, part, given, needed });
        }
        self.resident.forget();
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

    /// Sets the configurations, (worlds, nq), and velocities, (worlds, nv), of all worlds, at time zero with actuators
    /// at rest. Failures and residuals are cleared.
    pub fn write_states(&mut self, q: &[f64], v: &[f64]) -> Result<(), BatchError> {
        let [nq, nv, _] = self.resident.sizes();
        check_size("q", q.len(), self.len() * nq)?;
        check_size("v", v.len(), self.len() * nv)?;
        let Some(mut state) = self.state(0) else { return Ok(()) };
        state.time = 0.0;
        state.activation.fill(0.0);
        state.memory.clear();
        state.contact.clear();
        self.resident.forget();
        for world in 0..self.len() {
            state.q.copy_from_slice(&q[world * nq..(world + 1) * nq]);
            state.v.copy_from_slice(&v[world * nv..(world + 1) * nv]);
            self.resident.put(world, &state);
        }
        Ok(())
    }

    /// Gives each world its own values of the selected parameters, (worlds, selected). If a world's values are invalid
    /// (a negative mass), returns an error and changes nothing.
    pub fn set_params(&mut self, selection: &Selection, values: &[f64]) -> Result<(), BatchError> {
        self.check_selection(selection)?;
        check_size("parameters", values.len(), self.len() * selection.len())?;
        let Batch { resident, threads, .. } = self;
        threads.enter(|| resident.set_params(selection, values))
    }

    /// Gives one world its own values of the selected parameters, (selected). The other worlds keep theirs: those of
    /// the last call for the same parameters, or the model's. A selection that was set before keeps its place in the
    /// order in which values are set. If the values are invalid, returns an error and changes nothing.
    pub fn set_params_of(
        &mut self,
        world: usize,
        selection: &Selection,
        values: &[f64],
    ) -> Result<(), BatchError> {
        if world >= self.len() {
            return Err(BatchError::NoSuchWorld { world, worlds: self.len() });
        }
        self.check_selection(selection)?;
        check_size("parameters", values.len(), selection.len())?;
        self.resident.set_params_of(world, selection, values)
    }

    /// The failure of each world, if any, since it was last placed. A world that diverges returns to where it was
    /// placed and continues. A world that diverges in a [`forward`](Batch::forward) returns to where that began, and
    /// waits.
    pub fn failures(&self) -> Vec<Option<Failure>> {
        self.resident.failures()
    }

    /// The largest residual of the contact solver in each world since it was last placed or since the last
    /// [`forward`](Batch::forward) began [m/s or rad/s].
    pub fn residuals(&self) -> Vec<f64> {
        self.resident.residuals()
    }

    /// Takes one step in every world. The inputs are asked for step 0.
    pub fn step(&mut self, inputs: &impl BatchInputs) -> Result<(), BatchError> {
        self.rollout(1, inputs)
    }

    /// Takes `steps` steps in every world. The inputs are asked for steps 0 to `steps` − 1.
    pub fn rollout(&mut self, steps: usize, inputs: &impl BatchInputs) -> Result<(), BatchError> {
        self.rollout_with(steps, inputs, &NoTaps)
    }

    /// [`rollout`](Batch::rollout) with taps. Their memory is part of the states. It starts at zero, and is reset to
    /// zero when taps with a memory of a different size are used.
    pub fn rollout_with(
        &mut self,
        steps: usize,
        inputs: &impl BatchInputs,
        taps: &impl BatchTaps,
    ) -> Result<(), BatchError> {
        self.rollout_into(steps, inputs, taps, None)
    }

    /// [`rollout_with`](Batch::rollout_with) that also writes the states after each step.
    pub fn rollout_into(
        &mut self,
        steps: usize,
        inputs: &impl BatchInputs,
        taps: &impl BatchTaps,
        record: Option<BatchRecord<'_>>,
    ) -> Result<(), BatchError> {
        inputs.check(self.len(), self.resident.topology())?;
        let rows = self.rows(steps, record)?;
        let Batch { resident, threads, .. } = self;
        let resident = &mut **resident;
        threads.enter_for(resident.n_groups(), || {
            run_widest::<T, _>(Advance { resident, steps, inputs, taps, rows })
        })
    }

    /// [`rollout`](Batch::rollout), after which `reader` writes some numbers of each world to `rows`, (worlds, width).
    /// With zero steps it reads the present states, without contacts.
    pub fn rollout_reading(
        &mut self,
        steps: usize,
        inputs: &impl BatchInputs,
        taps: &impl BatchTaps,
        reader: &impl BatchReader,
        rows: &mut [f64],
    ) -> Result<(), BatchError> {
        inputs.check(self.len(), self.resident.topology())?;
        check_size("rows", rows.len(), self.len() * reader.width())?;
        let Batch { resident, threads, .. } = self;
        let resident = &mut **resident;
        let advance = Advance { resident, steps, inputs, taps, rows: Vec::new() };
        threads.enter(|| run_widest::<T, _>(AdvanceReading { advance, reader, rows }))
    }

    /// Runs `steps` steps of every world and keeps what [`backward`](Batch::backward) needs.
    pub fn forward(
        &mut self,
        steps: usize,
        inputs: &impl BatchInputs,
        taps: &impl BatchTaps,
    ) -> Result<(), BatchError> {
        self.forward_into(steps, inputs, taps, None)
    }

    /// [`forward`](Batch::forward) that also writes the states after each step.
    pub fn forward_into(
        &mut self,
        steps: usize,
        inputs: &impl BatchInputs,
        taps: &impl BatchTaps,
        record: Option<BatchRecord<'_>>,
    ) -> Result<(), BatchError> {
        inputs.check(self.len(), self.resident.topology())?;
        let rows = self.rows(steps, record)?;
        let Batch { resident, threads, gradient, .. } = self;
        let (resident, how) = (&mut **resident, *gradient);
        threads.enter_for(resident.n_groups(), || {
            run_widest::<T, _>(Forward { resident, steps, inputs, taps, how, rows })
        })
    }

    /// [`forward`](Batch::forward), after which `reader` writes some numbers of each world to `rows`, (worlds, width). Those
    /// of a world that failed are meaningless. There must be at least one step.
    pub fn forward_reading(
        &mut self,
        steps: usize,
        inputs: &impl BatchInputs,
        taps: &impl BatchTaps,
        reader: &impl BatchReader,
        rows: &mut [f64],
    ) -> Result<(), BatchError> {
        inputs.check(self.len(), self.resident.topology())?;
        check_size("rows", rows.len(), self.len() * reader.width())?;
        let Batch { resident, threads, gradient, .. } = self;
        let (resident, how) = (&mut **resident, *gradient);
        let groups = resident.n_groups();
        let forward = Forward { resident, steps, inputs, taps, how, rows: Vec::new() };
        threads.enter_for(groups, || run_widest::<T, _>(ForwardReading { forward, reader, rows }))
    }

    /// The rows of a record that belong to each group of worlds.
    fn rows<'a>(
        &self,
        steps: usize,
        record: Option<BatchRecord<'a>>,
    ) -> Result<Vec<BatchRecord<'a>>, BatchError> {
        let Some(BatchRecord { mut q, mut v }) = record else { return Ok(Vec::new()) };
        let [nq, nv, _] = self.resident.sizes();
        check_size("record of q", q.len(), self.len() * steps * nq)?;
        check_size("record of v", v.len(), self.len() * steps * nv)?;
        let mut rows = Vec::new();
        let mut left = self.len();
        while left > 0 {
            let worlds = left.min(self.resident.lanes());
            let q = q.split_off_mut(..worlds * steps * nq).expect("the size was checked");
            let v = v.split_off_mut(..worlds * steps * nv).expect("the size was checked");
            rows.push(BatchRecord { q, v });
            left -= worlds;
        }
        Ok(rows)
    }

    /// The adjoint of the last [`forward`](Batch::forward), with respect to the selected parameters among others.
    /// Inputs and taps must be the same as in the forward pass. Each `forward` can be differentiated once, and only if
    /// no state or parameter was changed since; otherwise the call fails with [`BatchError::NothingKept`].
    pub fn backward(
        &mut self,
        inputs: &impl BatchInputs,
        taps: &impl BatchTaps,
        loss: &impl BatchLoss,
        selection: &Selection,
    ) -> Result<BatchGradient, BatchError> {
        inputs.check(self.len(), self.resident.topology())?;
        self.check_selection(selection)?;
        if !self.resident.is_kept() {
            return Err(BatchError::NothingKept);
        }
        let Batch { resident, threads, .. } = self;
        let resident = &mut **resident;
        let judged = Judged { loss, selection };
        Ok(threads.enter_for(resident.n_groups(), || {
            run_widest::<T, _>(Backward { resident, inputs, taps, judged })
        }))
    }
}

impl<T> Batch<T> {
    pub(crate) fn resident(&self) -> &dyn Lanes {
        &*self.resident
    }

    pub(crate) fn options(&self) -> &StepOptions<f64> {
        &self.options
    }

    pub(crate) fn gradient_options(&self) -> &GradientOptions {
        &self.gradient
    }

    /// Runs `run` on the batch's threads.
    pub(crate) fn on_threads<R: Send>(&self, run: impl FnOnce() -> R + Send) -> R {
        self.threads.enter(run)
    }

    fn check_selection(&self, selection: &Selection) -> Result<(), BatchError> {
        let fits = selection.fits(self.resident.topology());
        if fits { Ok(()) } else { Err(BatchError::OtherSelection) }
    }
}

pub(crate) fn check_size(
    part: &'static str,
    given: usize,
    needed: usize,
) -> Result<(), BatchError> {
    if given == needed { Ok(()) } else { Err(BatchError::Array { part, given, needed }) }
}

// --- in plain numbers -----------------------------------------------------------------------------

/// What a batch can do, independent of the type of its lanes.
pub(crate) trait Lanes: Any + Send + Sync + std::fmt::Debug {
    fn as_any(&mut self) -> &mut dyn Any;
    fn len(&self) -> usize;
    /// Number of worlds in a group.
    fn lanes(&self) -> usize;
    /// Number of groups.
    fn n_groups(&self) -> usize {
        self.len().div_ceil(self.lanes())
    }
    /// Sizes of q, v and activation.
    fn sizes(&self) -> [usize; 3];
    /// Number of values in the taps' memory, in the first group.
    fn memory(&self) -> usize;
    fn topology(&self) -> &Topology {
        &self.model().topology
    }
    /// The model that the batch was made with.
    fn model(&self) -> &Model<f64>;
    /// Gives a copy of that model the parameters of one world.
    fn apply_own_params(&self, world: usize, model: &mut Model<f64>);
    fn state(&self, world: usize) -> State<f64>;
    /// Whether the last `forward` can be differentiated.
    fn is_kept(&self) -> bool;
    /// Drops the last `forward` of all worlds, so that results do not depend on which worlds share a group.
    fn forget(&mut self);
    fn put(&mut self, world: usize, state: &State<f64>);
    fn read(&self, q: &mut [f64], v: &mut [f64]);
    fn set_params(&mut self, selection: &Selection, values: &[f64]) -> Result<(), BatchError>;
    fn set_params_of(
        &mut self,
        world: usize,
        selection: &Selection,
        values: &[f64],
    ) -> Result<(), BatchError>;
    fn failures(&self) -> Vec<Option<Failure>>;
    fn residuals(&self) -> Vec<f64>;
}

impl<S: Simulated> Lanes for Resident<S> {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn len(&self) -> usize {
        self.worlds
    }

    fn lanes(&self) -> usize {
        S::LANES
    }

    fn sizes(&self) -> [usize; 3] {
        let Topology { nq, nv, na, .. } = self.model.topology;
        [nq, nv, na]
    }

    fn memory(&self) -> usize {
        self.groups.first().map_or(0, |group| group.state.memory.len())
    }

    fn model(&self) -> &Model<f64> {
        &self.model
    }

    fn apply_own_params(&self, world: usize, model: &mut Model<f64>) {
        self.apply(&self.set, world, model);
    }

    fn state(&self, world: usize) -> State<f64> {
        state_in(&self.groups[world / S::LANES].state, world % S::LANES)
    }

    fn is_kept(&self) -> bool {
        let kept = |group: &Group<S>| group.kept.as_ref().is_some_and(|k| k.is_kept());
        self.groups.iter().all(kept)
    }

    fn forget(&mut self) {
        let kept = self.groups.iter_mut().filter_map(|group| group.kept.as_mut());
        kept.for_each(|kept| kept.forget());
    }

    fn put(&mut self, world: usize, state: &State<f64>) {
        let group = &mut self.groups[world / S::LANES];
        for lane in 0..S::LANES {
            if group.worlds[lane] == world {
                group.home.set_lane(lane, state);
                group.state.set_lane(lane, state);
                group.steps_since_home = in_lane(group.steps_since_home, lane, 0.0);
                group.residual = in_lane(group.residual, lane, 0.0);
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

    fn set_params(&mut self, selection: &Selection, values: &[f64]) -> Result<(), BatchError> {
        let mut set = self.set.clone();
        set.retain(|(earlier, _)| earlier.names() != selection.names());
        set.push((selection.clone(), values.to_vec()));
        let checked = (0..self.worlds).into_par_iter().map_init(
            || self.model.clone(),
            |model, world| {
                self.apply(&set, world, model);
                model.check().map_err(|why| BatchError::Params { world, why })
            },
        );
        if let Some(refused) = checked.find_first(Result::is_err) {
            return refused;
        }
        self.set = set;
        Lanes::forget(self);
        let n = selection.len();
        for group in &mut self.groups {
            let of = |k: usize| S::from_lanes(|lane| values[group.worlds[lane] * n + k]);
            let x: Vec<S> = (0..n).map(of).collect();
            let model = Arc::make_mut(&mut group.model);
            selection.apply(model, &x).expect("x has one number per selected parameter");
        }
        Ok(())
    }

    fn set_params_of(
        &mut self,
        world: usize,
        selection: &Selection,
        values: &[f64],
    ) -> Result<(), BatchError> {
        let n = selection.len();
        let known = self.set.iter().position(|(set, _)| set.names() == selection.names());
        let at = known.unwrap_or(self.set.len());
        if known.is_none() {
            let own = selection.values(&self.model);
            self.set.push((selection.clone(), own.repeat(self.worlds)));
        }
        let row = world * n..(world + 1) * n;
        let before = self.set[at].1[row.clone()].to_vec();
        self.set[at].1[row.clone()].copy_from_slice(values);
        let mut checked = self.scratch.take().unwrap_or_else(|| Box::new(self.model.clone()));
        self.apply(&self.set, world, &mut checked);
        let sound = checked.check().map_err(|why| BatchError::Params { world, why });
        self.scratch = Some(checked);
        if sound.is_err() {
            match known {
                Some(_) => self.set[at].1[row].copy_from_slice(&before),
                None => self.set.truncate(at),
            }
            return sound;
        }
        Lanes::forget(self);
        let Resident { groups, base, set, .. } = self;
        let group = &mut groups[world / S::LANES];
        let model = Arc::make_mut(&mut group.model);
        // From the beginning: setting the same angles twice may round twice, also in the other lanes.
        model.params.copy_from(&base.params);
        for (selection, values) in &*set {
            let n = selection.len();
            let of = |k: usize| S::from_lanes(|lane| values[group.worlds[lane] * n + k]);
            let x: Vec<S> = (0..n).map(of).collect();
            selection.apply(model, &x).expect("x has one number per selected parameter");
        }
        Ok(())
    }

    fn failures(&self) -> Vec<Option<Failure>> {
        (0..self.worlds).map(|w| self.groups[w / S::LANES].failures[w % S::LANES]).collect()
    }

    fn residuals(&self) -> Vec<f64> {
        (0..self.worlds).map(|w| self.groups[w / S::LANES].residual.lane(w % S::LANES)).collect()
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
        let Make { model: given, worlds, options } = self;
        let model: Arc<Model<S>> = Arc::new(given.cast());
        let group = |first: usize| Group {
            worlds: (first..first + S::LANES).map(|world| world.min(worlds - 1)).collect(),
            model: model.clone(),
            state: State::neutral(&model),
            home: State::neutral(&model),
            steps_since_home: S::ZERO,
            residual: S::ZERO,
            failures: vec![None; S::LANES],
            kept: None,
        };
        let groups = (0..worlds).step_by(S::LANES).map(group).collect();
        let options = options.cast();
        Box::new(Resident {
            worlds,
            model: given.clone(),
            base: model,
            scratch: None,
            set: Vec::new(),
            groups,
            options,
            buffers: Mutex::default(),
        })
    }
}

/// Downcasts to the lane type the batch was made with: every call dispatches to the same one.
fn on_lanes<S: Simulated>(resident: &mut dyn Lanes) -> &mut Resident<S> {
    resident.as_any().downcast_mut().expect("the machine's vector width does not change")
}

/// The end of a rollout, for a group of worlds: see [`BatchReader`].
#[derive(Clone, Copy, Debug)]
pub struct GroupEnd<'a, S> {
    /// The world in each lane. The last world may fill further lanes.
    pub worlds: &'a [usize],
    /// The model of the group.
    pub model: &'a Model<S>,
    /// The state after the last step.
    pub state: &'a State<S>,
    /// The contacts of the last step, with their forces; none after a rollout of zero steps. In a lane whose world
    /// failed they are meaningless.
    pub contacts: &'a [Contact<S>],
}

/// Reads numbers of each world after a rollout, in lanes: see [`Batch::rollout_reading`].
pub trait BatchReader: Sync {
    /// Buffers for reading groups, one after another.
    type Buffers<S: Simulated>: Send;

    /// How many numbers it reads of a world.
    fn width(&self) -> usize;

    /// Makes the buffers. `model` is the model of one of the groups.
    fn buffers<S: Simulated>(&self, model: &Model<S>) -> Self::Buffers<S>;

    /// Writes the numbers of a group, (width), each in the lanes of its worlds.
    fn read<S: Simulated>(
        &self,
        end: &GroupEnd<'_, S>,
        buffers: &mut Self::Buffers<S>,
        row: &mut [S],
    );
}

impl<S: Simulated> Resident<S> {
    /// Gives a model of the batch's structure the parameters of one world, after those in `set`.
    fn apply(&self, set: &[(Selection, Vec<f64>)], world: usize, model: &mut Model<f64>) {
        model.params.copy_from(&self.model.params);
        for (selection, values) in set {
            let n = selection.len();
            let row = &values[world * n..(world + 1) * n];
            selection.apply(model, row).expect("the row has one number per selected parameter");
        }
    }

    /// Runs `run` on every group, on all threads, reusing inputs and buffers between groups. Each group gets its rows of
    /// a record, if there is one. Returns the results in order of the groups.
    fn each<I: BatchInputs, R: Send>(
        &mut self,
        inputs: &I,
        rows: Vec<BatchRecord<'_>>,
        run: impl Fn(
            &mut Group<S>,
            Option<BatchRecord<'_>>,
            &StepOptions<S>,
            &mut I::Inputs<S>,
            &mut Lease<'_, S>,
        ) -> R
        + Sync,
    ) -> Vec<R> {
        let Resident { groups, options, buffers, .. } = self;
        let (options, buffers) = (&*options, &*buffers);
        let Some(model) = groups.first().map(|group| group.model.clone()) else {
            return Vec::new();
        };
        let mut rows: Vec<_> = rows.into_iter().map(Some).collect();
        rows.resize_with(groups.len(), || None);
        if let [group] = &mut groups[..] {
            // Another thread would only be waited for.
            let (mut made, mut lease) =
                (inputs.make(&model), Lease { buffers: None, from: buffers });
            inputs.turn_to(&mut made, &group.worlds);
            return vec![run(group, rows.pop().flatten(), options, &mut made, &mut lease)];
        }
        groups
            .par_iter_mut()
            .zip(rows)
            .map_init(
                || (inputs.make(&model), Lease { buffers: None, from: buffers }),
                |(made, lease), (group, rows)| {
                    inputs.turn_to(made, &group.worlds);
                    run(group, rows, options, made, lease)
                },
            )
            .collect()
    }
}

/// Buffers that a thread has taken; dropping the lease returns them.
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
    rows: Vec<BatchRecord<'a>>,
}

impl<I: BatchInputs, P: BatchTaps> Kernel for Advance<'_, I, P> {
    type Output = Result<(), BatchError>;

    fn run<S: Simulated>(self) -> Result<(), BatchError> {
        let Advance { resident, steps, inputs, taps, rows } = self;
        let n_memory = taps.n_memory();
        let done = on_lanes::<S>(resident).each(
            inputs,
            rows,
            |group, mut rows, options, inputs, lease| {
                let mut taps = taps.for_worlds::<S>(&group.worlds);
                group.make_memory(n_memory, &taps);
                let buffers = lease.buffers(&group.model);
                (0..steps).try_for_each(|k| {
                    group.step(k, options, inputs, &mut taps, buffers)?;
                    if let Some(rows) = &mut rows {
                        rows.write(k, steps, &group.state);
                    }
                    Ok(())
                })
            },
        );
        done.into_iter().collect()
    }
}

struct AdvanceReading<'a, 'b, I, P, R> {
    advance: Advance<'a, I, P>,
    reader: &'a R,
    /// (worlds, width).
    rows: &'b mut [f64],
}

impl<I: BatchInputs, P: BatchTaps, R: BatchReader> Kernel for AdvanceReading<'_, '_, I, P, R> {
    type Output = Result<(), BatchError>;

    fn run<S: Simulated>(self) -> Result<(), BatchError> {
        let AdvanceReading { advance, reader, rows } = self;
        let Advance { resident, steps, inputs, taps, .. } = advance;
        let n_memory = taps.n_memory();
        let Resident { groups, options, buffers, .. } = on_lanes::<S>(resident);
        let (options, buffers, width) = (&*options, &*buffers, reader.width());
        let Some(model) = groups.first().map(|group| group.model.clone()) else {
            return Ok(());
        };
        let mut rows: Vec<&mut [f64]> = rows.chunks_mut((S::LANES * width).max(1)).collect();
        rows.resize_with(groups.len(), Default::default);
        groups.par_iter_mut().zip(rows).try_for_each_init(
            || {
                let lease = Lease { buffers: None, from: buffers };
                (inputs.make(&model), lease, reader.buffers(&model), vec![S::ZERO; width])
            },
            |(inputs_of_group, lease, reads, row), (group, rows)| {
                inputs.turn_to(inputs_of_group, &group.worlds);
                let mut taps = taps.for_worlds::<S>(&group.worlds);
                group.make_memory(n_memory, &taps);
                let buffers = lease.buffers(&group.model);
                for k in 0..steps {
                    group.step(k, options, inputs_of_group, &mut taps, buffers)?;
                }
                let contacts = if steps == 0 { &[] } else { buffers.last.contacts() };
                let Group { worlds, model, state, .. } = &*group;
                reader.read(&GroupEnd { worlds, model, state, contacts }, reads, row);
                for (lane, world) in rows.chunks_mut(width.max(1)).enumerate() {
                    world.iter_mut().zip(row.iter()).for_each(|(to, x)| *to = x.lane(lane));
                }
                Ok(())
            },
        )
    }
}

impl<S: Simulated> Group<S> {
    /// Resizes the taps' memory to `n` numbers. A memory of a different size is cleared; idle taps leave it alone.
    fn make_memory(&mut self, n: usize, taps: &impl Taps<S>) {
        if taps.is_idle() {
            return;
        }
        for memory in [&mut self.state.memory, &mut self.home.memory] {
            if memory.len() != n {
                memory.clear();
                memory.resize(n, S::ZERO);
            }
        }
    }

    /// Takes one step; worlds that diverge return home.
    fn step(
        &mut self,
        k: usize,
        options: &StepOptions<S>,
        inputs: &mut impl Inputs<S>,
        taps: &mut dyn TapsVjp<S>,
        buffers: &mut RolloutTrace<S>,
    ) -> Result<(), BatchError> {
        let RolloutTrace { input, last, scratch, .. } = buffers;
        let Group { model, state, home, steps_since_home: steps, failures, residual, .. } = self;
        state.time = options.dt.mul_add(*steps, home.time);
        input.clear();
        inputs.set(k, state, input);
        if let Some(Failure::MissingSignals { given, needed }) = missing_signals(input, taps) {
            return Err(BatchError::Signals { given, needed });
        }
        let report = step(model, state, input, options, taps, last, scratch);
        *residual = worse(*residual, last.problem().residual);
        *steps += S::ONE;
        if report.diverged.is_some() {
            for lane in 0..S::LANES {
                if let Some(link) = first_diverged_in(model, state, lane) {
                    let step = steps.lane(lane) as usize - 1;
                    failures[lane].get_or_insert(Failure::Diverged { step, link });
                    state.return_lane(lane, home);
                    *steps = in_lane(*steps, lane, 0.0);
                    *residual = in_lane(*residual, lane, 0.0);
                }
            }
        }
        state.time = options.dt.mul_add(*steps, home.time);
        Ok(())
    }

    /// Runs `steps` steps from here and keeps what a backward pass needs. Worlds that diverge return to where it began.
    /// Returns the failure of each lane, if any.
    fn forward(
        &mut self,
        steps: usize,
        options: &StepOptions<S>,
        inputs: &mut impl Inputs<S>,
        taps: &mut dyn TapsVjp<S>,
        how: &GradientOptions,
        each: impl FnMut(&Moment<'_, S>),
    ) -> Result<Vec<Option<Failure>>, BatchError> {
        let Group { model, state, home, failures, residual, kept, .. } = self;
        let since = &mut self.steps_since_home;
        home.copy_from(state);
        *since = S::from_f64(steps as f64);
        let trace = kept.get_or_insert_with(|| Box::new(RolloutTrace::new(model)));
        let rollout = Rollout { model, start: home, steps, options };
        let rolled = rollout_forward(&rollout, inputs, taps, how, each, trace);
        if let Some(Failure::MissingSignals { given, needed }) = rolled.failures[0] {
            trace.forget();
            *since = S::ZERO;
            return Err(BatchError::Signals { given, needed });
        }
        state.copy_from(&rolled.end);
        *residual = rolled.residual;
        for (lane, new) in rolled.failures.iter().enumerate() {
            if new.is_some() {
                // A failed world returns to its start even if its neighbours did not fail.
                state.return_lane(lane, home);
                state.time = in_lane(state.time, lane, home.time.lane(lane));
                *since = in_lane(*since, lane, 0.0);
            }
            failures[lane] = failures[lane].or(*new);
        }
        Ok(rolled.failures)
    }
}

struct Forward<'a, I, P> {
    resident: &'a mut dyn Lanes,
    steps: usize,
    inputs: &'a I,
    taps: &'a P,
    how: GradientOptions,
    rows: Vec<BatchRecord<'a>>,
}

impl<I: BatchInputs, P: BatchTaps> Kernel for Forward<'_, I, P> {
    type Output = Result<(), BatchError>;

    fn run<S: Simulated>(self) -> Result<(), BatchError> {
        let Forward { resident, steps, inputs, taps, how, rows } = self;
        let n_memory = taps.n_memory();
        let done =
            on_lanes::<S>(resident).each(inputs, rows, |group, mut rows, options, inputs, _| {
                let mut taps = taps.for_worlds::<S>(&group.worlds);
                group.make_memory(n_memory, &taps);
                let record = |at: &Moment<'_, S>| {
                    if let Some(rows) = &mut rows {
                        rows.write(at.step, steps, at.state);
                    }
                };
                let new = group.forward(steps, options, inputs, &mut taps, &how, record)?;
                for (lane, new) in new.into_iter().enumerate() {
                    if let (Some(rows), Some(failure)) = (&mut rows, new) {
                        let from = match failure {
                            Failure::Diverged { step, .. } => step,
                            _ => 0,
                        };
                        rows.lose(lane, from, steps, [group.model.nq(), group.model.nv()]);
                    }
                }
                Ok(())
            });
        done.into_iter().collect()
    }
}

struct ForwardReading<'a, 'b, I, P, R> {
    forward: Forward<'a, I, P>,
    reader: &'a R,
    /// (worlds, width).
    rows: &'b mut [f64],
}

impl<I: BatchInputs, P: BatchTaps, R: BatchReader> Kernel for ForwardReading<'_, '_, I, P, R> {
    type Output = Result<(), BatchError>;

    fn run<S: Simulated>(self) -> Result<(), BatchError> {
        let ForwardReading { forward, reader, rows } = self;
        let Forward { resident, steps, inputs, taps, how, .. } = forward;
        let n_memory = taps.n_memory();
        let Resident { groups, options, .. } = on_lanes::<S>(resident);
        let (options, width) = (&*options, reader.width());
        let Some(model) = groups.first().map(|group| group.model.clone()) else {
            return Ok(());
        };
        let mut rows: Vec<&mut [f64]> = rows.chunks_mut((S::LANES * width).max(1)).collect();
        rows.resize_with(groups.len(), Default::default);
        groups.par_iter_mut().zip(rows).try_for_each_init(
            || (inputs.make(&model), reader.buffers(&model), vec![S::ZERO; width]),
            |(inputs_of_group, reads, row), (group, rows)| {
                inputs.turn_to(inputs_of_group, &group.worlds);
                let mut taps = taps.for_worlds::<S>(&group.worlds);
                group.make_memory(n_memory, &taps);
                let (worlds, group_model) = (group.worlds.clone(), group.model.clone());
                let read = |at: &Moment<'_, S>| {
                    if at.is_last() {
                        let Moment { state, contacts, .. } = *at;
                        let end =
                            GroupEnd { worlds: &worlds, model: &group_model, state, contacts };
                        reader.read(&end, reads, row);
                    }
                };
                group.forward(steps, options, inputs_of_group, &mut taps, &how, read)?;
                for (lane, world) in rows.chunks_mut(width.max(1)).enumerate() {
                    world.iter_mut().zip(row.iter()).for_each(|(to, x)| *to = x.lane(lane));
                }
                Ok(())
            },
        )
    }
}

/// A loss, and the parameters to differentiate it by.
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
        let found = resident.each(inputs, Vec::new(), |group, _, _, inputs, _| {
            let mut taps = taps.for_worlds::<S>(&group.worlds);
            let mut loss = loss.for_worlds(&group.model, &group.worlds);
            let Group { model, kept, .. } = group;
            let trace = kept.get_or_insert_with(|| Box::new(RolloutTrace::new(model)));
            let too_few = loss.check(trace.kept_steps().unwrap_or(0));
            let judge = |at: &Moment<'_, S>, bars: &mut LossCotangents<'_, S>| {
                loss.cost_vjp(at, S::ONE, bars);
                loss.cost(at)
            };
            let gradient = match too_few {
                Err(too_few) => Gradient::failed(model, Failure::TooFewTargets(too_few)),
                Ok(()) => rollout_backward(model, inputs, &mut taps, judge, trace),
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
        row(&mut to.start_activation, &self.gradient.start.activation);
        row(&mut to.dt, &[self.gradient.dt]);
        to.residuals.push(self.gradient.residual.lane(lane));
        row(&mut to.inputs, &self.inputs);
        row(&mut to.params, &self.params);
        row(&mut to.taps, &self.taps);
    }
}
