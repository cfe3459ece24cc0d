//! Cotangents of the states and inputs of a step: how much a result grows with each of their numbers.

use std::ops::AddAssign;

use gradbody_contact::MemoryCotangents;
use gradbody_math::{Motion, Scalar};
use gradbody_model::Model;

/// Cotangents of a [`State`](crate::State).
#[derive(Clone, Debug)]
pub struct StateCotangents<S> {
    /// Of the configuration, in local coordinates, (nv).
    pub q: Vec<S>,
    /// Of the velocity, (nv).
    pub v: Vec<S>,
    /// Of the actuator states, (na).
    pub activation: Vec<S>,
    /// Of the taps' memory; empty if nothing depends on it.
    pub memory: Vec<S>,
    /// Of the impulses that a warm start begins with.
    pub contact: MemoryCotangents<S>,
}

/// Cotangents of an [`Input`](crate::Input).
#[derive(Clone, Debug)]
pub struct InputCotangents<S> {
    /// Of the controls.
    pub control: Vec<S>,
    /// Of the commanded joint forces, (nv).
    pub tau: Vec<S>,
    /// Of the force on each link at its origin.
    pub external: Vec<Motion<S>>,
    /// Of the signals; empty if nothing depends on them.
    pub signals: Vec<S>,
}

impl<S: Scalar> StateCotangents<S> {
    /// All zero, sized for a model.
    pub fn zero(model: &Model<S>) -> Self {
        StateCotangents {
            q: vec![S::ZERO; model.nv()],
            v: vec![S::ZERO; model.nv()],
            activation: vec![S::ZERO; model.topology.na],
            memory: Vec::new(),
            contact: MemoryCotangents::default(),
        }
    }

    /// Sets all cotangents to zero.
    pub fn clear(&mut self) {
        self.q.fill(S::ZERO);
        self.v.fill(S::ZERO);
        self.activation.fill(S::ZERO);
        self.memory.fill(S::ZERO);
        self.contact.clear();
    }
}

impl<S: Scalar> InputCotangents<S> {
    /// All zero, sized for a model.
    pub fn zero(model: &Model<S>) -> Self {
        InputCotangents {
            control: vec![S::ZERO; model.topology.actuators.len()],
            tau: vec![S::ZERO; model.nv()],
            external: vec![Motion::ZERO; model.n_links()],
            signals: Vec::new(),
        }
    }

    /// Sets all cotangents to zero.
    pub fn clear(&mut self) {
        self.control.fill(S::ZERO);
        self.tau.fill(S::ZERO);
        self.external.fill(Motion::ZERO);
        self.signals.fill(S::ZERO);
    }
}

impl<S: Scalar> InputCotangents<S> {
    /// Whether all cotangents are finite in every world.
    #[inline(always)]
    pub(crate) fn is_finite(&self) -> bool {
        let mut finite = are_finite(&self.control) & are_finite(&self.tau);
        for motion in &self.external {
            finite &= motion.is_finite();
        }
        finite & are_finite(&self.signals)
    }

    /// Whether all cotangents are finite in the world of this lane.
    pub fn is_finite_in(&self, lane: usize) -> bool {
        let finite = |x: &S| x.lane(lane).is_finite();
        let of_motion = |m: &Motion<S>| {
            m.ang.to_array().iter().all(finite) && m.lin.to_array().iter().all(finite)
        };
        let numbers = self.control.iter().chain(&self.tau).chain(&self.signals);
        numbers.into_iter().all(finite) && self.external.iter().all(of_motion)
    }

    /// Adds the cotangents `other`.
    pub fn add(&mut self, other: &Self) {
        self.signals.resize(other.signals.len().max(self.signals.len()), S::ZERO);
        S::vectorised(
            #[inline(always)]
            || {
                add_each(&mut self.control, &other.control);
                add_each(&mut self.tau, &other.tau);
                add_each(&mut self.external, &other.external);
                add_each(&mut self.signals, &other.signals);
            },
        );
    }
}

impl<S: Scalar> StateCotangents<S> {
    /// Whether all cotangents are finite in every world.
    #[inline(always)]
    pub(crate) fn is_finite(&self) -> bool {
        let of_motion = are_finite(&self.q) & are_finite(&self.v);
        of_motion & are_finite(&self.activation) & are_finite(&self.memory)
    }

    /// Whether all cotangents are finite in the world of this lane.
    pub fn is_finite_in(&self, lane: usize) -> bool {
        let numbers = self.q.iter().chain(&self.v).chain(&self.activation).chain(&self.memory);
        numbers.into_iter().all(|x| x.lane(lane).is_finite())
    }
}

/// One pass without branches.
#[inline(always)]
fn are_finite<S: Scalar>(numbers: &[S]) -> bool {
    let mut finite = true;
    for x in numbers {
        finite &= x.is_finite();
    }
    finite
}

#[inline(always)]
fn add_each<T: Copy + AddAssign>(to: &mut [T], from: &[T]) {
    for (a, b) in to.iter_mut().zip(from) {
        *a += *b;
    }
}
