//! Meshes: their scale and pose, and their hulls once a shape needs them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use gradbody_math::{Mat3, Quat, Transform, Vec3};

use super::compiler::Compiler;
use super::defaults::{ClassId, Defaults, Settings};
use super::source::Tree;
use crate::import::ImportError;
use crate::import::mesh::{Found, MeshFiles, mesh_of_points};
use crate::import::xml::{Element, did_you_mean, shown};

/// A mesh of the `asset` section.
pub(super) struct Mesh {
    source: Source,
    /// Scale factors along its axes.
    pub(super) scale: Vec3<f64>,
    /// Pose of the file's origin in the frame of a geom that uses it.
    pub(super) origin: Transform<f64>,
    /// Whether its axes are scaled unequally after a rotation, which `scale` and `origin` cannot express.
    pub(super) sheared: bool,
}

/// Where a mesh comes from.
enum Source {
    /// A file, in the folder given by the compiler section.
    File(PathBuf),
    /// Vertices in the model's own file.
    Vertices(Vec<Vec3<f64>>),
    /// Something else, such as one of MuJoCo's built-in meshes.
    Unknown,
}

/// All meshes.
pub(super) struct Meshes<'a> {
    by_name: HashMap<&'a str, Mesh>,
    files: RefCell<MeshFiles>,
    /// Whether there are `pair` elements: they let shapes touch whose groups do not.
    pub(super) has_pairs: bool,
}

impl<'a> Meshes<'a> {
    /// Reads the `asset` sections.
    pub(super) fn read(
        tree: &'a Tree<'_>,
        compiler: &Compiler,
        defaults: &Defaults<'a>,
    ) -> Result<Self, ImportError> {
        let mut meshes = HashMap::new();
        let assets = tree.sections("asset").into_iter().flat_map(|section| tree.children(section));
        for element in assets.filter(|asset| asset.tag() == "mesh") {
            let settings = defaults.settings(element, ClassId::MAIN)?;
            let file = element.attr("file");
            let stem = file.and_then(|f| Path::new(f).file_stem()).and_then(|s| s.to_str());
            let Some(name) = element.attr("name").or(stem) else {
                return Err(element.error("it has neither a name nor a file"));
            };
            let source = match (file, settings.holder("vertex")) {
                (Some(file), _) => Source::File(compiler.mesh_folder.join(file)),
                (None, Some(holder)) => Source::Vertices(vertices(holder)?),
                (None, None) => Source::Unknown,
            };
            let mesh = read_mesh(&settings, source)?;
            if meshes.insert(name, mesh).is_some() {
                let problem = format!("another mesh is named \"{}\"", shown(name));
                return Err(element.error(problem));
            }
        }
        let contacts = tree.sections("contact").into_iter().flat_map(|s| tree.children(s));
        let has_pairs = contacts.into_iter().any(|contact| contact.tag() == "pair");
        let files = RefCell::new(MeshFiles::of(tree.root().file()));
        Ok(Meshes { by_name: meshes, files, has_pairs })
    }

    /// The mesh that the attribute `mesh` refers to.
    pub(super) fn named(&self, settings: &Settings<'a>) -> Result<&Mesh, ImportError> {
        let Some(name) = settings.attr("mesh") else {
            return Err(settings.error("attribute \"mesh\" is missing"));
        };
        self.by_name.get(name).ok_or_else(|| {
            let mut names: Vec<&str> = self.by_name.keys().copied().collect();
            names.sort_unstable();
            let hint = did_you_mean(name, names.into_iter());
            settings.attr_error("mesh", &format!("no such mesh{hint}"))
        })
    }

    /// A mesh for display alone: its hull if its vertices are in the model's own file, otherwise it is not read.
    pub(super) fn unread(&self, mesh: &Mesh) -> Found {
        match &mesh.source {
            Source::Vertices(points) => Found { problem: None, ..mesh_of_points(points) },
            Source::File(path) => self.files.borrow().unread(path.clone()),
            Source::Unknown => self.files.borrow().unread(PathBuf::new()),
        }
    }

    /// A mesh with its hull; `None` if its source cannot be read.
    pub(super) fn hull(&self, mesh: &Mesh) -> Option<Found> {
        match &mesh.source {
            Source::File(path) => Some(self.files.borrow_mut().at_path(path)),
            Source::Vertices(points) => Some(mesh_of_points(points)),
            Source::Unknown => None,
        }
    }
}

/// The vertices given in an attribute.
fn vertices(holder: Element<'_>) -> Result<Vec<Vec3<f64>>, ImportError> {
    let numbers = holder.numbers("vertex")?.unwrap_or_default();
    if !numbers.len().is_multiple_of(3) {
        let problem = format!("expected 3 numbers a vertex, found {} in all", numbers.len());
        return Err(holder.attr_error("vertex", &problem));
    }
    Ok(numbers.chunks_exact(3).map(Vec3::from_slice).collect())
}

fn read_mesh(settings: &Settings<'_>, source: Source) -> Result<Mesh, ImportError> {
    let scale = Vec3::from_slice(&settings.array::<3>("scale")?.unwrap_or([1.0; 3]));
    let refpos = Vec3::from_slice(&settings.array::<3>("refpos")?.unwrap_or_default());
    let refquat = settings.array::<4>("refquat")?.unwrap_or([1.0, 0.0, 0.0, 0.0]);
    let turn: Mat3<f64> = Quat::from_slice(&refquat).normalized().to_mat3();
    // A vertex x of the file lies at S Rᵀ (x − p) in the geom. If S commutes with Rᵀ, that is the scaled vertex S x in
    // a frame rotated by Rᵀ, with its origin at −S Rᵀ p.
    let unturned = turn == Mat3::IDENTITY;
    let uniform = scale.x == scale.y && scale.y == scale.z;
    let back = turn.transpose() * refpos;
    let shifted = Vec3::new(scale.x * back.x, scale.y * back.y, scale.z * back.z);
    Ok(Mesh {
        source,
        scale,
        origin: Transform::new(turn.transpose(), -shifted),
        sheared: !(unturned || uniform),
    })
}
