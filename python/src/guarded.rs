//! Something that one thread at a time uses, in the process that made it.

use std::process;
use std::sync::{Mutex, MutexGuard, TryLockError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// Something that one thread at a time uses. Its threads do not survive a fork, so another process cannot use it.
pub(crate) struct Guarded<T> {
    inner: Mutex<T>,
    process: u32,
    /// What it is called in messages.
    what: &'static str,
}

impl<T> Guarded<T> {
    pub(crate) fn new(inner: T, what: &'static str) -> Self {
        Guarded { inner: Mutex::new(inner), process: process::id(), what }
    }

    /// What is inside, unless another thread is using it.
    pub(crate) fn lock(&self) -> PyResult<MutexGuard<'_, T>> {
        let what = self.what;
        if self.process != process::id() {
            return Err(PyRuntimeError::new_err(format!(
                "this {what} was made before the process forked; make it in the process that uses it"
            )));
        }
        match self.inner.try_lock() {
            Ok(inner) => Ok(inner),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(format!(
                "another thread is using this {what}; give each thread its own"
            ))),
            Err(TryLockError::Poisoned(_)) => Err(PyRuntimeError::new_err(format!(
                "an earlier call on this {what} ended in a fault of gradbody; make a new one"
            ))),
        }
    }
}

/// The number of threads to use if none is given: all cores.
pub(crate) fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
