//! Measurements that their neighbours contradict.
//!
//! An outlier of a camera is far from where the samples before and after it say that it should be. That does not depend on a
//! model, so it is known before a fit begins. Errors that last for several samples are not found. Only sensors with a robust
//! [`NoiseLaw`] are searched: this law says how little an outlier counts in the fit. What is found here serves two other ends:
//! states are estimated without outliers, and the cost that they add to a window is not taken for an error of the model.

use gradbody_math::{Quat, Vec3};

use super::sensor::{Sees, Sensor, columns_of};
use super::{Fit, NoiseLaw, Recording, Window};

/// How many other samples a sample is compared with: pairs of them predict it by a straight line.
const NEIGHBOURS: usize = 4;
/// A sample is an outlier if it is this many standard deviations from what every pair predicts. The velocity of a body that
/// hits the ground changes within a sample: that moves the middle one of three by a few standard deviations.
const FAR: f64 = 6.0;
/// The largest variance of a prediction, with that of the sample itself, in variances of the noise: that of a line through two
/// consecutive samples a step further on.
const UNSURE: f64 = 6.0;
/// Where samples are so far apart that straight lines predict them badly, an outlier is also this many times farther than
/// three of four samples.
const FARTHER: f64 = 4.0;

/// What outliers cost at each sample of each window, in place of the noise that good measurements have. Windows have no samples
/// here if no sensor has a robust law.
pub(super) fn costs(fit: &Fit) -> Vec<Vec<f64>> {
    let (sensors, n) = (&fit.sensors, fit.sensors.len());
    if sensors.iter().all(|sensor| sensor.law == NoiseLaw::Gaussian) {
        return vec![Vec::new(); fit.windows.len()];
    }
    let all: Vec<Vec<f64>> = fit.recordings.iter().map(|of| distances(sensors, of)).collect();
    let good: Vec<f64> = sensors.iter().map(|s| s.law.expected(s.rows())).collect();
    let cost = |((sensor, good), distance): ((&Sensor, &f64), &f64)| {
        let cost = sensor.law.cost(distance * distance, sensor.rows());
        if *distance > 0.0 { (cost - good).max(0.0) } else { 0.0 }
    };
    let of = |window: &Window| {
        let rows = all[window.recording].chunks_exact(n).skip(window.first);
        let sample = |distances: &[f64]| sensors.iter().zip(&good).zip(distances).map(cost).sum();
        rows.take(window.length + 1).map(sample).collect()
    };
    fit.windows.iter().map(of).collect()
}

/// How far each sample of each sensor with a robust law is from its neighbours, in standard deviations of its noise, (samples,
/// sensors): zero where it is no outlier.
pub(super) fn distances(sensors: &[Sensor], recording: &Recording) -> Vec<f64> {
    let n = sensors.len();
    let mut found = vec![0.0; recording.samples * n];
    let robust = (0..n).filter(|index| sensors[*index].law != NoiseLaw::Gaussian);
    for index in robust {
        for (sample, distance) in outliers(sensors, recording, index) {
            found[sample * n + index] = distance;
        }
    }
    found
}

/// The samples of a sensor that are outliers, and how far they are from their neighbours in standard deviations of its noise.
pub(crate) fn outliers(
    sensors: &[Sensor],
    recording: &Recording,
    index: usize,
) -> Vec<(usize, f64)> {
    let series = Series::of(sensors, recording, index);
    let misses: Vec<Option<Miss>> = (0..series.samples.len()).map(|k| series.miss(k)).collect();
    let mut usual: Vec<f64> = misses.iter().flatten().map(|miss| miss.deviations).collect();
    usual.sort_by(f64::total_cmp);
    let usual = usual.get(3 * usual.len() / 4).copied().unwrap_or(0.0);
    let far = FAR.max(FARTHER * usual);
    let found = series.samples.iter().zip(misses).filter_map(|((sample, _), miss)| {
        let miss = miss.filter(|miss| miss.deviations > far)?;
        Some((*sample, miss.distance))
    });
    found.collect()
}

/// The measured values with those of outliers replaced by what the two nearest other samples predict.
pub(super) fn without(sensors: &[Sensor], recording: &Recording) -> Vec<f64> {
    let (n, columns) = (sensors.len(), columns_of(sensors));
    let mut measured = recording.measured.clone();
    let distances = distances(sensors, recording);
    let mut column = 0;
    for (index, sensor) in sensors.iter().enumerate() {
        let is_out = |sample: usize| distances[sample * n + index] > 0.0;
        let mut series = Series::of(sensors, recording, index);
        series.samples.retain(|(sample, _)| !is_out(*sample));
        for sample in (0..recording.samples).filter(|sample| is_out(*sample)) {
            if let [i, j, ..] = series.nearest(sample, None)[..] {
                let to = &mut measured[sample * columns + column..][..sensor.columns()];
                series.line(i, j, sample).write(to);
            }
        }
        column += sensor.columns();
    }
    measured
}

/// What a sensor measured.
#[derive(Clone, Copy)]
enum Value {
    Number(f64),
    /// An angle that may jump by a whole turn.
    Angle(f64),
    Orientation(Quat<f64>),
}

impl Value {
    /// What has to be added to `from`, as a rotation vector in the world's axes for an orientation.
    fn since(self, from: Value) -> Vec3<f64> {
        let one = |x| Vec3::new(x, 0.0, 0.0);
        match (self, from) {
            (Value::Orientation(to), Value::Orientation(from)) => (to * from.conjugate()).log(),
            (Value::Angle(to), Value::Angle(from)) => {
                let turn = core::f64::consts::TAU;
                one((to - from) - turn * ((to - from) / turn).round())
            }
            (Value::Number(to), Value::Number(from)) => one(to - from),
            _ => Vec3::ZERO,
        }
    }

    fn moved(self, by: Vec3<f64>) -> Value {
        match self {
            Value::Number(x) => Value::Number(x + by.x),
            Value::Angle(x) => Value::Angle(x + by.x),
            Value::Orientation(q) => Value::Orientation((Quat::exp(by) * q).normalized()),
        }
    }

    fn write(self, to: &mut [f64]) {
        match self {
            Value::Number(x) | Value::Angle(x) => to[0] = x,
            Value::Orientation(q) => to.copy_from_slice(&q.to_array()),
        }
    }
}

/// How far a sample is from the line of the pair that predicts it best.
struct Miss {
    /// In standard deviations of the noise.
    distance: f64,
    /// In standard deviations of the distance itself: the line has noise too.
    deviations: f64,
}

/// The samples of a sensor that are present.
struct Series {
    noise: f64,
    samples: Vec<(usize, Value)>,
}

impl Series {
    fn of(sensors: &[Sensor], recording: &Recording, index: usize) -> Self {
        let column: usize = sensors[..index].iter().map(Sensor::columns).sum();
        let value = |sample: usize| {
            let (measured, present) = recording.sample(sample, sensors);
            let value = &measured[column..];
            let value = match sensors[index].sees {
                Sees::Orientation(_) => Value::Orientation(Quat::from_slice(&value[..4])),
                Sees::Heading(_) => Value::Angle(value[0]),
                Sees::Position(..) | Sees::Velocity(_) | Sees::Place(..) => Value::Number(value[0]),
            };
            (present[index] > 0.0).then_some((sample, value))
        };
        let samples = (0..recording.samples).filter_map(value).collect();
        Series { noise: sensors[index].noise, samples }
    }

    /// The nearest entries to a sample, nearest first, without the entry `except`.
    fn nearest(&self, sample: usize, except: Option<usize>) -> Vec<usize> {
        let at = self.samples.partition_point(|(other, _)| *other < sample);
        let around = at.saturating_sub(NEIGHBOURS)..(at + NEIGHBOURS + 1).min(self.samples.len());
        let mut nearest: Vec<usize> = around.filter(|k| Some(*k) != except).collect();
        nearest.sort_by_key(|k| self.samples[*k].0.abs_diff(sample));
        nearest.truncate(NEIGHBOURS);
        nearest
    }

    /// What the straight line through two entries is at a sample.
    fn line(&self, i: usize, j: usize, sample: usize) -> Value {
        let ((at_i, from), (_, to)) = (self.samples[i], self.samples[j]);
        let share = self.share(i, j, sample);
        debug_assert!(share != 0.0 || at_i == sample);
        from.moved(to.since(from) * share)
    }

    /// How far a sample is from entry `i`, in units of the way from `i` to `j`.
    fn share(&self, i: usize, j: usize, sample: usize) -> f64 {
        let [i, j] = [i, j].map(|k| self.samples[k].0 as f64);
        (sample as f64 - i) / (j - i)
    }

    /// How far entry `k` is from its neighbours. None if there are too few to tell.
    fn miss(&self, k: usize) -> Option<Miss> {
        let (sample, value) = self.samples[k];
        let nearest = self.nearest(sample, Some(k));
        if nearest.len() < NEIGHBOURS {
            return None;
        }
        let pairs = (0..NEIGHBOURS).flat_map(|a| (0..a).map(move |b| (b, a)));
        let miss = |(a, b): (usize, usize)| {
            let (i, j) = (nearest[a], nearest[b]);
            let share = self.share(i, j, sample);
            let variance = 1.0 + share * share + (1.0 - share) * (1.0 - share);
            let distance = value.since(self.line(i, j, sample)).norm() / self.noise;
            let miss = Miss { distance, deviations: distance / variance.sqrt() };
            (variance < UNSURE * (1.0 + f64::EPSILON)).then_some(miss)
        };
        pairs.filter_map(miss).min_by(|a, b| a.deviations.total_cmp(&b.deviations))
    }
}

#[cfg(test)]
mod tests {
    use gradbody_math::random::Random;
    use gradbody_model::FrameId;

    use super::*;

    const SAMPLES: usize = 41;
    /// Time between samples [s].
    const FRAME: f64 = 1.0 / 148.0;

    fn sensor(sees: Sees, noise: f64) -> Sensor {
        let law = NoiseLaw::Student(4.0);
        Sensor { name: String::new(), sees, noise, estimated: false, law }
    }

    /// The height of a ball that hits the ground at 3 m/s between two samples, and the orientation of a body that begins to
    /// spin backwards then. `off` has the samples of both that are outliers.
    fn bounce(off: &[usize]) -> (Vec<Sensor>, Recording, Vec<f64>) {
        let world = FrameId::WORLD;
        let sensors =
            vec![sensor(Sees::Place(world, 2), 1e-3), sensor(Sees::Orientation(world), 0.0175)];
        let mut random = Random::new(5);
        let (mut measured, mut exact) = (Vec::new(), Vec::new());
        for k in 0..SAMPLES {
            let since = (k as f64 - 20.4) * FRAME;
            let height = if since < 0.0 { -3.0 * since } else { 1.5 * since };
            let turn = Quat::exp(Vec3::new(0.3, -8.0 * since.abs(), 2.0 * since));
            exact.push(height);
            exact.extend(turn.to_array());
            let is_out = off.contains(&k);
            // Neighbours are off to opposite sides.
            let side = if k % 2 == 0 { 1.0 } else { -1.0 };
            measured.push(height + if is_out { 0.06 * side } else { 1e-3 * random.normal() });
            let noise = Vec3::new(random.normal(), random.normal(), random.normal()) * 0.0175;
            let noise = if is_out { Vec3::new(-0.2, 0.1, 0.3) * side } else { noise };
            measured.extend((Quat::exp(noise) * turn).to_array());
        }
        let present = vec![1.0; 2 * SAMPLES];
        let (name, inputs) = (String::new(), Vec::new());
        let recording = Recording { name, begin: 0.0, measured, present, inputs, samples: SAMPLES };
        (sensors, recording, exact)
    }

    /// At the ends, beside each other, at the impact, and beside a missing sample.
    #[test]
    fn outliers_are_found_and_impacts_are_none() {
        let off = [0, 9, 10, 20, 28, 40];
        let (sensors, mut recording, exact) = bounce(&off);
        recording.present[2 * 27] = 0.0;
        recording.measured[5 * 27] = f64::NAN;
        let found = distances(&sensors, &recording);
        for (k, found) in found.chunks_exact(2).enumerate() {
            if off.contains(&k) {
                // 60 and 21 standard deviations, with the noise of lines through two samples; at the impact these miss by 24 mm.
                assert!((30.0..75.0).contains(&found[0]), "sample {k}: {found:?}");
                assert!((13.0..29.0).contains(&found[1]), "sample {k}: {found:?}");
            } else {
                assert_eq!(found, [0.0; 2], "sample {k}");
            }
        }
        // Lines through two noisy samples near the outlier, which may begin on the other side of the impact.
        for (k, (row, exact)) in
            without(&sensors, &recording).chunks_exact(5).zip(exact.chunks_exact(5)).enumerate()
        {
            let turn = Value::Orientation(Quat::from_slice(&row[1..]))
                .since(Value::Orientation(Quat::from_slice(&exact[1..])));
            assert!((row[0] - exact[0]).abs() < 0.015 || k == 27, "sample {k}: {row:?}");
            assert!(turn.norm() < 0.15, "sample {k}: {turn:?}");
        }
    }

    #[test]
    fn good_measurements_are_no_outliers() {
        let (sensors, recording, _) = bounce(&[]);
        assert!(distances(&sensors, &recording).iter().all(|distance| *distance == 0.0));
        assert_eq!(without(&sensors, &recording), recording.measured);
        // Nor are those of a swing that is sampled so rarely that straight lines miss it.
        let mut rare = recording.clone();
        for (k, row) in rare.measured.chunks_exact_mut(5).enumerate() {
            row[0] = (0.9 * k as f64).sin();
        }
        assert!(distances(&sensors[..1], &rare_height(&rare)).iter().all(|d| *d == 0.0));
    }

    fn rare_height(recording: &Recording) -> Recording {
        Recording {
            measured: recording.measured.chunks_exact(5).map(|row| row[0]).collect(),
            present: vec![1.0; SAMPLES],
            ..recording.clone()
        }
    }
}
