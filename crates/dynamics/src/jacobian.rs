//! Named frames, and how joint velocities move points and frames.

use gradbody_math::{Motion, Scalar, Transform, Vec3};
use gradbody_model::{DofKind, FrameId, LinkId, Model};

use crate::Kinematics;

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
            Transform::new(body.rot_wb, body.pos_w) * placement
        }
        None => placement,
    }
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

/// The velocity that each coordinate at unit rate gives to the point `point_w` of a link: column k of
/// the Jacobian is `out[k]`, its angular and linear part in the world's axes.
pub fn point_jacobian<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    link: LinkId,
    point_w: Vec3<S>,
    out: &mut [Motion<S>],
) {
    assert_eq!(out.len(), model.nv(), "a column for each of nv coordinates");
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
