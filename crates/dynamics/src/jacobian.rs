//! Poses, velocities and Jacobians of named frames and points.

use gradbody_math::{Force, Motion, Scalar, Transform, Vec3};
use gradbody_model::{DofKind, FrameId, LinkId, Model, Params};

use crate::{Kinematics, KinematicsCotangents, add_turn};

/// Pose of a named frame in the world.
pub fn frame_pose<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    frame: FrameId,
) -> Transform<S> {
    let placement = model.params.frames[frame.index()];
    match model.topology.frames[frame.index()].link {
        Some(link) => {
            let body = &kin.bodies[link.index()];
            S::in_registers(
                #[inline(always)]
                || Transform::new(body.rot_wb, body.pos_w) * placement,
            )
        }
        None => placement,
    }
}

/// The adjoint of [`frame_pose`]: adds to the poses in `bar` and the frame's placement in `params`. `turn_w` is the
/// cotangent of a turn about each of the world's axes, `pos_w` that of the frame's origin.
pub fn frame_pose_vjp<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    frame: FrameId,
    turn_w: Vec3<S>,
    pos_w: Vec3<S>,
    bar: &mut KinematicsCotangents<S>,
    params: &mut Params<S>,
) {
    let placement = &model.params.frames[frame.index()];
    let placement_bar = &mut params.frames[frame.index()];
    let (turn_b, pos_b) = match model.topology.frames[frame.index()].link {
        Some(link) => {
            let rot = &kin.bodies[link.index()].rot_wb;
            let link_bar = &mut bar.bodies[link.index()];
            link_bar.turn_w += (*rot * placement.pos).cross_add(pos_w, turn_w);
            link_bar.pos_w += pos_w;
            (rot.transpose_mul(turn_w), rot.transpose_mul(pos_w))
        }
        None => (turn_w, pos_w),
    };
    placement_bar.pos += pos_b;
    add_turn(&mut placement_bar.rot, &placement.rot, placement.rot.transpose_mul(turn_b));
}

/// Velocity of a named frame: angular, and of its origin, in the world's axes.
pub fn frame_velocity<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    frame: FrameId,
) -> Motion<S> {
    match model.topology.frames[frame.index()].link {
        Some(link) => {
            let body = &kin.bodies[link.index()];
            let lever = body.rot_wb * model.params.frames[frame.index()].pos;
            Motion::new(body.ang_vel_w, body.lin_vel_w).at(lever)
        }
        None => Motion::ZERO,
    }
}

/// The adjoint of [`frame_velocity`]: adds to the poses and velocities in `bar` and the frame's placement in `params`.
pub fn frame_velocity_vjp<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    frame: FrameId,
    velocity_bar: Force<S>,
    bar: &mut KinematicsCotangents<S>,
    params: &mut Params<S>,
) {
    let Some(link) = model.topology.frames[frame.index()].link else { return };
    let body = &kin.bodies[link.index()];
    let link_bar = &mut bar.bodies[link.index()];
    let lever = body.rot_wb * model.params.frames[frame.index()].pos;
    let Force { ang, lin } = velocity_bar.acting_at(lever);
    link_bar.ang_vel_w += ang;
    link_bar.lin_vel_w += lin;
    let lever_bar = lin.cross(body.ang_vel_w);
    link_bar.turn_w = lever.cross_add(lever_bar, link_bar.turn_w);
    params.frames[frame.index()].pos += body.rot_wb.transpose_mul(lever_bar);
}

/// The Jacobian of the point `point_w` of a link: `out[k]` is column k, the angular and linear velocity that coordinate
/// k at unit rate gives to the point, in the world's axes.
pub fn point_jacobian<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    link: LinkId,
    point_w: Vec3<S>,
    out: &mut [Motion<S>],
) {
    assert_eq!(out.len(), model.nv(), "out has nv columns");
    S::vectorised(
        #[inline(always)]
        || {
            out.fill(Motion::ZERO);
            let mut next = Some(link);
            while let Some(at) = next {
                let link = &model.topology.links[at.index()];
                let lever = point_w - kin.bodies[at.index()].pos_w;
                for (k, dof) in link.joint.v_range().zip(link.joint.kind.dofs()) {
                    let axis = kin.axes_w[k];
                    out[k] = match dof {
                        DofKind::Angular => Motion::new(axis, axis.cross(lever)),
                        DofKind::Linear => Motion::new(Vec3::ZERO, axis),
                    };
                }
                next = link.parent;
            }
        },
    )
}

/// [`point_jacobian`] of a named frame's origin.
pub fn frame_jacobian<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    frame: FrameId,
    out: &mut [Motion<S>],
) {
    match model.topology.frames[frame.index()].link {
        Some(link) => {
            point_jacobian(model, kin, link, frame_pose(model, kin, frame).pos, out);
        }
        None => out.fill(Motion::ZERO),
    }
}
