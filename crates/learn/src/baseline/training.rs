//! The training of a network as an objective: the mean squared error of windows, in parts.
//!
//! Windows are taken in eight streams side by side, which become the lanes of whatever vectors the machine has, and
//! blocks of them are spread over threads. Streams and blocks are the same everywhere and are summed in order, so the
//! cost and its gradient have the same bits on any number of threads and lanes.

use gradbody_math::{Kernel, Scalar, run_widest};
use gradbody_neural::{Initial, Layer};
use rayon::prelude::*;

use super::data::Data;
use super::law::Law;
use super::predict::{How, TrainedBaseline};
use super::scales::Scales;
use super::unroll::{Span, Unroll};
use super::{Baseline, BaselineError, Channels, Sequence, TrainOptions};
use gradbody_math::random::Random;
use gradbody_optimise::Objective;

/// Windows that are computed side by side.
const STREAMS: usize = 8;
/// A block has at least this many predictions of each stream.
const LEAST_IN_STREAM: usize = 16;

/// A network under training: the mean squared error of its rollouts as an [`Objective`] over its weights.
///
/// Errors are relative to the change of their channel within a horizon, so that a cost of about 1 is that of predicting
/// no change at all.
#[derive(Clone, Debug)]
pub struct Training {
    law: Law,
    data: Data,
    span: Span,
    /// The first row of each window, in random order.
    windows: Vec<usize>,
    n_parts: usize,
    start: Vec<f64>,
}

impl Training {
    /// Cuts the sequences into windows, and draws weights to start from.
    pub fn new(
        baseline: &Baseline,
        sequences: &[Sequence],
        options: &TrainOptions,
    ) -> Result<Training, BaselineError> {
        options.check(baseline)?;
        let TrainOptions { horizon, warm_up, .. } = *options;
        let data = Data::new(sequences, &options.angles, warm_up.saturating_add(horizon))?;
        let angles = data.angles.clone();
        let channels = Channels {
            channels: data.n_channels,
            angles: angles.iter().filter(|is_angle| **is_angle).count(),
            inputs: data.n_inputs,
        };
        let network = baseline.network(&channels)?.ok_or(BaselineError::NoWeights)?;
        let initial = Initial { zero_last: true, seed: options.seed, ..Initial::default() };
        let mut start = network.initial_weights(&initial);
        if let Some(Layer::Lstm { hidden }) = network.layers().first() {
            // Training begins better with little forgetting [Jozefowicz, Zaremba and Sutskever 2015].
            for bias in network.parameters().iter().filter(|p| p.name == "layers.0.bias_ih_l0") {
                start[bias.range.clone()][*hidden..2 * *hidden].fill(1.0);
            }
        }
        let stride = options.stride.unwrap_or(horizon);
        let mut windows = data.windows(warm_up + horizon, stride);
        Random::derived(options.seed, &[1]).shuffle(&mut windows);
        let n_parts = (windows.len() / options.batch).max(1);
        let scales = Scales::of(&data, horizon);
        let law = Law { network, scales, angles, history: baseline.history() };
        Ok(Training { law, data, span: Span { warm_up, horizon }, windows, n_parts, start })
    }

    /// Weights to start from. The network then predicts the mean change.
    pub fn start(&self) -> &[f64] {
        &self.start
    }

    /// Number of windows.
    pub fn n_windows(&self) -> usize {
        self.windows.len()
    }

    /// The baseline with these weights. An error if their number is wrong.
    pub fn finish(self, weights: Vec<f64>) -> Result<TrainedBaseline, BaselineError> {
        let (given, needed) = (weights.len(), self.len());
        if given != needed {
            return Err(BaselineError::WeightCount { given, needed });
        }
        let (angles, n_inputs) = (self.law.angles.clone(), self.data.n_inputs);
        Ok(TrainedBaseline {
            angles,
            n_inputs,
            how: How::Network { law: Box::new(self.law), weights },
        })
    }

    /// The windows of a part. The sizes of parts differ by at most one.
    fn part(&self, part: usize) -> &[usize] {
        let at = |part: usize| part * self.windows.len() / self.n_parts;
        &self.windows[at(part)..at(part + 1)]
    }

    /// The sum of the costs of windows; adds its gradient to `gradient` unless that is empty.
    fn sum(&self, windows: &[usize], weights: &[f64], gradient: &mut [f64]) -> f64 {
        let with_gradient = !gradient.is_empty();
        let sums = run_widest::<f64, _>(Blocks { training: self, windows, weights, with_gradient });
        let mut cost = 0.0;
        for (of_block, gradient_of_block) in sums {
            cost += of_block;
            gradient.iter_mut().zip(gradient_of_block).for_each(|(sum, g)| *sum += g);
        }
        cost
    }
}

impl Objective for Training {
    fn len(&self) -> usize {
        self.start.len()
    }

    fn cost(&self, x: &[f64]) -> f64 {
        self.sum(&self.windows, x, &mut []) / self.windows.len() as f64
    }

    fn gradient(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let scale = 1.0 / self.windows.len() as f64;
        let cost = self.sum(&self.windows, x, gradient);
        gradient.iter_mut().for_each(|g| *g *= scale);
        cost * scale
    }

    fn parts(&self) -> usize {
        self.n_parts
    }

    fn part_gradient(&self, part: usize, x: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        // Divided by the mean size of parts, not by this part's own, so that the mean over the parts is the cost.
        let scale = self.n_parts as f64 / self.windows.len() as f64;
        let cost = self.sum(self.part(part), x, gradient);
        gradient.iter_mut().for_each(|g| *g *= scale);
        cost * scale
    }
}

/// Computes the cost and the gradient of each block of windows.
struct Blocks<'a> {
    training: &'a Training,
    windows: &'a [usize],
    weights: &'a [f64],
    with_gradient: bool,
}

impl Kernel for Blocks<'_> {
    type Output = Vec<(f64, Vec<f64>)>;

    #[inline(always)]
    fn run<S: Scalar>(self) -> Self::Output {
        let Training { law, data, span, .. } = self.training;
        let unroll = || {
            let weights: Vec<S> = self.weights.iter().map(|w| S::from_f64(*w)).collect();
            Unroll::new(law, data, *span, &weights)
        };
        let in_block = STREAMS * LEAST_IN_STREAM.div_ceil(span.horizon);
        let blocks = self.windows.par_chunks(in_block);
        blocks
            .map_init(unroll, |unroll, block| run_block(unroll, block, self.with_gradient))
            .collect()
    }
}

/// The sum of the costs of a block, and its gradient.
fn run_block<S: Scalar>(
    unroll: &mut Unroll<'_, S>,
    block: &[usize],
    with_gradient: bool,
) -> (f64, Vec<f64>) {
    let mut costs = [0.0; STREAMS];
    let mut gradient = vec![0.0; if with_gradient { unroll.weights_bar.len() } else { 0 }];
    for first in (0..STREAMS).step_by(S::LANES) {
        unroll.weights_bar.fill(S::ZERO);
        for windows in block.chunks(STREAMS) {
            if first >= windows.len() {
                continue;
            }
            // If there are too few windows, the last one is repeated, and the copies do not count.
            let counts = |lane: usize| lane + first < windows.len().min(STREAMS);
            let cost = unroll.cost(|lane| windows[(first + lane).min(windows.len() - 1)]);
            for (lane, sum) in costs[first..].iter_mut().enumerate().take(S::LANES) {
                *sum += if counts(lane) { cost.lane(lane) } else { 0.0 };
            }
            if with_gradient {
                unroll.cost_vjp(S::from_lanes(|lane| if counts(lane) { 1.0 } else { 0.0 }));
            }
        }
        for (sum, bar) in gradient.iter_mut().zip(&unroll.weights_bar) {
            for lane in 0..S::LANES.min(STREAMS - first) {
                *sum += bar.lane(lane);
            }
        }
    }
    (costs.iter().sum(), gradient)
}
