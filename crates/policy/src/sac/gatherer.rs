//! Worlds whose samples go into memory.

use gradbody_env::Description;
use gradbody_math::random::{Random, derived_seed};
use gradbody_sim::Precision;

use super::agent::Agent;
use super::replay::{Minibatch, Replay, Sample, Widths};
use super::sample_enhancement::Expansion;
use super::{SacOptions, random_from};
use crate::worlds::Worlds;
use crate::{Progress, Snapshot, TrainError};

/// Sequences of random numbers below the seed.
mod stream {
    pub(super) const WORLDS: u64 = 0;
    pub(super) const EXPANSION: u64 = 2;
    pub(super) const FIRST_ACTIONS: u64 = 3;
}

/// Worlds that act with the noise of a policy, and what they gave last.
#[derive(Debug)]
pub(crate) struct Gatherer<T> {
    pub(crate) worlds: Worlds<T>,
    /// The samples of the last step.
    fresh: Minibatch,
    random_samples: u64,
    /// For the random actions at the beginning.
    random: Random,
    expansion: Option<Expansion>,
    more: Minibatch,
    observations: Vec<f32>,
    next_observations: Vec<f32>,
    actions: Vec<f32>,
    given: Vec<f64>,
}

impl<T: Precision> Gatherer<T> {
    pub(crate) fn new(of: &Description, options: &SacOptions) -> Result<Self, TrainError> {
        let seed = |stream| derived_seed(options.seed, &[stream]);
        let (q, v) = (of.model.nq(), of.model.nv());
        let needs_states =
            options.policy_enhancement.is_some() || options.sample_enhancement.is_some();
        let (q, v) = if needs_states { (q, v) } else { (0, 0) };
        let widths = Widths { observation: of.n_observations(), action: of.n_actions(), q, v };
        let expansion = options.sample_enhancement;
        if expansion.is_some() {
            of.check_alone()?;
        }
        Ok(Gatherer {
            expansion: expansion.map(|by| Expansion::new(by, seed(stream::EXPANSION))),
            more: Minibatch::new(widths),
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

    /// Takes a step in every world. The samples, and those that follow from them by expansion, go into memory.
    pub(crate) fn gather(
        &mut self,
        agent: &mut Agent,
        replay: &mut Replay,
        progress: &mut Progress,
    ) -> Result<(), TrainError> {
        self.step(agent, progress)?;
        for k in 0..self.fresh.len() {
            replay.push(&self.fresh.sample(k));
        }
        if let Some(expansion) = &mut self.expansion {
            self.more.clear();
            let of = self.worlds.description();
            expansion.expand(of, &agent.actor, &self.fresh, &mut self.more)?;
            for k in 0..self.more.len() {
                replay.push(&self.more.sample(k));
            }
            progress.gradient_samples += self.fresh.len() as u64;
        }
        Ok(())
    }

    /// Takes a step in every world, and leaves the samples in `fresh`.
    fn step(&mut self, agent: &mut Agent, progress: &mut Progress) -> Result<(), TrainError> {
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
        if let Some(expansion) = &self.expansion {
            to.put("expansion/random", expansion.random_state().to_vec());
        }
    }

    pub(crate) fn restore(&mut self, from: &Snapshot) -> Result<(), TrainError> {
        self.worlds.restore(from)?;
        self.random = random_from(from, "first-actions/random")?;
        if let Some(expansion) = &mut self.expansion {
            expansion.set_random(random_from(from, "expansion/random")?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use gradbody_env::Environment;

    use super::*;

    /// Gathers so many steps of random actions and returns the last samples, with what is observed after them.
    fn last_of(environment: Environment, steps: usize) -> (Minibatch, Vec<f32>) {
        let of = environment.describe();
        let options = SacOptions { worlds: 3, hidden: vec![8], ..Default::default() };
        let mut agent = Agent::new(&of, &options).unwrap();
        let mut gatherer = Gatherer::<f64>::new(&of, &options).unwrap();
        let mut replay = Replay::new(1000, gatherer.fresh.widths);
        let mut progress = Progress::default();
        for _ in 0..steps {
            gatherer.gather(&mut agent, &mut replay, &mut progress).unwrap();
        }
        assert_eq!(replay.len(), 3 * steps);
        let after = gatherer.worlds.observations().iter().map(|x| *x as f32).collect();
        (gatherer.fresh, after)
    }

    /// The sample at a time limit leads to the end of its episode, not to the next start, and more may follow.
    #[test]
    fn a_time_limit_is_no_termination() {
        let steps = Environment::Reacher.describe().time_limit;
        let (fresh, after) = last_of(Environment::Reacher, steps);
        assert_eq!(fresh.terminated, [0.0; 3]);
        assert_ne!(fresh.next_observations, after);
        let (before, after) = last_of(Environment::Reacher, steps - 1);
        assert_eq!(before.next_observations, after);
        // What the last sample begins with is what the one before led to.
        assert_eq!(fresh.observations, after);
    }

    /// Under random actions the pole falls: then nothing follows.
    #[test]
    fn a_fall_is_a_termination() {
        let fell = (1..40)
            .any(|steps| last_of(Environment::InvertedPendulum, steps).0.terminated.contains(&1.0));
        assert!(fell);
    }
}
