//! Errors of each way of predicting, on each part of the data and in each channel.

use gradbody_learn::outcome::{ErrorTable, FitOutcome};
use maud::{Markup, html};

use super::horizon;
use super::score::{Column, columns, in_words, parts, ratio, ways};
use crate::html::plots;
use crate::number::{NOTHING, axis, count, number};

/// Tables, then errors over the time ahead on the first part; none without errors.
pub(super) fn section(outcome: &FitOutcome) -> Option<Markup> {
    let parts = parts(outcome);
    let first = parts.first()?;
    let mut channels = outcome.errors.iter().flat_map(|table| &table.channels);
    let unit = channels.next().map(|channel| &channel.unit);
    let mean = match channels.all(|channel| Some(&channel.unit) == unit) {
        true => "the root mean square over the channels",
        false => "the geometric mean over the channels, whose units differ,",
    };
    let explained = format!(
        "Root mean square errors over all samples of all windows, and in brackets the median of the windows' own; windows \
         that diverged are not counted. The error of a position is a distance, that of an orientation the angle of the \
         rotation between prediction and measurement. The smallest error of each column is bold, among ways without \
         diverged windows. “Over all” is {mean} relative to the model before the fit, for ways without diverged windows."
    );
    let ahead = horizon::plots(outcome, first);
    Some(html! {
        p.quiet { (explained) }
        @for part in &parts {
            h3 { (capital(&in_words(part, outcome))) }
            (table(&ways(outcome, part)))
        }
        @if !ahead.is_empty() {
            h3 { "Error over the time ahead, " (first) " data" }
            (plots(&ahead))
        }
        @if let Some(foresight) = &outcome.foresight {
            h3 { "How far motion can be predicted, " (foresight.part) " data" }
            @for sentence in foresight.sentences() { p { (sentence) "." } }
        }
    })
}

/// A row for each way of predicting, a column for each channel.
fn table(ways: &[&ErrorTable]) -> Markup {
    let columns = columns(ways);
    let before = ways.iter().find(|table| table.by == "before");
    // Where windows diverged, the remaining ones are easier.
    let relative: Vec<Option<f64>> =
        ways.iter().map(|table| ratio(table, before?).filter(|_| table.diverged == 0)).collect();
    let best_relative = best(ways, |i| relative.get(i).copied().flatten());
    let errors = |i: usize, name: &str| ways.get(i)?.channels.iter().find(|c| c.name == name);
    let best_rms: Vec<Option<usize>> = columns
        .iter()
        .map(|column| best(ways, |i| errors(i, column.name).map(|errors| errors.rms)))
        .collect();
    let over_all = |i: usize| {
        let relative = relative.get(i).copied().flatten();
        relative.map_or(NOTHING.into(), |x| format!("{} ×", number(x, 2)))
    };
    let error = |i: usize, column: &Column, bold: bool| {
        let of = errors(i, column.name).map(|errors| [errors.rms, errors.median]);
        let [rms, median] = of.unwrap_or([f64::NAN; 2]).map(|x| number(column.factor * x, 3));
        html! {
            td {
                @if bold { strong { (rms) } } @else { (rms) }
                @if median != NOTHING { " " span.quiet { "(" (median) ")" } }
            }
        }
    };
    html! {
        div.scroll { table.errors {
            thead { tr {
                th { "predicted by" } th { "over all" }
                @for Column { name, unit, .. } in &columns { th { (axis(name, unit)) } }
                th { "windows" } th { "numbers trained" }
            } }
            tbody {
                @for (i, table) in ways.iter().enumerate() {
                    tr {
                        th scope="row" { (table.by) }
                        (cell(&over_all(i), best_relative == Some(i)))
                        @for (column, best) in columns.iter().zip(&best_rms) {
                            (error(i, column, *best == Some(i)))
                        }
                        (windows(table))
                        td { (if table.trained == 0 { NOTHING.into() } else { count(table.trained) }) }
                    }
                }
            }
        } }
    }
}

/// The way with the smallest value, among those without diverged windows.
fn best(ways: &[&ErrorTable], value: impl Fn(usize) -> Option<f64>) -> Option<usize> {
    let finite = |i: usize| value(i).filter(|x| x.is_finite()).map(|x| (i, x));
    let whole = |i: &usize| ways.get(*i).is_some_and(|table| table.diverged == 0);
    (0..ways.len())
        .filter(whole)
        .filter_map(finite)
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(i, _)| i)
}

fn windows(table: &ErrorTable) -> Markup {
    html! {
        td {
            (count(table.windows))
            @if table.diverged > 0 { " " span.flag { (count(table.diverged)) " diverged" } }
        }
    }
}

fn cell(text: &str, bold: bool) -> Markup {
    html! { td { @if bold { strong { (text) } } @else { (text) } } }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
