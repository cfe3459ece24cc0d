//! Stepping a model through time.
//!
//! [`step`] advances a [`State`] by one time step under an [`Input`]; how is said by
//! [`StepOptions`], what happened by the [`StepReport`]. A [`Workspace`] holds every buffer, so that
//! a step allocates nothing.

mod energy;
mod integrator;
mod state;
mod step;

pub use energy::Energy;
pub use integrator::Integrator;
pub use state::{Input, State};
pub use step::{StepOptions, StepReport, Workspace, step};
