//! How large a network is, and how large it must be to have so many weights.

use gradbody_neural::{Activation, Layer, Network, NetworkError};
use serde::{Deserialize, Serialize};

use super::law::Law;
use super::{Baseline, LstmOptions, MlpOptions};

/// What a baseline is to predict, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Channels {
    /// Channels, angles included.
    pub channels: usize,
    /// How many of them are angles.
    pub angles: usize,
    /// Known inputs.
    pub inputs: usize,
}

impl Baseline {
    /// How many samples are needed to go on from.
    pub fn history(&self) -> usize {
        match self {
            Baseline::HoldVelocity => 1,
            Baseline::Mlp(options) => options.history,
            // The latest and the change that led to it; the rest it remembers.
            Baseline::Lstm(_) => 2,
        }
    }

    /// The same with hidden layers of another width.
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

    /// The network; none if there is nothing to learn.
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

/// The width of hidden layers with which `baseline` has about as many weights as given, at least 1; 0 if no width
/// changes their number.
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
    // Of the two around the number wanted, the nearer.
    let nearer = count(hidden + 1).abs_diff(weights) < count(hidden).abs_diff(weights);
    if nearer { hidden + 1 } else { hidden }
}
