//! The rows and columns of a file, whatever its format, and the trajectories in them.

use std::collections::{BTreeMap, HashMap};

use csv::StringRecord;

use super::{
    Channel, ChannelOptions, DataError, Dimension, Missing, Place, ReadOptions, Trajectory, Unit,
};
use gradbody_math::names::{did_you_mean, list};

/// The largest magnitude of a quantity with a unit, in SI units. No robot is measured beyond it.
const LARGEST: f64 = 1e15;

/// The largest magnitude of a pure number or a time [s]. Clocks that count nanoseconds reach 2e18.
const LARGEST_NUMBER: f64 = 1e20;

/// The contents of a file.
pub(super) struct Table {
    /// The file's name in messages.
    pub(super) file: String,
    /// The names of its columns.
    pub(super) names: Vec<String>,
    /// The time column [s], if the format has one.
    pub(super) clock: Option<&'static str>,
    /// The cells.
    pub(super) cells: Cells,
}

/// The cells of a table.
pub(super) enum Cells {
    /// Lines of text with equal numbers of cells.
    Text(Vec<Line>),
    /// One array per column.
    Arrays(Vec<Array>),
}

/// A line of text.
pub(super) struct Line {
    /// Its number in the file, from 1.
    pub(super) number: usize,
    /// Its cells.
    pub(super) cells: StringRecord,
}

/// A column of numbers.
pub(super) enum Array {
    /// As in the file; NaN counts as missing, as in text.
    Numbers(Vec<f64>),
    /// NaN where this column has no value but another one has.
    #[cfg_attr(not(feature = "mcap"), expect(dead_code, reason = "only messages are sparse"))]
    Sparse(Vec<f64>),
    /// A column that cannot be read, and why: an error if it is requested.
    Refused(String),
}

/// The contents of a cell.
enum Cell {
    Number(f64),
    Nothing(String),
}

impl Table {
    /// The column with this name.
    pub(super) fn column(&self, name: &str) -> Result<usize, DataError> {
        if let Some(column) = self.names.iter().position(|n| n == name) {
            return Ok(column);
        }
        let names = || self.names.iter().map(String::as_str);
        // A field of a topic that cannot be read as a whole.
        if let (Cells::Arrays(arrays), Some((k, topic))) = (
            &self.cells,
            names()
                .enumerate()
                .find(|(_, n)| name.strip_prefix(n).is_some_and(|field| field.starts_with('.'))),
        ) && let Some(Array::Refused(why)) = arrays.get(k)
        {
            return Err(self.refused(topic, why));
        }
        let hint = match did_you_mean(name, names()) {
            nothing if nothing.is_empty() => format!("; it has {}", list(names())),
            hint => hint,
        };
        Err(DataError::NoColumn { file: self.file.clone(), name: name.to_owned(), hint })
    }

    /// Number of rows of these columns, which must be equal and at least one.
    pub(super) fn rows(&self, columns: &[usize]) -> Result<usize, DataError> {
        let empty = || DataError::Empty { file: self.file.clone() };
        let rows = match &self.cells {
            Cells::Text(lines) => lines.len(),
            Cells::Arrays(arrays) => {
                let mut first: Option<(usize, usize)> = None;
                for &column in columns {
                    let rows = match &arrays[column] {
                        Array::Numbers(values) | Array::Sparse(values) => values.len(),
                        Array::Refused(why) => return Err(self.refused(&self.names[column], why)),
                    };
                    match first {
                        Some((other, other_rows)) if other_rows != rows => {
                            return Err(DataError::Lengths {
                                file: self.file.clone(),
                                first: self.names[other].clone(),
                                first_rows: other_rows,
                                second: self.names[column].clone(),
                                second_rows: rows,
                            });
                        }
                        _ => first = Some((column, rows)),
                    }
                }
                first.map_or(0, |(_, rows)| rows)
            }
        };
        if rows == 0 { Err(empty()) } else { Ok(rows) }
    }

    /// The number in a cell; NaN if it is missing and gaps are allowed.
    pub(super) fn number(
        &self,
        row: usize,
        column: usize,
        missing: Missing,
    ) -> Result<f64, DataError> {
        match (self.cell(row, column)?, missing) {
            (Cell::Number(x), _) => Ok(x),
            (Cell::Nothing(_), Missing::Gap) => Ok(f64::NAN),
            (Cell::Nothing(_), _) if self.is_sparse(column) => Ok(f64::NAN),
            (Cell::Nothing(text), Missing::Error) => Err(DataError::Missing {
                place: self.place(row),
                column: self.names[column].clone(),
                text,
            }),
        }
    }

    /// The contents of a cell, as text.
    pub(super) fn text(&self, row: usize, column: usize) -> String {
        match &self.cells {
            Cells::Text(lines) => lines[row].cells[column].to_owned(),
            Cells::Arrays(arrays) => match &arrays[column] {
                Array::Numbers(values) | Array::Sparse(values) => values[row].to_string(),
                Array::Refused(_) => String::new(),
            },
        }
    }

    /// The trajectories in the table; `name` is that of the file.
    pub(super) fn trajectories(
        &self,
        options: &ReadOptions,
        name: &str,
    ) -> Result<Vec<Trajectory>, DataError> {
        let clock = Clock::new(self, options)?;
        let apart: Vec<usize> =
            options.trajectory.iter().map(|c| self.column(c)).collect::<Result<_, _>>()?;
        let channels = self.channels(options, &clock, &apart)?;
        let used: Vec<usize> = clock
            .column()
            .into_iter()
            .chain(apart.iter().copied())
            .chain(channels.iter().map(|(_, column, _)| *column))
            .collect();

        let mut found: Vec<Trajectory> = Vec::new();
        let mut by_name: HashMap<String, usize> = HashMap::new();
        for row in 0..self.rows(&used)? {
            let parts = apart.iter().map(|column| self.text(row, *column));
            let full = std::iter::once(name.to_owned()).chain(parts).collect::<Vec<_>>().join("/");
            let place = *by_name.entry(full).or_insert_with_key(|full| {
                let channels = channels.iter().map(|(name, _, unit)| Channel {
                    name: name.clone(),
                    unit: *unit,
                    values: Vec::new(),
                });
                found.push(Trajectory {
                    name: full.clone(),
                    origin: full.clone(),
                    file: self.file.clone(),
                    t: Vec::new(),
                    channels: channels.collect(),
                });
                found.len() - 1
            });
            let trajectory = &mut found[place];
            let t = clock.time(self, row, &trajectory.t)?;
            trajectory.t.push(t);
            for ((_, column, unit), channel) in channels.iter().zip(&mut trajectory.channels) {
                let value = self.number(row, *column, options.missing)?;
                let most = match unit.dimension {
                    Dimension::Number => LARGEST_NUMBER,
                    _ => LARGEST,
                };
                if (value * unit.to_si).abs() > most {
                    return Err(self.absurd(row, *column, value));
                }
                channel.values.push(value * unit.to_si);
            }
        }
        Ok(found)
    }

    /// The columns that are not used.
    pub(super) fn unused(&self, options: &ReadOptions) -> Result<Vec<String>, DataError> {
        let clock = Clock::new(self, options)?;
        let mut used: Vec<usize> =
            options.trajectory.iter().map(|c| self.column(c)).collect::<Result<_, _>>()?;
        used.extend(clock.column());
        used.extend(self.channels(options, &clock, &used)?.iter().map(|(_, column, _)| *column));
        let columns = self.names.iter().enumerate();
        Ok(columns.filter(|(k, _)| !used.contains(k)).map(|(_, name)| name.clone()).collect())
    }

    /// The name, column and unit of every channel, in the order of the columns.
    fn channels(
        &self,
        options: &ReadOptions,
        clock: &Clock,
        apart: &[usize],
    ) -> Result<Vec<(String, usize, Unit)>, DataError> {
        let asked = |channels: &BTreeMap<String, ChannelOptions>| {
            let channel = |(name, options): (&String, &ChannelOptions)| {
                let column = self.column(options.column.as_ref().unwrap_or(name))?;
                Ok((name.clone(), column, options.unit(name)?))
            };
            channels.iter().map(channel).collect::<Result<Vec<_>, DataError>>()
        };
        match &options.channels {
            Some(channels) => {
                let mut channels = asked(channels)?;
                channels.sort_by_key(|(_, column, _)| *column);
                Ok(channels)
            }
            None => {
                let columns = self.names.iter().enumerate();
                let rest = columns
                    .filter(|(k, _)| clock.column() != Some(*k) && !apart.contains(k))
                    .map(|(k, name)| (name.clone(), k, Unit::ONE));
                Ok(rest.collect())
            }
        }
    }

    fn cell(&self, row: usize, column: usize) -> Result<Cell, DataError> {
        let name = || self.names[column].clone();
        let not_finite =
            |text: String| DataError::NotFinite { place: self.place(row), column: name(), text };
        match &self.cells {
            Cells::Text(lines) => {
                let text = &lines[row].cells[column];
                // Most cells are numbers, so try that first. Of numbers that are not finite, only NaN means a missing
                // value.
                match text.parse::<f64>() {
                    Ok(x) if x.is_finite() => Ok(Cell::Number(x)),
                    Ok(x) if !x.is_nan() => Err(not_finite(text.to_owned())),
                    _ if is_nothing(text) => Ok(Cell::Nothing(text.to_owned())),
                    _ => Err(DataError::NotANumber {
                        place: self.place(row),
                        column: name(),
                        text: text.to_owned(),
                        hint: self.hint(row, text),
                    }),
                }
            }
            Cells::Arrays(arrays) => match &arrays[column] {
                Array::Numbers(values) | Array::Sparse(values) => match values[row] {
                    x if x.is_finite() => Ok(Cell::Number(x)),
                    x if x.is_nan() => Ok(Cell::Nothing("NaN".to_owned())),
                    x => Err(not_finite(x.to_string())),
                },
                Array::Refused(why) => Err(self.refused(&self.names[column], why)),
            },
        }
    }

    fn place(&self, row: usize) -> Place {
        let file = self.file.clone();
        match &self.cells {
            Cells::Text(lines) => Place::Line { file, line: lines[row].number },
            Cells::Arrays(_) => Place::Row { file, row: row + 1 },
        }
    }

    fn absurd(&self, row: usize, column: usize, value: f64) -> DataError {
        let (place, column) = (self.place(row), self.names[column].clone());
        DataError::Absurd { place, column, value }
    }

    fn is_sparse(&self, column: usize) -> bool {
        matches!(&self.cells, Cells::Arrays(arrays) if matches!(arrays[column], Array::Sparse(_)))
    }

    fn refused(&self, name: &str, why: &str) -> DataError {
        DataError::Refused { file: self.file.clone(), name: name.to_owned(), why: why.to_owned() }
    }

    /// Advice for a text that is not a number.
    fn hint(&self, row: usize, text: &str) -> String {
        let decimal_comma = text.matches(',').count() == 1 && is_number(&text.replace(',', "."));
        match () {
            () if decimal_comma => "; decimals are written with a point".to_owned(),
            () if row == 0 => {
                "; if this row has the names of the columns, say header = true; if the column \
                               is not needed, name those that are in [channels]"
                    .to_owned()
            }
            () => String::new(),
        }
    }
}

/// Whether a text is a number, finite or not.
pub(super) fn is_number(text: &str) -> bool {
    text.parse::<f64>().is_ok()
}

/// Whether a text means that there is no number.
pub(super) fn is_nothing(text: &str) -> bool {
    text.is_empty() || ["nan", "na", "n/a", "null"].iter().any(|n| text.eq_ignore_ascii_case(n))
}

/// The source of the samples' times.
enum Clock {
    Column { column: usize, unit: Unit },
    Rate(f64),
}

impl Clock {
    fn new(table: &Table, options: &ReadOptions) -> Result<Self, DataError> {
        match (&options.time, options.rate, table.clock) {
            (Some(time), _, _) => {
                Ok(Clock::Column { column: table.column(&time.column)?, unit: time.unit()? })
            }
            (None, None, Some(clock)) => {
                Ok(Clock::Column { column: table.column(clock)?, unit: Unit::si(Dimension::Time) })
            }
            (None, Some(_), Some(clock)) => Err(DataError::Options(format!(
                "{}: a rate is given, but its rows have their own times (\"{clock}\")",
                table.file
            ))),
            (None, Some(rate), None) => Ok(Clock::Rate(rate)),
            (None, None, None) => Err(DataError::Options(format!(
                "{}: neither time nor rate is given; give the time column, time = \"…\" (it has {}), or \
                 the sample rate in Hz, rate = …",
                table.file,
                list(table.names.iter().map(String::as_str))
            ))),
        }
    }

    fn column(&self) -> Option<usize> {
        match self {
            Clock::Column { column, .. } => Some(*column),
            Clock::Rate(_) => None,
        }
    }

    /// The time of a row, which must be later than those before it in the trajectory.
    fn time(&self, table: &Table, row: usize, before: &[f64]) -> Result<f64, DataError> {
        let (column, unit) = match self {
            Clock::Rate(rate) => return Ok(before.len() as f64 / rate),
            Clock::Column { column, unit } => (*column, unit),
        };
        let (place, name) = (|| table.place(row), || table.names[column].clone());
        let t = match table.cell(row, column)? {
            Cell::Number(x) if (x * unit.to_si).abs() > LARGEST_NUMBER => {
                return Err(table.absurd(row, column, x));
            }
            Cell::Number(x) => x * unit.to_si,
            Cell::Nothing(text) => {
                return Err(DataError::NoTimeHere { place: place(), column: name(), text });
            }
        };
        match before.last() {
            Some(&from) if t < from => {
                Err(DataError::TimeBack { place: place(), column: name(), from, to: t })
            }
            Some(&at) if t == at => {
                Err(DataError::TimeStill { place: place(), column: name(), at })
            }
            _ => Ok(t),
        }
    }
}
