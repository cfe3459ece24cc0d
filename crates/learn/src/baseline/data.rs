//! Sequences checked and laid out for training.

use std::f64::consts::{PI, TAU};

use super::{BaselineError, Sequence};

/// The samples of all sequences, row after row. Angles are continuous.
#[derive(Clone, Debug)]
pub(super) struct Data {
    pub(super) n_channels: usize,
    pub(super) n_inputs: usize,
    /// Which channels are angles, (n_channels).
    pub(super) angles: Vec<bool>,
    samples: Vec<f64>,
    inputs: Vec<f64>,
    /// The first row of each sequence and the one after its last.
    pub(super) rows: Vec<(usize, usize)>,
}

impl Data {
    /// Refuses sequences with fewer than `least` samples, and rows of different lengths. If `angles` is empty, no
    /// channel is an angle.
    pub(super) fn new(
        sequences: &[Sequence],
        angles: &[bool],
        least: usize,
    ) -> Result<Data, BaselineError> {
        let first = sequences.first().ok_or(BaselineError::NoSequences)?;
        let n_channels = first.samples.first().map_or(0, Vec::len);
        let n_inputs = first.inputs.first().map_or(0, Vec::len);
        let angles = match angles.len() {
            // Without channels there is another error, below.
            _ if n_channels == 0 => Vec::new(),
            0 => vec![false; n_channels],
            given if given == n_channels => angles.to_vec(),
            given => return Err(BaselineError::Angles { given, needed: n_channels }),
        };
        let mut data = Data {
            n_channels,
            n_inputs,
            angles,
            samples: Vec::new(),
            inputs: Vec::new(),
            rows: Vec::new(),
        };
        for (i, Sequence { samples, inputs }) in sequences.iter().enumerate() {
            let given = samples.len();
            if given < least {
                return Err(BaselineError::TooShort { sequence: i, given, needed: least });
            }
            if n_channels == 0 {
                return Err(BaselineError::NoChannels);
            }
            check(i, samples, "channels", n_channels)?;
            check(i, inputs, "inputs", n_inputs)?;
            // The last sample needs no inputs: nothing is predicted from it.
            if n_inputs > 0 && inputs.len() + 1 < given {
                let (given, needed) = (inputs.len(), given - 1);
                return Err(BaselineError::FewInputs { sequence: i, given, needed });
            }
            let start = data.samples.len() / n_channels;
            data.samples.extend(unwrapped(samples, &data.angles).into_iter().flatten());
            data.inputs.extend(inputs.iter().take(given).flatten());
            data.inputs.resize((start + given) * n_inputs, 0.0);
            data.rows.push((start, start + given));
        }
        Ok(data)
    }

    #[inline(always)]
    pub(super) fn sample(&self, row: usize) -> &[f64] {
        &self.samples[row * self.n_channels..][..self.n_channels]
    }

    #[inline(always)]
    pub(super) fn input(&self, row: usize) -> &[f64] {
        &self.inputs[row * self.n_inputs..][..self.n_inputs]
    }

    /// The first rows of windows of `length` rows: every `stride` rows, and one window at the end of each sequence.
    pub(super) fn windows(&self, length: usize, stride: usize) -> Vec<usize> {
        let of = |&(start, end): &(usize, usize)| {
            let last = end - length;
            let before = (start..last).step_by(stride);
            before.chain(std::iter::once(last))
        };
        self.rows.iter().flat_map(of).collect()
    }
}

/// Refuses rows that do not have `needed` finite numbers.
pub(super) fn check(
    sequence: usize,
    rows: &[Vec<f64>],
    what: &'static str,
    needed: usize,
) -> Result<(), BaselineError> {
    for (sample, row) in rows.iter().enumerate() {
        if row.len() != needed {
            let given = row.len();
            return Err(BaselineError::RowLength { sequence, sample, what, given, needed });
        }
        if let Some(place) = row.iter().position(|x| !x.is_finite()) {
            return Err(BaselineError::NotFinite { sequence, sample, what, place });
        }
    }
    Ok(())
}

/// The samples with whole turns added to angles, so that none changes by more than half a turn.
pub(super) fn unwrapped(samples: &[Vec<f64>], angles: &[bool]) -> Vec<Vec<f64>> {
    let mut rows = samples.to_vec();
    for k in 1..rows.len() {
        let (before, rest) = rows.split_at_mut(k);
        for (c, _) in angles.iter().enumerate().filter(|(_, is_angle)| **is_angle) {
            let change = rest[0][c] - before[k - 1][c];
            if change.abs() > PI {
                rest[0][c] -= TAU * (change / TAU).round();
            }
        }
    }
    rows
}
