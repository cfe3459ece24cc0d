//! Places inside a step where its quantities can be read and changed.
//!
//! ```text
//!   state → model → links → contacts → contact_forces → wrenches → actuator_forces → passive_forces
//!         → accelerations → (rigid contacts) → velocity → end
//! ```
//!
//! Going back, the methods of [`TapsVjp`] are called in reverse order. Each takes cotangents of what the
//! tap of its name left, and turns them into those of what it was given; and it takes the values back,
//! too, so that the stages before see what they had left.

use gradbody_contact::{Contact, ContactCotangents};
use gradbody_dynamics::{Kinematics, KinematicsCotangents};
use gradbody_math::{Force, Motion, Scalar};
use gradbody_model::{Model, Params};

use crate::{Input, InputCotangents, State, StateCotangents};

/// What looks into a step. Every method does nothing unless it is written; [`NoTaps`] writes none,
/// and costs nothing.
///
/// Those from `links` to `accelerations` are called for every evaluation of the accelerations: by
/// Runge-Kutta at each of its four places and then, once more, at the start.
pub trait Taps<S: Scalar> {
    /// Whether nothing is ever done, so that a step may leave out what is there for taps alone.
    #[inline(always)]
    fn is_idle(&self) -> bool {
        false
    }

    /// Whether [`state`](Taps::state) changes anything.
    #[inline(always)]
    fn changes_state(&self) -> bool {
        false
    }

    /// Where the step begins.
    #[inline(always)]
    fn state(&mut self, _input: &Input<S>, _state: &mut State<S>) {}

    /// A model with other numbers for this step, if it is to have such; lent, and given back by
    /// [`return_model`](Taps::return_model).
    #[inline(always)]
    fn lend_model(
        &mut self,
        _model: &Model<S>,
        _input: &Input<S>,
        _state: &State<S>,
    ) -> Option<Model<S>> {
        None
    }

    /// Takes a lent model back.
    #[inline(always)]
    fn return_model(&mut self, _model: Model<S>) {}

    /// Poses and velocities of the links. What is changed here is so for what comes after: places and velocities
    /// for contacts, orientations and spins for inertias too. The links beyond, and the axes of joints, are
    /// where they were.
    #[inline(always)]
    fn links(&mut self, _input: &Input<S>, _state: &State<S>, _kin: &mut Kinematics<S>) {}

    /// The contacts, before they act: gap, normal, velocity, friction and the rest of the surface.
    #[inline(always)]
    fn contacts(&mut self, _contacts: &mut [Contact<S>]) {}

    /// The same, with the forces of those that are compliant.
    #[inline(always)]
    fn contact_forces(&mut self, _contacts: &mut [Contact<S>]) {}

    /// Joint forces of input and actuators, (nv) [N m or N].
    #[inline(always)]
    fn actuator_forces(&mut self, _tau: &mut [S]) {}

    /// Joint forces of springs, dampers, friction and soft limits, (nv) [N m or N].
    #[inline(always)]
    fn passive_forces(&mut self, _tau: &mut [S]) {}

    /// Velocity coordinates whose passive force is no longer that of the model's springs and dampers, so that
    /// there is nothing of these to take implicitly.
    #[inline(always)]
    fn replaced_joints(&self) -> &[usize] {
        &[]
    }

    /// Forces on links at their origins, those of input and compliant contacts [N m, N].
    #[inline(always)]
    fn wrenches(&mut self, _kin: &Kinematics<S>, _external: &mut [Force<S>]) {}

    /// Whether [`accelerations`](Taps::accelerations) reads or changes anything: if not, the adjoint of the
    /// impulses and of the accelerations can be taken at once.
    #[inline(always)]
    fn looks_at_accelerations(&self) -> bool {
        !self.is_idle()
    }

    /// The accelerations without rigid contacts, (nv).
    #[inline(always)]
    fn accelerations(&mut self, _qdd: &mut [S]) {}

    /// The velocities that the step ends with, (nv).
    #[inline(always)]
    fn velocity(&mut self, _v: &mut [S]) {}

    /// What the next step is to know: all contacts have their forces now.
    #[inline(always)]
    fn end(&mut self, _contacts: &[Contact<S>], _state: &mut State<S>) {}
}

/// Nothing looks.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTaps;

impl<S: Scalar> Taps<S> for NoTaps {
    #[inline(always)]
    fn is_idle(&self) -> bool {
        true
    }
}

/// Taps that can be walked back: each method is the adjoint of the one of its name. One that does nothing
/// forwards does nothing here.
pub trait TapsVjp<S: Scalar>: Taps<S> {
    /// Forgets cotangents of a rollout before.
    #[inline(always)]
    fn begin_back(&mut self) {}

    /// Whether cotangents of the taps' own numbers are finite in a world, after all steps.
    #[inline(always)]
    fn is_finite_in(&self, _lane: usize) -> bool {
        true
    }

    /// Forgets the cotangents of worlds that failed.
    #[inline(always)]
    fn forget_worlds(&mut self, _failed: impl Fn(usize) -> bool) {}

    /// Back over [`Taps::end`]: `state_bar.memory` is of what was remembered.
    #[inline(always)]
    fn end_vjp(
        &mut self,
        _contacts: &[Contact<S>],
        _bars: &mut [ContactCotangents<S>],
        _state_bar: &mut StateCotangents<S>,
    ) {
    }

    /// Back over [`Taps::velocity`].
    #[inline(always)]
    fn velocity_vjp(&mut self, _v: &mut [S], _v_bar: &mut [S]) {}

    /// Back over [`Taps::accelerations`].
    #[inline(always)]
    fn accelerations_vjp(&mut self, _qdd: &mut [S], _qdd_bar: &mut [S]) {}

    /// Back over [`Taps::wrenches`]; cotangents of poses are added to.
    #[inline(always)]
    fn wrenches_vjp(
        &mut self,
        _kin: &Kinematics<S>,
        _external: &mut [Force<S>],
        _external_bar: &mut [Motion<S>],
        _kin_bar: &mut KinematicsCotangents<S>,
    ) {
    }

    /// Back over [`Taps::passive_forces`].
    #[inline(always)]
    fn passive_forces_vjp(&mut self, _tau_bar: &mut [S]) {}

    /// Back over [`Taps::actuator_forces`].
    #[inline(always)]
    fn actuator_forces_vjp(&mut self, _tau_bar: &mut [S]) {}

    /// Back over [`Taps::contact_forces`].
    #[inline(always)]
    fn contact_forces_vjp(
        &mut self,
        _contacts: &mut [Contact<S>],
        _bars: &mut [ContactCotangents<S>],
    ) {
    }

    /// Back over [`Taps::contacts`].
    #[inline(always)]
    fn contacts_vjp(&mut self, _contacts: &mut [Contact<S>], _bars: &mut [ContactCotangents<S>]) {}

    /// Back over [`Taps::links`]; cotangents of the state and the input are added to.
    #[inline(always)]
    fn links_vjp(
        &mut self,
        _kin: &mut Kinematics<S>,
        _kin_bar: &mut KinematicsCotangents<S>,
        _state_bar: &mut StateCotangents<S>,
        _input_bar: &mut InputCotangents<S>,
    ) {
    }

    /// The model that [`Taps::lend_model`] lent for the step that is gone back over; from here on
    /// `params_bar` is of that model's numbers.
    #[inline(always)]
    fn lend_model_again(&mut self, _params_bar: &mut Params<S>) -> Option<Model<S>> {
        None
    }

    /// Back over [`Taps::lend_model`]: `params_bar` becomes that of the numbers of the model it was given;
    /// cotangents of the state and the input are added to.
    #[inline(always)]
    fn model_vjp(
        &mut self,
        _params_bar: &mut Params<S>,
        _state_bar: &mut StateCotangents<S>,
        _input_bar: &mut InputCotangents<S>,
    ) {
    }

    /// Back over [`Taps::state`].
    #[inline(always)]
    fn state_vjp(
        &mut self,
        _state_bar: &mut StateCotangents<S>,
        _input_bar: &mut InputCotangents<S>,
    ) {
    }
}

impl<S: Scalar> TapsVjp<S> for NoTaps {}
