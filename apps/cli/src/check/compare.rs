//! Adjoint, duals and differences of each group, and what is to be thought of them.
//!
//! Differences are central, with several steps h. The best is where two neighbouring h agree best: there
//! neither curvature nor rounding has the upper hand, and how well they agree is how well it is known.
//! Where a contact begins, ends, sticks or slides at one end of ±h and not at the other, a difference is
//! no derivative; such h are avoided.

use gradbody::contact::ContactGradient;
use gradbody::math::Dual;
use gradbody::sim::Failure;

use gradbody::sim::LinearAbout;

use super::case::{Case, Diverged, Run, random_probe};
use super::groups::Group;
use super::random::Random;

/// Steps of the differences, in parts of a group's direction: first those in the middle, which usually
/// do, then all.
const STEPS: [f64; 5] = [1e-4, 1e-5, 1e-6, 1e-7, 1e-8];
const MIDDLE: [usize; 2] = [2, 3];
/// Differences that agree so well need no others.
const ENOUGH: f64 = 1e-6;

/// Groups that one dual rollout differentiates by.
pub(super) const AT_ONCE: usize = 4;
pub(super) type Dual4 = Dual<f64, AT_ONCE>;

/// Adjoint and duals are the same but for rounding and, with contacts, for what their solver leaves.
const EXACT: f64 = 1e-5;
/// Central differences in f64 have about this much at their best, with margin.
const DIFFERENCES: f64 = 1e-4;
/// Derivatives that are so much smaller than the largest of all groups are rounding,
const NOTHING: f64 = 1e-10;
/// and differences cannot even see these.
const NOISE: f64 = 1e-9;
/// A kink is where slopes to both sides differ by at least this share.
const KINK: f64 = 1e-3;

/// What is to be thought of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// All three agree.
    Agree,
    /// Adjoint and duals agree, differences cannot decide: contacts change within them.
    RoughContacts,
    /// Adjoint and duals agree, differences do not know better: rounding and curvature are too large.
    RoughRounding,
    /// Adjoint and duals agree; slopes to both sides differ, however small the step.
    Kink,
    /// Adjoint and duals agree, but not with differences.
    DifferencesDiffer,
    /// Adjoint and duals differ, as they may: the adjoint is smoothed.
    Smoothed,
    /// Adjoint and duals differ.
    Differ,
    NoInfluence,
    NotFinite,
}

/// A group and its three derivatives.
pub(super) struct Compared {
    pub(super) name: String,
    pub(super) paths: Option<String>,
    pub(super) count: usize,
    pub(super) with_influence: usize,
    pub(super) adjoint: f64,
    pub(super) dual: f64,
    pub(super) differences: Differences,
    /// Difference of adjoint and duals, as a share of the derivative's size.
    pub(super) error: f64,
    pub(super) verdict: Verdict,
}

/// The derivative from central differences.
#[derive(Clone, Copy, Debug)]
pub(super) struct Differences {
    pub(super) slope: f64,
    /// How well neighbouring steps agree.
    pub(super) spread: f64,
    /// The step, in parts of the group's direction.
    pub(super) step: f64,
    /// Whether contacts change within it.
    events: bool,
    /// Whether any step changed anything.
    moves: bool,
    /// Whether the slopes to both sides differ however small the step.
    kinked: bool,
}

/// Every group compared.
pub(super) struct Comparison {
    pub(super) groups: Vec<Compared>,
    /// What went wrong on the way back.
    pub(super) failure: Option<Failure>,
}

/// How many rollouts a comparison of so many groups takes, for a progress bar.
pub(super) fn rollouts(groups: usize) -> u64 {
    (1 + groups.div_ceil(AT_ONCE) + 2 * STEPS.len() * groups) as u64
}

/// Compares the three for every group. `plain` is the rollout as it is.
pub(super) fn compare(
    case: &Case,
    plain: &Run<f64>,
    groups: &[Group],
    random: &mut Random,
    tick: &dyn Fn(),
) -> Result<Comparison, Diverged> {
    let probe = random_probe(&case.model, &plain.end, random);
    let (gradient, inputs) = case.adjoint(probe.clone());
    let failure = gradient.failures[0];
    tick();
    let mut found = Vec::new();
    for some in groups.chunks(AT_ONCE) {
        let duals = duals(case, &probe, some)?;
        tick();
        for (group, dual) in some.iter().zip(duals) {
            let along = group.along(case, &gradient, &inputs);
            found.push((group, dual, along, differences(case, plain, &probe, group, tick)));
        }
    }
    let finite = found.iter().map(|(_, dual, ..)| dual.abs()).filter(|dual| dual.is_finite());
    let largest = finite.fold(0.0_f64, f64::max);
    let judged = found.into_iter().map(|(group, dual, along, differences)| {
        let adjoint = if failure.is_some() { f64::NAN } else { along.slope };
        let still = dual == 0.0 && along.scale == 0.0 && failure.is_none() && !differences.moves;
        let scale = dual.abs().max(along.scale).max(NOTHING * largest);
        let error = match (adjoint - dual).abs() {
            0.0 => 0.0,
            error => error / scale,
        };
        let verdict = match error {
            _ if still => Verdict::NoInfluence,
            _ if !adjoint.is_finite() || !dual.is_finite() => Verdict::NotFinite,
            e if e > EXACT && matches!(case.gradient, ContactGradient::Smoothed { .. }) => {
                Verdict::Smoothed
            }
            e if e > EXACT => Verdict::Differ,
            _ => differences.verdict(dual, scale, largest),
        };
        Compared {
            name: group.name.clone(),
            paths: group.paths.clone(),
            count: group.count(),
            with_influence: along.with_influence,
            adjoint,
            dual,
            differences,
            error,
            verdict,
        }
    });
    Ok(Comparison { groups: judged.collect(), failure })
}

/// The derivative of the probe by each of a few groups, by dual numbers.
fn duals(
    case: &Case,
    probe: &LinearAbout<f64>,
    groups: &[Group],
) -> Result<[f64; AT_ONCE], Diverged> {
    let changes: Vec<(&Group, Dual4)> =
        groups.iter().enumerate().map(|(i, group)| (group, Dual4::variable(0.0, i))).collect();
    let run = case.roll(&changes, |_, _| {})?;
    Ok(probe.cast().value(&case.model.cast(), &run.end).eps)
}

fn differences(
    case: &Case,
    plain: &Run<f64>,
    probe: &LinearAbout<f64>,
    group: &Group,
    tick: &dyn Fn(),
) -> Differences {
    let middle = probe.value(&case.model, &plain.end);
    // Of a changed model that diverges there is nothing to say.
    let at = |t: f64| {
        let run = case.roll(&[(group, t)], |_, _| {});
        tick();
        run.map_or((f64::NAN, true), |run| {
            (probe.value(&case.model, &run.end), run.pattern != plain.pattern)
        })
    };
    let sample = |h: f64| {
        let ((up, up_changes), (down, down_changes)) = (at(h), at(-h));
        Sampled {
            h,
            slope: (up - down) / (2.0 * h),
            sides: ((middle - down) / h, (up - middle) / h),
            events: up_changes || down_changes,
            moves: up != middle || down != middle,
        }
    };
    let mut sampled: Vec<Sampled> = MIDDLE.map(|i| sample(STEPS[i])).into();
    let few = Differences::best_of(&sampled);
    let rest = (0..STEPS.len()).filter(|i| !MIDDLE.contains(i));
    if !few.events && few.spread <= ENOUGH * few.slope.abs() {
        rest.for_each(|_| {
            tick();
            tick();
        });
        return few;
    }
    sampled.extend(rest.map(|i| sample(STEPS[i])));
    sampled.sort_by(|a, b| b.h.total_cmp(&a.h));
    Differences::best_of(&sampled)
}

/// What one step gave.
struct Sampled {
    h: f64,
    slope: f64,
    /// Slopes below and above.
    sides: (f64, f64),
    events: bool,
    moves: bool,
}

impl Differences {
    fn best_of(sampled: &[Sampled]) -> Self {
        let pairs = sampled.windows(2).map(|pair| (&pair[0], &pair[1]));
        let spread = |(a, b): &(&Sampled, &Sampled)| (a.slope - b.slope).abs();
        let quiet = |(a, b): &(&Sampled, &Sampled)| !a.events && !b.events;
        let finite = pairs.filter(|pair| spread(pair).is_finite());
        let best = finite.min_by(|a, b| {
            // Those without events first.
            quiet(b).cmp(&quiet(a)).then(spread(a).total_cmp(&spread(b)))
        });
        let moves = sampled.iter().any(|s| s.moves);
        let Some(pair) = best else {
            let nothing = f64::NAN;
            let (step, events) = (sampled.last().map_or(nothing, |s| s.h), true);
            return Differences {
                slope: nothing,
                spread: nothing,
                step,
                events,
                moves,
                kinked: false,
            };
        };
        let (coarse, fine) = pair;
        // On a smooth curve the difference of both sides shrinks as the step does.
        let bend = |s: &Sampled| (s.sides.1 - s.sides.0).abs();
        let kinked = bend(fine) > 0.5 * bend(coarse)
            && bend(fine) > KINK * fine.sides.0.abs().max(fine.sides.1.abs());
        Differences {
            slope: fine.slope,
            spread: spread(&pair),
            step: fine.h,
            events: !quiet(&pair),
            moves,
            kinked,
        }
    }

    /// What they say of a slope that adjoint and duals agree on.
    fn verdict(&self, slope: f64, scale: f64, largest: f64) -> Verdict {
        let error = (self.slope - slope).abs();
        if error <= (DIFFERENCES * scale).max(NOISE * largest) {
            return Verdict::Agree;
        }
        if self.events {
            return Verdict::RoughContacts;
        }
        if self.kinked {
            return Verdict::Kink;
        }
        match error <= 10.0 * self.spread || self.spread.is_nan() {
            true => Verdict::RoughRounding,
            false => Verdict::DifferencesDiffer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Differences, STEPS, Sampled, Verdict};

    fn differences(f: impl Fn(f64) -> f64, events: impl Fn(f64) -> bool) -> Differences {
        let sampled = STEPS.map(|h| Sampled {
            h,
            slope: (f(h) - f(-h)) / (2.0 * h),
            sides: ((f(0.0) - f(-h)) / h, (f(h) - f(0.0)) / h),
            events: events(h),
            moves: f(h) != f(0.0),
        });
        Differences::best_of(&sampled)
    }

    #[test]
    fn smooth_functions_are_known_and_kinks_are_seen() {
        let smooth = differences(|x| (1.0 + 3.0 * x).sin(), |_| false);
        assert_eq!(smooth.verdict(3.0 * 1_f64.cos(), 1.0, 1.0), Verdict::Agree);
        assert_eq!(smooth.verdict(3.0 * 1_f64.cos() + 0.01, 1.0, 1.0), Verdict::DifferencesDiffer);
        let kink = differences(|x| if x > 0.0 { 2.0 * x } else { x }, |_| false);
        assert_eq!(kink.verdict(1.0, 1.0, 1.0), Verdict::Kink);
    }

    #[test]
    fn a_step_that_meets_an_event_is_avoided() {
        // A jump at 3e-6: only the larger steps see it.
        let jump = |x: f64| x + if x > 3e-6 { 1.0 } else { 0.0 };
        let seen = differences(jump, |h| h > 3e-6);
        assert_eq!(seen.verdict(1.0, 1.0, 1.0), Verdict::Agree);
        let everywhere = differences(|x| x + if x > 1e-9 { 1.0 } else { 0.0 }, |_| true);
        assert_eq!(everywhere.verdict(1.0, 1.0, 1.0), Verdict::RoughContacts);
    }

    #[test]
    fn rounding_decides_nothing() {
        // Noise of 1e-3, whatever the step.
        let noisy = |x: f64| x + 1e-3 * (x * 1e12).sin();
        assert_eq!(differences(noisy, |_| false).verdict(1.0, 1.0, 1.0), Verdict::RoughRounding);
    }
}
