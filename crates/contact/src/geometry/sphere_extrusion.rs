//! Sphere and extrusion.

use gradbody_math::Scalar;
use gradbody_model::ShapeKind;

use super::ball::Ball;
use super::outline_clearance::{nearest_edge, outline_clearance, piece_clearance};
use super::prism::prism_clearance;
use super::{Placed, Touch};

/// The place nearest to the extrusion's side, cap or rim. A place for each convex piece of the outline,
/// so that a ball in a groove touches both walls: see `piece_clearance`. The sphere is a.
#[inline(always)]
pub(super) fn sphere_extrusion<S: Scalar>(
    sphere: &Placed<'_, S>,
    extrusion: &Placed<'_, S>,
    out: &mut Vec<Touch<S>>,
) {
    let ShapeKind::Extrusion(outline) = extrusion.kind else { return };
    let ball = Ball::of_sphere(sphere);
    let pieces = outline.pieces.len();
    if pieces == 1 {
        out.push(ball_extrusion(ball, extrusion));
        return;
    }
    let center_b = ball.center_in(&extrusion.pose_w);
    let whole = nearest_edge(&outline.corners, extrusion.size, center_b);
    for piece in 0..pieces {
        let (flat, present) = piece_clearance(outline, piece, extrusion.size, center_b, whole);
        let clearance = prism_clearance(flat, center_b.z, extrusion.size.z);
        out.push(ball.touch(&extrusion.pose_w, clearance).where_positive(present));
    }
}

/// Where a ball is nearest to an extrusion, whose outline may be concave.
#[inline(always)]
pub(super) fn ball_extrusion<S: Scalar>(ball: Ball<S>, extrusion: &Placed<'_, S>) -> Touch<S> {
    let ShapeKind::Extrusion(outline) = extrusion.kind else { return Touch::none() };
    let center_b = ball.center_in(&extrusion.pose_w);
    let flat = outline_clearance(&outline.corners, extrusion.size, center_b);
    ball.touch(&extrusion.pose_w, prism_clearance(flat, center_b.z, extrusion.size.z))
}
