//! Adjoint, duals and differences of each group, and what is to be thought of them.

use gradbody::contact::ContactGradient;
use gradbody::math::Dual;
use gradbody::sim::{DualKernel, Failure, LinearAbout, Simulated, run_widest_duals};
use rayon::prelude::*;

use super::case::{Case, Run, random_probe};
use super::differences::{self, Differences, Judged, differences};
use super::groups::Group;
use super::random::Random;
use super::watch::{Stop, Watch};

/// Adjoint and duals are the same but for rounding and, with contacts, for what their solver leaves.
const EXACT: f64 = 1e-5;
/// Derivatives that are so much smaller than the largest of all groups are rounding.
const NOTHING: f64 = 1e-8;

/// What a solver may leave without anyone noticing [m/s].
pub(super) const SOLVED: f64 = 1e-9;

/// What is to be thought of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// All three agree.
    Agree,
    /// Adjoint and duals agree, differences cannot decide: contacts change within them.
    RoughContacts,
    /// Adjoint and duals agree, differences do not know better: rounding and curvature are too large.
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
    /// The derivative's size.
    pub(super) scale: f64,
    /// Whether all numbers of the group are exactly zero.
    pub(super) is_zero: bool,
    pub(super) verdict: Verdict,
}

/// Every group compared.
pub(super) struct Comparison {
    pub(super) groups: Vec<Compared>,
    /// What went wrong on the way back.
    pub(super) failure: Option<Failure>,
}

/// How many rollouts a comparison of so many groups takes at most, for a progress bar.
pub(super) fn rollouts(groups: usize) -> u64 {
    (1 + groups.div_ceil(directions_at_once()) + differences::ROLLOUTS * groups) as u64
}

/// Compares the three for every group. `plain` is the rollout as it is.
pub(super) fn compare(
    case: &Case,
    plain: &Run<f64>,
    groups: &[Group],
    random: &mut Random,
    watch: &Watch,
) -> Result<Comparison, Stop> {
    let probe = random_probe(&case.model, &plain.end, random);
    let (gradient, inputs) = case.adjoint(probe.clone());
    let failure = gradient.failures[0];
    watch.done(1);
    let slopes: Result<Vec<_>, Stop> = groups
        .par_chunks(directions_at_once())
        .map(|groups| run_widest_duals(Slopes { case, probe: &probe, groups, watch }))
        .collect();
    let slopes = slopes?.into_iter().flatten();
    let differences = differences(case, plain, &probe, groups, watch)?;
    let found: Vec<_> = (groups.iter().zip(slopes).zip(differences))
        .map(|((group, dual), differences)| {
            (group, dual, group.along(case, &gradient, &inputs), differences)
        })
        .collect();
    let finite = found.iter().map(|(_, dual, ..)| dual.abs()).filter(|dual| dual.is_finite());
    let largest = finite.fold(0.0_f64, f64::max);
    let implicit = case.gradient == ContactGradient::Implicit;
    let judged = found.into_iter().map(|(group, dual, along, differences)| {
        let adjoint = if failure.is_some() { f64::NAN } else { along.slope };
        let still = dual == 0.0 && along.scale == 0.0 && failure.is_none() && !differences.moves;
        let scale = dual.abs().max(along.scale).max(NOTHING * largest);
        let error = match (adjoint - dual).abs() {
            0.0 => 0.0,
            error => error / scale,
        };
        let is_zero = group.is_zero(&case.model);
        let verdict = match error {
            _ if still => Verdict::NoInfluence,
            _ if !adjoint.is_finite() || !dual.is_finite() => Verdict::NotFinite,
            e if e > EXACT && matches!(case.gradient, ContactGradient::Smoothed { .. }) => {
                Verdict::Smoothed
            }
            e if e > EXACT
                && implicit
                && matches!(differences.judge(adjoint, scale, largest), Judged::Agree) =>
            {
                Verdict::DualsUnsettled
            }
            e if e > EXACT => Verdict::Differ,
            // The end of a range: the derivative sees the side where nothing changes.
            _ if is_zero && dual == 0.0 && adjoint == 0.0 && differences.moves => Verdict::Kink,
            _ => match differences.judge(dual, scale, largest) {
                Judged::Agree => Verdict::Agree,
                Judged::RoughContacts => Verdict::RoughContacts,
                Judged::RoughRounding => Verdict::RoughRounding,
                Judged::Kink => Verdict::Kink,
                Judged::Differ => Verdict::DifferencesDiffer,
            },
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
            scale,
            is_zero,
            verdict,
        }
    });
    Ok(Comparison { groups: judged.collect(), failure })
}

/// How many directions one rollout of dual numbers follows here.
pub(super) fn directions_at_once() -> usize {
    struct Lanes;
    impl DualKernel for Lanes {
        type Output = usize;
        fn run<S: Simulated>(self) -> usize
        where
            Dual<S, 1>: Simulated,
        {
            S::LANES
        }
    }
    run_widest_duals(Lanes)
}

/// Zero, which moves with the direction that this lane follows.
pub(super) fn variable_in_lane<S: Simulated>(lane: usize) -> Dual<S, 1> {
    Dual { re: S::ZERO, eps: [S::from_lanes(|l| if l == lane { 1.0 } else { 0.0 })] }
}

/// The derivative of the probe by each of a few groups, by dual numbers: a group a lane.
struct Slopes<'a> {
    case: &'a Case,
    probe: &'a LinearAbout<f64>,
    groups: &'a [Group],
    watch: &'a Watch,
}

impl DualKernel for Slopes<'_> {
    type Output = Result<Vec<f64>, Stop>;

    fn run<S: Simulated>(self) -> Self::Output
    where
        Dual<S, 1>: Simulated,
    {
        let Slopes { case, probe, groups, watch } = self;
        let changes: Vec<(&Group, Dual<S, 1>)> = (groups.iter().enumerate())
            .map(|(lane, group)| (group, variable_in_lane(lane)))
            .collect();
        let run = case.roll(&changes, watch, |_, _| {})?;
        let [slope] = probe.cast().value(&case.model.cast(), &run.end).eps;
        Ok((0..groups.len()).map(|lane| slope.lane(lane)).collect())
    }
}
