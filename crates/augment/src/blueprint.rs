//! What a user writes: which quantities are corrected by which networks, fed by what.
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
    /// Names of what comes with each step from outside ([`Input::signals`](gradbody_sim::Input)), in order;
    /// read as `signal/NAME`.
    #[serde(default)]
    pub signals: Vec<String>,
    /// The augmentations.
    #[serde(default, rename = "augmentation")]
    pub augmentations: Vec<Augmentation>,
}

/// One network, or several of one shape, and where it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Augmentation {
    /// What it is called: in messages and in the file of its weights.
    pub name: String,
    /// What it changes: sites, groups of sites, or patterns.
    pub outputs: Vec<String>,
    /// What it reads; left out where its kind says it.
    #[serde(default)]
    pub inputs: Vec<Reading>,
    /// What becomes of the network's numbers.
    #[serde(default)]
    pub mode: Mode,
    /// What they are held to.
    #[serde(default)]
    pub kind: Kind,
    /// How many networks a pattern stands for.
    #[serde(default)]
    pub networks: Networks,
    /// The network.
    #[serde(default)]
    pub network: NetworkShape,
    /// What its numbers are multiplied by: the size of a usual correction, in the site's unit.
    #[serde(default = "one")]
    pub output_scale: f64,
    /// How its weights begin.
    #[serde(default)]
    pub initial: Initial,
    /// What is thought of its weights before any data.
    #[serde(default)]
    pub prior: Prior,
}

fn one() -> f64 {
    1.0
}

/// What a network reads: a site by its name, or with more to say about it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Reading {
    /// A site, as it is.
    Site(String),
    /// More.
    With(ReadingOptions),
}

/// More about what a network reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadingOptions {
    /// The site, group or pattern.
    pub site: String,
    /// Take the value of the step before.
    #[serde(default)]
    pub previous: bool,
    /// Also take so many values of steps before.
    #[serde(default)]
    pub history: usize,
    /// Taken off before it goes in.
    #[serde(default)]
    pub mean: f64,
    /// Divided by before it goes in.
    #[serde(default = "one")]
    pub scale: f64,
}

impl ReadingOptions {
    /// How many values of steps before are read.
    pub(crate) fn past(&self) -> usize {
        self.history + usize::from(self.previous)
    }
}

// By hand, so that what is wrong with a key of the options is said.
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
    /// What is taken off before it goes in, and what it is divided by.
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

/// What becomes of a network's numbers.
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

/// What the corrections are held to, by construction, whatever the weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Nothing.
    #[default]
    Free,
    /// Forces that only take energy out: −D v, with D positive semi-definite and v the velocities that the
    /// forces do work on.
    Dissipative(
        /// The shape of D.
        Damping,
    ),
    /// Forces that conserve energy: minus the gradient of a network of the positions that they do work on.
    Conservative,
    /// A force (and a torque) between two links, with an opposite that is the same: momentum is conserved.
    Symmetric,
}

/// How many networks a pattern stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Networks {
    /// One set of weights, used for each match on its own.
    #[default]
    Shared,
    /// Each match has weights of its own.
    Each,
    /// One network reads and changes all matches at once.
    Together,
}

/// The layers of a network between what it reads and what it changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NetworkShape {
    /// Neurons of each hidden layer.
    pub hidden: Vec<usize>,
    /// Of the hidden layers.
    pub activation: Activation,
    /// Of the last layer.
    pub output_activation: Activation,
    /// Whether layers have a bias.
    pub bias: bool,
    /// Whether a bias is added to what is read.
    pub input_bias: bool,
    /// Whether a hidden layer as wide as the one before adds it.
    pub residual: bool,
    /// Neurons of a gated recurrent unit ahead of the hidden layers: what the network remembers; 0 for none.
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

/// What is thought of weights before any data: penalties to add to a loss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Prior {
    /// Times the sum of the absolute values of the first layer's matrix: inputs that do not help leave.
    pub l1_inputs: f64,
    /// Times the sum of the lengths of its columns, one for each input: they leave whole.
    pub group_inputs: f64,
    /// Times half the sum of the squares of all other matrices.
    pub l2: f64,
}

impl Blueprint {
    /// From TOML.
    pub fn from_toml(text: &str) -> Result<Self, BlueprintError> {
        toml::from_str(text).map_err(|e| BlueprintError::Toml(e.to_string()))
    }

    /// From JSON.
    pub fn from_json(text: &str) -> Result<Self, BlueprintError> {
        serde_json::from_str(text).map_err(|e| BlueprintError::Json(e.to_string()))
    }

    /// As JSON, in one line.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a blueprint has no key that is not a string")
    }

    /// With one more augmentation.
    pub fn with(mut self, augmentation: Augmentation) -> Self {
        self.augmentations.push(augmentation);
        self
    }
}

impl Augmentation {
    /// A network that adds to what it changes.
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
