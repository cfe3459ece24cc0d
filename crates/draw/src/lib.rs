//! How a model is drawn: as a whole scene of solid geometries, or by sticks between its joints and the outlines of its
//! collision shapes.
//!
//! A [`Scene`] has everything that a viewer needs but the motion. Outlines are given once, in the frame of the body that carries them; a [`Posture`] says where bodies are.

mod base64_text;
mod mesh;
mod outline;
mod scene;
mod shapes;
mod simplify;
mod sticks;
mod weld;

use gradbody_dynamics::{Kinematics, kinematics};
use gradbody_math::{Quat, Transform, Vec3};
use gradbody_model::{LinkId, Model, Shape, ShapeKind};
use serde::{Deserialize, Serialize};

pub use mesh::{MOST_TRIANGLES, TriangleMesh};
pub use scene::{Geometry, Kind, MassBox, Role, Scene, SceneActuator, SceneJoint};
pub use shapes::shapes;
pub use sticks::sticks;

/// Where a model is at a moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Posture {
    /// Points (x, y, z) in the world [m]. For each link its origin, and the point twice as far away as its centre of mass.
    pub points: Vec<[f64; 3]>,
    /// Poses in the world of the bodies that carry shapes: position [m] and quaternion (w, x, y, z). None where a pose
    /// is not known.
    pub poses: Vec<Option<[f64; 7]>>,
}

/// The outline of a shape, in the frame of the body that carries it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DrawnShape {
    /// Which pose of a [`Posture`] it follows. None if it is fixed to the world.
    pub body: Option<usize>,
    /// Lines through points [m].
    pub lines: Vec<Vec<[f64; 3]>>,
    /// Balls and capsules.
    pub rounds: Vec<Round>,
}

/// All points within a distance of a line: a ball if the line is a point, else a capsule. Its outline depends on the view.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// The ends of the line [m].
    pub ends: [[f64; 3]; 2],
    /// The distance [m].
    pub radius: f64,
}

/// Draws postures of a model.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// Links that carry shapes. Postures have their poses in this order.
    bodies: Vec<LinkId>,
    kin: Kinematics<f64>,
}

impl Drawing {
    /// Of this model.
    pub fn new(model: &Model<f64>) -> Self {
        Drawing { bodies: bodies(model), kin: Kinematics::new(model) }
    }

    /// The links whose poses a posture has, in their order.
    pub fn bodies(&self) -> &[LinkId] {
        &self.bodies
    }

    /// The origin of each link, the point twice as far away as its centre of mass, and the poses of bodies with shapes.
    pub fn posture(&mut self, model: &Model<f64>, q: &[f64]) -> Posture {
        kinematics(model, q, &mut self.kin);
        let mut points = Vec::with_capacity(2 * model.n_links());
        for (body, inertia) in self.kin.bodies.iter().zip(&model.params.links) {
            // A rod's other end is twice as far as its middle.
            let far = body.pos_w + body.rot_wb * (inertia.com * 2.0);
            points.extend([body.pos_w, far].map(Vec3::to_array));
        }
        let pose = |link: &LinkId| {
            let body = &self.kin.bodies[link.index()];
            Some(seven(&Transform::new(body.rot_wb, body.pos_w)))
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

/// A pose as seven numbers: position and quaternion (w, x, y, z).
pub fn seven(pose: &Transform<f64>) -> [f64; 7] {
    let ([x, y, z], [w, i, j, k]) = (pose.pos.to_array(), Quat::from_mat3(&pose.rot).to_array());
    [x, y, z, w, i, j, k]
}

#[cfg(test)]
mod tests;
