//! Ellipsoid and plane.

use gradbody_math::{Scalar, Vec3};

use super::ball::Ball;
use super::sphere_plane::ball_plane;
use super::{Placed, Touch};

/// The ellipsoid's lowest point over the plane. One place; the ellipsoid is a.
#[inline(always)]
pub(super) fn ellipsoid_plane<S: Scalar>(
    ellipsoid: &Placed<'_, S>,
    plane: &Placed<'_, S>,
    out: &mut Vec<Touch<S>>,
) {
    // With half axes H the surface is p = H u for unit vectors u, and n · p = (H n) · u is least
    // for u = −H n / |H n|.
    let half = ellipsoid.size;
    let up_b = ellipsoid.pose_w.rot.transpose_mul(plane.pose_w.rot.cols[2]);
    let up_scaled = Vec3::new(half.x * up_b.x, half.y * up_b.y, half.z * up_b.z);
    let unit = up_scaled.normalized_or(Vec3::ZERO);
    let lowest_b = -Vec3::new(half.x * unit.x, half.y * unit.y, half.z * unit.z);
    let lowest_w = ellipsoid.pose_w.point(lowest_b);
    out.push(ball_plane(Ball::of_point(lowest_w), plane));
}
