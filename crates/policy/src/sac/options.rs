//! Options of SAC.

use serde::{Deserialize, Serialize};

use crate::{AdamOptions, TrainError};

/// Options of [`Sac`](crate::Sac). The defaults are those of the paper and of Stable-Baselines3, with eight worlds side by
/// side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SacOptions {
    /// Seed of everything that is drawn.
    #[serde(skip)]
    pub seed: u64,
    /// Number of worlds.
    pub worlds: usize,
    /// Samples of an iteration, over all worlds.
    pub samples: usize,
    /// Samples with random actions before learning begins.
    pub random_samples: usize,
    /// Updates for each sample.
    pub updates_per_sample: f64,
    /// Samples of an update.
    pub minibatch: usize,
    /// Most samples that are remembered; then new ones replace the oldest.
    pub capacity: usize,
    /// Discount γ of a step.
    pub discount: f32,
    /// How far the slow critics move towards the others in an update.
    pub tracking: f32,
    /// Rewards are multiplied by this.
    pub reward_scale: f32,
    /// How policy and critics are trained, and the temperature.
    pub adam: AdamOptions,
    /// Hidden layers of policy and critics, followed by relu.
    pub hidden: Vec<usize>,
    /// The temperature.
    pub temperature: Temperature,
    /// Lets the gradient of the policy go through one step of the simulation.
    pub policy_enhancement: Option<PolicyEnhancement>,
    /// Adds samples with other actions to each sample, by the derivatives of the simulation.
    pub sample_enhancement: Option<SampleEnhancement>,
}

/// The weight of the entropy of actions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Temperature {
    /// It is learnt, so that the entropy becomes minus the number of numbers of an action.
    #[default]
    Learnt,
    /// It is learnt for this entropy.
    ForEntropy(f32),
    /// It stays.
    Fixed(f32),
}

/// Policy enhancement [Qiao et al. 2021]: the policy climbs ∂r/∂a + γ ∂Q(s′, μ(s′))/∂s′ ∂s′/∂a, through one true step of
/// the simulation, in place of ∂Q/∂a.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PolicyEnhancement {
    /// How many samples of each minibatch the policy learns from in this way, at most; it learns from these alone. A step
    /// with its gradient costs much more than a row of the networks, so fewer may be better.
    pub samples: usize,
    /// Longest gradient with respect to an action, as a multiple of the median length in the minibatch. Longer ones, which
    /// stiff contacts give now and then, are shortened: the mean is then that of the many, not of the few.
    pub longest_gradient: f32,
}

impl Default for PolicyEnhancement {
    /// All samples of the default minibatch. Gradients without contact differ by less than the factor of three.
    fn default() -> Self {
        PolicyEnhancement { samples: 256, longest_gradient: 3.0 }
    }
}

/// Sample enhancement [Qiao et al. 2021]: from one true sample, more with other actions, by first-order expansion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SampleEnhancement {
    /// How many more.
    pub samples: usize,
    /// Each number of the action changes by up to this, in halves of its range.
    pub change: f64,
}

impl Default for SampleEnhancement {
    /// Those of the publication.
    fn default() -> Self {
        SampleEnhancement { samples: 9, change: 0.01 }
    }
}

impl Default for SacOptions {
    fn default() -> Self {
        SacOptions {
            seed: 0,
            worlds: 8,
            samples: 1000,
            random_samples: 1000,
            updates_per_sample: 1.0,
            minibatch: 256,
            capacity: 1_000_000,
            discount: 0.99,
            tracking: 0.005,
            reward_scale: 1.0,
            adam: AdamOptions::default(),
            hidden: vec![256, 256],
            temperature: Temperature::Learnt,
            policy_enhancement: None,
            sample_enhancement: None,
        }
    }
}

impl SacOptions {
    /// Fails if a number is out of its range.
    pub(crate) fn check(&self) -> Result<(), TrainError> {
        let counts = [
            ("worlds", self.worlds),
            ("samples", self.samples),
            ("minibatch", self.minibatch),
            ("capacity", self.capacity),
            ("policy-enhancement.samples", self.policy_enhancement.map_or(1, |e| e.samples)),
            ("sample-enhancement.samples", self.sample_enhancement.map_or(1, |e| e.samples)),
        ];
        if let Some((option, given)) = counts.into_iter().find(|(_, n)| *n == 0) {
            let needed = "it must be at least 1";
            return Err(TrainError::Option { option, given: given as f64, needed });
        }
        let change = self.sample_enhancement.map_or(0.01, |e| e.change);
        let longest = self.policy_enhancement.map_or(3.0, |e| e.longest_gradient);
        let temperature = match self.temperature {
            Temperature::Fixed(temperature) => temperature,
            Temperature::Learnt | Temperature::ForEntropy(_) => 0.0,
        };
        let entropy = match self.temperature {
            Temperature::ForEntropy(entropy) => entropy,
            Temperature::Learnt | Temperature::Fixed(_) => 0.0,
        };
        self.adam.check()?;
        let ranges = [
            ("updates-per-sample", self.updates_per_sample, 0.0, 1e4, "between 0 and 10000"),
            ("discount", f64::from(self.discount), 0.0, 1.0, "between 0 and 1"),
            ("tracking", f64::from(self.tracking), 1e-9, 1.0, "positive and at most 1"),
            ("reward-scale", f64::from(self.reward_scale), 1e-12, 1e12, "positive"),
            ("sample-enhancement.change", change, 1e-12, 1.0, "positive and at most 1"),
            (
                "policy-enhancement.longest-gradient",
                f64::from(longest),
                1e-3,
                1e6,
                "between 0.001 and 1e6",
            ),
            ("temperature.fixed", f64::from(temperature), 0.0, 1e12, "at least 0"),
            ("temperature.for-entropy", f64::from(entropy), -1e6, 1e6, "finite"),
        ];
        for (option, given, low, high, needed) in ranges {
            if !(low..=high).contains(&given) {
                return Err(TrainError::Option { option, given, needed });
            }
        }
        Ok(())
    }
}
