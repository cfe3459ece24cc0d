//! Options of MBPO.

use serde::{Deserialize, Serialize};

use crate::{AdamOptions, SacOptions, TrainError};

/// Options of [`Mbpo`](crate::Mbpo). The defaults are those of the publication, apart from the budgets: it trains its models
/// until they no longer improve, and rolls out 400 times for each sample; here both are fixed numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MbpoOptions {
    /// Seed of everything that is drawn, in place of that of `sac`.
    #[serde(skip)]
    pub seed: u64,
    /// Updates of policy and critics for each sample, in place of that of `sac`.
    pub updates_per_sample: f64,
    /// The learner on true and imagined samples. Policy enhancement is not possible: imagined samples have no states.
    pub sac: SacOptions,
    /// The learned models.
    pub models: ModelOptions,
    /// Rollouts after each training of the models.
    pub rollouts: usize,
    /// How long they are.
    pub length: RolloutLength,
    /// Rollouts of so many trainings are remembered.
    pub kept: usize,
    /// Part of each minibatch that is imagined.
    pub imagined: f64,
}

/// Options of the learned models.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ModelOptions {
    /// Number of models.
    pub members: usize,
    /// How many of them, the best, are rolled out.
    pub elites: usize,
    /// Their hidden layers, followed by x / (1 + e⁻ˣ).
    pub hidden: Vec<usize>,
    /// How they are trained.
    pub adam: AdamOptions,
    /// Samples between two trainings.
    pub every: usize,
    /// Steps of the optimiser of each model in a training.
    pub updates: usize,
    /// Samples of such a step.
    pub minibatch: usize,
    /// Part of the samples that only judge the models.
    pub held_out: f64,
}

/// Steps of a rollout. They grow in a straight line while samples come in.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RolloutLength {
    /// At first.
    pub first: usize,
    /// In the end.
    pub last: usize,
    /// Samples after which they begin to grow.
    pub from: u64,
    /// Samples after which they no longer do.
    pub to: u64,
}

impl RolloutLength {
    /// The length after so many samples.
    pub(crate) fn after(&self, samples: u64) -> usize {
        let span = self.to.saturating_sub(self.from).max(1) as f64;
        let part = (samples.saturating_sub(self.from) as f64 / span).min(1.0);
        let length = self.first as f64 + part * (self.last as f64 - self.first as f64);
        length as usize
    }
}

impl Default for RolloutLength {
    /// One step, always.
    fn default() -> Self {
        RolloutLength { first: 1, last: 1, from: 20_000, to: 100_000 }
    }
}

impl Default for ModelOptions {
    fn default() -> Self {
        ModelOptions {
            members: 7,
            elites: 5,
            hidden: vec![200; 4],
            adam: AdamOptions { learning_rate: 1e-3, ..Default::default() },
            every: 250,
            updates: 100,
            minibatch: 256,
            held_out: 0.2,
        }
    }
}

impl Default for MbpoOptions {
    fn default() -> Self {
        MbpoOptions {
            seed: 0,
            updates_per_sample: 20.0,
            sac: SacOptions::default(),
            models: ModelOptions::default(),
            rollouts: 10_000,
            length: RolloutLength::default(),
            kept: 1,
            imagined: 0.95,
        }
    }
}

/// More imagined samples are a mistake.
const MOST_IMAGINED: usize = 100_000_000;

impl MbpoOptions {
    /// Options of SAC, with those that MBPO sets.
    pub(crate) fn of_sac(&self) -> SacOptions {
        let MbpoOptions { seed, updates_per_sample, .. } = *self;
        SacOptions { seed, updates_per_sample, ..self.sac.clone() }
    }

    /// Fails if a number is out of its range.
    pub(crate) fn check(&self) -> Result<(), TrainError> {
        self.of_sac().check()?;
        let ModelOptions { members, elites, every, updates, minibatch, held_out, .. } = self.models;
        let counts = [
            ("models.members", members),
            ("models.elites", elites),
            ("models.every", every),
            ("models.updates", updates),
            ("models.minibatch", minibatch),
            ("rollouts", self.rollouts),
            ("length.first", self.length.first),
            ("length.last", self.length.last),
            ("kept", self.kept),
        ];
        let refuse = |option, given, needed| Err(TrainError::Option { option, given, needed });
        if let Some((option, _)) = counts.into_iter().find(|(_, n)| *n == 0) {
            return refuse(option, 0.0, "it must be at least 1");
        }
        if elites > members {
            return refuse("models.elites", elites as f64, "it must be at most models.members");
        }
        if !(0.01..=0.9).contains(&held_out) {
            return refuse("models.held-out", held_out, "it must be between 0.01 and 0.9");
        }
        if !(0.0..=1.0).contains(&self.imagined) {
            return refuse("imagined", self.imagined, "it must be between 0 and 1");
        }
        self.models.adam.check()?;
        let longest = self.length.first.max(self.length.last);
        if self.rollouts.saturating_mul(longest).saturating_mul(self.kept) > MOST_IMAGINED {
            let needed = "rollouts × length × kept must be at most 100 million";
            return refuse("rollouts", self.rollouts as f64, needed);
        }
        if self.sac.policy_enhancement.is_some() {
            let needed = "policy enhancement needs true states, which imagined samples lack";
            return refuse("sac.policy-enhancement", 1.0, needed);
        }
        Ok(())
    }
}
