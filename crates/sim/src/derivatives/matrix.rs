//! The matrix that derivatives are written in.

/// A dense matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    /// Row by row.
    numbers: Vec<f64>,
}

impl Matrix {
    /// All zero.
    pub fn zero(rows: usize, columns: usize) -> Self {
        Matrix { rows, columns, numbers: vec![0.0; rows * columns] }
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// An entry.
    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.row(row)[column]
    }

    /// A row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.numbers[row * self.columns..][..self.columns]
    }

    /// Its numbers, row by row.
    pub fn numbers(&self) -> &[f64] {
        &self.numbers
    }

    pub(super) fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.numbers[row * self.columns..][..self.columns]
    }
}
