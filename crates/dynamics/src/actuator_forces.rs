//! Forces of actuators.

use gradbody_math::Scalar;
use gradbody_model::{Activation, ActuatorParams, Model, Params};

use crate::CoordinateCotangents;

/// Inputs of the actuators' forces, besides the model.
#[derive(Clone, Copy, Debug)]
pub struct ActuatorInputs<'a, S> {
    /// Configuration, (nq).
    pub q: &'a [S],
    /// Velocity, (nv).
    pub v: &'a [S],
    /// Controls, one per actuator.
    pub control: &'a [S],
    /// States of the actuators that have one, (na).
    pub activation: &'a [S],
}

/// Adds the actuators' forces to the commanded joint forces `tau`, and clamps each sum to the joint's effort limit.
///
/// Reads `inputs`; changes `tau`; writes the rates of the activations to `activation_rate`, (na).
pub fn actuator_forces<S: Scalar>(
    model: &Model<S>,
    inputs: ActuatorInputs<'_, S>,
    tau: &mut [S],
    activation_rate: &mut [S],
) {
    let ActuatorInputs { q, v, control, activation } = inputs;
    assert_eq!(control.len(), model.topology.actuators.len(), "one control per actuator");
    assert_eq!(activation.len(), model.topology.na, "one activation per actuator with a state");
    S::vectorised(
        #[inline(always)]
        || {
            let actuators = model.topology.actuators.iter().zip(&model.params.actuators);
            for ((actuator, params), control) in actuators.zip(control) {
                let link = &model.topology.links[actuator.joint.index()];
                let (q, v) = (q[link.joint.q_start], v[link.joint.v_start]);
                let control = control.clamp(params.control_lower, params.control_upper);
                let drive = match actuator.activation {
                    Activation::Direct => control,
                    Activation::Integrator { index } => {
                        activation_rate[index] = control;
                        activation[index].clamp(params.activation_lower, params.activation_upper)
                    }
                };
                let force = actuator_force(params, q, v, drive);
                let torque = force.clamp(params.force_lower, params.force_upper) * params.gear;
                tau[link.joint.v_start] += torque;
            }
            for (link, params) in model.topology.links.iter().zip(&model.params.joints) {
                for tau in &mut tau[link.joint.v_range()] {
                    *tau = tau.clamp(-params.effort_limit, params.effort_limit);
                }
            }
        },
    );
}

/// The force of an actuator before clamping to its range.
#[inline(always)]
fn actuator_force<S: Scalar>(params: &ActuatorParams<S>, q: S, v: S, drive: S) -> S {
    let [constant, position, velocity] = params.bias;
    let stretch = position.mul_add(q, velocity * v) * params.gear;
    params.gain.mul_add(drive, constant + stretch)
}

/// Cotangents of the results of [`actuator_forces`], and of what it reads.
#[derive(Debug)]
pub struct ActuatorCotangents<'a, S> {
    /// Of the joint forces, (nv): first of the clamped ones, then of the commanded ones.
    pub tau: &'a mut [S],
    /// Of the rates of the activations, (na). Read.
    pub activation_rate: &'a [S],
    /// Of the controls, one per actuator. Added to.
    pub control: &'a mut [S],
    /// Of the activations, (na). Added to.
    pub activation: &'a mut [S],
    /// Of q, v, the actuators' parameters and the joints' effort limits. Added to.
    pub coordinates: CoordinateCotangents<'a, S>,
}

/// What drives an actuator: its control, or its state.
#[inline(always)]
fn driven<S: Scalar>(
    from: Activation,
    params: &ActuatorParams<S>,
    control: S,
    activation: &[S],
) -> S {
    match from {
        Activation::Direct => control.clamp(params.control_lower, params.control_upper),
        Activation::Integrator { index } => {
            activation[index].clamp(params.activation_lower, params.activation_upper)
        }
    }
}

/// The adjoint of [`actuator_forces`] for the commanded joint forces `tau`.
///
/// Reads `inputs`, `tau`, `bar.activation_rate`; changes `bar.tau`; adds to the rest of `bar`. Writes to `unlimited`,
/// (nv), the joint forces before clamping to the effort limits.
pub fn actuator_forces_vjp<S: Scalar>(
    model: &Model<S>,
    inputs: ActuatorInputs<'_, S>,
    tau: &[S],
    unlimited: &mut [S],
    bar: ActuatorCotangents<'_, S>,
) {
    let ActuatorInputs { q, v, control, activation } = inputs;
    let ActuatorCotangents { tau: tau_bar, coordinates, .. } = bar;
    assert_eq!(control.len(), model.topology.actuators.len(), "one control per actuator");
    assert!(tau.len() == v.len() && unlimited.len() == v.len() && tau_bar.len() == v.len());
    coordinates.check_sizes(model.nv());
    let CoordinateCotangents { q: q_bar, v: v_bar, params: params_bar } = coordinates;
    S::vectorised(
        #[inline(always)]
        || {
            unlimited.copy_from_slice(tau);
            let actuators = || model.topology.actuators.iter().zip(&model.params.actuators);
            for ((actuator, params), control) in actuators().zip(control) {
                let joint = &model.topology.links[actuator.joint.index()].joint;
                let drive = driven(actuator.activation, params, *control, activation);
                let force = actuator_force(params, q[joint.q_start], v[joint.v_start], drive);
                let torque = force.clamp(params.force_lower, params.force_upper) * params.gear;
                unlimited[joint.v_start] += torque;
            }
            let joints = model.params.joints.iter().zip(&mut params_bar.joints);
            for (link, (given, given_bar)) in model.topology.links.iter().zip(joints) {
                for k in link.joint.v_range() {
                    let range = (-given.effort_limit, given.effort_limit);
                    let [sum_bar, low_bar, high_bar] = clamp_vjp(unlimited[k], range, tau_bar[k]);
                    given_bar.effort_limit += high_bar - low_bar;
                    tau_bar[k] = sum_bar;
                }
            }
            for (i, ((actuator, params), control)) in actuators().zip(control).enumerate() {
                let joint = &model.topology.links[actuator.joint.index()].joint;
                let (at, along) = (joint.q_start, joint.v_start);
                let given_bar = &mut params_bar.actuators[i];
                let drive = driven(actuator.activation, params, *control, activation);
                let force = actuator_force(params, q[at], v[along], drive);
                let torque_bar = tau_bar[along];
                let range = (params.force_lower, params.force_upper);
                let held = force.clamp(range.0, range.1);
                let [force_bar, low_bar, high_bar] =
                    clamp_vjp(force, range, torque_bar * params.gear);
                given_bar.force_lower += low_bar;
                given_bar.force_upper += high_bar;

                let [_, position, velocity] = params.bias;
                let geared = params.gear * force_bar;
                given_bar.gain = drive.mul_add(force_bar, given_bar.gain);
                given_bar.bias[0] += force_bar;
                given_bar.bias[1] = q[at].mul_add(geared, given_bar.bias[1]);
                given_bar.bias[2] = v[along].mul_add(geared, given_bar.bias[2]);
                let stretch = position.mul_add(q[at], velocity * v[along]);
                given_bar.gear += held.mul_add(torque_bar, stretch * force_bar);
                q_bar[along] = position.mul_add(geared, q_bar[along]);
                v_bar[along] = velocity.mul_add(geared, v_bar[along]);

                let drive_bar = params.gain * force_bar;
                let control_bar = match actuator.activation {
                    Activation::Direct => drive_bar,
                    Activation::Integrator { index } => {
                        let range = (params.activation_lower, params.activation_upper);
                        let [own, low_bar, high_bar] =
                            clamp_vjp(activation[index], range, drive_bar);
                        bar.activation[index] += own;
                        given_bar.activation_lower += low_bar;
                        given_bar.activation_upper += high_bar;
                        bar.activation_rate[index]
                    }
                };
                let range = (params.control_lower, params.control_upper);
                let [own, low_bar, high_bar] = clamp_vjp(*control, range, control_bar);
                bar.control[i] += own;
                given_bar.control_lower += low_bar;
                given_bar.control_upper += high_bar;
            }
        },
    );
}

/// Adjoint of clamping a number to a range: cotangents of the number and of both ends of the range, only one of which
/// is nonzero.
#[inline(always)]
fn clamp_vjp<S: Scalar>(x: S, (low, high): (S, S), bar: S) -> [S; 3] {
    let not_low = x.select_lt(low, S::ZERO, bar);
    let of_high = high.select_lt(x, not_low, S::ZERO);
    [not_low - of_high, bar - not_low, of_high]
}

/// Clamps each activation to its range, as at the end of a step. Changes `activation`.
pub fn limit_activations<S: Scalar>(model: &Model<S>, activation: &mut [S]) {
    for (actuator, params) in model.topology.actuators.iter().zip(&model.params.actuators) {
        if let Activation::Integrator { index } = actuator.activation {
            let (low, high) = (params.activation_lower, params.activation_upper);
            activation[index] = activation[index].clamp(low, high);
        }
    }
}

/// The adjoint of [`limit_activations`] at `activation`.
///
/// Reads `activation`; changes `activation_bar` from the cotangent of the result to that of `activation`; adds to the
/// ends of the activations' ranges in `params`.
pub fn limit_activations_vjp<S: Scalar>(
    model: &Model<S>,
    activation: &[S],
    activation_bar: &mut [S],
    params: &mut Params<S>,
) {
    let actuators = model.topology.actuators.iter().zip(&model.params.actuators);
    for ((actuator, given), given_bar) in actuators.zip(&mut params.actuators) {
        if let Activation::Integrator { index } = actuator.activation {
            let range = (given.activation_lower, given.activation_upper);
            let [own, low_bar, high_bar] =
                clamp_vjp(activation[index], range, activation_bar[index]);
            activation_bar[index] = own;
            given_bar.activation_lower += low_bar;
            given_bar.activation_upper += high_bar;
        }
    }
}
