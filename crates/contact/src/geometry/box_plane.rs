//! Box and plane.

use gradbody_math::{Scalar, Vec3};

use super::ball::Ball;
use super::sphere_plane::{ball_plane, ball_plane_vjp};
use super::touches_vjp::Bars;
use super::{Placed, PlacedCotangents, Touch};

/// The number of a box's corners.
pub(super) const CORNERS: usize = 8;

/// The box's eight corners against the plane. Corner `i` is on the positive side of x if bit 0 of `i` is set, of y with
/// bit 1, of z with bit 2. The box is a.
#[inline(always)]
pub(super) fn box_plane<S: Scalar>(
    cuboid: &Placed<'_, S>,
    plane: &Placed<'_, S>,
    out: &mut Vec<Touch<S>>,
) {
    let [x_w, y_w, z_w] = cuboid.pose_w.rot.cols;
    let (x_w, y_w, z_w) = (x_w * cuboid.size.x, y_w * cuboid.size.y, z_w * cuboid.size.z);
    for corner in 0..CORNERS {
        let x = if corner & 1 == 0 { -x_w } else { x_w };
        let y = if corner & 2 == 0 { -y_w } else { y_w };
        let z = if corner & 4 == 0 { -z_w } else { z_w };
        let corner_w = cuboid.pose_w.pos + z + y + x;
        out.push(ball_plane(Ball::of_point(corner_w), plane));
    }
}

/// Adjoint of [`box_plane`].
#[inline(always)]
pub(super) fn box_plane_vjp<S: Scalar>(
    cuboid: &Placed<'_, S>,
    plane: &Placed<'_, S>,
    bars: Bars<'_, S>,
    cuboid_bar: &mut PlacedCotangents<S>,
    plane_bar: &mut PlacedCotangents<S>,
) {
    let rot_wb = cuboid.pose_w.rot;
    for corner in 0..CORNERS {
        let side = |bit: usize| if corner & bit == 0 { -S::ONE } else { S::ONE };
        let (x, y, z) = (side(1), side(2), side(4));
        let size = cuboid.size;
        let lever_w = rot_wb * Vec3::new(size.x * x, size.y * y, size.z * z);
        let point = Ball::of_point(cuboid.pose_w.pos + lever_w);
        let bar_w = ball_plane_vjp(point, plane, &bars.at(corner), plane_bar).center_w;
        cuboid_bar.add_point(lever_w, bar_w);
        let bar_b = rot_wb.transpose_mul(bar_w);
        cuboid_bar.size += Vec3::new(bar_b.x * x, bar_b.y * y, bar_b.z * z);
    }
}
