//! Whether the residuals of the fitted windows are distributed like the noise.

use gradbody_learn::outcome::FitOutcome;
use maud::{Markup, html};

use crate::number::{count, number};
use crate::{Plot, Series};

/// A plot and its meaning; none without residuals.
pub(super) fn section(outcome: &FitOutcome) -> Option<Markup> {
    let calibration = outcome.calibration.as_ref().filter(|found| found.quantiles.len() > 1)?;
    let [one, two] = calibration.within.map(|share| number(100.0 * share, 3));
    let meaning = format!(
        "Of {} residuals over the fitted windows, {one} % are within one standard deviation of the noise and {two} % within \
         two; of normally distributed noise 68 % and 95 % are. Each dot is a quantile of the residuals beside that of \
         normally distributed noise. On the line, the residuals are distributed like the noise. Where the dots are steeper than \
         the line, residuals are larger than the noise; where they are flatter, smaller. Steep ends alone are a few residuals \
         that are far larger than the rest.",
        count(calibration.count)
    );
    let ends: Vec<(f64, f64)> = [calibration.quantiles.first()?.0, calibration.quantiles.last()?.0]
        .map(|x| (x, x))
        .to_vec();
    let plot = Plot::new(
        "Residuals beside the noise",
        "quantile of normal noise [σ]",
        "quantile of residuals [σ]",
    )
    .size(360.0, 240.0)
    .line(Series::new("residuals", calibration.quantiles.clone()).dots().paint("after"))
    .line(Series::new("like the noise", ends).dashed().paint("before"));
    Some(html! {
        p.quiet { (meaning) }
        div.plots.small { (plot) }
    })
}
