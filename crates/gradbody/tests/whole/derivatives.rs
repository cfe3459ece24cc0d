//! Directional derivatives, Jacobians, sensitivities and second derivatives.

use std::time::Instant;

use crate::support::models::{random_forces, random_robot};
use crate::support::random::Random;
use crate::support::scenes::{Scene, World, standing_quadruped};
use gradbody::contact::{ContactGradient, Ncp, Solver};
use gradbody::dynamics::difference;
use gradbody::model::{Selection, WrongCount};
use gradbody::prelude::*;
use gradbody::sim::{
    Change, DerivativeError, Direction, GradientOptions, JacobianBy, Loss, Matrix, Mean, Rollout,
    RolloutTrace, Sequence, StateCost, StateTarget, Target, Variables, hessian_vector_product,
    rollout, rollout_jvp, rollout_vjp, sensitivities, step_jacobian, step_jvp,
};

/// A motion to differentiate.
struct Case {
    name: String,
    model: Model<f64>,
    start: State<f64>,
    inputs: Vec<Input<f64>>,
    options: StepOptions<f64>,
    /// Parameters to differentiate by.
    selection: Selection,
}

impl Case {
    fn rollout(&self) -> Rollout<'_, f64> {
        let (model, start, options) = (&self.model, &self.start, &self.options);
        Rollout { model, start, steps: self.inputs.len(), options }
    }
}

/// A robot in motion, without contact.
fn robot(seed: u64, integrator: Integrator, steps: usize) -> Case {
    let model = random_robot(seed, 7);
    let mut random = Random::new(seed + 100);
    let mut start = State::neutral(&model);
    start.q = random.configuration(&model);
    start.v = random.numbers(model.nv());
    start.activation = start.activation.iter().map(|_| 0.3 * random.unit()).collect();
    let input = |_| {
        let mut input = Input::none(&model);
        input.control = input.control.iter().map(|_| 0.5 * random.unit()).collect();
        input.tau = random.numbers(input.tau.len());
        input.external = random_forces(&mut random, &model);
        input
    };
    let inputs = (0..steps).map(input).collect();
    let patterns =
        ["link/link2/log_cholesky", "joint/joint3/placement/*", "joint/*/damping", "gravity/*"];
    Case {
        name: format!("robot {seed}, {integrator:?}"),
        selection: Selection::of(&model, patterns).unwrap(),
        start,
        inputs,
        options: StepOptions::new(1e-2).with(integrator).without_contact(),
        model,
    }
}

/// A ball that lands, spinning. It does not bounce: the derivative of a bounce is that of the impact's own
/// time, which is not that of the steps.
fn ball(solver: Solver, steps: usize) -> Case {
    let mut scene = Scene::new(Material { restitution: 0.0, ..Material::with_friction(0.3) });
    scene.ground();
    scene.ball("ball", 0.1, 1.0);
    let mut world = scene.world(1e-2);
    world.place(0, [0.0, 0.0, 0.115], Quat::exp(Vec3::new(0.3, 0.2, 0.1)));
    world.throw(0, [1.0, 0.5, -0.8], [1.0, -2.0, 0.5]);
    let World { mut model, state: start, .. } = world;
    // The larger friction counts: a tie would have no derivative.
    model.params.shapes[1].material.friction = 0.4;
    let mut random = Random::new(5);
    let input = |_| Input { tau: random.numbers(6), ..Input::none(&model) };
    Case {
        name: format!("ball, {solver:?}"),
        inputs: (0..steps).map(input).collect(),
        selection: Selection::of(
            &model,
            ["link/ball/mass", "shape/ball/friction", "shape/ball/size/x", "gravity/*"],
        )
        .unwrap(),
        options: StepOptions::new(1e-2).with_solver(solver),
        start,
        model,
    }
}

/// A quadruped that has stood for a moment.
fn quadruped(solver: Solver) -> Case {
    let mut world = standing_quadruped();
    world.options = StepOptions::new(1e-3).with_solver(solver);
    world.steps(20);
    let World { model, state: start, input, options, .. } = world;
    Case {
        name: format!("quadruped, {solver:?}"),
        selection: Selection::of(&model, ["link/*/mass", "shape/*/friction"]).unwrap(),
        inputs: vec![input; 10],
        start,
        options,
        model,
    }
}

const CONVERGED: Solver = Solver::Ncp(Ncp {
    cone: gradbody::contact::Cone::Circular,
    sweeps: 10_000,
    tolerance: 0.0,
    rounds: 0,
    warm_start: false,
});

fn everything(case: &Case) -> Variables<'_> {
    Variables { state: true, control: true, tau: true, params: Some(&case.selection) }
}

/// The largest difference, relative to the largest entry of the column.
fn distance(a: &Matrix, b: &Matrix) -> f64 {
    assert_eq!((a.rows(), a.columns()), (b.rows(), b.columns()));
    let mut worst = 0.0_f64;
    for column in 0..a.columns() {
        let scale = (0..a.rows()).fold(1e-3_f64, |max, row| max.max(a.at(row, column).abs()));
        for row in 0..a.rows() {
            worst = worst.max((a.at(row, column) - b.at(row, column)).abs() / scale);
        }
    }
    worst
}

#[test]
fn jacobians_by_columns_and_by_rows_agree() {
    let mut cases =
        vec![quadruped(CONVERGED), quadruped(Solver::HuntCrossley), ball(Solver::HuntCrossley, 1)];
    for integrator in [Integrator::SemiImplicitEuler, Integrator::ImplicitDamping, Integrator::Rk4]
    {
        cases.extend((0..3).map(|seed| robot(seed, integrator, 1)));
    }
    let mut landing = ball(CONVERGED, 1);
    landing.start.q[2] = 0.1005;
    cases.push(landing);
    for case in &cases {
        let jacobian = |by| {
            let Case { model, start, inputs, options, .. } = case;
            let gradient = ContactGradient::Implicit;
            step_jacobian(model, start, &inputs[0], options, gradient, &everything(case), by)
                .unwrap()
        };
        let columns = jacobian(JacobianBy::Duals);
        let rows = jacobian(JacobianBy::Adjoints);
        assert_eq!(columns.end, rows.end);
        let error = distance(&columns.matrix, &rows.matrix);
        println!("{}: {error:.1e}", case.name);
        assert!(error < 1e-10, "{}: {error:.1e}", case.name);
        assert!(columns.matrix != rows.matrix, "{}: two ways", case.name);
        let cheapest = jacobian(JacobianBy::Cheapest).matrix;
        assert!(cheapest == columns.matrix || cheapest == rows.matrix);
    }
}

/// Where a motion ends after a change of `t` times `direction`, from where it ends without, in local
/// coordinates.
fn moved(case: &Case, direction: &Change<f64>, dx: &[f64], t: f64, about: &State<f64>) -> Vec<f64> {
    let mut model = case.model.clone();
    let mut x = case.selection.values(&model);
    x.iter_mut().zip(dx).for_each(|(x, d)| *x += t * d);
    case.selection.apply(&mut model, &x).unwrap();
    let add = |to: &mut [f64], d: &[f64]| to.iter_mut().zip(d).for_each(|(x, d)| *x += t * d);
    let mut start = case.start.clone();
    let dq: Vec<f64> = direction.start.q.iter().map(|d| t * d).collect();
    integrate(&model, &mut start.q, &dq);
    add(&mut start.v, &direction.start.v);
    add(&mut start.activation, &direction.start.activation);
    let mut inputs = case.inputs.clone();
    for (input, d) in inputs.iter_mut().zip(&direction.inputs) {
        add(&mut input.control, &d.control);
        add(&mut input.tau, &d.tau);
    }
    let mut options = case.options;
    options.dt += t * direction.dt;
    let rolled = Rollout { model: &model, start: &start, steps: inputs.len(), options: &options };
    let mut inputs = Sequence::new(&model, inputs);
    let mut trace = RolloutTrace::new(&model);
    let mut loss = gradbody::sim::NoLoss;
    let end = rollout(&rolled, &mut inputs, &mut loss, &mut NoTaps, &mut trace).end;
    let mut change = vec![0.0; model.nv()];
    difference(&model, &about.q, &end.q, &mut change);
    change.extend(end.v.iter().zip(&about.v).map(|(a, b)| a - b));
    change.extend(end.activation.iter().zip(&about.activation).map(|(a, b)| a - b));
    change
}

fn random_change(case: &Case, seed: u64) -> (Change<f64>, Vec<f64>) {
    let mut random = Random::new(seed);
    let mut change = Change::zero(&case.model, case.inputs.len());
    change.start.iter_mut().for_each(|x| *x = random.unit());
    for input in &mut change.inputs {
        input.control.iter_mut().chain(&mut input.tau).for_each(|x| *x = random.unit());
    }
    let dx: Vec<f64> = random.numbers(case.selection.len());
    change.set_params(&case.model, &case.selection, &dx).unwrap();
    change.dt = 0.1 * case.options.dt;
    (change, dx)
}

#[test]
fn directional_derivatives_are_those_of_central_differences() {
    for case in [robot(3, Integrator::SemiImplicitEuler, 5), ball(CONVERGED, 6)] {
        let changes = [random_change(&case, 1), random_change(&case, 2)];
        let both = [changes[0].0.clone(), changes[1].0.clone()];
        let (end, found) = rollout_jvp(&case.rollout(), &case.inputs, &both).unwrap();
        for ((change, dx), found) in changes.iter().zip(&found) {
            let t = 1e-6;
            let ahead = moved(&case, change, dx, t, &end);
            let behind = moved(&case, change, dx, -t, &end);
            let scale = found.iter().fold(1.0_f64, |max, x| max.max(x.abs()));
            for ((a, b), x) in ahead.iter().zip(&behind).zip(found.iter()) {
                let slope = (a - b) / (2.0 * t);
                assert!((slope - x).abs() < 2e-7 * scale, "{}: {slope} and {x}", case.name);
            }
        }
    }
}

#[test]
fn a_jacobian_times_a_change_is_the_change() {
    let case = robot(4, Integrator::ImplicitDamping, 1);
    let (mut change, dx) = random_change(&case, 3);
    change.dt = 0.0;
    let Case { model, start, inputs, options, .. } = &case;
    let (end, [found]) = step_jvp(model, start, &inputs[0], options, &[change.clone()]).unwrap();
    let (gradient, by) = (ContactGradient::Implicit, JacobianBy::Cheapest);
    let variables = &everything(&case);
    let jacobian =
        step_jacobian(model, start, &inputs[0], options, gradient, variables, by).unwrap();
    assert_eq!(jacobian.end.q, end.q);
    let given = change.start.iter().chain(&change.inputs[0].control);
    let given: Vec<f64> = given.chain(&change.inputs[0].tau).chain(&dx).copied().collect();
    for (row, found) in found.iter().enumerate() {
        let product: f64 = jacobian.matrix.row(row).iter().zip(&given).map(|(a, b)| a * b).sum();
        assert!((product - found).abs() < 1e-10 * (1.0 + found.abs()), "{product} and {found}");
    }
}

fn product(a: &Matrix, b: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let row = |i: usize| {
        (0..b[0].len())
            .map(|j| a.row(i).iter().zip(b).take(b.len()).map(|(x, row)| x * row[j]).sum())
            .collect()
    };
    (0..a.rows()).map(row).collect()
}

#[test]
fn sensitivities_are_products_of_jacobians() {
    for case in [robot(1, Integrator::SemiImplicitEuler, 9), ball(CONVERGED, 9)] {
        let n = 2 * case.model.nv() + case.model.topology.na;
        let rollout = case.rollout();
        let variables = Variables { control: false, tau: false, ..everything(&case) };
        let sampled = [0, 4, 8];
        let found = sensitivities(&rollout, &case.inputs, &variables, &sampled).unwrap();
        // Column by column: x ← A x + B.
        let mut matrix: Vec<Vec<f64>> = (0..n)
            .map(|i| (0..found.columns.params.end).map(|j| f64::from(u8::from(i == j))).collect())
            .collect();
        let mut state = case.start.clone();
        for (k, input) in case.inputs.iter().enumerate() {
            let (gradient, by) = (ContactGradient::Implicit, JacobianBy::Adjoints);
            let Case { model, options, .. } = &case;
            let step = step_jacobian(model, &state, input, options, gradient, &variables, by);
            let step = step.unwrap();
            matrix = product(&step.matrix, &matrix);
            for (row, to) in matrix.iter_mut().enumerate() {
                for column in found.columns.params.clone() {
                    to[column] += step.matrix.at(row, column);
                }
            }
            state = step.end;
            let Some(sample) = sampled.iter().position(|s| *s == k) else { continue };
            assert_eq!(found.states[sample].q, state.q);
            let found = &found.matrices[sample];
            for row in 0..n {
                for (column, x) in matrix[row].iter().enumerate() {
                    let error = (found.at(row, column) - x).abs();
                    assert!(
                        error < 1e-9 * (1.0 + x.abs()),
                        "{} {k}: {row} {column}: {error}",
                        case.name
                    );
                }
            }
        }
    }
}

#[test]
fn sensitivities_by_controls_reach_every_step() {
    let case = robot(2, Integrator::SemiImplicitEuler, 6);
    let variables = Variables { control: true, tau: true, ..Variables::default() };
    let found = sensitivities(&case.rollout(), &case.inputs, &variables, &[5]).unwrap();
    let nv = case.model.nv();
    let mut change = Change::zero(&case.model, 6);
    change.inputs[3].tau[nv - 1] = 1.0;
    change.inputs[1].control[0] = 2.0;
    let (_, [along]) = rollout_jvp(&case.rollout(), &case.inputs, &[change]).unwrap();
    let (tau, control) = (found.columns.tau.start + 4 * nv - 1, case.inputs[0].control.len());
    for (row, x) in along.iter().enumerate() {
        let sum = found.matrices[0].at(row, tau) + 2.0 * found.matrices[0].at(row, control);
        assert!((sum - x).abs() < 1e-10 * (1.0 + x.abs()), "{sum} and {x}");
    }
}

// --- second derivatives ------------------------------------------------------------------------

fn goal<S: Scalar>(case: &Case) -> impl Loss<S> + use<S> {
    let mut random = Random::new(77);
    let target = State { v: random.numbers(case.model.nv()), ..case.start.clone() }.cast::<S>();
    let target = Target::Constant(StateTarget::from(&target));
    Mean(StateCost::new(&case.model.cast(), S::ONE, S::from_f64(0.3), target))
}

fn random_direction(case: &Case, seed: u64) -> Direction {
    let mut random = Random::new(seed);
    let mut d = Direction::zero(&case.model, &case.selection, case.inputs.len());
    d.iter_mut().for_each(|x| *x = random.unit());
    d
}

/// The gradient at `t` times a direction away, in local coordinates about the start itself.
fn gradient_at(case: &Case, how: &GradientOptions, d: &Direction, t: f64) -> Direction {
    let mut model = case.model.clone();
    let mut x = case.selection.values(&model);
    x.iter_mut().zip(&d.params).for_each(|(x, d)| *x += t * d);
    case.selection.apply(&mut model, &x).unwrap();
    let add = |to: &mut [f64], d: &[f64]| to.iter_mut().zip(d).for_each(|(x, d)| *x += t * d);
    let mut start = case.start.clone();
    let dq: Vec<f64> = d.start.q.iter().map(|d| t * d).collect();
    integrate(&model, &mut start.q, &dq);
    add(&mut start.v, &d.start.v);
    add(&mut start.activation, &d.start.activation);
    let mut inputs = case.inputs.clone();
    for (k, input) in inputs.iter_mut().enumerate() {
        add(&mut input.control, &d.control[k]);
        add(&mut input.tau, &d.tau[k]);
    }
    let steps = inputs.len();
    let rolled = Rollout { model: &model, start: &start, steps, options: &case.options };
    let mut inputs = Sequence::new(&model, inputs);
    let mut trace = RolloutTrace::new(&model);
    let mut loss = goal::<f64>(case);
    let found = rollout_vjp(&rolled, &mut inputs, &mut loss, &mut NoTaps, how, &mut trace);
    let found = found.checked().unwrap();
    let mut gradient = Direction::zero(&model, &case.selection, steps);
    let mut bar = found.start.q.clone();
    gradbody::dynamics::integrate_vjp(&model, &dq, &mut bar, &mut gradient.start.q);
    gradient.start.v = found.start.v;
    gradient.start.activation = found.start.activation;
    gradient.params = case.selection.gradient(&model, &found.params);
    gradient.control = inputs.bars.iter().map(|bar| bar.control.clone()).collect();
    gradient.tau = inputs.bars.iter().map(|bar| bar.tau.clone()).collect();
    gradient
}

#[test]
fn hessians_are_those_of_differences_of_gradients_and_symmetric() {
    let how = GradientOptions { contact: ContactGradient::Implicit, ..GradientOptions::default() };
    for case in [robot(0, Integrator::SemiImplicitEuler, 5), ball(CONVERGED, 8)] {
        let product = |d: &Direction| {
            let loss = &mut goal(&case);
            let Case { inputs, selection, .. } = &case;
            hessian_vector_product(&case.rollout(), inputs, selection, loss, &how, d).unwrap()
        };
        let (d1, d2) = (random_direction(&case, 1), random_direction(&case, 2));
        let (h1, h2) = (product(&d1), product(&d2));
        let (one, other) = (d2.dot(&h1.product), d1.dot(&h2.product));
        println!("{}: {one} {other}", case.name);
        let scale = h1.product.dot(&h1.product).sqrt();
        assert!((one - other).abs() < 1e-9 * scale, "{}: {one} and {other} of {scale}", case.name);

        let here = gradient_at(&case, &how, &d1, 0.0);
        let t = 1e-6;
        let (ahead, behind) = (gradient_at(&case, &how, &d1, t), gradient_at(&case, &how, &d1, -t));
        let numbers = ahead.iter().zip(behind.iter()).zip(h1.product.iter());
        for (k, ((a, b), x)) in numbers.enumerate() {
            let slope = (a - b) / (2.0 * t);
            assert!((slope - x).abs() < 1e-6 * scale, "{}: {k}: {slope} and {x}", case.name);
        }
        for (a, b) in here.iter().zip(h1.gradient.iter()) {
            assert!((a - b).abs() < 1e-10 * (1.0 + a.abs()), "{a} and {b}");
        }
    }
}

/// What [`JacobianBy::Cheapest`] goes by.
#[test]
#[ignore = "a measurement"]
fn cost_of_rows_and_columns() {
    let cases = [
        quadruped(Solver::Ncp(Ncp::default())),
        quadruped(Solver::HuntCrossley),
        robot(1, Integrator::SemiImplicitEuler, 1),
    ];
    for case in &cases {
        let Case { model, start, inputs, options, .. } = case;
        let time = |by, variables: &Variables<'_>| {
            let gradient = ContactGradient::Implicit;
            let mut best = f64::INFINITY;
            for _ in 0..300 {
                let begin = Instant::now();
                let found =
                    step_jacobian(model, start, &inputs[0], options, gradient, variables, by);
                std::hint::black_box(found.unwrap());
                best = best.min(begin.elapsed().as_secs_f64());
            }
            best * 1e6
        };
        let state = Variables { state: true, ..Variables::default() };
        let none = Variables::default();
        let all = everything(case);
        let n = 2 * model.nv() + model.topology.na;
        println!("{} ({n} coordinates, {} columns):", case.name, all.columns(model, 1).params.end);
        for (name, by) in [("columns", JacobianBy::Duals), ("rows", JacobianBy::Adjoints)] {
            let (none, state, all) = (time(by, &none), time(by, &state), time(by, &all));
            println!("  {name}: none {none:.1} µs, state {state:.1} µs, all {all:.1} µs");
        }
    }
}

#[test]
fn samples_that_are_no_steps_of_the_rollout_are_refused() {
    let case = robot(2, Integrator::SemiImplicitEuler, 6);
    let variables = Variables { state: true, ..Variables::default() };
    let refused = |sampled: &[usize]| {
        sensitivities(&case.rollout(), &case.inputs, &variables, sampled).unwrap_err()
    };
    let error = refused(&[0, 6]);
    assert_eq!(error, DerivativeError::NoSuchStep { step: 6, steps: 6 });
    assert!(error.to_string().starts_with("sampled step 6 is not in a rollout of 6"), "{error}");
    assert_eq!(refused(&[3, 3]), DerivativeError::NotAscending { before: 3, step: 3 });
    assert_eq!(refused(&[4, 1, 9]), DerivativeError::NotAscending { before: 4, step: 1 });
}

#[test]
fn directions_of_another_size_are_refused() {
    let case = robot(0, Integrator::SemiImplicitEuler, 5);
    let how = GradientOptions::default();
    let refused = |direction: &Direction| {
        let (inputs, loss) = (&case.inputs, &mut goal(&case));
        hessian_vector_product(&case.rollout(), inputs, &case.selection, loss, &how, direction)
            .unwrap_err()
    };
    let right = Direction::zero(&case.model, &case.selection, 5);
    let (nv, selected) = (case.model.nv(), case.selection.len());
    let mut wrong = right.clone();
    wrong.params.pop();
    let count = WrongCount { given: selected - 1, selected };
    assert_eq!(refused(&wrong), DerivativeError::Params(count));
    let mut wrong = right.clone();
    wrong.tau.pop();
    let error = refused(&wrong);
    assert_eq!(error, DerivativeError::Direction { part: "tau", given: 4, needed: 5 });
    assert!(error.to_string().starts_with("the direction's tau has 4 entries"), "{error}");
    let mut wrong = right.clone();
    wrong.start.v.push(0.0);
    let error = refused(&wrong);
    assert_eq!(error, DerivativeError::Direction { part: "start.v", given: nv + 1, needed: nv });
    let mut change = Change::zero(&case.model, 1);
    let dx = vec![0.0; selected - 1];
    assert_eq!(change.set_params(&case.model, &case.selection, &dx), Err(count));
}
