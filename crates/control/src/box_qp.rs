//! A small quadratic cost within bounds: the step of the actions of a knot.
//!
//! Projected Newton's method [Tassa, Mansard, Todorov 2014]: numbers that press against a bound are held there, the others
//! take a Newton step, and the step is shortened until the cost falls. A number just inside its bound can stop all others:
//! it is clipped at once, and without it their step may lead uphill. Then each number takes a step of its own.

use crate::dense::{Dense, dot};

/// Most rounds; each ends with another set of numbers at their bounds, or at the minimum.
const MOST_ROUNDS: usize = 100;
/// Most halvings of a step.
const MOST_HALVINGS: usize = 40;
/// The share of the predicted decrease that a step must reach.
const ARMIJO: f64 = 0.1;
/// A fall of the cost by less than this share of it is rounding.
const ROUNDING: f64 = 1e-13;

/// The minimum of ½ xᵀ H x + gᵀ x with lower ≤ x ≤ upper.
#[derive(Clone, Debug)]
pub(crate) struct BoxMinimum {
    /// Where it is.
    pub(crate) x: Vec<f64>,
    /// The numbers that are not at a bound.
    pub(crate) free: Vec<usize>,
    /// U with Uᵀ U = H of these, in its first rows. What lies left of the diagonal means nothing.
    factor: Dense,
    slope: Vec<f64>,
    step: Vec<f64>,
    trial: Vec<f64>,
    next_free: Vec<usize>,
}

/// The matrix is not positive definite where it must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotPositive;

impl BoxMinimum {
    /// Buffers for `n` numbers.
    pub(crate) fn new(n: usize) -> Self {
        BoxMinimum {
            x: vec![0.0; n],
            free: Vec::with_capacity(n),
            factor: Dense::zero(n, n),
            slope: vec![0.0; n],
            step: vec![0.0; n],
            trial: vec![0.0; n],
            next_free: Vec::with_capacity(n),
        }
    }

    /// Finds the minimum, beginning at zero moved into the bounds.
    pub(crate) fn find(
        &mut self,
        h: &Dense,
        g: &[f64],
        lower: &[f64],
        upper: &[f64],
    ) -> Result<(), NotPositive> {
        self.x.fill(0.0);
        clamp(&mut self.x, lower, upper);
        self.free.clear();
        let mut value = cost(h, g, &self.x);
        for _ in 0..MOST_ROUNDS {
            self.find_free(h, g, lower, upper);
            if self.next_free.is_empty() {
                self.free.clear();
                return Ok(());
            }
            if self.next_free != self.free {
                std::mem::swap(&mut self.free, &mut self.next_free);
                self.factorise(h)?;
            }
            let predicted = self.newton_step();
            let done = predicted <= ROUNDING * (value.abs() + 1e-300);
            let found = self.search(h, g, (lower, upper), value, done);
            let Some((length, reached)) = found.filter(|_| done || self.trial != self.x) else {
                match self.one_by_one(h, g, (lower, upper), value) {
                    Some(reached) => value = reached,
                    None => return Ok(()),
                }
                continue;
            };
            std::mem::swap(&mut self.x, &mut self.trial);
            value = reached;
            let is_inside = |k: usize| lower[k] < self.x[k] && self.x[k] < upper[k];
            let all_inside = self.free.len() == g.len() && (0..g.len()).all(is_inside);
            if done || (length == 1.0 && all_inside) {
                return Ok(());
            }
        }
        let x = &self.x;
        self.free.clear();
        self.free.extend((0..g.len()).filter(|&k| lower[k] < x[k] && x[k] < upper[k]));
        self.factorise(h)
    }

    /// Writes the slope at x, and which numbers do not press against a bound to `next_free`.
    fn find_free(&mut self, h: &Dense, g: &[f64], lower: &[f64], upper: &[f64]) {
        let BoxMinimum { x, slope, next_free, .. } = self;
        next_free.clear();
        for k in 0..g.len() {
            slope[k] = g[k] + dot(h.row(k), x);
            let is_held =
                (x[k] <= lower[k] && slope[k] > 0.0) || (x[k] >= upper[k] && slope[k] < 0.0);
            if !is_held {
                next_free.push(k);
            }
        }
    }

    /// Writes the factor of H of the free numbers [Cholesky], whole rows at a time.
    fn factorise(&mut self, h: &Dense) -> Result<(), NotPositive> {
        let BoxMinimum { free, factor, .. } = self;
        for (i, &row) in free.iter().enumerate() {
            let of_free = free.iter().map(|&column| h.row(row)[column]);
            factor.row_mut(i).iter_mut().zip(of_free).for_each(|(to, x)| *to = x);
            for j in 0..i {
                factor.add_row(i, -factor.row(j)[i], j);
            }
            let pivot = factor.row(i)[i];
            if pivot.is_nan() || pivot <= 0.0 {
                return Err(NotPositive);
            }
            let by = pivot.sqrt().recip();
            factor.row_mut(i).iter_mut().for_each(|x| *x *= by);
        }
        Ok(())
    }

    /// Writes Newton's step of the free numbers, and returns the fall of the cost that its slope promises.
    fn newton_step(&mut self) -> f64 {
        let BoxMinimum { free, factor, slope, step, .. } = self;
        let n = free.len();
        let step = &mut step[..n];
        step.iter_mut().zip(&*free).for_each(|(to, &k)| *to = -slope[k]);
        for i in 0..n {
            let row = &factor.row(i)[i..n];
            step[i] /= row[0];
            let by = step[i];
            step[i + 1..].iter_mut().zip(&row[1..]).for_each(|(to, u)| *to -= u * by);
        }
        for i in (0..n).rev() {
            let row = &factor.row(i)[i..n];
            step[i] = (step[i] - dot(&row[1..], &step[i + 1..])) / row[0];
        }
        -(0..n).map(|i| slope[free[i]] * step[i]).sum::<f64>()
    }

    /// Leaves in `trial` where the longest share of the step leads that lowers the cost as much as it should; with `done`
    /// the whole step. Returns the share and the cost there.
    fn search(
        &mut self,
        h: &Dense,
        g: &[f64],
        (lower, upper): (&[f64], &[f64]),
        value: f64,
        done: bool,
    ) -> Option<(f64, f64)> {
        let BoxMinimum { x, free, slope, step, trial, .. } = self;
        let mut length = 1.0;
        for _ in 0..MOST_HALVINGS {
            trial.copy_from_slice(x);
            free.iter().zip(&*step).for_each(|(&k, step)| trial[k] += length * step);
            clamp(trial, lower, upper);
            let reached = cost(h, g, trial);
            let fall: f64 = (0..x.len()).map(|k| slope[k] * (x[k] - trial[k])).sum();
            if reached <= value - ARMIJO * fall || done {
                return Some((length, reached));
            }
            length *= 0.5;
        }
        None
    }

    /// Moves each number in turn to its best place while the others stay. Returns the cost then, or None if that gains
    /// nothing beyond rounding, and nothing has moved.
    fn one_by_one(
        &mut self,
        h: &Dense,
        g: &[f64],
        (lower, upper): (&[f64], &[f64]),
        value: f64,
    ) -> Option<f64> {
        let BoxMinimum { x, trial, .. } = self;
        trial.copy_from_slice(x);
        for k in 0..g.len() {
            let (row, slope) = (h.row(k), g[k] + dot(h.row(k), trial));
            if row[k] > 0.0 {
                trial[k] = (trial[k] - slope / row[k]).max(lower[k]).min(upper[k]);
            }
        }
        let reached = cost(h, g, trial);
        (value - reached > ROUNDING * value.abs()).then(|| {
            x.copy_from_slice(trial);
            reached
        })
    }

    /// Replaces the rows R of `numbers` that belong to the free numbers by the solution X of H X = R, H that of the free
    /// numbers. All columns are solved for at once.
    pub(crate) fn solve_rows(&self, numbers: &mut Dense) {
        let BoxMinimum { free, factor, .. } = self;
        let scale = |numbers: &mut Dense, i: usize| {
            let by = factor.row(i)[i].recip();
            numbers.row_mut(free[i]).iter_mut().for_each(|x| *x *= by);
        };
        for i in 0..free.len() {
            for j in 0..i {
                numbers.add_row(free[i], -factor.row(j)[i], free[j]);
            }
            scale(numbers, i);
        }
        for i in (0..free.len()).rev() {
            for j in i + 1..free.len() {
                numbers.add_row(free[i], -factor.row(i)[j], free[j]);
            }
            scale(numbers, i);
        }
    }
}

fn clamp(x: &mut [f64], lower: &[f64], upper: &[f64]) {
    for (k, x) in x.iter_mut().enumerate() {
        *x = x.max(lower[k]).min(upper[k]);
    }
}

fn cost(h: &Dense, g: &[f64], x: &[f64]) -> f64 {
    let of_row = |(k, x_k): (usize, &f64)| x_k * (0.5 * dot(h.row(k), x) + g[k]);
    x.iter().enumerate().map(of_row).sum()
}

#[cfg(test)]
mod tests {
    use gradbody_math::random::Random;

    use super::{BoxMinimum, Dense, NotPositive, dot};

    /// Aᵀ A + 0.001 I with a random A.
    fn positive(n: usize, random: &mut Random) -> Dense {
        let mut a = Dense::zero(n + 2, n);
        for row in 0..n + 2 {
            a.row_mut(row).iter_mut().for_each(|x| *x = random.unit() - 0.5);
        }
        let mut h = Dense::zero(n, n);
        h.add_symmetric_product(&a, &a);
        (0..n).for_each(|k| h.row_mut(k)[k] += 1e-3);
        h
    }

    /// At the minimum the slope of a number is zero, or pushes it against its bound.
    #[test]
    fn the_minimum_satisfies_its_conditions() {
        let mut random = Random::new(7);
        let mut at_bounds = 0;
        for _ in 0..200 {
            let n = 1 + (random.unit() * 12.0) as usize;
            let h = positive(n, &mut random);
            let g: Vec<f64> = (0..n).map(|_| random.unit() - 0.5).collect();
            let (lower, upper) = (vec![-0.3; n], vec![0.2; n]);
            let mut found = BoxMinimum::new(n);
            found.find(&h, &g, &lower, &upper).unwrap();
            for k in 0..n {
                let (x, slope) = (found.x[k], g[k] + dot(h.row(k), &found.x));
                assert!((lower[k]..=upper[k]).contains(&x));
                if x == lower[k] {
                    assert!(slope > -1e-9);
                } else if x == upper[k] {
                    assert!(slope < 1e-9);
                } else {
                    assert!(slope.abs() < 1e-9, "{slope}");
                    assert!(found.free.contains(&k));
                    continue;
                }
                at_bounds += 1;
            }
        }
        assert!(at_bounds > 100, "only {at_bounds} numbers ended at a bound");
    }

    /// Numbers that begin a tiny way inside their bounds, and matrices that are hard to invert.
    #[test]
    fn numbers_just_inside_their_bounds_do_not_stop_the_others() {
        let mut random = Random::new(11);
        for case in 0..2000 {
            let n = 2 + (random.unit() * 10.0) as usize;
            let mut h = positive(n, &mut random);
            // Scales of the numbers that differ by up to a thousand.
            let scales: Vec<f64> = (0..n).map(|_| 10f64.powf(3.0 * random.unit())).collect();
            for i in 0..n {
                h.row_mut(i).iter_mut().zip(&scales).for_each(|(x, scale)| *x *= scale * scales[i]);
            }
            let g: Vec<f64> = scales.iter().map(|scale| scale * random.signed()).collect();
            let near = |random: &mut Random| match random.unit() < 0.3 {
                true => 10f64.powf(-14.0 * random.unit()),
                false => 1.0,
            };
            let lower: Vec<f64> = (0..n).map(|_| -near(&mut random)).collect();
            let upper: Vec<f64> = (0..n).map(|_| near(&mut random)).collect();
            let mut found = BoxMinimum::new(n);
            found.find(&h, &g, &lower, &upper).unwrap();
            for k in 0..n {
                let slope = g[k] + dot(h.row(k), &found.x);
                // How far the number alone would still move, and what that would gain.
                let wish = (found.x[k] - slope / h.row(k)[k]).max(lower[k]).min(upper[k]);
                let gain = slope * (found.x[k] - wish);
                let whole = super::cost(&h, &g, &found.x).abs();
                assert!(
                    gain <= 1e-9 * whole,
                    "case {case}: number {k} would gain {gain} of {whole}"
                );
            }
        }
    }

    #[test]
    fn rows_are_solved_for_free_numbers_alone() {
        let mut random = Random::new(3);
        let h = positive(5, &mut random);
        let mut found = BoxMinimum::new(5);
        // Number 2 is held at its lower bound.
        let g = [0.01, -0.02, 100.0, 0.0, 0.01];
        let (lower, upper) = ([-1e3, -1e3, 0.0, -1e3, -1e3], [1e3; 5]);
        found.find(&h, &g, &lower, &upper).unwrap();
        assert_eq!(found.free, [0, 1, 3, 4]);
        let mut rows = Dense::zero(5, 9);
        for row in 0..5 {
            rows.row_mut(row).iter_mut().for_each(|x| *x = random.signed());
        }
        let before = rows.clone();
        found.solve_rows(&mut rows);
        assert_eq!(rows.row(2), before.row(2));
        for &i in &found.free {
            for column in 0..9 {
                let terms = found.free.iter().map(|&j| h.row(i)[j] * rows.row(j)[column]);
                let error = terms.sum::<f64>() - before.row(i)[column];
                assert!(error.abs() < 1e-9, "{error}");
            }
        }
    }

    #[test]
    fn a_matrix_that_is_not_positive_has_no_minimum() {
        let mut h = Dense::zero(2, 2);
        (0..2).for_each(|k| h.row_mut(k)[k] = -1.0);
        let found =
            BoxMinimum::new(2).find(&h, &[0.0; 2], &[f64::NEG_INFINITY; 2], &[f64::INFINITY; 2]);
        assert_eq!(found, Err(NotPositive));
    }
}
