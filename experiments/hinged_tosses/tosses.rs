//! Simulated tosses of two boxes on a hinge, as a camera with noise sees them.

use gradbody::learn::data::{Channel, DataSet, Trajectory, Unit};
use gradbody::math::random::Random;
use gradbody::math::{Quat, Vec3};
use gradbody::prelude::*;

/// Samples a second, and steps from sample to sample.
pub(super) const RATE: f64 = 148.0;
pub(super) const SUBSTEPS: usize = 2;
/// Noise of a position [m] and of an orientation about each axis [rad].
const NOISE: (f64, f64) = (0.001, 0.0175);
/// How far outliers are off: up to this, in each direction [m] and about each axis [rad].
const FAR: (f64, f64) = (0.1, 0.6);

/// The columns of a sample: poses of both boxes, which share their origin on the hinge.
const COLUMNS: [&str; 11] = [
    "left_x", "left_y", "left_z", "left_qw", "left_qx", "left_qy", "left_qz", "right_qw",
    "right_qx", "right_qy", "right_qz",
];

/// What throws have in common.
#[derive(Clone, Copy)]
pub(super) struct Throws {
    /// Samples of each.
    pub(super) samples: usize,
    /// The share of poses that are not where the camera says.
    pub(super) outliers: f64,
    pub(super) seed: u64,
}

/// Throws the body `count` times.
pub(super) fn record(truth: &Model<f64>, count: usize, throws: Throws) -> anyhow::Result<DataSet> {
    let tosses = (0..count).map(|k| toss(truth, k, throws)).collect::<Result<_, _>>()?;
    Ok(DataSet { trajectories: tosses, files: Vec::new() })
}

/// A body that stays where it is, for a few samples.
pub(super) fn still() -> anyhow::Result<DataSet> {
    let seen = look(&[0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0], 0.0, &mut Random::new(0));
    let values = seen.iter().map(|x| vec![*x; 12]).collect();
    Ok(DataSet { trajectories: vec![trajectory("still".into(), values)?], files: Vec::new() })
}

fn toss(truth: &Model<f64>, k: usize, throws: Throws) -> anyhow::Result<Trajectory> {
    let Throws { samples, outliers, seed } = throws;
    let mut random = Random::derived(seed, &[k as u64]);
    let mut world = Simulation::new(truth, StepOptions::new(1.0 / (RATE * SUBSTEPS as f64)));
    throw(&mut random, &mut world.state);
    let mut values: Vec<Vec<f64>> = vec![Vec::with_capacity(samples); COLUMNS.len()];
    for sample in 0..samples {
        let seen = look(&world.state.q, outliers, &mut random);
        values.iter_mut().zip(seen).for_each(|(values, x)| values.push(x));
        for _ in 0..SUBSTEPS {
            if let Some(diverged) = world.step().diverged {
                anyhow::bail!("toss {k} diverges at sample {sample}: {diverged:?}");
            }
        }
    }
    trajectory(format!("toss/{k}"), values)
}

fn trajectory(name: String, values: Vec<Vec<f64>>) -> anyhow::Result<Trajectory> {
    let unit = |name: &str| Unit::named(if name.contains("_q") { "1" } else { "m" });
    let samples = values[0].len();
    let channel = |(name, values): (&&str, Vec<f64>)| -> anyhow::Result<Channel> {
        Ok(Channel { name: (*name).to_owned(), unit: unit(name)?, values })
    };
    Ok(Trajectory {
        origin: name.clone(),
        file: String::new(),
        t: (0..samples).map(|sample| sample as f64 / RATE).collect(),
        channels: COLUMNS.iter().zip(values).map(channel).collect::<Result<_, _>>()?,
        name,
    })
}

/// A throw: somewhere above the table, in any orientation, spinning.
fn throw(random: &mut Random, state: &mut State<f64>) {
    let mut within = |most: f64| random.between(-most, most);
    let turn = Quat::exp(Vec3::new(within(1.5), within(1.5), within(1.5)));
    let place = [within(0.1), within(0.1), 0.22 + within(0.05)];
    state.q.copy_from_slice(&[
        place[0],
        place[1],
        place[2],
        turn.w,
        turn.x,
        turn.y,
        turn.z,
        within(0.8),
    ]);
    let most = [1.0, 1.0, 0.7, 6.0, 6.0, 6.0, 6.0];
    state.v.iter_mut().zip(most).for_each(|(v, most)| *v = within(most));
}

/// What the camera sees of a configuration.
fn look(q: &[f64], outliers: f64, random: &mut Random) -> [f64; 11] {
    let left = Quat::from_slice(&q[3..7]);
    let right = left * Quat::exp(Vec3::new(0.0, q[7], 0.0));
    let mut off = |noise: f64, far: f64| match random.unit() < outliers {
        true => Vec3::new(
            random.between(-far, far),
            random.between(-far, far),
            random.between(-far, far),
        ),
        false => Vec3::new(random.normal(), random.normal(), random.normal()) * noise,
    };
    let place = Vec3::new(q[0], q[1], q[2]) + off(NOISE.0, FAR.0);
    let [left, right] = [left, right].map(|quat| quat * Quat::exp(off(NOISE.1, FAR.1)));
    [place.x, place.y, place.z, left.w, left.x, left.y, left.z, right.w, right.x, right.y, right.z]
}
