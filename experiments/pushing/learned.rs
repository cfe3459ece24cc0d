//! A network without mechanics: it predicts the motion of the body from its pose and from the positions of the tip now
//! and next.

use std::ops::ControlFlow;

use gradbody::learn::baseline::{
    Baseline, Channels, MlpOptions, Sequence, TrainOptions, TrainedBaseline, hidden_for,
};

use super::errors::{INSTANTS, Path, instants, measured};
use super::fits;
use super::measured::Push;

/// Position and angle in the axes of the body's first pose, and the tip at an instant and the next.
const CHANNELS: Channels = Channels { channels: 3, angles: 1, inputs: 4 };

/// Trains a network of about this number of weights.
pub(super) fn train(
    pushes: &[Push],
    weights: usize,
    epochs: usize,
    seed: u64,
) -> anyhow::Result<TrainedBaseline> {
    let sequences: Vec<Sequence> = pushes.iter().map(sequence).collect();
    let baseline = Baseline::Mlp(MlpOptions { hidden: vec![1, 1], history: 1 });
    let baseline = baseline.with_hidden(hidden_for(&baseline, weights, &CHANNELS));
    let options = TrainOptions {
        horizon: INSTANTS,
        warm_up: 1,
        epochs,
        batch: 16,
        seed,
        angles: vec![false, false, true],
        ..TrainOptions::default()
    };
    Ok(baseline.train(&sequences, &options, &mut |_| ControlFlow::Continue(()))?)
}

/// The predicted path at each sample; between instants the pose is that of the instant before.
pub(super) fn predict(trained: &TrainedBaseline, push: &Push) -> anyhow::Result<Path> {
    let Sequence { samples, inputs } = sequence(push);
    let predicted = trained.predict(&samples[..1], &inputs[..INSTANTS], INSTANTS)?;
    let there = measured(push);
    let at: Vec<usize> = instants(there.len()).collect();
    let poses: Vec<[f64; 3]> = samples[..1]
        .iter()
        .chain(&predicted)
        .map(|p| from_start(there[0], [p[0], p[1], p[2]]))
        .collect();
    let instant = |sample: usize| at.partition_point(|k| *k <= sample).saturating_sub(1);
    Ok((0..there.len()).map(|sample| poses[instant(sample)]).collect())
}

fn sequence(push: &Push) -> Sequence {
    let path = measured(push);
    let samples = &push.samples[fits::begin(&push.samples)..];
    let at: Vec<usize> = instants(path.len()).collect();
    let tip = |k: usize| {
        let [x, y] = samples[at[k.min(INSTANTS)]].tip;
        let [x, y, _] = in_start(path[0], [x, y, 0.0]);
        [x, y]
    };
    Sequence {
        samples: at.iter().map(|k| in_start(path[0], path[*k]).to_vec()).collect(),
        inputs: (0..=INSTANTS).map(|k| [tip(k), tip(k + 1)].concat()).collect(),
    }
}

/// Converts a world pose to the axes of another pose.
fn in_start([x0, y0, yaw0]: [f64; 3], [x, y, yaw]: [f64; 3]) -> [f64; 3] {
    let ((sin, cos), (x, y)) = (yaw0.sin_cos(), (x - x0, y - y0));
    [cos * x + sin * y, cos * y - sin * x, yaw - yaw0]
}

/// Converts it back.
fn from_start([x0, y0, yaw0]: [f64; 3], [x, y, yaw]: [f64; 3]) -> [f64; 3] {
    let (sin, cos) = yaw0.sin_cos();
    [x0 + cos * x - sin * y, y0 + sin * x + cos * y, yaw + yaw0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let (start, pose) = ([0.3, -0.1, 0.7], [0.5, 0.2, -0.4]);
        let back = from_start(start, in_start(start, pose));
        assert!(back.iter().zip(pose).all(|(a, b)| (a - b).abs() < 1e-15));
    }
}
