//! What is drawn of a model. It has no physical meaning, so it has no parameters.

use std::path::PathBuf;

use gradbody_math::{Transform, Vec3};

use crate::{FrameId, LinkId, Model, ShapeId, ShapeKind, Topology};

/// Something to be drawn. If a model has any, exactly these are drawn; otherwise its collision shapes are.
#[derive(Clone, Debug, PartialEq)]
pub struct Visual {
    /// What is drawn, and where.
    pub form: Form,
    /// Red, green, blue and opacity, each from 0 to 1; `None` if the source gives no colour.
    pub colour: Option<[f32; 4]>,
}

/// The form of a [`Visual`].
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// A collision shape, with the size and placement that its parameters have.
    Shape(ShapeId),
    /// Something that never collides.
    Figure(Box<Figure>),
}

/// A geometry that is only drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Its name, which others may share.
    pub name: String,
    /// The frame it is fixed to.
    pub frame: FrameId,
    /// The kind of geometry. A mesh has no hull unless its vertices are in the source itself.
    pub kind: ShapeKind,
    /// Pose in the frame of the link that carries it, or in the world.
    pub placement: Transform<f64>,
    /// Size, as [`ShapeKind`] says [m].
    pub size: Vec3<f64>,
    /// The absolute path of its mesh's file; `None` if it was not found, or if there is no file. The file was not read.
    pub mesh_file: Option<PathBuf>,
}

impl Visual {
    /// Draws a collision shape.
    pub const fn of_shape(shape: ShapeId, colour: Option<[f32; 4]>) -> Self {
        Visual { form: Form::Shape(shape), colour }
    }

    /// The frame that it is fixed to.
    pub fn frame(&self, topology: &Topology) -> FrameId {
        match &self.form {
            Form::Shape(shape) => topology.shapes[shape.index()].frame,
            Form::Figure(figure) => figure.frame,
        }
    }

    /// The link that carries it; `None` for the world.
    pub fn link(&self, topology: &Topology) -> Option<LinkId> {
        topology.frames[self.frame(topology).index()].link
    }
}

impl Model<f64> {
    /// Draws every shape by a visual of its own, if the model has shapes but no visuals. Whatever gets visuals from
    /// elsewhere is then still drawn as before.
    pub(crate) fn draw_shapes(&mut self) {
        if self.topology.visuals.is_empty() {
            let shapes = (0..self.topology.shapes.len()).map(ShapeId::new);
            self.topology.visuals = shapes.map(|shape| Visual::of_shape(shape, None)).collect();
        }
    }
}
