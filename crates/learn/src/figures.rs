//! How a model is drawn: sticks between its joints, and the outlines of its collision shapes.
//!
//! Outlines are given once, in the frame of the body that carries them; a [`Posture`] says where bodies are.

use std::collections::HashMap;
use std::f64::consts::TAU;

use gradbody_dynamics::{Kinematics, kinematics};
use gradbody_math::{Quat, Transform, Vec3};
use gradbody_model::{Hull, LinkId, Model, Shape, ShapeKind};

use crate::experiment::{ExperimentError, Setup};
use crate::judge::Trials;
use crate::objective::{Recording, Sees, Sensor, estimate_states};
use crate::outcome::{DrawnShape, Figures, Posture, Round};

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

/// What draws a model.
pub(crate) struct Drawing {
    /// Links that carry shapes. Postures have their poses in this order.
    bodies: Vec<LinkId>,
    kin: Kinematics<f64>,
}

impl Drawing {
    pub(crate) fn new(model: &Model<f64>) -> Self {
        Drawing { bodies: bodies(model), kin: Kinematics::new(model) }
    }

    /// The origin of each link, the point twice as far away as its centre of mass, and the poses of bodies with shapes.
    pub(crate) fn posture(&mut self, model: &Model<f64>, q: &[f64]) -> Posture {
        kinematics(model, q, &mut self.kin);
        let mut points = Vec::with_capacity(2 * model.n_links());
        for (body, inertia) in self.kin.bodies.iter().zip(&model.params.links) {
            // A rod's other end is twice as far as its middle.
            let far = body.pos_w + body.rot_wb * (inertia.com * 2.0);
            points.extend([body.pos_w, far].map(Vec3::to_array));
        }
        let pose = |link: &LinkId| {
            let body = &self.kin.bodies[link.index()];
            Some(written(&Transform::new(body.rot_wb, body.pos_w)))
        };
        Posture { points, poses: self.bodies.iter().map(pose).collect() }
    }
}

/// The links that carry a shape which can be drawn.
fn bodies(model: &Model<f64>) -> Vec<LinkId> {
    let topology = &model.topology;
    // The file of a mesh may not have been read.
    let drawn =
        |shape: &&Shape| !matches!(&shape.kind, ShapeKind::Mesh(mesh) if mesh.hull.is_none());
    let carries = |link: &LinkId| {
        let mut shapes = topology.shapes.iter().filter(drawn);
        shapes.any(|shape| topology.frames[shape.frame.index()].link == Some(*link))
    };
    model.topology.link_ids().filter(carries).collect()
}

/// Position and quaternion (w, x, y, z).
fn written(pose: &Transform<f64>) -> [f64; 7] {
    let ([x, y, z], [w, i, j, k]) = (pose.pos.to_array(), Quat::from_mat3(&pose.rot).to_array());
    [x, y, z, w, i, j, k]
}

/// Figures of a window: as measured, and as predicted by the model before the fit and by the fitted one, `model`.
pub(crate) fn figures(
    setup: &Setup,
    model: &Model<f64>,
    trials: &Trials,
    window: usize,
    before: Vec<Posture>,
    after: Vec<Posture>,
) -> Result<Figures, ExperimentError> {
    let of = &trials.windows[window];
    let guess = setup.guess(&setup.model)?;
    let recording = &trials.recordings[of.recording];
    let estimate = &setup.experiment.objective.estimate;
    let states =
        estimate_states(&setup.model, &setup.sensors, recording, setup.period, &guess, estimate);
    let mut drawing = Drawing::new(&setup.model);
    let bodies = drawing.bodies.clone();
    let measured = (of.first + trials.given..=of.first + of.length).map(|k| {
        let mut posture = drawing.posture(&setup.model, &states[k].q);
        for (pose, link) in posture.poses.iter_mut().zip(&bodies) {
            if let Some(seen) = WholePose::of(&setup.model, &setup.sensors, *link) {
                *pose = seen.pose(recording, &setup.sensors, k).map(|pose| written(&pose));
            }
        }
        posture
    });
    let measured = measured.collect();
    let (shapes, ground) = shapes(model);
    Ok(Figures { sticks: sticks(&setup.model), shapes, ground, measured, before, after })
}

/// A body whose whole pose is measured.
struct WholePose {
    /// The sensors and columns of x, y, z and of the orientation.
    place: [(usize, usize); 3],
    turn: (usize, usize),
    /// The measured frame in the link's.
    pose_lf: Transform<f64>,
}

impl WholePose {
    /// None if a part of the pose is not measured.
    fn of(model: &Model<f64>, sensors: &[Sensor], link: LinkId) -> Option<Self> {
        let mut column = 0;
        let mut at = Vec::new();
        for (k, sensor) in sensors.iter().enumerate() {
            at.push((sensor.sees, (k, column)));
            column += sensor.columns();
        }
        let find = |sees: Sees| at.iter().find(|(of, _)| *of == sees).map(|(_, at)| *at);
        at.iter().find_map(|(sees, turn)| {
            let Sees::Orientation(frame) = *sees else { return None };
            if model.topology.frames[frame.index()].link != Some(link) {
                return None;
            }
            let axis = |axis: usize| find(Sees::Place(frame, axis));
            Some(WholePose {
                place: [axis(0)?, axis(1)?, axis(2)?],
                turn: *turn,
                pose_lf: model.params.frames[frame.index()],
            })
        })
    }

    /// The measured pose of the link at sample `k`. None if it was not measured then.
    fn pose(&self, recording: &Recording, sensors: &[Sensor], k: usize) -> Option<Transform<f64>> {
        let (measured, present) = recording.sample(k, sensors);
        if self.place.iter().chain([&self.turn]).any(|(sensor, _)| present[*sensor] <= 0.0) {
            return None;
        }
        let [x, y, z] = self.place.map(|(_, column)| measured[column]);
        let turn = Quat::from_slice(&measured[self.turn.1..self.turn.1 + 4]);
        Some(Transform::from_quat(turn, Vec3::new(x, y, z)) * self.pose_lf.inverse())
    }
}

/// Pairs of points that are joined: each link's origin with its parent's unless both have shapes, and at the end of a chain
/// with the link's own far end if it has none.
fn sticks(model: &Model<f64>) -> Vec<(usize, usize)> {
    let links = &model.topology.links;
    let bodies = bodies(model);
    let bare = |link: usize| !bodies.iter().any(|body| body.index() == link);
    let mut sticks = Vec::new();
    for (k, link) in links.iter().enumerate() {
        if let Some(parent) = link.parent.filter(|parent| bare(k) || bare(parent.index())) {
            sticks.push((2 * parent.index(), 2 * k));
        }
        let ends = !links.iter().any(|other| other.parent.is_some_and(|p| p.index() == k));
        if ends && bare(k) {
            sticks.push((2 * k, 2 * k + 1));
        }
    }
    sticks
}

/// The outlines of all shapes, and the height of the highest level ground, which is no shape then.
fn shapes(model: &Model<f64>) -> (Vec<DrawnShape>, Option<f64>) {
    let bodies = bodies(model);
    let mut ground: Option<f64> = None;
    let mut drawn = Vec::new();
    for (shape, params) in model.topology.shapes.iter().zip(&model.params.shapes) {
        let link = model.topology.frames[shape.frame.index()].link;
        let placement = params.placement;
        let level = (placement.rot.cols[2] - Vec3::Z).norm() < 1e-6;
        if shape.kind == ShapeKind::Plane && link.is_none() && level {
            ground = Some(ground.map_or(placement.pos.z, |z| z.max(placement.pos.z)));
            continue;
        }
        let place = |p: &Vec3<f64>| placement.point(*p).to_array();
        let (lines, rounds) = outline(&shape.kind, params.size);
        if lines.is_empty() && rounds.is_empty() {
            continue;
        }
        drawn.push(DrawnShape {
            body: link.and_then(|link| bodies.iter().position(|body| *body == link)),
            lines: lines.iter().map(|line| line.iter().map(place).collect()).collect(),
            rounds: rounds
                .iter()
                .map(|(ends, radius)| Round { ends: ends.map(|p| place(&p)), radius: *radius })
                .collect(),
        });
    }
    (drawn, ground)
}

/// The lines that draw a shape in its own frame, and its balls and capsules.
fn outline(kind: &ShapeKind, size: Vec3<f64>) -> (Vec<Line>, Vec<Ends>) {
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gradbody_math::{Inertia, Sym3};
    use gradbody_model::{FrameId, JointSpec, Material, Mesh, ModelBuilder, Outline, ShapeParams};

    use super::*;
    use crate::objective::NoiseLaw;

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

    /// What was measured is drawn where it was measured, and not where nothing was.
    #[test]
    fn a_pose_that_is_measured_is_not_estimated() {
        let model = tossed();
        let frame = model.topology.frame("body").unwrap();
        let link = model.topology.frames[frame.index()].link.unwrap();
        let sensor = |sees: Sees| Sensor {
            name: String::new(),
            sees,
            noise: 0.01,
            estimated: false,
            law: NoiseLaw::Gaussian,
        };
        let place = |axis: usize| sensor(Sees::Place(frame, axis));
        let sensors = vec![place(1), place(0), sensor(Sees::Orientation(frame)), place(2)];
        let turn = Quat::exp(Vec3::new(0.3, 0.2, -0.5)).to_array();
        let recording = Recording {
            name: "toss".into(),
            begin: 0.0,
            measured: [&[2.0, 1.0][..], &turn, &[3.0]].concat().repeat(2),
            present: vec![1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0],
            inputs: vec![],
            samples: 2,
        };
        let seen = WholePose::of(&model, &sensors, link).unwrap();
        let pose = written(&seen.pose(&recording, &sensors, 0).unwrap());
        for (found, wanted) in pose.iter().zip([1.0, 2.0, 3.0].iter().chain(&turn)) {
            assert!((found - wanted).abs() < 1e-12, "{pose:?}");
        }
        assert!(seen.pose(&recording, &sensors, 1).is_none(), "x is missing there");
        assert!(WholePose::of(&model, &sensors[..3], link).is_none(), "z is not measured");
    }
}
