//! Single URDF elements: inertials, joints, collision shapes.

use std::path::PathBuf;

use gradbody_math::{Inertia, Mat3, Sym3, Transform, Vec3};

use super::known::SHAPES;
use super::surface::{self, Surface};
use super::{Link, Motion, ShapeNames};
use crate::builder::rotation_onto;
use crate::import::mesh::{Found, MeshFiles};
use crate::import::notes::Notes;
use crate::import::xml::{Element, shown};
use crate::import::{ImportError, ImportOptions, NoteKind, on_one_line};
use crate::{FrameId, JointSpec, ModelBuilder, ShapeKind, ShapeParams};

const JOINT_TYPES: [&str; 6] =
    ["revolute", "continuous", "prismatic", "fixed", "floating", "planar"];

/// A limit or effort beyond this is unlimited.
const UNLIMITED: f64 = 1e20;

/// `<origin xyz rpy>`, both of which default to zero.
pub(super) fn origin(element: Element<'_>) -> Result<Transform<f64>, ImportError> {
    let Some(origin) = element.child("origin") else { return Ok(Transform::IDENTITY) };
    let pos = origin.vec3("xyz")?.unwrap_or_default();
    let rpy = origin.vec3("rpy")?.unwrap_or_default();
    Ok(Transform::new(Mat3::from_rpy(rpy), pos))
}

/// A link's `<inertial>`; without one it has no mass.
pub(super) fn inertial(link: Element<'_>) -> Result<Inertia<f64>, ImportError> {
    let Some(inertial) = link.child("inertial") else { return Ok(Inertia::default()) };
    let mass_element = inertial.required_child("mass")?;
    let mass = mass_element.required_number("value")?;
    if mass < 0.0 {
        return Err(mass_element.error(format!("the mass, {mass} kg, is negative")));
    }
    let inertia = inertial.required_child("inertia")?;
    let off_diagonal = |name| Ok(inertia.number(name)?.unwrap_or(0.0));
    let about_com = Inertia {
        mass,
        com: Vec3::ZERO,
        rotational: Sym3::new(
            inertia.required_number("ixx")?,
            inertia.required_number("iyy")?,
            inertia.required_number("izz")?,
            off_diagonal("ixy")?,
            off_diagonal("ixz")?,
            off_diagonal("iyz")?,
        ),
    };
    let pose = origin(inertial)?;
    Ok(Inertia { com: pose.pos, ..about_com.rotated(&pose.rot) })
}

/// The motion of a joint.
pub(super) fn joint(
    element: Element<'_>,
    name: &str,
    options: &ImportOptions,
    notes: &mut Notes,
) -> Result<Motion, ImportError> {
    let placement = origin(element)?;
    let kind = element.required("type")?;
    if element.choice("type", &JOINT_TYPES)? == Some("fixed") {
        if let Some(mimic) = element.child("mimic") {
            notes.kind(NoteKind::Ignored, "fixed mimic", mimic, "the joint is fixed: not used");
        }
        return Ok(Motion::Fixed(placement));
    }
    check_mimic(element, options, notes)?;
    let mut spec = match kind {
        "prismatic" => JointSpec::prismatic(name, axis(element)?),
        "planar" => {
            // The link's frame stays that of the file: rotate z onto the normal, and the link back.
            let turn = Transform::new(rotation_onto(axis(element)?), Vec3::ZERO);
            let mut spec = JointSpec::planar(name).at(turn);
            spec.link_in_joint = turn.inverse();
            spec
        }
        "floating" => JointSpec::free(name),
        _ => JointSpec::revolute(name, axis(element)?),
    };
    spec.placement = placement * spec.placement;
    limits(element, kind, &mut spec, notes)?;
    if let Some(dynamics) = element.child("dynamics") {
        spec.params.damping = magnitude(dynamics, "damping")?.unwrap_or(0.0);
        spec.params.friction = magnitude(dynamics, "friction")?.unwrap_or(0.0);
    }
    Ok(Motion::Moving(Box::new(spec)))
}

fn check_mimic(
    joint: Element<'_>,
    options: &ImportOptions,
    notes: &mut Notes,
) -> Result<(), ImportError> {
    let Some(mimic) = joint.child("mimic") else { return Ok(()) };
    let other = shown(mimic.required("joint")?);
    if options.free_mimic {
        let what = format!("it mimics \"{other}\", but moves on its own here");
        notes.push(joint.note(NoteKind::Approximated, what));
        return Ok(());
    }
    Err(joint.error(format!(
        "it mimics \"{other}\", and coupled joints are not simulated; make it fixed, or let \
         it move on its own (--free-mimic, or free-mimic = true in an experiment)"
    )))
}

/// The unit vector of `<axis>`, which defaults to x.
fn axis(joint: Element<'_>) -> Result<Vec3<f64>, ImportError> {
    let Some(element) = joint.child("axis") else { return Ok(Vec3::X) };
    let axis = element.required_vec3("xyz")?;
    let largest = axis.x.abs().max(axis.y.abs()).max(axis.z.abs());
    if largest == 0.0 {
        return Err(element.attr_error("xyz", "it has no direction"));
    }
    // Squares of very small or very large numbers would underflow or overflow.
    let safe = if (1e-100..1e100).contains(&largest) { axis } else { axis * (1.0 / largest) };
    let unit = safe * (1.0 / safe.norm());
    if unit.is_finite() { Ok(unit) } else { Err(element.attr_error("xyz", "it has no direction")) }
}

/// `<limit>`: range and effort.
fn limits(
    joint: Element<'_>,
    kind: &str,
    spec: &mut JointSpec,
    notes: &mut Notes,
) -> Result<(), ImportError> {
    let has_range = matches!(kind, "revolute" | "prismatic");
    let Some(limit) = joint.child("limit") else {
        if has_range {
            let what = "it has no <limit>: taken as unlimited";
            notes.kind(NoteKind::Assumed, "no limit", joint, what);
        }
        return Ok(());
    };
    let ends = (limit.number("lower")?, limit.number("upper")?);
    if has_range {
        if ends == (None, None) {
            let what = "neither lower nor upper: taken as unlimited";
            notes.kind(NoteKind::Assumed, "no range", limit, what);
        } else {
            let (lower, upper) = (ends.0.unwrap_or(0.0), ends.1.unwrap_or(0.0));
            if lower > upper {
                let message = format!("limit lower ({lower:?}) is above upper ({upper:?})");
                return Err(ImportError { line: Some(limit.line()), ..joint.error(message) });
            }
            spec.params.limit_lower = if lower < -UNLIMITED { f64::NEG_INFINITY } else { lower };
            spec.params.limit_upper = if upper > UNLIMITED { f64::INFINITY } else { upper };
        }
    } else if ends != (None, None) {
        let what = format!("a {kind} joint has no range: lower and upper are not used");
        let note = if kind == "continuous" { NoteKind::Assumed } else { NoteKind::Ignored };
        notes.kind(note, format!("range of {kind}"), limit, &what);
    }
    if let Some(effort) = magnitude(limit, "effort")? {
        spec.params.effort_limit = if effort > UNLIMITED { f64::INFINITY } else { effort };
        if effort == 0.0 {
            let what = "effort 0: taken as a joint without a motor";
            notes.kind(NoteKind::Assumed, "no effort", limit, what);
        }
    }
    if limit.number("velocity")?.is_some_and(|v| v.abs() <= UNLIMITED) {
        let what = "velocity: taken as a bound for controllers, and not used";
        notes.kind(NoteKind::Assumed, "velocity", limit, what);
    }
    Ok(())
}

/// The collision shapes of a link.
pub(super) fn shapes(
    link: &Link<'_>,
    frame: FrameId,
    builder: &mut ModelBuilder,
    names: &mut ShapeNames,
    meshes: &mut MeshFiles,
    notes: &mut Notes,
) -> Result<(), ImportError> {
    let Surface { material, law, resists_turning, friction_given } =
        surface::read(link.element, &link.gazebo, notes)?;
    for collision in link.element.children_named("collision") {
        let read = geometry(collision, |address| meshes.at_address(address))?;
        let Some(Geometry { kind, size, mesh_file, problem }) = read else { continue };
        if let Some((mesh, address, why)) = problem {
            let name = on_one_line(address);
            let what = format!("mesh \"{name}\" keeps its name, but does not collide: {why}");
            notes.kind(NoteKind::Ignored, format!("mesh {address}"), mesh, what);
        }
        let name = collision.attr("name").filter(|n| !n.is_empty()).unwrap_or(link.name);
        let name = names.unique(name);
        let placement = origin(collision)?;
        let shape = builder
            .shape(name, frame, kind, ShapeParams { placement, size, material })
            .map_err(|e| collision.error(e.to_string()))?;
        let shape = builder.shape_mut(shape);
        (shape.law, shape.resists_turning) = (law, resists_turning);
        shape.friction_given = friction_given;
        shape.mesh_file = mesh_file;
    }
    Ok(())
}

/// The geometry of a `<collision>` or `<visual>`.
pub(super) struct Geometry<'a> {
    pub(super) kind: ShapeKind,
    pub(super) size: Vec3<f64>,
    /// Where its mesh's file is.
    pub(super) mesh_file: Option<PathBuf>,
    /// The element of its mesh, the mesh's address, and why it has no hull, if so.
    problem: Option<(Element<'a>, &'a str, String)>,
}

/// The geometry of a `<collision>` or `<visual>`; `None` if it cannot be used. `mesh_at` finds the mesh of an address.
pub(super) fn geometry<'a>(
    element: Element<'a>,
    mut mesh_at: impl FnMut(&str) -> Found,
) -> Result<Option<Geometry<'a>>, ImportError> {
    let geometry = element.required_child("geometry")?;
    if geometry.children().next().is_none() {
        let known = SHAPES.map(|k| format!("<{k}>")).join(", ");
        return Err(geometry.error(format!("it is empty; it needs one of {known}")));
    }
    let Some(shape) = geometry.children().find(|c| SHAPES.contains(&c.tag())) else {
        return Ok(None);
    };
    let length = |name: &str| {
        let text = shape.required_number(name)?;
        if text < 0.0 {
            Err(shape.attr_error(name, "a length must not be negative"))
        } else {
            Ok(text)
        }
    };
    let round = || Ok(Vec3::new(length("radius")?, 0.5 * length("length")?, 0.0));
    let (mut mesh_file, mut trouble) = (None, None);
    let (kind, size) = match shape.tag() {
        "box" => {
            let size = shape.required_vec3("size")?;
            if size.to_array().iter().any(|x| *x < 0.0) {
                return Err(shape.attr_error("size", "a length must not be negative"));
            }
            (ShapeKind::Box, size * 0.5)
        }
        "sphere" => (ShapeKind::Sphere, Vec3::new(length("radius")?, 0.0, 0.0)),
        "cylinder" => (ShapeKind::Cylinder, round()?),
        "capsule" => (ShapeKind::Capsule, round()?),
        _mesh => {
            let scale = shape.vec3("scale")?.unwrap_or(Vec3::new(1.0, 1.0, 1.0));
            let address = shape.required("filename")?;
            let Found { mesh, file, problem } = mesh_at(address);
            (mesh_file, trouble) = (file, problem.map(|why| (shape, address, why)));
            (ShapeKind::Mesh(mesh), scale)
        }
    };
    Ok(Some(Geometry { kind, size, mesh_file, problem: trouble }))
}

/// A number that is not negative.
pub(super) fn magnitude(element: Element<'_>, name: &str) -> Result<Option<f64>, ImportError> {
    match element.number(name)? {
        Some(x) if x < 0.0 => Err(element.attr_error(name, "it must not be negative")),
        number => Ok(number),
    }
}
