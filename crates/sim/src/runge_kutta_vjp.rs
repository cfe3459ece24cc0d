//! The adjoint of the Runge-Kutta scheme, from the last evaluation to the first.

use gradbody_contact::MassTerm;
use gradbody_dynamics::{integrate_vjp, limit_activations_vjp, local_rate_vjp};
use gradbody_math::Scalar;
use gradbody_model::Model;

use crate::runge_kutta::{FRACTIONS, Point, Rates, RungeKuttaTrace, WEIGHTS};
use crate::scratch::add_scaled;
use crate::step::At;
use crate::step_vjp::{Incoming, accelerations_vjp, poses_vjp};
use crate::trace::Stages;
use crate::{StateCotangents, StepCotangents, StepOptions, StepScratch, TapsVjp};

/// Cotangents inside a Runge-Kutta step.
#[derive(Clone, Debug)]
pub(crate) struct RungeKuttaScratch<S> {
    /// Of the weighted sum of rates.
    sum: Rates<S>,
    /// Of the rates at the point that is being differentiated.
    rates: Rates<S>,
    /// Of that point's local coordinates, (nv).
    dq: Vec<S>,
    /// Of the start, summed over the points so far.
    start: StateCotangents<S>,
}

impl<S: Scalar> RungeKuttaScratch<S> {
    pub(crate) fn new(model: &Model<S>) -> Self {
        RungeKuttaScratch {
            sum: Rates::new(model),
            rates: Rates::new(model),
            dq: vec![S::ZERO; model.nv()],
            start: StateCotangents::zero(model),
        }
    }
}

/// Adjoint of the free motion. Reads the evaluations, `back.kin` and `back.contacts` as left by the impulses, and the
/// cotangents of the end: `back.dq`, `bars.state.v` and `bars.state.activation`. Turns `bars.state` into that of the
/// start; adds to the rest of `bars`.
pub(crate) fn free_motion_vjp<S: Scalar>(
    model: &Model<S>,
    stages: &Stages<S>,
    taps: &mut (impl TapsVjp<S> + ?Sized),
    scratch: &mut StepScratch<S>,
    bars: &mut StepCotangents<S>,
) {
    let Stages { options, input, start, evaluation, .. } = stages;
    let RungeKuttaTrace { points, later, .. } =
        stages.runge_kutta.as_deref().expect("a Runge-Kutta step stores its evaluations");
    let RungeKuttaScratch { sum, rates, .. } = &mut scratch.back.runge_kutta;
    sum.q.copy_from_slice(&scratch.back.dq);
    sum.v.copy_from_slice(&bars.state.v);
    sum.activation.copy_from_slice(&bars.state.activation);
    rates.clear();
    impulses_start_vjp(model, stages, taps, scratch, bars);
    // From here on `bars.state` belongs to one point at a time; `start` holds the sum.
    std::mem::swap(&mut bars.state, &mut scratch.back.runge_kutta.start);
    bars.state.memory.resize(start.memory.len(), S::ZERO);
    for s in (0..4).rev() {
        let Point { state, dq, rates, .. } = &points[s];
        let weight = S::from_f64(WEIGHTS[s]) * options.dt;
        let back = &mut scratch.back;
        let RungeKuttaScratch { sum, rates: rates_bar, dq: dq_bar, .. } = &mut back.runge_kutta;
        rates_bar.add(weight, sum);
        bars.dt = sum.dot(rates).mul_add(S::from_f64(WEIGHTS[s]), bars.dt);
        bars.state.clear();
        dq_bar.fill(S::ZERO);
        let v_bar = &mut bars.state.v;
        local_rate_vjp(model, dq, &state.v, &rates_bar.q, dq_bar, v_bar);
        back.qdd.copy_from_slice(&rates_bar.v);
        back.activation_rate.copy_from_slice(&rates_bar.activation);
        let of = if s == 0 { evaluation } else { &later[s - 1] };
        back.begin(of);
        let incoming = Incoming { qdd_scale: S::ONE, mass: MassTerm::Added };
        let at = At { model, state, input, options };
        accelerations_vjp(at, of, incoming, taps, scratch, bars);
        point_vjp(model, s, points, options, &mut scratch.back.runge_kutta, bars);
        // Only `impulses_start_vjp` depends on the impulses of the step before.
        let StateCotangents { q, v, activation, memory, contact: _ } =
            &mut scratch.back.runge_kutta.start;
        add_scaled(q, S::ONE, &bars.state.q);
        add_scaled(v, S::ONE, &bars.state.v);
        add_scaled(activation, S::ONE, &bars.state.activation);
        add_scaled(memory, S::ONE, &bars.state.memory);
    }
    std::mem::swap(&mut bars.state, &mut scratch.back.runge_kutta.start);
}

/// Adjoint of what impulses, the taps after them and losses read of the evaluation at the start; adds to `bars`. Accelerations
/// are not included: they enter the sum with those of the other points.
fn impulses_start_vjp<S: Scalar>(
    model: &Model<S>,
    stages: &Stages<S>,
    taps: &mut (impl TapsVjp<S> + ?Sized),
    scratch: &mut StepScratch<S>,
    bars: &mut StepCotangents<S>,
) {
    let Stages { options, input, start, evaluation, .. } = stages;
    let at = At { model, state: start, input, options };
    if taps.is_idle() && !scratch.back.forces_are_read {
        return poses_vjp(at, evaluation, taps, scratch, bars);
    }
    scratch.back.qdd.fill(S::ZERO);
    scratch.back.activation_rate.fill(S::ZERO);
    let incoming = Incoming { qdd_scale: S::ONE, mass: MassTerm::Added };
    accelerations_vjp(at, evaluation, incoming, taps, scratch, bars);
}

/// From point `s` back to the start, in `bars.state`, and to the rates at the previous point, in `back.rates`.
fn point_vjp<S: Scalar>(
    model: &Model<S>,
    s: usize,
    points: &[Point<S>; 4],
    options: &StepOptions<S>,
    back: &mut RungeKuttaScratch<S>,
    bars: &mut StepCotangents<S>,
) {
    let RungeKuttaScratch { rates, dq, .. } = back;
    rates.clear();
    if s == 0 {
        return;
    }
    let Point { dq: point_dq, activation, .. } = &points[s];
    let weight = S::from_f64(FRACTIONS[s]) * options.dt;
    integrate_vjp(model, point_dq, &mut bars.state.q, dq);
    limit_activations_vjp(model, activation, &mut bars.state.activation, &mut bars.params);
    add_scaled(&mut rates.q, weight, dq);
    add_scaled(&mut rates.v, weight, &bars.state.v);
    add_scaled(&mut rates.activation, weight, &bars.state.activation);
    // ∂/∂dt of dt · fraction · rates: the products with `weight`, without dt.
    let by_dt = rates.dot(&points[s - 1].rates) / options.dt;
    bars.dt += by_dt;
}
