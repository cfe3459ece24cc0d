//! Compares the ways of predicting over all channels.

use gradbody_learn::outcome::{ChannelErrors, ErrorTable, FitOutcome};

use crate::number::{count, readable, several};

/// The parts of the data that there are errors of, what was held out first.
pub(super) fn parts(outcome: &FitOutcome) -> Vec<&str> {
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
pub(super) fn ways<'a>(outcome: &'a FitOutcome, part: &str) -> Vec<&'a ErrorTable> {
    let mut ways: Vec<&ErrorTable> = outcome.errors.iter().filter(|t| t.part == part).collect();
    ways.sort_by_key(|table| match table.by.as_str() {
        "after" => 0,
        "before" => 1,
        _ => 2,
    });
    ways
}

/// A column of a table of errors: a channel, or a body's position or orientation.
pub(super) struct Column<'a> {
    pub(super) name: &'a str,
    /// The unit that is shown.
    pub(super) unit: &'a str,
    /// From the unit of the outcome to that one.
    pub(super) factor: f64,
}

/// Everything that some way of predicting has errors of, in the order in which it comes.
pub(super) fn columns<'a>(ways: &[&'a ErrorTable]) -> Vec<Column<'a>> {
    let mut all: Vec<Column> = vec![];
    for channel in ways.iter().flat_map(|table| &table.channels) {
        if all.iter().any(|column| column.name == channel.name) {
            continue;
        }
        let same = ways.iter().flat_map(|table| &table.channels).filter(|c| c.name == channel.name);
        let (unit, factor) =
            readable(&channel.unit, same.map(|c| c.rms).fold(f64::INFINITY, f64::min));
        all.push(Column { name: &channel.name, unit, factor });
    }
    all
}

/// What a part is called in a sentence.
pub(super) fn in_words(part: &str, outcome: &FitOutcome) -> String {
    let networks = outcome.stages.iter().any(|stage| stage.name == "networks");
    match part {
        "test" => "the test data, which the fit has not seen".into(),
        "validation" if networks => {
            "the validation data, which networks were chosen by but not fitted to".into()
        }
        "validation" => "the validation data, which the fit has not seen".into(),
        "train" => "the data it was fitted to".into(),
        other => format!("the {other} data"),
    }
}

/// The channels that both have an error of.
pub(super) fn pairs<'a>(
    of: &'a ErrorTable,
    to: &'a ErrorTable,
) -> Vec<(&'a ChannelErrors, &'a ChannelErrors)> {
    let same =
        |channel: &&ChannelErrors, name: &str| channel.name == name && channel.rms.is_finite();
    let pair = |channel: &'a ChannelErrors| {
        Some((channel, to.channels.iter().find(|c| same(c, &channel.name))?))
    };
    of.channels.iter().filter(|channel| channel.rms.is_finite()).filter_map(pair).collect()
}

/// How many times the errors of `of` are those of `to`, over the channels that both have: by their root mean square if
/// they have one unit, else the geometric mean of the channels'.
pub(super) fn ratio(of: &ErrorTable, to: &ErrorTable) -> Option<f64> {
    let pairs = pairs(of, to);
    let (ours, theirs): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
    let ratio = match (overall(&ours), overall(&theirs)) {
        (Some((ours, _)), Some((theirs, _))) => ours / theirs,
        _ => {
            let logs =
                pairs.iter().map(|(a, b)| (a.rms / b.rms).ln()).filter(|log| log.is_finite());
            let logs: Vec<f64> = logs.collect();
            (logs.iter().sum::<f64>() / logs.len() as f64).exp()
        }
    };
    ratio.is_finite().then_some(ratio)
}

/// `3 of 24 windows diverged`; none if none did. Its errors are then of the others only, so that they cannot be compared.
pub(super) fn diverged(table: &ErrorTable) -> Option<String> {
    let of = || format!("{} of {}", count(table.diverged), several(table.windows, "window"));
    (table.diverged > 0).then(|| format!("{} diverged", of()))
}

/// The root mean square over channels with their unit, if they have the same.
pub(super) fn overall<'a>(channels: &[&'a ChannelErrors]) -> Option<(f64, &'a str)> {
    let unit = channels.first()?.unit.as_str();
    let mean = channels.iter().map(|c| c.rms * c.rms).sum::<f64>() / channels.len() as f64;
    channels.iter().all(|c| c.unit == unit).then(|| (mean.sqrt(), unit))
}

/// The class of a way's lines: before and after as everywhere, others by their place among the others.
pub(super) fn paint(by: &str, others_before: usize) -> &'static str {
    match by {
        "before" => "before",
        "after" => "after",
        _ => ["c1", "c2", "c3", "c4", "c5"][others_before % 5],
    }
}
