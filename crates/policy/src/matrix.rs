//! Products of matrices in single precision, by `matrixmultiply`, whose functions take pointers. nalgebra, which calls
//! the same crate, reads outside of matrices whose rows follow each other when they are small (version 0.35).

use matrixmultiply::sgemm;

/// A matrix as its numbers and the distances between them.
#[derive(Clone, Copy)]
pub(crate) struct Matrix<'a> {
    numbers: &'a [f32],
    rows: usize,
    columns: usize,
    /// From a row to the next.
    row_stride: usize,
    /// From a column to the next.
    column_stride: usize,
}

impl<'a> Matrix<'a> {
    /// A matrix whose rows follow each other.
    pub(crate) fn new(numbers: &'a [f32], rows: usize, columns: usize) -> Self {
        assert_eq!(numbers.len(), rows * columns, "a matrix of {rows} × {columns}");
        Matrix { numbers, rows, columns, row_stride: columns, column_stride: 1 }
    }

    pub(crate) fn transposed(self) -> Self {
        Matrix {
            rows: self.columns,
            columns: self.rows,
            row_stride: self.column_stride,
            column_stride: self.row_stride,
            ..self
        }
    }
}

/// C += A B. The rows of C follow each other.
#[allow(unsafe_code)]
pub(crate) fn add_product(a: Matrix<'_>, b: Matrix<'_>, c: &mut [f32]) {
    assert_eq!(a.columns, b.rows, "sizes of the factors");
    assert_eq!(c.len(), a.rows * b.columns, "size of the product");
    let (a_stride, b_stride) = (
        (a.row_stride as isize, a.column_stride as isize),
        (b.row_stride as isize, b.column_stride as isize),
    );
    // SAFETY: by `Matrix::new` and `transposed` all numbers of A and B are in their slices; C has the size of the
    // product and is borrowed alone.
    unsafe {
        sgemm(
            a.rows,
            a.columns,
            b.columns,
            1.0,
            a.numbers.as_ptr(),
            a_stride.0,
            a_stride.1,
            b.numbers.as_ptr(),
            b_stride.0,
            b_stride.1,
            1.0,
            c.as_mut_ptr(),
            b.columns as isize,
            1,
        );
    }
}
