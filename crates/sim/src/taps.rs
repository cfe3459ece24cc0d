//! Places inside a step where taps can read and change its quantities.
//!
//! ```text
//!   state → model → links → contacts → contact_forces → wrenches → actuator_forces → passive_forces
//!         → accelerations → (rigid contacts) → velocity → end
//! ```
//!
//! In the forward pass, taps record in a [`TapRecord`] what they read and what they replaced. In the backward pass, the
//! methods of [`TapsVjp`] are called in reverse order with that record. Each turns cotangents of the values that the
//! tap of its name left into cotangents of the values it received.

use std::any::Any;
use std::fmt;

use gradbody_contact::{Contact, ContactCotangents};
use gradbody_dynamics::{Kinematics, KinematicsCotangents};
use gradbody_math::{Force, Motion, Scalar};
use gradbody_model::Params;

use crate::{Input, InputCotangents, State, StateCotangents};

/// What taps record in a step, for the backward pass. The [`StepTrace`](crate::StepTrace) carries it without looking
/// inside: the taps choose its type.
#[derive(Default)]
pub struct TapRecord(Option<Box<dyn Noted>>);

/// A value that taps may record.
trait Noted: Any + Send + Sync {
    fn copied(&self) -> Box<dyn Noted>;
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

impl<R: Any + Clone + Send + Sync> Noted for R {
    fn copied(&self) -> Box<dyn Noted> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

impl TapRecord {
    /// The recorded value, if it has this type.
    pub fn get<R: Any>(&self) -> Option<&R> {
        self.0.as_deref()?.as_any().downcast_ref()
    }

    /// The recorded value, to be overwritten; `new()` if there is none of this type yet.
    pub fn get_or_insert_with<R: Any + Clone + Send + Sync>(
        &mut self,
        new: impl FnOnce() -> R,
    ) -> &mut R {
        if self.get::<R>().is_none() {
            self.0 = Some(Box::new(new()));
        }
        let noted = self.0.as_deref_mut().and_then(|noted| noted.as_any_mut().downcast_mut());
        noted.expect("the value was inserted above")
    }
}

impl Clone for TapRecord {
    fn clone(&self) -> Self {
        TapRecord(self.0.as_deref().map(Noted::copied))
    }
}

impl fmt::Debug for TapRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "TapRecord(…)" } else { "TapRecord(empty)" })
    }
}

/// Code that looks into a step. Every method does nothing by default; [`NoTaps`] overrides none, and costs nothing.
///
/// The methods from `links` to `accelerations` are called for every evaluation of the accelerations: by Runge-Kutta at
/// each of its four points, the first of which is the start. The others are called once per step, with the record of
/// the evaluation at the start. `contacts` is not called if the solver is off, `contact_forces` not if no contact is
/// compliant and the taps do not [act at rigid contacts](Taps::acts_at_rigid_contacts).
///
/// The backward pass of a Runge-Kutta step visits the evaluation at the start twice: once for the rigid contacts, once
/// for its accelerations.
pub trait Taps<S: Scalar> {
    /// Whether the taps never do anything, so that a step may skip the work that only taps need.
    #[inline(always)]
    fn is_idle(&self) -> bool {
        false
    }

    /// The size that [`State::memory`] must have; `None` if any size will do.
    #[inline(always)]
    fn expected_memory(&self) -> Option<usize> {
        None
    }

    /// Number of [`Input::signals`] that are read.
    #[inline(always)]
    fn n_signals(&self) -> usize {
        0
    }

    /// The initial state of the step.
    #[inline(always)]
    fn state(&mut self, _record: &mut TapRecord, _input: &Input<S>, _state: &mut State<S>) {}

    /// Whether [`model`](Taps::model) changes anything.
    #[inline(always)]
    fn changes_model(&self) -> bool {
        false
    }

    /// The numbers of the model in this step.
    #[inline(always)]
    fn model(
        &mut self,
        _record: &mut TapRecord,
        _input: &Input<S>,
        _state: &State<S>,
        _params: &mut Params<S>,
    ) {
    }

    /// Begins a further evaluation within the step, with its own `record`; `first` is the record of the evaluation at
    /// the start.
    #[inline(always)]
    fn begin_evaluation(&mut self, _first: &TapRecord, _record: &mut TapRecord) {}

    /// Poses and velocities of the links. Later stages see the changed values: contacts use positions and velocities,
    /// inertias also use orientations and angular velocities. Child links and joint axes do not move with them.
    #[inline(always)]
    fn links(
        &mut self,
        _record: &mut TapRecord,
        _input: &Input<S>,
        _state: &State<S>,
        _kin: &mut Kinematics<S>,
    ) {
    }

    /// The contacts before they act: gap, normal, velocity, friction and other surface properties.
    #[inline(always)]
    fn contacts(&mut self, _record: &mut TapRecord, _contacts: &mut [Contact<S>]) {}

    /// Whether [`contact_forces`](Taps::contact_forces) adds forces at rigid contacts. If not, changes of their forces
    /// have no effect.
    #[inline(always)]
    fn acts_at_rigid_contacts(&self) -> bool {
        false
    }

    /// The contacts, with the forces of the compliant ones; those of the rigid ones are zero. A force that is added at
    /// a rigid contact acts on both bodies like an external force. The solver then finds its impulses with the motion
    /// that this force causes, and adds their average to the force of the contact.
    #[inline(always)]
    fn contact_forces(&mut self, _record: &mut TapRecord, _contacts: &mut [Contact<S>]) {}

    /// Link forces at the links' origins, from input and compliant contacts [N m, N].
    #[inline(always)]
    fn wrenches(
        &mut self,
        _record: &mut TapRecord,
        _kin: &Kinematics<S>,
        _external: &mut [Force<S>],
    ) {
    }

    /// Joint forces of input and actuators, (nv) [N m or N].
    #[inline(always)]
    fn actuator_forces(&mut self, _record: &mut TapRecord, _tau: &mut [S]) {}

    /// Joint forces of springs, dampers, friction and soft limits, (nv) [N m or N].
    #[inline(always)]
    fn passive_forces(&mut self, _record: &mut TapRecord, _tau: &mut [S]) {}

    /// Velocity coordinates whose passive force has been replaced. Implicit damping leaves out the model's springs and
    /// dampers there.
    #[inline(always)]
    fn replaced_joints(&self) -> &[usize] {
        &[]
    }

    /// Whether [`accelerations`](Taps::accelerations) reads or changes anything. If not, it is not called, and one pass
    /// gives the adjoints of both the impulses and the accelerations.
    #[inline(always)]
    fn looks_at_accelerations(&self) -> bool {
        !self.is_idle()
    }

    /// The accelerations without rigid contacts, (nv).
    #[inline(always)]
    fn accelerations(&mut self, _record: &mut TapRecord, _qdd: &mut [S]) {}

    /// The velocities at the end of the step, (nv).
    #[inline(always)]
    fn velocity(&mut self, _record: &mut TapRecord, _v: &mut [S]) {}

    /// Updates the memory for the next step; all contacts have their forces now.
    #[inline(always)]
    fn end(&mut self, _record: &mut TapRecord, _contacts: &[Contact<S>], _state: &mut State<S>) {}
}

/// No taps.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTaps;

impl<S: Scalar> Taps<S> for NoTaps {
    #[inline(always)]
    fn is_idle(&self) -> bool {
        true
    }
}

/// Taps that can be differentiated: each method is the adjoint of the one of its name. By default, a method passes
/// cotangents on unchanged. That is right for a tap that does nothing here or adds a constant, and silently wrong for
/// one that adds something that depends on the state.
pub trait TapsVjp<S: Scalar>: Taps<S> {
    /// Whether these taps wrote `record`, so that they can be differentiated with it.
    #[inline(always)]
    fn wrote(&self, _record: &TapRecord) -> bool {
        true
    }

    /// Clears the cotangents of an earlier rollout.
    #[inline(always)]
    fn begin_back(&mut self) {}

    /// Whether the cotangents of the taps' own numbers are finite in a world, after all steps.
    #[inline(always)]
    fn is_finite_in(&self, _lane: usize) -> bool {
        true
    }

    /// Clears the cotangents of worlds that failed.
    #[inline(always)]
    fn forget_worlds(&mut self, _failed: &dyn Fn(usize) -> bool) {}

    /// Begins the backward pass of a step. If taps change the model, `params_bar` from here on belongs to the numbers
    /// of this step's own model, until [`model_vjp`](TapsVjp::model_vjp).
    #[inline(always)]
    fn begin_model_vjp(&mut self, _params_bar: &mut Params<S>) {}

    /// Adjoint of [`Taps::end`]: `state_bar.memory` is the cotangent of the updated memory.
    #[inline(always)]
    fn end_vjp(
        &mut self,
        _record: &TapRecord,
        _contacts: &[Contact<S>],
        _bars: &mut [ContactCotangents<S>],
        _state_bar: &mut StateCotangents<S>,
    ) {
    }

    /// Adjoint of [`Taps::velocity`].
    #[inline(always)]
    fn velocity_vjp(&mut self, _record: &TapRecord, _v_bar: &mut [S]) {}

    /// Adjoint of [`Taps::accelerations`].
    #[inline(always)]
    fn accelerations_vjp(&mut self, _record: &TapRecord, _qdd_bar: &mut [S]) {}

    /// Adjoint of [`Taps::passive_forces`].
    #[inline(always)]
    fn passive_forces_vjp(&mut self, _record: &TapRecord, _tau_bar: &mut [S]) {}

    /// Adjoint of [`Taps::actuator_forces`].
    #[inline(always)]
    fn actuator_forces_vjp(&mut self, _record: &TapRecord, _tau_bar: &mut [S]) {}

    /// Adjoint of [`Taps::wrenches`]: restores in `external` the values that the tap received. Adds to the cotangents
    /// of poses.
    #[inline(always)]
    fn wrenches_vjp(
        &mut self,
        _record: &TapRecord,
        _kin: &Kinematics<S>,
        _external: &mut [Force<S>],
        _external_bar: &mut [Motion<S>],
        _kin_bar: &mut KinematicsCotangents<S>,
    ) {
    }

    /// Adjoint of [`Taps::contact_forces`]: restores in `contacts` the values that the tap received.
    #[inline(always)]
    fn contact_forces_vjp(
        &mut self,
        _record: &TapRecord,
        _contacts: &mut [Contact<S>],
        _bars: &mut [ContactCotangents<S>],
    ) {
    }

    /// Adjoint of [`Taps::contacts`]: restores in `contacts` the values that the tap received.
    #[inline(always)]
    fn contacts_vjp(
        &mut self,
        _record: &TapRecord,
        _contacts: &mut [Contact<S>],
        _bars: &mut [ContactCotangents<S>],
    ) {
    }

    /// Adjoint of [`Taps::links`]: restores in `kin` the values that the tap received. Adds to the cotangents of state
    /// and input.
    #[inline(always)]
    fn links_vjp(
        &mut self,
        _record: &TapRecord,
        _kin: &mut Kinematics<S>,
        _kin_bar: &mut KinematicsCotangents<S>,
        _state_bar: &mut StateCotangents<S>,
        _input_bar: &mut InputCotangents<S>,
    ) {
    }

    /// Adjoint of [`Taps::model`]: turns `params_bar` into that of the numbers of the model that the tap received; adds
    /// to the cotangents of state and input.
    #[inline(always)]
    fn model_vjp(
        &mut self,
        _record: &TapRecord,
        _params_bar: &mut Params<S>,
        _state_bar: &mut StateCotangents<S>,
        _input_bar: &mut InputCotangents<S>,
    ) {
    }

    /// Adjoint of [`Taps::state`].
    #[inline(always)]
    fn state_vjp(
        &mut self,
        _record: &TapRecord,
        _state_bar: &mut StateCotangents<S>,
        _input_bar: &mut InputCotangents<S>,
    ) {
    }
}

impl<S: Scalar> TapsVjp<S> for NoTaps {}
