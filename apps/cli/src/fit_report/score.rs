//! Which way of predicting does how well, over all channels.

use gradbody::learn::outcome::{ErrorTable, Outcome};

/// The parts of the data that there are errors of, what was held out first.
pub(super) fn parts(outcome: &Outcome) -> Vec<&str> {
    let mut parts: Vec<&str> = vec![];
    for table in &outcome.errors {
        if !parts.contains(&table.part.as_str()) {
            parts.push(&table.part);
        }
    }
    parts.sort_by_key(|part| match *part {
        "test" => 0,
        "validation" => 1,
        "train" => 3,
        _ => 2,
    });
    parts
}

/// The ways to predict a part: what the fit made of the model first, then what it was, then others.
pub(super) fn ways<'a>(outcome: &'a Outcome, part: &str) -> Vec<&'a ErrorTable> {
    let mut ways: Vec<&ErrorTable> = outcome.errors.iter().filter(|t| t.part == part).collect();
    ways.sort_by_key(|table| match table.by.as_str() {
        "after" => 0,
        "before" => 1,
        _ => 2,
    });
    ways
}

/// What a part is called in a sentence.
pub(super) fn in_words(part: &str) -> String {
    match part {
        "test" => "the test data, which the fit has not seen".into(),
        "validation" => {
            "the validation data, which the fit was stopped by but not fitted to".into()
        }
        "train" => "the data it was fitted to".into(),
        other => format!("the {other} data"),
    }
}

/// How many times the errors of `of` are those of `to`: the geometric mean over the channels both have, so
/// that units do not matter.
pub(super) fn ratio(of: &ErrorTable, to: &ErrorTable) -> Option<f64> {
    let mut logs = vec![];
    for channel in &of.channels {
        let same = to.channels.iter().find(|c| c.name == channel.name);
        let log = same.map(|same| (channel.rms / same.rms).ln());
        logs.extend(log.filter(|log| log.is_finite()));
    }
    let ratio = (logs.iter().sum::<f64>() / logs.len() as f64).exp();
    ratio.is_finite().then_some(ratio)
}

/// The root mean square over all channels with its unit, if they have the same.
pub(super) fn overall(table: &ErrorTable) -> Option<(f64, &str)> {
    let unit = &table.channels.first()?.unit;
    let rms: Vec<f64> = table.channels.iter().map(|c| c.rms).filter(|x| x.is_finite()).collect();
    let same = table.channels.iter().all(|c| c.unit == *unit) && !rms.is_empty();
    let mean = rms.iter().map(|x| x * x).sum::<f64>() / rms.len() as f64;
    same.then(|| (mean.sqrt(), unit.as_str()))
}

/// The class of a way's lines: before and after as everywhere, others by their place among the others.
pub(super) fn paint(by: &str, others_before: usize) -> &'static str {
    match by {
        "before" => "before",
        "after" => "after",
        _ => ["c1", "c2", "c3", "c4", "c5"][others_before % 5],
    }
}
