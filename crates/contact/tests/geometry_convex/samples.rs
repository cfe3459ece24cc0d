//! Shapes of all convex kinds and sizes, as the code under test, an oracle and parry have them.

use std::sync::Arc;

use gradbody_contact::geometry::Placed;
use gradbody_math::{Mat3, Scalar, Transform, Vec3};
use gradbody_model::{Hull, Mesh, Outline, ShapeKind};
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::shape as parry;

use crate::random::Random;

/// A shape with its size, in one world.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) kind: ShapeKind,
    pub(crate) size: Vec3<f64>,
}

impl Sample {
    pub(crate) fn placed<S: Scalar>(&self, pose: &Transform<f64>) -> Placed<'_, S> {
        let cols = pose.rot.cols.map(|c| c.map(S::from_f64));
        let rot = Mat3::from_cols(cols[0], cols[1], cols[2]);
        let pose_w = Transform::new(rot, pose.pos.map(S::from_f64));
        Placed { kind: &self.kind, pose_w, size: self.size.map(S::from_f64) }
    }

    /// The farthest point along `d`, in its own frame; written apart from the code under test.
    pub(crate) fn support(&self, d: Vec3<f64>) -> Vec3<f64> {
        let Vec3 { x, y, z } = self.size;
        let best = |points: &mut dyn Iterator<Item = Vec3<f64>>| {
            points.max_by(|p, q| p.dot(d).total_cmp(&q.dot(d))).unwrap()
        };
        match &self.kind {
            ShapeKind::Sphere => d * x,
            ShapeKind::Capsule => d * x + Vec3::new(0.0, 0.0, y * d.z.signum()),
            ShapeKind::Box => Vec3::new(x * d.x.signum(), y * d.y.signum(), z * d.z.signum()),
            ShapeKind::Cylinder => {
                let out = d.x.hypot(d.y).max(1e-300);
                Vec3::new(x * d.x / out, x * d.y / out, y * d.z.signum())
            }
            ShapeKind::Ellipsoid => {
                let stretched = Vec3::new(x * d.x, y * d.y, z * d.z);
                let unit = stretched * (1.0 / stretched.norm());
                Vec3::new(x * unit.x, y * unit.y, z * unit.z)
            }
            ShapeKind::Mesh(mesh) => {
                let hull = mesh.hull.as_ref().unwrap();
                best(&mut hull.vertices.iter().map(|v| Vec3::new(v.x * x, v.y * y, v.z * z)))
            }
            ShapeKind::Extrusion(outline) => best(
                &mut outline
                    .corners
                    .iter()
                    .map(|c| Vec3::new(c[0] * x, c[1] * y, z * d.z.signum())),
            ),
            _ => unreachable!(),
        }
    }

    pub(crate) fn parry(&self) -> (Box<dyn parry::Shape>, Pose) {
        let Vec3 { x, y, z } = self.size;
        let solid = |points: Vec<Vector>| -> Box<dyn parry::Shape> {
            Box::new(parry::ConvexPolyhedron::from_convex_hull(&points).unwrap())
        };
        let mut turn = Pose::IDENTITY;
        let shape: Box<dyn parry::Shape> = match &self.kind {
            ShapeKind::Sphere => Box::new(parry::Ball::new(x)),
            ShapeKind::Capsule => Box::new(parry::Capsule::new_z(y, x)),
            ShapeKind::Box => Box::new(parry::Cuboid::new(Vector::new(x, y, z))),
            ShapeKind::Cylinder => {
                turn = Pose::from_rotation(Rotation::from_rotation_x(std::f64::consts::FRAC_PI_2));
                Box::new(parry::Cylinder::new(y, x))
            }
            ShapeKind::Mesh(mesh) => {
                let vertices = &mesh.hull.as_ref().unwrap().vertices;
                solid(vertices.iter().map(|v| Vector::new(v.x * x, v.y * y, v.z * z)).collect())
            }
            ShapeKind::Extrusion(outline) => {
                let ends = outline.corners.iter().flat_map(|c| [-z, z].map(|z| (c, z)));
                solid(ends.map(|(c, z)| Vector::new(c[0] * x, c[1] * y, z)).collect())
            }
            ShapeKind::Ellipsoid => {
                // Points spread evenly over a sphere, along a spiral.
                let count = 1000;
                let point = |i: usize| {
                    let height = 1.0 - (2 * i + 1) as f64 / count as f64;
                    let (sin, cos) = (i as f64 * 2.399_963_229_728_653).sin_cos();
                    let out = (1.0 - height * height).sqrt();
                    Vector::new(x * out * cos, y * out * sin, z * height)
                };
                solid((0..count).map(point).collect())
            }
            _ => unreachable!(),
        };
        (shape, turn)
    }
}

const KINDS: [&str; 6] = ["capsule", "box", "cylinder", "ellipsoid", "mesh", "extrusion"];

pub(crate) fn pairs() -> impl Iterator<Item = (&'static str, &'static str)> {
    let all = KINDS.into_iter().flat_map(|a| KINDS.map(|b| (a, b)));
    let round = ["ellipsoid", "mesh"].map(|b| ("sphere", b));
    all.filter(|pair| *pair != ("capsule", "capsule")).chain(round)
}

pub(crate) fn sample(kind: &str, random: &mut Random) -> Sample {
    let mut length = || 0.2 + 0.3 * (random.uniform() + 1.0);
    let size = Vec3::new(length(), length(), length());
    let kind = match kind {
        "sphere" => ShapeKind::Sphere,
        "capsule" => ShapeKind::Capsule,
        "box" => ShapeKind::Box,
        "cylinder" => ShapeKind::Cylinder,
        "ellipsoid" => ShapeKind::Ellipsoid,
        "mesh" => {
            let points: Vec<_> = (0..12).map(|_| random.vec3()).collect();
            mesh(&points)
        }
        _ => {
            let corners = (0..5).map(|i| {
                let (sin, cos) = (f64::from(i) * 1.2566 + 0.3 * random.uniform()).sin_cos();
                [cos, sin]
            });
            ShapeKind::Extrusion(Arc::new(Outline::new(corners.collect()).unwrap()))
        }
    };
    Sample { kind, size }
}

pub(crate) fn mesh(points: &[Vec3<f64>]) -> ShapeKind {
    let hull = Some(Hull::of_points(points).unwrap());
    ShapeKind::Mesh(Arc::new(Mesh { path: "".into(), hull }))
}

pub(crate) fn cuboid(x: f64, y: f64, z: f64) -> Sample {
    Sample { kind: ShapeKind::Box, size: Vec3::new(x, y, z) }
}
