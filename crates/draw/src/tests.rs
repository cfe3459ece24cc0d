//! Outlines, sticks and postures.

use std::sync::Arc;

use gradbody_math::{Inertia, Sym3};
use gradbody_model::{
    FrameId, Hull, JointSpec, Material, Mesh, ModelBuilder, Outline, ShapeParams,
};

use super::outline::outline;
use super::*;

/// All points of a shape's lines.
fn points(kind: &ShapeKind, size: Vec3<f64>) -> Vec<Vec3<f64>> {
    outline(kind, size).0.concat()
}

#[test]
fn lines_lie_on_the_surfaces_of_shapes() {
    let size = Vec3::new(0.3, 0.2, 0.5);
    for p in points(&ShapeKind::Sphere, size) {
        assert!((p.norm() - 0.3).abs() < 1e-12);
    }
    for p in points(&ShapeKind::Ellipsoid, size) {
        let unit = Vec3::new(p.x / size.x, p.y / size.y, p.z / size.z);
        assert!((unit.norm() - 1.0).abs() < 1e-12);
    }
    for p in points(&ShapeKind::Cylinder, size) {
        assert!((p.x.hypot(p.y) - 0.3).abs() < 1e-12 && (p.z.abs() - 0.2).abs() < 1e-12);
    }
    for p in points(&ShapeKind::Box, size) {
        assert_eq!([p.x.abs(), p.y.abs(), p.z.abs()], size.to_array());
    }
    let (lines, rounds) = outline(&ShapeKind::Capsule, size);
    assert!(lines.is_empty());
    assert_eq!(rounds, [([Vec3::Z * 0.2, Vec3::Z * -0.2], 0.3)]);
    assert!(points(&ShapeKind::Plane, size).iter().all(|p| p.z == 0.0));
    let triangle = Outline::new(vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).unwrap();
    let wedge = outline(&ShapeKind::Extrusion(Arc::new(triangle)), size).0;
    assert_eq!(wedge.len(), 5, "two triangles and three edges");
}

#[test]
fn a_hull_is_drawn_by_its_edges() {
    let corners: Vec<Vec3<f64>> = (0..8)
        .map(|k| Vec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2)))
        .collect();
    let hull = Hull::of_points(&corners).unwrap();
    let mesh = ShapeKind::Mesh(Arc::new(Mesh { path: "".into(), hull: Some(hull) }));
    let lines = outline(&mesh, Vec3::new(2.0, 2.0, 2.0)).0;
    assert_eq!(lines.len(), 12, "a cube has 12 edges and no diagonals");
    assert!(lines.iter().all(|edge| ((edge[1] - edge[0]).norm() - 2.0).abs() < 1e-12));
}

/// A free body with a box, on a level ground.
fn tossed() -> Model<f64> {
    let mut builder = ModelBuilder::new("body");
    let rotational = Sym3::diagonal(Vec3::new(0.02, 0.03, 0.04));
    let inertia = Inertia { mass: 1.5, com: Vec3::ZERO, rotational };
    let body = builder.link("body", FrameId::WORLD, JointSpec::free("root"), inertia).unwrap();
    let shape = surface(Vec3::new(0.1, 0.1, 0.1));
    builder.shape("crate", body, ShapeKind::Box, shape).unwrap();
    let mut model = builder.build().unwrap();
    model.add_ground(-0.25, Material::with_friction(0.5)).unwrap();
    model
}

#[test]
fn a_level_plane_is_the_ground_and_no_shape() {
    let model = tossed();
    let (shapes, ground) = shapes(&model);
    assert_eq!(ground, Some(-0.25));
    assert_eq!(shapes.len(), 1);
    assert_eq!(shapes[0].body, Some(0));
    assert!(sticks(&model).is_empty(), "a body with a shape needs no stick");
    let posture = Drawing::new(&model).posture(&model, &[1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0]);
    assert_eq!(posture.poses, [Some([1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0])]);
}

/// Three rods in a chain, of which the first two have shapes: sticks lead to the third, and to its end.
#[test]
fn sticks_are_drawn_where_there_are_no_shapes() {
    let rod = Inertia {
        mass: 1.0,
        com: Vec3::new(0.0, 0.0, -0.5),
        rotational: Sym3::diagonal(Vec3::new(0.08, 0.08, 0.002)),
    };
    let mut builder = ModelBuilder::new("rods");
    let mut parent = FrameId::WORLD;
    for name in ["a", "b", "c"] {
        let joint = JointSpec::revolute(format!("{name} joint"), Vec3::Y);
        parent = builder.link(name, parent, joint, rod).unwrap();
        let kind = if name == "c" { unread() } else { ShapeKind::Capsule };
        builder.shape(name, parent, kind, surface(Vec3::new(0.1, 0.5, 0.1))).unwrap();
    }
    let model = builder.build().unwrap();
    assert_eq!(sticks(&model), [(2, 4), (4, 5)]);
    assert_eq!(bodies(&model).len(), 2);
}

/// A mesh whose file was not found.
fn unread() -> ShapeKind {
    ShapeKind::Mesh(Arc::new(Mesh { path: "c.stl".into(), hull: None }))
}

fn surface(size: Vec3<f64>) -> ShapeParams<f64> {
    ShapeParams { placement: Transform::IDENTITY, size, material: Material::DEFAULT }
}
