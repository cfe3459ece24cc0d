//! Cylinder and plane.

use gradbody_math::{Scalar, Vec3};

use super::ball::Ball;
use super::sphere_plane::ball_plane;
use super::{Placed, Touch};

/// The number of rim points: three on each cap.
pub(super) const RIM_POINTS: usize = 6;

/// Sine of the tilt below which a cylinder stands upright. Its lowest point is then decided by how it
/// trembles, so the rim points stay where they are in the body. The lowest of the three is then up to
/// 60° from the lowest of the rim, and its gap too large by at most half of this times the radius.
const UPRIGHT: f64 = 1e-4;

/// Three points of each cap's rim over the plane: the lowest, and those 120° and 240° further about
/// the axis; first on the cap at −z of the axis, then on the one at +z. So a cylinder that stands has
/// three places to stand on, and one that lies has two. The cylinder is a.
#[inline(always)]
pub(super) fn cylinder_plane<S: Scalar>(
    cylinder: &Placed<'_, S>,
    plane: &Placed<'_, S>,
    out: &mut Vec<Touch<S>>,
) {
    let (rot_wb, center_w) = (cylinder.pose_w.rot, cylinder.pose_w.pos);
    let [x_w, y_w, axis_w] = rot_wb.cols;
    let (radius, half_length) = (cylinder.size.x, cylinder.size.y);

    // The way down within a cap, by its x and y in the cylinder's axes.
    let up = plane.pose_w.rot.cols[2];
    let (up_x, up_y) = (x_w.dot(up), y_w.dot(up));
    let tilt_sq = up_x.mul_add(up_x, up_y * up_y);
    let upright = S::from_f64(UPRIGHT * UPRIGHT);
    let scale = tilt_sq.select_lt(upright, S::ONE, tilt_sq).sqrt().recip();
    let down_x = tilt_sq.select_lt(upright, S::ONE, -up_x * scale) * radius;
    let down_y = tilt_sq.select_lt(upright, S::ZERO, -up_y * scale) * radius;

    // The three points of a rim from its centre: the lowest, and it turned by ±120°.
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
