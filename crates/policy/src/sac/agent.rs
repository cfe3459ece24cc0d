//! Policy, critics and temperature, and one update of all of them on a minibatch.

use gradbody_env::Description;
use gradbody_math::random::{Random, derived_seed};
use gradbody_neural::Activation;
use gradbody_sim::Precision;

use super::critics::Critics;
use super::policy_enhancement::OneStep;
use super::replay::Minibatch;
use super::{SacOptions, Temperature};
use crate::actor::LOG_STD;
use crate::gaussian::Squashed;
use crate::{Actor, Adam, DenseRows, Head, Snapshot, Spread, TrainError};

/// Everything of SAC that learns, apart from worlds and samples.
#[derive(Debug)]
pub(crate) struct Agent {
    pub(crate) actor: Actor,
    rows: DenseRows,
    adam: Adam,
    critics: Critics,
    log_temperature: f32,
    temperature_adam: Adam,
    temperature: Temperature,
    discount: f32,
    tracking: f32,
    reward_scale: f32,
    random: Random,
    work: Work,
}

/// What an update found.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Found {
    /// Mean squared error of the critics.
    pub(crate) critic_loss: f64,
    /// Mean value of the policy's actions, where the critics were asked for it.
    pub(crate) value: f64,
    /// Mean entropy of actions, estimated.
    pub(crate) entropy: f64,
    /// Steps of the simulation that were differentiated.
    pub(crate) gradient_samples: u64,
}

/// Buffers of an update.
#[derive(Debug, Default)]
struct Work {
    observations: Vec<f32>,
    inputs: Vec<f32>,
    outputs: Vec<f32>,
    outputs_bar: Vec<f32>,
    drawn: Vec<Squashed>,
    actions: Vec<f32>,
    ln_densities: Vec<f32>,
    values: Vec<f32>,
    slopes: Vec<f32>,
    by_action: Vec<f32>,
    targets: Vec<f32>,
    weights_bar: Vec<f32>,
}

/// Sequences of random numbers below the seed; those of worlds and samples are elsewhere.
mod stream {
    pub(super) const AGENT: u64 = 10;
    pub(super) const ACTOR: u64 = 11;
    pub(super) const CRITICS: [u64; 2] = [12, 13];
}

impl Agent {
    pub(crate) fn new(of: &Description, options: &SacOptions) -> Result<Self, TrainError> {
        let seed = |stream| derived_seed(options.seed, &[stream]);
        let head = Head { spread: Spread::OfNetwork, squashed: true };
        let actor = Actor::new(of, &options.hidden, Activation::Relu, head, seed(stream::ACTOR))?;
        let temperature = match options.temperature {
            Temperature::Fixed(temperature) => temperature,
            Temperature::Learnt | Temperature::ForEntropy(_) => 1.0,
        };
        Ok(Agent {
            rows: DenseRows::new(&actor.network, "actor")?,
            adam: Adam::new(actor.weights.len(), options.adam),
            critics: Critics::new(
                of.n_observations(),
                of.n_actions(),
                &options.hidden,
                stream::CRITICS.map(seed),
                options.adam,
            )?,
            log_temperature: temperature.ln(),
            temperature_adam: Adam::new(1, options.adam),
            temperature: options.temperature,
            discount: options.discount,
            tracking: options.tracking,
            reward_scale: options.reward_scale,
            random: Random::new(seed(stream::AGENT)),
            work: Work::default(),
            actor,
        })
    }

    pub(crate) fn temperature(&self) -> f32 {
        self.log_temperature.exp()
    }

    /// Draws actions in ±1, (rows, actions), for observations, (rows, n_observations).
    pub(crate) fn draw(&mut self, observations: &[f32], actions: &mut Vec<f32>) {
        let mut normal = core::mem::take(&mut self.work.observations);
        normal.resize(observations.len(), 0.0);
        self.actor.normaliser.normalise_single(observations, &mut normal);
        self.act(&normal);
        actions.clone_from(&self.work.actions);
        self.work.observations = normal;
    }

    /// Draws actions for normalised observations: `drawn`, `actions` and `ln_densities` of the buffers.
    fn act(&mut self, normal: &[f32]) {
        let actions = self.actor.n_actions();
        let rows = normal.len() / self.actor.n_observations();
        let Work { outputs, drawn, actions: to, ln_densities, .. } = &mut self.work;
        outputs.resize(rows * 2 * actions, 0.0);
        self.rows.forward(&self.actor.weights, normal, outputs);
        drawn.clear();
        to.clear();
        ln_densities.clear();
        for row in outputs.chunks_exact(2 * actions) {
            let (means, log_stds) = row.split_at(actions);
            let mut ln_density = 0.0;
            for (mean, l) in means.iter().zip(log_stds) {
                let noise = self.random.normal() as f32;
                let number = Squashed::new(*mean, l.clamp(LOG_STD.0, LOG_STD.1), noise);
                ln_density += number.ln_density;
                to.push(number.action);
                drawn.push(number);
            }
            ln_densities.push(ln_density);
        }
    }

    /// One update of critics, policy and temperature. With `one_step` the policy climbs through a step of the
    /// simulation from the states of the first samples of the batch, and learns from these alone.
    pub(crate) fn update<T: Precision>(
        &mut self,
        batch: &Minibatch,
        one_step: Option<&mut OneStep<T>>,
    ) -> Result<Found, TrainError> {
        let mut found = Found { critic_loss: self.learn_values(batch), ..Default::default() };
        let mut normal = core::mem::take(&mut self.work.observations);
        let n = self.actor.n_observations();
        let rows = one_step.as_ref().map_or(batch.len(), |step| step.rows().min(batch.len()));
        normal.resize(rows * n, 0.0);
        self.actor.normaliser.normalise_single(&batch.observations[..rows * n], &mut normal);
        self.act(&normal);
        let actions = self.actor.n_actions();
        match one_step {
            None => self.critic_slopes(&normal),
            Some(one_step) => {
                let scales = (self.discount, self.reward_scale);
                let own = &self.work.actions;
                let through =
                    one_step.slopes(&self.actor, &mut self.critics, batch, own, scales)?;
                found.gradient_samples = rows as u64;
                if through.failed.contains(&true) {
                    // Where the simulation has no answer, the critics have one.
                    self.critic_slopes(&normal);
                }
                let Work { by_action, values, .. } = &mut self.work;
                by_action.resize(rows * actions, 0.0);
                for row in (0..rows).filter(|row| !through.failed[*row]) {
                    let place = row * actions..(row + 1) * actions;
                    by_action[place.clone()].copy_from_slice(&through.by_action[place]);
                }
                values.clone_from(&through.values);
            }
        }
        found.value = mean(&self.work.values);
        found.entropy = -mean(&self.work.ln_densities);
        self.climb(rows);
        self.work.observations = normal;
        self.learn_temperature(found.entropy as f32);
        self.critics.track(self.tracking);
        Ok(found)
    }

    /// The slopes of the critics with respect to the actions that were drawn for normalised observations.
    fn critic_slopes(&mut self, normal: &[f32]) {
        let (n, m) = (self.actor.n_observations(), self.actor.n_actions());
        let Work { inputs, values, slopes, by_action, actions, .. } = &mut self.work;
        side_by_side(normal, n, actions, m, inputs);
        self.critics.slopes(inputs, values, slopes);
        by_action.clear();
        slopes.chunks_exact(n + m).for_each(|row| by_action.extend(&row[n..]));
    }

    /// Moves the critics towards r + γ (Q(s′, a′) − α ln p(a′)). Returns their loss.
    fn learn_values(&mut self, batch: &Minibatch) -> f64 {
        let (n, actions) = (self.actor.n_observations(), self.actor.n_actions());
        let mut normal = core::mem::take(&mut self.work.observations);
        normal.resize(batch.next_observations.len(), 0.0);
        self.actor.normaliser.normalise_single(&batch.next_observations, &mut normal);
        self.act(&normal);
        let temperature = self.temperature();
        let Work { inputs, actions: next, values, targets, ln_densities, .. } = &mut self.work;
        side_by_side(&normal, n, next, actions, inputs);
        self.critics.slow_values(inputs, values);
        targets.clear();
        for (k, reward) in batch.rewards.iter().enumerate() {
            let later = values[k] - temperature * ln_densities[k];
            let goes_on = self.discount * (1.0 - batch.terminated[k]);
            targets.push(goes_on.mul_add(later, self.reward_scale * reward));
        }
        self.actor.normaliser.normalise_single(&batch.observations, &mut normal);
        side_by_side(&normal, n, &batch.actions, actions, inputs);
        let loss = self.critics.learn(inputs, targets);
        self.work.observations = normal;
        loss
    }

    /// Moves the policy along the slopes `by_action` and towards entropy.
    fn climb(&mut self, rows: usize) {
        let actions = self.actor.n_actions();
        let temperature = self.temperature();
        let Work { outputs, outputs_bar, drawn, by_action, weights_bar, .. } = &mut self.work;
        outputs_bar.clear();
        outputs_bar.resize(rows * 2 * actions, 0.0);
        let part = 1.0 / rows as f32;
        for row in 0..rows {
            for k in 0..actions {
                let (at, l_at) = (row * 2 * actions + k, row * 2 * actions + actions + k);
                let number = &drawn[row * actions + k];
                let (by_mean, by_log_std) =
                    number.slopes(temperature, by_action[row * actions + k]);
                outputs_bar[at] = part * by_mean;
                let within = outputs[l_at] > LOG_STD.0 && outputs[l_at] < LOG_STD.1;
                outputs_bar[l_at] = if within { part * by_log_std } else { 0.0 };
            }
        }
        weights_bar.clear();
        weights_bar.resize(self.actor.weights.len(), 0.0);
        self.rows.backward(&self.actor.weights, outputs_bar, Some(weights_bar), None);
        self.adam.descend(&mut self.actor.weights, weights_bar);
    }

    fn learn_temperature(&mut self, entropy: f32) {
        let wanted = match self.temperature {
            Temperature::Fixed(_) => return,
            Temperature::Learnt => -(self.actor.n_actions() as f32),
            Temperature::ForEntropy(wanted) => wanted,
        };
        let slope = [entropy - wanted];
        let mut logarithm = [self.log_temperature];
        self.temperature_adam.descend(&mut logarithm, &slope);
        [self.log_temperature] = logarithm;
    }

    /// Policy and critics, for tests of what reads them.
    #[cfg(test)]
    pub(crate) fn parts(&mut self) -> (&Actor, &mut Critics) {
        (&self.actor, &mut self.critics)
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.actor.is_finite() && self.critics.is_finite() && self.log_temperature.is_finite()
    }

    pub(crate) fn save(&self, to: &mut Snapshot) {
        self.actor.save(to);
        self.adam.save("actor/adam", to);
        self.critics.save(to);
        to.put("temperature/logarithm", vec![self.log_temperature]);
        self.temperature_adam.save("temperature/adam", to);
        to.put("agent/random", self.random.state().to_vec());
    }

    pub(crate) fn restore(&mut self, from: &Snapshot) -> Result<(), TrainError> {
        self.actor.restore(from)?;
        self.adam.restore("actor/adam", from)?;
        self.critics.restore(from)?;
        self.log_temperature = from.number("temperature/logarithm")?;
        self.temperature_adam.restore("temperature/adam", from)?;
        let mut bits = [0; 4];
        from.fill("agent/random", &mut bits)?;
        self.random = Random::from_state(bits);
        Ok(())
    }
}

/// Writes rows of `a`, each followed by the row of `b`.
pub(crate) fn side_by_side(a: &[f32], n_a: usize, b: &[f32], n_b: usize, to: &mut Vec<f32>) {
    to.clear();
    for (a, b) in a.chunks_exact(n_a).zip(b.chunks_exact(n_b)) {
        to.extend_from_slice(a);
        to.extend_from_slice(b);
    }
}

fn mean(numbers: &[f32]) -> f64 {
    numbers.iter().map(|x| f64::from(*x)).sum::<f64>() / numbers.len().max(1) as f64
}
