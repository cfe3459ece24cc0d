//! Stepping a model through time.
//!
//! [`step`] advances a [`State`] by one time step under an [`Input`]; how is said by
//! [`StepOptions`], what happened by the [`StepReport`]. A [`Workspace`] holds every buffer, so that
//! a step allocates nothing; [`Taps`] look into it.

mod batch;
mod checkpoint;
mod cotangents;
mod derivatives;
mod energy;
mod integrator;
mod loss;
mod options;
mod rollout;
mod runge_kutta;
mod runge_kutta_vjp;
mod snapshots;
mod state;
mod step;
mod step_vjp;
mod taps;
mod workspace;

pub use batch::{
    Batch, BatchError, BatchLoss, BatchTaps, NoLoss, NoThreads, World, WorldGradient, WorldOutcome,
    in_lanes,
};
pub use checkpoint::{Action, Checkpointing, Schedule};
pub use cotangents::{InputCotangents, StateCotangents};
pub use derivatives::{
    Change, Columns, DerivativeError, Direction, HessianProduct, JacobianBy, Matrix, Sensitivities,
    StateChange, StepJacobian, Variables, hessian_vector_product, rollout_jvp, sensitivities,
    step_jacobian, step_jvp,
};
pub use energy::Energy;
pub use integrator::Integrator;
pub use loss::{
    ControlCost, EnergyCost, FramePosition, LinearAbout, LinearState, Loss, LossCotangents, Mean,
    Moment, StateCost, StateTarget, Target, Terminal, TooFewTargets,
};
pub use options::{ContactOptions, StepOptions};
pub use rollout::{
    Constant, Failure, Gradient, GradientOptions, Inputs, NoGradient, Outcome, Rollout,
    RolloutWork, Sequence, rollout, rollout_vjp,
};
pub use state::{Input, State};
pub use step::{StepReport, step};
pub use step_vjp::{StepCotangents, StepVjpWork, step_vjp};
pub use taps::{NoTaps, Taps, TapsVjp};
pub use workspace::Workspace;
