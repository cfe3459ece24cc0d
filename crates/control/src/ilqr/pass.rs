//! Backward passes with several dampings, and the steps that they propose.

use gradbody_model::Model;
use gradbody_sim::Simulated;

use crate::candidates::Candidates;
use crate::expansion::Expansion;
use crate::feedback::{Feedback, Law};
use crate::knot_map::KnotMap;
use crate::riccati::{Gains, NoPass, Promise, RiccatiWork, backward};
use crate::{PlannedMotion, Problem};

/// A backward pass.
#[derive(Clone, Debug)]
pub(super) struct Pass {
    /// Its damping.
    pub(super) damping: f64,
    /// The fall of the cost that it promises.
    pub(super) promise: Result<Promise, NoPass>,
    /// The changes that it proposes.
    pub(super) gains: Vec<Gains>,
    pub(super) work: RiccatiWork,
}

impl Pass {
    pub(super) fn new(problem: &Problem) -> Self {
        Pass {
            damping: 0.0,
            promise: Err(NoPass::NotPositive),
            gains: vec![Gains::new(problem); problem.knots],
            work: RiccatiWork::new(problem),
        }
    }

    pub(super) fn run(
        &mut self,
        problem: &Problem,
        motion: &PlannedMotion,
        maps: &[KnotMap],
        expansions: &[Expansion],
    ) {
        let Pass { damping, promise, gains, work } = self;
        *promise = backward(problem, motion, maps, expansions, *damping, work, gains);
    }

    /// The step of a length.
    pub(super) fn law(&self, length: f64) -> Law<'_> {
        Law { gains: &self.gains, length }
    }

    /// The fall of the cost that it promises for a length; infinite if it promises nothing that could be trusted.
    pub(super) fn promised(&self, length: f64) -> f64 {
        self.promise.map_or(f64::INFINITY, |promise| promise.fall(length))
    }
}

/// Steps from a motion.
pub(super) struct Steps<'a> {
    pub(super) problem: &'a Problem,
    pub(super) motion: &'a PlannedMotion,
    pub(super) laws: Vec<Law<'a>>,
}

impl Candidates for Steps<'_> {
    type Policy<'b, S: Simulated>
        = Feedback<'b, S>
    where
        Self: 'b;

    fn len(&self) -> usize {
        self.laws.len()
    }

    fn policy<'b, S: Simulated>(&'b self, model: &'b Model<S>, first: usize) -> Feedback<'b, S> {
        let last = self.laws.len() - 1;
        let laws = (0..S::LANES).map(|lane| self.laws[(first + lane).min(last)]).collect();
        Feedback::new(model, &self.problem.actions, self.motion, laws)
    }
}
