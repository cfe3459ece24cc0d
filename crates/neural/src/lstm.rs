//! A long short-term memory unit, as PyTorch defines it, and its adjoint.

use gradbody_math::Scalar;

use crate::activation::sigmoid;
use crate::affine::{affine, affine_vjp};
use crate::gru::{RecurrentCotangents, in_place, take};

/// The intermediate results of one unit. Those of 4 hidden numbers have the gates i, f, g and o one after another.
#[derive(Clone, Debug)]
pub(crate) struct LstmTrace<S> {
    /// W_i x + b_i + W_h h + b_h and then the gates themselves, (4 hidden).
    gates: Vec<S>,
    /// W_h h + b_h, (4 hidden).
    by_memory: Vec<S>,
    /// tanh of the next cell, (hidden).
    cell_tanh: Vec<S>,
}

impl<S: Scalar> LstmTrace<S> {
    pub(crate) fn new(hidden: usize) -> Self {
        let gates = vec![S::ZERO; 4 * hidden];
        LstmTrace { gates: gates.clone(), by_memory: gates, cell_tanh: vec![S::ZERO; hidden] }
    }
}

/// The four parameters of a unit within the weights of its layer.
#[inline(always)]
fn split<S>(weights: &[S], n_inputs: usize, hidden: usize) -> [&[S]; 4] {
    let gates = 4 * hidden;
    let (on_input, rest) = weights.split_at(n_inputs * gates);
    let (on_memory, biases) = rest.split_at(hidden * gates);
    let (input_bias, memory_bias) = biases.split_at(gates);
    [on_input, on_memory, input_bias, memory_bias]
}

/// Four gates.
#[inline(always)]
fn quarters<S>(gates: &[S]) -> [&[S]; 4] {
    let hidden = gates.len() / 4;
    let (if_, go) = gates.split_at(2 * hidden);
    [&if_[..hidden], &if_[hidden..], &go[..hidden], &go[hidden..]]
}

/// Writes the next memory, h and then c, to `next`. Its h is also the output.
#[inline(always)]
pub(crate) fn lstm<S: Scalar>(
    weights: &[S],
    x: &[S],
    memory: &[S],
    trace: &mut LstmTrace<S>,
    next: &mut [S],
) {
    let hidden = memory.len() / 2;
    let (h, c) = memory.split_at(hidden);
    let [on_input, on_memory, input_bias, memory_bias] = split(weights, x.len(), hidden);
    affine(on_input, input_bias, x, &mut trace.gates);
    affine(on_memory, memory_bias, h, &mut trace.by_memory);
    for (gate, by_memory) in trace.gates.iter_mut().zip(&trace.by_memory) {
        *gate += *by_memory;
    }
    in_place(&mut trace.gates[..2 * hidden], sigmoid);
    in_place(&mut trace.gates[2 * hidden..3 * hidden], S::tanh);
    in_place(&mut trace.gates[3 * hidden..], sigmoid);
    let [i, f, g, o] = quarters(&trace.gates);
    let (next_h, next_c) = next.split_at_mut(hidden);
    for k in 0..hidden {
        next_c[k] = f[k].mul_add(c[k], i[k] * g[k]);
    }
    trace.cell_tanh.copy_from_slice(next_c);
    in_place(&mut trace.cell_tanh, S::tanh);
    for k in 0..hidden {
        next_h[k] = o[k] * trace.cell_tanh[k];
    }
}

/// The adjoint of [`lstm`]. Reads its arguments and results, and the cotangents of the output (including that of the
/// next memory's h) and of the next memory's c; writes those of the gates' arguments, (4 hidden); adds to `out`.
#[inline(always)]
pub(crate) fn lstm_vjp<S: Scalar>(
    weights: &[S],
    (x, memory, trace): (&[S], &[S], &LstmTrace<S>),
    (next_h_bar, next_c_bar): (&[S], &[S]),
    sums_bar: &mut [S],
    out: RecurrentCotangents<'_, S>,
) {
    let RecurrentCotangents { inputs: x_bar, memory: memory_bar, weights: weights_bar } = out;
    let hidden = memory.len() / 2;
    let (h, c) = memory.split_at(hidden);
    let (h_bar, c_bar) = memory_bar.split_at_mut(hidden);
    let [i, f, g, o] = quarters(&trace.gates);
    let sigmoid_slope = |y: S| y * (S::ONE - y);
    let tanh_slope = |y: S| y.neg_mul_add(y, S::ONE);
    for k in 0..hidden {
        // h' = o tanh c',  c' = f c + i g
        let tanh = trace.cell_tanh[k];
        let cell_bar = (next_h_bar[k] * o[k]).mul_add(tanh_slope(tanh), next_c_bar[k]);
        c_bar[k] = cell_bar.mul_add(f[k], c_bar[k]);
        sums_bar[k] = cell_bar * g[k] * sigmoid_slope(i[k]);
        sums_bar[hidden + k] = cell_bar * c[k] * sigmoid_slope(f[k]);
        sums_bar[2 * hidden + k] = cell_bar * i[k] * tanh_slope(g[k]);
        sums_bar[3 * hidden + k] = next_h_bar[k] * tanh * sigmoid_slope(o[k]);
    }
    let [on_input, on_memory, ..] = split(weights, x.len(), hidden);
    let (on_input_bar, rest) = take(weights_bar, on_input.len());
    let (on_memory_bar, biases_bar) = take(rest, on_memory.len());
    let (input_bias_bar, memory_bias_bar) = take(biases_bar, 4 * hidden);
    affine_vjp(on_input, x, sums_bar, x_bar, on_input_bar, input_bias_bar);
    affine_vjp(on_memory, h, sums_bar, h_bar, on_memory_bar, memory_bias_bar);
}
