//! What a training has done so far, as plain data.

use gradbody_policy::Actor;
use serde::{Deserialize, Serialize};

/// The progress of a training.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Journal {
    /// The text of the task's file.
    pub task: String,
    /// Seed of the random numbers.
    pub seed: u64,
    /// How far training has come. Returns are those since the last point of the curve.
    pub now: Point,
    /// The curve: a point for each evaluation, and for each second between them.
    pub points: Vec<Point>,
    /// Index of the point with the best evaluation.
    pub best: Option<usize>,
    /// Mean of the returns with noise since the last point, and how many there were.
    pub noisy: (f64, u64),
    /// Wall-clock time and samples of the last evaluation.
    pub evaluated: Option<(f64, u64)>,
    /// When the policies on the way were evaluated that a checkpoint has.
    pub ages: Vec<Point>,
    /// Numbers of the method, such as losses, of the last iteration.
    pub details: Vec<(String, f64)>,
    /// Why training ended, if it has.
    pub ended: Option<Ending>,
}

/// A point of the curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// Wall-clock time, evaluations included [s].
    pub seconds: f64,
    /// Time of all processors together [s].
    pub processor_seconds: Option<f64>,
    /// Steps of the environment.
    pub samples: u64,
    /// How many of these were differentiated.
    pub gradient_samples: u64,
    /// Steps of optimisers.
    pub updates: u64,
    /// Mean return of the episodes that ended since the last point, with the noise of learning.
    pub noisy: Option<f64>,
    /// Returns without noise, if the policy was evaluated here.
    pub evaluated: Option<Evaluated>,
}

/// Returns of episodes without noise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evaluated {
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub deviation: f64,
    /// Mean number of steps of an episode.
    pub length: f64,
}

/// A policy on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Age {
    /// When it was evaluated.
    pub point: Point,
    /// The policy.
    pub actor: Actor,
}

/// Why training ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// The return that the task asks for.
    Return,
    /// The samples that the task allows.
    Samples,
    /// The time that the task allows.
    Time,
    /// It cannot go on.
    Failed(
        /// Why.
        String,
    ),
}

impl Ending {
    /// In words.
    pub fn in_words(&self) -> &str {
        match self {
            Ending::Return => "reached the return that was asked for",
            Ending::Samples => "used all its samples",
            Ending::Time => "used all its time",
            Ending::Failed(why) => why,
        }
    }
}

/// Policies on the way that are kept at most.
const MOST_AGES: usize = 12;

/// Keeps another policy, and gives up one between the first and the last if there are too many: the one that is least
/// missed where time is counted in doublings.
pub(crate) fn keep(ages: &mut Vec<Age>, age: Age) {
    ages.push(age);
    if ages.len() <= MOST_AGES {
        return;
    }
    let place = |k: usize| (1.0 + ages[k].point.samples as f64).ln();
    let gap = |k: usize| place(k + 1) - place(k - 1);
    let least = (1..ages.len() - 1).min_by(|a, b| gap(*a).total_cmp(&gap(*b)));
    if let Some(k) = least {
        ages.remove(k);
    }
}

impl Journal {
    /// The best evaluation so far.
    pub fn best(&self) -> Option<(&Point, Evaluated)> {
        let point = self.points.get(self.best?)?;
        Some((point, point.evaluated?))
    }
}
