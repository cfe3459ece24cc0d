//! Running a network, and its adjoint.
//!
//! [`Network::forward`] leaves the intermediate results of each layer in a [`NetworkTrace`], and [`Network::vjp`] reads
//! it layer by layer in reverse. After the buffers are made, nothing allocates.

use gradbody_math::Scalar;

use crate::activation::padded;
use crate::affine::{affine, affine_vjp};
use crate::gru::{GruTrace, RecurrentCotangents, gru, gru_vjp, take};
use crate::lstm::{LstmTrace, lstm, lstm_vjp};
use crate::{Layer, Network};

/// Cotangents of a network's results and of its arguments.
#[derive(Debug)]
pub struct NetworkCotangents<'a, S> {
    /// Of the outputs, (n_outputs). Read.
    pub outputs: &'a [S],
    /// Of the memory after the call, (n_memory). Read.
    pub next_memory: &'a [S],
    /// Of the inputs, (n_inputs). Added to.
    pub inputs: &'a mut [S],
    /// Of the memory before the call, (n_memory). Added to.
    pub memory: &'a mut [S],
    /// Of the weights, (n_weights). Added to; `None` leaves them out, for about half the cost.
    pub weights: Option<&'a mut [S]>,
}

/// The intermediate results of a network. Written by [`Network::forward`], read by [`Network::vjp`].
#[derive(Clone, Debug)]
pub struct NetworkTrace<S> {
    /// The input of the first layer: the inputs plus their bias, (n_inputs).
    inputs: Vec<S>,
    layers: Vec<LayerTrace<S>>,
    /// Memory after the call, (n_memory).
    memory: Vec<S>,
}

#[derive(Clone, Debug)]
struct LayerTrace<S> {
    n_outputs: usize,
    /// Output, (n_outputs and padding).
    outputs: Vec<S>,
    inside: Inside<S>,
}

#[derive(Clone, Debug)]
enum Inside<S> {
    Dense {
        /// W x + b, (n_outputs and padding).
        sums: Vec<S>,
        /// The activation's value if it is not the output: in a residual layer.
        activated: Vec<S>,
    },
    Gru(GruTrace<S>),
    Lstm(LstmTrace<S>),
}

/// Buffers of [`Network::vjp`] whose contents have no meaning between calls.
#[derive(Clone, Debug)]
pub struct NetworkScratch<S> {
    /// Cotangent of the first layer's input, (n_inputs).
    inputs_bar: Vec<S>,
    layers: Vec<LayerScratch<S>>,
}

#[derive(Clone, Debug)]
struct LayerScratch<S> {
    /// Cotangent of the output, (n_outputs and padding).
    outputs_bar: Vec<S>,
    /// Cotangent of the arguments of activations or gates, (n_outputs and padding; 3 or 4 for each output of a
    /// recurrent layer).
    sums_bar: Vec<S>,
    /// For a GRU, cotangent of the sums over its memory, (3 n_outputs).
    memory_sums_bar: Vec<S>,
}

impl<S: Scalar> LayerTrace<S> {
    fn new(layer: &Layer) -> Self {
        let n_outputs = layer.n_outputs();
        let numbers = vec![S::ZERO; padded::<S>(n_outputs)];
        let inside = match layer {
            Layer::Dense { residual, .. } => Inside::Dense {
                sums: numbers.clone(),
                activated: if *residual { numbers.clone() } else { Vec::new() },
            },
            Layer::Gru { hidden } => Inside::Gru(GruTrace::new(*hidden)),
            Layer::Lstm { hidden } => Inside::Lstm(LstmTrace::new(*hidden)),
        };
        LayerTrace { n_outputs, outputs: numbers, inside }
    }

    #[inline(always)]
    fn outputs(&self) -> &[S] {
        &self.outputs[..self.n_outputs]
    }
}

impl<S: Scalar> LayerScratch<S> {
    fn new(layer: &Layer) -> Self {
        let n = padded::<S>(layer.n_outputs());
        let (sums, memory_sums) = match layer {
            Layer::Dense { .. } => (n, 0),
            Layer::Gru { hidden } => (3 * hidden, 3 * hidden),
            Layer::Lstm { hidden } => (4 * hidden, 0),
        };
        LayerScratch {
            outputs_bar: vec![S::ZERO; n],
            sums_bar: vec![S::ZERO; sums],
            memory_sums_bar: vec![S::ZERO; memory_sums],
        }
    }
}

impl<S: Scalar> NetworkTrace<S> {
    /// Buffers for the calls of a network.
    pub fn new(network: &Network) -> Self {
        NetworkTrace {
            inputs: vec![S::ZERO; network.n_inputs()],
            layers: network.layers().iter().map(LayerTrace::new).collect(),
            memory: vec![S::ZERO; network.n_memory()],
        }
    }

    /// The network's output at the last [`Network::forward`], (n_outputs).
    #[inline(always)]
    pub fn outputs(&self) -> &[S] {
        self.layers.last().map_or(&self.inputs, LayerTrace::outputs)
    }

    /// The network's memory after the last [`Network::forward`], (n_memory).
    #[inline(always)]
    pub fn memory(&self) -> &[S] {
        &self.memory
    }
}

impl<S: Scalar> NetworkScratch<S> {
    /// Buffers for a network.
    pub fn new(network: &Network) -> Self {
        NetworkScratch {
            inputs_bar: vec![S::ZERO; network.n_inputs()],
            layers: network.layers().iter().map(LayerScratch::new).collect(),
        }
    }
}

impl Network {
    /// Runs the network; the results are [`NetworkTrace::outputs`] and [`NetworkTrace::memory`].
    ///
    /// # Panics
    /// If a slice has the wrong length for the network, or `trace` belongs to another network.
    pub fn forward<S: Scalar>(
        &self,
        weights: &[S],
        inputs: &[S],
        memory: &[S],
        trace: &mut NetworkTrace<S>,
    ) {
        self.check_lengths(weights, memory, trace);
        assert!(inputs.len() == self.n_inputs(), "inputs has n_inputs numbers");
        S::vectorised(
            #[inline(always)]
            || forward(self, weights, inputs, memory, trace),
        );
    }

    /// The adjoint of the [`Network::forward`] that wrote `trace` with these `weights` and this `memory`.
    ///
    /// Reads `trace`, `bar.outputs` and `bar.next_memory`; adds to the rest of `bar`.
    ///
    /// # Panics
    /// If a slice has the wrong length for the network, or `trace` or `scratch` belongs to another network.
    pub fn vjp<S: Scalar>(
        &self,
        weights: &[S],
        memory: &[S],
        trace: &NetworkTrace<S>,
        scratch: &mut NetworkScratch<S>,
        bar: NetworkCotangents<'_, S>,
    ) {
        self.check_cotangents(&bar);
        self.check_lengths(weights, memory, trace);
        assert!(scratch.layers.len() == self.layers().len(), "scratch belongs to this network");
        S::vectorised(
            #[inline(always)]
            || backward(self, weights, memory, trace, scratch, bar),
        );
    }

    #[inline(always)]
    fn check_lengths<S: Scalar>(&self, weights: &[S], memory: &[S], trace: &NetworkTrace<S>) {
        assert!(weights.len() == self.n_weights(), "weights has n_weights numbers");
        assert!(memory.len() == self.n_memory(), "memory has n_memory numbers");
        assert!(
            trace.inputs.len() == self.n_inputs()
                && trace.memory.len() == self.n_memory()
                && trace.layers.len() == self.layers().len(),
            "trace belongs to this network"
        );
    }

    #[inline(always)]
    fn check_cotangents<S: Scalar>(&self, bar: &NetworkCotangents<'_, S>) {
        assert!(bar.outputs.len() == self.n_outputs(), "n_outputs numbers");
        assert!(bar.inputs.len() == self.n_inputs(), "n_inputs numbers");
        let n = self.n_memory();
        assert!(bar.next_memory.len() == n && bar.memory.len() == n, "n_memory numbers each");
        let n = self.n_weights();
        assert!(bar.weights.as_ref().is_none_or(|weights| weights.len() == n), "n_weights numbers");
    }
}

#[inline(always)]
fn forward<S: Scalar>(
    nettrace: &Network,
    weights: &[S],
    inputs: &[S],
    memory: &[S],
    trace: &mut NetworkTrace<S>,
) {
    trace.inputs.copy_from_slice(inputs);
    if nettrace.input_bias() {
        add(weights, &mut trace.inputs);
    }
    for (i, (layer, place)) in nettrace.placed().enumerate() {
        let (before, rest) = trace.layers.split_at_mut(i);
        let x = before.last().map_or(&trace.inputs[..], LayerTrace::outputs);
        let LayerTrace { n_outputs, outputs, inside, .. } = &mut rest[0];
        let weights = &weights[place.weights.clone()];
        match (layer, inside) {
            (Layer::Dense { activation, residual, .. }, Inside::Dense { sums, activated, .. }) => {
                let (matrix, bias) = weights.split_at(x.len() * *n_outputs);
                affine(matrix, bias, x, &mut sums[..*n_outputs]);
                // Called at one place: activations are long.
                activation.values(sums, if *residual { &mut *activated } else { &mut *outputs });
                if *residual {
                    for ((y, a), x) in outputs.iter_mut().zip(activated).zip(x) {
                        *y = *a + *x;
                    }
                }
            }
            (Layer::Gru { hidden }, Inside::Gru(of_unit)) => {
                let (memory, outputs) = (&memory[place.memory.clone()], &mut outputs[..*hidden]);
                gru(weights, x, memory, of_unit, outputs);
                trace.memory[place.memory.clone()].copy_from_slice(outputs);
            }
            (Layer::Lstm { hidden }, Inside::Lstm(of_unit)) => {
                let next = &mut trace.memory[place.memory.clone()];
                lstm(weights, x, &memory[place.memory.clone()], of_unit, next);
                outputs[..*hidden].copy_from_slice(&next[..*hidden]);
            }
            _ => unreachable!("trace belongs to this network"),
        }
    }
}

#[inline(always)]
fn backward<S: Scalar>(
    network: &Network,
    weights: &[S],
    memory: &[S],
    trace: &NetworkTrace<S>,
    scratch: &mut NetworkScratch<S>,
    bar: NetworkCotangents<'_, S>,
) {
    // Empty if weights are left out: the loops over it then do nothing.
    let weights_bar = bar.weights.unwrap_or(&mut []);
    if let Some(last) = scratch.layers.last_mut() {
        last.outputs_bar[..bar.outputs.len()].copy_from_slice(bar.outputs);
    }
    for (i, (layer, place)) in network.placed().enumerate().rev() {
        let x = match i {
            0 => &trace.inputs[..],
            _ => trace.layers[i - 1].outputs(),
        };
        let (before, rest) = scratch.layers.split_at_mut(i);
        let x_bar = match before.last_mut() {
            Some(LayerScratch { outputs_bar, .. }) => {
                outputs_bar.fill(S::ZERO);
                &mut outputs_bar[..x.len()]
            }
            None => {
                scratch.inputs_bar.fill(S::ZERO);
                &mut scratch.inputs_bar[..]
            }
        };
        let LayerTrace { n_outputs, outputs, inside } = &trace.layers[i];
        let LayerScratch { outputs_bar, sums_bar, memory_sums_bar } = &mut rest[0];
        let weights = &weights[place.weights.clone()];
        let weights_bar = match &mut *weights_bar {
            [] => &mut [],
            all => &mut all[place.weights.clone()],
        };
        match (layer, inside) {
            (Layer::Dense { activation, residual, .. }, Inside::Dense { sums, activated }) => {
                let activated = if *residual { activated } else { outputs };
                activation.vjp(sums, activated, outputs_bar, sums_bar);
                if *residual {
                    add(outputs_bar, x_bar);
                }
                let (matrix, _) = weights.split_at(x.len() * *n_outputs);
                let (matrix_bar, bias_bar) = take(weights_bar, matrix.len());
                affine_vjp(matrix, x, &sums_bar[..*n_outputs], x_bar, matrix_bar, bias_bar);
            }
            (Layer::Gru { hidden }, Inside::Gru(of_unit)) => {
                let y_bar = &mut outputs_bar[..*hidden];
                add(&bar.next_memory[place.memory.clone()], y_bar);
                let out = RecurrentCotangents {
                    inputs: x_bar,
                    memory: &mut bar.memory[place.memory.clone()],
                    weights: weights_bar,
                };
                let of = (x, &memory[place.memory.clone()], of_unit);
                gru_vjp(weights, of, y_bar, (sums_bar, memory_sums_bar), out);
            }
            (Layer::Lstm { hidden }, Inside::Lstm(of_unit)) => {
                let y_bar = &mut outputs_bar[..*hidden];
                let (next_h_bar, next_c_bar) =
                    bar.next_memory[place.memory.clone()].split_at(*hidden);
                add(next_h_bar, y_bar);
                let out = RecurrentCotangents {
                    inputs: x_bar,
                    memory: &mut bar.memory[place.memory.clone()],
                    weights: weights_bar,
                };
                let of = (x, &memory[place.memory.clone()], of_unit);
                lstm_vjp(weights, of, (y_bar, next_c_bar), sums_bar, out);
            }
            _ => unreachable!("trace belongs to this network"),
        }
    }
    add(&scratch.inputs_bar, bar.inputs);
    if network.input_bias() {
        add(&scratch.inputs_bar, weights_bar);
    }
}

/// Adds `from` to the first numbers of `to`, up to the shorter length.
#[inline(always)]
fn add<S: Scalar>(from: &[S], to: &mut [S]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += *from;
    }
}
