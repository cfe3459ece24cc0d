//! Fits a compliant contact with a friction network to throws simulated with rigid contact. It starts so soft that the
//! cube falls through the table.

use anyhow::bail;
use gradbody::augment::Blueprint;
use gradbody::contact::{Lcp, Solver};
use gradbody::learn::objective::NoiseLaw;
use gradbody::learn::optimise::{BasinHopping, Limits, Method, Objective};
use gradbody::math::random::Random;
use gradbody::math::{Quat, Vec3};
use gradbody::sim::{Input, NoTaps, State, StepScratch, StepTrace, step};
use serde::{Deserialize, Serialize};

use super::cube::Law;
use super::errors::{Summary, judge};
use super::factors::Factors;
use super::friction::Correction;
use super::problem::{Problem, Stretch};
use super::tosses::{Toss, first_touch};
use super::{Plan, SEED};
use crate::effort::{Effort, minimise};

/// Frames of a throw.
const FRAMES: usize = 60;
/// Number of fitted throws, and of held-out throws.
const MATCHED: usize = 4;
const JUDGED: usize = 8;
/// Initial stiffness and damping, as fractions of the default.
const SOFT: f64 = 1e-4;
const NOISE: NoiseLaw = NoiseLaw::Huber(5.0);
/// Iterations of a local search.
const LOCAL: u64 = 15;

/// The result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Matched {
    /// Errors on the fitted throws before and after, and on the held-out ones after.
    pub(super) before: Summary,
    pub(super) after: Summary,
    pub(super) others: Summary,
    /// Poses of the first throw: target, before, after.
    pub(super) poses: [Vec<[f64; 7]>; 3],
    /// The cost after each round.
    pub(super) costs: Vec<f64>,
    pub(super) effort: Effort,
}

pub(super) fn matched(plan: &Plan) -> anyhow::Result<Matched> {
    let throws: Vec<Toss> = (0..MATCHED + JUDGED).map(throw).collect::<anyhow::Result<_>>()?;
    let (targets, others) = throws.split_at(MATCHED);
    let law = Law::Compliant;
    let problem = Problem::new(law, law.numbers(), &Correction::Free.blueprint(SEED))?;
    let fit = problem.fit(targets, Stretch::Whole, NOISE)?;
    let factors = Factors::new(&fit, &problem.numbers);
    let is_soft = |name: &str| matches!(name, "stiffness" | "damping");
    let numbers = problem.numbers.iter().map(|n| if is_soft(n.name) { SOFT.ln() } else { 0.0 });
    let start: Vec<f64> = numbers.chain(problem.weights.iter().copied()).collect();
    let hops = BasinHopping { local_iterations: LOCAL, slice: LOCAL, ..BasinHopping::default() };
    let how = (&Method::BasinHopping(hops), &Limits::iterations(plan.rounds));
    let first = factors.cost(&start);
    let what = ("throws matched", targets.len());
    let found = minimise(&factors, how, start.clone(), SEED, what)?;
    let [before, after] = [&start, &found.x].map(|z| judge(&problem, &factors.spread(z), targets));
    let (before, after) = (before?, after?);
    let apart = judge(&problem, &factors.spread(&found.x), others)?;
    let target = targets[0].states[1..].iter().map(|s| std::array::from_fn(|k| s.q[k])).collect();
    Ok(Matched {
        before: Summary::of(targets, &before),
        after: Summary::of(targets, &after),
        others: Summary::of(others, &apart),
        poses: [target, before[0].poses.clone(), after[0].poses.clone()],
        costs: [vec![first], found.costs].concat(),
        effort: found.effort,
    })
}

/// A random throw, simulated with rigid contact.
fn throw(number: usize) -> anyhow::Result<Toss> {
    let law = Law::Rigid(Solver::Lcp(Lcp::default()));
    let Problem { model, .. } = Problem::new(law, law.numbers(), &Blueprint::default())?;
    let mut random = Random::derived(SEED, &[number as u64]);
    let mut any = |size: f64| Vec3::new(random.normal(), random.normal(), random.normal()) * size;
    let mut state = State::neutral(&model);
    let (turn, velocity, spin) = (Quat::exp(any(1.0)), any(0.4), any(3.0));
    state.q[..3].copy_from_slice(&[0.0, 0.0, 0.16]);
    state.q[3..].copy_from_slice(&turn.to_array());
    state.v[..3].copy_from_slice(&velocity.to_array());
    state.v[3..].copy_from_slice(&spin.to_array());
    let (input, options) = (Input::none(&model), law.options());
    let (mut trace, mut scratch) = (StepTrace::new(&model), StepScratch::new(&model));
    let mut states = vec![state.clone()];
    for _ in 0..FRAMES {
        for _ in 0..law.substeps() {
            let report =
                step(&model, &mut state, &input, &options, &mut NoTaps, &mut trace, &mut scratch);
            if report.diverged.is_some() {
                bail!("throw {number}: the simulation diverged");
            }
        }
        states.push(state.clone());
    }
    Ok(Toss { name: format!("throw {number}"), touch: first_touch(&states), states })
}
