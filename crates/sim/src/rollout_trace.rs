//! The forward pass and the backward pass of a rollout, in two calls.

use gradbody_contact::ContactGradient;
use gradbody_math::Scalar;
use gradbody_model::{LinkId, Model};

use crate::snapshots::Snapshots;
use crate::step::first_diverged_in;
use crate::trace::Stages;
use crate::{
    Action, Checkpointing, Failure, Gradient, GradientOptions, Input, Inputs, LossCotangents,
    Moment, Rollout, Schedule, Simulated, State, StateCotangents, StepCotangents, StepOptions,
    StepScratch, StepTrace, Taps, TapsVjp, step, step_vjp,
};

/// What a rollout stores for its backward pass, and all buffers of both passes. Make one for a model and reuse it.
#[derive(Clone, Debug)]
pub struct RolloutTrace<S> {
    pub(crate) state: State<S>,
    pub(crate) input: Input<S>,
    /// The step that was run last.
    pub(crate) last: StepTrace<S>,
    pub(crate) scratch: StepScratch<S>,
    /// The initial state of the rollout.
    home: State<S>,
    /// State before the step that is being differentiated.
    start: State<S>,
    bars: StepCotangents<S>,
    snapshots: Snapshots<S>,
    /// For [`Checkpointing::StoreAll`], each step that has been run. Its memory is reused by the next rollout.
    kept: Vec<KeptStep<S>>,
    /// The rollout that can be differentiated.
    pending: Option<Pending<S>>,
}

/// A step that has been run: its intermediate results and its end state.
#[derive(Clone, Debug)]
struct KeptStep<S> {
    trace: StepTrace<S>,
    end: State<S>,
}

/// A rollout that has been run forwards from `home`. Its last step is in `last`, between `start` and `state`.
#[derive(Clone, Debug)]
struct Pending<S> {
    steps: usize,
    step_options: StepOptions<S>,
    worlds: Worlds<S>,
    checkpointing: Checkpointing,
    /// The remaining actions.
    schedule: Schedule,
}

/// How a rollout ended.
#[derive(Clone, Debug)]
pub struct Rolled<S> {
    /// The last state.
    pub end: State<S>,
    /// The largest residual of the contact solver in any step, for each world [m/s or rad/s]: see
    /// [`Problem::residual`](gradbody_contact::Problem::residual).
    pub residual: S,
    /// The failure of each world, if any. The numbers of a failed world are meaningless.
    pub failures: Vec<Option<Failure>>,
}

impl<S: Scalar> RolloutTrace<S> {
    /// Buffers for rollouts of a model.
    pub fn new(model: &Model<S>) -> Self {
        RolloutTrace {
            state: State::neutral(model),
            input: Input::none(model),
            last: StepTrace::new(model),
            scratch: StepScratch::new(model),
            home: State::neutral(model),
            start: State::neutral(model),
            bars: StepCotangents::zero(model),
            snapshots: Snapshots::new(),
            kept: Vec::new(),
            pending: None,
        }
    }

    /// Whether there is a rollout that can be differentiated.
    pub(crate) fn is_kept(&self) -> bool {
        self.pending.is_some()
    }

    /// Number of steps of that rollout.
    pub(crate) fn kept_steps(&self) -> Option<usize> {
        self.pending.as_ref().map(|pending| pending.steps)
    }

    /// Drops the stored rollout.
    pub(crate) fn forget(&mut self) {
        self.pending = None;
    }

    /// Allocates room to store `steps` steps.
    fn keep(&mut self, model: &Model<S>, steps: usize, gradient: ContactGradient) {
        let room = || KeptStep { trace: StepTrace::new(model), end: State::neutral(model) };
        self.kept.resize_with(steps.max(self.kept.len()), room);
        self.kept.iter_mut().for_each(|kept| kept.trace.set_contact_gradient(gradient));
    }
}

/// Runs a rollout and stores in `trace` what [`rollout_backward`] needs, as chosen by `options`. Calls `each` with the
/// moment after each step.
pub fn rollout_forward<S: Simulated>(
    rollout: &Rollout<'_, S>,
    inputs: &mut (impl Inputs<S> + ?Sized),
    taps: &mut dyn TapsVjp<S>,
    options: &GradientOptions,
    mut each: impl FnMut(&Moment<'_, S>),
    trace: &mut RolloutTrace<S>,
) -> Rolled<S> {
    let steps = rollout.steps;
    let mut worlds = Worlds::begin(rollout, taps);
    trace.forget();
    let keeps_all = options.checkpointing == Checkpointing::StoreAll;
    trace.last.set_contact_gradient(options.contact);
    if keeps_all {
        // The last step is stored in `last`.
        trace.keep(rollout.model, steps.saturating_sub(1), options.contact);
    }
    trace.snapshots.clear();
    trace.snapshots.reserve(options.checkpointing.slots(steps));
    let RolloutTrace { state, input, last, scratch, home, start, snapshots, kept, .. } = trace;
    home.copy_from(rollout.start);
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
                    each(&rollout.moment(k, state, of_step));
                    if keeps_all {
                        kept[k].end.copy_from(state);
                    }
                }
            }
            // The last step: the backward pass begins here.
            Action::Backward(k) => {
                start.copy_from(state);
                start.time = rollout.time(k);
                worlds.step(rollout, k, inputs, taps, (state, input), (last, scratch));
                each(&rollout.moment(k, state, last));
                break;
            }
        }
    }
    let Worlds { residual, failures, .. } = worlds.clone();
    let (step_options, checkpointing) = (*rollout.options, options.checkpointing);
    trace.pending = Some(Pending { steps, step_options, worlds, checkpointing, schedule });
    Rolled { end: trace.state.clone(), residual, failures }
}

/// The adjoint of the rollout that [`rollout_forward`] left in `trace`, with the same start and options. Model, inputs
/// and taps (including network weights) must be unchanged, because steps are run again with them. At each moment, last
/// first, `judge` adds cotangents of the state after the step, of its input and of the parameters, and returns the
/// moment's cost. The gradient with respect to inputs is left in `inputs`, that with respect to the taps' own numbers
/// in `taps`.
pub fn rollout_backward<S: Simulated>(
    model: &Model<S>,
    inputs: &mut (impl Inputs<S> + ?Sized),
    taps: &mut dyn TapsVjp<S>,
    mut judge: impl FnMut(&Moment<'_, S>, &mut LossCotangents<'_, S>) -> S,
    trace: &mut RolloutTrace<S>,
) -> Gradient<S> {
    inputs.begin_back();
    taps.begin_back();
    let ran = |pending: &Pending<S>| pending.steps > 0 && !pending.worlds.all_failed();
    if trace.pending.as_ref().is_some_and(ran) && !last_step_was_seen_by(&trace.last, taps) {
        return Gradient::failed(model, Failure::OtherTaps);
    }
    let Some(pending) = trace.pending.take() else {
        return Gradient::failed(model, Failure::NothingKept);
    };
    let Pending { steps, step_options, mut worlds, checkpointing, schedule } = pending;
    let keeps_all = checkpointing == Checkpointing::StoreAll;
    let RolloutTrace { state, input, last, scratch, home, start, bars, snapshots, kept, .. } =
        trace;
    let rollout = &Rollout { model, start: home, steps, options: &step_options };
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
                bars.contact_forces.clear();
                bars.contact_points.clear();
                let StepCotangents { state, input, params, contact_forces, contact_points, .. } =
                    &mut *bars;
                let mut into =
                    LossCotangents { state, input, params, contact_forces, contact_points };
                cost += judge(&rollout.moment(k, end, of_step), &mut into);
                step_vjp(model, of_step, taps, scratch, bars);
                inputs.set_vjp(k, start, &bars.input, &mut bars.state);
                worlds.note_overflow(k, bars);
            }
        }
    }
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

/// Whether the step was taken with these taps.
fn last_step_was_seen_by<S: Scalar>(step: &StepTrace<S>, taps: &dyn TapsVjp<S>) -> bool {
    let Stages { tapped, evaluation, .. } = &step.stages;
    *tapped != taps.is_idle() && taps.wrote(&evaluation.taps)
}

/// The larger of two residuals in each lane, where NaN counts as the largest.
pub(crate) fn worse<S: Scalar>(a: S, b: S) -> S {
    let larger = b.select_le(a, a, b);
    a.select_le(a, larger, a)
}

/// The failure, if the input has fewer signals than the taps read; otherwise `None`.
pub(crate) fn missing_signals<S: Scalar>(
    input: &Input<S>,
    taps: &(impl Taps<S> + ?Sized),
) -> Option<Failure> {
    let (given, needed) = (input.signals.len(), taps.n_signals());
    (given < needed).then_some(Failure::MissingSignals { given, needed })
}

/// The progress of the worlds of a rollout.
#[derive(Clone, Debug)]
pub(crate) struct Worlds<S> {
    pub(crate) failures: Vec<Option<Failure>>,
    /// The largest residual of the contact solver so far, in each lane.
    pub(crate) residual: S,
}

impl<S: Simulated> Worlds<S> {
    /// State at the start of a rollout. All worlds fail at once if the start's memory has the wrong size for the taps.
    pub(crate) fn begin(rollout: &Rollout<'_, S>, taps: &dyn Taps<S>) -> Self {
        let mut worlds = Worlds::new();
        let given = rollout.start.memory.len();
        if let Some(needed) = taps.expected_memory().filter(|needed| *needed != given) {
            worlds.fail(Failure::OtherMemory { given, needed });
        }
        worlds
    }

    fn new() -> Self {
        Worlds { failures: vec![None; S::LANES], residual: S::ZERO }
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
        inputs: &mut (impl Inputs<S> + ?Sized),
        taps: &mut dyn Taps<S>,
        (state, input): (&mut State<S>, &mut Input<S>),
        (trace, scratch): (&mut StepTrace<S>, &mut StepScratch<S>),
    ) {
        let Rollout { model, options, .. } = *rollout;
        state.time = rollout.time(k);
        input.clear();
        inputs.set(k, state, input);
        if let Some(missing) = missing_signals(input, taps) {
            return self.fail(missing);
        }
        let report = step(model, state, input, options, taps, trace, scratch);
        state.time = rollout.time(k + 1);
        if let Some(link) = report.diverged {
            self.restart(rollout, (k, link), state);
        }
        let residual = self.masked(trace.problem().residual, 0.0);
        self.residual = worse(self.residual, residual);
    }

    /// Resets diverged worlds to their start, so that what they compute from then on stays finite; it is discarded.
    /// `first` is the step and the first link that diverged in any world.
    fn restart(&mut self, rollout: &Rollout<'_, S>, first: (usize, LinkId), state: &mut State<S>) {
        let (step, link) = first;
        let mut in_values = false;
        for lane in 0..S::LANES {
            if let Some(link) = first_diverged_in(rollout.model, state, lane) {
                self.failures[lane].get_or_insert(Failure::Diverged { step, link });
                state.return_lane(lane, rollout.start);
                in_values = true;
            }
        }
        if !in_values {
            // Only derivatives have overflowed; all lanes share these.
            self.failures.fill(Some(Failure::Diverged { step, link }));
        }
    }

    /// Marks the worlds whose cotangents are not finite after the backward pass of step `k`.
    fn note_overflow(&mut self, k: usize, bars: &StepCotangents<S>) {
        let finite = S::vectorised(
            #[inline(always)]
            || bars.state.is_finite() && bars.input.is_finite(),
        );
        if finite {
            return;
        }
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
        // Zero times a finite number is zero, and times any other NaN: the sum is NaN if any number is not finite.
        let mut sum = *dt * S::ZERO;
        params.for_each(&mut |x| sum = x.mul_add(S::ZERO, sum));
        for (lane, failure) in self.failures.iter_mut().enumerate() {
            if !sum.lane(lane).is_finite() {
                failure.get_or_insert(Failure::Overflow { step: None });
            }
        }
        let mut start = state.clone();
        let StateCotangents { q, v, activation, memory, contact } = &mut start;
        for bar in q.iter_mut().chain(v).chain(activation).chain(memory) {
            *bar = self.masked(*bar, 0.0);
        }
        contact.for_each(|bar| *bar = self.masked(*bar, 0.0));
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
