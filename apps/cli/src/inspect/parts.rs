//! A model's parts and their numbers, as text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use gradbody::dynamics::total_mass;
use gradbody::model::import::{Imported, NoteKind};
use gradbody::model::{Activation, JointKind, Model, ShapeKind, principal_moments};

use super::tree::kind;
use gradbody_report::text::{Align, Table, number, tuple};

/// The name, and the numbers of parts.
pub(super) fn summary(model: &Model<f64>, out: &mut String) {
    let topology = &model.topology;
    let mut line = |name: &str, value: String| {
        let _ = writeln!(out, "  {name:<10} {value}");
    };
    line("model", topology.name.clone());
    line("links", topology.links.len().to_string());
    line("joints", counted(topology.links.iter().map(|l| l.joint.kind.name())));
    line("nq, nv", format!("{}, {}", topology.nq, topology.nv));
    line("mass", format!("{} kg", number(total_mass(model))));
    line("gravity", format!("{} m/s²", tuple(&model.params.gravity.to_array())));
    line("actuators", topology.actuators.len().to_string());
    line("shapes", counted(topology.shapes.iter().map(|s| shape_kind(&s.kind))));
    if let Some(dt) = topology.timestep {
        line("time step", format!("{} s", number(dt)));
    }
    if !topology.keyframes.is_empty() {
        let names: Vec<&str> = topology.keyframes.iter().map(|k| k.name.as_str()).collect();
        line("keyframes", names.join(", "));
    }
}

/// `5 (4 sphere, 1 box)`.
fn counted(kinds: impl Iterator<Item = &'static str>) -> String {
    let mut counts = BTreeMap::new();
    let mut total = 0_usize;
    for kind in kinds {
        *counts.entry(kind).or_insert(0_usize) += 1;
        total += 1;
    }
    if total == 0 {
        return "0".into();
    }
    let counts: Vec<String> = counts.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
    format!("{total} ({})", counts.join(", "))
}

/// Name of a kind of shape.
pub(super) fn shape_kind(kind: &ShapeKind) -> &'static str {
    match kind {
        ShapeKind::Sphere => "sphere",
        ShapeKind::Capsule => "capsule",
        ShapeKind::Cylinder => "cylinder",
        ShapeKind::Box => "box",
        ShapeKind::Ellipsoid => "ellipsoid",
        ShapeKind::Plane => "plane",
        ShapeKind::Mesh(_) => "mesh",
        ShapeKind::Extrusion(_) => "extrusion",
        ShapeKind::Points(_) => "set of points",
    }
}

/// Mass, centre of mass and principal moments of each link.
pub(super) fn links(model: &Model<f64>, out: &mut String) {
    if model.topology.links.is_empty() {
        return;
    }
    out.push_str("\nlinks\n");
    let mut table = Table::new(&[
        ("link", Align::Left),
        ("mass [kg]", Align::Right),
        ("centre of mass [m]", Align::Left),
        ("principal moments [kg m²]", Align::Left),
    ]);
    for (link, inertia) in model.topology.links.iter().zip(&model.params.links) {
        let (moments, _) = principal_moments(&inertia.rotational);
        table.row(vec![
            link.name.clone(),
            number(inertia.mass),
            tuple(&inertia.com.to_array()),
            tuple(&moments.to_array()),
        ]);
    }
    table.write(out);
}

/// Kind and position of each joint, and those of its parameters that have an effect.
pub(super) fn joints(model: &Model<f64>, out: &mut String) {
    if model.topology.links.is_empty() {
        return;
    }
    out.push_str("\njoints\n");
    let mut table = Table::new(&[
        ("joint", Align::Left),
        ("kind", Align::Left),
        ("position [m]", Align::Left),
        ("properties", Align::Left),
    ]);
    for (link, params) in model.topology.links.iter().zip(&model.params.joints) {
        let mut properties = Vec::new();
        if kind(link.joint.kind) == link.joint.kind.name() {
            match link.joint.kind {
                JointKind::Revolute(_) | JointKind::Prismatic(_) => {
                    properties.push(format!("axis {}", tuple(&params.axis.to_array())));
                }
                JointKind::Universal => properties.push(format!(
                    "axes {} {}",
                    tuple(&params.axis.to_array()),
                    tuple(&params.axis2.to_array())
                )),
                JointKind::Spherical | JointKind::Planar | JointKind::Free => {}
            }
        }
        if params.limit_lower.is_finite() || params.limit_upper.is_finite() {
            let (lower, upper) = (number(params.limit_lower), number(params.limit_upper));
            properties.push(format!("range {lower} to {upper}"));
        }
        if params.effort_limit.is_finite() {
            properties.push(format!("effort ≤ {}", number(params.effort_limit)));
        }
        for (name, value) in [
            ("damping", params.damping),
            ("friction", params.friction),
            ("armature", params.armature),
            ("stiffness", params.stiffness),
            ("rest", params.rest),
        ] {
            if value != 0.0 {
                properties.push(format!("{name} {}", number(value)));
            }
        }
        let (joint, place) = (&link.joint, params.placement.pos.to_array());
        table.row(vec![joint.name.clone(), kind(joint.kind), tuple(&place), properties.join(", ")]);
    }
    table.write(out);
}

/// The actuators, and the joint that each drives.
pub(super) fn actuators(model: &Model<f64>, out: &mut String) {
    let topology = &model.topology;
    if topology.actuators.is_empty() {
        return;
    }
    out.push_str("\nactuators\n");
    let mut table = Table::new(&[
        ("actuator", Align::Left),
        ("joint", Align::Left),
        ("gear", Align::Right),
        ("gain", Align::Right),
        ("bias", Align::Left),
        ("control", Align::Left),
    ]);
    for (actuator, params) in topology.actuators.iter().zip(&model.params.actuators) {
        let rate = match actuator.activation {
            Activation::Direct => "",
            Activation::Integrator { .. } => ", a rate",
        };
        let (lower, upper) = (number(params.control_lower), number(params.control_upper));
        table.row(vec![
            actuator.name.clone(),
            topology.links[actuator.joint.index()].joint.name.clone(),
            number(params.gear),
            number(params.gain),
            tuple(&params.bias),
            format!("{lower} to {upper}{rate}"),
        ]);
    }
    table.write(out);
}

/// Every parameter by its path.
pub(super) fn params(model: &Model<f64>, out: &mut String) {
    out.push_str("\nparameters\n");
    let mut table = Table::new(&[("", Align::Left), ("", Align::Left)]);
    for id in model.topology.param_ids() {
        table.row(vec![model.topology.param_path(id), number(model.get(id))]);
    }
    table.write(out);
}

/// The parts of the file that are ignored, approximated or assumed.
pub(super) fn import_report(imported: &Imported, out: &mut String) {
    let notes = &imported.report.notes;
    out.push_str("\nimport report\n");
    if notes.is_empty() {
        out.push_str("  everything in the file is used\n");
    }
    let mut table = Table::new(&[("", Align::Left), ("", Align::Left)]);
    for note in notes {
        table.row(vec![note_kind(note.kind).into(), note.to_string()]);
    }
    table.write(out);
}

/// Name of a kind of note.
pub(super) fn note_kind(kind: NoteKind) -> &'static str {
    match kind {
        NoteKind::Ignored => "ignored",
        NoteKind::Approximated => "approximated",
        NoteKind::Assumed => "assumed",
    }
}
