//! Extrusion and plane.

use gradbody_math::{Scalar, Vec3};
use gradbody_model::ShapeKind;

use super::ball::Ball;
use super::solid::scaled;
use super::sphere_plane::{ball_plane, ball_plane_vjp};
use super::touches_vjp::Bars;
use super::{Placed, PlacedCotangents, Touch};

/// The corners of the extrusion against the plane: for each corner of its outline the one at −z, then the one at +z.
/// The extrusion is a.
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

/// Adjoint of [`extrusion_plane`].
#[inline(always)]
pub(super) fn extrusion_plane_vjp<S: Scalar>(
    extrusion: &Placed<'_, S>,
    plane: &Placed<'_, S>,
    bars: Bars<'_, S>,
    extrusion_bar: &mut PlacedCotangents<S>,
    plane_bar: &mut PlacedCotangents<S>,
) {
    let ShapeKind::Extrusion(outline) = extrusion.kind else { return };
    let Placed { pose_w, size, .. } = extrusion;
    for i in 0..2 * outline.corners.len() {
        let [x, y] = outline.corners[i / 2];
        let z = if i % 2 == 0 { -1.0 } else { 1.0 };
        let fraction = Vec3::from_f64([x, y, z]);
        let lever_w = pose_w.vector(scaled(fraction, *size));
        let point = Ball::of_point(pose_w.pos + lever_w);
        let bar_w = ball_plane_vjp(point, plane, &bars.at(i), plane_bar).center_w;
        extrusion_bar.add_point(lever_w, bar_w);
        extrusion_bar.size += scaled(fraction, pose_w.rot.transpose_mul(bar_w));
    }
}
