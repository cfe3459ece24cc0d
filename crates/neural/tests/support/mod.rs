//! Random numbers, networks of every kind, and the comparisons the tests share.
#![allow(dead_code, reason = "each test uses a part")]

use gradbody_math::{Scalar, random};
use gradbody_neural::{
    Activation, Layer, Network, NetworkCotangents, NetworkScratch, NetworkTrace,
};

/// Random numbers of a given size.
pub(crate) struct Random(random::Random);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(random::Random::new(seed))
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// Uniform in ±size.
    pub(crate) fn number(&mut self, size: f64) -> f64 {
        size * self.0.signed()
    }

    pub(crate) fn numbers(&mut self, n: usize, size: f64) -> Vec<f64> {
        (0..n).map(|_| self.number(size)).collect()
    }
}

pub(crate) fn constants<S: Scalar>(numbers: &[f64]) -> Vec<S> {
    numbers.iter().map(|x| S::from_f64(*x)).collect()
}

/// A network for every activation (of hidden and last layers), every kind of layer, and the sizes
/// at which the inner loops change.
pub(crate) fn every_network() -> Vec<(String, Network)> {
    let mut all = Vec::new();
    let mut add = |name: String, n_inputs, input_bias, layers| {
        all.push((name, Network::new(n_inputs, input_bias, layers).unwrap()));
    };
    for activation in Activation::ALL {
        let hidden = Layer::dense(7, activation);
        let last = Layer::dense(2, activation);
        add(format!("{activation:?}"), 3, false, vec![hidden, hidden, last]);
        let residual = Layer::Dense { outputs: 3, activation, bias: false, residual: true };
        add(format!("residual {activation:?}"), 3, true, vec![residual, residual, last]);
    }
    for n in [1, 2, 5, 8, 10, 17, 33, 47] {
        let layers = vec![Layer::dense(n, Activation::Tanh), Layer::dense(n, Activation::Elu)];
        add(format!("width {n}"), n, true, layers);
    }
    let gru = Layer::Gru { hidden: 5 };
    let dense = Layer::dense(4, Activation::Silu);
    add("recurrent".to_string(), 3, false, vec![gru]);
    let lstm = Layer::Lstm { hidden: 5 };
    add("long short-term".to_string(), 3, false, vec![lstm]);
    let lstms = vec![dense, lstm, gru, Layer::Lstm { hidden: 9 }, dense];
    add("long short-term within".to_string(), 3, true, lstms);
    add("recurrent within".to_string(), 3, true, vec![dense, gru, Layer::Gru { hidden: 9 }, dense]);
    all
}

/// Everything a network's call takes.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) weights: Vec<f64>,
    pub(crate) inputs: Vec<f64>,
    pub(crate) memory: Vec<f64>,
    pub(crate) outputs_bar: Vec<f64>,
    pub(crate) next_memory_bar: Vec<f64>,
}

impl Case {
    pub(crate) fn random(network: &Network, seed: u64) -> Case {
        let mut random = Random::new(seed);
        Case {
            weights: random.numbers(network.n_weights(), 0.7),
            inputs: random.numbers(network.n_inputs(), 1.5),
            memory: random.numbers(network.n_memory(), 1.0),
            outputs_bar: random.numbers(network.n_outputs(), 1.0),
            next_memory_bar: random.numbers(network.n_memory(), 1.0),
        }
    }

    /// The three arguments one after the other.
    pub(crate) fn arguments(&self) -> Vec<f64> {
        [&self.weights[..], &self.inputs, &self.memory].concat()
    }
}

/// outputs_bar · outputs + next_memory_bar · next memory, at arguments in the order of
/// [`Case::arguments`].
pub(crate) fn weighed<S: Scalar>(network: &Network, case: &Case, arguments: &[S]) -> S {
    let (weights, rest) = arguments.split_at(network.n_weights());
    let (inputs, memory) = rest.split_at(network.n_inputs());
    let mut trace = NetworkTrace::new(network);
    network.forward(weights, inputs, memory, &mut trace);
    let results = trace.outputs().iter().chain(trace.memory());
    let weights = case.outputs_bar.iter().chain(&case.next_memory_bar);
    results.zip(weights).map(|(y, w)| *y * S::from_f64(*w)).sum()
}

/// Results and cotangents, in the order of [`Case::arguments`].
pub(crate) fn gradient<S: Scalar>(
    network: &Network,
    case: &Case,
    arguments: &[S],
) -> (Vec<S>, Vec<S>) {
    let (weights, rest) = arguments.split_at(network.n_weights());
    let (inputs, memory) = rest.split_at(network.n_inputs());
    let mut trace = NetworkTrace::new(network);
    network.forward(weights, inputs, memory, &mut trace);
    let results = [trace.outputs(), trace.memory()].concat();
    let mut weights_bar = vec![S::ZERO; weights.len()];
    let mut inputs_bar = vec![S::ZERO; inputs.len()];
    let mut memory_bar = vec![S::ZERO; memory.len()];
    let bar = NetworkCotangents {
        outputs: &constants(&case.outputs_bar),
        next_memory: &constants(&case.next_memory_bar),
        inputs: &mut inputs_bar,
        memory: &mut memory_bar,
        weights: Some(&mut weights_bar),
    };
    network.vjp(weights, memory, &trace, &mut NetworkScratch::new(network), bar);
    (results, [weights_bar, inputs_bar, memory_bar].concat())
}

pub(crate) fn size(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |most, x| most.max(x.abs()))
}
