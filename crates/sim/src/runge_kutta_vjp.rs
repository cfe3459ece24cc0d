//! The adjoint of the Runge-Kutta scheme.
//!
//! The four evaluations are made once more, then walked back from the last, each evaluated again for
//! its own adjoint. So a step back costs about three forwards.

use gradbody_dynamics::{integrate, integrate_vjp, limit_activations, limit_activations_vjp};
use gradbody_dynamics::{local_rate, local_rate_vjp};
use gradbody_math::Scalar;
use gradbody_model::Model;

use crate::step::accelerations;
use crate::step_vjp::{Taken, accelerations_vjp};
use crate::workspace::{Rates, add_scaled};
use crate::{State, StateCotangents, StepCotangents, StepOptions, StepVjpWork, TapsVjp, Workspace};

/// How far into the step each evaluation is, and its weight.
const FRACTIONS: [f64; 4] = [0.0, 0.5, 0.5, 1.0];
const WEIGHTS: [f64; 4] = [1.0 / 6.0, 2.0 / 6.0, 2.0 / 6.0, 1.0 / 6.0];

/// The four evaluations of a step.
#[derive(Clone, Debug)]
pub(crate) struct Stages<S> {
    states: Vec<State<S>>,
    /// Local coordinates of each, about the start.
    dqs: Vec<Vec<S>>,
    rates: Vec<Rates<S>>,
    /// Activations before they were held to their range.
    activations: Vec<Vec<S>>,
    rate_bar: Rates<S>,
    end: Rates<S>,
    dq_bar: Vec<S>,
    /// Cotangents of the start, as far as they are known.
    sum: StateCotangents<S>,
}

impl<S: Scalar> Stages<S> {
    pub(crate) fn new(model: &Model<S>) -> Self {
        let nv = vec![S::ZERO; model.nv()];
        let na = vec![S::ZERO; model.topology.na];
        Stages {
            states: vec![State::neutral(model); 4],
            dqs: vec![nv.clone(); 4],
            rates: vec![Rates::new(model); 4],
            activations: vec![na; 4],
            rate_bar: Rates::new(model),
            end: Rates::new(model),
            dq_bar: nv,
            sum: StateCotangents::zero(model),
        }
    }
}

/// Notes the cotangents of the end of the free motion: the velocity, and the change of configuration
/// in `back.dq`.
pub(crate) fn note_end<S: Scalar>(back: &mut StepVjpWork<S>, bars: &StepCotangents<S>) {
    back.stages.end.q.copy_from_slice(&back.dq);
    back.stages.end.v.copy_from_slice(&bars.state.v);
}

/// Back over the free motion of a step, whose end [`note_end`] has noted: `bars.state.activation` is
/// still a cotangent of the end, `.q` and `.v` are already those of the start, as far as they are known.
pub(crate) fn free_motion_vjp<S: Scalar>(
    taken: Taken<'_, S>,
    taps: &mut impl TapsVjp<S>,
    work: &mut Workspace<S>,
    back: &mut StepVjpWork<S>,
    bars: &mut StepCotangents<S>,
) {
    let Taken { model, start, input, options } = taken;
    evaluate(taken, taps, work, &mut back.stages);
    end_vjp(model, start, options, back, bars);
    // From here on `sum` adds up the cotangent of the start, and `rate_bar` is what the evaluation ahead
    // asks of the one before.
    std::mem::swap(&mut bars.state, &mut back.stages.sum);
    back.stages.rate_bar.clear();
    for s in (0..4).rev() {
        let weight = S::from_f64(WEIGHTS[s]) * options.dt;
        let Stages { states, dqs, rates, end, rate_bar, dq_bar, .. } = &mut back.stages;
        rate_bar.add(weight, end);
        bars.dt = end.dot(&rates[s]).mul_add(S::from_f64(WEIGHTS[s]), bars.dt);
        bars.state.clear();
        dq_bar.fill(S::ZERO);
        let v_bar = &mut bars.state.v;
        local_rate_vjp(model, &dqs[s], &states[s].v, &rate_bar.q, dq_bar, v_bar);
        back.qdd.copy_from_slice(&rate_bar.v);
        back.rate = S::ONE;
        back.activation_rate.copy_from_slice(&rate_bar.activation);
        // Lent out, and given back below.
        let state = std::mem::replace(&mut states[s], State::without_numbers());
        accelerations(model, &state, input, options, taps, work);
        back.clear(work);
        accelerations_vjp(Taken { start: &state, ..taken }, taps, work, back, bars);
        stage_vjp(model, s, options, back, bars);
        back.stages.states[s] = state;
        let sum = &mut back.stages.sum;
        add_scaled(&mut sum.q, S::ONE, &bars.state.q);
        add_scaled(&mut sum.v, S::ONE, &bars.state.v);
        add_scaled(&mut sum.activation, S::ONE, &bars.state.activation);
        add_scaled(&mut sum.memory, S::ONE, &bars.state.memory);
    }
    std::mem::swap(&mut bars.state, &mut back.stages.sum);
}

/// The four evaluations, as forwards.
fn evaluate<S: Scalar>(
    taken: Taken<'_, S>,
    taps: &mut impl TapsVjp<S>,
    work: &mut Workspace<S>,
    stages: &mut Stages<S>,
) {
    let Taken { model, start, input, options } = taken;
    for s in 0..4 {
        let Stages { states, dqs, rates, activations, .. } = &mut *stages;
        let (state, dq) = (&mut states[s], &mut dqs[s]);
        state.q.copy_from_slice(&start.q);
        state.v.copy_from_slice(&start.v);
        state.activation.copy_from_slice(&start.activation);
        state.memory.clear();
        state.memory.extend_from_slice(&start.memory);
        state.time = start.time;
        dq.fill(S::ZERO);
        if s > 0 {
            let weight = S::from_f64(FRACTIONS[s]) * options.dt;
            add_scaled(dq, weight, &rates[s - 1].q);
            integrate(model, &mut state.q, dq);
            add_scaled(&mut state.v, weight, &rates[s - 1].v);
            add_scaled(&mut state.activation, weight, &rates[s - 1].activation);
        }
        activations[s].copy_from_slice(&state.activation);
        if s > 0 {
            limit_activations(model, &mut state.activation);
        }
        accelerations(model, state, input, options, taps, work);
        let rates = &mut rates[s];
        local_rate(model, dq, &state.v, &mut rates.q);
        rates.v.copy_from_slice(&work.aba.qdd);
        rates.activation.copy_from_slice(&work.activation_rate);
    }
}

/// Cotangents of the weighted sum of rates, from those of the end of the step.
fn end_vjp<S: Scalar>(
    model: &Model<S>,
    start: &State<S>,
    options: &StepOptions<S>,
    back: &mut StepVjpWork<S>,
    bars: &mut StepCotangents<S>,
) {
    let Stages { rates, activations, end, .. } = &mut back.stages;
    let activation = &mut activations[0];
    activation.copy_from_slice(&start.activation);
    for (rates, weight) in rates.iter().zip(WEIGHTS) {
        add_scaled(activation, options.dt * S::from_f64(weight), &rates.activation);
    }
    limit_activations_vjp(model, activation, &mut bars.state.activation, &mut bars.params);
    end.activation.copy_from_slice(&bars.state.activation);
}

/// From the state of evaluation `s` back to the start and to the rates before it.
fn stage_vjp<S: Scalar>(
    model: &Model<S>,
    s: usize,
    options: &StepOptions<S>,
    back: &mut StepVjpWork<S>,
    bars: &mut StepCotangents<S>,
) {
    let Stages { dqs, rates, activations, rate_bar, dq_bar, .. } = &mut back.stages;
    rate_bar.clear();
    if s == 0 {
        return;
    }
    let fraction = S::from_f64(FRACTIONS[s]);
    let weight = fraction * options.dt;
    integrate_vjp(model, &dqs[s], &mut bars.state.q, dq_bar);
    limit_activations_vjp(model, &activations[s], &mut bars.state.activation, &mut bars.params);
    add_scaled(&mut rate_bar.q, weight, dq_bar);
    add_scaled(&mut rate_bar.v, weight, &bars.state.v);
    add_scaled(&mut rate_bar.activation, weight, &bars.state.activation);
    // The same products, by the time step.
    let by_dt = rate_bar.dot(&rates[s - 1]) / options.dt;
    bars.dt += by_dt;
}
