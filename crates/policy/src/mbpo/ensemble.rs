//! Learned models of an environment: from an observation and an action to the change of the observation, the reward, and
//! whether the episode terminates.
//!
//! Each model gives a normal distribution of changes and reward, whose variance it learns too [Chua et al. 2018]:
//!
//! ```text
//!   loss = Σ ½ ((y − μ)² e^(−l) + l) + ln(1 + e^z) − t z
//! ```
//! with the logarithm l of the variance, the logit z of a termination, and t = 1 where there was one. Inputs and targets
//! are brought to mean 0 and spread 1.

use gradbody_env::Description;
use gradbody_math::Scalar;
use gradbody_math::random::{Random, derived_seed};
use gradbody_neural::{Activation, Network};
use rayon::prelude::*;

use super::ModelOptions;
use crate::actor::{first_weights, perceptron};
use crate::sac::Minibatch;
use crate::{Adam, DenseRows, Snapshot, SnapshotError, TrainError};

/// Models that were trained on the same samples in other orders.
#[derive(Debug)]
pub(crate) struct Ensemble {
    options: ModelOptions,
    members: Vec<Member>,
    /// The best members, in the order of their errors.
    elites: Vec<usize>,
    inputs: Moments,
    targets: Moments,
    n_observations: usize,
    /// For splits, and for noise of predictions.
    random: Random,
}

/// One model.
#[derive(Debug)]
struct Member {
    weights: Vec<f32>,
    adam: Adam,
    rows: DenseRows,
    random: Random,
    /// Mean squared error of normalised targets on what was held out.
    error: f64,
}

/// Mean and spread of each number of rows.
#[derive(Clone, Debug, PartialEq)]
struct Moments {
    mean: Vec<f32>,
    spread: Vec<f32>,
}

/// Samples as a model sees them.
struct Data {
    /// Normalised, (rows, observation and action).
    inputs: Vec<f32>,
    /// Normalised, (rows, change of the observation and reward).
    targets: Vec<f32>,
    /// 1 or 0, (rows).
    terminated: Vec<f32>,
}

/// What is predicted for rows of observations and actions.
#[derive(Debug, Default)]
pub(crate) struct Prediction {
    pub(crate) observations: Vec<f32>,
    pub(crate) rewards: Vec<f32>,
    pub(crate) terminated: Vec<bool>,
}

/// Range of the logarithm of a variance of normalised targets.
const LOG_VARIANCE: (f32, f32) = (-10.0, 0.5);
/// Rows of a judgement, at most.
const JUDGED: usize = 2000;

impl Ensemble {
    pub(crate) fn new(
        of: &Description,
        options: &ModelOptions,
        seed: u64,
    ) -> Result<Self, TrainError> {
        let (n, m) = (of.n_observations(), of.n_actions());
        let outputs = 2 * (n + 1) + 1;
        let network = perceptron("model", n + m, &options.hidden, outputs, Activation::Silu)?;
        let member = |k: u64| Member::new(&network, derived_seed(seed, &[k]), options);
        Ok(Ensemble {
            members: (0..options.members as u64).map(member).collect::<Result<_, _>>()?,
            elites: (0..options.elites).collect(),
            inputs: Moments::none(n + m),
            targets: Moments::none(n + 1),
            n_observations: n,
            random: Random::derived(seed, &[u64::MAX]),
            options: options.clone(),
        })
    }

    /// Trains all members on these samples. Returns the mean error of the best ones on what is held out: 1 is that of
    /// models that know the means only.
    pub(crate) fn train(&mut self, samples: &Minibatch) -> f64 {
        let data = self.prepare(samples);
        let rows = samples.len();
        let mut order: Vec<usize> = (0..rows).collect();
        self.random.shuffle(&mut order);
        let held = ((rows as f64 * self.options.held_out) as usize).clamp(1, JUDGED);
        let (held, rest) = order.split_at(held.min(rows));
        let rest = if rest.is_empty() { held } else { rest };
        let ModelOptions { updates, minibatch, .. } = self.options;
        self.members.par_iter_mut().for_each(|member| {
            for _ in 0..updates {
                let of: Vec<usize> =
                    (0..minibatch).map(|_| rest[member.random.below(rest.len())]).collect();
                member.learn(&data, &of);
            }
            member.judge(&data, held);
        });
        let mut ranked: Vec<usize> = (0..self.members.len()).collect();
        ranked.sort_by(|a, b| self.members[*a].error.total_cmp(&self.members[*b].error));
        ranked.truncate(self.options.elites);
        self.elites = ranked;
        let errors = self.elites.iter().map(|k| self.members[*k].error);
        errors.sum::<f64>() / self.elites.len() as f64
    }

    /// Finds means and spreads, and normalises by them.
    fn prepare(&mut self, samples: &Minibatch) -> Data {
        let (n, m) = (self.n_observations, self.inputs.mean.len() - self.n_observations);
        let mut inputs = Vec::new();
        crate::sac::side_by_side(&samples.observations, n, &samples.actions, m, &mut inputs);
        let mut targets = Vec::with_capacity(samples.len() * (n + 1));
        for row in 0..samples.len() {
            let sample = samples.sample(row);
            let pairs = sample.next_observation.iter().zip(sample.observation);
            targets.extend(pairs.map(|(next, now)| next - now));
            targets.push(sample.reward);
        }
        self.inputs = Moments::of(&inputs, n + m);
        self.targets = Moments::of(&targets, n + 1);
        self.inputs.normalise(&mut inputs);
        self.targets.normalise(&mut targets);
        Data { inputs, targets, terminated: samples.terminated.clone() }
    }

    /// Draws what follows, each row by one of the best members.
    pub(crate) fn predict(&mut self, observations: &[f32], actions: &[f32], to: &mut Prediction) {
        let (n, width) = (self.n_observations, self.inputs.mean.len());
        let rows = observations.len() / n;
        let mut inputs = Vec::new();
        crate::sac::side_by_side(observations, n, actions, width - n, &mut inputs);
        self.inputs.normalise(&mut inputs);
        let chosen: Vec<usize> =
            (0..rows).map(|_| self.elites[self.random.below(self.elites.len())]).collect();
        let n_outputs = 2 * (n + 1) + 1;
        let mut outputs = vec![0.0; rows * n_outputs];
        for k in &self.elites {
            let of: Vec<usize> = (0..rows).filter(|row| chosen[*row] == *k).collect();
            let own: Vec<f32> = of
                .iter()
                .flat_map(|row| &inputs[row * width..(row + 1) * width])
                .copied()
                .collect();
            let mut found = vec![0.0; of.len() * n_outputs];
            let member = &mut self.members[*k];
            if !of.is_empty() {
                member.rows.forward(&member.weights, &own, &mut found);
            }
            for (row, found) in of.iter().zip(found.chunks_exact(n_outputs)) {
                outputs[row * n_outputs..(row + 1) * n_outputs].copy_from_slice(found);
            }
        }
        to.observations.clear();
        to.rewards.clear();
        to.terminated.clear();
        for (row, output) in outputs.chunks_exact(n_outputs).enumerate() {
            for k in 0..=n {
                let (log_variance, _) = bounded(output[n + 1 + k]);
                let noise = self.random.normal() as f32 * Scalar::exp(0.5 * log_variance);
                let change =
                    (output[k] + noise).mul_add(self.targets.spread[k], self.targets.mean[k]);
                match observations[row * n..(row + 1) * n].get(k) {
                    Some(x) => to.observations.push(x + change),
                    None => to.rewards.push(change),
                }
            }
            to.terminated.push(output[n_outputs - 1] > 0.0);
        }
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.members.iter().all(|member| member.weights.iter().all(|x| x.is_finite()))
    }

    pub(crate) fn save(&self, to: &mut Snapshot) {
        for (k, member) in self.members.iter().enumerate() {
            to.put(&format!("model-{k}/weights"), member.weights.clone());
            member.adam.save(&format!("model-{k}/adam"), to);
            to.put(&format!("model-{k}/random"), member.random.state().to_vec());
            to.put(&format!("model-{k}/error"), vec![member.error]);
        }
        to.put("models/elites", self.elites.iter().map(|k| *k as u64).collect());
        for (name, moments) in [("inputs", &self.inputs), ("targets", &self.targets)] {
            to.put(&format!("models/{name}/mean"), moments.mean.clone());
            to.put(&format!("models/{name}/spread"), moments.spread.clone());
        }
        to.put("models/random", self.random.state().to_vec());
    }

    pub(crate) fn restore(&mut self, from: &Snapshot) -> Result<(), SnapshotError> {
        let mut bits = [0; 4];
        for (k, member) in self.members.iter_mut().enumerate() {
            from.fill(&format!("model-{k}/weights"), &mut member.weights)?;
            member.adam.restore(&format!("model-{k}/adam"), from)?;
            from.fill(&format!("model-{k}/random"), &mut bits)?;
            member.random = Random::from_state(bits);
            member.error = from.number(&format!("model-{k}/error"))?;
        }
        let mut elites = vec![0_u64; self.elites.len()];
        from.fill("models/elites", &mut elites)?;
        if let Some(k) = elites.iter().find(|k| **k >= self.members.len() as u64) {
            let why = format!("names model {k}, but there are {}", self.members.len());
            return Err(SnapshotError { name: "models/elites".into(), why });
        }
        self.elites = elites.into_iter().map(|k| k as usize).collect();
        for (name, moments) in [("inputs", &mut self.inputs), ("targets", &mut self.targets)] {
            from.fill(&format!("models/{name}/mean"), &mut moments.mean)?;
            from.fill(&format!("models/{name}/spread"), &mut moments.spread)?;
        }
        from.fill("models/random", &mut bits)?;
        self.random = Random::from_state(bits);
        Ok(())
    }
}

impl Member {
    fn new(network: &Network, seed: u64, options: &ModelOptions) -> Result<Self, TrainError> {
        let weights = first_weights(network, seed, 1.0);
        Ok(Member {
            adam: Adam::new(weights.len(), options.adam),
            rows: DenseRows::new(network, "model")?,
            random: Random::derived(seed, &[1]),
            error: 0.0,
            weights,
        })
    }

    fn run(&mut self, data: &Data, of: &[usize]) -> Vec<f32> {
        let width = data.inputs.len() / data.terminated.len();
        let inputs: Vec<f32> = of
            .iter()
            .flat_map(|row| &data.inputs[row * width..(row + 1) * width])
            .copied()
            .collect();
        let mut outputs = vec![0.0; of.len() * self.rows.n_outputs()];
        self.rows.forward(&self.weights, &inputs, &mut outputs);
        outputs
    }

    /// One step on some of the samples.
    fn learn(&mut self, data: &Data, of: &[usize]) {
        let mut bars = self.run(data, of);
        let n_outputs = self.rows.n_outputs();
        let targets = data.targets.len() / data.terminated.len();
        let part = 1.0 / of.len() as f32;
        for (row, output) in of.iter().zip(bars.chunks_exact_mut(n_outputs)) {
            for k in 0..targets {
                let (log_variance, slope) = bounded(output[targets + k]);
                let precision = Scalar::exp(-log_variance);
                let error = output[k] - data.targets[row * targets + k];
                output[k] = part * error * precision;
                output[targets + k] = part * 0.5 * (1.0 - error * error * precision) * slope;
            }
            let logit = &mut output[n_outputs - 1];
            *logit = part * (Activation::Sigmoid.value(*logit) - data.terminated[*row]);
        }
        let mut weights_bar = vec![0.0; self.weights.len()];
        self.rows.backward(&self.weights, &bars, Some(&mut weights_bar), None);
        self.adam.descend(&mut self.weights, &weights_bar);
    }

    fn judge(&mut self, data: &Data, of: &[usize]) {
        let outputs = self.run(data, of);
        let targets = data.targets.len() / data.terminated.len();
        let mut sum = 0.0;
        for (row, output) in of.iter().zip(outputs.chunks_exact(self.rows.n_outputs())) {
            for k in 0..targets {
                sum += f64::from(output[k] - data.targets[row * targets + k]).powi(2);
            }
        }
        self.error = sum / (of.len() * targets) as f64;
    }
}

/// The logarithm of a variance within its range, and how it grows with the network's output.
fn bounded(output: f32) -> (f32, f32) {
    let (low, high) = LOG_VARIANCE;
    let softplus = |x: f32| Activation::Softplus.value(x);
    let sigmoid = |x: f32| Activation::Sigmoid.value(x);
    let below = high - softplus(high - output);
    (low + softplus(below - low), sigmoid(high - output) * sigmoid(below - low))
}

impl Moments {
    fn none(width: usize) -> Self {
        Moments { mean: vec![0.0; width], spread: vec![1.0; width] }
    }

    fn of(rows: &[f32], width: usize) -> Self {
        let count = (rows.len() / width).max(1) as f64;
        let mut moments = Moments::none(width);
        for k in 0..width {
            let numbers = || rows.iter().skip(k).step_by(width).map(|x| f64::from(*x));
            let mean = numbers().sum::<f64>() / count;
            let variance = numbers().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
            moments.mean[k] = mean as f32;
            // What never changes is left as it is.
            moments.spread[k] = if variance > 1e-16 { variance.sqrt() as f32 } else { 1.0 };
        }
        moments
    }

    fn normalise(&self, rows: &mut [f32]) {
        for row in rows.chunks_exact_mut(self.mean.len()) {
            for (x, (mean, spread)) in row.iter_mut().zip(self.mean.iter().zip(&self.spread)) {
                *x = (*x - mean) / spread;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gradbody_env::Environment;

    use super::*;
    use crate::sac::{Sample, Widths};

    /// Slopes of the bounded logarithm against differences, and its range.
    #[test]
    fn variances_stay_in_their_range() {
        for x in [-30.0_f32, -9.0, -1.0, 0.4, 5.0] {
            let h = 1e-2;
            let (value, slope) = bounded(x);
            assert!((LOG_VARIANCE.0..=LOG_VARIANCE.1).contains(&value), "{x}: {value}");
            let difference = (bounded(x + h).0 - bounded(x - h).0) / (2.0 * h);
            assert!((slope - difference).abs() < 1e-3, "{x}: {slope} {difference}");
        }
    }

    /// A made-up world that follows a simple law with noise of a known size: the models find both.
    #[test]
    fn models_find_a_law_and_its_noise() {
        let of = Environment::InvertedPendulum.describe();
        let options = ModelOptions {
            members: 2,
            elites: 1,
            hidden: vec![32, 32],
            updates: 1500,
            minibatch: 64,
            ..Default::default()
        };
        let widths = Widths { observation: 4, action: 1, q: 0, v: 0 };
        let (mut random, noise) = (Random::new(3), 0.05);
        let next = |x: &[f32], a: f32| [x[0] + 0.5 * x[1], x[1] + a, x[2] * 0.5, -x[3]];
        let mut samples = Minibatch::new(widths);
        for _ in 0..2000 {
            let numbers = random.numbers(5);
            let x: Vec<f32> = numbers.iter().map(|x| *x as f32).collect();
            let mut after = next(&x[..4], x[4]);
            after.iter_mut().for_each(|x| *x += (noise * random.normal()) as f32);
            samples.push(&Sample {
                observation: &x[..4],
                action: &x[4..],
                reward: x[0] - x[4],
                next_observation: &after,
                terminated: x[2] > 0.5,
                q: &[],
                v: &[],
            });
        }
        let mut models = Ensemble::new(&of, &options, 1).unwrap();
        let error = models.train(&samples);
        // The noise is a tenth of the spread of changes or less.
        assert!(error < 0.03, "{error}");
        let (x, a) = ([0.3_f32, -0.2, 0.7, 0.1], 0.4_f32);
        let rows = 400;
        let mut found = Prediction::default();
        models.predict(&x.repeat(rows), &[a].repeat(rows), &mut found);
        let expected = next(&x, a);
        for k in 0..4 {
            let of = || found.observations.iter().skip(k).step_by(4).map(|x| f64::from(*x));
            let mean = of().sum::<f64>() / rows as f64;
            let spread = (of().map(|x| (x - mean).powi(2)).sum::<f64>() / rows as f64).sqrt();
            assert!((mean - f64::from(expected[k])).abs() < 0.05, "{k}: {mean}");
            assert!((0.5 * noise..2.0 * noise).contains(&spread), "{k}: {spread}");
        }
        assert!((found.rewards[0] - (x[0] - a)).abs() < 0.1, "{}", found.rewards[0]);
        assert!(found.terminated.iter().all(|terminated| *terminated));
    }
}
