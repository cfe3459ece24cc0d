//! Sphere and cylinder.

use gradbody_math::{Scalar, Vec3};

use super::ball::{Ball, BallCotangents, ClearanceCotangents, normalized_or_vjp};
use super::prism::{FlatClearance, prism_clearance, prism_clearance_vjp};
use super::touches_vjp::Bars;
use super::{Placed, PlacedCotangents, Touch, TouchCotangents};

/// The point nearest to the cylinder's side, cap or rim. One touch; the sphere is a.
#[inline(always)]
pub(super) fn sphere_cylinder<S: Scalar>(
    sphere: &Placed<'_, S>,
    cylinder: &Placed<'_, S>,
    out: &mut Vec<Touch<S>>,
) {
    out.push(ball_cylinder(Ball::of_sphere(sphere), cylinder));
}

/// The touch of a ball and a cylinder.
#[inline(always)]
pub(super) fn ball_cylinder<S: Scalar>(ball: Ball<S>, cylinder: &Placed<'_, S>) -> Touch<S> {
    let center_b = ball.center_in(&cylinder.pose_w);
    let (radius, half_length) = (cylinder.size.x, cylinder.size.y);
    let disc = disc_clearance(center_b, radius);
    ball.touch(&cylinder.pose_w, prism_clearance(disc, center_b.z, half_length))
}

/// The clearance of a point from a disc about the origin, seen along z. At the centre it points along x.
#[inline(always)]
fn disc_clearance<S: Scalar>(point_b: Vec3<S>, radius: S) -> FlatClearance<S> {
    let flat_b = Vec3::new(point_b.x, point_b.y, S::ZERO);
    let outward_b = flat_b.normalized_or(Vec3::X);
    FlatClearance { distance: flat_b.dot(outward_b) - radius, outward_b }
}

/// Adjoint of [`sphere_cylinder`].
#[inline(always)]
pub(super) fn sphere_cylinder_vjp<S: Scalar>(
    sphere: &Placed<'_, S>,
    cylinder: &Placed<'_, S>,
    bars: Bars<'_, S>,
    sphere_bar: &mut PlacedCotangents<S>,
    cylinder_bar: &mut PlacedCotangents<S>,
) {
    ball_cylinder_vjp(Ball::of_sphere(sphere), cylinder, &bars.at(0), cylinder_bar)
        .add_to_sphere(sphere_bar);
}

/// Adjoint of [`ball_cylinder`].
#[inline(always)]
pub(super) fn ball_cylinder_vjp<S: Scalar>(
    ball: Ball<S>,
    cylinder: &Placed<'_, S>,
    bar: &TouchCotangents<S>,
    cylinder_bar: &mut PlacedCotangents<S>,
) -> BallCotangents<S> {
    let center_b = ball.center_in(&cylinder.pose_w);
    let (radius, half_length) = (cylinder.size.x, cylinder.size.y);
    let disc = disc_clearance(center_b, radius);
    let clearance = prism_clearance(disc, center_b.z, half_length);
    let (mut ball_bar, bar) = ball.touch_vjp(&cylinder.pose_w, clearance, bar, cylinder_bar);
    let back = prism_clearance_vjp(disc, center_b.z, half_length, bar);
    let flat_bar = disc_clearance_vjp(center_b, back.flat);
    cylinder_bar.size += Vec3::new(-back.flat.distance, back.half_height, S::ZERO);
    let center_bar = Vec3::new(flat_bar.x, flat_bar.y, back.z);
    ball.center_in_vjp(&cylinder.pose_w, center_bar, &mut ball_bar, cylinder_bar);
    ball_bar
}

/// Adjoint of [`disc_clearance`], to the point. The cotangent of the radius is minus that of the distance.
#[inline(always)]
fn disc_clearance_vjp<S: Scalar>(point_b: Vec3<S>, bar: ClearanceCotangents<S>) -> Vec3<S> {
    let flat_b = Vec3::new(point_b.x, point_b.y, S::ZERO);
    let outward_b = flat_b.normalized_or(Vec3::X);
    let (flat_bar, _) = normalized_or_vjp(flat_b, flat_b.scale_add(bar.distance, bar.outward_b));
    outward_b.scale_add(bar.distance, flat_bar)
}
