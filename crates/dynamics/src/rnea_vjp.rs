//! The adjoint of inverse dynamics.
//!
//! For a cotangent `tau_bar` of the joint forces, `tau_bar · τ = Σ Fᵢ · Zᵢ`: the force each link needs, times the
//! motion Zᵢ that the link would have if the joints moved at `tau_bar`. An outward pass computes both and
//! differentiates each link's own part; an inward pass sums the cotangents of Z and of the accelerations as forces. The
//! cost is about that of two inverse dynamics.

use gradbody_math::{Force, Motion, Scalar, Sym3, Vec3};
use gradbody_model::{DofKind, Model, Params};

use crate::{Kinematics, KinematicsCotangents};

/// Buffers of [`rnea_vjp`].
#[derive(Clone, Debug)]
pub struct RneaVjpWork<S> {
    bodies: Vec<Body<S>>,
}

#[derive(Clone, Copy, Debug)]
struct Body<S> {
    /// Z: its motion if joints moved at the cotangent of the joint forces.
    motion: Motion<S>,
    acc: Motion<S>,
    /// Cotangent of Z: the force it needs.
    force: Force<S>,
    /// Cotangent of its acceleration.
    acc_bar: Force<S>,
}

impl<S: Scalar> RneaVjpWork<S> {
    /// Buffers for a model.
    pub fn new(model: &Model<S>) -> Self {
        let body = Body {
            motion: Motion::ZERO,
            acc: Motion::ZERO,
            force: Force::ZERO,
            acc_bar: Force::ZERO,
        };
        RneaVjpWork { bodies: vec![body; model.n_links()] }
    }

    /// The motion of a link if joints moved at the cotangent of the joint forces: minus the cotangent of the external
    /// force on it.
    #[inline(always)]
    pub fn motion_w(&self, link: usize) -> Motion<S> {
        self.bodies[link].motion
    }
}

/// Cotangents that the adjoints of inverse and forward dynamics add to.
#[derive(Debug)]
pub struct DynamicsCotangents<'a, S> {
    /// Of the poses and velocities of links. Added to.
    pub kin: &'a mut KinematicsCotangents<S>,
    /// Of the parameters. Added to: the inertias, the armatures and gravity.
    pub params: &'a mut Params<S>,
}

/// Cotangents of the result of [`rnea`](crate::rnea), and of what it reads.
#[derive(Debug)]
pub struct RneaCotangents<'a, S> {
    /// Of the joint forces, (nv). Read.
    pub tau: &'a [S],
    /// Of the accelerations, (nv). Added to; `None` where they are not needed.
    pub qdd: Option<&'a mut [S]>,
    /// Of poses, velocities and parameters. Added to.
    pub dynamics: DynamicsCotangents<'a, S>,
}

/// The adjoint of [`rnea`](crate::rnea)`(model, kin, qdd, external)`.
///
/// Reads `kin`, `qdd`, `external` and `bar.tau`; adds to the rest of `bar`. Writes `work`: the cotangent of
/// the external forces is minus [`RneaVjpWork::motion_w`].
pub fn rnea_vjp<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    qdd: &[S],
    external: &[Force<S>],
    work: &mut RneaVjpWork<S>,
    mut bar: RneaCotangents<'_, S>,
) {
    let nv = model.nv();
    assert!(qdd.len() == nv && bar.tau.len() == nv, "nv numbers each");
    assert!(bar.qdd.as_ref().is_none_or(|qdd_bar| qdd_bar.len() == nv), "nv numbers");
    assert!(
        external.is_empty() || external.len() == model.n_links(),
        "external has one force per link"
    );
    S::vectorised(
        #[inline(always)]
        || {
            outwards(model, kin, qdd, work, &mut bar);
            for (body, external) in work.bodies.iter_mut().zip(external) {
                body.force -= *external;
            }
            inwards(model, kin, qdd, work, &mut bar);
        },
    );
}

#[inline(always)]
fn outwards<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    qdd: &[S],
    work: &mut RneaVjpWork<S>,
    bar: &mut RneaCotangents<'_, S>,
) {
    let RneaCotangents { tau: tau_bar, dynamics: out, .. } = bar;
    let ground = Motion::new(Vec3::ZERO, -model.params.gravity);
    for (i, (link, body)) in model.topology.links.iter().zip(&kin.bodies).enumerate() {
        let (mut z, mut acc) = match link.parent {
            Some(p) => {
                let parent = &work.bodies[p.index()];
                (parent.motion.at(body.offset_w), parent.acc.at(body.offset_w))
            }
            None => (Motion::ZERO, ground),
        };
        acc += Motion::new(body.bias_ang_w, body.bias_lin_w);
        for (k, dof) in link.joint.v_range().zip(link.joint.kind.dofs()) {
            let axis = kin.axes_w[k];
            match dof {
                DofKind::Angular => {
                    acc.ang = axis.scale_add(qdd[k], acc.ang);
                    z.ang = axis.scale_add(tau_bar[k], z.ang);
                }
                DofKind::Linear => {
                    acc.lin = axis.scale_add(qdd[k], acc.lin);
                    z.lin = axis.scale_add(tau_bar[k], z.lin);
                }
            }
        }

        // The link's part is m s·g + ζ·(I α + ω × I ω): s and g are motion and acceleration of the
        // centre of mass; the second term is in the link's axes.
        let inertia = &model.params.links[i];
        let rot = &body.rot_wb;
        let com = *rot * inertia.com;
        let spin = body.ang_vel_w;
        let swept = spin.cross(com);
        let com_acc = spin.cross_add(swept, acc.ang.cross_add(com, acc.lin));
        let com_motion = z.ang.cross_add(com, z.lin);
        let (zeta, alpha) = (rot.transpose_mul(z.ang), rot.transpose_mul(acc.ang));
        let omega = rot.transpose_mul(spin);
        let momentum = inertia.rotational * omega;
        let moment_w = *rot * omega.cross_add(momentum, inertia.rotational * alpha);
        let lin = com_acc * inertia.mass;

        let momentum_bar = zeta.cross(omega);
        let of_link = &mut out.params.links[i];
        of_link.mass += com_motion.dot(com_acc);
        add_products(&mut of_link.rotational, (zeta, alpha), (momentum_bar, omega));
        let com_acc_bar = com_motion * inertia.mass;
        let swept_bar = com_acc_bar.cross(spin);
        let com_bar = swept_bar.cross_add(spin, com_acc_bar.cross_add(acc.ang, lin.cross(z.ang)));
        of_link.com += rot.transpose_mul(com_bar);
        let alpha_bar_w = *rot * (inertia.rotational * zeta);
        let omega_bar = momentum.cross_add(zeta, inertia.rotational * momentum_bar);
        let omega_bar_w = *rot * omega_bar;
        let link_bar = &mut out.kin.bodies[i];
        let by_com = com.cross_add(swept_bar, swept.cross_add(com_acc_bar, omega_bar_w));
        link_bar.ang_vel_w += by_com;
        // In the link's axes, turning the link turns everything else the opposite way.
        let back =
            z.ang.cross_add(moment_w, acc.ang.cross_add(alpha_bar_w, spin.cross(omega_bar_w)));
        link_bar.turn_w += com.cross(com_bar) - back;

        work.bodies[i] = Body {
            motion: z,
            acc,
            force: Force { ang: com.cross_add(lin, moment_w), lin },
            acc_bar: Force { ang: com.cross_add(com_acc_bar, alpha_bar_w), lin: com_acc_bar },
        };
    }
}

/// Adds the cotangent of a symmetric matrix A in a·(A b) + c·(A d).
#[inline(always)]
fn add_products<S: Scalar>(
    to: &mut Sym3<S>,
    (a, b): (Vec3<S>, Vec3<S>),
    (c, d): (Vec3<S>, Vec3<S>),
) {
    to.xx = a.x.mul_add(b.x, c.x.mul_add(d.x, to.xx));
    to.yy = a.y.mul_add(b.y, c.y.mul_add(d.y, to.yy));
    to.zz = a.z.mul_add(b.z, c.z.mul_add(d.z, to.zz));
    to.xy += a.x.mul_add(b.y, a.y * b.x) + c.x.mul_add(d.y, c.y * d.x);
    to.xz += a.x.mul_add(b.z, a.z * b.x) + c.x.mul_add(d.z, c.z * d.x);
    to.yz += a.y.mul_add(b.z, a.z * b.y) + c.y.mul_add(d.z, c.z * d.y);
}

#[inline(always)]
fn inwards<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    qdd: &[S],
    work: &mut RneaVjpWork<S>,
    bar: &mut RneaCotangents<'_, S>,
) {
    let RneaCotangents { tau: tau_bar, qdd: qdd_bar, dynamics: out } = bar;
    for (i, link) in model.topology.links.iter().enumerate().rev() {
        let Body { force, acc_bar, .. } = work.bodies[i];
        let armature = model.params.joints[i].armature;
        for (k, dof) in link.joint.v_range().zip(link.joint.kind.dofs()) {
            let (force, acc_bar) = match dof {
                DofKind::Angular => (force.ang, acc_bar.ang),
                DofKind::Linear => (force.lin, acc_bar.lin),
            };
            let axis_bar = acc_bar.scale_add(qdd[k], out.kin.axes_w[k]);
            out.kin.axes_w[k] = force.scale_add(tau_bar[k], axis_bar);
            if let Some(qdd_bar) = qdd_bar {
                qdd_bar[k] += armature.mul_add(tau_bar[k], kin.axes_w[k].dot(acc_bar));
            }
            let armature_bar = &mut out.params.joints[i].armature;
            *armature_bar = qdd[k].mul_add(tau_bar[k], *armature_bar);
        }
        let link_bar = &mut out.kin.bodies[i];
        link_bar.bias_ang_w += acc_bar.ang;
        link_bar.bias_lin_w += acc_bar.lin;
        match link.parent {
            Some(p) => {
                let offset = kin.bodies[i].offset_w;
                let parent = &mut work.bodies[p.index()];
                let by_motion = force.lin.cross_add(parent.motion.ang, link_bar.offset_w);
                link_bar.offset_w = acc_bar.lin.cross_add(parent.acc.ang, by_motion);
                parent.force += force.acting_at(offset);
                parent.acc_bar += acc_bar.acting_at(offset);
            }
            None => out.params.gravity -= acc_bar.lin,
        }
    }
}
