//! Solving with the mass matrix, using that it is zero between branches of the tree.
//!
//! `M = Lᵀ D L` with L unit lower triangular [Featherstone 2008, §6.5]: eliminating from the leaves
//! inwards, an entry of L is nonzero only where M's is.

use gradbody_math::Scalar;

use crate::MassMatrix;

/// Replaces `m` by its factors: D on the diagonal, L below it.
pub fn factorise<S: Scalar>(m: &mut MassMatrix<S>) {
    S::vectorised(
        #[inline(always)]
        || {
            for k in (0..m.nv()).rev() {
                let inverse_d = m.row(k)[k].recip();
                for_ancestors(m, k, |m, i| {
                    // Row i loses its share of row k, over the coordinates they have in common.
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

/// Calls `f` for every coordinate before `k` on its way to the root, nearest first.
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
pub fn solve<S: Scalar>(factors: &MassMatrix<S>, x: &mut [S]) {
    debug_assert_eq!(x.len(), factors.nv());
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
