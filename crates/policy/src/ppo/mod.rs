//! Proximal policy optimisation [Schulman et al. 2017].
//!
//! An iteration runs all worlds for some steps with the noise of the policy, judges each action by how much better than
//! expected it went ([`advantages`]), and makes the better ones more likely in small steps: the probability of an
//! action counts only as far as it has changed by less than the clip.

mod advantages;
mod options;
mod reward_scale;
mod samples;

use gradbody_env::Description;
use gradbody_math::random::{Random, derived_seed};
use gradbody_sim::Precision;

pub use self::options::{LearningRate, PpoOptions};
use self::reward_scale::RewardScale;
use self::samples::Samples;
use crate::actor::{LOG_STD, perceptron};
use crate::orthogonal::orthogonal_weights;
use crate::worlds::{Worlds, diverged};
use crate::{
    Actor, Adam, DenseRows, Head, Learner, Progress, Snapshot, Spread, TrainError, clip_norm,
    gaussian,
};

/// PPO with its worlds, in the precision `T` (f64 or f32).
#[derive(Debug)]
pub struct Ppo<T> {
    options: PpoOptions,
    worlds: Worlds<T>,
    actor: Actor,
    actor_rows: DenseRows,
    actor_adam: Adam,
    std_adam: Adam,
    values_weights: Vec<f32>,
    values_rows: DenseRows,
    values_adam: Adam,
    reward_scale: RewardScale,
    random: Random,
    /// The present learning rate.
    rate: f32,
}

/// Sequences of random numbers below the seed.
mod stream {
    pub(super) const WORLDS: u64 = 0;
    pub(super) const LEARNER: u64 = 1;
    pub(super) const ACTOR: u64 = 2;
    pub(super) const VALUES: u64 = 3;
}

/// Range of an adaptive learning rate, and by how much it changes at a time.
const ADAPTIVE: (f32, f32, f32) = (1e-5, 1e-2, 1.5);

impl<T: Precision> Ppo<T> {
    /// Prepares worlds and networks.
    pub fn new(of: &Description, options: PpoOptions) -> Result<Self, TrainError> {
        options.check()?;
        let seed = |stream| derived_seed(options.seed, &[stream]);
        let worlds = Worlds::new(of, options.worlds, seed(stream::WORLDS))?;
        let actions = of.n_actions();
        let spread = Spread::Shared(vec![options.log_std; actions]);
        let head = Head { spread, squashed: false };
        let mut actor = Actor::new(of, &options.hidden, options.activation, head, 0)?;
        let hidden_gain = std::f64::consts::SQRT_2;
        actor.weights = orthogonal_weights(&actor.network, seed(stream::ACTOR), hidden_gain, 0.01);
        let values =
            perceptron("values", of.n_observations(), &options.hidden, 1, options.activation)?;
        let values_weights = orthogonal_weights(&values, seed(stream::VALUES), hidden_gain, 1.0);
        Ok(Ppo {
            actor_rows: DenseRows::new(&actor.network, "actor")?,
            actor_adam: Adam::new(actor.weights.len(), options.adam),
            std_adam: Adam::new(actions, options.adam),
            values_rows: DenseRows::new(&values, "values")?,
            values_adam: Adam::new(values_weights.len(), options.adam),
            reward_scale: RewardScale::new(options.worlds, f64::from(options.discount)),
            random: Random::new(seed(stream::LEARNER)),
            rate: options.adam.learning_rate,
            worlds,
            actor,
            values_weights,
            options,
        })
    }

    /// Logarithms of the standard deviations of actions.
    fn log_std(&self) -> &[f32] {
        match &self.actor.head.spread {
            Spread::Shared(logarithms) => logarithms,
            Spread::OfNetwork => &[],
        }
    }

    /// Runs the worlds.
    fn gather(&mut self, progress: &mut Progress) -> Result<Samples, TrainError> {
        let (worlds, n) = (self.worlds.len(), self.actor.n_observations());
        let actions = self.actor.n_actions();
        let mut samples = Samples::new(self.options.steps, worlds, n, actions);
        let mut means = vec![0.0; worlds * actions];
        let mut given = vec![0.0; worlds * actions];
        for step in 0..self.options.steps {
            self.actor.normaliser.see(self.worlds.observations());
            let normal = samples.observations_of(step);
            self.actor.normaliser.normalise(self.worlds.observations(), normal);
            self.actor_rows.forward(&self.actor.weights, normal, &mut means);
            let Spread::Shared(log_std) = &self.actor.head.spread else { continue };
            samples.draw(step, &means, log_std, &mut self.random);
            for (k, (to, u)) in given.iter_mut().zip(samples.actions_of(step)).enumerate() {
                *to = f64::from(self.actor.to_range(k % actions, u.clamp(-1.0, 1.0)));
            }
            let outcome = self.worlds.step(&given, progress)?;
            for world in 0..worlds {
                let (terminated, truncated) = (outcome.terminated[world], outcome.truncated[world]);
                let ended = terminated || truncated;
                let reward = outcome.rewards[world];
                let scaled = if self.options.scale_rewards {
                    self.reward_scale.see(world, reward, ended);
                    self.reward_scale.scaled(reward)
                } else {
                    reward as f32
                };
                let last = &outcome.final_observations[world * n..(world + 1) * n];
                let last = (truncated && !terminated).then_some(last);
                samples.end(step, world, scaled, ended, terminated);
                if let Some(last) = last {
                    samples.keep_last(step, world, &self.actor.normaliser, last);
                }
            }
        }
        let normal = samples.observations_of(self.options.steps);
        self.actor.normaliser.normalise(self.worlds.observations(), normal);
        samples.judge(
            &mut self.values_rows,
            &self.values_weights,
            self.options.discount,
            self.options.lambda,
        );
        Ok(samples)
    }

    /// One step of both optimisers on some of the samples. Returns the divergence from the policy that gathered them,
    /// and the loss of the values.
    fn update(&mut self, samples: &Samples, of: &[usize], work: &mut UpdateWork) -> (f64, f64) {
        let (rows, n, actions) = (of.len(), self.actor.n_observations(), self.actor.n_actions());
        work.observations.clear();
        for k in of {
            work.observations.extend_from_slice(samples.row(*k, n));
        }
        let advantage = samples.normalised_advantages(of);
        work.outputs.resize(rows * actions, 0.0);
        self.actor_rows.forward(&self.actor.weights, &work.observations, &mut work.outputs);
        work.outputs_bar.clear();
        work.std_bar.clear();
        work.std_bar.resize(actions, -self.options.entropy);
        let mut kl = 0.0;
        let log_std = self.log_std();
        let inverse: Vec<f32> = log_std.iter().map(|l| (-l).exp()).collect();
        for (row, k) in of.iter().enumerate() {
            let means = &work.outputs[row * actions..(row + 1) * actions];
            let drawn = samples.action(*k, actions);
            let mut ln_density = 0.0;
            for (i, (u, mean)) in drawn.iter().zip(means).enumerate() {
                ln_density += gaussian::ln_density((u - mean) * inverse[i], log_std[i]);
            }
            let difference = ln_density - samples.ln_density[*k];
            let ratio = difference.exp();
            kl += f64::from(ratio - 1.0 - difference);
            let advantage = advantage[row];
            let beyond = (advantage > 0.0 && ratio > 1.0 + self.options.clip)
                || (advantage < 0.0 && ratio < 1.0 - self.options.clip);
            let by_density = if beyond { 0.0 } else { -advantage * ratio / rows as f32 };
            for (i, (u, mean)) in drawn.iter().zip(means).enumerate() {
                let noise = (u - mean) * inverse[i];
                work.outputs_bar.push(by_density * noise * inverse[i]);
                work.std_bar[i] += by_density * (noise * noise - 1.0);
            }
        }
        work.weights_bar.clear();
        work.weights_bar.resize(self.actor.weights.len(), 0.0);
        let UpdateWork { outputs_bar, weights_bar, std_bar, .. } = &mut *work;
        self.actor_rows.backward(&self.actor.weights, outputs_bar, Some(weights_bar), None);
        let split = weights_bar.len();
        weights_bar.extend_from_slice(std_bar);
        clip_norm(weights_bar, self.options.longest_gradient);
        self.actor_adam.options.learning_rate = self.rate;
        self.std_adam.options.learning_rate = self.rate;
        self.actor_adam.descend(&mut self.actor.weights, &weights_bar[..split]);
        if let Spread::Shared(log_std) = &mut self.actor.head.spread {
            self.std_adam.descend(log_std, &weights_bar[split..]);
            log_std.iter_mut().for_each(|l| *l = l.clamp(LOG_STD.0, LOG_STD.1));
        }
        (kl / rows as f64, self.update_values(samples, of, work))
    }

    fn update_values(&mut self, samples: &Samples, of: &[usize], work: &mut UpdateWork) -> f64 {
        let rows = of.len();
        let UpdateWork { observations, outputs, outputs_bar, weights_bar, .. } = work;
        outputs.resize(rows, 0.0);
        self.values_rows.forward(&self.values_weights, observations, outputs);
        outputs_bar.clear();
        let mut loss = 0.0;
        for (value, k) in outputs.iter().zip(of) {
            let error = value - samples.returns[*k];
            loss += f64::from(error * error) / rows as f64;
            outputs_bar.push(error / rows as f32);
        }
        weights_bar.clear();
        weights_bar.resize(self.values_weights.len(), 0.0);
        self.values_rows.backward(&self.values_weights, outputs_bar, Some(weights_bar), None);
        clip_norm(weights_bar, self.options.longest_gradient);
        self.values_adam.options.learning_rate = self.rate;
        self.values_adam.descend(&mut self.values_weights, weights_bar);
        loss
    }

    /// The learning rate of the next iteration.
    fn change_rate(&mut self, kl: f64) {
        let first = self.options.adam.learning_rate;
        self.rate = match self.options.learning_rate {
            LearningRate::Constant => first,
            LearningRate::Falling { samples } => {
                let left = 1.0 - self.worlds.samples() as f64 / samples as f64;
                first * left.max(0.0) as f32
            }
            LearningRate::Adaptive { kl: wanted } => {
                let (least, most, by) = ADAPTIVE;
                let kl = kl as f32;
                let rate = if kl > 2.0 * wanted {
                    self.rate / by
                } else if kl < 0.5 * wanted {
                    self.rate * by
                } else {
                    self.rate
                };
                rate.clamp(least, most)
            }
        };
    }

    fn check_finite(&self, losses: f64) -> Result<(), TrainError> {
        let samples = self.worlds.samples();
        if !self.actor.is_finite() {
            return Err(diverged(samples, "a weight of the policy"));
        }
        if !losses.is_finite() || self.values_weights.iter().any(|x| !x.is_finite()) {
            return Err(diverged(samples, "a value or its loss"));
        }
        Ok(())
    }
}

/// Buffers of an update.
#[derive(Debug, Default)]
struct UpdateWork {
    observations: Vec<f32>,
    outputs: Vec<f32>,
    outputs_bar: Vec<f32>,
    weights_bar: Vec<f32>,
    std_bar: Vec<f32>,
}

impl<T: Precision> Ppo<T> {
    /// One iteration.
    fn iterate(&mut self) -> Result<Progress, TrainError> {
        let mut progress = Progress::default();
        let samples = self.gather(&mut progress)?;
        let mut order: Vec<usize> = (0..samples.len()).collect();
        let mut work = UpdateWork::default();
        let (mut kl, mut loss, mut updates) = (0.0, 0.0, 0_u32);
        for _ in 0..self.options.epochs {
            self.random.shuffle(&mut order);
            kl = 0.0;
            for of in order.chunks(self.options.minibatch) {
                let (divergence, error) = self.update(&samples, of, &mut work);
                kl += divergence * of.len() as f64 / order.len() as f64;
                loss += error;
                updates += 1;
            }
        }
        loss /= f64::from(updates);
        self.check_finite(kl + loss)?;
        self.change_rate(kl);
        self.actor.normaliser.settle();
        self.reward_scale.settle();
        progress.updates = 2 * u64::from(updates);
        let spread = self.log_std().iter().map(|l| f64::from(l.exp())).sum::<f64>();
        progress.details = vec![
            ("kl", kl),
            ("value loss", loss),
            ("spread", spread / self.actor.n_actions().max(1) as f64),
            ("learning rate", f64::from(self.rate)),
        ];
        Ok(progress)
    }
}

impl<T: Precision + Send> Learner for Ppo<T> {
    fn advance(&mut self) -> Result<Progress, TrainError> {
        // On a thread of the pool from the first: each of many short parallel pieces would otherwise wake one up.
        rayon::scope(|_| self.iterate())
    }

    fn actor(&self) -> &Actor {
        &self.actor
    }

    fn snapshot(&self) -> Snapshot {
        let mut to = Snapshot::default();
        self.worlds.save(&mut to);
        self.actor.save(&mut to);
        self.actor_adam.save("actor/adam", &mut to);
        self.std_adam.save("log-std/adam", &mut to);
        to.put("values/weights", self.values_weights.clone());
        self.values_adam.save("values/adam", &mut to);
        self.reward_scale.save(&mut to);
        to.put("random", self.random.state().to_vec());
        to.put("rate", vec![self.rate]);
        to
    }

    fn restore(&mut self, from: &Snapshot) -> Result<(), TrainError> {
        self.worlds.restore(from)?;
        self.actor.restore(from)?;
        self.actor_adam.restore("actor/adam", from)?;
        self.std_adam.restore("log-std/adam", from)?;
        from.fill("values/weights", &mut self.values_weights)?;
        self.values_adam.restore("values/adam", from)?;
        self.reward_scale.restore(from)?;
        let mut bits = [0; 4];
        from.fill("random", &mut bits)?;
        self.random = Random::from_state(bits);
        self.rate = from.number("rate")?;
        Ok(())
    }
}
