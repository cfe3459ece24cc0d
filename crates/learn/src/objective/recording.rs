//! Recordings as values of sensors and inputs of the model, cut into windows.

use gradbody_sim::Input;

use super::sensor::{Sensor, columns_of};

/// A recording at evenly spaced times: values of sensors, and inputs.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Its name.
    pub name: String,
    /// The time of its first sample [s].
    pub begin: f64,
    /// The values of all sensors, (samples, columns). A missing value may be any number.
    pub measured: Vec<f64>,
    /// 1 where a sensor has a value at a sample, else 0, (samples, sensors).
    pub present: Vec<f64>,
    /// The inputs from each sample to the next; empty if nothing acts.
    pub inputs: Vec<Input<f64>>,
    /// Number of samples.
    pub samples: usize,
}

impl Recording {
    /// The values of the sensors at sample `k`, and which of them are present.
    pub fn sample(&self, k: usize, sensors: &[Sensor]) -> (&[f64], &[f64]) {
        let (columns, n) = (columns_of(sensors), sensors.len());
        (&self.measured[k * columns..][..columns], &self.present[k * n..][..n])
    }
}

/// Consecutive samples of a recording that are rolled out from one start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Which recording.
    pub recording: usize,
    /// The sample it begins at.
    pub first: usize,
    /// Number of samples after the first.
    pub length: usize,
    /// Whether the next window begins where this one ends.
    pub continues: bool,
}

/// Cuts recordings into windows of `length` samples that begin every `stride` samples. What is left over at the
/// end becomes a shorter window if it has at least `shortest` samples.
pub fn cut(recordings: &[Recording], length: usize, stride: usize, shortest: usize) -> Vec<Window> {
    let (length, stride) = (length.max(1), stride.max(1));
    let mut windows = Vec::new();
    for (recording, of) in recordings.iter().enumerate() {
        let last = of.samples.saturating_sub(1);
        let mut first = 0;
        while first < last {
            let length = length.min(last - first);
            if length >= shortest.max(1) {
                let next = first + stride;
                let follows = stride == length && next + shortest.max(1) <= last;
                windows.push(Window { recording, first, length, continues: follows });
            }
            first += stride;
        }
    }
    windows
}
