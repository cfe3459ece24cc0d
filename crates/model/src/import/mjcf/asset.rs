//! Meshes: their files' names, scale and place. The files themselves are not read.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use gradbody_math::{Mat3, Quat, Transform, Vec3};

use super::compiler::Compiler;
use super::defaults::{ClassId, Defaults, Settings};
use super::source::Tree;
use crate::import::ImportError;
use crate::import::xml::{did_you_mean, shown};

/// A mesh of the `asset` section.
pub(super) struct Mesh {
    /// Its file as named, in the folder that the compiler section names; none if its vertices stand
    /// in the model file.
    pub(super) path: Option<PathBuf>,
    /// Factors along its axes.
    pub(super) scale: Vec3<f64>,
    /// Where its file's origin lies in the frame of a geom that uses it.
    pub(super) origin: Transform<f64>,
    /// Its axes are scaled unequally after a turn, which `scale` and `origin` cannot say.
    pub(super) sheared: bool,
}

/// All meshes, by name.
pub(super) struct Meshes<'a>(HashMap<&'a str, Mesh>);

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
            let mesh = read_mesh(&settings, file.map(|f| compiler.mesh_folder.join(f)))?;
            if meshes.insert(name, mesh).is_some() {
                let problem = format!("another mesh is named \"{}\"", shown(name));
                return Err(element.error(problem));
            }
        }
        Ok(Meshes(meshes))
    }

    /// The mesh that an attribute `mesh` names.
    pub(super) fn named(&self, settings: &Settings<'a>) -> Result<&Mesh, ImportError> {
        let Some(name) = settings.attr("mesh") else {
            return Err(settings.error("attribute \"mesh\" is missing"));
        };
        self.0.get(name).ok_or_else(|| {
            let mut names: Vec<&str> = self.0.keys().copied().collect();
            names.sort_unstable();
            let hint = did_you_mean(name, names.into_iter());
            settings.attr_error("mesh", &format!("no such mesh{hint}"))
        })
    }
}

fn read_mesh(settings: &Settings<'_>, path: Option<PathBuf>) -> Result<Mesh, ImportError> {
    let scale = Vec3::from_slice(&settings.array::<3>("scale")?.unwrap_or([1.0; 3]));
    let refpos = Vec3::from_slice(&settings.array::<3>("refpos")?.unwrap_or_default());
    let refquat = settings.array::<4>("refquat")?.unwrap_or([1.0, 0.0, 0.0, 0.0]);
    let turn: Mat3<f64> = Quat::from_slice(&refquat).normalized().to_mat3();
    // A vertex x of the file lies at S Rᵀ (x − p) in the geom. Where S commutes with Rᵀ, that is
    // the scaled vertex S x in a frame turned by Rᵀ, with its origin at −S Rᵀ p.
    let unturned = turn == Mat3::IDENTITY;
    let uniform = scale.x == scale.y && scale.y == scale.z;
    let back = turn.transpose() * refpos;
    let shifted = Vec3::new(scale.x * back.x, scale.y * back.y, scale.z * back.z);
    Ok(Mesh {
        path,
        scale,
        origin: Transform::new(turn.transpose(), -shifted),
        sheared: !(unturned || uniform),
    })
}
