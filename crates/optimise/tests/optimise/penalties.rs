//! Lasso and group lasso.

use crate::problems::{Smooth, Squares, run};
use gradbody_optimise::{
    Adam, Decay, Lbfgs, LevenbergMarquardt, Method, Objective, OptimiseError, Penalty, Quadratic,
    Search,
};

/// ½ ‖x − b‖² coupled by c·x₀x₁ and the like, with a penalty.
fn bowl(b: Vec<f64>, coupling: f64, penalties: Vec<Penalty>) -> impl Objective {
    let n = b.len();
    let function = move |x: &[f64], gradient: &mut [f64]| {
        let mut cost = 0.0;
        for i in 0..n {
            let next = x[(i + 1) % n];
            let before = x[(i + n - 1) % n];
            cost += 0.5 * (x[i] - b[i]).powi(2) + coupling * x[i] * next;
            gradient[i] = x[i] - b[i] + coupling * (next + before);
        }
        cost
    };
    Smooth { n, function, bounds: vec![], penalties }
}

fn adam() -> Method {
    let text =
        "method = 'proximal-adam'\nlearning-rate = 0.05\ndecay = { kind = 'cosine', steps = 4000 }";
    let method = toml::from_str(text).unwrap();
    let decay = Decay::Cosine { steps: 4000 };
    assert_eq!(method, Method::Adam(Adam { learning_rate: 0.05, decay, ..Adam::default() }));
    method
}

/// With an orthogonal design the solution is the soft threshold [Tibshirani 1996].
#[test]
fn the_lasso_of_an_orthogonal_design_is_a_soft_threshold() {
    let b = vec![3.0, -0.2, 0.7, -1.5, 0.49, 0.0];
    let objective = bowl(b.clone(), 0.0, vec![Penalty::lasso(0.5, 0..6)]);
    let (search, _) = run(&adam(), &objective, &[1.0; 6], 5000);
    let (x, _) = search.best();
    for (x, b) in x.iter().zip(&b) {
        let expected = b.signum() * (b.abs() - 0.5).max(0.0);
        assert!((x - expected).abs() < 1e-6, "{x} for {expected}");
        assert!(expected != 0.0 || *x == 0.0, "{x} is not exactly zero");
    }
}

const GROUPS: [[usize; 3]; 3] = [[0, 1, 2], [3, 4, 5], [6, 7, 8]];
const B: [f64; 9] = [2.0, -1.0, 0.05, 0.3, -0.2, 0.1, 0.0, 0.9, 1.4];

/// Asserts the conditions of Karush, Kuhn and Tucker for the sparse-group lasso; gives how many groups are zero, and how
/// many numbers of those that are not.
fn assert_optimal(objective: &dyn Objective, x: &[f64], (l1, l2): (f64, f64)) -> (usize, usize) {
    let mut gradient = vec![0.0; objective.len()];
    objective.gradient(x, &mut gradient);
    let (mut zero_groups, mut lone_zeros) = (0, 0);
    for group in &GROUPS {
        let length = group.iter().map(|&i| x[i] * x[i]).sum::<f64>().sqrt();
        if length == 0.0 {
            zero_groups += 1;
            let soft = group
                .iter()
                .map(|&i| (gradient[i].abs() - l1).max(0.0).powi(2))
                .sum::<f64>()
                .sqrt();
            assert!(soft <= l2 + 1e-9, "group {group:?} must not be zero: {soft}");
            continue;
        }
        for &i in group {
            if x[i] == 0.0 {
                lone_zeros += 1;
                assert!(gradient[i].abs() <= l1 + 1e-6, "{i} must not be zero: {}", gradient[i]);
            } else {
                let rest = gradient[i] + l1 * x[i].signum() + l2 * x[i] / length;
                assert!(rest.abs() < 1e-5, "{i} is not stationary: {rest}");
            }
        }
    }
    for (i, rest) in gradient.iter().enumerate().skip(GROUPS.as_flattened().len()) {
        assert!(rest.abs() < 1e-5, "{i} is not stationary: {rest}");
    }
    (zero_groups, lone_zeros)
}

fn sparse_group_lasso(l1: f64, l2: f64) -> Vec<Penalty> {
    let groups = GROUPS.iter().map(|group| group.to_vec()).collect();
    vec![Penalty::lasso(l1, 0..9), Penalty::group_lasso(l2, groups)]
}

#[test]
fn the_sparse_group_lasso_meets_its_optimality_conditions() {
    let objective = bowl(B.to_vec(), 0.15, sparse_group_lasso(0.2, 0.6));
    let (search, _) = run(&adam(), &objective, &[0.5; 9], 5000);
    let (x, _) = search.best();
    let (zero_groups, lone_zeros) = assert_optimal(&objective, x, (0.2, 0.6));
    assert!(zero_groups == 1 && lone_zeros >= 1, "{x:?}");
}

/// Levenberg-Marquardt takes the penalties into its step. A number without penalty that does almost what one with a
/// penalty does, and the curve of the residuals, must not keep it from the exact solution.
#[test]
fn levenberg_marquardt_finds_the_same_zeros_in_a_few_steps() {
    let residuals = |x: &[f64]| {
        let (mut r, mut rows) = (Vec::new(), Vec::new());
        for i in 0..9 {
            let next = (i + 1) % 9;
            let mut row = vec![0.0; 10];
            r.push(x[i] - B[i] + 0.15 * x[next] + 0.1 * x[i] * x[i]);
            (row[i], row[next]) = (1.0 + 0.2 * x[i], 0.15);
            rows.push(row);
        }
        let mut row = vec![0.0; 10];
        r.push(10.0 * (x[0] + 1.01 * x[9] - 1.0));
        (row[0], row[9]) = (10.0, 10.1);
        rows.push(row);
        (r, rows)
    };
    let penalties = sparse_group_lasso(0.2, 0.6);
    let objective = Penalised(Squares { n: 10, residuals, bounds: vec![] }, penalties);
    let method = Method::LevenbergMarquardt(LevenbergMarquardt::default());
    let (search, _) = run(&method, &objective, &[0.5; 10], 50);
    let (x, _) = search.best();
    let (zero_groups, _) = assert_optimal(&objective, x, (0.2, 0.6));
    assert!(zero_groups == 1, "{x:?}");
    assert!(search.iteration() < 30, "{} iterations", search.iteration());
}

/// A number at its bound stays there if cost and penalty together press it on, and comes back if the penalty wins.
#[test]
fn levenberg_marquardt_takes_penalties_at_bounds() {
    let least = |towards: f64| {
        let residuals = move |x: &[f64]| {
            let rows = vec![vec![10.0, 0.0], vec![0.0, 1.0]];
            (vec![10.0 * (x[0] - towards), x[1] - 3.0], rows)
        };
        let bounds = vec![(-1.0, 1.0), (f64::NEG_INFINITY, f64::INFINITY)];
        let squares = Squares { n: 2, residuals, bounds };
        let objective = Penalised(squares, vec![Penalty::lasso(1.0, 0..2)]);
        let method = Method::LevenbergMarquardt(LevenbergMarquardt::default());
        run(&method, &objective, &[1.0, 0.5], 50).0.best().0.to_vec()
    };
    for (towards, expected) in [(2.0, 1.0), (1.005, 0.995)] {
        let x = least(towards);
        assert!((x[0] - expected).abs() < 1e-6 && (x[1] - 2.0).abs() < 1e-6, "{x:?}");
    }
}

/// An objective with penalties.
struct Penalised<O>(O, Vec<Penalty>);

impl<O: Objective> Objective for Penalised<O> {
    fn len(&self) -> usize {
        self.0.len()
    }
    fn cost(&self, x: &[f64]) -> f64 {
        self.0.cost(x)
    }
    fn gradient(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        self.0.gradient(x, gradient)
    }
    fn quadratic(&self, x: &[f64]) -> Option<Quadratic> {
        self.0.quadratic(x)
    }
    fn bounds(&self) -> &[(f64, f64)] {
        self.0.bounds()
    }
    fn penalties(&self) -> &[Penalty] {
        &self.1
    }
}

#[test]
fn penalties_that_make_no_sense_are_refused() {
    let begin = |method: &Method, penalty: Penalty| {
        Search::begin(method, &bowl(vec![1.0; 4], 0.0, vec![penalty]), vec![0.0; 4], 0).map(|_| ())
    };
    let lbfgs = Method::Lbfgs(Lbfgs::default());
    assert_eq!(begin(&lbfgs, Penalty::lasso(1.0, 0..4)), Err(OptimiseError::Penalties));
    assert_eq!(begin(&adam(), Penalty::lasso(-1.0, 0..4)), Err(OptimiseError::PenaltyWeight(-1.0)));
    let outside = Err(OptimiseError::PenaltyIndex { index: 4, n: 4 });
    assert_eq!(begin(&adam(), Penalty::lasso(1.0, 0..5)), outside);
    let overlapping = Penalty::group_lasso(1.0, vec![vec![0, 1], vec![1, 2]]);
    assert_eq!(begin(&adam(), overlapping), Err(OptimiseError::PenaltyOverlap { index: 1 }));
}
