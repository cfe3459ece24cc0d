//! Axes and motions of a tree about one fixed point: the ground for derivatives of the dynamics as matrices.
//!
//! Elsewhere a body's quantities refer to its own origin. Derivatives with respect to all coordinates compare every body
//! with every joint between it and the root, so here all quantities of a tree refer to one point, its root link's origin,
//! in the world's axes. They then add along the tree without shifting, and the cross product of two motions needs no lever.
//!
//! A coordinate k has the axis Sₖ: the motion of everything beyond it, per unit of its velocity. The axes of a spherical
//! joint turn with its link and are displaced together; every other degree of freedom is a joint of its own. This file
//! calls both a *group*: one coordinate, or the three of a rotation.

use gradbody_math::{Force, Motion, Vec3};
use gradbody_model::{DofKind, JointKind, Model};

use crate::Kinematics;

/// The coordinates between each link and the root. Depends on the structure alone.
#[derive(Clone, Debug)]
pub struct Chains {
    /// The chains of all links, one after another, each from the root outwards.
    coordinates: Vec<u32>,
    /// The part of each link in `coordinates`.
    of_links: Vec<(u32, u32)>,
    /// First coordinate of the group of each coordinate, (nv).
    group_starts: Vec<u32>,
}

impl Chains {
    /// The chains of a model.
    pub fn new(model: &Model<f64>) -> Self {
        let mut coordinates: Vec<u32> = Vec::new();
        let mut of_links: Vec<(u32, u32)> = Vec::new();
        let mut group_starts = Vec::with_capacity(model.nv());
        for link in &model.topology.links {
            let from = coordinates.len();
            if let Some(p) = link.parent {
                let (a, b) = of_links[p.index()];
                coordinates.extend_from_within(a as usize..b as usize);
            }
            let range = link.joint.v_range();
            coordinates.extend(range.clone().map(|k| k as u32));
            of_links.push((from as u32, coordinates.len() as u32));
            let turn = first_turning(link.joint.kind).map(|first| range.start + first);
            group_starts.extend(range.map(|k| match turn {
                Some(turn) if k >= turn => turn as u32,
                _ => k as u32,
            }));
        }
        Chains { coordinates, of_links, group_starts }
    }

    /// The coordinates that move a link, from the root outwards.
    #[inline(always)]
    pub fn of_link(&self, link: usize) -> &[u32] {
        let (from, to) = self.of_links[link];
        &self.coordinates[from as usize..to as usize]
    }

    /// The end of the group that begins with coordinate `from`, in a joint whose coordinates end at `end`.
    #[inline(always)]
    pub(crate) fn group_end(&self, from: usize, end: usize) -> usize {
        let same = |k: &usize| self.group_starts[*k] as usize == from;
        from + (from..end).take_while(same).count()
    }

    /// The first coordinate of the group of coordinate `k`.
    #[inline(always)]
    pub(crate) fn group_start(&self, k: usize) -> usize {
        self.group_starts[k] as usize
    }
}

/// The first of a joint's three coordinates that turn it by a quaternion, counted within the joint.
#[inline(always)]
fn first_turning(kind: JointKind) -> Option<usize> {
    match kind {
        JointKind::Spherical => Some(0),
        JointKind::Free => Some(3),
        _ => None,
    }
}

/// The axis of every coordinate about its tree's fixed point.
#[derive(Clone, Debug)]
pub struct SpatialAxes {
    /// S of each coordinate [1, m] for a turn, [0, 1] for a slide, (nv). Written by [`spatial_axes`].
    pub axes: Vec<Motion<f64>>,
    /// The fixed point of each link's tree in the world [m], (n_links). Written by [`spatial_axes`].
    pub points_w: Vec<Vec3<f64>>,
}

impl SpatialAxes {
    /// Buffers for a model.
    pub fn new(model: &Model<f64>) -> Self {
        SpatialAxes {
            axes: vec![Motion::ZERO; model.nv()],
            points_w: vec![Vec3::ZERO; model.n_links()],
        }
    }
}

/// Writes the axes in the pose of `kin`.
#[inline(always)]
pub fn spatial_axes(model: &Model<f64>, kin: &Kinematics<f64>, out: &mut SpatialAxes) {
    for (i, (link, body)) in model.topology.links.iter().zip(&kin.bodies).enumerate() {
        let point_w = match link.parent {
            Some(p) => out.points_w[p.index()],
            None => body.pos_w,
        };
        out.points_w[i] = point_w;
        let lever = body.pos_w - point_w;
        for (k, dof) in link.joint.v_range().zip(link.joint.kind.dofs()) {
            let axis = kin.axes_w[k];
            out.axes[k] = match dof {
                DofKind::Angular => Motion::new(axis, lever.cross(axis)),
                DofKind::Linear => Motion::new(Vec3::ZERO, axis),
            };
        }
    }
}

/// Motions of a tree about its fixed point, and how a displacement changes them.
#[derive(Clone, Debug)]
pub struct TreeMotion {
    /// V of each link [rad/s, m/s], (n_links). Written by [`tree_motion`].
    pub links: Vec<Motion<f64>>,
    /// σ = V₀ × S of each coordinate, with V₀ the motion of the link that carries it [1/s, m/s per unit of displacement], (nv).
    /// An observer who is displaced along the coordinate sees all motions beyond it change by σ. Written by
    /// [`tree_motion`].
    pub sways: Vec<Motion<f64>>,
}

impl TreeMotion {
    /// Buffers for a model.
    pub fn new(model: &Model<f64>) -> Self {
        TreeMotion {
            links: vec![Motion::ZERO; model.n_links()],
            sways: vec![Motion::ZERO; model.nv()],
        }
    }
}

/// Writes the motions at joint velocities `v`. A displacement along coordinate j changes the motion of a link beyond it by
/// `Sⱼ × V + sways[j]`.
#[inline(always)]
pub fn tree_motion(
    model: &Model<f64>,
    chains: &Chains,
    axes: &SpatialAxes,
    v: &[f64],
    out: &mut TreeMotion,
) {
    assert_eq!(v.len(), model.nv(), "v has nv numbers");
    for (i, link) in model.topology.links.iter().enumerate() {
        let mut motion = link.parent.map_or(Motion::ZERO, |p| out.links[p.index()]);
        let joint = link.joint.v_range();
        let mut from = joint.start;
        while from < joint.end {
            let to = chains.group_end(from, joint.end);
            let carrier = motion;
            for k in from..to {
                out.sways[k] = carrier.cross_motion(axes.axes[k]);
                motion += axes.axes[k] * v[k];
            }
            from = to;
        }
        out.links[i] = motion;
    }
}

/// Adds the joint forces that a force on `link` takes part in to column `column` of `x`, which is stored row by row with
/// `stride` numbers a row. The force acts at a point, in the world's axes.
#[inline(always)]
pub fn add_force_column(
    chains: &Chains,
    axes: &SpatialAxes,
    (link, point_w): (usize, Vec3<f64>),
    force: Force<f64>,
    column: usize,
    (x, stride): (&mut [f64], usize),
) {
    let force = force.acting_at(point_w - axes.points_w[link]);
    for &k in chains.of_link(link) {
        let entry = &mut x[k as usize * stride + column];
        *entry += axes.axes[k as usize].dot(force);
    }
}
