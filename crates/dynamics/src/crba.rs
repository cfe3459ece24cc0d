//! The mass matrix, by the composite-rigid-body algorithm [Featherstone 2008, ch. 6].
//!
//! Column k has the joint forces that a unit acceleration of coordinate k needs while all else is at rest. Only the
//! links beyond joint k then move, as one composite body; the force it needs gives an entry at every joint on the way
//! to the root. In this file, unlike elsewhere, all quantities of a tree refer to one point, its root link's origin:
//! composites then add without shifting, and an entry is one product of a coordinate's motion and another's force.

use core::ops::Range;

use gradbody_math::{Force, Motion, Scalar, Sym3, Vec3};
use gradbody_model::{DofKind, Model};

use crate::Kinematics;

/// A symmetric matrix over the velocity coordinates that is zero between coordinates on different branches. Only the
/// lower triangle is stored, row by row.
#[derive(Clone, Debug)]
pub struct MassMatrix<S> {
    nv: usize,
    lower: Vec<S>,
    /// For each coordinate, the run of consecutive coordinates that ends with it.
    runs: Vec<Run>,
}

/// Coordinates `first..=k`, each the parent of the next, and the coordinate before them.
#[derive(Clone, Copy, Debug)]
struct Run {
    first: u32,
    before: Option<u32>,
}

impl<S: Scalar> MassMatrix<S> {
    /// All zero, sized for a model.
    pub fn new(model: &Model<S>) -> Self {
        let nv = model.nv();
        MassMatrix { nv, lower: vec![S::ZERO; nv * nv], runs: runs(model) }
    }

    /// Number of rows.
    pub fn nv(&self) -> usize {
        self.nv
    }

    /// Entry of row `i` and column `j`.
    #[inline(always)]
    pub fn at(&self, i: usize, j: usize) -> S {
        self.lower[i.max(j) * self.nv + i.min(j)]
    }

    /// The stored entry of row `i` and column `j`, which is also that of row `j` and column `i`.
    #[inline(always)]
    pub fn at_mut(&mut self, i: usize, j: usize) -> &mut S {
        &mut self.lower[i.max(j) * self.nv + i.min(j)]
    }

    /// `out = self · x`.
    pub fn mul(&self, x: &[S], out: &mut [S]) {
        for (i, out) in out.iter_mut().enumerate() {
            *out = (0..self.nv).fold(S::ZERO, |sum, j| self.at(i, j).mul_add(x[j], sum));
        }
    }

    /// Copies the entries of a matrix of the same model.
    #[inline(always)]
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.lower.copy_from_slice(&other.lower);
    }

    /// Row `i` up to its diagonal entry.
    #[inline(always)]
    pub(crate) fn row(&self, i: usize) -> &[S] {
        &self.lower[i * self.nv..][..=i]
    }

    /// Row `i` up to its diagonal entry.
    #[inline(always)]
    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [S] {
        &mut self.lower[i * self.nv..][..=i]
    }

    /// Rows `i < k`, both up to their diagonal entry.
    #[inline(always)]
    pub(crate) fn rows_mut(&mut self, i: usize, k: usize) -> (&mut [S], &mut [S]) {
        let (above, below) = self.lower.split_at_mut(k * self.nv);
        (&mut above[i * self.nv..][..=i], &mut below[..=k])
    }

    /// The next run of consecutive coordinates on the way from `k` to the root, `k` included, and where to continue.
    #[inline(always)]
    pub(crate) fn next_run(&self, k: usize) -> (Range<usize>, Option<usize>) {
        let Run { first, before } = self.runs[k];
        (first as usize..k + 1, before.map(|b| b as usize))
    }
}

fn runs<S: Scalar>(model: &Model<S>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::with_capacity(model.nv());
    for link in &model.topology.links {
        let last_of_parent =
            link.parent.map(|p| model.topology.links[p.index()].joint.v_range().end as u32 - 1);
        for k in link.joint.v_range() {
            let first = k == link.joint.v_start;
            let parent = if first { last_of_parent } else { Some(k as u32 - 1) };
            runs.push(match parent {
                Some(p) if p as usize + 1 == k => runs[p as usize],
                before => Run { first: k as u32, before },
            });
        }
    }
    runs
}

/// Buffers of [`crba`].
#[derive(Clone, Debug)]
pub struct CrbaWork<S> {
    /// From the root link's origin to each link's.
    pub(crate) from_root_w: Vec<Vec3<S>>,
    pub(crate) bodies: Vec<Composite<S>>,
    /// Motion that each coordinate at unit rate gives to the links it carries, at the root's origin.
    pub(crate) motions_w: Vec<Motion<S>>,
    /// M, armature included. Written by `crba`.
    pub mass_matrix: MassMatrix<S>,
}

/// A link and everything beyond it as one rigid body: mass, mass times centre, inertia, about the root.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Composite<S> {
    pub(crate) mass: S,
    pub(crate) moment: Vec3<S>,
    pub(crate) rotational: Sym3<S>,
}

impl<S: Scalar> Composite<S> {
    pub(crate) const ZERO: Self =
        Composite { mass: S::ZERO, moment: Vec3::ZERO, rotational: Sym3::ZERO };

    /// Force that an acceleration needs.
    #[inline(always)]
    pub(crate) fn force(&self, Motion { ang, lin }: Motion<S>) -> Force<S> {
        Force {
            ang: self.moment.cross_add(lin, self.rotational * ang),
            lin: lin.scale_add(self.mass, ang.cross(self.moment)),
        }
    }
}

impl<S: Scalar> CrbaWork<S> {
    /// Buffers for a model.
    pub fn new(model: &Model<S>) -> Self {
        CrbaWork {
            from_root_w: vec![Vec3::ZERO; model.n_links()],
            bodies: vec![Composite::ZERO; model.n_links()],
            motions_w: vec![Motion::ZERO; model.nv()],
            mass_matrix: MassMatrix::new(model),
        }
    }
}

/// The mass matrix in the pose of `kin`.
pub fn crba<S: Scalar>(model: &Model<S>, kin: &Kinematics<S>, work: &mut CrbaWork<S>) {
    S::vectorised(
        #[inline(always)]
        || {
            rigid_bodies(model, kin, work);
            composites_and_rows(model, work);
        },
    );
}

#[inline(always)]
fn rigid_bodies<S: Scalar>(model: &Model<S>, kin: &Kinematics<S>, work: &mut CrbaWork<S>) {
    for (i, link) in model.topology.links.iter().enumerate() {
        let from_root = match link.parent {
            Some(p) => work.from_root_w[p.index()] + kin.bodies[i].offset_w,
            None => Vec3::ZERO,
        };
        work.from_root_w[i] = from_root;
        let inertia = model.params.links[i].rotated(&kin.bodies[i].rot_wb);
        let com = from_root + inertia.com;
        work.bodies[i] = Composite {
            mass: inertia.mass,
            moment: com * inertia.mass,
            rotational: inertia.rotational.add_point_mass(inertia.mass, com),
        };
        for (k, dof) in link.joint.v_range().zip(link.joint.kind.dofs()) {
            let axis = kin.axes_w[k];
            work.motions_w[k] = match dof {
                DofKind::Angular => Motion::new(axis, from_root.cross(axis)),
                DofKind::Linear => Motion::new(Vec3::ZERO, axis),
            };
        }
    }
}

#[inline(always)]
fn composites_and_rows<S: Scalar>(model: &Model<S>, work: &mut CrbaWork<S>) {
    for (i, link) in model.topology.links.iter().enumerate().rev() {
        let composite = work.bodies[i];
        let Composite { mass, moment, rotational } = composite;
        if let Some(p) = link.parent {
            let parent = &mut work.bodies[p.index()];
            parent.mass += mass;
            parent.moment += moment;
            parent.rotational += rotational;
        }
        let armature = model.params.joints[i].armature;
        for (k, dof) in link.joint.v_range().zip(link.joint.kind.dofs()) {
            let motion = work.motions_w[k];
            let force = match dof {
                DofKind::Angular => composite.force(motion),
                DofKind::Linear => Force { ang: moment.cross(motion.lin), lin: motion.lin * mass },
            };
            let mut next = Some(k);
            while let Some(at) = next {
                let (run, before) = work.mass_matrix.next_run(at);
                next = before;
                let entries = &mut work.mass_matrix.row_mut(k)[run.clone()];
                for (entry, motion) in entries.iter_mut().zip(&work.motions_w[run]) {
                    *entry = motion.dot(force);
                }
            }
            work.mass_matrix.row_mut(k)[k] += armature;
        }
    }
}
