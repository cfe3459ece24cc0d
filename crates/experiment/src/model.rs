//! `[model]`: the robot, and how it differs from its file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{ExperimentError, ObjectSpec, PairSpec, ShapeSpec};

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
    /// Free balls and boxes to add, by name.
    #[serde(default)]
    pub objects: BTreeMap<String, ObjectSpec>,
    /// Position servos to add, by patterns of joint names: actuators, which a URDF cannot describe.
    #[serde(default)]
    pub servos: BTreeMap<String, Servo>,
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

impl ModelOptions {
    /// Refuses impossible numbers, before any file is read.
    pub fn check(&self) -> Result<(), ExperimentError> {
        let wrong = |what: String, why: &str| Err(ExperimentError::wrong(what, why));
        if let Some((path, _)) = self.set.iter().find(|(_, value)| !value.is_finite()) {
            return wrong(format!("model.set.\"{path}\""), "a finite number is needed");
        }
        let possible = |x: f64| x.is_finite() && x >= 0.0;
        for (pattern, Servo { stiffness, damping }) in &self.servos {
            if !possible(*stiffness) || !possible(*damping) {
                let why = "stiffness and damping must be finite and not negative";
                return wrong(format!("model.servos.\"{pattern}\""), why);
            }
        }
        self.check_objects()?;
        self.check_shapes()
    }
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

/// A servo that pulls a joint to its control.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Servo {
    /// Torque per angle [N m/rad], or force per distance [N/m].
    pub stiffness: f64,
    /// Torque per angular velocity [N m s/rad], or force per velocity [N s/m].
    #[serde(default)]
    pub damping: f64,
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
