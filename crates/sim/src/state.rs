//! The state and the input of a step.

use gradbody_contact::ContactMemory;
use gradbody_math::{Force, Scalar};
use gradbody_model::{Keyframe, Model};

/// The state: everything that the next step depends on besides its input.
#[derive(Clone, Debug, PartialEq)]
pub struct State<S> {
    /// Time [s].
    pub time: S,
    /// Configuration, (nq).
    pub q: Vec<S>,
    /// Velocity, (nv).
    pub v: Vec<S>,
    /// Actuator states, (na).
    pub activation: Vec<S>,
    /// The taps' memory from step to step: empty, or as many numbers as they need.
    pub memory: Vec<S>,
    /// Impulses of the last step, for a warm start of the solver. It is empty at the start and managed by the step; it
    /// may be cleared after a jump to another state.
    pub contact: ContactMemory<S>,
}

impl<S: Scalar> State<S> {
    /// At rest, with every joint at zero.
    pub fn neutral(model: &Model<S>) -> Self {
        State {
            time: S::ZERO,
            q: model.neutral(),
            v: vec![S::ZERO; model.nv()],
            activation: vec![S::ZERO; model.topology.na],
            memory: Vec::new(),
            contact: ContactMemory::new(model),
        }
    }

    /// Copies another state of the same model. Allocates only if a list of this one must grow.
    pub fn copy_from(&mut self, other: &Self) {
        self.copy_motion_from(other);
        self.contact.copy_from(&other.contact);
    }

    /// Copies everything but the impulses for a warm start. Many models have neither actuator states nor memory.
    #[inline(always)]
    pub(crate) fn copy_motion_from(&mut self, other: &Self) {
        self.time = other.time;
        self.q.copy_from_slice(&other.q);
        self.v.copy_from_slice(&other.v);
        if !self.activation.is_empty() {
            self.activation.copy_from_slice(&other.activation);
        }
        copy_if_any(&mut self.memory, &other.memory);
    }

    /// Returns one world to its state in `home` and clears its impulses for a warm start.
    pub(crate) fn return_lane(&mut self, lane: usize, home: &Self) {
        let all = |to: &mut [S], from: &[S]| {
            to.iter_mut()
                .zip(from)
                .for_each(|(to, from)| *to = in_lane(*to, lane, from.lane(lane)));
        };
        all(&mut self.q, &home.q);
        all(&mut self.v, &home.v);
        all(&mut self.activation, &home.activation);
        all(&mut self.memory, &home.memory);
        self.contact.forget_in(lane);
    }

    /// Puts one world into a state.
    pub(crate) fn set_lane(&mut self, lane: usize, state: &State<f64>) {
        let all = |to: &mut [S], from: &[f64]| {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = in_lane(*to, lane, *from));
        };
        self.time = in_lane(self.time, lane, state.time);
        all(&mut self.q, &state.q);
        all(&mut self.v, &state.v);
        all(&mut self.activation, &state.activation);
        self.memory.resize(state.memory.len().max(self.memory.len()), S::ZERO);
        self.memory.iter_mut().for_each(|to| *to = in_lane(*to, lane, 0.0));
        all(&mut self.memory, &state.memory);
        self.contact.set_lane(lane, &state.contact);
    }

    /// The state given by a keyframe of the model.
    pub fn from_keyframe(model: &Model<S>, key: &Keyframe) -> Self {
        let mut state = State::neutral(model);
        let fill = |to: &mut [S], from: &[f64]| {
            assert!(
                from.is_empty() || from.len() == to.len(),
                "the keyframe belongs to another model"
            );
            to.iter_mut().zip(from).for_each(|(to, from)| *to = S::from_f64(*from));
        };
        fill(&mut state.q, &key.q);
        fill(&mut state.v, &key.v);
        fill(&mut state.activation, &key.activation);
        state
    }
}

/// `x` with a new number in one lane.
pub(crate) fn in_lane<S: Scalar>(x: S, lane: usize, new: f64) -> S {
    S::from_lanes(|l| if l == lane { new } else { x.lane(l) })
}

impl State<f64> {
    /// The same state in another scalar: equal in every lane, with zero derivatives.
    pub fn cast<T: Scalar>(&self) -> State<T> {
        let cast = |from: &[f64]| from.iter().map(|x| T::from_f64(*x)).collect();
        State {
            time: T::from_f64(self.time),
            q: cast(&self.q),
            v: cast(&self.v),
            activation: cast(&self.activation),
            memory: cast(&self.memory),
            contact: self.contact.cast(),
        }
    }
}

/// The input of a step.
#[derive(Clone, Debug)]
pub struct Input<S> {
    /// Control of each actuator.
    pub control: Vec<S>,
    /// Commanded joint forces, (nv). The sum of these and the actuators' is clamped to each joint's effort limit.
    pub tau: Vec<S>,
    /// Force on each link at its origin, in the world's axes; empty for none.
    pub external: Vec<Force<S>>,
    /// Further known quantities of the step, for taps: commands, a temperature, the kind of ground.
    pub signals: Vec<S>,
}

impl<S: Scalar> Input<S> {
    /// All zero.
    pub fn none(model: &Model<S>) -> Self {
        Input {
            control: vec![S::ZERO; model.topology.actuators.len()],
            tau: vec![S::ZERO; model.nv()],
            external: Vec::new(),
            signals: Vec::new(),
        }
    }
}

impl<S: Scalar> Input<S> {
    /// Copies another input. Allocates only if a list of this one must grow.
    pub fn copy_from(&mut self, other: &Self) {
        self.control.copy_from_slice(&other.control);
        self.tau.copy_from_slice(&other.tau);
        copy_if_any(&mut self.external, &other.external);
        copy_if_any(&mut self.signals, &other.signals);
    }

    /// Sets everything to zero.
    pub fn clear(&mut self) {
        self.control.fill(S::ZERO);
        self.tau.fill(S::ZERO);
        self.external.clear();
        self.signals.clear();
    }
}

impl Input<f64> {
    /// The same input in another scalar: equal in every lane, with zero derivatives.
    pub fn cast<T: Scalar>(&self) -> Input<T> {
        let cast = |from: &[f64]| from.iter().map(|x| T::from_f64(*x)).collect();
        let force = |f: &Force<f64>| Force::new(f.ang.map(T::from_f64), f.lin.map(T::from_f64));
        Input {
            control: cast(&self.control),
            tau: cast(&self.tau),
            external: self.external.iter().map(force).collect(),
            signals: cast(&self.signals),
        }
    }
}

/// Copies a list that is often empty: skips the call then.
#[inline(always)]
fn copy_if_any<T: Copy>(to: &mut Vec<T>, from: &[T]) {
    to.clear();
    if !from.is_empty() {
        to.extend_from_slice(from);
    }
}
