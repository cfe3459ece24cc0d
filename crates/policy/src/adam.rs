//! Adam [Kingma and Ba 2015], in single precision, for weights that are trained on samples.

use serde::{Deserialize, Serialize};

use crate::{Snapshot, SnapshotError, TrainError};

/// Options of [`Adam`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AdamOptions {
    /// Length of a step, if all gradients were alike.
    pub learning_rate: f32,
    /// Decay of the mean gradient from step to step.
    pub beta1: f32,
    /// Decay of the mean squared gradient.
    pub beta2: f32,
    /// Added to the root of the mean square.
    pub epsilon: f32,
}

impl Default for AdamOptions {
    fn default() -> Self {
        AdamOptions { learning_rate: 3e-4, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 }
    }
}

impl AdamOptions {
    /// Fails if a number is out of its range.
    pub(crate) fn check(&self) -> Result<(), TrainError> {
        let AdamOptions { learning_rate, beta1, beta2, epsilon } = *self;
        let decay = "it must be at least 0 and less than 1";
        let all = [
            (
                "adam.learning-rate",
                learning_rate,
                1e-12..=10.0,
                "it must be positive and at most 10",
            ),
            ("adam.beta1", beta1, 0.0..=0.999_999, decay),
            ("adam.beta2", beta2, 0.0..=0.999_999, decay),
            ("adam.epsilon", epsilon, 1e-30..=1.0, "it must be positive and at most 1"),
        ];
        match all.into_iter().find(|(_, given, range, _)| !range.contains(given)) {
            None => Ok(()),
            Some((option, given, _, needed)) => {
                Err(TrainError::Option { option, given: f64::from(given), needed })
            }
        }
    }
}

/// Adam's memory of one set of weights.
#[derive(Clone, Debug)]
pub struct Adam {
    /// Its options, which may change between steps.
    pub options: AdamOptions,
    steps: u64,
    mean: Vec<f32>,
    square: Vec<f32>,
}

impl Adam {
    /// For so many weights.
    pub fn new(weights: usize, options: AdamOptions) -> Self {
        Adam { options, steps: 0, mean: vec![0.0; weights], square: vec![0.0; weights] }
    }

    /// One step of descent along `gradient`.
    pub fn descend(&mut self, weights: &mut [f32], gradient: &[f32]) {
        let AdamOptions { learning_rate, beta1, beta2, epsilon } = self.options;
        self.steps += 1;
        let unbiased = |beta: f32| 1.0 - f64::from(beta).powf(self.steps as f64) as f32;
        let (by_mean, by_square) = (1.0 / unbiased(beta1), 1.0 / unbiased(beta2));
        let memory = self.mean.iter_mut().zip(&mut self.square);
        for ((weight, slope), (mean, square)) in weights.iter_mut().zip(gradient).zip(memory) {
            *mean += (1.0 - beta1) * (slope - *mean);
            *square += (1.0 - beta2) * (slope * slope - *square);
            *weight -= learning_rate * *mean * by_mean / ((*square * by_square).sqrt() + epsilon);
        }
    }

    /// Writes its memory under `name`.
    pub fn save(&self, name: &str, to: &mut Snapshot) {
        to.put(&format!("{name}/steps"), vec![self.steps]);
        to.put(&format!("{name}/mean"), self.mean.clone());
        to.put(&format!("{name}/square"), self.square.clone());
    }

    /// Reads its memory.
    pub fn restore(&mut self, name: &str, from: &Snapshot) -> Result<(), SnapshotError> {
        self.steps = from.number(&format!("{name}/steps"))?;
        from.fill(&format!("{name}/mean"), &mut self.mean)?;
        from.fill(&format!("{name}/square"), &mut self.square)
    }
}

/// Scales a gradient down to a norm of at most `limit`, and returns its norm before.
pub fn clip_norm(gradient: &mut [f32], limit: f32) -> f32 {
    let norm = gradient.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt() as f32;
    if norm > limit {
        gradient.iter_mut().for_each(|x| *x *= limit / norm);
    }
    norm
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The minimum of (x − 3)², which is known.
    #[test]
    fn descends_to_a_minimum() {
        let mut adam = Adam::new(1, AdamOptions { learning_rate: 0.05, ..Default::default() });
        let mut x = [0.0];
        for _ in 0..1000 {
            let slope = [2.0 * (x[0] - 3.0)];
            adam.descend(&mut x, &slope);
        }
        assert!((x[0] - 3.0).abs() < 1e-3, "{x:?}");
    }
}
