//! `[discover]`: where to look for effects that the model lacks.

use serde::{Deserialize, Serialize};

use crate::ExperimentError;

/// Where to look for effects that the model lacks, and how hard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct DiscoverOptions {
    /// Sites to try. Without any, the passive force of every joint, and the friction of contacts if bodies touch in the
    /// training data.
    pub sites: Vec<String>,
    /// What the effect may depend on. Without any: at joints every joint position and velocity, at contacts their sliding
    /// speed and penetration rate, and the signals.
    pub inputs: Vec<String>,
    /// The shares of the whole gain that an input must earn to stay; each share is tried.
    pub shares: Vec<f64>,
    /// Iterations of each training at most.
    pub iterations: u64,
    /// Neurons of the networks.
    pub hidden: usize,
    /// Train on at most this many windows.
    pub windows: usize,
}

impl Default for DiscoverOptions {
    fn default() -> Self {
        DiscoverOptions {
            sites: Vec::new(),
            inputs: Vec::new(),
            shares: vec![0.3, 0.1, 0.03],
            iterations: 40,
            hidden: 6,
            windows: 60,
        }
    }
}

impl DiscoverOptions {
    /// Refuses impossible numbers.
    pub fn check(&self) -> Result<(), ExperimentError> {
        let wrong = |what: &str, why: &str| Err(ExperimentError::wrong(what, why));
        if self.shares.is_empty() || self.shares.iter().any(|s| !(*s > 0.0 && *s < 1.0)) {
            return wrong("discover.shares", "one or more numbers between 0 and 1 are needed");
        }
        if self.hidden == 0 || self.iterations == 0 || self.windows == 0 {
            return wrong("discover", "hidden, iterations and windows are at least 1");
        }
        Ok(())
    }
}
