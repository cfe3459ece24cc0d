//! The three costs whose gradients NeuralSim measures (its figure 5), as the Tiny Differentiable Simulator sets them up.

mod dp500;
mod nn175;
pub(crate) mod pend5;

pub(crate) use dp500::Dp500;
pub(crate) use nn175::Nn175;
pub(crate) use pend5::Pend5;

use gradbody::sim::Simulated;

/// A cost of some numbers. What evaluates it has its own buffers, so that a call allocates nothing of note.
pub(crate) trait Workload {
    /// Where the gradient is measured.
    fn numbers(&self) -> Vec<f64>;

    /// What evaluates the cost, on any scalar.
    fn cost<S: Simulated>(&self) -> impl FnMut(&[S]) -> S;

    /// What writes its gradient, by the adjoint, and gives the cost.
    fn gradient<S: Simulated>(&self) -> impl FnMut(&[S], &mut [S]) -> S;
}
