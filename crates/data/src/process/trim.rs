//! Recordings that are left out, and their beginnings and ends that are cut off.

use gradbody_math::names::matches;
use serde::{Deserialize, Deserializer, Serialize};

use super::ProcessError;
use super::split::hint;
use crate::{DataSet, one_or_many};

/// Which stretch of which recordings to keep.
///
/// ```toml
/// trim = { from = 0.1, to = 0.9 }
/// trim = [{ recordings = "tosses/7", to = 0.6 }, { recordings = ["late*", "b"], from = 0.2 }]
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Trim {
    /// Names or patterns of recordings. Without any, all recordings.
    #[serde(deserialize_with = "one_or_many")]
    pub recordings: Vec<String>,
    /// Time of the first sample that is kept, after the recording's first one [s].
    pub from: f64,
    /// Time of the last sample that is kept, after the recording's first one [s]. Without it, up to the end.
    pub to: Option<f64>,
}

/// Samples on a limit are kept, though times are written with few digits [s].
const ROUNDING: f64 = 1e-9;

impl Trim {
    /// Cuts off what is not to be kept. An error if fewer than two samples of a recording are left.
    pub fn apply(&self, set: &mut DataSet) -> Result<(), ProcessError> {
        let (from, to) = (self.from, self.to.unwrap_or(f64::INFINITY));
        if !(from >= 0.0 && from.is_finite() && from < to) {
            return Err(ProcessError::Trim { from, to });
        }
        check_names("trim", &self.recordings, set)?;
        for trajectory in &mut set.trajectories {
            let named = self.recordings.iter().any(|pattern| matches(pattern, &trajectory.name));
            let Some(begin) = trajectory.t.first().copied() else { continue };
            if !named && !self.recordings.is_empty() {
                continue;
            }
            let kept: Vec<bool> = (trajectory.t.iter())
                .map(|t| (from - ROUNDING..=to + ROUNDING).contains(&(t - begin)))
                .collect();
            let samples = kept.iter().filter(|kept| **kept).count();
            if samples < 2 {
                let (recording, duration) = (trajectory.name.clone(), trajectory.duration());
                return Err(ProcessError::TrimmedAway { recording, duration, from, to, samples });
            }
            let keep = |values: &mut Vec<f64>| {
                let mut kept = kept.iter();
                values.retain(|_| kept.next().is_some_and(|kept| *kept));
            };
            keep(&mut trajectory.t);
            trajectory.channels.iter_mut().for_each(|channel| keep(&mut channel.values));
        }
        Ok(())
    }
}

/// Leaves out the recordings that match one of the patterns. An error if a pattern matches none.
pub fn exclude(patterns: &[String], set: &mut DataSet) -> Result<(), ProcessError> {
    check_names("exclude", patterns, set)?;
    set.trajectories.retain(|t| !patterns.iter().any(|pattern| matches(pattern, &t.name)));
    Ok(())
}

fn check_names(key: &'static str, patterns: &[String], set: &DataSet) -> Result<(), ProcessError> {
    let names: Vec<&str> = set.trajectories.iter().map(|t| t.name.as_str()).collect();
    match patterns.iter().find(|pattern| !names.iter().any(|name| matches(pattern, name))) {
        Some(pattern) => {
            let (pattern, hint) = (pattern.clone(), hint(pattern, &names));
            Err(ProcessError::NoRecording { key, pattern, hint })
        }
        None => Ok(()),
    }
}

/// A table, or a list of tables.
pub fn one_or_many_trims<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Trim>, D::Error> {
    use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
    use serde::de::{MapAccess, SeqAccess, Visitor};
    struct Trims;
    impl<'de> Visitor<'de> for Trims {
        type Value = Vec<Trim>;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("{ from = …, to = … } or a list of such tables")
        }
        fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<Vec<Trim>, A::Error> {
            Ok(vec![Trim::deserialize(MapAccessDeserializer::new(table))?])
        }
        fn visit_seq<A: SeqAccess<'de>>(self, tables: A) -> Result<Vec<Trim>, A::Error> {
            Vec::deserialize(SeqAccessDeserializer::new(tables))
        }
    }
    from.deserialize_any(Trims)
}
