//! Times the network of 175 weights of NeuralSim's figure 5: its value, and its gradient in all
//! weights.
//!
//! `cargo run --release -p gradbody-neural --example nn175`

use std::hint::black_box;
use std::time::Instant;

use gradbody_math::{Lanes, Scalar};
use gradbody_neural::{
    Activation, Layer, Network, NetworkCotangents, NetworkError, NetworkScratch, NetworkTrace,
};

fn main() -> Result<(), NetworkError> {
    let elu = |n| Layer::dense(n, Activation::Elu);
    let layers = vec![elu(10), elu(10), Layer::dense(1, Activation::Identity)];
    let nn175 = Network::new(4, true, layers)?;
    time::<f64>("nn175, f64", &nn175);
    time::<f32>("nn175, f32", &nn175);
    time::<Lanes<f64, 8>>("nn175, 8 lanes of f64", &nn175);
    let wide = Network::perceptron(&[16, 64, 64, 12], Activation::Elu)?;
    time::<f64>("16-64-64-12, f64", &wide);
    time::<f32>("16-64-64-12, f32", &wide);
    time::<Lanes<f32, 16>>("16-64-64-12, 16 lanes of f32", &wide);
    let policy = Network::perceptron(&[41, 192, 192, 12], Activation::Elu)?;
    time::<f64>("41-192-192-12, f64", &policy);
    for activation in Activation::ALL {
        let network = Network::perceptron(&[4, 10, 10, 1], activation)?;
        time::<f64>(&format!("4-10-10-1 {activation:?}, f64"), &network);
    }
    let recurrent = Network::new(4, false, vec![Layer::Gru { hidden: 8 }])?;
    time::<f64>("recurrent unit, 4 to 8, f64", &recurrent);
    Ok(())
}

/// Prints the least time of a value and of a value with its gradient, a world [µs].
fn time<S: Scalar>(name: &str, network: &Network) {
    let number = |i: usize| S::from_f64(0.5 * (1.0 + 0.7 * i as f64).sin());
    let weights: Vec<S> = (0..network.n_weights()).map(number).collect();
    let inputs: Vec<S> = (0..network.n_inputs()).map(|i| number(i + 7)).collect();
    let memory = vec![S::ZERO; network.n_memory()];
    let (mut trace, mut scratch) = (NetworkTrace::new(network), NetworkScratch::new(network));
    let value = least(|| {
        network.forward(black_box(&weights), black_box(&inputs), &memory, &mut trace);
        black_box(trace.outputs());
    });

    let outputs_bar = vec![S::ONE; network.n_outputs()];
    let mut inputs_bar = vec![S::ZERO; network.n_inputs()];
    let mut memory_bar = memory.clone();
    let mut weights_bar = vec![S::ZERO; network.n_weights()];
    let gradient = least(|| {
        network.forward(black_box(&weights), black_box(&inputs), &memory, &mut trace);
        weights_bar.fill(S::ZERO);
        let bar = NetworkCotangents {
            outputs: &outputs_bar,
            next_memory: &memory,
            inputs: &mut inputs_bar,
            memory: &mut memory_bar,
            weights: Some(&mut weights_bar),
        };
        network.vjp(black_box(&weights), &memory, &trace, &mut scratch, bar);
        black_box(&weights_bar);
    });
    let worlds = S::LANES as f64;
    println!("{name}: value {:.3} µs, gradient {:.3} µs", value / worlds, gradient / worlds);
}

/// The least of many timings of a call [µs].
fn least(mut call: impl FnMut()) -> f64 {
    const CALLS: u32 = 2000;
    let mut run = || {
        let start = Instant::now();
        for _ in 0..CALLS {
            call();
        }
        start.elapsed().as_secs_f64() * 1e6 / f64::from(CALLS)
    };
    (0..40).map(|_| run()).fold(f64::INFINITY, f64::min)
}
