//! Sphere and plane.

use gradbody_math::Scalar;

use super::ball::Ball;
use super::{Placed, Touch};

/// The sphere's lowest point over the plane. One place; the sphere is a.
#[inline(always)]
pub(super) fn sphere_plane<S: Scalar>(
    sphere: &Placed<'_, S>,
    plane: &Placed<'_, S>,
    out: &mut Vec<Touch<S>>,
) {
    out.push(ball_plane(Ball::of_sphere(sphere), plane));
}

/// A ball's lowest point over a plane.
#[inline(always)]
pub(super) fn ball_plane<S: Scalar>(ball: Ball<S>, plane: &Placed<'_, S>) -> Touch<S> {
    let up = plane.pose_w.rot.cols[2];
    ball.touch_along(up, (ball.center_w - plane.pose_w.pos).dot(up))
}
