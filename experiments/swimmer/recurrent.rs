//! A network that learns the whole motion, for comparison: a long short-term memory (LSTM), as in NeuralSim.

use std::ops::ControlFlow;

use anyhow::Context as _;
use gradbody::learn::baseline::{
    Baseline, Channels, LstmOptions, Sequence, TrainOptions, TrainedBaseline, Training, hidden_for,
};
use gradbody::learn::optimise::Objective as _;
use gradbody_cli::progress;

use super::recorded::Motion;

/// Size of the LSTM, with about as many weights as NeuralSim's.
const WEIGHTS: usize = 1900;
/// Samples given before the prediction, including the start: those that are recorded of every motion.
pub(super) const WARM_UP: usize = 21;
/// Length of the training windows [steps], steps from one window to the next, and windows per training step.
const HORIZON: usize = 100;
const STRIDE: usize = 20;
const BATCH: usize = 16;

/// Trains an LSTM on motions by this number of steps of Adam. Its inputs are positions and hinge torques.
pub(super) fn train(
    motions: &[Motion],
    steps: usize,
    seed: u64,
    what: &str,
) -> anyhow::Result<TrainedBaseline> {
    let sequences: Vec<Sequence> = motions.iter().map(sequence).collect();
    let hinges = motions.first().context("no training motions")?.torques(0).len();
    let channels = Channels { channels: hinges + 3, angles: hinges + 1, inputs: hinges };
    let lstm = Baseline::Lstm(LstmOptions::default());
    let lstm = lstm.with_hidden(hidden_for(&lstm, WEIGHTS, &channels));
    let mut options = TrainOptions {
        horizon: HORIZON,
        warm_up: WARM_UP,
        stride: Some(STRIDE),
        batch: BATCH,
        seed,
        angles: (0..hinges + 3).map(|channel| channel >= 2).collect(),
        ..TrainOptions::default()
    };
    options.epochs = steps.div_ceil(Training::new(&lstm, &sequences, &options)?.parts());
    let bar = progress::bar(steps as u64, "steps");
    bar.set_message(what.to_owned());
    let trained = lstm.train(&sequences, &options, &mut |search| {
        bar.set_position(search.iteration());
        ControlFlow::Continue(())
    })?;
    bar.finish_and_clear();
    Ok(trained)
}

fn sequence(motion: &Motion) -> Sequence {
    let samples: Vec<Vec<f64>> = motion.states().into_iter().map(|state| state.q).collect();
    let inputs = (0..samples.len()).map(|step| motion.torques(step)).collect();
    Sequence { samples, inputs }
}

/// The positions after each step of a motion; the first ones are those given.
pub(super) fn predict(
    trained: &TrainedBaseline,
    motion: &Motion,
    steps: usize,
) -> anyhow::Result<Vec<Vec<f64>>> {
    let seen = motion.positions.iter().take(WARM_UP - 1).cloned();
    let warm: Vec<Vec<f64>> = [motion.start.q.clone()].into_iter().chain(seen).collect();
    let inputs: Vec<Vec<f64>> = (0..steps).map(|step| motion.torques(step)).collect();
    let predicted = trained.predict(&warm, &inputs, (steps + 1).saturating_sub(warm.len()))?;
    Ok(warm.into_iter().skip(1).chain(predicted).collect())
}
