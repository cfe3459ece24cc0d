//! Lasso and group lasso.

use crate::problems::{Smooth, run};
use gradbody_learn::optimise::{
    Adam, Decay, Lbfgs, Method, Objective, OptimiseError, Penalty, Search,
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

/// The conditions of Karush, Kuhn and Tucker for the sparse-group lasso, with a coupled cost.
#[test]
fn the_sparse_group_lasso_meets_its_optimality_conditions() {
    let groups = vec![vec![0, 1, 2], vec![3, 4, 5], vec![6, 7, 8]];
    let (l1, l2) = (0.2, 0.6);
    let penalties = vec![Penalty::lasso(l1, 0..9), Penalty::group_lasso(l2, groups.clone())];
    let b = vec![2.0, -1.0, 0.05, 0.3, -0.2, 0.1, 0.0, 0.9, 1.4];
    let objective = bowl(b, 0.15, penalties);
    let (search, _) = run(&adam(), &objective, &[0.5; 9], 5000);
    let (x, _) = search.best();
    let mut gradient = vec![0.0; 9];
    objective.gradient(x, &mut gradient);
    let (mut zero_groups, mut lone_zeros) = (0, 0);
    for group in &groups {
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
    assert!(zero_groups == 1 && lone_zeros >= 1, "{x:?}");
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
