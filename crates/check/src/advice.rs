//! Advice about the result of a check, in terms of the options of the command `gradbody check`.

use gradbody_contact::{ContactGradient, Solver};
use gradbody_math::text::number;
use gradbody_sim::Failure;

use crate::compare::{Compared, SOLVED, Verdict};
use crate::outcome::Outcome;

/// Growth from which a change of the start by a millionth becomes visible.
const SENSITIVE: f64 = 1e6;

/// Adjoint and duals that agree this well differ only by rounding.
const ROUNDING: f64 = 1e-9;

/// Adjoint and duals that agree this well differ by rounding that contacts have made grow.
const NEARLY: f64 = 1e-6;

/// Lines for the end of the report, most important first.
pub(crate) fn advice(outcome: &Outcome<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(of_failure(outcome));
    lines.extend(of_adjoint(outcome));
    lines.extend(of_differences(outcome));
    lines.extend(of_shares(outcome));
    lines.push(of_sensitivity(outcome));
    lines
}

fn with<'a>(outcome: &'a Outcome<'_>, verdict: Verdict) -> impl Iterator<Item = &'a Compared> {
    outcome.groups.iter().filter(move |c| c.verdict == verdict)
}

fn names<'a>(groups: impl Iterator<Item = &'a Compared>) -> String {
    groups.map(|c| c.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// What has no one derivative.
fn of_shares(outcome: &Outcome<'_>) -> Option<String> {
    with(outcome, Verdict::LoadShares).next()?;
    Some(format!(
        "more contacts press than a body needs, such as the four corners of a box, and rigid contacts may share a load \
         in many ways: there is no one derivative by {}",
        names(with(outcome, Verdict::LoadShares))
    ))
}

fn of_failure(outcome: &Outcome<'_>) -> Option<String> {
    match outcome.failure? {
        Failure::Overflow { step } => {
            let at =
                step.map(|step| format!(" at t = {} s", number(outcome.case.time_after(step))));
            Some(format!(
                "the gradient overflows in the backward pass{}: the motion is too sensitive; use a shorter --time or \
                 a smaller --dt",
                at.unwrap_or_default()
            ))
        }
        Failure::Diverged { step, .. } => Some(format!(
            "the motion diverges at t = {} s; use a smaller --dt",
            number(outcome.case.time_after(step))
        )),
        failure => Some(failure.to_string()),
    }
}

/// Whether adjoint and duals agree, and if not why.
fn of_adjoint(outcome: &Outcome<'_>) -> Option<String> {
    let Outcome { case, groups, failure, plain, seed, .. } = outcome;
    let mut compared = groups.iter().filter(|c| c.verdict != Verdict::NoInfluence);
    if with(outcome, Verdict::NotFinite).next().is_some() {
        return failure.is_none().then(|| {
            format!(
                "not finite: {}; use a shorter --time, or start away from points where a formula has no derivative",
                names(with(outcome, Verdict::NotFinite))
            )
        });
    }
    if with(outcome, Verdict::Smoothed).next().is_some() {
        return Some(
            "a smoothed gradient is not the derivative of this motion but a direction to search in, so \
             it may differ from the duals; --gradient implicit gives the derivative"
                .into(),
        );
    }
    if with(outcome, Verdict::Differ).next().is_none() {
        let left_out = [Verdict::DualsUnsettled, Verdict::LoadShares, Verdict::TooSensitive];
        let settled = groups.iter().filter(|c| !left_out.contains(&c.verdict));
        let worst = settled.fold(0.0_f64, |m, c| m.max(c.error));
        compared.next()?;
        if with(outcome, Verdict::DualsUnsettled).next().is_some() {
            return Some(
                "the adjoint is right: differences agree with it; duals go through the solver's sweeps, which end when \
                 values are settled, and duals settle later"
                    .into(),
            );
        }
        let why = match worst > ROUNDING && plain.residual > SOLVED {
            true => {
                format!(" (the rest is the solver's residual of {} m/s)", number(plain.residual))
            }
            false => String::new(),
        };
        let has = |verdict| with(outcome, verdict).next().is_some();
        if has(Verdict::TooSensitive) {
            return Some(
                "the motion is so sensitive that rounding alone makes adjoint and duals differ; take a \
                 shorter --time"
                    .into(),
            );
        }
        let judged = if has(Verdict::DifferencesDiffer) {
            "but differences do not: see below"
        } else if has(Verdict::Kink) {
            "the gradient of this motion is right, but for what is at a kink"
        } else {
            "the gradient of this motion is right"
        };
        return Some(format!(
            "adjoint and duals agree to {worst:.0e} of the derivative's size: {judged}{why}"
        ));
    }
    let implicit = case.gradient == ContactGradient::Implicit;
    let residual = plain.residual;
    Some(match case.options.contact.solver {
        Solver::Ncp(ncp) if implicit && residual > SOLVED && ncp.rounds > 0 => format!(
            "the contacts of some step are not solved: they miss their conditions by up to {} m/s, as bodies that are \
             wedged or jammed may, and the derivative of such a step has no meaning; take a smaller --dt, or --gradient \
             unrolled",
            number(residual)
        ),
        Solver::Ncp(_) if implicit && residual > SOLVED => format!(
            "the solver's residual is why adjoint and duals differ: it left contacts wrong by up to {} \
             m/s, in at most {} sweeps, and --gradient implicit is that of contacts solved exactly; take \
             --gradient unrolled, which is right however few the sweeps, or leave out --sweeps",
            number(residual),
            plain.sweeps
        ),
        Solver::Ncp(ncp) if implicit && ncp.rounds == 0 && ncp.tolerance > 0.0 => format!(
            "the sweeps end at a change of {} m/s, where values are good but duals may not be, and \
             --gradient implicit is that of contacts solved exactly; take --gradient unrolled, or leave \
             out --sweeps to solve to the last digit",
            number(ncp.tolerance)
        ),
        _ if with(outcome, Verdict::Differ).all(|c| c.error <= NEARLY) => format!(
            "adjoint and duals differ by up to {:.0e} of the derivative's size, which is more than usual: contacts that are \
             redundant or nearly so make rounding grow; the gradient is right to that",
            with(outcome, Verdict::Differ).fold(0.0_f64, |m, c| m.max(c.error))
        ),
        _ => format!(
            "adjoint and duals are two ways to the same number, so one of them is wrong{}; please report this, with \
             the model and --seed {seed}",
            witness(outcome)
        ),
    })
}

/// Which of the two the differences agree with, if they agree with only one.
fn witness(outcome: &Outcome<'_>) -> &'static str {
    let all = |slope: fn(&Compared) -> f64| {
        with(outcome, Verdict::Differ).all(|c| c.differences.agrees_with(slope(c), c.scale))
    };
    match (all(|c| c.adjoint), all(|c| c.dual)) {
        (false, true) => " (differences agree with the duals)",
        (true, false) => " (differences agree with the adjoint)",
        _ => "",
    }
}

/// Advice where differences could not decide.
fn of_differences(outcome: &Outcome<'_>) -> Vec<String> {
    let explained = [
        (
            Verdict::RoughContacts,
            "rough: contacts begin, end, stick or slide within the smallest change that differences can \
             take, so they cannot decide; adjoint and duals agree",
        ),
        (
            Verdict::RoughRounding,
            "rough: rounding and curvature leave differences too few digits to decide; adjoint and duals \
             agree",
        ),
        (
            Verdict::DifferencesDiffer,
            "differences differ: the motion jumps or bends nearby, where the derivative does not describe finite \
             changes; look at that group before you optimise it",
        ),
    ];
    let line = |(verdict, words): (Verdict, &str)| {
        let names = names(with(outcome, verdict));
        (!names.is_empty()).then(|| format!("{words} ({names})"))
    };
    explained.into_iter().filter_map(line).chain(of_kinks(outcome)).collect()
}

/// Advice about kinks, where the gradient knows one slope at most.
fn of_kinks(outcome: &Outcome<'_>) -> Option<String> {
    let kinks: Vec<String> = with(outcome, Verdict::Kink)
        .map(|c| {
            let exactly = if c.is_zero { ", exactly 0" } else { "" };
            let slopes = match c.differences.kink.map(|slopes| slopes.map(number)) {
                Some([below, above]) => format!("slopes {below} and {above}, "),
                None => "a small change jumps, ".into(),
            };
            format!("{}{exactly} ({slopes}gradient {})", c.name, number(c.dual))
        })
        .collect();
    (!kinks.is_empty()).then(|| {
        format!(
            "at a kink: {}: the motion has different slopes on the two sides, and the gradient knows one of them at \
             most; a number is at the end of its range, two surfaces have equal numbers of which the larger counts, \
             or a limit is just reached: change it a little before you optimise it",
            kinks.join(", ")
        )
    })
}

/// How far the gradient can be trusted.
fn of_sensitivity(outcome: &Outcome<'_>) -> String {
    let Outcome { case, sensitivity, .. } = outcome;
    let time = |step: usize| number(case.time_after(step));
    let (peak, most) = sensitivity.peak();
    let grown = format!(
        "a small change of the start grows up to {most:.2e} times, at t = {} s",
        time(peak)
    );
    let remedy = if outcome.plain.touched {
        "; gradients over a shorter --time are of more use, or --gradient smoothed=0.01 to search with"
    } else {
        "; gradients over a shorter --time are of more use, or with a smaller --dt"
    };
    match (sensitivity.lost_at, sensitivity.first_above(SENSITIVE)) {
        (Some(step), _) => format!(
            "{grown}; from t = {} s (step {}) on, finite changes no longer follow the derivative{remedy}",
            time(step),
            step + 1
        ),
        (None, Some(step)) => format!(
            "{grown}, and more than a million times from t = {} s (step {}) on: too sensitive to \
             optimise through{remedy}",
            time(step),
            step + 1
        ),
        (None, None) => {
            let follow = "differences follow the duals to the end";
            let doubted = with(outcome, Verdict::DifferencesDiffer).next().is_some();
            let so = if outcome.is_bad() {
                ", but the gradient is not to be used: see above"
            } else if with(outcome, Verdict::Smoothed).next().is_some() {
                ""
            } else if doubted {
                ", but not in every group: see above"
            } else {
                ", so the gradient can be trusted"
            };
            format!("{grown}; {follow}{so}")
        }
    }
}
