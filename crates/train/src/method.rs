//! `method`: how the policy is trained.

use serde::{Deserialize, Serialize};

/// How the policy is trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Short-horizon actor-critic: the actor follows the gradient of the simulation.
    Shac,
    /// Proximal policy optimisation, by samples alone.
    Ppo,
    /// Soft actor-critic, by samples that are kept, with policy and sample enhancement as options.
    Sac,
    /// Soft actor-critic on samples of an ensemble of learned models.
    Mbpo,
}

impl Method {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Method::Shac => "shac",
            Method::Ppo => "ppo",
            Method::Sac => "sac",
            Method::Mbpo => "mbpo",
        }
    }
}
