//! The program `gradbody`, for `python -m gradbody`.

use pyo3::prelude::*;

/// Runs the program with these arguments, of which the first is its name, and returns its exit status: 0 if all went
/// well. Wrong arguments end the process, as those of any program do.
#[pyfunction]
pub(crate) fn run_program(py: Python<'_>, args: Vec<String>) -> u8 {
    py.detach(|| gradbody_cli::exit_status(gradbody_cli::run(args)).number())
}
