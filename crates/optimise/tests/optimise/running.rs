//! When a run ends.

use crate::problems::{rastrigin, rosenbrock};
use gradbody_optimise::{Adam, BasinHopping, Limits, Method, Search, Stop};
use std::ops::ControlFlow;

fn begin() -> Search {
    let adam = Adam { learning_rate: 0.01, ..Adam::default() };
    Search::begin(&Method::Adam(adam), &rosenbrock(2), vec![-1.2, 1.0], 0).unwrap()
}

fn go_on(_: &Search) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn iterations_are_those_of_the_search_and_not_of_the_run() {
    let mut search = begin();
    for most in [10, 25] {
        assert_eq!(
            search.run(&rosenbrock(2), &Limits::iterations(most), &mut go_on),
            Stop::Iterations
        );
        assert_eq!(search.iteration(), most);
    }
}

#[test]
fn a_run_ends_at_its_target_at_once() {
    let mut search = begin();
    let limits = Limits { target: Some(1.0), ..Limits::iterations(10_000) };
    let mut costs = Vec::new();
    let stop = search.run(&rosenbrock(2), &limits, &mut |search| {
        costs.push(search.best().1);
        ControlFlow::Continue(())
    });
    assert_eq!(stop, Stop::Target);
    let (last, before) = costs.split_last().unwrap();
    assert!(*last <= 1.0 && !before.is_empty() && before.iter().all(|cost| *cost > 1.0));
    assert_eq!(costs.len() as u64, search.iteration());
}

#[test]
fn a_run_ends_when_its_time_is_over() {
    let mut search = begin();
    let limits = Limits { seconds: Some(0.05), ..Limits::default() };
    let began = std::time::Instant::now();
    assert_eq!(search.run(&rosenbrock(2), &limits, &mut go_on), Stop::Time);
    let took = began.elapsed().as_secs_f64();
    assert!((0.05..1.0).contains(&took) && search.iteration() > 0, "{took} s");
}

#[test]
fn a_watcher_breaks_off_within_a_round() {
    let hopping = BasinHopping { slice: 1, ..BasinHopping::default() };
    let mut search =
        Search::begin(&Method::BasinHopping(hopping), &rastrigin(4), vec![3.3; 4], 0).unwrap();
    let stop = search.run(&rastrigin(4), &Limits::default(), &mut |search| {
        if search.iteration() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!((stop, search.iteration()), (Stop::Interrupted, 3));
}
