//! The samples of an iteration.

use gradbody_math::random::Random;

use super::advantages::{Course, advantages};
use crate::gaussian::ln_density;
use crate::{DenseRows, Normaliser};

/// What was seen and done in an iteration, (steps, worlds).
#[derive(Debug)]
pub(super) struct Samples {
    worlds: usize,
    n_observations: usize,
    n_actions: usize,
    /// Normalised, with one step more than there are actions, (steps + 1, worlds, n_observations).
    observations: Vec<f32>,
    /// As they were drawn, before they are cut off at ±1, (steps, worlds, actions).
    actions: Vec<f32>,
    /// Logarithmic density of the actions.
    pub(super) ln_density: Vec<f32>,
    rewards: Vec<f32>,
    ended: Vec<bool>,
    terminated: Vec<bool>,
    /// Where episodes were truncated.
    last_at: Vec<usize>,
    /// The last observations of these episodes, normalised.
    last: Vec<f32>,
    advantages: Vec<f32>,
    /// What the values are to become.
    pub(super) returns: Vec<f32>,
}

impl Samples {
    pub(super) fn new(
        steps: usize,
        worlds: usize,
        n_observations: usize,
        n_actions: usize,
    ) -> Self {
        let rows = steps * worlds;
        Samples {
            worlds,
            n_observations,
            n_actions,
            observations: vec![0.0; (rows + worlds) * n_observations],
            actions: vec![0.0; rows * n_actions],
            ln_density: vec![0.0; rows],
            rewards: vec![0.0; rows],
            ended: vec![false; rows],
            terminated: vec![false; rows],
            last_at: Vec::new(),
            last: Vec::new(),
            advantages: vec![0.0; rows],
            returns: vec![0.0; rows],
        }
    }

    pub(super) fn len(&self) -> usize {
        self.rewards.len()
    }

    /// The observations of all worlds before a step.
    pub(super) fn observations_of(&mut self, step: usize) -> &mut [f32] {
        let a_step = self.worlds * self.n_observations;
        &mut self.observations[step * a_step..(step + 1) * a_step]
    }

    /// The actions of all worlds in a step.
    pub(super) fn actions_of(&self, step: usize) -> &[f32] {
        let a_step = self.worlds * self.n_actions;
        &self.actions[step * a_step..(step + 1) * a_step]
    }

    /// The observation of a sample.
    pub(super) fn row(&self, k: usize, n: usize) -> &[f32] {
        &self.observations[k * n..(k + 1) * n]
    }

    /// The action of a sample.
    pub(super) fn action(&self, k: usize, actions: usize) -> &[f32] {
        &self.actions[k * actions..(k + 1) * actions]
    }

    /// Draws the actions of a step about `means`, (worlds, actions).
    pub(super) fn draw(
        &mut self,
        step: usize,
        means: &[f32],
        log_std: &[f32],
        random: &mut Random,
    ) {
        let n = self.n_actions;
        for world in 0..self.worlds {
            let k = step * self.worlds + world;
            self.ln_density[k] = 0.0;
            for (i, l) in log_std.iter().enumerate() {
                let noise = random.normal() as f32;
                self.actions[k * n + i] = means[world * n + i] + l.exp() * noise;
                self.ln_density[k] += ln_density(noise, *l);
            }
        }
    }

    /// Takes down what a step of a world gave.
    pub(super) fn end(
        &mut self,
        step: usize,
        world: usize,
        reward: f32,
        ended: bool,
        terminated: bool,
    ) {
        let k = step * self.worlds + world;
        self.rewards[k] = reward;
        self.ended[k] = ended;
        self.terminated[k] = terminated;
    }

    /// Keeps the last observation of an episode that was truncated.
    pub(super) fn keep_last(
        &mut self,
        step: usize,
        world: usize,
        normaliser: &Normaliser,
        last: &[f64],
    ) {
        self.last_at.push(step * self.worlds + world);
        let begin = self.last.len();
        self.last.resize(begin + self.n_observations, 0.0);
        normaliser.normalise(last, &mut self.last[begin..]);
    }

    /// Finds advantages and returns with the values of a network.
    pub(super) fn judge(
        &mut self,
        rows: &mut DenseRows,
        weights: &[f32],
        discount: f32,
        lambda: f32,
    ) {
        let n = self.len();
        let mut values = vec![0.0; n + self.worlds];
        rows.forward(weights, &self.observations, &mut values);
        let mut of_last = vec![0.0; self.last_at.len()];
        if !of_last.is_empty() {
            rows.forward(weights, &self.last, &mut of_last);
        }
        let mut next_values = values[self.worlds..].to_vec();
        for k in 0..n {
            if self.terminated[k] {
                next_values[k] = 0.0;
            }
        }
        for (k, value) in self.last_at.iter().zip(of_last) {
            next_values[*k] = value;
        }
        let course = Course {
            worlds: self.worlds,
            rewards: &self.rewards,
            values: &values[..n],
            next_values: &next_values,
            ended: &self.ended,
        };
        advantages(&course, discount, lambda, &mut self.advantages);
        for (k, to) in self.returns.iter_mut().enumerate() {
            *to = self.advantages[k] + values[k];
        }
    }

    /// The advantages of some samples, brought to mean 0 and spread 1.
    pub(super) fn normalised_advantages(&self, of: &[usize]) -> Vec<f32> {
        let rows = of.len() as f64;
        let given = || of.iter().map(|k| f64::from(self.advantages[*k]));
        let mean = given().sum::<f64>() / rows;
        let variance = given().map(|x| (x - mean).powi(2)).sum::<f64>() / rows;
        let scale = 1.0 / (variance.sqrt() + 1e-8);
        given().map(|x| ((x - mean) * scale) as f32).collect()
    }
}

#[cfg(test)]
mod tests {
    use gradbody_neural::Network;

    use super::*;

    /// V(o) = o. A world is truncated in its second step, with another last observation than the next start; another one
    /// terminates there.
    #[test]
    fn a_time_limit_counts_on_what_would_follow_and_a_termination_does_not() {
        let network = Network::perceptron(&[1, 1], gradbody_neural::Activation::Identity).unwrap();
        let weights = [1.0, 0.0];
        let mut rows = DenseRows::new(&network, "values").unwrap();
        let mut samples = Samples::new(3, 2, 1, 1);
        for step in 0..4 {
            samples.observations_of(step).copy_from_slice(&[step as f32, 10.0 + step as f32]);
        }
        for step in 0..3 {
            for world in 0..2 {
                samples.end(step, world, 1.0, step == 1, step == 1 && world == 1);
            }
        }
        samples.keep_last(1, 0, &Normaliser::new(1), &[7.0]);
        // With λ = 0 the return is r + γ V(s′).
        samples.judge(&mut rows, &weights, 0.5, 0.0);
        let expected = [1.0 + 0.5 * 1.0, 1.0 + 0.5 * 11.0, 1.0 + 0.5 * 7.0, 1.0, 2.5, 7.5];
        assert_eq!(samples.returns, expected);
    }
}
