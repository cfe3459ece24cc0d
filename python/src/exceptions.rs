//! Errors as Python exceptions.

use std::fmt::Display;

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;

create_exception!(
    gradbody,
    GradbodyError,
    PyException,
    "Something gradbody was given cannot be used."
);
create_exception!(
    gradbody,
    SimulationError,
    GradbodyError,
    "A simulation or its gradient did not succeed: a motion diverged, a solver failed."
);

/// A value that cannot be used: `ValueError`.
pub(crate) fn value_error(why: impl Display) -> PyErr {
    PyValueError::new_err(why.to_string())
}

/// A file or a model that cannot be used: `GradbodyError`.
pub(crate) fn error(why: impl Display) -> PyErr {
    GradbodyError::new_err(why.to_string())
}

/// A motion that diverged: `SimulationError`.
pub(crate) fn failed(why: impl Display) -> PyErr {
    SimulationError::new_err(why.to_string())
}

/// For `.map_err`: the error as `ValueError`.
pub(crate) trait OrValueError<T> {
    fn or_value_error(self) -> PyResult<T>;
}

impl<T, E: Display> OrValueError<T> for Result<T, E> {
    fn or_value_error(self) -> PyResult<T> {
        self.map_err(value_error)
    }
}
