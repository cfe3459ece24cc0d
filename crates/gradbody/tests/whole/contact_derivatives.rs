//! Derivatives through an impact: dual numbers against central differences.

use crate::support::duals::Duals;
use crate::support::scenes::{Scene, World};
use gradbody::contact::{Lcp, Ncp, Solver};
use gradbody::model::Material;
use gradbody::prelude::*;
use gradbody::sim::Simulated;

/// What is varied: height [m], velocities [m/s], friction.
const INPUTS: usize = 4;
type Varied = Duals;

/// Step of the central differences, and what they are then good to: h² of curvature and rounding/h,
/// each 1e-10 of numbers of order one, grown by bounces and spin.
const H: f64 = 1e-5;
const TOLERANCE: f64 = 1e-6;

#[derive(Clone, Copy, Debug)]
enum Body {
    Ball,
    Box,
}

fn scene(body: Body, restitution: f64) -> World {
    let mut scene = Scene::new(Material { restitution, ..Material::with_friction(0.1) });
    scene.ground();
    match body {
        Body::Ball => scene.ball("body", 0.1, 1.0),
        Body::Box => scene.block("body", [0.1, 0.15, 0.08], 1.0),
    };
    let mut world = scene.world(1e-2);
    let height = if let Body::Ball = body { 0.163 } else { 0.203 };
    // Tilted, so that a corner comes down first.
    world.place(0, [0.0, 0.0, height], Quat::exp(Vec3::new(0.3, 0.2, 0.1)));
    world.throw(0, [1.0, 0.5, -0.8], [1.0, -2.0, 0.5]);
    world
}

/// The state after 20 steps, with `x` added to what is varied, and the steps with impulses.
fn outcome<S: Simulated>(world: &World, solver: Solver, x: [S; INPUTS]) -> (Vec<S>, usize) {
    let mut model: Model<S> = world.model.cast();
    let mut state: State<S> = world.state.cast();
    state.q[2] += x[0];
    state.v[2] += x[1];
    state.v[0] += x[2];
    for shape in &mut model.params.shapes {
        shape.material.friction += x[3];
    }
    let input = Input::none(&model);
    let mut options = StepOptions::new(1e-2).with_solver(solver);
    // Differences do not see when within a step a bounce begins.
    options.contact.impact_times = false;
    let (mut trace, mut scratch) = (StepTrace::new(&model), StepScratch::new(&model));
    let mut impacts = 0;
    for _ in 0..20 {
        step(&model, &mut state, &input, &options, &mut NoTaps, &mut trace, &mut scratch);
        let pushes = |c: &gradbody::contact::Contact<S>| c.force_w.norm().lane(0) > 0.0;
        impacts += usize::from(trace.contacts().iter().any(pushes));
    }
    ([state.q, state.v].concat(), impacts)
}

fn check(body: Body, restitution: f64, solver: Solver) {
    let world = scene(body, restitution);
    let what = format!("{body:?}, e = {restitution}, {solver:?}");
    let varied = core::array::from_fn(|i| Varied::variable(0.0, i));
    let (dual, impacts) = outcome(&world, solver, varied);
    assert!((1..20).contains(&impacts), "{what}: impulses in {impacts} steps");
    let (plain, _) = outcome(&world, solver, [0.0_f64; INPUTS]);
    for (dual, plain) in dual.iter().zip(&plain) {
        assert_eq!(dual.re.to_bits(), plain.to_bits(), "{what}: values");
    }
    for input in 0..INPUTS {
        let at = |h: f64| {
            let mut x = [0.0_f64; INPUTS];
            x[input] = h;
            outcome(&world, solver, x).0
        };
        let (above, below) = (at(H), at(-H));
        let mut largest = 0.0_f64;
        for (k, dual) in dual.iter().enumerate() {
            let difference = (above[k] - below[k]) / (2.0 * H);
            let error = (dual.eps[input] - difference).abs();
            largest = largest.max(difference.abs());
            assert!(
                error < TOLERANCE * (1.0 + difference.abs()),
                "{what}: number {k} by input {input}: {} by dual numbers, {difference} by differences",
                dual.eps[input]
            );
        }
        assert!(largest > 1e-3, "{what}: input {input} matters");
    }
}

/// All sweeps of every step, so that a small change of the inputs changes none of their number.
const FIXED: Solver = Solver::Ncp(Ncp {
    cone: gradbody::contact::Cone::Circular,
    sweeps: 60,
    tolerance: 0.0,
    rounds: 0,
    warm_start: true,
});

#[test]
fn derivatives_through_an_impact_are_those_of_differences() {
    for body in [Body::Ball, Body::Box] {
        for restitution in [0.0, 0.6] {
            check(body, restitution, FIXED);
        }
    }
}

#[test]
fn derivatives_through_an_impact_by_pivots_are_those_of_differences() {
    check(Body::Ball, 0.0, Solver::Lcp(Lcp { sides: 8 }));
    check(Body::Ball, 0.6, Solver::Lcp(Lcp { sides: 8 }));
}

#[test]
fn derivatives_through_compliant_contact_are_those_of_differences() {
    for body in [Body::Ball, Body::Box] {
        let mut world = scene(body, 0.0);
        for shape in &mut world.model.params.shapes {
            // Soft enough for steps of 10 ms.
            shape.material.stiffness = 3_000.0;
            shape.material.damping = 1_000.0;
            shape.material.slip_velocity = 0.3;
        }
        let (dual, impacts) = outcome(
            &world,
            Solver::HuntCrossley,
            core::array::from_fn(|i| Varied::variable(0.0, i)),
        );
        assert!(impacts > 2, "{body:?}: {impacts} steps with contact");
        for input in 0..INPUTS {
            let at = |h: f64| {
                let mut x = [0.0_f64; INPUTS];
                x[input] = h;
                outcome(&world, Solver::HuntCrossley, x).0
            };
            let (above, below) = (at(H), at(-H));
            for (k, dual) in dual.iter().enumerate() {
                let difference = (above[k] - below[k]) / (2.0 * H);
                let error = (dual.eps[input] - difference).abs();
                // A force that sets in like x^1.5 has differences good to √h at its onset.
                assert!(
                    error < 1e-4 * (1.0 + difference.abs()),
                    "{body:?}: number {k} by input {input}: {}, {difference} by differences",
                    dual.eps[input]
                );
            }
        }
    }
}
