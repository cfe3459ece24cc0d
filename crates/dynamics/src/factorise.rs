//! Solving with the mass matrix, which is zero between branches of the tree.
//!
//! `M = Lᵀ D L` with L unit lower triangular [Featherstone 2008, §6.5]: eliminating from the leaves
//! inwards, an entry of L is nonzero only where M's is.

use gradbody_math::Scalar;
use gradbody_model::Model;

use crate::MassMatrix;

/// The factors of a mass matrix. Written by [`factorise`], used by [`solve`].
#[derive(Clone, Debug)]
pub struct MassFactors<S> {
    /// D on the diagonal, L below it.
    factors: MassMatrix<S>,
}

impl<S: Scalar> MassFactors<S> {
    /// Buffers for a model.
    pub fn new(model: &Model<S>) -> Self {
        MassFactors { factors: MassMatrix::new(model) }
    }

    /// Entry k of D. The mass matrix is positive definite if and only if all are positive.
    pub fn d(&self, k: usize) -> S {
        self.factors.at(k, k)
    }
}

/// Factorises a mass matrix.
pub fn factorise<S: Scalar>(mass_matrix: &MassMatrix<S>, out: &mut MassFactors<S>) {
    S::vectorised(
        #[inline(always)]
        || {
            let m = &mut out.factors;
            m.copy_from(mass_matrix);
            for k in (0..m.nv()).rev() {
                let inverse_d = m.row(k)[k].recip();
                for_ancestors(m, k, |m, i| {
                    // Subtract row k's part from row i, over their common coordinates.
                    let factor = m.row(k)[i] * inverse_d;
                    let mut next = Some(i);
                    while let Some(at) = next {
                        let (run, before) = m.next_run(at);
                        next = before;
                        let (row_i, row_k) = m.rows_mut(i, k);
                        for (x, y) in row_i[run.clone()].iter_mut().zip(&row_k[run]) {
                            *x = factor.neg_mul_add(*y, *x);
                        }
                    }
                    m.row_mut(k)[i] = factor;
                });
            }
        },
    );
}

/// Calls `f` for every coordinate between `k` and the root, without `k`, nearest first.
#[inline(always)]
fn for_ancestors<S: Scalar>(
    m: &mut MassMatrix<S>,
    k: usize,
    mut f: impl FnMut(&mut MassMatrix<S>, usize),
) {
    let (run, mut next) = m.next_run(k);
    for i in (run.start..k).rev() {
        f(m, i);
    }
    while let Some(at) = next {
        let (run, before) = m.next_run(at);
        for i in run.rev() {
            f(m, i);
        }
        next = before;
    }
}

/// Replaces `x` by `M⁻¹ x`, given the factors of M.
pub fn solve<S: Scalar>(factors: &MassFactors<S>, x: &mut [S]) {
    let factors = &factors.factors;
    assert_eq!(x.len(), factors.nv(), "x has nv numbers");
    S::vectorised(
        #[inline(always)]
        || {
            // Lᵀ y = x, then D, then L.
            for k in (0..x.len()).rev() {
                let (head, tail) = x.split_at_mut(k);
                let mut next = Some(k);
                while let Some(at) = next {
                    let (run, before) = factors.next_run(at);
                    next = before;
                    let run = run.start..run.end.min(k);
                    for (x, l) in head[run.clone()].iter_mut().zip(&factors.row(k)[run]) {
                        *x = l.neg_mul_add(tail[0], *x);
                    }
                }
            }
            for k in 0..x.len() {
                let row = factors.row(k);
                let mut sum = x[k] / row[k];
                let mut next = Some(k);
                while let Some(at) = next {
                    let (run, before) = factors.next_run(at);
                    next = before;
                    let run = run.start..run.end.min(k);
                    for (x, l) in x[run.clone()].iter().zip(&row[run]) {
                        sum = l.neg_mul_add(*x, sum);
                    }
                }
                x[k] = sum;
            }
        },
    );
}
