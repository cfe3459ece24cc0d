//! Cylinder and plane.

use gradbody_math::{Scalar, Vec3};

use super::ball::Ball;
use super::sphere_plane::{ball_plane, ball_plane_vjp};
use super::touches_vjp::Bars;
use super::{Placed, PlacedCotangents, Touch};

/// The number of rim points: three on each cap.
pub(super) const RIM_POINTS: usize = 6;

/// Sine of the tilt below which a cylinder counts as upright. Small vibrations would then decide its lowest point, so
/// the rim points stay fixed to the body. The lowest of the three is then up to 60° from the lowest point of the rim,
/// and its gap too large by at most half of this times the radius.
const UPRIGHT: f64 = 1e-4;

/// Three points of each cap's rim against the plane: the lowest, and those 120° and 240° further about the axis; first
/// on the cap at −z of the axis, then on the one at +z. So a standing cylinder has three points of support, and a lying
/// one two. The cylinder is a.
#[inline(always)]
pub(super) fn cylinder_plane<S: Scalar>(
    cylinder: &Placed<'_, S>,
    plane: &Placed<'_, S>,
    out: &mut Vec<Touch<S>>,
) {
    let (rot_wb, center_w) = (cylinder.pose_w.rot, cylinder.pose_w.pos);
    let [x_w, y_w, axis_w] = rot_wb.cols;
    let (radius, half_length) = (cylinder.size.x, cylinder.size.y);

    // The downward direction within a cap, as x and y in the cylinder's axes.
    let up = plane.pose_w.rot.cols[2];
    let (up_x, up_y) = (x_w.dot(up), y_w.dot(up));
    let tilt_sq = up_x.mul_add(up_x, up_y * up_y);
    let upright = S::from_f64(UPRIGHT * UPRIGHT);
    let scale = tilt_sq.select_lt(upright, S::ONE, tilt_sq).sqrt().recip();
    let down_x = tilt_sq.select_lt(upright, S::ONE, -up_x * scale) * radius;
    let down_y = tilt_sq.select_lt(upright, S::ZERO, -up_y * scale) * radius;

    // The three points of a rim relative to its centre: the lowest, and that turned by ±120°.
    let lowest = x_w.scale_add(down_x, y_w * down_y);
    let sideways = y_w.scale_add(down_x, -(x_w * down_y));
    let (sin_120, cos_120) = (S::from_f64(0.75_f64.sqrt()), S::from_f64(-0.5));
    let second = sideways.scale_add(sin_120, lowest * cos_120);
    let third = sideways.neg_scale_add(sin_120, lowest * cos_120);

    let rim = [lowest, second, third];
    let caps =
        [axis_w.neg_scale_add(half_length, center_w), axis_w.scale_add(half_length, center_w)];
    for i in 0..RIM_POINTS {
        let point_w: Vec3<S> = caps[i / 3] + rim[i % 3];
        out.push(ball_plane(Ball::of_point(point_w), plane));
    }
}

/// Adjoint of [`cylinder_plane`].
#[inline(always)]
pub(super) fn cylinder_plane_vjp<S: Scalar>(
    cylinder: &Placed<'_, S>,
    plane: &Placed<'_, S>,
    bars: Bars<'_, S>,
    cylinder_bar: &mut PlacedCotangents<S>,
    plane_bar: &mut PlacedCotangents<S>,
) {
    let (rot_wb, center_w) = (cylinder.pose_w.rot, cylinder.pose_w.pos);
    let [x_w, y_w, axis_w] = rot_wb.cols;
    let (radius, half_length) = (cylinder.size.x, cylinder.size.y);
    let up = plane.pose_w.rot.cols[2];
    let (up_x, up_y) = (x_w.dot(up), y_w.dot(up));
    let tilt_sq = up_x.mul_add(up_x, up_y * up_y);
    let upright = S::from_f64(UPRIGHT * UPRIGHT);
    let scale = tilt_sq.select_lt(upright, S::ONE, tilt_sq).sqrt().recip();
    let unit_x = tilt_sq.select_lt(upright, S::ONE, -up_x * scale);
    let unit_y = tilt_sq.select_lt(upright, S::ZERO, -up_y * scale);
    let (down_x, down_y) = (unit_x * radius, unit_y * radius);
    let lowest = x_w.scale_add(down_x, y_w * down_y);
    let sideways = y_w.scale_add(down_x, -(x_w * down_y));
    let (sin_120, cos_120) = (S::from_f64(0.75_f64.sqrt()), S::from_f64(-0.5));
    let turns = [(S::ZERO, S::ONE), (sin_120, cos_120), (-sin_120, cos_120)];

    // Each rim point is a cap's centre plus a rotated `lowest`.
    let (mut lowest_bar, mut sideways_bar) = (Vec3::ZERO, Vec3::ZERO);
    let (mut center_bar, mut along_bar) = (Vec3::ZERO, Vec3::ZERO);
    for i in 0..RIM_POINTS {
        let (sin, cos) = turns[i % 3];
        let side = if i < 3 { -S::ONE } else { S::ONE };
        let from_cap_w = sideways.scale_add(sin, lowest * cos);
        let cap_w = axis_w.scale_add(half_length * side, center_w);
        let point = Ball::of_point(cap_w + from_cap_w);
        let bar_w = ball_plane_vjp(point, plane, &bars.at(i), plane_bar).center_w;
        lowest_bar = bar_w.scale_add(cos, lowest_bar);
        sideways_bar = bar_w.scale_add(sin, sideways_bar);
        center_bar += bar_w;
        along_bar = bar_w.scale_add(side, along_bar);
    }
    cylinder_bar.pos_w += center_bar;
    cylinder_bar.add_direction(axis_w, along_bar * half_length);

    // The downward direction: minus the unit vector along (up_x, up_y), or constant.
    let down_x_bar = x_w.dot(lowest_bar) + y_w.dot(sideways_bar);
    let down_y_bar = y_w.dot(lowest_bar) - x_w.dot(sideways_bar);
    let radius_bar = unit_x.mul_add(down_x_bar, unit_y * down_y_bar);
    let rate = radius * scale;
    let up_x_bar = unit_x.mul_add(radius_bar, -down_x_bar) * rate;
    let up_y_bar = unit_y.mul_add(radius_bar, -down_y_bar) * rate;
    let up_x_bar = tilt_sq.select_lt(upright, S::ZERO, up_x_bar);
    let up_y_bar = tilt_sq.select_lt(upright, S::ZERO, up_y_bar);
    cylinder_bar.size += Vec3::new(radius_bar, axis_w.dot(along_bar), S::ZERO);

    let x_bar = lowest_bar.scale_add(down_x, up * up_x_bar);
    let y_bar = lowest_bar.scale_add(down_y, up * up_y_bar);
    cylinder_bar.add_direction(x_w, sideways_bar.neg_scale_add(down_y, x_bar));
    cylinder_bar.add_direction(y_w, sideways_bar.scale_add(down_x, y_bar));
    plane_bar.add_direction(up, x_w.scale_add(up_x_bar, y_w * up_y_bar));
}
