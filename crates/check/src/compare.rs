//! Adjoint, duals and differences of each group, and the verdict.

use gradbody_contact::ContactGradient;
use gradbody_sim::{Failure, LinearAbout, Terminal};

use crate::case::Case;
use crate::differences::{self, Differences, Judged, NOISE, differences};
use crate::group::Group;
use crate::part::Part;
use crate::slopes::directions_at_once;
use crate::watch::{Stop, Watch};
use crate::world::Run;
use gradbody_math::random::{Random, SplitMix64};

/// Adjoint and duals agree up to rounding and, with contacts, the solver's residual.
const EXACT: f64 = 1e-8;
/// Derivatives smaller than this share of the largest one of all groups are rounding.
const NOTHING: f64 = 1e-8;
/// The rounding of adjoint and duals, as a share of the largest slope of all groups. Differences count as slopes too:
/// where bodies rest, derivatives are small and those to the sides of a kink are large.
const ROUNDING: f64 = 1e-12;

/// Residual of a solver that has no visible effect [m/s].
pub(crate) const SOLVED: f64 = 1e-9;

/// The verdict on a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All three agree.
    Agree,
    /// Adjoint and duals agree, differences cannot decide: contacts change within them.
    RoughContacts,
    /// Adjoint and duals agree, differences cannot decide: rounding and curvature are too large.
    RoughRounding,
    /// Adjoint and duals agree; slopes to both sides differ, however small the step, or there is no change
    /// to one side.
    Kink,
    /// Adjoint and duals agree, but not with differences.
    DifferencesDiffer,
    /// Adjoint and duals differ, as they may: the adjoint is smoothed.
    Smoothed,
    /// Duals, which go through the sweeps, are not settled where these end; differences agree with the adjoint.
    DualsUnsettled,
    /// Adjoint and duals differ by no more than rounding, which this motion makes grow: a change of the start by
    /// rounding alone alters the adjoint by at least a tenth of the difference.
    TooSensitive,
    /// Adjoint and duals, or differences, differ, as they may: these numbers decide how more supports than a body needs
    /// share its load, or the body slides on them, so that its motion depends on that.
    LoadShares,
    /// Adjoint and duals differ.
    Differ,
    /// Nothing changes with these numbers.
    NoInfluence,
    /// Adjoint or duals are not finite.
    NotFinite,
}

/// A group and its three derivatives.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Name of the group, in words.
    pub name: String,
    /// The paths of parameters, with a star in place of names.
    pub paths: Option<String>,
    /// Number of numbers in the group.
    pub count: usize,
    /// Numbers for which the adjoint is not zero.
    pub with_influence: usize,
    /// The derivative by the adjoint, NaN if that failed.
    pub adjoint: f64,
    /// The derivative by dual numbers.
    pub dual: f64,
    /// The derivative by central differences.
    pub differences: Differences,
    /// Difference of adjoint and duals, as a share of the derivative's size.
    pub error: f64,
    /// The derivative's size: about what it would be if the parts of the sum did not cancel.
    pub scale: f64,
    /// Whether all numbers of the group are exactly zero.
    pub is_zero: bool,
    /// The verdict.
    pub verdict: Verdict,
}

/// Whether the numbers of a group act on a contact through the force that it carries: constraint force mixing.
fn shares_load(group: &Group) -> bool {
    group.part.paths() == Some("shape/*/cfm")
}

/// Every group compared.
pub(crate) struct Comparison {
    pub(crate) groups: Vec<Compared>,
    /// Failure of the backward pass.
    pub(crate) failure: Option<Failure>,
}

/// The most rollouts that a comparison of this many groups takes, for a progress bar.
pub(crate) fn rollouts(groups: usize) -> usize {
    1 + groups.div_ceil(directions_at_once()) + differences::ROLLOUTS * groups
}

/// Compares the three for every group. `plain` is the rollout as it is.
pub(crate) fn compare(
    case: &Case,
    plain: &Run<f64>,
    groups: &[Group],
    random: &mut Random<SplitMix64>,
    watch: &dyn Watch,
) -> Result<Comparison, Stop> {
    let probe = case.random_probe(&plain.end, random);
    let mut at_end = Terminal(probe.clone());
    let (gradient, inputs) = case.world::<f64>(&[]).adjoint(&mut at_end, &case.gradient_options());
    let failure = gradient.failures[0];
    watch.done(1);
    let slopes = case.slopes(&probe, groups, watch)?;
    let differences = differences(case, plain, &probe, groups, watch)?;
    let found: Vec<_> = (groups.iter().zip(slopes).zip(differences))
        .map(|((group, dual), differences)| {
            (group, dual, group.along(&case.model, &gradient, &inputs), differences)
        })
        .collect();
    let slopes = found.iter().flat_map(|(_, dual, _, differences)| [*dual, differences.largest()]);
    let finite = slopes.map(f64::abs).filter(|slope| slope.is_finite());
    let largest = finite.fold(0.0_f64, f64::max);
    let implicit = case.gradient == ContactGradient::Implicit;
    let unseen = NOISE * largest;
    let judged = found.into_iter().map(|(group, dual, along, differences)| {
        let adjoint = if failure.is_some() { f64::NAN } else { along.slope };
        let still = dual == 0.0 && along.scale == 0.0 && failure.is_none() && !differences.moves;
        let scale = dual.abs().max(along.scale).max(NOTHING * largest);
        let error = match (adjoint - dual).abs() {
            0.0 => 0.0,
            error => error / scale.max(ROUNDING / EXACT * largest),
        };
        let is_zero = group.part.is_zero(&case.model);
        let verdict = match error {
            _ if still => Verdict::NoInfluence,
            _ if !adjoint.is_finite() || !dual.is_finite() => Verdict::NotFinite,
            e if e > EXACT && matches!(case.gradient, ContactGradient::Smoothed { .. }) => {
                Verdict::Smoothed
            }
            e if e > EXACT
                && implicit
                && !case.options.contact.solver.converges_derivatives(case.options.joint_stops)
                && matches!(differences.judge(adjoint, scale, unseen), Judged::Agree) =>
            {
                Verdict::DualsUnsettled
            }
            e if e > EXACT && plain.touched && shares_load(group) => Verdict::LoadShares,
            e if e > EXACT => Verdict::Differ,
            // The end of a range: the derivative is that of the side where nothing changes.
            _ if is_zero && dual == 0.0 && adjoint == 0.0 && differences.moves => Verdict::Kink,
            _ => match differences.judge(dual, scale, unseen) {
                Judged::Agree => Verdict::Agree,
                Judged::RoughContacts => Verdict::RoughContacts,
                Judged::RoughRounding => Verdict::RoughRounding,
                Judged::Kink => Verdict::Kink,
                Judged::Differ if plain.shares_decide => Verdict::LoadShares,
                Judged::Differ if plain.touched && shares_load(group) => Verdict::LoadShares,
                Judged::Differ => Verdict::DifferencesDiffer,
            },
        };
        Compared {
            name: group.part.name().to_owned(),
            paths: group.part.paths().map(str::to_owned),
            count: group.direction.len(),
            with_influence: along.with_influence,
            adjoint,
            dual,
            differences,
            error,
            scale,
            is_zero,
            verdict,
        }
    });
    let mut compared: Vec<Compared> = judged.collect();
    if compared.iter().any(|c| c.verdict == Verdict::Differ) {
        let wander = wander(case, groups, &probe);
        for (c, wander) in compared.iter_mut().zip(wander) {
            if c.verdict == Verdict::Differ && (c.adjoint - c.dual).abs() <= wander / EXPLAINS {
                c.verdict = Verdict::TooSensitive;
            }
        }
    }
    Ok(Comparison { groups: compared, failure })
}

/// Changes of the start that are no more than rounding, as multiples of a group's direction.
const ROUNDING_OF_STARTS: [f64; 4] = [1e-15, -1e-15, 3e-15, -3e-15];

/// Rounding explains a difference if one such change alters the adjoint by this share of the difference. The difference
/// has the rounding of every operation, the change only that of the start.
const EXPLAINS: f64 = 0.1;

/// By how much the adjoint of each group changes when the start changes by no more than rounding.
fn wander(case: &Case, groups: &[Group], probe: &LinearAbout<f64>) -> Vec<f64> {
    let of_start = |group: &&Group| matches!(group.part, Part::Configuration | Part::Velocity);
    let starts: Vec<&Group> = groups.iter().filter(of_start).collect();
    let slopes = |change: f64| -> Vec<f64> {
        let changes: Vec<(&Group, f64)> = starts.iter().map(|group| (*group, change)).collect();
        let world = case.world::<f64>(&changes);
        let (gradient, inputs) =
            world.adjoint(&mut Terminal(probe.clone()), &case.gradient_options());
        let along = |group: &Group| group.along(&case.model, &gradient, &inputs).slope;
        groups.iter().map(along).collect()
    };
    let plain = slopes(0.0);
    let mut most = vec![0.0_f64; groups.len()];
    for change in ROUNDING_OF_STARTS {
        let changed = slopes(change);
        for (most, (a, b)) in most.iter_mut().zip(changed.iter().zip(&plain)) {
            *most = most.max((a - b).abs());
        }
    }
    most
}
