//! `limits`: when training ends.

use gradbody_experiment::ExperimentError;
use serde::{Deserialize, Serialize};

/// When training ends: at the first of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Limits {
    /// Wall-clock time, evaluations included [s]. Without it and `samples`, ten minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Steps of the environment, over all worlds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<f64>,
    /// Mean return of an evaluation that is enough.
    #[serde(default, rename = "return", skip_serializing_if = "Option::is_none")]
    pub mean_return: Option<f64>,
}

/// Time after which training ends that has no other end [s].
const SECONDS: f64 = 600.0;

impl Limits {
    /// The wall-clock time that it may take [s].
    pub fn seconds(&self) -> Option<f64> {
        self.seconds.or_else(|| self.samples.is_none().then_some(SECONDS))
    }

    pub(crate) fn check(&self) -> Result<(), ExperimentError> {
        let wrong = |what: &str, why: &str| Err(ExperimentError::wrong(what, why));
        if self.seconds.is_some_and(|x| x.is_nan() || x <= 0.0) {
            return wrong("limits.seconds", "a positive time is needed [s]");
        }
        if self.samples.is_some_and(|x| !(1.0..1e18).contains(&x) || x.fract() != 0.0) {
            return wrong("limits.samples", "a whole number from 1 on is needed, such as 2e6");
        }
        if self.mean_return.is_some_and(|x| !x.is_finite()) {
            return wrong("limits.return", "a finite number is needed");
        }
        Ok(())
    }
}
