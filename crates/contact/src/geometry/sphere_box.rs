//! Sphere and box.

use gradbody_math::{Scalar, Vec3};

use super::ball::{
    Ball, BallCotangents, Clearance, ClearanceCotangents, excess_vjp, normalized_or_vjp,
};
use super::touches_vjp::Bars;
use super::{Placed, PlacedCotangents, Touch, TouchCotangents};

/// The point nearest to the box, or to the nearest face if the centre is inside. One touch; the sphere is a.
#[inline(always)]
pub(super) fn sphere_box<S: Scalar>(
    sphere: &Placed<'_, S>,
    cuboid: &Placed<'_, S>,
    out: &mut Vec<Touch<S>>,
) {
    out.push(ball_box(Ball::of_sphere(sphere), cuboid));
}

/// The touch of a ball and a box.
#[inline(always)]
pub(super) fn ball_box<S: Scalar>(ball: Ball<S>, cuboid: &Placed<'_, S>) -> Touch<S> {
    let center_b = ball.center_in(&cuboid.pose_w);
    ball.touch(&cuboid.pose_w, box_clearance(center_b, cuboid.size))
}

/// The clearance of a point from a box with these half lengths.
#[inline(always)]
fn box_clearance<S: Scalar>(p: Vec3<S>, half: Vec3<S>) -> Clearance<S> {
    let excess = excess(p, half);
    let face = nearest_face(p, half);
    let outward_b = excess.normalized_or(face.outward_b);
    // One of the two terms is zero.
    Clearance { distance: excess.dot(outward_b) + face.distance.min(S::ZERO), outward_b }
}

/// The vector from the nearest point of a box to a point outside; zero inside.
#[inline(always)]
fn excess<S: Scalar>(p: Vec3<S>, half: Vec3<S>) -> Vec3<S> {
    Vec3::new(
        p.x - p.x.clamp(-half.x, half.x),
        p.y - p.y.clamp(-half.y, half.y),
        p.z - p.z.clamp(-half.z, half.z),
    )
}

/// The clearance of a point inside a box from the nearest face; the first of equally near ones.
#[inline(always)]
fn nearest_face<S: Scalar>(p: Vec3<S>, half: Vec3<S>) -> Clearance<S> {
    let side_x = p.x.select_lt(S::ZERO, -S::ONE, S::ONE);
    let side_y = p.y.select_lt(S::ZERO, -S::ONE, S::ONE);
    let side_z = p.z.select_lt(S::ZERO, -S::ONE, S::ONE);
    let x = p.x * side_x - half.x;
    let y = p.y * side_y - half.y;
    let z = p.z * side_z - half.z;
    let y_or_z = y.max(z);
    let not_x_y = z.select_le(y, side_y, S::ZERO);
    let not_x_z = z.select_le(y, S::ZERO, side_z);
    let outward_b = Vec3::new(
        y_or_z.select_le(x, side_x, S::ZERO),
        y_or_z.select_le(x, S::ZERO, not_x_y),
        y_or_z.select_le(x, S::ZERO, not_x_z),
    );
    Clearance { distance: x.max(y_or_z), outward_b }
}

/// Adjoint of [`sphere_box`].
#[inline(always)]
pub(super) fn sphere_box_vjp<S: Scalar>(
    sphere: &Placed<'_, S>,
    cuboid: &Placed<'_, S>,
    bars: Bars<'_, S>,
    sphere_bar: &mut PlacedCotangents<S>,
    cuboid_bar: &mut PlacedCotangents<S>,
) {
    ball_box_vjp(Ball::of_sphere(sphere), cuboid, &bars.at(0), cuboid_bar)
        .add_to_sphere(sphere_bar);
}

/// Adjoint of [`ball_box`].
#[inline(always)]
pub(super) fn ball_box_vjp<S: Scalar>(
    ball: Ball<S>,
    cuboid: &Placed<'_, S>,
    bar: &TouchCotangents<S>,
    cuboid_bar: &mut PlacedCotangents<S>,
) -> BallCotangents<S> {
    let center_b = ball.center_in(&cuboid.pose_w);
    let clearance = box_clearance(center_b, cuboid.size);
    let (mut ball_bar, bar) = ball.touch_vjp(&cuboid.pose_w, clearance, bar, cuboid_bar);
    let (center_bar, size_bar) = box_clearance_vjp(center_b, cuboid.size, bar);
    cuboid_bar.size += size_bar;
    ball.center_in_vjp(&cuboid.pose_w, center_bar, &mut ball_bar, cuboid_bar);
    ball_bar
}

/// Adjoint of [`box_clearance`]: cotangents of the point and of the half lengths.
#[inline(always)]
fn box_clearance_vjp<S: Scalar>(
    p: Vec3<S>,
    half: Vec3<S>,
    bar: ClearanceCotangents<S>,
) -> (Vec3<S>, Vec3<S>) {
    let excess = excess(p, half);
    let face = nearest_face(p, half);
    let outward_b = excess.normalized_or(face.outward_b);
    let outward_bar = excess.scale_add(bar.distance, bar.outward_b);
    // The outward direction of a face is constant.
    let (excess_bar, _) = normalized_or_vjp(excess, outward_bar);
    let excess_bar = outward_b.scale_add(bar.distance, excess_bar);
    let (x_bar, half_x_bar) = excess_vjp(p.x, half.x, excess_bar.x);
    let (y_bar, half_y_bar) = excess_vjp(p.y, half.y, excess_bar.y);
    let (z_bar, half_z_bar) = excess_vjp(p.z, half.z, excess_bar.z);

    // Inside, along the axis of the nearest face: the coordinate on its side, minus the half length.
    let face_bar = face.distance.select_le(S::ZERO, bar.distance, S::ZERO);
    let out = face.outward_b;
    let on_axis = Vec3::new(out.x * out.x, out.y * out.y, out.z * out.z);
    let p_bar = out.scale_add(face_bar, Vec3::new(x_bar, y_bar, z_bar));
    let half_bar = Vec3::new(half_x_bar, half_y_bar, half_z_bar);
    (p_bar, on_axis.neg_scale_add(face_bar, half_bar))
}
