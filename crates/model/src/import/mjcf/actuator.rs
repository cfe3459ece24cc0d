//! Actuators: motors and servos on joints of one degree of freedom.
//!
//! Ranges, gear and similar attributes are inherited from any kind of actuator; for gain, bias and state see `servo`.
//!
//! An actuator without a counterpart is left out, with a note; the others keep their order.

use std::collections::HashMap;

use super::Context;
use super::assemble::Assembled;
use super::body::Body;
use super::contact::find;
use super::defaults::{ClassId, Range, Settings};
use super::joint::{Kind, linear_part};
use super::keyframe::numbers;
use super::names::{self, Taken};
use super::rest::AtRest;
use super::servo::{Dynamics, Servo, TAGS};
use crate::import::ImportError;
use crate::import::notes::Notes;
use crate::import::xml::Element;
use crate::{ActuatorParams, ModelBuilder};

/// A joint of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct JointPlace {
    /// Index of its body.
    pub(super) body: usize,
    /// Index among the body's joints.
    pub(super) joint: usize,
}

/// An actuator that is simulated.
pub(super) struct Drive<'a> {
    /// The element.
    pub(super) element: Element<'a>,
    /// The driven joint.
    pub(super) place: JointPlace,
    /// Force from control.
    pub(super) servo: Servo,
    /// Rotor inertia; at the joint it is multiplied by gear² [kg m² or kg].
    pub(super) armature: f64,
    /// Damping; at the joint it is multiplied by gear² [N m s/rad or N s/m].
    pub(super) damping: f64,
    /// Ranges and gear; gain and bias are the servo's.
    pub(super) params: ActuatorParams<f64>,
}

/// Reads all simulated actuators, and which controls and states belong to them.
pub(super) fn read<'a>(
    context: &Context<'a>,
    bodies: &[Body<'a>],
    notes: &mut Notes,
) -> Result<(Vec<Drive<'a>>, Columns), ImportError> {
    let tree = context.tree;
    let sections = tree.sections("actuator");
    let elements: Vec<_> = sections.into_iter().flat_map(|s| tree.children(s)).collect();
    names::all("actuator", 0, elements.iter().copied())?;
    let mut joints = HashMap::new();
    for (body, b) in bodies.iter().enumerate() {
        let places = b.joints.iter().enumerate().map(|(joint, j)| (j, JointPlace { body, joint }));
        joints.extend(places.map(|(j, place)| (j.name.clone(), (place, j.kind))));
    }
    let mut drives = Vec::new();
    let mut columns = Columns::default();
    for element in elements {
        let class = context.defaults.named(element, "class")?.unwrap_or(ClassId::MAIN);
        let levels = context.defaults.levels(class, TAGS);
        let settings = Settings::inheriting(element, &levels);
        let Some(servo) = Servo::read(element, &levels)? else {
            notes.ignored(element, "this kind of actuator is not simulated");
            columns.push_left_out(element);
            continue;
        };
        let place = transmission(element, &joints, notes)?;
        let simulated = place.is_some() && servo.is_simulated(element, notes);
        columns.controls.push(Some(simulated));
        if servo.dynamics != Dynamics::None {
            let has_state = simulated && servo.dynamics == Dynamics::Integrator;
            columns.activations.push(Some(has_state));
        }
        if let Some(place) = place.filter(|_| simulated) {
            drives.push(read_drive(context, &settings, servo, place, bodies, notes)?);
        }
    }
    Ok((drives, columns))
}

/// The joint that an actuator drives; `None` if it drives something that is not simulated.
fn transmission(
    element: Element<'_>,
    joints: &HashMap<String, (JointPlace, Kind)>,
    notes: &mut Notes,
) -> Result<Option<JointPlace>, ImportError> {
    for target in ["tendon", "site", "body", "cranksite", "slidersite"] {
        if element.attr(target).is_some() {
            let what = format!("an actuator on a {target} is not simulated");
            notes.ignored(element, what);
            return Ok(None);
        }
    }
    // For a hinge or slide, the two have the same meaning.
    let attribute = match element.attr("jointinparent") {
        Some(_) => "jointinparent",
        None => "joint",
    };
    let (place, kind) = *find(element, attribute, "joint", joints)?;
    if !kind.is_scalar() {
        let what = "an actuator on a ball or free joint is not simulated";
        notes.ignored(element, what);
        return Ok(None);
    }
    Ok(Some(place))
}

fn read_drive<'a>(
    context: &Context<'a>,
    settings: &Settings<'a>,
    servo: Servo,
    place: JointPlace,
    bodies: &[Body<'a>],
    notes: &mut Notes,
) -> Result<Drive<'a>, ImportError> {
    let element = settings.element();
    let autolimits = context.compiler.autolimits;
    let mut limits = |range: &str, limited: &str| -> Result<[f64; 2], ImportError> {
        Ok(match settings.range(range, limited, autolimits)? {
            Range::Limited(range) => range,
            Range::None => [f64::NEG_INFINITY, f64::INFINITY],
            Range::Reversed => {
                let what = format!("{range} is reversed or empty: taken as no limits");
                notes.assumed(settings.holder(range).unwrap_or(element), what);
                [f64::NEG_INFINITY, f64::INFINITY]
            }
        })
    };
    let mut control = limits("ctrlrange", "ctrllimited")?;
    let force = limits("forcerange", "forcelimited")?;
    let mut activation = limits("actrange", "actlimited")?;
    if servo.dynamics == Dynamics::None && activation[0].is_finite() {
        let problem = "an actuator without a state cannot have actrange";
        return Err(settings.attr_error("actrange", problem));
    }
    if let Some(inherited) = inherited_range(settings, &servo, place, bodies)? {
        match servo.dynamics {
            Dynamics::Integrator => activation = inherited,
            _ => control = inherited,
        }
    }
    let damping = linear_part(settings, "damping", notes)?;
    if damping < 0.0 {
        return Err(settings.attr_error("damping", "it cannot be negative"));
    }
    if settings.number("delay")?.is_some_and(|delay| delay != 0.0) {
        let holder = settings.holder("delay").unwrap_or(element);
        notes.ignored_kind("delay", holder, "delay is not used: controls act at once");
    }
    let [gear, ..] = settings.leading("gear", [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])?;
    Ok(Drive {
        element,
        place,
        servo,
        armature: settings.magnitude("armature")?.unwrap_or(0.0),
        damping,
        params: ActuatorParams {
            gear,
            gain: 0.0,
            bias: [0.0; 3],
            control_lower: control[0],
            control_upper: control[1],
            activation_lower: activation[0],
            activation_upper: activation[1],
            force_lower: force[0],
            force_upper: force[1],
        },
    })
}

/// The joint's range, which `inheritrange` makes the range of a servo's set point.
fn inherited_range(
    settings: &Settings<'_>,
    servo: &Servo,
    place: JointPlace,
    bodies: &[Body<'_>],
) -> Result<Option<[f64; 2]>, ImportError> {
    let own = match servo.dynamics {
        Dynamics::Integrator => "actrange",
        _ => "ctrlrange",
    };
    // If both are given, the stronger one counts.
    let Some(holder) = settings.holder_of_any(&[own, "inheritrange"]) else { return Ok(None) };
    let factor = holder.number("inheritrange")?.unwrap_or(0.0);
    if factor == 0.0 || !servo.is_position() {
        return Ok(None);
    }
    if factor < 0.0 {
        return Err(holder.attr_error("inheritrange", "it cannot be negative"));
    }
    if holder.attr(own).is_some() {
        return Err(holder.error(format!("{own} and inheritrange both give a range; keep one")));
    }
    let joint = &bodies[place.body].joints[place.joint];
    let (lower, upper) = (joint.spec.params.limit_lower, joint.spec.params.limit_upper);
    if lower == f64::NEG_INFINITY {
        let problem = format!("joint \"{}\" has no range", joint.name);
        return Err(holder.attr_error("inheritrange", &problem));
    }
    let (middle, half) = (0.5 * (lower + upper), 0.5 * (upper - lower) * factor);
    Ok(Some([middle - half, middle + half]))
}

/// Adds the actuators' rotor inertia, times gear², to that of their joints.
pub(super) fn reflect_armature(drives: &[Drive<'_>], bodies: &mut [Body<'_>]) {
    for Drive { place, armature, params, .. } in drives {
        let joint = &mut bodies[place.body].joints[place.joint].spec.params;
        joint.armature += params.gear * params.gear * armature;
    }
}

/// Adds the actuators' damping, times gear², to that of their joints.
pub(super) fn reflect_damping(drives: &[Drive<'_>], bodies: &mut [Body<'_>]) {
    for Drive { place, damping, params, .. } in drives {
        let joint = &mut bodies[place.body].joints[place.joint].spec.params;
        joint.damping += params.gear * params.gear * damping;
    }
}

/// Adds all actuators.
pub(super) fn add(
    builder: &mut ModelBuilder,
    drives: &[Drive<'_>],
    bodies: &[Body<'_>],
    assembled: &Assembled,
    at_rest: &AtRest,
) -> Result<(), ImportError> {
    let mut taken = Taken::default();
    for name in drives.iter().filter_map(|d| names::given(d.element)) {
        taken.claim(name);
    }
    for (i, drive) in drives.iter().enumerate() {
        let Drive { element, place, servo, .. } = drive;
        let joint = &bodies[place.body].joints[place.joint].name;
        let name = match names::given(*element) {
            Some(name) => name.to_owned(),
            None if taken.claim(joint) => joint.clone(),
            None => taken.free(format!("actuator{i}")),
        };
        let gear = drive.params.gear;
        // The joint's inertia seen by an actuator is divided by gear².
        let felt = || match gear == 0.0 {
            true => 0.0,
            false => at_rest.felt(place.body, place.joint) / (gear * gear),
        };
        let params = ActuatorParams { gain: servo.gain(), bias: servo.bias(felt), ..drive.params };
        let error = |e: crate::ModelError| element.error(e.to_string());
        let joint = assembled.joints[joint];
        let integrates = servo.dynamics == Dynamics::Integrator;
        builder.actuator(name, joint, integrates, params).map_err(error)?;
    }
    Ok(())
}

/// Which of the file's controls and actuator states belong to simulated actuators; `None` if their number is unknown.
#[derive(Default)]
pub(super) struct Columns {
    controls: Vec<Option<bool>>,
    activations: Vec<Option<bool>>,
}

impl Columns {
    /// Counts an actuator of a kind that is not simulated.
    fn push_left_out(&mut self, element: Element<'_>) {
        let (control, activation) = match element.tag() {
            "damper" | "adhesion" => (Some(false), vec![]),
            "muscle" | "cylinder" => (Some(false), vec![Some(false)]),
            _ => (None, vec![None]),
        };
        self.controls.push(control);
        self.activations.extend(activation);
    }

    /// Reads a keyframe's `ctrl` or `act` and keeps the simulated ones.
    pub(super) fn select(
        &self,
        key: Element<'_>,
        name: &str,
        values: &mut Vec<f64>,
        notes: &mut Notes,
    ) -> Result<(), ImportError> {
        let columns = if name == "ctrl" { &self.controls } else { &self.activations };
        let Some(known) = columns.iter().copied().collect::<Option<Vec<bool>>>() else {
            if key.attr(name).is_some() {
                let what = format!("{name} is not used: some actuators are not simulated");
                notes.ignored(key, what);
            }
            return Ok(());
        };
        let Some(given) = numbers(key, name, known.len())? else { return Ok(()) };
        let kept = given.into_iter().zip(&known).filter(|(_, kept)| **kept);
        *values = kept.map(|(x, _)| x).collect();
        Ok(())
    }
}
