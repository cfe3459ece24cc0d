//! Passive joint forces: damping, friction, springs, soft limits.

use gradbody_math::{Quat, Scalar, Vec3};
use gradbody_model::{JointKind, JointParams, Model, Params};

use crate::CoordinateCotangents;
use crate::integrate::{log_vjp, series};

/// How joint limits and Coulomb friction are modelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JointStops {
    /// As forces with the joint's own constants: springs with dampers beyond the range, friction that changes its sign
    /// smoothly.
    #[default]
    Soft,
    /// As constraints, solved together with contacts: the joint stays in its range, friction sticks.
    Hard,
}

/// Adds the passive joint forces to `tau`: viscous damping, smoothed Coulomb friction, springs, and soft limits;
/// friction and limits only if they are soft.
///
/// ```text
///   τ = − damping · v − friction · tanh(v / friction_velocity) − stiffness · (q − rest) + limit
///   limit = −max(0, k x + d v s) s,  s = x/(x + w)
/// ```
/// at depth x beyond the upper end of the range, moving outwards with v; w is `limit_softness`. So a limit sets in
/// smoothly, and never pulls. A spherical or free joint has no limits, and its spring is at rest in the zero pose.
///
/// Reads q, v; adds to `tau`.
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
                // Most joints have no spring, and the stretch of a free joint takes an arctangent.
                let stretch = match params.stiffness.is_zero() {
                    true => [S::ZERO; 6],
                    false => stretches(joint.kind, params, q),
                };
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
                        if is_beyond(params, q[k]) {
                            tau[k] += soft_limit(params, q[k], v[k]).force;
                        }
                    }
                }
            }
        },
    );
}

/// The adjoint of [`joint_forces`]. The cotangent of `tau` does not change.
///
/// Reads q, v, `tau_bar`; adds to `out`, including the joints' parameters.
pub fn joint_forces_vjp<S: Scalar>(
    model: &Model<S>,
    q: &[S],
    v: &[S],
    stops: JointStops,
    tau_bar: &[S],
    out: CoordinateCotangents<'_, S>,
) {
    check_sizes(model, q, v, tau_bar);
    out.check_sizes(model.nv());
    let CoordinateCotangents { q: q_bar, v: v_bar, params } = out;
    S::vectorised(
        #[inline(always)]
        || {
            for (i, link) in model.topology.links.iter().enumerate() {
                let joint = &link.joint;
                let (given, given_bar) = (&model.params.joints[i], &mut params.joints[i]);
                let (q, v) = (&q[joint.q_range()], &v[joint.v_range()]);
                let tau_bar = &tau_bar[joint.v_range()];
                let q_bar = &mut q_bar[joint.v_range()];
                let v_bar = &mut v_bar[joint.v_range()];
                let stretch = stretches(joint.kind, given, q);
                let mut stretch_bar = [S::ZERO; 6];
                for k in 0..v.len() {
                    let bar = tau_bar[k];
                    stretch_bar[k] = -(given.stiffness * bar);
                    given_bar.stiffness = stretch[k].neg_mul_add(bar, given_bar.stiffness);
                    given_bar.damping = v[k].neg_mul_add(bar, given_bar.damping);
                    v_bar[k] = given.damping.neg_mul_add(bar, v_bar[k]);
                }
                stretches_vjp(joint.kind, stretch, stretch_bar, q_bar, given_bar);
                if stops == JointStops::Hard {
                    continue;
                }
                for k in 0..v.len() {
                    let inverse = inverse_or_zero(given.friction_velocity);
                    let ratio = v[k] * inverse;
                    let tanh = ratio.tanh();
                    let ratio_bar =
                        -(given.friction * tanh.neg_mul_add(tanh, S::ONE)) * (tau_bar[k] * inverse);
                    given_bar.friction = tanh.neg_mul_add(tau_bar[k], given_bar.friction);
                    v_bar[k] += ratio_bar;
                    given_bar.friction_velocity =
                        ratio.neg_mul_add(ratio_bar, given_bar.friction_velocity);
                    if joint.kind.is_flat() && is_beyond(given, q[k]) {
                        let bar = Limit { force: tau_bar[k], stiffness: S::ZERO, damping: S::ZERO };
                        let at = (q[k], v[k]);
                        soft_limit_vjp(given, at, bar, (&mut q_bar[k], &mut v_bar[k]), given_bar);
                    }
                }
            }
        },
    );
}

/// The terms that make a step implicit in joint damping, friction and limits. Evaluated at the *new* velocity (and a
/// limit at the new position), over a step `dt`, these add to the diagonal of M
///
/// ```text
///   added = dt (damping + friction · tanh(v/w)/v + limit damping) + dt² · limit stiffness
/// ```
/// and `−dt · limit stiffness · v` to `tau`. Friction enters with its secant slope from zero to the current velocity,
/// limits with their local slopes.
///
/// Reads q, v, `dt`; adds to `tau`; writes `added_inertia`.
pub fn implicit_damping<S: Scalar>(
    model: &Model<S>,
    q: &[S],
    v: &[S],
    stops: JointStops,
    dt: S,
    tau: &mut [S],
    added_inertia: &mut [S],
) {
    check_sizes(model, q, v, tau);
    S::vectorised(
        #[inline(always)]
        || {
            for (link, params) in model.topology.links.iter().zip(&model.params.joints) {
                let joint = &link.joint;
                for (i, k) in joint.v_range().enumerate() {
                    added_inertia[k] = params.damping * dt;
                    if stops == JointStops::Hard {
                        continue;
                    }
                    if has_friction(params) {
                        added_inertia[k] = (params.damping + friction_slope(params, v[k])) * dt;
                    }
                    if joint.kind.is_flat() && is_beyond(params, q[joint.q_start + i]) {
                        let limit = soft_limit(params, q[joint.q_start + i], v[k]);
                        let step_stiffness = limit.stiffness * dt;
                        added_inertia[k] =
                            (limit.damping + step_stiffness).mul_add(dt, added_inertia[k]);
                        tau[k] = step_stiffness.neg_mul_add(v[k], tau[k]);
                    }
                }
            }
        },
    );
}

/// Cotangents of the results of [`implicit_damping`], and of what it reads.
#[derive(Debug)]
pub struct ImplicitDampingCotangents<'a, S> {
    /// Of the joint forces, (nv). Read; unchanged by the stage.
    pub tau: &'a [S],
    /// Of the inertia added to the diagonal of M, (nv). Read.
    pub added_inertia: &'a [S],
    /// Of the length of the step. Added to.
    pub dt: &'a mut S,
    /// Of q, v and the joints' parameters. Added to.
    pub coordinates: CoordinateCotangents<'a, S>,
}

/// The adjoint of [`implicit_damping`].
///
/// Reads q, v, `dt`, `bar.tau`, `bar.added`; adds to the rest of `bar`.
pub fn implicit_damping_vjp<S: Scalar>(
    model: &Model<S>,
    q: &[S],
    v: &[S],
    stops: JointStops,
    dt: S,
    bar: ImplicitDampingCotangents<'_, S>,
) {
    let ImplicitDampingCotangents {
        tau: tau_bar,
        added_inertia: added_inertia_bar,
        dt: dt_bar,
        coordinates,
    } = bar;
    check_sizes(model, q, v, tau_bar);
    assert_eq!(added_inertia_bar.len(), model.nv(), "added_inertia_bar has nv numbers");
    coordinates.check_sizes(model.nv());
    let CoordinateCotangents { q: q_bar, v: v_bar, params } = coordinates;
    S::vectorised(
        #[inline(always)]
        || {
            for (i, link) in model.topology.links.iter().enumerate() {
                let joint = &link.joint;
                let (given, given_bar) = (&model.params.joints[i], &mut params.joints[i]);
                for (i, k) in joint.v_range().enumerate() {
                    let bar = added_inertia_bar[k];
                    let slope_bar = bar * dt;
                    given_bar.damping += slope_bar;
                    *dt_bar = given.damping.mul_add(bar, *dt_bar);
                    if stops == JointStops::Hard {
                        continue;
                    }
                    if has_friction(given) {
                        let v_bar = &mut v_bar[k];
                        let slope = friction_slope_vjp(given, v[k], slope_bar, v_bar, given_bar);
                        *dt_bar = slope.mul_add(bar, *dt_bar);
                    } else {
                        // Without friction, its slope depends only on the friction itself.
                        let usable = S::ZERO.select_lt(given.friction_velocity, S::ONE, S::ZERO);
                        let width = S::ZERO.select_lt(usable, given.friction_velocity, S::ONE);
                        let unit =
                            JointParams { friction: usable, friction_velocity: width, ..*given };
                        let slope = friction_slope(&unit, v[k]);
                        given_bar.friction = slope.mul_add(slope_bar, given_bar.friction);
                    }
                    if joint.kind.is_flat() && is_beyond(given, q[joint.q_start + i]) {
                        let at = (q[joint.q_start + i], v[k]);
                        let limit = soft_limit(given, at.0, at.1);
                        let step_stiffness = limit.stiffness * dt;
                        let step_stiffness_bar = v[k].neg_mul_add(tau_bar[k], slope_bar);
                        let of_dt = (limit.damping + step_stiffness).mul_add(bar, *dt_bar);
                        *dt_bar = limit.stiffness.mul_add(step_stiffness_bar, of_dt);
                        v_bar[k] = step_stiffness.neg_mul_add(tau_bar[k], v_bar[k]);
                        let bar = Limit {
                            force: S::ZERO,
                            stiffness: step_stiffness_bar * dt,
                            damping: slope_bar,
                        };
                        soft_limit_vjp(given, at, bar, (&mut q_bar[k], &mut v_bar[k]), given_bar);
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

/// The adjoint of [`elastic_energy`]: adds to the configuration (`q_bar` on the manifold) and the joints' parameters.
pub fn elastic_energy_vjp<S: Scalar>(
    model: &Model<S>,
    q: &[S],
    energy_bar: S,
    q_bar: &mut [S],
    params: &mut Params<S>,
) {
    S::vectorised(
        #[inline(always)]
        || {
            for (i, link) in model.topology.links.iter().enumerate() {
                let joint = &link.joint;
                let (given, given_bar) = (&model.params.joints[i], &mut params.joints[i]);
                let stretch = stretches(joint.kind, given, &q[joint.q_range()]);
                let squared = stretch.iter().fold(S::ZERO, |sum, s| s.mul_add(*s, sum));
                let half = energy_bar * S::from_f64(0.5);
                given_bar.stiffness = squared.mul_add(half, given_bar.stiffness);
                let mut stretch_bar = [S::ZERO; 6];
                for k in 0..6 {
                    stretch_bar[k] = stretch[k] * (given.stiffness * energy_bar);
                }
                let q_bar = &mut q_bar[joint.v_range()];
                stretches_vjp(joint.kind, stretch, stretch_bar, q_bar, given_bar);
            }
        },
    );
}

fn check_sizes<S: Scalar>(model: &Model<S>, q: &[S], v: &[S], tau: &[S]) {
    assert_eq!(q.len(), model.nq(), "q has nq numbers");
    assert_eq!(v.len(), model.nv(), "v has nv numbers");
    assert_eq!(tau.len(), model.nv(), "tau has nv numbers");
}

/// Whether a joint's friction is not a plain zero in every lane. Most joints have none, and friction costs an
/// exponential. A zero with a derivative counts as friction; an adjoint must always include it.
#[inline(always)]
pub fn has_friction<S: Scalar>(params: &JointParams<S>) -> bool {
    !params.friction.is_zero()
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

/// The adjoint of [`friction_slope`]: adds to `v_bar` and `given_bar`, and returns the slope itself.
#[inline(always)]
fn friction_slope_vjp<S: Scalar>(
    given: &JointParams<S>,
    v: S,
    bar: S,
    v_bar: &mut S,
    given_bar: &mut JointParams<S>,
) -> S {
    // The slope is f/w r(x), r = tanh(x)/x, x = v/w; r' is (1 − tanh² x − r)/x, or a series.
    let inverse = given.friction_velocity.recip();
    let x = v * inverse;
    let square = x * x;
    let small = S::from_f64(TANH_SERIES_BELOW);
    let safe = square.select_lt(small, S::ONE, x);
    let tanh = safe.tanh();
    let closed = tanh / safe;
    let ratio = square.select_lt(small, series(square, &TANH_RATIO), closed);
    let closed_slope = (tanh.neg_mul_add(tanh, S::ONE) - closed) / safe;
    let ratio_slope = square.select_lt(small, series(square, &TANH_RATIO_SLOPE) * x, closed_slope);
    let unit = ratio * inverse;
    let slope = given.friction * unit;
    let x_bar = given.friction * inverse * (ratio_slope * bar);
    given_bar.friction = unit.mul_add(bar, given_bar.friction);
    *v_bar = x_bar.mul_add(inverse, *v_bar);
    let of_velocity = slope.mul_add(bar, x * x_bar);
    given_bar.friction_velocity = of_velocity.neg_mul_add(inverse, given_bar.friction_velocity);
    slope
}

/// Below this x² the series of tanh(x)/x are exact to rounding.
const TANH_SERIES_BELOW: f64 = 0.01;

/// tanh(x)/x in powers of x².
const TANH_RATIO: [f64; 8] = [
    1.0,
    -1.0 / 3.0,
    2.0 / 15.0,
    -17.0 / 315.0,
    62.0 / 2_835.0,
    -1_382.0 / 155_925.0,
    21_844.0 / 6_081_075.0,
    -929_569.0 / 638_512_875.0,
];

/// The slope of tanh(x)/x, less a factor x, in powers of x².
const TANH_RATIO_SLOPE: [f64; 7] = [
    -2.0 / 3.0,
    8.0 / 15.0,
    -34.0 / 105.0,
    496.0 / 2_835.0,
    -2_764.0 / 31_185.0,
    87_376.0 / 2_027_025.0,
    -1_859_138.0 / 91_216_125.0,
];

/// A soft limit at one state: its force, and the slopes by which that falls with position and velocity.
struct Limit<S> {
    force: S,
    stiffness: S,
    damping: S,
}

/// 1/x, or zero if x is.
#[inline(always)]
fn inverse_or_zero<S: Scalar>(x: S) -> S {
    let safe = S::ZERO.select_lt(x, x, S::ONE);
    S::ZERO.select_lt(x, safe.recip(), S::ZERO)
}

/// Whether a coordinate is beyond its range in any lane, or its depth has a derivative. Otherwise limits have no
/// effect.
#[inline(always)]
fn is_beyond<S: Scalar>(params: &JointParams<S>, q: S) -> bool {
    let above = (q - params.limit_upper).max(S::ZERO);
    let below = (params.limit_lower - q).max(S::ZERO);
    !(above.is_zero() && below.is_zero())
}

#[inline(always)]
fn soft_limit<S: Scalar>(params: &JointParams<S>, q: S, v: S) -> Limit<S> {
    // At most one end is exceeded; `side` is the outward direction there.
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

/// The adjoint of [`soft_limit`] at (q, v): adds to the cotangents of q, v and the limit's parameters. An infinite end
/// of the range is never exceeded, so its cotangent stays zero.
#[inline(always)]
fn soft_limit_vjp<S: Scalar>(
    given: &JointParams<S>,
    (q, v): (S, S),
    bar: Limit<S>,
    (q_bar, v_bar): (&mut S, &mut S),
    given_bar: &mut JointParams<S>,
) {
    let above = (q - given.limit_upper).max(S::ZERO);
    let below = (given.limit_lower - q).max(S::ZERO);
    let side = S::ZERO.select_lt(below, -S::ONE, S::ONE);
    let depth = above + below;
    let inverse = inverse_or_zero(depth + given.limit_softness);
    let onset = depth * inverse;
    let damping = given.limit_damping * onset;
    let speed = v * side;
    let push = given.limit_stiffness.mul_add(depth, damping * speed) * onset;
    let if_pushing = |x: S| S::ZERO.select_lt(push, x, S::ZERO);
    let push_bar = if_pushing(-(bar.force * side));
    let stiffness_bar = if_pushing(bar.stiffness);
    let damping_bar = if_pushing(bar.damping);

    // push = (k x + c v s) s,  stiffness = k (w r + 1) s,  damping = c s²,  s = x r,  r = 1/(x + w)
    let k = given.limit_stiffness;
    let share = given.limit_softness.mul_add(inverse, S::ONE);
    let onset_sq = onset * onset;
    let by_push = push_bar * onset;
    let by_stiffness = stiffness_bar * onset;
    let of_damping = push_bar.mul_add(speed, damping_bar);
    given_bar.limit_stiffness += by_push.mul_add(depth, by_stiffness * share);
    given_bar.limit_damping = of_damping.mul_add(onset_sq, given_bar.limit_damping);
    *v_bar = (by_push * damping).mul_add(side, *v_bar);
    let onset_bar =
        of_damping.mul_add(damping + damping, k * push_bar.mul_add(depth, stiffness_bar * share));
    let inverse_bar = (k * by_stiffness).mul_add(given.limit_softness, onset_bar * depth);
    let sum_bar = -(inverse_bar * (inverse * inverse));
    given_bar.limit_softness += (k * by_stiffness).mul_add(inverse, sum_bar);
    let depth_bar = k.mul_add(by_push, onset_bar.mul_add(inverse, sum_bar));
    let outwards = depth_bar * side;
    *q_bar += outwards;
    given_bar.limit_upper -= side.select_lt(S::ZERO, S::ZERO, outwards);
    given_bar.limit_lower -= side.select_lt(S::ZERO, outwards, S::ZERO);
}

/// The displacement of each coordinate from the rest position of the joint's spring, along its axes.
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

/// The adjoint of [`stretches`], whose values are `stretch`: adds to the configuration and the rest position.
#[inline(always)]
fn stretches_vjp<S: Scalar>(
    kind: JointKind,
    stretch: [S; 6],
    bar: [S; 6],
    q_bar: &mut [S],
    given_bar: &mut JointParams<S>,
) {
    let turn = match kind {
        JointKind::Spherical => 0,
        JointKind::Free => 3,
        _ => {
            for k in 0..kind.nv() {
                q_bar[k] += bar[k];
                given_bar.rest -= bar[k];
            }
            return;
        }
    };
    for k in 0..turn {
        q_bar[k] += bar[k];
    }
    let back = log_vjp(Vec3::from_slice(&stretch[turn..]), Vec3::from_slice(&bar[turn..]));
    for k in 0..3 {
        q_bar[turn + k] += back[k];
    }
}
