//! From the cotangent Ḡ of the factors G, which unrolled sweeps produce, to poses and inertias. With G = J F and
//! Fᵀ M F = 1, where F is lower triangular (a coordinate moves itself and those further out) and stays so,
//!
//! ```text
//!   dG = dJ F + G Ψ,      Ψ + Ψᵀ = −Fᵀ dM F,      Ψ lower triangular
//! ```

use gradbody_dynamics::{link_motions_vjp, mass_product_vjp, velocity_change};
use gradbody_math::{Force, Motion, Scalar, Vec3};
use gradbody_model::Model;

use super::row_motion::{RowWeights, RowsAt, RowsCotangents};
use super::{Impulses, ImpulsesCotangents, ImpulsesVjpWork};

/// Buffers of the adjoint of G.
#[derive(Clone, Debug)]
pub(super) struct FactorWork<S> {
    /// A row of G and its cotangent, by coordinate, (nv).
    row: Vec<S>,
    row_bar: Vec<S>,
    /// F times that cotangent, (nv).
    motion: Vec<S>,
    motions: Vec<Motion<S>>,
    forces: Vec<Force<S>>,
    paths: Paths,
    /// The lower part of Gᵀ Ḡ: each coordinate with those between it and the root.
    products: Vec<S>,
    /// The coordinates at one depth, and the products of all coordinates with them, (nv).
    at_depth: Vec<S>,
    with_depth: Vec<S>,
    /// F times each of the two, (nv).
    moved_at_depth: Vec<S>,
    moved_with_depth: Vec<S>,
}

/// For each coordinate, the coordinates between it and the root.
#[derive(Clone, Debug)]
struct Paths {
    /// The next coordinate inwards.
    inner: Vec<Option<usize>>,
    /// Number of coordinates inwards.
    depth: Vec<usize>,
    /// The length of the longest path, including the coordinate itself.
    longest: usize,
}

impl Paths {
    fn new<S: Scalar>(model: &Model<S>) -> Self {
        let links = &model.topology.links;
        let (mut inner, mut depth) = (Vec::new(), Vec::new());
        for link in links {
            let mut last = link.parent.map(|p| links[p.index()].joint.v_range().end - 1);
            for k in link.joint.v_range() {
                inner.push(last);
                depth.push(last.map_or(0, |last| depth[last] + 1));
                last = Some(k);
            }
        }
        let longest = depth.iter().map(|depth| depth + 1).max().unwrap_or(0);
        Paths { inner, depth, longest }
    }
}

impl<S: Scalar> FactorWork<S> {
    pub(super) fn new(model: &Model<S>) -> Self {
        let zeros = || vec![S::ZERO; model.nv()];
        FactorWork {
            row: zeros(),
            row_bar: zeros(),
            motion: zeros(),
            motions: vec![Motion::ZERO; model.n_links()],
            forces: vec![Force::ZERO; model.n_links()],
            paths: Paths::new(model),
            products: Vec::new(),
            at_depth: zeros(),
            with_depth: zeros(),
            moved_at_depth: zeros(),
            moved_with_depth: zeros(),
        }
    }

    /// Sets a row of G with its cotangent, and adds their products.
    #[inline(always)]
    fn set_row(&mut self, coordinates: &[u32], entries: impl Iterator<Item = (S, S)>) {
        let FactorWork { row, row_bar, paths, products, .. } = self;
        row_bar.fill(S::ZERO);
        row.fill(S::ZERO);
        for (k, (g, g_bar)) in coordinates.iter().zip(entries) {
            row[*k as usize] = g;
            row_bar[*k as usize] = g_bar;
        }
        for k in coordinates.iter().map(|k| *k as usize) {
            let mut at = Some(k);
            while let Some(j) = at {
                let product = &mut products[k * paths.longest + paths.depth[j]];
                *product = row[k].mul_add(row_bar[j], *product);
                at = paths.inner[j];
            }
        }
    }
}

/// Adjoint of the factors of every row.
#[inline(always)]
pub(super) fn factors_back<S: Scalar>(
    found: &Impulses<'_, S>,
    work: &mut ImpulsesVjpWork<S>,
    bars: &mut ImpulsesCotangents<'_, S>,
) {
    let Impulses { model, kin, problem, .. } = *found;
    work.factors.products.clear();
    work.factors.products.resize(model.nv() * work.factors.paths.longest, S::ZERO);
    for (i, rows) in problem.contacts.iter().enumerate() {
        let turning = rows.turning.map(|t| t.factors);
        for (factors, turns) in [(Some(rows.factors), false), (turning, true)] {
            let Some(factors) = factors else { continue };
            let coordinates = rows.coordinates.of(&problem.coordinates);
            for row in 0..3 {
                let factors_bar = factors.of(&work.rows.triples);
                if factors_bar.iter().all(|g| g[row].is_zero()) {
                    continue;
                }
                let both = factors.of(&problem.triples).iter().zip(factors_bar);
                work.factors.set_row(coordinates, both.map(|(g, g_bar)| (g[row], g_bar[row])));
                let mut unit = Vec3::ZERO;
                unit[row] = S::ONE;
                let weights = match turns {
                    false => RowWeights { along: unit, about: Vec3::ZERO },
                    true => RowWeights { along: Vec3::ZERO, about: unit },
                };
                let contact = &found.contacts[rows.contact];
                let at = RowsAt { contact, rows, kin };
                row_motion_back(found, at, weights, i, work, bars);
            }
        }
    }
    for row in &problem.joints {
        let factors_bar = row.factors.of(&work.rows.singles);
        if factors_bar.iter().all(|g| g.is_zero()) {
            continue;
        }
        let coordinates = row.coordinates.of(&problem.coordinates);
        let both = row.factors.of(&problem.singles).iter().zip(factors_bar);
        work.factors.set_row(coordinates, both.map(|(g, g_bar)| (*g, *g_bar)));
    }
    masses_back(found, work, bars);
}

/// The part dJ F of one row of contact `i`, whose cotangent is in `work.factors.row_bar`.
#[inline(always)]
fn row_motion_back<S: Scalar>(
    found: &Impulses<'_, S>,
    at: RowsAt<'_, S>,
    weights: RowWeights<S>,
    i: usize,
    work: &mut ImpulsesVjpWork<S>,
    bars: &mut ImpulsesCotangents<'_, S>,
) {
    let Impulses { model, kin, aba, .. } = *found;
    let ImpulsesVjpWork { response, frames, .. } = work;
    let FactorWork { row_bar, motion, motions, forces, .. } = &mut work.factors;
    motion.fill(S::ZERO);
    velocity_change(model, kin, aba, response, row_bar, motion);
    motions.copy_from_slice(response.motions_w());
    forces.fill(Force::ZERO);
    let out = RowsCotangents {
        frame: &mut frames[i],
        contact: &mut bars.contacts[at.rows.contact],
        kin: bars.kin,
        motions: forces,
    };
    at.motion_vjp(motions, weights, out);
    link_motions_vjp(model, kin, motion, motions, forces, bars.kin, None);
}

/// The part of the mass matrix: with P = Gᵀ Ḡ it is `−Σ P_kj (F e_k)ᵀ dM (F e_j)` over k further out than j, and half
/// of that where they are the same. Coordinates at the same depth are treated together, since no two of them move the
/// same coordinates.
#[inline(always)]
fn masses_back<S: Scalar>(
    found: &Impulses<'_, S>,
    work: &mut ImpulsesVjpWork<S>,
    bars: &mut ImpulsesCotangents<'_, S>,
) {
    let Impulses { model, kin, aba, .. } = *found;
    let ImpulsesVjpWork { response, mass_product, .. } = work;
    let factors = &mut work.factors;
    let FactorWork { paths, products, at_depth, with_depth, .. } = factors;
    let (left, right) = (&mut factors.moved_at_depth, &mut factors.moved_with_depth);
    for depth in 0..paths.longest {
        let mut any = false;
        for k in 0..model.nv() {
            let is_here = paths.depth[k] == depth;
            at_depth[k] = if is_here { S::ONE } else { S::ZERO };
            let product = products[k * paths.longest + depth];
            with_depth[k] = -if is_here { product * S::from_f64(0.5) } else { product };
            any |= !product.is_zero();
        }
        if !any {
            continue;
        }
        right.fill(S::ZERO);
        velocity_change(model, kin, aba, response, with_depth, right);
        left.fill(S::ZERO);
        velocity_change(model, kin, aba, response, at_depth, left);
        mass_product_vjp(model, kin, left, right, mass_product, bars.kin, bars.params);
        for k in 0..model.nv() {
            bars.added_inertia[k] = left[k].mul_add(right[k], bars.added_inertia[k]);
        }
    }
}
