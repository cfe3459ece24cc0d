//! Stepping a model through time.
//!
//! [`step`] advances a [`State`] by one time step under an [`Input`]; how is said by
//! [`StepOptions`], what happened by the [`StepReport`]. A [`Workspace`] holds every buffer, so that
//! a step allocates nothing; [`Taps`] look into it.

mod energy;
mod integrator;
mod options;
mod runge_kutta;
mod state;
mod step;
mod taps;
mod workspace;

pub use energy::Energy;
pub use integrator::Integrator;
pub use options::{ContactOptions, StepOptions};
pub use state::{Input, State};
pub use step::{StepReport, step};
pub use taps::{NoTaps, Taps};
pub use workspace::Workspace;
