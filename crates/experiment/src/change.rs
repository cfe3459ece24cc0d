//! `[change]`: what the fit may change.

use std::collections::BTreeMap;

use gradbody_data::one_or_many;
use serde::{Deserialize, Serialize};

/// What the fit may change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Change {
    /// Parameters, by paths or patterns.
    #[serde(deserialize_with = "one_or_many")]
    pub parameters: Vec<String>,
    /// The least and the greatest value of parameters, by paths or patterns.
    pub bounds: BTreeMap<String, (f64, f64)>,
    /// What is known of parameters beforehand, by paths or patterns.
    pub priors: BTreeMap<String, Prior>,
    /// Parameters that are one number: each tie lists paths or patterns. A path after `-` has the opposite sign.
    pub ties: Vec<Vec<String>>,
    /// Whether the time between samples may change.
    pub period: bool,
    /// How the state at the start of each window is chosen.
    pub starts: Starts,
}

/// What is known of a parameter beforehand: a normal distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prior {
    /// The expected value.
    pub mean: f64,
    /// Its standard deviation.
    pub sigma: f64,
}

/// How the state at the start of each window is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Starts {
    /// The fit finds it together with the parameters.
    #[default]
    Free,
    /// It is estimated from the data and stays.
    Measured,
}
