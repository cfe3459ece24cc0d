//! What can be wrong with data, or with what is said about them.

use std::fmt;

use super::{Dimension, Fingerprint, Unit};

/// A row of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of text, as an editor counts them: from one.
    Line {
        /// The file.
        file: String,
        /// The line.
        line: usize,
    },
    /// A row of arrays, from one.
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
    /// Nothing is there.
    #[error("{file}: no such file{hint}")]
    NoFile {
        /// The file.
        file: String,
        /// The nearest name, as the end of a sentence.
        hint: String,
    },
    /// A folder in place of a file.
    #[error("{file}: a folder, not a file; name its files, for example \"{file}/*.csv\"")]
    Folder {
        /// The folder.
        file: String,
    },
    /// The system does not give it out.
    #[error("{file}: cannot be read: {error}")]
    Unreadable {
        /// The file.
        file: String,
        /// What the system says.
        error: String,
    },
    /// A pattern that no file fits.
    #[error("{pattern}: no file fits this pattern")]
    NoMatch {
        /// The pattern.
        pattern: String,
    },
    /// Bytes that no text has.
    #[error(
        "{file}: not text but a binary file; NPY, NPZ and MCAP files are known by their ending, or say format"
    )]
    Binary {
        /// The file.
        file: String,
    },
    /// Text of another encoding.
    #[error("{file}:{line}: not UTF-8; save the file with that encoding")]
    NotUtf8 {
        /// The file.
        file: String,
        /// The first line that is not.
        line: usize,
    },
    /// An ending that says nothing.
    #[error(
        "{file}: its ending does not say what it is; say format = \"csv\", \"npy\", \"npz\" or \"mcap\""
    )]
    UnknownFormat {
        /// The file.
        file: String,
    },
    /// A format that this build does not read.
    #[error("{file}: MCAP files are read if gradbody is built with the feature \"mcap\"")]
    NoMcap {
        /// The file.
        file: String,
    },
    /// No rows.
    #[error("{file}: empty, it has no rows of numbers")]
    Empty {
        /// The file.
        file: String,
    },
    /// Not what its ending says.
    #[error("{file}: {why}")]
    Malformed {
        /// The file.
        file: String,
        /// What is wrong with it.
        why: String,
    },
    /// Cells that cannot be told apart.
    #[error("{place}: a quotation mark that is not closed on its line")]
    Quote {
        /// Where.
        place: Place,
    },
    /// A row that is shorter or longer than the first.
    #[error("{place}: {} where line {first} has {expected}", columns(.found))]
    Width {
        /// Where.
        place: Place,
        /// How many columns it has.
        found: usize,
        /// How many the first row has.
        expected: usize,
        /// The line of the first row.
        first: usize,
    },
    /// More or fewer names than columns.
    #[error("{file}: it has {}, but the option columns names {given}", columns(.found))]
    Names {
        /// The file.
        file: String,
        /// How many columns it has.
        found: usize,
        /// How many names were given.
        given: usize,
    },
    /// Columns that cannot be told apart.
    #[error("{file}: two columns are called \"{name}\"")]
    Twice {
        /// The file.
        file: String,
        /// Their name.
        name: String,
    },
    /// A column that is asked for and not there.
    #[error("{file}: no column \"{name}\"{hint}")]
    NoColumn {
        /// The file.
        file: String,
        /// What was asked for.
        name: String,
        /// The nearest name or all of them, as the end of a sentence.
        hint: String,
    },
    /// Text in place of a number.
    #[error("{place}: column \"{column}\": \"{text}\" is not a number{hint}")]
    NotANumber {
        /// Where.
        place: Place,
        /// The column.
        column: String,
        /// What is there.
        text: String,
        /// What to do, as the end of a sentence.
        hint: String,
    },
    /// A number no sensor gives.
    #[error("{place}: column \"{column}\": \"{text}\" is not finite")]
    NotFinite {
        /// Where.
        place: Place,
        /// The column.
        column: String,
        /// What is there.
        text: String,
    },
    /// A value that is not there, in data that are said to be whole.
    #[error(
        "{place}: column \"{column}\": {} where a number should be; say missing = \"gap\" if samples may be missing",
        nothing(.text)
    )]
    Missing {
        /// Where.
        place: Place,
        /// The column.
        column: String,
        /// What is there.
        text: String,
    },
    /// A sample that was taken at no time.
    #[error("{place}: column \"{column}\": {}, but every sample needs its time", nothing(.text))]
    NoTimeHere {
        /// Where.
        place: Place,
        /// The column.
        column: String,
        /// What is there.
        text: String,
    },
    /// Samples out of order.
    #[error(
        "{place}: column \"{column}\": time goes back from {from} s to {to} s; if a new trajectory begins here, name \
         the column that tells them apart: trajectory = \"…\""
    )]
    TimeBack {
        /// Where.
        place: Place,
        /// The column.
        column: String,
        /// The time before [s].
        from: f64,
        /// The time here [s].
        to: f64,
    },
    /// Two samples of one time.
    #[error("{place}: column \"{column}\": time stands still at {at} s")]
    TimeStill {
        /// Where.
        place: Place,
        /// The column.
        column: String,
        /// The time [s].
        at: f64,
    },
    /// Arrays of different lengths.
    #[error("{file}: \"{first}\" has {first_rows} rows, but \"{second}\" has {second_rows}")]
    Lengths {
        /// The file.
        file: String,
        /// An array.
        first: String,
        /// Its length.
        first_rows: usize,
        /// Another.
        second: String,
        /// Its length.
        second_rows: usize,
    },
    /// An array or topic that cannot be read.
    #[error("{file}: \"{name}\" {why}")]
    Refused {
        /// The file.
        file: String,
        /// The array or topic.
        name: String,
        /// Why.
        why: String,
    },
    /// Options that say nothing, or two things at once.
    #[error("data options: {0}")]
    Options(String),
    /// A unit that is not known.
    #[error("unknown unit \"{name}\"{hint}")]
    UnknownUnit {
        /// Its name.
        name: String,
        /// The nearest unit or all of them, as the end of a sentence.
        hint: String,
    },
    /// A unit of something else.
    #[error("{what} is {expected}, but \"{unit}\" is a unit of {}", .unit.dimension)]
    WrongDimension {
        /// What it is the unit of.
        what: String,
        /// The unit.
        unit: Unit,
        /// What would fit.
        expected: Dimension,
    },
    /// Trajectories that cannot be told apart.
    #[error("two trajectories are called \"{0}\"")]
    TwoTrajectories(String),
    /// A channel that is not there.
    #[error("trajectory \"{trajectory}\": no channel \"{name}\"{hint}")]
    NoChannel {
        /// The trajectory.
        trajectory: String,
        /// What was asked for.
        name: String,
        /// The nearest name or all of them, as the end of a sentence.
        hint: String,
    },
    /// A trajectory that is not there.
    #[error("no trajectory \"{name}\"{hint}")]
    NoTrajectory {
        /// What was asked for.
        name: String,
        /// The nearest name, as the end of a sentence.
        hint: String,
    },
    /// A file that is not what it was.
    #[error("{}: changed since it was read: it had {was}, now {now}", .was.file)]
    Changed {
        /// What it was.
        was: Fingerprint,
        /// What it is.
        now: Fingerprint,
    },
}

fn columns(number: &usize) -> String {
    format!("{number} column{}", if *number == 1 { "" } else { "s" })
}

fn nothing(text: &str) -> String {
    if text.is_empty() { "nothing".to_owned() } else { format!("\"{text}\"") }
}
