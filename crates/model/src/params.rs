//! Every physical number of a model.

use gradbody_math::{Inertia, Mat3, Scalar, Transform, Vec3};

use crate::{ActuatorParams, JointParams, ShapeParams};

/// Every physical number, in the order of the lists of `Topology`. Address one by its path with
/// [`crate::ParamId`]. A gradient with respect to the parameters has this shape too.
#[derive(Clone, Debug)]
pub struct Params<S> {
    /// Acceleration of free fall, in the world [m/s²].
    pub gravity: Vec3<S>,
    /// Inertia of each moving link in its own frame, merged links included.
    pub links: Vec<Inertia<S>>,
    /// Numbers of each joint.
    pub joints: Vec<JointParams<S>>,
    /// Pose of each named frame in the frame of the link that carries it (or in the world).
    pub frames: Vec<Transform<S>>,
    /// Numbers of each shape.
    pub shapes: Vec<ShapeParams<S>>,
    /// Numbers of each actuator.
    pub actuators: Vec<ActuatorParams<S>>,
}

impl<S: Scalar> Params<S> {
    /// Each number through `f`.
    pub fn map<T: Scalar>(&self, f: impl Fn(S) -> T + Copy) -> Params<T> {
        Params {
            gravity: self.gravity.map(f),
            links: self.links.iter().map(|i| map_inertia(i, f)).collect(),
            joints: self.joints.iter().map(|j| j.map(f)).collect(),
            frames: self.frames.iter().map(|t| map_transform(t, f)).collect(),
            shapes: self.shapes.iter().map(|s| s.map(f)).collect(),
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
