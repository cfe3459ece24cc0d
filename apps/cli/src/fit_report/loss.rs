//! The cost over the iterations.

use gradbody::learn::outcome::{Outcome, ProgressPoint};

use crate::report::{Plot, Series, sheet};

/// By iteration and by time; empty if nothing was recorded.
pub(super) fn section(outcome: &Outcome) -> String {
    if outcome.progress.is_empty() {
        return String::new();
    }
    let mut html = String::from("<div class=\"plots\">\n");
    by_iteration(outcome).write(&mut html);
    if outcome.progress.iter().any(|p| p.seconds > 0.0) {
        let plot = plot(outcome, "Cost over time", "time [s]", |p| p.seconds);
        plot.write(&mut html);
    }
    html.push_str("</div>\n");
    html
}

/// The cost over the iterations, on the data fitted to and on those held out, as an SVG file.
#[allow(dead_code)]
pub(crate) fn svg_loss(outcome: &Outcome) -> String {
    sheet("Cost over the iterations", &[by_iteration(outcome)])
}

fn by_iteration(outcome: &Outcome) -> Plot {
    let plot = plot(outcome, "Cost over the iterations", "iteration", |p| p.iteration as f64);
    plot.whole_x()
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
    if !validation.is_empty() {
        plot = plot.line(Series::new("validation data", validation).paint("c1"));
    }
    match least {
        // At the very end there is nothing to say.
        Some((at, _)) if last.is_some_and(|last| at < last) => plot.mark(at, "least validation"),
        _ => plot,
    }
}
