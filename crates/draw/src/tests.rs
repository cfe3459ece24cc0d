//! Scenes and their meshes, and poses.

use std::sync::Arc;

use gradbody_math::{Inertia, Sym3, Transform, Vec3};
use gradbody_model::{
    Figure, Form, FrameId, JointSpec, Material, Mesh, Model, ModelBuilder, ShapeKind, ShapeParams,
    Visual,
};

use super::mesh::{Surface, share};
use super::simplify::simplify;
use super::weld::welded;
use super::*;

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
fn poses_are_those_of_the_world_and_of_each_body() {
    let q = [1.0, 2.0, 3.0, 0.5, 0.5, -0.5, 0.5];
    let found = poses(&tossed(), [&q[..], &q[..]]);
    let one = [[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [1.0, 2.0, 3.0, 0.5, 0.5, -0.5, 0.5]].concat();
    assert_eq!(found, [one.clone(), one].concat());
}

fn surface(size: Vec3<f64>) -> ShapeParams<f64> {
    ShapeParams { placement: Transform::IDENTITY, size, material: Material::DEFAULT }
}

/// A ball of triangles, `n` rings of 2 n.
fn ball(n: usize) -> Surface {
    let mut corners = Vec::new();
    let mut triangles = Vec::new();
    let at = |ring: usize, k: usize| (ring * 2 * n + k % (2 * n)) as u32;
    for ring in 0..=n {
        let (height, around) = (std::f64::consts::PI * ring as f64 / n as f64).sin_cos();
        for k in 0..2 * n {
            let (sin, cos) = (std::f64::consts::PI * k as f64 / n as f64).sin_cos();
            corners.push(Vec3::new(height * cos, height * sin, around));
            if ring < n {
                triangles.push([at(ring, k), at(ring + 1, k), at(ring + 1, k + 1)]);
                triangles.push([at(ring, k), at(ring + 1, k + 1), at(ring, k + 1)]);
            }
        }
    }
    welded(Surface { corners, triangles })
}

fn volume(surface: &Surface) -> f64 {
    let of = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|k| surface.corners[k as usize]);
        a.dot(b.cross(c)) / 6.0
    };
    surface.triangles.iter().map(of).sum()
}

#[test]
fn a_simplified_ball_is_a_ball() {
    let fine = ball(60);
    let whole = volume(&fine);
    assert!((whole - 4.18).abs() < 0.02, "{whole}");
    let simple = simplify(fine.clone(), 500);
    assert!(simple.triangles.len() <= 500, "{}", simple.triangles.len());
    assert!((volume(&simple) / whole - 1.0).abs() < 0.02, "{}", volume(&simple));
    for corner in simple.triangles.iter().flatten().map(|k| simple.corners[*k as usize]) {
        assert!((corner.norm() - 1.0).abs() < 0.02, "{corner:?}");
    }
    assert_eq!(simplify(fine.clone(), 500), simple, "the same each time");
    let flat = welded(Surface {
        corners: (0..121).map(|k| Vec3::new(f64::from(k % 11), f64::from(k / 11), 0.0)).collect(),
        triangles: (0..110)
            .filter(|k| k % 11 < 10)
            .flat_map(|k| [[k, k + 1, k + 12], [k, k + 12, k + 11]])
            .collect(),
    });
    let simple = simplify(flat, 10);
    assert!(simple.triangles.len() <= 10, "{}", simple.triangles.len());
    let area: f64 = simple
        .triangles
        .iter()
        .map(|t| t.map(|k| simple.corners[k as usize]))
        .map(|[a, b, c]| 0.5 * (b - a).cross(c - a).norm())
        .sum();
    assert!((area - 100.0).abs() < 0.5, "borders stay: {area}");
}

#[test]
fn triangles_are_shared_out() {
    assert_eq!(share(vec![10, 20, 30], 100), 100);
    assert_eq!(share(vec![10, 200, 300], 110), 50);
    assert_eq!(share(vec![], 100), 100);
}

#[test]
fn a_scene_has_everything_and_survives_json() {
    let mut model = tossed();
    let mesh = ShapeKind::Mesh(Arc::new(Mesh { path: "lost.stl".into(), hull: None }));
    let frame = model.topology.frame("body").unwrap();
    let scene = Scene::of(&model);
    assert_eq!(scene.bodies, ["world", "body"]);
    assert_eq!(scene.parents, [0, 0]);
    assert_eq!(scene.ground, Some(-0.25));
    let roles: Vec<Role> = scene.geometries.iter().map(|geometry| geometry.role).collect();
    assert_eq!(roles, [Role::Visual, Role::Collision], "the crate is both, the ground neither");
    assert_eq!(scene.geometries[0].size, [0.1; 3]);
    assert_eq!((scene.joints[0].kind.as_str(), scene.joints[0].nq), ("free", 7));
    // The box of inertia: m (h₂² + h₃²) / 3.
    let MassBox { mass, mut half, .. } = scene.masses[0];
    half.sort_by(f64::total_cmp);
    let [a, b, c] = half.map(|h| h * h);
    for (moment, squares) in [(0.02, a + b), (0.03, a + c), (0.04, b + c)] {
        assert!((mass * squares / 3.0 - moment).abs() < 1e-12, "{half:?}");
    }
    // With a visual, the shape is not seen any more; and the mesh of this one is not there.
    let lost = Figure {
        name: "coat".into(),
        frame,
        kind: mesh,
        placement: Transform::IDENTITY,
        size: Vec3::new(1.0, 1.0, 1.0),
        mesh_file: None,
    };
    let form = Form::Figure(Box::new(lost));
    model.topology.visuals.push(Visual { form, colour: Some([1.0, 0.0, 0.0, 1.0]) });
    let scene = Scene::of(&model);
    assert_eq!(scene.geometries.len(), 2);
    assert!(scene.geometries[0].missing && scene.geometries[0].kind == Kind::Box);
    assert_eq!(scene.notes, ["mesh \"lost.stl\" of \"coat\" is drawn as a box: it was not found"]);
    let text = serde_json::to_string(&scene).unwrap();
    assert!(text.contains(r#""role":"visual","kind":"box""#), "{text}");
    assert_eq!(serde_json::from_str::<Scene>(&text).unwrap(), scene);
}

#[test]
fn a_mesh_is_kept_once_in_its_own_colours() {
    let folder = std::env::temp_dir().join(format!("gradbody-draw-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let obj =
        "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nusemtl r\nf 1 3 2\nusemtl g\nf 1 2 4\n";
    std::fs::write(folder.join("a.mtl"), "newmtl r\nKd 1 0 0\nnewmtl g\nKd 0 1 0\n").unwrap();
    std::fs::write(folder.join("a.obj"), obj).unwrap();
    let visual = "<visual><geometry><mesh filename=\"a.obj\"/></geometry></visual>";
    let coloured = "<visual><geometry><mesh filename=\"a.obj\"/></geometry><material name=\"b\"><color rgba=\"0 0 1 1\"/></material></visual>";
    let text = format!(
        "<robot name=\"r\"><link name=\"l\">{visual}{coloured}{visual}{coloured}</link></robot>"
    );
    std::fs::write(folder.join("r.urdf"), text).unwrap();
    let options = gradbody_model::import::ImportOptions::default();
    let model = gradbody_model::import::load(folder.join("r.urdf"), &options).unwrap().model;
    let scene = Scene::of(&model);
    let seen: Vec<_> =
        scene.geometries.iter().map(|g| (g.mesh.unwrap(), g.colour.unwrap())).collect();
    let [red, green, blue] = [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]];
    assert_eq!(seen, [(0, red), (1, green), (2, blue), (0, red), (1, green), (2, blue)]);
    assert_eq!(scene.meshes[2].triangles, [0, 1, 2, 0, 2, 3]);
    assert_eq!(scene.meshes[2].positions.len(), 12);
    std::fs::remove_dir_all(folder).unwrap();
}
