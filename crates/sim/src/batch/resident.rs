//! The worlds of a batch, in lanes.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use gradbody_math::Scalar;
use gradbody_model::{Model, Selection, Topology};
use rayon::prelude::*;

use super::results::BatchRecord;
use super::tables::{GroupInputs, MakeInputs};
use crate::ensemble::state_in;
use crate::rollout_trace::{missing_signals, worse};
use crate::state::in_lane;
use crate::step::first_diverged_in;
use crate::{BatchError, Failure, RolloutTrace, Simulated, State, StepOptions, TapsVjp, step};

/// What a batch can do, independent of the type of its lanes.
#[allow(missing_docs)]
pub trait Lanes: Any + Send + Sync + std::fmt::Debug {
    fn as_any(&mut self) -> &mut dyn Any;
    fn n_worlds(&self) -> usize;
    /// Number of worlds in a group.
    fn lanes(&self) -> usize;
    /// Number of groups.
    fn n_groups(&self) -> usize {
        self.n_worlds().div_ceil(self.lanes())
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
    fn failures(&self) -> Vec<Option<Failure>>;
    fn residuals(&self) -> Vec<f64>;
}

/// All groups of worlds, in lanes of S.
#[derive(Debug)]
pub(super) struct Resident<S> {
    pub(super) worlds: usize,
    /// The model that the batch was made with.
    model: Model<f64>,
    /// Parameters set since then, oldest first, each (worlds, selected).
    set: Vec<(Selection, Vec<f64>)>,
    pub(super) groups: Vec<Group<S>>,
    pub(super) options: StepOptions<S>,
    /// Buffers that no thread is using.
    pub(super) buffers: Mutex<Vec<Box<RolloutTrace<S>>>>,
}

/// As many worlds as S has lanes.
#[derive(Debug)]
pub(super) struct Group<S> {
    /// The world in each lane. If there are too few worlds, the last one fills the remaining lanes.
    pub(super) worlds: Vec<usize>,
    /// Shared by all groups until their parameters differ.
    pub(super) model: Arc<Model<S>>,
    pub(super) state: State<S>,
    /// Where each world was placed last, or where the last [`Batch::forward`] began. A world that fails returns here.
    pub(super) home: State<S>,
    /// Steps since `home`.
    pub(super) steps_since_home: S,
    /// The largest residual of the contact solver since `home`.
    pub(super) residual: S,
    pub(super) failures: Vec<Option<Failure>>,
    /// What the last [`Batch::forward`] kept for `backward`.
    pub(super) kept: Option<Box<RolloutTrace<S>>>,
}

/// What a batch is made of.
#[derive(Debug)]
pub struct Make<'a> {
    pub(super) model: &'a Model<f64>,
    pub(super) worlds: usize,
    pub(super) options: StepOptions<f64>,
}

impl Make<'_> {
    /// Puts every world at rest, with every joint at zero.
    pub(crate) fn run<S: Simulated>(self) -> Box<dyn Lanes> {
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
        let (model, set) = (given.clone(), Vec::new());
        Box::new(Resident { worlds, model, set, groups, options, buffers: Mutex::default() })
    }
}

/// Downcasts to the lane type the batch was made with: every call dispatches to the same one.
pub(super) fn on_lanes<S: Simulated>(resident: &mut dyn Lanes) -> &mut Resident<S> {
    resident.as_any().downcast_mut().expect("the machine's vector width does not change")
}

impl<S: Simulated> Lanes for Resident<S> {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn n_worlds(&self) -> usize {
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

    fn failures(&self) -> Vec<Option<Failure>> {
        (0..self.worlds).map(|w| self.groups[w / S::LANES].failures[w % S::LANES]).collect()
    }

    fn residuals(&self) -> Vec<f64> {
        (0..self.worlds).map(|w| self.groups[w / S::LANES].residual.lane(w % S::LANES)).collect()
    }
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
    pub(super) fn each<R: Send>(
        &mut self,
        inputs: &dyn MakeInputs<S>,
        rows: Vec<BatchRecord<'_>>,
        run: impl Fn(
            &mut Group<S>,
            Option<BatchRecord<'_>>,
            &StepOptions<S>,
            &mut dyn GroupInputs<S>,
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
            let (mut made, mut lease) = (inputs.make_inputs(&model), Lease::new(buffers));
            made.turn_to(&group.worlds);
            return vec![run(group, rows.pop().flatten(), options, &mut *made, &mut lease)];
        }
        groups
            .par_iter_mut()
            .zip(rows)
            .map_init(
                || (inputs.make_inputs(&model), Lease::new(buffers)),
                |(made, lease), (group, rows)| {
                    made.turn_to(&group.worlds);
                    run(group, rows, options, &mut **made, lease)
                },
            )
            .collect()
    }
}

/// Buffers that a thread has taken; dropping the lease returns them.
pub(super) struct Lease<'a, S> {
    buffers: Option<Box<RolloutTrace<S>>>,
    from: &'a Mutex<Vec<Box<RolloutTrace<S>>>>,
}

impl<'a, S: Scalar> Lease<'a, S> {
    pub(super) fn new(from: &'a Mutex<Vec<Box<RolloutTrace<S>>>>) -> Self {
        Lease { buffers: None, from }
    }

    pub(super) fn buffers(&mut self, model: &Model<S>) -> &mut RolloutTrace<S> {
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

impl<S: Simulated> Group<S> {
    /// Resizes the taps' memory to `n` numbers. A memory of a different size is cleared; idle taps leave it alone.
    pub(super) fn make_memory(&mut self, n: usize, taps: &dyn TapsVjp<S>) {
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
    pub(super) fn step(
        &mut self,
        k: usize,
        options: &StepOptions<S>,
        inputs: &mut dyn GroupInputs<S>,
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
}
