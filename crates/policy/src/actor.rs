//! What is trained: a network that turns observations into actions.
//!
//! The network sees normalised observations. What it gives is the mean of a normal distribution, from which actions are
//! drawn while learning; the mean is the action afterwards. Actions of the network are for a range of ±1: the actor
//! brings them to the environment's range.

use gradbody_env::Description;
use gradbody_neural::{Activation, Initial, Layer, Network, Spread as WeightSpread};

use crate::{DenseRows, Normaliser, Snapshot, SnapshotError, TrainError};

/// What is trained: a network from observations to actions.
#[derive(Clone, Debug, PartialEq)]
pub struct Actor {
    /// From a normalised observation to the numbers of the head.
    pub network: Network,
    /// Weights of the network.
    pub weights: Vec<f32>,
    /// How the network's outputs become actions.
    pub head: Head,
    /// Of observations.
    pub normaliser: Normaliser,
    /// Bounds of each number of an action, (actions).
    pub low: Vec<f32>,
    /// Upper bounds.
    pub high: Vec<f32>,
}

/// How the network's outputs become actions.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// Where the spread of actions comes from.
    pub spread: Spread,
    /// Whether actions are tanh of what is drawn; otherwise they are cut off at ±1.
    pub squashed: bool,
}

impl Head {
    /// The action for a range of ±1 that a drawn number stands for.
    pub fn value(&self, drawn: f32) -> f32 {
        if self.squashed { drawn.tanh() } else { drawn.clamp(-1.0, 1.0) }
    }

    /// The derivative of [`value`](Head::value).
    pub fn slope(&self, drawn: f32) -> f32 {
        match self.squashed {
            true => 1.0 - drawn.tanh().powi(2),
            false if drawn.abs() < 1.0 => 1.0,
            false => 0.0,
        }
    }
}

/// The standard deviation of actions while learning.
#[derive(Clone, Debug, PartialEq)]
pub enum Spread {
    /// The same for all observations; its logarithms are learnt, (actions).
    Shared(Vec<f32>),
    /// The second half of the network's outputs is its logarithm.
    OfNetwork,
}

/// Range of a logarithm of a standard deviation.
pub(crate) const LOG_STD: (f32, f32) = (-5.0, 2.0);

impl Actor {
    /// An actor for an environment with hidden layers of these lengths. Its first actions are near the middle of their
    /// range.
    pub fn new(
        of: &Description,
        hidden: &[usize],
        activation: Activation,
        head: Head,
        seed: u64,
    ) -> Result<Actor, TrainError> {
        let actions = of.n_actions();
        let outputs = match head.spread {
            Spread::Shared(_) => actions,
            Spread::OfNetwork => 2 * actions,
        };
        let network = perceptron("actor", of.n_observations(), hidden, outputs, activation)?;
        let weights = first_weights(&network, seed, 0.01);
        let single = |numbers: &[f64]| numbers.iter().map(|x| *x as f32).collect();
        Ok(Actor {
            weights,
            network,
            head,
            normaliser: Normaliser::new(of.n_observations()),
            low: single(&of.actions.low),
            high: single(&of.actions.high),
        })
    }

    /// Numbers of an observation.
    pub fn n_observations(&self) -> usize {
        self.network.n_inputs()
    }

    /// Numbers of an action.
    pub fn n_actions(&self) -> usize {
        self.low.len()
    }

    /// Fails if the environment has other numbers of observations or actions.
    pub fn check(&self, of: &Description) -> Result<(), TrainError> {
        let parts = [
            ("observations", self.n_observations(), of.n_observations()),
            ("actions", self.n_actions(), of.n_actions()),
        ];
        match parts.into_iter().find(|(_, given, needed)| given != needed) {
            None => Ok(()),
            Some((part, given, needed)) => {
                let environment = of.name.clone();
                Err(TrainError::OtherEnvironment { part, given, needed, environment })
            }
        }
    }

    /// The middle of the range of a number of an action, and half the range.
    pub fn range(&self, k: usize) -> (f32, f32) {
        (0.5 * (self.low[k] + self.high[k]), 0.5 * (self.high[k] - self.low[k]))
    }

    /// The action of the environment for a number of the head between −1 and 1.
    pub fn to_range(&self, k: usize, action: f32) -> f32 {
        let (middle, half) = self.range(k);
        half.mul_add(action, middle)
    }

    /// How much a number of an action of the environment grows with that of the head.
    pub fn half_range(&self, k: usize) -> f32 {
        0.5 * (self.high[k] - self.low[k])
    }

    /// The actions without noise for observations, (rows, n_observations), as numbers of the environment,
    /// (rows, n_actions).
    pub fn act(&self, rows: &mut DenseRows, observations: &[f64], actions: &mut Vec<f64>) {
        let n = self.n_observations();
        let mut normal = vec![0.0; observations.len()];
        self.normaliser.normalise(observations, &mut normal);
        let width = rows.n_outputs();
        let mut outputs = vec![0.0; observations.len() / n * width];
        rows.forward(&self.weights, &normal, &mut outputs);
        actions.clear();
        for row in outputs.chunks_exact(width) {
            for (k, mean) in row[..self.n_actions()].iter().enumerate() {
                actions.push(f64::from(self.to_range(k, self.head.value(*mean))));
            }
        }
    }

    /// The shared standard deviations of actions, as parts of half their range, (actions); zeros if the network gives
    /// them.
    pub fn deviations(&self) -> Vec<f32> {
        match &self.head.spread {
            Spread::Shared(logarithms) => logarithms.iter().map(|x| x.exp()).collect(),
            Spread::OfNetwork => vec![0.0; self.n_actions()],
        }
    }

    /// Whether all its numbers are finite.
    pub fn is_finite(&self) -> bool {
        let spread = match &self.head.spread {
            Spread::Shared(logarithms) => logarithms.iter().all(|x| x.is_finite()),
            Spread::OfNetwork => true,
        };
        spread && self.weights.iter().all(|x| x.is_finite())
    }

    /// Writes its numbers.
    pub fn save(&self, to: &mut Snapshot) {
        to.put("actor/weights", self.weights.clone());
        if let Spread::Shared(logarithms) = &self.head.spread {
            to.put("actor/log-std", logarithms.clone());
        }
        self.normaliser.save("actor/normaliser", to);
    }

    /// Reads its numbers.
    pub fn restore(&mut self, from: &Snapshot) -> Result<(), SnapshotError> {
        from.fill("actor/weights", &mut self.weights)?;
        if let Spread::Shared(logarithms) = &mut self.head.spread {
            from.fill("actor/log-std", logarithms)?;
        }
        self.normaliser.restore("actor/normaliser", from)
    }
}

/// Dense layers with `activation` after each but the last.
pub(crate) fn perceptron(
    what: &'static str,
    inputs: usize,
    hidden: &[usize],
    outputs: usize,
    activation: Activation,
) -> Result<Network, TrainError> {
    let layers = hidden.iter().map(|n| Layer::dense(*n, activation));
    let layers = layers.chain([Layer::dense(outputs, Activation::Identity)]).collect();
    Network::new(inputs, false, layers).map_err(|why| TrainError::Network { what, why })
}

/// Weights to begin with; those of the last layer are multiplied by `last`.
pub(crate) fn first_weights(network: &Network, seed: u64, last: f64) -> Vec<f32> {
    let initial = Initial { spread: WeightSpread::XavierUniform, zero_last: false, seed };
    let mut weights = network.initial_weights(&initial);
    let layers = network.layers().len();
    for parameter in network.parameters().iter().filter(|p| p.layer == layers.checked_sub(1)) {
        weights[parameter.range.clone()].iter_mut().for_each(|weight| *weight *= last);
    }
    weights.into_iter().map(|weight| weight as f32).collect()
}
