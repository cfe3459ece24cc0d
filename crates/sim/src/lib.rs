//! Stepping a model through time.
//!
//! [`step`] advances a [`State`] by one time step under an [`Input`], with [`StepOptions`], and returns a
//! [`StepReport`]. It leaves its intermediate results in a [`StepTrace`], which [`step_vjp`] reads to compute the
//! adjoint; a [`StepScratch`] holds all other buffers, so that neither allocates. [`Taps`] read and change quantities
//! inside a step.

mod batch;
mod checkpoint;
mod cotangents;
mod derivatives;
mod energy;
mod ensemble;
mod inputs;
mod integrator;
mod loss;
mod options;
mod rollout;
mod rollout_trace;
mod runge_kutta;
mod runge_kutta_vjp;
mod scratch;
mod simulated;
mod simulation;
mod snapshots;
mod state;
mod step;
mod step_vjp;
mod taps;
mod threads;
mod totals;
mod trace;

pub use batch::{
    Batch, BatchCotangents, BatchGradient, BatchInputs, BatchReader, BatchRecord, Controls,
    GroupControls, GroupCotangents, GroupEnd, NoInputs,
};
pub use checkpoint::{Action, Checkpointing, Schedule};
pub use cotangents::{InputCotangents, StateCotangents};
pub use derivatives::{
    Change, Columns, DerivativeError, Direction, HessianProduct, InputColumns, JacobianBy,
    LinearPath, LinearStep, LinearWork, Matrix, NotAnalytical, Sensitivities, StateChange,
    StepJacobian, Variables, hessian_vector_product, linearise_step, rollout_jvp, sensitivities,
    step_jacobian, step_jvp,
};
pub use energy::Energy;
pub use ensemble::{
    BatchError, BatchLoss, BatchTaps, Ensemble, GroupTaps, NoLoss, World, WorldGradient,
    WorldOutcome, in_lanes,
};
pub use inputs::{Constant, Inputs, Sequence};
pub use integrator::Integrator;
pub use loss::{
    ControlCost, EnergyCost, FramePosition, LinearAbout, LinearState, Loss, LossCotangents, Mean,
    Moment, StateCost, StateTarget, Target, Terminal, TooFewTargets,
};
pub use options::{ContactOptions, StepOptions};
pub use rollout::{
    Failure, Gradient, GradientOptions, NoGradient, Rollout, RolloutOutcome, rollout, rollout_vjp,
};
pub use rollout_trace::{Rolled, RolloutTrace, rollout_backward, rollout_forward};
pub use scratch::StepScratch;
pub use simulated::{
    DualKernel, Kernel, Precision, Simulated, run_widest, run_widest_duals, step, step_vjp,
};
#[doc(hidden)]
pub use simulated::{ForCompiled, for_compiled};
pub use simulation::Simulation;
pub use state::{Input, State};
pub use step::StepReport;
pub use step_vjp::StepCotangents;
pub use taps::{NoTaps, TapRecord, Taps, TapsVjp};
pub use threads::NoThreads;
pub use totals::Totals;
pub use trace::StepTrace;

/// What the hidden methods of [`Simulated`] take and return.
#[doc(hidden)]
pub mod of_batches {
    pub use crate::batch::{BatchCall, Lanes, Make};
}
