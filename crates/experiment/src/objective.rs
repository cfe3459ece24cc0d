//! `[objective]`: which errors the fit makes small.

use serde::{Deserialize, Serialize};

/// Which errors the fit makes small.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ObjectiveOptions {
    /// Samples that a window predicts: 1 for one-step errors. Without it, whole recordings.
    pub window: Option<usize>,
    /// Shorter windows that the parameters are fitted to first, one length after the other.
    pub curriculum: Vec<usize>,
    /// Samples from the start of one window to the start of the next. Without it, windows follow each other.
    pub stride: Option<usize>,
    /// Use at most this many windows, evenly chosen.
    pub windows: Option<usize>,
    /// Penalises jumps between windows that follow each other.
    pub jump: Option<Jump>,
    /// Weight of half the sum of squared network weights.
    pub weight_decay: f64,
    /// Weight of the sum of absolute weights of first layers.
    pub lasso: f64,
    /// Weight of the sum, over inputs, of the norm of their weights in first layers.
    pub group_lasso: f64,
    /// How states are estimated from the data.
    pub estimate: Estimate,
}

/// Standard deviation of a jump between windows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Jump {
    /// Of positions [m, rad].
    pub position: f64,
    /// Of velocities [m/s, rad/s].
    pub velocity: f64,
}

/// How velocities are estimated from measured positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Estimate {
    /// A parabola is fitted through this many samples on either side.
    pub reach: usize,
}

impl Default for Estimate {
    fn default() -> Self {
        Estimate { reach: 4 }
    }
}
