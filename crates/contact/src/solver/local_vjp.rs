//! The adjoint of a contact's answer to its own velocity.
//!
//! A sweep replaces the impulse λ of a contact by its answer f(λ, w): the solution of that contact alone, given its
//! velocity w. This file has the adjoint of f for each kind of cone. Unrolled sweeps use it directly (`unrolled.rs`).
//! Where sweeps have converged, λ = f(λ, w) is an equation whose derivative uses it too (`implicit.rs`).

use gradbody_math::{Scalar, Vec3};

use super::Cone;
use super::ncp::Steps;
use crate::problem::{ContactRows, TurningRows};

/// A contact's impulse and velocity at its turn in a sweep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn<S> {
    pub(super) impulse: Vec3<S>,
    pub(super) velocity: Vec3<S>,
}

/// Cotangents of the arguments of f.
#[derive(Clone, Copy, Debug)]
pub(super) struct AnswerBars<S> {
    pub(super) impulse: Vec3<S>,
    pub(super) velocity: Vec3<S>,
    pub(super) friction: S,
    /// The part of the result's cotangent that passed through the inverse of the whole block.
    pub(super) stick: Vec3<S>,
    pub(super) normal_step: S,
    /// Of the steps of the two tangents; equal in a circular cone.
    pub(super) tangent_steps: [S; 2],
    /// Of the block's entries xy, xz, yz.
    pub(super) coupling: [S; 3],
}

/// The adjoint of a contact's answer.
#[inline(always)]
pub(super) fn answer_vjp<S: Scalar>(
    cone: Cone,
    rows: &ContactRows<S>,
    steps: &Steps<S>,
    turn: &Turn<S>,
    bar: Vec3<S>,
) -> AnswerBars<S> {
    match cone {
        Cone::Circular => in_cone_vjp(rows, steps, turn, bar),
        Cone::Pyramid => in_pyramid_vjp(rows, steps, turn, bar),
    }
}

#[inline(always)]
fn in_cone_vjp<S: Scalar>(
    rows: &ContactRows<S>,
    steps: &Steps<S>,
    turn: &Turn<S>,
    bar: Vec3<S>,
) -> AnswerBars<S> {
    let Turn { impulse, velocity: w } = *turn;
    // As in the forward pass.
    let stick = impulse - steps.block * w;
    let normal_free = w.x.neg_mul_add(steps.normal, impulse.x);
    let normal = normal_free.max(S::ZERO);
    let change = normal - impulse.x;
    let wy = rows.delassus.xy.mul_add(change, w.y);
    let wz = rows.delassus.xz.mul_add(change, w.z);
    let y = wy.neg_mul_add(steps.tangent, impulse.y);
    let z = wz.neg_mul_add(steps.tangent, impulse.z);
    let sticks = sticking(rows, steps, stick);
    // Backwards: the sticking part, and the sliding part.
    let stick_bar = bar * sticks;
    let bar = bar * (S::ONE - sticks);
    let disk = onto_disk_vjp([y, z], rows.friction * normal, [bar.y, bar.z]);
    let [y_bar, z_bar] = disk.point;
    let (wy_bar, wz_bar) = (-(steps.tangent * y_bar), -(steps.tangent * z_bar));
    let change_bar = wy_bar.mul_add(rows.delassus.xy, wz_bar * rows.delassus.xz);
    let normal_bar = disk.radius.mul_add(rows.friction, bar.x) + change_bar;
    let free_bar = S::ZERO.select_le(normal_free, normal_bar, S::ZERO);
    let tangent_step = -(y_bar.mul_add(wy, z_bar * wz));
    AnswerBars {
        impulse: stick_bar + Vec3::new(free_bar - change_bar, y_bar, z_bar),
        velocity: Vec3::new(-(steps.normal * free_bar), wy_bar, wz_bar) - steps.block * stick_bar,
        friction: disk.radius * normal,
        stick: stick_bar,
        normal_step: -(w.x * free_bar),
        tangent_steps: [tangent_step, S::ZERO],
        coupling: [wy_bar * change, wz_bar * change, S::ZERO],
    }
}

/// 1 where the sticking impulse is inside the cone, else 0.
#[inline(always)]
pub(super) fn sticking<S: Scalar>(rows: &ContactRows<S>, steps: &Steps<S>, stick: Vec3<S>) -> S {
    let allowed = rows.friction * stick.x.max(S::ZERO);
    let excess = stick.y.mul_add(stick.y, stick.z * stick.z) - allowed * allowed;
    let excess = stick.x.select_lt(S::ZERO, S::ONE, excess);
    let excess = S::ZERO.select_lt(steps.normal, excess, S::ONE);
    excess.select_le(S::ZERO, S::ONE, S::ZERO)
}

/// Cotangents of a point and of the radius of the figure it is projected onto.
pub(super) struct FigureBars<S> {
    pub(super) point: [S; 2],
    pub(super) radius: S,
}

#[inline(always)]
pub(super) fn onto_disk_vjp<S: Scalar>([y, z]: [S; 2], radius: S, bar: [S; 2]) -> FigureBars<S> {
    let squared = y.mul_add(y, z * z);
    let inside = squared.select_lt(radius * radius, S::ONE, S::ZERO);
    let safe = S::ZERO.select_lt(squared, squared, S::ONE);
    let inverse = safe.sqrt().recip();
    let (uy, uz) = (y * inverse, z * inverse);
    let along = uy.mul_add(bar[0], uz * bar[1]);
    let shrink = radius * inverse;
    let out = |u: S, bar: S| along.neg_mul_add(u, bar) * shrink;
    let pick = |if_inside: S, outside: S| S::ZERO.select_lt(inside, if_inside, outside);
    FigureBars {
        point: [pick(bar[0], out(uy, bar[0])), pick(bar[1], out(uz, bar[1]))],
        radius: pick(S::ZERO, along),
    }
}

#[inline(always)]
fn in_pyramid_vjp<S: Scalar>(
    rows: &ContactRows<S>,
    steps: &Steps<S>,
    turn: &Turn<S>,
    bar: Vec3<S>,
) -> AnswerBars<S> {
    let Turn { impulse, velocity: w } = *turn;
    let [step_y, step_z] = steps.tangents;
    let normal_free = w.x.neg_mul_add(steps.normal, impulse.x);
    let x = normal_free.max(S::ZERO);
    let change = x - impulse.x;
    let most = rows.friction * x;
    let wy = rows.delassus.xy.mul_add(change, w.y);
    let free_y = wy.neg_mul_add(step_y, impulse.y);
    let y = free_y.clamp(-most, most);
    let wz = rows.delassus.xz.mul_add(change, w.z);
    let wz = rows.delassus.yz.mul_add(y - impulse.y, wz);
    let free_z = wz.neg_mul_add(step_z, impulse.z);

    let [z_bar, most_of_z] = clamp_vjp(free_z, most, bar.z);
    let wz_bar = -(step_z * z_bar);
    let y_change_bar = rows.delassus.yz * wz_bar;
    let [y_bar, most_of_y] = clamp_vjp(free_y, most, bar.y + y_change_bar);
    let wy_bar = -(step_y * y_bar);
    let change_bar = wy_bar.mul_add(rows.delassus.xy, wz_bar * rows.delassus.xz);
    let most_bar = most_of_y + most_of_z;
    let normal_bar = most_bar.mul_add(rows.friction, bar.x) + change_bar;
    let free_bar = S::ZERO.select_le(normal_free, normal_bar, S::ZERO);
    AnswerBars {
        impulse: Vec3::new(free_bar - change_bar, y_bar - y_change_bar, z_bar),
        velocity: Vec3::new(-(steps.normal * free_bar), wy_bar, wz_bar),
        friction: most_bar * x,
        stick: Vec3::ZERO,
        normal_step: -(w.x * free_bar),
        tangent_steps: [-(wy * y_bar), -(wz * z_bar)],
        coupling: [wy_bar * change, wz_bar * change, wz_bar * (y - impulse.y)],
    }
}

/// Cotangents of x and of `most` in x clamped to ±most.
#[inline(always)]
pub(super) fn clamp_vjp<S: Scalar>(x: S, most: S, bar: S) -> [S; 2] {
    let [x_bar, lower, upper] = range_vjp(x, -most, most, bar);
    [x_bar, upper - lower]
}

/// Cotangents of x, `lower` and `upper` in `x.clamp(lower, upper)`.
#[inline(always)]
pub(super) fn range_vjp<S: Scalar>(x: S, lower: S, upper: S, bar: S) -> [S; 3] {
    let below = x.select_lt(lower, bar, S::ZERO);
    let above = x.select_lt(lower, S::ZERO, upper.select_lt(x, bar, S::ZERO));
    [bar - below - above, below, above]
}

/// Cotangents of the arguments of the turning rows' answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct TurningBars<S> {
    pub(super) impulse: Vec3<S>,
    pub(super) velocity: Vec3<S>,
    pub(super) normal: S,
    pub(super) torsional: S,
    pub(super) rolling: S,
    pub(super) spin_step: S,
    pub(super) roll_step: S,
}

/// The adjoint of the answer of turning rows, at this normal impulse; rolling friction is projected onto a figure.
#[inline(always)]
pub(super) fn turning_vjp<S: Scalar>(
    rows: &TurningRows<S>,
    steps: &Steps<S>,
    turn: &Turn<S>,
    normal: S,
    bar: Vec3<S>,
    figure: impl Fn([S; 2], S, [S; 2]) -> FigureBars<S>,
) -> TurningBars<S> {
    let Turn { impulse, velocity: w } = *turn;
    let free = w.x.neg_mul_add(steps.spin, impulse.x);
    let [x_bar, most_bar] = clamp_vjp(free, rows.torsional * normal, bar.x);
    let y = w.y.neg_mul_add(steps.roll, impulse.y);
    let z = w.z.neg_mul_add(steps.roll, impulse.z);
    let disk = figure([y, z], rows.rolling * normal, [bar.y, bar.z]);
    let [y_bar, z_bar] = disk.point;
    TurningBars {
        impulse: Vec3::new(x_bar, y_bar, z_bar),
        velocity: -Vec3::new(steps.spin * x_bar, steps.roll * y_bar, steps.roll * z_bar),
        normal: most_bar.mul_add(rows.torsional, disk.radius * rows.rolling),
        torsional: most_bar * normal,
        rolling: disk.radius * normal,
        spin_step: -(w.x * x_bar),
        roll_step: -(w.y.mul_add(y_bar, w.z * z_bar)),
    }
}
