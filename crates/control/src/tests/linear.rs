//! Linear motions with square costs, whose best plan follows from one system of equations.

use gradbody_math::Vec3;
use gradbody_math::{Inertia, Sym3};
use gradbody_model::{FrameId, JointSpec, Model, ModelBuilder};
use nalgebra::{DMatrix, DVector};

use super::support::problem;
use crate::{Cost, Ilqr, IlqrSearch, Problem, Progress, Quantity};

/// Two masses on rails, the second on the first, with springs and dampers.
fn masses() -> Model<f64> {
    let mut builder = ModelBuilder::new("masses");
    let inertia = |mass| Inertia {
        mass,
        com: Vec3::ZERO,
        rotational: Sym3::diagonal(Vec3::new(0.1, 0.1, 0.1)),
    };
    let rail = |name: &str| JointSpec::prismatic(name, Vec3::X);
    let first = builder.link("first", FrameId::WORLD, rail("rail"), inertia(1.0)).unwrap();
    builder.link("second", first, rail("slide"), inertia(0.5)).unwrap();
    let mut model = builder.build().unwrap();
    for joint in &mut model.params.joints {
        joint.stiffness = 20.0;
        joint.damping = 0.5;
    }
    model
}

/// Two masses on rails of their own, at rest at zero. The first should go to 1; nothing is asked of the second.
pub(super) fn one_of_two_rails() -> Problem {
    let mut builder = ModelBuilder::new("rails");
    let inertia = Inertia {
        mass: 1.0,
        com: Vec3::ZERO,
        rotational: Sym3::diagonal(Vec3::new(0.1, 0.1, 0.1)),
    };
    for name in ["asked", "idle"] {
        let rail = JointSpec::prismatic(name, Vec3::X);
        builder.link(name, FrameId::WORLD, rail, inertia).unwrap();
    }
    let mut problem = problem(builder.build().unwrap(), 0.01, 20, 3);
    problem.costs = vec![
        Cost::new("place", Quantity::Configuration(vec![0]), vec![1.0], 30.0),
        Cost::new("rest", Quantity::Velocity(vec![0]), vec![0.0], 4.0),
    ];
    problem
}

pub(super) fn linear() -> Problem {
    let mut problem = problem(masses(), 0.01, 20, 3);
    problem.start.q = vec![0.3, -0.2];
    problem.start.v = vec![0.0, 1.0];
    problem.costs = vec![
        Cost::new("place", Quantity::Configuration(vec![0, 1]), vec![0.5, 0.1], 30.0),
        Cost::new("effort", Quantity::Actions(vec![0, 1]), vec![0.0, 0.2], 0.1),
        Cost::new("rest", Quantity::Velocity(vec![0, 1]), vec![0.0, 0.0], 4.0).at_end(),
    ];
    problem
}

/// The cost of the motion under actions.
fn cost(problem: &Problem, actions: &[f64]) -> f64 {
    let search = IlqrSearch::begin(problem.clone(), Ilqr::default(), actions).unwrap();
    search.motion().cost
}

/// The best actions without bounds, from the cost at actions: a quadratic function, so its differences are exact but for
/// rounding.
fn best(problem: &Problem) -> Vec<f64> {
    let n = problem.numbers();
    let at = |ones: &[usize]| {
        let mut actions = vec![0.0; n];
        ones.iter().for_each(|k| actions[*k] += 1.0);
        cost(problem, &actions)
    };
    let zero = at(&[]);
    let single: Vec<f64> = (0..n).map(|k| at(&[k])).collect();
    let mut h = DMatrix::zeros(n, n);
    let mut g = DVector::zeros(n);
    for i in 0..n {
        for j in 0..=i {
            h[(i, j)] = at(&[i, j]) - single[i] - single[j] + zero;
            h[(j, i)] = h[(i, j)];
        }
        g[i] = single[i] - zero - 0.5 * h[(i, i)];
    }
    (-h.cholesky().expect("the cost is convex").solve(&g)).as_slice().to_vec()
}

#[test]
fn one_iteration_finds_the_best_plan_of_a_linear_motion() {
    let problem = linear();
    let best = best(&problem);
    let options = Ilqr { damping: 0.0, ..Ilqr::default() };
    let zeros = vec![0.0; problem.numbers()];
    let mut search = IlqrSearch::begin(problem.clone(), options, &zeros).unwrap();
    assert_eq!(search.advance(), Progress::Going);
    let first = search.history()[0];
    assert_eq!(first.length, 1.0);
    let fall = cost(&problem, &zeros) - first.cost;
    let promised = first.promised.expect("the costs are convex");
    assert!((promised - fall).abs() < 1e-9 * fall, "{promised} and {fall}");
    for (found, best) in search.motion().actions.iter().zip(&best) {
        assert!((found - best).abs() < 1e-6 * best.abs().max(1.0), "{found} and {best}");
    }
    assert_eq!(search.advance(), Progress::Converged);
}

#[test]
fn feedback_answers_to_a_push_as_a_new_plan_would() {
    let problem = linear();
    let options = Ilqr { damping: 0.0, ..Ilqr::default() };
    let zeros = vec![0.0; problem.numbers()];
    let plan = |start_v: f64| {
        let mut problem = problem.clone();
        problem.start.v[0] = start_v;
        let mut search = IlqrSearch::begin(problem, options.clone(), &zeros).unwrap();
        search.advance();
        search.advance();
        search
    };
    let (mut rest, pushed) = (plan(0.0), plan(0.4));
    let gains = rest.feedback().expect("the costs are convex").to_vec();
    for action in 0..2 {
        let answer = gains[0].by_state(action)[2] * 0.4;
        let change = pushed.motion().actions[action] - rest.motion().actions[action];
        assert!((answer - change).abs() < 1e-6 * change.abs(), "{answer} and {change}");
    }
}

#[test]
fn bounded_actions_satisfy_the_conditions_of_a_minimum() {
    let mut problem = linear();
    (problem.actions.lower, problem.actions.upper) = (vec![-1.0, -0.4], vec![1.0, 2.0]);
    let zeros = vec![0.0; problem.numbers()];
    let options = Ilqr { cost_tolerance: 1e-12, ..Ilqr::default() };
    let mut search = IlqrSearch::begin(problem.clone(), options, &zeros).unwrap();
    (0..100).find(|_| search.advance() != Progress::Going).expect("the search ends");
    let found = &search.motion().actions;
    let (mut held, mut free) = (0, 0);
    for k in 0..found.len() {
        let at = |change: f64| {
            let mut actions = found.clone();
            actions[k] += change;
            let mut unbounded = problem.clone();
            unbounded.actions.lower.fill(f64::NEG_INFINITY);
            unbounded.actions.upper.fill(f64::INFINITY);
            cost(&unbounded, &actions)
        };
        let slope = (at(1e-3) - at(-1e-3)) / 2e-3;
        let (lower, upper) = (problem.actions.lower[k % 2], problem.actions.upper[k % 2]);
        if found[k] == lower {
            assert!(slope > 0.0, "action {k}: {slope}");
            held += 1;
        } else if found[k] == upper {
            assert!(slope < 0.0, "action {k}: {slope}");
            held += 1;
        } else {
            assert!(slope.abs() < 1e-5, "action {k}: {slope}");
            free += 1;
        }
    }
    assert!(held > 3 && free > 3, "{held} and {free}");
}

/// A cost that no action changes: neither a minimum, nor anything that derivatives can lead away from.
#[test]
fn a_cost_without_any_slope_is_called_flat() {
    let mut problem = one_of_two_rails();
    problem.actions.lower[0] = 0.0;
    problem.actions.upper[0] = 0.0;
    let far = Cost::new("far", Quantity::Configuration(vec![0]), vec![1.0], 1.0);
    problem.costs = vec![far];
    let zeros = vec![0.0; problem.numbers()];
    // The first action does not move: its slope is there, but its bounds hold it. That is a minimum.
    let mut held = IlqrSearch::begin(problem.clone(), Ilqr::default(), &zeros).unwrap();
    assert_eq!(held.advance(), Progress::Converged);
    problem.actions = crate::Actions::default();
    problem.actions.add(&problem.model, crate::Action::JointForce(1));
    let zeros = vec![0.0; problem.numbers()];
    let mut flat = IlqrSearch::begin(problem, Ilqr::default(), &zeros).unwrap();
    assert_eq!(flat.advance(), Progress::Flat);
}

#[test]
fn costs_whose_slopes_are_not_finite_are_told() {
    let mut problem = linear();
    // Its square is infinite, and so are its slopes with respect to the start.
    problem.costs[2].weights = vec![1e308; 2];
    let zeros = vec![0.0; problem.numbers()];
    let Ok(mut search) = IlqrSearch::begin(problem, Ilqr::default(), &zeros) else {
        panic!("the cost of the motion is finite");
    };
    assert_eq!(search.advance(), Progress::NotFinite);
}
