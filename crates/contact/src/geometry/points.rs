//! Points against solids.

use gradbody_math::{Scalar, Vec3};
use gradbody_model::ShapeKind;

use super::ball::{Ball, BallCotangents};
use super::solid::scaled;
use super::sphere_box::{ball_box, ball_box_vjp};
use super::sphere_capsule::{ball_capsule, ball_capsule_vjp};
use super::sphere_cylinder::{ball_cylinder, ball_cylinder_vjp};
use super::sphere_extrusion::{ball_extrusion, ball_extrusion_vjp};
use super::sphere_plane::{ball_plane, ball_plane_vjp};
use super::sphere_sphere::{ball_sphere, ball_sphere_vjp};
use super::touches_vjp::Bars;
use super::{Placed, PlacedCotangents, Touch, TouchCotangents};

/// Each point, in order, against a solid; no touches if points do not touch such a solid. The points are a.
#[inline(always)]
pub(super) fn points_solid<S: Scalar>(
    points: &Placed<'_, S>,
    solid: &Placed<'_, S>,
    out: &mut Vec<Touch<S>>,
) {
    // A function that is passed by its name would not be compiled for this machine's instructions in a portable build.
    macro_rules! each {
        ($ball_solid:ident) => {
            each_point(
                #[inline(always)]
                |ball, solid| $ball_solid(ball, solid),
                points,
                solid,
                out,
            )
        };
    }
    match solid.kind {
        ShapeKind::Plane => each!(ball_plane),
        ShapeKind::Sphere => each!(ball_sphere),
        ShapeKind::Capsule => each!(ball_capsule),
        ShapeKind::Cylinder => each!(ball_cylinder),
        ShapeKind::Box => each!(ball_box),
        ShapeKind::Extrusion(_) => each!(ball_extrusion),
        ShapeKind::Ellipsoid | ShapeKind::Mesh(_) | ShapeKind::Points(_) => {}
    }
}

/// Each point against a solid, given a function for the touch of a ball.
#[inline(always)]
fn each_point<S: Scalar>(
    ball_solid: impl Fn(Ball<S>, &Placed<'_, S>) -> Touch<S>,
    points: &Placed<'_, S>,
    solid: &Placed<'_, S>,
    out: &mut Vec<Touch<S>>,
) {
    let ShapeKind::Points(list) = points.kind else { return };
    let scale = points.size;
    for point in list.iter() {
        let point_b = Vec3::new(
            S::from_f64(point.x) * scale.x,
            S::from_f64(point.y) * scale.y,
            S::from_f64(point.z) * scale.z,
        );
        out.push(ball_solid(Ball::of_point(points.pose_w.point(point_b)), solid));
    }
}

/// Adjoint of [`points_solid`].
#[inline(always)]
pub(super) fn points_solid_vjp<S: Scalar>(
    points: &Placed<'_, S>,
    solid: &Placed<'_, S>,
    bars: Bars<'_, S>,
    points_bar: &mut PlacedCotangents<S>,
    solid_bar: &mut PlacedCotangents<S>,
) {
    // As in `points_solid`.
    macro_rules! each {
        ($ball_solid_vjp:ident) => {
            each_point_vjp(
                #[inline(always)]
                |ball, solid, bar, solid_bar| $ball_solid_vjp(ball, solid, bar, solid_bar),
                points,
                solid,
                bars,
                points_bar,
                solid_bar,
            )
        };
    }
    match solid.kind {
        ShapeKind::Plane => each!(ball_plane_vjp),
        ShapeKind::Sphere => each!(ball_sphere_vjp),
        ShapeKind::Capsule => each!(ball_capsule_vjp),
        ShapeKind::Cylinder => each!(ball_cylinder_vjp),
        ShapeKind::Box => each!(ball_box_vjp),
        ShapeKind::Extrusion(_) => each!(ball_extrusion_vjp),
        ShapeKind::Ellipsoid | ShapeKind::Mesh(_) | ShapeKind::Points(_) => {}
    }
}

/// Adjoint of [`each_point`], given the adjoint for the touch of a ball.
#[inline(always)]
fn each_point_vjp<S: Scalar>(
    ball_solid_vjp: impl Fn(
        Ball<S>,
        &Placed<'_, S>,
        &TouchCotangents<S>,
        &mut PlacedCotangents<S>,
    ) -> BallCotangents<S>,
    points: &Placed<'_, S>,
    solid: &Placed<'_, S>,
    bars: Bars<'_, S>,
    points_bar: &mut PlacedCotangents<S>,
    solid_bar: &mut PlacedCotangents<S>,
) {
    let ShapeKind::Points(list) = points.kind else { return };
    let Placed { pose_w, size, .. } = points;
    for (i, point) in list.iter().enumerate() {
        let fraction = point.map(S::from_f64);
        let lever_w = pose_w.vector(scaled(fraction, *size));
        let ball = Ball::of_point(pose_w.point(scaled(fraction, *size)));
        let bar_w = ball_solid_vjp(ball, solid, &bars.at(i), solid_bar).center_w;
        points_bar.add_point(lever_w, bar_w);
        points_bar.size += scaled(fraction, pose_w.rot.transpose_mul(bar_w));
    }
}
