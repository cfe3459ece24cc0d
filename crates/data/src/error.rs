//! Errors of data and of the options for reading them.

use std::fmt;

use super::{Dimension, Fingerprint, Unit};

/// A position in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of text, from 1 as in an editor.
    Line {
        /// The file.
        file: String,
        /// The line.
        line: usize,
    },
    /// A row of arrays, from 1.
    Row {
        /// The file.
        file: String,
        /// The row.
        row: usize,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line { file, line } => write!(f, "{file}:{line}"),
            Place::Row { file, row } => write!(f, "{file}: row {row}"),
        }
    }
}

/// Why data cannot be read or used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DataError {
    /// The file does not exist.
    #[error("{file}: no such file{hint}")]
    NoFile {
        /// The file.
        file: String,
        /// The most similar name, as the end of a sentence.
        hint: String,
    },
    /// The path is a folder, not a file.
    #[error("{file}: a folder, not a file; name its files, for example \"{file}/*.csv\"")]
    Folder {
        /// The folder.
        file: String,
    },
    /// The file cannot be read.
    #[error("{file}: cannot be read: {error}")]
    Unreadable {
        /// The file.
        file: String,
        /// The system's message.
        error: String,
    },
    /// No file matches a pattern.
    #[error("{pattern}: no file matches this pattern")]
    NoMatch {
        /// The pattern.
        pattern: String,
    },
    /// A binary file where text was expected.
    #[error(
        "{file}: a binary file, not text; NPY, NPZ and MCAP files are recognised by their extension, or set format"
    )]
    Binary {
        /// The file.
        file: String,
    },
    /// Text in another encoding.
    #[error("{file}:{line}: not UTF-8; save the file with that encoding")]
    NotUtf8 {
        /// The file.
        file: String,
        /// The first line that is not UTF-8.
        line: usize,
    },
    /// The file's extension does not determine its format.
    #[error("{file}: unknown extension; set format = \"csv\", \"npy\", \"npz\" or \"mcap\"")]
    UnknownFormat {
        /// The file.
        file: String,
    },
    /// A format that this build does not support.
    #[error("{file}: to read MCAP files, build gradbody with the feature \"mcap\"")]
    NoMcap {
        /// The file.
        file: String,
    },
    /// The file has no rows.
    #[error("{file}: empty: it has no rows of numbers")]
    Empty {
        /// The file.
        file: String,
    },
    /// The contents do not have the expected format.
    #[error("{file}: {why}")]
    Malformed {
        /// The file.
        file: String,
        /// What is wrong with it.
        why: String,
    },
    /// A quotation mark is not closed.
    #[error("{place}: a quotation mark that is not closed on its line")]
    Quote {
        /// The position.
        place: Place,
    },
    /// A row has a different number of columns than the first.
    #[error("{place}: {} where line {first} has {expected}", columns(.found))]
    Width {
        /// The position.
        place: Place,
        /// Number of columns of this row.
        found: usize,
        /// Number of columns of the first row.
        expected: usize,
        /// The line of the first row.
        first: usize,
    },
    /// The number of names differs from the number of columns.
    #[error("{file}: it has {}, but the option columns lists {given}", columns(.found))]
    Names {
        /// The file.
        file: String,
        /// Number of columns of the file.
        found: usize,
        /// Number of names given.
        given: usize,
    },
    /// Two columns have the same name.
    #[error("{file}: two columns are named \"{name}\"")]
    Twice {
        /// The file.
        file: String,
        /// Their name.
        name: String,
    },
    /// A requested column does not exist.
    #[error("{file}: no column \"{name}\"{hint}")]
    NoColumn {
        /// The file.
        file: String,
        /// The requested name.
        name: String,
        /// The most similar name or all of them, as the end of a sentence.
        hint: String,
    },
    /// Text where a number was expected.
    #[error("{place}: column \"{column}\": \"{text}\" is not a number{hint}")]
    NotANumber {
        /// The position.
        place: Place,
        /// The column.
        column: String,
        /// The text.
        text: String,
        /// Advice, as the end of a sentence.
        hint: String,
    },
    /// A number is not finite.
    #[error("{place}: column \"{column}\": \"{text}\" is not finite")]
    NotFinite {
        /// The position.
        place: Place,
        /// The column.
        column: String,
        /// The text.
        text: String,
    },
    /// A number is too large to be a measurement.
    #[error(
        "{place}: column \"{column}\": {value:e} is too large for a measurement; if it marks a missing value, leave the cell \
         empty and set missing = \"gap\""
    )]
    Absurd {
        /// The position.
        place: Place,
        /// The column.
        column: String,
        /// The number in the file.
        value: f64,
    },
    /// A value is missing, in data that should be complete.
    #[error(
        "{place}: column \"{column}\": {} where a number should be; set missing = \"gap\" if samples may be missing",
        nothing(.text)
    )]
    Missing {
        /// The position.
        place: Place,
        /// The column.
        column: String,
        /// The text.
        text: String,
    },
    /// A sample has no time.
    #[error("{place}: column \"{column}\": {}, but every sample needs its time", nothing(.text))]
    NoTimeHere {
        /// The position.
        place: Place,
        /// The column.
        column: String,
        /// The text.
        text: String,
    },
    /// The times are not in ascending order.
    #[error(
        "{place}: column \"{column}\": time goes back from {from} s to {to} s; if a new trajectory begins here, name \
         the column that tells them apart: trajectory = \"…\""
    )]
    TimeBack {
        /// The position.
        place: Place,
        /// The column.
        column: String,
        /// The previous time [s].
        from: f64,
        /// The time at this position [s].
        to: f64,
    },
    /// Two samples have the same time.
    #[error("{place}: column \"{column}\": the time {at} s is repeated")]
    TimeStill {
        /// The position.
        place: Place,
        /// The column.
        column: String,
        /// The time [s].
        at: f64,
    },
    /// Arrays have different lengths.
    #[error("{file}: \"{first}\" has {first_rows} rows, but \"{second}\" has {second_rows}")]
    Lengths {
        /// The file.
        file: String,
        /// One array.
        first: String,
        /// Its number of rows.
        first_rows: usize,
        /// Another array.
        second: String,
        /// Its number of rows.
        second_rows: usize,
    },
    /// An array or topic cannot be read.
    #[error("{file}: \"{name}\" {why}")]
    Refused {
        /// The file.
        file: String,
        /// The array or topic.
        name: String,
        /// The reason.
        why: String,
    },
    /// Options are incomplete or contradict each other.
    #[error("data options: {0}")]
    Options(String),
    /// An unknown unit.
    #[error("unknown unit \"{name}\"{hint}")]
    UnknownUnit {
        /// Its name.
        name: String,
        /// The most similar unit or all of them, as the end of a sentence.
        hint: String,
    },
    /// A unit has the wrong dimension.
    #[error("{what} is {expected}, but \"{unit}\" is a unit of {}", .unit.dimension)]
    WrongDimension {
        /// The quantity.
        what: String,
        /// The unit.
        unit: Unit,
        /// The expected dimension.
        expected: Dimension,
    },
    /// Two trajectories have the same name.
    #[error("two trajectories are named \"{0}\"")]
    TwoTrajectories(String),
    /// A requested channel does not exist.
    #[error("trajectory \"{trajectory}\": no channel \"{name}\"{hint}")]
    NoChannel {
        /// The trajectory.
        trajectory: String,
        /// The requested name.
        name: String,
        /// The most similar name or all of them, as the end of a sentence.
        hint: String,
    },
    /// A requested trajectory does not exist.
    #[error("no trajectory \"{name}\"{hint}")]
    NoTrajectory {
        /// The requested name.
        name: String,
        /// The most similar name, as the end of a sentence.
        hint: String,
    },
    /// A file has changed.
    #[error("{}: changed since it was read: it had {was}, now {now}", .was.file)]
    Changed {
        /// Its fingerprint when it was read.
        was: Fingerprint,
        /// Its fingerprint now.
        now: Fingerprint,
    },
}

fn columns(number: &usize) -> String {
    format!("{number} column{}", if *number == 1 { "" } else { "s" })
}

fn nothing(text: &str) -> String {
    if text.is_empty() { "nothing".to_owned() } else { format!("\"{text}\"") }
}
