//! Where measurements are, and what to say when they are not.

use std::fs;
use std::io;
use std::path::PathBuf;

use anyhow::{Context as _, anyhow, bail};

/// The variable that names the folder.
const VARIABLE: &str = "GRADBODY_DATA";

/// The folder of all data sets.
pub(super) struct DataFolder(PathBuf);

/// A file of a data set, and where it comes from.
pub(super) struct DataFile<'a> {
    /// Its path in the data folder.
    pub(super) path: &'a str,
    /// Its columns.
    pub(super) columns: &'a [&'a str],
    /// Where the data are published, and what the file has of them.
    pub(super) source: &'a str,
}

impl DataFolder {
    /// What the variable names, else `data` here.
    pub(super) fn find() -> Self {
        let named = std::env::var_os(VARIABLE).filter(|name| !name.is_empty());
        DataFolder(named.map_or_else(|| PathBuf::from("data"), PathBuf::from))
    }

    /// Where it is.
    pub(super) fn path(&self) -> &std::path::Path {
        &self.0
    }

    /// A file as it is; `source` says where it comes from, if it is not there.
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

    /// The rows of a file: its columns as text, in the order asked for.
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

/// A finite number in row `row` of a file, counted from the first below the header.
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
