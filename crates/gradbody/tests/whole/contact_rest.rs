//! Bodies at rest stay at rest: on a slope, in a stack, on legs. And contact makes no energy.

use std::sync::Arc;

use crate::support::random::Random;
use crate::support::scenes::{G, Scene, ball, inclined, shape, stack, standing_quadruped};
use gradbody::dynamics::total_mass;
use gradbody::model::{FrameId, LinkId, Material, Outline, ShapeKind};
use gradbody::prelude::*;

#[test]
fn a_box_below_the_friction_angle_rests_for_a_minute() {
    let (friction, heading) = (0.5, 0.7);
    let rot = inclined((0.95_f64 * friction).atan(), heading);
    let mut scene = Scene::new(Material::with_friction(friction));
    scene.plane(rot);
    scene.block("box", [0.2, 0.15, 0.1], 3.0);
    let mut world = scene.world(2e-3);
    // Let fall from half a millimetre, so that there is something to settle.
    world.place(0, (rot.cols[2] * 0.1005).to_array(), Quat::from_mat3(&rot));
    world.run(1.0);
    let settled = world.position(0);
    let mut fastest = 0.0_f64;
    for _ in 0..30_000 {
        world.step();
        fastest = fastest.max(world.velocity(0).norm()).max(0.1 * world.spin_b(0).norm());
    }
    let drift = (world.position(0) - settled).norm();
    println!("a box on a slope for 60 s: {fastest:.1e} m/s at most, moved by {drift:.1e} m");
    assert!(fastest < 1e-6, "moves with up to {fastest:e} m/s");
    assert!(drift < 1e-6, "moved by {drift:e} m");
}

#[test]
fn a_stack_of_ten_boxes_stands() {
    for (dt, most) in [(1e-3, 1e-3), (2e-3, 1e-3)] {
        let mut world = stack(10, dt);
        let start: Vec<_> = (0..10).map(|i| world.position(i)).collect();
        let steps = (10.0 / dt) as usize;
        for _ in 0..steps {
            world.step();
            for contact in world.trace.contacts() {
                assert!(contact.gap > -1e-3, "boxes enter each other by {} m", -contact.gap);
            }
            for (i, start) in start.iter().enumerate() {
                let moved = (world.position(i) - *start).norm();
                assert!(moved < most, "box {i} moved by {moved} m");
            }
        }
    }
}

#[test]
fn a_standing_robot_does_not_drift_and_its_feet_carry_its_weight() {
    let mut world = standing_quadruped();
    world.run(2.0);
    let settled = world.position(0);
    let mut farthest = 0.0_f64;
    for _ in 0..8000 {
        world.step();
        farthest = farthest.max((world.position(0) - settled).norm());
    }
    println!("a standing quadruped: moved by {farthest:.1e} m in 8 s");
    assert!(settled.z > 0.3, "it stands, at {} m", settled.z);
    assert!(farthest < 1e-4, "moved by {farthest} m");
    let feet = world.trace.contacts().len();
    assert_eq!(feet, 4, "on its feet");
    let force = world.model.topology.link_ids().map(|link| world.contact_force(link));
    let force = force.fold(Vec3::ZERO, |sum, f| sum + f);
    let weight = Vec3::new(0.0, 0.0, total_mass(&world.model) * G);
    let error = (force - weight).norm();
    // The robot's own motion at the end, of less than 1e-6 m/s², is what is left.
    assert!(error < 1e-4 * weight.z, "{force:?} carries {weight:?}");
}

#[test]
fn a_resting_body_is_carried_by_forces_that_are_its_weight() {
    let mut scene = Scene::new(Material::with_friction(0.5));
    scene.ground();
    scene.block("box", [0.2, 0.3, 0.1], 7.0);
    scene.ball("ball", 0.1, 2.0);
    let mut world = scene.world(1e-3);
    world.place(0, [0.0, 0.0, 0.1], Quat::IDENTITY);
    world.place(1, [0.02, 0.03, 0.3], Quat::IDENTITY);
    world.run(1.0);
    let [below, above] = [0, 1].map(|i| world.contact_force(LinkId::new(i)));
    assert!((above - Vec3::new(0.0, 0.0, 2.0 * G)).norm() < 1e-5, "on the ball: {above:?}");
    assert!((below - Vec3::new(0.0, 0.0, 7.0 * G)).norm() < 1e-5, "on the box: {below:?}");
    let ground = world.trace.contacts().iter().filter(|c| c.link_a.is_none());
    let carried: f64 = ground.map(|c| c.force_w.z).sum();
    assert!((carried - 9.0 * G).abs() < 1e-5, "the ground carries {carried} N");
}

#[test]
fn inelastic_contact_never_makes_energy_but_by_parting_what_has_sunk_in() {
    let mut corrected = 0.0;
    for seed in 0..10 {
        let mut random = Random::new(seed);
        let mut scene = Scene::new(Material::with_friction(random.within(0.0, 1.0)));
        scene.ground();
        // A cube: free flight of other bodies changes their energy a little, in explicit steps.
        scene.block("cube", [0.1; 3], 2.0);
        let mut world = scene.world(1e-3);
        world.place(0, [0.0, 0.0, random.within(0.3, 0.6)], random.quaternion());
        let spin = random.vector() * 15.0;
        world.throw(0, (random.vector() * 2.0).to_array(), spin.to_array());
        let start = world.energy();
        let mut before = start;
        for _ in 0..2000 {
            world.step();
            let now = world.energy();
            // Kinetic energy changes by λᵀ(w + w_free)/2 ≤ λᵀ w; friction opposes sliding, so what is
            // left is the normal impulse at the speed that parts bodies which are inside each other.
            let contacts = world.trace.contacts();
            let dt = world.options.dt;
            let allowed: f64 = world
                .trace
                .problem()
                .contacts
                .iter()
                .map(|rows| {
                    let contact = &contacts[rows.contact];
                    let speed = contact.material.position_gain * (-contact.gap).max(0.0) / dt;
                    rows.impulse.x * speed.min(world.options.contact.recovery_speed)
                })
                .sum();
            corrected += allowed;
            // The solver's tolerance of 1e-9 m/s, at impulses of up to 20 N s.
            let made = now - before - allowed;
            let time = world.state.time;
            assert!(made < 1e-7, "seed {seed}: {made:e} J made at {time} s of {before} J");
            before = now;
        }
        let end = world.energy();
        assert!(end < 0.9 * start, "seed {seed}: it hits the ground, {start} J, {end} J");
    }
    println!("energy by position correction in ten falls: {corrected:.1e} J");
}

/// A groove is one concave extrusion: what lies in it touches both of its walls.
#[test]
fn round_bodies_rest_in_a_groove() {
    use ShapeKind::{Capsule, Ellipsoid, Sphere};
    let corners = vec![[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [0.0, 0.0], [-1.0, 1.0]];
    let outline = Arc::new(Outline::new(corners).unwrap());
    let lying = Quat::exp(Vec3::new(std::f64::consts::FRAC_PI_2, 0.0, 0.0));
    let bodies =
        [(Sphere, [0.1, 0.0, 0.0]), (Capsule, [0.1, 0.2, 0.0]), (Ellipsoid, [0.1, 0.1, 0.15])];
    for (kind, size) in bodies {
        let name = format!("{kind:?}");
        let mut scene = Scene::new(Material::with_friction(0.5));
        let mut groove = shape([1.0; 3], scene.surface);
        groove.placement.rot = lying.to_mat3();
        let walls = ShapeKind::Extrusion(outline.clone());
        scene.builder.shape("groove", FrameId::WORLD, walls, groove).unwrap();
        scene.body("body", kind, size, ball(0.1, 1.0));
        let mut world = scene.world(2e-3);
        let height = 0.1 * 2.0_f64.sqrt();
        world.place(0, [1e-4, 0.0, height + 1e-3], lying);
        world.run(2.0);
        let mut fastest = 0.0_f64;
        for _ in 0..1000 {
            world.step();
            fastest = fastest.max(world.velocity(0).norm()).max(0.1 * world.spin_b(0).norm());
        }
        println!("{name} in a groove: {fastest:.1e} m/s at most");
        assert!(fastest < 1e-6, "{name} moves with up to {fastest:e} m/s");
        let above = world.position(0).z - height;
        assert!(above.abs() < 1e-4, "{name} is {above:e} m above where it touches both walls");
        for side in [-1.0, 1.0] {
            let pushes = |c: &&gradbody::contact::Contact<f64>| c.force_w.x * side > 1.0;
            assert!(world.trace.contacts().iter().any(|c| pushes(&c)), "{name}: a wall is idle");
        }
    }
}
