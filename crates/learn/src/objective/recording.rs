//! Recorded motion as a model sees it, cut into windows.

use gradbody_sim::Input;

use super::sensor::{Sensor, columns_of};

/// A recording at even times: what the sensors saw, and what acted.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Its name.
    pub name: String,
    /// The time of its first sample [s].
    pub begin: f64,
    /// The numbers of each sensor, sample by sample; anything where there is none.
    pub measured: Vec<f64>,
    /// 1 for each sensor that has a number in a sample, else 0.
    pub present: Vec<f64>,
    /// What acts from each sample to the next; empty if nothing does.
    pub inputs: Vec<Input<f64>>,
    /// How many samples.
    pub samples: usize,
}

impl Recording {
    /// What the sensors saw in a sample, and which of them did.
    pub fn sample(&self, k: usize, sensors: &[Sensor]) -> (&[f64], &[f64]) {
        let (columns, n) = (columns_of(sensors), sensors.len());
        (&self.measured[k * columns..][..columns], &self.present[k * n..][..n])
    }
}

/// Some samples of a recording that are rolled out in one go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Which recording.
    pub recording: usize,
    /// The sample it begins at.
    pub first: usize,
    /// How many samples it goes on for.
    pub length: usize,
    /// Whether the window after it begins where it ends.
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
