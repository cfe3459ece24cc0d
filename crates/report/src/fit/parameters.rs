//! The parameters before and after, how well the data determine them, and what they do not tell.

use std::fmt::Write as _;

use gradbody_learn::outcome::{FitOutcome, FittedParameter};
use maud::{Markup, PreEscaped, html};

use super::{profiles, undetermined};
use crate::number::{NOTHING, change, given, number, several, with_sigma};

/// Rows that are shown at once; the others are folded away.
const SHOWN: usize = 60;
/// Size of the picture in a row.
const WIDTH: f64 = 150.0;
const HEIGHT: f64 = 24.0;

/// The table, the undetermined directions and the profiles; none without any.
pub(super) fn section(outcome: &FitOutcome) -> Option<Markup> {
    let blocks = [
        (!outcome.parameters.is_empty()).then(|| tables(outcome)),
        undetermined::block(outcome),
        profiles::block(outcome),
    ];
    let some = blocks.iter().any(Option::is_some);
    some.then(|| html! { @for block in blocks.iter().flatten() { (block) } })
}

fn tables(outcome: &FitOutcome) -> Markup {
    // Without deviations it is not known what the data determine.
    let judged = outcome.no_deviations.is_none();
    let (first, rest) = outcome.parameters.split_at(outcome.parameters.len().min(SHOWN));
    html! {
        p.quiet {
            "In the pictures, each on a scale of its own, the grey mark is the value before, the dot the value after, the "
            "bar twice its standard deviation on both sides, and the band what was known beforehand (twice its deviation "
            "as well)."
            @if let Some(how) = &outcome.deviations_by {
                " Standard deviations (±): " (how) "."
            }
            @if let Some(why) = &outcome.no_deviations {
                " Standard deviations (±) were not computed for this fit: " (why) "."
            }
        }
        (table(first, judged))
        @if !rest.is_empty() {
            details {
                summary { (several(rest.len(), "more parameter")) }
                (table(rest, judged))
            }
        }
    }
}

fn table(parameters: &[FittedParameter], judged: bool) -> Markup {
    html! {
        div.scroll { table.parameters {
            thead { tr {
                @for head in ["parameter", "unit", "before", "after", "change", "picture", ""] { th { (head) } }
            } }
            tbody { @for parameter in parameters { (row(parameter, judged)) } }
        } }
    }
}

fn row(parameter: &FittedParameter, judged: bool) -> Markup {
    let FittedParameter { name, unit, initial, fitted, sigma, at_bound, tied_to, .. } = parameter;
    let after = match sigma {
        Some(sigma) => with_sigma(*fitted, *sigma),
        None => number(*fitted, 4),
    };
    html! {
        tr {
            th scope="row" { (name) }
            td data-label="unit" { (if unit.is_empty() { NOTHING } else { unit }) }
            td data-label="before" { (given(*initial, 5)) }
            td data-label="after" { (after) }
            td data-label="change" { (change(*initial, *fitted)) }
            td.picture { (PreEscaped(picture(parameter))) }
            td.flags {
                @if *at_bound { span.flag { "at its bound" } " " }
                @if let Some(leader) = tied_to { span.flag { "tied to " (leader) } " " }
                @if sigma.is_none() && judged && !at_bound { span.flag { "not determined" } }
            }
        }
    }
}

/// Before and after on a line, with the deviation and what was known beforehand.
fn picture(parameter: &FittedParameter) -> String {
    let FittedParameter { initial, fitted, .. } = *parameter;
    let sigma = parameter.sigma.filter(|s| s.is_finite() && *s > 0.0);
    let prior = parameter.prior.filter(|p| p.mean.is_finite() && p.sigma.is_finite());
    let mut ends = vec![initial, fitted];
    ends.extend(sigma.iter().flat_map(|s| [fitted - 2.0 * s, fitted + 2.0 * s]));
    ends.retain(|x| x.is_finite());
    let (low, high) =
        ends.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |r, x| (r.0.min(*x), r.1.max(*x)));
    if !fitted.is_finite() || !(high - low).is_finite() {
        return String::new();
    }
    // A value that stayed, and is known exactly, is in the middle.
    let width = if high > low { high - low } else { low.abs().max(1.0) };
    let x = |value: f64| {
        let share = (value - 0.5 * (low + high)) / width;
        (WIDTH * (0.5 + 0.84 * share)).clamp(0.0, WIDTH)
    };
    let middle = HEIGHT / 2.0;
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" aria-hidden=\"true\">");
    if let Some(prior) = prior {
        let (from, to) = (x(prior.mean - 2.0 * prior.sigma), x(prior.mean + 2.0 * prior.sigma));
        let _ = write!(
            svg,
            "<rect class=\"prior\" x=\"{from:.1}\" y=\"3\" width=\"{:.1}\" height=\"{:.1}\"/>",
            (to - from).max(0.0),
            HEIGHT - 6.0
        );
    }
    let _ = write!(svg, "<path class=\"base\" d=\"M0 {middle}H{WIDTH}\"/>");
    if let Some(sigma) = sigma {
        let (from, to) = (x(fitted - 2.0 * sigma), x(fitted + 2.0 * sigma));
        let _ = write!(svg, "<path class=\"bar\" d=\"M{from:.1} {middle}H{to:.1}\"/>");
    }
    if initial.is_finite() {
        let _ = write!(svg, "<path class=\"was\" d=\"M{:.1} 4V{:.1}\"/>", x(initial), HEIGHT - 4.0);
    }
    let hollow = if sigma.is_none() { " hollow" } else { "" };
    let _ = write!(
        svg,
        "<circle class=\"is{hollow}\" cx=\"{:.1}\" cy=\"{middle}\" r=\"4\"/></svg>",
        x(fitted)
    );
    svg
}
