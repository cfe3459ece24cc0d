//! The numbers of a quadratic program.

/// Which bound of a row holds with equality.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// Neither.
    #[default]
    Inside,
    /// The lower one.
    Lower,
    /// The upper one.
    Upper,
}

/// ½ xᵀ H x + gᵀ x with lower ≤ C x ≤ upper. H is positive definite and dense, the rows of C have few entries.
///
/// A program is filled anew by [`QuadraticProgram::reset`], which keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct QuadraticProgram {
    unknowns: usize,
    hessian: Vec<f64>,
    gradient: Vec<f64>,
    rows: Vec<Row>,
    entries: Vec<(usize, f64)>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    /// Where its entries begin; they end where those of the next row begin.
    start: usize,
    lower: f64,
    upper: f64,
}

impl QuadraticProgram {
    /// A program of `unknowns` unknowns with zero cost and no bounds.
    pub fn new(unknowns: usize) -> Self {
        let mut program = QuadraticProgram::default();
        program.reset(unknowns);
        program
    }

    /// Sets all numbers to zero and removes all rows. Allocates only if the program was never so large.
    pub fn reset(&mut self, unknowns: usize) {
        self.unknowns = unknowns;
        self.hessian.clear();
        self.hessian.resize(unknowns * unknowns, 0.0);
        self.gradient.clear();
        self.gradient.resize(unknowns, 0.0);
        self.rows.clear();
        self.entries.clear();
    }

    /// Makes room for so many unknowns and rows, so that filling the program does not allocate.
    pub fn reserve(&mut self, unknowns: usize, rows: usize, entries: usize) {
        self.hessian.reserve(unknowns * unknowns);
        self.gradient.reserve(unknowns);
        self.rows.reserve(rows);
        self.entries.reserve(entries);
    }

    /// Number of unknowns.
    pub fn unknowns(&self) -> usize {
        self.unknowns
    }

    /// Number of rows of C.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Row `row` of H. Only entries on and right of the diagonal count.
    pub fn hessian_row(&self, row: usize) -> &[f64] {
        &self.hessian[row * self.unknowns..][..self.unknowns]
    }

    /// Row `row` of H, to be set. Only entries on and right of the diagonal count.
    pub fn hessian_row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.hessian[row * self.unknowns..][..self.unknowns]
    }

    /// g.
    pub fn gradient(&self) -> &[f64] {
        &self.gradient
    }

    /// g, to be set.
    pub fn gradient_mut(&mut self) -> &mut [f64] {
        &mut self.gradient
    }

    /// Adds a row of C by its entries (unknown, factor), with its bounds, which may be infinite.
    pub fn add_row(&mut self, entries: &[(usize, f64)], lower: f64, upper: f64) {
        let start = self.entries.len();
        self.entries.extend_from_slice(entries);
        self.rows.push(Row { start, lower, upper });
    }

    /// The entries of a row of C.
    pub fn row(&self, row: usize) -> &[(usize, f64)] {
        let end = self.rows.get(row + 1).map_or(self.entries.len(), |next| next.start);
        &self.entries[self.rows[row].start..end]
    }

    /// The bounds of a row.
    pub fn bounds(&self, row: usize) -> (f64, f64) {
        (self.rows[row].lower, self.rows[row].upper)
    }

    /// A row of C times x.
    pub fn row_times(&self, row: usize, x: &[f64]) -> f64 {
        self.row(row).iter().map(|(k, factor)| factor * x[*k]).sum()
    }

    /// Writes H x + g to `out`.
    pub fn slope(&self, x: &[f64], out: &mut [f64]) {
        let n = self.unknowns;
        out[..n].copy_from_slice(&self.gradient);
        for i in 0..n {
            let row = &self.hessian[i * n..][..n];
            let (xi, mut sum) = (x[i], row[i] * x[i]);
            for k in i + 1..n {
                sum += row[k] * x[k];
                out[k] += row[k] * xi;
            }
            out[i] += sum;
        }
    }

    /// The cost at x.
    pub fn cost(&self, x: &[f64]) -> f64 {
        let mut slope = vec![0.0; self.unknowns];
        self.slope(x, &mut slope);
        let terms = x.iter().zip(&slope).zip(&self.gradient);
        terms.map(|((x, slope), g)| 0.5 * x * (slope + g)).sum()
    }
}
