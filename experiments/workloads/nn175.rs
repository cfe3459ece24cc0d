//! A network of 175 weights, without a simulation.

use std::hint::black_box;

use gradbody::neural::{
    Activation, Layer, Network, NetworkCotangents, NetworkScratch, NetworkTrace,
};
use gradbody::sim::Simulated;

use super::Workload;

/// The network 4-10-10-1, with a bias on its inputs too; its cost depends on the weights.
pub(crate) struct Nn175 {
    pub(crate) network: Network,
    pub(crate) weights: Vec<f64>,
    pub(crate) inputs: Vec<f64>,
}

impl Nn175 {
    /// Weights 0.5 sin(1 + 0.7 i), inputs 0.3 i − 0.4. The reference numbers all matrices first, row by row, then all
    /// biases, starting with that of the inputs.
    pub(crate) fn new() -> anyhow::Result<Self> {
        let elu = |n| Layer::dense(n, Activation::Elu);
        let layers = vec![elu(10), elu(10), Layer::dense(1, Activation::Identity)];
        let network = Network::new(4, true, layers)?;
        let mut weights = vec![0.0; network.n_weights()];
        let parameters = network.parameters();
        let (biases, matrices): (Vec<_>, Vec<_>) = parameters.iter().partition(|p| p.is_bias());
        let places = matrices.into_iter().chain(biases);
        let places = places.flat_map(|p| (0..p.range.len()).map(|i| p.index(i)));
        for (i, place) in places.enumerate() {
            weights[place] = 0.5 * (1.0 + 0.7 * i as f64).sin();
        }
        let inputs = (0..4).map(|i| 0.3 * f64::from(i) - 0.4).collect();
        Ok(Nn175 { network, weights, inputs })
    }
}

impl Workload for Nn175 {
    fn numbers(&self) -> Vec<f64> {
        self.weights.clone()
    }

    #[inline(always)]
    fn cost<S: Simulated>(&self) -> impl FnMut(&[S]) -> S {
        let network = &self.network;
        let inputs: Vec<S> = self.inputs.iter().map(|x| S::from_f64(*x)).collect();
        let mut work = NetworkTrace::new(network);
        move |weights| {
            network.forward(weights, black_box(&inputs), &[], &mut work);
            work.outputs()[0]
        }
    }

    #[inline(always)]
    fn gradient<S: Simulated>(&self) -> impl FnMut(&[S], &mut [S]) -> S {
        let network = &self.network;
        let inputs: Vec<S> = self.inputs.iter().map(|x| S::from_f64(*x)).collect();
        let mut inputs_bar = vec![S::ZERO; inputs.len()];
        let (mut work, mut scratch) = (NetworkTrace::new(network), NetworkScratch::new(network));
        move |weights, weights_bar| {
            network.forward(weights, black_box(&inputs), &[], &mut work);
            let value = work.outputs()[0];
            weights_bar.fill(S::ZERO);
            let bar = NetworkCotangents {
                outputs: &[S::ONE],
                next_memory: &[],
                inputs: &mut inputs_bar,
                memory: &mut [],
                weights: Some(weights_bar),
            };
            network.vjp(weights, &[], &work, &mut scratch, bar);
            value
        }
    }
}
