//! The results in a few sentences and figures.

use std::fmt::Write as _;

use gradbody_learn::outcome::{ChannelErrors, ErrorTable, FitOutcome};
use maud::{Markup, html};

use super::noise::against_noise;
use super::score::{diverged, in_words, overall, pairs, parts, ratio, ways};
use crate::Figure;
use crate::html::figures;
use crate::number::{count, duration, list, number, readable, several};

/// The heading, and the title of the window.
pub(super) fn title(outcome: &FitOutcome) -> String {
    let name = if outcome.name.is_empty() { "A fit" } else { &outcome.name };
    match outcome.model.as_str() {
        "" => name.to_owned(),
        model => format!("{name}: {model}"),
    }
}

/// Sentences, then figures.
pub(super) fn section(outcome: &FitOutcome) -> Markup {
    let sentences = [accuracy(outcome), others(outcome), against_noise(outcome), search(outcome)];
    html! {
        @for sentence in sentences.into_iter().flatten() { p.lead { (sentence) } }
        (figures(&numbers(outcome)))
    }
}

/// The part of the data that counts, and how it was predicted after and before.
fn judged(outcome: &FitOutcome) -> Option<(&str, &ErrorTable, Option<&ErrorTable>)> {
    parts(outcome).into_iter().find_map(|part| {
        let ways = ways(outcome, part);
        let by = |name: &str| ways.iter().copied().find(|table| table.by == name);
        by("after").map(|after| (part, after, by("before")))
    })
}

/// Errors that can be told in one number, before (if that is known) and after.
struct Told<'a> {
    /// The channel, if it is of one.
    channel: Option<&'a str>,
    /// Of how many channels.
    channels: usize,
    before: Option<f64>,
    after: f64,
    unit: &'a str,
}

impl<'a> Told<'a> {
    /// In a unit in which the numbers are read best.
    fn new(
        channel: Option<&'a str>,
        channels: usize,
        before: Option<f64>,
        after: f64,
        unit: &'a str,
    ) -> Self {
        let (unit, factor) = readable(unit, before.map_or(after, |before| before.min(after)));
        Told {
            channel,
            channels,
            before: before.map(|before| factor * before),
            after: factor * after,
            unit,
        }
    }

    /// How many times less it is than before.
    fn factor(&self) -> Option<f64> {
        Some(self.before? / self.after).filter(|factor| factor.is_finite())
    }

    /// `the error of elbow`.
    fn name(&self) -> String {
        match self.channel {
            Some(channel) => format!("the error of {channel}"),
            None => format!("the error over {}", several(self.channels, "channel")),
        }
    }

    fn words(&self) -> String {
        let with_unit = |x: f64| format!("{} {}", number(x, 3), self.unit).trim_end().to_owned();
        match (self.before, self.factor()) {
            // Rounded as they are shown, the numbers are equal.
            (Some(before), Some(_)) if with_unit(before) == with_unit(self.after) => {
                format!("{} is {}, as before", self.name(), with_unit(self.after))
            }
            (Some(before), Some(factor)) => format!(
                "{} {} {} to {}, {}",
                self.name(),
                if factor >= 1.0 { "fell from" } else { "rose from" },
                with_unit(before),
                with_unit(self.after),
                times(factor)
            ),
            _ => format!("{} is {}", self.name(), with_unit(self.after)),
        }
    }
}

/// Over all channels if they have one unit, else channel by channel. Without what it was before if the fitted model
/// diverged: its worst windows are not counted.
fn told<'a>(after: &'a ErrorTable, before: Option<&'a ErrorTable>) -> Vec<Told<'a>> {
    let before = before.filter(|_| after.diverged == 0);
    let (before, after): (Vec<_>, Vec<_>) = match before.map(|before| pairs(before, after)) {
        Some(pairs) if !pairs.is_empty() => pairs.into_iter().map(|(b, a)| (Some(b), a)).unzip(),
        _ => after.channels.iter().filter(|c| c.rms.is_finite()).map(|a| (None, a)).unzip(),
    };
    if let ([_, _, ..], Some((rms, unit))) = (after.as_slice(), overall(&after)) {
        let before: Option<Vec<_>> = before.into_iter().collect();
        let before = before.and_then(|before| Some(overall(&before)?.0));
        return vec![Told::new(None, after.len(), before, rms, unit)];
    }
    let one = |(b, a): (Option<&ChannelErrors>, &'a ChannelErrors)| {
        Told::new(Some(&a.name), 1, b.map(|b| b.rms), a.rms, &a.unit)
    };
    before.into_iter().zip(after).map(one).collect()
}

/// Channels that are told one by one, at most.
const NAMED: usize = 4;

/// The error before and after, and how many times less it is.
fn accuracy(outcome: &FitOutcome) -> Option<String> {
    let (part, after, before) = judged(outcome)?;
    let all = told(after, before);
    let mut words: Vec<String> = all.iter().take(NAMED).map(Told::words).collect();
    if words.is_empty() {
        words.push("the error is not known".into());
    }
    let mut text = String::new();
    if let Some(diverged) = diverged(after) {
        let they = if after.diverged == 1 { "It is" } else { "They are" };
        let _ = write!(
            text,
            "After the fit {diverged}. {they} not counted, so that errors cannot be compared with those of others. "
        );
    }
    let _ = write!(text, "On {} {}.", clause(part, outcome), words.join("; "));
    if all.len() > NAMED {
        let _ = write!(text, " {} are in the table.", several(all.len() - NAMED, "more channel"));
    }
    if part == "train" {
        text.push_str(
            " Nothing was held out, so this does not say how well new motion is predicted.",
        );
    }
    if let Some(before) = before
        && let Some(diverged) = diverged(before)
    {
        let are = if before.diverged == 1 { "is" } else { "are" };
        let _ = write!(text, " Before the fit {diverged}, and {are} not counted.");
    }
    Some(text)
}

/// What a part is called, inside a sentence.
fn clause(part: &str, outcome: &FitOutcome) -> String {
    let words = in_words(part, outcome);
    if words.contains(',') { words + "," } else { words }
}

fn times(factor: f64) -> String {
    match factor {
        f if (f - 1.0).abs() < 0.005 => "no change".into(),
        f if f >= 1.0 => format!("{} times less", number(f, 2)),
        f => format!("{} times more: the fit made it worse", number(1.0 / f, 2)),
    }
}

/// Smaller relative differences of errors are not called better or worse.
const WORTH_TELLING: f64 = 0.01;

/// What else was tried on the same data, and whether it does better; none if the fitted model diverged.
fn others(outcome: &FitOutcome) -> Option<String> {
    let (part, after, _) = judged(outcome).filter(|(_, after, _)| after.diverged == 0)?;
    let (mut beaten, mut alike, mut better) = (vec![], vec![], vec![]);
    for other in ways(outcome, part) {
        if matches!(other.by.as_str(), "after" | "before") {
            continue;
        }
        let Some(ratio) = ratio(other, after) else { continue };
        let diverged = match other.diverged {
            0 => String::new(),
            n => format!(", though {} of its windows diverged", count(n)),
        };
        if (ratio - 1.0).abs() < WORTH_TELLING {
            alike.push(format!("“{}” (the errors differ by less than 1 %{diverged})", other.by));
            continue;
        }
        let words = format!("“{}” ({} times the error{diverged})", other.by, number(ratio, 2));
        if ratio > 1.0 { beaten.push(words) } else { better.push(words) }
    }
    let told = |verb: &str, names: &[String]| {
        (!names.is_empty()).then(|| format!("{verb} {}", list(names)))
    };
    let verdicts =
        [told("beats", &beaten), told("is no better than", &alike), told("loses to", &better)];
    let words: Vec<String> = verdicts.into_iter().flatten().collect();
    let (last, first) = words.split_last()?;
    let words = match first {
        [] => last.clone(),
        first => format!("{}, but {last}", first.join(", ")),
    };
    Some(format!("There the fitted model {words}."))
}

/// How long it took, and why it ended.
fn search(outcome: &FitOutcome) -> Option<String> {
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
    for remark in outcome.stages.iter().flat_map(|stage| &stage.remarks) {
        let _ = write!(text, " {}.", remark.trim_end_matches('.'));
    }
    Some(text)
}

/// A few numbers large enough to read from afar.
fn numbers(outcome: &FitOutcome) -> Vec<Figure> {
    let mut figures = vec![];
    if let Some((part, after, before)) = judged(outcome) {
        let of = if part == "train" { "fitted" } else { part };
        if after.diverged > 0 {
            let meaning = format!("windows of the {of} data diverged after the fit");
            figures.push(share(after.diverged, after.windows, meaning));
        }
        if let Some(told) = told(after, before).first() {
            let whose = told.channel.map_or(String::new(), |channel| format!(" of {channel}"));
            let meaning = format!("rms error{whose} on the {of} data, after the fit");
            figures.push(Figure::new(number(told.after, 3), told.unit, meaning));
            if let Some(factor) = told.factor() {
                let (times, less) =
                    if factor < 1.0 { (1.0 / factor, "more") } else { (factor, "less") };
                figures.push(multiple(times, format!("{less} error{whose} than before")));
            }
        }
    }
    if let Some(noise) = outcome.noise.as_ref().filter(|noise| noise.times.is_finite()) {
        figures.push(multiple(noise.times, "the noise is left over the fitted windows"));
    }
    let known = outcome.parameters.iter().filter(|p| p.sigma.is_some()).count();
    if outcome.no_deviations.is_none() && !outcome.parameters.is_empty() {
        let meaning = "parameters that the data determine";
        figures.push(share(known, outcome.parameters.len(), meaning));
    }
    if outcome.seconds.is_finite() {
        let meaning = several(outcome.iterations, "iteration");
        figures.push(Figure::new(duration(outcome.seconds), "", meaning));
    }
    figures
}

/// `3 of 24`.
fn share(some: usize, all: usize, meaning: impl Into<String>) -> Figure {
    Figure::new(count(some), format!("of {}", count(all)), meaning)
}

/// `1.8 ×`.
fn multiple(times: f64, meaning: impl Into<String>) -> Figure {
    Figure::new(format!("{} ×", number(times, 2)), "", meaning)
}
