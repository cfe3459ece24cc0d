//! Laws of friction and their closed forms: sticking, sliding, rolling, spinning.

use crate::support::scenes::{G, Scene, World, ball, inclined, slider};
use gradbody::contact::{Cone, Lcp, Ncp, Solver};
use gradbody::model::{Material, ShapeKind};
use gradbody::prelude::*;

/// The solver stops when a sweep changes no velocity by more than its tolerance of 1e-9 m/s; what is
/// left is a small multiple of that a step, and errors of sliding bodies do not add up.
const SOLVED: f64 = 1e-8;

const PYRAMID: Solver = Solver::Ncp(Ncp {
    cone: Cone::Pyramid,
    sweeps: 50,
    tolerance: 1e-9,
    rounds: 40,
    warm_start: true,
});

/// Eight directions, none along an axis of the world or halfway between two, as the contact's
/// tangents nearly are.
fn headings() -> impl Iterator<Item = f64> {
    (0..8).map(|k| 0.2 + core::f64::consts::FRAC_PI_4 * f64::from(k))
}

/// The speed after a second of a body laid on a slope of `steepness` times the friction angle's
/// tangent, and what it should be.
fn speed_on_slope(solver: Solver, heading: f64, friction: f64, steepness: f64) -> (f64, f64) {
    let angle = (friction * steepness).atan();
    let mut world = slider(angle, heading, friction, 1e-3);
    world.options = world.options.with_solver(solver);
    world.run(1.0);
    let speed = Vec3::from_slice(&world.state.v).norm();
    let expected = (G * (angle.sin() - friction * angle.cos())).max(0.0);
    (speed, expected)
}

#[test]
fn a_body_on_a_slope_sticks_below_the_friction_angle_and_slides_above_it_in_every_direction() {
    for heading in headings() {
        for friction in [0.3, 0.8] {
            for steepness in [0.5, 0.999, 1.001, 1.5] {
                let (speed, expected) =
                    speed_on_slope(Solver::default(), heading, friction, steepness);
                let error = (speed - expected).abs();
                assert!(
                    error < SOLVED,
                    "heading {heading}, μ {friction}, tan θ = {steepness} μ: {speed} m/s after a \
                     second, not {expected}"
                );
            }
        }
    }
}

#[test]
fn a_pyramid_instead_of_the_cone_sticks_where_a_body_should_slide() {
    // So that the test above can fail: the square reaches 1/cos φ too far at φ from a tangent.
    for heading in headings() {
        let (speed, expected) = speed_on_slope(PYRAMID, heading, 0.5, 1.001);
        assert!(expected > 4e-3 && speed < SOLVED, "{heading}: {speed} m/s, by cone {expected}");
    }
    // At most 1/cos 45° too far.
    for heading in headings() {
        let (speed, _) = speed_on_slope(PYRAMID, heading, 0.5, 1.5);
        assert!(speed > 0.1, "{heading}: {speed} m/s");
        let (speed, _) = speed_on_slope(PYRAMID, heading, 0.5, 0.999);
        assert!(speed < SOLVED, "{heading}: {speed} m/s");
    }
}

#[test]
fn a_pyramid_of_sixteen_sides_is_off_by_what_a_polygon_is() {
    let solver = Solver::Lcp(Lcp { sides: 16 });
    // The polygon is inside the circle: it reaches cos(π/16) = 0.981 of it at least.
    let least = (core::f64::consts::PI / 16.0).cos();
    let mut slid_too_early = 0;
    for heading in headings() {
        let (speed, _) = speed_on_slope(solver, heading, 0.5, 0.99 * least);
        assert!(speed < 1e-9, "{heading}: slides at {speed} m/s below the polygon's least");
        let (speed, _) = speed_on_slope(solver, heading, 0.5, 0.9999);
        slid_too_early += usize::from(speed > 1e-6);
        for steepness in [1.001, 1.5] {
            let (speed, expected) = speed_on_slope(solver, heading, 0.5, steepness);
            let angle = (0.5 * steepness).atan();
            let missing = 0.5 * G * angle.cos() * (1.0 - least);
            let error = speed - expected;
            assert!(error > -1e-9, "{heading}: {speed} m/s, slower than {expected} by the cone");
            assert!(error < 1.1 * missing, "{heading}: {speed} m/s, {expected} by the cone");
        }
    }
    assert!(slid_too_early > 0, "a polygon as good as the circle");
}

#[test]
fn a_box_slides_down_a_slope_with_the_acceleration_of_coulombs_law() {
    for heading in headings() {
        let (angle, friction) = (0.6_f64, 0.4);
        let mut scene = Scene::new(Material::with_friction(friction));
        let rot = inclined(angle, heading);
        scene.plane(rot);
        scene.block("box", [0.2, 0.3, 0.05], 2.0);
        let mut world = scene.world(1e-3);
        world.place(0, (rot.cols[2] * 0.05).to_array(), Quat::from_mat3(&rot));
        world.run(0.5);
        let expected = 0.5 * G * (angle.sin() - friction * angle.cos());
        let down = rot.cols[0] * (heading.cos()) + rot.cols[1] * (heading.sin());
        let error = (world.velocity(0) - down * expected).norm();
        assert!(error < 1e-6, "{heading}: {:?}, off by {error:e} of {expected}", world.velocity(0));
        assert!(world.spin_b(0).norm() < 1e-6, "{heading}: turns by {:?}", world.spin_b(0));
    }
}

/// Semi-implicit Euler slides `v²/2a − v dt/2`, give or take `a dt²/8` for the last part of a step.
fn check_stopping_distance(what: &str, world: &mut World, v: f64, friction: f64) {
    let (a, dt) = (friction * G, world.options.dt);
    let start = world.position(0);
    world.run(v / a + 0.1);
    let distance = (world.position(0) - start).norm();
    let expected = v * v / (2.0 * a) - v * dt / 2.0;
    let error = (distance - expected).abs();
    assert!(error < a * dt * dt / 8.0 + 1e-7, "{what}: slid {distance} m, not {expected}");
    let speed = world.velocity(0).norm();
    assert!(speed < SOLVED, "{what}: still {speed} m/s");
}

#[test]
fn a_sliding_body_stops_after_the_closed_form_distance() {
    let (v, friction) = (3.0, 0.35);
    for heading in headings() {
        let velocity = [v * heading.cos(), v * heading.sin(), 0.0];
        let mut world = slider(0.0, 0.0, friction, 1e-3);
        world.state.v.copy_from_slice(&velocity);
        check_stopping_distance("a ball that does not turn", &mut world, v, friction);

        let mut scene = Scene::new(Material::with_friction(friction));
        scene.ground();
        scene.block("box", [0.3, 0.2, 0.05], 2.0);
        let mut world = scene.world(1e-3);
        world.place(0, [0.0, 0.0, 0.05], Quat::IDENTITY);
        world.throw(0, velocity, [0.0; 3]);
        check_stopping_distance("a box", &mut world, v, friction);

        let mut scene = Scene::new(Material::with_friction(friction));
        scene.ground();
        let feet: [Vec3<f64>; 3] =
            [[0.3, 0.0, 0.0], [-0.2, 0.3, 0.0], [-0.2, -0.3, 0.0]].map(Vec3::from_f64);
        let inertia = Inertia { com: Vec3::new(0.0, 0.0, 0.05), ..ball(0.2, 1.0) };
        scene.body("stool", ShapeKind::Points(feet.to_vec().into()), [1.0; 3], inertia);
        let mut world = scene.world(1e-3);
        world.throw(0, velocity, [0.0; 3]);
        check_stopping_distance("three points", &mut world, v, friction);
    }
}

#[test]
fn a_sliding_ball_rolls_at_five_sevenths_of_its_speed() {
    for heading in headings() {
        let mut scene = Scene::new(Material::with_friction(0.3));
        scene.ground();
        scene.ball("ball", 0.1, 1.5);
        let mut world = scene.world(1e-3);
        world.place(0, [0.0, 0.0, 0.1], Quat::IDENTITY);
        let direction = Vec3::new(heading.cos(), heading.sin(), 0.0);
        world.throw(0, (direction * 2.0).to_array(), [0.0; 3]);
        world.run(1.0);
        // Its angular momentum about the point of contact stays, also in steps of finite length.
        let error = (world.velocity(0) - direction * (2.0 * 5.0 / 7.0)).norm();
        assert!(error < SOLVED, "{heading}: rolls with {:?}", world.velocity(0));
        let spin_w = world.kinematics().bodies[0].ang_vel_w;
        let slip = world.velocity(0) + spin_w.cross(Vec3::new(0.0, 0.0, -0.1));
        assert!(slip.norm() < SOLVED, "{heading}: slips by {slip:?}");
    }
}

#[test]
fn torsional_friction_stops_a_spinning_ball_in_the_closed_form_time() {
    let (radius, mass, spin, lever) = (0.1, 2.0, 20.0, 0.004);
    let surface = Material { torsional_friction: lever, ..Material::with_friction(0.5) };
    let mut scene = Scene::new(Material { rolling_friction: 0.0, ..surface });
    scene.ground();
    let shape = scene.ball("ball", radius, mass);
    scene.resist_turning(shape);
    let mut world = scene.world(1e-3);
    world.place(0, [0.0, 0.0, radius], Quat::IDENTITY);
    world.throw(0, [0.0; 3], [0.0, 0.0, spin]);
    // I ω = μ m g t
    let stops_at = 0.4 * radius * radius * spin / (lever * G);
    while world.state.time < stops_at - world.options.dt {
        world.step();
        let expected = spin * (1.0 - world.state.time / stops_at);
        let error = (world.spin_b(0).z - expected).abs();
        // Velocities are converged to 1e-9 a step.
        assert!(error < 1e-6, "{} rad/s at {} s", world.spin_b(0).z, world.state.time);
    }
    world.steps(2);
    assert!(world.spin_b(0).norm() < SOLVED, "still spins: {:?}", world.spin_b(0));
    world.run(0.1);
    assert!(world.spin_b(0).norm() < SOLVED, "spins again: {:?}", world.spin_b(0));
}

#[test]
fn without_turning_resistance_a_ball_spins_forever() {
    let mut scene = Scene::new(Material::with_friction(0.5));
    scene.ground();
    scene.ball("ball", 0.1, 2.0);
    let mut world = scene.world(1e-3);
    world.place(0, [0.0, 0.0, 0.1], Quat::IDENTITY);
    world.throw(0, [0.0; 3], [0.0, 0.0, 20.0]);
    world.run(1.0);
    assert!((world.spin_b(0).z - 20.0).abs() < SOLVED, "{:?}", world.spin_b(0));
}

#[test]
fn rolling_friction_slows_a_rolling_ball_as_its_torque_says() {
    let (radius, lever) = (0.1, 0.002);
    for heading in headings() {
        let surface = Material { rolling_friction: lever, ..Material::with_friction(0.8) };
        let mut scene = Scene::new(surface);
        scene.ground();
        let shape = scene.ball("ball", radius, 2.0);
        scene.resist_turning(shape);
        let mut world = scene.world(1e-3);
        world.place(0, [0.0, 0.0, radius], Quat::IDENTITY);
        let direction = Vec3::new(heading.cos(), heading.sin(), 0.0);
        let spin = Vec3::Z.cross(direction) * (1.0 / radius);
        world.throw(0, direction.to_array(), spin.to_array());
        // m a = f, I a/r = −f r − μ m g   ⇒   a = −(5/7) μ g / r
        let a = 5.0 / 7.0 * lever * G / radius;
        let error = |world: &World| {
            let expected = direction * (1.0 - a * world.state.time).max(0.0);
            (world.velocity(0) - expected).norm()
        };
        for _ in 0..(1.0 / a / world.options.dt) as usize {
            world.step();
            let error = error(&world);
            assert!(error < 1e-6, "{heading}: off by {error} m/s at {} s", world.state.time);
        }
        world.steps(10);
        assert!(error(&world) < SOLVED, "{heading}: still rolls with {:?}", world.velocity(0));
    }
}

#[test]
fn a_contact_that_separates_has_no_friction() {
    for velocity in [[1.0, -0.7, 1e-3], [1.0, -0.7, 1.0], [0.0, 0.0, 0.5]] {
        let mut scene = Scene::weightless(Material::with_friction(1.0));
        scene.ground();
        scene.ball("ball", 0.1, 1.0);
        let mut world = scene.world(1e-4);
        world.place(0, [0.0, 0.0, 0.1], Quat::IDENTITY);
        world.throw(0, velocity, [3.0, 20.0, 10.0]);
        let before = world.state.v.clone();
        let report = world.step();
        assert_eq!(report.contacts, 1, "the contact is looked at");
        assert_eq!(world.state.v, before, "not a bit changes");
    }
}
