//! A network of dense layers on many rows at once.
//!
//! Learning runs a network on thousands of observations at a time. Then each layer is one product of matrices, which
//! `matrixmultiply` does. Rows are worked on in blocks of a fixed size, on all threads; the gradient with respect to the
//! weights is summed over the blocks in their order, so that its bits do not depend on the number of threads.

use core::ops::Range;

use gradbody_neural::{Activation, Layer, Network};
use rayon::prelude::*;

use crate::TrainError;
use crate::matrix::{Matrix, add_product};

/// Rows in a block.
const BLOCK: usize = 256;

/// A network of dense layers that runs on many rows, with the buffers for its adjoint.
#[derive(Clone, Debug)]
pub struct DenseRows {
    layers: Vec<Dense>,
    n_weights: usize,
    n_inputs: usize,
    n_outputs: usize,
    /// Number of rows of the last forward pass.
    rows: usize,
    blocks: Vec<Block>,
}

/// A dense layer: y = activation(x W + b).
#[derive(Clone, Debug)]
struct Dense {
    inputs: usize,
    outputs: usize,
    activation: Activation,
    /// Position of W, (inputs, outputs), among the weights.
    matrix: Range<usize>,
    /// Position of b, (outputs).
    bias: Option<Range<usize>>,
}

/// A block of rows.
#[derive(Clone, Debug, Default)]
struct Block {
    /// Inputs of the network, (rows, n_inputs).
    inputs: Vec<f32>,
    /// x W + b of each layer, (rows, outputs).
    sums: Vec<Vec<f32>>,
    /// Output of each layer, (rows, outputs).
    outputs: Vec<Vec<f32>>,
    /// Cotangents of a layer's output and of its input.
    bars: [Vec<f32>; 2],
    /// Gradient with respect to the weights, (n_weights).
    weights_bar: Vec<f32>,
}

impl DenseRows {
    /// Prepares a network; `what` names it in errors. Fails if a layer is not dense, or residual.
    pub fn new(network: &Network, what: &'static str) -> Result<Self, TrainError> {
        let mut layers = Vec::with_capacity(network.layers().len());
        let parameters = network.parameters();
        let mut inputs = network.n_inputs();
        for (index, layer) in network.layers().iter().enumerate() {
            let Layer::Dense { outputs, activation, residual: false, .. } = *layer else {
                return Err(TrainError::NotDense { what });
            };
            let find = |is_bias: bool| {
                let of = |p: &&gradbody_neural::Parameter| {
                    p.layer == Some(index) && p.is_bias() == is_bias
                };
                parameters.iter().find(of).map(|p| p.range.clone())
            };
            let matrix = find(false).ok_or(TrainError::NotDense { what })?;
            layers.push(Dense { inputs, outputs, activation, matrix, bias: find(true) });
            inputs = outputs;
        }
        if network.input_bias() {
            return Err(TrainError::NotDense { what });
        }
        Ok(DenseRows {
            layers,
            n_weights: network.n_weights(),
            n_inputs: network.n_inputs(),
            n_outputs: network.n_outputs(),
            rows: 0,
            blocks: Vec::new(),
        })
    }

    /// Number of outputs of a row.
    pub fn n_outputs(&self) -> usize {
        self.n_outputs
    }

    /// Runs the network on `inputs`, (rows, n_inputs), and writes `outputs`, (rows, n_outputs).
    pub fn forward(&mut self, weights: &[f32], inputs: &[f32], outputs: &mut [f32]) {
        self.rows = inputs.len() / self.n_inputs;
        debug_assert_eq!(inputs.len(), self.rows * self.n_inputs);
        debug_assert_eq!(outputs.len(), self.rows * self.n_outputs);
        debug_assert_eq!(weights.len(), self.n_weights);
        let count = self.rows.div_ceil(BLOCK);
        if self.blocks.len() < count {
            self.blocks.resize_with(count, Block::default);
        }
        let DenseRows { layers, blocks, n_inputs, n_outputs, .. } = self;
        let jobs = blocks
            .iter_mut()
            .zip(inputs.chunks(BLOCK * *n_inputs))
            .zip(outputs.chunks_mut(BLOCK * *n_outputs));
        side_by_side(count, jobs, |((block, inputs), outputs)| {
            block.forward(layers, weights, inputs);
            if let Some(last) = block.outputs.last() {
                outputs.copy_from_slice(&last[..outputs.len()]);
            }
        });
    }

    /// The adjoint of the last [`forward`](DenseRows::forward), with the same weights: from the cotangents of the
    /// outputs, (rows, n_outputs), adds to those of the weights and writes those of the inputs, (rows, n_inputs).
    pub fn backward(
        &mut self,
        weights: &[f32],
        outputs_bar: &[f32],
        weights_bar: Option<&mut [f32]>,
        inputs_bar: Option<&mut [f32]>,
    ) {
        debug_assert_eq!(outputs_bar.len(), self.rows * self.n_outputs);
        let count = self.rows.div_ceil(BLOCK);
        let DenseRows { layers, blocks, n_inputs, n_outputs, n_weights, .. } = self;
        let learns = weights_bar.is_some();
        let wants_inputs = inputs_bar.is_some();
        let mut nothing = Vec::new();
        let inputs_bar = inputs_bar.unwrap_or(&mut nothing);
        let mut rest = inputs_bar.chunks_mut(BLOCK * *n_inputs);
        let jobs = blocks
            .iter_mut()
            .zip(outputs_bar.chunks(BLOCK * *n_outputs))
            .map(|job| (job, rest.next()));
        side_by_side(count, jobs, |((block, outputs_bar), inputs_bar)| {
            if learns {
                block.weights_bar.clear();
                block.weights_bar.resize(*n_weights, 0.0);
            }
            block.backward(layers, weights, outputs_bar, learns, wants_inputs);
            if let Some(to) = inputs_bar {
                to.copy_from_slice(&block.bars[0][..to.len()]);
            }
        });
        if let Some(sum) = weights_bar {
            for block in &blocks[..count] {
                sum.iter_mut().zip(&block.weights_bar).for_each(|(sum, bar)| *sum += bar);
            }
        }
    }
}

/// Runs a job for each block, on all threads if there are several.
fn side_by_side<J: Send>(
    count: usize,
    jobs: impl Iterator<Item = J>,
    run: impl Fn(J) + Sync + Send,
) {
    let jobs: Vec<J> = jobs.take(count).collect();
    match jobs.len() {
        1 => jobs.into_iter().for_each(run),
        _ => jobs.into_par_iter().for_each(run),
    }
}

impl Block {
    fn forward(&mut self, layers: &[Dense], weights: &[f32], inputs: &[f32]) {
        let Some(first) = layers.first() else { return };
        let rows = inputs.len() / first.inputs;
        self.inputs.clear();
        self.inputs.extend_from_slice(inputs);
        self.sums.resize_with(layers.len(), Vec::new);
        self.outputs.resize_with(layers.len(), Vec::new);
        for (l, layer) in layers.iter().enumerate() {
            let (before, now) = self.outputs.split_at_mut(l);
            let x = before.last().unwrap_or(&self.inputs);
            let sums = &mut self.sums[l];
            sums.resize(rows * layer.outputs, 0.0);
            match &layer.bias {
                Some(bias) => {
                    let bias = &weights[bias.clone()];
                    sums.chunks_exact_mut(layer.outputs).for_each(|row| row.copy_from_slice(bias));
                }
                None => sums.fill(0.0),
            }
            let w = Matrix::new(&weights[layer.matrix.clone()], layer.inputs, layer.outputs);
            add_product(Matrix::new(x, rows, layer.inputs), w, sums);
            now[0].clear();
            now[0].extend_from_slice(sums);
            layer.activation.apply(&mut now[0]);
        }
    }

    /// Leaves the cotangents of the inputs in `bars[0]` if they are wanted.
    fn backward(
        &mut self,
        layers: &[Dense],
        weights: &[f32],
        outputs_bar: &[f32],
        learns: bool,
        wants_inputs: bool,
    ) {
        let Block { inputs, sums, outputs, bars: [bar, next], weights_bar } = self;
        bar.clear();
        bar.extend_from_slice(outputs_bar);
        for (l, layer) in layers.iter().enumerate().rev() {
            let Dense { inputs: n_in, outputs: n_out, .. } = *layer;
            let rows = bar.len() / n_out;
            layer.activation.apply_vjp(&sums[l], &outputs[l], bar);
            let x = if l == 0 { &*inputs } else { &outputs[l - 1] };
            if learns {
                let w_bar = &mut weights_bar[layer.matrix.clone()];
                let x = Matrix::new(x, rows, n_in);
                add_product(x.transposed(), Matrix::new(bar, rows, n_out), w_bar);
                if let Some(bias) = &layer.bias {
                    let sum = &mut weights_bar[bias.clone()];
                    for row in bar.chunks_exact(n_out) {
                        sum.iter_mut().zip(row).for_each(|(sum, bar)| *sum += bar);
                    }
                }
            }
            if l > 0 || wants_inputs {
                next.clear();
                next.resize(rows * n_in, 0.0);
                let w = Matrix::new(&weights[layer.matrix.clone()], n_in, n_out);
                add_product(Matrix::new(bar, rows, n_out), w.transposed(), next);
                core::mem::swap(bar, next);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gradbody_math::random::Random;
    use gradbody_neural::{Initial, NetworkCotangents, NetworkScratch, NetworkTrace};

    use super::*;

    /// Rows together give what each gives alone, forwards and backwards.
    #[test]
    fn rows_agree_with_single_evaluations() {
        let rows = BLOCK + 7;
        let network = Network::perceptron(&[5, 9, 8, 3], Activation::Elu).unwrap();
        let weights = network.initial_weights(&Initial::default());
        let single: Vec<f32> = weights.iter().map(|x| *x as f32).collect();
        let mut random = Random::new(3);
        let x: Vec<f32> = random.numbers(rows * 5).into_iter().map(|x| x as f32).collect();
        let y_bar: Vec<f32> = random.numbers(rows * 3).into_iter().map(|x| x as f32).collect();
        let mut dense = DenseRows::new(&network, "test").unwrap();
        let mut y = vec![0.0; rows * 3];
        dense.forward(&single, &x, &mut y);
        let (mut w_bar, mut x_bar) = (vec![0.0; weights.len()], vec![0.0; rows * 5]);
        dense.backward(&single, &y_bar, Some(&mut w_bar), Some(&mut x_bar));

        let (mut trace, mut scratch) = (NetworkTrace::new(&network), NetworkScratch::new(&network));
        let mut expected_w = vec![0.0; weights.len()];
        let double = |numbers: &[f32]| numbers.iter().map(|x| f64::from(*x)).collect::<Vec<_>>();
        for row in 0..rows {
            let at = double(&x[row * 5..(row + 1) * 5]);
            network.forward(&weights, &at, &[], &mut trace);
            for (one, all) in trace.outputs().iter().zip(&y[row * 3..]) {
                assert!((one - f64::from(*all)).abs() < 1e-5, "row {row}: {one} {all}");
            }
            let mut expected_x = [0.0; 5];
            let bars = NetworkCotangents {
                outputs: &double(&y_bar[row * 3..(row + 1) * 3]),
                next_memory: &[],
                inputs: &mut expected_x,
                memory: &mut [],
                weights: Some(&mut expected_w),
            };
            network.vjp(&weights, &[], &trace, &mut scratch, bars);
            for (one, all) in expected_x.iter().zip(&x_bar[row * 5..]) {
                assert!((one - f64::from(*all)).abs() < 1e-5, "row {row}: {one} {all}");
            }
        }
        for (one, all) in expected_w.iter().zip(&w_bar) {
            assert!((one - f64::from(*all)).abs() < 1e-4, "{one} {all}");
        }
    }

    /// One thread and several give the same bits.
    #[test]
    fn threads_change_no_bit() {
        let network = Network::perceptron(&[4, 32, 2], Activation::Tanh).unwrap();
        let weights: Vec<f32> =
            network.initial_weights(&Initial::default()).iter().map(|x| *x as f32).collect();
        let rows = 5 * BLOCK + 3;
        let x: Vec<f32> = Random::new(1).numbers(rows * 4).into_iter().map(|x| x as f32).collect();
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut dense = DenseRows::new(&network, "test").unwrap();
                let mut y = vec![0.0; rows * 2];
                dense.forward(&weights, &x, &mut y);
                let mut bar = vec![0.0; weights.len()];
                dense.backward(&weights, &y, Some(&mut bar), None);
                (y, bar)
            })
        };
        assert_eq!(run(1), run(3));
    }
}
