//! `[data]` and `[channels]`: the recordings, and what their columns measure.

use gradbody_data::process::{Resample, Split, Trim, one_or_many_trims};
use gradbody_data::{
    ChannelOptions, Delimiter, Format, Missing, ReadOptions, TimeColumn, one_or_many,
};
use serde::{Deserialize, Serialize};

use crate::{Experiment, ExperimentError};

/// Which recordings to read, and how.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct DataOptions {
    /// A published data set instead of files: see [`sets`](gradbody_data::sets).
    pub set: Option<PublishedSet>,
    /// Files or patterns of files. Relative paths start from the folder of the experiment's file.
    #[serde(deserialize_with = "one_or_many")]
    pub files: Vec<String>,
    /// See [`ReadOptions::format`](gradbody_data::ReadOptions).
    pub format: Option<Format>,
    /// What separates the cells of a line.
    pub delimiter: Option<Delimiter>,
    /// Whether the first row holds names.
    pub header: Option<bool>,
    /// Names of the columns.
    pub columns: Option<Vec<String>>,
    /// The column that holds the time.
    pub time: Option<TimeColumn>,
    /// Samples per second, if no column holds the time.
    pub rate: Option<f64>,
    /// Columns that tell the trajectories of one file apart.
    #[serde(deserialize_with = "one_or_many")]
    pub trajectory: Vec<String>,
    /// What to do with a cell that holds no number.
    pub missing: Missing,
    /// Recordings to leave out, by names or patterns.
    #[serde(deserialize_with = "one_or_many")]
    pub exclude: Vec<String>,
    /// Cuts off the beginning and the end of recordings.
    #[serde(deserialize_with = "one_or_many_trims")]
    pub trim: Vec<Trim>,
    /// Resamples the recordings to another rate.
    pub resample: Option<Resample>,
    /// Which recordings to train on, to validate with and to test with.
    pub split: Option<Split>,
    /// Fit to at most this many samples of each recording. Validation and test use whole recordings.
    pub samples: Option<usize>,
}

/// A data set that others have published, in the folder that the variable `GRADBODY_DATA` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PublishedSet {
    /// Runs `runs/N`, and the sequences to predict `validation/N`; channels theta1 and theta2.
    IbmDoublePendulum,
    /// Segments `id/N`; channels theta1, theta2, and their rates.
    MultiarmDoublePendulum,
    /// Tosses of a cube.
    ContactnetsCube,
}

/// What a column of the data measures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ChannelSpec {
    /// Name of the column. Without it, the channel's own name.
    pub column: Option<String>,
    /// Unit of its numbers.
    pub unit: String,
    /// A factor to multiply its numbers by.
    pub scale: Option<f64>,
    /// The unit that counts have after they are multiplied by `scale`.
    pub of: Option<String>,
    /// The quantity of the model that it measures, such as "joint/elbow/position".
    pub is: String,
    /// Standard deviation of the noise, in the channel's unit. Without it, it is estimated from the data.
    pub noise: Option<f64>,
    /// Errors larger than this many standard deviations count by their size instead of their square: short for
    /// `loss = { huber = … }`.
    pub huber: Option<f64>,
    /// How errors count. Without it, by their square.
    pub loss: Option<ChannelLoss>,
    /// Removes jumps of a whole turn.
    pub unwrap: bool,
}

/// How errors of a channel count, if not by their square.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChannelLoss {
    /// By their size beyond this many standard deviations.
    Huber(f64),
    /// As with noise of a Student distribution with this many degrees of freedom.
    Student(f64),
    /// Not at all beyond this many standard deviations.
    Tukey(f64),
}

impl ChannelSpec {
    /// How its errors count. None if by their square; an error if it is said twice.
    pub fn chosen_loss(&self) -> Result<Option<ChannelLoss>, &'static str> {
        match (self.huber, self.loss) {
            (Some(_), Some(_)) => Err("give either huber or loss, not both"),
            (Some(width), None) => Ok(Some(ChannelLoss::Huber(width))),
            (None, loss) => Ok(loss),
        }
    }
}

impl Experiment {
    /// How to read the data files.
    pub fn read_options(&self) -> Result<ReadOptions, ExperimentError> {
        let data = &self.data;
        if data.files.is_empty() {
            return Err(ExperimentError::wrong("data.files", "which files are the data?"));
        }
        let channel = |(name, spec): (&String, &ChannelSpec)| {
            let options = ChannelOptions {
                column: spec.column.clone(),
                unit: spec.unit.clone(),
                scale: spec.scale,
                of: spec.of.clone(),
            };
            (name.clone(), options)
        };
        Ok(ReadOptions {
            files: data.files.clone(),
            format: data.format,
            delimiter: data.delimiter,
            header: data.header,
            columns: data.columns.clone(),
            time: data.time.clone(),
            rate: data.rate,
            trajectory: data.trajectory.clone(),
            missing: data.missing,
            channels: Some(self.channels.iter().map(channel).collect()),
        })
    }
}
