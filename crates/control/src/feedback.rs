//! Actions near a motion: `u = ū + α k + K (x ⊖ x̄)`, within their bounds.

use gradbody_dynamics::difference;
use gradbody_math::Scalar;
use gradbody_model::Model;
use gradbody_sim::State;

use crate::knot_inputs::Policy;
use crate::riccati::Gains;
use crate::{Actions, PlannedMotion};

/// A law of feedback around a motion: that share of the changes that gains give, and their answers to other states.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Law<'a> {
    /// k and K of each knot.
    pub(crate) gains: &'a [Gains],
    /// α.
    pub(crate) length: f64,
}

/// Answers to states that differ from those of a motion, in each lane by a law of its own.
#[derive(Debug)]
pub(crate) struct Feedback<'a, S> {
    model: &'a Model<S>,
    actions: &'a Actions,
    /// x̄ and ū.
    motion: &'a PlannedMotion,
    /// The law of each lane.
    laws: Vec<Law<'a>>,
    dx: Vec<S>,
    planned: Vec<S>,
}

impl<'a, S: Scalar> Feedback<'a, S> {
    pub(crate) fn new(
        model: &'a Model<S>,
        actions: &'a Actions,
        motion: &'a PlannedMotion,
        laws: Vec<Law<'a>>,
    ) -> Self {
        let states = 2 * model.nv() + model.topology.na;
        let planned = vec![S::ZERO; model.nq()];
        Feedback { model, actions, motion, laws, dx: vec![S::ZERO; states], planned }
    }
}

impl<S: Scalar> Policy<S> for Feedback<'_, S> {
    fn act(&mut self, knot: usize, state: &State<S>, actions: &mut [S]) {
        let Feedback { model, actions: of, motion, laws, dx, planned } = self;
        let at = &motion.states[knot];
        let n = actions.len();
        planned.iter_mut().zip(&at.q).for_each(|(to, from)| *to = S::from_f64(*from));
        let (q, rest) = dx.split_at_mut(model.nv());
        difference(model, planned, &state.q, q);
        let is = state.v.iter().chain(&state.activation);
        let was = at.v.iter().chain(&at.activation);
        for (dx, (is, was)) in rest.iter_mut().zip(is.zip(was)) {
            *dx = *is - S::from_f64(*was);
        }
        for (k, action) in actions.iter_mut().enumerate() {
            let mut sum = S::from_lanes(|lane| {
                let Law { gains, length } = laws[lane];
                length.mul_add(gains[knot].step[k], motion.actions[knot * n + k])
            });
            for (i, dx) in dx.iter().enumerate() {
                let gain = S::from_lanes(|lane| laws[lane].gains[knot].by_state.row(k)[i]);
                sum = dx.mul_add(gain, sum);
            }
            let (lower, upper) = (S::from_f64(of.lower[k]), S::from_f64(of.upper[k]));
            *action = sum.max(lower).min(upper);
        }
    }
}
