//! The adjoint of the mass matrix, and of its products with two vectors.
//!
//! For cotangents of single entries, this reverses the sweep of `crba.rs`: a row's force is that of a composite body,
//! whose cotangent applies to every link in it, so cotangents of composites are passed *outwards*. If only `xᵀ M y` is
//! needed, two sweeps over the links suffice.

use gradbody_math::{Force, Motion, Scalar, Sym3, Vec3};
use gradbody_model::{DofKind, Model, Params};

use crate::crba::Composite;
use crate::{CrbaWork, Kinematics, KinematicsCotangents, MassMatrix};

/// Buffers of [`crba_vjp`].
#[derive(Clone, Debug)]
pub struct CrbaVjpWork<S> {
    /// Of each link's composite body.
    bodies: Vec<Composite<S>>,
    /// Of the vector from the root link's origin to each link's.
    from_root: Vec<Vec3<S>>,
    /// Of the motion of each coordinate.
    motions: Vec<Force<S>>,
}

impl<S: Scalar> CrbaVjpWork<S> {
    /// Buffers for a model.
    pub fn new(model: &Model<S>) -> Self {
        CrbaVjpWork {
            bodies: vec![Composite::ZERO; model.n_links()],
            from_root: vec![Vec3::ZERO; model.n_links()],
            motions: vec![Force::ZERO; model.nv()],
        }
    }
}

/// The adjoint of [`crba`](crate::crba): takes cotangents of the mass matrix back to the poses in `bar`, and the
/// inertias and armatures in `params`; adds to both. `crba` must hold the result at `kin`. Below the diagonal, an entry
/// of `mass_matrix_bar` is the sum of the cotangents of both equal entries of M.
///
/// Reads `kin` (poses), `crba`, `mass_matrix_bar`; adds to `bar` and `params`; writes `work`.
pub fn crba_vjp<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    crba: &CrbaWork<S>,
    mass_matrix_bar: &MassMatrix<S>,
    work: &mut CrbaVjpWork<S>,
    bar: &mut KinematicsCotangents<S>,
    params: &mut Params<S>,
) {
    assert_eq!(mass_matrix_bar.nv(), model.nv(), "the matrix belongs to this model");
    S::vectorised(
        #[inline(always)]
        || {
            rows_and_composites(model, kin, crba, mass_matrix_bar, work, bar, params);
            motions_and_offsets(model, kin, crba, work, bar);
        },
    );
}

#[inline(always)]
fn rows_and_composites<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    crba: &CrbaWork<S>,
    mass_matrix_bar: &MassMatrix<S>,
    work: &mut CrbaVjpWork<S>,
    bar: &mut KinematicsCotangents<S>,
    params: &mut Params<S>,
) {
    work.motions.fill(Force::ZERO);
    for (i, link) in model.topology.links.iter().enumerate() {
        // The cotangent of a composite applies to each of its parts.
        let mut own = match link.parent {
            Some(p) => work.bodies[p.index()],
            None => Composite::ZERO,
        };
        for k in link.joint.v_range() {
            let motion = crba.motions_w[k];
            let force = crba.bodies[i].force(motion);
            let row = mass_matrix_bar.row(k);
            let mut force_bar = Motion::ZERO;
            let mut next = Some(k);
            while let Some(at) = next {
                let (run, before) = mass_matrix_bar.next_run(at);
                next = before;
                for j in run {
                    let Motion { ang, lin } = crba.motions_w[j];
                    force_bar.ang = ang.scale_add(row[j], force_bar.ang);
                    force_bar.lin = lin.scale_add(row[j], force_bar.lin);
                    let motion_bar = &mut work.motions[j];
                    motion_bar.ang = force.ang.scale_add(row[j], motion_bar.ang);
                    motion_bar.lin = force.lin.scale_add(row[j], motion_bar.lin);
                }
            }
            params.joints[i].armature += row[k];
            work.motions[k] += crba.bodies[i].force(force_bar);
            own.mass += force_bar.lin.dot(motion.lin);
            own.moment = motion
                .lin
                .cross_add(force_bar.ang, force_bar.lin.cross_add(motion.ang, own.moment));
            add_product(&mut own.rotational, force_bar.ang, motion.ang);
        }
        work.bodies[i] = own;

        // The link alone: mass m, moment m c, and R I Rᵀ + m (c² − c cᵀ) about the root.
        let inertia = &model.params.links[i];
        let rot = &kin.bodies[i].rot_wb;
        let com = *rot * inertia.com;
        let from_root = crba.from_root_w[i] + com;
        // The symmetric matrix A with A · dJ = the cotangent of J's six numbers times their change.
        let matrix = halves(own.rotational);
        let trace = matrix.xx + matrix.yy + matrix.zz;
        // Half the gradient of c² tr A − cᵀ A c.
        let across = from_root * trace - matrix * from_root;
        let of_link = &mut params.links[i];
        of_link.mass += own.mass + from_root.dot(own.moment + across);
        let com_bar = (own.moment + across + across) * inertia.mass;
        of_link.com += rot.transpose_mul(com_bar);
        let back = rot.transpose();
        let matrix_b = matrix.rotated(&back);
        of_link.rotational += doubles(matrix_b);
        // Turning by ω changes R I Rᵀ by [ω] R I Rᵀ − R I Rᵀ [ω].
        let product = inertia.rotational.to_mat3() * matrix_b.to_mat3();
        let turn = Vec3::new(
            product.at(1, 2) - product.at(2, 1),
            product.at(2, 0) - product.at(0, 2),
            product.at(0, 1) - product.at(1, 0),
        );
        let turn_w = &mut bar.bodies[i].turn_w;
        *turn_w = com.cross_add(com_bar, rot.mul_add(turn + turn, *turn_w));
        work.from_root[i] = com_bar;
    }
}

#[inline(always)]
fn motions_and_offsets<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    crba: &CrbaWork<S>,
    work: &mut CrbaVjpWork<S>,
    bar: &mut KinematicsCotangents<S>,
) {
    for (i, link) in model.topology.links.iter().enumerate().rev() {
        for (k, dof) in link.joint.v_range().zip(link.joint.kind.dofs()) {
            let Force { ang, lin } = work.motions[k];
            match dof {
                DofKind::Angular => {
                    bar.axes_w[k] += lin.cross_add(crba.from_root_w[i], ang);
                    work.from_root[i] = kin.axes_w[k].cross_add(lin, work.from_root[i]);
                }
                DofKind::Linear => bar.axes_w[k] += lin,
            }
        }
        if let Some(p) = link.parent {
            let from_root_bar = work.from_root[i];
            bar.bodies[i].offset_w += from_root_bar;
            work.from_root[p.index()] += from_root_bar;
        }
    }
}

/// Buffers of [`mass_product_vjp`].
#[derive(Clone, Debug)]
pub struct MassProductWork<S> {
    bodies: Vec<Body<S>>,
}

#[derive(Clone, Copy, Debug)]
struct Body<S> {
    /// Motion if the joints moved at x.
    by_x: Motion<S>,
    /// Motion if the joints moved at y.
    by_y: Motion<S>,
    /// Momentum at `by_x`: the cotangent of `by_y`.
    momentum_x: Force<S>,
    /// Momentum at `by_y`: the cotangent of `by_x`.
    momentum_y: Force<S>,
}

impl<S: Scalar> MassProductWork<S> {
    /// Buffers for a model.
    pub fn new(model: &Model<S>) -> Self {
        let body = Body {
            by_x: Motion::ZERO,
            by_y: Motion::ZERO,
            momentum_x: Force::ZERO,
            momentum_y: Force::ZERO,
        };
        MassProductWork { bodies: vec![body; model.n_links()] }
    }
}

/// Adds the derivatives of `xᵀ M y` with respect to the poses to `bar`, and those with respect to the inertias and
/// armatures to `params`.
///
/// Reads `kin` (poses), `x`, `y`; adds to `bar` and `params`; writes `work`.
pub fn mass_product_vjp<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    x: &[S],
    y: &[S],
    work: &mut MassProductWork<S>,
    bar: &mut KinematicsCotangents<S>,
    params: &mut Params<S>,
) {
    assert!(x.len() == model.nv() && y.len() == x.len(), "nv numbers each");
    S::vectorised(
        #[inline(always)]
        || {
            momenta(model, kin, x, y, work, bar, params);
            for (i, link) in model.topology.links.iter().enumerate().rev() {
                let Body { momentum_x, momentum_y, .. } = work.bodies[i];
                for (k, dof) in link.joint.v_range().zip(link.joint.kind.dofs()) {
                    let (of_x, of_y) = match dof {
                        DofKind::Angular => (momentum_x.ang, momentum_y.ang),
                        DofKind::Linear => (momentum_x.lin, momentum_y.lin),
                    };
                    bar.axes_w[k] = of_y.scale_add(x[k], of_x.scale_add(y[k], bar.axes_w[k]));
                    let armature_bar = &mut params.joints[i].armature;
                    *armature_bar = x[k].mul_add(y[k], *armature_bar);
                }
                if let Some(p) = link.parent {
                    let offset = kin.bodies[i].offset_w;
                    let parent = &mut work.bodies[p.index()];
                    let offset_bar = &mut bar.bodies[i].offset_w;
                    let by_y = momentum_x.lin.cross_add(parent.by_y.ang, *offset_bar);
                    *offset_bar = momentum_y.lin.cross_add(parent.by_x.ang, by_y);
                    parent.momentum_x += momentum_x.acting_at(offset);
                    parent.momentum_y += momentum_y.acting_at(offset);
                }
            }
        },
    );
}

/// Outward pass: both motions, and each link's part m sₓ·s_y + ζₓ·I ζ_y.
#[inline(always)]
fn momenta<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    x: &[S],
    y: &[S],
    work: &mut MassProductWork<S>,
    bar: &mut KinematicsCotangents<S>,
    params: &mut Params<S>,
) {
    for (i, (link, body)) in model.topology.links.iter().zip(&kin.bodies).enumerate() {
        let (mut by_x, mut by_y) = match link.parent {
            Some(p) => {
                let parent = &work.bodies[p.index()];
                (parent.by_x.at(body.offset_w), parent.by_y.at(body.offset_w))
            }
            None => (Motion::ZERO, Motion::ZERO),
        };
        for (k, dof) in link.joint.v_range().zip(link.joint.kind.dofs()) {
            let axis = kin.axes_w[k];
            match dof {
                DofKind::Angular => {
                    by_x.ang = axis.scale_add(x[k], by_x.ang);
                    by_y.ang = axis.scale_add(y[k], by_y.ang);
                }
                DofKind::Linear => {
                    by_x.lin = axis.scale_add(x[k], by_x.lin);
                    by_y.lin = axis.scale_add(y[k], by_y.lin);
                }
            }
        }
        let inertia = &model.params.links[i];
        let rot = &body.rot_wb;
        let com = *rot * inertia.com;
        let (com_x, com_y) = (by_x.ang.cross_add(com, by_x.lin), by_y.ang.cross_add(com, by_y.lin));
        let (zeta_x, zeta_y) = (rot.transpose_mul(by_x.ang), rot.transpose_mul(by_y.ang));
        let (spin_x, spin_y) =
            (*rot * (inertia.rotational * zeta_x), *rot * (inertia.rotational * zeta_y));
        let (lin_x, lin_y) = (com_x * inertia.mass, com_y * inertia.mass);

        let of_link = &mut params.links[i];
        of_link.mass += com_x.dot(com_y);
        add_product(&mut of_link.rotational, zeta_x, zeta_y);
        let com_bar = lin_y.cross_add(by_x.ang, lin_x.cross(by_y.ang));
        of_link.com += rot.transpose_mul(com_bar);
        // In the link's axes, turning the link turns everything else the opposite way.
        let back = by_x.ang.cross_add(spin_y, by_y.ang.cross(spin_x));
        let turn_w = &mut bar.bodies[i].turn_w;
        *turn_w = com.cross_add(com_bar, *turn_w - back);
        work.bodies[i] = Body {
            by_x,
            by_y,
            momentum_x: Force { ang: com.cross_add(lin_x, spin_x), lin: lin_x },
            momentum_y: Force { ang: com.cross_add(lin_y, spin_y), lin: lin_y },
        };
    }
}

/// Adds the cotangent of the six numbers of a symmetric matrix A in a·(A b).
#[inline(always)]
pub(crate) fn add_product<S: Scalar>(to: &mut Sym3<S>, a: Vec3<S>, b: Vec3<S>) {
    to.xx = a.x.mul_add(b.x, to.xx);
    to.yy = a.y.mul_add(b.y, to.yy);
    to.zz = a.z.mul_add(b.z, to.zz);
    to.xy = a.x.mul_add(b.y, a.y.mul_add(b.x, to.xy));
    to.xz = a.x.mul_add(b.z, a.z.mul_add(b.x, to.xz));
    to.yz = a.y.mul_add(b.z, a.z.mul_add(b.y, to.yz));
}

/// From the cotangents of a symmetric matrix's six numbers to those of its nine entries.
#[inline(always)]
fn halves<S: Scalar>(of_numbers: Sym3<S>) -> Sym3<S> {
    let half = S::from_f64(0.5);
    let Sym3 { xx, yy, zz, xy, xz, yz } = of_numbers;
    Sym3::new(xx, yy, zz, xy * half, xz * half, yz * half)
}

/// The inverse of [`halves`].
#[inline(always)]
fn doubles<S: Scalar>(of_entries: Sym3<S>) -> Sym3<S> {
    let Sym3 { xx, yy, zz, xy, xz, yz } = of_entries;
    Sym3::new(xx, yy, zz, xy + xy, xz + xz, yz + yz)
}
