//! What each integration scheme promises: its order, its energy, its stability.

use crate::support::compare::{distance, largest};
use crate::support::models::{body, chain, random_robot, random_tree, single};
use crate::support::random::Random;
use gradbody::dynamics::difference;
use gradbody::model::JointKind;
use gradbody::prelude::*;
use gradbody::sim::Energy;

const SCHEMES: [Integrator; 3] =
    [Integrator::SemiImplicitEuler, Integrator::ImplicitDamping, Integrator::Rk4];

/// A tree with free, spherical and all other joints, held together by springs.
fn springy_tree(damping: f64) -> (Model<f64>, State<f64>) {
    let mut model = random_tree(5, 10);
    for joint in &mut model.params.joints {
        joint.stiffness = 20.0;
        joint.damping = damping;
    }
    let has = |kind| model.topology.links.iter().any(|link| link.joint.kind == kind);
    assert!(has(JointKind::Free) && has(JointKind::Spherical));
    let mut state = State::neutral(&model);
    let mut random = Random::new(1);
    state.v = random.numbers(model.nv());
    (model, state)
}

fn run(
    model: &Model<f64>,
    start: &State<f64>,
    scheme: Integrator,
    dt: f64,
    n: usize,
) -> State<f64> {
    let mut state = start.clone();
    let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
    let input = Input::none(model);
    let options = StepOptions::new(dt).with(scheme);
    for i in 0..n {
        let report =
            step(model, &mut state, &input, &options, &mut NoTaps, &mut trace, &mut scratch);
        assert_eq!(report.diverged, None, "{scheme:?}, step {i} of {dt} s");
    }
    state
}

fn energy(model: &Model<f64>, state: &State<f64>) -> f64 {
    let mut kin = Kinematics::new(model);
    kinematics(model, &state.q, &mut kin);
    velocities(model, &state.v, &mut kin);
    Energy::of(model, &kin, &state.q, &state.v).total()
}

/// The order that halving the step shows, of the distance between two states.
fn order_of_state(model: &Model<f64>, start: &State<f64>, scheme: Integrator, dt: f64) -> f64 {
    let ends: Vec<State<f64>> =
        (0..3).map(|k| run(model, start, scheme, dt / f64::from(1 << k), 32 << k)).collect();
    let gap = |a: &State<f64>, b: &State<f64>| {
        let mut dq = vec![0.0; model.nv()];
        difference(model, &a.q, &b.q, &mut dq);
        largest(&dq) + distance(&a.v, &b.v)
    };
    let gaps = [gap(&ends[0], &ends[1]), gap(&ends[1], &ends[2])];
    let order = (gaps[0] / gaps[1]).log2();
    println!("{scheme:?}: states differ by {:.1e}, {:.1e}: order {order:.2}", gaps[0], gaps[1]);
    order
}

#[test]
fn states_converge_at_the_order_of_the_scheme() {
    for (scheme, damping, dt, expected) in [
        (Integrator::SemiImplicitEuler, 0.0, 1e-4, 1.0),
        (Integrator::SemiImplicitEuler, 0.5, 1e-4, 1.0),
        (Integrator::ImplicitDamping, 0.5, 1e-4, 1.0),
        (Integrator::Rk4, 0.0, 4e-3, 4.0),
        (Integrator::Rk4, 0.5, 4e-3, 4.0),
    ] {
        let (model, start) = springy_tree(damping);
        let order = order_of_state(&model, &start, scheme, dt);
        let what = format!("{scheme:?} with damping {damping}");
        assert!((order - expected).abs() < 0.25, "{what}: order {order:.2}, not {expected}");
    }
}

#[test]
fn energy_of_free_and_spherical_joints_converges_at_fourth_order() {
    let (model, start) = springy_tree(0.0);
    let before = energy(&model, &start);
    let drift = |dt: f64, n: usize| {
        (energy(&model, &run(&model, &start, Integrator::Rk4, dt, n)) - before).abs()
    };
    let (coarse, fine) = (drift(4e-3, 128), drift(2e-3, 256));
    let order = (coarse / fine).log2();
    println!("Rk4: energy drifts by {coarse:.1e}, {fine:.1e} J: order {order:.2}");
    assert!(order > 3.75, "{coarse:e} J, then {fine:e} J with half the step: order {order:.2}");
}

/// The largest change of energy within each of two spans of time, the second three times as long.
fn energy_errors(links: usize, dt: f64) -> [f64; 2] {
    let rod = body(1.0, [0.0, 0.0, -0.5], [0.083, 0.083, 0.001]);
    let model = chain(links, Vec3::Y, 1.0, rod);
    let mut state = State::neutral(&model);
    state.q[0] = 0.5;
    let before = energy(&model, &state);
    let mut worst = 0.0_f64;
    let mut spans = [0.0; 2];
    for (span, seconds) in spans.iter_mut().zip([10.0, 20.0]) {
        let pieces = 2000;
        let n = (seconds / dt / f64::from(pieces)).round() as usize;
        for _ in 0..pieces {
            state = run(&model, &state, Integrator::SemiImplicitEuler, dt, n);
            worst = worst.max((energy(&model, &state) - before).abs());
        }
        *span = worst;
    }
    spans
}

#[test]
fn semi_implicit_euler_is_symplectic_where_the_mass_matrix_is_constant() {
    let [short, long] = energy_errors(1, 1e-3);
    let [half, _] = energy_errors(1, 5e-4);
    println!("pendulum: energy errs by {short:.2e} J in 10 s, {long:.2e} J in 30 s");
    assert!(long < 1.01 * short, "it drifts: {short:e} J in 10 s, {long:e} J in 30 s");
    let order = (short / half).log2();
    assert!((order - 1.0).abs() < 0.05, "order {order:.2}, not 1");
}

#[test]
fn semi_implicit_euler_is_of_first_order_in_energy_elsewhere() {
    let [short, _] = energy_errors(3, 1e-3);
    let [half, _] = energy_errors(3, 5e-4);
    let order = (short / half).log2();
    println!("triple pendulum: energy errs by {short:.2e}, {half:.2e} J: order {order:.2}");
    assert!((order - 1.0).abs() < 0.1, "order {order:.2}, not 1");
}

#[test]
fn implicit_damping_without_damping_is_semi_implicit_euler_to_the_last_bit() {
    for seed in 0..6 {
        let mut model = random_robot(seed, 12);
        for joint in &mut model.params.joints {
            (joint.damping, joint.friction) = (0.0, 0.0);
            (joint.limit_lower, joint.limit_upper) = (f64::NEG_INFINITY, f64::INFINITY);
        }
        let mut start = State::neutral(&model);
        start.v = Random::new(seed).numbers(model.nv());
        let [a, b] = [Integrator::SemiImplicitEuler, Integrator::ImplicitDamping]
            .map(|scheme| run(&model, &start, scheme, 1e-3, 50));
        assert_eq!(a, b, "{}", model.topology.name);
        // And it is something else with damping.
        model.params.joints[0].damping = 1e-6;
        let other = run(&model, &start, Integrator::ImplicitDamping, 1e-3, 50);
        assert_ne!(a, other, "{}", model.topology.name);
    }
}

/// A wheel whose damping takes a time of dt / 1000 to stop it.
fn stiff_wheel(dt: f64) -> (Model<f64>, State<f64>) {
    let inertia = 0.2;
    let hinge = JointSpec::revolute("hinge", Vec3::Z).damping(1000.0 * inertia / dt);
    let model = single(hinge, body(1.0, [0.0; 3], [inertia; 3]), [0.0; 3]);
    let mut state = State::neutral(&model);
    state.v[0] = 10.0;
    (model, state)
}

#[test]
fn stiff_damping_is_stable_when_implicit() {
    let dt = 1e-2;
    let (model, mut state) = stiff_wheel(dt);
    for i in 0..20 {
        let next = run(&model, &state, Integrator::ImplicitDamping, dt, 1);
        let want = state.v[0] / 1001.0;
        let error = (next.v[0] / want - 1.0).abs();
        assert!(error < 1e-12, "step {i}: {} instead of {want} rad/s", next.v[0]);
        assert!(next.q[0] >= state.q[0], "step {i}: it turns back");
        state = next;
    }
}

#[test]
fn stiff_damping_of_a_chain_is_stable_when_implicit() {
    let rod = body(1.0, [0.0, 0.0, -0.5], [0.083, 0.083, 0.001]);
    let mut model = chain(6, Vec3::Y, 1.0, rod);
    model.params.gravity = Vec3::ZERO;
    for joint in &mut model.params.joints {
        joint.damping = 1e5;
    }
    let mut state = State::neutral(&model);
    state.v = vec![3.0, -2.0, 5.0, -4.0, 1.0, -6.0];
    let mut before = energy(&model, &state);
    for i in 0..200 {
        state = run(&model, &state, Integrator::ImplicitDamping, 1e-2, 1);
        let after = energy(&model, &state);
        assert!(after <= before, "step {i}: energy rises from {before:e} to {after:e} J");
        before = after;
    }
    assert!(before < 1e-12, "{before:e} J are left");
}

#[test]
fn stiff_damping_diverges_when_explicit_and_says_so() {
    let dt = 1e-2;
    for scheme in [Integrator::SemiImplicitEuler, Integrator::Rk4] {
        let (model, mut state) = stiff_wheel(dt);
        let (mut trace, mut scratch) = (StepTrace::new(&model), StepScratch::new(&model));
        let options = StepOptions::new(dt).with(scheme);
        let input = Input::none(&model);
        let diverged = (0..300).find_map(|_| {
            step(&model, &mut state, &input, &options, &mut NoTaps, &mut trace, &mut scratch)
                .diverged
        });
        let link = diverged.unwrap_or_else(|| panic!("{scheme:?}: still at {} rad/s", state.v[0]));
        assert_eq!(model.topology.links[link.index()].name, "body", "{scheme:?}");
    }
}

#[test]
fn divergence_names_the_link() {
    let model = chain(5, Vec3::Y, 1.0, body(1.0, [0.0, 0.0, -0.5], [0.083, 0.083, 0.001]));
    for scheme in SCHEMES {
        let mut state = State::neutral(&model);
        let (mut trace, mut scratch) = (StepTrace::new(&model), StepScratch::new(&model));
        let options = StepOptions::new(1e-3).with(scheme);
        let mut input = Input::none(&model);
        assert_eq!(
            step(&model, &mut state, &input, &options, &mut NoTaps, &mut trace, &mut scratch)
                .diverged,
            None
        );
        input.tau[3] = f64::NAN;
        let report =
            step(&model, &mut state, &input, &options, &mut NoTaps, &mut trace, &mut scratch);
        // Every joint feels it, the first in the list is named.
        let link = report.diverged.map(|id| model.topology.links[id.index()].name.as_str());
        assert_eq!(link, Some("link0"), "{scheme:?}");
    }
}

#[test]
fn time_advances() {
    let (model, start) = springy_tree(0.5);
    for scheme in SCHEMES {
        let end = run(&model, &start, scheme, 1e-3, 100);
        assert!((end.time - 0.1).abs() < 1e-14, "{scheme:?}: {} s", end.time);
    }
}
