//! A whole model as plain data, for viewers: what is drawn, and on which body.
//!
//! [`Scene::of`] gives it once. Where its bodies are at a moment is said elsewhere, in the order of `bodies`.

use gradbody_math::{Mat3, Quat, Transform, Vec3};
use gradbody_model::{
    Figure, Form, JointKind, LinkId, Model, ShapeId, ShapeKind, principal_moments,
};
use serde::{Deserialize, Serialize};

use crate::mesh::{Meshes, TriangleMesh};
use crate::poses::seven;

/// Everything that a viewer draws of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// Name of the model.
    pub name: String,
    /// Names of the bodies: the world, then the links.
    pub bodies: Vec<String>,
    /// For each body the one that carries it; the world for the world.
    pub parents: Vec<usize>,
    /// What is drawn. A level ground is not among it.
    pub geometries: Vec<Geometry>,
    /// The meshes of geometries.
    pub meshes: Vec<TriangleMesh>,
    /// The joints, in the order of the links.
    pub joints: Vec<SceneJoint>,
    /// A box for each link with mass, which has the same mass and inertia.
    pub masses: Vec<MassBox>,
    /// The actuators.
    pub actuators: Vec<SceneActuator>,
    /// Names of the keyframes.
    pub keyframes: Vec<String>,
    /// Height of the highest level ground [m].
    pub ground: Option<f64>,
    /// What could not be drawn as it is.
    pub notes: Vec<String>,
}

/// A geometry fixed to a body. A mesh file with parts of several colours is as many geometries of one name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Geometry {
    /// Name of the shape or visual.
    pub name: String,
    /// Index of the body.
    pub body: usize,
    /// Whether it is seen or collides.
    pub role: Role,
    /// What it is.
    pub kind: Kind,
    /// Its size, as [`ShapeKind`] says [m].
    pub size: [f64; 3],
    /// Pose in the body: position [m] and quaternion (w, x, y, z).
    pub pose: [f64; 7],
    /// Red, green, blue and opacity, each from 0 to 1.
    pub colour: Option<[f32; 4]>,
    /// Index of its mesh.
    pub mesh: Option<usize>,
    /// Corners of an extrusion, before scaling.
    pub outline: Option<Vec<[f64; 2]>>,
    /// Points, before scaling.
    pub points: Option<Vec<[f64; 3]>>,
    /// Whether it stands for a mesh that cannot be read.
    pub missing: bool,
}

/// What a geometry is for. One that is both is listed twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// It is seen.
    Visual,
    /// It collides.
    Collision,
}

/// The kind of a geometry, as that of a [`ShapeKind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Kind {
    Sphere,
    Capsule,
    Cylinder,
    Box,
    Ellipsoid,
    Plane,
    Mesh,
    Extrusion,
    Points,
}

/// A joint. It moves the link of the same index, which is `body`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SceneJoint {
    /// Its name.
    pub name: String,
    /// Index of the body that it moves.
    pub body: usize,
    /// How it moves, in a word.
    pub kind: String,
    /// Its axis in the body, of length one: of a universal joint the second.
    pub axis: [f64; 3],
    /// Where it is in the body [m].
    pub anchor: [f64; 3],
    /// Index of its first position coordinate.
    pub q: usize,
    /// Index of its first velocity coordinate.
    pub v: usize,
    /// Number of position coordinates.
    pub nq: usize,
    /// Number of velocity coordinates.
    pub nv: usize,
    /// Its range, if it has both ends [rad or m].
    pub limits: Option<[f64; 2]>,
}

/// A box of uniform density with the mass and inertia of a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MassBox {
    /// Index of the body.
    pub body: usize,
    /// Mass [kg].
    pub mass: f64,
    /// Centre in the body [m].
    pub centre: [f64; 3],
    /// Half lengths [m].
    pub half: [f64; 3],
    /// Orientation in the body, a quaternion (w, x, y, z).
    pub turn: [f64; 4],
}

/// An actuator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SceneActuator {
    /// Its name.
    pub name: String,
    /// Range of its control, if it has both ends.
    pub range: Option<[f64; 2]>,
}

impl Scene {
    /// Of this model. Mesh files are read now; those that cannot be read are boxes, and notes say why. Nothing else can
    /// go wrong. Meshes together have at most about [`MOST_TRIANGLES`](crate::MOST_TRIANGLES) triangles.
    pub fn of(model: &Model<f64>) -> Scene {
        let topology = &model.topology;
        let links = || topology.links.iter();
        let parents = links().map(|link| link.parent.map_or(0, |parent| parent.index() + 1));
        let mut scene = Scene {
            name: topology.name.clone(),
            bodies: std::iter::once("world".into())
                .chain(links().map(|l| l.name.clone()))
                .collect(),
            parents: std::iter::once(0).chain(parents).collect(),
            joints: topology.link_ids().map(|link| joint(model, link)).collect(),
            masses: topology.link_ids().filter_map(|link| mass_box(model, link)).collect(),
            keyframes: topology.keyframes.iter().map(|key| key.name.clone()).collect(),
            ground: level_ground(model),
            ..Scene::default()
        };
        for (actuator, params) in topology.actuators.iter().zip(&model.params.actuators) {
            let range = bounded(params.control_lower, params.control_upper);
            scene.actuators.push(SceneActuator { name: actuator.name.clone(), range });
        }
        let mut meshes = Meshes::default();
        for visual in &topology.visuals {
            match &visual.form {
                Form::Shape(shape) => {
                    let figure = figure_of(model, *shape);
                    scene.add(model, &figure, Role::Visual, visual.colour, &mut meshes);
                }
                Form::Figure(figure) => {
                    scene.add(model, figure, Role::Visual, visual.colour, &mut meshes);
                }
            }
        }
        for shape in (0..topology.shapes.len()).map(ShapeId::new) {
            let figure = figure_of(model, shape);
            if topology.visuals.is_empty() {
                scene.add(model, &figure, Role::Visual, None, &mut meshes);
            }
            if collides(model, shape) {
                scene.add(model, &figure, Role::Collision, None, &mut meshes);
            }
        }
        scene.notes.extend(meshes.notes());
        scene.meshes = meshes.finished();
        scene
    }

    /// Adds a figure, unless it is a level ground.
    fn add(
        &mut self,
        model: &Model<f64>,
        figure: &Figure,
        role: Role,
        colour: Option<[f32; 4]>,
        meshes: &mut Meshes,
    ) {
        let link = model.topology.frames[figure.frame.index()].link;
        if figure.kind == ShapeKind::Plane && link.is_none() && is_level(&figure.placement) {
            return;
        }
        let numbers = figure.placement.pos.to_array().into_iter().chain(figure.size.to_array());
        if !numbers
            .chain(figure.placement.rot.cols.iter().flat_map(|c| c.to_array()))
            .all(f64::is_finite)
        {
            self.notes
                .push(format!("\"{}\" is not drawn: a number of it is not finite", figure.name));
            return;
        }
        let mut geometry = Geometry {
            name: figure.name.clone(),
            body: link.map_or(0, |link| link.index() + 1),
            role,
            kind: kind(&figure.kind),
            size: figure.size.to_array(),
            pose: seven(&figure.placement),
            colour,
            mesh: None,
            outline: None,
            points: None,
            missing: false,
        };
        match &figure.kind {
            ShapeKind::Extrusion(outline) => geometry.outline = Some(outline.corners.clone()),
            ShapeKind::Points(points) => {
                geometry.points = Some(points.iter().map(|p| p.to_array()).collect());
            }
            ShapeKind::Mesh(mesh) => {
                let parts = match role {
                    Role::Visual => meshes.of_figure(figure, mesh, colour.is_some()),
                    Role::Collision => meshes.of_hull(mesh).into_iter().collect(),
                };
                for part in &parts {
                    let (mesh, own) = (Some(part.mesh), colour.or(part.colour));
                    self.geometries.push(Geometry { mesh, colour: own, ..geometry.clone() });
                }
                // A mesh without a hull touches nothing.
                if !parts.is_empty() || role == Role::Collision {
                    return;
                }
                geometry.missing = true;
                geometry.kind = Kind::Box;
                let mass = link.and_then(|link| mass_box(model, link));
                let half = mass.map_or(MISSING, |mass| mass.half.iter().sum::<f64>() / 3.0);
                geometry.size = [half.clamp(0.1 * MISSING, 10.0 * MISSING); 3];
            }
            _ => {}
        }
        self.geometries.push(geometry);
    }
}

/// Half a side of the box that stands for a mesh that cannot be read, on a body without mass [m].
const MISSING: f64 = 0.05;

/// A shape as a figure.
fn figure_of(model: &Model<f64>, shape: ShapeId) -> Figure {
    let params = &model.params.shapes[shape.index()];
    let shape = &model.topology.shapes[shape.index()];
    Figure {
        name: shape.name.clone(),
        frame: shape.frame,
        kind: shape.kind.clone(),
        placement: params.placement,
        size: params.size,
        mesh_file: shape.mesh_file.clone(),
    }
}

/// Whether a shape may touch anything.
fn collides(model: &Model<f64>, id: ShapeId) -> bool {
    let shape = &model.topology.shapes[id.index()];
    shape.collision_group != 0
        || shape.collides_with != 0
        || model.topology.contact_pairs.iter().any(|pair| pair.a == id || pair.b == id)
}

/// The height of the highest level ground.
fn level_ground(model: &Model<f64>) -> Option<f64> {
    let shapes = model.topology.shapes.iter().zip(&model.params.shapes);
    let grounds = shapes.filter(|(shape, params)| {
        let fixed = model.topology.frames[shape.frame.index()].link.is_none();
        shape.kind == ShapeKind::Plane && fixed && is_level(&params.placement)
    });
    grounds.map(|(_, params)| params.placement.pos.z).reduce(f64::max)
}

/// Whether z stays z.
fn is_level(placement: &Transform<f64>) -> bool {
    (placement.rot.cols[2] - Vec3::Z).norm() < 1e-6
}

fn kind(kind: &ShapeKind) -> Kind {
    match kind {
        ShapeKind::Sphere => Kind::Sphere,
        ShapeKind::Capsule => Kind::Capsule,
        ShapeKind::Cylinder => Kind::Cylinder,
        ShapeKind::Box => Kind::Box,
        ShapeKind::Ellipsoid => Kind::Ellipsoid,
        ShapeKind::Plane => Kind::Plane,
        ShapeKind::Mesh(_) => Kind::Mesh,
        ShapeKind::Extrusion(_) => Kind::Extrusion,
        ShapeKind::Points(_) => Kind::Points,
    }
}

/// A joint; its link's frame is at it.
fn joint(model: &Model<f64>, link: LinkId) -> SceneJoint {
    let joint = &model.topology.links[link.index()].joint;
    let params = &model.params.joints[link.index()];
    let axis = match joint.kind {
        JointKind::Revolute(_) | JointKind::Prismatic(_) => params.axis,
        JointKind::Universal => params.axis2,
        JointKind::Spherical | JointKind::Planar | JointKind::Free => Vec3::Z,
    };
    SceneJoint {
        name: joint.name.clone(),
        body: link.index() + 1,
        kind: joint.kind.name().to_owned(),
        axis: axis.to_array(),
        anchor: [0.0; 3],
        q: joint.q_start,
        v: joint.v_start,
        nq: joint.kind.nq(),
        nv: joint.kind.nv(),
        limits: bounded(params.limit_lower, params.limit_upper),
    }
}

/// A range with two ends.
fn bounded(lower: f64, upper: f64) -> Option<[f64; 2]> {
    (lower.is_finite() && upper.is_finite()).then_some([lower, upper])
}

/// The box of the same inertia as a link: a box of mass m and half lengths h has the moments m (h₂² + h₃²) / 3 and so on.
fn mass_box(model: &Model<f64>, link: LinkId) -> Option<MassBox> {
    let inertia = &model.params.links[link.index()];
    if !(inertia.mass > 0.0 && inertia.mass.is_finite() && inertia.com.is_finite()) {
        return None;
    }
    let (moments, axes) = principal_moments(&inertia.rotational);
    let all = moments.x + moments.y + moments.z;
    let half = |moment: f64| (1.5 * (all - 2.0 * moment) / inertia.mass).max(0.0).sqrt();
    let half = [half(moments.x), half(moments.y), half(moments.z)];
    let [x, y, z] = axes.cols;
    // The axes may be left-handed.
    let axes = if x.cross(y).dot(z) < 0.0 { Mat3::from_cols(x, y, -z) } else { axes };
    let turn = Quat::from_mat3(&axes).to_array();
    let numbers = half.iter().chain(&turn);
    numbers.copied().all(f64::is_finite).then_some(MassBox {
        body: link.index() + 1,
        mass: inertia.mass,
        centre: inertia.com.to_array(),
        half,
        turn,
    })
}
