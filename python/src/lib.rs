//! The Python package `gradbody`: models, steps, batches and gradients on NumPy arrays.
//!
//! A thin layer over the façade: it checks and converts arrays, releases the interpreter while Rust computes, and turns
//! errors into exceptions. What is easier to say in Python (views of parameters, results of fits, PyTorch) is in
//! `python/gradbody`. Nothing of the physics is here.

// The functions that Python calls take what PyO3 gives them, and their documentation is that of Python.
#![allow(missing_docs, clippy::needless_pass_by_value, clippy::too_many_arguments)]

mod arrays;
mod batch;
mod batch_gradients;
mod dynamics;
mod environments;
mod exceptions;
mod guarded;
mod hessian;
mod jax;
mod manifold;
mod model;
mod networks;
mod options;
mod patterns;
mod program;
mod rollout;
mod state;
mod worlds;
mod xla;

use pyo3::prelude::*;

/// The compiled part of gradbody.
#[pymodule(gil_used = false)]
mod _gradbody {
    #[pymodule_export]
    use crate::batch::Batch;
    #[pymodule_export]
    use crate::dynamics::{forward_dynamics, inverse_dynamics, jacobian, kinematics, mass_matrix};
    #[pymodule_export]
    use crate::environments::{Environments, environment_names};
    #[pymodule_export]
    use crate::exceptions::{GradbodyError, SimulationError};
    #[pymodule_export]
    use crate::hessian::hvp;
    #[pymodule_export]
    use crate::jax::{_xla_functions, PySimulated};
    #[pymodule_export]
    use crate::manifold::{gradient_of, tangent_of};
    #[pymodule_export]
    use crate::model::{Model, builtin_models, load, loads};
    #[pymodule_export]
    use crate::networks::{Networks, sites_of};
    #[pymodule_export]
    use crate::options::Options;
    #[pymodule_export]
    use crate::program::run_program;
    #[pymodule_export]
    use crate::rollout::{linearise, rollout, step};
    #[pymodule_export]
    use crate::state::State;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
