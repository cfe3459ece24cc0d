//! Named states of a model, and what a state from a user needs: a keyframe by its name, and unit quaternions.

use gradbody_math::names::did_you_mean;

use crate::{JointKind, Topology};

/// A named state of a file.
#[derive(Clone, Debug, Default)]
pub struct Keyframe {
    /// Name; may be empty.
    pub name: String,
    /// Positions, (nq).
    pub q: Vec<f64>,
    /// Velocities, (nv).
    pub v: Vec<f64>,
    /// Actuator states, (na).
    pub activation: Vec<f64>,
    /// Controls, (actuators).
    pub control: Vec<f64>,
}

/// Why a model has no such state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// The model has no keyframes.
    #[error("this model has no keyframes")]
    NoKeyframes,
    /// No keyframe has this name.
    #[error("no keyframe \"{name}\"{hint} (there are: {known})")]
    UnknownKeyframe {
        /// The name.
        name: String,
        /// The keyframe that was probably meant, as the end of a sentence; empty if none is alike.
        hint: String,
        /// The names of all keyframes.
        known: String,
    },
    /// The orientation of a joint is a quaternion of zeros.
    #[error("joint \"{0}\": a zero quaternion is not an orientation; use 1,0,0,0")]
    ZeroQuaternion(
        /// The joint.
        String,
    ),
}

/// A quaternion whose length differs from one by less than this is not normalised, so that a run continues exactly from
/// its file. Far above rounding, far below what a user would type.
const LENGTH_ONE: f64 = 1e-12;

impl Topology {
    /// The keyframe with this name.
    pub fn keyframe(&self, name: &str) -> Result<&Keyframe, StateError> {
        self.keyframes.iter().find(|key| key.name == name).ok_or_else(|| {
            let known: Vec<&str> = self.keyframes.iter().map(|key| key.name.as_str()).collect();
            if known.is_empty() {
                return StateError::NoKeyframes;
            }
            let hint = did_you_mean(name, known.iter().copied());
            StateError::UnknownKeyframe { name: name.to_owned(), hint, known: known.join(", ") }
        })
    }

    /// Gives every quaternion of the positions `q` the length one.
    pub fn normalise_quaternions(&self, q: &mut [f64]) -> Result<(), StateError> {
        for link in &self.links {
            let first = match link.joint.kind {
                JointKind::Spherical => 0,
                JointKind::Free => 3,
                _ => continue,
            };
            let quaternion = &mut q[link.joint.q_range()][first..];
            // Scaled by its largest part first, so that no square overflows or underflows.
            let largest = quaternion.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            if largest == 0.0 {
                return Err(StateError::ZeroQuaternion(link.joint.name.clone()));
            }
            let squares = quaternion.iter().map(|x| (x / largest).powi(2));
            let length = largest * squares.sum::<f64>().sqrt();
            if (length - 1.0).abs() > LENGTH_ONE {
                quaternion.iter_mut().for_each(|x| *x /= length);
            }
        }
        Ok(())
    }
}
