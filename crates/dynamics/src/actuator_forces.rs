//! What actuators do.

use gradbody_math::Scalar;
use gradbody_model::{Activation, Model};

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
                let [constant, position, velocity] = params.bias;
                let stretch = position.mul_add(q, velocity * v) * params.gear;
                let force = params.gain.mul_add(drive, constant + stretch);
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

/// Holds each activation to its range, as at the end of a step.
pub fn limit_activations<S: Scalar>(model: &Model<S>, activation: &mut [S]) {
    for (actuator, params) in model.topology.actuators.iter().zip(&model.params.actuators) {
        if let Activation::Integrator { index } = actuator.activation {
            let (low, high) = (params.activation_lower, params.activation_upper);
            activation[index] = activation[index].clamp(low, high);
        }
    }
}
