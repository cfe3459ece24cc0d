//! Searches for plans of real robots.

use std::sync::Arc;

use gradbody_model::import::Base;
use gradbody_sim::State;

use super::support::{folded, lying, problem, robot, servo_laikago, stance};
use crate::{
    Actions, At, ControlError, Cost, Ilqr, IlqrSearch, PlannedMotion, Problem, Progress, Quantity,
    QuantityBars, Shape, Smoothing, StateFunction, When,
};

/// A cart whose pole hangs down; only the cart is pushed.
pub(super) fn hanging_pole() -> Problem {
    let model = robot("cartpole.urdf", Base::default());
    let mut problem = problem(model, 0.005, 100, 4);
    problem.actions = Actions::default();
    problem.actions.add(&problem.model, crate::Action::JointForce(0));
    problem.start.q = vec![0.0, std::f64::consts::PI];
    problem.costs = vec![
        Cost::new("up", Quantity::Configuration(vec![0, 1]), vec![0.0, 0.0], 100.0).at_end(),
        Cost::new("rest", Quantity::Velocity(vec![0, 1]), vec![0.0, 0.0], 10.0).at_end(),
        Cost::new("effort", Quantity::Actions(vec![0]), vec![0.0], 1e-3),
    ];
    problem
}

fn run(search: &mut IlqrSearch, most: usize) -> Progress {
    for _ in 0..most {
        if search.advance() != Progress::Going {
            break;
        }
    }
    search.progress()
}

/// Nothing but the first action: a cost of one's own.
#[derive(Debug)]
struct FirstAction;

impl StateFunction for FirstAction {
    fn len(&self) -> usize {
        1
    }

    fn value(&self, at: &At<'_>, out: &mut [f64]) {
        out[0] = at.actions[0];
    }

    fn vjp(&self, _: &At<'_>, bars: &[f64], to: &mut QuantityBars) {
        to.actions[0] += bars[0];
    }
}

#[test]
fn costs_of_ones_own_may_be_about_actions() {
    let mut problem = hanging_pole();
    problem.costs = vec![Cost::new("own", Quantity::Custom(Arc::new(FirstAction)), vec![3.0], 2.0)];
    let zeros = vec![0.0; problem.numbers()];
    let mut search = IlqrSearch::begin(problem, Ilqr::default(), &zeros).unwrap();
    assert!(search.motion().cost > 8.0);
    run(&mut search, 20);
    assert!(search.motion().cost < 1e-6, "{}", search.motion().cost);
    assert!(search.motion().actions.iter().all(|u| (u - 3.0).abs() < 1e-3));
}

#[test]
fn a_pole_swings_up() {
    let problem = hanging_pole();
    let zeros = vec![0.0; problem.numbers()];
    let mut search = IlqrSearch::begin(problem, Ilqr::default(), &zeros).unwrap();
    assert_eq!(run(&mut search, 200), Progress::Converged);
    let end = search.motion().states.last().unwrap();
    assert!(end.q[1].abs() < 0.05 && end.q[0].abs() < 0.05, "{:?}", end.q);
    assert!(end.v.iter().all(|v| v.abs() < 0.2), "{:?}", end.v);
    let falls = search.history().windows(2).all(|pair| pair[1].cost <= pair[0].cost);
    assert!(falls, "the best plan never becomes worse");
}

#[test]
fn a_search_has_the_same_bits_on_one_and_two_threads_and_when_resumed() {
    let run = |threads: usize, halt: Option<usize>| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let problem = hanging_pole();
            let zeros = vec![0.0; problem.numbers()];
            let options = Ilqr::default();
            let mut search = IlqrSearch::begin(problem.clone(), options.clone(), &zeros).unwrap();
            for k in 0..12 {
                if halt == Some(k) {
                    let state = search.state();
                    search = IlqrSearch::resume(problem.clone(), options.clone(), state).unwrap();
                }
                search.advance();
            }
            (search.motion().actions.clone(), search.history().to_vec())
        })
    };
    let alone = run(1, None);
    assert_eq!(alone, run(2, None));
    assert_eq!(alone, run(2, Some(5)));
}

/// A Laikago with servos whose trunk should be 0.4 m higher for a moment, at a price, and stand again at the end. Nothing says when
/// its feet should leave the ground. Returns also the height in which it stands.
fn jump(knots: usize, top_at: f64) -> (Problem, f64) {
    let (model, start) = servo_laikago();
    let mut problem = problem(model, 2e-3, knots, 5);
    let standing = start.q.clone();
    problem.start = start;
    let mut high = standing.clone();
    high[2] += 0.4;
    let legs_at_zero: Vec<f64> =
        standing[..7].iter().copied().chain(std::iter::repeat_n(0.0, 12)).collect();
    let all: Vec<usize> = (0..18).collect();
    let mut pose = Cost::new("pose", Quantity::Configuration(all.clone()), standing.clone(), 1.0);
    pose.weights = (0..18).map(|k| if k < 6 { 200.0 } else { 5.0 }).collect();
    let mut posture = pose.clone();
    posture.name = "posture".to_owned();
    posture.weights = (0..18).map(|k| [0.0, 10.0, 0.5, 0.5, 0.5, 0.5][k / 3]).collect();
    let mut apex = Cost::new("apex", Quantity::Configuration(vec![2]), high, 5e4);
    apex.when = When::Between { from: top_at - 0.01, to: top_at + 0.01 };
    let calm = Cost::new("calm", Quantity::Velocity(all), vec![0.0; 18], 1e-2);
    let mut rest = calm.clone().at_end();
    rest.weights.fill(2.0);
    let near = Cost::new("near", Quantity::Actions((0..12).collect()), stance(), 1.0);
    problem.costs = vec![apex, posture, pose.at_end(), rest, near, calm];
    let ranges = [(-0.5, 0.5), (-0.3, 2.5), (-2.6, -0.75)];
    for (k, (lower, upper)) in ranges.into_iter().enumerate() {
        let joints = (0..4).map(|leg| 6 + k + 3 * leg).collect();
        let range = Quantity::Configuration(joints);
        let outside = Shape::Outside { lower, upper };
        let range = Cost::new(format!("range {k}"), range, legs_at_zero.clone(), 500.0);
        problem.costs.push(range.shaped(outside));
    }
    (problem, standing[2])
}

/// Searches for a jump, and checks that it rises by `least` above the stance and ends standing.
fn jumps(problem: Problem, options: Ilqr, standing: f64, least: f64, actions: &[f64]) {
    let mut search = IlqrSearch::begin(problem, options, actions).unwrap();
    run(&mut search, 100);
    let top = search.motion().states.iter().map(|state| state.q[2]).fold(0.0, f64::max);
    let end = search.motion().states.last().unwrap();
    println!("{:+} m at the top, {:+} m at the end", top - standing, end.q[2] - standing);
    assert!(top > standing + least, "{top}");
    assert!((end.q[2] - standing).abs() < 0.05, "{:?}", end.q);
    let bent = end.q[7..].iter().zip(stance()).fold(0.0_f64, |m, (q, s)| m.max((q - s).abs()));
    assert!(bent < 0.3, "{:?}", end.q);
    assert!(end.v.iter().all(|v| v.abs() < 0.5), "{:?}", end.v);
}

#[test]
fn a_quadruped_jumps() {
    let (problem, standing) = jump(90, 0.5);
    let actions = stance().repeat(problem.knots);
    jumps(problem, Ilqr::default(), standing, 0.3, &actions);
}

/// From its folded legs. The search begins with a plan that only stands up.
#[test]
fn a_quadruped_jumps_from_lying() {
    let (mut problem, standing) = jump(150, 1.0);
    problem.start = lying(&problem.model);
    assert!(problem.start.q[2] < standing - 0.2, "{:?}", problem.start.q);
    let mut actions = Vec::new();
    for knot in 0..problem.knots {
        let share = (knot as f64 * problem.knot_seconds() / 0.7).min(1.0);
        let between = |(from, to): (f64, f64)| from + share * (to - from);
        actions.extend(folded().into_iter().zip(stance()).map(between));
    }
    // Without smoothing, small changes of the first plan decide whether the search finds a high jump.
    let smoothing = Some(Smoothing { kappa: 0.3, iterations: 20 });
    jumps(problem, Ilqr { smoothing, ..Ilqr::default() }, standing, 0.25, &actions);
}

#[test]
fn a_search_through_contact_has_the_same_bits_on_one_and_two_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (problem, _) = jump(90, 0.5);
            let actions = stance().repeat(problem.knots);
            let mut search = IlqrSearch::begin(problem, Ilqr::default(), &actions).unwrap();
            for _ in 0..3 {
                search.advance();
            }
            (search.motion().actions.clone(), search.history().to_vec())
        })
    };
    assert_eq!(run(1), run(2));
}

/// The force on another cart, of which nothing is asked: its derivative and its curvature are zero.
#[test]
fn an_action_that_does_nothing_does_not_end_the_search() {
    let alone = hanging_pole();
    let zeros = vec![0.0; alone.numbers()];
    let mut without = IlqrSearch::begin(alone.clone(), Ilqr::default(), &zeros).unwrap();
    run(&mut without, 200);
    assert!(without.history().len() > 60, "the search is long enough to see a slow decay");

    let mut both = alone.clone();
    both.model.append(&alone.model, "idle_").unwrap();
    both.start = State::neutral(&both.model);
    both.start.q[1] = std::f64::consts::PI;
    both.costs[0].target = vec![0.0; 4];
    both.actions.add(&both.model, crate::Action::JointForce(2));
    let zeros = vec![0.0; both.numbers()];
    let mut with = IlqrSearch::begin(both, Ilqr::default(), &zeros).unwrap();
    assert_eq!(run(&mut with, 200), Progress::Converged, "{:?}", with.history().last());
    let (with, without) = (with.motion().cost, without.motion().cost);
    assert!((with - without).abs() < 1e-3 * without, "{with} and {without}");
}

/// Near a minimum of zero nothing but rounding is left of the cost, and every share of that looks large.
#[test]
fn a_search_with_a_minimum_of_zero_converges() {
    let mut problem = hanging_pole();
    let zeros = vec![0.0; problem.numbers()];
    // Nothing holds the cart in place, so it can stay where it is told to go.
    problem.costs = vec![
        Cost::new("there", Quantity::Configuration(vec![0]), vec![0.1, 0.0], 1.0).at_end(),
        Cost::new("rest", Quantity::Velocity(vec![0]), vec![0.0], 1.0).at_end(),
    ];
    let mut search = IlqrSearch::begin(problem, Ilqr::default(), &zeros).unwrap();
    let first = search.motion().cost;
    assert_eq!(run(&mut search, 100), Progress::Converged, "{:?}", search.history().last());
    assert!(search.motion().cost < 1e-20 * first, "{}", search.motion().cost);
}

#[test]
fn a_motion_that_diverges_is_named() {
    let mut problem = hanging_pole();
    problem.model.params.joints[0].effort_limit = f64::INFINITY;
    problem.steps = 1;
    problem.actions.upper[0] = 1e200;
    problem.costs.retain(|cost| !cost.quantity.is_of_actions());
    let mut wild = vec![0.0; problem.numbers()];
    wild[3] = 1e200;
    let refused = |problem: &Problem, wild: &[f64]| {
        let search = IlqrSearch::begin(problem.clone(), Ilqr::default(), wild);
        search.map(|search| search.motion().cost).expect_err("the motion is not finite")
    };
    let link = "cart".to_owned();
    let first = refused(&problem, &wild);
    assert_eq!(first, ControlError::FirstMotion { knot: 4, seconds: 0.02, link });
    let told = "under the first actions link \"cart\" diverges in knot 4, after 0.02 s: begin with other actions";
    assert_eq!(first.to_string(), told);
    // The motion is finite, but the square of the last speed is not.
    problem.knots = 4;
    assert_eq!(refused(&problem, &wild[..4]), ControlError::FirstCost { knot: 3, seconds: 0.015 });
}

#[test]
fn impossible_problems_are_refused() {
    let zeros = vec![0.0; 100];
    let refused = |change: &dyn Fn(&mut Problem)| {
        let mut problem = hanging_pole();
        change(&mut problem);
        let Err(error) = IlqrSearch::begin(problem, Ilqr::default(), &zeros) else {
            panic!("the problem was accepted")
        };
        error.to_string()
    };
    assert!(refused(&|p| p.knots = 0).contains("at least one knot"));
    assert!(refused(&|p| p.options.dt = f64::NAN).contains("time step"));
    assert!(refused(&|p| p.start.q[0] = f64::NAN).contains("not finite"));
    assert!(refused(&|p| p.start.q.push(0.0)).contains("another model"));
    let nothing = &|p: &mut Problem| {
        p.actions = Actions::default();
        p.costs.retain(|cost| !cost.quantity.is_of_actions());
    };
    assert!(refused(nothing).contains("nothing can be chosen"));
    assert!(refused(&|p| p.actions.lower[0] = 30.0).contains("lower 30, upper 10"));
    assert!(refused(&|p| p.actions.upper[0] = 20.0).contains("from -10 to 10"));
    let hinge = crate::Action::JointForce(1);
    let twice = refused(&|p| p.actions.held = vec![(hinge, 1.0), (hinge, 2.0)]);
    assert_eq!(twice, "joint/hinge/force is listed twice");
    let told = "the value that joint/hinge/force keeps is not finite";
    assert_eq!(refused(&|p| p.actions.held = vec![(hinge, f64::NAN)]), told);
    let told = "3 bounds were given where 1 are needed";
    assert_eq!(refused(&|p| p.actions.upper = vec![1.0; 3]), told);
    assert!(refused(&|p| p.costs.clear()).contains("no costs"));
    assert!(refused(&|p| p.knots = 99).contains("99"));
    let shape = Shape::Absolute { width: 0.0 };
    assert!(refused(&|p| p.costs[0].shape = shape).contains("\"up\""));
    assert!(refused(&|p| p.costs[0].target = vec![]).contains("\"up\""));
    assert!(refused(&|p| p.costs[0].weights[0] = -1.0).contains("\"up\""));
    assert!(refused(&|p| p.costs[0].quantity = Quantity::Velocity(vec![5])).contains("\"up\""));
    let motion = PlannedMotion::of(&hanging_pole(), &zeros[..99]);
    assert_eq!(motion.unwrap_err(), ControlError::ActionCount { given: 99, needed: 100 });
}

#[test]
fn impossible_options_are_refused() {
    let smoothing = Some(Smoothing { kappa: 0.3, iterations: 0 });
    let error = Ilqr { smoothing, ..Ilqr::default() }.check().unwrap_err().to_string();
    assert!(error.starts_with("smoothing.iterations = 0"), "{error}");
    let (problem, options) = (hanging_pole(), Ilqr::default());
    let zeros = vec![0.0; problem.numbers()];
    let begun = IlqrSearch::begin(problem.clone(), options.clone(), &zeros).unwrap();
    let mut state = begun.state();
    state.curvature.push(1.0);
    let error = IlqrSearch::resume(problem, options, state).map(|_| ()).unwrap_err();
    assert_eq!(error, ControlError::CurvatureCount { given: 2, needed: 1 });
}
