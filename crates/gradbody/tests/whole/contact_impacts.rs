//! Impacts: restitution, momentum, bodies that hit bodies.

use crate::support::random::Random;
use crate::support::scenes::{G, Scene, World};
use gradbody::model::Material;
use gradbody::prelude::*;

fn bouncy(restitution: f64, friction: f64) -> Material<f64> {
    Material { restitution, ..Material::with_friction(friction) }
}

/// A ball let go at `height` above the ground.
fn dropped(height: f64, restitution: f64, dt: f64) -> World {
    let mut scene = Scene::new(bouncy(restitution, 0.5));
    scene.ground();
    scene.ball("ball", 0.1, 1.0);
    let mut world = scene.world(dt);
    world.place(0, [0.0, 0.0, 0.1 + height], Quat::IDENTITY);
    world
}

/// Heights of the first `n` tops after the start.
fn tops(world: &mut World, n: usize) -> Vec<f64> {
    let mut tops = Vec::new();
    while tops.len() < n {
        assert!(world.state.time < 10.0, "tops so far: {tops:?}");
        let rising = world.velocity(0).z > 0.0;
        world.step();
        if rising && world.velocity(0).z <= 0.0 {
            tops.push(world.position(0).z - 0.1);
        }
    }
    tops
}

#[test]
fn a_ball_bounces_to_the_squares_of_its_restitution() {
    for restitution in [1.0, 0.8, 0.5] {
        let (height, dt) = (1.0, 1e-4);
        let mut world = dropped(height, restitution, dt);
        let speed = (2.0 * G * height).sqrt();
        // An impact takes place at the start of the step in which the ball would pass the ground: up
        // to v dt above it, with a velocity of up to a step before. So the error of each height is
        // of first order in dt, and errors of the impacts before it shrink with e².
        let mut before = height;
        for (i, top) in tops(&mut world, 3).into_iter().enumerate() {
            let expected = restitution * restitution * before;
            let error = (top - expected).abs();
            assert!(error < 2.0 * speed * dt, "e = {restitution}: top {i} at {top}, {expected}");
            before = top;
        }
    }
}

#[test]
fn a_smaller_step_makes_a_bounce_more_exact() {
    let error = |dt: f64| (tops(&mut dropped(1.0, 0.8, dt), 1)[0] - 0.64).abs();
    let (coarse, fine) = (error(2e-3), error(2e-5));
    assert!(fine < 2e-4 && coarse < 2e-2 && fine < coarse, "{coarse:e}, {fine:e}");
}

#[test]
fn an_impact_below_the_threshold_does_not_bounce() {
    // The threshold is 0.05 m/s, reached after a fall of 0.127 mm.
    let mut world = dropped(1e-4, 1.0, 1e-4);
    for _ in 0..1000 {
        world.step();
        let up = world.velocity(0).z;
        assert!(up < 1e-9, "{up} m/s upwards at {} s", world.state.time);
    }
    assert!((world.position(0).z - 0.1).abs() < 1e-9, "rests at {}", world.position(0).z);
    let mut world = dropped(2e-4, 1.0, 1e-4);
    let bounced = (0..1000).any(|_| {
        world.step();
        world.velocity(0).z > 0.05
    });
    assert!(bounced, "above the threshold it does");
}

/// Balls of 0.1 m in a row along x, `gap` between neighbours.
fn row(n: usize, gap: f64, surface: Material<f64>, dt: f64) -> World {
    let mut scene = Scene::weightless(surface);
    (0..n).for_each(|i| {
        scene.ball(&format!("ball{i}"), 0.1, 0.7);
    });
    let mut world = scene.world(dt);
    for i in 0..n {
        world.place(i, [(0.2 + gap) * i as f64, 0.0, 0.0], Quat::IDENTITY);
    }
    world
}

/// The largest difference of the balls' velocities from velocities along x.
fn off_by(world: &World, along_x: &[f64]) -> f64 {
    let off = |(i, x): (usize, &f64)| (world.velocity(i) - Vec3::new(*x, 0.0, 0.0)).norm();
    along_x.iter().enumerate().map(off).fold(0.0, f64::max)
}

#[test]
fn newtons_cradle_passes_the_velocity_on_to_the_last_ball() {
    let mut world = row(5, 1e-3, bouncy(1.0, 0.0), 1e-4);
    world.throw(0, [1.3, 0.0, 0.0], [0.0; 3]);
    world.run(0.1);
    let error = off_by(&world, &[0.0, 0.0, 0.0, 0.0, 1.3]);
    assert!(error < 1e-9, "off by {error:e} m/s: {:?}", world.state.v);
}

#[test]
fn two_balls_of_newtons_cradle_throw_off_two() {
    let mut world = row(5, 1e-3, bouncy(1.0, 0.0), 1e-4);
    world.throw(0, [1.0, 0.0, 0.0], [0.0; 3]);
    world.throw(1, [1.0, 0.0, 0.0], [0.0; 3]);
    world.run(0.1);
    let error = off_by(&world, &[0.0, 0.0, 0.0, 1.0, 1.0]);
    assert!(error < 1e-9, "off by {error:e} m/s: {:?}", world.state.v);
}

#[test]
fn equal_balls_that_meet_head_on_swap_their_velocities() {
    for friction in [0.0, 0.8] {
        let mut world = row(2, 0.05, bouncy(1.0, friction), 1e-3);
        world.throw(0, [2.0, 0.0, 0.0], [0.0; 3]);
        world.throw(1, [-0.5, 0.0, 0.0], [0.0; 3]);
        world.run(0.1);
        let error = off_by(&world, &[-0.5, 2.0]);
        assert!(error < 1e-12, "μ {friction}: off by {error:e} m/s: {:?}", world.state.v);
    }
}

#[test]
fn an_inelastic_impact_leaves_equal_balls_with_the_mean_velocity() {
    let mut world = row(2, 0.05, bouncy(0.0, 0.0), 1e-3);
    world.throw(0, [2.0, 0.0, 0.0], [0.0; 3]);
    world.throw(1, [-0.5, 0.0, 0.0], [0.0; 3]);
    world.run(0.1);
    let error = off_by(&world, &[0.75, 0.75]);
    assert!(error < 1e-9, "off by {error:e} m/s: {:?}", world.state.v);
    let gap = (world.position(1) - world.position(0)).norm() - 0.2;
    assert!(gap.abs() < 1e-9, "they touch, {gap:e} m apart");
}

#[test]
fn an_oblique_frictionless_collision_leaves_tangential_momentum_as_it_was() {
    let mut world = row(2, 0.05, bouncy(0.7, 0.0), 1e-3);
    let offset = Vec3::new(0.0, 0.07, -0.05);
    world.place(1, [0.25, offset.y, offset.z], Quat::IDENTITY);
    world.throw(0, [2.0, 0.3, -0.2], [1.0, 2.0, 3.0]);
    world.throw(1, [-1.0, 0.1, 0.4], [-3.0, 0.5, 1.0]);
    let (mut normal, mut before) = (None, (Vec3::ZERO, Vec3::ZERO));
    for _ in 0..200 {
        let now = (world.velocity(0), world.velocity(1));
        world.step();
        if world.velocity(0) != now.0 {
            assert!(normal.is_none(), "they collide once");
            normal = Some(world.trace.contacts()[0].normal_w);
            before = now;
        }
    }
    let normal = normal.expect("they collide");
    assert!(normal.y.abs() > 0.2, "obliquely: {normal:?}");
    let tangential = |v: Vec3<f64>| v - normal * v.dot(normal);
    for (now, before) in [(world.velocity(0), before.0), (world.velocity(1), before.1)] {
        let change = (tangential(now) - tangential(before)).norm();
        assert!(change < 4.0 * f64::EPSILON, "changed by {change:e}");
    }
    // And e is the ratio of the normal velocities.
    let (parting, closing) =
        ((world.velocity(1) - world.velocity(0)).dot(normal), (before.1 - before.0).dot(normal));
    assert!((parting + 0.7 * closing).abs() < 1e-12, "{parting} after {closing}");
    // Spins are turned into the world's axes and back.
    let spun = (world.spin_b(0) - Vec3::new(1.0, 2.0, 3.0)).norm();
    assert!(spun < 1e-14, "and no spin, but {spun:e}");
}

#[test]
fn bodies_that_hit_each_other_in_space_keep_their_momentum() {
    for seed in 0..5 {
        let mut random = Random::new(seed);
        let mut scene = Scene::weightless(bouncy(random.within(0.0, 1.0), random.within(0.1, 1.0)));
        let n = 8;
        for i in 0..n {
            let (size, mass) = (random.within(0.1, 0.3), random.within(0.2, 3.0));
            // Balls and cubes: their spin stays constant in free flight, in a step too.
            match i % 2 {
                0 => scene.ball(&format!("ball{i}"), size, mass),
                _ => scene.block(&format!("cube{i}"), [size; 3], mass),
            };
        }
        let mut world = scene.world(2e-3);
        for i in 0..n {
            let corner = Vec3::from_f64([(i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64]);
            let pos = (corner - Vec3::from_f64([0.5; 3])) * 1.4 + random.vector() * 0.1;
            world.place(i, pos.to_array(), random.quaternion());
            let inwards = pos * -3.0 + random.vector();
            world.throw(i, inwards.to_array(), (random.vector() * 4.0).to_array());
        }
        let (start, scale) = (world.momentum(), 10.0);
        let mut touched = 0;
        for _ in 0..1500 {
            let touches = world.step().contacts > 0;
            touched += usize::from(touches);
        }
        let end = world.momentum();
        let (lin, ang) = ((end.lin - start.lin).norm(), (end.ang - start.ang).norm());
        // A few roundings of each of 1500 steps and 8 bodies.
        assert!(touched >= 5, "seed {seed}: they touch in {touched} steps");
        assert!(lin < 1e-12 * scale, "seed {seed}: momentum changed by {lin:e}");
        assert!(ang < 1e-12 * scale, "seed {seed}: angular momentum changed by {ang:e}");
    }
}
