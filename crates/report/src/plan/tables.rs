//! Tables: the terms of the cost, chosen parameters, other methods.

use gradbody_plan::PlanOutcome;
use maud::{Markup, html};

use super::text::limited_by_time;
use crate::number::number;

/// The terms of the cost.
pub(super) fn costs(outcome: &PlanOutcome) -> Markup {
    let asks = outcome.costs.iter().any(|cost| cost.within.is_some());
    let has_before = outcome.receding.is_none();
    html! {
        div.scroll { table {
            thead { tr {
                th { "cost" } @if has_before { th { "before" } } th { "plan" } th { "share" } th { "largest difference" }
                @if asks { th { "asked for" } th { "" } }
            } }
            tbody { @for cost in &outcome.costs { tr {
                th { (cost.name) }
                @if has_before {
                    td { (cost.before.map_or("diverges".into(), |before| number(before, 4))) }
                }
                td { (number(cost.cost, 4)) }
                td { (number(share(cost.cost, outcome.cost), 3)) " %" }
                td { (number(cost.worst, 4)) }
                @if asks {
                    td { (cost.within.map_or(String::new(), |within| number(within, 3))) }
                    td { (cost.within.map_or("", |within| if cost.worst <= within { "done" } else { "not done" })) }
                }
            } } }
        } }
        p.quiet {
            "The largest difference from the target where the cost counts, in the unit of what is compared: m, rad, m/s, \
             rad/s, N, Nm."
        }
    }
}

/// A share of a sum [%]; nothing has no share, even of nothing.
fn share(part: f64, sum: f64) -> f64 {
    if part == 0.0 { 0.0 } else { 100.0 * part / sum }
}

/// The parameters that were chosen; none without.
pub(super) fn parameters(outcome: &PlanOutcome) -> Option<Markup> {
    (!outcome.parameters.is_empty()).then(|| html! {
        div.scroll { table {
            thead { tr { th { "parameter" } th { "model" } th { "plan" } th { "from" } th { "to" } } }
            tbody { @for parameter in &outcome.parameters { tr {
                th { (parameter.name) }
                td { (number(parameter.before, 5)) }
                td { (number(parameter.chosen, 5)) }
                td { (number(parameter.bounds.0, 4)) }
                td { (number(parameter.bounds.1, 4)) }
            } } }
        } }
    })
}

/// Other methods on the same task.
pub(super) fn rivals(outcome: &PlanOutcome) -> Markup {
    let own = outcome.points.last().copied().unwrap_or_default();
    let own = (outcome.method.as_str(), own, outcome.ended.map_or("interrupted", |e| e.in_words()));
    let others = outcome.rivals.iter().filter_map(|rival| {
        Some((rival.method.as_str(), rival.points.last().copied()?, rival.ended.in_words()))
    });
    html! {
        div.scroll { table {
            thead { tr {
                th { "method" } th { "cost" } th { "simulated motions" } th { "seconds" } th { "why it ended" }
            } }
            tbody { @for (method, point, ended) in std::iter::once(own).chain(others) { tr {
                th { (method) }
                td { (point.cost.map_or("none".into(), |cost| number(cost, 4))) }
                td { (point.simulations) }
                td { (number(point.seconds, 3)) }
                td { (ended) }
            } } }
        } }
        @if let Some(remark) = limited_by_time(outcome) { p.quiet { (remark) "." } }
    }
}
