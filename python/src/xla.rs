//! Functions that XLA calls: its foreign function interface in C, as far as it is used here.
//!
//! This file has the only unsafe code of the package. The structures below are those that XLA documents in
//! `xla/ffi/api/c_api.h`, which comes with jaxlib; each begins with its size, and later versions only append to them. XLA
//! promises that what it passes lives during the call, that inputs are not written to meanwhile, and that outputs belong to
//! the call alone; the shapes that a program declared are those it passes. From here on everything is slices.
#![allow(unsafe_code)]

use std::any::Any;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{self, NonNull};
use std::slice;

use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// A call by XLA: what it reads and writes.
pub(crate) struct Call<'a> {
    pub(crate) inputs: Vec<Input<'a>>,
    pub(crate) outputs: Vec<Output<'a>>,
    attributes: &'a RawAttributes,
}

/// An array to read, row by row.
pub(crate) struct Input<'a> {
    pub(crate) shape: &'a [i64],
    pub(crate) numbers: Numbers<'a>,
}

#[derive(Clone, Copy)]
pub(crate) enum Numbers<'a> {
    F32(&'a [f32]),
    F64(&'a [f64]),
}

/// An array to write, row by row.
pub(crate) enum Output<'a> {
    F32(&'a mut [f32]),
    F64(&'a mut [f64]),
}

impl Output<'_> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Output::F32(numbers) => numbers.len(),
            Output::F64(numbers) => numbers.len(),
        }
    }
}

/// A function that XLA may call, or the reason why it failed.
pub(crate) type Function = fn(&mut Call<'_>) -> Result<(), String>;

/// A function of its own address: C has no closures, so each type makes another [`entry`].
pub(crate) trait Target {
    /// What the function does.
    const CALL: Function;
}

/// The address of a function, in the capsule that `jax.ffi.register_ffi_target` takes.
pub(crate) fn capsule<T: Target>(py: Python<'_>) -> PyResult<Bound<'_, PyCapsule>> {
    const NAME: &CStr = c"xla._CUSTOM_CALL_TARGET";
    let address = entry::<T> as unsafe extern "C" fn(*mut CallFrame) -> *mut RawError;
    let address = NonNull::new(address as *mut c_void).expect("functions have addresses");
    // SAFETY: the address is that of a function, which lives as long as the program; nothing is written through it, and
    // only XLA calls it.
    unsafe { PyCapsule::new_with_pointer(py, address, NAME) }
}

impl<'a> Call<'a> {
    /// A whole number that the call was made with.
    pub(crate) fn integer(&self, name: &str) -> Option<i64> {
        // SAFETY: the attributes' arrays have `size` elements; a scalar of this type is an i64.
        unsafe {
            let RawAttributes { size, types, names, values, .. } = *self.attributes;
            let names = elements(names, size);
            let at = names.iter().position(|span| {
                slice::from_raw_parts((**span).start.cast::<u8>(), (**span).length)
                    == name.as_bytes()
            })?;
            if elements(types, size)[at] != ATTRIBUTE_IS_SCALAR {
                return None;
            }
            let scalar = &*elements(values, size)[at].cast::<RawScalar>();
            (scalar.dtype == S64).then(|| *scalar.value.cast::<i64>())
        }
    }

    /// SAFETY: the frame must be one that XLA passes for execution, and live for 'a.
    unsafe fn of(frame: &'a CallFrame) -> Result<Self, String> {
        let mut inputs = Vec::new();
        let mut outputs = Vec::new();
        // SAFETY: as the frame says, there are so many buffers, each with as many numbers as its shape tells; XLA lends
        // outputs to this call only.
        unsafe {
            for buffer in elements(frame.inputs.buffers, frame.inputs.size) {
                let (shape, length) = shape_of(&**buffer)?;
                let numbers = match (**buffer).dtype {
                    F32 => Numbers::F32(elements((**buffer).data.cast(), length)),
                    F64 => Numbers::F64(elements((**buffer).data.cast(), length)),
                    other => return Err(unknown(other)),
                };
                inputs.push(Input { shape, numbers });
            }
            for buffer in elements(frame.outputs.buffers, frame.outputs.size) {
                let (_, length) = shape_of(&**buffer)?;
                outputs.push(match (**buffer).dtype {
                    F32 => Output::F32(elements_mut((**buffer).data.cast(), length)),
                    F64 => Output::F64(elements_mut((**buffer).data.cast(), length)),
                    other => return Err(unknown(other)),
                });
            }
        }
        Ok(Call { inputs, outputs, attributes: &frame.attributes })
    }
}

fn unknown(dtype: c_int) -> String {
    format!("arrays are of float32 or float64 here, not of XLA's type {dtype}")
}

/// What XLA calls: with an extension that asks for the version, or to execute.
///
/// SAFETY: XLA passes a frame that lives during the call.
unsafe extern "C" fn entry<T: Target>(frame: *mut CallFrame) -> *mut RawError {
    // SAFETY: see above; an extension of this kind has this type, and its metadata is for the function to fill.
    unsafe {
        let frame = &*frame;
        let mut extension = frame.extension.cast::<MetadataExtension>();
        while !extension.is_null() {
            if (*extension).kind == EXTENSION_IS_METADATA {
                let metadata = (*extension).metadata;
                (*metadata).version.major = VERSION.0;
                (*metadata).version.minor = VERSION.1;
                (*metadata).traits = 0;
                return ptr::null_mut();
            }
            extension = (*extension).next.cast();
        }
        if frame.stage != STAGE_IS_EXECUTE {
            return ptr::null_mut();
        }
        let done = catch_unwind(AssertUnwindSafe(|| {
            Call::of(frame).and_then(|mut call| T::CALL(&mut call))
        }));
        match done {
            Ok(Ok(())) => ptr::null_mut(),
            Ok(Err(message)) => error(frame, &message, INVALID_ARGUMENT),
            Err(fault) => error(frame, &told(&*fault), INTERNAL),
        }
    }
}

/// What a panic said.
fn told(fault: &(dyn Any + Send)) -> String {
    let text = fault.downcast_ref::<String>().map(String::as_str);
    let text = text.or(fault.downcast_ref::<&str>().copied()).unwrap_or("no message");
    format!("a fault of gradbody: {text}")
}

/// SAFETY: the frame must be one that XLA passes.
unsafe fn error(frame: &CallFrame, message: &str, code: c_int) -> *mut RawError {
    let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
    let mut arguments = ErrorArguments {
        size: size_of::<ErrorArguments>(),
        extension: ptr::null_mut(),
        message: message.as_ptr(),
        code,
    };
    // SAFETY: XLA's table of functions lives as long as the program; the message is copied.
    unsafe { ((*frame.api).new_error)(&mut arguments) }
}

/// SAFETY: the buffer must be one that XLA passes.
unsafe fn shape_of(buffer: &RawBuffer) -> Result<(&[i64], i64), String> {
    // SAFETY: a buffer has as many dimensions as its rank.
    let shape = unsafe { elements(buffer.shape.cast_const(), buffer.rank) };
    let length = shape.iter().try_fold(1_i64, |n, size| n.checked_mul(*size));
    let length = length.filter(|n| *n >= 0).ok_or("an array is too large")?;
    Ok((shape, length))
}

/// SAFETY: unless the length is zero, the pointer must be to so many elements, which live for 'a.
unsafe fn elements<'a, E>(first: *const E, length: i64) -> &'a [E] {
    match usize::try_from(length) {
        Ok(length) if length > 0 && !first.is_null() => {
            // SAFETY: the caller's.
            unsafe { slice::from_raw_parts(first, length) }
        }
        _ => &[],
    }
}

/// SAFETY: as of [`elements`], and nothing else may use them.
unsafe fn elements_mut<'a, E>(first: *mut E, length: i64) -> &'a mut [E] {
    match usize::try_from(length) {
        Ok(length) if length > 0 && !first.is_null() => {
            // SAFETY: the caller's.
            unsafe { slice::from_raw_parts_mut(first, length) }
        }
        _ => &mut [],
    }
}

// --- the structures of XLA ------------------------------------------------------------------------

/// The version of the interface that these structures are of.
const VERSION: (c_int, c_int) = (0, 3);

const EXTENSION_IS_METADATA: c_int = 1;
const STAGE_IS_EXECUTE: c_int = 3;
const ATTRIBUTE_IS_SCALAR: c_int = 3;
const S64: c_int = 5;
const F32: c_int = 11;
const F64: c_int = 12;
const INVALID_ARGUMENT: c_int = 3;
const INTERNAL: c_int = 13;

#[repr(C)]
struct MetadataExtension {
    size: usize,
    kind: c_int,
    next: *mut c_void,
    metadata: *mut Metadata,
}

#[repr(C)]
struct Metadata {
    size: usize,
    version: Version,
    traits: u32,
}

#[repr(C)]
struct Version {
    size: usize,
    extension: *mut c_void,
    major: c_int,
    minor: c_int,
}

#[repr(C)]
struct CallFrame {
    size: usize,
    extension: *mut c_void,
    api: *const Api,
    context: *mut c_void,
    stage: c_int,
    inputs: RawBuffers,
    outputs: RawBuffers,
    attributes: RawAttributes,
}

/// Arguments or results. Each is a buffer: there is no other kind.
#[repr(C)]
struct RawBuffers {
    struct_size: usize,
    extension: *mut c_void,
    size: i64,
    types: *const c_int,
    buffers: *const *const RawBuffer,
}

#[repr(C)]
struct RawBuffer {
    size: usize,
    extension: *mut c_void,
    dtype: c_int,
    data: *mut c_void,
    rank: i64,
    shape: *mut i64,
}

#[repr(C)]
struct RawAttributes {
    struct_size: usize,
    extension: *mut c_void,
    size: i64,
    types: *const c_int,
    names: *const *const Span,
    values: *const *const c_void,
}

#[repr(C)]
struct Span {
    start: *const c_char,
    length: usize,
}

#[repr(C)]
struct RawScalar {
    dtype: c_int,
    value: *const c_void,
}

/// XLA's own functions; only the first is used.
#[repr(C)]
struct Api {
    size: usize,
    extension: *mut c_void,
    version: Version,
    internal: *const c_void,
    new_error: unsafe extern "C" fn(*mut ErrorArguments) -> *mut RawError,
}

#[repr(C)]
struct ErrorArguments {
    size: usize,
    extension: *mut c_void,
    message: *const c_char,
    code: c_int,
}

/// An error of XLA's, which owns it.
#[repr(C)]
struct RawError {
    _private: [u8; 0],
}
