//! A fit over the logarithms of factors on the numbers. Signs stay the same, and halving a number is as large a change
//! as doubling it.

use gradbody::learn::objective::Fit;
use gradbody::learn::optimise::{Objective, Quadratic, Tie, Tied};

use super::cube::Number;

/// The unknowns: the logarithm of a factor for each number, then the weights unchanged.
pub(super) struct Factors<'a> {
    tied: Tied<'a>,
    numbers: usize,
    bounds: Vec<(f64, f64)>,
}

impl<'a> Factors<'a> {
    /// Wraps a fit whose parameters are those of `numbers`.
    pub(super) fn new(fit: &'a Fit, numbers: &[Number]) -> Self {
        let free = (f64::NEG_INFINITY, f64::INFINITY);
        // A fit orders its parameters as the model does, not as they were requested.
        let of = |name: &str| numbers.iter().position(|n| n.paths.contains(&name)).unwrap_or(0);
        let named = fit.unknowns.params.iter().zip(fit.initial());
        let mut ties: Vec<Tie> = named.map(|(u, factor)| Tie { to: of(&u.name), factor }).collect();
        let weights = fit.unknowns.weights;
        ties.extend((0..weights).map(|k| Tie { to: numbers.len() + k, factor: 1.0 }));
        let within = |number: &Number| (-number.range.ln(), number.range.ln());
        let mut bounds: Vec<_> = numbers.iter().map(within).collect();
        bounds.resize(numbers.len() + weights, free);
        let tied = Tied::new(fit, ties, vec![free; bounds.len()]);
        Factors { tied, numbers: numbers.len(), bounds }
    }

    /// The numbers of the fit.
    pub(super) fn spread(&self, z: &[f64]) -> Vec<f64> {
        self.tied.spread(&self.factors(z))
    }

    fn factors(&self, z: &[f64]) -> Vec<f64> {
        let of = |(k, z): (usize, &f64)| if k < self.numbers { z.exp() } else { *z };
        z.iter().enumerate().map(of).collect()
    }

    /// Converts derivatives with respect to factors to derivatives with respect to their logarithms.
    fn by_logarithms(&self, factors: &[f64], gradient: &mut [f64]) {
        let of_numbers = gradient.iter_mut().zip(factors).take(self.numbers);
        of_numbers.for_each(|(slope, factor)| *slope *= factor);
    }
}

impl Objective for Factors<'_> {
    fn len(&self) -> usize {
        self.tied.len()
    }

    fn cost(&self, z: &[f64]) -> f64 {
        self.tied.cost(&self.factors(z))
    }

    fn gradient(&self, z: &[f64], gradient: &mut [f64]) -> f64 {
        let factors = self.factors(z);
        let cost = self.tied.gradient(&factors, gradient);
        self.by_logarithms(&factors, gradient);
        cost
    }

    fn quadratic(&self, z: &[f64]) -> Option<Quadratic> {
        let factors = self.factors(z);
        let mut quadratic = self.tied.quadratic(&factors)?;
        self.by_logarithms(&factors, &mut quadratic.gradient);
        let slope = |k: usize| if k < self.numbers { factors[k] } else { 1.0 };
        for i in 0..z.len() {
            for j in 0..z.len() {
                quadratic.hessian.global[(i, j)] *= slope(i) * slope(j);
            }
        }
        Some(quadratic)
    }

    fn bounds(&self) -> &[(f64, f64)] {
        &self.bounds
    }

    fn parts(&self) -> usize {
        self.tied.parts()
    }

    fn part_gradient(&self, part: usize, z: &[f64], gradient: &mut [f64]) -> f64 {
        let factors = self.factors(z);
        let cost = self.tied.part_gradient(part, &factors, gradient);
        self.by_logarithms(&factors, gradient);
        cost
    }
}

#[cfg(test)]
mod tests {
    use gradbody::augment::Blueprint;
    use gradbody::learn::objective::NoiseLaw;

    use super::super::cube::Law;
    use super::super::problem::{Problem, Stretch};
    use super::Factors;

    #[test]
    fn a_factor_changes_the_parameters_of_its_number_and_no_others() {
        let law = Law::Compliant;
        let problem = Problem::new(law, law.numbers(), &Blueprint::default()).expect("a problem");
        let fit = problem.fit(&[], Stretch::Whole, NoiseLaw::Gaussian).expect("a fit");
        let factors = Factors::new(&fit, &problem.numbers);
        for (k, number) in problem.numbers.iter().enumerate() {
            let mut z = vec![0.0; problem.numbers.len()];
            z[k] = 2_f64.ln();
            let changed = factors.spread(&z);
            for ((unknown, before), after) in
                fit.unknowns.params.iter().zip(fit.initial()).zip(changed)
            {
                let by = if number.paths.contains(&unknown.name.as_str()) { 2.0 } else { 1.0 };
                assert!((after - by * before).abs() < 1e-12, "{}: {}", number.name, unknown.name);
            }
        }
    }
}
