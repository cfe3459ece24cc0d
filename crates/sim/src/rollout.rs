//! Many steps, judged by a loss, and the gradient of that loss.
//!
//! [`rollout`] runs forwards. A gradient takes two calls: [`rollout_forward`] keeps what is needed in a
//! [`RolloutTrace`], [`rollout_backward`] takes cotangents of any of the states back. [`rollout_vjp`] is both, with a
//! [`Loss`] between them. What acts at each step comes from [`Inputs`], which also take their cotangents.

use gradbody_contact::ContactGradient;
use gradbody_math::Scalar;
use gradbody_model::{LinkId, Model, Params, Selection, SelectionError};

use crate::rollout_trace::RolloutTrace;
use crate::rollout_trace::Worlds;
use crate::{
    Checkpointing, Inputs, Loss, LossCotangents, Moment, Simulated, State, StateCotangents,
    StepOptions, Taps, TapsVjp, TooFewTargets, rollout_backward, rollout_forward,
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

/// What became of a rollout in one world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A link's motion was no longer finite after a step. The world went back to its start, and its results are
    /// discarded.
    Diverged {
        /// Which step, 0 being the first.
        step: usize,
        /// The first such link.
        link: LinkId,
    },
    /// The loss has fewer targets than the rollout has steps; it was not run.
    TooFewTargets(TooFewTargets),
    /// There is nothing to differentiate: each [`rollout_backward`] follows a [`rollout_forward`] of its own.
    NothingKept,
    /// The taps are not those that the rollout was run with.
    OtherTaps,
    /// The start remembers another number of things than the taps do; the rollout was not run.
    OtherMemory {
        /// How many numbers [`State::memory`] has.
        given: usize,
        /// How many the taps remember.
        needed: usize,
    },
    /// An input has fewer signals than the taps read; the rollout was stopped there.
    MissingSignals {
        /// How many it has.
        given: usize,
        /// How many the taps read.
        needed: usize,
    },
    /// The motion was finite, but going back its cotangents were not: the rollout is too sensitive for numbers to
    /// express.
    Overflow {
        /// Over which step; none if it is a sum over all of them, of parameters, the time step or weights.
        step: Option<usize>,
    },
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Diverged { step, link } => {
                write!(f, "the motion of link {} diverges at step {step}", link.index())
            }
            Failure::TooFewTargets(too_few) => too_few.fmt(f),
            Failure::NothingKept => f.write_str(
                "there is no rollout to go back over: run it forwards before each way back",
            ),
            Failure::OtherTaps => {
                f.write_str("the taps are not those that the rollout was run forwards with")
            }
            Failure::OtherMemory { given, needed } => write!(
                f,
                "networks remember {needed} numbers, and the start has {given}: see Bound::begin"
            ),
            Failure::MissingSignals { given, needed } => {
                write!(
                    f,
                    "networks read {needed} signals, and the input has {given}: see Input::signals"
                )
            }
            Failure::Overflow { step: Some(step) } => {
                write!(f, "the gradient overflows going back over step {step}")
            }
            Failure::Overflow { step: None } => f.write_str("the gradient overflows"),
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
    /// The largest residual of the contact solver in any step, world by world: see
    /// [`Problem::residual`](gradbody_contact::Problem::residual) [m/s or rad/s].
    pub residual: S,
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
    /// With respect to the time step, without what inputs, losses and networks make of [`State::time`].
    pub dt: S,
    /// The largest residual of the contact solver in any step, world by world: an implicit gradient is as
    /// exact as this is small [m/s or rad/s].
    pub residual: S,
    /// What went wrong, world by world. The gradient of such a world is zero, its cost not a number, and
    /// cotangents of its inputs mean nothing.
    pub failures: Vec<Option<Failure>>,
}

/// Why there is no gradient by name.
#[derive(Clone, Debug, PartialEq)]
pub enum NoGradient {
    /// The rollout failed.
    Failed(Failure),
    /// These parameters did not influence the loss.
    NoInfluence(Vec<String>),
    /// They cannot be selected.
    Selection(SelectionError),
}

impl std::fmt::Display for NoGradient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        /// Names that are written out.
        const SHOWN: usize = 5;
        let names = match self {
            NoGradient::Failed(failure) => return failure.fmt(f),
            NoGradient::Selection(error) => return error.fmt(f),
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

impl Gradient<f64> {
    /// The gradient with respect to the parameters that match any of the patterns, each with its name: see
    /// [`with_respect_to`](Gradient::with_respect_to).
    pub fn by_name<P: AsRef<str>>(
        &self,
        model: &Model<f64>,
        patterns: impl IntoIterator<Item = P>,
    ) -> Result<Vec<(String, f64)>, NoGradient> {
        let selection = Selection::of(model, patterns).map_err(NoGradient::Selection)?;
        let slopes = self.with_respect_to(model, &selection)?;
        Ok(selection.names().iter().cloned().zip(slopes).collect())
    }
}

impl<S: Scalar> Gradient<S> {
    /// None, in any world.
    pub(crate) fn failed(model: &Model<S>, failure: Failure) -> Self {
        Gradient {
            cost: S::from_f64(f64::NAN),
            start: StateCotangents::zero(model),
            params: model.params.zeros_like(),
            dt: S::ZERO,
            residual: S::ZERO,
            failures: vec![Some(failure); S::LANES],
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

/// Runs a rollout and sums its loss.
pub fn rollout<S: Simulated>(
    rollout: &Rollout<'_, S>,
    inputs: &mut impl Inputs<S>,
    loss: &mut impl Loss<S>,
    taps: &mut dyn Taps<S>,
    trace: &mut RolloutTrace<S>,
) -> Outcome<S> {
    trace.forget();
    let mut worlds = Worlds::begin(rollout, taps);
    if let Err(too_few) = loss.check(rollout.steps) {
        worlds.fail(Failure::TooFewTargets(too_few));
    }
    let RolloutTrace { state, input, last, scratch, .. } = trace;
    state.copy_from(rollout.start);
    let mut cost = S::ZERO;
    for k in 0..rollout.steps {
        if worlds.all_failed() {
            break;
        }
        worlds.step(rollout, k, inputs, taps, (state, input), (last, scratch));
        cost += loss.cost(&rollout.moment(k, state, input));
    }
    let cost = worlds.masked(cost, f64::NAN);
    let Worlds { residual, failures, .. } = worlds;
    Outcome { cost, end: state.clone(), residual, failures }
}

/// Runs a rollout and sums its loss, and goes back for the gradient.
pub fn rollout_vjp<S: Simulated>(
    rollout: &Rollout<'_, S>,
    inputs: &mut impl Inputs<S>,
    loss: &mut impl Loss<S>,
    taps: &mut dyn TapsVjp<S>,
    options: &GradientOptions,
    trace: &mut RolloutTrace<S>,
) -> Gradient<S> {
    if let Err(too_few) = loss.check(rollout.steps) {
        trace.forget();
        inputs.begin_back();
        taps.begin_back();
        return Gradient::failed(rollout.model, Failure::TooFewTargets(too_few));
    }
    rollout_forward(rollout, inputs, taps, options, |_| {}, trace);
    let judge = |at: &Moment<'_, S>, bars: &mut LossCotangents<'_, S>| {
        loss.cost_vjp(at, S::ONE, bars);
        loss.cost(at)
    };
    rollout_backward(rollout.model, inputs, taps, judge, trace)
}

impl<S: Scalar> Rollout<'_, S> {
    /// The time at which step `k` begins.
    pub(crate) fn time(&self, k: usize) -> S {
        self.options.dt.mul_add(S::from_f64(k as f64), self.start.time)
    }

    /// The moment after step `step`.
    pub(crate) fn moment<'b>(
        &'b self,
        step: usize,
        state: &'b State<S>,
        input: &'b crate::Input<S>,
    ) -> Moment<'b, S> {
        let Rollout { model, steps, .. } = *self;
        Moment { model, step, steps, state, input }
    }
}
