//! How much a window counts as a whole, where motion has impacts.
//!
//! A window that begins near an edge of its cost (which corner hits first?) may be explained badly by every start that the
//! search has found. Such a window would veto steps that all others gain by, and its derivatives mean little. So the part
//! of a window's cost that neither noise nor outliers explain counts by its logarithm: ρ(c) = e + T ln(1 + (c − e)/T) above the
//! expected cost e, as with a Student distribution of whole windows.

use super::Fit;

/// T in standard deviations of the cost that noise makes.
const WIDTH: f64 = 1.5;

/// The cost of a window that is no error of the model.
pub(super) struct Explained {
    /// That of noise.
    pub(super) noise: f64,
    /// What outliers add to it.
    pub(super) outliers: f64,
}

impl Fit {
    /// Whether windows count as wholes: with secants, if each window has a start of its own.
    pub(crate) fn counts_wholes(&self) -> bool {
        self.secants.is_some() && self.unknowns.start > 0 && self.jump.is_none()
    }

    /// The cost of a window that noise and outliers explain. That of noise is the mean cost of all errors beyond that of the
    /// window's own unknowns.
    pub(super) fn explained(&self, window: usize) -> Explained {
        let of = self.windows[window];
        let first = of.first + usize::from(!self.sees_first(window));
        let good: Vec<f64> = self.sensors.iter().map(|s| s.law.expected(s.rows())).collect();
        let rows = (first..=of.first + of.length).map(|k| {
            let (_, present) = self.recordings[of.recording].sample(k, &self.sensors);
            let there = good.iter().zip(present).filter(|(_, present)| **present > 0.0);
            there.map(|(good, _)| good).sum::<f64>()
        });
        let noise = (rows.sum::<f64>() - 0.5 * self.unknowns.start as f64).max(0.5);
        let outliers = self.secants.as_ref().map_or(&[][..], |of| &of.outliers[window]);
        Explained { noise, outliers: outliers.iter().skip(first - of.first).sum() }
    }

    /// How a window whose errors cost `cost` counts: ρ and its derivative.
    pub(super) fn whole(&self, window: usize, cost: f64) -> (f64, f64) {
        if !self.counts_wholes() {
            return (cost, 1.0);
        }
        // Half a sum of squares has the variance of its mean.
        let Explained { noise, outliers } = self.explained(window);
        let width = WIDTH * noise.sqrt();
        let excess = (cost - outliers - noise) / width;
        if excess > 0.0 {
            (noise + outliers + width * excess.ln_1p(), 1.0 / (1.0 + excess))
        } else {
            (cost, 1.0)
        }
    }
}
