//! MJCF import.

use std::path::Path;

use super::{ImportError, ImportOptions, Imported};

/// Reads an MJCF text.
pub fn import(
    _text: &str,
    file: &Path,
    _options: &ImportOptions,
) -> Result<Imported, ImportError> {
    Err(ImportError {
        file: file.to_owned(),
        line: None,
        element: String::new(),
        message: "MJCF is not read yet".into(),
    })
}
