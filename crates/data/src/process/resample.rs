//! Resampling at a uniform rate.
//!
//! Every channel is interpolated between its own samples, so that channels that were logged at different times get
//! common times. Where a channel has no sample for too long, all are cut. The result is a list of uninterrupted pieces,
//! in which every channel is known from the start to the end.

use serde::{Deserialize, Serialize};

use super::ProcessError;
use crate::{Channel, DataSet, Trajectory};

/// The interpolation between samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Interpolation {
    /// A straight line.
    #[default]
    Linear,
    /// The cubic polynomial through the two samples on either side; at an end, the last four.
    Cubic,
}

/// Options of resampling. Unwrap angles first; quaternions are interpolated as plain numbers, and must be normalised
/// afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resample {
    /// Sample rate [Hz].
    pub rate: f64,
    /// The interpolation between samples.
    #[serde(default)]
    pub interpolation: Interpolation,
    /// The longest time between samples to interpolate over [s]; trajectories are cut at longer ones.
    pub longest_gap: f64,
}

/// More samples than this in a piece indicate a wrong unit of time.
const MANY: f64 = 1e8;

/// A time that is early by this fraction of a step counts as reached: clocks are written with few digits.
const REACHED: f64 = 1e-6;

impl Resample {
    /// The uniform pieces of all trajectories.
    pub fn set(&self, set: &DataSet) -> Result<DataSet, ProcessError> {
        let pieces = set.trajectories.iter().map(|t| self.trajectory(t));
        let pieces = pieces.collect::<Result<Vec<_>, _>>()?;
        let trajectories = pieces.into_iter().flatten().collect();
        Ok(DataSet { trajectories, files: set.files.clone() })
    }

    /// The uniform pieces of a trajectory: itself if it has no long gaps, otherwise `name#0`, `name#1`, …, each with
    /// its own times and at least two samples.
    pub fn trajectory(&self, whole: &Trajectory) -> Result<Vec<Trajectory>, ProcessError> {
        if !(self.rate.is_finite() && self.rate > 0.0) {
            return Err(ProcessError::Rate(self.rate));
        }
        if self.longest_gap.is_nan() || self.longest_gap <= 0.0 {
            return Err(ProcessError::Gap(self.longest_gap));
        }
        let samples: Vec<Vec<Sample>> =
            whole.channels.iter().map(|channel| known(&whole.t, channel)).collect();
        let stretches: Vec<Vec<&[Sample]>> =
            samples.iter().map(|samples| stretches(samples, self.longest_gap)).collect();
        let mut spans = match (whole.t.first(), whole.t.last()) {
            (Some(first), Some(last)) => vec![(*first, *last)],
            _ => Vec::new(),
        };
        for stretches in &stretches {
            spans = in_both(&spans, stretches);
        }
        let mut pieces = Vec::new();
        for (start, end) in spans {
            let steps = ((end - start) * self.rate + REACHED).floor();
            if steps > MANY {
                return Err(ProcessError::TooMany {
                    trajectory: whole.name.clone(),
                    duration: end - start,
                    rate: self.rate,
                    samples: steps,
                });
            }
            if steps < 1.0 {
                continue;
            }
            let t: Vec<f64> = (0..=steps as usize).map(|k| start + k as f64 / self.rate).collect();
            let resampled = |(channel, stretches): (&Channel, &Vec<&[Sample]>)| {
                let after = stretches.partition_point(|stretch| stretch[0].t <= start);
                let stretch = stretches[after - 1];
                let values = t.iter().map(|t| self.interpolation.value(stretch, *t)).collect();
                Channel { name: channel.name.clone(), unit: channel.unit, values }
            };
            let channels = whole.channels.iter().zip(&stretches).map(resampled);
            let channels = channels.collect();
            let (name, origin, file) =
                (whole.name.clone(), whole.origin.clone(), whole.file.clone());
            pieces.push(Trajectory { name, origin, file, t, channels });
        }
        if pieces.len() > 1 {
            for (k, piece) in pieces.iter_mut().enumerate() {
                piece.name = format!("{}#{k}", whole.name);
            }
        }
        Ok(pieces)
    }
}

impl Interpolation {
    /// The value at a time in a stretch of at least two samples.
    fn value(self, stretch: &[Sample], t: f64) -> f64 {
        let right = stretch.partition_point(|sample| sample.t < t).clamp(1, stretch.len() - 1);
        match self {
            Interpolation::Linear => polynomial(&stretch[right - 1..=right], t),
            Interpolation::Cubic => {
                let width = stretch.len().min(4);
                let from = right.saturating_sub(2).min(stretch.len() - width);
                polynomial(&stretch[from..from + width], t)
            }
        }
    }
}

/// A value and its time.
#[derive(Clone, Copy)]
struct Sample {
    t: f64,
    x: f64,
}

/// The samples of a channel that are not missing.
fn known(t: &[f64], channel: &Channel) -> Vec<Sample> {
    let samples = t.iter().zip(&channel.values).map(|(t, x)| Sample { t: *t, x: *x });
    samples.filter(|sample| sample.x.is_finite()).collect()
}

/// The samples between long gaps, where there are at least two.
fn stretches(samples: &[Sample], longest_gap: f64) -> Vec<&[Sample]> {
    let pieces = samples.chunk_by(|a, b| b.t - a.t <= longest_gap);
    pieces.filter(|piece| piece.len() > 1).collect()
}

/// The intersections of the spans with the stretches; both are sorted, and so is the result.
fn in_both(spans: &[(f64, f64)], stretches: &[&[Sample]]) -> Vec<(f64, f64)> {
    let (mut i, mut j) = (0, 0);
    let mut both = Vec::new();
    while let (Some(span), Some([first, .., last])) = (spans.get(i), stretches.get(j)) {
        let (start, end) = (span.0.max(first.t), span.1.min(last.t));
        if start < end {
            both.push((start, end));
        }
        if span.1 < last.t { i += 1 } else { j += 1 }
    }
    both
}

/// The polynomial through a few samples, in Lagrange form: exact at each of them.
fn polynomial(samples: &[Sample], t: f64) -> f64 {
    let mut sum = 0.0;
    for (i, here) in samples.iter().enumerate() {
        let others = samples.iter().enumerate().filter(|(j, _)| *j != i);
        sum +=
            here.x * others.map(|(_, other)| (t - other.t) / (here.t - other.t)).product::<f64>();
    }
    sum
}
