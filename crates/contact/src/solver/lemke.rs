//! The linear complementarity problem: z ≥ 0, w = M z + q ≥ 0, zᵀ w = 0, by Lemke's method.
//!
//! Starting from z = 0 and one artificial variable that lifts all of w above zero, pivots exchange variables until the
//! artificial one has left the basis [Cottle, Pang and Stone 1992, §4.4]. Ties are broken lexicographically, so that
//! the method does not cycle.

/// Buffers of [`Lemke::solve`].
#[derive(Clone, Debug, Default)]
pub(super) struct Lemke {
    /// Rows of the tableau: w, z, the artificial variable, and the right-hand side.
    rows: Vec<f64>,
    /// The basic variable of each row.
    basis: Vec<usize>,
    /// Whether z of each index is basic in the solution.
    pub(super) basic: Vec<bool>,
    /// Number of pivots.
    pub(super) pivots: u32,
}

/// Maximum number of pivots, per variable; one or two usually suffice.
const PIVOTS_PER_VARIABLE: usize = 10;

/// Entries below this are rounding, relative to the largest of M.
const ROUNDING: f64 = 1e-12;

/// Values that differ by less than this, relative to their size, are equal up to rounding: of the right-hand side, and
/// of the rows that break its ties.
const TIE: f64 = 1e-13;
const LEXICOGRAPHIC_TIE: f64 = 1e-9;

impl Lemke {
    /// Finds which z are basic in a solution; returns false if there is none, or if it was not found. `m` is n × n, row
    /// by row.
    pub(super) fn solve(&mut self, m: &[f64], q: &[f64]) -> bool {
        let n = q.len();
        self.basic.clear();
        self.basic.resize(n, false);
        self.pivots = 0;
        if !m.iter().chain(q).all(|x| x.is_finite()) {
            return false;
        }
        if q.iter().all(|x| *x >= 0.0) {
            return true;
        }
        self.start(m, q);
        let scale = m.iter().fold(1e-300_f64, |max, x| max.max(x.abs()));
        let lowest = (0..n).min_by(|i, j| q[*i].total_cmp(&q[*j])).unwrap_or(0);
        let size = -q[lowest];
        let artificial = 2 * n;
        let mut entering = self.exchange(lowest, artificial);
        for _ in 0..PIVOTS_PER_VARIABLE * n {
            let Some(row) = self.leaving(entering, ROUNDING * scale, size) else { return false };
            let left = self.exchange_to(row, entering);
            if left == artificial {
                for variable in &self.basis {
                    if (n..2 * n).contains(variable) {
                        self.basic[variable - n] = true;
                    }
                }
                return true;
            }
            entering = complement(left, n);
        }
        false
    }

    fn width(&self) -> usize {
        2 * self.basis.len() + 2
    }

    fn start(&mut self, m: &[f64], q: &[f64]) {
        let n = q.len();
        let width = 2 * n + 2;
        self.rows.clear();
        self.rows.resize(n * width, 0.0);
        self.basis.clear();
        self.basis.extend(0..n);
        for (i, row) in self.rows.chunks_exact_mut(width).enumerate() {
            row[i] = 1.0;
            for j in 0..n {
                row[n + j] = -m[i * n + j];
            }
            row[2 * n] = -1.0;
            row[2 * n + 1] = q[i];
        }
    }

    /// Brings `entering` into the basis in `row`; returns the variable that has to enter next.
    fn exchange(&mut self, row: usize, entering: usize) -> usize {
        let left = self.exchange_to(row, entering);
        complement(left, self.basis.len())
    }

    /// Brings `entering` into the basis in `row`; returns the variable that leaves.
    fn exchange_to(&mut self, row: usize, entering: usize) -> usize {
        let width = self.width();
        let pivot = self.rows[row * width + entering].recip();
        self.rows[row * width..][..width].iter_mut().for_each(|x| *x *= pivot);
        let (before, rest) = self.rows.split_at_mut(row * width);
        let (pivot_row, after) = rest.split_at_mut(width);
        for other in before.chunks_exact_mut(width).chain(after.chunks_exact_mut(width)) {
            let factor = other[entering];
            if factor != 0.0 {
                other.iter_mut().zip(&*pivot_row).for_each(|(x, p)| *x -= factor * p);
                other[entering] = 0.0;
            }
        }
        self.pivots += 1;
        std::mem::replace(&mut self.basis[row], entering)
    }

    /// The row whose variable reaches zero first as `entering` grows. The artificial variable leaves whenever it can.
    fn leaving(&self, entering: usize, rounding: f64, size: f64) -> Option<usize> {
        let width = self.width();
        let mut best: Option<usize> = None;
        for i in (0..self.basis.len()).filter(|i| self.rows[i * width + entering] > rounding) {
            best = Some(match best {
                Some(b) if self.before(b, i, entering, size) => b,
                _ => i,
            });
        }
        best
    }

    /// Whether row `a` reaches zero before row `b`. In a tie, the artificial variable's row comes first, since a
    /// solution is then found. `size` is that of the right-hand side.
    fn before(&self, a: usize, b: usize, entering: usize, size: f64) -> bool {
        let (n, width) = (self.basis.len(), self.width());
        let (row_a, row_b) = (&self.rows[a * width..][..width], &self.rows[b * width..][..width]);
        let (by_a, by_b) = (row_a[entering].recip(), row_b[entering].recip());
        let (at_a, at_b) = (row_a[2 * n + 1] * by_a, row_b[2 * n + 1] * by_b);
        let close = TIE * (at_a.abs().max(at_b.abs()) + size * (by_a + by_b));
        if (at_a - at_b).abs() > close {
            return at_a < at_b;
        }
        if self.basis[a] == 2 * n || self.basis[b] == 2 * n {
            return self.basis[a] == 2 * n;
        }
        (0..n)
            .map(|k| (row_a[k] * by_a, row_b[k] * by_b))
            .find(|(x, y)| (x - y).abs() > LEXICOGRAPHIC_TIE * (x.abs() + y.abs()))
            .is_some_and(|(x, y)| x < y)
    }
}

/// The variable that may not be basic together with this one.
fn complement(variable: usize, n: usize) -> usize {
    if variable < n { variable + n } else { variable - n }
}
