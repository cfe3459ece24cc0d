//! A gated recurrent unit, as PyTorch defines it, and its adjoint.

use gradbody_math::Scalar;

use crate::activation::sigmoid;
use crate::affine::{affine, affine_vjp};

/// The intermediate results of one unit. Each has the three gates r, z and n one after another.
#[derive(Clone, Debug)]
pub(crate) struct GruTrace<S> {
    /// W_h h + b_h, (3 hidden).
    by_memory: Vec<S>,
    /// W_i x + b_i and then the gates themselves, (3 hidden).
    gates: Vec<S>,
}

impl<S: Scalar> GruTrace<S> {
    pub(crate) fn new(hidden: usize) -> Self {
        let gates = vec![S::ZERO; 3 * hidden];
        GruTrace { by_memory: gates.clone(), gates }
    }
}

/// The four parameters of a unit within the weights of its layer.
#[inline(always)]
fn split<S>(weights: &[S], n_inputs: usize, hidden: usize) -> [&[S]; 4] {
    let gates = 3 * hidden;
    let (on_input, rest) = weights.split_at(n_inputs * gates);
    let (on_memory, biases) = rest.split_at(hidden * gates);
    let (input_bias, memory_bias) = biases.split_at(gates);
    [on_input, on_memory, input_bias, memory_bias]
}

/// Three gates.
#[inline(always)]
fn thirds<S>(gates: &[S]) -> [&[S]; 3] {
    let hidden = gates.len() / 3;
    [&gates[..hidden], &gates[hidden..2 * hidden], &gates[2 * hidden..]]
}

/// Writes the next memory, which is also the output, to `next`.
#[inline(always)]
pub(crate) fn gru<S: Scalar>(
    weights: &[S],
    x: &[S],
    memory: &[S],
    trace: &mut GruTrace<S>,
    next: &mut [S],
) {
    let hidden = memory.len();
    let [on_input, on_memory, input_bias, memory_bias] = split(weights, x.len(), hidden);
    affine(on_input, input_bias, x, &mut trace.gates);
    affine(on_memory, memory_bias, memory, &mut trace.by_memory);
    let (rz, n) = trace.gates.split_at_mut(2 * hidden);
    let (by_memory_rz, by_memory_n) = trace.by_memory.split_at(2 * hidden);
    for (gate, by_memory) in rz.iter_mut().zip(by_memory_rz) {
        *gate += *by_memory;
    }
    in_place(rz, sigmoid);
    let (r, z) = rz.split_at(hidden);
    for i in 0..hidden {
        n[i] = r[i].mul_add(by_memory_n[i], n[i]);
    }
    in_place(n, S::tanh);
    for i in 0..hidden {
        next[i] = z[i].mul_add(memory[i] - n[i], n[i]);
    }
}

/// Applies a function to each number, in blocks that compile to vector instructions.
#[inline(always)]
pub(crate) fn in_place<S: Scalar>(numbers: &mut [S], function: impl Fn(S) -> S) {
    let (blocks, rest) = numbers.as_chunks_mut::<8>();
    for block in blocks {
        let x = *block;
        for k in 0..8 {
            block[k] = function(x[k]);
        }
    }
    for x in rest {
        *x = function(*x);
    }
}

/// Cotangents of a recurrent layer's arguments. All are added to.
pub(crate) struct RecurrentCotangents<'a, S> {
    /// Of its input, (n_inputs).
    pub(crate) inputs: &'a mut [S],
    /// Of its memory before the call.
    pub(crate) memory: &'a mut [S],
    /// Of its weights; empty if they are left out.
    pub(crate) weights: &'a mut [S],
}

/// The adjoint of [`gru`]. Reads its arguments, its results and the cotangent `next_bar` of the next memory; writes the
/// cotangents of W_i x + b_i and of W_h h + b_h, (3 hidden) each; adds to `out`.
#[inline(always)]
pub(crate) fn gru_vjp<S: Scalar>(
    weights: &[S],
    (x, memory, trace): (&[S], &[S], &GruTrace<S>),
    next_bar: &[S],
    (by_input_bar, by_memory_bar): (&mut [S], &mut [S]),
    out: RecurrentCotangents<'_, S>,
) {
    let RecurrentCotangents { inputs: x_bar, memory: memory_bar, weights: weights_bar } = out;
    let hidden = memory.len();
    let [r, z, n] = thirds(&trace.gates);
    let [_, _, by_memory_n] = thirds(&trace.by_memory);
    for i in 0..hidden {
        // y = n + z (h − n),  n = tanh(a + r b),  r and z sigmoids
        let n_bar = next_bar[i] * (S::ONE - z[i]);
        let z_bar = next_bar[i] * (memory[i] - n[i]);
        memory_bar[i] = next_bar[i].mul_add(z[i], memory_bar[i]);
        let n_sum_bar = n_bar * n[i].neg_mul_add(n[i], S::ONE);
        let r_sum_bar = n_sum_bar * by_memory_n[i] * (r[i] * (S::ONE - r[i]));
        let z_sum_bar = z_bar * (z[i] * (S::ONE - z[i]));
        by_input_bar[i] = r_sum_bar;
        by_input_bar[hidden + i] = z_sum_bar;
        by_input_bar[2 * hidden + i] = n_sum_bar;
        by_memory_bar[i] = r_sum_bar;
        by_memory_bar[hidden + i] = z_sum_bar;
        by_memory_bar[2 * hidden + i] = n_sum_bar * r[i];
    }
    let [on_input, on_memory, ..] = split(weights, x.len(), hidden);
    let (on_input_bar, rest) = take(weights_bar, on_input.len());
    let (on_memory_bar, biases_bar) = take(rest, on_memory.len());
    let (input_bias_bar, memory_bias_bar) = take(biases_bar, 3 * hidden);
    affine_vjp(on_input, x, by_input_bar, x_bar, on_input_bar, input_bias_bar);
    affine_vjp(on_memory, memory, by_memory_bar, memory_bar, on_memory_bar, memory_bias_bar);
}

/// The first `n` and the rest; both empty if `all` is.
#[inline(always)]
pub(crate) fn take<S>(all: &mut [S], n: usize) -> (&mut [S], &mut [S]) {
    let n = n.min(all.len());
    all.split_at_mut(n)
}
