//! Splitting a data set into parts for training, validation and testing.
//!
//! A recording goes to one part as a whole. Its pieces resemble their neighbours, so a model tested on one piece after
//! training on the next would be judged too favourably.

use gradbody_math::random::Random;
use serde::{Deserialize, Serialize};

use super::ProcessError;
use crate::{DataSet, Trajectory};
use gradbody_math::names::{did_you_mean, list, matches};

/// How to split.
///
/// ```toml
/// split = { fractions = { train = 0.7, validation = 0.15, test = 0.15, seed = 1 } }
/// split = { named = { train = ["runs/*"], test = ["late/3", "late/7"] } }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// At random.
    Fractions(Fractions),
    /// By name.
    Named(Named),
}

/// Random parts; a seed gives the same parts on every machine. Recordings beyond the fractions, if they sum to less than
/// one, are left out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fractions {
    /// Fraction for training.
    pub train: f64,
    /// Fraction for validation, to choose between results; may be zero.
    #[serde(default)]
    pub validation: f64,
    /// Fraction for testing; may be zero.
    #[serde(default)]
    pub test: f64,
    /// Seed of the random numbers.
    #[serde(default)]
    pub seed: u64,
}

/// Parts by names or patterns (`id/*`) of recordings. Other recordings are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Named {
    /// Recordings for training.
    pub train: Vec<String>,
    /// Recordings for validation, to choose between results.
    #[serde(default)]
    pub validation: Vec<String>,
    /// Recordings for testing.
    #[serde(default)]
    pub test: Vec<String>,
}

/// The parts of a data set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts {
    /// Data for training.
    pub train: DataSet,
    /// Data for validation, to choose between results.
    pub validation: DataSet,
    /// Data for testing.
    pub test: DataSet,
    /// The recordings in no part.
    pub left_out: Vec<String>,
}

/// Fractions that sum to one may miss it by this much.
const ROUNDING: f64 = 1e-9;

const PARTS: [&str; 3] = ["train", "validation", "test"];

impl Split {
    /// Splits a set; each part keeps the order of its trajectories.
    pub fn apply(&self, set: &DataSet) -> Result<Parts, ProcessError> {
        let recordings = set.origins();
        let part_of = match self {
            Split::Fractions(fractions) => fractions.parts(recordings.len())?,
            Split::Named(named) => named.parts(&recordings)?,
        };
        let part = |part: usize| {
            let is_in = |t: &&Trajectory| {
                recordings.iter().zip(&part_of).any(|(r, p)| *p == Some(part) && *r == t.origin)
            };
            let trajectories = set.trajectories.iter().filter(is_in).cloned().collect();
            DataSet { trajectories, files: set.files.clone() }
        };
        let lost = recordings.iter().zip(&part_of).filter(|(_, part)| part.is_none());
        let left_out = lost.map(|(name, _)| (*name).to_owned()).collect();
        Ok(Parts { train: part(0), validation: part(1), test: part(2), left_out })
    }
}

impl Fractions {
    /// The part of each of n recordings.
    fn parts(&self, n: usize) -> Result<Vec<Option<usize>>, ProcessError> {
        let Self { train, validation, test, seed } = *self;
        let fractions = [train, validation, test];
        let sum: f64 = fractions.iter().sum();
        if fractions.iter().any(|f| f.is_nan() || *f < 0.0) || sum > 1.0 + ROUNDING {
            return Err(ProcessError::Fractions { train, validation, test });
        }
        let whole = if sum > 1.0 - ROUNDING { 1.0 } else { sum };
        let ends = [train, train + validation, whole].map(|end| (end * n as f64).round() as usize);
        let mut start = 0;
        for (k, end) in ends.into_iter().enumerate() {
            // An empty training part is always a mistake.
            if end == start && (fractions[k] > 0.0 || k == 0) {
                return Err(ProcessError::EmptyPart { part: PARTS[k], recordings: n });
            }
            start = end;
        }
        let mut parts = vec![None; n];
        for (place, recording) in shuffled(n, seed).into_iter().enumerate() {
            parts[recording] = ends.iter().position(|end| place < *end);
        }
        Ok(parts)
    }
}

impl Named {
    /// The part of each of these recordings.
    fn parts(&self, recordings: &[&str]) -> Result<Vec<Option<usize>>, ProcessError> {
        let mut parts: Vec<Option<usize>> = vec![None; recordings.len()];
        if self.train.is_empty() {
            return Err(ProcessError::EmptyPart { part: PARTS[0], recordings: recordings.len() });
        }
        for (k, patterns) in [&self.train, &self.validation, &self.test].into_iter().enumerate() {
            for pattern in patterns {
                let mut found = false;
                for (part, recording) in parts.iter_mut().zip(recordings) {
                    if !matches(pattern, recording) {
                        continue;
                    }
                    found = true;
                    if let Some(first) = part.replace(k).filter(|first| *first != k) {
                        return Err(ProcessError::Overlap {
                            recording: (*recording).to_owned(),
                            first: PARTS[first],
                            second: PARTS[k],
                        });
                    }
                }
                if !found {
                    return Err(ProcessError::NoMatch {
                        part: PARTS[k],
                        pattern: pattern.clone(),
                        hint: hint(pattern, recordings),
                    });
                }
            }
        }
        Ok(parts)
    }
}

/// The numbers below n in an order that the seed says [Fisher and Yates 1938]. Parts of published fits were drawn by
/// remainders, so this is not `Random::shuffle`.
fn shuffled(n: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    let mut random = Random::split_mix(seed);
    for last in (1..n).rev() {
        order.swap(last, (random.bits() % (last as u64 + 1)) as usize);
    }
    order
}

/// The end of a sentence that says that there is no such recording.
pub(super) fn hint(pattern: &str, recordings: &[&str]) -> String {
    let near = did_you_mean(pattern, recordings.iter().copied());
    let there = if near.is_empty() { "; there are" } else { " There are" };
    format!("{near}{there} {}", list(recordings.iter().copied()))
}
