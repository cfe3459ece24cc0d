//! Parameters by patterns of their names.

use gradbody::model::Selection;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;

type Inner = gradbody::model::Model<f64>;

/// A pattern of parameters, or several.
#[derive(FromPyObject)]
pub(crate) enum Patterns {
    One(String),
    Many(Vec<String>),
}

impl Patterns {
    pub(crate) fn list(&self) -> Vec<String> {
        match self {
            Patterns::One(pattern) => vec![pattern.clone()],
            Patterns::Many(patterns) => patterns.clone(),
        }
    }
}

/// The parameters that match the patterns; none for no pattern.
pub(crate) fn selected(model: &Inner, patterns: &[String]) -> PyResult<Selection> {
    if patterns.is_empty() {
        return Ok(Selection::none());
    }
    Selection::of(model, patterns).map_err(|e| PyKeyError::new_err(e.to_string()))
}
