//! `[randomise]`: what differs between worlds and episodes while the policy learns.

use std::collections::BTreeMap;

use gradbody_env::{self as drawn, Description};
use gradbody_experiment::{ExperimentError, matching};
use gradbody_math::names::did_you_mean;
use gradbody_model::{JointKind, Link, Model};
use serde::{Deserialize, Serialize};

/// What differs between worlds and episodes while the policy learns. Evaluations have none of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Randomise {
    /// Ranges of factors of the model's own numbers, by paths or patterns. Each number has a factor of its own.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub factor: BTreeMap<String, [f64; 2]>,
    /// Ranges of numbers, by paths or patterns.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub value: BTreeMap<String, [f64; 2]>,
    /// Whether one number is drawn for all parameters of a pattern, instead of one for each.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub together: bool,
    /// Fewest and most steps of the environment after which an action acts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<[usize; 2]>,
    /// Pushes of a floating base at random times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pushes: Option<RandomPushes>,
}

/// Pushes of a floating base at random times: sudden changes of its horizontal velocity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RandomPushes {
    /// The velocity along x and along y changes by a number between minus and plus this [m/s].
    pub speed: f64,
    /// Mean time between pushes [s].
    pub every: f64,
}

/// The range of one parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// Its path.
    pub path: String,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// More steps of delay than this are a mistake.
const MOST_DELAY: usize = 100;

impl Randomise {
    /// Puts it into an environment. Fails if the environment has no floating base that could be pushed.
    pub(crate) fn vary(&self, of: &mut Description) -> Result<(), ExperimentError> {
        let part = |pattern: &String, range: drawn::Range| drawn::Randomised {
            parameters: vec![pattern.clone()],
            range,
            together: self.together,
        };
        for (pattern, [low, high]) in &self.factor {
            of.randomise.push(part(pattern, drawn::Range::Factor(*low, *high)));
        }
        for (pattern, [low, high]) in &self.value {
            of.randomise.push(part(pattern, drawn::Range::Value(*low, *high)));
        }
        if let Some([least, most]) = self.delay {
            of.delay = drawn::Delay { least, most };
        }
        if let Some(RandomPushes { speed, every }) = self.pushes {
            let floats = |link: &Link| matches!(link.joint.kind, JointKind::Free);
            if !of.model.topology.links.first().is_some_and(floats) {
                let why = format!("{} has no floating base that could be pushed", of.name);
                return Err(ExperimentError::wrong("randomise.pushes", why));
            }
            of.pushes = Some(drawn::Pushes { v: 0, count: 2, size: speed, mean_time: every });
        }
        Ok(())
    }

    pub(crate) fn check(&self) -> Result<(), ExperimentError> {
        let wrong = |what: String, why: &str| Err(ExperimentError::wrong(what, why));
        for (table, ranges) in [("factor", &self.factor), ("value", &self.value)] {
            for (pattern, [low, high]) in ranges {
                let what = format!("randomise.{table}.\"{pattern}\"");
                if !(low.is_finite() && high.is_finite()) {
                    return wrong(what, "finite numbers are needed");
                }
                if low > high {
                    return wrong(what, &format!("the lower end {low} is above the upper {high}"));
                }
                if table == "factor" && *low <= 0.0 {
                    return wrong(what, &format!("a factor of {low}: factors are positive"));
                }
            }
        }
        if let Some(RandomPushes { speed, every }) = self.pushes {
            if !(speed.is_finite() && speed >= 0.0) {
                let why = "a speed that is not negative is needed [m/s]";
                return wrong("randomise.pushes.speed".into(), why);
            }
            if !(every.is_finite() && every > 0.0) {
                return wrong("randomise.pushes.every".into(), "a positive time is needed [s]");
            }
        }
        match self.delay {
            Some([low, high]) if low > high => wrong(
                "randomise.delay".into(),
                &format!("the fewest steps, {low}, are more than the most, {high}"),
            ),
            Some([_, high]) if high > MOST_DELAY => {
                wrong("randomise.delay".into(), "at most 100 steps")
            }
            _ => Ok(()),
        }
    }

    /// The ranges of all parameters as values, in the order of their paths. Fails if a name fits nothing, a parameter is
    /// given twice, or an end of a range makes the model impossible.
    pub(crate) fn ranges(&self, model: &Model<f64>) -> Result<Vec<Range>, ExperimentError> {
        let topology = &model.topology;
        let mut found: BTreeMap<String, Range> = BTreeMap::new();
        for (table, ranges) in [("factor", &self.factor), ("value", &self.value)] {
            for (pattern, [low, high]) in ranges {
                let what = format!("randomise.{table}.\"{pattern}\"");
                let wrong = |why: String| ExperimentError::wrong(what.clone(), why);
                let ids = matching(topology, pattern);
                if ids.is_empty() {
                    let known: Vec<String> = (topology.param_ids().into_iter())
                        .map(|id| topology.param_path(id))
                        .collect();
                    let hint = did_you_mean(pattern, known.iter().map(String::as_str));
                    return Err(wrong(format!("no parameter matches it{hint}")));
                }
                for id in ids {
                    let path = topology.param_path(id);
                    let own = if table == "factor" { model.get(id) } else { 1.0 };
                    // A negative number times factors has its ends the other way round.
                    let (a, b) = (own * low, own * high);
                    let range = Range { path: path.clone(), low: a.min(b), high: a.max(b) };
                    for value in [range.low, range.high] {
                        let mut changed = model.clone();
                        changed.set(id, value);
                        changed.check().map_err(|error| wrong(error.to_string()))?;
                    }
                    if found.insert(path.clone(), range).is_some() {
                        return Err(wrong(format!("\"{path}\" already has a range")));
                    }
                }
            }
        }
        Ok(found.into_values().collect())
    }
}
