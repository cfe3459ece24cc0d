//! Cholesky's factor of a dense matrix, H = Uᵀ U with U upper triangular, and solutions with it.
//!
//! Rows are stored in whole blocks of [`BLOCK`] numbers, so that the inner loops are over blocks and become vector
//! instructions. Below the diagonal and in the padding U is zero.

use gradbody_math::Scalar;

/// Numbers that the inner loops handle together.
pub(super) const BLOCK: usize = 8;

/// U, and the inverses of its diagonal.
#[derive(Clone, Debug, Default)]
pub(super) struct Factor {
    n: usize,
    /// Length of a stored row: a multiple of [`BLOCK`].
    stride: usize,
    u: Vec<f64>,
    inverse_diagonal: Vec<f64>,
}

impl Factor {
    /// Makes room for a matrix of so many rows.
    pub(super) fn reserve(&mut self, n: usize) {
        self.u.reserve(n * n.next_multiple_of(BLOCK));
        self.inverse_diagonal.reserve(n);
    }

    /// Length of vectors that this factor is applied to: n and padding, which must be zero.
    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    /// Factorises a matrix given by its rows, of which only entries on and right of the diagonal count. `Err` with the
    /// index of a pivot that is not positive.
    pub(super) fn factorise<'a>(
        &mut self,
        n: usize,
        row: impl Fn(usize) -> &'a [f64],
    ) -> Result<(), usize> {
        self.n = n;
        self.stride = n.next_multiple_of(BLOCK);
        self.u.clear();
        self.u.resize(n * self.stride, 0.0);
        self.inverse_diagonal.clear();
        let mut largest = 0.0_f64;
        for i in 0..n {
            self.u[i * self.stride + i..][..n - i].copy_from_slice(&row(i)[i..]);
            largest = largest.max(row(i)[i].abs());
        }
        // Smaller pivots are rounding errors.
        let least = largest * f64::EPSILON;
        f64::vectorised(
            #[inline(always)]
            || self.eliminate(least),
        )
    }

    /// Row after row: divides it by the root of its pivot, and subtracts its products from the rows below.
    #[inline(always)]
    fn eliminate(&mut self, least: f64) -> Result<(), usize> {
        let (n, stride) = (self.n, self.stride);
        for k in 0..n {
            let (above, below) = self.u.split_at_mut((k + 1) * stride);
            let pivot_row = &mut above[k * stride..];
            let pivot = pivot_row[k];
            if pivot.is_nan() || pivot <= least {
                return Err(k);
            }
            let inverse = 1.0 / pivot.sqrt();
            self.inverse_diagonal.push(inverse);
            // Updates of whole blocks left numbers left of the diagonal.
            pivot_row[k / BLOCK * BLOCK..k].fill(0.0);
            pivot_row[k..].iter_mut().for_each(|x| *x *= inverse);
            for (offset, row) in below.chunks_exact_mut(stride).enumerate() {
                let i = k + 1 + offset;
                add_scaled(-pivot_row[i], pivot_row, row, i / BLOCK);
            }
        }
        Ok(())
    }

    /// Solves Uᵀ d = b in place; `first` is the index of the first entry of b that is not zero.
    pub(super) fn solve_transposed(&self, b: &mut [f64], first: usize) {
        f64::vectorised(
            #[inline(always)]
            || {
                for k in first..self.n {
                    let x = b[k] * self.inverse_diagonal[k];
                    add_scaled(-x, self.row(k), b, k / BLOCK);
                    b[k] = x;
                }
            },
        );
    }

    /// Solves U x = b in place.
    pub(super) fn solve(&self, b: &mut [f64]) {
        f64::vectorised(
            #[inline(always)]
            || {
                for k in (0..self.n).rev() {
                    // The row's product with b contains that of the diagonal.
                    let x = b[k];
                    b[k] = 0.0;
                    let sum = dot(self.row(k), b, k / BLOCK);
                    b[k] = (x - sum) * self.inverse_diagonal[k];
                }
            },
        );
    }

    #[inline(always)]
    fn row(&self, k: usize) -> &[f64] {
        &self.u[k * self.stride..][..self.stride]
    }
}

/// Adds factor · from to `to`, from the given block on. Both have whole blocks.
#[inline(always)]
pub(super) fn add_scaled(factor: f64, from: &[f64], to: &mut [f64], first_block: usize) {
    let from = &from.as_chunks::<BLOCK>().0[first_block..];
    let to = &mut to.as_chunks_mut::<BLOCK>().0[first_block..];
    for (to, from) in to.iter_mut().zip(from) {
        for lane in 0..BLOCK {
            to[lane] = factor.mul_add(from[lane], to[lane]);
        }
    }
}

/// The product of two vectors of whole blocks, from the given block on.
#[inline(always)]
pub(super) fn dot(a: &[f64], b: &[f64], first_block: usize) -> f64 {
    let a = &a.as_chunks::<BLOCK>().0[first_block..];
    let b = &b.as_chunks::<BLOCK>().0[first_block..];
    let mut sums = [0.0; BLOCK];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..BLOCK {
            sums[lane] = a[lane].mul_add(b[lane], sums[lane]);
        }
    }
    ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]))
}
