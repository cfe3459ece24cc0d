//! Predictions of a trained baseline.

use serde::{Deserialize, Serialize};

use super::BaselineError;
use super::data::{check, unwrapped};
use super::law::{Known, Law, StepWork};

/// Number of samples that a held velocity is taken from, or fewer if there are fewer.
const HELD: usize = 3;

/// A baseline that can predict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainedBaseline {
    /// Which channels are angles, (n_channels).
    pub(super) angles: Vec<bool>,
    pub(super) n_inputs: usize,
    pub(super) how: How,
}

/// How it predicts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum How {
    HoldVelocity,
    Network { law: Box<Law>, weights: Vec<f64> },
}

impl TrainedBaseline {
    /// Number of trained weights.
    pub fn n_weights(&self) -> usize {
        self.weights().len()
    }

    /// The weights.
    pub fn weights(&self) -> &[f64] {
        match &self.how {
            How::HoldVelocity => &[],
            How::Network { weights, .. } => weights,
        }
    }

    /// Number of samples that a prediction needs.
    pub fn history(&self) -> usize {
        match &self.how {
            How::HoldVelocity => 1,
            How::Network { law, .. } => law.history,
        }
    }

    /// The `steps` samples after `warm`. `inputs` has a row for each sample of `warm` and for each predicted one but
    /// the last, if the baseline was trained with inputs. Angles continue from the last sample without jumps.
    ///
    /// Errors name `warm` and `inputs` as sequence 0.
    pub fn predict(
        &self,
        warm: &[Vec<f64>],
        inputs: &[Vec<f64>],
        steps: usize,
    ) -> Result<Vec<Vec<f64>>, BaselineError> {
        let (given, needed) = (warm.len(), self.history());
        if given < needed {
            return Err(BaselineError::ShortWarmUp { given, needed });
        }
        check(0, warm, "channels", self.angles.len())?;
        // Unwraps backwards, so that the last sample stays as it was measured.
        let mut backwards = warm.to_vec();
        backwards.reverse();
        let mut warm = unwrapped(&backwards, &self.angles);
        warm.reverse();
        match &self.how {
            How::HoldVelocity => Ok(hold_velocity(&warm, steps)),
            How::Network { law, weights } => {
                check(0, inputs, "inputs", self.n_inputs)?;
                let (given, needed) = (inputs.len(), (warm.len() + steps).saturating_sub(1));
                if self.n_inputs > 0 && given < needed {
                    return Err(BaselineError::FewInputs { sequence: 0, given, needed });
                }
                Ok(run(law, weights, &warm, inputs, steps))
            }
        }
    }
}

/// Continues from the last sample with the mean velocity of the last few samples.
fn hold_velocity(warm: &[Vec<f64>], steps: usize) -> Vec<Vec<f64>> {
    let recent = &warm[warm.len().saturating_sub(HELD)..];
    let ([first, ..], [.., last]) = (recent, recent) else { return Vec::new() };
    let apart = (recent.len() - 1).max(1) as f64;
    let at =
        |ahead: f64| last.iter().zip(first).map(|(b, a)| b + ahead * (b - a) / apart).collect();
    (1..=steps).map(|ahead| at(ahead as f64)).collect()
}

/// Runs the network over the warm-up, and then on its own predictions.
fn run(
    law: &Law,
    weights: &[f64],
    warm: &[Vec<f64>],
    inputs: &[Vec<f64>],
    steps: usize,
) -> Vec<Vec<f64>> {
    let (mut now, mut next) = (Known::new(law), Known::new(law));
    let mut work = StepWork::new(law);
    let mut memory = vec![0.0; law.network.n_memory()];
    let mut predicted = Vec::with_capacity(steps);
    let first = if memory.is_empty() { warm.len() - 1 } else { law.history - 1 };
    for row in first..warm.len() + steps - 1 {
        if row < warm.len() {
            now.read(|age, c| warm[row - age][c]);
        } else {
            std::mem::swap(&mut now, &mut next);
        }
        let given = inputs.get(row).map_or(&[][..], Vec::as_slice);
        let input: Vec<f64> =
            given.iter().zip(&law.scales.inputs).map(|(u, scale)| scale.normalised(*u)).collect();
        law.step(weights, &now, &input, &memory, &mut work, &mut next);
        memory.copy_from_slice(work.network.memory());
        if row + 1 >= warm.len() {
            predicted.push(next.sample.clone());
        }
    }
    predicted
}
