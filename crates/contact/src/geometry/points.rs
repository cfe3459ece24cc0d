//! Points against solids.

use gradbody_math::{Scalar, Vec3};
use gradbody_model::ShapeKind;

use super::ball::Ball;
use super::sphere_box::ball_box;
use super::sphere_capsule::ball_capsule;
use super::sphere_cylinder::ball_cylinder;
use super::sphere_extrusion::ball_extrusion;
use super::sphere_plane::ball_plane;
use super::sphere_sphere::ball_sphere;
use super::{Placed, Touch};

/// Each point, in its order, against a solid; nothing if points do not touch such a solid. The points
/// are a.
#[inline(always)]
pub(super) fn points_solid<S: Scalar>(
    points: &Placed<'_, S>,
    solid: &Placed<'_, S>,
    out: &mut Vec<Touch<S>>,
) {
    match solid.kind {
        ShapeKind::Plane => each_point(ball_plane, points, solid, out),
        ShapeKind::Sphere => each_point(ball_sphere, points, solid, out),
        ShapeKind::Capsule => each_point(ball_capsule, points, solid, out),
        ShapeKind::Cylinder => each_point(ball_cylinder, points, solid, out),
        ShapeKind::Box => each_point(ball_box, points, solid, out),
        ShapeKind::Extrusion(_) => each_point(ball_extrusion, points, solid, out),
        ShapeKind::Ellipsoid | ShapeKind::Mesh(_) | ShapeKind::Points(_) => {}
    }
}

/// Each point against a solid, given where a ball touches it.
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
