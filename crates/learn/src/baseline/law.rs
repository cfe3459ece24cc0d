//! One step of a predicting network, and its adjoint.
//!
//! With the latest sample x, the changes d₀, d₁, … that led to it, d₀ the latest, and the inputs u:
//! y = network(x, d, u), change = mean + deviation · y, and then x ← x + change, d ← (change, d₀, d₁, …).
//! The network reads x, d and u minus their means, divided by their deviations; it reads angles as sine and cosine.

use gradbody_math::Scalar;
use gradbody_neural::{Network, NetworkCotangents, NetworkScratch, NetworkTrace};
use serde::{Deserialize, Serialize};

use super::Channels;
use super::scales::{Scale, Scales};

/// A network, and the scales of its inputs and outputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Law {
    pub(super) network: Network,
    pub(super) scales: Scales,
    /// Which channels are angles, (n_channels).
    pub(super) angles: Vec<bool>,
    /// Number of samples that it reads.
    pub(super) history: usize,
}

/// The latest sample and the changes before it, or their cotangents.
#[derive(Clone, Debug)]
pub(super) struct Known<S> {
    /// The sample, (n_channels).
    pub(super) sample: Vec<S>,
    /// The changes that led to it, the latest first, (history − 1, n_channels).
    pub(super) changes: Vec<S>,
}

/// Cotangents of [`Law::step`]: of its results, and of what it was given.
#[derive(Debug)]
pub(super) struct LawCotangents<'a, S> {
    /// Of the samples after the step. Read.
    pub(super) next: &'a Known<S>,
    /// Of the network's memory after the step, (n_memory). Read.
    pub(super) next_memory: &'a [S],
    /// Of the samples before the step. Added to.
    pub(super) now: &'a mut Known<S>,
    /// Of the network's memory before the step, (n_memory). Added to.
    pub(super) memory: &'a mut [S],
    /// Of the weights, (n_weights). Added to.
    pub(super) weights: &'a mut [S],
}

/// Buffers of one step.
#[derive(Clone, Debug)]
pub(super) struct StepWork<S> {
    pub(super) network: NetworkTrace<S>,
    network_scratch: NetworkScratch<S>,
    features: Vec<S>,
    features_bar: Vec<S>,
    outputs_bar: Vec<S>,
}

impl<S: Scalar> StepWork<S> {
    pub(super) fn new(law: &Law) -> Self {
        let features = vec![S::ZERO; law.network.n_inputs()];
        StepWork {
            network: NetworkTrace::new(&law.network),
            network_scratch: NetworkScratch::new(&law.network),
            features_bar: features.clone(),
            features,
            outputs_bar: vec![S::ZERO; law.network.n_outputs()],
        }
    }
}

impl<S: Scalar> Known<S> {
    pub(super) fn new(law: &Law) -> Self {
        let n = law.n_channels();
        Known { sample: vec![S::ZERO; n], changes: vec![S::ZERO; (law.history - 1) * n] }
    }

    pub(super) fn clear(&mut self) {
        self.sample.fill(S::ZERO);
        self.changes.fill(S::ZERO);
    }

    /// Reads samples: `at(0, c)` is the latest of channel c, `at(1, c)` the one before, and so on.
    #[inline(always)]
    pub(super) fn read(&mut self, at: impl Fn(usize, usize) -> S) {
        let n = self.sample.len();
        for c in 0..n {
            self.sample[c] = at(0, c);
            for (age, changes) in self.changes.chunks_exact_mut(n).enumerate() {
                changes[c] = at(age, c) - at(age + 1, c);
            }
        }
    }
}

impl Scale {
    #[inline(always)]
    pub(super) fn normalised<S: Scalar>(&self, x: S) -> S {
        (x - S::from_f64(self.mean)) * S::from_f64(1.0 / self.deviation)
    }
}

impl Law {
    /// Number of inputs of a network that reads `history` samples.
    pub(super) fn n_features(channels: &Channels, history: usize) -> usize {
        let Channels { channels, angles, inputs } = *channels;
        let changes = channels.saturating_mul(history.saturating_sub(1));
        channels.saturating_add(angles).saturating_add(changes).saturating_add(inputs)
    }

    pub(super) fn n_channels(&self) -> usize {
        self.angles.len()
    }

    /// Makes a step and writes the samples after it to `next`. `input` is normalised. The new memory is
    /// `work.network.memory()`.
    #[inline(always)]
    pub(super) fn step<S: Scalar>(
        &self,
        weights: &[S],
        now: &Known<S>,
        input: &[S],
        memory: &[S],
        work: &mut StepWork<S>,
        next: &mut Known<S>,
    ) {
        self.features(now, input, &mut work.features);
        self.network.forward(weights, &work.features, memory, &mut work.network);
        let n = self.n_channels();
        let kept = next.changes.len().saturating_sub(n);
        if !next.changes.is_empty() {
            next.changes[n..].copy_from_slice(&now.changes[..kept]);
        }
        for (c, y) in work.network.outputs().iter().enumerate() {
            let Scale { mean, deviation } = self.scales.changes[c];
            let change = y.mul_add(S::from_f64(deviation), S::from_f64(mean));
            next.sample[c] = now.sample[c] + change;
            if let Some(latest) = next.changes.get_mut(c) {
                *latest = change;
            }
        }
    }

    #[inline(always)]
    fn features<S: Scalar>(&self, now: &Known<S>, input: &[S], features: &mut [S]) {
        let mut at = 0;
        let mut push = |feature: S| {
            features[at] = feature;
            at += 1;
        };
        for ((x, scale), is_angle) in now.sample.iter().zip(&self.scales.samples).zip(&self.angles)
        {
            if *is_angle {
                let (sin, cos) = x.sin_cos();
                push(sin);
                push(cos);
            } else {
                push(scale.normalised(*x));
            }
        }
        for changes in now.changes.chunks_exact(self.n_channels()) {
            for (change, scale) in changes.iter().zip(&self.scales.changes) {
                push(scale.normalised(*change));
            }
        }
        input.iter().for_each(|u| push(*u));
    }

    /// The adjoint of the last [`Law::step`] with `work`, which had these `weights` and this `memory`. Reads
    /// `bar.next` and `bar.next_memory`; adds to the rest of `bar`.
    #[inline(always)]
    pub(super) fn step_vjp<S: Scalar>(
        &self,
        weights: &[S],
        memory: &[S],
        work: &mut StepWork<S>,
        bar: LawCotangents<'_, S>,
    ) {
        let LawCotangents { next: next_bar, now: now_bar, .. } = bar;
        let n = self.n_channels();
        for c in 0..n {
            // x' = x + change,  d₀' = change
            let latest_bar = next_bar.changes.get(c).copied().unwrap_or(S::ZERO);
            let change_bar = next_bar.sample[c] + latest_bar;
            now_bar.sample[c] += next_bar.sample[c];
            work.outputs_bar[c] = change_bar * S::from_f64(self.scales.changes[c].deviation);
        }
        for (bar, later) in now_bar.changes.iter_mut().zip(next_bar.changes.iter().skip(n)) {
            *bar += *later;
        }
        let StepWork { network, network_scratch, features, features_bar, outputs_bar } = work;
        features_bar.fill(S::ZERO);
        let network_bar = NetworkCotangents {
            outputs: outputs_bar,
            next_memory: bar.next_memory,
            inputs: features_bar,
            memory: bar.memory,
            weights: Some(bar.weights),
        };
        self.network.vjp(weights, memory, network, network_scratch, network_bar);
        let mut at = 0;
        for (c, is_angle) in self.angles.iter().enumerate() {
            if *is_angle {
                let (sin, cos) = (features[at], features[at + 1]);
                let along = features_bar[at] * cos - features_bar[at + 1] * sin;
                now_bar.sample[c] += along;
                at += 2;
            } else {
                let scale = S::from_f64(1.0 / self.scales.samples[c].deviation);
                now_bar.sample[c] += features_bar[at] * scale;
                at += 1;
            }
        }
        for changes in now_bar.changes.chunks_exact_mut(n) {
            for (bar, scale) in changes.iter_mut().zip(&self.scales.changes) {
                *bar += features_bar[at] * S::from_f64(1.0 / scale.deviation);
                at += 1;
            }
        }
    }
}
