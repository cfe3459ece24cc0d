//! Motion on the configuration manifold, and the difference between two configurations.

use gradbody_math::{Quat, Scalar, Vec3};
use gradbody_model::{JointKind, Model};

/// Moves `q` by `dq` (nv numbers): positions add, orientations turn by `dq` in the link's own axes.
///
/// Reads `dq`; changes `q`.
pub fn integrate<S: Scalar>(model: &Model<S>, q: &mut [S], dq: &[S]) {
    assert_eq!(q.len(), model.nq(), "q has nq numbers");
    assert_eq!(dq.len(), model.nv(), "dq has nv numbers");
    S::vectorised(
        #[inline(always)]
        || {
            for link in &model.topology.links {
                let joint = &link.joint;
                let (q, dq) = (&mut q[joint.q_range()], &dq[joint.v_range()]);
                let straight = straight_coordinates(joint.kind);
                for k in 0..straight {
                    q[k] += dq[k];
                }
                if straight < dq.len() {
                    let turned = Quat::from_slice(&q[straight..])
                        .integrate(Vec3::from_slice(&dq[straight..]));
                    q[straight..].copy_from_slice(&turned.to_array());
                }
            }
        },
    );
}

/// The adjoint of [`integrate`].
///
/// Reads `dq`; changes `bar`, (nv), from the cotangent of the configuration after the stage to that of the one before
/// it; adds to `dq_bar`.
pub fn integrate_vjp<S: Scalar>(model: &Model<S>, dq: &[S], bar: &mut [S], dq_bar: &mut [S]) {
    let nv = model.nv();
    assert!(dq.len() == nv && bar.len() == nv && dq_bar.len() == nv, "nv numbers each");
    S::vectorised(
        #[inline(always)]
        || {
            for link in &model.topology.links {
                let range = link.joint.v_range();
                let straight = range.start + straight_coordinates(link.joint.kind);
                for k in range.start..straight {
                    dq_bar[k] += bar[k];
                }
                if straight < range.end {
                    // exp(ε) exp(θ + δ) = exp(θ) exp(Rᵀ ε + J δ), with J the right Jacobian at θ:
                    //   R  = 1 + sin|θ|/|θ| [θ] + (1 − cos|θ|)/|θ|² [θ]²
                    //   Jᵀ = 1 + (1 − cos|θ|)/|θ|² [θ] + (|θ| − sin|θ|)/|θ|³ [θ]²
                    let turn = straight..straight + 3;
                    let theta = Vec3::from_slice(&dq[turn.clone()]);
                    let new_bar = Vec3::from_slice(&bar[turn.clone()]);
                    let [a, b, c] = exponential_factors(theta.norm_squared());
                    let once = theta.cross(new_bar);
                    let twice = theta.cross(once);
                    let old_bar = twice.scale_add(b, once.scale_add(a, new_bar));
                    add(&mut dq_bar[turn.clone()], twice.scale_add(c, once.scale_add(b, new_bar)));
                    bar[turn].copy_from_slice(&old_bar.to_array());
                }
            }
        },
    );
}

/// The derivative of [`integrate`] where it is not the identity: of each rotation after the stage.
#[derive(Clone, Copy, Debug)]
pub struct TurnJacobian<S> {
    /// The first of the three coordinates of the rotation.
    pub first: usize,
    /// By the rotation before, row by row: Rᵀ with R = exp(θ).
    pub by_before: [Vec3<S>; 3],
    /// By θ, the rotation's part of `dq`, row by row: the right Jacobian.
    pub by_turn: [Vec3<S>; 3],
}

/// Calls `each` with the derivative of every rotation in `q` when [`integrate`] moves it by `dq`. All other coordinates
/// add.
#[inline(always)]
pub fn turn_jacobians<S: Scalar>(
    model: &Model<S>,
    dq: &[S],
    mut each: impl FnMut(TurnJacobian<S>),
) {
    for link in &model.topology.links {
        let range = link.joint.v_range();
        let first = range.start + straight_coordinates(link.joint.kind);
        if first < range.end {
            let theta = Vec3::from_slice(&dq[first..]);
            let [a, b, c] = exponential_factors(theta.norm_squared());
            // The transposes of both matrices in `integrate_vjp`, applied to unit vectors.
            let [by_before, by_turn] = [[a, b], [b, c]].map(|[by_once, by_twice]| {
                [Vec3::X, Vec3::Y, Vec3::Z].map(|unit| {
                    let once = theta.cross(unit);
                    theta.cross(once).scale_add(by_twice, once.scale_add(by_once, unit))
                })
            });
            each(TurnJacobian { first, by_before, by_turn });
        }
    }
}

/// The `dq` that moves `from` to `to`: the inverse of [`integrate`].
pub fn difference<S: Scalar>(model: &Model<S>, from: &[S], to: &[S], dq: &mut [S]) {
    S::vectorised(
        #[inline(always)]
        || {
            for link in &model.topology.links {
                let joint = &link.joint;
                let (from, to) = (&from[joint.q_range()], &to[joint.q_range()]);
                let dq = &mut dq[joint.v_range()];
                let straight = straight_coordinates(joint.kind);
                for k in 0..straight {
                    dq[k] = to[k] - from[k];
                }
                if straight < dq.len() {
                    let from = Quat::from_slice(&from[straight..]).normalized();
                    let to = Quat::from_slice(&to[straight..]).normalized();
                    let turn = (from.conjugate() * to).log();
                    dq[straight..].copy_from_slice(&turn.to_array());
                }
            }
        },
    );
}

/// The adjoint of [`difference`]: adds to the cotangents of both configurations (nv numbers each, on the manifold).
pub fn difference_vjp<S: Scalar>(
    model: &Model<S>,
    from: &[S],
    to: &[S],
    dq_bar: &[S],
    from_bar: &mut [S],
    to_bar: &mut [S],
) {
    let nv = model.nv();
    assert!(dq_bar.len() == nv && from_bar.len() == nv && to_bar.len() == nv, "nv numbers each");
    S::vectorised(
        #[inline(always)]
        || {
            for link in &model.topology.links {
                let joint = &link.joint;
                let (from, to) = (&from[joint.q_range()], &to[joint.q_range()]);
                let dq_bar = &dq_bar[joint.v_range()];
                let from_bar = &mut from_bar[joint.v_range()];
                let to_bar = &mut to_bar[joint.v_range()];
                let straight = straight_coordinates(joint.kind);
                for k in 0..straight {
                    to_bar[k] += dq_bar[k];
                    from_bar[k] -= dq_bar[k];
                }
                if straight < dq_bar.len() {
                    let from = Quat::from_slice(&from[straight..]).normalized();
                    let to = Quat::from_slice(&to[straight..]).normalized();
                    let turn = (from.conjugate() * to).log();
                    let bar = Vec3::from_slice(&dq_bar[straight..]);
                    add(&mut to_bar[straight..], log_vjp(turn, bar));
                    // Turning `from` by ε turns the difference by −ε at its other end.
                    add(&mut from_bar[straight..], -log_vjp(-turn, bar));
                }
            }
        },
    );
}

/// The rate of the local coordinates `at` (a `dq` that [`integrate`] would apply) when the model there moves with `v`.
/// For positions it is `v` itself. For rotation vectors θ, with ω in the link's own axes, it is
/// `ω + ½ θ × ω + (1/12 + θ²/720) θ × (θ × ω)`, the inverse of the right Jacobian to order θ⁴.
///
/// Reads `at`, v; writes `rate`.
pub fn local_rate<S: Scalar>(model: &Model<S>, at: &[S], v: &[S], rate: &mut [S]) {
    S::vectorised(
        #[inline(always)]
        || {
            rate.copy_from_slice(v);
            for link in &model.topology.links {
                let turn = match link.joint.kind {
                    JointKind::Spherical => link.joint.v_start..link.joint.v_start + 3,
                    JointKind::Free => link.joint.v_start + 3..link.joint.v_start + 6,
                    _ => continue,
                };
                let theta = Vec3::from_slice(&at[turn.clone()]);
                let omega = Vec3::from_slice(&v[turn.clone()]);
                let once = theta.cross(omega);
                let twice = theta.cross(once);
                let factor =
                    theta.norm_squared().mul_add(S::from_f64(1.0 / 720.0), S::from_f64(1.0 / 12.0));
                let result = twice.scale_add(factor, once.scale_add(S::from_f64(0.5), omega));
                rate[turn].copy_from_slice(&result.to_array());
            }
        },
    );
}

/// The adjoint of [`local_rate`].
///
/// Reads `at`, v, `rate_bar`; adds to `at_bar`, `v_bar`.
pub fn local_rate_vjp<S: Scalar>(
    model: &Model<S>,
    at: &[S],
    v: &[S],
    rate_bar: &[S],
    at_bar: &mut [S],
    v_bar: &mut [S],
) {
    S::vectorised(
        #[inline(always)]
        || {
            for link in &model.topology.links {
                let range = link.joint.v_range();
                let straight = range.start + straight_coordinates(link.joint.kind);
                for k in range.start..straight {
                    v_bar[k] += rate_bar[k];
                }
                if straight < range.end {
                    let turn = straight..straight + 3;
                    let theta = Vec3::from_slice(&at[turn.clone()]);
                    let omega = Vec3::from_slice(&v[turn.clone()]);
                    let bar = Vec3::from_slice(&rate_bar[turn.clone()]);
                    let half = S::from_f64(0.5);
                    let factor = theta
                        .norm_squared()
                        .mul_add(S::from_f64(1.0 / 720.0), S::from_f64(1.0 / 12.0));
                    let once = theta.cross(omega);
                    let factor_bar = bar.dot(theta.cross(once));
                    let once_bar = bar.cross(theta).scale_add(factor, bar * half);
                    let by_twice = once.cross(bar) * factor;
                    let theta_bar = omega.cross_add(
                        once_bar,
                        theta.scale_add(factor_bar * S::from_f64(2.0 / 720.0), by_twice),
                    );
                    add(&mut at_bar[turn.clone()], theta_bar);
                    add(&mut v_bar[turn], once_bar.cross_add(theta, bar));
                }
            }
        },
    );
}

/// The adjoint of the rotation vector `turn` = log(R): the cotangent of a turn of R in its own axes, by the transposed
/// inverse of the right Jacobian. With −`turn`, in the axes that R starts from.
#[inline(always)]
pub fn log_vjp<S: Scalar>(turn: Vec3<S>, bar: Vec3<S>) -> Vec3<S> {
    // J⁻ᵀ = 1 − ½ [θ] + (1 − |θ|/2 · cot(|θ|/2))/|θ|² [θ]²
    let square = turn.norm_squared();
    let small = S::from_f64(SERIES_BELOW);
    let safe = square.select_lt(small, S::ONE, square);
    let half = S::from_f64(0.5);
    let half_angle = safe.sqrt() * half;
    let (sin, cos) = half_angle.sin_cos();
    let closed = (S::ONE - half_angle * cos / sin) / safe;
    let factor = square.select_lt(small, series(square, &INVERSE_JACOBIAN), closed);
    let once = turn.cross(bar);
    turn.cross(once).scale_add(factor, once.neg_scale_add(half, bar))
}

/// sin θ/θ, (1 − cos θ)/θ² and (θ − sin θ)/θ³ from θ².
#[inline(always)]
fn exponential_factors<S: Scalar>(square: S) -> [S; 3] {
    let small = S::from_f64(SERIES_BELOW);
    let safe = square.select_lt(small, S::ONE, square);
    let theta = safe.sqrt();
    let (sin, cos) = (theta * S::from_f64(0.5)).sin_cos();
    let chord = sin / theta;
    let twice = chord + chord;
    let first = twice * cos;
    let near_third = series(square, &EXPONENTIAL_THIRD);
    [
        square.select_lt(small, square.neg_mul_add(near_third, S::ONE), first),
        square.select_lt(small, series(square, &EXPONENTIAL_SECOND), twice * chord),
        square.select_lt(small, near_third, (S::ONE - first) / safe),
    ]
}

/// Below this squared angle the power series are used, which are exact to rounding, and so are their derivatives; above
/// it the closed forms lose less than two bits.
const SERIES_BELOW: f64 = 0.25;

/// (1 − cos θ)/θ² in powers of θ²: ±1/(2n + 2)!.
const EXPONENTIAL_SECOND: [f64; 8] = [
    1.0 / 2.0,
    -1.0 / 24.0,
    1.0 / 720.0,
    -1.0 / 40_320.0,
    1.0 / 3_628_800.0,
    -1.0 / 479_001_600.0,
    1.0 / 87_178_291_200.0,
    -1.0 / 20_922_789_888_000.0,
];

/// (θ − sin θ)/θ³ in powers of θ²: ±1/(2n + 3)!.
const EXPONENTIAL_THIRD: [f64; 8] = [
    1.0 / 6.0,
    -1.0 / 120.0,
    1.0 / 5_040.0,
    -1.0 / 362_880.0,
    1.0 / 39_916_800.0,
    -1.0 / 6_227_020_800.0,
    1.0 / 1_307_674_368_000.0,
    -1.0 / 355_687_428_096_000.0,
];

/// (1 − θ/2 · cot(θ/2))/θ² in powers of θ²: |B₂ₙ|/(2n)!, with Bernoulli's numbers.
const INVERSE_JACOBIAN: [f64; 9] = [
    1.0 / 12.0,
    1.0 / 720.0,
    1.0 / 30_240.0,
    1.0 / 1_209_600.0,
    1.0 / 47_900_160.0,
    691.0 / 1_307_674_368_000.0,
    1.0 / 74_724_249_600.0,
    3_617.0 / 10_670_622_842_880_000.0,
    43_867.0 / 5_109_094_217_170_944_000.0,
];

/// c₀ + c₁ x + c₂ x² + …
#[inline(always)]
pub(crate) fn series<S: Scalar, const N: usize>(x: S, coefficients: &[f64; N]) -> S {
    coefficients.iter().rev().fold(S::ZERO, |sum, c| sum.mul_add(x, S::from_f64(*c)))
}

#[inline(always)]
fn add<S: Scalar>(to: &mut [S], x: Vec3<S>) {
    to[0] += x.x;
    to[1] += x.y;
    to[2] += x.z;
}

/// Number of a joint's leading coordinates that are plain numbers; the rest is a quaternion.
#[inline(always)]
fn straight_coordinates(kind: JointKind) -> usize {
    match kind {
        JointKind::Spherical => 0,
        JointKind::Free => 3,
        kind => kind.nv(),
    }
}
