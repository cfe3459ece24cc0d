//! Faults that other simulators were found to have, by their symptoms.

use crate::support::random::Random;
use crate::support::scenes::{G, Scene, World, ball, shape};
use gradbody::model::import::{Base, ImportOptions, from_text};
use gradbody::model::{JointKind, LinkId, Material, ShapeKind};
use gradbody::prelude::*;
use gradbody::sim::{TapRecord, Taps, step as take_step};
use std::path::Path;

#[test]
fn a_box_against_a_sphere_gives_numbers() {
    // At every place around the box: faces, edges, corners, and the sphere's centre inside it.
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let mut scene = Scene::weightless(Material::with_friction(0.5));
        scene.block("box", [0.2, 0.3, 0.1], 1.0);
        scene.ball("ball", 0.1, 1.0);
        let mut world = scene.world(1e-3);
        world.place(0, [0.0; 3], Quat::IDENTITY);
        let place = |random: &mut Random| [-0.2, 0.0, 0.2, 0.3 * random.unit()][random.below(4)];
        let pos = [place(&mut random), 1.5 * place(&mut random), place(&mut random)];
        world.place(1, pos, Quat::IDENTITY);
        world.throw(1, (random.vector() * -3.0).to_array(), random.vector().to_array());
        world.steps(50);
        let numbers = world.state.q.iter().chain(&world.state.v);
        assert!(numbers.clone().all(|x| x.is_finite()), "seed {seed}, ball at {pos:?}");
        let speed = world.velocity(1).norm();
        assert!(speed < 10.0, "seed {seed}: thrown out with {speed} m/s");
    }
}

#[test]
fn two_contact_pairs_that_share_a_body_are_solved_together() {
    // A ball between two others, all on a line, pushed together: the outer ones stop dead if the
    // middle one is felt from both sides.
    let mut scene = Scene::weightless(Material::with_friction(0.0));
    (0..3).for_each(|i| {
        scene.ball(&format!("ball{i}"), 0.1, 1.0);
    });
    let mut world = scene.world(1e-3);
    (0..3).for_each(|i| world.place(i, [0.2 * i as f64, 0.0, 0.0], Quat::IDENTITY));
    world.throw(0, [1.0, 0.0, 0.0], [0.0; 3]);
    world.throw(2, [-1.0, 0.0, 0.0], [0.0; 3]);
    world.step();
    for i in 0..3 {
        let speed = world.velocity(i).norm();
        assert!(speed < 1e-8, "ball {i} still has {speed} m/s");
    }
    // A box on two balls: each carries half of it, and itself.
    let mut scene = Scene::new(Material::with_friction(1.0));
    scene.ground();
    scene.ball("left", 0.1, 1.0);
    scene.ball("right", 0.1, 1.0);
    scene.block("board", [0.5, 0.2, 0.02], 2.0);
    let mut world = scene.world(1e-3);
    world.place(0, [-0.3, 0.0, 0.1], Quat::IDENTITY);
    world.place(1, [0.3, 0.0, 0.1], Quat::IDENTITY);
    world.place(2, [0.0, 0.0, 0.22], Quat::IDENTITY);
    world.steps(20);
    for contact in world.trace.contacts() {
        let from_below = contact.link_a.is_none();
        let expected = if from_below { 2.0 * G } else { G };
        let force = contact.force_w.z.abs();
        assert!((force - expected).abs() < 1e-5, "{:?} carries {force} N", contact.id);
    }
}

/// Velocities before and after contacts have acted.
#[derive(Default)]
struct BeforeAndAfter {
    dt: f64,
    before: Vec<f64>,
    after: Vec<f64>,
}

impl Taps<f64> for BeforeAndAfter {
    fn links(
        &mut self,
        _: &mut TapRecord,
        _: &Input<f64>,
        state: &State<f64>,
        _: &mut Kinematics<f64>,
    ) {
        self.before = state.v.clone();
    }

    fn accelerations(&mut self, _: &mut TapRecord, qdd: &mut [f64]) {
        for (v, a) in self.before.iter_mut().zip(qdd) {
            *v = a.mul_add(self.dt, *v);
        }
    }

    fn velocity(&mut self, _: &mut TapRecord, v: &mut [f64]) {
        self.after = v.to_vec();
    }
}

#[test]
fn internal_forces_do_not_move_the_centre_of_mass() {
    // An articulated body in space, turned any way, whose hands clap.
    for seed in 0..5 {
        let mut random = Random::new(seed);
        let mut scene = Scene::weightless(Material::with_friction(0.7));
        scene.block("trunk", [0.1, 0.2, 0.1], 3.0);
        let b = &mut scene.builder;
        let trunk = b.topology().frame("trunk").unwrap();
        for (side, y) in [("left", 0.25), ("right", -0.25)] {
            let joint = JointSpec::revolute(format!("shoulder {side}"), Vec3::Z)
                .at(Transform::from_translation(Vec3::new(0.1, y, 0.0)));
            let arm = Inertia { com: Vec3::new(0.2, 0.0, 0.0), ..ball(0.05, 0.5) };
            let arm = b.link(side, trunk, joint, arm).unwrap();
            let mut hand = shape([0.08, 0.0, 0.0], scene.surface);
            hand.placement.pos = Vec3::new(0.4, 0.0, 0.0);
            b.shape(side, arm, ShapeKind::Sphere, hand).unwrap();
        }
        let mut world = scene.world(1e-3);
        world.place(0, random.vector().to_array(), random.quaternion());
        world.throw(0, random.vector().to_array(), [0.0; 3]);
        let (left, right) = (6, 7);
        world.input.tau[left] = -3.0;
        world.input.tau[right] = 3.0;
        let (mut clapped, mut taps) =
            (0, BeforeAndAfter { dt: world.options.dt, ..Default::default() });
        for _ in 0..1000 {
            let World { model, state, input, options, trace, scratch } = &mut world;
            let report = take_step(model, state, input, options, &mut taps, trace, scratch);
            if report.contacts == 0 || taps.before == taps.after {
                continue;
            }
            clapped += 1;
            // At one configuration, so that no error of the integration comes in.
            let momentum = |v: &[f64]| {
                let mut kin = trace.kin().clone();
                velocities(model, v, &mut kin);
                gradbody::dynamics::momentum(model, &kin)
            };
            let (before, after) = (momentum(&taps.before), momentum(&taps.after));
            let (lin, ang) = ((after.lin - before.lin).norm(), (after.ang - before.ang).norm());
            assert!(lin < 1e-12, "seed {seed}: hands that meet change momentum by {lin:e} N s");
            assert!(ang < 1e-12, "seed {seed}: and angular momentum by {ang:e} N m s");
        }
        assert!(clapped > 10, "seed {seed}: the hands meet in {clapped} steps");
    }
}

#[test]
fn a_separating_contact_gets_no_friction() {
    let mut scene = Scene::new(Material::with_friction(1.0));
    scene.ground();
    scene.block("box", [0.1; 3], 1.0);
    let mut world = scene.world(1e-3);
    world.place(0, [0.0, 0.0, 0.1], Quat::IDENTITY);
    world.throw(0, [2.0, 1.0, 0.5], [0.0; 3]);
    let report = world.step();
    assert_eq!(report.contacts, 4);
    assert_eq!([world.velocity(0).x, world.velocity(0).y], [2.0, 1.0]);
    assert_eq!(world.contact_force(LinkId::new(0)), Vec3::ZERO);
}

#[test]
fn friction_opposes_sliding_in_every_direction() {
    for k in 0..16 {
        let (s, c) = (0.1 + f64::from(k) * core::f64::consts::TAU / 16.0).sin_cos();
        let mut scene = Scene::new(Material::with_friction(0.4));
        scene.ground();
        scene.block("box", [0.2, 0.1, 0.05], 3.0);
        let mut world = scene.world(1e-3);
        world.place(0, [0.0, 0.0, 0.05], Quat::IDENTITY);
        world.throw(0, [c, s, 0.0], [0.0; 3]);
        world.step();
        let force = world.contact_force(LinkId::new(0));
        let expected = Vec3::new(-c, -s, 0.0) * (0.4 * 3.0 * G) + Vec3::new(0.0, 0.0, 3.0 * G);
        let error = (force - expected).norm();
        assert!(error < 1e-5, "towards {c} {s}: {force:?}, not {expected:?}");
    }
}

#[test]
fn friction_that_was_along_one_direction_follows_when_the_direction_turns() {
    // Pushed across its way, a sliding body gives way at once: friction has no component left there
    // but what opposes the velocity.
    let mut world = crate::support::scenes::slider(0.0, 0.0, 0.5, 1e-3);
    world.state.v.copy_from_slice(&[2.0, 0.0, 0.0]);
    world.steps(10);
    world.input.tau[1] = 3.0;
    world.steps(100);
    let v = Vec3::from_slice(&world.state.v);
    assert!(v.y > 0.2, "gives way with {} m/s", v.y);
    let force = world.contact_force(LinkId::new(2));
    let along = force.x * v.y - force.y * v.x;
    assert!(along.abs() < 1e-6, "friction is along the velocity: {force:?}, {v:?}");
}

const URDF: &str = r#"<robot name="hinge">
  <link name="base"/>
  <link name="rod">
    <inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="hinge" type="revolute">
    <parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
    <limit lower="-0.5" upper="0.5" effort="100" velocity="100"/>
    <dynamics damping="DAMPING" friction="FRICTION"/>
  </joint>
</robot>"#;

fn hinge(damping: &str, friction: &str) -> World {
    let text = URDF.replace("DAMPING", damping).replace("FRICTION", friction);
    let options = ImportOptions { base: Base::Fixed, ..ImportOptions::default() };
    let mut model = from_text(&text, Path::new("hinge.urdf"), &options).unwrap().model;
    assert!(matches!(model.topology.links[0].joint.kind, JointKind::Revolute(_)));
    model.params.gravity = Vec3::ZERO;
    World::new(model, 1e-4)
}

#[test]
fn damping_friction_and_limits_of_a_urdf_act() {
    for stops in [gradbody::dynamics::JointStops::Soft, gradbody::dynamics::JointStops::Hard] {
        let speed_after = |damping: &str, friction: &str, speed: f64| {
            let mut world = hinge(damping, friction);
            world.options.joint_stops = stops;
            world.state.v[0] = speed;
            world.run(0.1);
            world
        };
        // I = 0.1 + 0.25
        let free = speed_after("0", "0", 1.0).state.v[0];
        assert!((free - 1.0).abs() < 1e-9, "{stops:?}: {free}");
        let damped = speed_after("0.7", "0", 1.0).state.v[0];
        assert!((damped - f64::exp(-0.2)).abs() < 1e-4, "{stops:?}: damping: {damped}");
        let rubbed = speed_after("0", "0.7", 1.0).state.v[0];
        // Soft friction is taken implicitly: smaller by v_new/v_old, of first order in dt.
        assert!((rubbed - 0.8).abs() < 1e-4, "{stops:?}: friction: {rubbed}");
        let stopped = speed_after("0", "0", 20.0);
        assert!(stopped.state.q[0] < 0.8, "{stops:?}: the limit lets {} pass", stopped.state.q[0]);
    }
}

#[test]
fn a_number_that_is_none_is_reported_with_its_link() {
    let mut scene = Scene::new(Material::with_friction(0.5));
    scene.ground();
    scene.block("first", [0.1; 3], 1.0);
    scene.block("second", [0.1; 3], 1.0);
    scene.ball("third", 0.1, 1.0);
    let mut world = scene.world(1e-3);
    for i in 0..3 {
        world.place(i, [i as f64, 0.0, 0.1], Quat::IDENTITY);
    }
    for bad in [f64::NAN, f64::INFINITY] {
        for number in [6, 9] {
            let mut state = world.state.clone();
            state.v[number] = bad;
            let World { model, input, options, trace, scratch, .. } = &mut world;
            let mut reported = None;
            for _ in 0..5 {
                let report =
                    take_step(model, &mut state, input, options, &mut NoTaps, trace, scratch);
                reported = reported.or(report.diverged);
            }
            assert_eq!(reported, Some(LinkId::new(1)), "{bad} as velocity {number}");
        }
    }
    // And trace and scratch are as good as new.
    world.steps(10);
    assert!(world.velocity(1).norm() < 1e-6);
}
