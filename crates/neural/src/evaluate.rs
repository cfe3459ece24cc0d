//! Running a network, and its adjoint.
//!
//! [`Network::forward`] leaves what each layer computed in a [`NetworkWork`], and [`Network::vjp`]
//! walks the layers backwards over it. Nothing is allocated after the buffers are made.

use gradbody_math::Scalar;

use crate::activation::padded;
use crate::affine::{affine, affine_vjp};
use crate::gru::{GruWork, gru, gru_vjp, take};
use crate::lstm::{LstmWork, lstm, lstm_vjp};
use crate::{Layer, Network};

/// Buffers of [`Network::forward`] and [`Network::vjp`].
#[derive(Clone, Debug)]
pub struct NetworkWork<S> {
    /// What the first layer is given: the inputs plus their bias, (n_inputs).
    inputs: Vec<S>,
    /// Its cotangent, (n_inputs).
    inputs_bar: Vec<S>,
    layers: Vec<LayerWork<S>>,
    /// Memory after the call, (n_memory).
    memory: Vec<S>,
}

#[derive(Clone, Debug)]
struct LayerWork<S> {
    n_outputs: usize,
    /// Output, (n_outputs and padding).
    outputs: Vec<S>,
    /// Cotangent of the output, (n_outputs and padding).
    outputs_bar: Vec<S>,
    inside: Inside<S>,
}

#[derive(Clone, Debug)]
enum Inside<S> {
    Dense {
        /// W x + b, (n_outputs and padding).
        sums: Vec<S>,
        /// The activation's value where that is not the output: in a residual layer.
        activated: Vec<S>,
        /// Cotangent of the sums, (n_outputs and padding).
        sums_bar: Vec<S>,
    },
    Gru(GruWork<S>),
    Lstm(LstmWork<S>),
}

impl<S: Scalar> LayerWork<S> {
    fn new(layer: &Layer) -> Self {
        let n_outputs = layer.n_outputs();
        let numbers = vec![S::ZERO; padded::<S>(n_outputs)];
        let inside = match layer {
            Layer::Dense { residual, .. } => Inside::Dense {
                sums: numbers.clone(),
                activated: if *residual { numbers.clone() } else { Vec::new() },
                sums_bar: numbers.clone(),
            },
            Layer::Gru { hidden } => Inside::Gru(GruWork::new(*hidden)),
            Layer::Lstm { hidden } => Inside::Lstm(LstmWork::new(*hidden)),
        };
        LayerWork { n_outputs, outputs: numbers.clone(), outputs_bar: numbers, inside }
    }

    #[inline(always)]
    fn outputs(&self) -> &[S] {
        &self.outputs[..self.n_outputs]
    }
}

impl<S: Scalar> NetworkWork<S> {
    /// Buffers for a network.
    pub fn new(network: &Network) -> Self {
        NetworkWork {
            inputs: vec![S::ZERO; network.n_inputs()],
            inputs_bar: vec![S::ZERO; network.n_inputs()],
            layers: network.layers().iter().map(LayerWork::new).collect(),
            memory: vec![S::ZERO; network.n_memory()],
        }
    }

    /// The network's output at the last [`Network::forward`], (n_outputs).
    #[inline(always)]
    pub fn outputs(&self) -> &[S] {
        self.layers.last().map_or(&self.inputs, LayerWork::outputs)
    }

    /// The network's memory after the last [`Network::forward`], (n_memory).
    #[inline(always)]
    pub fn memory(&self) -> &[S] {
        &self.memory
    }
}

impl Network {
    /// Runs the network; the results are [`NetworkWork::outputs`] and [`NetworkWork::memory`].
    ///
    /// # Panics
    /// If a slice has not the length that the network says, or `work` is another network's.
    pub fn forward<S: Scalar>(
        &self,
        weights: &[S],
        inputs: &[S],
        memory: &[S],
        work: &mut NetworkWork<S>,
    ) {
        self.check_lengths(weights, memory, work);
        assert!(inputs.len() == self.n_inputs(), "n_inputs numbers");
        S::vectorised(
            #[inline(always)]
            || forward(self, weights, inputs, memory, work),
        );
    }

    /// Takes the cotangents `outputs_bar` and `next_memory_bar` of the last [`Network::forward`],
    /// which had these `weights` and this `memory`, back to its inputs, memory and weights; adds to
    /// all of them.
    ///
    /// # Panics
    /// If a slice has not the length that the network says, or `work` is another network's.
    #[allow(clippy::too_many_arguments, reason = "one for each argument of the forward stage")]
    pub fn vjp<S: Scalar>(
        &self,
        weights: &[S],
        memory: &[S],
        outputs_bar: &[S],
        next_memory_bar: &[S],
        work: &mut NetworkWork<S>,
        inputs_bar: &mut [S],
        memory_bar: &mut [S],
        weights_bar: &mut [S],
    ) {
        assert!(weights_bar.len() == self.n_weights(), "n_weights numbers");
        self.check_cotangents(outputs_bar, next_memory_bar, inputs_bar, memory_bar);
        self.check_lengths(weights, memory, work);
        S::vectorised(
            #[inline(always)]
            || {
                let given = (outputs_bar, next_memory_bar);
                backward(self, weights, memory, given, work, inputs_bar, memory_bar, weights_bar);
            },
        );
    }

    /// As [`Network::vjp`], but leaves out the weights, for about half the cost.
    ///
    /// # Panics
    /// If a slice has not the length that the network says, or `work` is another network's.
    #[allow(clippy::too_many_arguments, reason = "one for each argument of the forward stage")]
    pub fn inputs_vjp<S: Scalar>(
        &self,
        weights: &[S],
        memory: &[S],
        outputs_bar: &[S],
        next_memory_bar: &[S],
        work: &mut NetworkWork<S>,
        inputs_bar: &mut [S],
        memory_bar: &mut [S],
    ) {
        self.check_cotangents(outputs_bar, next_memory_bar, inputs_bar, memory_bar);
        self.check_lengths(weights, memory, work);
        S::vectorised(
            #[inline(always)]
            || {
                let given = (outputs_bar, next_memory_bar);
                backward(self, weights, memory, given, work, inputs_bar, memory_bar, &mut []);
            },
        );
    }

    #[inline(always)]
    fn check_lengths<S: Scalar>(&self, weights: &[S], memory: &[S], work: &NetworkWork<S>) {
        assert!(weights.len() == self.n_weights(), "n_weights numbers");
        assert!(memory.len() == self.n_memory(), "n_memory numbers");
        assert!(
            work.inputs.len() == self.n_inputs()
                && work.memory.len() == self.n_memory()
                && work.layers.len() == self.layers().len(),
            "buffers of this network"
        );
    }

    #[inline(always)]
    fn check_cotangents<S: Scalar>(
        &self,
        outputs_bar: &[S],
        next_memory_bar: &[S],
        inputs_bar: &[S],
        memory_bar: &[S],
    ) {
        assert!(outputs_bar.len() == self.n_outputs(), "n_outputs numbers");
        assert!(inputs_bar.len() == self.n_inputs(), "n_inputs numbers");
        let n = self.n_memory();
        assert!(next_memory_bar.len() == n && memory_bar.len() == n, "n_memory numbers each");
    }
}

#[inline(always)]
fn forward<S: Scalar>(
    network: &Network,
    weights: &[S],
    inputs: &[S],
    memory: &[S],
    work: &mut NetworkWork<S>,
) {
    work.inputs.copy_from_slice(inputs);
    if network.input_bias() {
        add(weights, &mut work.inputs);
    }
    for (i, (layer, place)) in network.placed().enumerate() {
        let (before, rest) = work.layers.split_at_mut(i);
        let x = before.last().map_or(&work.inputs[..], LayerWork::outputs);
        let LayerWork { n_outputs, outputs, inside, .. } = &mut rest[0];
        let weights = &weights[place.weights.clone()];
        match (layer, inside) {
            (Layer::Dense { activation, residual, .. }, Inside::Dense { sums, activated, .. }) => {
                let (matrix, bias) = weights.split_at(x.len() * *n_outputs);
                affine(matrix, bias, x, &mut sums[..*n_outputs]);
                if *residual {
                    activation.values(sums, activated);
                    for ((y, a), x) in outputs.iter_mut().zip(activated).zip(x) {
                        *y = *a + *x;
                    }
                } else {
                    activation.values(sums, outputs);
                }
            }
            (Layer::Gru { hidden }, Inside::Gru(gru_work)) => {
                let (memory, outputs) = (&memory[place.memory.clone()], &mut outputs[..*hidden]);
                gru(weights, x, memory, gru_work, outputs);
                work.memory[place.memory.clone()].copy_from_slice(outputs);
            }
            (Layer::Lstm { hidden }, Inside::Lstm(lstm_work)) => {
                let next = &mut work.memory[place.memory.clone()];
                lstm(weights, x, &memory[place.memory.clone()], lstm_work, next);
                outputs[..*hidden].copy_from_slice(&next[..*hidden]);
            }
            _ => unreachable!("buffers of this network"),
        }
    }
}

/// With no `weights_bar`, leaves out the weights.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "one for each argument of the forward stage")]
fn backward<S: Scalar>(
    network: &Network,
    weights: &[S],
    memory: &[S],
    (outputs_bar, next_memory_bar): (&[S], &[S]),
    work: &mut NetworkWork<S>,
    inputs_bar: &mut [S],
    memory_bar: &mut [S],
    weights_bar: &mut [S],
) {
    if let Some(last) = work.layers.last_mut() {
        last.outputs_bar[..outputs_bar.len()].copy_from_slice(outputs_bar);
    }
    for (i, (layer, place)) in network.placed().enumerate().rev() {
        let (before, rest) = work.layers.split_at_mut(i);
        let (x, x_bar) = match before.last_mut() {
            Some(LayerWork { n_outputs, outputs, outputs_bar, .. }) => {
                outputs_bar.fill(S::ZERO);
                (&outputs[..*n_outputs], &mut outputs_bar[..*n_outputs])
            }
            None => {
                work.inputs_bar.fill(S::ZERO);
                (&work.inputs[..], &mut work.inputs_bar[..])
            }
        };
        let LayerWork { n_outputs, outputs, outputs_bar, inside } = &mut rest[0];
        let weights = &weights[place.weights.clone()];
        let weights_bar = match &mut *weights_bar {
            [] => &mut [],
            all => &mut all[place.weights.clone()],
        };
        match (layer, inside) {
            (
                Layer::Dense { activation, residual, .. },
                Inside::Dense { sums, activated, sums_bar },
            ) => {
                let activated = if *residual { activated } else { outputs };
                activation.vjp(sums, activated, outputs_bar, sums_bar);
                if *residual {
                    add(outputs_bar, x_bar);
                }
                let (matrix, _) = weights.split_at(x.len() * *n_outputs);
                let (matrix_bar, bias_bar) = take(weights_bar, matrix.len());
                affine_vjp(matrix, x, &sums_bar[..*n_outputs], x_bar, matrix_bar, bias_bar);
            }
            (Layer::Gru { hidden }, Inside::Gru(gru_work)) => {
                let y_bar = &mut outputs_bar[..*hidden];
                add(&next_memory_bar[place.memory.clone()], y_bar);
                let (h, h_bar) =
                    (&memory[place.memory.clone()], &mut memory_bar[place.memory.clone()]);
                gru_vjp(weights, x, h, y_bar, gru_work, x_bar, h_bar, weights_bar);
            }
            (Layer::Lstm { hidden }, Inside::Lstm(lstm_work)) => {
                let y_bar = &mut outputs_bar[..*hidden];
                let (next_h_bar, next_c_bar) =
                    next_memory_bar[place.memory.clone()].split_at(*hidden);
                add(next_h_bar, y_bar);
                let (memory, memory_bar) =
                    (&memory[place.memory.clone()], &mut memory_bar[place.memory.clone()]);
                let next_bar = (&*y_bar, next_c_bar);
                lstm_vjp(weights, x, memory, next_bar, lstm_work, x_bar, memory_bar, weights_bar);
            }
            _ => unreachable!("buffers of this network"),
        }
    }
    add(&work.inputs_bar, inputs_bar);
    if network.input_bias() {
        add(&work.inputs_bar, weights_bar);
    }
}

/// Adds to the first of `to`, as far as both go.
#[inline(always)]
fn add<S: Scalar>(from: &[S], to: &mut [S]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += *from;
    }
}
