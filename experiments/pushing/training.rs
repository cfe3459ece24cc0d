//! Identifies parameters and trains networks on pushes.

use gradbody::learn::objective::Fit;
use gradbody::learn::optimise::{Adam, CmaEs, Decay, Limits, Method, Objective, Sum, Tie, Tied};

use super::errors::Paths;
use super::fits::{Problem, SAME};
use super::measured::Push;
use crate::effort::{Found, minimise};

/// Learning rate of Adam.
const LEARNING_RATE: f64 = 0.01;
/// Weight decay: the factor on half the sum of squared network weights, relative to the squared errors of each body's
/// pushes (millimetres and degrees, every 4 ms). It keeps the network's correction small.
const WEIGHT_DECAY: f64 = 1e3;

/// Evolution strategy: points per generation, and initial spread relative to the bounds.
const POPULATION: usize = 12;
const SPREAD: f64 = 0.15;

/// Identifies the parameters of an analytical model without gradients: the cost is rough where contacts come and go.
pub(super) fn identify(
    problem: &Problem<'_>,
    pushes: &[Push],
    generations: u64,
    what: &str,
) -> anyhow::Result<Found> {
    let evolution = CmaEs { population: POPULATION, spread: SPREAD, ..CmaEs::default() };
    let fits = problem.fits(pushes)?;
    let start = fits[0].initial();
    search(&fits, (&Method::CmaEs(evolution), generations), start, 0, what)
}

/// Trains networks through whole pushes, together with the parameters of the model from their present values.
pub(super) fn train(
    problem: &Problem<'_>,
    pushes: &[Push],
    identified: &[f64],
    (steps, seed): (u64, u64),
    what: &str,
) -> anyhow::Result<Found> {
    let adam =
        Adam { learning_rate: LEARNING_RATE, decay: Decay::Cosine { steps }, ..Adam::default() };
    let mut fits = problem.fits(pushes)?;
    fits.iter_mut().for_each(|fit| fit.weight_decay = WEIGHT_DECAY);
    let mut start = fits[0].initial();
    start[..identified.len()].copy_from_slice(identified);
    search(&fits, (&Method::Adam(adam), steps), start, seed, what)
}

/// Minimises the sum of all fits; tied unknowns ([`SAME`]) change together.
fn search(
    fits: &[Fit],
    (method, iterations): (&Method, u64),
    start: Vec<f64>,
    seed: u64,
    what: &str,
) -> anyhow::Result<Found> {
    let sum = Sum::new(fits.iter().map(|fit| fit as &dyn Objective).collect());
    let place = |name: &str| fits[0].unknowns.named().position(|unknown| unknown.name == name);
    let pairs = SAME.map(|pair| pair.map(place));
    let leader = |k: usize| {
        let pair = pairs.iter().find(|[_, second]| *second == Some(k));
        pair.and_then(|[first, _]| *first).unwrap_or(k)
    };
    let kept: Vec<usize> = (0..start.len()).filter(|k| leader(*k) == *k).collect();
    let ties = (0..start.len())
        .map(|k| Tie { to: kept.partition_point(|kept| *kept < leader(k)), factor: 1.0 });
    let bounds = kept.iter().map(|k| sum.bounds().get(*k).copied().unwrap_or(FREE));
    let tied = Tied::new(&sum, ties.collect(), bounds.collect());
    let start = kept.iter().map(|k| start[*k]).collect();
    let rollouts = fits.iter().map(|fit| fit.windows.len()).sum();
    let limits = Limits::iterations(iterations);
    let mut found = minimise(&tied, (method, &limits), start, seed, (what, rollouts))?;
    found.x = tied.spread(&found.x);
    Ok(found)
}

const FREE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

/// The simulated path of the body for each push, including the first sample.
pub(super) fn predict(problem: &Problem<'_>, pushes: &[Push], x: &[f64]) -> anyhow::Result<Paths> {
    let mut paths = Paths::new();
    for fit in problem.fits(pushes)? {
        let predictions = fit.predictions(&fit.candidate(x));
        for (window, predicted) in fit.windows.iter().zip(predictions) {
            let recording = &fit.recordings[window.recording];
            let first = recording.measured[..3].to_vec();
            let path = predicted.map(|numbers| {
                let steps = first.chunks(3).chain(numbers.chunks(3));
                steps.map(|pose| [pose[0], pose[1], pose[2]]).collect()
            });
            paths.insert(recording.name.clone(), path);
        }
    }
    Ok(paths)
}
