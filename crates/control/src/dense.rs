//! Dense matrices of some tens of rows, and the few products that plans need.

use gradbody_math::Scalar;

/// Rows are stored in whole blocks of this many numbers; the padding is zero.
const BLOCK: usize = 8;

/// Rows that a product computes together, so that each number it reads serves several sums, and sums do not wait for each
/// other. Their blocks fit into the registers of all vector units.
const TOGETHER: usize = 6;

/// A matrix, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Dense {
    rows: usize,
    columns: usize,
    stride: usize,
    numbers: Vec<f64>,
}

impl Dense {
    /// All zero.
    pub(crate) fn zero(rows: usize, columns: usize) -> Self {
        let stride = columns.next_multiple_of(BLOCK);
        Dense { rows, columns, stride, numbers: vec![0.0; rows * stride] }
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn row(&self, row: usize) -> &[f64] {
        &self.numbers[row * self.stride..][..self.columns]
    }

    pub(crate) fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.numbers[row * self.stride..][..self.columns]
    }

    /// All numbers, with the padding, which is zero.
    pub(crate) fn entries(&self) -> &[f64] {
        &self.numbers
    }

    pub(crate) fn fill(&mut self, x: f64) {
        for row in 0..self.rows {
            self.row_mut(row).fill(x);
        }
    }

    /// Copies another of the same size.
    pub(crate) fn copy_from(&mut self, other: &Dense) {
        self.numbers.copy_from_slice(&other.numbers);
    }

    /// Adds another of the same size.
    pub(crate) fn add(&mut self, other: &Dense) {
        self.numbers.iter_mut().zip(&other.numbers).for_each(|(to, x)| *to += x);
    }

    /// Replaces it by a · b.
    pub(crate) fn set_product(&mut self, a: &Dense, b: &Dense) {
        self.numbers.fill(0.0);
        self.add_product(a, b);
    }

    /// Adds aᵀ · b.
    pub(crate) fn add_transposed_product(&mut self, a: &Dense, b: &Dense) {
        assert!(a.rows == b.rows && self.rows == a.columns && self.columns == b.columns);
        f64::vectorised(
            #[inline(always)]
            || {
                let entry = |row: usize, k: usize| a.numbers[k * a.stride + row];
                add_products(&mut self.numbers, self.stride, a.columns, a.rows, entry, b, |_| 0);
            },
        );
    }

    /// Adds a · b.
    pub(crate) fn add_product(&mut self, a: &Dense, b: &Dense) {
        assert!(a.columns == b.rows && self.rows == a.rows && self.columns == b.columns);
        f64::vectorised(
            #[inline(always)]
            || {
                let entry = |row: usize, k: usize| a.numbers[row * a.stride + k];
                add_products(&mut self.numbers, self.stride, a.rows, a.columns, entry, b, |_| 0);
            },
        );
    }

    /// Adds aᵀ · b, which must be symmetric in its first rows and columns, as many as this matrix has.
    pub(crate) fn add_symmetric_product(&mut self, a: &Dense, b: &Dense) {
        assert!(a.rows == b.rows && self.rows == a.columns && self.columns == b.columns);
        assert_eq!(self.rows, self.columns, "a symmetric matrix is square");
        f64::vectorised(
            #[inline(always)]
            || {
                let entry = |row: usize, k: usize| a.numbers[k * a.stride + row];
                // Blocks left of the diagonal follow by symmetry.
                let first = |row: usize| row / BLOCK;
                add_products(&mut self.numbers, self.stride, a.columns, a.rows, entry, b, first);
                for row in 0..self.rows {
                    for column in 0..row / BLOCK * BLOCK {
                        self.numbers[row * self.stride + column] =
                            self.numbers[column * self.stride + row];
                    }
                }
            },
        );
    }

    /// Adds that many times the row `from` to the row `to`.
    pub(crate) fn add_row(&mut self, to: usize, factor: f64, from: usize) {
        let [to, from] = self.two_rows(to, from);
        to.iter_mut().zip(from).for_each(|(to, x)| *to += factor * *x);
    }

    /// Two different rows, with their padding.
    fn two_rows(&mut self, a: usize, b: usize) -> [&mut [f64]; 2] {
        let range = |row: usize| row * self.stride..(row + 1) * self.stride;
        self.numbers.get_disjoint_mut([range(a), range(b)]).expect("they are different rows")
    }

    /// Adds aᵀ · x to `out`.
    pub(crate) fn add_transposed_times(&self, x: &[f64], out: &mut [f64]) {
        for (row, x) in x.iter().enumerate() {
            self.row(row).iter().zip(&mut *out).for_each(|(a, out)| *out += a * x);
        }
    }
}

/// a · b, in as many sums as a block has numbers, none of which waits for another.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<BLOCK>(), b.as_chunks::<BLOCK>());
    let mut sums = [0.0; BLOCK];
    for (a, b) in a.iter().zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    for (sum, (a, b)) in sums.iter_mut().zip(a_rest.iter().zip(b_rest)) {
        *sum += a * b;
    }
    sums.iter().sum()
}

/// Adds `Σₖ entry(row, k) · b[k]` to each row of `out`, from the block of columns `first(row)` on.
#[inline(always)]
fn add_products(
    out: &mut [f64],
    stride: usize,
    rows: usize,
    inner: usize,
    entry: impl Fn(usize, usize) -> f64,
    b: &Dense,
    first: impl Fn(usize) -> usize,
) {
    let blocks = b.stride / BLOCK;
    let right = b.numbers.as_chunks::<BLOCK>().0;
    let mut row = 0;
    while row + TOGETHER <= rows {
        for block in first(row)..blocks {
            let mut sums = [[0.0; BLOCK]; TOGETHER];
            for k in 0..inner {
                let from = &right[k * blocks + block];
                for (r, sum) in sums.iter_mut().enumerate() {
                    let factor = entry(row + r, k);
                    for lane in 0..BLOCK {
                        sum[lane] = factor.mul_add(from[lane], sum[lane]);
                    }
                }
            }
            for (r, sum) in sums.iter().enumerate() {
                let to = &mut out[(row + r) * stride + block * BLOCK..][..BLOCK];
                to.iter_mut().zip(sum).for_each(|(to, x)| *to += x);
            }
        }
        row += TOGETHER;
    }
    for row in row..rows {
        for block in first(row)..blocks {
            let mut sum = [0.0; BLOCK];
            for k in 0..inner {
                let (factor, from) = (entry(row, k), &right[k * blocks + block]);
                for lane in 0..BLOCK {
                    sum[lane] = factor.mul_add(from[lane], sum[lane]);
                }
            }
            let to = &mut out[row * stride + block * BLOCK..][..BLOCK];
            to.iter_mut().zip(&sum).for_each(|(to, x)| *to += x);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Dense, dot};

    fn filled(rows: usize, columns: usize, seed: usize) -> Dense {
        let mut a = Dense::zero(rows, columns);
        for i in 0..rows {
            for (j, x) in a.row_mut(i).iter_mut().enumerate() {
                *x = ((i * 7 + j * 13 + seed * 5) % 17) as f64 - 8.0;
            }
        }
        a
    }

    #[test]
    fn rows_and_their_products_are_those_of_the_definition() {
        let mut a = filled(4, 13, 1);
        let before = a.clone();
        a.add_row(2, 3.0, 0);
        for (j, x) in a.row(2).iter().enumerate() {
            assert_eq!(*x, before.row(2)[j] + 3.0 * before.row(0)[j]);
        }
        let sum: f64 = (0..13).map(|k| a.row(1)[k] * a.row(2)[k]).sum();
        assert_eq!(dot(a.row(1), a.row(2)), sum);
        assert_eq!((a.row(0), a.row(1), a.row(3)), (before.row(0), before.row(1), before.row(3)));
    }

    /// Entries are whole numbers, so that both ways to sum them are exact.
    #[test]
    fn products_are_those_of_the_definition() {
        for (rows, inner, columns) in [(1, 1, 1), (5, 3, 9), (36, 36, 48), (7, 12, 8)] {
            let (a, b) = (filled(rows, inner, 1), filled(inner, columns, 2));
            let mut product = Dense::zero(rows, columns);
            product.set_product(&a, &b);
            for i in 0..rows {
                for j in 0..columns {
                    let sum: f64 = (0..inner).map(|k| a.row(i)[k] * b.row(k)[j]).sum();
                    assert_eq!(product.row(i)[j], sum);
                }
            }
            let mut transposed = filled(inner, columns, 4);
            let before = transposed.clone();
            transposed.add_transposed_product(&a, &product);
            for i in 0..inner {
                for j in 0..columns {
                    let sum: f64 = (0..rows).map(|k| a.row(k)[i] * product.row(k)[j]).sum();
                    assert_eq!(transposed.row(i)[j], before.row(i)[j] + sum);
                }
            }
            // Aᵀ A is symmetric.
            let mut square = filled(inner, inner, 3);
            let before = {
                let mut sum = Dense::zero(inner, inner);
                sum.add_symmetric_product(&square.clone(), &square);
                sum
            };
            square = before.clone();
            square.add_symmetric_product(&a, &a);
            for i in 0..inner {
                for j in 0..inner {
                    let sum: f64 = (0..rows).map(|k| a.row(k)[i] * a.row(k)[j]).sum();
                    assert_eq!(square.row(i)[j], before.row(i)[j] + sum);
                }
            }
        }
    }
}
