//! Solving with the mass matrix for many right-hand sides at once.
//!
//! Releasing one degree of freedom after another, [`aba`](crate::aba) has factorised the mass matrix as `M = Lᵀ D L`
//! [Rodriguez, Jain and Kreutz-Delgado 1991]: dₖ is the inertia that coordinate k felt, and
//!
//! ```text
//!   Lₖⱼ = Sⱼ · Uₖ / dₖ        for every coordinate j between k and the root
//! ```
//!
//! where Uₖ is the force that gave its axis unit acceleration. So L costs one product of six numbers an entry, and inertia
//! that implicit damping added is included. With F = L⁻¹ D^(−½), M⁻¹ = F Fᵀ, and F is the one of `response.rs`: impulses
//! along rows with factors G act on Fᵀ x.
//!
//! Right-hand sides are the columns of a matrix that is stored row by row, so that one operation acts on a whole row.

use gradbody_model::Model;

use crate::{AbaWork, Chains, Kinematics, SpatialAxes};

/// Rows are added up in blocks of this many numbers.
const BLOCK: usize = 8;

/// The factors L and D^(−½) of a mass matrix.
#[derive(Clone, Debug)]
pub struct MassColumns {
    nv: usize,
    /// L without its diagonal of ones, row by row; only entries between a coordinate and the root have a meaning, (nv, nv).
    l: Vec<f64>,
    /// 1/√d, (nv).
    roots: Vec<f64>,
    /// The link that each coordinate moves, and how many of its joint's coordinates follow, itself included, (nv).
    places: Vec<(u32, u32)>,
}

impl MassColumns {
    /// Buffers for a model.
    pub fn new(model: &Model<f64>) -> Self {
        let nv = model.nv();
        let mut places = Vec::with_capacity(nv);
        for (i, link) in model.topology.links.iter().enumerate() {
            let own = link.joint.v_range();
            places.extend(own.clone().map(|k| (i as u32, (own.end - k) as u32)));
        }
        MassColumns { nv, l: vec![0.0; nv * nv], roots: vec![0.0; nv], places }
    }

    /// The coordinates between `k` and the root, without `k`, from the root outwards.
    #[inline(always)]
    fn before<'a>(&self, chains: &'a Chains, k: usize) -> &'a [u32] {
        let (link, skip) = self.places[k];
        let chain = chains.of_link(link as usize);
        &chain[..chain.len() - skip as usize]
    }
}

/// Writes the factors that the last [`aba`](crate::aba) left in `aba`, in the poses of `kin`. Reads `axes`; writes `out`.
#[inline(always)]
pub fn mass_columns(
    model: &Model<f64>,
    chains: &Chains,
    axes: &SpatialAxes,
    kin: &Kinematics<f64>,
    aba: &AbaWork<f64>,
    out: &mut MassColumns,
) {
    for (i, link) in model.topology.links.iter().enumerate() {
        let lever = kin.bodies[i].pos_w - axes.points_w[i];
        let chain = chains.of_link(i);
        for k in link.joint.v_range() {
            let dof = &aba.dofs[k];
            let hold = dof.hold.acting_at(lever) * dof.inverse_d;
            out.roots[k] = dof.inverse_d.sqrt();
            let row = &mut out.l[k * out.nv..][..out.nv];
            for &j in chain {
                let j = j as usize;
                if j < k {
                    row[j] = axes.axes[j].dot(hold);
                }
            }
        }
    }
}

/// Replaces the columns of `x` by Fᵀ times them. `x` has nv rows of `stride` numbers, a multiple of eight.
#[inline(always)]
pub fn into_factors(chains: &Chains, mass: &MassColumns, x: &mut [f64], stride: usize) {
    for k in (0..mass.nv).rev() {
        let (inner, outer) = x.split_at_mut(k * stride);
        let row = &mut outer[..stride];
        let (from, _) = row.as_chunks_mut::<BLOCK>();
        for &j in mass.before(chains, k) {
            let j = j as usize;
            let l = -mass.l[k * mass.nv + j];
            let to = inner[j * stride..][..stride].as_chunks_mut::<BLOCK>().0;
            for (to, from) in to.iter_mut().zip(from.iter()) {
                // Copies, which the compiler can hold in vectors.
                let (mut sum, from) = (*to, *from);
                for lane in 0..BLOCK {
                    sum[lane] = l.mul_add(from[lane], sum[lane]);
                }
                *to = sum;
            }
        }
        let root = mass.roots[k];
        from.as_flattened_mut().iter_mut().for_each(|x| *x *= root);
    }
}

/// Replaces the columns of `x` by F times them. `x` has nv rows of `stride` numbers, a multiple of eight.
#[inline(always)]
pub fn out_of_factors(chains: &Chains, mass: &MassColumns, x: &mut [f64], stride: usize) {
    let blocks = stride / BLOCK;
    for k in 0..mass.nv {
        let (inner, outer) = x.split_at_mut(k * stride);
        let row = &mut outer[..stride];
        let root = mass.roots[k];
        let factors = &mass.l[k * mass.nv..][..mass.nv];
        let (known, _) = inner.as_chunks::<BLOCK>();
        let (to, _) = row.as_chunks_mut::<BLOCK>();
        for (b, to) in to.iter_mut().enumerate() {
            let mut sum = to.map(|x| x * root);
            for &j in mass.before(chains, k) {
                let l = -factors[j as usize];
                let from = &known[j as usize * blocks + b];
                for lane in 0..BLOCK {
                    sum[lane] = l.mul_add(from[lane], sum[lane]);
                }
            }
            *to = sum;
        }
    }
}
