//! Sums of objectives of the same numbers, such as recordings of bodies with several shapes on one ground.

use nalgebra::DMatrix;

use super::{Arrow, Objective, Quadratic};

/// The sum of objectives that depend on the same numbers. It has the bounds of the first; penalties are ignored.
pub struct Sum<'a> {
    terms: Vec<&'a dyn Objective>,
}

impl<'a> Sum<'a> {
    /// The sum of these objectives.
    ///
    /// # Panics
    /// If there are none, or if they depend on different numbers of numbers.
    pub fn new(terms: Vec<&'a dyn Objective>) -> Self {
        assert!(!terms.is_empty(), "a sum needs at least one term");
        assert!(
            terms.iter().all(|t| t.len() == terms[0].len()),
            "all terms depend on the same numbers"
        );
        Sum { terms }
    }

    /// Adds the gradients that `of` writes; returns the sum of the costs.
    fn add(
        &self,
        gradient: &mut [f64],
        mut of: impl FnMut(&dyn Objective, &mut [f64]) -> f64,
    ) -> f64 {
        gradient.fill(0.0);
        let mut of_term = vec![0.0; gradient.len()];
        let mut cost = 0.0;
        for term in &self.terms {
            cost += of(*term, &mut of_term);
            gradient.iter_mut().zip(&of_term).for_each(|(sum, g)| *sum += g);
        }
        cost
    }
}

impl Objective for Sum<'_> {
    fn len(&self) -> usize {
        self.terms[0].len()
    }

    fn cost(&self, x: &[f64]) -> f64 {
        self.terms.iter().map(|term| term.cost(x)).sum()
    }

    fn gradient(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        self.add(gradient, |term, of_term| term.gradient(x, of_term))
    }

    fn quadratic(&self, x: &[f64]) -> Option<Quadratic> {
        let n = self.len();
        let (mut cost, mut gradient, mut hessian) = (0.0, vec![0.0; n], DMatrix::zeros(n, n));
        for term in &self.terms {
            let of_term = term.quadratic(x)?;
            cost += of_term.cost;
            gradient.iter_mut().zip(&of_term.gradient).for_each(|(sum, g)| *sum += g);
            hessian += of_term.hessian.dense();
        }
        Some(Quadratic { cost, gradient, hessian: Arrow::from_dense(hessian) })
    }

    fn bounds(&self) -> &[(f64, f64)] {
        self.terms[0].bounds()
    }

    fn parts(&self) -> usize {
        self.terms.iter().map(|term| term.parts()).max().unwrap_or(1)
    }

    /// One part of each term, so that every part includes all terms.
    fn part_gradient(&self, part: usize, x: &[f64], gradient: &mut [f64]) -> f64 {
        self.add(gradient, |term, of_term| term.part_gradient(part % term.parts(), x, of_term))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ½ Σ (x_i − to)², in so many parts, each the whole.
    struct Bowl {
        to: f64,
        parts: usize,
    }

    impl Objective for Bowl {
        fn len(&self) -> usize {
            2
        }

        fn cost(&self, x: &[f64]) -> f64 {
            x.iter().map(|x| 0.5 * (x - self.to).powi(2)).sum()
        }

        fn gradient(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
            gradient.iter_mut().zip(x).for_each(|(g, x)| *g = x - self.to);
            self.cost(x)
        }

        fn quadratic(&self, x: &[f64]) -> Option<Quadratic> {
            let mut gradient = vec![0.0; 2];
            let cost = self.gradient(x, &mut gradient);
            Some(Quadratic { cost, gradient, hessian: Arrow::from_dense(DMatrix::identity(2, 2)) })
        }

        fn parts(&self) -> usize {
            self.parts
        }

        fn part_gradient(&self, part: usize, x: &[f64], gradient: &mut [f64]) -> f64 {
            assert!(part < self.parts, "a part that is there");
            self.gradient(x, gradient)
        }
    }

    #[test]
    fn costs_and_derivatives_are_summed() {
        let (a, b) = (Bowl { to: 1.0, parts: 2 }, Bowl { to: -2.0, parts: 3 });
        let sum = Sum::new(vec![&a, &b]);
        let x = [0.5, 2.0];
        let mut gradient = vec![7.0; 2];
        assert_eq!(sum.gradient(&x, &mut gradient), a.cost(&x) + b.cost(&x));
        assert_eq!(gradient, [-0.5 + 2.5, 1.0 + 4.0]);
        // As many parts as the longest has; the others begin again.
        assert_eq!(sum.parts(), 3);
        for part in 0..3 {
            let mut of_part = vec![0.0; 2];
            assert_eq!(sum.part_gradient(part, &x, &mut of_part), sum.cost(&x));
            assert_eq!(of_part, gradient);
        }
        let quadratic = sum.quadratic(&x).expect("squares");
        assert_eq!((quadratic.cost, &quadratic.gradient), (sum.cost(&x), &gradient));
        assert_eq!(quadratic.hessian.dense(), 2.0 * DMatrix::<f64>::identity(2, 2));
    }
}
