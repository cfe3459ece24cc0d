//! Compares the corrected model with a network that learns the whole motion, for growing numbers of training swings.

use std::ops::ControlFlow;

use gradbody::learn::baseline::{Baseline, MlpOptions, Sequence, TrainOptions, Training};
use gradbody::learn::optimise::Objective as _;
use gradbody::sim::State;
use gradbody_cli::progress::ProgressBar;

use super::discovery::{Corrected, discover};
use super::swings::{angle_error, held_out, recorded};
use super::{Plan, SEED};

/// Widths of the learned model's layers.
const HIDDEN: usize = 32;
/// Length of the rollouts it is trained through [steps], and rollouts per training step.
pub(super) const HORIZON: usize = 16;
const BATCH: usize = 64;

/// The errors of the models, for each size of the training set.
pub(super) struct Compared {
    pub(super) sizes: Vec<usize>,
    /// Root mean square angle error of each repeat [rad], by size.
    pub(super) ours: Vec<Vec<f64>>,
    pub(super) theirs: Vec<Vec<f64>>,
    /// The same error of the model without friction [rad].
    pub(super) frictionless: f64,
    /// Number of weights of the learned model.
    pub(super) weights: usize,
    /// Number of repeats in which each correction reads its own joint's velocity and nothing else, by size.
    pub(super) exact: Vec<usize>,
}

pub(super) fn compare(plan: &Plan, bar: &ProgressBar) -> anyhow::Result<Compared> {
    let judged = held_out()?;
    let before = Corrected::not()?;
    let mut compared = Compared {
        sizes: plan.sizes.clone(),
        ours: Vec::new(),
        theirs: Vec::new(),
        frictionless: angle_error(&judged, |swing| before.predict(swing))?,
        weights: 0,
        exact: Vec::new(),
    };
    for &size in &plan.sizes {
        let (mut ours, mut theirs, mut exact) = (Vec::new(), Vec::new(), 0);
        for repeat in 1..=plan.repeats {
            let seen = recorded(size, &[2, size as u64, repeat])?;
            let found = discover(&seen, SEED + repeat)?;
            exact += usize::from(found.is_damping());
            ours.push(angle_error(&judged, |swing| found.model.predict(swing))?);
            let (error, weights) = learned(&seen, &judged, plan.steps, SEED + repeat)?;
            theirs.push(error);
            compared.weights = weights;
            bar.inc(1);
        }
        compared.ours.push(ours);
        compared.theirs.push(theirs);
        compared.exact.push(exact);
    }
    Ok(compared)
}

/// The error of a network that maps the state to its change in a step [rad], and its number of weights.
fn learned(
    seen: &[Vec<State<f64>>],
    judged: &[Vec<State<f64>>],
    steps: usize,
    seed: u64,
) -> anyhow::Result<(f64, usize)> {
    let rows = |states: &[State<f64>]| -> Vec<Vec<f64>> {
        states.iter().map(|s| s.q.iter().chain(&s.v).copied().collect()).collect()
    };
    let sequences: Vec<Sequence> =
        seen.iter().map(|s| Sequence { samples: rows(s), inputs: Vec::new() }).collect();
    let mut options = TrainOptions {
        horizon: HORIZON,
        warm_up: 1,
        batch: BATCH,
        seed,
        angles: vec![true, true, false, false],
        ..TrainOptions::default()
    };
    let baseline = Baseline::Mlp(MlpOptions { hidden: vec![HIDDEN; 2], history: 1 });
    let parts = Training::new(&baseline, &sequences, &options)?.parts();
    options.epochs = steps.div_ceil(parts);
    let trained = baseline.train(&sequences, &options, &mut |_| ControlFlow::Continue(()))?;
    let error = angle_error(judged, |swing| {
        let predicted = trained.predict(&rows(&swing[..1]), &[], swing.len() - 1)?;
        Ok(predicted.iter().map(|row| [row[0], row[1]]).collect())
    })?;
    Ok((error, trained.n_weights()))
}
