//! CSV and similar text files.
//!
//! Lines are split here and not by the `csv` crate, which does not count the lines it skips (comments, empty ones), so
//! that messages give the line number an editor shows. Lines with quotation marks are passed to that crate.

use csv::StringRecord;

use super::table::{Cells, Line, Table, is_nothing, is_number};
use super::{DataError, Delimiter, Place, ReadOptions};

/// The table in a text.
pub(super) fn table(file: String, text: &str, options: &ReadOptions) -> Result<Table, DataError> {
    let mut lines = rows(&file, text, options.delimiter)?;
    let Some(first) = lines.first() else { return Err(DataError::Empty { file }) };
    let (width, first_number) = (first.cells.len(), first.number);
    if let Some(line) = lines.iter().find(|line| line.cells.len() != width) {
        return Err(DataError::Width {
            place: Place::Line { file, line: line.number },
            found: line.cells.len(),
            expected: width,
            first: first_number,
        });
    }
    let is_name = |cell: &str| !is_number(cell) && !is_nothing(cell);
    let has_header = options.header.unwrap_or_else(|| {
        // A delimiter at the end of each line leaves an empty cell.
        first.cells.iter().any(is_name) && first.cells.iter().all(|c| is_name(c) || c.is_empty())
    });
    let header = has_header.then(|| lines.remove(0).cells);
    let names = match (&options.columns, header) {
        (Some(names), _) if names.len() != width => {
            return Err(DataError::Names { file, found: width, given: names.len() });
        }
        (Some(names), _) => names.clone(),
        (None, header) => {
            let written =
                |k| header.as_ref().and_then(|h| h.get(k)).filter(|name| !name.is_empty());
            (0..width).map(|k| written(k).map_or_else(|| format!("c{k}"), str::to_owned)).collect()
        }
    };
    if let Some(name) = repeated(&names) {
        return Err(DataError::Twice { file, name });
    }
    Ok(Table { file, names, clock: None, cells: Cells::Text(lines) })
}

/// The first name that occurs twice, if any.
pub(super) fn repeated(names: &[String]) -> Option<String> {
    names.iter().enumerate().find(|(k, name)| names[..*k].contains(name)).map(|(_, n)| n.clone())
}

/// The lines that are neither empty nor comments.
fn rows(file: &str, text: &str, delimiter: Option<Delimiter>) -> Result<Vec<Line>, DataError> {
    let mut lines = Vec::new();
    let mut found = delimiter;
    for (k, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        let delimiter = *found.get_or_insert_with(|| guess(line));
        let cells = split(line, delimiter).ok_or_else(|| DataError::Quote {
            place: Place::Line { file: file.to_owned(), line: k + 1 },
        })?;
        lines.push(Line { number: k + 1, cells });
    }
    Ok(lines)
}

/// Guesses the delimiter of a line: a comma may be part of a number or of a name, so the others are tried first.
fn guess(line: &str) -> Delimiter {
    match line {
        _ if line.contains('\t') => Delimiter::Tab,
        _ if line.contains(';') => Delimiter::Semicolon,
        _ if line.contains(',') => Delimiter::Comma,
        _ => Delimiter::Whitespace,
    }
}

/// The cells of a line; `None` if a quotation mark is not closed.
fn split(line: &str, delimiter: Delimiter) -> Option<StringRecord> {
    let sign = match delimiter {
        Delimiter::Whitespace => return Some(line.split_whitespace().collect::<Vec<_>>().into()),
        Delimiter::Comma => ',',
        Delimiter::Semicolon => ';',
        Delimiter::Tab => '\t',
    };
    if !line.contains('"') {
        return Some(line.split(sign).map(str::trim).collect::<Vec<_>>().into());
    }
    if line.matches('"').count() % 2 == 1 {
        return None;
    }
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .delimiter(sign as u8)
        .trim(csv::Trim::All)
        .from_reader(line.as_bytes());
    reader.records().next()?.ok()
}
