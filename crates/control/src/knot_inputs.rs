//! The inputs of a rollout in knots: policies that choose the actions of a knot, and the adjoint of what they set.

use gradbody_math::Scalar;
use gradbody_sim::{Input, InputCotangents, Inputs, State, StateCotangents};

use crate::{Actions, Problem};

/// Chooses the actions of a knot when it begins.
pub(crate) trait Policy<S: Scalar> {
    /// Writes the actions of the knot that begins in `state`.
    fn act(&mut self, knot: usize, state: &State<S>, actions: &mut [S]);
}

/// Actions that do not depend on the state, knot by knot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenLoop<'a, S>(pub(crate) &'a [S]);

impl<S: Scalar> Policy<S> for OpenLoop<'_, S> {
    fn act(&mut self, knot: usize, _: &State<S>, actions: &mut [S]) {
        actions.copy_from_slice(&self.0[knot * actions.len()..][..actions.len()]);
    }
}

/// Another policy, some knots later; the knots after its end have the actions `tail`.
#[derive(Debug)]
pub(crate) struct Later<'a, P> {
    pub(crate) policy: P,
    /// By how many knots later.
    pub(crate) shift: usize,
    /// Number of knots of the policy.
    pub(crate) knots: usize,
    pub(crate) tail: &'a [f64],
}

impl<P: Policy<f64>> Policy<f64> for Later<'_, P> {
    fn act(&mut self, knot: usize, state: &State<f64>, actions: &mut [f64]) {
        match knot + self.shift {
            knot if knot < self.knots => self.policy.act(knot, state, actions),
            _ => actions.copy_from_slice(self.tail),
        }
    }
}

/// The inputs of a rollout in knots.
#[derive(Debug)]
pub(crate) struct KnotInputs<'a, S, P> {
    of: &'a Actions,
    steps: usize,
    policy: P,
    /// The actions that were taken, knot by knot.
    pub(crate) taken: Vec<S>,
    /// Their cotangents.
    pub(crate) bars: Vec<S>,
}

impl<'a, S: Scalar, P: Policy<S>> KnotInputs<'a, S, P> {
    pub(crate) fn new(problem: &'a Problem, policy: P) -> Self {
        let zeros = vec![S::ZERO; problem.numbers()];
        let Problem { actions: of, steps, .. } = problem;
        KnotInputs { of, steps: *steps, policy, taken: zeros.clone(), bars: zeros }
    }
}

impl<S: Scalar, P: Policy<S>> Inputs<S> for KnotInputs<'_, S, P> {
    fn set(&mut self, step: usize, state: &State<S>, input: &mut Input<S>) {
        let (knot, n) = (step / self.steps, self.of.len());
        let actions = &mut self.taken[knot * n..][..n];
        if step.is_multiple_of(self.steps) {
            self.policy.act(knot, state, actions);
        }
        self.of.write(actions, input);
    }

    fn begin_back(&mut self) {
        self.bars.fill(S::ZERO);
    }

    fn set_vjp(
        &mut self,
        step: usize,
        _: &State<S>,
        bar: &InputCotangents<S>,
        _: &mut StateCotangents<S>,
    ) {
        let (knot, n) = (step / self.steps, self.of.len());
        self.of.write_vjp(bar, &mut self.bars[knot * n..][..n]);
    }
}
