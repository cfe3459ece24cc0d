//! Places inside a step where its quantities can be read and changed.
//!
//! ```text
//!   state → model → links → contacts → contact_forces → wrenches → actuator_forces → passive_forces
//!         → accelerations → (rigid contacts) → velocity → end
//! ```
//!
//! Going forwards, taps note in a [`TapRecord`] what they read and what they replaced. Going back, the methods of
//! [`TapsVjp`] are called in reverse order with that record. Each takes cotangents of what the tap of its name left,
//! and turns them into those of what it was given.

use std::any::Any;
use std::fmt;

use gradbody_contact::{Contact, ContactCotangents};
use gradbody_dynamics::{Kinematics, KinematicsCotangents};
use gradbody_math::{Force, Motion, Scalar};
use gradbody_model::Params;

use crate::{Input, InputCotangents, State, StateCotangents};

/// What taps note while a step runs, for the way back. It belongs to the [`StepTrace`](crate::StepTrace), which
/// carries it and never looks inside: the taps choose its type.
#[derive(Default)]
pub struct TapRecord(Option<Box<dyn Noted>>);

/// Something that taps may note.
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
    /// What was noted, if it is of this type.
    pub fn get<R: Any>(&self) -> Option<&R> {
        self.0.as_deref()?.as_any().downcast_ref()
    }

    /// What was noted, to be written over; `new` if there is nothing of this type yet.
    pub fn get_or_insert_with<R: Any + Clone + Send + Sync>(
        &mut self,
        new: impl FnOnce() -> R,
    ) -> &mut R {
        if self.get::<R>().is_none() {
            self.0 = Some(Box::new(new()));
        }
        let noted = self.0.as_deref_mut().and_then(|noted| noted.as_any_mut().downcast_mut());
        noted.expect("it was just put there")
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

/// What looks into a step. Every method does nothing unless it is written; [`NoTaps`] writes none,
/// and costs nothing.
///
/// Those from `links` to `accelerations` are called for every evaluation of the accelerations: by Runge-Kutta at each
/// of its four points, of which the first is the start. The others are called once a step, with the record of the
/// evaluation at the start. `contacts` is left out if the solver is off, `contact_forces` if no contact is compliant.
///
/// Going back over a Runge-Kutta step, the evaluation at the start is gone back over twice: once for what rigid contacts
/// took from it, once for its accelerations.
pub trait Taps<S: Scalar> {
    /// Whether nothing is ever done, so that a step may leave out what is there for taps alone.
    #[inline(always)]
    fn is_idle(&self) -> bool {
        false
    }

    /// How many numbers [`State::memory`] must have; none if it does not matter.
    #[inline(always)]
    fn expected_memory(&self) -> Option<usize> {
        None
    }

    /// How many of [`Input::signals`] are read.
    #[inline(always)]
    fn n_signals(&self) -> usize {
        0
    }

    /// The state that the step begins with.
    #[inline(always)]
    fn state(&mut self, _record: &mut TapRecord, _input: &Input<S>, _state: &mut State<S>) {}

    /// Whether [`model`](Taps::model) changes anything.
    #[inline(always)]
    fn changes_model(&self) -> bool {
        false
    }

    /// The numbers of the model, for this step.
    #[inline(always)]
    fn model(
        &mut self,
        _record: &mut TapRecord,
        _input: &Input<S>,
        _state: &State<S>,
        _params: &mut Params<S>,
    ) {
    }

    /// Begins a further evaluation within the step, with a record of its own; that at the start has the record
    /// `first`.
    #[inline(always)]
    fn begin_evaluation(&mut self, _first: &TapRecord, _record: &mut TapRecord) {}

    /// Poses and velocities of the links. Later stages see the changed poses: places and velocities for contacts,
    /// orientations and spins for inertias too. Child links and joint axes do not move with them.
    #[inline(always)]
    fn links(
        &mut self,
        _record: &mut TapRecord,
        _input: &Input<S>,
        _state: &State<S>,
        _kin: &mut Kinematics<S>,
    ) {
    }

    /// The contacts, before they act: gap, normal, velocity, friction and the rest of the surface.
    #[inline(always)]
    fn contacts(&mut self, _record: &mut TapRecord, _contacts: &mut [Contact<S>]) {}

    /// The same, with the forces of those that are compliant.
    #[inline(always)]
    fn contact_forces(&mut self, _record: &mut TapRecord, _contacts: &mut [Contact<S>]) {}

    /// Forces on links at their origins, those of input and compliant contacts [N m, N].
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

    /// Velocity coordinates whose passive force is no longer that of the model's springs and dampers, so that
    /// there is nothing of these to take implicitly.
    #[inline(always)]
    fn replaced_joints(&self) -> &[usize] {
        &[]
    }

    /// Whether [`accelerations`](Taps::accelerations) reads or changes anything: if not, it is not called, and the
    /// adjoint of the impulses and of the accelerations can be taken at once.
    #[inline(always)]
    fn looks_at_accelerations(&self) -> bool {
        !self.is_idle()
    }

    /// The accelerations without rigid contacts, (nv).
    #[inline(always)]
    fn accelerations(&mut self, _record: &mut TapRecord, _qdd: &mut [S]) {}

    /// The velocities that the step ends with, (nv).
    #[inline(always)]
    fn velocity(&mut self, _record: &mut TapRecord, _v: &mut [S]) {}

    /// What the next step is to know: all contacts have their forces now.
    #[inline(always)]
    fn end(&mut self, _record: &mut TapRecord, _contacts: &[Contact<S>], _state: &mut State<S>) {}
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

/// Taps that can be differentiated: each method is the adjoint of the one of its name. A method that is not written
/// passes cotangents on as they are, which is right for a tap that does nothing in this place or adds a constant, and
/// silently wrong for one that adds something which depends on the state.
pub trait TapsVjp<S: Scalar>: Taps<S> {
    /// Whether these taps wrote a record, so that they can be differentiated with it.
    #[inline(always)]
    fn wrote(&self, _record: &TapRecord) -> bool {
        true
    }

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
    fn forget_worlds(&mut self, _failed: &dyn Fn(usize) -> bool) {}

    /// Begins the way back over a step. If taps change the model, `params_bar` is from here on of the numbers of this
    /// step's own model, until [`model_vjp`](TapsVjp::model_vjp).
    #[inline(always)]
    fn begin_model_vjp(&mut self, _params_bar: &mut Params<S>) {}

    /// Back over [`Taps::end`]: `state_bar.memory` is of what was remembered.
    #[inline(always)]
    fn end_vjp(
        &mut self,
        _record: &TapRecord,
        _contacts: &[Contact<S>],
        _bars: &mut [ContactCotangents<S>],
        _state_bar: &mut StateCotangents<S>,
    ) {
    }

    /// Back over [`Taps::velocity`].
    #[inline(always)]
    fn velocity_vjp(&mut self, _record: &TapRecord, _v_bar: &mut [S]) {}

    /// Back over [`Taps::accelerations`].
    #[inline(always)]
    fn accelerations_vjp(&mut self, _record: &TapRecord, _qdd_bar: &mut [S]) {}

    /// Back over [`Taps::passive_forces`].
    #[inline(always)]
    fn passive_forces_vjp(&mut self, _record: &TapRecord, _tau_bar: &mut [S]) {}

    /// Back over [`Taps::actuator_forces`].
    #[inline(always)]
    fn actuator_forces_vjp(&mut self, _record: &TapRecord, _tau_bar: &mut [S]) {}

    /// Back over [`Taps::wrenches`]: restores in `external` what the tap was given. Cotangents of poses are added to.
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

    /// Back over [`Taps::contact_forces`]: restores in `contacts` what the tap was given.
    #[inline(always)]
    fn contact_forces_vjp(
        &mut self,
        _record: &TapRecord,
        _contacts: &mut [Contact<S>],
        _bars: &mut [ContactCotangents<S>],
    ) {
    }

    /// Back over [`Taps::contacts`]: restores in `contacts` what the tap was given.
    #[inline(always)]
    fn contacts_vjp(
        &mut self,
        _record: &TapRecord,
        _contacts: &mut [Contact<S>],
        _bars: &mut [ContactCotangents<S>],
    ) {
    }

    /// Back over [`Taps::links`]: restores in `kin` what the tap was given. Cotangents of the state and the input are
    /// added to.
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

    /// Back over [`Taps::model`]: `params_bar` becomes that of the numbers of the model it was given;
    /// cotangents of the state and the input are added to.
    #[inline(always)]
    fn model_vjp(
        &mut self,
        _record: &TapRecord,
        _params_bar: &mut Params<S>,
        _state_bar: &mut StateCotangents<S>,
        _input_bar: &mut InputCotangents<S>,
    ) {
    }

    /// Back over [`Taps::state`].
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
