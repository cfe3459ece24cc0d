//! Model-based policy optimisation [Janner et al. 2019].
//!
//! Models of the environment are learned from its samples ([`ensemble`]). From remembered observations they are rolled out
//! for a few steps under the policy; SAC learns from what is imagined, and from a few true samples.

mod ensemble;
mod options;

use gradbody_env::Description;
use gradbody_math::random::{Random, derived_seed};
use gradbody_sim::Precision;

use self::ensemble::{Ensemble, Prediction};
pub use self::options::{MbpoOptions, ModelOptions, RolloutLength};
use crate::sac::{Agent, Gatherer, Means, Minibatch, Replay, Sample, Widths, random_from};
use crate::worlds::diverged;
use crate::{Actor, Learner, Progress, SacOptions, Snapshot, TrainError};

/// MBPO with its worlds, in the precision `T` (f64 or f32).
#[derive(Debug)]
pub struct Mbpo<T> {
    options: MbpoOptions,
    sac: SacOptions,
    gatherer: Gatherer<T>,
    agent: Agent,
    replay: Replay,
    imagined: Replay,
    models: Ensemble,
    /// Samples at which the models are trained next.
    next_training: u64,
    random: Random,
    due: f64,
    batch: Minibatch,
}

/// Sequences of random numbers below the seed; those of SAC are elsewhere.
mod stream {
    pub(super) const MODELS: u64 = 20;
    pub(super) const DRAWN: u64 = 21;
}

impl<T: Precision> Mbpo<T> {
    /// Prepares worlds, networks and models.
    pub fn new(of: &Description, options: MbpoOptions) -> Result<Self, TrainError> {
        options.check()?;
        let sac = options.of_sac();
        let seed = |stream| derived_seed(options.seed, &[stream]);
        let widths =
            Widths { observation: of.n_observations(), action: of.n_actions(), q: 0, v: 0 };
        let longest = options.length.first.max(options.length.last);
        let room = options.rollouts * longest * options.kept;
        Ok(Mbpo {
            agent: Agent::new(of, &sac)?,
            gatherer: Gatherer::new(of, &sac)?,
            replay: Replay::new(sac.capacity, widths),
            imagined: Replay::new(room, widths),
            models: Ensemble::new(of, &options.models, seed(stream::MODELS))?,
            next_training: options.sac.random_samples as u64,
            random: Random::new(seed(stream::DRAWN)),
            due: 0.0,
            batch: Minibatch::new(widths),
            sac,
            options,
        })
    }

    /// Trains the models and rolls them out. Returns their error.
    fn imagine(&mut self) -> f64 {
        let error = self.models.train(self.replay.all());
        let samples = self.gatherer.worlds.samples();
        let (n, m) = (self.agent.actor.n_observations(), self.agent.actor.n_actions());
        let mut starts = Minibatch::new(self.replay.all().widths);
        self.replay.draw(self.options.rollouts, &mut self.random, &mut starts);
        let mut observations = starts.observations;
        let (mut actions, mut found) = (Vec::new(), Prediction::default());
        for _ in 0..self.options.length.after(samples) {
            if observations.is_empty() {
                break;
            }
            self.agent.draw(&observations, &mut actions);
            self.models.predict(&observations, &actions, &mut found);
            let mut rest = Vec::with_capacity(observations.len());
            for (row, reward) in found.rewards.iter().enumerate() {
                let next = &found.observations[row * n..(row + 1) * n];
                if !reward.is_finite() || next.iter().any(|x| !x.is_finite()) {
                    continue;
                }
                self.imagined.push(&Sample {
                    observation: &observations[row * n..(row + 1) * n],
                    action: &actions[row * m..(row + 1) * m],
                    reward: *reward,
                    next_observation: next,
                    terminated: found.terminated[row],
                    q: &[],
                    v: &[],
                });
                if !found.terminated[row] {
                    rest.extend_from_slice(next);
                }
            }
            observations = rest;
        }
        error
    }

    /// A minibatch of true and imagined samples.
    fn draw(&mut self) {
        let rows = self.sac.minibatch;
        let imagined = match self.imagined.len() {
            0 => 0,
            _ => (rows as f64 * self.options.imagined).round() as usize,
        };
        self.batch.clear();
        self.replay.draw(rows - imagined, &mut self.random, &mut self.batch);
        if imagined > 0 {
            self.imagined.draw(imagined, &mut self.random, &mut self.batch);
        }
    }
}

impl<T: Precision> Mbpo<T> {
    /// One iteration.
    fn iterate(&mut self) -> Result<Progress, TrainError> {
        let (mut progress, mut means) = (Progress::default(), Means::default());
        let mut error = None;
        while progress.samples < self.sac.samples as u64 {
            let before = progress.samples;
            self.gatherer.gather(&mut self.agent, &mut self.replay, &mut progress)?;
            if self.gatherer.is_random() {
                continue;
            }
            let samples = self.gatherer.worlds.samples();
            if samples >= self.next_training {
                error = Some(self.imagine());
                self.next_training = samples + self.options.models.every as u64;
                let trained = self.options.models.updates * self.options.models.members;
                progress.updates += trained as u64;
            }
            self.due += self.sac.updates_per_sample * (progress.samples - before) as f64;
            while self.due >= 1.0 {
                self.due -= 1.0;
                self.draw();
                let found = self.agent.update::<T>(&self.batch, None)?;
                means.add(&found, &mut progress);
            }
        }
        let samples = self.gatherer.worlds.samples();
        if !self.models.is_finite() {
            return Err(diverged(samples, "a weight of a learned model"));
        }
        means.finish(&self.agent, samples, &mut progress)?;
        progress.details.extend(error.map(|error| ("model error", error)));
        if !self.gatherer.is_random() {
            self.agent.actor.normaliser.settle();
        }
        Ok(progress)
    }
}

impl<T: Precision + Send> Learner for Mbpo<T> {
    fn advance(&mut self) -> Result<Progress, TrainError> {
        // On a thread of the pool from the first: each of many short parallel pieces would otherwise wake one up.
        rayon::scope(|_| self.iterate())
    }

    fn actor(&self) -> &Actor {
        &self.agent.actor
    }

    fn snapshot(&self) -> Snapshot {
        let mut to = Snapshot::default();
        self.gatherer.save(&mut to);
        self.agent.save(&mut to);
        self.replay.save("replay", &mut to);
        self.imagined.save("imagined", &mut to);
        self.models.save(&mut to);
        to.put("replay/random", self.random.state().to_vec());
        to.put("due", vec![self.due]);
        to.put("models/next", vec![self.next_training]);
        to
    }

    fn restore(&mut self, from: &Snapshot) -> Result<(), TrainError> {
        self.gatherer.restore(from)?;
        self.agent.restore(from)?;
        self.replay.restore("replay", from)?;
        self.imagined.restore("imagined", from)?;
        self.models.restore(from)?;
        self.random = random_from(from, "replay/random")?;
        self.due = from.number("due")?;
        self.next_training = from.number("models/next")?;
        Ok(())
    }
}
