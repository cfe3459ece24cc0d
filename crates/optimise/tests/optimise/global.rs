//! Global methods on functions with many minima.

use crate::problems::{Smooth, ackley, assert_at, ellipsoid, rastrigin, run};
use gradbody_math::random::Random;
use gradbody_optimise::{
    BasinHopping, CmaEs, Islands, Lbfgs, Limits, Method, Objective, Refinement, Search, Stop,
};
use std::ops::ControlFlow;

#[test]
fn cma_es_finds_the_bottom_of_a_thin_ellipsoid() {
    let expected: Vec<f64> = (0..6).map(|i| i as f64).collect();
    let (search, stop) = run(&Method::CmaEs(CmaEs::default()), &ellipsoid(6, 1e6), &[3.0; 6], 2000);
    assert!(matches!(stop, Stop::Converged(_)), "{stop:?}");
    assert_at(&search, &expected, 1e-8);
    assert_eq!(search.evaluations().gradients, 0);
}

/// How many of 20 starts within the bounds end at the global minimum, which is zero at zero.
fn successes(method: &Method, objective: &dyn Objective, iterations: u64) -> usize {
    let mut random = Random::new(5);
    let ends_at_zero = |seed: u64| {
        let start =
            objective.bounds().iter().map(|(low, high)| random.between(*low, *high)).collect();
        let mut search = Search::begin(method, objective, start, seed).unwrap();
        let limits = Limits { target: Some(1e-9), ..Limits::iterations(iterations) };
        let stop = search.run(objective, &limits, &mut |_| ControlFlow::Continue(()));
        let (x, _) = search.best();
        stop == Stop::Target && x.iter().all(|x| x.abs() < 1e-4)
    };
    (0..20).map(ends_at_zero).filter(|found| *found).count()
}

#[test]
fn cma_es_with_a_large_population_finds_rastrigins_minimum() {
    let method = Method::CmaEs(CmaEs { population: 200, ..CmaEs::default() });
    let found = successes(&method, &rastrigin(4), 300);
    assert!(found >= 18, "{found} of 20");
}

#[test]
fn basin_hopping_finds_the_global_minimum_where_a_local_search_does_not() {
    let local = Method::Lbfgs(Lbfgs { gradient_tolerance: 1e-7, ..Lbfgs::default() });
    let alone = successes(&local, &rastrigin(4), 200) + successes(&local, &ackley(3), 200);
    assert!(alone <= 4, "a local search alone found {alone} of 40");
    let hopping = BasinHopping { local: Box::new(local), patience: 200, ..BasinHopping::default() };
    let method = Method::BasinHopping(hopping);
    assert_eq!(successes(&method, &rastrigin(4), 2000), 20);
    assert_eq!(successes(&method, &ackley(3), 2000), 20);
}

#[test]
fn islands_find_the_global_minimum() {
    let plain = Method::Islands(Islands::default());
    assert_eq!(successes(&plain, &rastrigin(4), 1000), 20);
    let refined = Islands { refinement: Some(Refinement::default()), ..Islands::default() };
    assert_eq!(successes(&Method::Islands(refined), &ackley(3), 1000), 20);
}

/// No cost in three quarters of the plane, nor at the start.
#[test]
fn global_methods_leave_a_start_without_a_cost() {
    let function = |x: &[f64], gradient: &mut [f64]| {
        gradient.copy_from_slice(&[2.0 * (x[0] - 1.0), 2.0 * (x[1] - 2.0)]);
        let defined = x[0] > 0.0 && x[1] > 0.0;
        if defined { (x[0] - 1.0).powi(2) + (x[1] - 2.0).powi(2) } else { f64::INFINITY }
    };
    let objective = Smooth { n: 2, function, bounds: vec![(-5.0, 5.0); 2], penalties: vec![] };
    let methods = [
        Method::CmaEs(CmaEs { population: 20, ..CmaEs::default() }),
        Method::BasinHopping(BasinHopping::default()),
        Method::Islands(Islands::default()),
    ];
    for method in methods {
        let search = Search::begin(&method, &objective, vec![-3.0, -3.0], 1).unwrap();
        assert!(matches!(method, Method::Islands(_)) || search.best().1 == f64::INFINITY);
        let (search, _) = run(&method, &objective, &[-3.0, -3.0], 300);
        assert_at(&search, &[1.0, 2.0], 1e-4);
    }
}
