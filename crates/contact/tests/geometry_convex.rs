//! Convex pairs: distance and penetration, the number of places, derivatives, lanes, odd input.

mod support;

use std::sync::Arc;

use gradbody_contact::geometry::{FAR, Placed, Scratch, Touch, slots, touches};
use gradbody_math::{Dual, Lanes, Mat3, Quat, Scalar, Transform, Vec3};
use gradbody_model::{Hull, Mesh, Outline, ShapeKind};
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::query;
use parry3d_f64::shape as parry;

use support::random::Random;

/// A shape with its size, in one world.
#[derive(Clone, Debug)]
struct Sample {
    kind: ShapeKind,
    size: Vec3<f64>,
}

impl Sample {
    fn placed<S: Scalar>(&self, pose: &Transform<f64>) -> Placed<'_, S> {
        let cols = pose.rot.cols.map(|c| c.map(S::from_f64));
        let rot = Mat3::from_cols(cols[0], cols[1], cols[2]);
        let pose_w = Transform::new(rot, pose.pos.map(S::from_f64));
        Placed { kind: &self.kind, pose_w, size: self.size.map(S::from_f64) }
    }

    /// The farthest point along `d`, in its own frame; written apart from the code under test.
    fn support(&self, d: Vec3<f64>) -> Vec3<f64> {
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

    fn parry(&self) -> (Box<dyn parry::Shape>, Pose) {
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

fn parry_pose(pose: &Transform<f64>) -> Pose {
    let q = Quat::from_mat3(&pose.rot);
    let rotation = Rotation::from_xyzw(q.x, q.y, q.z, q.w);
    Pose::from_parts(Vector::new(pose.pos.x, pose.pos.y, pose.pos.z), rotation)
}

const KINDS: [&str; 6] = ["capsule", "box", "cylinder", "ellipsoid", "mesh", "extrusion"];

fn sample(kind: &str, random: &mut Random) -> Sample {
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

fn mesh(points: &[Vec3<f64>]) -> ShapeKind {
    let hull = Some(Hull::of_points(points).unwrap());
    ShapeKind::Mesh(Arc::new(Mesh { path: "".into(), hull }))
}

fn touch<S: Scalar>(a: &Placed<'_, S>, b: &Placed<'_, S>) -> Vec<Touch<S>> {
    let mut out = Vec::new();
    touches(a, b, &mut Scratch::default(), &mut out);
    assert_eq!(out.len(), slots(a.kind, b.kind));
    out
}

/// The places that are there.
fn near(
    a: &Sample,
    pose_a: &Transform<f64>,
    b: &Sample,
    pose_b: &Transform<f64>,
) -> Vec<Touch<f64>> {
    let mut out = touch(&a.placed(pose_a), &b.placed(pose_b));
    out.retain(|t| t.gap < 0.5 * FAR);
    out
}

fn deepest<S: Scalar>(all: &[Touch<S>]) -> Touch<S> {
    *all.iter().min_by(|x, y| x.gap.lane(0).total_cmp(&y.gap.lane(0))).unwrap()
}

fn separation(
    a: &Sample,
    pose_a: &Transform<f64>,
    b: &Sample,
    pose_b: &Transform<f64>,
    n: Vec3<f64>,
) -> f64 {
    let point = |s: &Sample, pose: &Transform<f64>, d: Vec3<f64>| {
        pose.point(s.support(pose.rot.transpose_mul(d)))
    };
    (point(b, pose_b, -n) - point(a, pose_a, n)).dot(n)
}

/// A face may be taken though an edge is better by a hair.
const SLACK: f64 = 1e-4;

fn pairs() -> impl Iterator<Item = (&'static str, &'static str)> {
    let all = KINDS.into_iter().flat_map(|a| KINDS.map(|b| (a, b)));
    let round = ["ellipsoid", "mesh"].map(|b| ("sphere", b));
    all.filter(|pair| *pair != ("capsule", "capsule")).chain(round)
}

/// What is wrong with the places of two shapes, against directions and against parry.
fn faults(a: &Sample, pose_a: &Transform<f64>, b: &Sample, pose_b: &Transform<f64>) -> Vec<String> {
    let mut faults = Vec::new();
    let all = near(a, pose_a, b, pose_b);
    if all.is_empty() {
        return vec!["no place".into()];
    }
    let length = 0.5;
    let ours = deepest(&all);
    if (ours.normal_w.norm() - 1.0).abs() > 1e-12 {
        faults.push(format!("normal {:?}", ours.normal_w));
    }
    // The normal separates as much as the gap says.
    let along = separation(a, pose_a, b, pose_b, ours.normal_w);
    if along > ours.gap + 1e-9 || along < ours.gap - SLACK * length {
        faults.push(format!("gap {} but {along} along the normal", ours.gap));
    }
    // No direction near the normal separates more.
    let mut random = Random::new(5);
    for reach in [1e-1, 1e-2, 1e-3].into_iter().cycle().take(300) {
        let n = (ours.normal_w + random.vec3() * reach).normalized_or(Vec3::X);
        let other = separation(a, pose_a, b, pose_b, n);
        if other > ours.gap + SLACK * length {
            faults.push(format!("gap {} but {other} nearby ({reach})", ours.gap));
            break;
        }
    }
    let ((shape_a, turn_a), (shape_b, turn_b)) = (a.parry(), b.parry());
    let (place_a, place_b) = (parry_pose(pose_a) * turn_a, parry_pose(pose_b) * turn_b);
    let theirs = query::contact(&place_a, &*shape_a, &place_b, &*shape_b, 10.0);
    let Ok(Some(theirs)) = theirs else { return faults };
    let ellipsoid = [&a.kind, &b.kind].contains(&&ShapeKind::Ellipsoid);
    let tolerance = if ellipsoid { 4e-3 } else { 1e-6 + SLACK * length };
    // What parry's normal does separate by. Of the many ways out of a deep penetration of an
    // ellipsoid, one nearly as short will do.
    let n = Vec3::new(theirs.normal1.x, theirs.normal1.y, theirs.normal1.z);
    let possible = separation(a, pose_a, b, pose_b, n);
    let slack = if ellipsoid { tolerance + 0.01 * possible.abs() } else { tolerance };
    let worse = ours.gap < possible - slack;
    if worse || (theirs.dist > 0.0 && (ours.gap - theirs.dist).abs() > tolerance) {
        faults.push(format!("gap {}, parry's is {}", ours.gap, theirs.dist));
    }
    faults
}

#[test]
fn distance_and_penetration_are_those_of_parry() {
    let mut all = Vec::new();
    for (name_a, name_b) in pairs() {
        let mut random = Random::new(7);
        for round in 0..60 {
            let (a, b) = (sample(name_a, &mut random), sample(name_b, &mut random));
            let pose_a = random.pose(0.2);
            let pose_b = random.pose([0.2, 0.6, 1.5][round % 3]);
            for fault in faults(&a, &pose_a, &b, &pose_b) {
                all.push(format!("{name_a}, {name_b}, number {round}: {fault}"));
            }
        }
    }
    assert!(all.is_empty(), "{} faults:\n{}", all.len(), all.join("\n"));
}

/// Faces, edges and axes in line, touching exactly or nearly: what algorithms of this kind fear.
#[test]
fn shapes_in_line_touch_where_they_should() {
    let mut all = Vec::new();
    let eighth = std::f64::consts::FRAC_PI_4;
    for (name_a, name_b) in pairs() {
        let mut random = Random::new(29);
        for round in 0..120 {
            let (mut a, mut b) = (sample(name_a, &mut random), sample(name_b, &mut random));
            if round % 2 == 0 {
                (a.size, b.size) = (Vec3::new(0.5, 0.5, 0.5), Vec3::new(0.5, 0.5, 0.5));
            }
            let mut turn = || eighth * (4.0 * random.uniform()).round();
            let pose_a = turned([turn(), turn(), turn()], [0.0; 3]);
            let mut pose_b = turned([turn(), turn(), turn()], [0.0; 3]);
            // Along an axis or a diagonal, to the distance where the gap along it is this.
            let mut whole = || (1.4 * random.uniform()).round();
            let way = Vec3::new(whole(), whole(), whole()).normalized_or(Vec3::Z);
            let gap = [0.0, 1e-12, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6, 1e-3, -1e-3, -0.1][round % 10];
            pose_b.pos = way * (gap - separation(&a, &pose_a, &b, &pose_b, way));
            for fault in faults(&a, &pose_a, &b, &pose_b) {
                all.push(format!("{name_a}, {name_b}, number {round}, {gap}: {fault}"));
            }
        }
    }
    assert!(all.is_empty(), "{} faults:\n{}", all.len(), all.join("\n"));
}

fn cuboid(x: f64, y: f64, z: f64) -> Sample {
    Sample { kind: ShapeKind::Box, size: Vec3::new(x, y, z) }
}

fn at(x: f64, y: f64, z: f64) -> Transform<f64> {
    Transform::from_translation(Vec3::new(x, y, z))
}

fn turned(rpy: [f64; 3], pos: [f64; 3]) -> Transform<f64> {
    Transform::new(Mat3::from_rpy(Vec3::from_f64(rpy)), Vec3::from_f64(pos))
}

const HERE: Transform<f64> = Transform::IDENTITY;

/// Gaps, and normals from a to b.
fn assert_all(places: &[Touch<f64>], count: usize, gap: f64, normal: Vec3<f64>) {
    assert_eq!(places.len(), count, "{places:#?}");
    for place in places {
        assert!((place.gap - gap).abs() < 1e-9, "{place:?}");
        assert!((place.normal_w - normal).norm() < 1e-9, "{place:?}");
    }
}

#[test]
fn boxes_on_boxes() {
    let (table, brick) = (cuboid(0.5, 0.5, 0.1), cuboid(0.1, 0.2, 0.05));
    for gap in [0.01, 1e-7, 0.0, -1e-7, -0.01] {
        let above = at(0.1, 0.1, 0.15 + gap);
        assert_all(&near(&table, &HERE, &brick, &above), 4, gap, Vec3::Z);
        assert_all(&near(&brick, &above, &table, &HERE), 4, gap, -Vec3::Z);
        // A hair of tilt changes nothing much.
        let tilted = turned([1e-7, -2e-7, 0.3], [0.1, 0.1, 0.15 + gap]);
        assert_eq!(near(&table, &HERE, &brick, &tilted).len(), 4);
        // Of the same size, corner on corner.
        assert_all(&near(&table, &HERE, &table, &at(0.0, 0.0, 0.2 + gap)), 4, gap, Vec3::Z);
        // Turned against each other: an octagon.
        let crossed = turned([0.0, 0.0, 0.785], [0.0, 0.0, 0.2 + gap]);
        assert_all(&near(&table, &HERE, &table, &crossed), 8, gap, Vec3::Z);
        // Half over the border.
        assert_all(&near(&table, &HERE, &brick, &at(0.5, 0.0, 0.15 + gap)), 4, gap, Vec3::Z);
    }
}

#[test]
fn an_edge_across_an_edge_is_one_place() {
    let beam = cuboid(0.5, 0.1, 0.1);
    let half = 0.1 * 2f64.sqrt();
    let quarter = std::f64::consts::FRAC_PI_4;
    for gap in [0.02, -0.02] {
        let a = turned([quarter, 0.0, 0.0], [0.0; 3]);
        let b = turned([quarter, 0.0, 1.2], [0.1, 0.05, 2.0 * half + gap]);
        let places = near(&beam, &a, &beam, &b);
        assert_all(&places, 1, gap, Vec3::Z);
        // Where the two edges cross, seen from above.
        let slope = 1.2f64.tan();
        let cross = Vec3::new(0.1 - 0.05 / slope, 0.0, half + 0.5 * gap);
        assert!((places[0].point_w - cross).norm() < 1e-9, "{:?}", places[0]);
    }
}

#[test]
fn cylinders_stand_and_lie() {
    let table = cuboid(0.5, 0.5, 0.1);
    let can = Sample { kind: ShapeKind::Cylinder, size: Vec3::new(0.1, 0.2, 0.0) };
    let quarter = std::f64::consts::FRAC_PI_2;
    for gap in [0.01, 0.0, -0.01] {
        let standing = near(&table, &HERE, &can, &at(0.0, 0.1, 0.3 + gap));
        assert_all(&standing, 8, gap, Vec3::Z);
        for place in &standing {
            let out = (place.point_w - Vec3::new(0.0, 0.1, 0.0)).map(|x| x);
            assert!((out.x.hypot(out.y) - 0.1).abs() < 1e-9, "a place is not on the rim");
        }
        let lying = near(&table, &HERE, &can, &turned([quarter, 0.0, 0.4], [0.0, 0.0, 0.2 + gap]));
        assert_all(&lying, 2, gap, Vec3::Z);
        let on_can = near(&can, &HERE, &can, &at(0.02, 0.0, 0.4 + gap));
        assert!(on_can.len() >= 4);
        // Side by side: two places along the common line.
        let beside = near(&can, &HERE, &can, &at(0.2 + gap, 0.0, 0.1));
        assert_all(&beside, 2, gap, Vec3::X);
        assert!((beside[0].point_w.z - beside[1].point_w.z).abs() > 0.29, "{beside:?}");
    }
}

#[test]
fn capsules_lie_and_cross() {
    let table = cuboid(0.5, 0.5, 0.1);
    let rod = Sample { kind: ShapeKind::Capsule, size: Vec3::new(0.05, 0.2, 0.0) };
    let quarter = std::f64::consts::FRAC_PI_2;
    for gap in [0.01, 0.0, -0.01] {
        let lying = turned([quarter, 0.0, 0.4], [0.0, 0.0, 0.15 + gap]);
        let places = near(&table, &HERE, &rod, &lying);
        assert_all(&places, 2, gap, Vec3::Z);
        assert!((places[0].point_w - places[1].point_w).norm() > 0.39);
        let standing = near(&table, &HERE, &rod, &at(0.1, 0.0, 0.35 + gap));
        assert!((deepest(&standing).gap - gap).abs() < 1e-12);
        // Across the border, at an edge of the table.
        let (half, out) = (0.5f64.sqrt(), 0.05 + gap);
        let across = turned([0.0, 1.5 * quarter, 0.0], [0.5 + half * out, 0.0, 0.1 + half * out]);
        let side = at(0.55 + gap, 0.0, 0.0);
        let normal = Vec3::new(half, 0.0, half);
        assert_all(&near(&table, &HERE, &rod, &across), 1, gap, normal);
        assert_all(&near(&table, &HERE, &rod, &side), 2, gap, Vec3::X);
    }
}

#[test]
fn the_same_places_wherever_the_pair_is() {
    for (name_a, name_b) in pairs() {
        let mut random = Random::new(11);
        for _ in 0..20 {
            let (a, b) = (sample(name_a, &mut random), sample(name_b, &mut random));
            let (pose_a, pose_b, moved) = (random.pose(0.2), random.pose(0.7), random.pose(3.0));
            let here = near(&a, &pose_a, &b, &pose_b);
            let there = near(&a, &(moved * pose_a), &b, &(moved * pose_b));
            assert_eq!(here.len(), there.len(), "{name_a}, {name_b}");
            for (x, y) in here.iter().zip(&there) {
                let point = (moved.point(x.point_w) - y.point_w).norm();
                let normal = (moved.vector(x.normal_w) - y.normal_w).norm();
                let off = (x.gap - y.gap).abs().max(point).max(normal);
                assert!(off < 1e-6, "{name_a}, {name_b}: {x:?} {y:?}");
            }
        }
    }
}

#[test]
fn exchanged_shapes_touch_alike() {
    let mut off_by = Vec::new();
    for (name_a, name_b) in pairs() {
        let mut random = Random::new(13);
        for round in 0..30 {
            let (a, b) = (sample(name_a, &mut random), sample(name_b, &mut random));
            let (pose_a, pose_b) = (random.pose(0.2), random.pose(0.8));
            let there = deepest(&near(&a, &pose_a, &b, &pose_b));
            let back = deepest(&near(&b, &pose_b, &a, &pose_a));
            let gap = (there.gap - back.gap).abs();
            // Deep inside there may be several ways out, nearly as long.
            let normal = (there.normal_w + back.normal_w).norm();
            if gap > SLACK || (there.gap > 0.0 && normal > 1e-2) {
                off_by.push(format!("{name_a}, {name_b}, {round}: {there:?} {back:?}"));
            }
        }
    }
    assert!(off_by.is_empty(), "{} differ:\n{}", off_by.len(), off_by.join("\n"));
}

type Dual12 = Dual<f64, 18>;

/// Both poses moved and turned by twelve numbers, both sizes changed by six.
fn varied<S: Scalar>(
    x: &[S],
    a: &Sample,
    pose_a: &Transform<f64>,
    b: &Sample,
    pose_b: &Transform<f64>,
) -> (Transform<S>, Vec3<S>, Transform<S>, Vec3<S>) {
    let pose = |p: &Transform<f64>, x: &[S]| {
        let cols = p.rot.cols.map(|c| c.map(S::from_f64));
        let rot = Quat::exp(Vec3::from_slice(&x[3..])).to_mat3();
        let pos = p.pos.map(S::from_f64) + Vec3::from_slice(x);
        Transform::new(rot * Mat3::from_cols(cols[0], cols[1], cols[2]), pos)
    };
    let size = |s: &Sample, x: &[S]| s.size.map(S::from_f64) + Vec3::from_slice(x);
    (pose(pose_a, &x[..6]), size(a, &x[12..]), pose(pose_b, &x[6..12]), size(b, &x[15..]))
}

#[test]
fn derivatives_are_those_of_finite_differences() {
    let mut wrong = Vec::new();
    let mut checked = 0;
    for (name_a, name_b) in pairs() {
        let mut random = Random::new(17);
        for round in 0..12 {
            let (a, b) = (sample(name_a, &mut random), sample(name_b, &mut random));
            let (pose_a, pose_b) = (random.pose(0.1), random.pose(0.7));
            let plain = |x: &[f64]| {
                let (pa, sa, pb, sb) = varied(x, &a, &pose_a, &b, &pose_b);
                touch(
                    &Placed { kind: &a.kind, pose_w: pa, size: sa },
                    &Placed { kind: &b.kind, pose_w: pb, size: sb },
                )
            };
            let x: [Dual12; 18] = std::array::from_fn(|i| Dual::variable(0.0, i));
            let (pa, sa, pb, sb) = varied(&x, &a, &pose_a, &b, &pose_b);
            let dual = touch(
                &Placed { kind: &a.kind, pose_w: pa, size: sa },
                &Placed { kind: &b.kind, pose_w: pb, size: sb },
            );
            let k =
                (0..dual.len()).min_by(|i, j| dual[*i].gap.re.total_cmp(&dual[*j].gap.re)).unwrap();
            for i in 0..18 {
                let step = 1e-5;
                let moved = |h: f64| {
                    let mut x = [0.0; 18];
                    x[i] = h;
                    plain(&x)
                };
                let (low, high) = (moved(-step), moved(step));
                // Another feature: no derivative to compare with.
                let near = |t: &Touch<f64>| {
                    let normal = t.normal_w - dual[k].normal_w.map(|x| x.re);
                    let point = t.point_w - dual[k].point_w.map(|x| x.re);
                    normal.norm() < 1e-3 && point.norm() < 1e-3
                };
                if !near(&low[k]) || !near(&high[k]) {
                    continue;
                }
                checked += 1;
                let difference =
                    |f: &dyn Fn(&Touch<f64>) -> f64| (f(&high[k]) - f(&low[k])) / (2.0 * step);
                let mut compare = |what: &str, ours: f64, theirs: f64, tolerance: f64| {
                    if (ours - theirs).abs() > tolerance {
                        wrong.push(format!(
                            "{name_a}, {name_b}, {round}, {i}: {what} {ours} {theirs}, gap {}",
                            dual[k].gap.re
                        ));
                    }
                };
                compare("gap", dual[k].gap.eps[i], difference(&|t| t.gap), 1e-5);
                for c in 0..3 {
                    let normal = difference(&|t| t.normal_w[c]);
                    compare("normal", dual[k].normal_w[c].eps[i], normal, 1e-3);
                }
            }
        }
    }
    assert!(checked > 1000);
    assert!(wrong.is_empty(), "{} of {checked}:\n{}", wrong.len(), wrong.join("\n"));
}

/// The point follows the contact where no corner is made by cutting.
#[test]
fn points_of_round_shapes_and_edges_have_derivatives() {
    let beam = cuboid(0.5, 0.1, 0.1);
    let egg = Sample { kind: ShapeKind::Ellipsoid, size: Vec3::new(0.1, 0.2, 0.3) };
    let coin = Sample { kind: ShapeKind::Cylinder, size: Vec3::new(0.3, 0.05, 0.0) };
    let quarter = std::f64::consts::FRAC_PI_4;
    let cases = [
        (
            &beam,
            turned([quarter, 0.0, 0.0], [0.0; 3]),
            &beam,
            turned([quarter, 0.0, 1.2], [0.1, 0.05, 0.27]),
        ),
        (&egg, HERE, &egg, turned([0.3, 0.8, 0.1], [0.05, 0.2, 0.35])),
        (&beam, HERE, &egg, turned([0.3, 0.8, 0.1], [0.05, 0.02, 0.32])),
        (
            &beam,
            turned([quarter, 0.0, 0.0], [0.0; 3]),
            &egg,
            turned([0.3, 0.8, 0.1], [0.05, 0.02, 0.4]),
        ),
        (&coin, turned([0.6, 0.1, 0.0], [0.0; 3]), &egg, turned([0.3, 0.8, 0.1], [0.0, 0.02, 0.4])),
        (&beam, HERE, &coin, turned([0.6, 0.2, 0.0], [0.0, 0.0, 0.3])),
    ];
    for (number, (a, pose_a, b, pose_b)) in cases.iter().enumerate() {
        let x: [Dual12; 18] = std::array::from_fn(|i| Dual::variable(0.0, i));
        let (pa, sa, pb, sb) = varied(&x, a, pose_a, b, pose_b);
        let dual = deepest(&touch(
            &Placed { kind: &a.kind, pose_w: pa, size: sa },
            &Placed { kind: &b.kind, pose_w: pb, size: sb },
        ));
        for i in 0..18 {
            let moved = |h: f64| {
                let mut x = [0.0; 18];
                x[i] = h;
                let (pa, sa, pb, sb) = varied(&x, a, pose_a, b, pose_b);
                deepest(&touch(
                    &Placed { kind: &a.kind, pose_w: pa, size: sa },
                    &Placed { kind: &b.kind, pose_w: pb, size: sb },
                ))
            };
            let (low, high) = (moved(-1e-5), moved(1e-5));
            for c in 0..3 {
                let point = (high.point_w[c] - low.point_w[c]) / 2e-5;
                let normal = (high.normal_w[c] - low.normal_w[c]) / 2e-5;
                let off = (dual.point_w[c].eps[i] - point).abs();
                let turn = (dual.normal_w[c].eps[i] - normal).abs();
                assert!(off < 1e-5 && turn < 1e-5, "case {number}, {i}, {c}: {off} {turn}");
            }
            let gap = (high.gap - low.gap) / 2e-5;
            assert!((dual.gap.eps[i] - gap).abs() < 1e-6, "case {number}, {i}");
        }
    }
}

/// A small shape within a large one's face: the points move with the corners of the small one,
/// whichever of the two comes first. Normals turn with one or the other, so that points and gaps may
/// differ by the gap times the turn.
#[test]
fn points_of_faces_move_with_their_corners() {
    let corners = (0..8).map(|i| {
        let end = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        Vec3::new(end(0), end(1), end(2))
    });
    let brick =
        Sample { kind: mesh(&corners.collect::<Vec<_>>()), size: Vec3::new(0.08, 0.12, 0.05) };
    let wedge = vec![[-1.0, -1.0], [1.0, -1.0], [0.3, 1.0]];
    let wedge = ShapeKind::Extrusion(Arc::new(Outline::new(wedge).unwrap()));
    let wedge = Sample { kind: wedge, size: Vec3::new(0.1, 0.12, 0.05) };
    let large = cuboid(0.5, 0.6, 0.1);
    let gap = -1e-3;
    let above = turned([0.0, 0.0, 0.3], [0.1, -0.05, 0.15 + gap]);
    for (small, count) in [(cuboid(0.1, 0.12, 0.05), 4), (brick, 4), (wedge, 3)] {
        for (a, pose_a, b, pose_b) in [(&small, above, &large, HERE), (&large, HERE, &small, above)]
        {
            let x: [Dual12; 18] = std::array::from_fn(|i| Dual::variable(0.0, i));
            let (pa, sa, pb, sb) = varied(&x, a, &pose_a, b, &pose_b);
            let dual = touch(
                &Placed { kind: &a.kind, pose_w: pa, size: sa },
                &Placed { kind: &b.kind, pose_w: pb, size: sb },
            );
            let dual: Vec<_> = dual.into_iter().filter(|t| t.gap.re < 0.5 * FAR).collect();
            assert_eq!(dual.len(), count);
            for (i, place) in (0..18).flat_map(|i| dual.iter().map(move |p| (i, p))) {
                let at = place.point_w.map(|x| x.re);
                let moved = |h: f64| {
                    let mut x = [0.0; 18];
                    x[i] = h;
                    let (pa, sa, pb, sb) = varied(&x, a, &pose_a, b, &pose_b);
                    let places = touch(
                        &Placed { kind: &a.kind, pose_w: pa, size: sa },
                        &Placed { kind: &b.kind, pose_w: pb, size: sb },
                    );
                    let far = |t: &Touch<f64>| (t.point_w - at).norm();
                    places.into_iter().min_by(|s, t| far(s).total_cmp(&far(t))).unwrap()
                };
                let step = 1e-6;
                let (low, high) = (moved(-step), moved(step));
                for c in 0..3 {
                    let want = (high.point_w[c] - low.point_w[c]) / (2.0 * step);
                    let got = place.point_w[c].eps[i];
                    assert!((got - want).abs() < 2.0 * gap.abs(), "{i}, {c}: {got} {want}");
                }
                let want = (high.gap - low.gap) / (2.0 * step);
                let got = place.gap.eps[i];
                assert!((got - want).abs() < 2.0 * gap.abs(), "gap, {i}: {got} {want}");
            }
        }
    }
}

#[test]
fn lanes_have_the_bits_of_single_worlds() {
    type Four = Lanes<f64, 4>;
    for (name_a, name_b) in pairs() {
        let mut random = Random::new(19);
        for _ in 0..10 {
            let (a, b) = (sample(name_a, &mut random), sample(name_b, &mut random));
            let poses: Vec<_> = (0..4).map(|_| (random.pose(0.2), random.pose(0.8))).collect();
            let gather = |of: &dyn Fn(usize) -> Transform<f64>| {
                let vector = |f: &dyn Fn(&Transform<f64>) -> Vec3<f64>| {
                    Vec3::new(
                        Four::from_lanes(|l| f(&of(l)).x),
                        Four::from_lanes(|l| f(&of(l)).y),
                        Four::from_lanes(|l| f(&of(l)).z),
                    )
                };
                let cols = [0, 1, 2].map(|i| vector(&|p| p.rot.cols[i]));
                Transform::new(Mat3 { cols }, vector(&|p| p.pos))
            };
            let wide = touch(
                &Placed { pose_w: gather(&|l| poses[l].0), ..a.placed::<Four>(&HERE) },
                &Placed { pose_w: gather(&|l| poses[l].1), ..b.placed::<Four>(&HERE) },
            );
            for (lane, (pose_a, pose_b)) in poses.iter().enumerate() {
                let alone = touch::<f64>(&a.placed(pose_a), &b.placed(pose_b));
                for (w, s) in wide.iter().zip(&alone) {
                    assert_eq!(w.gap.lane(lane).to_bits(), s.gap.to_bits(), "{name_a}, {name_b}");
                    assert_eq!(w.point_w.map(|x| x.lane(lane)), s.point_w);
                    assert_eq!(w.normal_w.map(|x| x.lane(lane)), s.normal_w);
                }
            }
        }
    }
}

#[test]
fn single_precision_is_as_near_as_it_can_be() {
    for (name_a, name_b) in pairs() {
        let mut random = Random::new(31);
        for _ in 0..20 {
            let (a, b) = (sample(name_a, &mut random), sample(name_b, &mut random));
            let (pose_a, pose_b) = (random.pose(0.2), random.pose(0.8));
            let double = deepest(&touch::<f64>(&a.placed(&pose_a), &b.placed(&pose_b)));
            let single = deepest(&touch::<f32>(&a.placed(&pose_a), &b.placed(&pose_b)));
            let off = (double.gap - f64::from(single.gap)).abs();
            assert!(off < 1e-5, "{name_a}, {name_b}: {double:?} {single:?}");
        }
    }
}

#[test]
fn degenerate_input_gives_finite_touches() {
    let mut random = Random::new(23);
    for (name_a, name_b) in pairs() {
        for round in 0..60 {
            let (mut a, mut b) = (sample(name_a, &mut random), sample(name_b, &mut random));
            let flatten = |s: &mut Sample, how: usize| match how {
                1 => s.size = Vec3::ZERO,
                2 => s.size.z = 0.0,
                3 => s.size.y = 0.0,
                4 => s.size.x = 0.0,
                5 => s.size = s.size * 1e-9,
                6 => s.size = s.size * 1e6,
                _ => {}
            };
            flatten(&mut a, round % 7);
            flatten(&mut b, round / 7 % 7);
            // The same place, the same orientation, along an axis.
            let pose_a = if round % 2 == 0 { HERE } else { random.pose(0.1) };
            let pose_b = [pose_a, HERE, at(0.0, 0.0, 0.3), random.pose(0.3)][round % 4];
            for place in touch::<f64>(&a.placed(&pose_a), &b.placed(&pose_b)) {
                let unit = (place.normal_w.norm() - 1.0).abs() < 1e-9;
                let finite = place.gap.is_finite() && place.point_w.is_finite();
                assert!(unit && finite, "{name_a}, {name_b}, {round}: {place:?}");
            }
            type D = Dual<f64, 1>;
            for place in touch::<D>(&a.placed(&pose_a), &b.placed(&pose_b)) {
                assert!(place.gap.is_finite() && place.normal_w.is_finite(), "{name_a}, {name_b}");
            }
        }
    }
    // Not a number: no places, no panic.
    let (a, b) = (cuboid(0.1, 0.1, 0.1), sample("mesh", &mut random));
    for bad in [f64::NAN, f64::INFINITY, 1e300] {
        let pose = at(bad, 0.0, 0.0);
        touch::<f64>(&a.placed(&pose), &b.placed(&HERE));
        touch::<f64>(&a.placed(&pose), &a.placed(&HERE));
        let odd = Sample { size: Vec3::new(bad, 0.1, 0.1), ..a.clone() };
        touch::<f64>(&odd.placed(&HERE), &b.placed(&HERE));
        touch::<f64>(&odd.placed(&HERE), &a.placed(&HERE));
    }
}

#[test]
fn a_mesh_stands_on_a_plane() {
    let mut corners = Vec::new();
    for i in 0..12 {
        let (sin, cos) = (f64::from(i) * std::f64::consts::TAU / 12.0).sin_cos();
        corners.extend([Vec3::new(cos, sin, 0.0), Vec3::new(0.5 * cos, 0.5 * sin, 2.0)]);
    }
    let cup = Sample { kind: mesh(&corners), size: Vec3::new(0.1, 0.1, 0.1) };
    let floor = Sample { kind: ShapeKind::Plane, size: Vec3::ZERO };
    assert_all(&near(&cup, &at(0.0, 0.0, -0.01), &floor, &HERE), 8, -0.01, -Vec3::Z);
    assert_all(&near(&floor, &HERE, &cup, &at(0.0, 0.0, 0.02)), 8, 0.02, Vec3::Z);
    // On its edge and on its corner, few.
    let tilted = near(&cup, &turned([0.7, 0.0, 0.1], [0.0, 0.0, 0.1]), &floor, &HERE);
    assert!((1..=3).contains(&tilted.len()), "{tilted:?}");
    // A mesh that could not be read touches nothing.
    let unread = ShapeKind::Mesh(Arc::new(Mesh { path: "a.dae".into(), hull: None }));
    let unread = Sample { kind: unread, size: Vec3::new(1.0, 1.0, 1.0) };
    assert_eq!(slots(&unread.kind, &floor.kind), 0);
    assert!(near(&unread, &HERE, &floor, &HERE).is_empty());
    assert!(near(&unread, &HERE, &cup, &HERE).is_empty());
}

#[test]
fn places_stay_when_what_stands_trembles() {
    let mut corners = Vec::new();
    for i in 0..32 {
        let (sin, cos) = (f64::from(i) * std::f64::consts::TAU / 32.0).sin_cos();
        corners.extend([Vec3::new(cos, sin, -1.0), Vec3::new(0.5 * cos, 0.5 * sin, 1.0)]);
    }
    let foot = Sample { kind: mesh(&corners), size: Vec3::new(0.1, 0.1, 0.1) };
    let can = Sample { kind: ShapeKind::Cylinder, size: Vec3::new(0.1, 0.1, 0.0) };
    let floor = Sample { kind: ShapeKind::Plane, size: Vec3::ZERO };
    let table = cuboid(0.5, 0.5, 0.1);
    let cases = [(&foot, &floor, 0.1), (&foot, &table, 0.2), (&can, &floor, 0.1)];
    for (number, (stands, on, height)) in cases.into_iter().chain([(&can, &table, 0.2)]).enumerate()
    {
        let still = near(stands, &at(0.0, 0.0, height), on, &HERE);
        let mut random = Random::new(3);
        for _ in 0..100 {
            let pose = turned((random.vec3() * 1e-7).to_array(), [0.0, 0.0, height]);
            let trembling = near(stands, &pose, on, &HERE);
            assert_eq!(trembling.len(), still.len());
            for (now, before) in trembling.iter().zip(&still) {
                let moved = (now.point_w - before.point_w).norm();
                assert!(moved < 1e-6, "case {number}: a place moved by {moved} m");
            }
        }
    }
}

/// Two walls that meet inwards are two places; a flat cap is one, though cuts between pieces cross it.
#[test]
fn round_shapes_touch_both_walls_of_a_groove_and_a_cap_once() {
    let corners = vec![[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [0.0, 0.0], [-1.0, 1.0]];
    let kind = ShapeKind::Extrusion(Arc::new(Outline::new(corners).unwrap()));
    let groove = Sample { kind, size: Vec3::new(1.0, 1.0, 0.5) };
    let ball = Sample { kind: ShapeKind::Sphere, size: Vec3::new(0.1, 0.0, 0.0) };
    let egg = Sample { kind: ShapeKind::Ellipsoid, size: Vec3::new(0.1, 0.1, 0.15) };
    for round in [&ball, &egg] {
        for (x, gap) in [(0.0, 1e-3), (1e-3, -1e-3), (-0.01, 0.0)] {
            let y = (0.1 + gap) * 2.0_f64.sqrt();
            let places = near(round, &at(x, y, 0.1), &groove, &HERE);
            assert_eq!(places.len(), 2, "{:?} {x} {gap} {places:?}", round.kind);
            for place in places {
                let wall = Vec3::new(place.normal_w.x.signum(), -1.0, 0.0) * 0.5_f64.sqrt();
                assert!((place.normal_w - wall).norm() < 1e-9, "{place:?}");
                let want = gap - x * wall.x;
                assert!((place.gap - want).abs() < 1e-9, "{place:?}, not {want}");
            }
        }
        // Over the cap, wherever its cuts are; above the convex corner beside the groove too.
        let height = if round.kind == ShapeKind::Sphere { 0.1 } else { 0.15 };
        let mut random = Random::new(11);
        for _ in 0..200 {
            let (x, y) = (0.9 * random.uniform(), 0.4 * random.uniform() - 0.5);
            for z in [0.5 + height + 1e-3, 0.5 + height - 1e-3] {
                let places = near(round, &at(x, y, z), &groove, &HERE);
                let low: Vec<_> = places.iter().filter(|p| p.gap < 2e-3).collect();
                assert_eq!(low.len(), 1, "{x} {y}: {places:?}");
                assert!((low[0].normal_w + Vec3::Z).norm() < 1e-9, "{places:?}");
            }
        }
    }
}

#[test]
fn a_concave_extrusion_touches_with_its_pieces() {
    // The letter U, open upwards along y; a box hangs in its mouth and stands on its bottom.
    let corners = vec![
        [-0.3, 0.0],
        [0.3, 0.0],
        [0.3, 0.5],
        [0.2, 0.5],
        [0.2, 0.1],
        [-0.2, 0.1],
        [-0.2, 0.5],
        [-0.3, 0.5],
    ];
    let kind = ShapeKind::Extrusion(Arc::new(Outline::new(corners).unwrap()));
    let letter = Sample { kind, size: Vec3::new(1.0, 1.0, 0.1) };
    let block = cuboid(0.15, 0.1, 0.05);
    for gap in [0.005, 0.0, -0.005] {
        let mut places = near(&letter, &HERE, &block, &at(0.0, 0.2 + gap, 0.0));
        places.retain(|p| p.gap < 0.01);
        // More than its corners where a cut between pieces crosses its sides.
        assert!((4..=8).contains(&places.len()));
        assert_all(&places, places.len(), gap, Vec3::Y);
        for (x, z) in [(0.15, 0.05), (-0.15, 0.05), (0.15, -0.05), (-0.15, -0.05)] {
            let corner = Vec3::new(x, 0.1 + 0.5 * gap, z);
            assert!(places.iter().any(|p| (p.point_w - corner).norm() < 1e-9), "{corner:?}");
        }
    }
    // Between the two arms, touching neither.
    let free = near(&letter, &HERE, &block, &at(0.0, 0.4, 0.0));
    assert!((deepest(&free).gap - 0.05).abs() < 1e-9, "{free:?}");
    // Lying flat on it, over the cuts between its pieces.
    let plate = cuboid(0.3, 0.3, 0.05);
    let places = near(&letter, &HERE, &plate, &at(0.0, 0.25, 0.149));
    assert!(places.len() >= 4);
    for place in places {
        assert!(
            (place.gap + 0.001).abs() < 1e-9 && (place.normal_w - Vec3::Z).norm() < 1e-9,
            "{place:?}"
        );
    }
}

#[test]
fn shapes_out_of_reach_have_no_places() {
    let (a, b) = (cuboid(0.1, 0.1, 0.1), cuboid(0.1, 0.2, 0.1));
    let egg = Sample { kind: ShapeKind::Ellipsoid, size: Vec3::new(0.1, 0.2, 0.3) };
    let mut scratch = Scratch::default();
    scratch.set_reach(0.01);
    for b in [&b, &egg] {
        let mut out = Vec::new();
        touches::<f64>(&a.placed(&HERE), &b.placed(&at(0.22, 0.0, 0.0)), &mut scratch, &mut out);
        assert!(out.iter().all(|t| t.gap == FAR));
        out.clear();
        touches::<f64>(&a.placed(&HERE), &b.placed(&at(0.205, 0.0, 0.0)), &mut scratch, &mut out);
        assert!(out.iter().any(|t| t.gap < 0.0051));
    }
}
