//! How far motion can be predicted at all, and how well predictions say how sure they are.
//!
//! A prediction begins at a state that the given samples determine only as well as their noise allows. Starts that differ
//! by that much are simulated beside each other. How far they drift apart is an error that no model can avoid: beyond
//! the time at which they are as different as unrelated motions, only their distribution can be compared with what was
//! measured.

use gradbody_dynamics::integrate;
use gradbody_math::random::Random;
use gradbody_model::Model;
use gradbody_sim::State;
use nalgebra::{DMatrix, DVector, SymmetricEigen};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::experiment::{DataPart, ExperimentError, Setup, evenly};
use crate::judge::{Predicted, Predictor, Trials};
use crate::objective::{Observer, Recording, Window, columns_of};
use crate::outcome::{ChannelErrors, ErrorTable};

/// Starts of each window. Of 19 predictions and a measurement drawn alike, the measurement is within their range in 18
/// of 20 cases.
const STARTS: usize = 19;
/// The share of measurements that lie within the range of 19 predictions, if these are distributed as they are.
pub const COVERAGE: f64 = (STARTS - 1) as f64 / (STARTS + 1) as f64;
/// A window can no longer be followed if its starts drift apart by this share of the difference of unrelated motions.
const LOST: f64 = 0.5;
/// Windows that are looked at before a fit.
const FORESEEN: usize = 24;
/// Directions of a start with less information than this share of the most are not determined, and not varied.
const UNSEEN: f64 = 1e-12;

/// What starts that differ within the noise lead to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Foresight {
    /// Which model: "before" or "after".
    pub by: String,
    /// The part of the data.
    pub part: String,
    /// How far predictions from starts within the noise drift apart: the error that is left with a perfect model.
    pub drift: Vec<ChannelErrors>,
    /// How different unrelated motions are, in the same channels.
    pub unrelated: Vec<ChannelErrors>,
    /// Seconds ahead at which some channel's drift reaches half of that difference. None if none does.
    pub limit: Option<f64>,
    /// The longest time predicted [s].
    pub longest: f64,
    /// The share of measured values within the range of the predictions: [`COVERAGE`] for a model that is right.
    /// None if motions from such starts diverge in every window.
    pub coverage: Option<f64>,
    /// The same, of the values beyond the limit.
    pub coverage_beyond: Option<f64>,
    /// How well the predictions agree with the measurement at the end of a window, as distributions.
    pub scores: Vec<EnergyScore>,
}

/// The energy score of predictions X and a measurement y, E|X − y| − ½ E|X − X′|, in the mean over windows at their ends
/// [Gneiting and Raftery 2007]. It is least for predictions that are distributed as the measurements are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EnergyScore {
    /// The channel, or a body's position or orientation.
    pub name: String,
    /// The unit.
    pub unit: String,
    /// The score.
    pub score: f64,
    /// The score of a model that is right: ½ E|X − X′|.
    pub right: f64,
}

impl Foresight {
    /// How far motions can be followed, and how well predictions know how sure they are, a sentence each.
    pub fn sentences(&self) -> Vec<String> {
        let longest = self.longest;
        let how_far = match self.limit {
            Some(limit) => format!(
                "Starts that differ within the noise are half as different as unrelated motions after {limit:.2} s (of \
                 {longest:.2} s that are predicted): beyond that, no model can follow a single motion"
            ),
            None => format!(
                "Starts that differ within the noise stay together over the {longest:.2} s that are predicted"
            ),
        };
        let beyond = self.coverage_beyond.map_or_else(String::new, |beyond| {
            format!("; beyond {:.2} s, {:.0} %", self.limit.unwrap_or(0.0), 100.0 * beyond)
        });
        let mut sentences = vec![how_far];
        sentences.extend(self.coverage.map(|coverage| {
            format!(
                "{:.0} % of the measured values are within the range of {STARTS} predictions from such starts ({:.0} % if \
                 the model is right){beyond}",
                100.0 * coverage,
                100.0 * COVERAGE
            )
        }));
        if self.limit.is_some() {
            let told: Vec<String> = self
                .scores
                .iter()
                .map(|s| {
                    format!(
                        "{} {:.3} {} ({:.3} for a model that is right)",
                        s.name, s.score, s.unit, s.right
                    )
                })
                .collect();
            sentences.push(format!("Energy scores at the ends of windows: {}", told.join(", ")));
        }
        sentences
    }

    /// What to do about windows of `window` [s] that are longer than motions can be followed.
    fn advice(&self, window: f64, period: f64) -> Option<String> {
        let limit = self.limit.filter(|limit| *limit < window)?;
        let samples = (limit / period).floor().max(1.0);
        Some(format!(
            "starts that differ within the noise are half as different as unrelated motions after {limit:.2} s, and \
             windows are {window:.2} s long: the end of a window then says little about the parameters and makes the \
             search harder; set objective.window = {samples} or less"
        ))
    }
}

impl Setup {
    /// Before a fit: what to do if motions cannot be followed for as long as the windows that are fitted.
    pub fn foresee(&self, before: &Predictor) -> Result<Option<String>, ExperimentError> {
        let longest = self.windows(DataPart::Train)?.iter().map(|window| window.length).max();
        let window = longest.unwrap_or(0) as f64 * self.period;
        let Some(trials) = self.trials(DataPart::Train) else { return Ok(None) };
        let some = Trials { windows: evenly(trials.windows, FORESEEN), ..trials };
        let found = self.foresight("before", before, &some)?;
        Ok(found.and_then(|found| found.advice(window, self.period)))
    }

    /// Varies the starts of windows within their noise and compares where they lead. None if starts cannot be found, as
    /// with less than three given samples, or if there is only one window.
    pub fn foresight(
        &self,
        name: &str,
        by: &Predictor,
        trials: &Trials,
    ) -> Result<Option<Foresight>, ExperimentError> {
        let begun = self.begin(by, trials)?;
        let paths: Vec<Option<Paths>> = trials
            .windows
            .par_iter()
            .zip(begun)
            .enumerate()
            .map(|(k, (window, begun))| {
                let found = begun.found?;
                let spread = spread(&found.information?)?;
                self.paths(by, trials, (k, window), &found.first, &spread)
            })
            .collect();
        let known: Vec<(&Window, &Paths)> = trials
            .windows
            .iter()
            .zip(&paths)
            .filter_map(|(window, paths)| Some((window, paths.as_ref()?)))
            .collect();
        if known.len() < 2 {
            return Ok(None);
        }
        let drift = self.drift(trials, &known);
        let unrelated = self.unrelated(trials);
        let rows = self.error_rows();
        let noise: Vec<f64> = rows.iter().map(|row| row.noise / row.size).collect();
        let limit = limit(&drift.channels, &unrelated.channels, &noise);
        let (coverage, coverage_beyond) = self.coverage(trials, &known, limit);
        let longest = trials.windows.iter().map(|w| trials.horizon(w)).max().unwrap_or(0);
        Ok(Some(Foresight {
            by: name.to_owned(),
            part: trials.part.name().to_owned(),
            drift: drift.channels,
            unrelated: unrelated.channels,
            limit,
            longest: longest as f64 * self.period,
            coverage,
            coverage_beyond,
            scores: self.scores(trials, &known),
        }))
    }

    /// Predictions of a window from the best start, and from starts within its noise.
    fn paths(
        &self,
        by: &Predictor,
        trials: &Trials,
        (k, window): (usize, &Window),
        first: &State<f64>,
        spread: &DMatrix<f64>,
    ) -> Option<Paths> {
        let samples = window.length;
        let mut observer = Observer::new(&by.model, &self.sensors);
        let mut follow = |start: &State<f64>| {
            let mut seen = Vec::new();
            let mut sample = 0;
            self.carry(by, trials.inputs(window), start, samples, |state| {
                sample += 1;
                if sample >= trials.given {
                    observer.predict(&self.sensors, &by.model, state, &mut seen);
                }
            })?;
            Some(seen)
        };
        let best = follow(first)?;
        let mut random = Random::derived(self.experiment.seed, &[k as u64]);
        let others = (0..STARTS)
            .map(|_| {
                let drawn = DVector::from_fn(spread.ncols(), |_, _| random.normal());
                follow(&moved(&by.model, first, &(spread * drawn)))
            })
            .collect();
        Some(Paths { best, others })
    }

    /// How far the predictions from other starts are from that of the best one.
    fn drift(&self, trials: &Trials, known: &[(&Window, &Paths)]) -> ErrorTable {
        let columns = columns_of(&self.sensors);
        let as_recording = |(window, paths): &(&Window, &Paths)| {
            let samples = window.length + 1;
            let mut measured = vec![0.0; trials.given * columns];
            measured.extend_from_slice(&paths.best);
            Recording {
                name: String::new(),
                begin: 0.0,
                measured,
                present: vec![1.0; samples * self.sensors.len()],
                inputs: Vec::new(),
                samples,
            }
        };
        let mut windows = Vec::new();
        let mut predicted: Predicted = Vec::new();
        for (recording, (window, paths)) in known.iter().enumerate() {
            for other in &paths.others {
                windows.push(Window {
                    recording,
                    first: 0,
                    length: window.length,
                    continues: false,
                });
                predicted.push(other.clone());
            }
        }
        let recordings = known.iter().map(as_recording).collect();
        let against = Trials { part: trials.part, recordings, windows, given: trials.given };
        self.errors("start", 0, &against, &predicted)
    }

    /// How different the motions of different windows are.
    fn unrelated(&self, trials: &Trials) -> ErrorTable {
        let n = trials.windows.len();
        let of = |k: usize| {
            let (this, other) = (&trials.windows[k], &trials.windows[(k + n / 2).max(k + 1) % n]);
            let recording = &trials.recordings[other.recording];
            let from = other.first + trials.given;
            let last = other.first + other.length;
            // A shorter motion stays where it ended.
            let sample = |row: usize| recording.sample((from + row).min(last), &self.sensors);
            let rows = 0..trials.horizon(this);
            rows.clone()
                .all(|row| sample(row).1.iter().all(|present| *present > 0.0))
                .then(|| rows.flat_map(|row| sample(row).0.to_vec()).collect())
        };
        let predicted: Predicted = (0..n).map(of).collect();
        self.errors("unrelated", 0, trials, &predicted)
    }

    /// The energy score of each row of errors at the ends of windows.
    fn scores(&self, trials: &Trials, known: &[(&Window, &Paths)]) -> Vec<EnergyScore> {
        let columns = columns_of(&self.sensors);
        let present = vec![1.0; self.sensors.len()];
        let mut scores = Vec::new();
        for row in self.error_rows() {
            let (mut score, mut right, mut count) = (0.0, 0.0, 0_usize);
            for (window, paths) in known {
                let last = trials.horizon(window) - 1;
                let ends: Vec<&[f64]> =
                    paths.others.iter().flatten().map(|path| &path[last * columns..]).collect();
                let recording = &trials.recordings[window.recording];
                let (measured, there) =
                    recording.sample(window.first + window.length, &self.sensors);
                let apart =
                    |a: &[f64], b: &[f64], there: &[f64]| Some(row.error(a, b, there)?.abs());
                let off: Option<Vec<f64>> =
                    ends.iter().map(|end| apart(end, measured, there)).collect();
                let Some(off) = off.filter(|off| off.len() > 1) else { continue };
                let n = off.len() as f64;
                let mut between = 0.0;
                for (k, a) in ends.iter().enumerate() {
                    between += ends[..k].iter().filter_map(|b| apart(a, b, &present)).sum::<f64>();
                }
                // Half of the mean over pairs of different predictions.
                let half = between / (n * (n - 1.0));
                score += off.iter().sum::<f64>() / n - half;
                right += half;
                count += 1;
            }
            if count > 0 {
                let mean = |sum: f64| sum / count as f64;
                scores.push(EnergyScore {
                    name: row.name.clone(),
                    unit: row.unit.to_owned(),
                    score: mean(score),
                    right: mean(right),
                });
            }
        }
        scores
    }

    /// The share of measured values within the range of the predictions, of all and of those beyond the limit.
    fn coverage(
        &self,
        trials: &Trials,
        known: &[(&Window, &Paths)],
        limit: Option<f64>,
    ) -> (Option<f64>, Option<f64>) {
        let columns = columns_of(&self.sensors);
        let mut random = Random::derived(self.experiment.seed, &[u64::MAX]);
        let (mut all, mut beyond) = ((0_usize, 0_usize), (0_usize, 0_usize));
        for (window, paths) in known {
            let others: Vec<&Vec<f64>> = paths.others.iter().flatten().collect();
            if others.len() < STARTS {
                continue;
            }
            let recording = &trials.recordings[window.recording];
            for row in 0..trials.horizon(window) {
                let at = window.first + trials.given + row;
                let (measured, present) = recording.sample(at, &self.sensors);
                let mut column = 0;
                for (sensor, present) in self.sensors.iter().zip(present) {
                    // A quaternion's components change by half of a small angle.
                    let noise = if sensor.columns() == 4 { 0.5 } else { 1.0 } * sensor.noise;
                    let here = column..column + sensor.columns();
                    // Either sign of a quaternion is the same orientation: take the nearer one.
                    let sign = |other: &[f64]| match sensor.columns() {
                        4 => here
                            .clone()
                            .map(|c| other[row * columns + c] * measured[c])
                            .sum::<f64>()
                            .signum(),
                        _ => 1.0,
                    };
                    for c in here.clone() {
                        let seen = others
                            .iter()
                            .map(|o| sign(o) * o[row * columns + c] + noise * random.normal());
                        let (low, high) = seen
                            .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| {
                                (l.min(x), h.max(x))
                            });
                        if *present == 0.0 {
                            continue;
                        }
                        let inside = usize::from((low..=high).contains(&measured[c]));
                        all = (all.0 + inside, all.1 + 1);
                        if limit.is_some_and(|limit| (row + 1) as f64 * self.period > limit) {
                            beyond = (beyond.0 + inside, beyond.1 + 1);
                        }
                    }
                    column += sensor.columns();
                }
            }
        }
        let share = |(inside, of): (usize, usize)| (of > 0).then(|| inside as f64 / of as f64);
        (share(all), share(beyond))
    }
}

/// What a window's starts lead to: predicted values after the given samples, (samples, columns).
struct Paths {
    best: Vec<f64>,
    /// From other starts; None where the motion diverges.
    others: Predicted,
}

/// A matrix that turns independent normal numbers into offsets with the covariance that is the inverse of `information`.
fn spread(information: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    if information.iter().any(|x| !x.is_finite()) {
        return None;
    }
    let eigen = SymmetricEigen::new(information.clone());
    let most = eigen.eigenvalues.max();
    let mut directions = eigen.eigenvectors;
    for (mut direction, value) in directions.column_iter_mut().zip(eigen.eigenvalues.iter()) {
        direction *= if *value > UNSEEN * most { value.powf(-0.5) } else { 0.0 };
    }
    Some(directions)
}

/// A state moved by offsets (dq, dv).
fn moved(model: &Model<f64>, from: &State<f64>, by: &DVector<f64>) -> State<f64> {
    let mut state = from.clone();
    let (dq, dv) = by.as_slice().split_at(model.nv());
    integrate(model, &mut state.q, dq);
    state.v.iter_mut().zip(dv).for_each(|(v, dv)| *v += dv);
    state
}

/// A channel whose unrelated motions differ by less than this many times the noise hardly moves, and says nothing.
const MOVES: f64 = 10.0;

/// The first time at which some channel's drift is as large as [`LOST`] of the difference of unrelated motions. `noise` is
/// what noise alone leaves in each channel.
fn limit(drift: &[ChannelErrors], unrelated: &[ChannelErrors], noise: &[f64]) -> Option<f64> {
    let first = |((drift, unrelated), noise): ((&ChannelErrors, &ChannelErrors), &f64)| {
        let lost = |(_, error): &&(f64, f64)| *error > LOST * unrelated.rms;
        let moves = unrelated.rms > MOVES * noise;
        drift.by_horizon.iter().find(lost).map(|(t, _)| *t).filter(|_| moves)
    };
    drift.iter().zip(unrelated).zip(noise).filter_map(first).reduce(f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(rms: f64, growth: f64) -> ChannelErrors {
        let by_horizon = (1..=10).map(|k| (0.1 * f64::from(k), growth * f64::from(k))).collect();
        ChannelErrors {
            name: "x".into(),
            unit: "m".into(),
            rms,
            interval: None,
            median: rms,
            by_horizon,
        }
    }

    #[test]
    fn motion_is_lost_where_the_drift_is_half_of_unrelated_motions() {
        let limit = |drift: f64, unrelated: f64, noise: f64| {
            limit(&[channel(0.0, drift)], &[channel(unrelated, 0.0)], &[noise])
        };
        assert_eq!(limit(0.1, 1.0, 0.01), Some(0.1 * 6.0), "0.6 is the first above 0.5");
        assert_eq!(limit(0.01, 1.0, 0.01), None);
        // A channel that hardly moves says nothing.
        assert_eq!(limit(0.1, 1.0, 0.2), None);
    }

    /// Starts are drawn with the covariance that is the inverse of the information, and not along what nothing sees.
    #[test]
    fn starts_are_drawn_within_their_noise() {
        let information =
            DMatrix::from_row_slice(3, 3, &[4.0, 1.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0]);
        let spread = spread(&information).unwrap();
        let covariance = &spread * spread.transpose();
        let product = &information * covariance;
        for (i, k) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let expected = if i == k { 1.0 } else { 0.0 };
            assert!((product[(i, k)] - expected).abs() < 1e-12, "{product}");
        }
        assert_eq!(spread.row(2).norm(), 0.0);
        assert!(super::spread(&DMatrix::from_element(1, 1, f64::NAN)).is_none());
    }
}
