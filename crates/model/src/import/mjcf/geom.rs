//! Geoms: shape, pose, surface, and their mass.

use std::f64::consts::PI;
use std::path::PathBuf;

use gradbody_math::{Inertia, Mat3, Sym3, Transform, Vec3};

use super::asset::Meshes;
use super::compiler::Compiler;
use super::defaults::Settings;
use super::pose::{turn_z_onto, unit};
use super::surface::{Reference, condim};
use crate::ShapeKind;
use crate::import::ImportError;
use crate::import::mesh::Found;
use crate::import::notes::Notes;
use crate::import::xml::{Element, on_one_line};

/// A geom of the file.
pub(super) struct Geom<'a> {
    /// The element.
    pub(super) element: Element<'a>,
    /// Its name; set once all names are known.
    pub(super) name: String,
    /// Its shape; `None` if there is no counterpart.
    pub(super) shape: Option<ShapeKind>,
    /// Where its mesh's file is.
    pub(super) mesh_file: Option<PathBuf>,
    /// Pose in the body's frame.
    pub(super) pose: Transform<f64>,
    /// Size parameters of the shape [m].
    pub(super) size: Vec3<f64>,
    /// Sliding, torsional and rolling friction.
    pub(super) friction: [f64; 3],
    /// Number of directions in which its contacts resist.
    pub(super) condim: i32,
    /// How its contacts correct penetration, if the file gives it.
    pub(super) reference: Option<Reference>,
    /// Collision groups it belongs to.
    pub(super) contype: u32,
    /// Collision groups it collides with.
    pub(super) conaffinity: u32,
    /// Its group, which decides whether it counts for the body's inertia, and whether it is drawn.
    pub(super) group: i32,
    /// Its colour, if the file gives one.
    pub(super) colour: Option<[f32; 4]>,
    /// Its contribution to the body's inertia.
    pub(super) weight: Weight,
}

impl Geom<'_> {
    /// Whether it is drawn: MuJoCo's viewer shows these groups until others are chosen.
    pub(super) fn is_drawn(&self) -> bool {
        (0..=2).contains(&self.group)
    }
}

/// The contribution of a geom to its body's inertia.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Weight {
    /// This, in the body's frame.
    Known(Inertia<f64>),
    /// Unknown: it depends on the volume of a mesh.
    OfMesh,
}

impl Compiler {
    /// Reads a `geom` inside a frame fixed to its body.
    pub(super) fn geom<'a>(
        &self,
        settings: &Settings<'a>,
        pose_bf: &Transform<f64>,
        meshes: &Meshes<'a>,
        notes: &mut Notes,
    ) -> Result<Geom<'a>, ImportError> {
        let element = settings.element();
        let types = ["sphere", "capsule", "ellipsoid", "cylinder", "box", "plane"];
        let types = [&types[..], &["mesh", "hfield", "sdf"]].concat();
        let word = settings.choice("type", &types)?;
        let mut local = self.pose(settings)?;
        let mut size = Vec3::from_slice(&settings.leading("size", [0.0; 3])?);
        let of_mesh = settings.attr("mesh").is_some() || matches!(word, "mesh" | "sdf");
        let mut shape = Some(match word {
            "capsule" => ShapeKind::Capsule,
            "ellipsoid" => ShapeKind::Ellipsoid,
            "cylinder" => ShapeKind::Cylinder,
            "box" => ShapeKind::Box,
            "plane" => ShapeKind::Plane,
            _ => ShapeKind::Sphere,
        });
        let mut mesh_file = None;
        if of_mesh {
            let found = mesh_shape(settings, word, meshes, &mut local, &mut size, notes)?;
            (shape, mesh_file) = match found {
                Some(Found { mesh, file, .. }) => (Some(ShapeKind::Mesh(mesh)), file),
                None => (None, None),
            };
        } else if word == "hfield" {
            shape = None;
            notes.ignored(element, "height fields are not simulated; nothing collides here");
        } else if let Some(ends) = settings.array::<6>("fromto")? {
            (local, size) = between(settings, word, ends, size)?;
        }
        if let Some(kind) = &shape {
            check_size(settings, kind, size)?;
        }
        let pose = if *pose_bf == Transform::IDENTITY { local } else { *pose_bf * local };
        let weight = match &shape {
            _ if of_mesh => mesh_weight(settings)?,
            Some(kind) => Weight::Known(solid(settings, kind, size, &pose)?),
            None => Weight::Known(Inertia::ZERO),
        };
        let friction = settings.leading("friction", [1.0, 0.005, 0.0001])?;
        if friction.iter().any(|f| *f < 0.0) {
            return Err(settings.attr_error("friction", "it cannot be negative"));
        }
        Ok(Geom {
            element,
            name: String::new(),
            shape,
            mesh_file,
            pose,
            size,
            friction,
            condim: condim(settings)?,
            reference: Reference::read(settings)?,
            // Negative numbers set every bit.
            contype: settings.integer("contype")?.unwrap_or(1) as u32,
            conaffinity: settings.integer("conaffinity")?.unwrap_or(1) as u32,
            group: settings.integer("group")?.unwrap_or(0),
            colour: None,
            weight,
        })
    }
}

/// The mesh of a geom, if that is its shape.
fn mesh_shape<'a>(
    settings: &Settings<'a>,
    word: &str,
    meshes: &Meshes<'a>,
    local: &mut Transform<f64>,
    size: &mut Vec3<f64>,
    notes: &mut Notes,
) -> Result<Option<Found>, ImportError> {
    let element = settings.element();
    if word == "sdf" {
        notes.ignored(element, "distance fields are not simulated; nothing collides here");
        return Ok(None);
    }
    let mesh = meshes.named(settings)?;
    if settings.attr("fromto").is_some() {
        return Err(settings.attr_error("fromto", "a mesh cannot be given by its ends"));
    }
    let problem = if word != "mesh" {
        "a shape fitted to a mesh is not simulated; give it a size instead"
    } else if mesh.sheared {
        "a mesh turned by refquat and scaled unequally is not simulated"
    } else {
        let touches = |name: &str| Ok(settings.integer(name)?.unwrap_or(1) != 0);
        let needed = meshes.has_pairs || touches("contype")? || touches("conaffinity")?;
        // Meshes for display alone are often large and need not be read.
        match if needed { meshes.hull(mesh) } else { Some(meshes.unread(mesh)) } {
            Some(found) => {
                if let Some(why) = &found.problem {
                    let path = found.mesh.path.to_string_lossy();
                    let asset = settings.attr("mesh").unwrap_or_default();
                    let name = on_one_line(if path.is_empty() { asset } else { &path });
                    let what = format!("its mesh \"{name}\" does not collide: {why}");
                    notes.ignored(element, what);
                }
                *local = *local * mesh.origin;
                *size = mesh.scale;
                return Ok(Some(found));
            }
            None => "a mesh with neither file nor vertices is not simulated",
        }
    };
    notes.ignored(element, problem);
    Ok(None)
}

/// Pose and size of a shape given by its two ends.
pub(super) fn between(
    settings: &Settings<'_>,
    word: &str,
    ends: [f64; 6],
    size: Vec3<f64>,
) -> Result<(Transform<f64>, Vec3<f64>), ImportError> {
    if !matches!(word, "capsule" | "cylinder" | "box" | "ellipsoid") {
        let problem = format!(
            "a {word} cannot be given by its ends; capsules, cylinders, boxes and ellipsoids can"
        );
        return Err(settings.attr_error("fromto", &problem));
    }
    if settings.array("pos")?.is_some_and(|pos| pos != [0.0; 3]) {
        return Err(settings.error("pos and fromto both give the position; keep one"));
    }
    let (from, to) = (Vec3::from_slice(&ends[..3]), Vec3::from_slice(&ends[3..]));
    let Some(z) = unit(from - to) else {
        return Err(settings.attr_error("fromto", "the two ends are one point"));
    };
    let half = 0.5 * (from - to).norm();
    let size = match word {
        "capsule" | "cylinder" => Vec3::new(size.x, half, size.z),
        _ => Vec3::new(size.x, size.x, half),
    };
    Ok((Transform::new(turn_z_onto(z), (from + to) * 0.5), size))
}

fn check_size(
    settings: &Settings<'_>,
    kind: &ShapeKind,
    size: Vec3<f64>,
) -> Result<(), ImportError> {
    let (count, what) = match kind {
        ShapeKind::Sphere => (1, "a sphere needs 1 number: its radius"),
        ShapeKind::Capsule => (2, "a capsule needs 2 numbers: radius and half length"),
        ShapeKind::Cylinder => (2, "a cylinder needs 2 numbers: radius and half length"),
        ShapeKind::Box => (3, "a box needs 3 numbers: its half lengths"),
        ShapeKind::Ellipsoid => (3, "an ellipsoid needs 3 numbers: its half axes"),
        _ => return Ok(()),
    };
    if size.to_array()[..count].iter().all(|x| *x > 0.0) {
        return Ok(());
    }
    Err(match settings.holder("size") {
        Some(_) => settings.attr_error("size", &format!("{what}, all positive")),
        None => settings.error(format!("size is missing: {what}")),
    })
}

fn mesh_weight(settings: &Settings<'_>) -> Result<Weight, ImportError> {
    let none = match settings.magnitude("mass")? {
        Some(mass) => mass == 0.0,
        None => settings.magnitude("density")? == Some(0.0),
    };
    Ok(if none { Weight::Known(Inertia::ZERO) } else { Weight::OfMesh })
}

/// The inertia of a solid, or with `shellinertia` of its surface, in the body's frame.
fn solid(
    settings: &Settings<'_>,
    kind: &ShapeKind,
    size: Vec3<f64>,
    pose: &Transform<f64>,
) -> Result<Inertia<f64>, ImportError> {
    let mass = settings.magnitude("mass")?;
    let density = settings.magnitude("density")?.unwrap_or(1000.0);
    let (extent, moments) = if settings.flag("shellinertia")? == Some(true) {
        match shell(kind, size) {
            Some(shell) => shell,
            None => {
                return Err(settings.attr_error("shellinertia", "an ellipsoid can only be solid"));
            }
        }
    } else {
        filled(kind, size)
    };
    let mass = mass.unwrap_or(density * extent);
    let inertia = Sym3::diagonal(moments * mass);
    Ok(Inertia { mass, com: pose.pos, rotational: turned(inertia, &pose.rot) })
}

fn turned(inertia: Sym3<f64>, rot: &Mat3<f64>) -> Sym3<f64> {
    // Exactly the file's digits if there is no rotation.
    if *rot == Mat3::IDENTITY { inertia } else { inertia.rotated(rot) }
}

/// Volume [m³], and moments of inertia per mass [m²] about the axes.
fn filled(kind: &ShapeKind, size: Vec3<f64>) -> (f64, Vec3<f64>) {
    let Vec3 { x, y, z } = size;
    let squares = Vec3::new(y * y + z * z, x * x + z * z, x * x + y * y);
    match kind {
        ShapeKind::Sphere => (4.0 / 3.0 * PI * x.powi(3), Vec3::new(1.0, 1.0, 1.0) * (0.4 * x * x)),
        ShapeKind::Cylinder => {
            let (r, h) = (x, 2.0 * y);
            let across = (3.0 * r * r + h * h) / 12.0;
            (PI * r * r * h, Vec3::new(across, across, 0.5 * r * r))
        }
        ShapeKind::Capsule => {
            // A cylinder, and two half balls at its ends: a half ball's centre of mass lies 3/8 r from its flat side.
            let (r, h) = (x, 2.0 * y);
            let ball = 4.0 * r / (4.0 * r + 3.0 * h);
            let cylinder = 1.0 - ball;
            let across = cylinder * (3.0 * r * r + h * h) / 12.0
                + ball * (0.4 * r * r + h * (3.0 * r + 2.0 * h) / 8.0);
            let along = cylinder * 0.5 * r * r + ball * 0.4 * r * r;
            (PI * r * r * (h + 4.0 / 3.0 * r), Vec3::new(across, across, along))
        }
        ShapeKind::Box => (8.0 * x * y * z, squares * (1.0 / 3.0)),
        ShapeKind::Ellipsoid => (4.0 / 3.0 * PI * x * y * z, squares * 0.2),
        _ => (0.0, Vec3::ZERO),
    }
}

/// Area [m²], and moments of inertia per mass [m²] about the axes, of a surface.
fn shell(kind: &ShapeKind, size: Vec3<f64>) -> Option<(f64, Vec3<f64>)> {
    let Vec3 { x, y, z } = size;
    Some(match kind {
        ShapeKind::Sphere => (4.0 * PI * x * x, Vec3::new(1.0, 1.0, 1.0) * (2.0 / 3.0 * x * x)),
        ShapeKind::Cylinder => {
            let (r, h) = (x, 2.0 * y);
            let (side, lids) = (2.0 * PI * r * h, 2.0 * PI * r * r);
            let across = side * (r * r / 2.0 + h * h / 12.0) + lids * (r * r + h * h) / 4.0;
            let along = side * r * r + lids * 0.5 * r * r;
            let area = side + lids;
            (area, Vec3::new(across, across, along) * area.recip())
        }
        ShapeKind::Capsule => {
            // The half spheres' centres of mass lie r/2 from their flat sides.
            let (r, h) = (x, 2.0 * y);
            let (side, ball) = (2.0 * PI * r * h, 4.0 * PI * r * r);
            let across = side * (r * r / 2.0 + h * h / 12.0)
                + ball * (2.0 / 3.0 * r * r + h * (2.0 * r + h) / 4.0);
            let along = side * r * r + ball * 2.0 / 3.0 * r * r;
            let area = side + ball;
            (area, Vec3::new(across, across, along) * area.recip())
        }
        ShapeKind::Box => {
            // Second moments along an axis of half length a: a²/3 on the faces parallel to it, a² on those
            // perpendicular to it.
            let [yz, xz, xy] = [8.0 * y * z, 8.0 * x * z, 8.0 * x * y];
            let area = yz + xz + xy;
            let along = |a: f64, across: f64| a * a * (across + (area - across) / 3.0) / area;
            let (sx, sy, sz) = (along(x, yz), along(y, xz), along(z, xy));
            (area, Vec3::new(sy + sz, sx + sz, sx + sy))
        }
        ShapeKind::Ellipsoid => return None,
        _ => (0.0, Vec3::ZERO),
    })
}
