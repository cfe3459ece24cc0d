//! A path for every number: `link/trunk/mass`, `joint/knee/placement/x`, `gravity/z`.
//!
//! A path is a list, a name from that list, and a quantity. Names may contain slashes; a path is still unambiguous,
//! because no quantity of a list ends in a slash and another quantity of that list. Orientations are given as URDF's
//! roll, pitch and yaw, computed from the stored rotation.

use std::fmt;

use gradbody_math::{Scalar, names};

use crate::{
    ActuatorId, FrameId, JointId, JointKind, LinkId, MaterialScalar, Model, PairId, ShapeId,
    Topology,
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
    /// `shape/NAME/friction` and so on, the numbers of its surface
    ShapeMaterial(ShapeId, MaterialScalar),
    /// `contact/SHAPE-SHAPE/friction` and so on, of a pair with its own surface
    PairMaterial(PairId, MaterialScalar),
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
    (LimitLower, "limit_lower"),
    (LimitUpper, "limit_upper"),
    (LimitStiffness, "limit_stiffness"),
    (LimitDamping, "limit_damping"),
    (LimitSoftness, "limit_softness"),
    (EffortLimit, "effort_limit"),
];
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

/// A path that matches no parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownParam {
    /// The requested path.
    pub path: String,
    /// The most similar existing path, or what to do instead.
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
    /// Every parameter of a model with this structure.
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
            if link.joint.kind.has_axis() {
                ids.extend((0..3).map(|i| JointAxis(joint, i)));
            }
            if link.joint.kind.has_axis2() {
                ids.extend((0..3).map(|i| JointAxis2(joint, i)));
            }
            let scalars = JOINT_SCALARS.iter().map(|(scalar, _)| *scalar);
            let kind = link.joint.kind;
            ids.extend(scalars.filter(|s| s.applies_to(kind)).map(|s| Joint(joint, s)));
        }
        for i in 1..self.frames.len() {
            ids.extend((0..6).map(|k| FramePlacement(FrameId::new(i), k)));
        }
        for i in 0..self.shapes.len() {
            let shape = ShapeId::new(i);
            ids.extend((0..6).map(|k| ShapePlacement(shape, k)));
            ids.extend((0..3).map(|k| ShapeSize(shape, k)));
            ids.extend(MaterialScalar::ALL.iter().map(|m| ShapeMaterial(shape, *m)));
        }
        for i in 0..self.contact_pairs.len() {
            ids.extend(MaterialScalar::ALL.iter().map(|m| PairMaterial(PairId::new(i), *m)));
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
            ParamId::ShapeMaterial(s, number) => format!("shape/{}/{}", shape(s), number.name()),
            ParamId::PairMaterial(p, number) => {
                format!("contact/{}/{}", self.pair_name(p), number.name())
            }
            ParamId::Actuator(a, i) => {
                let name = &self.actuators[a.index()].name;
                format!("actuator/{name}/{}", ACTUATOR_SCALARS[i as usize])
            }
        }
    }

    /// The parameter of a path.
    pub fn param_id(&self, path: &str) -> Result<ParamId, UnknownParam> {
        self.parse(path)
            .ok_or_else(|| UnknownParam { path: path.to_owned(), hint: self.hint(path) })
    }

    fn parse(&self, path: &str) -> Option<ParamId> {
        let (list, rest) = path.split_once('/')?;
        if list == "gravity" {
            return position(&XYZ, rest).map(ParamId::Gravity);
        }
        // Any slash may separate name and quantity.
        rest.match_indices('/').find_map(|(slash, _)| {
            let (name, quantity) = (&rest[..slash], &rest[slash + 1..]);
            match list {
                "link" => link_quantity(self.link(name)?, quantity),
                "joint" => {
                    let joint = self.joint(name)?;
                    joint_quantity(joint, self.links[joint.index()].joint.kind, quantity)
                }
                "frame" => {
                    let frame = self.frame(name).filter(|f| *f != FrameId::WORLD)?;
                    Some(ParamId::FramePlacement(frame, part("placement", &POSE, quantity)?))
                }
                "shape" => shape_quantity(self.shape(name)?, quantity),
                "contact" => {
                    Some(ParamId::PairMaterial(self.pair(name)?, material_quantity(quantity)?))
                }
                "actuator" => {
                    let actuator = self.actuator(name)?;
                    Some(ParamId::Actuator(actuator, position(&ACTUATOR_SCALARS, quantity)?))
                }
                _ => None,
            }
        })
    }

    fn hint(&self, path: &str) -> Option<String> {
        // A link that a fixed joint merged into another has no parameters of its own. Every link has a frame of its
        // name; the longest name that fits is meant.
        if let Some(rest) = path.strip_prefix("link/") {
            let fits = |name: &str| rest.strip_prefix(name).is_some_and(|r| r.starts_with('/'));
            let frames = self.frames.iter().skip(1).filter(|f| fits(&f.name));
            if let Some(frame) = frames.max_by_key(|f| f.name.len())
                && self.link(&frame.name).is_none()
            {
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
        // A joint along a coordinate axis of its frame has no axis parameter.
        if let Some((name, _)) = path.strip_prefix("joint/").and_then(|r| r.rsplit_once("/axis/"))
            && let Some(joint) = self.joint(name)
            && let kind = self.links[joint.index()].joint.kind
            && kind.nv() == 1
            && !kind.has_axis()
        {
            return Some(format!(
                "\"{name}\" moves along an axis of its own frame: turn joint/{name}/placement/…"
            ));
        }
        let paths: Vec<String> = self.param_ids().iter().map(|id| self.param_path(*id)).collect();
        names::nearest(path, paths.iter().map(String::as_str)).map(names::question)
    }
}

fn link_quantity(link: LinkId, quantity: &str) -> Option<ParamId> {
    if quantity == "mass" {
        return Some(ParamId::Mass(link));
    }
    let com = part("com", &XYZ, quantity).map(|i| ParamId::Com(link, i));
    com.or_else(|| part("inertia", &INERTIA, quantity).map(|i| ParamId::Inertia(link, i)))
}

fn joint_quantity(joint: JointId, kind: JointKind, quantity: &str) -> Option<ParamId> {
    if let Some((scalar, _)) = JOINT_SCALARS.iter().find(|(_, name)| *name == quantity) {
        return scalar.applies_to(kind).then_some(ParamId::Joint(joint, *scalar));
    }
    match quantity.split_once('/')? {
        ("placement", k) => Some(ParamId::JointPlacement(joint, position(&POSE, k)?)),
        ("axis", k) if kind.has_axis() => Some(ParamId::JointAxis(joint, position(&XYZ, k)?)),
        ("axis2", k) if kind.has_axis2() => Some(ParamId::JointAxis2(joint, position(&XYZ, k)?)),
        _ => None,
    }
}

fn shape_quantity(shape: ShapeId, quantity: &str) -> Option<ParamId> {
    if let Some(number) = material_quantity(quantity) {
        return Some(ParamId::ShapeMaterial(shape, number));
    }
    let size = part("size", &XYZ, quantity).map(|i| ParamId::ShapeSize(shape, i));
    size.or_else(|| part("placement", &POSE, quantity).map(|i| ParamId::ShapePlacement(shape, i)))
}

fn material_quantity(quantity: &str) -> Option<MaterialScalar> {
    MaterialScalar::ALL.iter().copied().find(|m| m.name() == quantity)
}

/// The index of `of/name` among the names.
fn part(of: &str, names: &[&str], quantity: &str) -> Option<u8> {
    position(names, quantity.strip_prefix(of)?.strip_prefix('/')?)
}

fn position(names: &[&str], name: &str) -> Option<u8> {
    names.iter().position(|n| *n == name).map(|i| i as u8)
}

impl JointScalar {
    /// The last part of its path.
    pub fn name(self) -> &'static str {
        JOINT_SCALARS[self as usize].1
    }

    /// Whether a joint of this kind uses it.
    fn applies_to(self, kind: JointKind) -> bool {
        let of_plain_numbers = matches!(
            self,
            Rest | LimitLower | LimitUpper | LimitStiffness | LimitDamping | LimitSoftness
        );
        kind.is_flat() || !of_plain_numbers
    }
}

impl<S: Scalar> Model<S> {
    /// The value of the parameter with this path.
    pub fn get_by_path(&self, path: &str) -> Result<S, UnknownParam> {
        Ok(self.get(self.topology.param_id(path)?))
    }

    /// Sets the parameter with this path.
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
