//! Inverse dynamics: the joint forces that cause given accelerations, by Newton's and Euler's laws.
//!
//! The recursive Newton-Euler algorithm [Featherstone 2008, ch. 5]. Outwards: each link's acceleration, then the force
//! it needs. Inwards: the force that its joint must pass on.

use gradbody_math::{Force, Motion, Scalar, Vec3};
use gradbody_model::{DofKind, Model};

use crate::Kinematics;

/// Buffers of [`rnea`].
#[derive(Clone, Debug)]
pub struct RneaWork<S> {
    /// Acceleration of each link; the linear part is that of its origin minus gravity. Written by `rnea`.
    pub acc_w: Vec<Motion<S>>,
    /// Force that each joint passes to its link, about the link's origin. Written by `rnea`.
    pub force_w: Vec<Force<S>>,
    /// Joint forces, (nv). Written by `rnea`.
    pub tau: Vec<S>,
}

impl<S: Scalar> RneaWork<S> {
    /// Buffers for a model.
    pub fn new(model: &Model<S>) -> Self {
        RneaWork {
            acc_w: vec![Motion::ZERO; model.n_links()],
            force_w: vec![Force::ZERO; model.n_links()],
            tau: vec![S::ZERO; model.nv()],
        }
    }
}

/// Joint forces `work.tau = M qdd + h − (external)` for accelerations `qdd`, at the state of `kin`. `external` has the
/// force on each link at its origin in the world's axes; empty for none.
pub fn rnea<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    qdd: &[S],
    external: &[Force<S>],
    work: &mut RneaWork<S>,
) {
    assert_eq!(qdd.len(), model.nv(), "qdd has nv numbers");
    S::vectorised(
        #[inline(always)]
        || {
            outwards(model, kin, |k| qdd[k], external, work);
            inwards(model, kin, |k| qdd[k], work);
        },
    );
}

/// Coriolis, centrifugal and gravity forces `work.tau = h`, at the state of `kin`.
pub fn bias_forces<S: Scalar>(model: &Model<S>, kin: &Kinematics<S>, work: &mut RneaWork<S>) {
    S::vectorised(
        #[inline(always)]
        || {
            outwards(model, kin, |_| S::ZERO, &[], work);
            inwards(model, kin, |_| S::ZERO, work);
        },
    );
}

/// The part of the bias due to gravity alone: `work.tau = h` at rest, in the pose of `kin`.
pub fn gravity_forces<S: Scalar>(model: &Model<S>, kin: &Kinematics<S>, work: &mut RneaWork<S>) {
    S::vectorised(
        #[inline(always)]
        || {
            let lift = -model.params.gravity;
            for ((inertia, body), force) in
                model.params.links.iter().zip(&kin.bodies).zip(&mut work.force_w)
            {
                let lin = lift * inertia.mass;
                *force = Force { ang: (body.rot_wb * inertia.com).cross(lin), lin };
            }
            inwards(model, kin, |_| S::ZERO, work);
        },
    );
}

#[inline(always)]
fn outwards<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    qdd: impl Fn(usize) -> S,
    external: &[Force<S>],
    work: &mut RneaWork<S>,
) {
    // Gravity acts as if the world accelerated upwards.
    let ground = Motion::new(Vec3::ZERO, -model.params.gravity);
    for (i, (link, body)) in model.topology.links.iter().zip(&kin.bodies).enumerate() {
        let acc_p = match link.parent {
            Some(p) => work.acc_w[p.index()],
            None => ground,
        };
        let mut acc = acc_p.at(body.offset_w) + Motion::new(body.bias_ang_w, body.bias_lin_w);
        let start = link.joint.v_start;
        for (k, dof) in link.joint.kind.dofs().iter().enumerate() {
            let axis = kin.axes_w[start + k];
            match dof {
                DofKind::Angular => acc.ang = axis.scale_add(qdd(start + k), acc.ang),
                DofKind::Linear => acc.lin = axis.scale_add(qdd(start + k), acc.lin),
            }
        }
        work.acc_w[i] = acc;

        // Newton's and Euler's equations about the centre of mass, shifted to the origin. The rotational inertia is
        // constant in the link's axes, so that part is computed there.
        let inertia = &model.params.links[i];
        let rot = &body.rot_wb;
        let com = *rot * inertia.com;
        let spin = body.ang_vel_w;
        let lin = spin.cross_add(spin.cross(com), acc.ang.cross_add(com, acc.lin)) * inertia.mass;
        let (spin_b, ang_b) = (rot.transpose_mul(spin), rot.transpose_mul(acc.ang));
        let moment_b = spin_b.cross_add(inertia.rotational * spin_b, inertia.rotational * ang_b);
        work.force_w[i] = Force { ang: rot.mul_add(moment_b, com.cross(lin)), lin };
    }
    assert!(
        external.is_empty() || external.len() == model.n_links(),
        "external has one force per link"
    );
    for (force, external) in work.force_w.iter_mut().zip(external) {
        *force -= *external;
    }
}

#[inline(always)]
fn inwards<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    qdd: impl Fn(usize) -> S,
    work: &mut RneaWork<S>,
) {
    for (i, link) in model.topology.links.iter().enumerate().rev() {
        let force = work.force_w[i];
        let start = link.joint.v_start;
        let armature = model.params.joints[i].armature;
        for (k, dof) in link.joint.kind.dofs().iter().enumerate() {
            let axis = kin.axes_w[start + k];
            let along = match dof {
                DofKind::Angular => axis.dot(force.ang),
                DofKind::Linear => axis.dot(force.lin),
            };
            work.tau[start + k] = armature.mul_add(qdd(start + k), along);
        }
        if let Some(p) = link.parent {
            work.force_w[p.index()] += force.acting_at(kin.bodies[i].offset_w);
        }
    }
}
