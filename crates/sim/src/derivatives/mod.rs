//! Derivatives that are not one gradient: along directions, whole matrices, and second ones.
//!
//! A state changes in `2 nv + na` coordinates: those of the configuration (local ones), of the velocity,
//! and of the actuators' states, in this order. [`step_jvp`] and [`rollout_jvp`] give the change of where
//! a motion ends with a [`Change`] of what it depends on; [`step_jacobian`] and [`sensitivities`] give
//! matrices of such changes; [`hessian_vector_product`] gives second derivatives of a loss. All but the
//! rows of a Jacobian are made of rollouts in dual numbers, which `dual_motion.rs` has.

mod directional;
mod dual_motion;
mod error;
mod hessian;
mod jacobian;
mod matrix;
mod sensitivities;
mod variables;

pub use directional::{Change, StateChange, rollout_jvp, step_jvp};
pub use error::DerivativeError;
pub use hessian::{Direction, HessianProduct, hessian_vector_product};
pub use jacobian::{JacobianBy, StepJacobian, step_jacobian};
pub use matrix::Matrix;
pub use sensitivities::{Sensitivities, sensitivities};
pub use variables::{Columns, Variables};
