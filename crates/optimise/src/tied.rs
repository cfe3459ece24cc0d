//! Objectives in which several numbers are tied together, such as a length that occurs twice in a model.

use nalgebra::DMatrix;

use super::{Arrow, Objective, Quadratic};

/// An objective over fewer numbers z: each number of the original objective is x_i = factor · z_k.
///
/// With x = T z the gradient is Tᵀg and the Hessian TᵀHT.
pub struct Tied<'a> {
    objective: &'a dyn Objective,
    ties: Vec<Tie>,
    bounds: Vec<(f64, f64)>,
}

/// How a number follows one of the fewer numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tie {
    /// Index of the number that it follows.
    pub to: usize,
    /// Its multiple of that number.
    pub factor: f64,
}

impl<'a> Tied<'a> {
    /// Ties each number of `objective` to one of `bounds.len()` numbers with these bounds. The objective's own bounds
    /// and penalties are ignored.
    ///
    /// # Panics
    /// If there is not one tie for each number, or if one refers to a number that does not exist.
    pub fn new(objective: &'a dyn Objective, ties: Vec<Tie>, bounds: Vec<(f64, f64)>) -> Self {
        assert_eq!(ties.len(), objective.len(), "one tie for each number");
        assert!(
            ties.iter().all(|tie| tie.to < bounds.len()),
            "every tie refers to an existing number"
        );
        Tied { objective, ties, bounds }
    }

    /// The numbers of the original objective.
    pub fn spread(&self, z: &[f64]) -> Vec<f64> {
        self.ties.iter().map(|tie| tie.factor * z[tie.to]).collect()
    }

    /// Tᵀg.
    fn gather(&self, from: &[f64], to: &mut [f64]) {
        to.fill(0.0);
        for (tie, bar) in self.ties.iter().zip(from) {
            to[tie.to] += tie.factor * bar;
        }
    }
}

impl Objective for Tied<'_> {
    fn len(&self) -> usize {
        self.bounds.len()
    }

    fn cost(&self, z: &[f64]) -> f64 {
        self.objective.cost(&self.spread(z))
    }

    fn gradient(&self, z: &[f64], gradient: &mut [f64]) -> f64 {
        let mut by_each = vec![0.0; self.ties.len()];
        let cost = self.objective.gradient(&self.spread(z), &mut by_each);
        self.gather(&by_each, gradient);
        cost
    }

    fn quadratic(&self, z: &[f64]) -> Option<Quadratic> {
        let of_each = self.objective.quadratic(&self.spread(z))?;
        let mut gradient = vec![0.0; self.len()];
        self.gather(&of_each.gradient, &mut gradient);
        let full = of_each.hessian.dense();
        let mut hessian = DMatrix::zeros(self.len(), self.len());
        for (i, a) in self.ties.iter().enumerate() {
            for (j, b) in self.ties.iter().enumerate() {
                hessian[(a.to, b.to)] += a.factor * full[(i, j)] * b.factor;
            }
        }
        Some(Quadratic { cost: of_each.cost, gradient, hessian: Arrow::from_dense(hessian) })
    }

    fn bounds(&self) -> &[(f64, f64)] {
        &self.bounds
    }

    fn parts(&self) -> usize {
        self.objective.parts()
    }

    fn part_gradient(&self, part: usize, z: &[f64], gradient: &mut [f64]) -> f64 {
        let mut by_each = vec![0.0; self.ties.len()];
        let cost = self.objective.part_gradient(part, &self.spread(z), &mut by_each);
        self.gather(&by_each, gradient);
        cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ½ Σ (x_i − i)², whose second order is the unit matrix.
    struct Bowl;

    impl Objective for Bowl {
        fn len(&self) -> usize {
            3
        }

        fn cost(&self, x: &[f64]) -> f64 {
            x.iter().enumerate().map(|(i, x)| 0.5 * (x - i as f64).powi(2)).sum()
        }

        fn gradient(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
            gradient.iter_mut().zip(x).enumerate().for_each(|(i, (g, x))| *g = x - i as f64);
            self.cost(x)
        }

        fn quadratic(&self, x: &[f64]) -> Option<Quadratic> {
            let mut gradient = vec![0.0; 3];
            let cost = self.gradient(x, &mut gradient);
            Some(Quadratic { cost, gradient, hessian: Arrow::from_dense(DMatrix::identity(3, 3)) })
        }
    }

    #[test]
    fn derivatives_are_summed_over_what_is_tied() {
        let tie = |to, factor| Tie { to, factor };
        let ties = vec![tie(0, 1.0), tie(1, -2.0), tie(0, 3.0)];
        let tied = Tied::new(&Bowl, ties, vec![(-9.0, 9.0); 2]);
        let z = [0.5, 0.25];
        assert_eq!(tied.spread(&z), [0.5, -0.5, 1.5]);
        // Errors 0.5, −1.5 and −0.5.
        let mut gradient = vec![0.0; 2];
        assert_eq!(tied.gradient(&z, &mut gradient), 1.375);
        assert_eq!(gradient, [0.5 - 1.5, 3.0]);
        let quadratic = tied.quadratic(&z).expect("a sum of squares");
        assert_eq!((quadratic.cost, quadratic.gradient), (1.375, gradient));
        let expected = DMatrix::from_row_slice(2, 2, &[10.0, 0.0, 0.0, 4.0]);
        assert_eq!(quadratic.hessian.dense(), expected);
    }
}
