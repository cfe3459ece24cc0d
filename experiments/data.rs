//! Finds and reads the measured data, and reports missing files.

use std::fs;
use std::io;
use std::path::PathBuf;

use anyhow::{Context as _, anyhow, bail};

/// The environment variable that names the data folder.
const VARIABLE: &str = "GRADBODY_DATA";

/// The folder of all data sets.
pub(super) struct DataFolder(PathBuf);

/// A file of a data set, and where it comes from.
pub(super) struct DataFile<'a> {
    /// Its path in the data folder.
    pub(super) path: &'a str,
    /// Its columns.
    pub(super) columns: &'a [&'a str],
    /// Where the data are published, and which part of them the file contains.
    pub(super) source: &'a str,
}

impl DataFolder {
    /// The folder in the environment variable, or else `data` in the current folder.
    pub(super) fn find() -> Self {
        let named = std::env::var_os(VARIABLE).filter(|name| !name.is_empty());
        DataFolder(named.map_or_else(|| PathBuf::from("data"), PathBuf::from))
    }

    /// Path of the folder.
    pub(super) fn path(&self) -> &std::path::Path {
        &self.0
    }

    /// The text of a file; `source` completes the error message if the file is missing.
    pub(super) fn text(&self, path: &str, source: &str) -> anyhow::Result<String> {
        let file = self.0.join(path);
        let shown = file.display();
        fs::read_to_string(&file).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => anyhow!(
                "{shown}: no such file; {source}; set {VARIABLE} to the folder that has {path}"
            ),
            _ => anyhow!("{shown}: cannot be read: {error}"),
        })
    }

    /// The rows of a file, with the columns as text in the requested order.
    pub(super) fn rows(&self, file: &DataFile<'_>) -> anyhow::Result<Vec<Vec<String>>> {
        let form =
            format!("{}. It is a CSV with the columns {}", file.source, file.columns.join(", "));
        let text = self.text(file.path, &form)?;
        let shown = self.0.join(file.path);
        let shown = shown.display();
        let mut reader =
            csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        let header = reader.headers().with_context(|| shown.to_string())?.clone();
        let mut places = Vec::new();
        for column in file.columns {
            match header.iter().position(|name| name == *column) {
                Some(place) => places.push(place),
                None => bail!("{shown}:1: no column \"{column}\""),
            }
        }
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.with_context(|| shown.to_string())?;
            rows.push(places.iter().map(|place| record[*place].to_owned()).collect());
        }
        Ok(rows)
    }
}

/// Parses a finite number; `row` counts from 0 at the first line below the header.
pub(super) fn number(
    file: &DataFile<'_>,
    row: usize,
    column: usize,
    text: &str,
) -> anyhow::Result<f64> {
    text.parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(|| {
        let (path, name) = (file.path, file.columns[column]);
        anyhow!("{path}:{}: column \"{name}\": \"{text}\" is not a finite number", row + 2)
    })
}
