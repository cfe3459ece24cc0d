//! What a `<link>` carries: visuals, collision shapes and their surface.

use std::path::PathBuf;

use gradbody_math::{Transform, Vec3};

use super::super::ExportError;
use super::super::losses::{is_linear_spring, note_names};
use super::super::mesh_path::path_from;
use super::super::xml::{escaped, spaced};
use super::Writer;
use crate::import::{BULLET_STEP, DAMPING_DEPTH, file_at};
use crate::{Form, Material, Mesh, Model, Shape, ShapeKind, ShapeParams, Visual};

/// The shapes and visuals of a frame, by their index.
#[derive(Clone, Default)]
pub(super) struct Carried {
    pub(super) shapes: Vec<usize>,
    pub(super) visuals: Vec<usize>,
}

impl Carried {
    pub(super) fn is_empty(&self) -> bool {
        self.shapes.is_empty() && self.visuals.is_empty()
    }
}

impl<'a> Writer<'a> {
    pub(super) fn visual(
        &mut self,
        visual: &'a Visual,
        pose_lu: &Transform<f64>,
    ) -> Result<(), ExportError> {
        let Model { topology, params } = self.model;
        let (name, kind, size, placement, file) = match &visual.form {
            Form::Shape(id) => {
                let (shape, params) = (&topology.shapes[id.index()], &params.shapes[id.index()]);
                (&shape.name, &shape.kind, params.size, params.placement, &shape.mesh_file)
            }
            Form::Figure(figure) => {
                (&figure.name, &figure.kind, figure.size, figure.placement, &figure.mesh_file)
            }
        };
        if let (ShapeKind::Mesh(_), None) = (kind, file) {
            self.lost_visuals.push(name);
        }
        let geometry = self.geometry(kind, size, file.as_ref())?;
        self.line(&format!("    <visual name=\"{}\">", escaped(name)?));
        self.origin("      ", &(pose_lu.inverse() * placement));
        self.line(&format!("      <geometry>{geometry}</geometry>"));
        if let Some(colour) = visual.colour {
            let number = self.colours.iter().position(|known| *known == colour);
            let number = number.unwrap_or_else(|| {
                self.colours.push(colour);
                self.colours.len() - 1
            });
            let [r, g, b, a] = colour;
            let material = format!("<material name=\"colour_{}\">", number + 1);
            let rgba = format!("<color rgba=\"{r:?} {g:?} {b:?} {a:?}\"/>");
            self.line(&format!("      {material}{rgba}</material>"));
        }
        self.line("    </visual>");
        Ok(())
    }

    pub(super) fn collision(
        &mut self,
        shape: &'a Shape,
        params: &ShapeParams<f64>,
        pose_lu: &Transform<f64>,
    ) -> Result<(), ExportError> {
        if let (ShapeKind::Mesh(_), None) = (&shape.kind, &shape.mesh_file) {
            self.lost_meshes.push(&shape.name);
        }
        let geometry = self.geometry(&shape.kind, params.size, shape.mesh_file.as_ref())?;
        self.line(&format!("    <collision name=\"{}\">", escaped(&shape.name)?));
        self.origin("      ", &(pose_lu.inverse() * params.placement));
        self.line(&format!("      <geometry>{geometry}</geometry>"));
        self.line("    </collision>");
        Ok(())
    }

    /// The element in a `<geometry>`; empty if the format has none, which the notes say.
    fn geometry(
        &self,
        kind: &ShapeKind,
        size: Vec3<f64>,
        file: Option<&PathBuf>,
    ) -> Result<String, ExportError> {
        let Vec3 { x, y, z } = size;
        Ok(match kind {
            ShapeKind::Sphere => format!("<sphere radius=\"{x:?}\"/>"),
            ShapeKind::Capsule => format!("<capsule radius=\"{x:?}\" length=\"{:?}\"/>", 2.0 * y),
            ShapeKind::Cylinder => {
                format!("<cylinder radius=\"{x:?}\" length=\"{:?}\"/>", 2.0 * y)
            }
            ShapeKind::Box => format!("<box size=\"{}\"/>", spaced(size * 2.0)),
            ShapeKind::Mesh(mesh) => {
                let path = escaped(&self.mesh_path(file, mesh))?;
                format!("<mesh filename=\"{path}\" scale=\"{}\"/>", spaced(Vec3::new(x, y, z)))
            }
            _ => String::new(),
        })
    }

    /// A path of a mesh that is valid from the new file's folder.
    fn mesh_path(&self, file: Option<&PathBuf>, mesh: &Mesh) -> String {
        let given = mesh.path.to_string_lossy().into_owned();
        let Some(file) = file else { return given };
        let path = match &self.folder {
            Some(folder) if file_at(&given, folder).as_ref() == Some(file) => return given,
            Some(folder) => path_from(folder, file),
            None => file.clone(),
        };
        path.to_string_lossy().into_owned()
    }

    /// The surface, which PyBullet's extension gives per link.
    pub(super) fn contact(&mut self, link: &str, shapes: &[usize]) {
        let Model { topology, params } = self.model;
        let surface = |i: &usize| surface(&topology.shapes[*i], &params.shapes[*i].material);
        let Some(first) = shapes.first().map(surface) else { return };
        if shapes.iter().any(|i| surface(i) != first) {
            let what = "the different surface of shapes";
            note_names(what, "link", std::iter::once(link), &mut self.notes);
        } else if !first.is_empty() {
            let elements = first.iter().map(|(tag, value)| format!("<{tag} value=\"{value:?}\"/>"));
            let elements = elements.collect::<Vec<_>>().join("");
            self.line(&format!("    <contact>{elements}</contact>"));
        }
    }
}

/// The tags of `<contact>`, and their values, that differ from a reader's defaults.
fn surface(shape: &Shape, material: &Material<f64>) -> Vec<(&'static str, f64)> {
    let default = Material::DEFAULT;
    let mut numbers = Vec::new();
    // On a ground, a friction that the file gives differs from one that it does not give.
    if shape.friction_given || material.friction != default.friction {
        numbers.push(("lateral_friction", material.friction));
    }
    let mut number = |tag, value: f64, default: f64| {
        if value != default {
            numbers.push((tag, value));
        }
    };
    if shape.resists_turning {
        number("spinning_friction", material.torsional_friction, 0.0);
        number("rolling_friction", material.rolling_friction, 0.0);
    }
    number("restitution", material.restitution, default.restitution);
    number("contact_erp", material.position_gain, default.position_gain);
    number("contact_cfm", material.cfm * BULLET_STEP, default.cfm * BULLET_STEP);
    if is_linear_spring(shape, material) {
        numbers.push(("stiffness", material.stiffness));
        numbers.push(("damping", material.damping * DAMPING_DEPTH));
    }
    numbers
}
