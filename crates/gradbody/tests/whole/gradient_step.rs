//! Gradients of single steps and short rollouts, part by part.

use crate::support::gradient::compare_by;
use crate::support::models::random_robot;
use crate::support::random::Random;
use crate::support::scenes::Scene;
use gradbody::contact::{ContactGradient, Ncp, Solver};
use gradbody::model::Material;
use gradbody::prelude::*;
use gradbody::sim::Checkpointing;
use gradbody_check::Case;

/// Of the largest derivative, the share below which errors count as if it were that large.
const SMALL: f64 = 1e-4;

/// Compares all parts with duals.
fn check(name: &str, case: &Case, seed: u64, tolerance: f64) {
    let compared = compare_by(case, seed, false).unwrap_or_else(|e| panic!("{name}: {e}"));
    let floor = SMALL * compared.iter().map(|c| c.size).fold(0.0, f64::max);
    for c in &compared {
        let error = c.relative_error(floor);
        assert!(error < tolerance, "{name}: {c} is off by {error:.1e}");
    }
}

#[test]
fn robots_without_contact() {
    for seed in 0..10 {
        for integrator in
            [Integrator::SemiImplicitEuler, Integrator::ImplicitDamping, Integrator::Rk4]
        {
            let model = random_robot(seed, 7);
            let mut random = Random::new(seed + 100);
            let mut start = State::neutral(&model);
            start.q = random.configuration(&model);
            start.v = random.numbers(model.nv());
            let input = |random: &mut Random| {
                let mut input = Input::none(&model);
                input.control = random.numbers(input.control.len());
                input.tau = random.numbers(input.tau.len());
                input
            };
            let inputs = (0..3).map(|_| input(&mut random)).collect();
            let case = Case {
                start,
                inputs,
                options: StepOptions::new(1e-2).with(integrator).without_contact(),
                gradient: ContactGradient::Implicit,
                checkpointing: Checkpointing::EveryStep,
                model: model.clone(),
            };
            check(&format!("seed {seed} {integrator:?}"), &case, seed, 1e-10);
        }
    }
}

fn falling(body: &str, restitution: f64, solver: Solver, gradient: ContactGradient) -> Case {
    let mut scene = Scene::new(Material { restitution, ..Material::with_friction(0.3) });
    scene.ground();
    match body {
        "ball" => scene.ball("body", 0.1, 1.0),
        _ => scene.block("body", [0.1, 0.15, 0.08], 1.0),
    };
    let mut world = scene.world(1e-2);
    let height = if body == "ball" { 0.105 } else { 0.165 };
    world.place(0, [0.0, 0.0, height], Quat::exp(Vec3::new(0.3, 0.2, 0.1)));
    world.throw(0, [1.0, 0.5, -0.8], [1.0, -2.0, 0.5]);
    Case {
        inputs: vec![Input::none(&world.model); 6],
        options: StepOptions::new(1e-2).with_solver(solver),
        gradient,
        checkpointing: Checkpointing::EveryStep,
        start: world.state.clone(),
        model: world.model.clone(),
    }
}

#[test]
fn falling_bodies() {
    for body in ["ball", "box"] {
        for restitution in [0.0, 0.5] {
            let solvers = [
                ("hc", Solver::HuntCrossley, ContactGradient::Implicit),
                ("ncp", Solver::Ncp(Ncp::converged()), ContactGradient::Implicit),
                ("ncp warm", Solver::Ncp(Ncp::default()), ContactGradient::Unrolled),
                (
                    "ncp 3",
                    Solver::Ncp(Ncp { sweeps: 3, ..Ncp::default() }),
                    ContactGradient::Unrolled,
                ),
            ];
            for (name, solver, gradient) in solvers {
                let case = falling(body, restitution, solver, gradient);
                check(&format!("{body} {restitution} {name}"), &case, 7, 1e-9);
            }
        }
    }
}
