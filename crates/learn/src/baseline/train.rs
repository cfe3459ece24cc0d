//! How a baseline is trained.

use std::ops::ControlFlow;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::data::Data;
use super::predict::{How, TrainedBaseline};
use super::{Baseline, BaselineError, Sequence, Training};
use gradbody_optimise::{Adam, Decay, Limits, Method, Objective, Search};

/// Largest norm of a gradient: the cost of rollouts has cliffs.
const CLIP: f64 = 1.0;
/// Number of gradients that measure the time of a step, after one that warms up.
const TIMED: usize = 8;
/// Share of the time that is planned for steps. The rest is for computing the whole cost.
const FOR_STEPS: f64 = 0.7;

/// Options of training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct TrainOptions {
    /// Samples that a window predicts in training.
    pub horizon: usize,
    /// Samples that are given before them; at least [`Baseline::history`].
    pub warm_up: usize,
    /// Samples from the start of a window to that of the next. None takes the horizon, so that each sample is predicted
    /// once.
    pub stride: Option<usize>,
    /// How often each window is seen.
    pub epochs: usize,
    /// Adam's initial learning rate; it falls to zero along a cosine.
    pub learning_rate: f64,
    /// Windows in a step.
    pub batch: usize,
    /// Seed of the random numbers. It determines the result on any number of threads, unless time runs out.
    pub seed: u64,
    /// Time limit [s]. If it is too short for all epochs, there are fewer steps, and the learning rate falls faster.
    pub seconds: Option<f64>,
    /// Which channels are angles [rad]; empty if none is.
    pub angles: Vec<bool>,
}

impl Default for TrainOptions {
    fn default() -> Self {
        TrainOptions {
            horizon: 16,
            warm_up: 8,
            stride: None,
            epochs: 50,
            learning_rate: 5e-3,
            batch: 64,
            seed: 0,
            seconds: None,
            angles: Vec::new(),
        }
    }
}

impl TrainOptions {
    /// Refuses options that make no sense.
    pub(super) fn check(&self, baseline: &Baseline) -> Result<(), BaselineError> {
        let history = baseline.history();
        for (option, given, least) in [
            ("history", history, 1),
            ("horizon", self.horizon, 1),
            ("warm-up", self.warm_up, history),
            ("stride", self.stride.unwrap_or(1), 1),
            ("batch", self.batch, 1),
        ] {
            if given < least {
                return Err(BaselineError::Option { option, given, least });
            }
        }
        match self.seconds {
            // Not `seconds <= 0`: NaN is refused too.
            Some(seconds) if seconds.partial_cmp(&0.0).is_none_or(|o| o.is_le()) => {
                Err(BaselineError::Seconds(seconds))
            }
            _ => Ok(()),
        }
    }
}

impl Baseline {
    /// Fits the baseline to sequences. `watch` sees the search after each step and may break it off; the result is then
    /// the best so far.
    pub fn train(
        &self,
        sequences: &[Sequence],
        options: &TrainOptions,
        watch: &mut dyn FnMut(&Search) -> ControlFlow<()>,
    ) -> Result<TrainedBaseline, BaselineError> {
        if *self == Baseline::HoldVelocity {
            let Data { angles, n_inputs, .. } = Data::new(sequences, &options.angles, 1)?;
            return Ok(TrainedBaseline { angles, n_inputs, how: How::HoldVelocity });
        }
        let began = Instant::now();
        let training = Training::new(self, sequences, options)?;
        let mut steps = options.epochs.saturating_mul(training.parts()) as u64;
        if let Some(seconds) = options.seconds {
            steps = steps.min(steps_within(&training, FOR_STEPS * seconds));
        }
        if steps == 0 {
            let start = training.start().to_vec();
            return training.finish(start);
        }
        let method = Method::Adam(Adam {
            learning_rate: options.learning_rate,
            decay: Decay::Cosine { steps },
            clip: CLIP,
            ..Adam::default()
        });
        let mut search =
            Search::begin(&method, &training, training.start().to_vec(), options.seed)?;
        let left = options.seconds.map(|seconds| seconds - began.elapsed().as_secs_f64());
        let limits = Limits { iterations: Some(steps), seconds: left, target: None };
        search.run(&training, &limits, watch);
        // The last weights of an unfinished pass have not been judged yet.
        let (best, cost) = search.best();
        let last = search.current();
        let weights = if training.cost(last) < cost { last } else { best }.to_vec();
        training.finish(weights)
    }
}

/// How many steps there is time for.
fn steps_within(training: &Training, seconds: f64) -> u64 {
    let mut gradient = vec![0.0; training.len()];
    let mut step =
        |k: usize| training.part_gradient(k % training.parts(), training.start(), &mut gradient);
    step(0);
    let began = Instant::now();
    (1..=TIMED).for_each(|k| {
        step(k);
    });
    let each = (began.elapsed().as_secs_f64() / TIMED as f64).max(1e-9);
    (seconds / each) as u64
}
