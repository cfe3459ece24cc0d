//! The gradient through an impact knows when it happens.

use crate::support::component::Component;
use crate::support::scenes::Scene;
use gradbody::contact::{ContactGradient, Ncp, Solver};
use gradbody::model::Material;
use gradbody::prelude::*;
use gradbody::sim::{Constant, GradientOptions, Rollout, RolloutTrace, rollout_vjp};

/// Two equal balls of radius 0.1 on the x axis, elastic: their velocities swap, so that the first
/// ends where the second would have, less their distance. Positions and velocities at the end by those
/// at the start, over time T:
///
/// ```text
///   x₁' = x₂ + v₂ T − 2 r,   x₂' = x₁ + v₁ T + 2 r,   v₁' = v₂,   v₂' = v₁
/// ```
#[test]
fn elastic_balls_swap_their_jacobian() {
    let scene = Scene::weightless(Material { restitution: 1.0, ..Material::with_friction(0.0) });
    let (steps, dt) = (10, 0.1);
    for offset in [0.0, 0.013, 0.05] {
        let mut world = scene_world(&scene, dt);
        world.place(0, [-1.0 - offset, 0.0, 0.0], Quat::IDENTITY);
        world.place(1, [0.6, 0.0, 0.0], Quat::IDENTITY);
        world.throw(0, [2.0, 0.0, 0.0], [0.0; 3]);
        world.throw(1, [-0.7, 0.0, 0.0], [0.0; 3]);
        let options = StepOptions::new(dt).with_solver(Solver::Ncp(Ncp::converged()));
        let time = steps as f64 * dt;
        // Rows: x₁, x₂, v₁, v₂ at the end; columns: the same at the start.
        let exact = [
            [0.0, 1.0, 0.0, time],
            [1.0, 0.0, time, 0.0],
            [0.0, 0.0, 0.0, 1.0],
            [0.0, 0.0, 1.0, 0.0],
        ];
        let ends = [(0, false), (6, false), (0, true), (6, true)];
        for contact in [ContactGradient::Implicit, ContactGradient::Unrolled] {
            for (row, (coordinate, of_velocity)) in ends.into_iter().enumerate() {
                let (model, start) = (&world.model, &world.state);
                let rolled = Rollout { model, start, steps, options: &options };
                let gradient = rollout_vjp(
                    &rolled,
                    &mut Constant::none(model),
                    &mut Component { coordinate, of_velocity },
                    &mut NoTaps,
                    &GradientOptions { contact, ..GradientOptions::default() },
                    &mut RolloutTrace::new(model),
                );
                let g = gradient.checked().unwrap().start;
                let found = [g.q[0], g.q[6], g.v[0], g.v[6]];
                for column in 0..4 {
                    let error = (found[column] - exact[row][column]).abs();
                    assert!(error < 1e-12, "offset {offset} row {row}: {found:?}");
                }
            }
        }
    }
}

fn scene_world(scene: &Scene, dt: f64) -> crate::support::scenes::World {
    let mut copy = Scene::weightless(scene.surface);
    copy.ball("one", 0.1, 1.0);
    copy.ball("two", 0.1, 1.0);
    copy.world(dt)
}

/// A ball that falls from height h for the time t touches the ground at the speed v = g t, and bounces
/// with e v. At the time T, moved by dt = dh / v,
///
/// ```text
///   dz = ((1 + e) g (T − t) − e v) dt,   dv = (1 + e) g dt
/// ```
///
/// to first order in the time step, which hides t.
#[test]
fn a_ball_that_bounces_has_the_gradient_of_the_closed_form() {
    let (restitution, gravity, radius) = (0.5, 9.81, 0.1);
    let mut errors = Vec::new();
    for (steps, dt) in [(250, 2e-3), (500, 1e-3), (1000, 5e-4)] {
        let mut worst = 0.0_f64;
        for height in [0.5, 0.63, 0.8, 0.97, 1.2] {
            let surface = Material { restitution, ..Material::with_friction(0.0) };
            let mut scene = Scene::new(surface);
            scene.ground();
            scene.ball("ball", radius, 1.0);
            let mut world = scene.world(dt);
            world.place(0, [0.0, 0.0, height], Quat::IDENTITY);
            let fall = (2.0 * (height - radius) / gravity).sqrt();
            let (speed, left) = (gravity * fall, steps as f64 * dt - fall);
            let rise = (1.0 + restitution) * gravity;
            let exact = [(rise * left - restitution * speed) / speed, rise / speed];
            let options = StepOptions::new(dt).with_solver(Solver::Ncp(Ncp::converged()));
            for (of_velocity, exact) in [(false, exact[0]), (true, exact[1])] {
                let (model, start) = (&world.model, &world.state);
                let gradient = rollout_vjp(
                    &Rollout { model, start, steps, options: &options },
                    &mut Constant::none(model),
                    &mut Component { coordinate: 2, of_velocity },
                    &mut NoTaps,
                    &GradientOptions::default(),
                    &mut RolloutTrace::new(model),
                );
                let found = gradient.checked().unwrap().start.q[2];
                worst = worst.max((found - exact).abs() / exact.abs().max(1.0));
            }
        }
        errors.push(worst);
    }
    assert!(errors[0] < 2e-2 && errors[2] < 5e-3, "{errors:?}");
}
