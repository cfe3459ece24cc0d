//! A whole check, and its results.

use gradbody_sim::Failure;

use crate::advice::advice;
use crate::case::Case;
use crate::compare::{self, Compared, Comparison, Verdict};
use crate::group::Group;
use crate::part::finite_params;
use crate::sensitivity::{self, Sensitivity};
use crate::watch::{Stop, Watch};
use crate::world::Run;
use gradbody_math::random::Random;

/// Rounding of many steps, with a margin; it grows as a change of the start does.
const ROUNDING_OF_STEPS: f64 = 1e3 * f64::EPSILON;

/// The results of a check.
#[derive(Clone, Debug)]
pub struct Outcome<'a> {
    /// What was checked.
    pub case: &'a Case,
    /// Seed of the random function and directions.
    pub seed: u64,
    /// The motion without changes.
    pub plain: Run<f64>,
    /// The three derivatives of every part of the case, each in a random direction.
    pub groups: Vec<Compared>,
    /// Failure of the adjoint's backward pass.
    pub failure: Option<Failure>,
    /// How a small change of the start grows.
    pub sensitivity: Sensitivity,
    /// Number of infinite parameters of the model, which have no derivative and were left out.
    pub infinite: usize,
}

/// Compares adjoint, duals and differences of a random function of the last state, and follows a small change of the
/// start through time. One seed gives the same function and directions on every machine.
pub fn check<'a>(case: &'a Case, seed: u64, watch: &dyn Watch) -> Result<Outcome<'a>, Stop> {
    let mut random = Random::split_mix(seed);
    let groups = Group::all(case, &mut random);
    watch.expect(1 + sensitivity::rollouts() + compare::rollouts(groups.len()));
    let plain = case.world::<f64>(&[]).roll(watch, |_, _| {})?;
    let Comparison { mut groups, failure } =
        compare::compare(case, &plain, &groups, &mut random, watch)?;
    let sensitivity = sensitivity::look(case, &mut random, watch)?;
    let rounding = ROUNDING_OF_STEPS * sensitivity.peak().1;
    for group in &mut groups {
        if group.verdict == Verdict::Differ && group.error <= rounding {
            group.verdict = Verdict::TooSensitive;
        }
    }
    let infinite = case.model.topology.param_ids().len() - finite_params(&case.model).len();
    Ok(Outcome { case, seed, plain, groups, failure, sensitivity, infinite })
}

impl Outcome<'_> {
    /// Whether adjoint and duals differ where they must not, or are not finite.
    pub fn is_bad(&self) -> bool {
        let bad = |c: &Compared| matches!(c.verdict, Verdict::Differ | Verdict::NotFinite);
        self.groups.iter().any(bad)
    }

    /// Advice, one line each, most important first. Remedies are options of the command `gradbody check`.
    pub fn advice(&self) -> Vec<String> {
        advice(self)
    }
}
