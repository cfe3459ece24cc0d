//! Many steps, judged by a loss, and the gradient of that loss.
//!
//! [`rollout`] runs forwards; [`rollout_vjp`] runs forwards and back. What acts at each step comes from
//! [`Inputs`], which also take their cotangents.

use gradbody_contact::ContactGradient;
use gradbody_math::{Motion, Scalar};
use gradbody_model::{LinkId, Model, Params, Selection};

use crate::snapshots::Snapshots;
use crate::step::first_diverged_in;
use crate::{
    Action, Checkpointing, Input, InputCotangents, Loss, LossCotangents, Moment, State,
    StateCotangents, StepCotangents, StepOptions, StepVjpWork, TapsVjp, TooFewTargets, Workspace,
    step, step_vjp,
};

/// What to roll out.
#[derive(Clone, Copy, Debug)]
pub struct Rollout<'a, S> {
    /// The model.
    pub model: &'a Model<S>,
    /// Where it begins.
    pub start: &'a State<S>,
    /// How many steps.
    pub steps: usize,
    /// How to step.
    pub options: &'a StepOptions<S>,
}

/// What acts on the model at each step.
pub trait Inputs<S: Scalar> {
    /// Writes the input of a step that begins in `state`. The same step may be asked for again.
    fn set(&mut self, step: usize, state: &State<S>, input: &mut Input<S>);

    /// Forgets cotangents of a rollout before.
    fn begin_back(&mut self);

    /// Takes the cotangents of that input; what depends on the state is added to `state_bar`.
    fn set_vjp(
        &mut self,
        step: usize,
        state: &State<S>,
        bar: &InputCotangents<S>,
        state_bar: &mut StateCotangents<S>,
    );
}

/// The same at every step.
#[derive(Clone, Debug)]
pub struct Constant<S> {
    /// What acts.
    pub input: Input<S>,
    /// Its cotangents, summed over the steps.
    pub bar: InputCotangents<S>,
}

impl<S: Scalar> Constant<S> {
    /// This input, always.
    pub fn new(model: &Model<S>, input: Input<S>) -> Self {
        Constant { input, bar: InputCotangents::zero(model) }
    }

    /// Nothing acts.
    pub fn none(model: &Model<S>) -> Self {
        Constant::new(model, Input::none(model))
    }
}

impl<S: Scalar> Inputs<S> for Constant<S> {
    fn begin_back(&mut self) {
        self.bar.clear();
    }

    fn set(&mut self, _: usize, _: &State<S>, input: &mut Input<S>) {
        input.copy_from(&self.input);
    }

    fn set_vjp(
        &mut self,
        _: usize,
        _: &State<S>,
        bar: &InputCotangents<S>,
        _: &mut StateCotangents<S>,
    ) {
        self.bar.add(bar);
    }
}

/// An input for each step.
#[derive(Clone, Debug)]
pub struct Sequence<S> {
    /// What acts; after the last, nothing does.
    pub inputs: Vec<Input<S>>,
    /// The cotangents of each.
    pub bars: Vec<InputCotangents<S>>,
}

impl<S: Scalar> Sequence<S> {
    /// These inputs, one after the other.
    pub fn new(model: &Model<S>, inputs: Vec<Input<S>>) -> Self {
        let bars = vec![InputCotangents::zero(model); inputs.len()];
        Sequence { inputs, bars }
    }
}

impl<S: Scalar> Inputs<S> for Sequence<S> {
    fn begin_back(&mut self) {
        self.bars.iter_mut().for_each(InputCotangents::clear);
    }

    fn set(&mut self, step: usize, _: &State<S>, input: &mut Input<S>) {
        match self.inputs.get(step) {
            Some(given) => input.copy_from(given),
            None => input.clear(),
        }
    }

    fn set_vjp(
        &mut self,
        step: usize,
        _: &State<S>,
        bar: &InputCotangents<S>,
        _: &mut StateCotangents<S>,
    ) {
        if let Some(sum) = self.bars.get_mut(step) {
            sum.add(bar);
        }
    }
}

/// What became of a rollout in one world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A link's motion was no longer finite after a step. The world was then stopped.
    Diverged {
        /// Which step, 0 being the first.
        step: usize,
        /// The first such link.
        link: LinkId,
    },
    /// The loss has fewer targets than the rollout has steps; it was not run.
    TooFewTargets(TooFewTargets),
    /// The motion was finite, but going back over this step its cotangents were not: the rollout is
    /// too sensitive for numbers to express.
    Overflow {
        /// Which step.
        step: usize,
    },
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Diverged { step, link } => {
                write!(f, "the motion of link {} diverges at step {step}", link.index())
            }
            Failure::TooFewTargets(too_few) => too_few.fmt(f),
            Failure::Overflow { step } => {
                write!(f, "the gradient overflows going back over step {step}")
            }
        }
    }
}

impl std::error::Error for Failure {}

/// How a rollout ended.
#[derive(Clone, Debug)]
pub struct Outcome<S> {
    /// The loss.
    pub cost: S,
    /// The last state.
    pub end: State<S>,
    /// The largest residual of a contact solver in any step and world: see
    /// [`Solved`](gradbody_contact::Solved) [m/s or rad/s].
    pub residual: f64,
    /// What went wrong, world by world. The numbers of such a world mean nothing.
    pub failures: Vec<Option<Failure>>,
}

/// The gradient of a rollout's loss. That with respect to the inputs is with the [`Inputs`].
#[derive(Clone, Debug)]
pub struct Gradient<S> {
    /// The loss.
    pub cost: S,
    /// With respect to the start.
    pub start: StateCotangents<S>,
    /// With respect to the parameters; see [`Gradient::with_respect_to`] for some by name.
    pub params: Params<S>,
    /// With respect to the time step.
    pub dt: S,
    /// The largest residual of a contact solver in any step and world: an implicit gradient is as exact
    /// as this is small [m/s or rad/s].
    pub residual: f64,
    /// What went wrong, world by world. The gradient of such a world is zero, its cost not a number, and
    /// cotangents of its inputs mean nothing.
    pub failures: Vec<Option<Failure>>,
}

/// Why there is no gradient by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoGradient {
    /// The rollout failed.
    Failed(Failure),
    /// These parameters did not influence the loss.
    NoInfluence(Vec<String>),
}

impl std::fmt::Display for NoGradient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        /// Names that are written out.
        const SHOWN: usize = 5;
        let names = match self {
            NoGradient::Failed(failure) => return failure.fmt(f),
            NoGradient::NoInfluence(names) => names,
        };
        let shown = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
        write!(f, "no influence on the loss of this rollout: {shown}")?;
        match names.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

impl std::error::Error for NoGradient {}

impl<S: Scalar> Gradient<S> {
    /// The gradient with respect to parameters by name, in the order of the selection. Those that did
    /// not influence the loss at all are an error: a silent zero would look like an optimum. At a true
    /// optimum, where the start has no influence either, zeros are given.
    pub fn with_respect_to(
        &self,
        model: &Model<S>,
        selection: &Selection,
    ) -> Result<Vec<S>, NoGradient> {
        if let Some(failure) = self.failures.iter().flatten().next() {
            return Err(NoGradient::Failed(*failure));
        }
        let gradient = selection.gradient(model, &self.params);
        let idle = selection.names().iter().zip(&gradient).filter(|(_, slope)| **slope == S::ZERO);
        let names: Vec<String> = idle.map(|(name, _)| name.clone()).collect();
        let still = |bars: &[S]| bars.iter().all(|bar| *bar == S::ZERO);
        if names.is_empty() || still(&self.start.q) && still(&self.start.v) {
            Ok(gradient)
        } else {
            Err(NoGradient::NoInfluence(names))
        }
    }
}

impl<S> Gradient<S> {
    /// The gradient, if nothing went wrong in any world.
    pub fn checked(self) -> Result<Self, Failure> {
        match self.failures.iter().flatten().next() {
            Some(failure) => Err(*failure),
            None => Ok(self),
        }
    }
}

/// What a gradient is, and what is kept for it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GradientOptions {
    /// The derivative of contact impulses.
    pub contact: ContactGradient,
    /// What is kept for the way back.
    pub checkpointing: Checkpointing,
}

/// Every buffer of a rollout and its way back.
#[derive(Clone, Debug)]
pub struct RolloutWork<S> {
    work: Workspace<S>,
    back: StepVjpWork<S>,
    bars: StepCotangents<S>,
    state: State<S>,
    start: State<S>,
    input: Input<S>,
    snapshots: Snapshots<S>,
    /// For [`Checkpointing::StoreAll`], each step that has been run. Kept from one rollout to the next.
    kept: Vec<Kept<S>>,
}

/// A step that has been run: what it left behind, and the state it ended in.
#[derive(Clone, Debug)]
struct Kept<S> {
    work: Workspace<S>,
    end: State<S>,
}

impl<S: Scalar> RolloutWork<S> {
    /// Buffers for a model.
    pub fn new(model: &Model<S>) -> Self {
        RolloutWork {
            work: Workspace::new(model),
            back: StepVjpWork::new(model),
            bars: StepCotangents::zero(model),
            state: State::neutral(model),
            start: State::neutral(model),
            input: Input::none(model),
            snapshots: Snapshots::new(),
            kept: Vec::new(),
        }
    }

    /// Makes room for so many steps that are kept, recording sweeps or not.
    fn keep(&mut self, model: &Model<S>, steps: usize, records: bool) {
        let room = || Kept { work: Workspace::new(model), end: State::neutral(model) };
        self.kept.resize_with(steps.max(self.kept.len()), room);
        self.kept.iter_mut().for_each(|kept| kept.work.record(records));
    }
}

/// Runs a rollout and sums its loss.
pub fn rollout<S: Scalar>(
    rollout: &Rollout<'_, S>,
    inputs: &mut impl Inputs<S>,
    loss: &mut impl Loss<S>,
    taps: &mut impl TapsVjp<S>,
    work: &mut RolloutWork<S>,
) -> Outcome<S> {
    let mut run = Run::new(rollout, loss);
    work.state.copy_from(rollout.start);
    let mut cost = S::ZERO;
    for k in 0..rollout.steps {
        if run.failures.iter().all(Option::is_some) {
            break;
        }
        run.step(k, inputs, taps, &mut work.state, &mut work.input, &mut work.work);
        cost += loss.cost(&run.moment(k, &work.state, &work.input));
    }
    let cost = run.masked(cost, f64::NAN);
    Outcome { cost, end: work.state.clone(), residual: run.residual, failures: run.failures }
}

/// Runs a rollout and sums its loss, and goes back for the gradient.
pub fn rollout_vjp<S: Scalar>(
    rollout: &Rollout<'_, S>,
    inputs: &mut impl Inputs<S>,
    loss: &mut impl Loss<S>,
    taps: &mut impl TapsVjp<S>,
    options: &GradientOptions,
    work: &mut RolloutWork<S>,
) -> Gradient<S> {
    let steps = rollout.steps;
    let mut run = Run::new(rollout, loss);
    inputs.begin_back();
    taps.begin_back();
    let records = options.contact == ContactGradient::Unrolled;
    // What taps have seen is not kept with a step.
    let keeps_all = options.checkpointing == Checkpointing::StoreAll && taps.is_idle();
    work.work.record(records);
    if keeps_all {
        work.keep(rollout.model, steps, records);
    }
    work.state.copy_from(rollout.start);
    work.bars.clear();
    work.bars.state.memory.resize(rollout.start.memory.len(), S::ZERO);
    let mut cost = S::ZERO;
    work.snapshots.reserve(options.checkpointing.slots(steps));
    let RolloutWork { work: scratch, back, bars, state, start, input, snapshots, kept } = work;
    for action in options.checkpointing.schedule(steps) {
        if run.failures.iter().all(Option::is_some) {
            break;
        }
        match action {
            Action::Store(slot) => snapshots.store(slot, state),
            Action::Restore(slot) => snapshots.restore(slot, state),
            Action::Advance(from, to) if keeps_all => {
                for (k, kept) in (from..to).zip(&mut kept[from..to]) {
                    run.step(k, inputs, taps, state, input, &mut kept.work);
                    kept.end.copy_from(state);
                }
            }
            Action::Advance(from, to) => {
                for k in from..to {
                    run.step(k, inputs, taps, state, input, scratch);
                }
            }
            Action::Backward(k) => {
                start.copy_from(state);
                start.time = run.time(k);
                // The last step has only now its turn.
                let (end, work) = if keeps_all && k + 1 < steps {
                    inputs.set(k, start, input);
                    let Kept { work, end } = &mut kept[k];
                    (&*end, work)
                } else {
                    run.step(k, inputs, taps, state, input, scratch);
                    (&*state, &mut *scratch)
                };
                let moment = run.moment(k, end, input);
                cost += loss.cost(&moment);
                bars.input.clear();
                let StepCotangents { state: state_bar, input: input_bar, params, .. } = bars;
                let mut into = LossCotangents { state: state_bar, input: input_bar, params };
                loss.cost_vjp(&moment, S::ONE, &mut into);
                let Rollout { model, options: how, .. } = *rollout;
                step_vjp(model, start, input, how, options.contact, taps, work, back, bars);
                inputs.set_vjp(k, start, &bars.input, &mut bars.state);
                run.note_overflow(k, bars);
            }
        }
    }
    work.work.record(false);
    work.snapshots.clear();
    let StepCotangents { state, params, dt, .. } = &work.bars;
    for lane in 0..S::LANES {
        if !taps.is_finite_in(lane) {
            run.failures[lane].get_or_insert(Failure::Overflow { step: 0 });
        }
    }
    let gradient = run.gradient(cost, state.clone(), params.clone(), *dt);
    taps.forget_worlds(|lane| gradient.failures[lane].is_some());
    gradient
}

/// A rollout on its way.
struct Run<'a, S> {
    rollout: &'a Rollout<'a, S>,
    failures: Vec<Option<Failure>>,
    residual: f64,
}

impl<'a, S: Scalar> Run<'a, S> {
    fn new(rollout: &'a Rollout<'a, S>, loss: &impl Loss<S>) -> Self {
        let failure = loss.check(rollout.steps).err().map(Failure::TooFewTargets);
        Run { rollout, failures: vec![failure; S::LANES], residual: 0.0 }
    }

    /// The time at which step `k` begins.
    fn time(&self, k: usize) -> S {
        let Rollout { start, options, .. } = self.rollout;
        options.dt.mul_add(S::from_f64(k as f64), start.time)
    }

    fn moment<'b>(&self, step: usize, state: &'b State<S>, input: &'b Input<S>) -> Moment<'b, S>
    where
        'a: 'b,
    {
        let Rollout { model, steps, .. } = *self.rollout;
        Moment { model, step, steps, state, input }
    }

    /// Runs step `k` from `state`.
    #[allow(clippy::too_many_arguments, reason = "everything that a step takes")]
    fn step(
        &mut self,
        k: usize,
        inputs: &mut impl Inputs<S>,
        taps: &mut impl TapsVjp<S>,
        state: &mut State<S>,
        input: &mut Input<S>,
        work: &mut Workspace<S>,
    ) {
        let Rollout { model, options, .. } = *self.rollout;
        state.time = self.time(k);
        inputs.set(k, state, input);
        let report = step(model, state, input, options, taps, work);
        state.time = self.time(k + 1);
        self.residual = self.residual.max(report.solved.residual);
        if report.diverged.is_some() {
            self.stop_worlds(k, state);
        }
    }

    /// Worlds that have diverged go on from the start again, unnoticed: their numbers count no more,
    /// but stay numbers.
    fn stop_worlds(&mut self, step: usize, state: &mut State<S>) {
        for lane in 0..S::LANES {
            if let Some(link) = first_diverged_in(self.rollout.model, state, lane) {
                self.failures[lane].get_or_insert(Failure::Diverged { step, link });
                let start = self.rollout.start;
                let reset = |to: &mut [S], from: &[S]| {
                    for (to, from) in to.iter_mut().zip(from) {
                        let (old, new) = (*to, from.lane(lane));
                        *to = S::from_lanes(|l| if l == lane { new } else { old.lane(l) });
                    }
                };
                reset(&mut state.q, &start.q);
                reset(&mut state.v, &start.v);
                reset(&mut state.activation, &start.activation);
                reset(&mut state.memory, &start.memory);
                state.contact.forget_in(lane);
            }
        }
    }

    /// Notes the worlds whose cotangents are no longer finite after going back over step `k`.
    fn note_overflow(&mut self, k: usize, bars: &StepCotangents<S>) {
        for (lane, failure) in self.failures.iter_mut().enumerate() {
            if failure.is_none()
                && !(bars.state.is_finite_in(lane) && bars.input.is_finite_in(lane))
            {
                *failure = Some(Failure::Overflow { step: k });
            }
        }
    }

    /// `x`, but `instead` in worlds that failed.
    fn masked(&self, x: S, instead: f64) -> S {
        if self.failures.iter().all(Option::is_none) {
            return x;
        }
        S::from_lanes(|lane| if self.failures[lane].is_some() { instead } else { x.lane(lane) })
    }

    fn gradient(
        mut self,
        cost: S,
        mut start: StateCotangents<S>,
        params: Params<S>,
        dt: S,
    ) -> Gradient<S> {
        for lane in 0..S::LANES {
            let finite = std::cell::Cell::new(dt.lane(lane).is_finite());
            params.map(|x: S| {
                finite.set(finite.get() && x.lane(lane).is_finite());
                x
            });
            if !finite.get() {
                self.failures[lane].get_or_insert(Failure::Overflow { step: 0 });
            }
        }
        let StateCotangents { q, v, activation, memory, .. } = &mut start;
        for bar in q.iter_mut().chain(v).chain(activation).chain(memory) {
            *bar = self.masked(*bar, 0.0);
        }
        Gradient {
            cost: self.masked(cost, f64::NAN),
            start,
            params: if self.failures.iter().all(Option::is_none) {
                params
            } else {
                params.map(|x| self.masked(x, 0.0))
            },
            dt: self.masked(dt, 0.0),
            residual: self.residual,
            failures: self.failures,
        }
    }
}

impl<S: Scalar> Input<S> {
    /// Becomes a copy of another, in its own room.
    pub fn copy_from(&mut self, other: &Self) {
        self.control.copy_from_slice(&other.control);
        self.tau.copy_from_slice(&other.tau);
        self.external.clear();
        self.external.extend_from_slice(&other.external);
        self.signals.clear();
        self.signals.extend_from_slice(&other.signals);
    }

    /// Nothing acts any more.
    pub fn clear(&mut self) {
        self.control.fill(S::ZERO);
        self.tau.fill(S::ZERO);
        self.external.clear();
        self.signals.fill(S::ZERO);
    }
}

impl<S: Scalar> InputCotangents<S> {
    /// Whether all are finite in a world.
    pub fn is_finite_in(&self, lane: usize) -> bool {
        let finite = |x: &S| x.lane(lane).is_finite();
        let of_motion = |m: &Motion<S>| {
            m.ang.to_array().iter().all(finite) && m.lin.to_array().iter().all(finite)
        };
        let numbers = self.control.iter().chain(&self.tau).chain(&self.signals);
        numbers.into_iter().all(finite) && self.external.iter().all(of_motion)
    }

    /// Adds others.
    pub fn add(&mut self, other: &Self) {
        self.control.iter_mut().zip(&other.control).for_each(|(a, b)| *a += *b);
        self.tau.iter_mut().zip(&other.tau).for_each(|(a, b)| *a += *b);
        self.external.iter_mut().zip(&other.external).for_each(|(a, b)| *a += *b);
        self.signals.resize(other.signals.len().max(self.signals.len()), S::ZERO);
        self.signals.iter_mut().zip(&other.signals).for_each(|(a, b)| *a += *b);
    }
}

impl<S: Scalar> StateCotangents<S> {
    /// Whether all are finite in a world.
    pub fn is_finite_in(&self, lane: usize) -> bool {
        let numbers = self.q.iter().chain(&self.v).chain(&self.activation).chain(&self.memory);
        numbers.into_iter().all(|x| x.lane(lane).is_finite())
    }
}
