//! Places inside a step where its quantities can be read and changed.

use gradbody_contact::Contact;
use gradbody_math::Scalar;

use crate::State;

/// What looks into a step. Every method does nothing unless it is written; [`NoTaps`] writes none,
/// and costs nothing.
pub trait Taps<S: Scalar> {
    /// Joint forces of input, actuators and joints, (nv) [N m or N].
    #[inline(always)]
    fn joint_forces(&mut self, _state: &State<S>, _tau: &mut [S]) {}

    /// The contacts of the step, before they act: gap, normal, velocity, friction and the rest of
    /// the surface.
    #[inline(always)]
    fn contacts(&mut self, _state: &State<S>, _contacts: &mut [Contact<S>]) {}

    /// The velocities that the step would end with were there no rigid contacts, (nv).
    #[inline(always)]
    fn free_velocity(&mut self, _v: &mut [S]) {}

    /// The velocities that it ends with, (nv).
    #[inline(always)]
    fn velocity(&mut self, _v: &mut [S]) {}
}

/// Nothing looks.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTaps;

impl<S: Scalar> Taps<S> for NoTaps {}
