//! Reading files into a data set.

use std::collections::HashSet;
use std::path::Path;

use super::table::Table;
use super::{DataError, DataSet, Fingerprint, Format, ReadOptions};
use super::{csv_file, files, npy_file};

/// Reads the files of a folder that the options list.
pub fn read(folder: &Path, options: &ReadOptions) -> Result<DataSet, DataError> {
    read_and_unused(folder, options).map(|(set, _)| set)
}

/// [`read`], which also returns the columns of the files that were not used.
pub fn read_and_unused(
    folder: &Path,
    options: &ReadOptions,
) -> Result<(DataSet, Vec<String>), DataError> {
    options.check()?;
    let mut set = DataSet::default();
    let mut unused: Vec<String> = Vec::new();
    for pattern in &options.files {
        for file in files::find(folder, pattern)? {
            let (table, print) = table(folder, &file, options)?;
            set.trajectories.extend(table.trajectories(options, stem(&file))?);
            for name in table.unused(options)? {
                if !unused.contains(&name) {
                    unused.push(name);
                }
            }
            set.files.push(print);
        }
    }
    let mut seen = HashSet::new();
    match set.trajectories.iter().find(|t| !seen.insert(&t.name)) {
        Some(twin) => Err(DataError::TwoTrajectories(twin.name.clone())),
        None => Ok((set, unused)),
    }
}

/// The contents of a file as a table, and its fingerprint.
pub(super) fn table(
    folder: &Path,
    file: &str,
    options: &ReadOptions,
) -> Result<(Table, Fingerprint), DataError> {
    let shown = files::shown(folder, file);
    let format = match options.format {
        Some(format) => format,
        None if folder.join(file).is_dir() => return Err(DataError::Folder { file: shown }),
        None => by_ending(file).ok_or_else(|| DataError::UnknownFormat { file: shown.clone() })?,
    };
    if format == Format::Csv {
        let (content, text) = files::text(folder, file)?;
        let table = csv_file::table(shown, &text, options)?;
        return Ok((table, Fingerprint::new(file, &content)));
    }
    let content = files::bytes(folder, file)?;
    let print = Fingerprint::new(file, &content);
    if content.is_empty() {
        return Err(DataError::Empty { file: shown });
    }
    let table = match format {
        Format::Npy => npy_file::npy(shown, &content, options)?,
        Format::Npz => npy_file::npz(shown, &content)?,
        Format::Csv | Format::Mcap => mcap(shown, &content)?,
    };
    Ok((table, print))
}

fn by_ending(file: &str) -> Option<Format> {
    let (_, ending) = file.rsplit_once('.')?;
    match ending.to_ascii_lowercase().as_str() {
        "csv" | "tsv" | "txt" | "dat" => Some(Format::Csv),
        "npy" => Some(Format::Npy),
        "npz" => Some(Format::Npz),
        "mcap" => Some(Format::Mcap),
        _ => None,
    }
}

/// A file's path without its extension.
fn stem(file: &str) -> &str {
    match file.rsplit_once('.') {
        Some((stem, ending)) if !ending.contains('/') && !stem.is_empty() => stem,
        _ => file,
    }
}

#[cfg(feature = "mcap")]
fn mcap(file: String, content: &[u8]) -> Result<Table, DataError> {
    super::mcap_file::table(file, content)
}

#[cfg(not(feature = "mcap"))]
fn mcap(file: String, _: &[u8]) -> Result<Table, DataError> {
    Err(DataError::NoMcap { file })
}
