//! How much a window counts as a whole, where motion has impacts.
//!
//! A window that begins near an edge of its cost (which corner hits first?) may be explained badly by every start that the
//! search has found. Such a window would veto steps that all others gain by, and its derivatives mean little. So the part
//! of a window's cost that noise does not explain counts by its logarithm: ρ(c) = e + T ln(1 + (c − e)/T) above the
//! expected cost e, as with a Student distribution of whole windows.

use super::Fit;

/// T in standard deviations of the cost that noise makes.
const WIDTH: f64 = 1.5;

impl Fit {
    /// Whether windows count as wholes: with secants, if each window has a start of its own.
    pub(crate) fn counts_wholes(&self) -> bool {
        self.secants.is_some() && self.unknowns.start > 0 && self.jump.is_none()
    }

    /// The cost that noise alone explains: for squares, half the number of measured errors beyond that of the window's own
    /// unknowns.
    pub(super) fn expected_cost(&self, window: usize) -> f64 {
        let of = self.windows[window];
        let first = of.first + usize::from(!self.sees_first(window));
        let rows = (first..=of.first + of.length).map(|k| {
            let (_, present) = self.recordings[of.recording].sample(k, &self.sensors);
            let sensors = self.sensors.iter().zip(present).filter(|(_, present)| **present > 0.0);
            sensors.map(|(sensor, _)| sensor.law.expected(sensor.rows())).sum::<f64>()
        });
        (rows.sum::<f64>() - 0.5 * self.unknowns.start as f64).max(0.5)
    }

    /// How a window whose errors cost `cost` counts: ρ and its derivative.
    pub(super) fn whole(&self, window: usize, cost: f64) -> (f64, f64) {
        if !self.counts_wholes() {
            return (cost, 1.0);
        }
        // Half a sum of squares has the variance of its mean.
        let expected = self.expected_cost(window);
        let width = WIDTH * expected.sqrt();
        let excess = (cost - expected) / width;
        if excess > 0.0 {
            (expected + width * excess.ln_1p(), 1.0 / (1.0 + excess))
        } else {
            (cost, 1.0)
        }
    }
}
