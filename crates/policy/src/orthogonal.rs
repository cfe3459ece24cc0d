//! Weights to begin with whose matrices keep lengths: orthogonal ones [Saxe, McClelland and Ganguli 2014].
//!
//! PPO is sensitive to its first policy; these weights are those of its usual implementations.

use gradbody_math::random::Random;
use gradbody_neural::Network;

/// Weights whose matrices have orthogonal rows or columns, those of hidden layers of length `hidden`, those of the last
/// layer of length `last`. Biases are zero. One seed gives the same weights everywhere.
pub(crate) fn orthogonal_weights(network: &Network, seed: u64, hidden: f64, last: f64) -> Vec<f32> {
    let mut random = Random::new(seed);
    let mut weights = vec![0.0_f32; network.n_weights()];
    let last_layer = network.layers().len().checked_sub(1);
    for parameter in network.parameters() {
        let [outputs, inputs] = parameter.shape[..] else { continue };
        let gain = if parameter.layer == last_layer { last } else { hidden };
        let vectors = orthonormal(outputs.min(inputs), outputs.max(inputs), &mut random);
        // They are stored as (inputs, outputs).
        for (k, weight) in weights[parameter.range].iter_mut().enumerate() {
            let (input, output) = (k / outputs, k % outputs);
            let (vector, entry) = if outputs < inputs { (output, input) } else { (input, output) };
            *weight = (gain * vectors[vector][entry]) as f32;
        }
    }
    weights
}

/// So many orthonormal vectors, at most as many as their length, by Gram and Schmidt, twice.
fn orthonormal(count: usize, length: usize, random: &mut Random) -> Vec<Vec<f64>> {
    let mut found: Vec<Vec<f64>> = Vec::with_capacity(count);
    while found.len() < count {
        let mut vector: Vec<f64> = (0..length).map(|_| random.normal()).collect();
        for _ in 0..2 {
            for earlier in &found {
                let along = dot(&vector, earlier);
                vector.iter_mut().zip(earlier).for_each(|(x, e)| *x -= along * e);
            }
        }
        let norm = dot(&vector, &vector).sqrt();
        // Otherwise it was all but a combination of the others: draw again.
        if norm > 1e-6 {
            vector.iter_mut().for_each(|x| *x /= norm);
            found.push(vector);
        }
    }
    found
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use gradbody_neural::Activation;

    use super::*;

    /// A matrix of orthonormal rows keeps the length of a vector in their span: x W Wᵀ = x.
    #[test]
    fn matrices_keep_lengths() {
        let network = Network::perceptron(&[6, 6], Activation::Identity).unwrap();
        let weights = orthogonal_weights(&network, 1, 1.0, 1.0);
        let matrix = &weights[network.parameters()[0].range.clone()];
        let x = [0.3_f32, -1.0, 2.0, 0.1, 0.0, 0.7];
        let y: Vec<f32> = (0..6).map(|j| (0..6).map(|i| x[i] * matrix[i * 6 + j]).sum()).collect();
        let length = |x: &[f32]| x.iter().map(|x| x * x).sum::<f32>();
        assert!((length(&x) - length(&y)).abs() < 1e-4, "{x:?} {y:?}");
    }
}
