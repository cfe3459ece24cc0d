//! Triangles of meshes: those of files, and those of hulls.
//!
//! A file is read once, and equal meshes are kept once. Meshes with many triangles are simplified when all are known:
//! a page that holds a scene must stay small.

use std::collections::HashMap;
use std::path::PathBuf;

use gradbody_math::Vec3;
use gradbody_model::{Figure, Hull, Mesh, MeshPart, read_mesh};
use serde::{Deserialize, Serialize};

use crate::simplify::simplify;
use crate::weld::{snapped, welded};

/// Triangles.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TriangleMesh {
    /// Coordinates x, y, z of each corner in turn, before scaling [m].
    #[serde(with = "crate::base64_text::floats")]
    pub positions: Vec<f32>,
    /// Three corners of each triangle in turn, counter-clockwise seen from outside.
    #[serde(with = "crate::base64_text::integers")]
    pub triangles: Vec<u32>,
}

/// Triangles that all meshes of a scene together have at most, but for what cannot be simplified.
pub const MOST_TRIANGLES: usize = 60_000;
/// The same, of one mesh.
const MOST_OF_ONE: usize = 20_000;

/// Corners and triangles while they are worked on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Surface {
    pub(crate) corners: Vec<Vec3<f64>>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

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
    list: Vec<Surface>,
    /// By the address of a mesh that has a hull.
    hulls: HashMap<*const Mesh, usize>,
    /// The parts of files, in their own colours.
    files: HashMap<PathBuf, Vec<Part>>,
    /// The meshes of files that are drawn in one colour.
    of_one_colour: HashMap<PathBuf, usize>,
    /// Files that cannot be read: their name, why, and which geometries they belong to.
    broken: Vec<(String, String, Vec<String>)>,
}

impl Meshes {
    /// The parts of a figure; nothing if it cannot be read. With `one_colour` all parts are one.
    pub(crate) fn of_figure(
        &mut self,
        figure: &Figure,
        mesh: &Mesh,
        one_colour: bool,
    ) -> Vec<Part> {
        let Some(file) = &figure.mesh_file else {
            let hull = self.of_hull(mesh);
            if hull.is_none() {
                self.note(mesh, "it was not found".to_owned(), figure);
            }
            return hull.into_iter().collect();
        };
        if let Some(known) = self.files.get(file)
            && known.len() <= 1
        {
            return known.clone();
        }
        if one_colour && let Some(known) = self.of_one_colour.get(file) {
            return vec![Part { mesh: *known, colour: None }];
        }
        if !one_colour && let Some(known) = self.files.get(file) {
            return known.clone();
        }
        let read = match read_mesh(file) {
            Ok(read) => read,
            Err(why) => {
                self.note(mesh, why, figure);
                return Vec::new();
            }
        };
        if one_colour && read.len() > 1 {
            let mesh = self.added(whole(&read));
            self.of_one_colour.insert(file.clone(), mesh);
            return vec![Part { mesh, colour: None }];
        }
        let parts: Vec<Part> = read
            .into_iter()
            .map(|part| {
                let colour = part.colour;
                Part { mesh: self.added(surface(&part)), colour }
            })
            .collect();
        self.files.insert(file.clone(), parts.clone());
        parts
    }

    /// The hull of a mesh, if it has one.
    pub(crate) fn of_hull(&mut self, mesh: &Mesh) -> Option<Part> {
        let hull = mesh.hull.as_ref()?;
        let known = self.hulls.get(&std::ptr::from_ref(mesh)).copied();
        let index = known.unwrap_or_else(|| self.added(of_hull(hull)));
        self.hulls.insert(mesh, index);
        Some(Part { mesh: index, colour: None })
    }

    /// All meshes, with few enough triangles.
    pub(crate) fn finished(self) -> Vec<TriangleMesh> {
        let counts = self.list.iter().map(|surface| surface.triangles.len()).collect();
        let most = share(counts, MOST_TRIANGLES).min(MOST_OF_ONE);
        self.list.into_iter().map(|surface| packed(&simplify(surface, most))).collect()
    }

    /// A sentence for each file that cannot be read.
    pub(crate) fn notes(&self) -> Vec<String> {
        let note = |(file, why, of): &(String, String, Vec<String>)| {
            let others = match of.len() {
                1 => String::new(),
                2 => " and one other".to_owned(),
                n => format!(" and {} others", n - 1),
            };
            format!("mesh \"{file}\" of \"{}\"{others} is drawn as a box: {why}", of[0])
        };
        self.broken.iter().map(note).collect()
    }

    fn note(&mut self, mesh: &Mesh, why: String, figure: &Figure) {
        let file = mesh.path.to_string_lossy().into_owned();
        match self.broken.iter_mut().find(|(other, ..)| *other == file) {
            Some((_, _, of)) => of.push(figure.name.clone()),
            None => self.broken.push((file, why, vec![figure.name.clone()])),
        }
    }

    /// The index of a mesh, which is added if it is new.
    fn added(&mut self, surface: Surface) -> usize {
        self.list.iter().position(|known| *known == surface).unwrap_or_else(|| {
            self.list.push(surface);
            self.list.len() - 1
        })
    }
}

/// The most triangles that each mesh may have so that all together have at most `most`.
pub(crate) fn share(mut counts: Vec<usize>, most: usize) -> usize {
    counts.sort_unstable();
    let mut left = most;
    let meshes = counts.len();
    for (k, count) in counts.into_iter().enumerate() {
        let each = left / (meshes - k);
        if count > each {
            return each;
        }
        left -= count;
    }
    most
}

fn surface(part: &MeshPart) -> Surface {
    let corners = part.vertices.clone();
    welded(Surface { corners, triangles: part.triangles.clone() })
}

/// All parts as one.
fn whole(parts: &[MeshPart]) -> Surface {
    let mut surface = Surface::default();
    for part in parts {
        let first = surface.corners.len() as u32;
        surface.corners.extend_from_slice(&part.vertices);
        surface.triangles.extend(part.triangles.iter().map(|t| t.map(|corner| first + corner)));
    }
    welded(surface)
}

/// The faces of a hull, cut into triangles.
fn of_hull(hull: &Hull) -> Surface {
    let fan = |face: &Vec<u32>| -> Vec<[u32; 3]> {
        face.windows(2).skip(1).map(|edge| [face[0], edge[0], edge[1]]).collect()
    };
    let triangles = hull.faces.iter().flat_map(fan).collect();
    welded(Surface { corners: hull.vertices.clone(), triangles })
}

/// As it is written: without corners that nothing uses, in the order of their use, which compresses well.
fn packed(surface: &Surface) -> TriangleMesh {
    let mut mesh = TriangleMesh::default();
    let mut places = vec![u32::MAX; surface.corners.len()];
    for corner in surface.triangles.iter().flatten() {
        let place = &mut places[*corner as usize];
        if *place == u32::MAX {
            *place = (mesh.positions.len() / 3) as u32;
            let position = surface.corners[*corner as usize].to_array();
            mesh.positions.extend(position.map(|x| x as f32));
        }
        mesh.triangles.push(*place);
    }
    mesh
}

impl Surface {
    /// Puts corners on a fine grid again after they were moved.
    pub(crate) fn snap(&mut self) {
        self.corners = snapped(&self.corners);
    }
}
