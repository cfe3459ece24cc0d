//! The errors that are told: one number for a body's position, one for its orientation, one for every other channel.
//!
//! The components of a position or of a quaternion say little by themselves. The error of a position is a distance, and
//! that of an orientation the angle of the rotation between prediction and measurement.

use std::f64::consts::TAU;

use gradbody_math::Quat;
use gradbody_math::random::Random;
use gradbody_model::{FrameId, Model};

use crate::experiment::Setup;
use crate::judge::{Predicted, Trials};
use crate::objective::{Sees, Sensor, columns_of};
use crate::outcome::{ChannelErrors, ErrorTable};

/// A row of a table of errors.
#[derive(Clone, Debug)]
pub struct ErrorRow {
    /// The channel, or `link/L position`, `link/L position x y`, `link/L orientation`.
    pub name: String,
    /// The unit that errors are told in.
    pub unit: &'static str,
    /// Its size in SI units.
    pub size: f64,
    /// The root mean square error that noise alone leaves, in SI units.
    pub noise: f64,
    /// How many numbers with errors of their own it stands for: 3 for an orientation.
    pub numbers: usize,
    kind: Kind,
}

/// How an error follows from the measured numbers. Places are the sensor and its first column.
#[derive(Clone, Debug)]
enum Kind {
    /// A difference.
    Number((usize, usize)),
    /// A difference of angles, at most half a turn.
    Heading((usize, usize)),
    /// A distance along several axes.
    Place(Vec<(usize, usize)>),
    /// The angle between two orientations.
    Orientation((usize, usize)),
}

impl ErrorRow {
    /// The error of a sample in the row's unit; of a single number, prediction minus measurement. None if a part of it
    /// was not measured.
    pub fn error(&self, predicted: &[f64], measured: &[f64], present: &[f64]) -> Option<f64> {
        let there = |at: &(usize, usize)| present[at.0] > 0.0;
        let difference = |at: &(usize, usize)| predicted[at.1] - measured[at.1];
        let error = match &self.kind {
            Kind::Number(at) => there(at).then(|| difference(at)),
            Kind::Heading(at) => there(at).then(|| {
                let turn = difference(at);
                turn - TAU * (turn / TAU).round()
            }),
            Kind::Place(axes) => axes
                .iter()
                .all(there)
                .then(|| axes.iter().map(|at| difference(at).powi(2)).sum::<f64>().sqrt()),
            Kind::Orientation(at) => there(at).then(|| {
                let of = |values: &[f64]| Quat::from_slice(&values[at.1..at.1 + 4]);
                angle_between(of(predicted), of(measured))
            }),
        };
        error.map(|error| error / self.size)
    }

    /// Whether the row joins several channels.
    pub fn joins(&self) -> bool {
        matches!(self.kind, Kind::Place(_) | Kind::Orientation(_))
    }
}

/// The angle of the rotation between two orientations [rad], from 0 to π. Quaternions of any length and sign will do.
pub(crate) fn angle_between(a: Quat<f64>, b: Quat<f64>) -> f64 {
    let turn = a * b.conjugate();
    // Accurate at all angles, where an arc cosine is not.
    2.0 * turn.imaginary().norm().atan2(turn.w.abs())
}

/// The rows for these sensors. `columns` has the channel, the unit and its size of each measured number.
pub(crate) fn error_rows(
    model: &Model<f64>,
    sensors: &[Sensor],
    columns: &[(String, &'static str, f64)],
) -> Vec<ErrorRow> {
    let mut rows: Vec<ErrorRow> = Vec::new();
    let mut column = 0;
    for (k, sensor) in sensors.iter().enumerate() {
        let at = (k, column);
        column += sensor.columns();
        let (channel, unit, size) = &columns[at.1];
        let link = |frame: FrameId| format!("link/{}", model.topology.frames[frame.index()].name);
        let row = |kind: Kind| ErrorRow {
            name: channel.clone(),
            unit,
            size: *size,
            noise: sensor.noise,
            numbers: sensor.rows(),
            kind,
        };
        rows.push(match sensor.sees {
            Sees::Heading(_) => row(Kind::Heading(at)),
            Sees::Orientation(frame) => ErrorRow {
                name: link(frame) + " orientation",
                unit: "deg",
                size: 1_f64.to_radians(),
                // The noise is that about each of three axes.
                noise: 3_f64.sqrt() * sensor.noise,
                ..row(Kind::Orientation(at))
            },
            Sees::Place(frame, axis) => {
                let axes = axes_of(frame, sensors);
                match axes.iter().map(|(axis, _)| *axis).collect::<Vec<_>>()[..] {
                    [first, .., last] if first == axis => {
                        let which = if axes.len() == 3 { String::new() } else { both(first, last) };
                        let places: Vec<(usize, usize)> = axes.iter().map(|(_, at)| *at).collect();
                        let alike = places.iter().all(|(_, c)| columns[*c].1 == *unit);
                        let squares = places.iter().map(|(k, _)| sensors[*k].noise.powi(2));
                        ErrorRow {
                            name: link(frame) + " position" + &which,
                            unit: if alike { unit } else { "m" },
                            size: if alike { *size } else { 1.0 },
                            noise: squares.sum::<f64>().sqrt(),
                            numbers: places.len(),
                            kind: Kind::Place(places),
                        }
                    }
                    // Joined with the first axis.
                    [_, .., _] => continue,
                    _ => row(Kind::Number(at)),
                }
            }
            _ => row(Kind::Number(at)),
        });
    }
    rows
}

/// The measured axes of a frame's origin in order, with the place of each. Empty if an axis is measured twice.
fn axes_of(frame: FrameId, sensors: &[Sensor]) -> Vec<(usize, (usize, usize))> {
    let mut column = 0;
    let mut axes = Vec::new();
    for (k, sensor) in sensors.iter().enumerate() {
        match sensor.sees {
            Sees::Place(of, axis) if of == frame => axes.push((axis, (k, column))),
            _ => {}
        }
        column += sensor.columns();
    }
    axes.sort_unstable();
    let twice = axes.windows(2).any(|pair| pair[0].0 == pair[1].0);
    if twice { Vec::new() } else { axes }
}

/// ` x y`.
fn both(first: usize, last: usize) -> String {
    let letter = |axis: usize| ["x", "y", "z"][axis];
    format!(" {} {}", letter(first), letter(last))
}

impl Setup {
    /// The rows that errors are told in: each body's position and orientation, and every other channel.
    pub fn error_rows(&self) -> Vec<ErrorRow> {
        error_rows(&self.model, &self.sensors, &self.columns)
    }

    /// The errors of predictions by the way that `by` names, which has `trained` fitted numbers.
    pub fn errors(
        &self,
        by: &str,
        trained: usize,
        trials: &Trials,
        predicted: &Predicted,
    ) -> ErrorTable {
        let longest = trials.windows.iter().map(|w| trials.horizon(w)).max().unwrap_or(0);
        let (columns, rows) = (columns_of(&self.sensors), self.error_rows());
        // Of each row: the squared errors at each horizon, and in each window.
        let mut at_horizon = vec![vec![MeanSquare::default(); longest]; rows.len()];
        let mut in_windows = vec![Vec::new(); rows.len()];
        let mut in_recordings =
            vec![vec![MeanSquare::default(); trials.recordings.len()]; rows.len()];
        for (window, predicted) in trials.windows.iter().zip(predicted) {
            let Some(predicted) = predicted else { continue };
            let recording = &trials.recordings[window.recording];
            for (r, row) in rows.iter().enumerate() {
                let mut whole = MeanSquare::default();
                for (k, predicted) in predicted.chunks(columns).enumerate() {
                    let at = window.first + trials.given + k;
                    let (measured, present) = recording.sample(at, &self.sensors);
                    if let Some(error) = row.error(predicted, measured, present) {
                        at_horizon[r][k].add(error);
                        whole.add(error);
                    }
                }
                in_windows[r].push(whole);
                in_recordings[r][window.recording].add_all(whole);
            }
        }
        let channel = |(r, row): (usize, &ErrorRow)| {
            let (at_horizon, in_windows) = (&at_horizon[r], &in_windows[r]);
            let by_horizon = at_horizon.iter().enumerate().filter(|(_, at)| at.count > 0);
            ChannelErrors {
                name: row.name.clone(),
                unit: row.unit.to_owned(),
                rms: MeanSquare::of_all(in_windows).root(),
                interval: bootstrap(&in_recordings[r]),
                median: median(in_windows.iter().map(|w| w.root()).filter(|x| !x.is_nan())),
                by_horizon: by_horizon
                    .map(|(k, at)| ((k + 1) as f64 * self.period, at.root()))
                    .collect(),
            }
        };
        ErrorTable {
            by: by.to_owned(),
            trained,
            part: trials.part.name().to_owned(),
            channels: rows.iter().enumerate().map(channel).collect(),
            diverged: predicted.iter().filter(|of| of.is_none()).count(),
            windows: trials.windows.len(),
        }
    }
}

/// A sum of squares, and of how many.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MeanSquare {
    sum: f64,
    pub(crate) count: usize,
}

impl MeanSquare {
    pub(crate) fn add(&mut self, x: f64) {
        self.sum += x * x;
        self.count += 1;
    }

    fn add_all(&mut self, part: MeanSquare) {
        self.sum += part.sum;
        self.count += part.count;
    }

    fn of_all<'a>(parts: impl IntoIterator<Item = &'a MeanSquare>) -> MeanSquare {
        let mut all = MeanSquare::default();
        parts.into_iter().for_each(|part| all.add_all(*part));
        all
    }

    /// The root of the mean. NaN, not zero, without any.
    pub(crate) fn root(self) -> f64 {
        (self.sum / self.count as f64).sqrt()
    }
}

/// Fewer recordings than this say nothing about a spread.
const FEWEST: usize = 5;
/// How often recordings are drawn anew.
const DRAWS: usize = 1000;

/// Between which values the root mean square lies in 90 % of draws of as many recordings from these: the bootstrap [Efron
/// 1979]. Recordings are independent of each other; samples of one are not. None for few recordings.
fn bootstrap(in_recordings: &[MeanSquare]) -> Option<(f64, f64)> {
    let there: Vec<MeanSquare> = in_recordings.iter().copied().filter(|r| r.count > 0).collect();
    if there.len() < FEWEST {
        return None;
    }
    let mut random = Random::new(0);
    let draw = |_| {
        let drawn: Vec<MeanSquare> =
            there.iter().map(|_| there[random.below(there.len())]).collect();
        MeanSquare::of_all(&drawn).root()
    };
    let mut roots: Vec<f64> = (0..DRAWS).map(draw).collect();
    roots.sort_by(f64::total_cmp);
    Some((roots[DRAWS / 20], roots[DRAWS - 1 - DRAWS / 20]))
}

/// The middle value, or the mean of the two in the middle; NaN without any.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let n = values.len();
    if n == 0 { f64::NAN } else { 0.5 * (values[(n - 1) / 2] + values[n / 2]) }
}

#[cfg(test)]
mod tests {
    use gradbody_math::{Inertia, Sym3, Vec3};
    use gradbody_model::{JointSpec, ModelBuilder};

    use super::*;
    use crate::objective::NoiseLaw;

    fn body() -> (Model<f64>, FrameId) {
        let mut builder = ModelBuilder::new("body");
        let rotational = Sym3::diagonal(Vec3::new(0.02, 0.03, 0.04));
        let inertia = Inertia { mass: 1.5, com: Vec3::ZERO, rotational };
        builder.link("body", FrameId::WORLD, JointSpec::free("root"), inertia).unwrap();
        let model = builder.build().unwrap();
        let frame = model.topology.frame("body").unwrap();
        (model, frame)
    }

    /// A sensor for each, with a noise of 0.01, and a column for each of their numbers in this unit.
    fn rows_of(sees: &[Sees], unit: (&'static str, f64)) -> Vec<ErrorRow> {
        let (model, _) = body();
        let sensor = |sees: &Sees| Sensor {
            name: format!("{sees:?}"),
            sees: *sees,
            noise: 0.01,
            estimated: false,
            law: NoiseLaw::Gaussian,
        };
        let sensors: Vec<Sensor> = sees.iter().map(sensor).collect();
        let columns: Vec<_> =
            (0..columns_of(&sensors)).map(|c| (format!("c{c}"), unit.0, unit.1)).collect();
        error_rows(&model, &sensors, &columns)
    }

    /// The pose of a body is two rows, whatever the order of its channels; the angle is the same for either sign.
    #[test]
    fn a_turn_of_ten_degrees_about_any_axis_is_an_error_of_ten_degrees() {
        let (_, frame) = body();
        let sees = [
            Sees::Place(frame, 2),
            Sees::Orientation(frame),
            Sees::Place(frame, 0),
            Sees::Place(frame, 1),
        ];
        let rows = rows_of(&sees, ("m", 1.0));
        let names: Vec<_> = rows.iter().map(|row| (row.name.as_str(), row.unit)).collect();
        assert_eq!(names, [("link/body orientation", "deg"), ("link/body position", "m")]);
        let start = Quat::exp(Vec3::new(0.4, -1.1, 2.0));
        for axis in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(0.6, 0.0, -0.8)] {
            let turned = Quat::exp(axis * 10_f64.to_radians()) * start;
            for sign in [1.0, -1.0] {
                let sample = |z: f64, q: Quat<f64>, x: f64, y: f64| {
                    [&[z][..], &q.to_array(), &[x, y]].concat()
                };
                let mut predicted = sample(0.2, turned, 0.1, 0.05);
                predicted[1..5].iter_mut().for_each(|part| *part *= sign);
                let measured = sample(0.5, start, 0.1, 0.45);
                let error = |row: usize, present: [f64; 4]| {
                    rows[row].error(&predicted, &measured, &present)
                };
                let turn = error(0, [1.0; 4]).unwrap();
                assert!((turn - 10.0).abs() < 1e-12, "{turn} about {axis:?}");
                assert!((error(1, [1.0; 4]).unwrap() - 0.5).abs() < 1e-15);
                // Half of a position is none.
                assert_eq!(error(1, [1.0, 1.0, 0.0, 1.0]), None);
                assert!(error(0, [1.0, 1.0, 0.0, 1.0]).is_some());
            }
        }
    }

    /// The largest angles are found too: half a turn, and nearly one.
    #[test]
    fn an_orientation_errs_by_at_most_half_a_turn() {
        for (turn, error) in [(180.0, 180.0), (190.0, 170.0), (360.0, 0.0), (1e-6, 1e-6)] {
            let turned = Quat::exp(Vec3::new(0.0, 0.6, 0.8) * f64::to_radians(turn));
            let found = angle_between(turned, Quat::IDENTITY).to_degrees();
            assert!((found - error).abs() < 1e-12, "{found} for {turn}");
        }
    }

    #[test]
    fn channels_that_make_no_pose_keep_their_names() {
        let (_, frame) = body();
        let names = |sees: &[Sees]| -> Vec<String> {
            rows_of(sees, ("mm", 1e-3)).into_iter().map(|row| row.name).collect()
        };
        assert_eq!(names(&[Sees::Place(frame, 2), Sees::Velocity(3)]), ["c0", "c1"]);
        assert_eq!(names(&[Sees::Heading(frame)]), ["c0"]);
        // Two cameras that see the same coordinate are two channels.
        assert_eq!(names(&[Sees::Place(frame, 0), Sees::Place(frame, 0)]), ["c0", "c1"]);
        let planar = rows_of(
            &[Sees::Place(frame, 1), Sees::Heading(frame), Sees::Place(frame, 0)],
            ("mm", 1e-3),
        );
        assert_eq!(planar[0].name, "c1");
        assert_eq!((planar[1].name.as_str(), planar[1].unit), ("link/body position x y", "mm"));
        let error = planar[1].error(&[0.004, 0.0, 0.003], &[0.0; 3], &[1.0; 3]).unwrap();
        assert!((error - 5.0).abs() < 1e-12, "{error}");
        assert!((planar[1].noise - 0.01 * 2_f64.sqrt()).abs() < 1e-15);
    }

    /// One recording in ten has an error ten times as large as the others: the root mean square is uncertain by a factor.
    #[test]
    fn the_spread_of_an_error_comes_from_recordings() {
        let of = |error: f64| {
            let mut whole = MeanSquare::default();
            (0..50).for_each(|_| whole.add(error));
            whole
        };
        let alike = [of(2.0); 20];
        assert_eq!(bootstrap(&alike), Some((2.0, 2.0)));
        let mut heavy = [of(1.0); 20];
        (heavy[3], heavy[17]) = (of(10.0), of(10.0));
        let (low, high) = bootstrap(&heavy).unwrap();
        let rms = MeanSquare::of_all(&heavy).root();
        assert!(low < 0.7 * rms && high > 1.3 * rms, "{low} to {high} around {rms}");
        assert_eq!(bootstrap(&alike[..4]), None);
    }

    #[test]
    fn the_middle_of_errors_is_not_moved_by_one_that_is_large() {
        assert_eq!(median([1.0, 900.0, 2.0].into_iter()), 2.0);
        assert_eq!(median([4.0, 1.0, 2.0, 900.0].into_iter()), 3.0);
        assert!(median(std::iter::empty()).is_nan());
    }
}
