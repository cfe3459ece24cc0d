//! Pinocchio's coordinates and ours.
//!
//! They differ where Pinocchio measures velocities in the moving frame:
//!
//! | joint | Pinocchio's q | ours | Pinocchio's v | ours |
//! |---|---|---|---|---|
//! | continuous | cos, sin | angle | rate | rate |
//! | spherical | quaternion x, y, z, w | w, x, y, z | angular, link's axes | the same |
//! | planar | x, y, cos, sin | x, y, angle | linear, link's axes; rate | joint's axes; rate |
//! | free | position, x, y, z, w | position, w, x, y, z | linear, angular, link's axes | linear in the joint's, angular in the link's axes |
//!
//! With R the orientation of the link in the joint's frame, linear parts obey `v_ours = R v_pin`.
//! Power is the same in both, so forces change in the same way; and an acceleration, the rate of a
//! velocity, obeys `a_ours = R (a_pin + ω × v_pin)`. The joints' order may differ too.
//! Everything is generic over the scalar, so that derivatives carry over.

use gradbody::math::{Mat3, Quat, Scalar, Transform, Vec3};
use gradbody::model::{FrameId, JointKind, JointSpec, Model, ModelBuilder};
use gradbody::prelude::{Inertia, Sym3};
use serde_json::Value;

use super::golden::{index, items, number, numbers, text, vector};

/// Which numbers of Pinocchio's vectors are which of ours.
pub(crate) struct Coordinates {
    nq: usize,
    nv: usize,
    joints: Vec<Joint>,
}

struct Joint {
    kind: JointKind,
    /// Pinocchio has cosine and sine for the angle of a hinge.
    unbounded: bool,
    q_ours: usize,
    v_ours: usize,
    q_pin: usize,
    v_pin: usize,
}

impl Coordinates {
    /// Matches joints by name; Pinocchio's free base by its kind.
    pub(crate) fn new(model: &Model<f64>, golden: &Value) -> Self {
        let table = items(&golden["joints"]);
        assert_eq!(table.len(), model.n_links(), "as many joints");
        let joints = model.topology.links.iter().map(|link| {
            let joint = &link.joint;
            let row = table
                .iter()
                .find(|row| match text(&row["name"]) {
                    "root_joint" => link.parent.is_none() && joint.kind == JointKind::Free,
                    name => name == joint.name,
                })
                .unwrap_or_else(|| panic!("Pinocchio has no joint \"{}\"", joint.name));
            Joint {
                kind: joint.kind,
                unbounded: text(&row["kind"]).starts_with("JointModelRU"),
                q_ours: joint.q_start,
                v_ours: joint.v_start,
                q_pin: index(&row["idx_q"]),
                v_pin: index(&row["idx_v"]),
            }
        });
        let joints = joints.collect();
        assert_eq!(index(&golden["nv"]), model.nv(), "as many degrees of freedom");
        Coordinates { nq: model.nq(), nv: model.nv(), joints }
    }

    /// Our configuration.
    pub(crate) fn configuration<S: Scalar>(&self, q_pin: &[S]) -> Vec<S> {
        let mut q = vec![S::ZERO; self.nq];
        for joint in &self.joints {
            let (to, from) = (&mut q[joint.q_ours..], &q_pin[joint.q_pin..]);
            match joint.kind {
                JointKind::Revolute(_) if joint.unbounded => to[0] = from[1].atan2(from[0]),
                JointKind::Revolute(_) | JointKind::Prismatic(_) => to[0] = from[0],
                JointKind::Universal => to[..2].copy_from_slice(&from[..2]),
                JointKind::Planar => {
                    to[..3].copy_from_slice(&[from[0], from[1], from[3].atan2(from[2])]);
                }
                JointKind::Spherical => to[..4].copy_from_slice(&w_first(from)),
                JointKind::Free => {
                    to[..3].copy_from_slice(&from[..3]);
                    to[3..7].copy_from_slice(&w_first(&from[3..]));
                }
            }
        }
        q
    }

    /// Our velocity or force from Pinocchio's.
    pub(crate) fn to_ours<S: Scalar>(&self, q_pin: &[S], x_pin: &[S]) -> Vec<S> {
        let mut x = vec![S::ZERO; self.nv];
        for joint in &self.joints {
            let (to, from) = (&mut x[joint.v_ours..], &x_pin[joint.v_pin..]);
            joint.turn_linear(to, from, |x| joint.orientation(q_pin) * x);
        }
        x
    }

    /// Pinocchio's velocity or force from ours.
    pub(crate) fn to_pinocchio<S: Scalar>(&self, q_pin: &[S], x_ours: &[S]) -> Vec<S> {
        let mut x = vec![S::ZERO; self.nv];
        for joint in &self.joints {
            let (to, from) = (&mut x[joint.v_pin..], &x_ours[joint.v_ours..]);
            joint.turn_linear(to, from, |x| joint.orientation(q_pin).transpose_mul(x));
        }
        x
    }

    /// Our acceleration from Pinocchio's, at Pinocchio's velocity.
    pub(crate) fn acceleration_to_ours<S: Scalar>(
        &self,
        q_pin: &[S],
        v_pin: &[S],
        a_pin: &[S],
    ) -> Vec<S> {
        let swept = self.swept(v_pin);
        let sum: Vec<S> = a_pin.iter().zip(&swept).map(|(a, b)| *a + *b).collect();
        self.to_ours(q_pin, &sum)
    }

    /// Pinocchio's acceleration from ours, at Pinocchio's velocity.
    pub(crate) fn acceleration_to_pinocchio<S: Scalar>(
        &self,
        q_pin: &[S],
        v_pin: &[S],
        a_ours: &[S],
    ) -> Vec<S> {
        let swept = self.swept(v_pin);
        let turned = self.to_pinocchio(q_pin, a_ours);
        turned.iter().zip(&swept).map(|(a, b)| *a - *b).collect()
    }

    /// ω × v of each joint.
    fn swept<S: Scalar>(&self, v_pin: &[S]) -> Vec<S> {
        let mut swept = vec![S::ZERO; self.nv];
        for joint in &self.joints {
            let (to, v) = (&mut swept[joint.v_pin..], &v_pin[joint.v_pin..]);
            match joint.kind {
                JointKind::Planar => to[..2].copy_from_slice(&[-v[2] * v[1], v[2] * v[0]]),
                JointKind::Free => {
                    let cross = Vec3::from_slice(&v[3..]).cross(Vec3::from_slice(v));
                    to[..3].copy_from_slice(&cross.to_array());
                }
                _ => {}
            }
        }
        swept
    }

    /// The configuration that a small change `dq` along Pinocchio's velocity coordinates leads to,
    /// right to first order.
    pub(crate) fn moved<S: Scalar>(&self, q_pin: &[S], dq: &[S]) -> Vec<S> {
        let mut q = q_pin.to_vec();
        for joint in &self.joints {
            let (to, dq) = (&mut q[joint.q_pin..], &dq[joint.v_pin..]);
            match joint.kind {
                JointKind::Revolute(_) if joint.unbounded => turn(&mut to[..2], dq[0]),
                JointKind::Planar => {
                    let shift = joint.orientation(q_pin) * Vec3::new(dq[0], dq[1], S::ZERO);
                    to[0] += shift.x;
                    to[1] += shift.y;
                    turn(&mut to[2..4], dq[2]);
                }
                JointKind::Spherical => turn_quaternion(&mut to[..4], dq),
                JointKind::Free => {
                    let shift = joint.orientation(q_pin) * Vec3::from_slice(dq);
                    (0..3).for_each(|i| to[i] += shift[i]);
                    turn_quaternion(&mut to[3..7], &dq[3..]);
                }
                kind => (0..kind.nv()).for_each(|i| to[i] += dq[i]),
            }
        }
        q
    }
}

impl Joint {
    /// Orientation of a free or planar joint's link in the joint's frame.
    fn orientation<S: Scalar>(&self, q_pin: &[S]) -> Mat3<S> {
        let q = &q_pin[self.q_pin..];
        match self.kind {
            JointKind::Free => Quat::from_slice(&w_first(&q[3..])).to_mat3(),
            JointKind::Planar => Mat3::IDENTITY.rotate_z((q[3], q[2])),
            _ => Mat3::IDENTITY,
        }
    }

    /// Copies this joint's numbers, the linear ones of free and planar joints turned.
    fn turn_linear<S: Scalar>(
        &self,
        to: &mut [S],
        from: &[S],
        rotate: impl Fn(Vec3<S>) -> Vec3<S>,
    ) {
        let n = self.kind.nv();
        to[..n].copy_from_slice(&from[..n]);
        let linear = match self.kind {
            JointKind::Free => 3,
            JointKind::Planar => 2,
            _ => return,
        };
        let z = if linear == 3 { from[2] } else { S::ZERO };
        let turned = rotate(Vec3::new(from[0], from[1], z)).to_array();
        to[..linear].copy_from_slice(&turned[..linear]);
    }
}

fn w_first<S: Copy>(xyzw: &[S]) -> [S; 4] {
    [xyzw[3], xyzw[0], xyzw[1], xyzw[2]]
}

/// Turns the point (cos, sin) by an angle.
fn turn<S: Scalar>(cos_sin: &mut [S], angle: S) {
    let (s, c) = angle.sin_cos();
    let (x, y) = (cos_sin[0], cos_sin[1]);
    cos_sin.copy_from_slice(&[x * c - y * s, x * s + y * c]);
}

fn turn_quaternion<S: Scalar>(xyzw: &mut [S], by: &[S]) {
    let turned = Quat::from_slice(&w_first(xyzw)).integrate(Vec3::from_slice(by));
    xyzw.copy_from_slice(&[turned.x, turned.y, turned.z, turned.w]);
}

/// The model of a golden file that describes a tree.
pub(crate) fn tree_model(golden: &Value) -> Model<f64> {
    let mut builder = ModelBuilder::new("tree");
    builder.gravity(vector(&golden["gravity_vector"]));
    let mut frames: Vec<FrameId> = Vec::new();
    for body in items(&golden["model"]["tree"]) {
        let name = text(&body["name"]);
        let parent = match body["parent"].as_i64().expect("a parent") {
            -1 => FrameId::WORLD,
            parent => frames[parent as usize],
        };
        let joint_name = format!("joint_{name}");
        let axis = |i: usize| vector(&body["axes"][i]);
        let joint = match text(&body["kind"]) {
            "revolute" => JointSpec::revolute(joint_name, axis(0)),
            "prismatic" => JointSpec::prismatic(joint_name, axis(0)),
            "spherical" => JointSpec::spherical(joint_name),
            "planar" => JointSpec::planar(joint_name),
            "universal" => JointSpec::universal(joint_name, axis(0), axis(1)),
            "free" => JointSpec::free(joint_name),
            kind => panic!("{name}: a joint of kind {kind}"),
        };
        let quat = Quat::from_slice(&numbers(&body["placement"]["quat_wxyz"]));
        let placement = Transform::from_quat(quat, vector(&body["placement"]["xyz"]));
        let [xx, yy, zz, xy, xz, yz] = numbers(&body["inertia"])[..] else { panic!("{name}") };
        let inertia = Inertia {
            mass: number(&body["mass"]),
            com: vector(&body["com"]),
            rotational: Sym3::new(xx, yy, zz, xy, xz, yz),
        };
        let link = builder.link(name, parent, joint.at(placement), inertia);
        frames.push(link.unwrap_or_else(|e| panic!("{name}: {e}")));
    }
    builder.build().unwrap_or_else(|e| panic!("{e}"))
}
