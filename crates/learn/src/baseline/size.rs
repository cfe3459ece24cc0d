//! The size of a network, and the width that gives it a number of weights.

use gradbody_neural::{Activation, Layer, Network, NetworkError};
use serde::{Deserialize, Serialize};

use super::law::Law;
use super::{Baseline, LstmOptions, MlpOptions};

/// The numbers of channels and inputs of a baseline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Channels {
    /// Number of channels, angles included.
    pub channels: usize,
    /// Number of channels that are angles.
    pub angles: usize,
    /// Number of known inputs.
    pub inputs: usize,
}

impl Baseline {
    /// Number of samples that a prediction needs.
    pub fn history(&self) -> usize {
        match self {
            Baseline::HoldVelocity => 1,
            Baseline::Mlp(options) => options.history,
            // The latest sample and the change that led to it; the network remembers the rest.
            Baseline::Lstm(_) => 2,
        }
    }

    /// The same baseline with hidden layers of another width.
    pub fn with_hidden(&self, hidden: usize) -> Baseline {
        match self {
            Baseline::HoldVelocity => Baseline::HoldVelocity,
            Baseline::Mlp(options) => {
                let widths = vec![hidden; options.hidden.len()];
                Baseline::Mlp(MlpOptions { hidden: widths, ..options.clone() })
            }
            Baseline::Lstm(_) => Baseline::Lstm(LstmOptions { hidden }),
        }
    }

    /// The network, or None if the baseline has no weights.
    pub(super) fn network(&self, channels: &Channels) -> Result<Option<Network>, NetworkError> {
        let hidden: Vec<Layer> = match self {
            Baseline::HoldVelocity => return Ok(None),
            Baseline::Mlp(options) => {
                options.hidden.iter().map(|n| Layer::dense(*n, Activation::Tanh)).collect()
            }
            Baseline::Lstm(options) => vec![Layer::Lstm { hidden: options.hidden }],
        };
        let last = Layer::dense(channels.channels, Activation::Identity);
        let layers = hidden.into_iter().chain([last]).collect();
        Network::new(Law::n_features(channels, self.history()), false, layers).map(Some)
    }
}

/// The width of hidden layers, at least 1, with which `baseline` has about `weights` weights. Returns 0 if the width
/// does not change their number.
pub fn hidden_for(baseline: &Baseline, weights: usize, channels: &Channels) -> usize {
    let count = |hidden: usize| match baseline.with_hidden(hidden).network(channels) {
        Ok(network) => network.map_or(0, |network| network.n_weights()),
        Err(_) => usize::MAX,
    };
    if count(1) == count(2) {
        return 0;
    }
    let mut hidden = 1;
    while count(hidden + 1) <= weights {
        hidden += 1;
    }
    // The nearer of the two widths around the wanted number.
    let nearer = count(hidden + 1).abs_diff(weights) < count(hidden).abs_diff(weights);
    if nearer { hidden + 1 } else { hidden }
}
