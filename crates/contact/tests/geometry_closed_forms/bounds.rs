//! The ball about a shape.

use std::path::PathBuf;
use std::sync::Arc;

use gradbody_contact::geometry::{Placed, bounding_radius};
use gradbody_math::{Transform, Vec3};
use gradbody_model::{Hull, Mesh, ShapeKind};

use crate::oracle::support;
use crate::random::Random;
use crate::scenes::{outline, points};

/// The farthest point of a set is as far as the set reaches in the direction in which it reaches
/// farthest, which random directions find from below.
#[test]
fn the_bounding_radius_is_the_farthest_reach() {
    use ShapeKind::*;
    let list = points(&[[0.3, -0.8, 0.5], [1.0, 0.2, -0.1]]);
    let mut random = Random::new(3);
    for kind in [Sphere, Capsule, Cylinder, Box, Ellipsoid, outline(), list] {
        for _ in 0..20 {
            let size = random.vector(0.2, 1.0);
            let radius = bounding_radius(&kind, size).expect("has an end");
            let shape = Placed { kind: &kind, pose_w: Transform::IDENTITY, size };
            let reach = (0..4000).map(|_| support(&shape, random.direction()));
            let reach = reach.fold(f64::MIN, f64::max);
            assert!(reach <= radius && radius < 1.01 * reach, "{radius}, {reach}: {shape:?}");
        }
    }
    assert_eq!(bounding_radius(&Plane, Vec3::X), None::<f64>);
}

#[test]
fn a_mesh_reaches_to_its_farthest_scaled_vertex() {
    let vertices = [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0], [0.0; 3]];
    let hull = Hull::of_points(&vertices.map(Vec3::from_f64)).expect("a tetrahedron");
    let mesh = |hull| ShapeKind::Mesh(Arc::new(Mesh { path: PathBuf::new(), hull }));
    let even = Vec3::new(-4.0, 4.0, 4.0);
    assert_eq!(bounding_radius(&mesh(Some(hull.clone())), even), Some(12.0));
    assert_eq!(bounding_radius(&mesh(None), even), Some(0.0));
    // Scaled unevenly, no vertex is farther than the farthest unscaled one by the largest scale.
    let uneven = Vec3::new(7.0, -4.0, 1.0);
    assert_eq!(bounding_radius(&mesh(Some(hull)), uneven), Some(21.0));
}
