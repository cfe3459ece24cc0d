//! Blueprints: which networks correct which quantities, and what they read.
//!
//! ```toml
//! signals = ["temperature"]                 # what comes with each step from outside
//!
//! [[augmentation]]
//! name = "friction"
//! outputs = ["joint/*/passive_torque"]      # * stands for every joint, one at a time
//! inputs = ["joint/*/velocity", "signal/temperature"]
//! mode = "add"                              # or "scale", "replace"
//! networks = "shared"                       # or "each", "together"
//!
//! [augmentation.network]
//! hidden = [16, 16]
//! activation = "tanh"
//! ```

use core::fmt;

use gradbody_neural::{Activation, Damping, Initial, Layer};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::BlueprintError;

/// Networks inside the physics, by names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blueprint {
    /// Names of the external signals of each step ([`Input::signals`](gradbody_sim::Input)), in order; networks read
    /// them as `signal/NAME`.
    #[serde(default)]
    pub signals: Vec<String>,
    /// The augmentations.
    #[serde(default, rename = "augmentation")]
    pub augmentations: Vec<Augmentation>,
}

/// One network, or several with the same layers, and its place in the step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Augmentation {
    /// Its name, in messages and in the file of its weights.
    pub name: String,
    /// What it changes: sites, groups of sites, or patterns.
    pub outputs: Vec<String>,
    /// What it reads; empty if its kind determines it.
    #[serde(default)]
    pub inputs: Vec<Reading>,
    /// How the network's outputs are applied.
    #[serde(default)]
    pub mode: Mode,
    /// The guarantee that its corrections keep.
    #[serde(default)]
    pub kind: Kind,
    /// How many networks a pattern creates.
    #[serde(default)]
    pub networks: Networks,
    /// The network.
    #[serde(default)]
    pub network: NetworkShape,
    /// Factor of the outputs: the size of a typical correction, in the site's unit.
    #[serde(default = "one")]
    pub output_scale: f64,
    /// How its weights are initialised.
    #[serde(default)]
    pub initial: Initial,
    /// Penalties on its weights.
    #[serde(default)]
    pub prior: Prior,
}

fn one() -> f64 {
    1.0
}

/// An input of a network: the name of a site, or a site with options.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Reading {
    /// A site without options.
    Site(String),
    /// A site with options.
    With(ReadingOptions),
}

/// Options of an input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadingOptions {
    /// The site, group or pattern.
    pub site: String,
    /// Whether to read the value of the step before.
    #[serde(default)]
    pub previous: bool,
    /// Number of further values of past steps to read.
    #[serde(default)]
    pub history: usize,
    /// Subtracted from the value.
    #[serde(default)]
    pub mean: f64,
    /// The value is divided by this.
    #[serde(default = "one")]
    pub scale: f64,
}

impl ReadingOptions {
    /// Number of values of past steps that are read.
    pub(crate) fn past(&self) -> usize {
        self.history + usize::from(self.previous)
    }
}

// Written by hand, so that messages say which key of the options is wrong.
impl<'de> Deserialize<'de> for Reading {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = Reading;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a site, or a table with one: { site = \"…\" }")
            }

            fn visit_str<E: serde::de::Error>(self, site: &str) -> Result<Reading, E> {
                Ok(Reading::from(site))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Reading, A::Error> {
                ReadingOptions::deserialize(MapAccessDeserializer::new(map)).map(Reading::With)
            }
        }

        from.deserialize_any(Either)
    }
}

impl From<&str> for Reading {
    fn from(site: &str) -> Self {
        Reading::Site(site.to_owned())
    }
}

impl Reading {
    /// What is subtracted from the value, and what it is divided by.
    pub fn scaling(&self) -> (f64, f64) {
        match self {
            Reading::Site(_) => (0.0, 1.0),
            Reading::With(options) => (options.mean, options.scale),
        }
    }

    /// The site, group or pattern that is read.
    pub fn site(&self) -> &str {
        match self {
            Reading::Site(site) => site,
            Reading::With(options) => &options.site,
        }
    }

    pub(crate) fn options(&self) -> ReadingOptions {
        match self {
            Reading::With(options) => options.clone(),
            Reading::Site(site) => ReadingOptions {
                site: site.clone(),
                previous: false,
                history: 0,
                mean: 0.0,
                scale: 1.0,
            },
        }
    }
}

/// How a network's outputs are applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// value + net
    #[default]
    Add,
    /// value × (1 + net)
    Scale,
    /// net
    Replace,
}

/// A guarantee that the corrections keep by construction, whatever the weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// No guarantee.
    #[default]
    Free,
    /// Forces that only dissipate energy: −D v, where D is positive semi-definite and v are the velocities that the
    /// forces do work on.
    Dissipative(
        /// The shape of D.
        Damping,
    ),
    /// Forces that conserve energy: minus the gradient of a network of the positions that they do work on.
    Conservative,
    /// A force (and a torque) between two links, with equal and opposite reaction: momentum is conserved.
    Symmetric,
}

/// How many networks a pattern creates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Networks {
    /// One set of weights, applied to each match separately.
    #[default]
    Shared,
    /// Each match has its own weights.
    Each,
    /// One network reads and changes all matches at once.
    Together,
}

/// The layers of a network between its inputs and its outputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NetworkShape {
    /// Number of neurons of each hidden layer.
    pub hidden: Vec<usize>,
    /// Activation of the hidden layers.
    pub activation: Activation,
    /// Activation of the last layer.
    pub output_activation: Activation,
    /// Whether layers have a bias.
    pub bias: bool,
    /// Whether a bias is added to the inputs.
    pub input_bias: bool,
    /// Whether a hidden layer adds its input if that has the same width.
    pub residual: bool,
    /// Neurons of a gated recurrent unit before the hidden layers, which is the network's memory; 0 for none.
    pub recurrent: usize,
}

impl Default for NetworkShape {
    fn default() -> Self {
        NetworkShape {
            hidden: vec![16, 16],
            activation: Activation::Tanh,
            output_activation: Activation::Identity,
            bias: true,
            input_bias: false,
            residual: false,
            recurrent: 0,
        }
    }
}

impl NetworkShape {
    pub(crate) fn layers(&self, n_inputs: usize, outputs: usize) -> Vec<Layer> {
        let NetworkShape { activation, output_activation, bias, .. } = *self;
        let mut layers = Vec::new();
        let mut before = n_inputs;
        if self.recurrent > 0 {
            layers.push(Layer::Gru { hidden: self.recurrent });
            before = self.recurrent;
        }
        for &outputs in &self.hidden {
            let residual = self.residual && outputs == before;
            layers.push(Layer::Dense { outputs, activation, bias, residual });
            before = outputs;
        }
        let activation = output_activation;
        layers.push(Layer::Dense { outputs, activation, bias, residual: false });
        layers
    }
}

/// Penalties on weights, to be added to a loss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Prior {
    /// Weight of the sum of absolute values of the first layer's matrix: inputs that do not help drop out.
    pub l1_inputs: f64,
    /// Weight of the sum of the lengths of its columns, one per input: inputs drop out as a whole.
    pub group_inputs: f64,
    /// Weight of half the sum of squares of all other matrices.
    pub l2: f64,
}

impl Blueprint {
    /// Parses TOML.
    pub fn from_toml(text: &str) -> Result<Self, BlueprintError> {
        toml::from_str(text).map_err(|e| BlueprintError::Toml(e.to_string()))
    }

    /// Parses JSON.
    pub fn from_json(text: &str) -> Result<Self, BlueprintError> {
        serde_json::from_str(text).map_err(|e| BlueprintError::Json(e.to_string()))
    }

    /// JSON on one line.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("all keys of a blueprint are strings")
    }

    /// Adds an augmentation.
    pub fn with(mut self, augmentation: Augmentation) -> Self {
        self.augmentations.push(augmentation);
        self
    }
}

impl Augmentation {
    /// A network that adds to its outputs' sites.
    pub fn new<'a>(
        name: &str,
        outputs: impl IntoIterator<Item = &'a str>,
        inputs: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        Augmentation {
            name: name.to_owned(),
            outputs: outputs.into_iter().map(str::to_owned).collect(),
            inputs: inputs.into_iter().map(Reading::from).collect(),
            mode: Mode::Add,
            kind: Kind::Free,
            networks: Networks::Shared,
            network: NetworkShape::default(),
            output_scale: 1.0,
            initial: Initial::default(),
            prior: Prior::default(),
        }
    }
}
