//! Errors of the simulated tosses against the measured ones.

use super::SIDE;
use super::simulated::{Outcomes, Simulated};
use crate::distribution::Distribution;

/// The errors of all tosses by one measure.
pub(super) struct Measure {
    pub(super) name: &'static str,
    pub(super) key: &'static str,
    pub(super) values: Distribution,
    /// Factor from a value to its display in `unit`.
    pub(super) shown: f64,
    pub(super) unit: &'static str,
}

impl Measure {
    fn position(name: &'static str, key: &'static str, values: Distribution) -> Self {
        Measure { name, key, values, shown: 100.0 / SIDE, unit: "% of the side" }
    }

    fn rotation(name: &'static str, key: &'static str, values: Distribution) -> Self {
        Measure { name, key, values, shown: 1_f64.to_degrees(), unit: "degrees" }
    }
}

impl Outcomes {
    pub(super) fn measures(&self) -> [Measure; 4] {
        let last = |values: &[f64]| values.last().copied().unwrap_or(0.0);
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        [
            Measure::position(
                "position at the end",
                "position_end",
                self.spread(|s| last(&s.position)),
            ),
            Measure::position(
                "position, mean",
                "position_mean",
                self.spread(|s| mean(&s.position)),
            ),
            Measure::rotation(
                "rotation at the end",
                "rotation_end",
                self.spread(|s| last(&s.rotation)),
            ),
            Measure::rotation(
                "rotation, mean",
                "rotation_mean",
                self.spread(|s| mean(&s.rotation)),
            ),
        ]
    }

    fn spread(&self, of: impl Fn(&Simulated) -> f64) -> Distribution {
        Distribution::of(self.tosses.iter().map(of).collect())
    }
}
