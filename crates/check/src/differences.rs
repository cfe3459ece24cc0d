//! Central differences, with several steps h.
//!
//! The best h is where two neighbouring steps agree best: there neither curvature nor rounding dominates, and their
//! difference estimates the error. Where a contact begins, ends, sticks or slides at one end of ±h and not at the
//! other, a difference is not a derivative; such h are avoided. Where the slopes on both sides converge to different
//! numbers as h shrinks, there is a kink.

use gradbody_sim::LinearAbout;

use crate::case::Case;
use crate::changed::{Changed, Changes};
use crate::group::Group;
use crate::watch::{Stop, Watch};
use crate::world::Run;

/// Steps, as multiples of a group's direction: first those in the middle, which usually suffice, then all.
const STEPS: [f64; 5] = [1e-4, 1e-5, 1e-6, 1e-7, 1e-8];
const MIDDLE: [usize; 2] = [2, 3];
/// Differences that agree this well need no further steps.
const ENOUGH: f64 = 1e-6;

/// Of slopes that agree with differences: how far they may be off,
const EXACT: f64 = 1e-4;
/// and what differences cannot see beside the largest derivative of all groups.
pub(crate) const NOISE: f64 = 1e-9;
/// A kink is where slopes to both sides differ by at least this share;
const KINK: f64 = 1e-3;
/// by this one, and settle to this as the step shrinks, if contacts change on the way.
const SHARP: f64 = 0.1;
const SETTLED: f64 = 0.01;

/// The most rollouts that the differences of one group take.
pub(crate) const ROLLOUTS: usize = 2 * STEPS.len();

/// What differences say about a slope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judged {
    /// They agree with it.
    Agree,
    /// They cannot decide: contacts change within them.
    RoughContacts,
    /// They cannot decide: rounding and curvature are too large.
    RoughRounding,
    /// The slopes on both sides differ, however small the step.
    Kink,
    /// They disagree with it.
    Differ,
}

/// The derivative from central differences.
#[derive(Clone, Copy, Debug)]
pub struct Differences {
    /// The derivative.
    pub slope: f64,
    /// How well neighbouring steps agree.
    pub spread: f64,
    /// The step, in parts of the group's direction.
    pub step: f64,
    /// Slopes below and above, if they differ however small the step.
    pub kink: Option<[f64; 2]>,
    /// Slopes below and above with the smallest step.
    pub sides: [f64; 2],
    /// Whether any step changed anything.
    pub moves: bool,
    /// Whether contacts change within it.
    events: bool,
    /// Whether the kink is one beyond doubt.
    sharp: bool,
}

/// The differences of a probe in the direction of each group. `plain` is the rollout as it is.
pub(crate) fn differences(
    case: &Case,
    plain: &Run<f64>,
    probe: &LinearAbout<f64>,
    groups: &[Group],
    watch: &dyn Watch,
) -> Result<Vec<Differences>, Stop> {
    let few: Vec<Vec<Sampled>> = sample(case, plain, probe, groups.iter(), &MIDDLE, watch)?;
    let undecided = |i: &usize| !Differences::best_of(&few[*i]).is_enough();
    let open: Vec<usize> = (0..groups.len()).filter(undecided).collect();
    watch.done((ROLLOUTS - 2 * MIDDLE.len()) * (groups.len() - open.len()));
    let rest: Vec<usize> = (0..STEPS.len()).filter(|i| !MIDDLE.contains(i)).collect();
    let more = sample(case, plain, probe, open.iter().map(|i| &groups[*i]), &rest, watch)?;
    let mut sampled = few;
    for (i, more) in open.into_iter().zip(more) {
        sampled[i].extend(more);
        sampled[i].sort_by(|a, b| b.h.total_cmp(&a.h));
    }
    Ok(sampled.iter().map(|sampled| Differences::best_of(sampled)).collect())
}

/// Samples of each group at these of the steps.
fn sample<'a>(
    case: &Case,
    plain: &Run<f64>,
    probe: &LinearAbout<f64>,
    groups: impl Iterator<Item = &'a Group>,
    steps: &[usize],
    watch: &dyn Watch,
) -> Result<Vec<Vec<Sampled>>, Stop> {
    let both = |h: f64| [h, -h];
    let of = |group: &'a Group| {
        steps.iter().flat_map(move |i| both(STEPS[*i])).map(move |t| vec![(group, t)])
    };
    let worlds: Vec<Changes<'a>> = groups.flat_map(of).collect();
    let found = case.roll_changed(&worlds, &[], watch)?;
    let middle = probe.value(&case.model, &plain.end);
    // A changed rollout that diverges gives no difference.
    let at = |changed: &Changed| match &changed.end {
        Some((end, pattern)) => (probe.value(&case.model, end), *pattern != plain.pattern),
        None => (f64::NAN, true),
    };
    let sampled = |(i, pair): (&usize, &[Changed])| {
        let h = STEPS[*i];
        let ((up, up_changes), (down, down_changes)) = (at(&pair[0]), at(&pair[1]));
        Sampled {
            h,
            slope: (up - down) / (2.0 * h),
            sides: [(middle - down) / h, (up - middle) / h],
            events: up_changes || down_changes,
            moves: up != middle || down != middle,
        }
    };
    let of_group = |found: &[Changed]| steps.iter().zip(found.chunks(2)).map(sampled).collect();
    Ok(found.chunks(2 * steps.len()).map(of_group).collect())
}

/// The differences with one step.
struct Sampled {
    h: f64,
    slope: f64,
    /// Slopes below and above.
    sides: [f64; 2],
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
        let sides = sampled.last().map_or([f64::NAN; 2], |s| s.sides);
        let sharp = sampled.windows(2).rev().find_map(|pair| sharp_kink(&pair[0], &pair[1]));
        let Some(pair) = best else {
            let (nothing, step) = (f64::NAN, sampled.last().map_or(f64::NAN, |s| s.h));
            let (slope, spread, events) = (nothing, nothing, true);
            return Differences {
                slope,
                spread,
                step,
                kink: sharp,
                sides,
                moves,
                events,
                sharp: sharp.is_some(),
            };
        };
        let (coarse, fine) = pair;
        Differences {
            slope: fine.slope,
            spread: spread(&pair),
            step: fine.h,
            kink: sharp.or_else(|| quiet(&pair).then(|| kink(coarse, fine)).flatten()),
            sides,
            moves,
            events: !quiet(&pair),
            sharp: sharp.is_some(),
        }
    }

    /// The largest slope that is beyond doubt: to a side of a sharp kink, or where contacts do not change; else 0.
    pub(crate) fn largest(&self) -> f64 {
        match self.kink {
            Some([below, above]) if self.sharp => below.abs().max(above.abs()),
            _ if !self.events && self.spread <= KINK * self.slope.abs() => self.slope.abs(),
            _ => 0.0,
        }
    }

    /// Whether further steps would add nothing.
    fn is_enough(&self) -> bool {
        !self.events && self.spread <= ENOUGH * self.slope.abs()
    }

    /// What they say of a slope, which is of this size but for what cancels; they cannot see less than `unseen`.
    pub(crate) fn judge(&self, slope: f64, scale: f64, unseen: f64) -> Judged {
        let nothing = (EXACT * scale).max(unseen);
        if let Some([below, above]) = self.kink
            && self.sharp
            && (above - below).abs() > nothing
        {
            return Judged::Kink;
        }
        let error = (self.slope - slope).abs();
        if error <= nothing {
            return Judged::Agree;
        }
        if self.events {
            return Judged::RoughContacts;
        }
        if self.kink.is_some() {
            return Judged::Kink;
        }
        match error <= 10.0 * self.spread || self.spread.is_nan() {
            true => Judged::RoughRounding,
            false => Judged::Differ,
        }
    }

    /// Whether they have this slope.
    pub(crate) fn agrees_with(&self, slope: f64, scale: f64) -> bool {
        (self.slope - slope).abs() <= EXACT * scale
    }
}

/// How much the slopes to both sides differ.
fn bend(s: &Sampled) -> f64 {
    (s.sides[1] - s.sides[0]).abs()
}

fn largest(sides: [f64; 2]) -> f64 {
    sides[0].abs().max(sides[1].abs())
}

/// Slopes to both sides that differ: on a smooth curve the difference shrinks as the step does.
fn kink(coarse: &Sampled, fine: &Sampled) -> Option<[f64; 2]> {
    let stays = bend(fine) > 0.5 * bend(coarse);
    (stays && bend(fine) > KINK * largest(fine.sides)).then_some(fine.sides)
}

/// The same where there is no doubt, even if contacts change: the slope to each side settles by itself.
fn sharp_kink(coarse: &Sampled, fine: &Sampled) -> Option<[f64; 2]> {
    let size = largest(fine.sides);
    let settles = |k: usize| (fine.sides[k] - coarse.sides[k]).abs() <= SETTLED * size;
    (settles(0) && settles(1) && bend(fine) > SHARP * size).then_some(fine.sides)
}

#[cfg(test)]
mod tests {
    use super::{Differences, Judged, NOISE, STEPS, Sampled};

    fn differences(f: impl Fn(f64) -> f64, events: impl Fn(f64) -> bool) -> Differences {
        let sampled = STEPS.map(|h| Sampled {
            h,
            slope: (f(h) - f(-h)) / (2.0 * h),
            sides: [(f(0.0) - f(-h)) / h, (f(h) - f(0.0)) / h],
            events: events(h),
            moves: f(h) != f(0.0),
        });
        Differences::best_of(&sampled)
    }

    #[test]
    fn smooth_functions_are_known_and_kinks_are_seen() {
        let smooth = differences(|x| (1.0 + 3.0 * x).sin(), |_| false);
        assert_eq!(smooth.judge(3.0 * 1_f64.cos(), 1.0, NOISE), Judged::Agree);
        assert_eq!(smooth.judge(3.0 * 1_f64.cos() + 0.01, 1.0, NOISE), Judged::Differ);
        let kink = differences(|x| if x > 0.0 { 2.0 * x } else { x }, |_| false);
        assert_eq!(kink.judge(1.0, 1.0, NOISE), Judged::Kink);
    }

    #[test]
    fn a_step_that_meets_an_event_is_avoided() {
        // A jump at 3e-6: only the larger steps see it.
        let jump = |x: f64| x + if x > 3e-6 { 1.0 } else { 0.0 };
        let seen = differences(jump, |h| h > 3e-6);
        assert_eq!(seen.judge(1.0, 1.0, NOISE), Judged::Agree);
        let everywhere = differences(|x| x + if x > 1e-9 { 1.0 } else { 0.0 }, |_| true);
        assert_eq!(everywhere.judge(1.0, 1.0, NOISE), Judged::RoughContacts);
    }

    #[test]
    fn rounding_decides_nothing() {
        // Noise of 1e-3, whatever the step.
        let noisy = |x: f64| x + 1e-3 * (x * 1e12).sin();
        assert_eq!(differences(noisy, |_| false).judge(1.0, 1.0, NOISE), Judged::RoughRounding);
    }

    #[test]
    fn an_end_of_a_range_is_a_kink_even_if_contacts_change() {
        // A restitution of zero: none below, and every bounce changes contacts.
        let flat_below = |x: f64| 1.0 + if x > 0.0 { 1e-3 * x } else { 0.0 };
        let seen = differences(flat_below, |_| true);
        assert_eq!(seen.judge(0.0, 1e-3, NOISE), Judged::Kink);
        let [below, above] = seen.kink.expect("slopes");
        assert!(below == 0.0 && (above - 1e-3).abs() < 1e-6, "{below} {above}");
        // Up on both sides: a central difference would agree with a slope of zero.
        let valley = differences(|x| x.abs(), |_| false);
        assert_eq!(valley.judge(0.0, 1e-12, NOISE), Judged::Kink);
    }
}
