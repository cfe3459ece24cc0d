//! Compares the kinds of contact gradients for identifying the rigid cube, with the same start, method and iterations.

use std::time::Instant;

use gradbody::augment::Blueprint;
use gradbody::contact::{ContactGradient, Solver};
use gradbody::learn::objective::NoiseLaw;
use gradbody::learn::optimise::{Adam, Decay, Limits, Method, Objective};
use serde::{Deserialize, Serialize};

use super::cube::Law;
use super::errors::{Summary, judge};
use super::factors::Factors;
use super::problem::{Problem, Stretch};
use super::tosses::Split;
use super::{Plan, SEED};
use crate::effort::{Effort, minimise};

/// Fitted frames after the first touch; gradients over longer spans are dominated by chaos.
const FRAMES: usize = 20;
const NOISE: NoiseLaw = NoiseLaw::Huber(5.0);
const LEARNING_RATE: f64 = 0.02;
/// Step of the reference central differences, in logarithms of factors.
const STEP: f64 = 1e-4;

/// Name and kind; the smoothed one uses 1 cm/s.
pub(super) const KINDS: [(&str, ContactGradient); 3] = [
    ("unrolled", ContactGradient::Unrolled),
    ("implicit", ContactGradient::Implicit),
    ("smoothed", ContactGradient::Smoothed { kappa: 0.01 }),
];

/// The result of one kind.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Tool {
    /// The cost of the training tosses, before and after.
    pub(super) costs: (f64, f64),
    pub(super) held_out: Summary,
    pub(super) effort: Effort,
    /// Time of one gradient at the start [s].
    pub(super) gradient_seconds: f64,
    /// Cosine of the angle to the gradient by central differences, at the start.
    pub(super) cosine: f64,
}

pub(super) fn compare(plan: &Plan, tosses: &Split) -> anyhow::Result<Vec<Tool>> {
    let law = Law::Rigid(Solver::default());
    let problem = Problem::new(law, law.numbers(), &Blueprint::default())?;
    let seen = &tosses.seen[..plan.compared.min(tosses.seen.len())];
    let mut tools = Vec::new();
    for (name, kind) in KINDS {
        let mut fit = problem.fit(seen, Stretch::Impact(FRAMES), NOISE)?;
        fit.gradient.contact = kind;
        let factors = Factors::new(&fit, &problem.numbers);
        let start = vec![0.0; problem.numbers.len()];
        let mut gradient = start.clone();
        let before = factors.gradient(&start, &mut gradient);
        let gradient_seconds = least_time(|| {
            factors.gradient(&start, &mut gradient);
        });
        let cosine = cosine(&gradient, &differences(&factors, &start));
        let decay = Decay::Cosine { steps: plan.compared_steps };
        let adam = Adam { learning_rate: LEARNING_RATE, decay, ..Adam::default() };
        let how = (&Method::Adam(adam), &Limits::iterations(plan.compared_steps));
        let what = format!("rigid, {name} gradients");
        let found = minimise(&factors, how, start, SEED, (&what, seen.len()))?;
        let errors = judge(&problem, &factors.spread(&found.x), &tosses.held_out)?;
        tools.push(Tool {
            costs: (before, found.cost),
            held_out: Summary::of(&tosses.held_out, &errors),
            effort: found.effort,
            gradient_seconds,
            cosine,
        });
    }
    Ok(tools)
}

/// The shortest time of several calls [s].
fn least_time(mut call: impl FnMut()) -> f64 {
    let one = |_| {
        let started = Instant::now();
        call();
        started.elapsed().as_secs_f64()
    };
    (0..5).map(one).fold(f64::INFINITY, f64::min)
}

fn differences(objective: &dyn Objective, at: &[f64]) -> Vec<f64> {
    let slope = |k: usize| {
        let moved = |by: f64| {
            let mut x = at.to_vec();
            x[k] += by;
            objective.cost(&x)
        };
        (moved(STEP) - moved(-STEP)) / (2.0 * STEP)
    };
    (0..at.len()).map(slope).collect()
}

fn cosine(a: &[f64], b: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt().max(f64::MIN_POSITIVE)
}
