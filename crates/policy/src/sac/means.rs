//! What an iteration of SAC tells.

use super::agent::{Agent, Found};
use crate::worlds::diverged;
use crate::{Progress, TrainError};

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
