//! What joints do by themselves: damping, friction, springs, soft limits.

use gradbody_math::{Quat, Scalar, Vec3};
use gradbody_model::{JointKind, JointParams, Model};

/// What limits and Coulomb friction of joints are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JointStops {
    /// Forces of the joint's own constants: springs with dampers beyond the range, friction that
    /// turns its sign smoothly.
    #[default]
    Soft,
    /// Not forces but constraints, solved together with contacts: the range is kept, friction
    /// sticks.
    Hard,
}

/// Adds to `tau` what the joints do by themselves: viscous damping, smoothed Coulomb friction,
/// springs, and soft limits; friction and limits only if they are soft.
///
/// ```text
///   τ = − damping · v − friction · tanh(v / friction_velocity) − stiffness · (q − rest) + limit
///   limit = −max(0, k x + d v s) s,  s = x/(x + w)
/// ```
/// at depth x beyond the upper end of the range, moving outwards with v; w is `limit_softness`. So a
/// limit sets in smoothly, and never pulls. A spherical or free joint has no limits, and its spring
/// is at rest in the zero pose.
pub fn joint_forces<S: Scalar>(
    model: &Model<S>,
    q: &[S],
    v: &[S],
    stops: JointStops,
    tau: &mut [S],
) {
    check_sizes(model, q, v, tau);
    S::vectorised(
        #[inline(always)]
        || {
            for (link, params) in model.topology.links.iter().zip(&model.params.joints) {
                let joint = &link.joint;
                let q = &q[joint.q_range()];
                let v = &v[joint.v_range()];
                let tau = &mut tau[joint.v_range()];
                let stretch = stretches(joint.kind, params, q);
                let rubs = stops == JointStops::Soft && has_friction(params);
                for k in 0..v.len() {
                    let rubbing = if rubs {
                        params.friction * (v[k] / params.friction_velocity).tanh()
                    } else {
                        S::ZERO
                    };
                    let loss = params.damping.mul_add(v[k], rubbing);
                    tau[k] += stretch[k].neg_mul_add(params.stiffness, -loss);
                }
                if joint.kind.is_flat() && stops == JointStops::Soft {
                    for k in 0..v.len() {
                        tau[k] += soft_limit(params, q[k], v[k]).force;
                    }
                }
            }
        },
    );
}

/// What makes a step implicit in joint damping, friction and limits: taken at the *new* velocity
/// (and a limit at the new position) they add to the diagonal of M, over a step `dt`,
///
/// ```text
///   added = dt (damping + friction · tanh(v/w)/v + limit damping) + dt² · limit stiffness
/// ```
/// and `−dt · limit stiffness · v` to `tau`. Friction enters by its slope from zero to the present
/// velocity, limits by their slopes where they are.
pub fn implicit_damping<S: Scalar>(
    model: &Model<S>,
    q: &[S],
    v: &[S],
    stops: JointStops,
    dt: S,
    tau: &mut [S],
    added: &mut [S],
) {
    check_sizes(model, q, v, tau);
    S::vectorised(
        #[inline(always)]
        || {
            for (link, params) in model.topology.links.iter().zip(&model.params.joints) {
                let joint = &link.joint;
                for (i, k) in joint.v_range().enumerate() {
                    added[k] = params.damping * dt;
                    if stops == JointStops::Hard {
                        continue;
                    }
                    if has_friction(params) {
                        added[k] = (params.damping + friction_slope(params, v[k])) * dt;
                    }
                    if joint.kind.is_flat() {
                        let limit = soft_limit(params, q[joint.q_start + i], v[k]);
                        let step_stiffness = limit.stiffness * dt;
                        added[k] = (limit.damping + step_stiffness).mul_add(dt, added[k]);
                        tau[k] = step_stiffness.neg_mul_add(v[k], tau[k]);
                    }
                }
            }
        },
    );
}

/// Energy stored in joint springs [J], without soft limits.
pub fn elastic_energy<S: Scalar>(model: &Model<S>, q: &[S]) -> S {
    S::vectorised(
        #[inline(always)]
        || {
            let mut energy = S::ZERO;
            for (link, params) in model.topology.links.iter().zip(&model.params.joints) {
                let stretch = stretches(link.joint.kind, params, &q[link.joint.q_range()]);
                let squared = stretch.iter().fold(S::ZERO, |sum, s| s.mul_add(*s, sum));
                energy = squared.mul_add(params.stiffness * S::from_f64(0.5), energy);
            }
            energy
        },
    )
}

fn check_sizes<S: Scalar>(model: &Model<S>, q: &[S], v: &[S], tau: &[S]) {
    assert_eq!(q.len(), model.nq(), "q has nq numbers");
    assert_eq!(v.len(), model.nv(), "v has nv numbers");
    assert_eq!(tau.len(), model.nv(), "tau has nv numbers");
}

/// Whether a joint's friction is not a plain zero in every lane: most have none, and it costs an
/// exponential. A zero with a derivative is friction; an adjoint must always count it.
#[inline(always)]
pub fn has_friction<S: Scalar>(params: &JointParams<S>) -> bool {
    params.friction != S::ZERO
}

/// friction · tanh(v/w)/v.
#[inline(always)]
fn friction_slope<S: Scalar>(params: &JointParams<S>, v: S) -> S {
    // tanh(x)/x is even and smooth; near zero 1 − x²/3.
    let x = v / params.friction_velocity;
    let small = S::from_f64(1e-4);
    let safe = x.abs().select_lt(small, S::ONE, x);
    let near_zero = x.neg_mul_add(x * S::from_f64(1.0 / 3.0), S::ONE);
    let ratio = x.abs().select_lt(small, near_zero, safe.tanh() / safe);
    params.friction / params.friction_velocity * ratio
}

/// A soft limit at one place: its force, and how that falls with position and velocity.
struct Limit<S> {
    force: S,
    stiffness: S,
    damping: S,
}

#[inline(always)]
fn soft_limit<S: Scalar>(params: &JointParams<S>, q: S, v: S) -> Limit<S> {
    // At most one end is passed; `side` is the way outwards there.
    let above = (q - params.limit_upper).max(S::ZERO);
    let below = (params.limit_lower - q).max(S::ZERO);
    let side = S::ZERO.select_lt(below, -S::ONE, S::ONE);
    let depth = above + below;
    let inverse = (depth + params.limit_softness).recip();
    let onset = depth * inverse;
    let damping = params.limit_damping * onset;
    let push = params.limit_stiffness.mul_add(depth, damping * (v * side)) * onset;
    let if_pushing = |x: S| S::ZERO.select_lt(push, x, S::ZERO);
    // d/dx of k x²/(x + w) is k s (1 + w/(x + w)).
    let slope = params.limit_softness.mul_add(inverse, S::ONE) * onset;
    Limit {
        force: -(if_pushing(push) * side),
        stiffness: if_pushing(params.limit_stiffness * slope),
        damping: if_pushing(damping * onset),
    }
}

/// How far each coordinate is from where the joint's spring is at rest, along its axes.
#[inline(always)]
fn stretches<S: Scalar>(kind: JointKind, params: &JointParams<S>, q: &[S]) -> [S; 6] {
    let zero = S::ZERO;
    let rest = params.rest;
    match kind {
        JointKind::Revolute(_) | JointKind::Prismatic(_) => {
            [q[0] - rest, zero, zero, zero, zero, zero]
        }
        JointKind::Universal => [q[0] - rest, q[1] - rest, zero, zero, zero, zero],
        JointKind::Planar => [q[0] - rest, q[1] - rest, q[2] - rest, zero, zero, zero],
        JointKind::Spherical => {
            let Vec3 { x, y, z } = Quat::from_slice(q).normalized().log();
            [x, y, z, zero, zero, zero]
        }
        JointKind::Free => {
            let Vec3 { x, y, z } = Quat::from_slice(&q[3..]).normalized().log();
            [q[0], q[1], q[2], x, y, z]
        }
    }
}
