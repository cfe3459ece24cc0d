//! What came out, in a few sentences and figures.

use std::fmt::Write as _;

use gradbody::learn::outcome::{ErrorTable, Outcome};

use super::number::{count, duration, list, number, several};
use super::score::{in_words, overall, parts, ratio, ways};
use crate::report::escape;

/// The heading, and the title of the window.
pub(super) fn title(outcome: &Outcome) -> String {
    let name = if outcome.name.is_empty() { "A fit" } else { &outcome.name };
    match outcome.model.as_str() {
        "" => name.to_owned(),
        model => format!("{name}: {model}"),
    }
}

/// Sentences, then figures.
pub(super) fn section(outcome: &Outcome) -> String {
    let mut html = String::new();
    for sentence in [accuracy(outcome), others(outcome), search(outcome)].into_iter().flatten() {
        let _ = writeln!(html, "<p class=\"lead\">{}</p>", escape(&sentence));
    }
    html.push_str(&figures(outcome));
    html
}

/// The part of the data that counts, and how it was predicted after and before.
fn judged(outcome: &Outcome) -> Option<(&str, &ErrorTable, Option<&ErrorTable>)> {
    parts(outcome).into_iter().find_map(|part| {
        let ways = ways(outcome, part);
        let by = |name: &str| ways.iter().copied().find(|table| table.by == name);
        by("after").map(|after| (part, after, by("before")))
    })
}

/// The error before and after, and how many times less it is.
fn accuracy(outcome: &Outcome) -> Option<String> {
    let (part, after, before) = judged(outcome)?;
    let mut text = match before.and_then(|before| Some((before, ratio(before, after)?))) {
        Some((before, factor)) => format!(
            "On {} the error {} {} to {}, {}.",
            clause(part),
            if factor >= 1.0 { "fell from" } else { "rose from" },
            error_of(before),
            error_of(after),
            times(factor)
        ),
        None => format!("On {} the error is {}.", clause(part), error_of(after)),
    };
    if part == "train" {
        text.push_str(
            " Nothing was held out, so this does not say how well new motion is predicted.",
        );
    }
    for (table, when) in [(Some(after), "After"), (before, "Before")] {
        if let Some(table) = table.filter(|table| table.diverged > 0) {
            let _ = write!(
                text,
                " {when} the fit {} of {} diverged, and {} not counted.",
                count(table.diverged),
                several(table.windows, "window"),
                if table.diverged == 1 { "is" } else { "are" }
            );
        }
    }
    Some(text)
}

/// What a part is called, inside a sentence.
fn clause(part: &str) -> String {
    let words = in_words(part);
    if words.contains(',') { words + "," } else { words }
}

/// The error over all channels, or of the first where units differ.
fn error_of(table: &ErrorTable) -> String {
    match (overall(table), table.channels.first()) {
        (Some((rms, unit)), _) => format!("{} {unit}", number(rms, 3)).trim_end().to_owned(),
        (None, Some(first)) => {
            format!("{} {} ({})", number(first.rms, 3), first.unit, first.name)
        }
        (None, None) => "not known".into(),
    }
}

fn times(factor: f64) -> String {
    match factor {
        f if (f - 1.0).abs() < 0.005 => "no change".into(),
        f if f >= 1.0 => format!("{} times less", number(f, 2)),
        f => format!("{} times more: the fit made it worse", number(1.0 / f, 2)),
    }
}

/// What else was tried on the same data, and whether it does better.
fn others(outcome: &Outcome) -> Option<String> {
    let (part, after, _) = judged(outcome)?;
    let (mut beaten, mut better) = (vec![], vec![]);
    for other in ways(outcome, part) {
        if matches!(other.by.as_str(), "after" | "before") {
            continue;
        }
        let Some(ratio) = ratio(other, after) else { continue };
        let diverged = match other.diverged {
            0 => String::new(),
            n => format!(", though {} of its windows diverged", count(n)),
        };
        let words = format!("“{}” ({} times the error{diverged})", other.by, number(ratio, 2));
        if ratio >= 1.0 { beaten.push(words) } else { better.push(words) }
    }
    let beaten = (!beaten.is_empty()).then(|| format!("beats {}", list(&beaten)));
    let better = (!better.is_empty()).then(|| format!("loses to {}", list(&better)));
    let words: Vec<String> = [beaten, better].into_iter().flatten().collect();
    (!words.is_empty()).then(|| format!("There the fitted model {}.", words.join(", but ")))
}

/// How long it took, and why it ended.
fn search(outcome: &Outcome) -> Option<String> {
    let mut text = format!(
        "{} were fitted in {} and {}",
        several(outcome.parameters.len(), "parameter"),
        duration(outcome.seconds),
        several(outcome.iterations, "iteration")
    );
    if outcome.parameters.len() == 1 {
        text = text.replacen(" were ", " was ", 1);
    }
    if outcome.gradients_per_second.is_finite() && outcome.gradients_per_second > 0.0 {
        let _ = write!(text, " ({} gradients a second)", number(outcome.gradients_per_second, 2));
    }
    text.push('.');
    let ended = outcome.ended.trim().trim_end_matches('.');
    if !ended.is_empty() {
        let _ = write!(text, " The search ended: {ended}.");
    }
    Some(text)
}

/// A few numbers large enough to read from afar.
fn figures(outcome: &Outcome) -> String {
    let mut figures: Vec<(String, String)> = vec![];
    if let Some((part, after, before)) = judged(outcome) {
        let of = if part == "train" { "fitted".into() } else { part.to_owned() };
        if let Some((rms, unit)) = overall(after) {
            let meaning = format!("rms error on the {of} data, after the fit");
            figures.push((format!("{} <span>{}</span>", number(rms, 3), escape(unit)), meaning));
        }
        if let Some(factor) = before.and_then(|before| ratio(before, after)) {
            figures.push((format!("{} ×", number(factor, 2)), "less error than before".into()));
        }
    }
    let unknown = outcome.parameters.iter().filter(|p| p.sigma.is_none()).count();
    let known = outcome.parameters.len() - unknown;
    if known > 0 {
        let all = count(outcome.parameters.len());
        figures.push((
            format!("{} <span>of {all}</span>", count(known)),
            "parameters that the data determine".into(),
        ));
    }
    if outcome.seconds.is_finite() {
        figures.push((duration(outcome.seconds), several(outcome.iterations, "iteration")));
    }
    let mut html = String::from("<dl class=\"figures\">\n");
    for (value, meaning) in figures {
        let _ = writeln!(html, "<div><dt>{}</dt><dd>{value}</dd></div>", escape(&meaning));
    }
    html.push_str("</dl>\n");
    html
}
