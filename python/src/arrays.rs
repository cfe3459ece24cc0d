//! Arrays from and to Python: any real numbers in any order in memory, checked sizes, finite values.
//!
//! Numbers are copied on their way in: while Rust computes, the interpreter is free, and other threads of Python may write
//! to any array.

use std::borrow::Cow;
use std::fmt;

use numpy::{IntoPyArray, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A size of an array: given, or any.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Dim {
    Is(usize, &'static str),
    Any(&'static str),
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dim::Is(n, name) => write!(f, "{name}={n}"),
            Dim::Any(name) => f.write_str(name),
        }
    }
}

/// The numbers of `given`, row by row, and its shape. It must have the shape `wanted` and finite numbers.
pub(crate) fn numbers(
    name: &str,
    given: &Bound<'_, PyAny>,
    wanted: &[Dim],
) -> PyResult<(Vec<f64>, Vec<usize>)> {
    let array = real_array(name, given)?;
    let shape = array.getattr("shape")?.extract::<Vec<usize>>()?;
    let fits = shape.len() == wanted.len()
        && shape.iter().zip(wanted).all(|(n, dim)| match dim {
            Dim::Is(wanted, _) => n == wanted,
            Dim::Any(_) => true,
        });
    if !fits {
        let no_actuators = wanted.contains(&Dim::Is(0, "nu"));
        let wanted: Vec<String> = wanted.iter().map(|dim| dim.to_string()).collect();
        let shown: Vec<String> = shape.iter().map(|n| n.to_string()).collect();
        let hint =
            if no_actuators { "; the model has no actuators: give joint forces" } else { "" };
        return Err(PyValueError::new_err(format!(
            "{name} has the shape ({}), but needs ({}){hint}",
            shown.join(", "),
            wanted.join(", ")
        )));
    }
    let numbers = copied(&array)?;
    if let Some(place) = numbers.iter().position(|x| !x.is_finite()) {
        let mut rest = place;
        let mut index: Vec<String> = Vec::new();
        for n in shape.iter().rev() {
            index.insert(0, (rest % n).to_string());
            rest /= n;
        }
        let x = numbers[place];
        return Err(PyValueError::new_err(format!("{name}[{}] is {x}", index.join(", "))));
    }
    Ok((numbers, shape))
}

/// A NumPy array of real numbers: the given one, or what NumPy makes of it.
fn real_array<'py>(name: &str, given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if given.cast::<PyArrayDyn<f64>>().is_ok() {
        return Ok(given.clone());
    }
    let refused = |why: &dyn fmt::Display| {
        PyTypeError::new_err(format!("{name} is no array of real numbers: {why}"))
    };
    let numpy = given.py().import("numpy")?;
    let array = numpy.call_method1("asarray", (given,)).map_err(|e| refused(&e))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    match kind.as_str() {
        "f" | "i" | "u" | "b" => Ok(array),
        _ => Err(refused(&format_args!("its dtype is {}", array.getattr("dtype")?))),
    }
}

/// The numbers row by row. Memory that is strided, misaligned or of another type is first put in order by NumPy.
fn copied(array: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    if let Ok(same) = array.cast::<PyArrayDyn<f64>>()
        && same.is_c_contiguous()
        && let Ok(numbers) = same.try_readonly()?.as_slice()
    {
        return Ok(numbers.to_vec());
    }
    let numpy = array.py().import("numpy")?;
    let ordered = numpy.call_method1("require", (array, "float64", vec!["C", "A"]))?;
    Ok(ordered.cast::<PyArrayDyn<f64>>()?.try_readonly()?.as_slice()?.to_vec())
}

/// As many zeros as the product of the sizes, or a `MemoryError`.
pub(crate) fn zeros(sizes: &[usize]) -> PyResult<Vec<f64>> {
    let too_many = || {
        PyMemoryError::new_err(format!("an array of {sizes:?} numbers does not fit into memory"))
    };
    let product = |n: usize, size: &usize| n.checked_mul(*size);
    let n = sizes.iter().try_fold(1, product).ok_or_else(too_many)?;
    let mut numbers = Vec::new();
    numbers.try_reserve_exact(n).map_err(|_| too_many())?;
    numbers.resize(n, 0.0);
    Ok(numbers)
}

/// The type of a batch's arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dtype {
    F64,
    F32,
}

impl Dtype {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Dtype::F64 => "float64",
            Dtype::F32 => "float32",
        }
    }

    /// From anything that `numpy.dtype` takes.
    pub(crate) fn of(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        let dtype = given.py().import("numpy")?.call_method1("dtype", (given,))?;
        match dtype.getattr("name")?.extract::<Cow<'_, str>>()?.as_ref() {
            "float64" => Ok(Dtype::F64),
            "float32" => Ok(Dtype::F32),
            other => Err(PyValueError::new_err(format!(
                "dtype {other} cannot be simulated in; use \"float64\" or \"float32\""
            ))),
        }
    }

    /// [`numbers`] that this type can hold.
    pub(crate) fn numbers(
        self,
        name: &str,
        given: &Bound<'_, PyAny>,
        wanted: &[Dim],
    ) -> PyResult<(Vec<f64>, Vec<usize>)> {
        let (found, shape) = numbers(name, given, wanted)?;
        if self == Dtype::F32
            && let Some(x) = found.iter().find(|x| !(**x as f32).is_finite())
        {
            return Err(PyValueError::new_err(format!(
                "{name} has the number {x}, too large for float32"
            )));
        }
        Ok((found, shape))
    }
}

/// A new array of a shape.
pub(crate) fn array<'py>(
    py: Python<'py>,
    dtype: Dtype,
    numbers: Vec<f64>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    match dtype {
        Dtype::F64 => Ok(numbers.into_pyarray(py).reshape(shape)?.into_any()),
        Dtype::F32 => narrow(py, &numbers, shape),
    }
}

/// A new array of f32.
fn narrow<'py>(py: Python<'py>, numbers: &[f64], shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    let narrow: Vec<f32> = numbers.iter().map(|x| *x as f32).collect();
    Ok(narrow.into_pyarray(py).reshape(shape)?.into_any())
}

/// A new array of a shape from numbers that stay where they are.
pub(crate) fn array_of<'py>(
    py: Python<'py>,
    dtype: Dtype,
    numbers: &[f64],
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    match dtype {
        Dtype::F64 => wide(py, numbers.to_vec(), shape),
        Dtype::F32 => narrow(py, numbers, shape),
    }
}

/// A new array of f64.
pub(crate) fn wide<'py>(
    py: Python<'py>,
    numbers: Vec<f64>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    array(py, Dtype::F64, numbers, shape)
}

/// A new array of f64 that cannot be written to, because nothing would follow from it.
pub(crate) fn frozen<'py>(
    py: Python<'py>,
    numbers: Vec<f64>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let array = wide(py, numbers, shape)?;
    let named = PyDict::new(py);
    named.set_item("write", false)?;
    array.call_method("setflags", (), Some(&named))?;
    Ok(array)
}

/// Whether a Python object is a bool, or a list of them: where indices are asked for, these are a mistake.
pub(crate) fn has_bools(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    let array = given.py().import("numpy")?.call_method1("asarray", (given,))?;
    Ok(array.getattr("dtype")?.getattr("kind")?.extract::<String>()? == "b")
}
