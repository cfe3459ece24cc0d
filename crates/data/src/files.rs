//! Finding the files that match a pattern, and reading them.

use std::fs;
use std::io;
use std::path::Path;

use super::DataError;
use super::natural_order::natural_order;
use gradbody_math::names::{did_you_mean, is_pattern, matches};

/// The files in a folder that match a path or pattern, in natural order. Stars and question marks may be in any part of
/// the path, and do not match a slash.
pub(super) fn find(folder: &Path, pattern: &str) -> Result<Vec<String>, DataError> {
    if !is_pattern(pattern) {
        return Ok(vec![pattern.to_owned()]);
    }
    let mut found = vec![if pattern.starts_with('/') { "/".to_owned() } else { String::new() }];
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        let mut deeper = Vec::new();
        for path in &found {
            match is_pattern(part) {
                // Patterns do not match hidden files, which begin with a dot.
                true => {
                    deeper.extend(names_in(&folder.join(path)).into_iter().filter_map(|name| {
                        let hidden = name.starts_with('.') && !part.starts_with('.');
                        (!hidden && matches(part, &name)).then(|| join(path, &name))
                    }))
                }
                false => deeper.push(join(path, part)),
            }
        }
        found = deeper;
    }
    found.retain(|path| folder.join(path).is_file());
    found.sort_by(|a, b| natural_order(a, b));
    match found.is_empty() {
        true => Err(DataError::NoMatch { pattern: shown(folder, pattern) }),
        false => Ok(found),
    }
}

/// The contents of a file.
pub(super) fn bytes(folder: &Path, file: &str) -> Result<Vec<u8>, DataError> {
    let path = folder.join(file);
    let shown = shown(folder, file);
    if path.is_dir() {
        return Err(DataError::Folder { file: shown });
    }
    fs::read(&path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => DataError::NoFile { hint: neighbour(&path), file: shown },
        _ => DataError::Unreadable { file: shown, error: error.to_string() },
    })
}

/// The text of a file.
pub(super) fn text(folder: &Path, file: &str) -> Result<(Vec<u8>, String), DataError> {
    let content = bytes(folder, file)?;
    let shown = shown(folder, file);
    if content.contains(&0) {
        return Err(DataError::Binary { file: shown });
    }
    // Excel begins its files with a byte order mark.
    let body = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&content);
    match std::str::from_utf8(body) {
        Ok(text) => {
            let text = text.to_owned();
            Ok((content, text))
        }
        Err(error) => {
            let before = &body[..error.valid_up_to()];
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
            Err(DataError::NotUtf8 { file: shown, line })
        }
    }
}

/// A file's name in messages.
pub(super) fn shown(folder: &Path, file: &str) -> String {
    folder.join(file).display().to_string()
}

fn join(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        _ if path.ends_with('/') => format!("{path}{name}"),
        _ => format!("{path}/{name}"),
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = fs::read_dir(here).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

fn neighbour(path: &Path) -> String {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name().and_then(|n| n.to_str()))
    else {
        return String::new();
    };
    did_you_mean(name, names_in(parent).iter().map(String::as_str))
}
