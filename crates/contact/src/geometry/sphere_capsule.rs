//! Sphere and capsule.

use gradbody_math::{Scalar, Vec3};

use super::ball::{
    Ball, BallCotangents, Clearance, ClearanceCotangents, excess_vjp, normalized_or_vjp,
};
use super::touches_vjp::Bars;
use super::{Placed, PlacedCotangents, Touch, TouchCotangents};

/// The point nearest to the capsule's axis. One touch; the sphere is a.
#[inline(always)]
pub(super) fn sphere_capsule<S: Scalar>(
    sphere: &Placed<'_, S>,
    capsule: &Placed<'_, S>,
    out: &mut Vec<Touch<S>>,
) {
    out.push(ball_capsule(Ball::of_sphere(sphere), capsule));
}

/// The touch of a ball and a capsule. If the centre is on the capsule's axis, they separate along its x axis.
#[inline(always)]
pub(super) fn ball_capsule<S: Scalar>(ball: Ball<S>, capsule: &Placed<'_, S>) -> Touch<S> {
    let center_b = ball.center_in(&capsule.pose_w);
    ball.touch(&capsule.pose_w, capsule_clearance(center_b, capsule.size, Vec3::X))
}

/// The clearance of a point from a capsule. On the axis, where all outward directions are equivalent, it uses
/// `from_axis_b`.
#[inline(always)]
pub(super) fn capsule_clearance<S: Scalar>(
    point_b: Vec3<S>,
    size: Vec3<S>,
    from_axis_b: Vec3<S>,
) -> Clearance<S> {
    let (radius, half_length) = (size.x, size.y);
    // From the nearest point of the axis. Beside the axis its z is exactly zero, so that rounding cannot turn the
    // outward direction along the axis.
    let beyond = point_b.z - point_b.z.clamp(-half_length, half_length);
    let between_b = Vec3::new(point_b.x, point_b.y, beyond);
    let outward_b = between_b.normalized_or(from_axis_b);
    Clearance { distance: between_b.dot(outward_b) - radius, outward_b }
}

/// Adjoint of [`sphere_capsule`].
#[inline(always)]
pub(super) fn sphere_capsule_vjp<S: Scalar>(
    sphere: &Placed<'_, S>,
    capsule: &Placed<'_, S>,
    bars: Bars<'_, S>,
    sphere_bar: &mut PlacedCotangents<S>,
    capsule_bar: &mut PlacedCotangents<S>,
) {
    ball_capsule_vjp(Ball::of_sphere(sphere), capsule, &bars.at(0), capsule_bar)
        .add_to_sphere(sphere_bar);
}

/// Adjoint of [`ball_capsule`].
#[inline(always)]
pub(super) fn ball_capsule_vjp<S: Scalar>(
    ball: Ball<S>,
    capsule: &Placed<'_, S>,
    bar: &TouchCotangents<S>,
    capsule_bar: &mut PlacedCotangents<S>,
) -> BallCotangents<S> {
    let center_b = ball.center_in(&capsule.pose_w);
    let clearance = capsule_clearance(center_b, capsule.size, Vec3::X);
    let (mut ball_bar, bar) = ball.touch_vjp(&capsule.pose_w, clearance, bar, capsule_bar);
    let back = capsule_clearance_vjp(center_b, capsule.size, Vec3::X, bar);
    capsule_bar.size += back.size;
    ball.center_in_vjp(&capsule.pose_w, back.point_b, &mut ball_bar, capsule_bar);
    ball_bar
}

/// Cotangents of the arguments of [`capsule_clearance`].
#[derive(Clone, Copy, Debug)]
pub(super) struct CapsuleClearanceCotangents<S> {
    pub(super) point_b: Vec3<S>,
    pub(super) size: Vec3<S>,
    pub(super) from_axis_b: Vec3<S>,
}

/// Adjoint of [`capsule_clearance`].
#[inline(always)]
pub(super) fn capsule_clearance_vjp<S: Scalar>(
    point_b: Vec3<S>,
    size: Vec3<S>,
    from_axis_b: Vec3<S>,
    bar: ClearanceCotangents<S>,
) -> CapsuleClearanceCotangents<S> {
    let half_length = size.y;
    let beyond = point_b.z - point_b.z.clamp(-half_length, half_length);
    let between_b = Vec3::new(point_b.x, point_b.y, beyond);
    let outward_b = between_b.normalized_or(from_axis_b);
    let outward_bar = between_b.scale_add(bar.distance, bar.outward_b);
    let (between_bar, from_axis_b) = normalized_or_vjp(between_b, outward_bar);
    let between_bar = outward_b.scale_add(bar.distance, between_bar);
    let (z_bar, half_length_bar) = excess_vjp(point_b.z, half_length, between_bar.z);
    CapsuleClearanceCotangents {
        point_b: Vec3::new(between_bar.x, between_bar.y, z_bar),
        size: Vec3::new(-bar.distance, half_length_bar, S::ZERO),
        from_axis_b,
    }
}
