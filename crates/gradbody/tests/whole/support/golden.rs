//! Reference values in `tests/golden`, and the files of other projects they belong to.

use std::path::{Path, PathBuf};

use gradbody::math::Vec3;
use serde_json::Value;

/// A golden file, by its name without `.json`.
pub(crate) struct Golden {
    pub(crate) name: String,
    pub(crate) content: Value,
}

/// The golden files of a folder whose names begin with `prefix`, sorted.
pub(crate) fn golden(folder: &str, prefix: &str) -> Vec<Golden> {
    let folder = repository().join("tests/golden").join(folder);
    let entries = std::fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("the golden files in {}: {e}", folder.display()));
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("a readable folder").file_name().to_string_lossy().into_owned())
        .filter_map(|name| name.strip_suffix(".json").map(str::to_owned))
        .filter(|name| name.starts_with(prefix))
        .collect();
    names.sort();
    names
        .into_iter()
        .map(|name| {
            let text = std::fs::read_to_string(folder.join(format!("{name}.json")))
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            let content = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
            Golden { name, content }
        })
        .collect()
}

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder of an installed Python package: the one that `variable` names, else `inside` the
/// packages of the repository's `.venv`. Under `cargo xtask test`, which installs them, it must exist.
pub(crate) fn package_folder(variable: &str, inside: &str) -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os(variable) {
        let folder = PathBuf::from(folder);
        assert!(folder.is_dir(), "{variable}: {} is no folder", folder.display());
        return Some(folder);
    }
    let pythons = std::fs::read_dir(repository().join(".venv/lib")).into_iter().flatten();
    let folder = pythons
        .filter_map(Result::ok)
        .map(|python| python.path().join("site-packages").join(inside))
        .find(|folder| folder.is_dir());
    let required = std::env::var_os("GRADBODY_REQUIRE_PACKAGES").is_some();
    assert!(folder.is_some() || !required, "{inside} is not in .venv");
    folder
}

/// All numbers of a value, arrays in arrays one after the other.
pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        other => vec![number(other)],
    }
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

pub(crate) fn index(value: &Value) -> usize {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no index")) as usize
}

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
}

pub(crate) fn items(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value} is no list"))
}

pub(crate) fn vector(value: &Value) -> Vec3<f64> {
    Vec3::from_slice(&numbers(value))
}
