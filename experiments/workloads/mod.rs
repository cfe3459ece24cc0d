//! The three costs whose gradients NeuralSim times (its figure 5), as set up in the Tiny Differentiable Simulator.

mod dp500;
mod nn175;
pub(crate) mod pend5;

pub(crate) use dp500::Dp500;
pub(crate) use nn175::Nn175;
pub(crate) use pend5::Pend5;

use gradbody::sim::Simulated;

/// A cost as a function of some numbers. Evaluators own their buffers, so a call allocates almost nothing.
pub(crate) trait Workload {
    /// The numbers at which the gradient is timed.
    fn numbers(&self) -> Vec<f64>;

    /// A function that evaluates the cost on any scalar.
    fn cost<S: Simulated>(&self) -> impl FnMut(&[S]) -> S;

    /// A function that writes the gradient by the adjoint and returns the cost.
    fn gradient<S: Simulated>(&self) -> impl FnMut(&[S], &mut [S]) -> S;
}
