//! Two spheres.

use gradbody_math::Scalar;

use super::ball::{Ball, BallCotangents, normalized_or_vjp};
use super::touches_vjp::Bars;
use super::{Placed, PlacedCotangents, Touch, TouchCotangents};

/// The point on the line between the centres. One touch.
#[inline(always)]
pub(super) fn sphere_sphere<S: Scalar>(
    a: &Placed<'_, S>,
    b: &Placed<'_, S>,
    out: &mut Vec<Touch<S>>,
) {
    out.push(ball_sphere(Ball::of_sphere(a), b));
}

/// The touch of a ball and a sphere. If the centres coincide, they separate along the sphere's z axis.
#[inline(always)]
pub(super) fn ball_sphere<S: Scalar>(ball: Ball<S>, sphere: &Placed<'_, S>) -> Touch<S> {
    let between_w = ball.center_w - sphere.pose_w.pos;
    let outward_w = between_w.normalized_or(sphere.pose_w.rot.cols[2]);
    ball.touch_along(outward_w, between_w.dot(outward_w) - sphere.size.x)
}

/// Adjoint of [`sphere_sphere`].
#[inline(always)]
pub(super) fn sphere_sphere_vjp<S: Scalar>(
    a: &Placed<'_, S>,
    b: &Placed<'_, S>,
    bars: Bars<'_, S>,
    a_bar: &mut PlacedCotangents<S>,
    b_bar: &mut PlacedCotangents<S>,
) {
    ball_sphere_vjp(Ball::of_sphere(a), b, &bars.at(0), b_bar).add_to_sphere(a_bar);
}

/// Adjoint of [`ball_sphere`].
#[inline(always)]
pub(super) fn ball_sphere_vjp<S: Scalar>(
    ball: Ball<S>,
    sphere: &Placed<'_, S>,
    bar: &TouchCotangents<S>,
    sphere_bar: &mut PlacedCotangents<S>,
) -> BallCotangents<S> {
    let z_w = sphere.pose_w.rot.cols[2];
    let between_w = ball.center_w - sphere.pose_w.pos;
    let outward_w = between_w.normalized_or(z_w);
    let distance = between_w.dot(outward_w) - sphere.size.x;
    let (mut ball_bar, outward_bar, distance_bar) = ball.touch_along_vjp(outward_w, distance, bar);
    let outward_bar = between_w.scale_add(distance_bar, outward_bar);
    let (between_bar, z_bar) = normalized_or_vjp(between_w, outward_bar);
    let between_bar = outward_w.scale_add(distance_bar, between_bar);
    ball_bar.center_w += between_bar;
    sphere_bar.pos_w -= between_bar;
    sphere_bar.add_direction(z_w, z_bar);
    sphere_bar.size.x -= distance_bar;
    ball_bar
}
