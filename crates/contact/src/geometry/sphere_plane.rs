//! Sphere and plane.

use gradbody_math::Scalar;

use super::ball::{Ball, BallCotangents};
use super::touches_vjp::Bars;
use super::{Placed, PlacedCotangents, Touch, TouchCotangents};

/// The sphere's lowest point against the plane. One touch; the sphere is a.
#[inline(always)]
pub(super) fn sphere_plane<S: Scalar>(
    sphere: &Placed<'_, S>,
    plane: &Placed<'_, S>,
    out: &mut Vec<Touch<S>>,
) {
    out.push(ball_plane(Ball::of_sphere(sphere), plane));
}

/// A ball's lowest point against a plane.
#[inline(always)]
pub(super) fn ball_plane<S: Scalar>(ball: Ball<S>, plane: &Placed<'_, S>) -> Touch<S> {
    let up = plane.pose_w.rot.cols[2];
    ball.touch_along(up, (ball.center_w - plane.pose_w.pos).dot(up))
}

/// Adjoint of [`sphere_plane`].
#[inline(always)]
pub(super) fn sphere_plane_vjp<S: Scalar>(
    sphere: &Placed<'_, S>,
    plane: &Placed<'_, S>,
    bars: Bars<'_, S>,
    sphere_bar: &mut PlacedCotangents<S>,
    plane_bar: &mut PlacedCotangents<S>,
) {
    ball_plane_vjp(Ball::of_sphere(sphere), plane, &bars.at(0), plane_bar)
        .add_to_sphere(sphere_bar);
}

/// Adjoint of [`ball_plane`].
#[inline(always)]
pub(super) fn ball_plane_vjp<S: Scalar>(
    ball: Ball<S>,
    plane: &Placed<'_, S>,
    bar: &TouchCotangents<S>,
    plane_bar: &mut PlacedCotangents<S>,
) -> BallCotangents<S> {
    let up = plane.pose_w.rot.cols[2];
    let lever_w = ball.center_w - plane.pose_w.pos;
    let (mut ball_bar, up_bar, distance_bar) = ball.touch_along_vjp(up, lever_w.dot(up), bar);
    plane_bar.add_direction(up, lever_w.scale_add(distance_bar, up_bar));
    plane_bar.pos_w = up.neg_scale_add(distance_bar, plane_bar.pos_w);
    ball_bar.center_w = up.scale_add(distance_bar, ball_bar.center_w);
    ball_bar
}
