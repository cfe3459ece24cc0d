//! Symmetric matrices with arrow structure.
//!
//! Identification has a few numbers that every residual depends on, the parameters. With multiple shooting it also has
//! many numbers that matter only near their own window, its start. The Gauss-Newton matrix is then
//!
//! ```text
//! ⎡ G    E₀ᵀ  E₁ᵀ  E₂ᵀ ⎤     G   global
//! ⎢ E₀   A₀   F₀       ⎥     Aᵢ  own
//! ⎢ E₁   F₀ᵀ  A₁   F₁  ⎥     Eᵢ  with_global
//! ⎣ E₂        F₁ᵀ  A₂  ⎦     Fᵢ  with_next
//! ```
//!
//! With T, the tridiagonal part, in Cholesky factors T = L Lᵀ and W = L⁻¹E, eliminating the blocks leaves the Schur
//! complement S = G − WᵀW: the information on the global numbers when the others are free. The work grows linearly with
//! the number of blocks.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn, SymmetricEigen};

/// Added to the blocks where they are eliminated for the information on the globals, relative to their diagonals. It is
/// far above the rounding of JᵀJ, and far below the information of anything that residuals see.
const UNSEEN: f64 = 1e-12;

/// A symmetric matrix over [global…, block 0…, block 1…, …].
#[derive(Clone, Debug, PartialEq)]
pub struct Arrow {
    /// The part of the global numbers.
    pub global: DMatrix<f64>,
    /// The parts of the other numbers.
    pub blocks: Vec<Block>,
}

/// Numbers that are coupled with their own block, the global numbers and possibly the next block.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Coupling within the block, (n × n).
    pub own: DMatrix<f64>,
    /// Coupling with the global numbers, (n × n_global).
    pub with_global: DMatrix<f64>,
    /// Coupling with the next block, (n × n_next), if any.
    pub with_next: Option<DMatrix<f64>>,
}

/// Eigenvalues in ascending order, with their directions.
#[derive(Clone, Debug, PartialEq)]
pub struct Spectrum {
    /// The eigenvalues; the data do not determine the directions of small ones.
    pub values: Vec<f64>,
    /// A unit vector for each value.
    pub directions: Vec<Vec<f64>>,
}

impl Arrow {
    /// A matrix without blocks.
    pub fn from_dense(global: DMatrix<f64>) -> Self {
        Arrow { global, blocks: Vec::new() }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.global.nrows() + self.blocks.iter().map(|b| b.own.nrows()).sum::<usize>()
    }

    /// True if it has no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if the matrices have consistent sizes and `n` rows in all.
    pub fn has_shape(&self, n: usize) -> bool {
        let n_global = self.global.nrows();
        let fits = |(i, block): (usize, &Block)| {
            let rows = block.own.nrows();
            let next = self.blocks.get(i + 1).map(|next| (rows, next.own.nrows()));
            block.own.is_square()
                && block.with_global.shape() == (rows, n_global)
                && block.with_next.as_ref().is_none_or(|f| Some(f.shape()) == next)
        };
        self.global.is_square() && self.blocks.iter().enumerate().all(fits) && self.len() == n
    }

    /// True if every entry is finite.
    pub fn is_finite(&self) -> bool {
        let finite = |m: &DMatrix<f64>| m.iter().all(|x| x.is_finite());
        let block_finite = |block: &Block| {
            finite(&block.own)
                && finite(&block.with_global)
                && block.with_next.as_ref().is_none_or(finite)
        };
        finite(&self.global) && self.blocks.iter().all(block_finite)
    }

    /// The diagonal.
    pub fn diagonal(&self) -> Vec<f64> {
        let parts = std::iter::once(&self.global).chain(self.blocks.iter().map(|b| &b.own));
        parts.flat_map(|m| (0..m.nrows()).map(|i| m[(i, i)])).collect()
    }

    /// The dense matrix, including zeros.
    pub fn dense(&self) -> DMatrix<f64> {
        let (n, n_global) = (self.len(), self.global.nrows());
        let mut dense = DMatrix::zeros(n, n);
        dense.view_mut((0, 0), self.global.shape()).copy_from(&self.global);
        let mut at = n_global;
        for block in &self.blocks {
            let rows = block.own.nrows();
            dense.view_mut((at, at), (rows, rows)).copy_from(&block.own);
            dense.view_mut((at, 0), (rows, n_global)).copy_from(&block.with_global);
            dense.view_mut((0, at), (n_global, rows)).copy_from(&block.with_global.transpose());
            if let Some(f) = &block.with_next {
                let next = at + rows;
                dense.view_mut((at, next), f.shape()).copy_from(f);
                dense.view_mut((next, at), (f.ncols(), rows)).copy_from(&f.transpose());
            }
            at += rows;
        }
        dense
    }

    /// The product with `x`.
    pub fn multiply(&self, x: &[f64]) -> Vec<f64> {
        let n_global = self.global.nrows();
        let part = |at: usize, n: usize| DVector::from_column_slice(&x[at..at + n]);
        let x_global = part(0, n_global);
        let mut product = DVector::zeros(self.len());
        product.rows_mut(0, n_global).gemv(1.0, &self.global, &x_global, 0.0);
        let mut at = n_global;
        for block in &self.blocks {
            let rows = block.own.nrows();
            let x_own = part(at, rows);
            product.rows_mut(0, n_global).gemv_tr(1.0, &block.with_global, &x_own, 1.0);
            product.rows_mut(at, rows).gemv(1.0, &block.own, &x_own, 1.0);
            product.rows_mut(at, rows).gemv(1.0, &block.with_global, &x_global, 1.0);
            if let Some(f) = &block.with_next {
                let next = at + rows;
                product.rows_mut(at, rows).gemv(1.0, f, &part(next, f.ncols()), 1.0);
                product.rows_mut(next, f.ncols()).gemv_tr(1.0, f, &x_own, 1.0);
            }
            at += rows;
        }
        product.as_slice().to_vec()
    }

    /// Solves (A + diag(damping)) x = rhs for the numbers that are not `fixed`; fixed ones are zero. Returns `None` if
    /// the matrix is not positive definite.
    pub fn solve(&self, damping: &[f64], fixed: &[bool], rhs: &[f64]) -> Option<Vec<f64>> {
        let condensed = self.condense(damping, fixed, rhs)?;
        let x_global = Cholesky::new(condensed.matrix.clone())?.solve(&condensed.rhs);
        condensed.expand(&x_global)
    }

    /// Eliminates the blocks of (A + diag(damping)) x = rhs; fixed numbers have x = 0. Returns `None` if the blocks are
    /// not positive definite.
    pub(super) fn condense(
        &self,
        damping: &[f64],
        fixed: &[bool],
        rhs: &[f64],
    ) -> Option<Condensed> {
        debug_assert!([damping.len(), fixed.len(), rhs.len()] == [self.len(); 3]);
        let n_global = self.global.nrows();
        let held: Vec<f64> =
            rhs.iter().zip(fixed).map(|(r, f)| if *f { 0.0 } else { *r }).collect();
        let part = |at: usize, n: usize| DVector::from_column_slice(&held[at..at + n]);

        // w = L⁻¹ r, block by block, and the remainder for the globals: r_g − Wᵀw.
        let Eliminated { links, schur } = self.eliminate(damping, fixed)?;
        let mut r_global = part(0, n_global);
        let mut w: Vec<DVector<f64>> = Vec::with_capacity(self.blocks.len());
        let mut at = n_global;
        for (i, link) in links.iter().enumerate() {
            let mut r = part(at, link.w.nrows());
            at += r.nrows();
            if let Some((k, before)) =
                i.checked_sub(1).and_then(|b| links[b].k.as_ref().zip(w.last()))
            {
                r.gemv_tr(-1.0, k, before, 1.0);
            }
            link.l.l_dirty().solve_lower_triangular_mut(&mut r).then_some(())?;
            r_global.gemv_tr(-1.0, &link.w, &r, 1.0);
            w.push(r);
        }
        Some(Condensed { matrix: schur, rhs: r_global, links, w })
    }

    /// The Schur complement: the information on the global numbers when all others are free. Numbers of a block that no
    /// residual depends on, alone or in a combination, take nothing from it. `None` if a block is not positive
    /// semidefinite.
    pub fn global_information(&self) -> Option<DMatrix<f64>> {
        Some(self.eliminate(&self.unseen_held(), &vec![false; self.len()])?.schur)
    }

    /// A damping that holds numbers of a block that nothing determines.
    fn unseen_held(&self) -> Vec<f64> {
        let mut ridge = vec![0.0; self.global.nrows()];
        for block in &self.blocks {
            let diagonal = block.own.diagonal();
            let least = 1e-6 * diagonal.iter().fold(f64::MIN_POSITIVE, |most, d| most.max(*d));
            ridge.extend(diagonal.iter().map(|d| UNSEEN * d.max(least)));
        }
        ridge
    }

    /// The information on the global numbers and the gradient by them, when all others are free and follow: the Schur
    /// complement, and what eliminating the blocks leaves of `gradient`. Numbers of a block that nothing determines are
    /// held. `None` if an entry is not finite.
    pub fn reduced(&self, gradient: &[f64]) -> Option<(DMatrix<f64>, DVector<f64>)> {
        let fixed = vec![false; self.len()];
        let condensed = self.condense(&self.unseen_held(), &fixed, gradient)?;
        let Condensed { matrix, rhs, .. } = condensed;
        let finite = matrix.iter().chain(rhs.iter()).all(|x| x.is_finite());
        finite.then_some((matrix, rhs))
    }

    /// The inverse of [`Arrow::global_information`]: with residuals of variance 1, the covariance of the global
    /// numbers. `None` if the data do not determine all of them.
    pub fn global_covariance(&self) -> Option<DMatrix<f64>> {
        Some(Cholesky::new(self.global_information()?)?.inverse())
    }

    /// The eigenvalues of [`Arrow::global_information`]: which combinations of the global numbers the data determine,
    /// and which they do not.
    pub fn global_spectrum(&self) -> Option<Spectrum> {
        let information = self.global_information().filter(|m| m.iter().all(|x| x.is_finite()))?;
        if information.is_empty() {
            return Some(Spectrum { values: Vec::new(), directions: Vec::new() });
        }
        let eigen = SymmetricEigen::try_new(information, f64::EPSILON, 10_000)?;
        let mut order: Vec<usize> = (0..eigen.eigenvalues.len()).collect();
        order.sort_by(|&a, &b| eigen.eigenvalues[a].total_cmp(&eigen.eigenvalues[b]));
        Some(Spectrum {
            values: order.iter().map(|&i| eigen.eigenvalues[i]).collect(),
            directions: order
                .iter()
                .map(|&i| eigen.eigenvectors.column(i).iter().copied().collect())
                .collect(),
        })
    }

    /// Factors the tridiagonal part and eliminates it.
    fn eliminate(&self, damping: &[f64], fixed: &[bool]) -> Option<Eliminated> {
        let n_global = self.global.nrows();
        let mut schur = self.global.clone();
        damp_and_fix(&mut schur, &damping[..n_global], &fixed[..n_global]);
        let mut links: Vec<Link> = Vec::with_capacity(self.blocks.len());
        let mut at = n_global;
        for block in &self.blocks {
            let next = at + block.own.nrows();
            let (mut own, mut w) = (block.own.clone(), block.with_global.clone());
            damp_and_fix(&mut own, &damping[at..next], &fixed[at..next]);
            clear(&mut w, &fixed[at..next], &fixed[..n_global]);
            if let Some((k, w_before)) = links.last().and_then(|l| Some((l.k.as_ref()?, &l.w))) {
                own.gemm_tr(-1.0, k, k, 1.0);
                w.gemm_tr(-1.0, k, w_before, 1.0);
            }
            let l = Cholesky::new(own)?;
            l.l_dirty().solve_lower_triangular_mut(&mut w).then_some(())?;
            schur.gemm_tr(-1.0, &w, &w, 1.0);
            let k = match &block.with_next {
                None => None,
                Some(f) => {
                    let mut k = f.clone();
                    clear(&mut k, &fixed[at..next], &fixed[next..next + f.ncols()]);
                    l.l_dirty().solve_lower_triangular_mut(&mut k).then_some(k)
                }
            };
            links.push(Link { l, k, w });
            at = next;
        }
        Some(Eliminated { links, schur })
    }
}

/// A system whose blocks are eliminated: matrix · x_global = rhs remains.
pub(super) struct Condensed {
    /// The Schur complement.
    pub(super) matrix: DMatrix<f64>,
    /// The remaining right-hand side.
    pub(super) rhs: DVector<f64>,
    links: Vec<Link>,
    /// L⁻¹ r, block by block.
    w: Vec<DVector<f64>>,
}

impl Condensed {
    /// All numbers for given global ones; `None` if one is not finite.
    pub(super) fn expand(self, x_global: &DVector<f64>) -> Option<Vec<f64>> {
        // x_i = L⁻ᵀ (w_i − W_i x_g − K_i x_{i+1}), from the last block to the first.
        let mut at = x_global.len() + self.w.iter().map(|w| w.len()).sum::<usize>();
        let mut x = vec![0.0; at];
        x[..x_global.len()].copy_from_slice(x_global.as_slice());
        let mut after: Option<DVector<f64>> = None;
        for (link, mut own) in self.links.iter().zip(self.w).rev() {
            own.gemv(-1.0, &link.w, x_global, 1.0);
            if let Some((k, after)) = link.k.as_ref().zip(after.as_ref()) {
                own.gemv(-1.0, k, after, 1.0);
            }
            link.l.l_dirty().tr_solve_lower_triangular_mut(&mut own).then_some(())?;
            at -= own.nrows();
            x[at..at + own.nrows()].copy_from_slice(own.as_slice());
            after = Some(own);
        }
        x.iter().all(|x| x.is_finite()).then_some(x)
    }
}

/// T = L Lᵀ, and the remainder after eliminating T.
struct Eliminated {
    links: Vec<Link>,
    schur: DMatrix<f64>,
}

/// One block of the factors.
struct Link {
    /// L_i of A_i − K_{i−1}ᵀ K_{i−1}.
    l: Cholesky<f64, Dyn>,
    /// K_i = L_i⁻¹ F_i: the block of L below L_i, transposed.
    k: Option<DMatrix<f64>>,
    /// W_i = L_i⁻¹ (E_i − K_{i−1}ᵀ W_{i−1}).
    w: DMatrix<f64>,
}

/// Adds the damping to the diagonal; rows and columns of fixed numbers become those of the identity.
fn damp_and_fix(own: &mut DMatrix<f64>, damping: &[f64], fixed: &[bool]) {
    clear(own, fixed, fixed);
    for i in 0..fixed.len() {
        own[(i, i)] = if fixed[i] { 1.0 } else { own[(i, i)] + damping[i] };
    }
}

fn clear(matrix: &mut DMatrix<f64>, rows: &[bool], columns: &[bool]) {
    (0..rows.len()).filter(|&i| rows[i]).for_each(|i| matrix.row_mut(i).fill(0.0));
    (0..columns.len()).filter(|&j| columns[j]).for_each(|j| matrix.column_mut(j).fill(0.0));
}
