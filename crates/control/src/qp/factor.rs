//! Cholesky's factor of a dense matrix, H = Uᵀ U with U upper triangular, and solutions with it.
//!
//! Rows are stored in whole blocks of [`BLOCK`] numbers, so that the inner loops are over blocks and become vector
//! instructions. Below the diagonal and in the padding U is zero.

use gradbody_math::Scalar;

/// Numbers that the inner loops handle together.
pub(super) const BLOCK: usize = 8;

/// Rows that are eliminated together.
const TOGETHER: usize = 4;

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

    /// A few rows at a time: finishes them, and subtracts their products from the rows below.
    #[inline(always)]
    fn eliminate(&mut self, least: f64) -> Result<(), usize> {
        let (n, stride) = (self.n, self.stride);
        for start in (0..n).step_by(TOGETHER) {
            let end = n.min(start + TOGETHER);
            let (above, below) = self.u.split_at_mut(end * stride);
            let pivots = &mut above[start * stride..];
            for k in start..end {
                let inverse = finish_row(&mut pivots[(k - start) * stride..], k, stride, least)?;
                self.inverse_diagonal.push(inverse);
                let (done, rest) = pivots.split_at_mut((k + 1 - start) * stride);
                let done = &done[(k - start) * stride..];
                for (i, row) in (k + 1..end).zip(rest.chunks_exact_mut(stride)) {
                    add_scaled(-done[i], done, row, i / BLOCK);
                }
            }
            // There are rows below only if there are as many pivots as are eliminated together.
            for (i, row) in (end..n).zip(below.chunks_exact_mut(stride)) {
                subtract_products(pivots, i, row);
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

/// Divides row k by the root of its pivot, and returns the inverse of that root.
#[inline(always)]
fn finish_row(row: &mut [f64], k: usize, stride: usize, least: f64) -> Result<f64, usize> {
    let pivot = row[k];
    if pivot.is_nan() || pivot <= least {
        return Err(k);
    }
    let inverse = 1.0 / pivot.sqrt();
    // Updates of whole blocks left numbers left of the diagonal.
    row[k / BLOCK * BLOCK..k].fill(0.0);
    row[k..stride].iter_mut().for_each(|x| *x *= inverse);
    Ok(inverse)
}

/// Subtracts from row i the products of [`TOGETHER`] finished rows with their entries in column i, so that the row is
/// read and written once for all of them.
#[inline(always)]
fn subtract_products(finished: &[f64], i: usize, row: &mut [f64]) {
    let stride = row.len();
    let from: [&[[f64; BLOCK]]; TOGETHER] =
        std::array::from_fn(|k| finished[k * stride..][..stride].as_chunks().0);
    let factors: [f64; TOGETHER] = std::array::from_fn(|k| -finished[k * stride + i]);
    let to = row.as_chunks_mut::<BLOCK>().0;
    for block in i / BLOCK..to.len() {
        let mut sum = to[block];
        for k in 0..TOGETHER {
            let from = &from[k][block];
            for lane in 0..BLOCK {
                sum[lane] = factors[k].mul_add(from[lane], sum[lane]);
            }
        }
        to[block] = sum;
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
