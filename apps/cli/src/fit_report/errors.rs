//! How far each way of predicting is off, on each part of the data and in each channel.

use std::fmt::Write as _;

use gradbody::learn::outcome::{ErrorTable, Outcome};

use super::horizon;
use super::number::{NOTHING, axis, count, number};
use super::score::{in_words, parts, ratio, ways};
use gradbody_report::escape;

/// Tables, then errors over the time ahead on the first part; empty without errors.
pub(super) fn section(outcome: &Outcome) -> String {
    let parts = parts(outcome);
    let Some(first) = parts.first() else { return String::new() };
    let mut channels = outcome.errors.iter().flat_map(|table| &table.channels);
    let unit = channels.next().map(|channel| &channel.unit);
    let mean = match channels.all(|channel| Some(&channel.unit) == unit) {
        true => "the root mean square over the channels",
        false => "the geometric mean over the channels, whose units differ,",
    };
    let mut html = format!(
        "<p class=\"quiet\">Root mean square errors over all samples of all windows; the least of each \
         column is bold, among ways of which no window diverged; windows that did are not counted. “Over all” is \
         {mean} relative to the model before the fit, of ways of which none did.</p>\n"
    );
    for part in &parts {
        write_table(&mut html, &in_words(part, outcome), &ways(outcome, part));
    }
    let plots = horizon::plots(outcome, first);
    if !plots.is_empty() {
        let _ = writeln!(
            html,
            "<h3>Error over the time ahead, {} data</h3>\n<div class=\"plots\">",
            escape(first)
        );
        for plot in plots {
            plot.write(&mut html);
        }
        html.push_str("</div>\n");
    }
    html
}

fn write_table(html: &mut String, title: &str, ways: &[&ErrorTable]) {
    let mut channels: Vec<(&str, &str)> = vec![];
    for channel in ways.iter().flat_map(|table| &table.channels) {
        if !channels.iter().any(|(name, _)| *name == channel.name) {
            channels.push((&channel.name, &channel.unit));
        }
    }
    let before = ways.iter().find(|table| table.by == "before");
    // The windows that are left where some diverged are easier ones.
    let relative: Vec<Option<f64>> =
        ways.iter().map(|table| ratio(table, before?).filter(|_| table.diverged == 0)).collect();

    let _ = writeln!(
        html,
        "<h3>{}</h3>\n<div class=\"scroll\"><table class=\"errors\">\n<thead><tr><th>predicted by</th>\
         <th>over all</th>",
        escape(&capital(title))
    );
    for (name, unit) in &channels {
        let _ = write!(html, "<th>{}</th>", escape(&axis(name, unit)));
    }
    html.push_str("<th>windows</th><th>numbers trained</th></tr></thead>\n<tbody>\n");
    let best_relative = best(ways, |i| relative.get(i).copied().flatten());
    let rms = |i: usize, name: &str| {
        let table = ways.get(i)?;
        table.channels.iter().find(|c| c.name == name).map(|c| c.rms)
    };
    let best_rms: Vec<Option<usize>> =
        channels.iter().map(|(name, _)| best(ways, |i| rms(i, name))).collect();
    for (i, table) in ways.iter().enumerate() {
        let trained = if table.trained == 0 { NOTHING.into() } else { count(table.trained) };
        let _ = write!(html, "<tr><th scope=\"row\">{}</th>", escape(&table.by));
        let relative = relative.get(i).copied().flatten();
        let text = relative.map_or(NOTHING.into(), |x| format!("{} ×", number(x, 2)));
        html.push_str(&cell(&text, best_relative == Some(i)));
        for ((name, _), best) in channels.iter().zip(&best_rms) {
            let text = rms(i, name).map_or(NOTHING.into(), |x| number(x, 3));
            html.push_str(&cell(&text, *best == Some(i)));
        }
        let _ = writeln!(html, "<td>{}</td><td>{trained}</td></tr>", windows(table));
    }
    html.push_str("</tbody>\n</table></div>\n");
}

/// Which way has the least value, among those of which nothing diverged.
fn best(ways: &[&ErrorTable], value: impl Fn(usize) -> Option<f64>) -> Option<usize> {
    let finite = |i: usize| value(i).filter(|x| x.is_finite()).map(|x| (i, x));
    let whole = |i: &usize| ways.get(*i).is_some_and(|table| table.diverged == 0);
    (0..ways.len())
        .filter(whole)
        .filter_map(finite)
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(i, _)| i)
}

fn windows(table: &ErrorTable) -> String {
    match table.diverged {
        0 => count(table.windows),
        n => format!("{} <span class=\"flag\">{} diverged</span>", count(table.windows), count(n)),
    }
}

fn cell(text: &str, bold: bool) -> String {
    match bold {
        true => format!("<td><strong>{text}</strong></td>"),
        false => format!("<td>{text}</td>"),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
