//! Running a network, and its adjoint.
//!
//! [`Network::forward`] leaves what each layer computed in a [`NetworkWork`], and [`Network::vjp`]
//! walks the layers backwards over it. Nothing is allocated after the buffers are made.

use gradbody_math::Scalar;

use crate::activation::padded;
use crate::affine::{affine, affine_vjp};
use crate::gru::{GruWork, RecurrentCotangents, gru, gru_vjp, take};
use crate::lstm::{LstmWork, lstm, lstm_vjp};
use crate::{Layer, Network};

/// Cotangents of a call of a network: of its results, and of what it was given.
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

    /// The adjoint of the last [`Network::forward`] with `work`, which had these `weights` and this
    /// `memory`.
    ///
    /// Reads `bar.outputs` and `bar.next_memory`; adds to the rest of `bar`.
    ///
    /// # Panics
    /// If a slice has not the length that the network says, or `work` is another network's.
    pub fn vjp<S: Scalar>(
        &self,
        weights: &[S],
        memory: &[S],
        work: &mut NetworkWork<S>,
        bar: NetworkCotangents<'_, S>,
    ) {
        self.check_cotangents(&bar);
        self.check_lengths(weights, memory, work);
        S::vectorised(
            #[inline(always)]
            || backward(self, weights, memory, work, bar),
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

#[inline(always)]
fn backward<S: Scalar>(
    network: &Network,
    weights: &[S],
    memory: &[S],
    work: &mut NetworkWork<S>,
    bar: NetworkCotangents<'_, S>,
) {
    // Empty where weights are left out: the loops over it then do nothing.
    let weights_bar = bar.weights.unwrap_or(&mut []);
    if let Some(last) = work.layers.last_mut() {
        last.outputs_bar[..bar.outputs.len()].copy_from_slice(bar.outputs);
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
                add(&bar.next_memory[place.memory.clone()], y_bar);
                let out = RecurrentCotangents {
                    inputs: x_bar,
                    memory: &mut bar.memory[place.memory.clone()],
                    weights: weights_bar,
                };
                gru_vjp(weights, x, &memory[place.memory.clone()], y_bar, gru_work, out);
            }
            (Layer::Lstm { hidden }, Inside::Lstm(lstm_work)) => {
                let y_bar = &mut outputs_bar[..*hidden];
                let (next_h_bar, next_c_bar) =
                    bar.next_memory[place.memory.clone()].split_at(*hidden);
                add(next_h_bar, y_bar);
                let out = RecurrentCotangents {
                    inputs: x_bar,
                    memory: &mut bar.memory[place.memory.clone()],
                    weights: weights_bar,
                };
                let memory = &memory[place.memory.clone()];
                lstm_vjp(weights, x, memory, y_bar, next_c_bar, lstm_work, out);
            }
            _ => unreachable!("buffers of this network"),
        }
    }
    add(&work.inputs_bar, bar.inputs);
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
