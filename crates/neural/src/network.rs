//! The structure of a network: its layers, and the position of each parameter among the weights.
//!
//! A [`Network`] holds no numbers, so that one structure serves every scalar and every set of weights. The weights are
//! one flat slice: the bias on the inputs if there is one, then layer by layer. A dense layer has its matrix and then
//! its bias; a recurrent unit of either kind has the matrix on its inputs, the matrix on its memory and the two biases.
//! A matrix has all weights of the first input first, which is PyTorch's matrix transposed.

use core::ops::Range;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::Activation;

/// One layer of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Layer {
    /// y = activation(W x + b), plus x if `residual`.
    Dense {
        /// Length of y.
        outputs: usize,
        /// Applied to each number.
        activation: Activation,
        /// Whether there is a b.
        #[serde(default = "yes")]
        bias: bool,
        /// Whether x is added; x and y must then have the same length.
        #[serde(default)]
        residual: bool,
    },
    /// A gated recurrent unit, as in PyTorch. With its memory h:
    ///
    /// r = σ(W_ir x + b_ir + W_hr h + b_hr), z = σ(W_iz x + b_iz + W_hz h + b_hz),
    /// n = tanh(W_in x + b_in + r (W_hn h + b_hn)), y = (1 − z) n + z h; y is also the next memory.
    Gru {
        /// Length of y and of the memory.
        hidden: usize,
    },
    /// A long short-term memory unit, as in PyTorch. With its memory h, c:
    ///
    /// i = σ(W_ii x + b_ii + W_hi h + b_hi), f = σ(W_if x + b_if + W_hf h + b_hf),
    /// g = tanh(W_ig x + b_ig + W_hg h + b_hg), o = σ(W_io x + b_io + W_ho h + b_ho),
    /// next c = f c + i g, y = o tanh(next c); y is also the next h.
    Lstm {
        /// Length of y, and of h and c each.
        hidden: usize,
    },
}

impl Layer {
    /// A dense layer with a bias.
    pub fn dense(outputs: usize, activation: Activation) -> Layer {
        Layer::Dense { outputs, activation, bias: true, residual: false }
    }

    /// Length of the layer's output.
    pub fn n_outputs(&self) -> usize {
        match *self {
            Layer::Dense { outputs, .. } => outputs,
            Layer::Gru { hidden } | Layer::Lstm { hidden } => hidden,
        }
    }

    /// Length of the layer's memory.
    pub fn n_memory(&self) -> usize {
        match *self {
            Layer::Dense { .. } => 0,
            Layer::Gru { hidden } => hidden,
            // An overflow would mean too many weights: `Network::new` refuses it.
            Layer::Lstm { hidden } => hidden.saturating_mul(2),
        }
    }

    /// Number of gates of a recurrent unit; 1 for a dense layer.
    pub(crate) fn n_gates(&self) -> usize {
        match self {
            Layer::Dense { .. } => 1,
            Layer::Gru { .. } => 3,
            Layer::Lstm { .. } => 4,
        }
    }
}

/// The structure of a network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Description", into = "Description")]
pub struct Network {
    n_inputs: usize,
    input_bias: bool,
    layers: Vec<Layer>,
    places: Vec<Place>,
    n_weights: usize,
    n_memory: usize,
}

/// The position of a layer's numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Length of the layer's input.
    pub(crate) n_inputs: usize,
    /// Among the weights.
    pub(crate) weights: Range<usize>,
    /// In the memory.
    pub(crate) memory: Range<usize>,
}

/// The serialised form of a network.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    inputs: usize,
    #[serde(default)]
    input_bias: bool,
    layers: Vec<Layer>,
}

fn yes() -> bool {
    true
}

/// Why a network cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NetworkError {
    /// There are no inputs.
    #[error("a network needs at least one input")]
    NoInputs,
    /// There are no layers.
    #[error("a network needs at least one layer")]
    NoLayers,
    /// A layer of length 0.
    #[error("layer {layer} has no outputs: give it at least one")]
    NoOutputs {
        /// Its index, from 0.
        layer: usize,
    },
    /// A residual layer with different numbers of inputs and outputs.
    #[error(
        "layer {layer} is residual, so it adds its input to its output, \
         but it has {inputs} inputs and {outputs} outputs: make the two equal"
    )]
    ResidualSizes {
        /// Its index, from 0.
        layer: usize,
        /// Length of its input.
        inputs: usize,
        /// Length of its output.
        outputs: usize,
    },
    /// More weights than [`Network::MOST_WEIGHTS`].
    #[error("with layer {layer} the network has more than {} weights", Network::MOST_WEIGHTS)]
    TooLarge {
        /// Its index, from 0.
        layer: usize,
    },
}

/// A matrix or a vector among the weights of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Name in a file, in PyTorch's convention: `layers.0.weight`.
    pub name: String,
    /// The layer it belongs to, from 0; `None` for the bias on the inputs.
    pub layer: Option<usize>,
    /// PyTorch's shape: `[outputs, inputs]` for a matrix, `[outputs]` for a bias.
    pub shape: Vec<usize>,
    /// Its range among the weights.
    pub range: Range<usize>,
}

impl Parameter {
    /// True if it is a bias.
    pub fn is_bias(&self) -> bool {
        self.shape.len() == 1
    }

    /// The index among the weights of entry `i` in PyTorch's order: row by row, with a row for each output.
    pub fn index(&self, i: usize) -> usize {
        match self.shape[..] {
            [outputs, inputs] => self.range.start + i % inputs * outputs + i / inputs,
            _ => self.range.start + i,
        }
    }
}

impl Network {
    /// Maximum number of weights of a network.
    pub const MOST_WEIGHTS: usize = 1 << 30;

    /// A network of `layers` on `n_inputs` numbers; `input_bias` adds a learnt bias to these.
    pub fn new(
        n_inputs: usize,
        input_bias: bool,
        layers: Vec<Layer>,
    ) -> Result<Network, NetworkError> {
        if n_inputs == 0 {
            return Err(NetworkError::NoInputs);
        }
        if layers.is_empty() {
            return Err(NetworkError::NoLayers);
        }
        let mut places: Vec<Place> = Vec::with_capacity(layers.len());
        let mut n_weights = if input_bias { n_inputs } else { 0 };
        let (mut n_memory, mut n) = (0, n_inputs);
        for (i, layer) in layers.iter().enumerate() {
            let outputs = layer.n_outputs();
            if outputs == 0 {
                return Err(NetworkError::NoOutputs { layer: i });
            }
            let count = match *layer {
                Layer::Dense { residual: true, .. } if outputs != n => {
                    return Err(NetworkError::ResidualSizes { layer: i, inputs: n, outputs });
                }
                Layer::Dense { bias, .. } => n
                    .checked_mul(outputs)
                    .and_then(|matrix| matrix.checked_add(if bias { outputs } else { 0 })),
                // (inputs + hidden + 2) × gates × hidden: two matrices and two biases.
                Layer::Gru { hidden } | Layer::Lstm { hidden } => n
                    .checked_add(hidden)
                    .and_then(|rows| rows.checked_add(2))
                    .and_then(|rows| rows.checked_mul(hidden.checked_mul(layer.n_gates())?)),
            };
            let end = count
                .and_then(|count| count.checked_add(n_weights))
                .filter(|end| *end <= Network::MOST_WEIGHTS)
                .ok_or(NetworkError::TooLarge { layer: i })?;
            places.push(Place {
                n_inputs: n,
                weights: n_weights..end,
                memory: n_memory..n_memory + layer.n_memory(),
            });
            n_weights = end;
            n_memory += layer.n_memory();
            n = outputs;
        }
        Ok(Network { n_inputs, input_bias, layers, places, n_weights, n_memory })
    }

    /// Dense layers with biases between `sizes`, inputs first, with `activation` after each but the last.
    pub fn perceptron(sizes: &[usize], activation: Activation) -> Result<Network, NetworkError> {
        let (&n_inputs, outputs) = sizes.split_first().ok_or(NetworkError::NoInputs)?;
        let layer = |(i, &n): (usize, &usize)| {
            let last = i + 1 == outputs.len();
            Layer::dense(n, if last { Activation::Identity } else { activation })
        };
        Network::new(n_inputs, false, outputs.iter().enumerate().map(layer).collect())
    }

    /// Number of inputs.
    pub fn n_inputs(&self) -> usize {
        self.n_inputs
    }

    /// Number of outputs.
    pub fn n_outputs(&self) -> usize {
        self.layers.last().map_or(self.n_inputs, Layer::n_outputs)
    }

    /// Number of weights, including biases.
    pub fn n_weights(&self) -> usize {
        self.n_weights
    }

    /// Number of values that the network remembers from one call to the next.
    pub fn n_memory(&self) -> usize {
        self.n_memory
    }

    /// True if a learnt bias is added to the inputs. It then comes first among the weights.
    pub fn input_bias(&self) -> bool {
        self.input_bias
    }

    /// The layers, in order from the inputs.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// Each layer with its position.
    #[inline(always)]
    pub(crate) fn placed(
        &self,
    ) -> impl DoubleEndedIterator<Item = (&Layer, &Place)> + ExactSizeIterator {
        self.layers.iter().zip(&self.places)
    }

    /// Every parameter, in the order of the weights.
    pub fn parameters(&self) -> Vec<Parameter> {
        let mut all = Vec::new();
        let mut start = 0;
        let mut add = |name: String, layer: Option<usize>, shape: &[usize]| {
            let end = start + shape.iter().product::<usize>();
            all.push(Parameter { name, layer, shape: shape.to_vec(), range: start..end });
            start = end;
        };
        if self.input_bias {
            add("input_bias".to_string(), None, &[self.n_inputs]);
        }
        for (i, (layer, place)) in self.placed().enumerate() {
            let mut of_layer =
                |name: &str, shape: &[usize]| add(format!("layers.{i}.{name}"), Some(i), shape);
            match *layer {
                Layer::Dense { outputs, bias, .. } => {
                    of_layer("weight", &[outputs, place.n_inputs]);
                    if bias {
                        of_layer("bias", &[outputs]);
                    }
                }
                Layer::Gru { hidden } | Layer::Lstm { hidden } => {
                    let gates = layer.n_gates() * hidden;
                    of_layer("weight_ih_l0", &[gates, place.n_inputs]);
                    of_layer("weight_hh_l0", &[gates, hidden]);
                    of_layer("bias_ih_l0", &[gates]);
                    of_layer("bias_hh_l0", &[gates]);
                }
            }
        }
        all
    }
}

impl TryFrom<Description> for Network {
    type Error = NetworkError;

    fn try_from(written: Description) -> Result<Network, NetworkError> {
        Network::new(written.inputs, written.input_bias, written.layers)
    }
}

impl From<Network> for Description {
    fn from(network: Network) -> Description {
        Description {
            inputs: network.n_inputs,
            input_bias: network.input_bias,
            layers: network.layers,
        }
    }
}
