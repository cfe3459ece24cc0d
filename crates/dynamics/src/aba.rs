//! Forward dynamics: the accelerations that given joint forces cause.
//!
//! The articulated-body algorithm [Featherstone 2008, ch. 7] in the frames of this crate. The inward pass computes each
//! link's articulated inertia: what it resists with when all joints beyond it are free to move. It releases each degree
//! of freedom k, with axis S, in turn,
//!
//! ```text
//!   U = I S,   d = Sᵀ U + armature,   u = τ − Sᵀ p
//!   I ← I − U Uᵀ / d,                 p ← p + U u / d
//! ```
//!
//! and shifts the rest to the parent's origin. In the outward pass, `qdd = (u − Uᵀ a) / d`. A joint of several degrees
//! of freedom is several of these at one origin.

use gradbody_math::{ArticulatedInertia, Force, Motion, Scalar, Vec3};
use gradbody_model::{DofKind, Model};

use crate::Kinematics;

/// Buffers of [`aba`].
#[derive(Clone, Debug)]
pub struct AbaWork<S> {
    bodies: Vec<Body<S>>,
    pub(crate) dofs: Vec<Freedom<S>>,
    /// Accelerations, (nv). Written by `aba`.
    pub qdd: Vec<S>,
}

/// A link in the inward pass.
#[derive(Clone, Copy, Debug)]
struct Body<S> {
    /// Articulated inertia about the link's origin.
    inertia: ArticulatedInertia<S>,
    /// Force needed at zero acceleration.
    force: Force<S>,
    /// Acceleration, from the outward pass.
    acc: Motion<S>,
}

/// A degree of freedom that has been released.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Freedom<S> {
    /// U: the force that gives its axis unit acceleration.
    pub(crate) hold: Force<S>,
    /// 1 / d.
    pub(crate) inverse_d: S,
    /// u: the part of the joint force that accelerates it.
    pub(crate) drive: S,
}

impl<S: Scalar> AbaWork<S> {
    /// Buffers for a model.
    pub fn new(model: &Model<S>) -> Self {
        let body =
            Body { inertia: ArticulatedInertia::ZERO, force: Force::ZERO, acc: Motion::ZERO };
        let dof = Freedom { hold: Force::ZERO, inverse_d: S::ZERO, drive: S::ZERO };
        AbaWork {
            bodies: vec![body; model.n_links()],
            dofs: vec![dof; model.nv()],
            qdd: vec![S::ZERO; model.nv()],
        }
    }
}

/// Accelerations `work.qdd = M⁻¹ (tau − h + external)` at the state of `kin`. `external` has the force on each link at
/// its origin in the world's axes; empty for none.
///
/// Reads `kin`, `tau`, `external`; writes `work`: `qdd`, and the factors that [`crate::Response`] uses.
pub fn aba<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    tau: &[S],
    external: &[Force<S>],
    work: &mut AbaWork<S>,
) {
    assert_eq!(tau.len(), model.nv(), "tau has nv numbers");
    S::vectorised(
        #[inline(always)]
        || {
            rigid_bodies(model, kin, external, work);
            inwards(model, kin, tau, |_| S::ZERO, work);
            outwards(model, kin, work);
        },
    );
}

/// As [`aba`], with `added_inertia` on the diagonal of M:
/// `work.qdd = (M + diag(added_inertia))⁻¹ (tau − h + external)`. A step that is implicit in joint damping uses this:
/// see [`crate::implicit_damping`].
///
/// Reads `kin`, `tau`, `external`, `added_inertia`; writes `work` as [`aba`] does.
pub fn aba_with_added_inertia<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    tau: &[S],
    external: &[Force<S>],
    added_inertia: &[S],
    work: &mut AbaWork<S>,
) {
    assert_eq!(tau.len(), model.nv(), "tau has nv numbers");
    assert_eq!(added_inertia.len(), model.nv(), "added_inertia has nv numbers");
    S::vectorised(
        #[inline(always)]
        || {
            rigid_bodies(model, kin, external, work);
            inwards(model, kin, tau, |k| added_inertia[k], work);
            outwards(model, kin, work);
        },
    );
}

/// Each link alone: its rigid inertia, and the force that its spin requires.
#[inline(always)]
fn rigid_bodies<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    external: &[Force<S>],
    work: &mut AbaWork<S>,
) {
    for ((body, kin), inertia_b) in work.bodies.iter_mut().zip(&kin.bodies).zip(&model.params.links)
    {
        let inertia = inertia_b.rotated(&kin.rot_wb);
        let spin = kin.ang_vel_w;
        let lin = spin.cross(spin.cross(inertia.com)) * inertia.mass;
        let ang = spin.cross(inertia.rotational * spin);
        body.force = Force { ang: inertia.com.cross_add(lin, ang), lin };
        body.inertia = inertia.into();
    }
    assert!(
        external.is_empty() || external.len() == model.n_links(),
        "external has one force per link"
    );
    for (body, external) in work.bodies.iter_mut().zip(external) {
        body.force -= *external;
    }
}

#[inline(always)]
fn inwards<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    tau: &[S],
    added_inertia: impl Fn(usize) -> S,
    work: &mut AbaWork<S>,
) {
    for (i, link) in model.topology.links.iter().enumerate().rev() {
        let Body { mut inertia, mut force, .. } = work.bodies[i];
        let armature = model.params.joints[i].armature;
        let start = link.joint.v_start;
        for (k, dof) in link.joint.kind.dofs().iter().enumerate().rev() {
            let k = start + k;
            let axis = kin.axes_w[k];
            let (hold, d, drive) = match dof {
                DofKind::Angular => {
                    let hold = inertia.force_from_angular(axis);
                    (hold, axis.dot(hold.ang), tau[k] - axis.dot(force.ang))
                }
                DofKind::Linear => {
                    let hold = inertia.force_from_linear(axis);
                    (hold, axis.dot(hold.lin), tau[k] - axis.dot(force.lin))
                }
            };
            let inverse_d = (d + armature + added_inertia(k)).recip();
            inertia = inertia.release(hold, inverse_d);
            let push = drive * inverse_d;
            force = Force {
                ang: hold.ang.scale_add(push, force.ang),
                lin: hold.lin.scale_add(push, force.lin),
            };
            work.dofs[k] = Freedom { hold, inverse_d, drive };
        }
        if let Some(p) = link.parent {
            let body = &kin.bodies[i];
            force += inertia.force(Motion::new(body.bias_ang_w, body.bias_lin_w));
            let parent = &mut work.bodies[p.index()];
            parent.inertia += inertia.shifted(body.offset_w);
            parent.force += force.acting_at(body.offset_w);
        }
    }
}

#[inline(always)]
fn outwards<S: Scalar>(model: &Model<S>, kin: &Kinematics<S>, work: &mut AbaWork<S>) {
    // Gravity acts as if the world accelerated upwards.
    let ground = Motion::new(Vec3::ZERO, -model.params.gravity);
    for (i, (link, body)) in model.topology.links.iter().zip(&kin.bodies).enumerate() {
        let acc_p = match link.parent {
            Some(p) => work.bodies[p.index()].acc,
            None => ground,
        };
        let mut acc = acc_p.at(body.offset_w) + Motion::new(body.bias_ang_w, body.bias_lin_w);
        let start = link.joint.v_start;
        for (k, dof) in link.joint.kind.dofs().iter().enumerate() {
            let Freedom { hold, inverse_d, drive } = work.dofs[start + k];
            let qdd = (drive - acc.dot(hold)) * inverse_d;
            let axis = kin.axes_w[start + k];
            match dof {
                DofKind::Angular => acc.ang = axis.scale_add(qdd, acc.ang),
                DofKind::Linear => acc.lin = axis.scale_add(qdd, acc.lin),
            }
            work.qdd[start + k] = qdd;
        }
        work.bodies[i].acc = acc;
    }
}
