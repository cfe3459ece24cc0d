//! The worlds that a learner gathers samples in, with what it remembers of them.

use gradbody_env::{Autoreset, Description, EnvBatch, EnvSnapshot, Outcome};
use gradbody_sim::Precision;

use crate::{Progress, Snapshot, TrainError};

/// Worlds of an environment. A world whose episode ends starts anew in the same step.
#[derive(Debug)]
pub(crate) struct Worlds<T> {
    batch: EnvBatch<T>,
    /// Steps so far, over all worlds.
    samples: u64,
}

impl<T: Precision> Worlds<T> {
    pub(crate) fn new(
        description: &Description,
        worlds: usize,
        seed: u64,
    ) -> Result<Self, TrainError> {
        let batch = EnvBatch::with_description(description.clone(), worlds, seed, None)?
            .with_autoreset(Autoreset::SameStep);
        Ok(Worlds { batch, samples: 0 })
    }

    pub(crate) fn len(&self) -> usize {
        self.batch.len()
    }

    pub(crate) fn description(&self) -> &Description {
        self.batch.description()
    }

    /// Steps so far, over all worlds.
    pub(crate) fn samples(&self) -> u64 {
        self.samples
    }

    /// The present observations, (worlds, n_observations).
    pub(crate) fn observations(&self) -> &[f64] {
        &self.batch.outcome().observations
    }

    /// The present configurations and velocities, (worlds, nq) and (worlds, nv).
    pub(crate) fn states(&self) -> (Vec<f64>, Vec<f64>) {
        self.batch.states()
    }

    /// Takes a step in every world and counts it. Fails if an action is not finite.
    pub(crate) fn step(
        &mut self,
        actions: &[f64],
        progress: &mut Progress,
    ) -> Result<&Outcome, TrainError> {
        if actions.iter().any(|x| !x.is_finite()) {
            return Err(diverged(self.samples, "an action of the policy"));
        }
        let worlds = self.batch.len();
        self.samples += worlds as u64;
        progress.samples += worlds as u64;
        let outcome = self.batch.step(actions)?;
        for world in 0..worlds {
            if outcome.terminated[world] || outcome.truncated[world] {
                progress.returns.push(outcome.episode_returns[world]);
            }
        }
        if outcome.rewards.iter().any(|x| !x.is_finite()) {
            return Err(diverged(self.samples, "a reward"));
        }
        Ok(outcome)
    }

    pub(crate) fn save(&self, to: &mut Snapshot) {
        let EnvSnapshot { numbers, counts } = self.batch.snapshot();
        to.put("worlds/samples", vec![self.samples]);
        to.put("worlds/numbers", numbers);
        to.put("worlds/counts", counts);
    }

    pub(crate) fn restore(&mut self, from: &Snapshot) -> Result<(), TrainError> {
        let numbers = from.numbers("worlds/numbers")?.to_vec();
        let counts = from.numbers("worlds/counts")?.to_vec();
        self.batch.restore(&EnvSnapshot { numbers, counts })?;
        self.samples = from.number("worlds/samples")?;
        Ok(())
    }
}

/// The error of a number that is no longer finite.
pub(crate) fn diverged(samples: u64, what: &'static str) -> TrainError {
    let hint = "The training diverged: a smaller learning rate, normalised observations or a smaller discount may help.";
    TrainError::NotFinite { samples, what, hint }
}
