//! A plan in a few sentences.

use std::fmt::Write as _;

use gradbody_plan::{Ending, PlanOutcome, RecedingOutcome, Rival};

use crate::number::given as short;
use crate::text::{number, several};

/// How the cost fell, and why the search ended.
pub(super) fn found(outcome: &PlanOutcome) -> String {
    if let Some(receding) = &outcome.receding {
        return on_the_way(outcome, receding);
    }
    let last = outcome.points.last().copied().unwrap_or_default();
    // Not the first point: methods with many searchers have tried other motions by then.
    let first: Option<f64> = outcome.costs.iter().map(|cost| cost.before).sum();
    let fell = match first {
        Some(first) if outcome.cost < first => {
            format!("The cost fell from {} to {}", short(first, 3), short(outcome.cost, 3))
        }
        Some(first) => format!("The cost did not fall from {}", short(first, 3)),
        None => format!("The cost is {}; the first motion diverges", short(outcome.cost, 3)),
    };
    let ended = match (outcome.ended, outcome.done) {
        (None, _) => "it was interrupted",
        // If the task is done, do not warn that this need not be a minimum.
        (Some(Ending::Stuck | Ending::NoBetter), Some(true)) => "the cost hardly falls any more",
        (Some(ended), _) => ended.in_words(),
    };
    format!(
        "{fell} in {} by {} ({:.2} s): {ended}.",
        several(last.iteration as usize, "iteration"),
        outcome.method,
        last.seconds
    )
}

/// How far a robot came by plans that were made on the way, and how long they took to make.
fn on_the_way(outcome: &PlanOutcome, receding: &RecedingOutcome) -> String {
    let [from, to] = outcome.com;
    let lasts = outcome.times.last().unwrap_or(&0.0) - outcome.times.first().unwrap_or(&0.0);
    let moved = (to[0] - from[0]).hypot(to[1] - from[1]);
    let took = super::times(receding).map_or(String::new(), |(middle, longest)| {
        format!(
            ", made in {middle:.2} ms (median; at most {longest:.2} ms, the first plan apart) each"
        )
    });
    format!(
        "In {} s the centre of mass moved {moved:.2} m ({:.2} m/s) by {}{took}; {}.",
        short(lasts, 3),
        moved / lasts,
        several(receding.replans.len(), "plan"),
        receding.ended
    )
}

/// What to try where a search has ended and the task is not done.
const CHANGES: &str = "change the weights, let the search begin with other actions, or give the robot more time or force";

/// Whether the task is done; none if it asks for nothing.
pub(super) fn done(outcome: &PlanOutcome) -> Option<String> {
    let asked = outcome.costs.iter().filter_map(|cost| Some((cost, cost.within?)));
    let told = asked.map(|(cost, within)| {
        format!(
            "{}: at most {} off, {} is asked for",
            cost.name,
            short(cost.worst, if cost.worst > within { 5 } else { 3 }),
            short(within, 3)
        )
    });
    let told = told.collect::<Vec<_>>().join("; ");
    let follows_derivatives = matches!(outcome.method.as_str(), "ilqr" | "lbfgs" | "adam");
    let advice = match (outcome.ended, follows_derivatives) {
        (Some(Ending::Converged), true) => {
            format!(" Nearby, the derivatives of the costs promise no better plan: {CHANGES}.")
        }
        (Some(Ending::Flat), _) => " Let the search begin with other actions, with which the robot reaches what the \
             costs ask for, give those costs another measure, such as a distance that falls on the way, or let contacts be \
             smoothed (smoothing)."
            .to_owned(),
        (Some(Ending::Converged), false) => {
            format!(" The search found nothing better nearby: {CHANGES}.")
        }
        _ => String::new(),
    };
    Some(match outcome.done? {
        true => format!("The task is done ({told})."),
        false => format!("The task is not done ({told}).{advice}"),
    })
}

/// A short summary for a terminal.
pub fn summary(outcome: &PlanOutcome) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}: {}", outcome.name, found(outcome));
    if let Some(done) = done(outcome) {
        let _ = writeln!(text, "{done}");
    }
    for cost in &outcome.costs {
        let before = match &outcome.receding {
            Some(_) => String::new(),
            None => cost.before.map_or("diverges".into(), number),
        };
        let _ = writeln!(
            text,
            "  {:<32} {:>12} → {:<12} largest difference {}",
            cost.name,
            before,
            number(cost.cost),
            number(cost.worst)
        );
    }
    for parameter in &outcome.parameters {
        let (before, chosen) = (number(parameter.before), number(parameter.chosen));
        let _ = writeln!(text, "  {:<32} {before:>12} → {chosen}", parameter.name);
    }
    text += &comparison(outcome);
    for note in &outcome.notes {
        let _ = writeln!(text, "note: {note}");
    }
    text
}

/// Other methods on the same task, for a terminal. Empty without.
pub fn comparison(outcome: &PlanOutcome) -> String {
    let mut text = String::new();
    for rival in &outcome.rivals {
        let Some(last) = rival.points.last() else { continue };
        let cost =
            last.cost.map_or("no finite cost".into(), |cost| format!("cost {}", number(cost)));
        let _ = writeln!(
            text,
            "  {:<32} {cost} after {} simulated motions, {:.2} s: {}",
            rival.method,
            last.simulations,
            last.seconds,
            rival.ended.in_words()
        );
    }
    if let Some(remark) = limited_by_time(outcome) {
        let _ = writeln!(text, "note: {remark}");
    }
    text
}

/// What should be known of methods that were stopped by the clock.
pub(super) fn limited_by_time(outcome: &PlanOutcome) -> Option<&'static str> {
    let is_limited = |rival: &Rival| rival.ended == Ending::Time;
    outcome.rivals.iter().any(is_limited).then_some(
        "How far a method comes within a limit of time depends on the machine, and on what else it does",
    )
}
