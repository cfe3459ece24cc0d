//! Results of a fit as text for a terminal.

use std::fmt::Write as _;

use gradbody_learn::Foresight;
use gradbody_learn::outcome::{ChannelErrors, ErrorTable, FitOutcome};

use super::{against_noise, readable};
use crate::number::given;
use crate::text::{Align, Table, number, several};

/// A short summary of the results.
pub fn summary(outcome: &FitOutcome) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{}: {} after {}, {:.1} s",
        outcome.name,
        outcome.ended,
        several(outcome.iterations, "iteration"),
        outcome.seconds
    );
    for remark in outcome.stages.iter().flat_map(|stage| &stage.remarks) {
        let _ = writeln!(text, "{remark}.");
    }
    for parameter in &outcome.parameters {
        let sigma = parameter.sigma.map_or(String::new(), |sigma| format!(" ± {}", number(sigma)));
        let remark = match parameter.sigma {
            _ if parameter.at_bound => "  (at its bound)",
            None if outcome.no_deviations.is_none() => "  (the data do not determine it)",
            _ => "",
        };
        let tie = parameter.tied_to.as_ref().map(|to| format!("  (tied to {to})"));
        let tie = tie.unwrap_or_default();
        let unit = format!(" {}", parameter.unit);
        let _ = writeln!(
            text,
            "  {:<32} {:>12} → {}{sigma}{}{remark}{tie}",
            parameter.name,
            number(parameter.initial),
            number(parameter.fitted),
            unit.trim_end()
        );
    }
    let has_deviations = outcome.parameters.iter().any(|parameter| parameter.sigma.is_some());
    if let Some(how) = outcome.deviations_by.as_ref().filter(|_| has_deviations) {
        let _ = writeln!(text, "± is one standard deviation: {how}");
    }
    if let Some(why) = outcome.no_deviations.as_ref().filter(|_| !outcome.parameters.is_empty()) {
        let _ = writeln!(text, "uncertainties (±) were not computed: {why}");
    }
    let left: Vec<String> = outcome
        .residuals
        .iter()
        .map(|left| {
            let (unit, factor) = readable(&left.unit, left.rms);
            format!("{} {} {unit}", left.name, number(factor * left.rms))
        })
        .collect();
    if !left.is_empty() {
        let _ = writeln!(
            text,
            "residuals over the fitted windows: {} (root mean square)",
            left.join(", ")
        );
    }
    if let Some(sentence) = against_noise(outcome) {
        let _ = writeln!(text, "{sentence}");
    }
    let part = ["test", "validation", "train"]
        .into_iter()
        .find(|part| outcome.errors.iter().any(|table| table.part == *part));
    if let Some(part) = part {
        let tables: Vec<&ErrorTable> = outcome.errors.iter().filter(|t| t.part == part).collect();
        let spread = tables.iter().flat_map(|table| &table.channels).any(|c| c.interval.is_some());
        let how = match spread {
            true => {
                "root mean square over the horizon; in brackets its range in 90 % of draws of as many recordings"
            }
            false => "root mean square over the horizon",
        };
        let _ = writeln!(text, "errors on the part \"{part}\" ({how}):");
        for table in &tables {
            // All ways to predict are told in one unit.
            let told = |(c, of): (usize, &ChannelErrors)| {
                let all = tables.iter().filter_map(|table| Some(table.channels.get(c)?.rms));
                let (unit, factor) = readable(&of.unit, all.fold(f64::INFINITY, f64::min));
                let spread = of.interval.map_or_else(String::new, |(low, high)| {
                    format!(" ({} to {})", number(factor * low), number(factor * high))
                });
                format!("{} {}{spread} {unit}", of.name, number(factor * of.rms))
            };
            let channels: Vec<String> = table.channels.iter().enumerate().map(told).collect();
            let diverged = match table.diverged {
                0 => String::new(),
                n => format!("; {n} of {} diverged", table.windows),
            };
            let _ = writeln!(text, "  {:<18} {}{diverged}", table.by, channels.join(", "));
        }
    }
    for sentence in outcome.foresight.iter().flat_map(Foresight::sentences) {
        let _ = writeln!(text, "{sentence}.");
    }
    text
}

/// The errors of each way to predict: over all samples, the median of the windows' own, and at some times ahead. Windows
/// predict `samples` samples, `period` [s] apart.
pub fn error_table(tables: &[ErrorTable], samples: usize, period: f64) -> String {
    let mut text = String::new();
    let mut ahead = vec![1, samples.div_ceil(10), samples.div_ceil(2), samples];
    ahead.dedup();
    let heads: Vec<String> =
        ahead.iter().map(|k| format!("{} s", given(*k as f64 * period, 3))).collect();
    let mut columns = vec![
        ("channel", Align::Left),
        ("model", Align::Left),
        ("all", Align::Right),
        ("median", Align::Right),
    ];
    columns.extend(heads.iter().map(|head| (head.as_str(), Align::Right)));
    let mut table = Table::new(&columns);
    let rows = tables.first().map_or(&[][..], |errors| &errors.channels);
    for (c, row) in rows.iter().enumerate() {
        let all = tables.iter().map(|errors| errors.channels[c].rms);
        let (unit, factor) = readable(&row.unit, all.fold(f64::INFINITY, f64::min));
        let shown = |x: f64| rounded(factor * x);
        for errors in tables {
            let channel = &errors.channels[c];
            let told = errors.diverged < errors.windows;
            let [all, median] = match told {
                // Nothing of this channel was measured in the predicted samples.
                true if channel.rms.is_nan() => ["–".into(), "–".into()],
                true => [channel.rms, channel.median].map(shown),
                false => ["diverged".into(), "–".into()],
            };
            let mut cells = vec![format!("{} [{unit}]", row.name), errors.by.clone(), all, median];
            cells.extend(ahead.iter().map(|k| {
                let at =
                    channel.by_horizon.iter().find(|(t, _)| (t / period - *k as f64).abs() < 0.5);
                at.map_or("–".into(), |(_, rms)| shown(*rms))
            }));
            table.row(cells);
        }
    }
    table.write(&mut text);
    for errors in tables.iter().filter(|errors| errors.diverged > 0) {
        let _ = writeln!(
            text,
            "{}: {} of {} diverged and {} not counted",
            errors.by,
            errors.diverged,
            several(errors.windows, "window"),
            if errors.diverged == 1 { "is" } else { "are" }
        );
    }
    text
}

/// An error to three digits; more would not be significant.
fn rounded(x: f64) -> String {
    match x {
        x if x > 0.0 && x.is_finite() => {
            let decimals = (2 - x.log10().floor() as i32).clamp(0, 9) as usize;
            match x < 1e-6 {
                true => format!("{x:.2e}"),
                false => format!("{x:.decimals$}"),
            }
        }
        x => number(x),
    }
}
