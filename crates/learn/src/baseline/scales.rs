//! Means and deviations of the data, which scale everything that a network reads to about one.

use serde::{Deserialize, Serialize};

use super::data::Data;

/// A mean and a standard deviation, which is never zero.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Scale {
    pub(super) mean: f64,
    pub(super) deviation: f64,
}

/// The scales of a set of sequences.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Scales {
    /// Of each channel.
    pub(super) samples: Vec<Scale>,
    /// Of each channel's change from a sample to the next.
    pub(super) changes: Vec<Scale>,
    /// Of each input.
    pub(super) inputs: Vec<Scale>,
    /// Root mean square change of each channel over a horizon: the unit of its errors.
    pub(super) spans: Vec<f64>,
}

impl Scale {
    /// The scale of some numbers. The deviation of constant numbers is taken as one.
    fn of(numbers: impl Iterator<Item = f64> + Clone) -> Scale {
        let count = numbers.clone().count().max(1) as f64;
        let mean = numbers.clone().sum::<f64>() / count;
        let deviation = (numbers.map(|x| (x - mean) * (x - mean)).sum::<f64>() / count).sqrt();
        Scale { mean, deviation: or_one(deviation, mean) }
    }
}

/// The deviation, or one if it is only rounding or not finite.
fn or_one(deviation: f64, mean: f64) -> f64 {
    let usable = deviation > 1e-12 * mean.abs() && deviation.is_finite() && deviation > 1e-150;
    if usable { deviation } else { 1.0 }
}

impl Scales {
    pub(super) fn of(data: &Data, horizon: usize) -> Scales {
        let rows = || data.rows.iter().flat_map(|&(start, end)| start..end);
        let pairs = |apart: usize| {
            let of = move |&(start, end): &(usize, usize)| {
                (start + apart..end).map(move |k| (k - apart, k))
            };
            data.rows.iter().flat_map(of)
        };
        let change = |c: usize| move |(a, b): (usize, usize)| data.sample(b)[c] - data.sample(a)[c];
        let span = |c: usize| {
            let count = pairs(horizon).count().max(1) as f64;
            let sum = pairs(horizon).map(change(c)).map(|d| d * d).sum::<f64>();
            or_one((sum / count).sqrt(), 0.0)
        };
        let channels = 0..data.n_channels;
        Scales {
            samples: channels
                .clone()
                .map(|c| Scale::of(rows().map(|k| data.sample(k)[c])))
                .collect(),
            changes: channels.clone().map(|c| Scale::of(pairs(1).map(change(c)))).collect(),
            inputs: (0..data.n_inputs)
                .map(|c| Scale::of(rows().map(|k| data.input(k)[c])))
                .collect(),
            spans: channels.map(span).collect(),
        }
    }
}
