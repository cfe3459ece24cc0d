//! Rollouts of many steps with a loss, and the gradient of that loss.
//!
//! [`rollout`] is a forward pass alone. A gradient takes two calls: [`rollout_forward`] stores what is needed in a
//! [`RolloutTrace`], and [`rollout_backward`] takes cotangents of any of the states back. [`rollout_vjp`] does both,
//! with a [`Loss`] between them. The inputs of each step come from [`Inputs`], which also receive their cotangents.

use gradbody_contact::ContactGradient;
use gradbody_math::Scalar;
use gradbody_model::{LinkId, Model, Params, Selection, SelectionError};

use crate::rollout_trace::RolloutTrace;
use crate::rollout_trace::Worlds;
use crate::{
    Checkpointing, Inputs, Loss, LossCotangents, Moment, Simulated, State, StateCotangents,
    StepOptions, StepTrace, Taps, TapsVjp, TooFewTargets, rollout_backward, rollout_forward,
};

/// A rollout to run.
#[derive(Clone, Copy, Debug)]
pub struct Rollout<'a, S> {
    /// The model.
    pub model: &'a Model<S>,
    /// The initial state.
    pub start: &'a State<S>,
    /// Number of steps.
    pub steps: usize,
    /// How to step.
    pub options: &'a StepOptions<S>,
}

/// Why a rollout failed in one world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A link's motion was no longer finite after a step. The world was reset to its start, and its results are
    /// discarded.
    Diverged {
        /// The step, from 0.
        step: usize,
        /// The first link that diverged.
        link: LinkId,
    },
    /// The loss has fewer targets than the rollout has steps; the rollout was not run.
    TooFewTargets(TooFewTargets),
    /// There is no forward pass to differentiate: each [`rollout_backward`] needs its own [`rollout_forward`].
    NothingKept,
    /// The taps are not those of the forward pass.
    OtherTaps,
    /// The memory of the start has the wrong size for the taps; the rollout was not run.
    OtherMemory {
        /// Size of [`State::memory`].
        given: usize,
        /// Size that the taps need.
        needed: usize,
    },
    /// An input has fewer signals than the taps read; the rollout was stopped there.
    MissingSignals {
        /// Number of signals of the input.
        given: usize,
        /// Number of signals the taps read.
        needed: usize,
    },
    /// The motion was finite, but its cotangents were not: the rollout is too sensitive for its gradient to be
    /// represented.
    Overflow {
        /// The step where it happened; `None` if a sum over all steps overflowed: of parameters, time step or weights.
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
                "there is no rollout to differentiate: each backward pass needs its own forward pass",
            ),
            Failure::OtherTaps => {
                f.write_str("the taps are not those of the forward pass")
            }
            Failure::OtherMemory { given, needed } => write!(
                f,
                "the networks' memory has {needed} numbers, but the start has {given}: see Bound::begin"
            ),
            Failure::MissingSignals { given, needed } => {
                write!(
                    f,
                    "networks read {needed} signals, but the input has {given}: see Input::signals"
                )
            }
            Failure::Overflow { step: Some(step) } => {
                write!(f, "the gradient overflows in the backward pass of step {step}")
            }
            Failure::Overflow { step: None } => f.write_str("the gradient overflows"),
        }
    }
}

impl std::error::Error for Failure {}

/// How a rollout ended.
#[derive(Clone, Debug)]
pub struct RolloutOutcome<S> {
    /// The loss.
    pub cost: S,
    /// The last state.
    pub end: State<S>,
    /// The largest residual of the contact solver in any step, for each world [m/s or rad/s]: see
    /// [`Problem::residual`](gradbody_contact::Problem::residual).
    pub residual: S,
    /// The failure of each world, if any. The numbers of a failed world are meaningless.
    pub failures: Vec<Option<Failure>>,
}

/// The gradient of a rollout's loss. The gradient with respect to the inputs is left in the [`Inputs`].
#[derive(Clone, Debug)]
pub struct Gradient<S> {
    /// The loss.
    pub cost: S,
    /// Gradient with respect to the initial state.
    pub start: StateCotangents<S>,
    /// Gradient with respect to the parameters; see [`Gradient::with_respect_to`] for parameters by name.
    pub params: Params<S>,
    /// Gradient with respect to the time step, without the dependence of inputs, losses and networks on
    /// [`State::time`].
    pub dt: S,
    /// The largest residual of the contact solver in any step, for each world [m/s or rad/s]. The error of an implicit
    /// gradient shrinks with it.
    pub residual: S,
    /// The failure of each world, if any. The gradient of a failed world is zero and its cost NaN; the cotangents of
    /// its inputs are meaningless.
    pub failures: Vec<Option<Failure>>,
}

/// Why a gradient by name could not be given.
#[derive(Clone, Debug, PartialEq)]
pub enum NoGradient {
    /// The rollout failed.
    Failed(Failure),
    /// These parameters did not influence the loss.
    NoInfluence(Vec<String>),
    /// The parameters cannot be selected.
    Selection(SelectionError),
}

impl std::fmt::Display for NoGradient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        /// How many names the message lists.
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
    /// The gradient with respect to parameters by name, in the order of the selection. Parameters without any influence
    /// on the loss are an error, since a silent zero would look like an optimum. At a true optimum, where the start has
    /// no influence either, returns zeros.
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
    /// The gradient with respect to the parameters that match any of the patterns, each with its name. Fails as
    /// [`with_respect_to`](Gradient::with_respect_to) does.
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
    /// A zero gradient, with this failure in every world.
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
    /// Returns the gradient, or the first failure of any world.
    pub fn checked(self) -> Result<Self, Failure> {
        match self.failures.iter().flatten().next() {
            Some(failure) => Err(*failure),
            None => Ok(self),
        }
    }
}

/// How a gradient is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GradientOptions {
    /// The derivative of contact impulses.
    pub contact: ContactGradient,
    /// What is stored for the backward pass.
    pub checkpointing: Checkpointing,
}

/// Runs a rollout and sums its loss.
pub fn rollout<S: Simulated>(
    rollout: &Rollout<'_, S>,
    inputs: &mut impl Inputs<S>,
    loss: &mut impl Loss<S>,
    taps: &mut dyn Taps<S>,
    trace: &mut RolloutTrace<S>,
) -> RolloutOutcome<S> {
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
        cost += loss.cost(&rollout.moment(k, state, last));
    }
    let cost = worlds.masked(cost, f64::NAN);
    let Worlds { residual, failures, .. } = worlds;
    RolloutOutcome { cost, end: state.clone(), residual, failures }
}

/// Runs a rollout, sums its loss, and computes the gradient.
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
        trace: &'b StepTrace<S>,
    ) -> Moment<'b, S> {
        let Rollout { model, steps, .. } = *self;
        Moment { model, step, steps, state, input: trace.input(), contacts: trace.contacts() }
    }
}
