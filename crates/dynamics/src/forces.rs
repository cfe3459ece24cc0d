//! Forces that joints and actuators make: damping, friction, springs, soft limits, motors.

use gradbody_math::{Quat, Scalar, Vec3};
use gradbody_model::{Activation, JointKind, JointParams, Model};

/// Adds to `tau` what the joints do by themselves: viscous damping, smoothed Coulomb friction,
/// springs, and soft limits.
///
/// ```text
///   τ = − damping · v − friction · tanh(v / friction_velocity) − stiffness · (q − rest) + limit
///   limit = −(k x + d v x/(x+w)) x/(x+w)   at depth x beyond the upper end, w = limit_softness
/// ```
/// A joint with a quaternion has its spring at rest in the zero orientation; limits are those of
/// revolute and prismatic joints.
pub fn joint_forces<S: Scalar>(model: &Model<S>, q: &[S], v: &[S], tau: &mut [S]) {
    S::vectorised(
        #[inline(always)]
        || {
            for (link, params) in model.topology.links.iter().zip(&model.params.joints) {
                let joint = &link.joint;
                let q = &q[joint.q_range()];
                for k in joint.v_range() {
                    tau[k] += loss(params, v[k]);
                }
                let tau = &mut tau[joint.v_range()];
                match joint.kind {
                    JointKind::Revolute(_) | JointKind::Prismatic(_) => {
                        tau[0] = (q[0] - params.rest).neg_mul_add(params.stiffness, tau[0]);
                        tau[0] += soft_limit(params, q[0], v[joint.v_start]);
                    }
                    _ => {
                        for (k, stretch) in stretches(joint.kind, q).into_iter().enumerate() {
                            if k < tau.len() {
                                tau[k] = stretch.neg_mul_add(params.stiffness, tau[k]);
                            }
                        }
                    }
                }
            }
        },
    );
}

#[inline(always)]
fn loss<S: Scalar>(params: &JointParams<S>, v: S) -> S {
    let sliding = (v / params.friction_velocity).tanh();
    -(params.damping.mul_add(v, params.friction * sliding))
}

#[inline(always)]
fn soft_limit<S: Scalar>(params: &JointParams<S>, q: S, v: S) -> S {
    // Both ends in one: the depth beyond whichever end is passed, and the way back.
    let above = (q - params.limit_upper).max(S::ZERO);
    let below = (params.limit_lower - q).max(S::ZERO);
    let end = |depth: S, outward_v: S| {
        let onset = depth / (depth + params.limit_softness);
        params.limit_stiffness.mul_add(depth, params.limit_damping * outward_v * onset) * onset
    };
    end(below, -v) - end(above, v)
}

/// How far each coordinate of a joint without a rest position is from zero, along its axes.
#[inline(always)]
fn stretches<S: Scalar>(kind: JointKind, q: &[S]) -> [S; 6] {
    let zero = S::ZERO;
    let turn = |q: &[S]| Quat::from_slice(q).normalized().log();
    match kind {
        JointKind::Spherical => {
            let Vec3 { x, y, z } = turn(q);
            [x, y, z, zero, zero, zero]
        }
        JointKind::Free => {
            let Vec3 { x, y, z } = turn(&q[3..]);
            [q[0], q[1], q[2], x, y, z]
        }
        JointKind::Planar => [q[0], q[1], q[2], zero, zero, zero],
        JointKind::Universal => [q[0], q[1], zero, zero, zero, zero],
        JointKind::Revolute(_) | JointKind::Prismatic(_) => [q[0], zero, zero, zero, zero, zero],
    }
}

/// Energy stored in joint springs [J], without soft limits.
pub fn elastic_energy<S: Scalar>(model: &Model<S>, q: &[S]) -> S {
    let mut energy = S::ZERO;
    for (link, params) in model.topology.links.iter().zip(&model.params.joints) {
        let mut stretch = stretches(link.joint.kind, &q[link.joint.q_range()]);
        if link.joint.kind.nv() == 1 {
            stretch[0] -= params.rest;
        }
        let squared = stretch.iter().fold(S::ZERO, |sum, s| s.mul_add(*s, sum));
        energy = squared.mul_add(params.stiffness * S::from_f64(0.5), energy);
    }
    energy
}

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
    S::vectorised(
        #[inline(always)]
        || {
            let actuators = model.topology.actuators.iter().zip(&model.params.actuators);
            for ((actuator, params), control) in actuators.zip(control) {
                let link = &model.topology.links[actuator.joint.index()];
                let (q, v) = (q[link.joint.q_start], v[link.joint.v_start]);
                let control = held(*control, params.control_lower, params.control_upper);
                let drive = match actuator.activation {
                    Activation::Direct => control,
                    Activation::Integrator { index } => {
                        activation_rate[index] = control;
                        held(activation[index], params.activation_lower, params.activation_upper)
                    }
                };
                let [constant, position, velocity] = params.bias;
                let stretch = position.mul_add(q, velocity * v) * params.gear;
                let force = params.gain.mul_add(drive, constant + stretch);
                let torque = held(force, params.force_lower, params.force_upper) * params.gear;
                tau[link.joint.v_start] += torque;
            }
            for (link, params) in model.topology.links.iter().zip(&model.params.joints) {
                for tau in &mut tau[link.joint.v_range()] {
                    *tau = held(*tau, -params.effort_limit, params.effort_limit);
                }
            }
        },
    );
}

/// `x` within its range. Unlike `clamp` it leaves NaN as it is, for the step to report.
#[inline(always)]
fn held<S: Scalar>(x: S, low: S, high: S) -> S {
    x.select_lt(low, low, high.select_lt(x, high, x))
}

/// What damping and friction at the *new* velocity add to the diagonal of M over a step `dt`:
/// `dt · (damping + friction · tanh(v/w)/v)`, the slope from zero to the present velocity.
pub fn implicit_damping<S: Scalar>(model: &Model<S>, v: &[S], dt: S, added: &mut [S]) {
    S::vectorised(
        #[inline(always)]
        || {
            for (link, params) in model.topology.links.iter().zip(&model.params.joints) {
                for k in link.joint.v_range() {
                    // tanh(x)/x, which is even and smooth; near zero 1 − x²/3.
                    let x = v[k] / params.friction_velocity;
                    let small = S::from_f64(1e-4);
                    let safe = x.abs().select_lt(small, S::ONE, x);
                    let near_zero = x.neg_mul_add(x * S::from_f64(1.0 / 3.0), S::ONE);
                    let ratio = x.abs().select_lt(small, near_zero, safe.tanh() / safe);
                    let slope = params.friction / params.friction_velocity * ratio;
                    added[k] = (params.damping + slope) * dt;
                }
            }
        },
    );
}
