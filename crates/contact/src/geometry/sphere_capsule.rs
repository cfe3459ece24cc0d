//! Sphere and capsule.

use gradbody_math::{Scalar, Vec3};

use super::ball::{Ball, Clearance};
use super::{Placed, Touch};

/// The place nearest to the capsule's axis. One place; the sphere is a.
#[inline(always)]
pub(super) fn sphere_capsule<S: Scalar>(
    sphere: &Placed<'_, S>,
    capsule: &Placed<'_, S>,
    out: &mut Vec<Touch<S>>,
) {
    out.push(ball_capsule(Ball::of_sphere(sphere), capsule));
}

/// Where a ball touches a capsule. From the capsule's axis they part along its x axis.
#[inline(always)]
pub(super) fn ball_capsule<S: Scalar>(ball: Ball<S>, capsule: &Placed<'_, S>) -> Touch<S> {
    let center_b = ball.center_in(&capsule.pose_w);
    ball.touch(&capsule.pose_w, capsule_clearance(center_b, capsule.size, Vec3::X))
}

/// How far a point is from a capsule. On the axis, where every way out is as short, it goes
/// `from_axis_b`.
#[inline(always)]
pub(super) fn capsule_clearance<S: Scalar>(
    point_b: Vec3<S>,
    size: Vec3<S>,
    from_axis_b: Vec3<S>,
) -> Clearance<S> {
    let (radius, half_length) = (size.x, size.y);
    // From the nearest point of the axis. Beside the axis its z is exactly zero, so that rounding
    // cannot turn the way out along the axis.
    let beyond = point_b.z - point_b.z.clamp(-half_length, half_length);
    let between_b = Vec3::new(point_b.x, point_b.y, beyond);
    let outward_b = between_b.normalized_or(from_axis_b);
    Clearance { distance: between_b.dot(outward_b) - radius, outward_b }
}
