//! Capsule and plane.

use gradbody_math::Scalar;

use super::ball::Ball;
use super::sphere_plane::{ball_plane, ball_plane_vjp};
use super::touches_vjp::Bars;
use super::{Placed, PlacedCotangents, Touch};

/// The balls at the capsule's two ends against the plane: first the one at −z of its axis, then the one at +z. The
/// capsule is a.
#[inline(always)]
pub(super) fn capsule_plane<S: Scalar>(
    capsule: &Placed<'_, S>,
    plane: &Placed<'_, S>,
    out: &mut Vec<Touch<S>>,
) {
    let (axis_w, center_w) = (capsule.pose_w.rot.cols[2], capsule.pose_w.pos);
    let (radius, half_length) = (capsule.size.x, capsule.size.y);
    let low_end = Ball { center_w: axis_w.neg_scale_add(half_length, center_w), radius };
    let high_end = Ball { center_w: axis_w.scale_add(half_length, center_w), radius };
    out.push(ball_plane(low_end, plane));
    out.push(ball_plane(high_end, plane));
}

/// Adjoint of [`capsule_plane`].
#[inline(always)]
pub(super) fn capsule_plane_vjp<S: Scalar>(
    capsule: &Placed<'_, S>,
    plane: &Placed<'_, S>,
    bars: Bars<'_, S>,
    capsule_bar: &mut PlacedCotangents<S>,
    plane_bar: &mut PlacedCotangents<S>,
) {
    let (axis_w, center_w) = (capsule.pose_w.rot.cols[2], capsule.pose_w.pos);
    let (radius, half_length) = (capsule.size.x, capsule.size.y);
    for (i, side) in [-S::ONE, S::ONE].into_iter().enumerate() {
        let lever_w = axis_w * (half_length * side);
        let end = Ball { center_w: center_w + lever_w, radius };
        let end_bar = ball_plane_vjp(end, plane, &bars.at(i), plane_bar);
        capsule_bar.add_point(lever_w, end_bar.center_w);
        capsule_bar.size.x += end_bar.radius;
        capsule_bar.size.y += axis_w.dot(end_bar.center_w) * side;
    }
}
