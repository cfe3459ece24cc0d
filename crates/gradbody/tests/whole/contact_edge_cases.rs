//! Contact where it is easily got wrong: other schemes, large steps, moving planes, wedged bodies.

use crate::support::scenes::{Scene, ball, block, shape, slider};
use gradbody::contact::Solver;
use gradbody::dynamics::JointStops;
use gradbody::math::Dual;
use gradbody::model::{Material, ShapeKind};
use gradbody::prelude::*;

const SCHEMES: [Integrator; 3] =
    [Integrator::SemiImplicitEuler, Integrator::ImplicitDamping, Integrator::Rk4];

#[test]
fn bodies_rest_and_stick_in_every_scheme() {
    for scheme in SCHEMES {
        let mut world = slider(0.3, 0.4, 0.8, 1e-3);
        world.options = world.options.with(scheme);
        let start = world.state.q.clone();
        world.run(2.0);
        for k in 0..3 {
            let (v, moved) = (world.state.v[k], world.state.q[k] - start[k]);
            assert!(v.abs() < 1e-8, "{scheme:?}: creeps at {v} m/s");
            assert!(moved.abs() < 1e-6, "{scheme:?}: moved by {moved} m");
        }
    }
}

#[test]
fn a_body_let_go_above_the_ground_does_not_enter_it_however_large_the_step() {
    for dt in [1e-3, 1.0 / 60.0, 0.05] {
        let mut scene = Scene::new(Material::DEFAULT);
        scene.ground();
        scene.ball("ball", 0.1, 1.0);
        let mut world = scene.world(dt);
        world.place(0, [0.0, 0.0, 0.102], Quat::IDENTITY);
        for _ in 0..(1.0 / dt) as usize {
            world.step();
            let depth = 0.1 - world.position(0).z;
            assert!(depth < 1.1e-4, "dt {dt}: {depth} m deep");
        }
    }
}

#[test]
fn a_plane_that_moves_meets_what_stands_in_its_way() {
    let mut scene = Scene::weightless(Material::DEFAULT);
    let heavy = block([1.0, 1.0, 1.0], 1e6);
    let b = &mut scene.builder;
    let lift = b.link("lift", FrameId::WORLD, JointSpec::prismatic("up", Vec3::Z), heavy).unwrap();
    b.shape("floor", lift, ShapeKind::Plane, shape([0.0; 3], scene.surface)).unwrap();
    scene.ball("ball", 0.1, 1.0);
    let mut world = scene.world(1e-2);
    world.state.v[0] = 10.0;
    world.state.q[3] = 0.15;
    for _ in 0..20 {
        world.step();
        let gap = world.state.q[3] - 0.1 - world.state.q[0];
        assert!(gap > -1.1e-4, "the ball is {gap} m inside the floor");
    }
}

#[test]
fn a_share_of_the_approach_may_be_kept() {
    // 2 m/s onto a gap of 1 mm in a step of 1 ms: 1 m/s closes it, of the rest β = ½ is stopped.
    let surface = Material { velocity_gain: 0.5, ..Material::with_friction(0.0) };
    let mut scene = Scene::weightless(surface);
    scene.ground();
    scene.ball("ball", 0.1, 1.0);
    let mut world = scene.world(1e-3);
    world.place(0, [0.0, 0.0, 0.101], Quat::IDENTITY);
    world.throw(0, [0.0, 0.0, -2.0], [0.0; 3]);
    world.step();
    let v = world.velocity(0).z;
    assert!((v + 1.5).abs() < 1e-9, "{v} m/s");
}

#[test]
fn a_contact_that_nothing_can_move_carries_nothing() {
    // A slider along x whose ball is inside the ground: the rail holds it, not the ground.
    let mut scene = Scene::new(Material::with_friction(1.0));
    scene.ground();
    let b = &mut scene.builder;
    let rail = JointSpec::prismatic("rail", Vec3::X);
    let cart = b.link("cart", FrameId::WORLD, rail, ball(0.1, 1.0)).unwrap();
    let mut inside = shape([0.1, 0.0, 0.0], scene.surface);
    inside.placement.pos.z = 0.099;
    b.shape("ball", cart, ShapeKind::Sphere, inside).unwrap();
    let mut world = scene.world(1e-3);
    world.state.v[0] = 1.0;
    world.run(0.2);
    assert_eq!(world.state.v[0], 1.0);
    assert_eq!(world.trace.contacts()[0].force_w, Vec3::ZERO);
}

#[test]
fn bodies_wedged_inside_each_other_stay_calm() {
    // Two balls on hinges inside a box on the same hinges: nothing can part them.
    let mut scene = Scene::new(Material::DEFAULT);
    scene.ground();
    let b = &mut scene.builder;
    let trunk = b.link("trunk", FrameId::WORLD, JointSpec::free("root"), block([0.2; 3], 2.0));
    let trunk = trunk.unwrap();
    b.shape("trunk", trunk, ShapeKind::Box, shape([0.2; 3], scene.surface)).unwrap();
    let hub = b.link("hub", trunk, JointSpec::revolute("hub", Vec3::Z), ball(0.1, 1.0)).unwrap();
    for (name, axis) in [("a", Vec3::X), ("b", Vec3::Y)] {
        let arm = b.link(name, hub, JointSpec::revolute(name, axis), ball(0.1, 1.0)).unwrap();
        b.shape(name, arm, ShapeKind::Sphere, shape([0.1, 0.0, 0.0], scene.surface)).unwrap();
    }
    let mut world = scene.world(1e-3);
    world.state.q[2] = 1.0;
    let start = world.energy();
    for _ in 0..1500 {
        let report = world.step();
        assert_eq!(report.diverged, None);
        assert!(world.energy() < start + 1e-3, "{} J of {start} J", world.energy());
    }
    let height = world.state.q[2];
    assert!((height - 0.2).abs() < 1e-3, "it lies on the ground, at {height} m");
}

#[test]
fn hard_stops_hold_whatever_the_contacts_are() {
    for solver in [Solver::Off, Solver::HuntCrossley] {
        let mut scene = Scene::new(Material::DEFAULT);
        let mut hinge = JointSpec::revolute("hinge", Vec3::Y);
        (hinge.params.limit_lower, hinge.params.limit_upper) = (-0.1, 0.1);
        let rod = Inertia { com: Vec3::new(0.3, 0.0, 0.0), ..ball(0.1, 1.0) };
        scene.builder.link("rod", FrameId::WORLD, hinge, rod).unwrap();
        let mut world = scene.world(1e-3);
        world.options = world.options.with_solver(solver);
        world.options.joint_stops = JointStops::Hard;
        world.run(2.0);
        let q = world.state.q[0];
        assert!((q.abs() - 0.1).abs() < 2e-4, "{solver:?}: {q} rad");
    }
}

#[test]
fn joint_friction_has_a_derivative_at_zero_hard_or_soft() {
    let mut scene = Scene::weightless(Material::DEFAULT);
    let hinge = JointSpec::revolute("hinge", Vec3::Y);
    scene.builder.link("rod", FrameId::WORLD, hinge, ball(0.1, 1.0)).unwrap();
    let model = scene.build();
    let inertia = model.params.links[0].rotational.yy;
    for stops in [JointStops::Soft, JointStops::Hard] {
        let mut dual: Model<Dual<f64, 1>> = model.cast();
        dual.params.joints[0].friction = Dual::variable(0.0, 0);
        let mut state = State::neutral(&dual);
        state.v[0] = Dual::constant(1.0);
        let input = Input::none(&dual);
        let (mut trace, mut scratch) = (StepTrace::new(&dual), StepScratch::new(&dual));
        let mut options = StepOptions::new(1e-3);
        options.joint_stops = stops;
        step(&dual, &mut state, &input, &options, &mut NoTaps, &mut trace, &mut scratch);
        // It brakes by friction over inertia.
        let (slope, expected) = (state.v[0].eps[0], -1e-3 / inertia);
        assert!((slope / expected - 1.0).abs() < 1e-6, "{stops:?}: {slope}, not {expected}");
    }
}
