//! The last stage of every import: it checks inertias and accelerations, and refuses notes under `strict`.
//!
//! A joint has no defined acceleration if nothing resists it: the mass matrix is singular. The check uses the
//! articulated-body inertia, which is what a joint has to move while the joints further out are free [Featherstone
//! 2008, §7.2]. It uses angles at which no axes align by chance, so that a wrist that is singular only when stretched
//! is not refused.

use std::path::PathBuf;

use gradbody_math::{ArticulatedInertia, Mat3, Motion, Transform, Vec3};

use super::xml::Element;
use super::{Format, ImportError, ImportOptions, ImportReport, Imported, Note, NoteKind};
use crate::builder::unit_or_given;
use crate::{InertiaFault, JointKind, LinkId, Model, ModelBuilder, check_inertia};

/// A position in the source.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The file.
    pub(crate) file: PathBuf,
    /// Line, from 1.
    pub(crate) line: u32,
    /// The element, as `joint "knee"`.
    pub(crate) element: String,
}

/// The positions of a moving link and its joint in the source.
#[derive(Clone, Debug)]
pub(crate) struct LinkPlaces {
    /// The link, as `link "shank"`.
    pub(crate) link: Place,
    /// The joint, as `joint "knee"`.
    pub(crate) joint: Place,
}

impl Place {
    /// The position of `element`.
    pub(crate) fn of(element: Element<'_>) -> Self {
        Place { file: element.file().into(), line: element.line(), element: element.label() }
    }

    /// An error about it.
    pub(crate) fn error(&self, message: impl Into<String>) -> ImportError {
        ImportError {
            file: self.file.clone(),
            line: Some(self.line),
            element: self.element.clone(),
            message: message.into(),
        }
    }

    /// A note about it.
    pub(crate) fn note(&self, kind: NoteKind, what: impl Into<String>) -> Note {
        Note {
            kind,
            file: self.file.clone(),
            line: self.line,
            element: self.element.clone(),
            what: what.into(),
        }
    }
}

/// Checks the built model and completes the report. `places` has an entry for each moving link; `root` is the outermost
/// element.
pub(crate) fn finish(
    mut builder: ModelBuilder,
    root: Element<'_>,
    places: &[LinkPlaces],
    mut notes: Vec<Note>,
    options: &ImportOptions,
) -> Result<Imported, ImportError> {
    check_inertias(&mut builder, places, &mut notes, options)?;
    let model = builder.build().map_err(|e| root.error(e.to_string()))?;
    check_accelerations(&model, places, &mut notes)?;
    if notes.iter().all(|note| note.file == root.file()) {
        notes.sort_by_key(|note| note.line);
    }
    if options.strict {
        refuse_notes(&notes)?;
    }
    let format = if root.tag() == "robot" { Format::Urdf } else { Format::Mjcf };
    Ok(Imported { model, report: ImportReport { format, notes } })
}

fn check_inertias(
    builder: &mut ModelBuilder,
    places: &[LinkPlaces],
    notes: &mut Vec<Note>,
    options: &ImportOptions,
) -> Result<(), ImportError> {
    for (inertia, places) in builder.params_mut().links.iter_mut().zip(places) {
        let Err(fault) = check_inertia(inertia) else { continue };
        if fault == InertiaFault::NotFinite {
            return Err(places.link.error(fault.to_string()));
        }
        if !options.repair_inertia {
            let hint = "--repair-inertia replaces it by the nearest possible one";
            return Err(places.link.error(format!("{fault}; {hint}")));
        }
        *inertia = crate::nearest_consistent(inertia);
        let what = format!("{fault}; replaced by the nearest possible inertia");
        notes.push(places.link.note(NoteKind::Approximated, what));
    }
    Ok(())
}

fn refuse_notes(notes: &[Note]) -> Result<(), ImportError> {
    let mut refused = notes.iter().filter(|n| n.kind != NoteKind::Assumed);
    let Some(first) = refused.next() else { return Ok(()) };
    let more = match refused.count() {
        0 => String::new(),
        n => format!(", and {n} more"),
    };
    Err(ImportError {
        file: first.file.clone(),
        line: Some(first.line),
        element: first.element.clone(),
        message: format!("{} (refused by strict{more})", first.what),
    })
}

fn check_accelerations(
    model: &Model<f64>,
    places: &[LinkPlaces],
    notes: &mut Vec<Note>,
) -> Result<(), ImportError> {
    if let Some((link, why)) = undefined_acceleration(model, generic_angle) {
        let dofs = model.topology.links[link.index()].joint.kind.nv();
        let LinkPlaces { link, joint } = &places[link.index()];
        let name = &link.element;
        return Err(joint.error(match why {
            Undefined::NoMass => format!(
                "it carries no mass, so its acceleration is undefined; give {name} an \
                 inertial or make the joint fixed"
            ),
            Undefined::NoInertia => format!(
                "the links it carries have no inertia about {}, so its acceleration is undefined; \
                 give {name} a rotational inertia or make the joint fixed",
                if dofs == 1 { "its axis" } else { "one of its axes" }
            ),
            Undefined::TooLarge => {
                "the inertia that it carries is too large to compute with".into()
            }
            Undefined::TakenUp => format!(
                "the joints further out can take up all of its motion, so its acceleration is \
                 undefined; give {name} an inertial"
            ),
        }));
    }
    if let Some((link, _)) = undefined_acceleration(model, |_| 0.0) {
        let what = "at the neutral configuration its acceleration is undefined; start elsewhere";
        notes.push(places[link.index()].joint.note(NoteKind::Assumed, what));
    }
    Ok(())
}

/// The name of a joint whose acceleration would be undefined without its armature.
pub(crate) fn undefined_without_armature(model: &Model<f64>) -> Option<&str> {
    let mut bare = model.clone();
    for joint in &mut bare.params.joints {
        joint.armature = 0.0;
        joint.axis = unit_or_given(joint.axis);
        joint.axis2 = unit_or_given(joint.axis2);
    }
    let (link, _) = undefined_acceleration(&bare, generic_angle)?;
    Some(&model.topology.links[link.index()].joint.name)
}

/// An angle [rad], or distance [m], for joint i at which no axes align by chance.
fn generic_angle(i: usize) -> f64 {
    // Multiples of the golden ratio never repeat.
    0.4 + (i as f64 * 0.618_033_988_749_895).fract()
}

/// Why a joint's acceleration is undefined.
enum Undefined {
    /// It carries neither mass nor inertia.
    NoMass,
    /// Nothing that it carries resists its own motion.
    NoInertia,
    /// The inertia it carries is not a finite number.
    TooLarge,
    /// It carries an inertia, but joints further out take up its motion.
    TakenUp,
}

/// An inertia below this fraction of its matrix's trace is rounding. A rod of 10 m and 1 mm that spins about its length
/// is at 1e-8.
const NO_INERTIA: f64 = 1e-12;

/// A fraction of an inertia that is left after releasing joints, below which it is rounding.
const TAKEN_UP: f64 = 1e-10;

/// The outermost joint that nothing resists, with joint i at `angle(i)` [rad or m].
fn undefined_acceleration(
    model: &Model<f64>,
    angle: impl Fn(usize) -> f64,
) -> Option<(LinkId, Undefined)> {
    let links = &model.topology.links;
    let mut poses: Vec<Transform<f64>> = Vec::with_capacity(links.len());
    let mut axes: Vec<Vec<Motion<f64>>> = Vec::with_capacity(links.len());
    for (i, link) in links.iter().enumerate() {
        let pose_wp = link.parent.map_or(Transform::IDENTITY, |p| poses[p.index()]);
        let params = &model.params.joints[i];
        let (moved, local) = joint_motion(link.joint.kind, params.axis, params.axis2, angle(i));
        let pose_wb = pose_wp * params.placement * moved;
        let turned =
            |m: &Motion<f64>| Motion { ang: pose_wb.rot * m.ang, lin: pose_wb.rot * m.lin };
        axes.push(local.iter().map(turned).collect());
        poses.push(pose_wb);
    }

    // At each link's origin, in the world's axes:
    let own = |i: usize| -> ArticulatedInertia<f64> {
        model.params.links[i].rotated(&poses[i].rot).into()
    };
    // everything from here outwards as one rigid body,
    let mut composite: Vec<_> = (0..links.len()).map(own).collect();
    // the same with the joints further out released,
    let mut articulated = composite.clone();
    // and with the children's own joints not released: `articulated` is a difference from this.
    let mut before_release = composite.clone();
    for i in (0..links.len()).rev() {
        let armature = model.params.joints[i].armature;
        let mut released = articulated[i];
        for &axis in &axes[i] {
            let resistance =
                |inertia: &ArticulatedInertia<f64>| axis.dot(inertia.force(axis)) + armature;
            let whole = resistance(&composite[i]);
            let scale = match axis.ang == Vec3::ZERO {
                true => trace(composite[i].lin),
                false => trace(composite[i].ang),
            };
            if !(whole.is_finite() && scale.is_finite()) {
                return Some((LinkId::new(i), Undefined::TooLarge));
            }
            if whole <= NO_INERTIA * scale {
                let nothing = trace(composite[i].lin) + trace(composite[i].ang) == 0.0;
                let why = if nothing { Undefined::NoMass } else { Undefined::NoInertia };
                return Some((LinkId::new(i), why));
            }
            let force = released.force(axis);
            let d = resistance(&released);
            let rounding = TAKEN_UP * resistance(&before_release[i]);
            if d <= rounding {
                // The joint's own earlier axes may be what takes up its motion.
                let alone = resistance(&articulated[i]) > rounding;
                let why = if alone { Undefined::NoInertia } else { Undefined::TakenUp };
                return Some((LinkId::new(i), why));
            }
            released = released.release(force, 1.0 / d);
        }
        if let Some(parent) = links[i].parent.map(LinkId::index) {
            let offset = poses[i].pos - poses[parent].pos;
            let (whole, kept) = (composite[i].shifted(offset), articulated[i].shifted(offset));
            composite[parent] += whole;
            before_release[parent] += kept;
            articulated[parent] += released.shifted(offset);
        }
    }
    None
}

fn trace(m: gradbody_math::Sym3<f64>) -> f64 {
    m.xx + m.yy + m.zz
}

/// The displacement of a link by its joint, and its velocity axes in the link's axes.
fn joint_motion(
    kind: JointKind,
    axis: Vec3<f64>,
    axis2: Vec3<f64>,
    angle: f64,
) -> (Transform<f64>, Vec<Motion<f64>>) {
    let turn = |axis: Vec3<f64>, angle: f64| Mat3::from_axis_sin_cos(axis, angle.sin_cos());
    let turned = |rot: Mat3<f64>| Transform::new(rot, Vec3::ZERO);
    let angular = |ang: Vec3<f64>| Motion { ang, lin: Vec3::ZERO };
    let linear = |lin: Vec3<f64>| Motion { ang: Vec3::ZERO, lin };
    let (x, y, z) = (Vec3::X, Vec3::Y, Vec3::Z);
    match kind {
        JointKind::Revolute(_) => (turned(turn(axis, angle)), vec![angular(axis)]),
        JointKind::Prismatic(_) => (Transform::from_translation(axis * angle), vec![linear(axis)]),
        JointKind::Spherical => (turned(turn(x, angle)), [x, y, z].map(angular).to_vec()),
        JointKind::Planar => (turned(turn(z, angle)), vec![linear(x), linear(y), angular(z)]),
        JointKind::Universal => {
            let second = turn(axis2, 1.3 * angle);
            let first = second.transpose_mul(axis);
            (turned(turn(axis, angle) * second), vec![angular(first), angular(axis2)])
        }
        JointKind::Free => {
            let axes = [x, y, z].map(linear).into_iter().chain([x, y, z].map(angular));
            (turned(turn(x, angle)), axes.collect())
        }
    }
}
