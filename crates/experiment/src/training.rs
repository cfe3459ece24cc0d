//! `[training]`: how networks are trained.

use gradbody_optimise::{Adam, Limits, Method};
use serde::{Deserialize, Serialize};

/// How networks are trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Training {
    /// The method.
    pub optimiser: Method,
    /// When it stops at the latest.
    pub limits: Limits,
    /// Windows in a mini-batch, for methods that use them. Without it, all windows.
    pub windows: Option<usize>,
    /// Whether parameters keep changing while networks are trained.
    pub parameters: bool,
}

impl Default for Training {
    fn default() -> Self {
        Training {
            optimiser: Method::Adam(Adam::default()),
            limits: Limits::iterations(500),
            windows: None,
            parameters: true,
        }
    }
}
