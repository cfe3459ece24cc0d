//! The outline of a shape: lines on its surface, and balls and capsules whose outline depends on the view.

use std::collections::HashMap;
use std::f64::consts::TAU;

use gradbody_math::Vec3;
use gradbody_model::{Hull, ShapeKind};

/// Corners of the polygon that is drawn for a circle.
const AROUND: usize = 32;
/// Edges of a hull that are drawn at most, the sharpest ones.
const MOST_EDGES: usize = 200;
/// Half the side of a plane that is not a level ground, as it is drawn [m].
const PLANE: f64 = 1.0;
/// Half the length of a cross at a point of contact [m].
const CROSS: f64 = 0.003;

type Line = Vec<Vec3<f64>>;
/// The ends of a ball or capsule, and its radius.
type Ends = ([Vec3<f64>; 2], f64);

/// The lines that draw a shape in its own frame, and its balls and capsules.
pub(crate) fn outline(kind: &ShapeKind, size: Vec3<f64>) -> (Vec<Line>, Vec<Ends>) {
    let (x, y, z) = (Vec3::X, Vec3::Y, Vec3::Z);
    match kind {
        ShapeKind::Sphere => {
            // A circle on it shows how it turns.
            let r = size.x;
            (vec![circle(Vec3::ZERO, x * r, z * r)], vec![([Vec3::ZERO; 2], r)])
        }
        ShapeKind::Capsule => (vec![], vec![([z * size.y, z * -size.y], size.x)]),
        ShapeKind::Cylinder => {
            let (r, up) = (size.x, z * size.y);
            let rim = |centre: Vec3<f64>| circle(centre, x * r, y * r);
            let side = |p: Vec3<f64>| vec![p - up, p + up];
            let sides = [x * r, y * r, x * -r, y * -r].map(side);
            ([rim(up), rim(-up)].into_iter().chain(sides).collect(), vec![])
        }
        ShapeKind::Box => {
            let base = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
            (prism(&base.map(|[a, b]| [a * size.x, b * size.y]), size.z), vec![])
        }
        ShapeKind::Ellipsoid => {
            let (a, b, c) = (x * size.x, y * size.y, z * size.z);
            let around = |one, other| circle(Vec3::ZERO, one, other);
            (vec![around(a, b), around(b, c), around(c, a)], vec![])
        }
        ShapeKind::Plane => {
            let (x, y) = (x * PLANE, y * PLANE);
            let lines = (-4..=4)
                .map(|k| 0.25 * f64::from(k))
                .flat_map(|at| [vec![x * at - y, x * at + y], vec![y * at - x, y * at + x]]);
            (lines.collect(), vec![])
        }
        ShapeKind::Mesh(mesh) => {
            let scaled = |p: Vec3<f64>| Vec3::new(p.x * size.x, p.y * size.y, p.z * size.z);
            let edges = mesh.hull.as_ref().map_or(vec![], edges);
            (edges.into_iter().map(|edge| edge.map(scaled).to_vec()).collect(), vec![])
        }
        ShapeKind::Extrusion(outline) => {
            let corner = |c: &[f64; 2]| [c[0] * size.x, c[1] * size.y];
            let corners: Vec<[f64; 2]> = outline.corners.iter().map(corner).collect();
            (prism(&corners, size.z), vec![])
        }
        ShapeKind::Points(points) => {
            let cross = |p: &Vec3<f64>| {
                let p = Vec3::new(p.x * size.x, p.y * size.y, p.z * size.z);
                [x, y, z].map(|axis| vec![p - axis * CROSS, p + axis * CROSS])
            };
            (points.iter().flat_map(cross).collect(), vec![])
        }
    }
}

/// A closed line around a centre through the ends of two half axes.
fn circle(centre: Vec3<f64>, one: Vec3<f64>, other: Vec3<f64>) -> Line {
    let at = |k: usize| {
        let (sin, cos) = (TAU * (k % AROUND) as f64 / AROUND as f64).sin_cos();
        centre + one * cos + other * sin
    };
    (0..=AROUND).map(at).collect()
}

/// A base below and above, and the edges between.
fn prism(base: &[[f64; 2]], half: f64) -> Vec<Line> {
    let around = |z: f64| -> Line {
        base.iter().chain(base.first()).map(|[x, y]| Vec3::new(*x, *y, z)).collect()
    };
    let side = |[x, y]: &[f64; 2]| vec![Vec3::new(*x, *y, -half), Vec3::new(*x, *y, half)];
    [around(-half), around(half)].into_iter().chain(base.iter().map(side)).collect()
}

/// The edges of a hull; of many, the sharpest.
fn edges(hull: &Hull) -> Vec<[Vec3<f64>; 2]> {
    // The cosine between the normals of the faces on both sides.
    let mut found: HashMap<(u32, u32), (usize, f64)> = HashMap::new();
    for (f, face) in hull.faces.iter().enumerate() {
        for (i, a) in face.iter().enumerate() {
            let b = face[(i + 1) % face.len()];
            let known = found.entry((*a.min(&b), *a.max(&b))).or_insert((f, -1.0));
            if known.0 != f {
                known.1 = hull.normals[known.0].dot(hull.normals[f]);
            }
        }
    }
    let mut edges: Vec<((u32, u32), f64)> = found.into_iter().map(|(e, (_, c))| (e, c)).collect();
    edges.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    edges.truncate(MOST_EDGES);
    let corner = |k: u32| hull.vertices[k as usize];
    edges.into_iter().map(|((a, b), _)| [corner(a), corner(b)]).collect()
}
