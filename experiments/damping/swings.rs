//! Swings of the true pendulum, and the model without friction.

use gradbody::math::random::Random;
use gradbody::model::Model;
use gradbody::sim::{Integrator, State, StepOptions};

use super::DAMPING;
use crate::double_pendulum as pendulum;

/// Lengths of the links [m].
const LENGTHS: [f64; 2] = [1.0, 1.0];
/// Time step and sampling period [s].
pub(super) const DT: f64 = 0.02;
/// Samples of a training swing: a start and 50 steps.
pub(super) const SAMPLES: usize = 51;
/// Number of held-out swings, and their samples including the start.
pub(super) const HELD_OUT: usize = 20;
pub(super) const HELD_OUT_SAMPLES: usize = 101;
/// Largest angle [rad] and velocity [rad/s] of a start.
const ANGLE: f64 = 1.5;
const VELOCITY: f64 = 3.0;

/// Standard deviation of a recorded angle [rad] and velocity [rad/s].
pub(super) const NOISE: (f64, f64) = (1e-3, 2e-3);

/// The true pendulum, which is recorded.
pub(super) fn truth() -> anyhow::Result<Model<f64>> {
    pendulum::model(LENGTHS, DAMPING)
}

/// The model of it, without friction.
pub(super) fn frictionless() -> anyhow::Result<Model<f64>> {
    pendulum::model(LENGTHS, [0.0; 2])
}

/// Step options of both. Damping acts at the old velocity, like a correction of the torque.
pub(super) fn options() -> StepOptions<f64> {
    StepOptions { integrator: Integrator::SemiImplicitEuler, ..pendulum::options(DT) }
}

/// Swings of the true pendulum from random states.
fn swings(
    count: usize,
    samples: usize,
    random: &mut Random,
) -> anyhow::Result<Vec<Vec<State<f64>>>> {
    let truth = truth()?;
    let swing = |_| {
        let mut draw = |most: f64| [random.between(-most, most), random.between(-most, most)];
        let start = (draw(ANGLE), draw(VELOCITY));
        pendulum::motion(&truth, start, samples, &options())
    };
    Ok((0..count).map(swing).collect())
}

/// Training swings, recorded with noise.
pub(super) fn recorded(count: usize, path: &[u64]) -> anyhow::Result<Vec<Vec<State<f64>>>> {
    let mut random = Random::derived(super::SEED, path);
    let mut swings = swings(count, SAMPLES, &mut random)?;
    for state in swings.iter_mut().flatten() {
        state.q.iter_mut().for_each(|q| *q += NOISE.0 * random.normal());
        state.v.iter_mut().for_each(|v| *v += NOISE.1 * random.normal());
    }
    Ok(swings)
}

/// The held-out swings, without noise.
pub(super) fn held_out() -> anyhow::Result<Vec<Vec<State<f64>>>> {
    swings(HELD_OUT, HELD_OUT_SAMPLES, &mut Random::derived(super::SEED, &[0]))
}

/// The root mean square error of all angles [rad]; infinite if a prediction diverged.
pub(super) fn angle_error(
    measured: &[Vec<State<f64>>],
    mut predict: impl FnMut(&[State<f64>]) -> anyhow::Result<Vec<[f64; 2]>>,
) -> anyhow::Result<f64> {
    let (mut sum, mut count) = (0.0, 0.0);
    for swing in measured {
        for (predicted, state) in predict(swing)?.iter().zip(&swing[1..]) {
            for (a, b) in predicted.iter().zip(&state.q) {
                sum += (a - b) * (a - b);
                count += 1.0;
            }
        }
    }
    let error = f64::sqrt(sum / count);
    Ok(if error.is_nan() { f64::INFINITY } else { error })
}
