//! Extrusion and plane.

use gradbody_math::Scalar;
use gradbody_model::ShapeKind;

use super::ball::Ball;
use super::sphere_plane::ball_plane;
use super::{Placed, Touch};

/// The corners of the extrusion over the plane: for each corner of its outline the one at −z, then
/// the one at +z. The extrusion is a.
#[inline(always)]
pub(super) fn extrusion_plane<S: Scalar>(
    extrusion: &Placed<'_, S>,
    plane: &Placed<'_, S>,
    out: &mut Vec<Touch<S>>,
) {
    let ShapeKind::Extrusion(outline) = extrusion.kind else { return };
    let [x_w, y_w, z_w] = extrusion.pose_w.rot.cols;
    let half_height = extrusion.size.z;
    for [x, y] in &outline.corners {
        let (x, y) = (S::from_f64(*x) * extrusion.size.x, S::from_f64(*y) * extrusion.size.y);
        let middle_w = x_w.scale_add(x, y_w.scale_add(y, extrusion.pose_w.pos));
        let low_w = z_w.neg_scale_add(half_height, middle_w);
        let high_w = z_w.scale_add(half_height, middle_w);
        out.push(ball_plane(Ball::of_point(low_w), plane));
        out.push(ball_plane(Ball::of_point(high_w), plane));
    }
}
