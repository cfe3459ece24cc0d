//! Searches by samples.

use super::search::hanging_pole;
use crate::{Mppi, MppiSearch, Problem, Progress};

#[test]
fn samples_swing_a_pole_up() {
    let problem = hanging_pole();
    let zeros = vec![0.0; problem.numbers()];
    let mut search = MppiSearch::begin(problem, Mppi::default(), &zeros, 7).unwrap();
    let begun = search.motion().cost;
    for _ in 0..150 {
        if search.advance() != Progress::Going {
            break;
        }
    }
    let end = search.motion().states.last().unwrap();
    let (cost, iterations) = (search.motion().cost, search.history().len());
    println!("{begun} falls to {cost} in {iterations} iterations: {:?}, {:?}", end.q, end.v);
    assert!(end.q[1].abs() < 0.2, "{:?}", end.q);
    assert!(cost < 0.01 * begun, "{cost}");
    let falls = search.history().windows(2).all(|pair| pair[1].cost <= pair[0].cost);
    assert!(falls, "the best plan never becomes worse");
}

#[test]
fn samples_have_the_same_bits_on_one_and_two_threads_and_when_resumed() {
    let run = |threads: usize, halt: Option<usize>| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let problem = hanging_pole();
            let zeros = vec![0.0; problem.numbers()];
            let options = Mppi { samples: 50, ..Mppi::default() };
            let mut search =
                MppiSearch::begin(problem.clone(), options.clone(), &zeros, 3).unwrap();
            for k in 0..6 {
                if halt == Some(k) {
                    let state = search.state();
                    search = MppiSearch::resume(problem.clone(), options.clone(), state).unwrap();
                }
                search.advance();
            }
            search.state()
        })
    };
    let alone = run(1, None);
    assert_eq!(alone, run(2, None));
    assert_eq!(alone, run(2, Some(3)));
    assert_ne!(alone.mean, alone.actions, "the best plan is not the mean");
}

/// No plan near the first one has a finite cost, so nothing is gained and nothing lost.
#[test]
fn plans_that_diverge_count_for_nothing() {
    let mut problem = hanging_pole();
    problem.model.params.joints[0].effort_limit = f64::INFINITY;
    problem.actions.lower[0] = f64::NEG_INFINITY;
    problem.actions.upper[0] = f64::INFINITY;
    let zeros = vec![0.0; problem.numbers()];
    let options = Mppi { spread: 1e160, ..Mppi::default() };
    let mut search = MppiSearch::begin(problem, options, &zeros, 1).unwrap();
    let before = search.motion().cost;
    search.advance();
    let iteration = search.history()[0];
    assert_eq!((iteration.diverged, iteration.effective), (255, 1.0));
    assert_eq!(iteration.least, iteration.mean);
    assert_eq!(search.motion().cost, before);
    assert_eq!(search.state().mean, zeros);
}

#[test]
fn impossible_options_are_refused() {
    let refused = |options: Mppi| options.check().unwrap_err().to_string();
    let usual = Mppi::default;
    assert!(refused(Mppi { samples: 1, ..usual() }).contains("samples = 1"));
    assert!(refused(Mppi { samples: 1_000_000_000, ..usual() }).contains("at most 100000"));
    assert!(refused(Mppi { spread: 0.0, ..usual() }).contains("spread = 0"));
    assert!(refused(Mppi { temperature: f64::NAN, ..usual() }).contains("temperature = NaN"));
    assert!(refused(Mppi { memory: 1.0, ..usual() }).contains("memory = 1"));
    let problem = hanging_pole();
    let search = MppiSearch::begin(problem.clone(), usual(), &[0.0; 3], 1);
    assert!(search.unwrap_err().to_string().contains("3 numbers"));
    let long = Problem { knots: 10_000, ..problem.clone() };
    let zeros = vec![0.0; long.numbers()];
    let many = MppiSearch::begin(long, Mppi { samples: 100_000, ..usual() }, &zeros, 1);
    assert!(many.unwrap_err().to_string().contains("more than 2 GiB"));
    let zeros = vec![0.0; problem.numbers()];
    let options = Mppi { memory: -0.1, ..usual() };
    assert!(MppiSearch::begin(problem, options, &zeros, 1).is_err());
}
