//! Sphere and cylinder.

use gradbody_math::{Scalar, Vec3};

use super::ball::Ball;
use super::prism::{FlatClearance, prism_clearance};
use super::{Placed, Touch};

/// The place nearest to the cylinder's side, cap or rim. One place; the sphere is a.
#[inline(always)]
pub(super) fn sphere_cylinder<S: Scalar>(
    sphere: &Placed<'_, S>,
    cylinder: &Placed<'_, S>,
    out: &mut Vec<Touch<S>>,
) {
    out.push(ball_cylinder(Ball::of_sphere(sphere), cylinder));
}

/// Where a ball touches a cylinder.
#[inline(always)]
pub(super) fn ball_cylinder<S: Scalar>(ball: Ball<S>, cylinder: &Placed<'_, S>) -> Touch<S> {
    let center_b = ball.center_in(&cylinder.pose_w);
    let (radius, half_length) = (cylinder.size.x, cylinder.size.y);
    let disc = disc_clearance(center_b, radius);
    ball.touch(&cylinder.pose_w, prism_clearance(disc, center_b.z, half_length))
}

/// How far a point is from a disc about the origin, seen along z. From the middle it goes out
/// along x.
#[inline(always)]
fn disc_clearance<S: Scalar>(point_b: Vec3<S>, radius: S) -> FlatClearance<S> {
    let flat_b = Vec3::new(point_b.x, point_b.y, S::ZERO);
    let outward_b = flat_b.normalized_or(Vec3::X);
    FlatClearance { distance: flat_b.dot(outward_b) - radius, outward_b }
}
