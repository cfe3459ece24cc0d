//! What many plans cost: worlds in lanes and on threads.

use gradbody_sim::{Kernel, NoTaps, Rollout, RolloutTrace, Simulated, rollout_forward, run_widest};
use rayon::prelude::*;

use gradbody_model::Model;

use crate::Problem;
use crate::knot_costs::{KnotCosts, KnotEnd};
use crate::knot_inputs::{KnotInputs, OpenLoop, Policy};
use crate::motion::forward_only;

/// Plans to compare.
pub(crate) trait Candidates: Sync {
    /// The policy of as many plans as a scalar has lanes.
    type Policy<'a, S: Simulated>: Policy<S>
    where
        Self: 'a;

    /// Number of plans.
    fn len(&self) -> usize;

    /// The policy whose first lane is plan `first`. Lanes beyond the last plan are never read.
    fn policy<'a, S: Simulated>(&'a self, model: &'a Model<S>, first: usize)
    -> Self::Policy<'a, S>;
}

/// Actions that do not depend on the state, one list a plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActionLists<'a>(pub(crate) &'a [Vec<f64>]);

/// Some of them in lanes.
#[derive(Clone, Debug)]
pub(crate) struct InLanes<S>(Vec<S>);

impl<S: Simulated> Policy<S> for InLanes<S> {
    fn act(&mut self, knot: usize, state: &gradbody_sim::State<S>, actions: &mut [S]) {
        OpenLoop(&self.0).act(knot, state, actions);
    }
}

impl Candidates for ActionLists<'_> {
    type Policy<'a, S: Simulated>
        = InLanes<S>
    where
        Self: 'a;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn policy<'a, S: Simulated>(&'a self, _: &'a Model<S>, first: usize) -> InLanes<S> {
        let list = |lane: usize| &self.0[(first + lane).min(self.0.len() - 1)];
        InLanes((0..list(0).len()).map(|k| S::from_lanes(|lane| list(lane)[k])).collect())
    }
}

/// The cost of each plan; infinite where the motion diverges. The same bits on any number of threads.
pub(crate) fn costs_of(problem: &Problem, candidates: &impl Candidates) -> Vec<f64> {
    run_widest::<f64, _>(Comparison { problem, candidates })
}

struct Comparison<'a, C> {
    problem: &'a Problem,
    candidates: &'a C,
}

impl<C: Candidates> Kernel for Comparison<'_, C> {
    type Output = Vec<f64>;

    fn run<S: Simulated>(self) -> Vec<f64> {
        let Comparison { problem, candidates } = self;
        let model = problem.model.cast::<S>();
        let start = problem.start.cast::<S>();
        let options = problem.options.cast::<S>();
        let rollout = Rollout {
            model: &model,
            start: &start,
            steps: problem.knots * problem.steps,
            options: &options,
        };
        let buffers =
            || (RolloutTrace::new(&model), KnotCosts::new(problem), KnotEnd::new(problem));
        let of_group = |(trace, costs, end): &mut (RolloutTrace<S>, KnotCosts, KnotEnd),
                        first: usize| {
            let lanes = (candidates.len() - first).min(S::LANES);
            let mut inputs = KnotInputs::new(problem, candidates.policy(&model, first));
            let mut sums = vec![0.0; lanes];
            let rolled = rollout_forward(
                &rollout,
                &mut inputs,
                &mut NoTaps,
                &forward_only(),
                |moment| {
                    for (lane, sum) in sums.iter_mut().enumerate() {
                        if end.read(problem, moment, lane) {
                            *sum += costs.sum(problem, end);
                        }
                    }
                },
                trace,
            );
            for (sum, failure) in sums.iter_mut().zip(&rolled.failures) {
                if failure.is_some() || !sum.is_finite() {
                    *sum = f64::INFINITY;
                }
            }
            sums
        };
        let groups = candidates.len().div_ceil(S::LANES);
        let found: Vec<Vec<f64>> = (0..groups)
            .into_par_iter()
            .map_init(buffers, |buffers, group| of_group(buffers, group * S::LANES))
            .collect();
        found.concat()
    }
}
