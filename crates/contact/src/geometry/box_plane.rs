//! Box and plane.

use gradbody_math::Scalar;

use super::ball::Ball;
use super::sphere_plane::ball_plane;
use super::{Placed, Touch};

/// The number of a box's corners.
pub(super) const CORNERS: usize = 8;

/// The box's eight corners over the plane. Corner `i` is on the positive side of x if bit 0 of `i`
/// is set, of y with bit 1, of z with bit 2. The box is a.
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
