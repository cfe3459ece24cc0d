//! The search: plans near the present one, their weights, and when the noise becomes smaller.

use gradbody_math::Scalar;
use gradbody_math::random::Random;
use rayon::prelude::*;

use super::{Mppi, MppiIteration, MppiState};
use crate::candidates::{ActionLists, costs_of};
use crate::knot_inputs::OpenLoop;
use crate::motion::{Runner, first_motion};
use crate::{ControlError, PlannedMotion, Problem, Progress};

/// A search for a plan by MPPI, between two iterations.
#[derive(Debug)]
pub struct MppiSearch {
    problem: Problem,
    options: Mppi,
    seed: u64,
    /// The best motion so far.
    motion: PlannedMotion,
    /// The plan that the next ones are near.
    mean: Vec<f64>,
    spread: f64,
    idle: usize,
    history: Vec<MppiIteration>,
    progress: Progress,
    runner: Runner,
    /// The motion that is tried.
    trial: PlannedMotion,
    /// The plans of an iteration.
    plans: Vec<Vec<f64>>,
}

/// An iteration hardly gains if the least cost falls by less than this share of it.
const HARDLY: f64 = 1e-3;
/// After this many iterations of hardly any gain the spread falls by half.
const PATIENCE: usize = 3;
/// The plans of an iteration have at most this many numbers together, which take 2 GiB.
const MOST_NUMBERS: usize = 1 << 28;
/// Converged where the spread has fallen to less than this share of what it was at first.
const LEAST_SPREAD: f64 = 1e-2;

impl MppiSearch {
    /// Begins with `actions`, moved into their bounds. Fails if the motion under these diverges.
    pub fn begin(
        problem: Problem,
        options: Mppi,
        actions: &[f64],
        seed: u64,
    ) -> Result<Self, ControlError> {
        let state = MppiState {
            seed,
            actions: actions.to_vec(),
            mean: actions.to_vec(),
            spread: options.spread,
            idle: 0,
            history: Vec::new(),
            progress: Progress::Going,
        };
        Self::resume(problem, options, state)
    }

    /// Goes on from a state that [`MppiSearch::state`] gave.
    pub fn resume(problem: Problem, options: Mppi, state: MppiState) -> Result<Self, ControlError> {
        problem.check()?;
        options.check()?;
        if options.samples.saturating_mul(problem.numbers()) > MOST_NUMBERS {
            let (option, value) = ("samples", options.samples as f64);
            let hint = "plans of this many actions would take more than 2 GiB";
            return Err(ControlError::Option { option, value, hint });
        }
        let MppiState { seed, actions, mut mean, spread, idle, history, progress } = state;
        let (runner, motion) = first_motion(&problem, actions)?;
        problem.check_actions(&mean)?;
        problem.clamp_all(&mut mean);
        Ok(MppiSearch {
            seed,
            trial: motion.clone(),
            motion,
            plans: vec![mean.clone(); options.samples],
            mean,
            spread,
            idle,
            history,
            progress,
            runner,
            problem,
            options,
        })
    }

    /// What [`MppiSearch::resume`] needs.
    pub fn state(&self) -> MppiState {
        MppiState {
            seed: self.seed,
            actions: self.motion.actions.clone(),
            mean: self.mean.clone(),
            spread: self.spread,
            idle: self.idle,
            history: self.history.clone(),
            progress: self.progress,
        }
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The best motion so far.
    pub fn motion(&self) -> &PlannedMotion {
        &self.motion
    }

    /// All iterations so far.
    pub fn history(&self) -> &[MppiIteration] {
        &self.history
    }

    /// How many motions were simulated: in each iteration the plans and their mean.
    pub fn simulations(&self) -> u64 {
        (self.history.len() * (self.plans.len() + 1)) as u64
    }

    /// How the search goes on.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Makes an iteration. The best motion never becomes worse.
    pub fn advance(&mut self) -> Progress {
        if self.progress != Progress::Going {
            return self.progress;
        }
        self.sample();
        let costs = costs_of(&self.problem, &ActionLists(&self.plans));
        let before = self.motion.cost;
        let weights = weights(&costs, self.options.temperature);
        let least = (0..costs.len()).min_by(|a, b| costs[*a].total_cmp(&costs[*b]));
        let mut mean_plan = None;
        if let Some(weights) = &weights {
            self.set_mean(weights);
            mean_plan = self.keep_if_better(None);
        }
        if let Some(least) = least.filter(|least| costs[*least] < self.motion.cost) {
            self.keep_if_better(Some(least));
        }
        self.record(&costs, weights.as_deref(), mean_plan);
        let hardly = before - self.motion.cost <= HARDLY * before.abs();
        self.idle = if hardly { self.idle + 1 } else { 0 };
        if self.idle >= PATIENCE {
            self.narrow();
        }
        self.progress
    }

    /// Writes the plans of this iteration. The first is the best one so far, so that the mean does not leave it far behind.
    fn sample(&mut self) {
        let MppiSearch { problem, options, seed, motion, mean, spread, history, plans, .. } = self;
        let iteration = history.len() as u64;
        let deviations: Vec<f64> =
            problem.actions.scales().iter().map(|scale| *spread * scale).collect();
        let m = deviations.len();
        // The noise of a knot keeps its variance: memory² + fresh² = 1.
        let fresh = (1.0 - options.memory * options.memory).sqrt();
        plans.par_iter_mut().enumerate().for_each(|(sample, plan)| {
            if sample == 0 {
                plan.copy_from_slice(&motion.actions);
                return;
            }
            let mut random = Random::derived(*seed, &[iteration, sample as u64]);
            let mut noise = vec![0.0; m];
            plan.copy_from_slice(mean);
            for (knot, actions) in plan.chunks_exact_mut(m).enumerate() {
                for (noise, (action, deviation)) in
                    noise.iter_mut().zip(actions.iter_mut().zip(&deviations))
                {
                    let new = random.normal();
                    *noise = if knot == 0 { new } else { options.memory * *noise + fresh * new };
                    *action += deviation * *noise;
                }
                problem.actions.clamp(actions);
            }
        });
    }

    /// The weighted mean of the plans.
    fn set_mean(&mut self, weights: &[f64]) {
        self.mean.fill(0.0);
        for (plan, weight) in self.plans.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
            self.mean.iter_mut().zip(plan).for_each(|(to, u)| *to += weight * u);
        }
        self.problem.clamp_all(&mut self.mean);
    }

    /// Runs a plan of this iteration, or the mean, in one world, whose bits are those of the best motion. Returns its
    /// cost.
    fn keep_if_better(&mut self, plan: Option<usize>) -> Option<f64> {
        let MppiSearch { problem, runner, motion, trial, plans, mean, .. } = self;
        let actions = plan.map_or(&*mean, |index| &plans[index]);
        runner.run(problem, OpenLoop(actions), trial).ok()?;
        let cost = trial.cost;
        if cost < motion.cost {
            std::mem::swap(motion, trial);
        }
        Some(cost)
    }

    fn record(&mut self, costs: &[f64], weights: Option<&[f64]>, mean_plan: Option<f64>) {
        let finite: Vec<f64> = costs.iter().copied().filter(|cost| cost.is_finite()).collect();
        let count = finite.len();
        self.history.push(MppiIteration {
            cost: self.motion.cost,
            mean_plan,
            least: finite.iter().copied().reduce(f64::min),
            mean: (count > 0).then(|| finite.iter().map(|cost| cost / count as f64).sum()),
            diverged: costs.len() - count,
            effective: weights.map_or(0.0, |w| w.iter().map(|w| w * w).sum::<f64>().recip()),
            spread: self.spread,
        });
    }

    /// Goes on from the best motion with half of the noise.
    fn narrow(&mut self) {
        self.idle = 0;
        self.mean.copy_from_slice(&self.motion.actions);
        self.spread *= 0.5;
        if self.spread < LEAST_SPREAD * self.options.spread {
            self.progress = Progress::Converged;
        }
    }
}

/// The weight of each plan, `exp(−(cost − least) / T)`, scaled so that their sum is 1; none if no cost is finite. T is the
/// share `temperature` of the difference between the median and the least cost.
fn weights(costs: &[f64], temperature: f64) -> Option<Vec<f64>> {
    let mut sorted: Vec<f64> = costs.iter().copied().filter(|cost| cost.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let least = *sorted.first()?;
    let width = temperature * (sorted[sorted.len() / 2] - least);
    let weight = |cost: &f64| match (cost.is_finite(), width > 0.0) {
        (false, _) => 0.0,
        // The library's exponential, which rounds alike on every machine.
        (true, true) => Scalar::exp((least - cost) / width),
        // At least half of the plans cost the same.
        (true, false) => f64::from(u8::from(*cost == least)),
    };
    let weights: Vec<f64> = costs.iter().map(weight).collect();
    let sum: f64 = weights.iter().sum();
    Some(weights.into_iter().map(|weight| weight / sum).collect())
}

#[cfg(test)]
mod tests {
    use super::weights;

    #[test]
    fn weights_do_not_depend_on_the_unit_of_cost_and_infinite_costs_have_none() {
        let costs = [3.0, 1.0, f64::INFINITY, 2.0, 5.0, 4.0];
        let found = weights(&costs, 0.5).unwrap();
        // The median is 3, the least cost 1, so the temperature is 1.
        let sum: f64 = [3.0, 1.0, 2.0, 5.0, 4.0].iter().map(|c: &f64| (1.0 - c).exp()).sum();
        for (cost, weight) in costs.iter().zip(&found) {
            assert!((weight - (1.0 - cost).exp() / sum).abs() < 1e-15, "{cost}: {weight}");
        }
        let scaled = weights(&costs.map(|cost| 1024.0 * cost), 0.5).unwrap();
        assert_eq!(found, scaled);
        assert_eq!(weights(&[2.0, 2.0, 2.0, 7.0], 0.1).unwrap()[..3], [1.0 / 3.0; 3]);
        assert_eq!(weights(&[f64::INFINITY], 0.1), None);
    }
}
