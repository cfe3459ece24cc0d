//! Parts of a data set: to learn from, to choose by, to be judged by.
//!
//! Recordings are given to parts as wholes. Pieces that one was cut into are near copies of each other's
//! neighbours, and a model judged by one after learning from the next would be judged too well.

use serde::{Deserialize, Serialize};

use super::ProcessError;
use crate::pattern::matches;
use crate::suggest::{did_you_mean, list};
use crate::{DataSet, Trajectory};

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

/// Parts at random: a seed gives the same ones on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fractions {
    /// What to learn from.
    pub train: f64,
    /// What to choose by; zero if there is to be none.
    #[serde(default)]
    pub validation: f64,
    /// What to be judged by; zero if there is to be none.
    #[serde(default)]
    pub test: f64,
    /// Which of the many ways to draw them.
    #[serde(default)]
    pub seed: u64,
}

/// Parts by names or patterns (`id/*`) of recordings. Recordings that no part names are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Named {
    /// What to learn from.
    pub train: Vec<String>,
    /// What to choose by.
    #[serde(default)]
    pub validation: Vec<String>,
    /// What to be judged by.
    #[serde(default)]
    pub test: Vec<String>,
}

/// The parts of a data set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts {
    /// What to learn from.
    pub train: DataSet,
    /// What to choose by.
    pub validation: DataSet,
    /// What to be judged by.
    pub test: DataSet,
    /// The recordings that are in no part.
    pub left_out: Vec<String>,
}

const PARTS: [&str; 3] = ["train", "validation", "test"];

impl Split {
    /// The parts of a set, each with its trajectories in the order they had.
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
        if fractions.iter().any(|f| f.is_nan() || *f < 0.0) || (sum - 1.0).abs() > 1e-9 {
            return Err(ProcessError::Fractions { train, validation, test });
        }
        let ends = [train, train + validation, 1.0].map(|end| (end * n as f64).round() as usize);
        let mut start = 0;
        for (k, end) in ends.into_iter().enumerate() {
            // Learning from nothing is never meant.
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

/// The numbers below n in an order that the seed says [Fisher, Yates 1938].
fn shuffled(n: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    let mut state = seed;
    for last in (1..n).rev() {
        order.swap(last, (split_mix(&mut state) % (last as u64 + 1)) as usize);
    }
    order
}

/// The next number of SplitMix64 [Steele, Lea, Flood 2014].
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The end of a sentence that says that there is no such recording.
fn hint(pattern: &str, recordings: &[&str]) -> String {
    let near = did_you_mean(pattern, recordings.iter().copied());
    let there = if near.is_empty() { "; there are" } else { " There are" };
    format!("{near}{there} {}", list(recordings.iter().copied()))
}
