//! Ellipsoid and plane.

use gradbody_math::{Scalar, Vec3};

use super::ball::{Ball, normalized_or_vjp};
use super::solid::scaled;
use super::sphere_plane::{ball_plane, ball_plane_vjp};
use super::touches_vjp::Bars;
use super::{Placed, PlacedCotangents, Touch};

/// The ellipsoid's lowest point against the plane. One touch; the ellipsoid is a.
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

/// Adjoint of [`ellipsoid_plane`].
#[inline(always)]
pub(super) fn ellipsoid_plane_vjp<S: Scalar>(
    ellipsoid: &Placed<'_, S>,
    plane: &Placed<'_, S>,
    bars: Bars<'_, S>,
    ellipsoid_bar: &mut PlacedCotangents<S>,
    plane_bar: &mut PlacedCotangents<S>,
) {
    let half = ellipsoid.size;
    let up = plane.pose_w.rot.cols[2];
    let rot_wb = ellipsoid.pose_w.rot;
    let up_b = rot_wb.transpose_mul(up);
    let up_scaled = scaled(half, up_b);
    let unit = up_scaled.normalized_or(Vec3::ZERO);
    let lever_w = -(rot_wb * scaled(half, unit));
    let lowest = Ball::of_point(ellipsoid.pose_w.pos + lever_w);

    let bar_w = ball_plane_vjp(lowest, plane, &bars.at(0), plane_bar).center_w;
    ellipsoid_bar.add_point(lever_w, bar_w);
    let bar_b = rot_wb.transpose_mul(bar_w);
    let (up_scaled_bar, _) = normalized_or_vjp(up_scaled, -scaled(half, bar_b));
    ellipsoid_bar.size += scaled(up_b, up_scaled_bar) - scaled(unit, bar_b);
    // Rotating the plane turns `up`; rotating the ellipsoid turns `up` the other way in the ellipsoid's frame.
    let up_bar = rot_wb * scaled(half, up_scaled_bar);
    plane_bar.add_direction(up, up_bar);
    ellipsoid_bar.add_direction(up, -up_bar);
}
