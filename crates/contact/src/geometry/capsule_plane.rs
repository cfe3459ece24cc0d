//! Capsule and plane.

use gradbody_math::Scalar;

use super::ball::Ball;
use super::sphere_plane::ball_plane;
use super::{Placed, Touch};

/// The balls at the capsule's two ends over the plane: first the one at −z of its axis, then the
/// one at +z. The capsule is a.
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
