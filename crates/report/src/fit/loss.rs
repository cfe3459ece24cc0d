//! The cost over the iterations.

use gradbody_learn::outcome::{FitOutcome, ProgressPoint, StageEnd};
use maud::{Markup, html};

use crate::html::plots;
use crate::number::several;
use crate::{Plot, Series};

/// By iteration and by time; none if nothing was recorded.
pub(super) fn section(outcome: &FitOutcome) -> Option<Markup> {
    if outcome.progress.is_empty() {
        return None;
    }
    let ends: Vec<String> = outcome.stages.iter().map(end).collect();
    let by_iteration =
        plot(outcome, "Cost over the iterations", "iteration", |p| p.iteration as f64);
    let mut costs = vec![by_iteration.whole_x().caption(caption(outcome))];
    if outcome.progress.iter().any(|p| p.seconds > 0.0) {
        costs.push(plot(outcome, "Cost over time", "time [s]", |p| p.seconds));
    }
    Some(html! {
        @if !ends.is_empty() { p.quiet { (ends.join(" ")) } }
        (plots(&costs))
    })
}

/// `Parameters: 8 iterations, stopped by: converged: the cost falls no further.`
fn end(stage: &StageEnd) -> String {
    let name = if stage.name == "networks" { "Networks" } else { "Parameters" };
    let ended = stage.ended.trim().trim_end_matches('.');
    format!("{name}: {}, stopped by: {ended}.", several(stage.iterations, "iteration"))
}

/// Explains the lines that need it.
fn caption(outcome: &FitOutcome) -> String {
    let mut text = Vec::new();
    if outcome.noise.is_some() {
        text.push(
            "“Pure noise” is the average cost that noise alone would cause if the model were right: half the degrees \
             of freedom.",
        );
    }
    if outcome.progress.iter().any(|p| p.validation.is_some()) {
        text.push(
            "The validation line begins with the networks, at another cost: its windows are different, and begin at \
             the measured state, not at the state that fits best. Their cost is scaled to the same number of values.",
        );
    }
    text.join(" ")
}

fn plot(outcome: &FitOutcome, title: &str, x: &str, at: fn(&ProgressPoint) -> f64) -> Plot {
    let points = || outcome.progress.iter();
    let cost: Vec<(f64, f64)> = points().map(|p| (at(p), p.cost)).collect();
    // It is not computed at every iteration, which is no gap.
    let validation: Vec<(f64, f64)> =
        points().filter_map(|p| Some((at(p), p.validation?))).collect();

    let positive = |points: &[(f64, f64)]| points.iter().all(|p| !p.1.is_finite() || p.1 >= 0.0);
    let logarithmic = positive(&cost) && positive(&validation);
    let mut plot = Plot::new(title, x, "cost [½χ²]")
        .line(Series::new("fitted data (best so far)", cost).paint("after"))
        .size(520.0, 250.0)
        .shows_values();
    if logarithmic {
        plot = plot.logarithmic();
    }
    let by_cost = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
    let least = validation.iter().filter(|p| p.1.is_finite()).min_by(by_cost).copied();
    let last = validation.last().map(|p| p.0);
    let mut ends = points().map(at).filter(|x| x.is_finite());
    let noise = outcome.noise.as_ref().map(|noise| noise.cost).filter(|cost| *cost > 0.0);
    if let (Some(cost), Some(from), Some(to)) = (noise, ends.clone().next(), ends.next_back()) {
        let line = vec![(from, cost), (to, cost)];
        plot = plot.line(Series::new("pure noise", line).dashed().paint("c2"));
    }
    if !validation.is_empty() {
        plot = plot.line(Series::new("validation data", validation).paint("c1"));
    }
    if let [first, _] = outcome.stages.as_slice()
        && let Some(begin) = points().rfind(|p| p.iteration <= first.iterations)
    {
        plot = plot.mark(at(begin), "networks begin");
    }
    match least {
        // At the very end there is nothing to say.
        Some((at, _)) if last.is_some_and(|last| at < last) => plot.mark(at, "least validation"),
        _ => plot,
    }
}
