//! One name for every number: `link/trunk/mass`, `joint/knee/placement/x`, `gravity/z`.
//!
//! A path is a list, a name from that list, and a quantity. Names may contain slashes themselves:
//! the quantity is matched from the end. Orientations are addressed by URDF's roll, pitch and yaw,
//! taken from the stored rotation.

use std::fmt;

use gradbody_math::{Mat3, Scalar, Vec3};

use crate::{
    ActuatorId, Axis, FrameId, JointId, JointKind, LinkId, Model, Params, ShapeId, Topology,
};

/// A number of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParamId {
    /// `gravity/x|y|z`
    Gravity(u8),
    /// `link/NAME/mass`
    Mass(LinkId),
    /// `link/NAME/com/x|y|z`
    Com(LinkId, u8),
    /// `link/NAME/inertia/xx|yy|zz|xy|xz|yz`, about the centre of mass
    Inertia(LinkId, u8),
    /// `joint/NAME/placement/x|y|z|roll|pitch|yaw`
    JointPlacement(JointId, u8),
    /// `joint/NAME/axis/x|y|z`, of joints whose axis is not a coordinate axis
    JointAxis(JointId, u8),
    /// `joint/NAME/axis2/x|y|z`, of universal joints
    JointAxis2(JointId, u8),
    /// `joint/NAME/damping` and so on
    Joint(JointId, JointScalar),
    /// `frame/NAME/placement/x|y|z|roll|pitch|yaw`
    FramePlacement(FrameId, u8),
    /// `shape/NAME/placement/x|y|z|roll|pitch|yaw`
    ShapePlacement(ShapeId, u8),
    /// `shape/NAME/size/x|y|z`
    ShapeSize(ShapeId, u8),
    /// `shape/NAME/friction`, `torsional_friction`, `rolling_friction`
    ShapeFriction(ShapeId, u8),
    /// `actuator/NAME/gear` and so on
    Actuator(ActuatorId, u8),
}

/// The plain numbers of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the field of JointParams of that name")]
pub enum JointScalar {
    Armature,
    Damping,
    Friction,
    FrictionVelocity,
    Stiffness,
    Rest,
    LimitLower,
    LimitUpper,
    LimitStiffness,
    LimitDamping,
    LimitSoftness,
    EffortLimit,
}

use JointScalar::*;

const XYZ: [&str; 3] = ["x", "y", "z"];
const POSE: [&str; 6] = ["x", "y", "z", "roll", "pitch", "yaw"];
const INERTIA: [&str; 6] = ["xx", "yy", "zz", "xy", "xz", "yz"];
const JOINT_SCALARS: [(JointScalar, &str); 12] = [
    (Armature, "armature"),
    (Damping, "damping"),
    (Friction, "friction"),
    (FrictionVelocity, "friction_velocity"),
    (Stiffness, "stiffness"),
    (Rest, "rest"),
    (LimitLower, "limit/lower"),
    (LimitUpper, "limit/upper"),
    (LimitStiffness, "limit/stiffness"),
    (LimitDamping, "limit/damping"),
    (LimitSoftness, "limit/softness"),
    (EffortLimit, "effort_limit"),
];
const SHAPE_FRICTIONS: [&str; 3] = ["friction", "torsional_friction", "rolling_friction"];
const ACTUATOR_SCALARS: [&str; 11] = [
    "gear",
    "gain",
    "bias/constant",
    "bias/position",
    "bias/velocity",
    "control/lower",
    "control/upper",
    "activation/lower",
    "activation/upper",
    "force/lower",
    "force/upper",
];

/// A path that names no parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownParam {
    /// What was asked for.
    pub path: String,
    /// The nearest existing path, or what to do instead.
    pub hint: Option<String>,
}

impl fmt::Display for UnknownParam {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no parameter \"{}\"", self.path)?;
        match &self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UnknownParam {}

impl Topology {
    /// Every parameter of a model of this structure.
    pub fn param_ids(&self) -> Vec<ParamId> {
        use ParamId::*;
        let mut ids: Vec<ParamId> = (0..3).map(Gravity).collect();
        for link in self.link_ids() {
            ids.push(Mass(link));
            ids.extend((0..3).map(|i| Com(link, i)));
            ids.extend((0..6).map(|i| Inertia(link, i)));
        }
        for (i, link) in self.links.iter().enumerate() {
            let joint = JointId::new(i);
            ids.extend((0..6).map(|i| JointPlacement(joint, i)));
            match link.joint.kind {
                JointKind::Revolute(Axis::Any) | JointKind::Prismatic(Axis::Any) => {
                    ids.extend((0..3).map(|i| JointAxis(joint, i)));
                }
                JointKind::Universal => {
                    ids.extend((0..3).map(|i| JointAxis(joint, i)));
                    ids.extend((0..3).map(|i| JointAxis2(joint, i)));
                }
                _ => {}
            }
            ids.extend(JOINT_SCALARS.map(|(scalar, _)| Joint(joint, scalar)));
        }
        for i in 1..self.frames.len() {
            ids.extend((0..6).map(|k| FramePlacement(FrameId::new(i), k)));
        }
        for i in 0..self.shapes.len() {
            let shape = ShapeId::new(i);
            ids.extend((0..6).map(|k| ShapePlacement(shape, k)));
            ids.extend((0..3).map(|k| ShapeSize(shape, k)));
            ids.extend((0..3).map(|k| ShapeFriction(shape, k)));
        }
        for i in 0..self.actuators.len() {
            ids.extend((0..11).map(|k| Actuator(ActuatorId::new(i), k)));
        }
        ids
    }

    /// The path of a parameter.
    pub fn param_path(&self, id: ParamId) -> String {
        let link = |l: LinkId| &self.links[l.index()].name;
        let joint = |j: JointId| &self.links[j.index()].joint.name;
        let shape = |s: ShapeId| &self.shapes[s.index()].name;
        match id {
            ParamId::Gravity(i) => format!("gravity/{}", XYZ[i as usize]),
            ParamId::Mass(l) => format!("link/{}/mass", link(l)),
            ParamId::Com(l, i) => format!("link/{}/com/{}", link(l), XYZ[i as usize]),
            ParamId::Inertia(l, i) => format!("link/{}/inertia/{}", link(l), INERTIA[i as usize]),
            ParamId::JointPlacement(j, i) => {
                format!("joint/{}/placement/{}", joint(j), POSE[i as usize])
            }
            ParamId::JointAxis(j, i) => format!("joint/{}/axis/{}", joint(j), XYZ[i as usize]),
            ParamId::JointAxis2(j, i) => format!("joint/{}/axis2/{}", joint(j), XYZ[i as usize]),
            ParamId::Joint(j, scalar) => format!("joint/{}/{}", joint(j), scalar.name()),
            ParamId::FramePlacement(f, i) => {
                format!("frame/{}/placement/{}", self.frames[f.index()].name, POSE[i as usize])
            }
            ParamId::ShapePlacement(s, i) => {
                format!("shape/{}/placement/{}", shape(s), POSE[i as usize])
            }
            ParamId::ShapeSize(s, i) => format!("shape/{}/size/{}", shape(s), XYZ[i as usize]),
            ParamId::ShapeFriction(s, i) => {
                format!("shape/{}/{}", shape(s), SHAPE_FRICTIONS[i as usize])
            }
            ParamId::Actuator(a, i) => {
                let name = &self.actuators[a.index()].name;
                format!("actuator/{name}/{}", ACTUATOR_SCALARS[i as usize])
            }
        }
    }

    /// The parameter of a path.
    pub fn param_id(&self, path: &str) -> Result<ParamId, UnknownParam> {
        let ids = self.param_ids();
        let paths: Vec<String> = ids.iter().map(|id| self.param_path(*id)).collect();
        match paths.iter().position(|p| p == path) {
            Some(i) => Ok(ids[i]),
            None => Err(UnknownParam { path: path.to_owned(), hint: self.hint(path, &paths) }),
        }
    }

    fn hint(&self, path: &str, paths: &[String]) -> Option<String> {
        // A link that a fixed joint merged into another has no numbers of its own.
        if let Some(rest) = path.strip_prefix("link/") {
            let merged = self.frames.iter().skip(1).find(|f| {
                rest.strip_prefix(f.name.as_str()).is_some_and(|r| r.starts_with('/'))
                    && self.link(&f.name).is_none()
            });
            if let Some(frame) = merged {
                return Some(match frame.link {
                    Some(link) => format!(
                        "\"{}\" is fixed to \"{1}\", whose numbers include it: use link/{1}/…",
                        frame.name,
                        self.links[link.index()].name
                    ),
                    None => format!("\"{}\" is fixed to the world and never moves", frame.name),
                });
            }
        }
        nearest(path, paths.iter().map(String::as_str)).map(|p| format!("did you mean \"{p}\"?"))
    }
}

/// The candidate most like `given`, if any is alike at all.
pub(crate) fn nearest<'a>(
    given: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    candidates
        .map(|c| (strsim::normalized_damerau_levenshtein(given, c), c))
        .filter(|(likeness, _)| *likeness > 0.6)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, c)| c)
}

impl JointScalar {
    /// The end of its path.
    pub fn name(self) -> &'static str {
        JOINT_SCALARS[self as usize].1
    }
}

/// Where a parameter is kept: as a number of its own, or as an angle of an orientation.
enum Place<Number, Rotation> {
    Number(Number),
    Angle(Rotation, usize),
}

/// The place of `id` in `params`, to read (`&`) or to write (`&mut`).
macro_rules! place {
    ($params:expr, $id:expr, $($ref:tt)+) => {{
        macro_rules! pose {
            ($pose:expr, $i:expr) => {
                match $i {
                    0..3 => Place::Number($($ref)+ $pose.pos[$i as usize]),
                    _ => Place::Angle($($ref)+ $pose.rot, $i as usize - 3),
                }
            };
        }
        macro_rules! number {
            ($number:expr) => { Place::Number($($ref)+ $number) };
        }
        match $id {
            ParamId::Gravity(i) => number!($params.gravity[i as usize]),
            ParamId::Mass(l) => number!($params.links[l.index()].mass),
            ParamId::Com(l, i) => number!($params.links[l.index()].com[i as usize]),
            ParamId::Inertia(l, i) => match i {
                0 => number!($params.links[l.index()].rotational.xx),
                1 => number!($params.links[l.index()].rotational.yy),
                2 => number!($params.links[l.index()].rotational.zz),
                3 => number!($params.links[l.index()].rotational.xy),
                4 => number!($params.links[l.index()].rotational.xz),
                _ => number!($params.links[l.index()].rotational.yz),
            },
            ParamId::JointPlacement(j, i) => pose!($params.joints[j.index()].placement, i),
            ParamId::FramePlacement(f, i) => pose!($params.frames[f.index()], i),
            ParamId::ShapePlacement(s, i) => pose!($params.shapes[s.index()].placement, i),
            ParamId::JointAxis(j, i) => number!($params.joints[j.index()].axis[i as usize]),
            ParamId::JointAxis2(j, i) => number!($params.joints[j.index()].axis2[i as usize]),
            ParamId::Joint(j, scalar) => {
                let joint = $($ref)+ $params.joints[j.index()];
                Place::Number(match scalar {
                    Armature => $($ref)+ joint.armature,
                    Damping => $($ref)+ joint.damping,
                    Friction => $($ref)+ joint.friction,
                    FrictionVelocity => $($ref)+ joint.friction_velocity,
                    Stiffness => $($ref)+ joint.stiffness,
                    Rest => $($ref)+ joint.rest,
                    LimitLower => $($ref)+ joint.limit_lower,
                    LimitUpper => $($ref)+ joint.limit_upper,
                    LimitStiffness => $($ref)+ joint.limit_stiffness,
                    LimitDamping => $($ref)+ joint.limit_damping,
                    LimitSoftness => $($ref)+ joint.limit_softness,
                    EffortLimit => $($ref)+ joint.effort_limit,
                })
            }
            ParamId::ShapeSize(s, i) => number!($params.shapes[s.index()].size[i as usize]),
            ParamId::ShapeFriction(s, i) => match i {
                0 => number!($params.shapes[s.index()].material.friction),
                1 => number!($params.shapes[s.index()].material.torsional_friction),
                _ => number!($params.shapes[s.index()].material.rolling_friction),
            },
            ParamId::Actuator(a, i) => {
                let actuator = $($ref)+ $params.actuators[a.index()];
                Place::Number(match i {
                    0 => $($ref)+ actuator.gear,
                    1 => $($ref)+ actuator.gain,
                    2..5 => $($ref)+ actuator.bias[i as usize - 2],
                    5 => $($ref)+ actuator.control_lower,
                    6 => $($ref)+ actuator.control_upper,
                    7 => $($ref)+ actuator.activation_lower,
                    8 => $($ref)+ actuator.activation_upper,
                    9 => $($ref)+ actuator.force_lower,
                    _ => $($ref)+ actuator.force_upper,
                })
            }
        }
    }};
}

impl<S: Scalar> Params<S> {
    /// The value of a parameter.
    pub fn get(&self, id: ParamId) -> S {
        match place!(self, id, &) {
            Place::Number(number) => *number,
            Place::Angle(rot, i) => rot.to_rpy()[i],
        }
    }

    /// Sets a parameter.
    pub fn set(&mut self, id: ParamId, value: S) {
        match place!(self, id, &mut) {
            Place::Number(number) => *number = value,
            Place::Angle(rot, i) => {
                let mut rpy: Vec3<S> = rot.to_rpy();
                rpy[i] = value;
                *rot = Mat3::from_rpy(rpy);
            }
        }
    }
}

impl<S: Scalar> Model<S> {
    /// Sets the parameter of this path.
    ///
    /// ```
    /// # use gradbody_model::ModelBuilder;
    /// # let mut model = ModelBuilder::new("empty").build().unwrap();
    /// model.set_by_path("gravity/z", -1.62)?;
    /// assert!(model.set_by_path("gravty/z", 0.0).unwrap_err().to_string().contains("gravity/z"));
    /// # Ok::<(), gradbody_model::UnknownParam>(())
    /// ```
    pub fn set_by_path(&mut self, path: &str, value: S) -> Result<(), UnknownParam> {
        let id = self.topology.param_id(path)?;
        self.set(id, value);
        Ok(())
    }
}
