//! A small quadratic cost within bounds: the step of the actions of a knot.
//!
//! Projected Newton's method [Tassa, Mansard, Todorov 2014]: numbers that press against a bound are held there, the others
//! take a Newton step, and the step is shortened until the cost falls.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// Most rounds; each ends with another set of numbers at their bounds, or at the minimum.
const MOST_ROUNDS: usize = 100;
/// Most halvings of a step.
const MOST_HALVINGS: usize = 40;
/// The share of the predicted decrease that a step must reach.
const ARMIJO: f64 = 0.1;

/// The minimum of ½ xᵀ H x + gᵀ x with lower ≤ x ≤ upper.
#[derive(Clone, Debug)]
pub(crate) struct BoxMinimum {
    /// Where it is.
    pub(crate) x: DVector<f64>,
    /// The numbers that are not at a bound.
    pub(crate) free: Vec<usize>,
    /// The factors of H for these, if there are any.
    pub(crate) factors: Option<Cholesky<f64, Dyn>>,
}

/// Finds it, starting from `x`. `None` if H is not positive definite where it must be.
pub(crate) fn box_minimum(
    h: &DMatrix<f64>,
    g: &DVector<f64>,
    lower: &[f64],
    upper: &[f64],
    mut x: DVector<f64>,
) -> Option<BoxMinimum> {
    let n = g.len();
    let clamp = |x: &mut DVector<f64>| {
        for k in 0..n {
            x[k] = x[k].max(lower[k]).min(upper[k]);
        }
    };
    let cost = |x: &DVector<f64>| 0.5 * x.dot(&(h * x)) + g.dot(x);
    clamp(&mut x);
    let mut value = cost(&x);
    // The free numbers of the round before, and their factors.
    let mut before: Option<(Vec<usize>, Cholesky<f64, Dyn>)> = None;
    for _ in 0..MOST_ROUNDS {
        let slope = g + h * &x;
        let held =
            |k: usize| (x[k] <= lower[k] && slope[k] > 0.0) || (x[k] >= upper[k] && slope[k] < 0.0);
        let free: Vec<usize> = (0..n).filter(|k| !held(*k)).collect();
        let factors = match before.take() {
            Some((same, factors)) if same == free => factors,
            _ if free.is_empty() => return Some(BoxMinimum { x, free, factors: None }),
            _ => Cholesky::new(h.select_rows(&free).select_columns(&free))?,
        };
        let step = -factors.solve(&slope.select_rows(&free));
        let predicted = -slope.select_rows(&free).dot(&step);
        let noise = 1e-13 * (value.abs() + 1e-300);
        let done = predicted <= noise;
        let mut length = 1.0;
        let mut moved = None;
        for _ in 0..MOST_HALVINGS {
            let mut to = x.clone();
            free.iter().enumerate().for_each(|(i, k)| to[*k] += length * step[i]);
            clamp(&mut to);
            let reached = cost(&to);
            let fall = slope.dot(&(&x - &to));
            if reached <= value - ARMIJO * fall || done {
                moved = Some((to, reached));
                break;
            }
            length *= 0.5;
        }
        let Some((to, reached)) = moved else {
            return Some(BoxMinimum { x, free, factors: Some(factors) });
        };
        let unchanged = to == x;
        x = to;
        value = reached;
        let inside = free.iter().all(|k| lower[*k] < x[*k] && x[*k] < upper[*k]);
        if unchanged || done || (length == 1.0 && inside && free.len() == n) {
            return Some(BoxMinimum { x, free, factors: Some(factors) });
        }
        before = Some((free, factors));
    }
    let free = (0..n).filter(|k| lower[*k] < x[*k] && x[*k] < upper[*k]).collect::<Vec<_>>();
    let factors = match free.is_empty() {
        true => None,
        false => Some(Cholesky::new(h.select_rows(&free).select_columns(&free))?),
    };
    Some(BoxMinimum { x, free, factors })
}

#[cfg(test)]
mod tests {
    use gradbody_math::random::Random;
    use nalgebra::{DMatrix, DVector};

    use super::box_minimum;

    /// At the minimum the slope of a number is zero, or pushes it against its bound.
    #[test]
    fn the_minimum_satisfies_its_conditions() {
        let mut random = Random::new(7);
        let mut at_bounds = 0;
        for _ in 0..200 {
            let n = 1 + (random.unit() * 12.0) as usize;
            let a = DMatrix::from_fn(n + 2, n, |_, _| random.unit() - 0.5);
            let h = a.transpose() * &a + DMatrix::identity(n, n) * 1e-3;
            let g = DVector::from_fn(n, |_, _| random.unit() - 0.5);
            let (lower, upper) = (vec![-0.3; n], vec![0.2; n]);
            let found = box_minimum(&h, &g, &lower, &upper, DVector::zeros(n)).unwrap();
            let slope = &g + &h * &found.x;
            for k in 0..n {
                let x = found.x[k];
                assert!((lower[k]..=upper[k]).contains(&x));
                if x == lower[k] {
                    assert!(slope[k] > -1e-9);
                } else if x == upper[k] {
                    assert!(slope[k] < 1e-9);
                } else {
                    assert!(slope[k].abs() < 1e-9, "{}", slope[k]);
                    assert!(found.free.contains(&k));
                    continue;
                }
                at_bounds += 1;
            }
        }
        assert!(at_bounds > 100, "only {at_bounds} numbers ended at a bound");
    }

    #[test]
    fn a_matrix_that_is_not_positive_has_no_minimum() {
        let h = DMatrix::from_diagonal_element(2, 2, -1.0);
        let at = DVector::zeros(2);
        let free = [f64::NEG_INFINITY; 2];
        assert!(box_minimum(&h, &at, &free, &[f64::INFINITY; 2], at.clone()).is_none());
    }
}
