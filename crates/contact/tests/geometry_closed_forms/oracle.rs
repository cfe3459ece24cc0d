//! What is known of a shape without any contact formula: how far it reaches in a direction, and
//! which points belong to it.

use gradbody_contact::geometry::Placed;
use gradbody_math::Vec3;
use gradbody_model::ShapeKind;

fn hypot(x: f64, y: f64) -> f64 {
    (x * x + y * y).sqrt()
}

/// The greatest n · x of the shape's points x; of its convex hull if it is concave.
pub(crate) fn support(shape: &Placed<'_, f64>, n_w: Vec3<f64>) -> f64 {
    let n = shape.pose_w.rot.transpose_mul(n_w);
    let size = shape.size;
    let local = match shape.kind {
        ShapeKind::Sphere => size.x,
        ShapeKind::Capsule => size.x + size.y * n.z.abs(),
        ShapeKind::Cylinder => size.x * hypot(n.x, n.y) + size.y * n.z.abs(),
        ShapeKind::Box => size.dot(n.map(f64::abs)),
        ShapeKind::Ellipsoid => scaled(n.to_array(), size).norm(),
        ShapeKind::Plane if (n - Vec3::Z).norm() < 1e-9 => 0.0,
        ShapeKind::Plane => f64::INFINITY,
        ShapeKind::Extrusion(outline) => {
            let reach = |c: &[f64; 2]| n.x * c[0] * size.x + n.y * c[1] * size.y;
            outline.corners.iter().map(reach).fold(f64::MIN, f64::max) + size.z * n.z.abs()
        }
        ShapeKind::Points(points) => {
            let reach = |p: &Vec3<f64>| n.dot(scaled(p.to_array(), size));
            points.iter().map(reach).fold(f64::MIN, f64::max)
        }
        ShapeKind::Mesh(_) => unreachable!("no formula for meshes"),
    };
    local + shape.pose_w.pos.dot(n_w)
}

/// How far b is from a in the direction n: positive if a plane across n separates them. The
/// signed distance of convex shapes is the greatest of these.
pub(crate) fn separation(a: &Placed<'_, f64>, b: &Placed<'_, f64>, n_w: Vec3<f64>) -> f64 {
    -support(b, -n_w) - support(a, n_w)
}

/// Whether a point belongs to a solid.
pub(crate) fn contains(shape: &Placed<'_, f64>, point_w: Vec3<f64>) -> bool {
    let p = shape.pose_w.rot.transpose_mul(point_w - shape.pose_w.pos);
    let size = shape.size;
    match shape.kind {
        ShapeKind::Sphere => p.norm() <= size.x,
        ShapeKind::Capsule => hypot(hypot(p.x, p.y), (p.z.abs() - size.y).max(0.0)) <= size.x,
        ShapeKind::Cylinder => hypot(p.x, p.y) <= size.x && p.z.abs() <= size.y,
        ShapeKind::Box => p.x.abs() <= size.x && p.y.abs() <= size.y && p.z.abs() <= size.z,
        ShapeKind::Ellipsoid => scaled(p.to_array(), size.map(f64::recip)).norm() <= 1.0,
        ShapeKind::Plane => p.z <= 0.0,
        ShapeKind::Extrusion(outline) => {
            let corners = outline.corners.iter().map(|c| [c[0] * size.x, c[1] * size.y]);
            p.z.abs() <= size.z && in_polygon(&corners.collect::<Vec<_>>(), [p.x, p.y])
        }
        ShapeKind::Points(_) | ShapeKind::Mesh(_) => unreachable!("not a solid with a formula"),
    }
}

/// Whether a ray to the right crosses the border an odd number of times.
pub(crate) fn in_polygon(corners: &[[f64; 2]], [x, y]: [f64; 2]) -> bool {
    let mut inside = false;
    for i in 0..corners.len() {
        let ([x0, y0], [x1, y1]) = (corners[i], corners[(i + 1) % corners.len()]);
        if (y0 > y) != (y1 > y) && x < x0 + (y - y0) / (y1 - y0) * (x1 - x0) {
            inside = !inside;
        }
    }
    inside
}

/// Component by component.
pub(crate) fn scaled(p: [f64; 3], scale: Vec3<f64>) -> Vec3<f64> {
    Vec3::new(p[0] * scale.x, p[1] * scale.y, p[2] * scale.z)
}
