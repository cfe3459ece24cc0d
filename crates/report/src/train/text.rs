//! A training in a few sentences.

use std::fmt::Write as _;

use gradbody_train::{Ending, TrainOutcome};

use crate::number::{count, duration, given as short};

/// How the return grew, and why training ended.
pub(super) fn found(outcome: &TrainOutcome) -> String {
    let last = outcome.points.last().copied().unwrap_or_default();
    let first = outcome.points.iter().find_map(|point| point.evaluated);
    let best = outcome.best_point().and_then(|point| Some((point, point.evaluated?)));
    let ended = outcome.ended.as_ref().map_or("it was interrupted", Ending::in_words);
    let took = format!(
        "{} and {} samples by {}: {ended}",
        duration(last.seconds),
        count(last.samples as usize),
        outcome.method
    );
    match (first, best) {
        (Some(first), Some((point, best))) if point.samples > 0 => format!(
            "The mean return grew from {} to {} in {took}.",
            short(first.mean, 4),
            short(best.mean, 4)
        ),
        (Some(first), _) => {
            format!(
                "No policy was better than the untrained one, which returns {}, in {took}.",
                short(first.mean, 4)
            )
        }
        (None, _) => format!("The policy was not evaluated in {took}."),
    }
}

/// Whether the return that is asked for was reached, and when; none if none is asked for.
pub(super) fn reached(outcome: &TrainOutcome) -> Option<String> {
    let wanted = short(outcome.wanted?, 4);
    Some(match outcome.reached() {
        Some(point) => format!(
            "A return of {wanted} is asked for; it was reached after {} and {} samples.",
            duration(point.seconds),
            count(point.samples as usize)
        ),
        None => format!(
            "A return of {wanted} is asked for; it was not reached. Go on with --resume, give it more time or samples, or try \
             another method or other options."
        ),
    })
}

/// A short summary for a terminal.
pub fn summary(outcome: &TrainOutcome) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}: {}", outcome.name, found(outcome));
    if let Some(reached) = reached(outcome) {
        let _ = writeln!(text, "{reached}");
    }
    if let Some((point, best)) =
        outcome.best_point().and_then(|point| Some((point, point.evaluated?)))
    {
        let _ = writeln!(
            text,
            "  best policy: return {} ± {} over {} episodes of {} steps on the average, after {}",
            short(best.mean, 5),
            short(best.deviation / (outcome.episodes as f64).sqrt(), 2),
            outcome.episodes,
            short(best.length, 4),
            duration(point.seconds)
        );
    }
    text
}
