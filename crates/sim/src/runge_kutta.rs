//! The classical Runge-Kutta scheme, on the manifold of configurations.
//!
//! It works in local coordinates about the start of the step. The local coordinates of an orientation are a rotation
//! vector. Its rate is not the angular velocity but [`local_rate`] of it; this keeps the order four on the manifold,
//! too [Munthe-Kaas 1999].

use gradbody_dynamics::{integrate, limit_activations, local_rate};
use gradbody_math::Scalar;
use gradbody_model::Model;

use crate::scratch::{add_scaled, sum_scaled};
use crate::step::{At, accelerations};
use crate::trace::{Evaluation, Stages};
use crate::{State, StepScratch, Taps};

/// The time of each evaluation, as a fraction of the step.
pub(crate) const FRACTIONS: [f64; 4] = [0.0, 0.5, 0.5, 1.0];
/// The share of each evaluation in the step.
pub(crate) const WEIGHTS: [f64; 4] = [1.0 / 6.0, 2.0 / 6.0, 2.0 / 6.0, 1.0 / 6.0];

/// The evaluations of a Runge-Kutta step after the one at the start, and the points of all four.
#[derive(Clone, Debug)]
pub(crate) struct RungeKuttaTrace<S> {
    pub(crate) points: [Point<S>; 4],
    /// The evaluations at the points after the first.
    pub(crate) later: [Evaluation<S>; 3],
    /// The weighted sum of the rates, times the time step.
    pub(crate) sum: Rates<S>,
}

/// A point where the accelerations are evaluated.
#[derive(Clone, Debug)]
pub(crate) struct Point<S> {
    pub(crate) state: State<S>,
    /// Its local coordinates about the start, (nv).
    pub(crate) dq: Vec<S>,
    /// Its actuator states before clamping to their range, (na).
    pub(crate) activation: Vec<S>,
    /// The rates found there.
    pub(crate) rates: Rates<S>,
}

/// The rate of a state, in local coordinates of the configuration.
#[derive(Clone, Debug)]
pub(crate) struct Rates<S> {
    pub(crate) q: Vec<S>,
    pub(crate) v: Vec<S>,
    pub(crate) activation: Vec<S>,
}

impl<S: Scalar> RungeKuttaTrace<S> {
    pub(crate) fn new(model: &Model<S>) -> Self {
        let point = Point {
            state: State::neutral(model),
            dq: vec![S::ZERO; model.nv()],
            activation: vec![S::ZERO; model.topology.na],
            rates: Rates::new(model),
        };
        RungeKuttaTrace {
            points: std::array::from_fn(|_| point.clone()),
            later: std::array::from_fn(|_| Evaluation::new(model)),
            sum: Rates::new(model),
        }
    }
}

/// Free motion by four evaluations. Reads start, input; writes `evaluation`, `runge_kutta`, `v` without impulses, `dq`
/// and `activation`. Rigid contacts, joint stops and later taps use `evaluation`, the one at the start of the step.
pub(crate) fn free_motion<S: Scalar>(
    model: &Model<S>,
    taps: &mut (impl Taps<S> + ?Sized),
    stages: &mut Stages<S>,
    scratch: &mut StepScratch<S>,
) {
    let Stages { options, input, start, evaluation, activation, v, dq, .. } = stages;
    let RungeKuttaTrace { points, later, sum } =
        &mut **stages.runge_kutta.get_or_insert_with(|| Box::new(RungeKuttaTrace::new(model)));
    sum.clear();
    for s in 0..4 {
        let (before, here) = points.split_at_mut(s);
        let Point { state, dq, activation, rates } = &mut here[0];
        state.copy_motion_from(start);
        dq.fill(S::ZERO);
        if let Some(Point { rates, .. }) = before.last() {
            let weight = S::from_f64(FRACTIONS[s]) * options.dt;
            state.time += weight;
            add_scaled(dq, weight, &rates.q);
            integrate(model, &mut state.q, dq);
            add_scaled(&mut state.v, weight, &rates.v);
            add_scaled(&mut state.activation, weight, &rates.activation);
        }
        activation.copy_from_slice(&state.activation);
        let found = match s {
            0 => &mut *evaluation,
            _ => {
                limit_activations(model, &mut state.activation);
                taps.begin_evaluation(&evaluation.taps, &mut later[s - 1].taps);
                &mut later[s - 1]
            }
        };
        accelerations(At { model, state, input, options }, taps, found, scratch);
        local_rate(model, dq, &state.v, &mut rates.q);
        rates.v.copy_from_slice(found.qdd());
        rates.activation.copy_from_slice(&found.activation_rate);
        sum.add(options.dt * S::from_f64(WEIGHTS[s]), rates);
    }
    dq.copy_from_slice(&sum.q);
    sum_scaled(v, &start.v, S::ONE, &sum.v);
    sum_scaled(activation, &start.activation, S::ONE, &sum.activation);
}

impl<S: Scalar> Rates<S> {
    pub(crate) fn new(model: &Model<S>) -> Self {
        let zeros = |n| vec![S::ZERO; n];
        Rates { q: zeros(model.nv()), v: zeros(model.nv()), activation: zeros(model.topology.na) }
    }

    /// The sum of all products.
    pub(crate) fn dot(&self, other: &Rates<S>) -> S {
        S::vectorised(
            #[inline(always)]
            || {
                product(&self.q, &other.q)
                    + product(&self.v, &other.v)
                    + product(&self.activation, &other.activation)
            },
        )
    }

    pub(crate) fn clear(&mut self) {
        self.q.fill(S::ZERO);
        self.v.fill(S::ZERO);
        self.activation.fill(S::ZERO);
    }

    pub(crate) fn add(&mut self, weight: S, rates: &Rates<S>) {
        add_scaled(&mut self.q, weight, &rates.q);
        add_scaled(&mut self.v, weight, &rates.v);
        add_scaled(&mut self.activation, weight, &rates.activation);
    }
}

#[inline(always)]
fn product<S: Scalar>(a: &[S], b: &[S]) -> S {
    let mut sum = S::ZERO;
    for (a, b) in a.iter().zip(b) {
        sum = a.mul_add(*b, sum);
    }
    sum
}
