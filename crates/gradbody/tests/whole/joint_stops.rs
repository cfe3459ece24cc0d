//! Hard joint limits and joint friction that sticks, solved together with contacts.

use crate::support::models::{body, chain, single};
use crate::support::scenes::{G, World};
use gradbody::contact::{Lcp, Ncp, Solver, StopKind};
use gradbody::dynamics::JointStops;
use gradbody::prelude::*;

/// A rod of 1 kg and 1 m on a hinge about y, hanging at zero; its inertia about the hinge is 1/3.
fn pendulum(dt: f64) -> World {
    let rod = body(1.0, [0.0, 0.0, -0.5], [1.0 / 12.0, 1.0 / 12.0, 1e-3]);
    let model = single(JointSpec::revolute("hinge", Vec3::Y), rod, [0.0, 0.0, -G]);
    let mut world = World::new(model, dt);
    world.options.joint_stops = JointStops::Hard;
    world
}

fn solvers() -> [Solver; 2] {
    [Solver::Ncp(Ncp::default()), Solver::Lcp(Lcp::default())]
}

#[test]
fn a_pendulum_rests_exactly_on_its_limit() {
    for solver in solvers() {
        for (lower, upper, limit) in [(0.4, 2.0, 0.4), (-2.0, -0.3, -0.3)] {
            let mut world = pendulum(1e-3);
            world.options = world.options.with_solver(solver);
            world.model.params.joints[0].limit_lower = lower;
            world.model.params.joints[0].limit_upper = upper;
            world.state.q[0] = limit;
            world.run(1.0);
            assert!((world.state.q[0] - limit).abs() < 1e-12, "rests at {}", world.state.q[0]);
            assert!(world.state.v[0].abs() < 1e-12, "with {} rad/s", world.state.v[0]);
            // The limit carries the weight's moment.
            let rows = &world.trace.problem().joints;
            let torque: f64 = rows.iter().map(|r| r.impulse / world.options.dt).sum();
            let moment = G * 0.5 * f64::sin(limit);
            assert!((torque - moment).abs() < 1e-9, "{torque} N m carries {moment}");
            let kind = if limit == lower { StopKind::Lower } else { StopKind::Upper };
            assert!(rows.iter().any(|r| r.stop.kind == kind && r.impulse != 0.0));
        }
    }
}

#[test]
fn a_limit_is_never_passed_whatever_the_step() {
    for solver in solvers() {
        for dt in [1e-4, 1e-3, 1e-2, 0.05] {
            let mut world = pendulum(dt);
            world.options = world.options.with_solver(solver);
            world.model.params.joints[0].limit_lower = -0.5;
            world.model.params.joints[0].limit_upper = 0.8;
            world.state.v[0] = 12.0;
            let mut reached = f64::NEG_INFINITY;
            for _ in 0..(2.0 / dt) as usize {
                world.step();
                let q = world.state.q[0];
                reached = reached.max(q);
                // Rounding of an angle of order one.
                assert!((-0.5 - 1e-14..=0.8 + 1e-14).contains(&q), "{solver:?}, dt {dt}: {q}");
            }
            assert!((reached - 0.8).abs() < 1e-9, "{solver:?}, dt {dt}: it gets to {reached}");
        }
    }
}

#[test]
fn every_joint_of_a_falling_chain_keeps_its_range_but_for_a_step() {
    let rod = body(1.0, [0.0, 0.0, -0.15], [0.01, 0.01, 1e-3]);
    for dt in [1e-3, 1e-2] {
        let mut world = World::new(chain(5, Vec3::Y, 0.3, rod), dt);
        world.options.joint_stops = JointStops::Hard;
        let ncp = Ncp { sweeps: 2000, tolerance: 1e-12, ..Ncp::default() };
        world.options = world.options.with_solver(Solver::Ncp(ncp));
        for joint in &mut world.model.params.joints {
            (joint.limit_lower, joint.limit_upper) = (-0.6, 0.4);
        }
        world.state.q.fill(0.3);
        world.state.v[4] = 8.0;
        let mut touched = 0;
        for _ in 0..(2.0 / dt) as usize {
            world.step();
            touched += world.trace.problem().joints.iter().filter(|r| r.impulse != 0.0).count();
            for (i, q) in world.state.q.iter().enumerate() {
                // A joint that only another's stop turns towards its own has no row in that step:
                // it may be a step late.
                let late = 8.0 * dt;
                assert!((-0.6 - late..=0.4 + late).contains(q), "dt {dt}: joint {i} at {q}");
            }
        }
        assert!(touched > 20, "dt {dt}: limits acted {touched} times");
    }
}

#[test]
fn joint_friction_sticks_below_its_torque_and_slides_above_it() {
    for solver in solvers() {
        for sign in [-1.0, 1.0] {
            for torque in [0.5, 0.999, 1.001, 3.0] {
                let rod = body(1.0, [0.0, 0.0, -0.5], [1.0 / 12.0, 1.0 / 12.0, 1e-3]);
                let model = single(JointSpec::revolute("hinge", Vec3::Y), rod, [0.0; 3]);
                let mut world = World::new(model, 1e-3);
                world.options = world.options.with_solver(solver);
                world.options.joint_stops = JointStops::Hard;
                world.model.params.joints[0].friction = 1.0;
                world.input.tau[0] = sign * torque;
                world.run(1.0);
                let expected = sign * 3.0 * f64::max(torque - 1.0, 0.0);
                let v = world.state.v[0];
                assert!((v - expected).abs() < 1e-9, "{torque} N m: {v} rad/s, not {expected}");
            }
        }
    }
}

#[test]
fn joint_friction_stops_a_turning_joint_in_the_closed_form_time() {
    let rod = body(1.0, [0.0, 0.0, -0.5], [1.0 / 12.0, 1.0 / 12.0, 1e-3]);
    let model = single(JointSpec::revolute("hinge", Vec3::Y), rod, [0.0; 3]);
    let mut world = World::new(model, 1e-3);
    world.options.joint_stops = JointStops::Hard;
    world.model.params.joints[0].friction = 0.5;
    world.state.v[0] = 1.0;
    // I v / f = 2/3 s
    world.run(0.5);
    assert!((world.state.v[0] - 0.25).abs() < 1e-9, "{}", world.state.v[0]);
    world.run(0.2);
    assert!(
        world.state.v[0].abs() < 1e-15,
        "it stops, and does not turn back: {:?}",
        world.state.v
    );
    let angle = world.state.q[0];
    world.run(1.0);
    assert_eq!(world.state.q[0], angle);
}

#[test]
fn soft_stops_are_the_default_and_make_no_rows() {
    let mut world = pendulum(1e-3);
    world.options.joint_stops = JointStops::default();
    world.model.params.joints[0].friction = 0.5;
    world.model.params.joints[0].limit_upper = 0.1;
    world.state.q[0] = 0.2;
    world.step();
    assert!(world.trace.problem().is_empty());
}
