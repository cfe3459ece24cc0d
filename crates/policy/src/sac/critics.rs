//! Two networks that estimate the return after an action, each with a slow copy.
//!
//! The smaller of the two estimates counts, since errors of a single one are sought out by the policy [Fujimoto et al.
//! 2018]. Their own targets are made with the slow copies.

use gradbody_neural::{Activation, Network};

use crate::actor::{first_weights, perceptron};
use crate::{Adam, AdamOptions, DenseRows, Snapshot, SnapshotError, TrainError};

/// Both critics. They read an observation and an action side by side.
#[derive(Clone, Debug)]
pub(crate) struct Critics {
    both: [Critic; 2],
    width: usize,
}

#[derive(Clone, Debug)]
struct Critic {
    weights: Vec<f32>,
    slow: Vec<f32>,
    adam: Adam,
    rows: DenseRows,
    values: Vec<f32>,
    values_bar: Vec<f32>,
    weights_bar: Vec<f32>,
    inputs_bar: Vec<f32>,
}

impl Critic {
    fn new(network: &Network, seed: u64, adam: AdamOptions) -> Result<Self, TrainError> {
        let weights = first_weights(network, seed, 1.0);
        Ok(Critic {
            slow: weights.clone(),
            adam: Adam::new(weights.len(), adam),
            rows: DenseRows::new(network, "critic")?,
            values: Vec::new(),
            values_bar: Vec::new(),
            weights_bar: Vec::new(),
            inputs_bar: Vec::new(),
            weights,
        })
    }

    fn learn(&mut self, inputs: &[f32], targets: &[f32]) -> f64 {
        let Critic { weights, rows, values, values_bar, weights_bar, .. } = self;
        values.resize(targets.len(), 0.0);
        rows.forward(weights, inputs, values);
        values_bar.clear();
        let mut loss = 0.0;
        for (value, target) in values.iter().zip(targets) {
            let error = value - target;
            loss += f64::from(error * error);
            values_bar.push(error / targets.len() as f32);
        }
        weights_bar.clear();
        weights_bar.resize(weights.len(), 0.0);
        rows.backward(weights, values_bar, Some(weights_bar), None);
        self.adam.descend(weights, weights_bar);
        loss / targets.len() as f64
    }
}

impl Critics {
    pub(crate) fn new(
        observations: usize,
        actions: usize,
        hidden: &[usize],
        seeds: [u64; 2],
        adam: AdamOptions,
    ) -> Result<Self, TrainError> {
        let width = observations + actions;
        let network = perceptron("critic", width, hidden, 1, Activation::Relu)?;
        let [first, second] = seeds;
        let both = [Critic::new(&network, first, adam)?, Critic::new(&network, second, adam)?];
        Ok(Critics { both, width })
    }

    /// Runs `run` on both, side by side.
    fn each<R: Send>(&mut self, run: impl Fn(&mut Critic) -> R + Sync) -> (R, R) {
        let [first, second] = &mut self.both;
        rayon::join(|| run(first), || run(second))
    }

    /// Writes the smaller estimate of the slow copies for each row of `inputs`, (rows, observation and action).
    pub(crate) fn slow_values(&mut self, inputs: &[f32], to: &mut Vec<f32>) {
        let rows = inputs.len() / self.width;
        self.each(|critic| {
            critic.values.resize(rows, 0.0);
            critic.rows.forward(&critic.slow, inputs, &mut critic.values);
        });
        self.smaller(to);
    }

    fn smaller(&self, to: &mut Vec<f32>) {
        let [first, second] = &self.both;
        to.clear();
        to.extend(first.values.iter().zip(&second.values).map(|(a, b)| a.min(*b)));
    }

    /// Writes the smaller estimate for each row, and its slopes with respect to the row.
    pub(crate) fn slopes(&mut self, inputs: &[f32], values: &mut Vec<f32>, slopes: &mut Vec<f32>) {
        let rows = inputs.len() / self.width;
        self.each(|critic| {
            critic.values.resize(rows, 0.0);
            critic.rows.forward(&critic.weights, inputs, &mut critic.values);
        });
        self.smaller(values);
        let least = &*values;
        let [first, second] = &mut self.both;
        // A row's slope is that of the first critic where they are equal.
        first.values_bar.clear();
        second.values_bar.clear();
        for (value, least) in first.values.iter().zip(least) {
            let chosen = f32::from(u8::from(value == least));
            first.values_bar.push(chosen);
            second.values_bar.push(1.0 - chosen);
        }
        self.each(|critic| {
            critic.inputs_bar.resize(inputs.len(), 0.0);
            let Critic { rows, weights, values_bar, inputs_bar, .. } = critic;
            rows.backward(weights, values_bar, None, Some(inputs_bar));
        });
        let [first, second] = &self.both;
        slopes.clear();
        slopes.extend(first.inputs_bar.iter().zip(&second.inputs_bar).map(|(a, b)| a + b));
    }

    /// One step of both towards the targets, (rows). Returns their mean squared error before.
    pub(crate) fn learn(&mut self, inputs: &[f32], targets: &[f32]) -> f64 {
        let (first, second) = self.each(|critic| critic.learn(inputs, targets));
        0.5 * (first + second)
    }

    /// Moves the slow copies by a part of the way.
    pub(crate) fn track(&mut self, part: f32) {
        self.each(|critic| {
            let Critic { slow, weights, .. } = critic;
            slow.iter_mut()
                .zip(weights)
                .for_each(|(slow, weight)| *slow += part * (*weight - *slow));
        });
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.both.iter().all(|critic| critic.weights.iter().all(|x| x.is_finite()))
    }

    pub(crate) fn save(&self, to: &mut Snapshot) {
        for (k, critic) in self.both.iter().enumerate() {
            to.put(&format!("critic-{k}/weights"), critic.weights.clone());
            to.put(&format!("critic-{k}/slow"), critic.slow.clone());
            critic.adam.save(&format!("critic-{k}/adam"), to);
        }
    }

    pub(crate) fn restore(&mut self, from: &Snapshot) -> Result<(), SnapshotError> {
        for (k, critic) in self.both.iter_mut().enumerate() {
            from.fill(&format!("critic-{k}/weights"), &mut critic.weights)?;
            from.fill(&format!("critic-{k}/slow"), &mut critic.slow)?;
            critic.adam.restore(&format!("critic-{k}/adam"), from)?;
        }
        Ok(())
    }
}
