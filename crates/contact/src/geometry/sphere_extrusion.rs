//! Sphere and extrusion.

use gradbody_math::Scalar;
use gradbody_model::ShapeKind;

use super::ball::Ball;
use super::outline_clearance::outline_clearance;
use super::prism::prism_clearance;
use super::{Placed, Touch};

/// The place nearest to the extrusion's side, cap or rim; the outline may be concave. One place; the
/// sphere is a.
#[inline(always)]
pub(super) fn sphere_extrusion<S: Scalar>(
    sphere: &Placed<'_, S>,
    extrusion: &Placed<'_, S>,
    out: &mut Vec<Touch<S>>,
) {
    out.push(ball_extrusion(Ball::of_sphere(sphere), extrusion));
}

/// Where a ball touches an extrusion.
#[inline(always)]
pub(super) fn ball_extrusion<S: Scalar>(ball: Ball<S>, extrusion: &Placed<'_, S>) -> Touch<S> {
    let ShapeKind::Extrusion(outline) = extrusion.kind else { return Touch::none() };
    let center_b = ball.center_in(&extrusion.pose_w);
    let flat = outline_clearance(&outline.corners, extrusion.size, center_b);
    ball.touch(&extrusion.pose_w, prism_clearance(flat, center_b.z, extrusion.size.z))
}
