//! A rollout forwards, and back, in two calls.

use gradbody_contact::ContactGradient;
use gradbody_math::Scalar;
use gradbody_model::Model;

use crate::snapshots::Snapshots;
use crate::step::first_diverged_in;
use crate::{
    Action, Checkpointing, Failure, Gradient, GradientOptions, Input, Inputs, LossCotangents,
    Moment, Rollout, Schedule, Simulated, State, StateCotangents, StepCotangents, StepScratch,
    StepTrace, TapsVjp, step, step_vjp,
};

/// What a rollout keeps for the way back, and every buffer of both ways. Made once for a model and used again and again.
#[derive(Clone, Debug)]
pub struct RolloutTrace<S> {
    pub(crate) state: State<S>,
    pub(crate) input: Input<S>,
    /// The step that was run last.
    pub(crate) last: StepTrace<S>,
    pub(crate) scratch: StepScratch<S>,
    /// The state that the step began with that is gone back over.
    start: State<S>,
    bars: StepCotangents<S>,
    snapshots: Snapshots<S>,
    /// For [`Checkpointing::StoreAll`], each step that has been run. The room is kept from one rollout to the next.
    kept: Vec<KeptStep<S>>,
    /// The rollout that can be gone back over.
    pending: Option<Pending<S>>,
}

/// A step that has been run: what it computed, and the state it ended in.
#[derive(Clone, Debug)]
struct KeptStep<S> {
    trace: StepTrace<S>,
    end: State<S>,
}

/// A rollout that has been run forwards. The step it ended with is in `last`, between `start` and `state`.
#[derive(Clone, Debug)]
struct Pending<S> {
    steps: usize,
    worlds: Worlds<S>,
    options: GradientOptions,
    /// What is left to do.
    schedule: Schedule,
}

/// How a rollout ended.
#[derive(Clone, Debug)]
pub struct Rolled<S> {
    /// The last state.
    pub end: State<S>,
    /// The largest residual of a contact solver in any step and world: see
    /// [`Solved`](gradbody_contact::Solved) [m/s or rad/s].
    pub residual: f64,
    /// What went wrong, world by world. The numbers of such a world mean nothing.
    pub failures: Vec<Option<Failure>>,
}

impl<S: Scalar> RolloutTrace<S> {
    /// Room for rollouts of a model.
    pub fn new(model: &Model<S>) -> Self {
        RolloutTrace {
            state: State::neutral(model),
            input: Input::none(model),
            last: StepTrace::new(model),
            scratch: StepScratch::new(model),
            start: State::neutral(model),
            bars: StepCotangents::zero(model),
            snapshots: Snapshots::new(),
            kept: Vec::new(),
            pending: None,
        }
    }

    /// How many steps can be gone back over.
    pub(crate) fn kept_steps(&self) -> Option<usize> {
        self.pending.as_ref().map(|pending| pending.steps)
    }

    /// Nothing can be gone back over any more.
    pub(crate) fn forget(&mut self) {
        self.pending = None;
        self.last.record_sweeps(false);
    }

    /// Makes room for so many steps that are kept, recording sweeps or not.
    fn keep(&mut self, model: &Model<S>, steps: usize, records: bool) {
        let room = || KeptStep { trace: StepTrace::new(model), end: State::neutral(model) };
        self.kept.resize_with(steps.max(self.kept.len()), room);
        self.kept.iter_mut().for_each(|kept| kept.trace.record_sweeps(records));
    }
}

/// Runs a rollout and keeps what [`rollout_backward`] needs, as `options` say, in `trace`. `each` sees the moment after
/// each step.
pub fn rollout_forward<S: Simulated>(
    rollout: &Rollout<'_, S>,
    inputs: &mut impl Inputs<S>,
    taps: &mut dyn TapsVjp<S>,
    options: &GradientOptions,
    mut each: impl FnMut(&Moment<'_, S>),
    trace: &mut RolloutTrace<S>,
) -> Rolled<S> {
    let steps = rollout.steps;
    let mut worlds = Worlds::new();
    let keeps_all = options.checkpointing == Checkpointing::StoreAll;
    let records = options.contact == ContactGradient::Unrolled;
    trace.last.record_sweeps(records);
    if keeps_all {
        // The last step is gone back over at once.
        trace.keep(rollout.model, steps.saturating_sub(1), records);
    }
    trace.snapshots.clear();
    trace.snapshots.reserve(options.checkpointing.slots(steps));
    let RolloutTrace { state, input, last, scratch, start, snapshots, kept, .. } = trace;
    state.copy_from(rollout.start);
    let mut schedule = options.checkpointing.schedule(steps);
    for action in &mut schedule {
        if worlds.all_failed() {
            break;
        }
        match action {
            Action::Store(slot) => snapshots.store(slot, state),
            Action::Restore(slot) => snapshots.restore(slot, state),
            Action::Advance(from, to) => {
                for k in from..to {
                    let of_step = match keeps_all {
                        true => &mut kept[k].trace,
                        false => &mut *last,
                    };
                    worlds.step(rollout, k, inputs, taps, (state, input), (of_step, scratch));
                    each(&rollout.moment(k, state, input));
                    if keeps_all {
                        kept[k].end.copy_from(state);
                    }
                }
            }
            // The last step: the way back begins here.
            Action::Backward(k) => {
                start.copy_from(state);
                start.time = rollout.time(k);
                worlds.step(rollout, k, inputs, taps, (state, input), (last, scratch));
                each(&rollout.moment(k, state, input));
                break;
            }
        }
    }
    let Worlds { residual, failures, .. } = worlds.clone();
    trace.pending = Some(Pending { steps, worlds, options: *options, schedule });
    Rolled { end: trace.state.clone(), residual, failures }
}

/// Goes back over the rollout that [`rollout_forward`] has left in `trace`, with the same `rollout`, inputs and taps. At each
/// moment, the last first, `judge` adds cotangents of the state after the step, of its input and of the parameters, and gives what the moment adds to the
/// cost. The gradient with respect to inputs is left with the `inputs`, that of the taps' own numbers with the `taps`.
pub fn rollout_backward<S: Simulated>(
    rollout: &Rollout<'_, S>,
    inputs: &mut impl Inputs<S>,
    taps: &mut dyn TapsVjp<S>,
    mut judge: impl FnMut(&Moment<'_, S>, &mut LossCotangents<'_, S>) -> S,
    trace: &mut RolloutTrace<S>,
) -> Gradient<S> {
    let kept = trace.pending.take_if(|pending| pending.steps == rollout.steps);
    let Some(Pending { steps, mut worlds, options, schedule }) = kept else {
        return Gradient::failed(rollout.model, Failure::NothingKept);
    };
    inputs.begin_back();
    taps.begin_back();
    let keeps_all = options.checkpointing == Checkpointing::StoreAll;
    let RolloutTrace { state, input, last, scratch, start, bars, snapshots, kept, .. } = trace;
    bars.clear();
    bars.state.memory.resize(rollout.start.memory.len(), S::ZERO);
    let mut cost = S::ZERO;
    let last_step = steps.checked_sub(1).map(Action::Backward);
    for action in last_step.into_iter().chain(schedule) {
        if worlds.all_failed() {
            break;
        }
        match action {
            Action::Store(slot) => snapshots.store(slot, state),
            Action::Restore(slot) => snapshots.restore(slot, state),
            Action::Advance(from, to) => {
                for k in from..to {
                    worlds.step(rollout, k, inputs, taps, (state, input), (last, scratch));
                }
            }
            Action::Backward(k) => {
                let (of_step, end) = if k + 1 == steps {
                    (&*last, &*state)
                } else {
                    start.copy_from(state);
                    start.time = rollout.time(k);
                    if keeps_all {
                        (&kept[k].trace, &kept[k].end)
                    } else {
                        worlds.step(rollout, k, inputs, taps, (state, input), (last, scratch));
                        (&*last, &*state)
                    }
                };
                bars.input.clear();
                let StepCotangents { state: state_bar, input: input_bar, params, .. } = bars;
                let mut into = LossCotangents { state: state_bar, input: input_bar, params };
                cost += judge(&rollout.moment(k, end, of_step.input()), &mut into);
                step_vjp(rollout.model, of_step, options.contact, taps, scratch, bars);
                inputs.set_vjp(k, start, &bars.input, &mut bars.state);
                worlds.note_overflow(k, bars);
            }
        }
    }
    last.record_sweeps(false);
    snapshots.clear();
    for lane in 0..S::LANES {
        if !taps.is_finite_in(lane) {
            worlds.failures[lane].get_or_insert(Failure::Overflow { step: None });
        }
    }
    let gradient = worlds.gradient(cost, bars);
    taps.forget_worlds(&|lane| gradient.failures[lane].is_some());
    gradient
}

/// The larger of two residuals; one that is not a number is the worst.
fn worse(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}

/// How the worlds of a rollout fare.
#[derive(Clone, Debug)]
pub(crate) struct Worlds<S> {
    pub(crate) failures: Vec<Option<Failure>>,
    pub(crate) residual: f64,
    number: core::marker::PhantomData<S>,
}

impl<S: Simulated> Worlds<S> {
    pub(crate) fn new() -> Self {
        let number = core::marker::PhantomData;
        Worlds { failures: vec![None; S::LANES], residual: 0.0, number }
    }

    pub(crate) fn fail(&mut self, failure: Failure) {
        self.failures.fill(Some(failure));
    }

    pub(crate) fn all_failed(&self) -> bool {
        self.failures.iter().all(Option::is_some)
    }

    /// Runs step `k` from `state`.
    pub(crate) fn step(
        &mut self,
        rollout: &Rollout<'_, S>,
        k: usize,
        inputs: &mut impl Inputs<S>,
        taps: &mut dyn TapsVjp<S>,
        (state, input): (&mut State<S>, &mut Input<S>),
        (trace, scratch): (&mut StepTrace<S>, &mut StepScratch<S>),
    ) {
        let Rollout { model, options, .. } = *rollout;
        state.time = rollout.time(k);
        input.clear();
        inputs.set(k, state, input);
        let report = step(model, state, input, options, taps, trace, scratch);
        state.time = rollout.time(k + 1);
        self.residual = worse(self.residual, report.solved.residual);
        if report.diverged.is_some() {
            self.restart(rollout, k, state);
        }
    }

    /// Worlds that have diverged go on from the start again, unnoticed: their numbers count no more,
    /// but stay numbers.
    fn restart(&mut self, rollout: &Rollout<'_, S>, step: usize, state: &mut State<S>) {
        for lane in 0..S::LANES {
            if let Some(link) = first_diverged_in(rollout.model, state, lane) {
                self.failures[lane].get_or_insert(Failure::Diverged { step, link });
                state.return_lane(lane, rollout.start);
            }
        }
    }

    /// Notes the worlds whose cotangents are no longer finite after going back over step `k`.
    fn note_overflow(&mut self, k: usize, bars: &StepCotangents<S>) {
        for (lane, failure) in self.failures.iter_mut().enumerate() {
            if failure.is_none()
                && !(bars.state.is_finite_in(lane) && bars.input.is_finite_in(lane))
            {
                *failure = Some(Failure::Overflow { step: Some(k) });
            }
        }
    }

    /// `x`, but `instead` in worlds that failed.
    pub(crate) fn masked(&self, x: S, instead: f64) -> S {
        if self.failures.iter().all(Option::is_none) {
            return x;
        }
        S::from_lanes(|lane| if self.failures[lane].is_some() { instead } else { x.lane(lane) })
    }

    fn gradient(mut self, cost: S, bars: &StepCotangents<S>) -> Gradient<S> {
        let StepCotangents { state, params, dt, .. } = bars;
        for lane in 0..S::LANES {
            let finite = std::cell::Cell::new(dt.lane(lane).is_finite());
            params.map(|x: S| {
                finite.set(finite.get() && x.lane(lane).is_finite());
                x
            });
            if !finite.get() {
                self.failures[lane].get_or_insert(Failure::Overflow { step: None });
            }
        }
        let mut start = state.clone();
        let StateCotangents { q, v, activation, memory, .. } = &mut start;
        for bar in q.iter_mut().chain(v).chain(activation).chain(memory) {
            *bar = self.masked(*bar, 0.0);
        }
        Gradient {
            cost: self.masked(cost, f64::NAN),
            start,
            params: if self.failures.iter().all(Option::is_none) {
                params.clone()
            } else {
                params.map(|x| self.masked(x, 0.0))
            },
            dt: self.masked(*dt, 0.0),
            residual: self.residual,
            failures: self.failures,
        }
    }
}
