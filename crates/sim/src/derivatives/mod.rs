//! Directional derivatives, Jacobians and second derivatives.
//!
//! A change of a state has `2 nv + na` coordinates: those of the configuration (local coordinates), the velocity and
//! the actuator states, in this order. [`step_jvp`] and [`rollout_jvp`] give the change of the end of a motion with a
//! [`Change`] of everything it depends on; [`step_jacobian`] and [`sensitivities`] give matrices of such changes;
//! [`hessian_vector_product`] gives second derivatives of a loss. All but the rows of a Jacobian use rollouts in dual
//! numbers (`dual_motion.rs`). [`linearise_step`] finds the Jacobian of a step that has been taken from formulas for whole
//! matrices: faster, for double precision, without parameters.

mod directional;
mod dual_motion;
mod error;
mod hessian;
mod jacobian;
mod linear_step;
mod linearise;
mod matrix;
mod sensitivities;
mod variables;

pub use directional::{Change, StateChange, rollout_jvp, step_jvp};
pub use error::DerivativeError;
pub use hessian::{Direction, HessianProduct, hessian_vector_product};
pub use jacobian::{JacobianBy, StepJacobian, step_jacobian};
pub use linear_step::{InputColumns, LinearPath, LinearStep, LinearWork, NotAnalytical};
pub use linearise::linearise_step;
pub use matrix::Matrix;
pub use sensitivities::{Sensitivities, sensitivities};
pub use variables::{Columns, Variables};
