//! Soft actor-critic [Haarnoja et al. 2018], with policy and sample enhancement as options [Qiao et al. 2021].
//!
//! All worlds act with the noise of the policy; what they do is remembered. For each sample some updates on samples that
//! are drawn from memory follow: critics towards what follows an action, the policy towards actions that the critics
//! find good and towards entropy.

mod agent;
mod critics;
mod options;
mod policy_enhancement;
mod replay;
mod sample_enhancement;

use gradbody_env::Description;
use gradbody_math::random::{Random, derived_seed};
use gradbody_sim::Precision;

pub(crate) use self::agent::{Agent, Found};
pub use self::options::{PolicyEnhancement, SacOptions, SampleEnhancement, Temperature};
use self::policy_enhancement::OneStep;
pub(crate) use self::replay::{Minibatch, Replay, Sample, Widths};
use self::sample_enhancement::Expansion;
use crate::worlds::{Worlds, diverged};
use crate::{Actor, Learner, Progress, Snapshot, TrainError};

/// SAC with its worlds, in the precision `T` (f64 or f32).
#[derive(Debug)]
pub struct Sac<T> {
    options: SacOptions,
    gatherer: Gatherer<T>,
    agent: Agent,
    replay: Replay,
    one_step: Option<OneStep<T>>,
    expansion: Option<Expansion>,
    /// For drawing minibatches.
    random: Random,
    /// Updates that are due.
    due: f64,
    batch: Minibatch,
}

/// Sequences of random numbers below the seed; those of the agent are elsewhere.
mod stream {
    pub(super) const WORLDS: u64 = 0;
    pub(super) const REPLAY: u64 = 1;
    pub(super) const EXPANSION: u64 = 2;
    pub(super) const FIRST_ACTIONS: u64 = 3;
}

impl<T: Precision> Sac<T> {
    /// Prepares worlds and networks.
    pub fn new(of: &Description, options: SacOptions) -> Result<Self, TrainError> {
        options.check()?;
        let seed = |stream| derived_seed(options.seed, &[stream]);
        let agent = Agent::new(of, &options)?;
        let enhancement = options.policy_enhancement.as_ref();
        let one_step = enhancement
            .map(|by| OneStep::new(of, &agent.actor, by, options.minibatch))
            .transpose()?;
        let (q, v) = (of.model.nq(), of.model.nv());
        let keeps_states = one_step.is_some() || options.sample_enhancement.is_some();
        let (observation, action) = (of.n_observations(), of.n_actions());
        let states = Widths { observation, action, q, v };
        let none = Widths { q: 0, v: 0, ..states };
        let replayed = if one_step.is_some() { states } else { none };
        let expansion = options.sample_enhancement;
        Ok(Sac {
            gatherer: Gatherer::new(of, &options, if keeps_states { states } else { none })?,
            replay: Replay::new(options.capacity, replayed),
            batch: Minibatch::new(replayed),
            expansion: expansion.map(|by| Expansion::new(by, seed(stream::EXPANSION))),
            random: Random::new(seed(stream::REPLAY)),
            due: 0.0,
            agent,
            one_step,
            options,
        })
    }

    /// A step of all worlds, into memory.
    fn gather(&mut self, progress: &mut Progress) -> Result<(), TrainError> {
        self.gatherer.step(&mut self.agent, progress)?;
        let fresh = &self.gatherer.fresh;
        for k in 0..fresh.len() {
            self.replay.push(&fresh.sample(k));
        }
        if let Some(expansion) = &mut self.expansion {
            let of = self.gatherer.worlds.description();
            let mut more = Minibatch::new(self.replay.all().widths);
            expansion.expand(of, &self.agent.actor, fresh, &mut more)?;
            for k in 0..more.len() {
                self.replay.push(&more.sample(k));
            }
            progress.gradient_samples += fresh.len() as u64;
        }
        Ok(())
    }
}

/// Worlds that act with the noise of a policy, and what they gave last.
#[derive(Debug)]
pub(crate) struct Gatherer<T> {
    pub(crate) worlds: Worlds<T>,
    /// The samples of the last step.
    pub(crate) fresh: Minibatch,
    random_samples: u64,
    /// For the random actions at the beginning.
    random: Random,
    observations: Vec<f32>,
    next_observations: Vec<f32>,
    actions: Vec<f32>,
    given: Vec<f64>,
}

impl<T: Precision> Gatherer<T> {
    pub(crate) fn new(
        of: &Description,
        options: &SacOptions,
        widths: Widths,
    ) -> Result<Self, TrainError> {
        let seed = |stream| derived_seed(options.seed, &[stream]);
        Ok(Gatherer {
            worlds: Worlds::new(of, options.worlds, seed(stream::WORLDS))?,
            fresh: Minibatch::new(widths),
            random_samples: options.random_samples as u64,
            random: Random::new(seed(stream::FIRST_ACTIONS)),
            observations: Vec::new(),
            next_observations: Vec::new(),
            actions: Vec::new(),
            given: Vec::new(),
        })
    }

    /// Whether actions still are random.
    pub(crate) fn is_random(&self) -> bool {
        self.worlds.samples() < self.random_samples
    }

    /// Takes a step in every world, and leaves the samples in `fresh`.
    pub(crate) fn step(
        &mut self,
        agent: &mut Agent,
        progress: &mut Progress,
    ) -> Result<(), TrainError> {
        let is_random = self.is_random();
        let Gatherer { worlds, fresh, observations, next_observations, actions, given, .. } = self;
        observations.clear();
        observations.extend(worlds.observations().iter().map(|x| *x as f32));
        agent.actor.normaliser.see(worlds.observations());
        let (n, m) = (agent.actor.n_observations(), agent.actor.n_actions());
        if is_random {
            actions.clear();
            actions.extend((0..worlds.len() * m).map(|_| self.random.signed() as f32));
        } else {
            agent.draw(observations, actions);
        }
        given.clear();
        let in_range = actions.iter().enumerate();
        given.extend(in_range.map(|(k, a)| f64::from(agent.actor.to_range(k % m, *a))));
        let (q, v) = match fresh.widths.q {
            0 => (Vec::new(), Vec::new()),
            _ => worlds.states(),
        };
        let (count, Widths { q: nq, v: nv, .. }) = (worlds.len(), fresh.widths);
        let outcome = worlds.step(given, progress)?;
        fresh.clear();
        for world in 0..count {
            let ended = outcome.terminated[world] || outcome.truncated[world];
            let next = if ended { &outcome.final_observations } else { &outcome.observations };
            next_observations.clear();
            next_observations.extend(next[world * n..(world + 1) * n].iter().map(|x| *x as f32));
            fresh.push(&Sample {
                observation: &observations[world * n..(world + 1) * n],
                action: &actions[world * m..(world + 1) * m],
                reward: outcome.rewards[world] as f32,
                next_observation: next_observations,
                terminated: outcome.terminated[world],
                q: &q[world * nq..(world + 1) * nq],
                v: &v[world * nv..(world + 1) * nv],
            });
        }
        if is_random && !self.is_random() {
            agent.actor.normaliser.settle();
        }
        Ok(())
    }

    pub(crate) fn save(&self, to: &mut Snapshot) {
        self.worlds.save(to);
        to.put("first-actions/random", self.random.state().to_vec());
    }

    pub(crate) fn restore(&mut self, from: &Snapshot) -> Result<(), TrainError> {
        self.worlds.restore(from)?;
        self.random = random_from(from, "first-actions/random")?;
        Ok(())
    }
}

/// The random numbers of a name go on.
pub(crate) fn random_from(from: &Snapshot, name: &str) -> Result<Random, TrainError> {
    let mut bits = [0; 4];
    from.fill(name, &mut bits)?;
    Ok(Random::from_state(bits))
}

/// Means over the updates of an iteration.
#[derive(Debug, Default)]
pub(crate) struct Means {
    count: u64,
    critic_loss: f64,
    value: f64,
    entropy: f64,
}

impl Means {
    pub(crate) fn add(&mut self, found: &Found, progress: &mut Progress) {
        self.count += 1;
        self.critic_loss += found.critic_loss;
        self.value += found.value;
        self.entropy += found.entropy;
        progress.gradient_samples += found.gradient_samples;
        // Policy and two critics.
        progress.updates += 3;
    }

    /// Writes them, and fails if one or a weight is no longer finite.
    pub(crate) fn finish(
        self,
        agent: &Agent,
        samples: u64,
        progress: &mut Progress,
    ) -> Result<(), TrainError> {
        if !agent.is_finite() || !(self.critic_loss + self.value + self.entropy).is_finite() {
            return Err(diverged(samples, "a weight of policy or critics, or a loss"));
        }
        if self.count > 0 {
            let count = self.count as f64;
            progress.details.extend([
                ("critic loss", self.critic_loss / count),
                ("value", self.value / count),
                ("entropy", self.entropy / count),
                ("temperature", f64::from(agent.temperature())),
            ]);
        }
        Ok(())
    }
}

impl<T: Precision + Send> Learner for Sac<T> {
    fn advance(&mut self) -> Result<Progress, TrainError> {
        let (mut progress, mut means) = (Progress::default(), Means::default());
        while progress.samples < self.options.samples as u64 {
            let learns = !self.gatherer.is_random();
            let before = progress.samples;
            self.gather(&mut progress)?;
            if !learns {
                continue;
            }
            self.due += self.options.updates_per_sample * (progress.samples - before) as f64;
            while self.due >= 1.0 {
                self.due -= 1.0;
                self.batch.clear();
                self.replay.draw(self.options.minibatch, &mut self.random, &mut self.batch);
                let found = self.agent.update(&self.batch, self.one_step.as_mut())?;
                means.add(&found, &mut progress);
            }
        }
        means.finish(&self.agent, self.gatherer.worlds.samples(), &mut progress)?;
        if !self.gatherer.is_random() {
            self.agent.actor.normaliser.settle();
        }
        Ok(progress)
    }

    fn actor(&self) -> &Actor {
        &self.agent.actor
    }

    fn snapshot(&self) -> Snapshot {
        let mut to = Snapshot::default();
        self.gatherer.save(&mut to);
        self.agent.save(&mut to);
        self.replay.save("replay", &mut to);
        to.put("replay/random", self.random.state().to_vec());
        to.put("due", vec![self.due]);
        if let Some(expansion) = &self.expansion {
            to.put("expansion/random", expansion.random_state().to_vec());
        }
        to
    }

    fn restore(&mut self, from: &Snapshot) -> Result<(), TrainError> {
        self.gatherer.restore(from)?;
        self.agent.restore(from)?;
        self.replay.restore("replay", from)?;
        self.random = random_from(from, "replay/random")?;
        self.due = from.number("due")?;
        if let Some(expansion) = &mut self.expansion {
            expansion.set_random(random_from(from, "expansion/random")?);
        }
        Ok(())
    }
}
