//! `[model]`: the robot, and how it differs from its file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{PairSpec, ShapeSpec};

/// The robot, and how it differs from its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ModelOptions {
    /// A URDF or MJCF file. A relative path starts from the folder of the experiment's file.
    pub file: String,
    /// How the root link of a URDF is attached: "auto", "fixed" or "free".
    #[serde(default)]
    pub base: BaseOption,
    /// Replace impossible inertias by the nearest possible ones.
    #[serde(default)]
    pub repair_inertia: bool,
    /// Let a joint that mimics another move by itself, instead of refusing the file.
    #[serde(default)]
    pub free_mimic: bool,
    /// Whether links of the robot may touch each other.
    #[serde(default = "yes")]
    pub self_collision: bool,
    /// Parameters to set before the fit begins, by paths or patterns. A path takes precedence over patterns.
    #[serde(default)]
    pub set: BTreeMap<String, f64>,
    /// Adds a flat ground.
    #[serde(default)]
    pub ground: Option<Ground>,
    /// Shapes to add to links, by name: shapes that robot files do not have.
    #[serde(default)]
    pub shapes: BTreeMap<String, ShapeSpec>,
    /// Pairs of shapes that touch whatever the filters say, with a surface of their own.
    #[serde(default)]
    pub pairs: Vec<PairSpec>,
    /// The configuration from which states are estimated, for coordinates that no sensor measures.
    #[serde(default)]
    pub q: Option<Vec<f64>>,
}

fn yes() -> bool {
    true
}

/// How the root link of a URDF is attached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BaseOption {
    /// The importer decides.
    #[default]
    Auto,
    /// It is fixed to the world.
    Fixed,
    /// It moves freely.
    Free,
}

/// A flat ground.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Ground {
    /// Height of its surface [m].
    #[serde(default)]
    pub height: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Coefficient of restitution.
    #[serde(default)]
    pub restitution: f64,
}
