//! Options of PPO.

use gradbody_neural::Activation;
use serde::{Deserialize, Serialize};

use crate::{AdamOptions, TrainError};

/// Options of [`Ppo`](crate::Ppo). The defaults are those that Stable-Baselines3 takes from the paper, with 16 worlds that
/// together give as many samples for an iteration, and with observations and rewards brought to size one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PpoOptions {
    /// Seed of everything that is drawn.
    #[serde(skip)]
    pub seed: u64,
    /// Number of worlds.
    pub worlds: usize,
    /// Steps of each world in an iteration.
    pub steps: usize,
    /// How often each sample is used.
    pub epochs: usize,
    /// Samples of one step of the optimiser.
    pub minibatch: usize,
    /// Discount γ of a step.
    pub discount: f32,
    /// The weight λ of later surprises in an advantage: 0 trusts the values, 1 the rewards.
    pub lambda: f32,
    /// How far the probability of an action may change in an iteration, relative to 1.
    pub clip: f32,
    /// Weight of the entropy of the actions.
    pub entropy: f32,
    /// Longest gradient of each network; longer ones are shortened.
    pub longest_gradient: f32,
    /// How the networks are trained.
    pub adam: AdamOptions,
    /// How the learning rate changes.
    pub learning_rate: LearningRate,
    /// Hidden layers of policy and values.
    pub hidden: Vec<usize>,
    /// What follows each of them.
    pub activation: Activation,
    /// Logarithm of the first standard deviation of actions, in halves of their range.
    pub log_std: f32,
    /// Whether rewards are divided by the spread of returns.
    pub scale_rewards: bool,
}

/// How the learning rate changes while PPO learns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LearningRate {
    /// It does not.
    #[default]
    Constant,
    /// It falls in a straight line to zero over so many samples.
    Falling {
        /// Samples.
        samples: u64,
    },
    /// It follows how much the policy changes: it falls if the change of an iteration is above twice `kl`, and rises if
    /// it is below half of that.
    Adaptive {
        /// Kullback-Leibler divergence from the policy before the iteration.
        kl: f32,
    },
}

impl Default for PpoOptions {
    fn default() -> Self {
        PpoOptions {
            seed: 0,
            worlds: 16,
            steps: 128,
            epochs: 10,
            minibatch: 64,
            discount: 0.99,
            lambda: 0.95,
            clip: 0.2,
            entropy: 0.0,
            longest_gradient: 0.5,
            adam: AdamOptions { epsilon: 1e-5, ..Default::default() },
            learning_rate: LearningRate::Constant,
            hidden: vec![64, 64],
            activation: Activation::Tanh,
            log_std: 0.0,
            scale_rewards: true,
        }
    }
}

/// More samples of an iteration are a mistake.
const MOST_SAMPLES: usize = 100_000_000;

impl PpoOptions {
    /// Fails if a number is out of its range.
    pub(crate) fn check(&self) -> Result<(), TrainError> {
        self.adam.check()?;
        let samples = self.worlds.saturating_mul(self.steps);
        if samples > MOST_SAMPLES {
            let needed = "worlds × steps must be at most 100 million";
            return Err(TrainError::Option { option: "steps", given: self.steps as f64, needed });
        }
        let counts = [
            ("worlds", self.worlds),
            ("steps", self.steps),
            ("epochs", self.epochs),
            ("minibatch", self.minibatch),
        ];
        if let Some((option, given)) = counts.into_iter().find(|(_, n)| *n == 0) {
            let needed = "it must be at least 1";
            return Err(TrainError::Option { option, given: given as f64, needed });
        }
        if self.minibatch > samples {
            let needed = "it must be at most worlds × steps";
            return Err(TrainError::Option {
                option: "minibatch",
                given: self.minibatch as f64,
                needed,
            });
        }
        let ranges = [
            ("discount", self.discount, 0.0..=1.0, "it must be between 0 and 1"),
            ("lambda", self.lambda, 0.0..=1.0, "it must be between 0 and 1"),
            ("clip", self.clip, 1e-6..=1e6, "it must be positive"),
            ("entropy", self.entropy, 0.0..=1e6, "it must not be negative"),
            ("longest-gradient", self.longest_gradient, 1e-9..=1e30, "it must be positive"),
            ("log-std", self.log_std, -5.0..=2.0, "it must be between -5 and 2"),
        ];
        for (option, given, range, needed) in ranges {
            if !range.contains(&given) {
                return Err(TrainError::Option { option, given: f64::from(given), needed });
            }
        }
        match self.learning_rate {
            LearningRate::Falling { samples: 0 } => {
                let needed = "it must be at least 1";
                Err(TrainError::Option { option: "learning-rate.samples", given: 0.0, needed })
            }
            LearningRate::Adaptive { kl } if kl.is_nan() || kl <= 0.0 => {
                let (given, needed) = (f64::from(kl), "it must be positive");
                Err(TrainError::Option { option: "learning-rate.kl", given, needed })
            }
            _ => Ok(()),
        }
    }
}
