//! `[randomise]`: what differs between worlds and episodes while the policy learns.

use std::collections::BTreeMap;

use gradbody_experiment::{ExperimentError, matching};
use gradbody_math::names::did_you_mean;
use gradbody_model::Model;
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
    /// Fewest and most steps of the environment after which an action acts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<[usize; 2]>,
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
    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.factor.is_empty() && self.value.is_empty() && self.delay.is_none()
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
