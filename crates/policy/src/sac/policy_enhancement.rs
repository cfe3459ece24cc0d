//! The gradient of the return with respect to an action through one true step of the simulation.
//!
//! ```text
//!   ∂r/∂a + γ ∂Q(s′, μ(s′))/∂s′ ∂s′/∂a
//! ```
//! The stored states are put into worlds of their own, which take a step under the policy's present actions. The critics
//! give the slope of the return after that; the adjoint of the step takes it back to the action. The way of s′ through
//! the policy's mean action μ(s′) counts.

use gradbody_env::{Description, Transitions};
use gradbody_sim::Precision;

use super::PolicyEnhancement;
use super::agent::side_by_side;
use super::critics::Critics;
use super::replay::Minibatch;
use crate::{Actor, DenseRows, TrainError};

/// Worlds that take single steps from stored states, in the precision `T`.
#[derive(Debug)]
pub(crate) struct OneStep<T> {
    transitions: Transitions<T>,
    /// The policy at s′.
    rows: DenseRows,
    longest_gradient: f32,
    found: Through,
    work: Work,
}

/// The gradients of some samples.
#[derive(Debug, Default)]
pub(crate) struct Through {
    /// r + γ Q(s′, μ(s′)), (rows).
    pub(crate) values: Vec<f32>,
    /// Its slopes with respect to actions in ±1, (rows, actions).
    pub(crate) by_action: Vec<f32>,
    /// Where the step or its adjoint diverged: slopes are zero there.
    pub(crate) failed: Vec<bool>,
}

#[derive(Debug, Default)]
struct Work {
    actions: Vec<f64>,
    observations: Vec<f32>,
    outputs: Vec<f32>,
    next_actions: Vec<f32>,
    inputs: Vec<f32>,
    values: Vec<f32>,
    slopes: Vec<f32>,
    outputs_bar: Vec<f32>,
    through_policy: Vec<f32>,
    rewards_bar: Vec<f64>,
    observations_bar: Vec<f64>,
}

impl<T: Precision> OneStep<T> {
    /// At most `minibatch` samples at a time.
    pub(crate) fn new(
        of: &Description,
        actor: &Actor,
        options: &PolicyEnhancement,
        minibatch: usize,
    ) -> Result<Self, TrainError> {
        Ok(OneStep {
            transitions: Transitions::new(of.clone(), options.samples.min(minibatch))?,
            rows: DenseRows::new(&actor.network, "actor")?,
            longest_gradient: options.longest_gradient,
            found: Through::default(),
            work: Work::default(),
        })
    }

    /// Number of samples at a time.
    pub(crate) fn rows(&self) -> usize {
        self.transitions.len()
    }

    /// The gradients for the first samples of a batch under `actions` in ±1, (rows, actions). `scales` are the discount
    /// and what rewards are multiplied by.
    pub(crate) fn slopes(
        &mut self,
        actor: &Actor,
        critics: &mut Critics,
        batch: &Minibatch,
        actions: &[f32],
        (discount, reward_scale): (f32, f32),
    ) -> Result<&Through, TrainError> {
        let (rows, n, m) = (self.rows(), actor.n_observations(), actor.n_actions());
        let (nq, nv) = (batch.widths.q, batch.widths.v);
        let OneStep { transitions, rows: policy, longest_gradient, found, work } = self;
        work.actions.clear();
        // A policy that diverged gives no numbers; the learner finds its weights.
        let finite = |a: f32| if a.is_finite() { a } else { 0.0 };
        let scaled = actions.iter().enumerate();
        work.actions.extend(scaled.map(|(k, a)| f64::from(actor.to_range(k % m, finite(*a)))));
        let (q, v) = (&batch.q[..rows * nq], &batch.v[..rows * nv]);
        let step = transitions.forward(q, v, &work.actions)?;
        // The critics at s′ under the mean action.
        work.observations.resize(rows * n, 0.0);
        actor.normaliser.normalise(&step.observations, &mut work.observations);
        for (row, failed) in work.observations.chunks_exact_mut(n).zip(&step.failed) {
            if *failed {
                row.fill(0.0);
            }
        }
        work.outputs.resize(rows * 2 * m, 0.0);
        policy.forward(&actor.weights, &work.observations, &mut work.outputs);
        work.next_actions.clear();
        for row in work.outputs.chunks_exact(2 * m) {
            work.next_actions.extend(row[..m].iter().map(|mean| mean.tanh()));
        }
        side_by_side(&work.observations, n, &work.next_actions, m, &mut work.inputs);
        critics.slopes(&work.inputs, &mut work.values, &mut work.slopes);
        // Through the mean action to s′.
        work.outputs_bar.clear();
        work.outputs_bar.resize(rows * 2 * m, 0.0);
        for row in 0..rows {
            for k in 0..m {
                let a = work.next_actions[row * m + k];
                let slope = work.slopes[row * (n + m) + n + k];
                work.outputs_bar[row * 2 * m + k] = slope * (1.0 - a * a);
            }
        }
        work.through_policy.resize(rows * n, 0.0);
        let to = Some(&mut work.through_policy[..]);
        policy.backward(&actor.weights, &work.outputs_bar, None, to);
        // Through the normalisation, and back through the step.
        found.values.clear();
        work.observations_bar.clear();
        for row in 0..rows {
            let goes_on = if step.terminated[row] { 0.0 } else { discount };
            let reward = if step.failed[row] { 0.0 } else { step.rewards[row] as f32 };
            found.values.push(goes_on.mul_add(work.values[row], reward_scale * reward));
            for k in 0..n {
                let slope = work.slopes[row * (n + m) + k] + work.through_policy[row * n + k];
                let by_raw = actor.normaliser.slope(k, work.observations[row * n + k]);
                let bar = if step.failed[row] { 0.0 } else { goes_on * slope * by_raw };
                work.observations_bar.push(f64::from(bar));
            }
        }
        work.rewards_bar.clear();
        work.rewards_bar.resize(rows, f64::from(reward_scale));
        let gradient = transitions.backward(&work.rewards_bar, &work.observations_bar)?;
        found.failed = gradient.failed;
        found.by_action.clear();
        for (k, slope) in gradient.actions.iter().enumerate() {
            found.by_action.push(*slope as f32 * actor.half_range(k % m));
        }
        for (row, failed) in found.by_action.chunks_exact_mut(m).zip(&mut found.failed) {
            *failed |= row.iter().any(|x| !x.is_finite());
            if *failed {
                row.fill(0.0);
            }
        }
        shorten(&mut found.by_action, m, *longest_gradient);
        Ok(found)
    }
}

/// Shortens rows that are longer than so many times the median of those that are not zero.
fn shorten(rows: &mut [f32], width: usize, times: f32) {
    let mut lengths: Vec<f32> = rows.chunks_exact(width).map(length).collect();
    lengths.retain(|length| *length > 0.0);
    lengths.sort_by(f32::total_cmp);
    let Some(median) = lengths.get(lengths.len() / 2) else { return };
    let longest = times * median;
    for row in rows.chunks_exact_mut(width) {
        let length = length(row);
        if length > longest {
            row.iter_mut().for_each(|x| *x *= longest / length);
        }
    }
}

/// The length of a row, also of one whose square would overflow.
fn length(row: &[f32]) -> f32 {
    row.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt() as f32
}

#[cfg(test)]
mod tests {
    use gradbody_env::{EnvBatch, Environment};
    use gradbody_math::random::Random;

    use super::super::agent::Agent;
    use super::super::{SacOptions, Widths};
    use super::*;

    const ROWS: usize = 4;
    /// Step of the central differences, in halves of an action's range: values are in single precision.
    const STEP: f32 = 4e-3;

    /// States some steps into episodes.
    fn batch(of: &Description, actor: &mut Actor) -> Minibatch {
        let mut worlds: EnvBatch<f64> =
            EnvBatch::with_description(of.clone(), ROWS, 1, Some(1)).unwrap();
        let mut random = Random::new(8);
        for _ in 0..5 {
            worlds.step(&random.numbers(ROWS * of.n_actions())).unwrap();
            actor.normaliser.see(&worlds.outcome().observations);
        }
        actor.normaliser.settle();
        let (q, v) = worlds.states();
        let widths = Widths {
            observation: of.n_observations(),
            action: of.n_actions(),
            q: of.model.nq(),
            v: of.model.nv(),
        };
        Minibatch { q, v, ..Minibatch::new(widths) }
    }

    /// The slopes against differences of r + γ Q(s′, μ(s′)), computed through the environment.
    #[test]
    fn slopes_agree_with_differences_through_the_environment() {
        for environment in [Environment::Swimmer, Environment::Reacher, Environment::HalfCheetah] {
            let of = environment.describe();
            let m = of.n_actions();
            let options = SacOptions { hidden: vec![24, 24], seed: 3, ..Default::default() };
            let mut agent = Agent::new(&of, &options).unwrap();
            // So that the way through μ counts.
            let last = agent.actor.weights.len() - (24 + 1) * 2 * m;
            agent.actor.weights[last..].iter_mut().for_each(|weight| *weight *= 100.0);
            let batch = batch(&of, &mut agent.actor);
            let by = PolicyEnhancement { longest_gradient: 1e6, ..Default::default() };
            let mut step = OneStep::<f64>::new(&of, &agent.actor, &by, ROWS).unwrap();
            let mut random = Random::new(5);
            let single = |x: Vec<f64>| x.into_iter().map(|x| x as f32).collect::<Vec<f32>>();
            let actions: Vec<f32> =
                single(random.numbers(ROWS * m)).iter().map(|a| 0.5 * a).collect();
            let direction = single(random.numbers(ROWS * m));
            let (actor, critics) = agent.parts();
            let mut at = |d: f32| {
                let moved: Vec<f32> =
                    actions.iter().zip(&direction).map(|(a, by)| by.mul_add(d, *a)).collect();
                let found = step.slopes(actor, critics, &batch, &moved, (0.9, 2.0)).unwrap();
                assert_eq!(found.failed, [false; ROWS]);
                (found.values.clone(), found.by_action.clone())
            };
            let ((plus, _), (minus, _), (_, slopes)) = (at(STEP), at(-STEP), at(0.0));
            for row in 0..ROWS {
                let place = row * m..(row + 1) * m;
                let parts = slopes[place.clone()].iter().zip(&direction[place]);
                let found: f32 = parts.clone().map(|(slope, by)| slope * by).sum();
                let size: f32 = parts.map(|(slope, by)| (slope * by).abs()).sum();
                let difference = (plus[row] - minus[row]) / (2.0 * STEP);
                let near = 0.01 * size + 1e-3;
                assert!(
                    (found - difference).abs() < near,
                    "{}, row {row}: {found} {difference}",
                    of.name
                );
            }
        }
    }

    #[test]
    fn a_few_long_gradients_are_shortened() {
        let mut rows = [3.0, 4.0, 0.0, 1.0, -2.0, 0.0, 3e30, 4e30, 0.0, 2.0];
        shorten(&mut rows, 2, 2.0);
        // The median is 2.
        let expected = [2.4, 3.2, 0.0, 1.0, -2.0, 0.0, 2.4, 3.2, 0.0, 2.0];
        for (x, expected) in rows.iter().zip(expected) {
            assert!((x - expected).abs() < 1e-6, "{rows:?}");
        }
    }

    /// After a termination nothing counts but the reward.
    #[test]
    fn nothing_follows_a_termination() {
        let mut of = Environment::InvertedPendulum.describe();
        // Every state is unhealthy.
        of.healthy = vec![gradbody_env::Condition::Within { q: 1, low: 5.0, high: 6.0 }];
        let options = SacOptions { hidden: vec![8], ..Default::default() };
        let mut agent = Agent::new(&of, &options).unwrap();
        let batch = batch(&of, &mut agent.actor);
        let by = PolicyEnhancement::default();
        let mut step = OneStep::<f64>::new(&of, &agent.actor, &by, ROWS).unwrap();
        let (actor, critics) = agent.parts();
        let found = step.slopes(actor, critics, &batch, &[0.1; ROWS], (0.9, 1.0)).unwrap();
        assert_eq!(found.values, [0.0; ROWS]);
        assert_eq!(found.by_action, [0.0; ROWS]);
    }
}
