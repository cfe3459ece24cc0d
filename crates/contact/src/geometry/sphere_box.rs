//! Sphere and box.

use gradbody_math::{Scalar, Vec3};

use super::ball::{Ball, Clearance};
use super::{Placed, Touch};

/// The place nearest to the box, or to the nearest face if the centre is inside. One place; the
/// sphere is a.
#[inline(always)]
pub(super) fn sphere_box<S: Scalar>(
    sphere: &Placed<'_, S>,
    cuboid: &Placed<'_, S>,
    out: &mut Vec<Touch<S>>,
) {
    out.push(ball_box(Ball::of_sphere(sphere), cuboid));
}

/// Where a ball touches a box.
#[inline(always)]
pub(super) fn ball_box<S: Scalar>(ball: Ball<S>, cuboid: &Placed<'_, S>) -> Touch<S> {
    let center_b = ball.center_in(&cuboid.pose_w);
    ball.touch(&cuboid.pose_w, box_clearance(center_b, cuboid.size))
}

/// How far a point is from a box with these half lengths.
#[inline(always)]
fn box_clearance<S: Scalar>(p: Vec3<S>, half: Vec3<S>) -> Clearance<S> {
    // Outside, from the nearest point of the box; zero inside.
    let excess = Vec3::new(
        p.x - p.x.clamp(-half.x, half.x),
        p.y - p.y.clamp(-half.y, half.y),
        p.z - p.z.clamp(-half.z, half.z),
    );
    let face = nearest_face(p, half);
    let outward_b = excess.normalized_or(face.outward_b);
    // One of the two terms is zero.
    Clearance { distance: excess.dot(outward_b) + face.distance.min(S::ZERO), outward_b }
}

/// How far a point inside a box is from the nearest of its faces; of equally near ones the first.
#[inline(always)]
fn nearest_face<S: Scalar>(p: Vec3<S>, half: Vec3<S>) -> Clearance<S> {
    let side_x = p.x.select_lt(S::ZERO, -S::ONE, S::ONE);
    let side_y = p.y.select_lt(S::ZERO, -S::ONE, S::ONE);
    let side_z = p.z.select_lt(S::ZERO, -S::ONE, S::ONE);
    let x = p.x * side_x - half.x;
    let y = p.y * side_y - half.y;
    let z = p.z * side_z - half.z;
    let y_or_z = y.max(z);
    let not_x_y = z.select_le(y, side_y, S::ZERO);
    let not_x_z = z.select_le(y, S::ZERO, side_z);
    let outward_b = Vec3::new(
        y_or_z.select_le(x, side_x, S::ZERO),
        y_or_z.select_le(x, S::ZERO, not_x_y),
        y_or_z.select_le(x, S::ZERO, not_x_z),
    );
    Clearance { distance: x.max(y_or_z), outward_b }
}
