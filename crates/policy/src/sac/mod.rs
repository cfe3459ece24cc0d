//! Soft actor-critic [Haarnoja et al. 2018], with policy and sample enhancement as options [Qiao et al. 2021].
//!
//! All worlds act with the noise of the policy; what they do is remembered. For each sample some updates on samples that
//! are drawn from memory follow: critics towards what follows an action, the policy towards actions that the critics
//! find good and towards entropy.

mod agent;
mod critics;
mod gatherer;
mod means;
mod options;
mod policy_enhancement;
mod replay;
mod sample_enhancement;

use gradbody_env::Description;
use gradbody_math::random::{Random, derived_seed};
use gradbody_sim::Precision;

pub(crate) use self::agent::{Agent, side_by_side};
pub(crate) use self::gatherer::Gatherer;
pub(crate) use self::means::Means;
pub use self::options::{PolicyEnhancement, SacOptions, SampleEnhancement, Temperature};
use self::policy_enhancement::OneStep;
pub(crate) use self::replay::{Minibatch, Replay, Sample, Widths};
use crate::{Actor, Learner, Progress, Snapshot, TrainError};

/// SAC with its worlds, in the precision `T` (f64 or f32).
#[derive(Debug)]
pub struct Sac<T> {
    options: SacOptions,
    gatherer: Gatherer<T>,
    agent: Agent,
    replay: Replay,
    one_step: Option<OneStep<T>>,
    /// For drawing minibatches.
    random: Random,
    /// Updates that are due.
    due: f64,
    batch: Minibatch,
}

/// The sequence of random numbers that draws from memory; others are in `gatherer` and `agent`.
const STREAM: u64 = 1;

impl<T: Precision> Sac<T> {
    /// Prepares worlds and networks.
    pub fn new(of: &Description, options: SacOptions) -> Result<Self, TrainError> {
        options.check()?;
        let agent = Agent::new(of, &options)?;
        let enhancement = options.policy_enhancement.as_ref();
        let one_step = enhancement
            .map(|by| OneStep::new(of, &agent.actor, by, options.minibatch))
            .transpose()?;
        let (q, v) = (of.model.nq(), of.model.nv());
        let (observation, action) = (of.n_observations(), of.n_actions());
        let with_states = Widths { observation, action, q, v };
        let widths = match one_step {
            Some(_) => with_states,
            None => Widths { q: 0, v: 0, ..with_states },
        };
        Ok(Sac {
            gatherer: Gatherer::new(of, &options)?,
            replay: Replay::new(options.capacity, widths),
            batch: Minibatch::new(widths),
            random: Random::new(derived_seed(options.seed, &[STREAM])),
            due: 0.0,
            agent,
            one_step,
            options,
        })
    }
}

/// The random numbers of a name go on.
pub(crate) fn random_from(from: &Snapshot, name: &str) -> Result<Random, TrainError> {
    let mut bits = [0; 4];
    from.fill(name, &mut bits)?;
    Ok(Random::from_state(bits))
}

impl<T: Precision> Sac<T> {
    /// One iteration.
    fn iterate(&mut self) -> Result<Progress, TrainError> {
        let (mut progress, mut means) = (Progress::default(), Means::default());
        while progress.samples < self.options.samples as u64 {
            let learns = !self.gatherer.is_random();
            let before = progress.samples;
            self.gatherer.gather(&mut self.agent, &mut self.replay, &mut progress)?;
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
}

impl<T: Precision + Send> Learner for Sac<T> {
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
        to.put("replay/random", self.random.state().to_vec());
        to.put("due", vec![self.due]);
        to
    }

    fn restore(&mut self, from: &Snapshot) -> Result<(), TrainError> {
        self.gatherer.restore(from)?;
        self.agent.restore(from)?;
        self.replay.restore("replay", from)?;
        self.random = random_from(from, "replay/random")?;
        self.due = from.number("due")?;
        Ok(())
    }
}
