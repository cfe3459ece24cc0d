//! A short form for minimising a function.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use super::{Lbfgs, Limits, Method, Objective, OptimiseError, Search, Stop};

/// The result of a minimisation.
#[derive(Clone, Debug)]
pub struct Minimum {
    /// The numbers.
    pub x: Vec<f64>,
    /// The value of the function there.
    pub value: f64,
    /// Number of iterations.
    pub iterations: u64,
    /// Why it ended.
    pub stop: Stop,
}

/// Minimises a function by L-BFGS, from `start` and in at most `iterations` iterations. `function` writes its gradient
/// to the second slice and returns its value; a value that is not finite means that there is none (a rollout that
/// failed). For other methods, bounds, minibatches, and searches that can be written to a file see [`Search`].
///
/// ```
/// use gradbody_optimise::minimise;
///
/// let found = minimise(vec![0.0], 50, |x, gradient| {
///     gradient[0] = 2.0 * (x[0] - 3.0);
///     (x[0] - 3.0).powi(2)
/// })?;
/// assert!((found.x[0] - 3.0).abs() < 1e-8);
/// # Ok::<(), gradbody_optimise::OptimiseError>(())
/// ```
pub fn minimise(
    start: Vec<f64>,
    iterations: u64,
    function: impl FnMut(&[f64], &mut [f64]) -> f64 + Send,
) -> Result<Minimum, OptimiseError> {
    let objective = Function { len: start.len(), function: Mutex::new(function) };
    let mut search = Search::begin(&Method::Lbfgs(Lbfgs::default()), &objective, start, 0)?;
    let limits = Limits::iterations(iterations);
    let stop = search.run(&objective, &limits, &mut |_| ControlFlow::Continue(()));
    let (x, value) = search.best();
    Ok(Minimum { x: x.to_vec(), value, iterations: search.iteration(), stop })
}

/// A closure as an objective. It may have buffers, so only one thread calls it at a time.
struct Function<F> {
    len: usize,
    function: Mutex<F>,
}

impl<F: FnMut(&[f64], &mut [f64]) -> f64 + Send> Objective for Function<F> {
    fn len(&self) -> usize {
        self.len
    }

    fn cost(&self, x: &[f64]) -> f64 {
        self.gradient(x, &mut vec![0.0; x.len()])
    }

    fn gradient(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let mut function = self.function.lock().unwrap_or_else(PoisonError::into_inner);
        function(x, gradient)
    }
}
