//! `[prediction]`: how the fitted model is judged.

use serde::{Deserialize, Serialize};

/// How the fitted model is judged: it sees some samples and predicts those that follow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Prediction {
    /// Samples that it sees.
    pub warm_up: usize,
    /// Samples that it predicts. Without it, all that follow, up to 500.
    pub horizon: Option<usize>,
    /// Use at most this many windows of each part of the data, evenly chosen.
    pub windows: usize,
    /// Purely learned models to compare with.
    pub baselines: Vec<BaselineSpec>,
    /// Parameters whose profile likelihood is drawn.
    pub profiles: Vec<String>,
}

impl Default for Prediction {
    fn default() -> Self {
        let hold = BaselineSpec { kind: BaselineKind::HoldVelocity, weights: None, seconds: None };
        Prediction {
            warm_up: 8,
            horizon: None,
            windows: 100,
            baselines: vec![hold],
            profiles: Vec::new(),
        }
    }
}

/// A purely learned model to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BaselineSpec {
    /// Which model.
    pub kind: BaselineKind,
    /// About how many weights it has. Without it, as many as the fit changes numbers, but at least 500.
    #[serde(default)]
    pub weights: Option<usize>,
    /// Train it for at most this long [s].
    #[serde(default)]
    pub seconds: Option<f64>,
}

/// A way to predict without mechanics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BaselineKind {
    /// The last measured velocity continues.
    HoldVelocity,
    /// Dense layers on the last few samples.
    Mlp,
    /// Long short-term memory.
    Lstm,
}

impl BaselineKind {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            BaselineKind::HoldVelocity => "hold velocity",
            BaselineKind::Mlp => "mlp",
            BaselineKind::Lstm => "lstm",
        }
    }
}
