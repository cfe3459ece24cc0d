//! Joints: kind, pose, and the parameters of their degrees of freedom.

use gradbody_math::{Mat3, Transform, Vec3};

use super::compiler::Compiler;
use super::defaults::{Range, Settings};
use super::pose::unit;
use crate::import::ImportError;
use crate::import::notes::Notes;
use crate::import::xml::Element;
use crate::{JointKind, JointSpec};

/// A joint of the file.
pub(super) struct Joint<'a> {
    /// The element.
    pub(super) element: Element<'a>,
    /// Its name; set once all names are known.
    pub(super) name: String,
    /// How it moves.
    pub(super) kind: Kind,
    /// The point about which it turns, in the body's frame [m].
    pub(super) anchor: Vec3<f64>,
    /// Unit axis in the body's frame.
    pub(super) axis: Vec3<f64>,
    /// Value of the coordinate in the pose of the file [rad or m].
    pub(super) reference: f64,
    /// Time constant [s] and damping ratio of its spring, converted to stiffness and damping once the inertia at the
    /// joint is known.
    pub(super) spring_damper: Option<[f64; 2]>,
    /// The parameters, except for name and placement.
    pub(super) spec: JointSpec,
}

/// The kinds of joints of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Six degrees of freedom, of a body in the world.
    Free,
    /// Turns about any axis through its anchor.
    Ball,
    /// Moves along its axis.
    Slide,
    /// Turns about its axis.
    Hinge,
}

impl Kind {
    /// Whether its coordinate is an angle in the file's unit.
    fn turns(self) -> bool {
        matches!(self, Kind::Ball | Kind::Hinge)
    }

    /// Whether it has one degree of freedom, which can have a range.
    pub(crate) fn is_scalar(self) -> bool {
        matches!(self, Kind::Slide | Kind::Hinge)
    }

    /// Its name in the format.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Kind::Free => "free",
            Kind::Ball => "ball",
            Kind::Slide => "slide",
            Kind::Hinge => "hinge",
        }
    }

    pub(crate) fn freedoms(self) -> usize {
        match self {
            Kind::Free => 6,
            Kind::Ball => 3,
            Kind::Slide | Kind::Hinge => 1,
        }
    }
}

impl Compiler {
    /// Reads a `joint` inside a frame fixed to its body.
    pub(super) fn joint<'a>(
        &self,
        settings: &Settings<'a>,
        pose_bf: &Transform<f64>,
        notes: &mut Notes,
    ) -> Result<Joint<'a>, ImportError> {
        let kind = match settings.choice("type", &["hinge", "slide", "ball", "free"])? {
            "slide" => Kind::Slide,
            "ball" => Kind::Ball,
            "free" => Kind::Free,
            _ => Kind::Hinge,
        };
        let unit_of = if kind.turns() { self.angle_unit } else { 1.0 };
        let mut joint = Joint::new(settings.element(), kind);
        if kind.is_scalar() {
            let axis = Vec3::from_slice(&settings.array::<3>("axis")?.unwrap_or([0.0, 0.0, 1.0]));
            let Some(axis) = unit(axis) else {
                return Err(settings.attr_error("axis", "an axis must have a direction"));
            };
            joint.axis = if pose_bf.rot == Mat3::IDENTITY { axis } else { pose_bf.rot * axis };
            joint.reference = settings.number("ref")?.unwrap_or(0.0) * unit_of;
            joint.spec = match kind {
                Kind::Slide => JointSpec::prismatic("", joint.axis),
                _ => JointSpec::revolute("", joint.axis),
            };
            joint.spec.params.rest = settings.number("springref")?.unwrap_or(0.0) * unit_of;
        }
        if kind.turns() {
            let pos = Vec3::from_slice(&settings.array::<3>("pos")?.unwrap_or_default());
            joint.anchor = pose_bf.point(pos);
        }
        let params = &mut joint.spec.params;
        params.armature = settings.magnitude("armature")?.unwrap_or(0.0);
        params.friction = settings.magnitude("frictionloss")?.unwrap_or(0.0);
        params.damping = linear_part(settings, "damping", notes)?;
        if params.damping < 0.0 {
            return Err(settings.attr_error("damping", "it cannot be negative"));
        }
        params.stiffness = linear_part(settings, "stiffness", notes)?;
        if kind == Kind::Free && params.stiffness != 0.0 {
            params.stiffness = 0.0;
            notes.ignored(settings.element(), "the spring of a free joint is not simulated");
        }
        self.limits(settings, &mut joint, unit_of, notes)?;
        effort_limit(settings, &mut joint, self.autolimits, notes)?;
        joint.spring_damper = spring_damper(settings, kind, notes)?;
        Ok(joint)
    }

    fn limits(
        &self,
        settings: &Settings<'_>,
        joint: &mut Joint<'_>,
        unit: f64,
        notes: &mut Notes,
    ) -> Result<(), ImportError> {
        if joint.kind == Kind::Free {
            return Ok(());
        }
        match settings.range("range", "limited", self.autolimits)? {
            Range::None => {}
            Range::Reversed => {
                let holder = settings.holder("range").unwrap_or(settings.element());
                notes.assumed(holder, "range is reversed or empty: taken as no limits");
            }
            Range::Limited(_) if joint.kind == Kind::Ball => {
                let what = "the largest angle of a ball joint is not simulated";
                notes.ignored(settings.element(), what);
            }
            Range::Limited([lower, upper]) => {
                joint.spec.params.limit_lower = lower * unit;
                joint.spec.params.limit_upper = upper * unit;
            }
        }
        Ok(())
    }
}

impl<'a> Joint<'a> {
    /// A joint with default parameters.
    pub(super) fn new(element: Element<'a>, kind: Kind) -> Self {
        let spec_kind = match kind {
            Kind::Free => JointKind::Free,
            _ => JointKind::Spherical,
        };
        Joint {
            element,
            name: String::new(),
            kind,
            anchor: Vec3::ZERO,
            axis: Vec3::Z,
            reference: 0.0,
            spring_damper: None,
            spec: JointSpec::new("", spec_kind),
        }
    }
}

/// The linear part of a force that may have higher-order terms.
pub(super) fn linear_part(
    settings: &Settings<'_>,
    name: &str,
    notes: &mut Notes,
) -> Result<f64, ImportError> {
    let [linear, higher @ ..] = settings.leading(name, [0.0; 3])?;
    if higher != [0.0; 2] {
        let what = format!("{name}: only the first number, the linear part, is used");
        notes.approximated(settings.holder(name).unwrap_or(settings.element()), what);
    }
    Ok(linear)
}

fn effort_limit(
    settings: &Settings<'_>,
    joint: &mut Joint<'_>,
    autolimits: bool,
    notes: &mut Notes,
) -> Result<(), ImportError> {
    match settings.range("actuatorfrcrange", "actuatorfrclimited", autolimits)? {
        Range::Limited([lower, upper]) if lower == -upper => {
            joint.spec.params.effort_limit = upper;
        }
        Range::Limited(_) => {
            let what = "actuatorfrcrange is not used: the two ends must be equal and opposite";
            notes.ignored(settings.holder("actuatorfrcrange").unwrap_or(joint.element), what);
        }
        Range::None | Range::Reversed => {}
    }
    Ok(())
}

fn spring_damper(
    settings: &Settings<'_>,
    kind: Kind,
    notes: &mut Notes,
) -> Result<Option<[f64; 2]>, ImportError> {
    let Some([time, ratio]) = settings.array("springdamper")? else { return Ok(None) };
    if time == 0.0 && ratio == 0.0 {
        return Ok(None);
    }
    if time <= 0.0 || ratio <= 0.0 {
        let problem = "time constant and damping ratio must be positive";
        return Err(settings.attr_error("springdamper", problem));
    }
    if !kind.is_scalar() {
        let what = "springdamper is not used: only hinges and slides have one";
        notes.ignored(settings.element(), what);
        return Ok(None);
    }
    Ok(Some([time, ratio]))
}
