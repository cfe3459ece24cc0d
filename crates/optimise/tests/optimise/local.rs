//! Local methods on the classic test functions.

use crate::problems::{Smooth, assert_at, beale, ellipsoid, powell, rosenbrock, run};
use gradbody_optimise::{
    Adam, Decay, GaussNewton, Lbfgs, LevenbergMarquardt, Method, Objective, Search, Stop, Trouble,
};

pub(crate) fn local_methods() -> [Method; 3] {
    [
        Method::LevenbergMarquardt(LevenbergMarquardt::default()),
        Method::GaussNewton(GaussNewton::default()),
        Method::Lbfgs(Lbfgs::default()),
    ]
}

fn converged(stop: Stop) -> bool {
    matches!(stop, Stop::Converged(_))
}

#[test]
fn rosenbrocks_valley_is_followed_to_its_end() {
    for method in local_methods() {
        for n in [2, 10] {
            let start: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { -1.2 } else { 1.0 }).collect();
            let (search, stop) = run(&method, &rosenbrock(n), &start, 300);
            assert!(converged(stop), "{method:?}, {n}: {stop:?}");
            assert_at(&search, &vec![1.0; n], 1e-7);
        }
    }
}

#[test]
fn powells_minimum_is_found_though_the_matrix_is_singular_there() {
    for method in local_methods() {
        let (search, _) = run(&method, &powell(), &[3.0, -1.0, 0.0, 1.0], 500);
        // The cost is flat to fourth order: 1e-16 is 1e-4 in x.
        assert_at(&search, &[0.0; 4], 2e-3);
        assert!(search.best().1 < 1e-10, "{method:?}: {}", search.best().1);
    }
}

#[test]
fn an_ill_conditioned_bowl_has_its_minimum_found() {
    let expected: Vec<f64> = (0..8).map(|i| i as f64).collect();
    for method in local_methods() {
        let (search, stop) = run(&method, &ellipsoid(8, 1e8), &[0.0; 8], 2000);
        assert!(converged(stop), "{method:?}: {stop:?}");
        assert_at(&search, &expected, 1e-5);
    }
}

/// The minimum within the bounds is where the derivative along the bound x₀ = 2.5 vanishes: found here by bisection.
#[test]
fn beales_minimum_within_bounds_is_on_the_bound() {
    let bounds = vec![(0.5, 2.5), (-1.0, 1.0)];
    let objective = beale(bounds);
    let slope = |y: f64| {
        let mut gradient = [0.0; 2];
        objective.gradient(&[2.5, y], &mut gradient);
        gradient
    };
    let (mut low, mut high) = (0.0, 0.6);
    assert!(slope(low)[1] < 0.0 && slope(high)[1] > 0.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if slope(middle)[1] < 0.0 { low = middle } else { high = middle }
    }
    assert!(slope(low)[0] < -0.01, "the bound holds the solution");
    for method in local_methods() {
        let (search, stop) = run(&method, &objective, &[1.0, 0.8], 200);
        assert!(converged(stop), "{method:?}: {stop:?}");
        assert_eq!(search.best().0[0], 2.5, "{method:?}");
        assert_at(&search, &[2.5, low], 1e-7);
    }
    let adam =
        Adam { learning_rate: 0.03, decay: Decay::Cosine { steps: 3000 }, ..Adam::default() };
    let (search, stop) = run(&Method::Adam(adam), &objective, &[1.0, 0.8], 10_000);
    assert!(converged(stop));
    assert_at(&search, &[2.5, low], 1e-6);
}

#[test]
fn bounds_that_do_not_matter_change_nothing() {
    for method in local_methods() {
        let (search, _) = run(&method, &beale(vec![(-4.5, 4.5); 2]), &[1.0, 1.0], 200);
        assert_at(&search, &[3.0, 0.5], 1e-7);
    }
}

/// The cost is NaN for x₀ > 1, and its gradient leads there; along the wall it has a minimum in x₁.
fn half_of_space() -> impl Objective {
    let function = |x: &[f64], gradient: &mut [f64]| {
        gradient.copy_from_slice(&[2.0 * (x[0] - 0.9), 2.0 * (x[1] + 3.0)]);
        if x[0] > 1.0 { f64::NAN } else { (x[0] - 0.9).powi(2) + (x[1] + 3.0).powi(2) }
    };
    Smooth { n: 2, function, bounds: vec![], penalties: vec![] }
}

#[test]
fn a_minimum_near_where_nothing_is_finite_is_found() {
    let adam = Adam {
        learning_rate: 0.3,
        decay: Decay::Exponential { half_life: 100.0 },
        ..Adam::default()
    };
    for method in [Method::Lbfgs(Lbfgs::default()), Method::Adam(adam)] {
        let (search, _) = run(&method, &half_of_space(), &[-4.0, 5.0], 2000);
        assert_at(&search, &[0.9, -3.0], 1e-5);
    }
    // The same for sums of squares, with a step that first jumps over the wall.
    let residuals = |x: &[f64]| {
        let wall = if x[0] > 1.0 { f64::NAN } else { 0.0 };
        (
            vec![x[0].exp() - 0.9_f64.exp() + wall, x[1] + 3.0],
            vec![vec![x[0].exp(), 0.0], vec![0.0, 1.0]],
        )
    };
    let objective = crate::problems::Squares { n: 2, residuals, bounds: vec![] };
    for method in &local_methods()[..2] {
        let (search, stop) = run(method, &objective, &[-2.0, 5.0], 200);
        assert!(converged(stop), "{method:?}: {stop:?}");
        assert_at(&search, &[0.9, -3.0], 1e-8);
    }
}

#[test]
fn a_wall_before_the_minimum_is_reported_and_never_crossed() {
    let residuals = |x: &[f64]| {
        let wall = if x[0] > 1.0 { f64::NAN } else { 0.0 };
        (vec![x[0] - 2.0 + wall], vec![vec![1.0]])
    };
    let objective = crate::problems::Squares { n: 1, residuals, bounds: vec![] };
    for method in local_methods() {
        let (search, stop) = run(&method, &objective, &[0.0], 500);
        assert_eq!(stop, Stop::Stuck(Trouble::NotFinite), "{method:?}");
        let (x, cost) = search.best();
        assert!(x[0] > 0.99 && x[0] <= 1.0 && cost.is_finite(), "{method:?}: {x:?}, {cost}");
    }
}

/// The cost rises on both sides of x₀ = 0, where the derivative does not vanish: a kink, not a stationary point.
#[test]
fn a_search_that_is_stuck_at_a_kink_does_not_say_that_it_converged() {
    let residuals = |x: &[f64]| {
        let side = if x[0] >= 0.0 { 5.0 } else { -3.0 };
        (vec![1.0 + side * x[0], x[1] - 2.0], vec![vec![side, 0.0], vec![0.0, 1.0]])
    };
    let objective = crate::problems::Squares { n: 2, residuals, bounds: vec![] };
    for start in [[0.0, 2.0], [0.3, -1.0], [-0.4, 5.0]] {
        for method in &local_methods()[..2] {
            let (search, stop) = run(method, &objective, &start, 500);
            assert_eq!(stop, Stop::Stuck(Trouble::NoDescent), "{method:?} from {start:?}");
            assert!(search.best().0[0].abs() < 1e-3, "{method:?}: {:?}", search.best());
        }
    }
}

/// Costs have rounding errors. A search that they stop at the minimum has converged, however large the cost is there.
#[test]
fn a_minimum_with_large_residuals_is_not_taken_for_a_kink() {
    let residuals = |x: &[f64]| {
        // Rounding of 1e-11, as in a long rollout.
        let rough = 1e-11 * (1e9 * (x[0] + 3.0 * x[1])).sin();
        let rows = [(1.0, 0.3), (0.2, 1.0), (0.7, -0.4), (-0.5, 0.9)];
        let r = |(k, (a, b)): (usize, (f64, f64))| {
            a * x[0]
                + b * (x[1] + 1e-4 * x[1] * x[1])
                + 300.0 * (1.0 + 2.0 * k as f64).sin() * (1.0 + rough)
        };
        let jacobian = rows.iter().map(|(a, b)| vec![*a, b * (1.0 + 2e-4 * x[1])]).collect();
        (rows.into_iter().enumerate().map(r).collect(), jacobian)
    };
    let objective = crate::problems::Squares { n: 2, residuals, bounds: vec![] };
    for method in &local_methods()[..2] {
        let (search, stop) = run(method, &objective, &[1.0, 0.2], 500);
        assert!(search.best().1 > 1e3, "{:?}", search.best());
        assert!(converged(stop), "{method:?}: {stop:?} at {:?}", search.best());
    }
}

/// A straight line through noisy points, a minibatch a point.
struct Points(Vec<(f64, f64)>);

impl Objective for Points {
    fn len(&self) -> usize {
        2
    }
    fn cost(&self, x: &[f64]) -> f64 {
        self.gradient(x, &mut [0.0; 2])
    }
    fn gradient(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let (mut total, mut part) = ([0.0; 2], [0.0; 2]);
        let n = self.0.len() as f64;
        let cost = (0..self.0.len()).fold(0.0, |sum, i| {
            let cost = self.part_gradient(i, x, &mut part);
            (0..2).for_each(|k| total[k] += part[k] / n);
            sum + cost / n
        });
        gradient.copy_from_slice(&total);
        cost
    }
    fn parts(&self) -> usize {
        self.0.len()
    }
    fn part_gradient(&self, part: usize, x: &[f64], gradient: &mut [f64]) -> f64 {
        let (t, y) = self.0[part];
        let r = x[0] + x[1] * t - y;
        gradient.copy_from_slice(&[r, r * t]);
        0.5 * r * r
    }
}

#[test]
fn adam_finds_the_regression_line_from_one_point_at_a_time() {
    let points: Vec<(f64, f64)> = (0..20)
        .map(|i| {
            (
                f64::from(i) / 10.0 - 1.0,
                0.5 + 2.0 * (f64::from(i) / 10.0 - 1.0) + 0.1 * f64::from(i * 7 % 5),
            )
        })
        .collect();
    // The normal equations.
    let n = points.len() as f64;
    let sum = |f: fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>();
    let (st, sy, stt, sty) = (sum(|p| p.0), sum(|p| p.1), sum(|p| p.0 * p.0), sum(|p| p.0 * p.1));
    let slope = (n * sty - st * sy) / (n * stt - st * st);
    let adam = Adam { learning_rate: 0.1, decay: Decay::Cosine { steps: 8000 }, ..Adam::default() };
    let (search, _) = run(&Method::Adam(adam), &Points(points), &[0.0, 0.0], 9000);
    assert_at(&search, &[(sy - slope * st) / n, slope], 2e-3);
    assert_eq!(search.evaluations().gradients, 8000);
}

#[test]
fn a_clipped_gradient_still_leads_down() {
    let adam = Adam {
        learning_rate: 0.05,
        clip: 0.1,
        decay: Decay::Cosine { steps: 4000 },
        ..Adam::default()
    };
    let (search, _) = run(&Method::Adam(adam), &rosenbrock(2), &[-1.2, 1.0], 5000);
    assert_at(&search, &[1.0, 1.0], 1e-3);
}

#[test]
fn a_search_counts_what_it_asks() {
    let method = Method::Lbfgs(Lbfgs::default());
    let search = Search::begin(&method, &rosenbrock(2), vec![0.0; 2], 0).unwrap();
    assert_eq!((search.evaluations().costs, search.evaluations().gradients), (0, 1));
}
