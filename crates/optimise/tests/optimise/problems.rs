//! Functions with known minima.

use gradbody_optimise::{Arrow, Limits, Method, Objective, Penalty, Quadratic, Search, Stop};
use nalgebra::{DMatrix, DVector};
use std::f64::consts::{E, TAU};
use std::ops::ControlFlow;

/// ½ ‖r(x)‖² by residuals with their Jacobian, row by row.
pub(crate) struct Squares<F> {
    pub(crate) n: usize,
    pub(crate) residuals: F,
    pub(crate) bounds: Vec<(f64, f64)>,
}

impl<F: Fn(&[f64]) -> (Vec<f64>, Vec<Vec<f64>>) + Sync> Objective for Squares<F> {
    fn len(&self) -> usize {
        self.n
    }
    fn cost(&self, x: &[f64]) -> f64 {
        0.5 * (self.residuals)(x).0.iter().map(|r| r * r).sum::<f64>()
    }
    fn gradient(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let quadratic = self.quadratic(x).unwrap();
        gradient.copy_from_slice(&quadratic.gradient);
        quadratic.cost
    }
    fn quadratic(&self, x: &[f64]) -> Option<Quadratic> {
        let (r, rows) = (self.residuals)(x);
        let r = DVector::from_vec(r);
        let j = DMatrix::from_fn(r.len(), self.n, |i, k| rows[i][k]);
        Some(Quadratic {
            cost: 0.5 * r.norm_squared(),
            gradient: (j.transpose() * &r).as_slice().to_vec(),
            hessian: Arrow::from_dense(j.transpose() * j),
        })
    }
    fn bounds(&self) -> &[(f64, f64)] {
        &self.bounds
    }
}

/// Rosenbrock's valley: Σ 100 (x_{i+1} − x_i²)² + (1 − x_i)², least at 1, 1, …
pub(crate) fn rosenbrock(n: usize) -> impl Objective {
    let residuals = move |x: &[f64]| {
        let (mut r, mut rows) = (Vec::new(), Vec::new());
        let scale = 2_f64.sqrt();
        for i in 0..n - 1 {
            let (mut a, mut b) = (vec![0.0; n], vec![0.0; n]);
            (a[i], a[i + 1]) = (-20.0 * scale * x[i], 10.0 * scale);
            b[i] = -scale;
            r.extend([10.0 * scale * (x[i + 1] - x[i] * x[i]), scale * (1.0 - x[i])]);
            rows.extend([a, b]);
        }
        (r, rows)
    };
    Squares { n, residuals, bounds: vec![] }
}

/// Powell's singular function [Moré, Garbow and Hillstrom 1981, problem 13]: its matrix is singular at the minimum 0.
pub(crate) fn powell() -> impl Objective {
    let residuals = |x: &[f64]| {
        let (s5, s10) = (5_f64.sqrt(), 10_f64.sqrt());
        let (u, v) = (x[1] - 2.0 * x[2], x[0] - x[3]);
        let r = vec![x[0] + 10.0 * x[1], s5 * (x[2] - x[3]), u * u, s10 * v * v];
        let rows = vec![
            vec![1.0, 10.0, 0.0, 0.0],
            vec![0.0, 0.0, s5, -s5],
            vec![0.0, 2.0 * u, -4.0 * u, 0.0],
            vec![2.0 * s10 * v, 0.0, 0.0, -2.0 * s10 * v],
        ];
        (r, rows)
    };
    Squares { n: 4, residuals, bounds: vec![] }
}

/// Beale's function [ibid., problem 5], least at (3, ½).
pub(crate) fn beale(bounds: Vec<(f64, f64)>) -> impl Objective {
    let residuals = |x: &[f64]| {
        let of = |k: i32, y: f64| y - x[0] * (1.0 - x[1].powi(k));
        let row = |k: i32| vec![x[1].powi(k) - 1.0, x[0] * f64::from(k) * x[1].powi(k - 1)];
        (vec![of(1, 1.5), of(2, 2.25), of(3, 2.625)], vec![row(1), row(2), row(3)])
    };
    Squares { n: 2, residuals, bounds }
}

/// ½ Σ c_i (x_i − i)², c from 1 to `condition`, in axes that are mixed by a rotation.
pub(crate) fn ellipsoid(n: usize, condition: f64) -> impl Objective {
    // Householder's reflection along 1, 2, 3, …
    let axis = DVector::from_fn(n, |i, _| 1.0 + i as f64).normalize();
    let q = DMatrix::identity(n, n) - 2.0 * &axis * axis.transpose();
    let residuals = move |x: &[f64]| {
        let from = DVector::from_fn(n, |i, _| x[i] - i as f64);
        let root = |i: usize| condition.powf(0.5 * i as f64 / (n - 1) as f64);
        let turned = &q * from;
        let r = (0..n).map(|i| root(i) * turned[i]).collect();
        let rows = (0..n).map(|i| q.row(i).iter().map(|q| root(i) * q).collect()).collect();
        (r, rows)
    };
    Squares { n, residuals, bounds: vec![] }
}

/// A function with its gradient.
pub(crate) struct Smooth<F> {
    pub(crate) n: usize,
    pub(crate) function: F,
    pub(crate) bounds: Vec<(f64, f64)>,
    pub(crate) penalties: Vec<Penalty>,
}

impl<F: Fn(&[f64], &mut [f64]) -> f64 + Sync> Objective for Smooth<F> {
    fn len(&self) -> usize {
        self.n
    }
    fn cost(&self, x: &[f64]) -> f64 {
        (self.function)(x, &mut vec![0.0; self.n])
    }
    fn gradient(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        (self.function)(x, gradient)
    }
    fn bounds(&self) -> &[(f64, f64)] {
        &self.bounds
    }
    fn penalties(&self) -> &[Penalty] {
        &self.penalties
    }
}

/// Rastrigin's function: about 10ⁿ minima within the bounds, the least is 0 at 0.
pub(crate) fn rastrigin(n: usize) -> impl Objective {
    let function = |x: &[f64], gradient: &mut [f64]| {
        for (g, x) in gradient.iter_mut().zip(x) {
            *g = 2.0 * x + 10.0 * TAU * (TAU * x).sin();
        }
        x.iter().map(|x| 10.0 + x * x - 10.0 * (TAU * x).cos()).sum()
    };
    Smooth { n, function, bounds: vec![(-5.12, 5.12); n], penalties: vec![] }
}

/// Ackley's function: a hole at 0, where it is 0, in a plain full of small ones.
pub(crate) fn ackley(n: usize) -> impl Objective {
    let function = |x: &[f64], gradient: &mut [f64]| {
        let n = x.len() as f64;
        let length = (x.iter().map(|x| x * x).sum::<f64>() / n).sqrt();
        let (near, waves) = (
            20.0 * (-0.2 * length).exp(),
            (x.iter().map(|x| (TAU * x).cos()).sum::<f64>() / n).exp(),
        );
        for (g, x) in gradient.iter_mut().zip(x) {
            let outward = if length > 0.0 { x / (n * length) } else { 0.0 };
            *g = 0.2 * near * outward + waves * TAU * (TAU * x).sin() / n;
        }
        20.0 + E - near - waves
    };
    Smooth { n, function, bounds: vec![(-32.0, 32.0); n], penalties: vec![] }
}

/// Runs to the end or for so many iterations.
pub(crate) fn run(
    method: &Method,
    objective: &dyn Objective,
    x: &[f64],
    iterations: u64,
) -> (Search, Stop) {
    let mut search = Search::begin(method, objective, x.to_vec(), 1).unwrap();
    let limits = Limits::iterations(iterations);
    let stop = search.run(objective, &limits, &mut |_| ControlFlow::Continue(()));
    (search, stop)
}

/// Fails unless the best is at `expected`.
pub(crate) fn assert_at(search: &Search, expected: &[f64], tolerance: f64) {
    let (x, cost) = search.best();
    let error = x.iter().zip(expected).fold(0.0, |most, (a, b)| f64::max(most, (a - b).abs()));
    let iteration = search.iteration();
    assert!(
        error <= tolerance,
        "{x:?} is {error} from {expected:?}: cost {cost}, iteration {iteration}"
    );
}
