//! What actuators do.

use gradbody_math::Scalar;
use gradbody_model::{Activation, ActuatorParams, Model, Params};

/// Adds to the commanded joint forces `tau` what the actuators do at controls `control` and
/// activations `activation`, and holds each sum to the joint's effort limit. Writes the activations'
/// rates to `activation_rate`.
pub fn actuator_forces<S: Scalar>(
    model: &Model<S>,
    q: &[S],
    v: &[S],
    control: &[S],
    activation: &[S],
    tau: &mut [S],
    activation_rate: &mut [S],
) {
    assert_eq!(control.len(), model.topology.actuators.len(), "one control an actuator");
    assert_eq!(activation.len(), model.topology.na, "one activation a state of an actuator");
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

/// The force of an actuator before it is held to its range.
#[inline(always)]
fn actuator_force<S: Scalar>(params: &ActuatorParams<S>, q: S, v: S, drive: S) -> S {
    let [constant, position, velocity] = params.bias;
    let stretch = position.mul_add(q, velocity * v) * params.gear;
    params.gain.mul_add(drive, constant + stretch)
}

/// Cotangents of the inputs of [`actuator_forces`], which [`actuator_forces_vjp`] adds to.
#[derive(Debug)]
pub struct ActuatorCotangents<'a, S> {
    /// Of q, (nv): on the manifold.
    pub q: &'a mut [S],
    /// Of v, (nv).
    pub v: &'a mut [S],
    /// Of the controls, one an actuator.
    pub control: &'a mut [S],
    /// Of the activations.
    pub activation: &'a mut [S],
    /// Of the actuators' numbers and the joints' effort limits.
    pub params: &'a mut Params<S>,
}

/// Takes cotangents of the results of [`actuator_forces`] back to its inputs. `tau` are the commanded
/// joint forces, `tau_bar` the cotangents of the held sums, and afterwards those of `tau`; `sums` is
/// room for nv numbers.
#[allow(clippy::too_many_arguments, reason = "one for each argument of the forward stage")]
pub fn actuator_forces_vjp<S: Scalar>(
    model: &Model<S>,
    q: &[S],
    v: &[S],
    control: &[S],
    activation: &[S],
    tau: &[S],
    sums: &mut [S],
    tau_bar: &mut [S],
    activation_rate_bar: &[S],
    bar: ActuatorCotangents<'_, S>,
) {
    assert_eq!(control.len(), model.topology.actuators.len(), "one control an actuator");
    assert!(tau.len() == v.len() && sums.len() == v.len() && tau_bar.len() == v.len());
    S::vectorised(
        #[inline(always)]
        || {
            sums.copy_from_slice(tau);
            let actuators = || model.topology.actuators.iter().zip(&model.params.actuators);
            let driven = |activation_of: Activation, params: &ActuatorParams<S>, control: S| {
                match activation_of {
                    Activation::Direct => control.clamp(params.control_lower, params.control_upper),
                    Activation::Integrator { index } => {
                        activation[index].clamp(params.activation_lower, params.activation_upper)
                    }
                }
            };
            for ((actuator, params), control) in actuators().zip(control) {
                let joint = &model.topology.links[actuator.joint.index()].joint;
                let drive = driven(actuator.activation, params, *control);
                let force = actuator_force(params, q[joint.q_start], v[joint.v_start], drive);
                let torque = force.clamp(params.force_lower, params.force_upper) * params.gear;
                sums[joint.v_start] += torque;
            }
            let joints = model.params.joints.iter().zip(&mut bar.params.joints);
            for (link, (given, given_bar)) in model.topology.links.iter().zip(joints) {
                for k in link.joint.v_range() {
                    let range = (-given.effort_limit, given.effort_limit);
                    let [sum_bar, low_bar, high_bar] = clamp_vjp(sums[k], range, tau_bar[k]);
                    given_bar.effort_limit += high_bar - low_bar;
                    tau_bar[k] = sum_bar;
                }
            }
            for (i, ((actuator, params), control)) in actuators().zip(control).enumerate() {
                let joint = &model.topology.links[actuator.joint.index()].joint;
                let (at, along) = (joint.q_start, joint.v_start);
                let given_bar = &mut bar.params.actuators[i];
                let drive = driven(actuator.activation, params, *control);
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
                bar.q[along] = position.mul_add(geared, bar.q[along]);
                bar.v[along] = velocity.mul_add(geared, bar.v[along]);

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
                        activation_rate_bar[index]
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

/// Takes the cotangent of a number held to a range back to the number and the ends of the range, one of
/// which it is.
#[inline(always)]
fn clamp_vjp<S: Scalar>(x: S, (low, high): (S, S), bar: S) -> [S; 3] {
    let not_low = x.select_lt(low, S::ZERO, bar);
    let of_high = high.select_lt(x, not_low, S::ZERO);
    [not_low - of_high, bar - not_low, of_high]
}

/// Holds each activation to its range, as at the end of a step.
pub fn limit_activations<S: Scalar>(model: &Model<S>, activation: &mut [S]) {
    for (actuator, params) in model.topology.actuators.iter().zip(&model.params.actuators) {
        if let Activation::Integrator { index } = actuator.activation {
            let (low, high) = (params.activation_lower, params.activation_upper);
            activation[index] = activation[index].clamp(low, high);
        }
    }
}

/// Takes the cotangent of the result of [`limit_activations`] back to what `activation` was before, in
/// place, and to the ends of the ranges, to which it adds.
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
