//! Notes on what an MJCF cannot express of a model.

use super::super::losses::{listed, note_names};
use super::OPEN;
use super::geom::Geoms;
use super::surface::{LOST, TIME_STEP};
use super::tree::{Part, Tree};
use crate::import::Kind;
use crate::{
    ActuatorParams, Axis, JointKind, JointParams, JointSpec, LinkId, Model, PairId,
    principal_moments,
};

/// MuJoCo refuses moving bodies with less mass [kg] or moment of inertia [kg m²] than this.
const LEAST: f64 = 1e-15;

/// Rounding tolerance of the triangle inequality for a flat body's moments.
const ROUNDING: f64 = 1e-12;

/// A sentence for each kind of thing that an MJCF of this model lacks.
pub(super) fn losses(model: &Model<f64>, tree: &Tree, geoms: &Geoms) -> Vec<String> {
    let mut notes = vec![super::super::NOT_OF_A_MODEL.to_owned()];
    model_losses(model, tree, &mut notes);
    joint_losses(model, tree, &mut notes);
    shape_losses(model, geoms, &mut notes);
    actuator_losses(model, &mut notes);
    notes
}

fn model_losses(model: &Model<f64>, tree: &Tree, notes: &mut Vec<String>) {
    let topology = &model.topology;
    if topology.frames.iter().skip(1).any(|frame| frame.link.is_none()) {
        let what = "the inertia of what is fixed to the world is not part of a model, so it is not \
                    written";
        notes.push(what.into());
    }
    if topology.timestep.is_none() {
        notes.push(format!("the model has no time step: a reader assumes {TIME_STEP} s"));
    }
    if tree.order().iter().enumerate().any(|(i, link)| *link != LinkId::new(i)) {
        let what = "joints, and so coordinates, are in another order: what hangs on a body follows \
                    it in the file";
        notes.push(what.into());
    }
    let refused = tree.bodies.iter().map(|body| body.link().index()).filter(|i| {
        let inertia = &model.params.links[*i];
        let moments = principal_moments(&inertia.rotational).0;
        let broken = moments.x + moments.y < moments.z * (1.0 - ROUNDING);
        inertia.mass < LEAST || moments.x < LEAST || broken
    });
    if let Some(bodies) = listed("link", refused.map(|i| &*topology.links[i].name)) {
        let what = "MuJoCo will not load the file: every moving body needs a mass and moments of \
                    inertia with A + B >= C > 0, which is not true of";
        notes.push(format!("{what} {bodies}"));
    }
}

fn joint_losses(model: &Model<f64>, tree: &Tree, notes: &mut Vec<String>) {
    type Lost = fn(&Part, &JointParams<f64>) -> bool;
    let kinds: [(&str, Lost); 3] = [
        ("the speed at which friction sets in", |part, p| {
            p.friction != 0.0 && p.friction_velocity != defaults(part).friction_velocity
        }),
        ("the softness of the limits", |part, p| {
            let d = defaults(part);
            let limited = p.limit_lower.is_finite() || p.limit_upper.is_finite();
            let given = [p.limit_stiffness, p.limit_damping, p.limit_softness];
            limited && given != [d.limit_stiffness, d.limit_damping, d.limit_softness]
        }),
        ("the range, a single point,", |part, p| {
            part.kind.is_scalar() && is_point([p.limit_lower, p.limit_upper])
        }),
    ];
    let joint = |lost: Lost| {
        let is_lost = move |part: &&Part| lost(part, &model.params.joints[part.link.index()]);
        let parts = tree.bodies.iter().flat_map(|body| &body.parts).filter(is_lost);
        let mut links: Vec<LinkId> = parts.map(|part| part.link).collect();
        links.dedup();
        links.into_iter().map(|link| &*model.topology.links[link.index()].joint.name)
    };
    for (what, lost) in kinds {
        note_names(what, "joint", joint(lost), notes);
    }
    let half_open: Lost =
        |part, p| part.kind.is_scalar() && is_half_open([p.limit_lower, p.limit_upper]);
    note_open("range", listed("joint", joint(half_open)), notes);
}

fn shape_losses(model: &Model<f64>, geoms: &Geoms, notes: &mut Vec<String>) {
    let topology = &model.topology;
    let unwritten = topology.shapes.iter().zip(&geoms.names).filter(|(_, name)| name.is_none());
    note_names("the shape", "shape", unwritten.map(|(shape, _)| &*shape.name), notes);
    let figures = geoms.lost_figures.iter().map(String::as_str);
    note_names("what is drawn", "visual", figures, notes);
    for (what, lost) in LOST {
        let shapes = topology.shapes.iter().zip(&model.params.shapes);
        let names = shapes.filter(|(s, p)| lost(s.law, &p.material)).map(|(s, _)| &*s.name);
        note_names(what, "shape", names, notes);
        let pairs = topology.contact_pairs.iter().zip(&model.params.pairs).enumerate();
        let names: Vec<String> = pairs
            .filter(|(_, (pair, material))| lost(pair.law, material))
            .map(|(i, _)| topology.pair_name(PairId::new(i)))
            .collect();
        note_names(what, "contact pair", names.iter().map(String::as_str), notes);
    }
}

fn actuator_losses(model: &Model<f64>, notes: &mut Vec<String>) {
    type Range = fn(&ActuatorParams<f64>) -> [f64; 2];
    let kinds: [(&str, Range); 3] = [
        ("control range", |p| [p.control_lower, p.control_upper]),
        ("force range", |p| [p.force_lower, p.force_upper]),
        ("activation range", |p| [p.activation_lower, p.activation_upper]),
    ];
    for (what, range) in kinds {
        let names = |lost: fn([f64; 2]) -> bool| {
            let actuators = model.topology.actuators.iter().zip(&model.params.actuators);
            actuators.filter(move |(_, p)| lost(range(p))).map(|(a, _)| &*a.name)
        };
        note_names(&format!("the {what}, a single point,"), "actuator", names(is_point), notes);
        note_open(what, listed("actuator", names(is_half_open)), notes);
    }
}

/// `the open end of the range of joint "a" is written as 1e30`, if there is any.
fn note_open(what: &str, names: Option<String>, notes: &mut Vec<String>) {
    if let Some(names) = names {
        notes.push(format!("the open end of the {what} of {names} is written as {OPEN:?}"));
    }
}

/// A range that the format reads as none.
fn is_point([lower, upper]: [f64; 2]) -> bool {
    lower == upper
}

fn is_half_open([lower, upper]: [f64; 2]) -> bool {
    lower.is_finite() != upper.is_finite()
}

/// The numbers that a reader assumes where the format has none.
fn defaults(part: &Part) -> JointParams<f64> {
    let kind = match part.kind {
        Kind::Slide => JointKind::Prismatic(Axis::Z),
        Kind::Hinge => JointKind::Revolute(Axis::Z),
        Kind::Ball => JointKind::Spherical,
        Kind::Free => JointKind::Free,
    };
    JointSpec::new("", kind).params
}
