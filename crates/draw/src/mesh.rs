//! Triangles of meshes: those of files, and those of hulls.

use std::collections::HashMap;

use gradbody_model::{Figure, Hull, Mesh};
use serde::{Deserialize, Serialize};

/// Triangles.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TriangleMesh {
    /// Coordinates x, y, z of each corner in turn [m].
    #[serde(with = "crate::base64_text::floats")]
    pub positions: Vec<f32>,
    /// Three corners of each triangle in turn, counter-clockwise seen from outside.
    #[serde(with = "crate::base64_text::integers")]
    pub triangles: Vec<u32>,
}

/// Triangles that all meshes of a scene together have, about, at most.
pub const MOST_TRIANGLES: usize = 60_000;

/// Part of a mesh file, in one colour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// Index of the mesh.
    pub(crate) mesh: usize,
    /// Its colour in the file.
    pub(crate) colour: Option<[f32; 4]>,
}

/// The meshes of a scene, each once.
#[derive(Default)]
pub(crate) struct Meshes {
    list: Vec<TriangleMesh>,
    /// By the address of a hull.
    hulls: HashMap<*const Mesh, usize>,
    /// What is wrong with files.
    pub(crate) notes: Vec<String>,
}

impl Meshes {
    /// The parts of a figure; nothing if it cannot be read. `one_colour` makes one part of all.
    pub(crate) fn of_figure(
        &mut self,
        figure: &Figure,
        mesh: &Mesh,
        _one_colour: bool,
    ) -> Vec<Part> {
        self.of_hull(figure, mesh)
    }

    /// The hull of a figure; nothing if it has none.
    pub(crate) fn of_hull(&mut self, _figure: &Figure, mesh: &Mesh) -> Vec<Part> {
        let Some(hull) = &mesh.hull else { return Vec::new() };
        let list = &mut self.list;
        let mesh = *self.hulls.entry(mesh).or_insert_with(|| {
            list.push(of_hull(hull));
            list.len() - 1
        });
        vec![Part { mesh, colour: None }]
    }

    /// All meshes.
    pub(crate) fn finished(self) -> Vec<TriangleMesh> {
        self.list
    }
}

/// The faces of a hull, cut into triangles.
fn of_hull(hull: &Hull) -> TriangleMesh {
    let positions = hull.vertices.iter().flat_map(|v| v.to_array()).map(|x| x as f32).collect();
    let fan = |face: &Vec<u32>| -> Vec<u32> {
        face.windows(2).skip(1).flat_map(|edge| [face[0], edge[0], edge[1]]).collect()
    };
    TriangleMesh { positions, triangles: hull.faces.iter().flat_map(fan).collect() }
}
