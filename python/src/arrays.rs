//! Arrays from and to Python: f64 or f32, any order in memory, checked sizes, finite numbers.

use std::borrow::Cow;
use std::fmt;

use numpy::{
    Element, IntoPyArray, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The numbers of an array that Python gave.
pub(crate) enum Numbers<'py> {
    /// Contiguous f64: used where they are.
    Shared(PyReadonlyArrayDyn<'py, f64>),
    /// Anything else that NumPy converts.
    Converted(Vec<f64>),
}

impl Numbers<'_> {
    pub(crate) fn as_slice(&self) -> &[f64] {
        match self {
            Numbers::Shared(array) => array.as_slice().unwrap_or_default(),
            Numbers::Converted(numbers) => numbers,
        }
    }
}

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

/// The numbers of `given` and its shape. It must have the shape `wanted` and finite numbers.
pub(crate) fn numbers<'py>(
    name: &str,
    given: &Bound<'py, PyAny>,
    wanted: &[Dim],
) -> PyResult<(Numbers<'py>, Vec<usize>)> {
    let (numbers, shape) = any_numbers(name, given)?;
    let fits = shape.len() == wanted.len()
        && shape.iter().zip(wanted).all(|(n, dim)| match dim {
            Dim::Is(wanted, _) => n == wanted,
            Dim::Any(_) => true,
        });
    if !fits {
        let wanted: Vec<String> = wanted.iter().map(|dim| dim.to_string()).collect();
        let shown: Vec<String> = shape.iter().map(|n| n.to_string()).collect();
        return Err(PyValueError::new_err(format!(
            "{name} has the shape ({}), but needs ({})",
            shown.join(", "),
            wanted.join(", ")
        )));
    }
    if let Some(place) = numbers.as_slice().iter().position(|x| !x.is_finite()) {
        let mut rest = place;
        let mut index: Vec<String> = Vec::new();
        for n in shape.iter().rev() {
            index.insert(0, (rest % n).to_string());
            rest /= n;
        }
        let x = numbers.as_slice()[place];
        return Err(PyValueError::new_err(format!("{name}[{}] is {x}", index.join(", "))));
    }
    Ok((numbers, shape))
}

fn any_numbers<'py>(name: &str, given: &Bound<'py, PyAny>) -> PyResult<(Numbers<'py>, Vec<usize>)> {
    if let Ok(array) = given.cast::<PyArrayDyn<f64>>() {
        let shape = array.shape().to_vec();
        if array.is_c_contiguous() {
            // NumPy lends memory to readers until somebody writes to it through PyO3, which nobody does here.
            return Ok((Numbers::Shared(array.try_readonly()?), shape));
        }
        return Ok((Numbers::Converted(copied(array)), shape));
    }
    if let Ok(array) = given.cast::<PyArrayDyn<f32>>() {
        let wide = copied(array).into_iter().map(f64::from).collect();
        return Ok((Numbers::Converted(wide), array.shape().to_vec()));
    }
    // Lists, integers, tensors: whatever NumPy makes real numbers of.
    let numpy = given.py().import("numpy")?;
    let refused = |why: &dyn fmt::Display| {
        PyTypeError::new_err(format!("{name} is no array of real numbers: {why}"))
    };
    let array = numpy.call_method1("asarray", (given,)).map_err(|e| refused(&e))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    if !matches!(kind.as_str(), "f" | "i" | "u" | "b") {
        let dtype = array.cast::<PyUntypedArray>()?.dtype();
        return Err(refused(&format_args!("its dtype is {dtype}")));
    }
    let named = PyDict::new(given.py());
    named.set_item("order", "C")?;
    let array = numpy.getattr("asarray")?.call((array, "float64"), Some(&named))?;
    let array = array.cast::<PyArrayDyn<f64>>()?;
    Ok((Numbers::Converted(copied(array)), array.shape().to_vec()))
}

/// The numbers row by row.
fn copied<T: Element + Copy>(array: &Bound<'_, PyArrayDyn<T>>) -> Vec<T> {
    array.readonly().as_array().iter().copied().collect()
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
        Dtype::F32 => {
            let narrow: Vec<f32> = numbers.into_iter().map(|x| x as f32).collect();
            Ok(narrow.into_pyarray(py).reshape(shape)?.into_any())
        }
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
