//! Fits the network to samples by Adam on small batches.

use std::ops::ControlFlow;
use std::sync::Mutex;

use gradbody::learn::optimise::{Adam, Decay, Limits, Method, Objective, Search};
use gradbody::math::random::Random;
use gradbody::neural::{Network, NetworkCotangents, NetworkScratch, NetworkTrace};
use rayon::prelude::*;

use super::samples::Sample;

/// Samples in a batch, and in the share of it that a thread takes.
const BATCH: usize = 64;
const SHARE: usize = 16;
/// Adam's first learning rate; it falls to zero along a cosine.
const LEARNING_RATE: f64 = 2e-3;

/// Half the mean squared error of the forces of feet on the ground, in the network's units.
struct Imitation<'a> {
    network: &'a Network,
    samples: &'a [Sample],
    /// A random order of the samples, so that a batch is a fair share of all.
    order: Vec<usize>,
    buffers: Mutex<Vec<Buffers>>,
}

struct Buffers {
    trace: NetworkTrace<f64>,
    scratch: NetworkScratch<f64>,
    outputs_bar: Vec<f64>,
    inputs_bar: Vec<f64>,
    weights_bar: Vec<f64>,
}

/// Trains from `weights`, by so many steps of Adam. Returns the weights and the root mean square of the errors
/// of the forces, in the network's units.
pub(super) fn train(
    network: &Network,
    samples: &[Sample],
    weights: Vec<f64>,
    steps: u64,
    seed: u64,
) -> anyhow::Result<(Vec<f64>, f64)> {
    let mut order: Vec<usize> = (0..samples.len()).collect();
    Random::new(seed).shuffle(&mut order);
    let objective = Imitation { network, samples, order, buffers: Mutex::new(Vec::new()) };
    let adam = Adam {
        learning_rate: LEARNING_RATE,
        decay: Decay::Cosine { steps },
        clip: 1.0,
        ..Adam::default()
    };
    let mut search = Search::begin(&Method::Adam(adam), &objective, weights, seed)?;
    search.run(&objective, &Limits::default(), &mut |_| ControlFlow::Continue(()));
    let weights = search.current().to_vec();
    let error = (2.0 * objective.cost(&weights)).sqrt();
    Ok((weights, error))
}

impl Imitation<'_> {
    /// Adds the gradient over some samples, if asked for, and returns the sum of their costs.
    fn add(&self, weights: &[f64], samples: &[usize], buffers: &mut Buffers, slope: bool) -> f64 {
        let mut sum = 0.0;
        for &index in samples {
            let Sample { inputs, outputs, stance } = &self.samples[index];
            self.network.forward(weights, inputs, &[], &mut buffers.trace);
            let numbers = 3.0 * stance.iter().filter(|on_ground| **on_ground).count() as f64;
            let all = buffers.outputs_bar.iter_mut().zip(buffers.trace.outputs()).zip(outputs);
            for (k, ((bar, output), sought)) in all.enumerate() {
                let error = if stance[k / 3] { output - sought } else { 0.0 };
                *bar = error / numbers.max(1.0);
                sum += 0.5 * error * *bar;
            }
            if slope {
                let bar = NetworkCotangents {
                    outputs: &buffers.outputs_bar,
                    next_memory: &[],
                    inputs: &mut buffers.inputs_bar,
                    memory: &mut [],
                    weights: Some(&mut buffers.weights_bar),
                };
                self.network.vjp(weights, &[], &buffers.trace, &mut buffers.scratch, bar);
            }
        }
        sum
    }

    fn with_buffers<T>(&self, work: impl FnOnce(&mut Buffers) -> T) -> T {
        let kept = self.buffers.lock().ok().and_then(|mut all| all.pop());
        let mut buffers = kept.unwrap_or_else(|| Buffers {
            trace: NetworkTrace::new(self.network),
            scratch: NetworkScratch::new(self.network),
            outputs_bar: vec![0.0; self.network.n_outputs()],
            inputs_bar: vec![0.0; self.network.n_inputs()],
            weights_bar: vec![0.0; self.network.n_weights()],
        });
        let result = work(&mut buffers);
        if let Ok(mut all) = self.buffers.lock() {
            all.push(buffers);
        }
        result
    }
}

impl Objective for Imitation<'_> {
    fn len(&self) -> usize {
        self.network.n_weights()
    }

    fn cost(&self, weights: &[f64]) -> f64 {
        let share = |samples: &[usize]| {
            self.with_buffers(|buffers| self.add(weights, samples, buffers, false))
        };
        // Summed in order, so that the result does not depend on the threads.
        let sums: Vec<f64> = self.order.par_chunks(BATCH).map(share).collect();
        sums.iter().sum::<f64>() / self.samples.len() as f64
    }

    fn gradient(&self, weights: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let parts = self.parts();
        let mut part_gradient = vec![0.0; gradient.len()];
        let mut cost = 0.0;
        for part in 0..parts {
            cost += self.part_gradient(part, weights, &mut part_gradient) / parts as f64;
            let sums = gradient.iter_mut().zip(&part_gradient);
            sums.for_each(|(to, from)| *to += from / parts as f64);
        }
        cost
    }

    fn parts(&self) -> usize {
        self.samples.len().div_ceil(BATCH)
    }

    fn part_gradient(&self, part: usize, weights: &[f64], gradient: &mut [f64]) -> f64 {
        let all = self.order.chunks(BATCH).nth(part).unwrap_or_default();
        let share = |samples: &[usize]| {
            self.with_buffers(|buffers| {
                buffers.weights_bar.fill(0.0);
                let sum = self.add(weights, samples, buffers, true);
                (sum, buffers.weights_bar.clone())
            })
        };
        let shares: Vec<(f64, Vec<f64>)> = all.par_chunks(SHARE).map(share).collect();
        gradient.fill(0.0);
        for (_, share) in &shares {
            gradient.iter_mut().zip(share).for_each(|(to, from)| *to += from / all.len() as f64);
        }
        shares.iter().map(|(sum, _)| sum).sum::<f64>() / all.len() as f64
    }
}
