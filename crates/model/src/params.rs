//! Every physical number of a model, and access to one by its id.

use gradbody_math::{Inertia, Mat3, Scalar, Transform, Vec3};

use crate::{ActuatorParams, JointParams, JointScalar, Material, ParamId, ShapeParams};

/// Every physical number, in the order of the lists of `Topology`. Use [`crate::ParamId`] to address one by its path. A
/// gradient with respect to the parameters has this shape, too.
#[derive(Clone, Debug)]
pub struct Params<S> {
    /// Acceleration of free fall, in the world [m/s²].
    pub gravity: Vec3<S>,
    /// Inertia of each moving link in its own frame, including merged links.
    pub links: Vec<Inertia<S>>,
    /// Numbers of each joint.
    pub joints: Vec<JointParams<S>>,
    /// Pose of each named frame in the frame of the link that carries it (or in the world).
    pub frames: Vec<Transform<S>>,
    /// Numbers of each shape.
    pub shapes: Vec<ShapeParams<S>>,
    /// Surface of each listed pair of shapes.
    pub pairs: Vec<Material<S>>,
    /// Numbers of each actuator.
    pub actuators: Vec<ActuatorParams<S>>,
}

impl<S: Scalar> Params<S> {
    /// Zeros of the same shape: a gradient to add to.
    pub fn zeros_like(&self) -> Self {
        self.map(|_| S::ZERO)
    }

    /// Copies parameters of the same structure, without allocating.
    pub fn copy_from(&mut self, other: &Self) {
        self.gravity = other.gravity;
        self.links.clone_from(&other.links);
        self.joints.clone_from(&other.joints);
        self.frames.clone_from(&other.frames);
        self.shapes.clone_from(&other.shapes);
        self.pairs.clone_from(&other.pairs);
        self.actuators.clone_from(&other.actuators);
    }

    /// Visits each number.
    pub fn for_each(&self, f: &mut dyn FnMut(S)) {
        let f = std::cell::RefCell::new(f);
        self.map(|x| {
            (f.borrow_mut())(x);
            x
        });
    }

    /// Applies `f` to each number.
    pub fn map<T: Scalar>(&self, f: impl Fn(S) -> T + Copy) -> Params<T> {
        Params {
            gravity: self.gravity.map(f),
            links: self.links.iter().map(|i| map_inertia(i, f)).collect(),
            joints: self.joints.iter().map(|j| j.map(f)).collect(),
            frames: self.frames.iter().map(|t| map_transform(t, f)).collect(),
            shapes: self.shapes.iter().map(|s| s.map(f)).collect(),
            pairs: self.pairs.iter().map(|m| m.map(f)).collect(),
            actuators: self.actuators.iter().map(|a| a.map(f)).collect(),
        }
    }
}

fn map_inertia<S: Scalar, T: Scalar>(i: &Inertia<S>, f: impl Fn(S) -> T + Copy) -> Inertia<T> {
    let [xx, yy, zz, xy, xz, yz] = i.rotational.to_array().map(f);
    Inertia {
        mass: f(i.mass),
        com: i.com.map(f),
        rotational: gradbody_math::Sym3::new(xx, yy, zz, xy, xz, yz),
    }
}

pub(crate) fn map_transform<S: Scalar, T: Scalar>(
    t: &Transform<S>,
    f: impl Fn(S) -> T + Copy,
) -> Transform<T> {
    Transform { rot: Mat3 { cols: t.rot.cols.map(|c| c.map(f)) }, pos: t.pos.map(f) }
}

/// Where a parameter is stored: as a number, or as an angle of an orientation.
enum Place<Number, Rotation> {
    Number(Number),
    Angle(Rotation, usize),
}

/// The place of `id` in `params`, to read (`get`, `&`) or to write (`get_mut`, `&mut`).
macro_rules! place {
    ($params:expr, $id:expr, $get:ident, $($ref:tt)+) => {{
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
                    JointScalar::Armature => $($ref)+ joint.armature,
                    JointScalar::Damping => $($ref)+ joint.damping,
                    JointScalar::Friction => $($ref)+ joint.friction,
                    JointScalar::FrictionVelocity => $($ref)+ joint.friction_velocity,
                    JointScalar::Stiffness => $($ref)+ joint.stiffness,
                    JointScalar::Rest => $($ref)+ joint.rest,
                    JointScalar::LimitLower => $($ref)+ joint.limit_lower,
                    JointScalar::LimitUpper => $($ref)+ joint.limit_upper,
                    JointScalar::LimitStiffness => $($ref)+ joint.limit_stiffness,
                    JointScalar::LimitDamping => $($ref)+ joint.limit_damping,
                    JointScalar::LimitSoftness => $($ref)+ joint.limit_softness,
                    JointScalar::EffortLimit => $($ref)+ joint.effort_limit,
                })
            }
            ParamId::ShapeSize(s, i) => number!($params.shapes[s.index()].size[i as usize]),
            ParamId::ShapeMaterial(s, scalar) => {
                Place::Number($params.shapes[s.index()].material.$get(scalar))
            }
            ParamId::PairMaterial(p, scalar) => {
                Place::Number($params.pairs[p.index()].$get(scalar))
            }
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
        match place!(self, id, get, &) {
            Place::Number(number) => *number,
            Place::Angle(rot, i) => rot.to_rpy()[i],
        }
    }

    /// Sets a parameter.
    pub fn set(&mut self, id: ParamId, value: S) {
        match place!(self, id, get_mut, &mut) {
            Place::Number(number) => *number = value,
            Place::Angle(rot, i) => {
                let mut rpy: Vec3<S> = rot.to_rpy();
                rpy[i] = value;
                *rot = Mat3::from_rpy(rpy);
            }
        }
    }
}
