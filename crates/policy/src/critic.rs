//! A network that values observations, with its optimiser and a copy that follows slowly.

use gradbody_math::random::Random;
use gradbody_neural::{Activation, Network};

use crate::actor::{first_weights, perceptron};
use crate::{Adam, AdamOptions, DenseRows, Snapshot, SnapshotError, TrainError, clip_norm};

/// A network that values observations. Its output is a part of [`Critic::scale`], so that the network's numbers are near
/// one whatever the rewards.
#[derive(Clone, Debug)]
pub struct Critic {
    /// Its structure.
    pub network: Network,
    /// Its weights.
    pub weights: Vec<f32>,
    /// Weights of the copy that follows slowly.
    pub slow: Vec<f32>,
    /// What an output of one stands for.
    pub scale: f32,
    adam: Adam,
    rows: DenseRows,
    gradient: Vec<f32>,
}

/// How a critic is fitted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fitting {
    /// How often each row is used.
    pub(crate) epochs: usize,
    /// Rows of a step.
    pub(crate) batch: usize,
    /// Largest norm of a gradient.
    pub(crate) clip: f32,
}

impl Critic {
    /// For observations of `inputs` numbers.
    pub fn new(
        inputs: usize,
        hidden: &[usize],
        activation: Activation,
        scale: f32,
        adam: AdamOptions,
        seed: u64,
    ) -> Result<Self, TrainError> {
        let network = perceptron("critic", inputs, hidden, 1, activation)?;
        let weights = first_weights(&network, seed, 1.0);
        Ok(Critic {
            slow: weights.clone(),
            adam: Adam::new(weights.len(), adam),
            rows: DenseRows::new(&network, "critic")?,
            gradient: vec![0.0; weights.len()],
            weights,
            network,
            scale,
        })
    }

    /// Sets the length of its optimiser's steps.
    pub fn set_learning_rate(&mut self, rate: f32) {
        self.adam.options.learning_rate = rate;
    }

    /// Values of normalised observations, (rows, observations), by the slow copy.
    pub fn slow_values(&mut self, normal: &[f32], values: &mut Vec<f32>) {
        values.clear();
        values.resize(normal.len() / self.network.n_inputs(), 0.0);
        self.rows.forward(&self.slow, normal, values);
        values.iter_mut().for_each(|value| *value *= self.scale);
    }

    /// Fits it to targets, one for each row. Returns the mean squared error in the first epoch, as a part of the square
    /// of the scale.
    pub(crate) fn fit(
        &mut self,
        normal: &[f32],
        targets: &[f32],
        how: Fitting,
        random: &mut Random,
    ) -> f64 {
        let n = self.network.n_inputs();
        let mut order: Vec<usize> = (0..targets.len()).collect();
        let (mut x, mut bars, mut y) = (Vec::new(), Vec::new(), Vec::new());
        let mut first_error = 0.0;
        for epoch in 0..how.epochs {
            random.shuffle(&mut order);
            for chosen in order.chunks(how.batch) {
                x.clear();
                chosen.iter().for_each(|row| x.extend_from_slice(&normal[row * n..(row + 1) * n]));
                y.clear();
                y.resize(chosen.len(), 0.0);
                self.rows.forward(&self.weights, &x, &mut y);
                bars.clear();
                for (row, y) in chosen.iter().zip(&y) {
                    let error = y - targets[*row] / self.scale;
                    if epoch == 0 {
                        first_error += f64::from(error * error);
                    }
                    bars.push(2.0 * error / chosen.len() as f32);
                }
                self.gradient.fill(0.0);
                self.rows.backward(&self.weights, &bars, Some(&mut self.gradient), None);
                clip_norm(&mut self.gradient, how.clip);
                self.adam.descend(&mut self.weights, &self.gradient);
            }
        }
        first_error / targets.len().max(1) as f64
    }

    /// Brings the slow copy nearer by a part `rate` of the difference.
    pub fn follow(&mut self, rate: f32) {
        for (slow, weight) in self.slow.iter_mut().zip(&self.weights) {
            *slow += rate * (weight - *slow);
        }
    }

    /// Whether all its numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.weights.iter().all(|x| x.is_finite())
    }

    /// Writes its memory under `name`.
    pub fn save(&self, name: &str, to: &mut Snapshot) {
        to.put(&format!("{name}/weights"), self.weights.clone());
        to.put(&format!("{name}/slow"), self.slow.clone());
        self.adam.save(&format!("{name}/adam"), to);
    }

    /// Reads its memory.
    pub fn restore(&mut self, name: &str, from: &Snapshot) -> Result<(), SnapshotError> {
        from.fill(&format!("{name}/weights"), &mut self.weights)?;
        from.fill(&format!("{name}/slow"), &mut self.slow)?;
        self.adam.restore(&format!("{name}/adam"), from)
    }
}
