//! The classical Runge-Kutta scheme, on the manifold of configurations.

use gradbody_dynamics::{JointStops, integrate, limit_activations, local_rate};
use gradbody_math::Scalar;
use gradbody_model::Model;

use crate::step::accelerations;
use crate::workspace::add_scaled;
use crate::{Input, State, StepOptions, Taps, Workspace};

/// Free motion by four evaluations: the velocity it ends with in `work.v`, the change of configuration
/// in `work.dq`, and the actuators' states in `state`.
///
/// It works in local coordinates about the start of the step. Those of an orientation are a rotation
/// vector, whose rate is not the angular velocity itself but [`local_rate`] of it; so the order is
/// four on the manifold too [Munthe-Kaas 1999].
pub(crate) fn free_motion<S: Scalar>(
    model: &Model<S>,
    state: &mut State<S>,
    input: &Input<S>,
    options: &StepOptions<S>,
    taps: &mut impl Taps<S>,
    work: &mut Workspace<S>,
) {
    let half = S::from_f64(0.5);
    // Field by field: a derived `clone_from` would allocate.
    work.start.q.copy_from_slice(&state.q);
    work.start.v.copy_from_slice(&state.v);
    work.start.activation.copy_from_slice(&state.activation);
    work.sum.clear();
    work.dq.fill(S::ZERO);
    for (weight, next_at) in
        [(1.0, Some(half)), (2.0, Some(half)), (2.0, Some(S::ONE)), (1.0, None)]
    {
        accelerations(model, state, input, options, taps, work);
        local_rate(model, &work.dq, &state.v, &mut work.rates.q);
        work.rates.v.copy_from_slice(&work.aba.qdd);
        work.rates.activation.copy_from_slice(&work.activation_rate);
        work.sum.add(options.dt * S::from_f64(weight / 6.0), &work.rates);
        let Workspace { start, dq, rates, sum, v, .. } = work;
        state.q.copy_from_slice(&start.q);
        state.v.copy_from_slice(&start.v);
        state.activation.copy_from_slice(&start.activation);
        dq.fill(S::ZERO);
        match next_at {
            Some(fraction) => {
                let weight = fraction * options.dt;
                add_scaled(dq, weight, &rates.q);
                integrate(model, &mut state.q, dq);
                add_scaled(&mut state.v, weight, &rates.v);
                add_scaled(&mut state.activation, weight, &rates.activation);
                limit_activations(model, &mut state.activation);
            }
            None => {
                add_scaled(dq, S::ONE, &sum.q);
                v.copy_from_slice(&start.v);
                add_scaled(v, S::ONE, &sum.v);
            }
        }
    }
    let hard = options.contact.solver.is_rigid() || options.joint_stops == JointStops::Hard;
    if hard || !taps.is_idle() {
        // Rigid contacts and stops, and what taps look at from now on, are those at the start of the step.
        accelerations(model, state, input, options, taps, work);
    }
    add_scaled(&mut state.activation, S::ONE, &work.sum.activation);
    limit_activations(model, &mut state.activation);
}
