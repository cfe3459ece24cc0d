//! Sphere and extrusion.

use gradbody_math::{Scalar, Vec3};
use gradbody_model::ShapeKind;

use super::ball::{Ball, BallCotangents};
use super::outline_clearance::{Edge, nearest_edge, piece_edge};
use super::prism::{prism_clearance, prism_clearance_vjp};
use super::touches_vjp::Bars;
use super::{Placed, PlacedCotangents, Touch, TouchCotangents};

/// The point nearest to the extrusion's side, cap or rim. There is a touch for each convex piece of the outline, so
/// that a ball in a groove touches both walls: see `piece_edge`. The sphere is a.
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
        let (edge, present) = piece_edge(outline, piece, extrusion.size, center_b, whole);
        let touch = ball_by_edge(ball, extrusion, center_b, (edge, whole.1));
        out.push(touch.where_positive(present));
    }
}

/// The nearest point of a ball and an extrusion, whose outline may be concave.
#[inline(always)]
pub(super) fn ball_extrusion<S: Scalar>(ball: Ball<S>, extrusion: &Placed<'_, S>) -> Touch<S> {
    let ShapeKind::Extrusion(outline) = extrusion.kind else { return Touch::none() };
    let center_b = ball.center_in(&extrusion.pose_w);
    let nearest = nearest_edge(&outline.corners, extrusion.size, center_b);
    ball_by_edge(ball, extrusion, center_b, nearest)
}

/// The touch of a ball and an extrusion, given the edge nearest to its centre and the side of the outline that the
/// centre is on.
#[inline(always)]
fn ball_by_edge<S: Scalar>(
    ball: Ball<S>,
    extrusion: &Placed<'_, S>,
    center_b: Vec3<S>,
    (edge, sign): (Edge<S>, S),
) -> Touch<S> {
    let flat = edge.clearance(extrusion.size, center_b, sign);
    ball.touch(&extrusion.pose_w, prism_clearance(flat, center_b.z, extrusion.size.z))
}

/// Adjoint of [`sphere_extrusion`].
#[inline(always)]
pub(super) fn sphere_extrusion_vjp<S: Scalar>(
    sphere: &Placed<'_, S>,
    extrusion: &Placed<'_, S>,
    bars: Bars<'_, S>,
    sphere_bar: &mut PlacedCotangents<S>,
    extrusion_bar: &mut PlacedCotangents<S>,
) {
    let ShapeKind::Extrusion(outline) = extrusion.kind else { return };
    let ball = Ball::of_sphere(sphere);
    let pieces = outline.pieces.len();
    if pieces == 1 {
        ball_extrusion_vjp(ball, extrusion, &bars.at(0), extrusion_bar).add_to_sphere(sphere_bar);
        return;
    }
    let center_b = ball.center_in(&extrusion.pose_w);
    let whole = nearest_edge(&outline.corners, extrusion.size, center_b);
    for piece in 0..pieces {
        let (edge, present) = piece_edge(outline, piece, extrusion.size, center_b, whole);
        let bar = bars.at(piece).where_positive(present);
        ball_by_edge_vjp(ball, extrusion, center_b, (edge, whole.1), &bar, extrusion_bar)
            .add_to_sphere(sphere_bar);
    }
}

/// Adjoint of [`ball_extrusion`].
#[inline(always)]
pub(super) fn ball_extrusion_vjp<S: Scalar>(
    ball: Ball<S>,
    extrusion: &Placed<'_, S>,
    bar: &TouchCotangents<S>,
    extrusion_bar: &mut PlacedCotangents<S>,
) -> BallCotangents<S> {
    let ShapeKind::Extrusion(outline) = extrusion.kind else {
        return BallCotangents { center_w: Vec3::ZERO, radius: S::ZERO };
    };
    let center_b = ball.center_in(&extrusion.pose_w);
    let nearest = nearest_edge(&outline.corners, extrusion.size, center_b);
    ball_by_edge_vjp(ball, extrusion, center_b, nearest, bar, extrusion_bar)
}

/// Adjoint of [`ball_by_edge`]. The choice of edge and side has no derivative.
#[inline(always)]
fn ball_by_edge_vjp<S: Scalar>(
    ball: Ball<S>,
    extrusion: &Placed<'_, S>,
    center_b: Vec3<S>,
    (edge, sign): (Edge<S>, S),
    bar: &TouchCotangents<S>,
    extrusion_bar: &mut PlacedCotangents<S>,
) -> BallCotangents<S> {
    let (size, z) = (extrusion.size, center_b.z);
    let flat = edge.clearance(size, center_b, sign);
    let clearance = prism_clearance(flat, z, size.z);
    let (mut ball_bar, bar) = ball.touch_vjp(&extrusion.pose_w, clearance, bar, extrusion_bar);
    let back = prism_clearance_vjp(flat, z, size.z, bar);
    let (size_bar, flat_bar) = edge.clearance_vjp(size, center_b, sign, back.flat);
    extrusion_bar.size += Vec3::new(size_bar.x, size_bar.y, back.half_height);
    let center_bar = Vec3::new(flat_bar.x, flat_bar.y, back.z);
    ball.center_in_vjp(&extrusion.pose_w, center_bar, &mut ball_bar, extrusion_bar);
    ball_bar
}
