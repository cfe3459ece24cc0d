//! Two spheres.

use gradbody_math::Scalar;

use super::ball::Ball;
use super::{Placed, Touch};

/// The place on the line of the centres. One place.
#[inline(always)]
pub(super) fn sphere_sphere<S: Scalar>(
    a: &Placed<'_, S>,
    b: &Placed<'_, S>,
    out: &mut Vec<Touch<S>>,
) {
    out.push(ball_sphere(Ball::of_sphere(a), b));
}

/// Where a ball touches a sphere. If the centres coincide they part along the sphere's z axis.
#[inline(always)]
pub(super) fn ball_sphere<S: Scalar>(ball: Ball<S>, sphere: &Placed<'_, S>) -> Touch<S> {
    let between_w = ball.center_w - sphere.pose_w.pos;
    let outward_w = between_w.normalized_or(sphere.pose_w.rot.cols[2]);
    ball.touch_along(outward_w, between_w.dot(outward_w) - sphere.size.x)
}
