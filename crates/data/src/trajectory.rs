//! Trajectories of named channels.

use std::collections::HashSet;

use super::{DataError, Dimension, Fingerprint, Unit};
use gradbody_math::names::{did_you_mean, list};

/// A set of measured data.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DataSet {
    /// The recordings.
    pub trajectories: Vec<Trajectory>,
    /// Fingerprints of the files they were read from.
    pub files: Vec<Fingerprint>,
}

/// A recording, or an uninterrupted piece of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// Its name: that of the file without its extension, and the values that separate it from others in the file.
    pub name: String,
    /// The name of the recording that it is a piece of; its own if it is a whole recording.
    pub origin: String,
    /// The file it was read from.
    pub file: String,
    /// The time of each sample [s], in ascending order.
    pub t: Vec<f64>,
    /// The quantities measured at these times.
    pub channels: Vec<Channel>,
}

/// A quantity over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// The unit in the file.
    pub unit: Unit,
    /// One value per sample, in the SI unit of its dimension; NaN where it is missing.
    pub values: Vec<f64>,
}

/// Tolerance for a uniform time step, relative to the step: clocks are written with few digits.
const UNIFORM: f64 = 0.01;

impl DataSet {
    /// The trajectory with this name.
    pub fn trajectory(&self, name: &str) -> Result<&Trajectory, DataError> {
        self.trajectories.iter().find(|t| t.name == name).ok_or_else(|| DataError::NoTrajectory {
            name: name.to_owned(),
            hint: did_you_mean(name, self.trajectories.iter().map(|t| t.name.as_str())),
        })
    }

    /// Number of samples of all trajectories.
    pub fn samples(&self) -> usize {
        self.trajectories.iter().map(|t| t.t.len()).sum()
    }

    /// The recordings that the trajectories are pieces of, in order.
    pub fn origins(&self) -> Vec<&str> {
        let mut seen = HashSet::new();
        let all = self.trajectories.iter().map(|t| t.origin.as_str());
        all.filter(|origin| seen.insert(*origin)).collect()
    }
}

impl Trajectory {
    /// The channel with this name.
    pub fn channel(&self, name: &str) -> Result<&Channel, DataError> {
        self.channels.iter().find(|c| c.name == name).ok_or_else(|| self.no_channel(name))
    }

    /// The channel with this name, mutable.
    pub fn channel_mut(&mut self, name: &str) -> Result<&mut Channel, DataError> {
        match self.channels.iter().position(|c| c.name == name) {
            Some(k) => Ok(&mut self.channels[k]),
            None => Err(self.no_channel(name)),
        }
    }

    /// Time from the first sample to the last [s].
    pub fn duration(&self) -> f64 {
        match (self.t.first(), self.t.last()) {
            (Some(first), Some(last)) => last - first,
            _ => 0.0,
        }
    }

    /// The sample rate [Hz], if the samples are evenly spaced.
    pub fn uniform_rate(&self) -> Option<f64> {
        let step = self.duration() / self.t.len().checked_sub(1).filter(|n| *n > 0)? as f64;
        let even = |pair: &[f64]| ((pair[1] - pair[0]) - step).abs() <= UNIFORM * step;
        self.t.windows(2).all(even).then_some(1.0 / step)
    }

    /// Number of missing values in all channels.
    pub fn missing(&self) -> usize {
        self.channels.iter().map(|c| c.values.iter().filter(|x| x.is_nan()).count()).sum()
    }

    fn no_channel(&self, name: &str) -> DataError {
        let names = || self.channels.iter().map(|c| c.name.as_str());
        let hint = match did_you_mean(name, names()) {
            nothing if nothing.is_empty() => format!("; it has {}", list(names())),
            hint => hint,
        };
        DataError::NoChannel { trajectory: self.name.clone(), name: name.to_owned(), hint }
    }
}

impl Channel {
    /// A channel in the SI unit of its dimension.
    pub fn si(name: impl Into<String>, dimension: Dimension, values: Vec<f64>) -> Self {
        Channel { name: name.into(), unit: Unit::si(dimension), values }
    }

    /// Fails unless the channel has this dimension.
    pub fn expect(&self, dimension: Dimension) -> Result<(), DataError> {
        self.unit.expect(&format!("channel \"{}\"", self.name), dimension)
    }
}
