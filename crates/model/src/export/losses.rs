//! Notes on what a URDF cannot express of a model.

use crate::import::undefined_without_armature;
use crate::{
    ContactLaw, Form, JointKind, JointParams, JointSpec, Material, Model, Shape, ShapeKind,
};

/// A sentence for each kind of thing that a URDF of this model lacks.
pub(super) fn losses(model: &Model<f64>) -> Vec<String> {
    let mut notes = Vec::new();
    let topology = &model.topology;
    let gravity = model.params.gravity.to_array();
    if gravity != [0.0, 0.0, -9.81] {
        notes.push(format!("gravity is not written: set it to {gravity:?} where the file is used"));
    }
    let counts = [
        ("actuators", topology.actuators.len()),
        ("keyframes", topology.keyframes.len()),
        ("contact pairs and their surfaces", topology.contact_pairs.len()),
        ("contact excludes", topology.contact_excludes.len()),
    ];
    for (what, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
        notes.push(format!("{what} are not written ({count})"));
    }
    if let Some(dt) = topology.timestep {
        notes.push(format!("the time step is not written ({dt} s)"));
    }
    model_losses(model, &mut notes);
    joint_losses(model, &mut notes);
    shape_losses(model, &mut notes);
    let unwritten = model.topology.visuals.iter().filter_map(|visual| match &visual.form {
        Form::Figure(figure) if !is_writable(&figure.kind) => Some(&*figure.name),
        _ => None,
    });
    note_names("what is drawn", "visual", unwritten, &mut notes);
    notes
}

/// Parts of a file that a model does not keep.
fn model_losses(model: &Model<f64>, notes: &mut Vec<String>) {
    let topology = &model.topology;
    let is_driven = |kind| matches!(kind, JointKind::Revolute(_) | JointKind::Prismatic(_));
    if topology.links.iter().any(|link| is_driven(link.joint.kind)) {
        let what = "velocity limits are not part of a model: 1000 is written because the format requires one";
        notes.push(what.into());
    }
    if topology.frames.iter().skip(1).any(|frame| frame.link.is_none()) {
        let what = "the inertia of what is fixed to the world is not part of a model, so it is not \
                    written";
        notes.push(what.into());
    }
    if let Some(joint) = undefined_without_armature(model) {
        notes.push(format!(
            "without armature, which is not written, the acceleration of joint \"{joint}\" is \
             undefined: the file cannot be loaded until its link has an inertia"
        ));
    }
}

fn joint_losses(model: &Model<f64>, notes: &mut Vec<String>) {
    type Lost = fn(JointKind, &JointParams<f64>) -> bool;
    let kinds: [(&str, Lost); 5] = [
        ("armature", |_, p| p.armature != 0.0),
        ("the spring", |_, p| p.stiffness != 0.0),
        ("the speed at which friction sets in", |kind, p| {
            p.friction != 0.0 && p.friction_velocity != defaults(kind).friction_velocity
        }),
        ("the softness of the limits", |kind, p| {
            let d = defaults(kind);
            let limited = p.limit_lower.is_finite() || p.limit_upper.is_finite();
            let given = [p.limit_stiffness, p.limit_damping, p.limit_softness];
            limited && given != [d.limit_stiffness, d.limit_damping, d.limit_softness]
        }),
        ("the range", |kind, p| {
            let limited = p.limit_lower.is_finite() || p.limit_upper.is_finite();
            limited && matches!(kind, JointKind::Planar | JointKind::Free)
        }),
    ];
    for (what, lost) in kinds {
        let joints = model.topology.links.iter().zip(&model.params.joints);
        let names = joints
            .filter(|(link, params)| lost(link.joint.kind, params))
            .map(|(link, _)| link.joint.name.as_str());
        note_names(what, "joint", names, notes);
    }
}

fn shape_losses(model: &Model<f64>, notes: &mut Vec<String>) {
    type Lost = fn(&Shape, &Material<f64>) -> bool;
    let kinds: [(&str, Lost); 5] = [
        ("the shape", |shape, _| !is_writable(&shape.kind)),
        ("the collision filter", |shape, _| (shape.collision_group, shape.collides_with) != (1, 1)),
        ("the velocity gain", |_, m| m.velocity_gain != Material::DEFAULT.velocity_gain),
        ("the compliant contact", |shape, m| {
            shape.law == ContactLaw::Compliant && !is_linear_spring(shape, m)
        }),
        ("the onset of sliding", |shape, m| {
            let default = Material::with_friction(m.friction);
            shape.law == ContactLaw::Compliant
                && (m.static_friction, m.slip_velocity)
                    != (default.static_friction, default.slip_velocity)
        }),
    ];
    for (what, lost) in kinds {
        let shapes = model.topology.shapes.iter().zip(&model.params.shapes);
        let names = shapes
            .filter(|(shape, params)| lost(shape, &params.material))
            .map(|(shape, _)| shape.name.as_str());
        note_names(what, "shape", names, notes);
    }
}

/// Whether the format has such a shape.
pub(super) fn is_writable(kind: &ShapeKind) -> bool {
    match kind {
        ShapeKind::Sphere | ShapeKind::Capsule | ShapeKind::Cylinder | ShapeKind::Box => true,
        // A mesh made in code has no file.
        ShapeKind::Mesh(mesh) => !mesh.path.as_os_str().is_empty(),
        ShapeKind::Ellipsoid
        | ShapeKind::Plane
        | ShapeKind::Extrusion(_)
        | ShapeKind::Points(_) => false,
    }
}

/// Whether its contacts are linear springs, as in PyBullet.
pub(super) fn is_linear_spring(shape: &Shape, material: &Material<f64>) -> bool {
    shape.law == ContactLaw::Compliant && material.exponent == 1.0
}

/// `what of joint "a" and 3 others is not written`, if there is any.
pub(super) fn note_names<'a>(
    what: &str,
    kind: &str,
    names: impl Iterator<Item = &'a str>,
    notes: &mut Vec<String>,
) {
    if let Some(names) = listed(kind, names) {
        notes.push(format!("{what} of {names} is not written"));
    }
}

/// `joint "a" and 3 others`, if there is any.
pub(super) fn listed<'a>(kind: &str, mut names: impl Iterator<Item = &'a str>) -> Option<String> {
    let first = names.next()?;
    let others = match names.count() {
        0 => String::new(),
        1 => " and one other".to_owned(),
        n => format!(" and {n} others"),
    };
    Some(format!("{kind} \"{first}\"{others}"))
}

fn defaults(kind: JointKind) -> JointParams<f64> {
    JointSpec::new("", kind).params
}
