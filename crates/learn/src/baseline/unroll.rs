//! Windows side by side: a warm-up on measured samples, then predictions, and the adjoint back through time.

use gradbody_math::Scalar;

use super::data::Data;
use super::law::{Known, Law, LawCotangents, StepWork};

/// The rows of a window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    /// Rows that are given.
    pub(super) warm_up: usize,
    /// Rows after them that are predicted.
    pub(super) horizon: usize,
}

/// Buffers of windows, one window in each lane of the scalar.
pub(super) struct Unroll<'a, S> {
    law: &'a Law,
    data: &'a Data,
    span: Span,
    /// Calls of the network on measured samples; the last of them makes the first prediction.
    n_warm: usize,
    weights: Vec<S>,
    /// Cotangents of the weights, summed over all windows since the beginning.
    pub(super) weights_bar: Vec<S>,
    calls: Vec<Call<S>>,
    next: Known<S>,
    /// Errors times `importance`, (horizon, n_channels).
    errors: Vec<S>,
    /// Factor of each channel's errors before they are squared, (n_channels).
    importance: Vec<S>,
    bars: [Known<S>; 2],
    memory_bars: [Vec<S>; 2],
}

/// One call of the network.
struct Call<S> {
    now: Known<S>,
    input: Vec<S>,
    memory: Vec<S>,
    work: StepWork<S>,
}

impl<'a, S: Scalar> Unroll<'a, S> {
    pub(super) fn new(law: &'a Law, data: &'a Data, span: Span, weights: &[S]) -> Self {
        // Only a network with memory gains from earlier samples.
        let n_warm = if law.network.n_memory() == 0 { 1 } else { span.warm_up + 1 - law.history };
        let memory = vec![S::ZERO; law.network.n_memory()];
        let call = || Call {
            now: Known::new(law),
            input: vec![S::ZERO; data.n_inputs],
            memory: memory.clone(),
            work: StepWork::new(law),
        };
        let count = (span.horizon * law.n_channels()) as f64;
        let importance = |span: &f64| S::from_f64(1.0 / (span * count.sqrt()));
        Unroll {
            law,
            data,
            span,
            n_warm,
            weights: weights.to_vec(),
            weights_bar: vec![S::ZERO; weights.len()],
            calls: (0..n_warm + span.horizon - 1).map(|_| call()).collect(),
            next: Known::new(law),
            errors: vec![S::ZERO; span.horizon * law.n_channels()],
            importance: law.scales.spans.iter().map(importance).collect(),
            bars: [Known::new(law), Known::new(law)],
            memory_bars: [memory.clone(), memory],
        }
    }

    /// The mean squared error, over its horizon, of the window that begins at the row `start(lane)`, in each lane.
    pub(super) fn cost(&mut self, start: impl Fn(usize) -> usize) -> S {
        S::vectorised(
            #[inline(always)]
            || self.forward(start),
        )
    }

    /// Adds the gradient of the last [`Unroll::cost`], times `cost_bar` in each lane, to the weights' cotangents.
    pub(super) fn cost_vjp(&mut self, cost_bar: S) {
        S::vectorised(
            #[inline(always)]
            || self.backward(cost_bar),
        );
    }

    #[inline(always)]
    fn forward(&mut self, start: impl Fn(usize) -> usize) -> S {
        let Unroll { law, data, n_warm, .. } = *self;
        let n = law.n_channels();
        let sample = |row: usize, c: usize| S::from_lanes(|lane| data.sample(start(lane) + row)[c]);
        let mut cost = S::ZERO;
        for k in 0..self.calls.len() {
            let row = self.span.warm_up - n_warm + k;
            let (before, rest) = self.calls.split_at_mut(k);
            let Call { now, input, memory, work } = &mut rest[0];
            if k < n_warm {
                now.read(|age, c| sample(row - age, c));
            } else {
                now.sample.copy_from_slice(&self.next.sample);
                now.changes.copy_from_slice(&self.next.changes);
            }
            for (c, (u, scale)) in input.iter_mut().zip(&law.scales.inputs).enumerate() {
                *u = scale.normalised(S::from_lanes(|lane| data.input(start(lane) + row)[c]));
            }
            if let Some(call) = before.last() {
                memory.copy_from_slice(call.work.network.memory());
            }
            law.step(&self.weights, now, input, memory, work, &mut self.next);
            if let Some(ahead) = (row + 1).checked_sub(self.span.warm_up) {
                for c in 0..n {
                    let error = (self.next.sample[c] - sample(row + 1, c)) * self.importance[c];
                    self.errors[ahead * n + c] = error;
                    cost = error.mul_add(error, cost);
                }
            }
        }
        cost
    }

    #[inline(always)]
    fn backward(&mut self, cost_bar: S) {
        let n = self.law.n_channels();
        let [next_bar, now_bar] = &mut self.bars;
        let [next_memory_bar, memory_bar] = &mut self.memory_bars;
        next_bar.clear();
        next_memory_bar.fill(S::ZERO);
        let twice = cost_bar + cost_bar;
        for (k, call) in self.calls.iter_mut().enumerate().rev() {
            if let Some(ahead) = (k + 1).checked_sub(self.n_warm) {
                for c in 0..n {
                    let error_bar = twice * self.errors[ahead * n + c];
                    next_bar.sample[c] = error_bar.mul_add(self.importance[c], next_bar.sample[c]);
                }
            }
            now_bar.clear();
            memory_bar.fill(S::ZERO);
            let bar = LawCotangents {
                next: next_bar,
                next_memory: next_memory_bar,
                now: now_bar,
                memory: memory_bar,
                weights: &mut self.weights_bar,
            };
            self.law.step_vjp(&self.weights, &call.memory, &mut call.work, bar);
            std::mem::swap(next_bar, now_bar);
            std::mem::swap(next_memory_bar, memory_bar);
            if k < self.n_warm {
                // Measured samples depend on nothing.
                next_bar.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gradbody_math::Dual;
    use gradbody_neural::{Initial, Network};

    use super::super::scales::Scales;
    use super::super::{Baseline, Channels, LstmOptions, MlpOptions, Sequence};
    use super::*;

    /// Relative to the gradient's size: dual numbers round differently.
    const BY_DUALS: f64 = 1e-12;

    #[test]
    fn the_gradient_through_time_is_that_of_dual_numbers() {
        let angles = vec![true, false];
        let at = |k: usize| k as f64 * 0.3;
        let sequence = Sequence {
            samples: (0..14).map(|k| vec![2.0 * at(k).sin(), 5.0 + at(k * k).cos()]).collect(),
            inputs: (0..14).map(|k| vec![at(3 * k).sin()]).collect(),
        };
        let data = Data::new(&[sequence], &angles, 0).unwrap();
        let channels = Channels { channels: 2, angles: 1, inputs: 1 };
        for baseline in [
            Baseline::Mlp(MlpOptions { hidden: vec![5], history: 1 }),
            Baseline::Mlp(MlpOptions { hidden: vec![5, 4], history: 3 }),
            Baseline::Lstm(LstmOptions { hidden: 3 }),
        ] {
            let network: Network = baseline.network(&channels).unwrap().unwrap();
            let weights = network.initial_weights(&Initial::default());
            let scales = Scales::of(&data, 6);
            let law = Law { network, scales, angles: angles.clone(), history: baseline.history() };
            let span = Span { warm_up: 5, horizon: 6 };
            let mut unroll = Unroll::new(&law, &data, span, &weights);
            let cost = unroll.cost(|_| 2);
            unroll.cost_vjp(0.7);
            let size = unroll.weights_bar.iter().fold(0.0, |most: f64, g| most.max(g.abs()));
            assert!(size > 1e-3, "nothing to compare");
            let mut duals: Vec<Dual<f64, 1>> = weights.iter().map(|w| Dual::constant(*w)).collect();
            for i in 0..duals.len() {
                duals[i].eps[0] = 1.0;
                let expected = Unroll::new(&law, &data, span, &duals).cost(|_| 2);
                duals[i].eps[0] = 0.0;
                assert!((expected.re - cost).abs() <= BY_DUALS * cost);
                let error = (unroll.weights_bar[i] - 0.7 * expected.eps[0]).abs();
                assert!(error <= BY_DUALS * size, "{baseline:?}: weight {i} is off by {error:e}");
            }
        }
    }
}
