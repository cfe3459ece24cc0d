//! Forward kinematics: poses and velocities of all links. The first stage of everything.

use gradbody_math::{Mat3, Quat, Scalar, Vec3};
use gradbody_model::{Axis, DofKind, JointKind, JointParams, Model};

/// Poses and velocities of all links. [`kinematics`] writes what depends on q, [`velocities`] what depends on v.
#[derive(Clone, Debug)]
pub struct Kinematics<S> {
    /// One entry per link.
    pub bodies: Vec<BodyKinematics<S>>,
    /// Axis of each velocity coordinate in the world, (nv). Written by `kinematics`.
    pub axes_w: Vec<Vec3<S>>,
}

/// Pose and velocity of one link.
#[derive(Clone, Copy, Debug)]
pub struct BodyKinematics<S> {
    /// Orientation. Written by `kinematics`.
    pub rot_wb: Mat3<S>,
    /// Position of the origin [m]. Written by `kinematics`.
    pub pos_w: Vec3<S>,
    /// From the parent's origin to this one [m]. Written by `kinematics`.
    pub offset_w: Vec3<S>,
    /// Angular velocity [rad/s]. Written by `velocities`.
    pub ang_vel_w: Vec3<S>,
    /// Velocity of the origin [m/s]. Written by `velocities`.
    pub lin_vel_w: Vec3<S>,
    /// Angular acceleration caused by this joint's velocity when its qdd is zero [rad/s²]. Written by `velocities`.
    pub bias_ang_w: Vec3<S>,
    /// Acceleration of the origin caused by velocities in the same way [m/s²]. Written by `velocities`.
    pub bias_lin_w: Vec3<S>,
}

impl<S: Scalar> Kinematics<S> {
    /// Buffers for a model.
    pub fn new(model: &Model<S>) -> Self {
        let body = BodyKinematics {
            rot_wb: Mat3::IDENTITY,
            pos_w: Vec3::ZERO,
            offset_w: Vec3::ZERO,
            ang_vel_w: Vec3::ZERO,
            lin_vel_w: Vec3::ZERO,
            bias_ang_w: Vec3::ZERO,
            bias_lin_w: Vec3::ZERO,
        };
        Kinematics { bodies: vec![body; model.n_links()], axes_w: vec![Vec3::ZERO; model.nv()] }
    }
}

impl<S: Scalar> Kinematics<S> {
    /// Copies the kinematics of the same model, without allocating.
    pub fn copy_from(&mut self, other: &Self) {
        let Kinematics { bodies, axes_w } = other;
        self.bodies.copy_from_slice(bodies);
        self.axes_w.copy_from_slice(axes_w);
    }

    /// Poses and velocities at a state, in new buffers. To reuse buffers, call [`kinematics`] and [`velocities`].
    pub fn at(model: &Model<S>, q: &[S], v: &[S]) -> Self {
        let mut kin = Kinematics::new(model);
        kinematics(model, q, &mut kin);
        velocities(model, v, &mut kin);
        kin
    }
}

/// Poses of all links at configuration `q`; velocities do not change. Quaternions in `q` need not be exactly of length
/// one.
///
/// Reads q; writes the poses, offsets and axes in `kin`.
pub fn kinematics<S: Scalar>(model: &Model<S>, q: &[S], kin: &mut Kinematics<S>) {
    assert_eq!(q.len(), model.nq(), "q has nq numbers");
    S::vectorised(
        #[inline(always)]
        || poses(model, q, kin),
    );
}

#[inline(always)]
fn poses<S: Scalar>(model: &Model<S>, q: &[S], kin: &mut Kinematics<S>) {
    for (i, (link, params)) in model.topology.links.iter().zip(&model.params.joints).enumerate() {
        let (rot_wp, pos_p) = match link.parent {
            Some(p) => (kin.bodies[p.index()].rot_wb, kin.bodies[p.index()].pos_w),
            None => (Mat3::IDENTITY, Vec3::ZERO),
        };
        let joint = &link.joint;
        let axes = &mut kin.axes_w[joint.v_range()];
        let (rot_wb, offset_w) = joint_pose(joint.kind, params, &q[joint.q_range()], rot_wp, axes);
        let body = &mut kin.bodies[i];
        body.rot_wb = rot_wb;
        body.offset_w = offset_w;
        body.pos_w = pos_p + offset_w;
    }
}

/// Orientation of a joint's link, its origin relative to the parent's, and the joint's axes, all in the world's axes.
#[inline(always)]
fn joint_pose<S: Scalar>(
    kind: JointKind,
    params: &JointParams<S>,
    q: &[S],
    rot_wp: Mat3<S>,
    axes: &mut [Vec3<S>],
) -> (Mat3<S>, Vec3<S>) {
    let rot_wj = rot_wp * params.placement.rot;
    let offset = rot_wp * params.placement.pos;
    match kind {
        JointKind::Revolute(axis) => {
            let turn = q[0].sin_cos();
            let any = unit(axis, params.axis);
            let rot = match axis {
                Axis::X => rot_wj.rotate_x(turn),
                Axis::Y => rot_wj.rotate_y(turn),
                Axis::Z => rot_wj.rotate_z(turn),
                Axis::Any => rot_wj * Mat3::from_axis_sin_cos(any, turn),
            };
            axes[0] = along(axis, &rot, any);
            (rot, offset)
        }
        JointKind::Prismatic(axis) => {
            axes[0] = along(axis, &rot_wj, unit(axis, params.axis));
            (rot_wj, axes[0].scale_add(q[0], offset))
        }
        JointKind::Spherical => {
            let rot = rot_wj * Quat::from_slice(q).normalized().to_mat3();
            axes.copy_from_slice(&rot.cols);
            (rot, offset)
        }
        JointKind::Planar => {
            let rot = rot_wj.rotate_z(q[2].sin_cos());
            let [x, y, z] = rot_wj.cols;
            axes.copy_from_slice(&[x, y, z]);
            (rot, x.scale_add(q[0], y.scale_add(q[1], offset)))
        }
        JointKind::Universal => {
            let axis = unit(Axis::Any, params.axis);
            let axis2 = unit(Axis::Any, params.axis2);
            let first = rot_wj * Mat3::from_axis_sin_cos(axis, q[0].sin_cos());
            let rot = first * Mat3::from_axis_sin_cos(axis2, q[1].sin_cos());
            axes.copy_from_slice(&[first * axis, rot * axis2]);
            (rot, offset)
        }
        JointKind::Free => {
            let rot = rot_wj * Quat::from_slice(&q[3..]).normalized().to_mat3();
            axes[..3].copy_from_slice(&rot_wj.cols);
            axes[3..].copy_from_slice(&rot.cols);
            (rot, rot_wj.mul_add(Vec3::from_slice(q), offset))
        }
    }
}

/// The direction of an axis parameter. Its length is not a degree of freedom, so a gradient with respect to it is
/// perpendicular to the axis.
#[inline(always)]
pub(crate) fn unit<S: Scalar>(axis: Axis, given: Vec3<S>) -> Vec3<S> {
    match axis {
        Axis::Any => given.normalized_or(Vec3::Z),
        _ => given,
    }
}

#[inline(always)]
fn along<S: Scalar>(axis: Axis, rot: &Mat3<S>, any: Vec3<S>) -> Vec3<S> {
    match axis {
        Axis::X => rot.cols[0],
        Axis::Y => rot.cols[1],
        Axis::Z => rot.cols[2],
        Axis::Any => *rot * any,
    }
}

/// Velocities of all links, and the accelerations they cause, at joint velocities `v`. Call [`kinematics`] first.
///
/// Reads v and the poses in `kin`; writes the velocities and bias accelerations in `kin`.
pub fn velocities<S: Scalar>(model: &Model<S>, v: &[S], kin: &mut Kinematics<S>) {
    assert_eq!(v.len(), model.nv(), "v has nv numbers");
    S::vectorised(
        #[inline(always)]
        || body_velocities(model, v, kin),
    );
}

#[inline(always)]
fn body_velocities<S: Scalar>(model: &Model<S>, v: &[S], kin: &mut Kinematics<S>) {
    for (i, link) in model.topology.links.iter().enumerate() {
        let (ang_p, lin_p) = match link.parent {
            Some(p) => (kin.bodies[p.index()].ang_vel_w, kin.bodies[p.index()].lin_vel_w),
            None => (Vec3::ZERO, Vec3::ZERO),
        };
        let range = link.joint.v_range();
        let (axes, v) = (&kin.axes_w[range.clone()], &v[range]);
        let body = &mut kin.bodies[i];
        let offset = body.offset_w;
        // An axis that moves with angular velocity ω changes by ω × axis. All axes but a universal joint's second move
        // with the parent, or (spherical, free) with the link itself, which gives the same sum.
        let (ang_rel, lin_rel, mut bias_ang) = match link.joint.kind {
            JointKind::Revolute(_) => {
                let rel = axes[0] * v[0];
                (rel, Vec3::ZERO, ang_p.cross(rel))
            }
            kind => {
                let (mut ang, mut lin) = (Vec3::ZERO, Vec3::ZERO);
                for ((dof, axis), rate) in kind.dofs().iter().zip(axes).zip(v) {
                    match dof {
                        DofKind::Angular => ang = axis.scale_add(*rate, ang),
                        DofKind::Linear => lin = axis.scale_add(*rate, lin),
                    }
                }
                (ang, lin, ang_p.cross(ang))
            }
        };
        if link.joint.kind == JointKind::Universal {
            bias_ang = (axes[0] * v[0]).cross_add(axes[1] * v[1], bias_ang);
        }
        let swept = ang_p.cross(offset);
        body.ang_vel_w = ang_p + ang_rel;
        body.lin_vel_w = lin_p + swept + lin_rel;
        body.bias_ang_w = bias_ang;
        // a = a_p + α_p × r + ω_p × (ω_p × r) + 2 ω_p × v_rel
        body.bias_lin_w = ang_p.cross(swept + (lin_rel + lin_rel));
    }
}
