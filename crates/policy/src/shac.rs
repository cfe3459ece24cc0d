//! Short-horizon actor-critic: the actor climbs the gradient of the simulation [Xu et al. 2022].
//!
//! Many worlds run for a short window with the actor in the loop. The gradient of the discounted return, with the
//! critic's value at the end, goes back through the simulation to the actor's weights. The critic then learns the values
//! of the observations in the window, from λ-returns of its slow copy. Worlds go on where the window ended.
//!
//! Gradients through contact are exact, but a few worlds may have very large ones. So the cotangents of each world are
//! limited to a multiple of their median over the worlds.

use gradbody_env::{Autoreset, Description, EnvBatch, EnvSnapshot, Window};
use gradbody_math::random::Random;
use gradbody_neural::Activation;
use gradbody_sim::Precision;
use serde::{Deserialize, Serialize};

use crate::critic::Fitting;
use crate::in_lanes::Gathered;
use crate::{
    Actor, ActorInWindow, Adam, AdamOptions, Critic, CriticInWindow, DenseRows, Head, Learner,
    Progress, Snapshot, Spread, TrainError, clip_norm,
};

/// Options of [`Shac`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ShacOptions {
    /// Seed of every random number.
    #[serde(skip)]
    pub seed: u64,
    /// Number of worlds.
    pub worlds: usize,
    /// Steps of the environment in a window.
    pub horizon: usize,
    /// Discount of a step.
    pub discount: f32,
    /// Weight of longer returns in the critic's targets.
    pub lambda: f32,
    /// Lengths of the actor's hidden layers.
    pub actor: Vec<usize>,
    /// Lengths of the critic's hidden layers.
    pub critic: Vec<usize>,
    /// Activation of the hidden layers of both.
    pub activation: Activation,
    /// Length of the actor's steps at the start.
    pub actor_rate: f32,
    /// Length of the critic's steps at the start.
    pub critic_rate: f32,
    /// Both lengths fall linearly to a tenth over so many samples; zero for never.
    pub annealed_over: f64,
    /// How often the critic sees each row of a window.
    pub critic_epochs: usize,
    /// Rows of a step of the critic.
    pub critic_batch: usize,
    /// The slow copy of the critic moves by this part of its distance to the critic, after each window.
    pub follow: f32,
    /// Largest norm of a gradient.
    pub clip: f32,
    /// The cotangents of a world are limited to so many times the median over the worlds.
    pub world_clip: f32,
    /// Standard deviation of actions at the start, as a part of half their range.
    pub deviation: f32,
    /// Whether the standard deviation is learnt too.
    pub learns_deviation: bool,
}

impl Default for ShacOptions {
    fn default() -> Self {
        ShacOptions {
            seed: 0,
            worlds: 128,
            horizon: 8,
            discount: 0.98,
            lambda: 0.95,
            actor: vec![64, 64],
            critic: vec![64, 64],
            activation: Activation::Elu,
            actor_rate: 2e-3,
            critic_rate: 2e-3,
            annealed_over: 0.0,
            critic_epochs: 4,
            critic_batch: 1024,
            follow: 0.5,
            clip: 1.0,
            world_clip: 4.0,
            deviation: 0.3,
            learns_deviation: true,
        }
    }
}

/// Adam's decays for the actor, shorter than usual, as in the published SHAC: gradients change fast.
const ACTOR_BETAS: (f32, f32) = (0.7, 0.95);
/// More samples of a window are a mistake.
const MOST_SAMPLES: usize = 10_000_000;
/// Range of the logarithm of a standard deviation.
const LOG_DEVIATION: (f32, f32) = (-3.0, 0.0);

/// Short-horizon actor-critic.
#[derive(Debug)]
pub struct Shac<T> {
    options: ShacOptions,
    worlds: EnvBatch<T>,
    actor: Actor,
    actor_rows: DenseRows,
    actor_adam: Adam,
    deviation_adam: Adam,
    critic: Critic,
    random: Random,
    samples: u64,
}

impl<T: Precision> Shac<T> {
    /// Prepares training in an environment that observes no forces.
    pub fn new(of: &Description, options: ShacOptions) -> Result<Self, TrainError> {
        options.check()?;
        let (n, seed) = (of.n_actions(), options.seed);
        let head = Head { spread: Spread::Shared(vec![options.deviation.ln(); n]), squashed: true };
        let actor = Actor::new(of, &options.actor, options.activation, head, seed)?;
        let adam = |learning_rate| AdamOptions { learning_rate, ..AdamOptions::default() };
        let critic = Critic::new(
            of.n_observations(),
            &options.critic,
            options.activation,
            1.0 / (1.0 - options.discount).max(1e-3),
            adam(options.critic_rate),
            seed ^ 1,
        )?;
        let (beta1, beta2) = ACTOR_BETAS;
        let of_actor = AdamOptions { beta1, beta2, ..adam(options.actor_rate) };
        let worlds = EnvBatch::with_description(of.clone(), options.worlds, seed, None)?
            .with_autoreset(Autoreset::Disabled);
        let mut learner = Shac {
            actor_rows: DenseRows::new(&actor.network, "actor")?,
            actor_adam: Adam::new(actor.weights.len(), of_actor),
            deviation_adam: Adam::new(n, of_actor),
            actor,
            critic,
            random: Random::derived(seed, &[2]),
            samples: 0,
            options,
            worlds,
        };
        learner.actor.normaliser.see(&learner.worlds.outcome().observations);
        Ok(learner)
    }

    /// The part of the learning rates that is left.
    fn annealed(&self) -> f32 {
        match self.options.annealed_over {
            over if over > 0.0 => (1.0 - self.samples as f64 / over).max(0.1) as f32,
            _ => 1.0,
        }
    }

    /// Improves the actor by the cotangents of its actions.
    fn improve_actor(&mut self, window: &Window, noise: &[f32], gathered: &mut Gathered) -> f32 {
        let Shac { options, actor, actor_rows, .. } = self;
        let (n, horizon) = (actor.n_actions(), options.horizon);
        limit_worlds(window, &mut gathered.action_bars, horizon * n, options.world_clip);
        let (mut gradient, mut deviations_bar) = gathered.gradient(actor, actor_rows, noise);
        // Adam minimises, so this is minus the mean return of a step.
        let factor = -1.0 / (options.worlds * horizon) as f32;
        gradient.iter_mut().chain(&mut deviations_bar).for_each(|x| *x *= factor);
        let norm = clip_norm(&mut gradient, options.clip);
        self.actor_adam.descend(&mut actor.weights, &gradient);
        if let Spread::Shared(logarithms) = &mut actor.head.spread
            && options.learns_deviation
        {
            clip_norm(&mut deviations_bar, options.clip);
            self.deviation_adam.descend(logarithms, &deviations_bar);
            let (least, most) = LOG_DEVIATION;
            logarithms.iter_mut().for_each(|x| *x = x.clamp(least, most));
        }
        norm
    }

    /// Fits the critic to the λ-returns of the window.
    fn fit_critic(&mut self, window: &Window, gathered: &Gathered) -> f64 {
        let Shac { options, actor, critic, random, .. } = self;
        let horizon = options.horizon;
        let n = actor.n_observations();
        let (mut values, mut end_values) = (Vec::new(), Vec::new());
        critic.slow_values(&gathered.observations, &mut values);
        let mut ends = vec![0.0; window.end_observations.len()];
        actor.normaliser.normalise(&window.end_observations, &mut ends);
        critic.slow_values(&ends, &mut end_values);
        let (mut x, mut targets) = (Vec::new(), Vec::new());
        for (world, length) in window.lengths.iter().enumerate() {
            let rewards = &window.rewards[world * horizon..(world + 1) * horizon];
            let found = targets.len();
            let mut next = if window.terminated[world] { 0.0 } else { end_values[world] };
            let mut target = next;
            for step in (0..*length).rev() {
                let to_come = (1.0 - options.lambda) * next + options.lambda * target;
                target = rewards[step] as f32 + options.discount * to_come;
                next = values[world * horizon + step];
                targets.push(target);
            }
            targets[found..].reverse();
            let rows = world * horizon * n..(world * horizon + length) * n;
            x.extend_from_slice(&gathered.observations[rows]);
        }
        let how = Fitting {
            epochs: options.critic_epochs,
            batch: options.critic_batch,
            clip: options.clip,
        };
        let error = critic.fit(&x, &targets, how, random);
        critic.follow(options.follow);
        error
    }
}

impl<T: Precision + Send> Learner for Shac<T> {
    fn advance(&mut self) -> Result<Progress, TrainError> {
        let ShacOptions { worlds, horizon, discount, actor_rate, critic_rate, .. } = self.options;
        self.actor_adam.options.learning_rate = actor_rate * self.annealed();
        self.critic.set_learning_rate(critic_rate * self.annealed());
        self.actor.normaliser.settle();
        let mut noise = vec![0.0; worlds * horizon * self.actor.n_actions()];
        noise.iter_mut().for_each(|x| *x = self.random.normal() as f32);
        let acting = ActorInWindow::new(&self.actor, &noise, horizon);
        let critic = CriticInWindow {
            network: &self.critic.network,
            weights: &self.critic.slow,
            normaliser: &self.actor.normaliser,
            scale: self.critic.scale,
        };
        let window = self.worlds.window(&&acting, &critic, horizon, f64::from(discount))?;
        let mut gathered = acting.gather();
        let seen: Vec<f64> = gathered.observations.iter().map(|x| f64::from(*x)).collect();
        self.actor.normaliser.normalise(&seen, &mut gathered.observations);
        let norm = self.improve_actor(&window, &noise, &mut gathered);
        let error = self.fit_critic(&window, &gathered);
        see_what_counts(&mut self.actor, &window, &seen, horizon);
        self.samples += (worlds * horizon) as u64;
        if !(self.actor.is_finite() && self.critic.is_finite()) {
            return Err(TrainError::NotFinite {
                samples: self.samples,
                what: "a weight",
                hint: "Try a smaller actor-rate or a shorter horizon.",
            });
        }
        let failed = window.failures.iter().filter(|failure| failure.is_some()).count();
        let counted: usize = window.lengths.iter().sum();
        let deviations = self.actor.deviations();
        let deviation = deviations.iter().sum::<f32>() / deviations.len() as f32;
        Ok(Progress {
            samples: (worlds * horizon) as u64,
            gradient_samples: counted as u64,
            updates: 1
                + (self.options.critic_epochs * counted.div_ceil(self.options.critic_batch)) as u64,
            returns: window.episodes.iter().map(|(sum, _)| *sum).collect(),
            details: vec![
                ("reward of a step", window.rewards.iter().sum::<f64>() / counted.max(1) as f64),
                ("norm of the gradient", f64::from(norm)),
                ("error of the critic", error.sqrt()),
                ("worlds without gradient", failed as f64),
                ("deviation", f64::from(deviation)),
            ],
        })
    }

    fn actor(&self) -> &Actor {
        &self.actor
    }

    fn snapshot(&self) -> Snapshot {
        let mut to = Snapshot::default();
        self.actor.save(&mut to);
        self.critic.save("critic", &mut to);
        self.actor_adam.save("actor/adam", &mut to);
        self.deviation_adam.save("deviation/adam", &mut to);
        let EnvSnapshot { numbers, counts } = self.worlds.snapshot();
        to.put("worlds/numbers", numbers);
        to.put("worlds/counts", counts);
        to.put("random", self.random.state().to_vec());
        to.put("samples", vec![self.samples]);
        to
    }

    fn restore(&mut self, from: &Snapshot) -> Result<(), TrainError> {
        self.worlds.restore(&EnvSnapshot {
            numbers: from.numbers("worlds/numbers")?.to_vec(),
            counts: from.numbers("worlds/counts")?.to_vec(),
        })?;
        self.actor.restore(from)?;
        self.critic.restore("critic", from)?;
        self.actor_adam.restore("actor/adam", from)?;
        self.deviation_adam.restore("deviation/adam", from)?;
        let mut state = [0; 4];
        from.fill("random", &mut state)?;
        self.random = Random::from_state(state);
        self.samples = from.number("samples")?;
        Ok(())
    }
}

/// Scales the cotangents of worlds down to `limit` times their median norm, and forgets those that are not finite and
/// those of worlds that failed.
fn limit_worlds(window: &Window, bars: &mut [f32], width: usize, limit: f32) {
    let rows = || bars.chunks_exact(width).zip(&window.failures);
    let mut norms: Vec<f32> = rows()
        .map(|(row, failure)| match failure {
            None => row.iter().map(|x| x * x).sum::<f32>().sqrt(),
            Some(_) => f32::NAN,
        })
        .collect();
    let mut sorted: Vec<f32> = norms.iter().copied().filter(|x| x.is_finite()).collect();
    sorted.sort_by(f32::total_cmp);
    let median = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
    for (row, norm) in bars.chunks_exact_mut(width).zip(&mut norms) {
        if !norm.is_finite() {
            row.fill(0.0);
        } else if *norm > limit * median {
            row.iter_mut().for_each(|x| *x *= limit * median / *norm);
        }
    }
}

/// Shows the normaliser the observations of steps that count.
fn see_what_counts(actor: &mut Actor, window: &Window, seen: &[f64], horizon: usize) {
    let n = actor.n_observations();
    for (world, length) in window.lengths.iter().enumerate() {
        let first = world * horizon * n;
        actor.normaliser.see(&seen[first..first + length * n]);
    }
}

impl ShacOptions {
    fn check(&self) -> Result<(), TrainError> {
        let positive = "it must be a positive number";
        let count = "it must be at least 1";
        let part = "it must be between 0 and 1";
        let counts = [
            ("worlds", self.worlds),
            ("horizon", self.horizon),
            ("critic-epochs", self.critic_epochs),
            ("critic-batch", self.critic_batch),
        ];
        if let Some((option, _)) = counts.into_iter().find(|(_, n)| *n == 0) {
            return Err(TrainError::Option { option, given: 0.0, needed: count });
        }
        if self.worlds.saturating_mul(self.horizon) > MOST_SAMPLES {
            let needed = "worlds × horizon must be at most 10 million";
            let given = self.horizon as f64;
            return Err(TrainError::Option { option: "horizon", given, needed });
        }
        let numbers = [
            ("actor-rate", self.actor_rate, positive),
            ("critic-rate", self.critic_rate, positive),
            ("clip", self.clip, positive),
            ("world-clip", self.world_clip, positive),
            ("deviation", self.deviation, positive),
            ("discount", self.discount, part),
            ("lambda", self.lambda, part),
            ("follow", self.follow, part),
        ];
        for (option, number, needed) in numbers {
            let in_range = match needed == part {
                true => (0.0..=1.0).contains(&number),
                false => number > 0.0 && number.is_finite(),
            };
            if !in_range {
                return Err(TrainError::Option { option, given: f64::from(number), needed });
            }
        }
        Ok(())
    }
}
