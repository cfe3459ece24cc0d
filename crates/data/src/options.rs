//! Options for reading data files.
//!
//! ```toml
//! files = "runs/*.csv"
//! time = { column = "stamp", unit = "ms" }   # or: rate = 400.0
//! trajectory = "run"                         # a column that separates the trajectories in one file
//! missing = "gap"
//!
//! [channels]                                 # without it, every column is a channel without unit
//! hip = "deg"
//! knee = { column = "enc_2", unit = "count", scale = 0.0015, of = "rad" }
//! ```

use std::collections::BTreeMap;

use serde::de::MapAccess;
use serde::de::value::MapAccessDeserializer;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::short_form::{Short, one_or_many, short_or_table};
use super::{DataError, Dimension, Unit};

/// Options for reading files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadOptions {
    /// Paths or patterns (`runs/*.csv`) in the folder of the data.
    #[serde(deserialize_with = "one_or_many")]
    pub files: Vec<String>,
    /// The format of the files; by default their extensions decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// The delimiter between the cells of a line; detected by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<Delimiter>,
    /// Whether the first row has names; by default it does if none of its cells is a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<bool>,
    /// The names of the columns, in place of those in the file; without either they are `c0`, `c1`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<String>>,
    /// The time column; for MCAP files it defaults to the log time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<TimeColumn>,
    /// Sample rate [Hz], if there is no time column; the first sample is at zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// The columns that separate the trajectories of one file; without them a file is a trajectory.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub trajectory: Vec<String>,
    /// The meaning of a cell without a number.
    #[serde(default)]
    pub missing: Missing,
    /// The channels and their units; without it, every other column is a channel without a unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channels: Option<BTreeMap<String, ChannelOptions>>,
}

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Text with delimiters.
    Csv,
    /// One NumPy array.
    Npy,
    /// Several NumPy arrays.
    Npz,
    /// Messages of a robot.
    Mcap,
}

/// The delimiter between cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Delimiter {
    /// `,`
    #[serde(alias = ",")]
    Comma,
    /// `;`
    #[serde(alias = ";")]
    Semicolon,
    /// A tab.
    #[serde(alias = "\t")]
    Tab,
    /// Any number of spaces and tabs.
    #[serde(alias = " ")]
    Whitespace,
}

/// The meaning of a cell that is empty, or contains `nan`, `NA` or `null`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// It is an error.
    #[default]
    Error,
    /// There is no sample.
    Gap,
}

/// The time column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct TimeColumn {
    /// Its name.
    pub column: String,
    /// Its unit: s, ms, us or ns.
    #[serde(default = "seconds")]
    pub unit: String,
}

/// A channel: its column and its unit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct ChannelOptions {
    /// The column; by default that with the channel's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// The unit of its numbers.
    #[serde(default)]
    pub unit: String,
    /// Factor of the column's numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// The unit of counts times their scale; a pure number by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
}

fn seconds() -> String {
    "s".to_owned()
}

impl ReadOptions {
    /// Options for these files, otherwise with defaults.
    pub fn new(files: impl Into<String>) -> Self {
        ReadOptions { files: vec![files.into()], ..Self::default() }
    }

    /// Options from TOML.
    pub fn from_toml(text: &str) -> Result<Self, DataError> {
        let options: Self = toml::from_str(text).map_err(|e| DataError::Options(e.to_string()))?;
        options.check()?;
        Ok(options)
    }

    /// Fails if the options contradict each other.
    pub fn check(&self) -> Result<(), DataError> {
        let wrong = |what: &str| Err(DataError::Options(what.to_owned()));
        if self.files.is_empty() {
            return wrong("files lists no files");
        }
        if self.time.is_some() && self.rate.is_some() {
            return wrong("time and rate are both given; give only one of them");
        }
        if self.rate.is_some_and(|rate| !(rate.is_finite() && rate > 0.0)) {
            return wrong("rate must be a positive number [Hz]");
        }
        if let Some(time) = &self.time {
            time.unit()?;
        }
        for (name, channel) in self.channels.iter().flatten() {
            channel.unit(name)?;
        }
        Ok(())
    }
}

impl TimeColumn {
    /// The unit of the time.
    pub fn unit(&self) -> Result<Unit, DataError> {
        let unit = Unit::named(&self.unit)?;
        unit.expect(&format!("column \"{}\"", self.column), Dimension::Time)?;
        Ok(unit)
    }
}

impl ChannelOptions {
    /// A channel with this unit, in the column with its own name.
    pub fn of_unit(unit: impl Into<String>) -> Self {
        ChannelOptions { unit: unit.into(), ..Self::default() }
    }

    /// The unit, including the scale, of the channel with this name.
    pub fn unit(&self, channel: &str) -> Result<Unit, DataError> {
        let wrong = |what: &str| Err(DataError::Options(format!("channel \"{channel}\": {what}")));
        if self.scale.is_some_and(|scale| !(scale.is_finite() && scale != 0.0)) {
            return wrong("scale must be finite and not zero");
        }
        match (self.unit.as_str(), self.scale) {
            ("count", None) => {
                wrong("a count needs a scale: { unit = \"count\", scale = 0.0015, of = \"rad\" }")
            }
            ("count", Some(scale)) => {
                Ok(Unit::count(scale, Unit::named(self.of.as_deref().unwrap_or("1"))?))
            }
            _ if self.of.is_some() => {
                wrong("\"of\" is the unit that counts are converted to; set unit = \"count\"")
            }
            (name, scale) => {
                let unit = Unit::named(name)?;
                Ok(Unit { to_si: unit.to_si * scale.unwrap_or(1.0), ..unit })
            }
        }
    }
}

impl Short for TimeColumn {
    const EXPECTED: &'static str = "the name of a column, or { column = \"…\", unit = \"ms\" }";
    fn short(name: &str) -> Self {
        TimeColumn { column: name.to_owned(), unit: seconds() }
    }
    fn table<'de, A: MapAccess<'de>>(from: MapAccessDeserializer<A>) -> Result<Self, A::Error> {
        Self::deserialize(from)
    }
}

impl Short for ChannelOptions {
    const EXPECTED: &'static str = "a unit, or { column = \"…\", unit = \"…\", scale = … }";
    fn short(name: &str) -> Self {
        Self::of_unit(name)
    }
    fn table<'de, A: MapAccess<'de>>(from: MapAccessDeserializer<A>) -> Result<Self, A::Error> {
        Self::deserialize(from)
    }
}

impl<'de> Deserialize<'de> for TimeColumn {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        short_or_table(from)
    }
}

impl Serialize for TimeColumn {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, to)
    }
}

impl<'de> Deserialize<'de> for ChannelOptions {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        short_or_table(from)
    }
}

impl Serialize for ChannelOptions {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, to)
    }
}
