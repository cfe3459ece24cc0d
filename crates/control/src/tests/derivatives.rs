//! The derivatives of a plan's cost, in three ways: by linearised knots and expanded costs, by the adjoint of the whole
//! motion, and by differences.

use std::path::Path;
use std::sync::Arc;

use gradbody_contact::Solver;
use gradbody_math::Vec3;
use gradbody_math::random::Random;
use gradbody_model::import::{ImportOptions, from_text};
use gradbody_model::{FrameId, Model, Selection};
use gradbody_optimise::Objective;
use gradbody_sim::{GradientOptions, Integrator, StepOptions};

use super::support::{problem, standing_laikago};
use crate::expansion::Expansion;
use crate::knot_costs::{KnotCosts, KnotEnd};
use crate::knot_map::{KnotLineariser, KnotMap};
use crate::{
    Action, At, Cost, PlannedMotion, Problem, Quantity, QuantityBars, Shape, Shooting, When,
};

/// Half of the squared speed.
#[derive(Debug)]
struct Speed;

impl crate::StateFunction for Speed {
    fn len(&self) -> usize {
        1
    }

    fn value(&self, at: &At<'_>, out: &mut [f64]) {
        out[0] = 0.5 * at.state.v.iter().map(|v| v * v).sum::<f64>();
    }

    fn vjp(&self, at: &At<'_>, bars: &[f64], to: &mut QuantityBars) {
        to.v.iter_mut().zip(&at.state.v).for_each(|(to, v)| *to += bars[0] * v);
    }
}

/// The power of the joint torques that a plan chooses, those after the six coordinates of the root.
#[derive(Debug)]
struct Power;

impl crate::StateFunction for Power {
    fn len(&self) -> usize {
        1
    }

    fn value(&self, at: &At<'_>, out: &mut [f64]) {
        out[0] = at.actions.iter().zip(&at.state.v[6..]).map(|(u, v)| u * v).sum();
    }

    fn vjp(&self, at: &At<'_>, bars: &[f64], to: &mut QuantityBars) {
        to.actions.iter_mut().zip(&at.state.v[6..]).for_each(|(to, v)| *to += bars[0] * v);
        to.v[6..].iter_mut().zip(at.actions).for_each(|(to, u)| *to += bars[0] * u);
    }
}

/// Each actuator state, and the product of the first one and the first action.
#[derive(Debug)]
struct Charge;

impl crate::StateFunction for Charge {
    fn len(&self) -> usize {
        2
    }

    fn value(&self, at: &At<'_>, out: &mut [f64]) {
        out[0] = at.state.activation.iter().sum();
        out[1] = at.state.activation[0] * at.actions[0];
    }

    fn vjp(&self, at: &At<'_>, bars: &[f64], to: &mut QuantityBars) {
        to.activation.iter_mut().for_each(|to| *to += bars[0]);
        to.activation[0] += bars[1] * at.actions[0];
        to.actions[0] += bars[1] * at.state.activation[0];
    }
}

fn frame(model: &Model<f64>, name: &str) -> FrameId {
    let frames = &model.topology.frames;
    FrameId::new(frames.iter().position(|frame| frame.name == name).expect("the frame exists"))
}

/// A Laikago that is pushed by random torques, with every kind of cost.
fn restless(steps: usize) -> (Problem, Vec<f64>) {
    let (model, start, hold) = standing_laikago();
    let mut problem = problem(model, 2e-3, 4, steps);
    problem.start = start;
    let mut random = Random::split_mix(7);
    random.numbers(18).iter().zip(&mut problem.start.v).for_each(|(x, v)| *v += 0.3 * x);
    let foot = frame(&problem.model, "FR_foot");
    let link = problem.model.topology.frames[foot.index()].link.expect("feet are on links");
    let mut target = problem.start.q.clone();
    target[2] += 0.05;
    target[4] += 0.2;
    let unit = Vec3::new(0.6, 0.0, 0.8);
    let cost =
        |name: &str, quantity, target: &[f64]| Cost::new(name, quantity, target.to_vec(), 1.5);
    problem.costs = vec![
        cost("pose", Quantity::Configuration((0..18).collect()), &target),
        cost("speed", Quantity::Velocity(vec![0, 7, 8]), &[0.3, 0.1, 0.0]).at_end(),
        cost("effort", Quantity::Actions(vec![1, 4]), &[3.0, -1.0]),
        cost("foot", Quantity::FramePosition(foot), &[0.2, 0.1, 0.1])
            .shaped(Shape::Absolute { width: 0.05 }),
        cost("foot speed", Quantity::FrameVelocity(foot), &[0.1, 0.0, 0.3]),
        cost("foot spin", Quantity::FrameSpin(foot), &[0.0, 1.0, 0.0]),
        cost("up", Quantity::FrameDirection(foot, unit), &[0.0, 0.0, 1.0]),
        cost("turn", Quantity::FrameOrientation(foot), &[0.5, 0.5, -0.5, 0.5]),
        cost("middle", Quantity::CentreOfMass, &[0.0, 0.1, 0.5]),
        cost("drift", Quantity::CentreOfMassVelocity, &[0.5, 0.0, 0.0]),
        cost("own", Quantity::Custom(Arc::new(Speed)), &[0.2]),
        cost("force", Quantity::ContactForce(link), &[0.0, 0.0, 50.0])
            .shaped(Shape::Outside { lower: -5.0, upper: 5.0 }),
        cost("power", Quantity::Custom(Arc::new(Power)), &[3.0]),
    ];
    problem.costs[11].weights = vec![1e-3; 3];
    problem.costs[4].when = When::Between { from: 2e-3 * steps as f64, to: 6e-3 * steps as f64 };
    let pushes = random.numbers(problem.numbers());
    let actions = pushes.iter().enumerate().map(|(k, x)| hold[k % 12] + 2.0 * x).collect();
    (problem, actions)
}

/// The gradient of the cost by the actions, from linearised knots and expanded costs.
fn by_knots(problem: &Problem, motion: &PlannedMotion, by_rows: bool) -> Vec<f64> {
    let m = problem.actions.len();
    let mut lineariser = KnotLineariser::new(problem);
    let (mut map, mut expansion) = (KnotMap::new(problem), Expansion::new(problem));
    let (mut costs, mut end) = (KnotCosts::new(problem), KnotEnd::new(problem));
    let mut by_end = vec![0.0; problem.state_changes()];
    let mut gradient = vec![0.0; problem.numbers()];
    for knot in (0..problem.knots).rev() {
        let actions = &motion.actions[knot * m..][..m];
        let contact = GradientOptions::default().contact;
        lineariser.linearise(problem, &motion.states[knot], actions, contact, &mut map);
        assert_eq!(map.by_rows, if by_rows { problem.steps } else { 0 });
        lineariser.read_end(knot, actions, &motion.states[knot + 1], &mut end);
        expansion.write(problem, &end, &map, &mut costs, &mut Vec::new());
        by_end.iter_mut().zip(&expansion.x).for_each(|(to, x)| *to += x);
        let mut by_start = expansion.z.clone();
        let (state, actions) = by_start.split_at_mut(by_end.len());
        map.by_state.add_transposed_times(&by_end, state);
        map.by_action.add_transposed_times(&by_end, actions);
        gradient[knot * m..][..m].copy_from_slice(&by_start[by_end.len()..]);
        by_end = by_start[..by_end.len()].to_vec();
    }
    gradient
}

fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |most, x| x.abs().max(most))
}

fn difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    largest(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>())
}

#[test]
fn gradients_by_knots_and_by_the_adjoint_are_those_of_differences() {
    for (steps, soft) in [(1, false), (3, false), (2, true)] {
        let (mut problem, actions) = restless(steps);
        if soft {
            problem.options =
                problem.options.with_solver(Solver::HuntCrossley).with(Integrator::Rk4);
        }
        let parameters = Selection::of(&problem.model, ["link/trunk/mass", "gravity/z"]).unwrap();
        let bounds = vec![(f64::NEG_INFINITY, f64::INFINITY); 2];
        let how = GradientOptions::default();
        let shooting = Shooting::new(problem.clone(), parameters, &bounds, how).unwrap();
        let numbers = shooting.begin_with(&actions);
        let motion = shooting.motion(&numbers).unwrap();
        assert!(motion.costs.chunks(13).any(|of_knot| of_knot[11] > 0.0), "the force costs");
        let mut adjoint = vec![0.0; shooting.len()];
        let cost = shooting.gradient(&numbers, &mut adjoint);
        assert!((cost - motion.cost).abs() <= 1e-12 * cost);
        let size = largest(&adjoint[..actions.len()]);
        let by_knots = by_knots(&problem, &motion, soft);
        assert!(difference(&by_knots, &adjoint[..actions.len()]) < 1e-10 * size);
        // Central differences of fourth order.
        for k in 0..numbers.len() {
            let at = |change: f64| {
                let mut numbers = numbers.clone();
                numbers[k] += change;
                shooting.cost(&numbers)
            };
            let h = 2e-4;
            let slope = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
            let error = (slope - adjoint[k]).abs();
            let size = if k < actions.len() { size } else { adjoint[k].abs() };
            assert!(error < 1e-6 * size, "number {k}: {slope} and {} ({size})", adjoint[k]);
        }
    }
}

#[test]
fn costs_of_many_plans_on_lanes_are_those_of_each() {
    let (problem, actions) = restless(2);
    let how = GradientOptions::default();
    let shooting = Shooting::new(problem, Selection::none(), &[], how).unwrap();
    let mut random = Random::split_mix(3);
    let mut points = vec![actions.clone(); 11];
    for point in &mut points {
        let changes = random.numbers(point.len());
        point.iter_mut().zip(changes).for_each(|(x, change)| *x += change);
    }
    for (point, together) in points.iter().zip(shooting.costs(&points)) {
        let alone = shooting.cost(point);
        assert!((alone - together).abs() <= 1e-9 * alone, "{alone} and {together}");
    }
}

/// Functions of one's own may depend on actuator states and on actions.
#[test]
fn functions_of_actuator_states_and_actions_have_derivatives() {
    let model = from_text(MOTORS_THAT_INTEGRATE, Path::new("cart.xml"), &ImportOptions::default());
    let model = model.expect("a model").model;
    assert_eq!(model.topology.na, 2);
    let mut problem = problem(model, 5e-3, 4, 3);
    problem.start.activation = vec![0.3, -0.2];
    problem.costs =
        vec![Cost::new("charge", Quantity::Custom(Arc::new(Charge)), vec![1.0, -0.5], 2.0)];
    let actions = Random::split_mix(9).numbers(problem.numbers());
    let how = GradientOptions::default();
    let shooting = Shooting::new(problem.clone(), Selection::none(), &[], how).unwrap();
    let mut adjoint = vec![0.0; shooting.len()];
    shooting.gradient(&actions, &mut adjoint);
    let motion = shooting.motion(&actions).unwrap();
    let size = largest(&adjoint);
    let error = difference(&by_knots(&problem, &motion, false), &adjoint);
    assert!(error < 1e-10 * size, "{error} of {size}");
    for k in 0..actions.len() {
        let at = |change: f64| {
            let mut actions = actions.clone();
            actions[k] += change;
            shooting.cost(&actions)
        };
        let slope = (at(1e-4) - at(-1e-4)) / 2e-4;
        assert!((slope - adjoint[k]).abs() < 1e-6 * size, "{k}: {slope} and {}", adjoint[k]);
    }
}

/// Two slides, driven by controls that are integrated first.
const MOTORS_THAT_INTEGRATE: &str = r#"<mujoco model="cart"><worldbody><body><inertial mass="1" pos="0 0 0"
    diaginertia="1 1 1"/><joint name="x" type="slide" axis="1 0 0"/><body><inertial mass="0.5" pos="0 0 0"
    diaginertia="1 1 1"/><joint name="y" type="slide" axis="0 1 0"/></body></body></worldbody><actuator>
    <intvelocity joint="x" kp="2" actrange="-10 10"/><intvelocity joint="y" kp="3" actrange="-10 10"/>
    </actuator></mujoco>"#;

#[test]
fn actions_are_controls_and_joint_forces_together() {
    let model = super::support::robot("ant.xml", Default::default());
    let mut problem = problem(model, 5e-3, 3, 2);
    problem.options = StepOptions::accurate_gradients(5e-3);
    problem.actions.add(&problem.model, Action::JointForce(7));
    let all = (0..problem.model.nv()).collect();
    let target = problem.start.q.clone();
    problem.costs = vec![Cost::new("pose", Quantity::Configuration(all), target, 1.0)];
    problem.start.v[3] = 1.0;
    let actions = Random::split_mix(5).numbers(problem.numbers());
    let how = GradientOptions::default();
    let shooting = Shooting::new(problem.clone(), Selection::none(), &[], how).unwrap();
    let mut adjoint = vec![0.0; shooting.len()];
    shooting.gradient(&actions, &mut adjoint);
    let motion = shooting.motion(&actions).unwrap();
    let error = difference(&by_knots(&problem, &motion, false), &adjoint);
    assert!(adjoint.iter().all(|slope| *slope != 0.0));
    assert!(error < 1e-10 * largest(&adjoint), "{error}");
}
