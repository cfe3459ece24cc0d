//! NumPy arrays: `.npy` files, and `.npz` files, which are ZIP archives of them.
//!
//! The format is a header of one line and the bytes, so it is read here: little endian f4, f8, i4 and i8, in C order, of
//! one or two dimensions. Crates that read more of it bring more than they replace (docs/decisions/0015-small-tools.md).
//! An i8 beyond 2⁵³ loses its last digits, as all values are f64.
//!
//! <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>

use std::io::{Cursor, Read};

use super::csv_file::repeated;
use super::table::{Array, Cells, Table};
use super::{DataError, ReadOptions};

/// Larger than any array of a recording; an archive that claims more is meant to exhaust the memory [bytes].
const LARGEST: u64 = 4 << 30;

/// The table in a `.npy` file: columns `c0`, `c1`, … or as named in the options.
pub(super) fn npy(file: String, content: &[u8], options: &ReadOptions) -> Result<Table, DataError> {
    let arrays = match columns(content) {
        Ok(arrays) => arrays,
        Err(why) => return Err(DataError::Malformed { file, why: format!("the array {why}") }),
    };
    let names: Vec<String> = match &options.columns {
        Some(names) if names.len() != arrays.len() => {
            return Err(DataError::Names { file, found: arrays.len(), given: names.len() });
        }
        Some(names) => names.clone(),
        None => (0..arrays.len()).map(|k| format!("c{k}")).collect(),
    };
    if let Some(name) = repeated(&names) {
        return Err(DataError::Twice { file, name });
    }
    let arrays = arrays.into_iter().map(Array::Numbers).collect();
    Ok(Table { file, names, clock: None, cells: Cells::Arrays(arrays) })
}

/// The table in a `.npz` file: an array of one dimension is a column with its name; the columns of one with two are
/// `name.0`, `name.1`, …
pub(super) fn npz(file: String, content: &[u8]) -> Result<Table, DataError> {
    let malformed = |file: &str, error: &dyn std::fmt::Display| DataError::Malformed {
        file: file.to_owned(),
        why: format!("not an NPZ file: {error}"),
    };
    let mut archive =
        zip::ZipArchive::new(Cursor::new(content)).map_err(|error| malformed(&file, &error))?;
    let (mut names, mut arrays) = (Vec::new(), Vec::new());
    for k in 0..archive.len() {
        let mut entry = archive.by_index(k).map_err(|error| malformed(&file, &error))?;
        let name = entry.name().map_err(|error| malformed(&file, &error))?.into_owned();
        let Some(name) = name.strip_suffix(".npy").map(str::to_owned) else { continue };
        let mut bytes = Vec::new();
        let read = entry.by_ref().take(LARGEST).read_to_end(&mut bytes);
        read.map_err(|error| malformed(&file, &error))?;
        match columns(&bytes) {
            Ok(mut columns) if columns.len() == 1 => {
                names.push(name);
                arrays.extend(columns.pop().map(Array::Numbers));
            }
            Ok(columns) => {
                names.extend((0..columns.len()).map(|k| format!("{name}.{k}")));
                arrays.extend(columns.into_iter().map(Array::Numbers));
            }
            Err(why) => {
                names.push(name);
                arrays.push(Array::Refused(why));
            }
        }
    }
    match repeated(&names) {
        Some(name) => Err(DataError::Twice { file, name }),
        None => Ok(Table { file, names, clock: None, cells: Cells::Arrays(arrays) }),
    }
}

/// The columns of an array, or why they cannot be read.
fn columns(content: &[u8]) -> Result<Vec<Vec<f64>>, String> {
    let (header, data) = header(content).ok_or("is not in the NPY format")?;
    let entry = |key: &str| {
        let at = header.find(&format!("'{key}'"))? + key.len() + 2;
        Some(header[at..].trim_start().strip_prefix(':')?.trim_start())
    };
    let (kind, order, shape) = match (entry("descr"), entry("fortran_order"), entry("shape")) {
        (Some(kind), Some(order), Some(shape)) => (kind, order, shape),
        _ => return Err("has an NPY header without descr, fortran_order or shape".to_owned()),
    };
    let kind = match kind.strip_prefix('\'').and_then(|kind| kind.split_once('\'')) {
        Some((kind, _)) => kind,
        None => {
            return Err("has named fields; only arrays of plain numbers are supported".to_owned());
        }
    };
    let values = numbers(kind, data).ok_or_else(|| {
        format!(
            "has numbers of type \"{kind}\"; only <f4, <f8, <i4 and <i8 are supported: use .astype(\"<f8\")"
        )
    })?;
    let shape = shape
        .strip_prefix('(')
        .and_then(|shape| shape.split_once(')'))
        .map(|(shape, _)| shape.split(',').map(str::trim).filter(|part| !part.is_empty()))
        .and_then(|parts| parts.map(|part| part.parse().ok()).collect::<Option<Vec<usize>>>())
        .ok_or("has an NPY header without shape")?;
    let (rows, width) = match shape[..] {
        [rows] => (rows, 1),
        [rows, width] if width > 0 => (rows, width),
        _ => {
            return Err(format!("has {} dimensions; only one or two are supported", shape.len()));
        }
    };
    if order.starts_with("True") && width > 1 && rows > 1 {
        return Err("is in Fortran order; save numpy.ascontiguousarray of it".to_owned());
    }
    if rows.checked_mul(width) != Some(values.len()) {
        return Err(format!("has {} numbers, but its shape is {rows} x {width}", values.len()));
    }
    Ok((0..width).map(|k| values.iter().skip(k).step_by(width).copied().collect()).collect())
}

/// The text of the header, and what follows it.
fn header(content: &[u8]) -> Option<(&str, &[u8])> {
    let rest = content.strip_prefix(b"\x93NUMPY")?;
    let (version, rest) = rest.split_first_chunk::<2>()?;
    let (length, rest) = match version[0] {
        1 => rest.split_first_chunk().map(|(n, rest)| (u16::from_le_bytes(*n) as usize, rest))?,
        2 | 3 => {
            rest.split_first_chunk().map(|(n, rest)| (u32::from_le_bytes(*n) as usize, rest))?
        }
        _ => return None,
    };
    let (header, data) = rest.split_at_checked(length)?;
    Some((std::str::from_utf8(header).ok()?, data))
}

/// The numbers of this type; `None` if it is not supported.
fn numbers(kind: &str, data: &[u8]) -> Option<Vec<f64>> {
    fn each<const N: usize>(data: &[u8], number: impl Fn([u8; N]) -> f64) -> Vec<f64> {
        data.as_chunks::<N>().0.iter().map(|bytes| number(*bytes)).collect()
    }
    match kind {
        "<f4" => Some(each(data, |b| f64::from(f32::from_le_bytes(b)))),
        "<f8" => Some(each(data, f64::from_le_bytes)),
        "<i4" => Some(each(data, |b| f64::from(i32::from_le_bytes(b)))),
        "<i8" => Some(each(data, |b| i64::from_le_bytes(b) as f64)),
        _ => None,
    }
}
