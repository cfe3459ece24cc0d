//! Trains purely learned models on the same recordings and judges them on the same windows.

use std::ops::{ControlFlow, Range};

use crate::baseline::{
    Baseline, Channels, LstmOptions, MlpOptions, Sequence, TrainOptions, TrainedBaseline,
    hidden_for,
};
use crate::experiment::{BaselineKind, BaselineSpec, DataPart, ExperimentError, Setup};
use crate::judge::{Predicted, Trials};
use crate::objective::{Recording, Sees};

/// Longest horizon that a learned model is trained on [samples]. Beyond it, gradients of a chaotic motion mean nothing.
const LONGEST: usize = 40;

impl Setup {
    /// Trains a learned model on the training part. `like` is the number of fitted parameters and weights of the robot
    /// model.
    pub fn train_baseline(
        &self,
        spec: &BaselineSpec,
        like: usize,
    ) -> Result<TrainedBaseline, ExperimentError> {
        let wrong = |why: String| ExperimentError::wrong("prediction.baselines", why);
        let angles: Vec<bool> = self.angles();
        let recordings = self.part(DataPart::Train);
        // Stretches without gaps, long enough to learn from.
        let shortest = self.experiment.prediction.warm_up.max(8) + 8;
        let sequences: Vec<Sequence> = recordings
            .iter()
            .flat_map(|r| self.stretches(r).map(move |range| (r, range)))
            .filter(|(_, range)| range.len() >= shortest)
            .map(|(r, range)| self.sequence(r, range))
            .collect();
        let Some(longest) = sequences.iter().map(|s| s.samples.len()).max() else {
            return Err(wrong("no stretch without gaps is long enough to learn from".into()));
        };
        let inputs = sequences.first().and_then(|s| s.inputs.first()).map_or(0, Vec::len);
        let channels = Channels {
            channels: angles.len(),
            angles: angles.iter().filter(|a| **a).count(),
            inputs,
        };
        let baseline = match spec.kind {
            BaselineKind::HoldVelocity => Baseline::HoldVelocity,
            BaselineKind::Mlp => {
                let history = self.experiment.prediction.warm_up.clamp(2, 4);
                Baseline::Mlp(MlpOptions { history, ..MlpOptions::default() })
            }
            BaselineKind::Lstm => Baseline::Lstm(LstmOptions::default()),
        };
        let weights = spec.weights.unwrap_or(like.max(500));
        let baseline = baseline.with_hidden(hidden_for(&baseline, weights, &channels));
        let warm_up = self.experiment.prediction.warm_up.max(baseline.history());
        let least = sequences.iter().map(|s| s.samples.len()).min().unwrap_or(longest);
        let horizon = self.experiment.prediction.horizon.unwrap_or(LONGEST).min(LONGEST);
        let horizon = horizon.min(least.saturating_sub(warm_up)).max(1);
        let options = TrainOptions {
            horizon,
            warm_up,
            seconds: spec.seconds,
            seed: self.experiment.seed,
            angles,
            ..TrainOptions::default()
        };
        baseline
            .train(&sequences, &options, &mut |_| ControlFlow::Continue(()))
            .map_err(|error| wrong(error.to_string()))
    }

    /// The predictions of a learned model. None for windows whose given samples have gaps.
    pub fn predict_baseline(&self, by: &TrainedBaseline, trials: &Trials) -> Predicted {
        let one = |window: &crate::objective::Window| {
            let recording = &trials.recordings[window.recording];
            let given = window.first..window.first + trials.given;
            // A learned model cannot start from samples that were not measured.
            if !self.stretches(recording).any(|s| s.start <= given.start && given.end <= s.end) {
                return None;
            }
            let given = self.sequence(recording, given);
            let horizon = trials.horizon(window);
            let all =
                self.sequence(recording, window.first..window.first + trials.given + horizon - 1);
            let found = by.predict(&given.samples, &all.inputs, horizon).ok()?;
            let found: Vec<f64> = found.into_iter().flatten().collect();
            found.iter().all(|x| x.is_finite()).then_some(found)
        };
        trials.windows.iter().map(one).collect()
    }

    /// The stretches of a recording in which every sensor has every sample.
    fn stretches<'a>(
        &'a self,
        recording: &'a Recording,
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        let whole = |k: usize| {
            k < recording.samples && recording.sample(k, &self.sensors).1.iter().all(|p| *p > 0.0)
        };
        let mut next = 0;
        std::iter::from_fn(move || {
            while next < recording.samples && !whole(next) {
                next += 1;
            }
            let first = next;
            while whole(next) {
                next += 1;
            }
            (first < next).then_some(first..next)
        })
    }

    /// Which of the measured numbers are angles.
    fn angles(&self) -> Vec<bool> {
        let mut angles = Vec::new();
        for sensor in &self.sensors {
            let angle = match sensor.sees {
                Sees::Heading(_) => true,
                Sees::Position(q, _) => self.turns(q),
                _ => false,
            };
            angles.extend(std::iter::repeat_n(angle, sensor.columns()));
        }
        angles
    }

    fn turns(&self, q: usize) -> bool {
        let joints = self.model.topology.links.iter().map(|link| &link.joint);
        let mut of = joints.filter(|joint| joint.q_range().contains(&q));
        of.next().is_some_and(|joint| {
            joint.kind.dofs()[q - joint.q_start] == gradbody_model::DofKind::Angular
        })
    }

    fn sequence(&self, recording: &Recording, range: Range<usize>) -> Sequence {
        let sample = |k: usize| recording.sample(k, &self.sensors).0.to_vec();
        let inputs = match recording.inputs.is_empty() {
            true => Vec::new(),
            false => recording.inputs[range.clone()]
                .iter()
                .map(|input| {
                    let forces = input
                        .external
                        .iter()
                        .flat_map(|f| [f.ang.x, f.ang.y, f.ang.z, f.lin.x, f.lin.y, f.lin.z]);
                    let joints = input.tau.iter().chain(&input.control).chain(&input.signals);
                    joints.copied().chain(forces).collect()
                })
                .collect(),
        };
        Sequence { samples: range.map(sample).collect(), inputs }
    }
}
