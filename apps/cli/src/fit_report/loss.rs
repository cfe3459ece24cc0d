//! The cost over the iterations.

use std::fmt::Write as _;

use gradbody::learn::outcome::{Outcome, ProgressPoint, StageEnd};

use super::number::several;
use gradbody_report::{Plot, Series, escape};

/// By iteration and by time; empty if nothing was recorded.
pub(super) fn section(outcome: &Outcome) -> String {
    if outcome.progress.is_empty() {
        return String::new();
    }
    let mut html = String::new();
    let ends: Vec<String> = outcome.stages.iter().map(end).collect();
    if !ends.is_empty() {
        let _ = writeln!(html, "<p class=\"quiet\">{}</p>", escape(&ends.join(" ")));
    }
    html.push_str("<div class=\"plots\">\n");
    plot(outcome, "Cost over the iterations", "iteration", |p| p.iteration as f64)
        .whole_x()
        .caption(caption(outcome))
        .write(&mut html);
    if outcome.progress.iter().any(|p| p.seconds > 0.0) {
        let plot = plot(outcome, "Cost over time", "time [s]", |p| p.seconds);
        plot.write(&mut html);
    }
    html.push_str("</div>\n");
    html
}

/// `Parameters: 8 iterations, stopped by: converged: the cost falls no further.`
fn end(stage: &StageEnd) -> String {
    let name = if stage.name == "networks" { "Networks" } else { "Parameters" };
    let ended = stage.ended.trim().trim_end_matches('.');
    format!("{name}: {}, stopped by: {ended}.", several(stage.iterations, "iteration"))
}

/// What the lines are that explain themselves least.
fn caption(outcome: &Outcome) -> String {
    let mut text = Vec::new();
    if outcome.noise.is_some() {
        text.push(
            "“Pure noise” is what noise alone would leave of the cost on average, if the model were right: half the \
             degrees of freedom.",
        );
    }
    if outcome.progress.iter().any(|p| p.validation.is_some()) {
        text.push(
            "The validation line begins with the networks, and elsewhere: it is of other windows, which begin where \
             they were measured to and not where the model fits best. Their cost is scaled to as many numbers.",
        );
    }
    text.join(" ")
}

fn plot(outcome: &Outcome, title: &str, x: &str, at: fn(&ProgressPoint) -> f64) -> Plot {
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
