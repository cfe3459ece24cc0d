//! How impulses change velocities, without the mass matrix.
//!
//! In its inward pass, [`aba`](crate::aba) factorises the inverse of the mass matrix: releasing one degree of freedom
//! after another is an elimination, and the forces that remain at each are the eliminated right-hand side [Rodriguez,
//! Jain and Kreutz-Delgado 1991]. So for the Jacobian J of any points, with a row for each direction,
//! any points, with a row for each direction,
//!
//! ```text
//!   J M⁻¹ Jᵀ = G Gᵀ,      M⁻¹ Jᵀ λ = F u  with  u = Gᵀ λ
//! ```
//!
//! A row of G is what a unit force along that direction leaves at each degree of freedom on its way to the root
//! ([`response_factors`]), and F is an outward pass ([`velocity_change`]). A row is nonzero only for the coordinates
//! between the point and the root, so the cost of G depends on the depth of the points in the tree, not on its size.

use gradbody_math::{Force, Motion, Scalar};
use gradbody_model::{DofKind, LinkId, Model};

use crate::aba::Freedom;
use crate::{AbaWork, Kinematics, KinematicsCotangents};

/// Buffers of this file, valid for the last [`aba`](crate::aba).
#[derive(Clone, Debug)]
pub struct Response<S> {
    /// 1/√d of each degree of freedom. Written by [`Response::prepare`].
    root: Vec<S>,
    motions_w: Vec<Motion<S>>,
    forces_w: Vec<Force<S>>,
}

impl<S: Scalar> Response<S> {
    /// Buffers for a model.
    pub fn new(model: &Model<S>) -> Self {
        Response {
            root: vec![S::ZERO; model.nv()],
            motions_w: vec![Motion::ZERO; model.n_links()],
            forces_w: vec![Force::ZERO; model.n_links()],
        }
    }

    /// The change of each link's motion by the last [`velocity_change`].
    pub fn motions_w(&self) -> &[Motion<S>] {
        &self.motions_w
    }

    /// Prepares for the last [`aba`](crate::aba). Reads `aba`; writes 1/√d of each degree of freedom.
    pub fn prepare(&mut self, aba: &AbaWork<S>) {
        S::vectorised(
            #[inline(always)]
            || {
                for (root, dof) in self.root.iter_mut().zip(&aba.dofs) {
                    *root = dof.inverse_d.sqrt();
                }
            },
        );
    }
}

/// N forces on a link at its origin, in the world's axes; ignored if the link is the world.
#[derive(Clone, Copy, Debug)]
pub struct Pull<S, const N: usize> {
    /// The link they act on.
    pub link: Option<LinkId>,
    /// The forces.
    pub forces: [Force<S>; N],
}

/// N rows of G: calls `row` with each coordinate that the forces of the two pulls can move, and the N entries.
///
/// Reads `kin` (poses), `aba`, the prepared `response`.
#[inline(always)]
pub fn response_factors<S: Scalar, const N: usize>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    aba: &AbaWork<S>,
    response: &Response<S>,
    pulls: [Pull<S, N>; 2],
    mut row: impl FnMut(usize, [S; N]),
) {
    let [mut a, mut b] = pulls;
    // Links are numbered outwards: the one further out moves inwards, until both are the same.
    loop {
        if a.link > b.link {
            core::mem::swap(&mut a, &mut b);
        }
        let Some(at) = b.link else { break };
        if a.link == b.link {
            for i in 0..N {
                b.forces[i] += a.forces[i];
            }
            a.link = None;
        }
        let joint = &model.topology.links[at.index()].joint;
        for (i, dof) in joint.kind.dofs().iter().enumerate().rev() {
            let k = joint.v_start + i;
            pass(kin, aba, response, k, *dof, &mut b.forces, &mut row);
        }
        inwards(model, kin, &mut b);
    }
}

/// The row of G of a unit force along the `index`-th velocity coordinate of the joint of `link`: calls `row` with each
/// coordinate that it can move, and the entry.
///
/// Reads `kin` (poses), `aba`, the prepared `response`.
#[inline(always)]
pub fn joint_response_factors<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    aba: &AbaWork<S>,
    response: &Response<S>,
    link: LinkId,
    index: usize,
    mut row: impl FnMut(usize, [S; 1]),
) {
    let joint = &model.topology.links[link.index()].joint;
    let Freedom { hold, inverse_d, .. } = aba.dofs[joint.v_start + index];
    row(joint.v_start + index, [response.root[joint.v_start + index]]);
    let force = Force { ang: hold.ang * -inverse_d, lin: hold.lin * -inverse_d };
    let mut pull = Pull { link: Some(link), forces: [force] };
    for (i, dof) in joint.kind.dofs()[..index].iter().enumerate().rev() {
        pass(kin, aba, response, joint.v_start + i, *dof, &mut pull.forces, &mut row);
    }
    inwards(model, kin, &mut pull);
    let nothing = Pull { link: None, forces: [Force::ZERO] };
    response_factors(model, kin, aba, response, [nothing, pull], row);
}

/// Forces pass a degree of freedom: returns the entries of G; reduces the forces to what remains further in.
#[inline(always)]
fn pass<S: Scalar, const N: usize>(
    kin: &Kinematics<S>,
    aba: &AbaWork<S>,
    response: &Response<S>,
    k: usize,
    dof: DofKind,
    forces: &mut [Force<S>; N],
    row: &mut impl FnMut(usize, [S; N]),
) {
    let Freedom { hold, inverse_d, .. } = aba.dofs[k];
    let axis = kin.axes_w[k];
    let mut entries = [S::ZERO; N];
    for i in 0..N {
        let along = match dof {
            DofKind::Angular => axis.dot(forces[i].ang),
            DofKind::Linear => axis.dot(forces[i].lin),
        };
        let push = along * inverse_d;
        forces[i] = Force {
            ang: hold.ang.neg_scale_add(push, forces[i].ang),
            lin: hold.lin.neg_scale_add(push, forces[i].lin),
        };
        entries[i] = along * response.root[k];
    }
    row(k, entries);
}

/// The same forces at the parent's origin.
#[inline(always)]
fn inwards<S: Scalar, const N: usize>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    pull: &mut Pull<S, N>,
) {
    let Some(link) = pull.link else { return };
    let offset = kin.bodies[link.index()].offset_w;
    for force in &mut pull.forces {
        *force = force.acting_at(offset);
    }
    pull.link = model.topology.links[link.index()].parent;
}

/// `v += F u`: adds the change of velocity that impulses with `u = Gᵀ λ` cause.
///
/// Reads `kin` (poses), `aba`, the prepared `response`, `u`; adds to `v`; writes the motions of links to `response`.
pub fn velocity_change<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    aba: &AbaWork<S>,
    response: &mut Response<S>,
    u: &[S],
    v: &mut [S],
) {
    assert_eq!(u.len(), model.nv(), "u has nv numbers");
    assert_eq!(v.len(), model.nv(), "v has nv numbers");
    S::vectorised(
        #[inline(always)]
        || {
            for (i, (link, body)) in model.topology.links.iter().zip(&kin.bodies).enumerate() {
                let mut change = match link.parent {
                    Some(p) => response.motions_w[p.index()].at(body.offset_w),
                    None => Motion::ZERO,
                };
                for (k, dof) in link.joint.v_range().zip(link.joint.kind.dofs()) {
                    let Freedom { hold, inverse_d, .. } = aba.dofs[k];
                    let held = change.dot(hold) * inverse_d;
                    let rate = u[k].mul_add(response.root[k], -held);
                    let axis = kin.axes_w[k];
                    match dof {
                        DofKind::Angular => change.ang = axis.scale_add(rate, change.ang),
                        DofKind::Linear => change.lin = axis.scale_add(rate, change.lin),
                    }
                    v[k] += rate;
                }
                response.motions_w[i] = change;
            }
        },
    );
}

/// `u += Fᵀ x`: the adjoint of [`velocity_change`]. Since M⁻¹ = F Fᵀ, this is also what joint impulses `x` leave at
/// each degree of freedom they pass.
///
/// Reads `kin` (poses), `aba`, the prepared `response`, `x`; adds to `u`.
pub fn impulse_response<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    aba: &AbaWork<S>,
    response: &mut Response<S>,
    x: &[S],
    u: &mut [S],
) {
    assert_eq!(x.len(), model.nv(), "x has nv numbers");
    assert_eq!(u.len(), model.nv(), "u has nv numbers");
    S::vectorised(
        #[inline(always)]
        || {
            response.forces_w.fill(Force::ZERO);
            for (i, (link, body)) in model.topology.links.iter().zip(&kin.bodies).enumerate().rev()
            {
                let mut force = response.forces_w[i];
                for (k, dof) in link.joint.v_range().zip(link.joint.kind.dofs()).rev() {
                    let Freedom { hold, inverse_d, .. } = aba.dofs[k];
                    let axis = kin.axes_w[k];
                    let along = match dof {
                        DofKind::Angular => axis.dot(force.ang),
                        DofKind::Linear => axis.dot(force.lin),
                    };
                    let rate_bar = x[k] + along;
                    u[k] = response.root[k].mul_add(rate_bar, u[k]);
                    let push = rate_bar * inverse_d;
                    force = Force {
                        ang: hold.ang.neg_scale_add(push, force.ang),
                        lin: hold.lin.neg_scale_add(push, force.lin),
                    };
                }
                if let Some(p) = link.parent {
                    response.forces_w[p.index()] += force.acting_at(body.offset_w);
                }
            }
        },
    );
}

/// The motion of every link at joint velocities `v`: angular, and of its origin, in the world's axes.
///
/// Reads `kin` (poses), v; writes `out`.
pub fn link_motions<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    v: &[S],
    out: &mut [Motion<S>],
) {
    assert_eq!(v.len(), model.nv(), "v has nv numbers");
    assert_eq!(out.len(), model.n_links(), "out has one motion per link");
    S::vectorised(
        #[inline(always)]
        || {
            for (i, (link, body)) in model.topology.links.iter().zip(&kin.bodies).enumerate() {
                let mut motion = match link.parent {
                    Some(p) => out[p.index()].at(body.offset_w),
                    None => Motion::ZERO,
                };
                for (k, dof) in link.joint.v_range().zip(link.joint.kind.dofs()) {
                    let axis = kin.axes_w[k];
                    match dof {
                        DofKind::Angular => motion.ang = axis.scale_add(v[k], motion.ang),
                        DofKind::Linear => motion.lin = axis.scale_add(v[k], motion.lin),
                    }
                }
                out[i] = motion;
            }
        },
    );
}

/// The adjoint of [`link_motions`], which returned `motions` at `v`.
///
/// Reads `kin`, v, `motions` and their cotangents `forces`; adds to the axes and offsets in `bar`, and to `v_bar`,
/// (nv), unless that is `None`. Leaves in `forces` the sums over everything that each joint carries.
pub fn link_motions_vjp<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    v: &[S],
    motions: &[Motion<S>],
    forces: &mut [Force<S>],
    bar: &mut KinematicsCotangents<S>,
    mut v_bar: Option<&mut [S]>,
) {
    assert_eq!(v.len(), model.nv(), "v has nv numbers");
    assert!(v_bar.as_ref().is_none_or(|v_bar| v_bar.len() == v.len()), "v_bar has nv numbers");
    assert!(motions.len() == model.n_links() && forces.len() == motions.len(), "one for each link");
    S::vectorised(
        #[inline(always)]
        || {
            for (i, link) in model.topology.links.iter().enumerate().rev() {
                let force = forces[i];
                for (k, dof) in link.joint.v_range().zip(link.joint.kind.dofs()) {
                    let part = match dof {
                        DofKind::Angular => force.ang,
                        DofKind::Linear => force.lin,
                    };
                    if let Some(v_bar) = &mut v_bar {
                        v_bar[k] += kin.axes_w[k].dot(part);
                    }
                    bar.axes_w[k] = part.scale_add(v[k], bar.axes_w[k]);
                }
                if let Some(p) = link.parent {
                    let offset_bar = &mut bar.bodies[i].offset_w;
                    *offset_bar = force.lin.cross_add(motions[p.index()].ang, *offset_bar);
                    forces[p.index()] += force.acting_at(kin.bodies[i].offset_w);
                }
            }
        },
    );
}
