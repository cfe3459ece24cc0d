//! Places inside a step where its quantities can be read and changed.

use gradbody_contact::{Contact, ContactCotangents};
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

/// Taps that can be walked back: each method is the adjoint of the one of its name, called in reverse
/// order. What has no influence on the step does nothing here too.
pub trait TapsVjp<S: Scalar>: Taps<S> {
    /// Cotangents of the joint forces: of what the tap left, then of what it was given.
    fn joint_forces_vjp(&mut self, state: &State<S>, tau_bar: &mut [S]);

    /// Cotangents of the contacts.
    fn contacts_vjp(
        &mut self,
        state: &State<S>,
        contacts: &[Contact<S>],
        bars: &mut [ContactCotangents<S>],
    );

    /// Whether [`free_velocity`](Taps::free_velocity) changes anything.
    #[inline(always)]
    fn changes_free_velocity(&self) -> bool {
        true
    }

    /// Cotangents of the velocities without rigid contacts.
    fn free_velocity_vjp(&mut self, v_bar: &mut [S]);

    /// Cotangents of the velocities that the step ends with.
    fn velocity_vjp(&mut self, v_bar: &mut [S]);
}

impl<S: Scalar> TapsVjp<S> for NoTaps {
    #[inline(always)]
    fn joint_forces_vjp(&mut self, _: &State<S>, _: &mut [S]) {}

    #[inline(always)]
    fn contacts_vjp(&mut self, _: &State<S>, _: &[Contact<S>], _: &mut [ContactCotangents<S>]) {}

    #[inline(always)]
    fn changes_free_velocity(&self) -> bool {
        false
    }

    #[inline(always)]
    fn free_velocity_vjp(&mut self, _: &mut [S]) {}

    #[inline(always)]
    fn velocity_vjp(&mut self, _: &mut [S]) {}
}
