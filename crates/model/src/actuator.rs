//! Actuators: from a control to a force on a one-axis joint.
//!
//! ```text
//!   u = control clamped to its range                      (Activation::Direct)
//!   u = activation, the integral of the clamped control   (Activation::Integrator)
//!   force = gain · u + bias₀ + bias₁ · gear · q + bias₂ · gear · v, clamped to its range
//!   joint torque = gear · force
//! ```
//! A motor has gain 1; a position servo of stiffness kp and damping kv has gain kp and bias (0, −kp, −kv); a velocity
//! servo has gain kv and bias (0, 0, −kv).

use gradbody_math::Scalar;

use crate::JointId;

/// What drives the force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// The control itself.
    Direct,
    /// The control's integral over time, which is part of the state.
    Integrator {
        /// Index among the actuator states.
        index: usize,
    },
}

/// An actuator's structure.
#[derive(Clone, Debug)]
pub struct Actuator {
    /// Unique name.
    pub name: String,
    /// The driven joint, of one degree of freedom.
    pub joint: JointId,
    /// What drives the force.
    pub activation: Activation,
}

/// An actuator's parameters.
#[derive(Clone, Copy, Debug)]
pub struct ActuatorParams<S> {
    /// Transmission ratio from joint to actuator.
    pub gear: S,
    /// Force per unit of control.
    pub gain: S,
    /// Constant, position and velocity terms of the force.
    pub bias: [S; 3],
    /// Lower end of the control range; −∞ if none.
    pub control_lower: S,
    /// Upper end of the control range; +∞ if none.
    pub control_upper: S,
    /// Lower end of the activation range; −∞ if none.
    pub activation_lower: S,
    /// Upper end of the activation range; +∞ if none.
    pub activation_upper: S,
    /// Lower end of the force range; −∞ if none.
    pub force_lower: S,
    /// Upper end of the force range; +∞ if none.
    pub force_upper: S,
}

impl ActuatorParams<f64> {
    /// A motor: the control is the torque or force; the joint gets it times `gear`. No ranges.
    pub const fn motor(gear: f64) -> Self {
        let (lower, upper) = (f64::NEG_INFINITY, f64::INFINITY);
        ActuatorParams {
            gear,
            gain: 1.0,
            bias: [0.0; 3],
            control_lower: lower,
            control_upper: upper,
            activation_lower: lower,
            activation_upper: upper,
            force_lower: lower,
            force_upper: upper,
        }
    }

    /// A servo that pulls the joint to the control with stiffness `kp` and damping `kv`.
    pub const fn position(kp: f64, kv: f64) -> Self {
        ActuatorParams { gain: kp, bias: [0.0, -kp, -kv], ..Self::motor(1.0) }
    }

    /// A servo that drives the joint's velocity to the control with gain `kv`.
    pub const fn velocity(kv: f64) -> Self {
        ActuatorParams { gain: kv, bias: [0.0, 0.0, -kv], ..Self::motor(1.0) }
    }
}

impl<S: Scalar> ActuatorParams<S> {
    /// Applies `f` to each number.
    pub fn map<T: Scalar>(&self, f: impl Fn(S) -> T + Copy) -> ActuatorParams<T> {
        ActuatorParams {
            gear: f(self.gear),
            gain: f(self.gain),
            bias: self.bias.map(f),
            control_lower: f(self.control_lower),
            control_upper: f(self.control_upper),
            activation_lower: f(self.activation_lower),
            activation_upper: f(self.activation_upper),
            force_lower: f(self.force_lower),
            force_upper: f(self.force_upper),
        }
    }
}
