//! The derivatives of inverse dynamics, as matrices.
//!
//! All quantities of a tree are about its fixed point (`spatial_axes.rs`). V and A are motion and acceleration of a link,
//! with gravity as an upward acceleration of the world, f = I A + V ×* I V the force it needs. Let the coordinate j carry
//! everything beyond it along by Sⱼ. To an observer who moves along, only what carries j has changed: its motion by
//! σ = V₀ × S, and its acceleration by A₀ × S (V₀, A₀: of the carrier of j). To a change W of all motions beyond j the
//! forces there respond by
//!
//! ```text
//!   2 B W = W ×* I V + V ×* I W − I (V × W)
//! ```
//!
//! and an acceleration of V × W. Summed over everything beyond a joint i (composites, marked C) this gives, as
//! [Singh, Russell and Wensing 2022] found, with α = A₀ × S + V₀ × σ, φ = σ + V × S and j between i and the root
//!
//! ```text
//!   ∂τᵢ/∂qⱼ = Sᵢ · (2 Bᵢᶜ σⱼ + Iᵢᶜ αⱼ)       ∂τⱼ/∂qᵢ = Sⱼ · (2 Bᵢᶜ σᵢ + Iᵢᶜ αᵢ + Sᵢ ×* fᵢᶜ)
//!   ∂τᵢ/∂vⱼ = Sᵢ · (2 Bᵢᶜ Sⱼ + Iᵢᶜ φⱼ)       ∂τⱼ/∂vᵢ = Sⱼ · (2 Bᵢᶜ Sᵢ + Iᵢᶜ φᵢ)
//! ```
//!
//! The left column also holds for i = j, and between the three axes of a rotation. B is simple about a fixed point: the
//! mass dm at r, which moves at ṙ, feels the Coriolis force 2 ω × ṙ dm of an observer who turns at ω, so
//!
//! ```text
//!   B W = ∫ (r × (ω × ṙ), ω × ṙ) dm = ((tr P) ω − P ω, ω × p),     P = ∫ ṙ rᵀ dm,  p = ∫ ṙ dm
//! ```
//!
//! depends on the angular part ω of W alone, and has twelve numbers that add along the tree. With E the second moments of
//! a body's mass about its centre of mass c, P = m ċ cᵀ + [ω] E.
//!
//! Rows and columns meet only on one way to the root [Carpentier and Mansard 2018]. The entries of a row are computed in
//! blocks of eight coordinates, which a processor's vectors take at once; those of other branches are dropped.

use gradbody_math::{Force, Mat3, Motion, Sym3, Vec3};
use gradbody_model::Model;

use crate::{Chains, Kinematics, SpatialAxes, TreeMotion};

/// Coordinates of a block.
const BLOCK: usize = 8;

/// Eight coordinates' entries of one component.
type Lanes = [f64; BLOCK];

/// Buffers of [`rnea_jacobian`].
#[derive(Clone, Debug)]
pub struct RneaJacobianWork {
    /// A of each link.
    accelerations: Vec<Motion<f64>>,
    /// First what each link has, then what everything beyond its joint has.
    composites: Vec<Composite>,
    /// S, σ, α and φ of every coordinate.
    coordinates: Vec<Coordinates>,
    /// The entries of one coordinate with all others.
    found: Vec<Entries>,
    /// The blocks that the chain of each link meets, one link after another.
    blocks: Vec<u32>,
    of_links: Vec<(u32, u32)>,
}

/// Inertia I, Coriolis operator B and force f of one or several links.
#[derive(Clone, Copy, Debug)]
struct Composite {
    mass: f64,
    /// ∫ r dm.
    first: Vec3<f64>,
    /// Rotational inertia about the fixed point.
    inertia: Sym3<f64>,
    /// P.
    swept: Mat3<f64>,
    /// p.
    momentum: Vec3<f64>,
    force: Force<f64>,
}

/// S, σ, α and φ of eight coordinates, component by component, angular first; of σ the angular part alone.
#[derive(Clone, Copy, Debug)]
struct Coordinates {
    axis: [Lanes; 6],
    sway: [Lanes; 3],
    alpha: [Lanes; 6],
    phi: [Lanes; 6],
}

/// Entries of the derivatives by q and v, of one coordinate's row and column.
#[derive(Clone, Copy, Debug)]
struct Entries {
    row_q: Lanes,
    row_v: Lanes,
    column_q: Lanes,
    column_v: Lanes,
}

impl Coordinates {
    const ZERO: Self = Coordinates {
        axis: [[0.0; BLOCK]; 6],
        sway: [[0.0; BLOCK]; 3],
        alpha: [[0.0; BLOCK]; 6],
        phi: [[0.0; BLOCK]; 6],
    };

    #[inline(always)]
    fn put(to: &mut [Lanes; 6], lane: usize, from: Motion<f64>) {
        for c in 0..3 {
            to[c][lane] = from.ang[c];
            to[c + 3][lane] = from.lin[c];
        }
    }

    #[inline(always)]
    fn motion(of: &[Lanes; 6], lane: usize) -> Motion<f64> {
        let part = |c: usize| Vec3::new(of[c][lane], of[c + 1][lane], of[c + 2][lane]);
        Motion::new(part(0), part(3))
    }
}

impl Composite {
    const ZERO: Self = Composite {
        mass: 0.0,
        first: Vec3::ZERO,
        inertia: Sym3::ZERO,
        swept: Mat3 { cols: [Vec3::ZERO; 3] },
        momentum: Vec3::ZERO,
        force: Force::ZERO,
    };

    #[inline(always)]
    fn add(&mut self, other: &Self) {
        self.mass += other.mass;
        self.first += other.first;
        self.inertia += other.inertia;
        for c in 0..3 {
            self.swept.cols[c] += other.swept.cols[c];
        }
        self.momentum += other.momentum;
        self.force += other.force;
    }

    /// I w.
    #[inline(always)]
    fn inertia_times(&self, w: Motion<f64>) -> Force<f64> {
        Force {
            ang: self.first.cross_add(w.lin, self.inertia * w.ang),
            lin: w.ang.cross_add(self.first, w.lin * self.mass),
        }
    }

    /// 2 B w, for the angular part of w.
    #[inline(always)]
    fn coriolis(&self, ang: Vec3<f64>) -> Force<f64> {
        let twice = ang + ang;
        let [x, y, z] = self.swept.cols;
        let trace = x.x + y.y + z.z;
        Force { ang: twice * trace - self.swept * twice, lin: twice.cross(self.momentum) }
    }

    /// 2 Bᵀ s: its product with the angular part of w is s · 2 B w.
    #[inline(always)]
    fn coriolis_transposed(&self, s: Motion<f64>) -> Vec3<f64> {
        let [x, y, z] = self.swept.cols;
        let trace = x.x + y.y + z.z;
        let by_turn = s.ang * trace - self.swept.transpose_mul(s.ang);
        let sum = self.momentum.cross_add(s.lin, by_turn);
        sum + sum
    }
}

impl RneaJacobianWork {
    /// Buffers for a model.
    pub fn new(model: &Model<f64>, chains: &Chains) -> Self {
        let n = model.nv().div_ceil(BLOCK);
        let (mut blocks, mut of_links) = (Vec::new(), Vec::new());
        for link in 0..model.n_links() {
            let from = blocks.len();
            for k in chains.of_link(link) {
                let block = k / BLOCK as u32;
                if !blocks[from..].contains(&block) {
                    blocks.push(block);
                }
            }
            of_links.push((from as u32, blocks.len() as u32));
        }
        let zero = [0.0; BLOCK];
        let entries = Entries { row_q: zero, row_v: zero, column_q: zero, column_v: zero };
        RneaJacobianWork {
            accelerations: vec![Motion::ZERO; model.n_links()],
            composites: vec![Composite::ZERO; model.n_links()],
            coordinates: vec![Coordinates::ZERO; n],
            found: vec![entries; n],
            blocks,
            of_links,
        }
    }
}

/// Where derivatives are added: a matrix that is stored row by row, with `stride` numbers in each of its nv rows.
#[derive(Debug)]
pub struct Addend<'a> {
    /// The entries.
    pub numbers: &'a mut [f64],
    /// Numbers in a row.
    pub stride: usize,
    /// What the derivatives are multiplied by.
    pub factor: f64,
}

/// The joint forces' derivatives in [`rnea`](crate::rnea)`(model, kin, qdd, external)`: adds those with respect to q (along
/// the axes) to columns 0..nv of `out`, and those with respect to v to columns nv..2nv, both times a factor.
///
/// External forces count as if they moved with their links: what they do otherwise is the caller's to add. `motion` is
/// [`tree_motion`](crate::tree_motion) at v.
///
/// Reads `kin`, `axes`, `motion`, v, `qdd`, `external`; adds to `out`.
#[inline(always)]
pub fn rnea_jacobian(
    of: &RneaAt<'_>,
    qdd: &[f64],
    external: &[Force<f64>],
    work: &mut RneaJacobianWork,
    out: &mut Addend<'_>,
) {
    let nv = of.model.nv();
    assert!(of.v.len() == nv && qdd.len() == nv, "nv numbers each");
    assert!(out.stride >= 2 * nv && out.numbers.len() >= nv * out.stride, "room for both");
    outwards(of, qdd, work);
    links(of, external, work);
    inwards(of, work, out);
}

/// Where inverse dynamics is differentiated.
#[derive(Clone, Copy, Debug)]
pub struct RneaAt<'a> {
    /// The model.
    pub model: &'a Model<f64>,
    /// Its structure.
    pub chains: &'a Chains,
    /// Poses.
    pub kin: &'a Kinematics<f64>,
    /// Axes in these poses.
    pub axes: &'a SpatialAxes,
    /// Velocity, (nv).
    pub v: &'a [f64],
    /// Motions at v.
    pub motion: &'a TreeMotion,
}

/// Accelerations of the links; σ, α and φ of the coordinates.
#[inline(always)]
fn outwards(of: &RneaAt<'_>, qdd: &[f64], work: &mut RneaJacobianWork) {
    let RneaAt { model, chains, axes, v, motion, .. } = *of;
    let ground = Motion::new(Vec3::ZERO, -model.params.gravity);
    for (i, link) in model.topology.links.iter().enumerate() {
        let (mut vel, mut acc) = match link.parent {
            Some(p) => (motion.links[p.index()], work.accelerations[p.index()]),
            None => (Motion::ZERO, ground),
        };
        let joint = link.joint.v_range();
        let mut from = joint.start;
        while from < joint.end {
            let to = chains.group_end(from, joint.end);
            let (carrier_vel, carrier_acc) = (vel, acc);
            for k in from..to {
                let (axis, sway) = (axes.axes[k], motion.sways[k]);
                vel += axis * v[k];
                acc += axis * qdd[k] + sway * v[k];
                let alpha = carrier_acc.cross_motion(axis) + carrier_vel.cross_motion(sway);
                let (block, lane) = (&mut work.coordinates[k / BLOCK], k % BLOCK);
                Coordinates::put(&mut block.axis, lane, axis);
                Coordinates::put(&mut block.alpha, lane, alpha);
                for c in 0..3 {
                    block.sway[c][lane] = sway.ang[c];
                }
            }
            for k in from..to {
                let phi = motion.sways[k] + vel.cross_motion(axes.axes[k]);
                Coordinates::put(&mut work.coordinates[k / BLOCK].phi, k % BLOCK, phi);
            }
            from = to;
        }
        work.accelerations[i] = acc;
    }
}

/// Inertia, Coriolis operator and force of each link.
#[inline(always)]
fn links(of: &RneaAt<'_>, external: &[Force<f64>], work: &mut RneaJacobianWork) {
    let RneaAt { model, kin, axes, motion, .. } = *of;
    assert!(
        external.is_empty() || external.len() == model.n_links(),
        "external has one force per link"
    );
    for (i, body) in kin.bodies.iter().enumerate() {
        let inertia = model.params.links[i].rotated(&body.rot_wb);
        let lever = body.pos_w - axes.points_w[i];
        let com = lever + inertia.com;
        let (vel, acc) = (motion.links[i], work.accelerations[i]);
        let spin = vel.ang;
        let com_vel = spin.cross_add(com, vel.lin);
        let com_acc = spin.cross_add(com_vel, acc.ang.cross_add(com, acc.lin));
        let lin = com_acc * inertia.mass;
        let turning = spin.cross_add(inertia.rotational * spin, inertia.rotational * acc.ang);
        let mut force = Force { ang: com.cross_add(lin, turning), lin };
        if let Some(external) = external.get(i) {
            force -= external.acting_at(lever);
        }
        let momentum = com_vel * inertia.mass;
        // E = ½ (tr I) 1 − I, and the columns of P = m ċ cᵀ + [ω] E.
        let Sym3 { xx, xy, xz, yy, yz, zz } = inertia.rotational;
        let half = 0.5 * (xx + yy + zz);
        let second = [
            Vec3::new(half - xx, -xy, -xz),
            Vec3::new(-xy, half - yy, -yz),
            Vec3::new(-xz, -yz, half - zz),
        ];
        let column = |c: usize| momentum.scale_add(com[c], spin.cross(second[c]));
        work.composites[i] = Composite {
            mass: inertia.mass,
            first: com * inertia.mass,
            inertia: inertia.rotational.add_point_mass(inertia.mass, com),
            swept: Mat3 { cols: [column(0), column(1), column(2)] },
            momentum,
            force,
        };
    }
}

/// Sums composites from the leaves to the root, and adds the entries of each coordinate.
#[inline(always)]
fn inwards(of: &RneaAt<'_>, work: &mut RneaJacobianWork, out: &mut Addend<'_>) {
    let RneaAt { model, chains, .. } = *of;
    let nv = model.nv();
    for (i, link) in model.topology.links.iter().enumerate().rev() {
        let composite = work.composites[i];
        let chain = chains.of_link(i);
        let (from, to) = work.of_links[i];
        let blocks = &work.blocks[from as usize..to as usize];
        let joint = link.joint.v_range();
        for k in joint.clone().rev() {
            let first = chains.group_start(k);
            let end = chains.group_end(first, joint.end);
            entries(&composite, k, blocks, &work.coordinates, &mut work.found);
            let Addend { numbers, stride, factor } = out;
            for &j in chain {
                let j = j as usize;
                let (found, lane) = (&work.found[j / BLOCK], j % BLOCK);
                if j < end {
                    numbers[k * *stride + j] += *factor * found.row_q[lane];
                    numbers[k * *stride + nv + j] += *factor * found.row_v[lane];
                }
                if j < first {
                    numbers[j * *stride + k] += *factor * found.column_q[lane];
                    numbers[j * *stride + nv + k] += *factor * found.column_v[lane];
                }
            }
        }
        if let Some(p) = link.parent {
            work.composites[p.index()].add(&composite);
        }
    }
}

/// The entries of coordinate `k` with those of some blocks.
#[inline(always)]
fn entries(
    composite: &Composite,
    k: usize,
    blocks: &[u32],
    coordinates: &[Coordinates],
    found: &mut [Entries],
) {
    let (own, lane) = (&coordinates[k / BLOCK], k % BLOCK);
    let axis = Coordinates::motion(&own.axis, lane);
    let sway = Vec3::new(own.sway[0][lane], own.sway[1][lane], own.sway[2][lane]);
    let alpha = Coordinates::motion(&own.alpha, lane);
    let phi = Coordinates::motion(&own.phi, lane);
    let held = composite.inertia_times(axis);
    let turned = composite.coriolis_transposed(axis);
    let by_q = composite.coriolis(sway)
        + composite.inertia_times(alpha)
        + axis.cross_force(composite.force);
    let by_v = composite.coriolis(axis.ang) + composite.inertia_times(phi);
    for &b in blocks {
        let of = &coordinates[b as usize];
        let mut sums = Entries {
            row_q: [0.0; BLOCK],
            row_v: [0.0; BLOCK],
            column_q: [0.0; BLOCK],
            column_v: [0.0; BLOCK],
        };
        for c in 0..3 {
            add(&mut sums.row_q, turned[c], &of.sway[c]);
            add(&mut sums.row_v, turned[c], &of.axis[c]);
            add(&mut sums.row_q, held.ang[c], &of.alpha[c]);
            add(&mut sums.row_v, held.ang[c], &of.phi[c]);
            add(&mut sums.column_q, by_q.ang[c], &of.axis[c]);
            add(&mut sums.column_v, by_v.ang[c], &of.axis[c]);
        }
        for c in 0..3 {
            add(&mut sums.row_q, held.lin[c], &of.alpha[c + 3]);
            add(&mut sums.row_v, held.lin[c], &of.phi[c + 3]);
            add(&mut sums.column_q, by_q.lin[c], &of.axis[c + 3]);
            add(&mut sums.column_v, by_v.lin[c], &of.axis[c + 3]);
        }
        found[b as usize] = sums;
    }
}

#[inline(always)]
fn add(to: &mut Lanes, factor: f64, from: &Lanes) {
    // Copies, which the compiler can hold in vectors.
    let (mut sum, from) = (*to, *from);
    for lane in 0..BLOCK {
        sum[lane] = factor.mul_add(from[lane], sum[lane]);
    }
    *to = sum;
}
