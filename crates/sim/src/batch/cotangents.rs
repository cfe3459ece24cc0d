//! Cotangents of the states of a batch, for programs that differentiate a loss of their own.

use gradbody_math::Scalar;
use gradbody_model::Model;

use crate::loss::TooFewTargets;
use crate::{BatchError, BatchLoss, Loss, LossCotangents, Moment};

/// How much a result grows with the states of a batch after each step. As a loss it costs nothing and adds these
/// cotangents, so that [`Batch::backward`](crate::Batch::backward) carries them to everything the motion depends on.
#[derive(Clone, Copy, Debug)]
pub struct BatchCotangents<'a> {
    steps: usize,
    q: &'a [f64],
    v: &'a [f64],
}

impl<'a> BatchCotangents<'a> {
    /// Takes cotangents of the configurations, in local coordinates, and of the velocities, both (worlds, steps, nv).
    pub fn new(
        model: &Model<f64>,
        worlds: usize,
        steps: usize,
        q: &'a [f64],
        v: &'a [f64],
    ) -> Result<Self, BatchError> {
        let needed = worlds * steps * model.nv();
        for (part, given) in [("cotangents of q", q.len()), ("cotangents of v", v.len())] {
            if given != needed {
                return Err(BatchError::Array { part, given, needed });
            }
        }
        Ok(BatchCotangents { steps, q, v })
    }
}

/// The cotangents of a group of worlds.
#[derive(Clone, Debug)]
pub struct GroupCotangents<'a> {
    of: BatchCotangents<'a>,
    group: Vec<usize>,
}

impl<'a> BatchLoss for BatchCotangents<'a> {
    type Loss<S: Scalar> = GroupCotangents<'a>;

    fn for_worlds<S: Scalar>(&self, _: &Model<S>, worlds: &[usize]) -> GroupCotangents<'a> {
        GroupCotangents { of: *self, group: worlds.to_vec() }
    }
}

impl<S: Scalar> Loss<S> for GroupCotangents<'_> {
    fn check(&self, steps: usize) -> Result<(), TooFewTargets> {
        let given = self.of.steps;
        if given < steps { Err(TooFewTargets { given, steps }) } else { Ok(()) }
    }

    fn cost(&mut self, _: &Moment<'_, S>) -> S {
        S::ZERO
    }

    fn cost_vjp(&mut self, at: &Moment<'_, S>, cost_bar: S, bars: &mut LossCotangents<'_, S>) {
        let BatchCotangents { steps, q, v } = self.of;
        for (to, from) in [(&mut bars.state.q, q), (&mut bars.state.v, v)] {
            let width = to.len();
            for (k, to) in to.iter_mut().enumerate() {
                let place = |world: usize| (world * steps + at.step) * width + k;
                *to += cost_bar * S::from_lanes(|lane| from[place(self.group[lane])]);
            }
        }
    }
}
