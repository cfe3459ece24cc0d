//! The adjoint of `kinematics.rs`: from poses and velocities to coordinates.
//!
//! The cotangent of a link's displacement acts like a *force* on that link: a moment for turning it, a force for moving
//! its origin. So cotangents move inwards along the tree as forces do, and the cotangent of a coordinate is the
//! component of such a force along the coordinate's axis.
//!
//! An axis that a rotation carries along adds the moment axis × (cotangent of the axis) to it; so does an offset.

use gradbody_math::{Mat3, Scalar, Vec3};
use gradbody_model::{Axis, DofKind, JointKind, JointParams, Model, Params};

use crate::Kinematics;
use crate::kinematics::unit;

/// Cotangents of a [`Kinematics`], number by number.
#[derive(Clone, Debug)]
pub struct KinematicsCotangents<S> {
    /// One entry per link.
    pub bodies: Vec<BodyCotangents<S>>,
    /// Of the axis of each velocity coordinate, (nv).
    pub axes_w: Vec<Vec3<S>>,
}

/// Cotangents of the pose and velocity of one link.
#[derive(Clone, Copy, Debug)]
pub struct BodyCotangents<S> {
    /// Of its orientation: growth of the result per turn about each of the world's axes.
    pub turn_w: Vec3<S>,
    /// Of the position of its origin.
    pub pos_w: Vec3<S>,
    /// Of the vector from the parent's origin.
    pub offset_w: Vec3<S>,
    /// Of its angular velocity.
    pub ang_vel_w: Vec3<S>,
    /// Of the velocity of its origin.
    pub lin_vel_w: Vec3<S>,
    /// Of the angular acceleration that velocities cause.
    pub bias_ang_w: Vec3<S>,
    /// Of the acceleration of the origin that velocities cause.
    pub bias_lin_w: Vec3<S>,
}

impl<S: Scalar> BodyCotangents<S> {
    const ZERO: Self = BodyCotangents {
        turn_w: Vec3::ZERO,
        pos_w: Vec3::ZERO,
        offset_w: Vec3::ZERO,
        ang_vel_w: Vec3::ZERO,
        lin_vel_w: Vec3::ZERO,
        bias_ang_w: Vec3::ZERO,
        bias_lin_w: Vec3::ZERO,
    };
}

impl<S: Scalar> KinematicsCotangents<S> {
    /// All zero, sized for a model.
    pub fn new(model: &Model<S>) -> Self {
        KinematicsCotangents {
            bodies: vec![BodyCotangents::ZERO; model.n_links()],
            axes_w: vec![Vec3::ZERO; model.nv()],
        }
    }

    /// Sets all cotangents to zero.
    pub fn clear(&mut self) {
        self.bodies.fill(BodyCotangents::ZERO);
        self.axes_w.fill(Vec3::ZERO);
    }
}

/// Cotangents of the joint coordinates and of the model's parameters. The adjoint of every stage that reads q and v
/// adds to them.
#[derive(Debug)]
pub struct CoordinateCotangents<'a, S> {
    /// Of the configuration q in local coordinates, (nv). Added to.
    pub q: &'a mut [S],
    /// Of the velocity v, (nv). Added to.
    pub v: &'a mut [S],
    /// Of the parameters. A stage adds to those that it reads.
    pub params: &'a mut Params<S>,
}

impl<S> CoordinateCotangents<'_, S> {
    /// The same cotangents, borrowed for one stage.
    pub fn reborrow(&mut self) -> CoordinateCotangents<'_, S> {
        CoordinateCotangents { q: self.q, v: self.v, params: self.params }
    }

    /// Panics unless q and v have nv numbers each.
    pub(crate) fn check_sizes(&self, nv: usize) {
        assert!(self.q.len() == nv && self.v.len() == nv, "cotangents of q and v have nv numbers");
    }
}

/// The adjoint of [`kinematics`](crate::kinematics) and [`velocities`](crate::velocities) together.
///
/// Reads q, v, `kin` (computed at q and v) and `bar`; adds to `out`, including the placements and axes of the joints in
/// the parameters. Leaves in `bar` the sums over everything that each joint carries.
pub fn kinematics_vjp<S: Scalar>(
    model: &Model<S>,
    q: &[S],
    v: &[S],
    kin: &Kinematics<S>,
    bar: &mut KinematicsCotangents<S>,
    mut out: CoordinateCotangents<'_, S>,
) {
    assert_eq!(q.len(), model.nq(), "q has nq numbers");
    assert_eq!(v.len(), model.nv(), "v has nv numbers");
    out.check_sizes(model.nv());
    S::vectorised(
        #[inline(always)]
        || {
            for i in (0..model.n_links()).rev() {
                velocity_back(model, i, v, kin, bar, out.v);
                pose_back(model, i, q, kin, bar, &mut out);
            }
        },
    );
}

/// Adjoint of the velocities of link `i`: adds to `v_bar`, and in `bar` to the joint's axes and offset and to the
/// parent's velocities.
#[inline(always)]
fn velocity_back<S: Scalar>(
    model: &Model<S>,
    i: usize,
    v: &[S],
    kin: &Kinematics<S>,
    bar: &mut KinematicsCotangents<S>,
    v_bar: &mut [S],
) {
    let link = &model.topology.links[i];
    let parent = link.parent.map(|p| p.index());
    let (kind, start) = (link.joint.kind, link.joint.v_start);
    let (v, v_bar) = (&v[link.joint.v_range()], &mut v_bar[link.joint.v_range()]);
    let BodyCotangents { ang_vel_w, lin_vel_w, bias_ang_w, bias_lin_w, .. } = bar.bodies[i];
    let mut ang_rel_bar = ang_vel_w;
    let mut lin_rel_bar = lin_vel_w;
    if let Some(p) = parent {
        let ang_p = kin.bodies[p].ang_vel_w;
        let offset = kin.bodies[i].offset_w;
        let ang_rel = kin.bodies[i].ang_vel_w - ang_p;
        let mut lin_rel = Vec3::ZERO;
        for (k, dof) in kind.dofs().iter().enumerate() {
            if *dof == DofKind::Linear {
                lin_rel = kin.axes_w[start + k].scale_add(v[k], lin_rel);
            }
        }
        // bias_lin = ω × (swept + 2 lin_rel) with swept = ω × offset.
        let swept = ang_p.cross(offset);
        let inner_bar = bias_lin_w.cross(ang_p);
        let swept_bar = lin_vel_w + inner_bar;
        lin_rel_bar += inner_bar + inner_bar;
        ang_rel_bar += bias_ang_w.cross(ang_p);
        let parent = &mut bar.bodies[p];
        let swing = (swept + lin_rel + lin_rel).cross_add(bias_lin_w, ang_vel_w);
        parent.ang_vel_w += offset.cross_add(swept_bar, ang_rel.cross_add(bias_ang_w, swing));
        parent.lin_vel_w += lin_vel_w;
        bar.bodies[i].offset_w += swept_bar.cross(ang_p);
    }
    for (k, dof) in kind.dofs().iter().enumerate() {
        let rel_bar = match dof {
            DofKind::Angular => ang_rel_bar,
            DofKind::Linear => lin_rel_bar,
        };
        v_bar[k] += kin.axes_w[start + k].dot(rel_bar);
        bar.axes_w[start + k] = rel_bar.scale_add(v[k], bar.axes_w[start + k]);
    }
    if kind == JointKind::Universal {
        let (first, second) = (kin.axes_w[start] * v[0], kin.axes_w[start + 1] * v[1]);
        let first_bar = second.cross(bias_ang_w);
        let second_bar = bias_ang_w.cross(first);
        v_bar[0] += kin.axes_w[start].dot(first_bar);
        v_bar[1] += kin.axes_w[start + 1].dot(second_bar);
        bar.axes_w[start] = first_bar.scale_add(v[0], bar.axes_w[start]);
        bar.axes_w[start + 1] = second_bar.scale_add(v[1], bar.axes_w[start + 1]);
    }
}

/// Transforms a vector from the world to the joint frame, in which axis parameters are given.
#[inline(always)]
fn into_joint<S: Scalar>(given: &JointParams<S>, rot_wp: &Mat3<S>, x: Vec3<S>) -> Vec3<S> {
    given.placement.rot.transpose_mul(rot_wp.transpose_mul(x))
}

/// Adjoint of the pose of link `i`: adds to the configuration and the joint's parameters in `out`, and in `bar` to the
/// parent's pose.
#[inline(always)]
fn pose_back<S: Scalar>(
    model: &Model<S>,
    i: usize,
    q: &[S],
    kin: &Kinematics<S>,
    bar: &mut KinematicsCotangents<S>,
    out: &mut CoordinateCotangents<'_, S>,
) {
    let link = &model.topology.links[i];
    let parent = link.parent.map(|p| p.index());
    let kind = link.joint.kind;
    let (q, q_bar) = (&q[link.joint.q_range()], &mut out.q[link.joint.v_range()]);
    let (given, given_bar) = (&model.params.joints[i], &mut out.params.joints[i]);
    let axes = &kin.axes_w[link.joint.v_range()];
    let axes_bar = &mut bar.axes_w[link.joint.v_range()];
    let body = bar.bodies[i];
    let offset_bar = body.offset_w + body.pos_w;
    let rot_wp = match parent {
        Some(p) => kin.bodies[p].rot_wb,
        None => Mat3::IDENTITY,
    };
    // The moment on the link, and later on the joint frame.
    let mut turn = body.turn_w;
    match kind {
        JointKind::Revolute(axis) => {
            q_bar[0] += axes[0].dot(turn);
            if axis == Axis::Any {
                let given_axis = unit(axis, given.axis);
                let bar = turned_axis_bar(
                    given_axis,
                    q[0],
                    into_joint(given, &rot_wp, axes_bar[0]),
                    into_joint(given, &rot_wp, turn),
                );
                given_bar.axis += direction_bar(given.axis, given_axis, bar);
            }
            turn = axes[0].cross_add(axes_bar[0], turn);
        }
        JointKind::Prismatic(axis) => {
            q_bar[0] += axes[0].dot(offset_bar);
            axes_bar[0] = offset_bar.scale_add(q[0], axes_bar[0]);
            if axis == Axis::Any {
                let given_axis = unit(axis, given.axis);
                given_bar.axis +=
                    direction_bar(given.axis, given_axis, into_joint(given, &rot_wp, axes_bar[0]));
            }
            turn = axes[0].cross_add(axes_bar[0], turn);
        }
        JointKind::Spherical => {
            turn = carried(axes, axes_bar, turn);
            for k in 0..3 {
                q_bar[k] += axes[k].dot(turn);
            }
        }
        JointKind::Planar => {
            q_bar[0] += axes[0].dot(offset_bar);
            q_bar[1] += axes[1].dot(offset_bar);
            q_bar[2] += axes[2].dot(turn);
            axes_bar[0] = offset_bar.scale_add(q[0], axes_bar[0]);
            axes_bar[1] = offset_bar.scale_add(q[1], axes_bar[1]);
            turn = carried(axes, axes_bar, turn);
        }
        JointKind::Universal => {
            let first_axis = unit(Axis::Any, given.axis);
            let second_axis = unit(Axis::Any, given.axis2);
            let back = Mat3::from_axis_sin_cos(second_axis, (-q[1]).sin_cos());
            let rot_wf = kin.bodies[i].rot_wb * back;
            let first_bar = rot_wf.transpose_mul(axes_bar[1]);
            let bar = turned_axis_bar(second_axis, q[1], first_bar, rot_wf.transpose_mul(turn));
            given_bar.axis2 += direction_bar(given.axis2, second_axis, bar);
            turn = axes[1].cross_add(axes_bar[1], turn);
            q_bar[1] += axes[1].dot(turn);
            q_bar[0] += axes[0].dot(turn);
            let bar = turned_axis_bar(
                first_axis,
                q[0],
                into_joint(given, &rot_wp, axes_bar[0]),
                into_joint(given, &rot_wp, turn),
            );
            given_bar.axis += direction_bar(given.axis, first_axis, bar);
            turn = axes[0].cross_add(axes_bar[0], turn);
        }
        JointKind::Free => {
            turn = carried(&axes[3..], &axes_bar[3..], turn);
            for k in 0..3 {
                q_bar[k] += axes[k].dot(offset_bar);
                q_bar[3 + k] += axes[3 + k].dot(turn);
                axes_bar[k] = offset_bar.scale_add(q[k], axes_bar[k]);
            }
            turn = carried(&axes[..3], &axes_bar[..3], turn);
        }
    }
    given_bar.placement.pos += rot_wp.transpose_mul(offset_bar);
    add_turn(&mut given_bar.placement.rot, &given.placement.rot, into_joint(given, &rot_wp, turn));
    if let Some(p) = parent {
        let parent = &mut bar.bodies[p];
        let constant = rot_wp * given.placement.pos;
        parent.turn_w += constant.cross_add(offset_bar, turn);
        parent.pos_w += body.pos_w;
    }
}

/// `turn` plus the contribution of the axes that turn along.
#[inline(always)]
fn carried<S: Scalar>(axes: &[Vec3<S>], axes_bar: &[Vec3<S>], turn: Vec3<S>) -> Vec3<S> {
    axes.iter().zip(axes_bar).fold(turn, |turn, (axis, bar)| axis.cross_add(*bar, turn))
}

/// The cotangent of a unit axis of a rotation by `angle`, from that of the axis itself and of the turn: moving the axis
/// by δ turns the link by sin(angle) δ + (1 − cos(angle)) axis × δ.
#[inline(always)]
fn turned_axis_bar<S: Scalar>(axis: Vec3<S>, angle: S, bar: Vec3<S>, turn: Vec3<S>) -> Vec3<S> {
    let (sin, cos) = angle.sin_cos();
    turn.cross(axis).scale_add(S::ONE - cos, turn.scale_add(sin, bar))
}

/// The cotangent of a vector from that of its direction.
#[inline(always)]
fn direction_bar<S: Scalar>(vector: Vec3<S>, direction: Vec3<S>, bar: Vec3<S>) -> Vec3<S> {
    let across = direction.neg_scale_add(direction.dot(bar), bar);
    across * vector.norm().recip()
}

/// Adds the cotangent of a turn about a rotation matrix's own axes to the cotangent of its nine numbers.
#[inline(always)]
pub fn add_turn<S: Scalar>(rot_bar: &mut Mat3<S>, rot: &Mat3<S>, turn: Vec3<S>) {
    let half = turn * S::from_f64(0.5);
    let [x, y, z] = rot.cols;
    rot_bar.cols[0] += y.scale_add(half.z, z * -half.y);
    rot_bar.cols[1] += z.scale_add(half.x, x * -half.z);
    rot_bar.cols[2] += x.scale_add(half.y, y * -half.x);
}
