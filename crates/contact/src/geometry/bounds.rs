//! The extent of a shape.

use gradbody_math::{Scalar, Vec3};
use gradbody_model::ShapeKind;

/// Radius of a ball about the origin of the shape's frame that contains it [m]; `None` for a plane, which is infinite.
/// It is the smallest such ball, except for a mesh with unequal scales: of its many vertices, only the farthest one
/// before scaling is known.
#[inline(always)]
pub fn bounding_radius<S: Scalar>(kind: &ShapeKind, size: Vec3<S>) -> Option<S> {
    let radius = match kind {
        ShapeKind::Plane => return None,
        ShapeKind::Sphere => size.x,
        ShapeKind::Capsule => size.x + size.y,
        ShapeKind::Cylinder => size.x.mul_add(size.x, size.y * size.y).sqrt(),
        ShapeKind::Box => size.norm(),
        ShapeKind::Ellipsoid => size.x.max(size.y).max(size.z),
        // A mesh without a hull touches nothing.
        ShapeKind::Mesh(mesh) => match &mesh.hull {
            Some(hull) => {
                let largest = size.x.abs().max(size.y.abs()).max(size.z.abs());
                S::from_f64(hull.radius()) * largest
            }
            None => S::ZERO,
        },
        ShapeKind::Points(points) => farthest(points, size),
        ShapeKind::Extrusion(outline) => {
            let mut farthest_sq = S::ZERO;
            for [x, y] in &outline.corners {
                farthest_sq = farthest_sq.max(scaled_norm_squared([*x, *y, 1.0], size));
            }
            farthest_sq.sqrt()
        }
    };
    Some(radius)
}

/// Distance of the farthest point from the origin, each scaled by `scale` [m].
#[inline(always)]
fn farthest<S: Scalar>(points: &[Vec3<f64>], scale: Vec3<S>) -> S {
    let mut farthest_sq = S::ZERO;
    for point in points {
        farthest_sq = farthest_sq.max(scaled_norm_squared(point.to_array(), scale));
    }
    farthest_sq.sqrt()
}

/// Squared distance from the origin of a point scaled by `scale` [m²].
#[inline(always)]
fn scaled_norm_squared<S: Scalar>(point: [f64; 3], scale: Vec3<S>) -> S {
    let p = Vec3::<S>::from_f64(point);
    Vec3::new(p.x * scale.x, p.y * scale.y, p.z * scale.z).norm_squared()
}
