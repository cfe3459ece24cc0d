//! How the cost grows when a parameter is held elsewhere.

use gradbody_learn::outcome::{FitOutcome, Profile};
use maud::{Markup, html};

use crate::number::axis;
use crate::{Plot, Series};

/// A rise of ½χ² by this is one standard deviation of the parameter.
const ONE_SIGMA: f64 = 0.5;

/// A plot for each profile; none without.
pub(super) fn block(outcome: &FitOutcome) -> Option<Markup> {
    if outcome.profiles.is_empty() {
        return None;
    }
    Some(html! {
        h3 { "Profiles" }
        p.quiet {
            "The least cost with one parameter held at a value and all others fitted again. Where it is above the dashed "
            "line the value is more than one standard deviation from the best; a flat curve means that the data do not "
            "tell the parameter."
        }
        div.plots.small { @for profile in &outcome.profiles { (plot(profile, outcome)) } }
    })
}

fn plot(profile: &Profile, outcome: &FitOutcome) -> Plot {
    let parameter = outcome.parameters.iter().find(|p| p.name == profile.name);
    let unit = parameter.map_or("", |p| &p.unit);
    let mut points: Vec<(f64, f64)> =
        profile.values.iter().copied().zip(profile.rise.iter().copied()).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ends = [points.first(), points.last()].into_iter().flatten();
    let level = ends.map(|p| (p.0, ONE_SIGMA)).collect();
    let inside = |x: f64| {
        points.first().is_some_and(|p| p.0 <= x) && points.last().is_some_and(|p| x <= p.0)
    };
    let fitted = parameter.map(|p| p.fitted).filter(|x| inside(*x));
    let plot = Plot::new(&profile.name, axis("value", unit), "rise of the cost [½χ²]")
        .line(Series::new("rise", points).paint("after"))
        .line(Series::new("one standard deviation", level).paint("before").dashed())
        .size(400.0, 220.0)
        .shows_values();
    match fitted {
        Some(fitted) => plot.mark(fitted, "fitted"),
        None => plot,
    }
}
