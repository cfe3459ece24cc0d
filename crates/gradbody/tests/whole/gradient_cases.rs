//! The cases that gradients of simulators get wrong: redundant contacts, bodies that share them, robots
//! that stand and land, contacts that part, and the workloads of other programs.

use crate::support::duals::Duals;
use crate::support::gradient::{Probe, adjoint, compare_by, end};
use crate::support::models::body;
use crate::support::random::Random;
use crate::support::scenes::{Scene, World, shape, stack, standing_quadruped};
use gradbody::contact::{ContactGradient, Ncp, Solver};
use gradbody::model::{Material, ParamId, ShapeKind, ShapeParams};
use gradbody::prelude::*;
use gradbody::sim::{
    Checkpointing, Constant, GradientOptions, LinearState, Loss, Mean, Rollout, RolloutTrace,
    StateCost, StateTarget, Target, rollout, rollout_vjp,
};
use gradbody_check::{Case, Part, World as CheckedWorld};

/// Of the largest derivative, the share below which errors count as if it were that large.
const SMALL: f64 = 1e-4;

/// Compares all parts with duals of the very same run; configuration and velocity act.
fn check(name: &str, case: &Case, tolerance: f64) {
    check_parts(name, case, tolerance, &[Part::Configuration, Part::Velocity], &[]);
}

/// The same where only some parts act, and some, by their names, have no derivative to compare.
fn check_parts(name: &str, case: &Case, tolerance: f64, acting: &[Part], except: &[&str]) {
    let compared = compare_by(case, 3, false).unwrap_or_else(|e| panic!("{name}: {e}"));
    let floor = SMALL * compared.iter().map(|c| c.size).fold(0.0, f64::max);
    let mut worst = 0.0_f64;
    for c in compared.iter().filter(|c| !except.contains(&c.part.name())) {
        let error = c.relative_error(floor);
        worst = worst.max(error);
        assert!(error < tolerance, "{name}: {c} is off by {error:.1e}");
        assert!(
            !acting.contains(&c.part) || c.dual.abs() > 1e-12,
            "{name}: {} has no derivative",
            c.part.name()
        );
    }
    println!("{name}: {worst:.1e}");
}

fn case(world: &World, steps: usize, solver: Ncp, gradient: ContactGradient) -> Case {
    let mut options = world.options;
    options.contact.solver = Solver::Ncp(solver);
    Case {
        model: world.model.clone(),
        start: world.state.clone(),
        inputs: vec![world.input.clone(); steps],
        options,
        gradient,
        checkpointing: Checkpointing::EveryStep,
    }
}

/// The defaults by their sweeps, and converged impulses by their conditions.
fn check_both(name: &str, world: &World, steps: usize, tolerance: f64) {
    let unrolled = case(world, steps, Ncp::default(), ContactGradient::Unrolled);
    check(&format!("{name}, unrolled, {steps} steps"), &unrolled, tolerance);
    let implicit = case(world, steps, Ncp::converged(), ContactGradient::Implicit);
    check(&format!("{name}, implicit, {steps} steps"), &implicit, tolerance);
}

#[test]
fn a_quadruped_stands() {
    for steps in [1, 10, 50] {
        check_both("standing", &standing_quadruped(), steps, 1e-8);
    }
}

#[test]
fn a_quadruped_lands() {
    for steps in [1, 10, 50] {
        let mut world = standing_quadruped();
        world.state.q[2] += 2e-3;
        let tilt = Quat::exp(Vec3::new(0.01, 0.02, 0.03));
        world.state.q[3..7].copy_from_slice(&tilt.to_array());
        world.state.v[..3].copy_from_slice(&[0.3, 0.1, -0.5]);
        check_both("landing", &world, steps, 1e-8);
    }
}

/// So many quadrupeds side by side in one world, each a little different.
fn quadrupeds(n: usize) -> World {
    let one = standing_quadruped();
    let mut model = one.model.clone();
    let mut others = one.model.clone();
    // They share the ground.
    others.topology.shapes.pop();
    others.params.shapes.pop();
    (1..n).for_each(|i| model.append(&others, &format!("{i}/")).unwrap());
    let mut world = World::new(model, 1e-3);
    let (nq, na) = (one.model.nq(), one.model.topology.actuators.len());
    for i in 0..n {
        let q = &mut world.state.q[i * nq..][..nq];
        q.copy_from_slice(&one.state.q);
        q[0] += 2.0 * i as f64;
        q[2] -= 1e-5 * i as f64;
        let v = &mut world.state.v[i * one.model.nv()..];
        v[0] = 0.1 + 0.01 * i as f64;
        v[2] = -0.05;
        world.input.control[i * na..][..na].copy_from_slice(&one.input.control);
    }
    world
}

#[test]
fn ten_quadrupeds_in_one_world() {
    check_both("ten quadrupeds", &quadrupeds(10), 2, 1e-8);
}

/// More rows than are factorised: the adjoint sweeps.
#[test]
fn fourteen_quadrupeds_are_too_many_rows_to_factorise() {
    let world = quadrupeds(14);
    let implicit = case(&world, 1, Ncp::converged(), ContactGradient::Implicit);
    check("fourteen quadrupeds", &implicit, 1e-8);
}

#[test]
fn a_box_against_a_sphere() {
    let mut scene = Scene::weightless(Material::with_friction(0.4));
    scene.block("box", [0.1, 0.15, 0.08], 1.0);
    scene.ball("ball", 0.1, 0.7);
    let mut world = scene.world(1e-2);
    world.place(0, [0.0; 3], Quat::exp(Vec3::new(0.1, 0.2, 0.3)));
    world.place(1, [0.01, 0.02, 0.195], Quat::IDENTITY);
    world.throw(0, [0.1, 0.0, 0.5], [0.3, 0.1, -0.2]);
    world.throw(1, [-0.2, 0.1, -0.8], [1.0, -2.0, 0.5]);
    check_both("box and sphere", &world, 4, 1e-9);
}

/// A ball pressed between two others: its two contacts are of two pairs.
#[test]
fn two_pairs_share_a_body() {
    let mut scene = Scene::weightless(Material { cfm: 1e-3, ..Material::with_friction(0.4) });
    for name in ["left", "middle", "right"] {
        scene.ball(name, 0.1, 1.0);
    }
    let mut world = scene.world(1e-2);
    world.place(0, [-0.199, 0.01, 0.0], Quat::IDENTITY);
    world.place(1, [0.0; 3], Quat::IDENTITY);
    world.place(2, [0.198, 0.0, 0.02], Quat::IDENTITY);
    world.throw(0, [0.6, 0.1, 0.0], [0.5, 0.0, 1.0]);
    world.throw(1, [0.1, 0.0, 0.2], [0.0, 1.0, 0.0]);
    world.throw(2, [-0.8, 0.0, 0.1], [0.0, 0.3, -1.0]);
    check_both("two pairs", &world, 4, 1e-9);
}

/// Compliance makes impulses unique where contacts are redundant.
fn soften(world: &mut World) {
    world.model.params.shapes.iter_mut().for_each(|shape| shape.material.cfm = 0.3);
}

/// Four contacts, of which three would do. At rest the impulses are not unique, but velocities are.
/// Where it slides and turns neither are: friction depends on which corner carries how much, so the sweeps
/// are what there is to differentiate, unless contacts are compliant. What a little compliance does depends
/// on impulses that are not unique, so there is no derivative by it either.
#[test]
fn a_box_rests_on_four_contacts() {
    let mut scene = Scene::new(Material::with_friction(0.6));
    scene.ground();
    scene.block("box", [0.1, 0.15, 0.05], 2.0);
    let mut world = scene.world(1e-3);
    world.place(0, [0.0, 0.0, 0.05 - 5e-5], Quat::IDENTITY);
    world.steps(20);
    let resting = case(&world, 5, Ncp::converged(), ContactGradient::Implicit);
    check_parts("resting box", &resting, 1e-8, &[Part::Configuration], &["surface cfm"]);
    world.throw(0, [0.3, 0.2, 0.0], [0.0, 0.0, 0.5]);
    let sliding = case(&world, 5, Ncp::default(), ContactGradient::Unrolled);
    check("sliding box", &sliding, 1e-8);
    soften(&mut world);
    check_both("sliding box on something soft", &world, 5, 1e-8);
}

#[test]
fn a_stack_of_two_boxes() {
    let mut world = stack(2, 1e-3);
    world.place(0, [0.0, 0.0, 0.05 - 3e-5], Quat::IDENTITY);
    world.place(1, [0.013, 0.021, 0.15 - 7e-5], Quat::exp(Vec3::new(0.0, 0.0, 0.2)));
    world.steps(5);
    world.throw(1, [0.3, 0.2, 0.0], [0.0, 0.0, 0.5]);
    let sliding = case(&world, 3, Ncp::default(), ContactGradient::Unrolled);
    check("sliding stack", &sliding, 1e-8);
    soften(&mut world);
    check_both("soft stack", &world, 3, 1e-8);
}

/// What does not press does not rub: no direction is distinguished where there is no tangential
/// velocity, and nothing slows down.
#[test]
fn a_parting_contact_has_no_friction_derivative() {
    let mut scene = Scene::new(Material::with_friction(0.8));
    scene.ground();
    scene.ball("ball", 0.1, 1.0);
    for (gap, up) in [(1e-4, 0.5), (0.0, 0.5), (1e-4, 0.0)] {
        let mut world = World::new(scene.builder.clone().build().unwrap(), 1e-3);
        world.place(0, [0.0, 0.0, 0.1 + gap], Quat::IDENTITY);
        world.throw(0, [0.0, 0.0, up], [0.0; 3]);
        for gradient in [ContactGradient::Implicit, ContactGradient::Unrolled] {
            let touching = case(&world, 1, Ncp::converged(), gradient);
            let mut flying = touching.clone();
            flying.options = flying.options.without_contact();
            let probe = Probe::random(&touching, &mut Random::new(1), &end(&touching));
            let slopes = |case: &Case| {
                let start = adjoint::<f64>(case, probe.clone()).0.checked().unwrap().start;
                [start.q, start.v].concat()
            };
            assert_eq!(slopes(&touching), slopes(&flying), "gap {gap}, up {up}, {gradient:?}");
        }
    }
}

/// A loss by its duals along the initial velocities, and by the adjoint.
fn by_initial_velocity<L, D>(
    case: &Case,
    mut loss: L,
    mut loss_of_duals: D,
) -> (f64, Vec<f64>, Vec<f64>)
where
    L: Loss<f64>,
    D: Loss<Duals>,
{
    let steps = case.inputs.len();
    let CheckedWorld { model, start, options, .. } = case.world::<f64>(&[]);
    let rolled = Rollout { model: &model, start: &start, steps, options: &options };
    let how = case.gradient_options();
    let gradient = rollout_vjp(
        &rolled,
        &mut Constant::none(&model),
        &mut loss,
        &mut NoTaps,
        &how,
        &mut RolloutTrace::new(&model),
    );
    let gradient = gradient.checked().unwrap();
    let CheckedWorld { model, mut start, options, .. } = case.world::<Duals>(&[]);
    for (i, v) in start.v.iter_mut().enumerate() {
        *v = Duals::variable(v.re, i);
    }
    let rolled = Rollout { model: &model, start: &start, steps, options: &options };
    let outcome = rollout(
        &rolled,
        &mut Constant::none(&model),
        &mut loss_of_duals,
        &mut NoTaps,
        &mut RolloutTrace::new(&model),
    );
    (gradient.cost, gradient.start.v, outcome.cost.eps[..start.v.len()].to_vec())
}

/// Five links over a plane, of the Tiny Differentiable Simulator; the first impact is at step 620 or so,
/// and a few impacts later its derivatives mean nothing.
#[test]
fn five_links_up_to_their_first_impacts() {
    let mut scene = Scene::new(Material { cfm: 1e-5, ..Material::with_friction(0.5) });
    scene.ground();
    let b = &mut scene.builder;
    let mut parent = FrameId::WORLD;
    for i in 0..5 {
        let (mass, moments) = if i == 0 {
            (1.0, [0.00494875, 0.00494174, 0.002219])
        } else {
            (2.16, [0.00539427, 0.0048979, 0.00311573])
        };
        let place = if i == 0 { Vec3::new(0.0, 0.0, 1.0) } else { Vec3::new(0.0, 0.5, 0.0) };
        let joint = JointSpec::revolute(format!("joint{i}"), Vec3::X)
            .at(Transform::from_translation(place));
        parent = b
            .link(format!("link{i}"), parent, joint, body(mass, [0.0, 0.5, 0.0], moments))
            .unwrap();
        let mut ball = shape([0.05, 0.0, 0.0], scene.surface);
        ball.placement.pos = Vec3::new(0.0, 0.5, 0.0);
        b.shape(format!("ball{i}"), parent, ShapeKind::Sphere, ball).unwrap();
    }
    let mut world = scene.world(1e-3);
    world.options.integrator = Integrator::SemiImplicitEuler;
    world.state.v.copy_from_slice(&[0.1, 0.2, -0.1, 0.05, 0.3]);
    let mut touched = 0;
    for steps in [300, 640] {
        let solver = Ncp { sweeps: 50, tolerance: 0.0, ..Ncp::default() };
        let case = case(&world, steps, solver, ContactGradient::Unrolled);
        let (_, adjoint, duals) = by_initial_velocity(
            &case,
            Mean(LinearState::mean_of_q(&case.model)),
            Mean(LinearState::mean_of_q(&case.model.cast())),
        );
        let largest = duals.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        assert!(largest > 0.01, "it depends on the velocities: {duals:?}");
        for (a, d) in adjoint.iter().zip(&duals) {
            assert!((a - d).abs() < 1e-8 * largest, "{steps} steps: {adjoint:?}, not {duals:?}");
        }
    }
    for _ in 0..640 {
        touched += usize::from(world.step().contacts > 0);
    }
    assert!(touched > 0, "the impact is among the steps");
}

/// The double pendulum of the Tiny Differentiable Simulator over 500 steps: its value and gradient by the
/// two lengths, which are the second link's centre of mass and its joint's place at once.
#[test]
fn the_double_pendulum_of_others() {
    let lengths = [3.0, 4.0];
    let mut b = ModelBuilder::new("dp500");
    let moment = 0.4 * 0.15 * 0.15;
    let rod = |length: f64| body(1.0, [0.0, length, 0.0], [moment; 3]);
    let first = JointSpec::revolute("first", Vec3::X);
    let upper = b.link("upper", FrameId::WORLD, first, rod(lengths[0])).unwrap();
    let place = Transform::from_translation(Vec3::new(0.0, lengths[1], 0.0));
    let second = JointSpec::revolute("second", Vec3::X).at(place);
    b.link("lower", upper, second, rod(lengths[1])).unwrap();
    let model = b.build().unwrap();
    let options = StepOptions::new(1e-2).with(Integrator::SemiImplicitEuler).without_contact();
    let target = StateTarget { q: vec![0.1; 2], v: vec![0.0; 2] };
    let mut loss = Mean(StateCost::new(&model, 1.0, 0.0, Target::Constant(target)));
    let start = State::neutral(&model);
    let rolled = Rollout { model: &model, start: &start, steps: 500, options: &options };
    let gradient = rollout_vjp(
        &rolled,
        &mut Constant::none(&model),
        &mut loss,
        &mut NoTaps,
        &GradientOptions::default(),
        &mut RolloutTrace::new(&model),
    );
    let gradient = gradient.checked().unwrap();
    let by = |path: &str| -> f64 {
        let id: ParamId = model.topology.param_id(path).unwrap();
        gradient.params.get(id)
    };
    let found = [
        gradient.cost,
        by("link/upper/com/y"),
        by("link/lower/com/y") + by("joint/second/placement/y"),
    ];
    let reference = [5.04445297, -0.26670752, 0.13004366];
    for (found, reference) in found.iter().zip(reference) {
        assert!((found - reference).abs() < 1e-8, "{found}, not {reference}");
    }
}

/// A box on a slope that just slides, and one that just sticks: on either side of the kink the gradient
/// is that side's.
#[test]
fn both_sides_of_sticking() {
    for (friction, sticks) in [(0.3, true), (0.2, false)] {
        let mut scene = Scene::new(Material::with_friction(friction));
        scene.plane(crate::support::scenes::inclined(0.25, 0.3));
        let half = Vec3::from_f64([0.1, 0.1, 0.05]);
        let params = ShapeParams {
            placement: Transform::IDENTITY,
            size: half,
            material: Material::with_friction(friction),
        };
        let joint = JointSpec::free("joint");
        let inertia = crate::support::scenes::block([0.1, 0.1, 0.05], 1.0);
        let frame = scene.builder.link("box", FrameId::WORLD, joint, inertia).unwrap();
        scene.builder.shape("box", frame, ShapeKind::Box, params).unwrap();
        let mut world = scene.world(1e-3);
        let rot = crate::support::scenes::inclined(0.25, 0.3);
        let up = rot.cols[2] * 0.05;
        let axis = Vec3::Z.cross(rot.cols[2]).normalized_or(Vec3::X) * 0.25;
        world.place(0, up.to_array(), Quat::exp(axis));
        world.steps(30);
        let speed = world.velocity(0).norm();
        assert_eq!(speed < 1e-3, sticks, "moves at {speed}");
        soften(&mut world);
        let implicit = case(&world, 3, Ncp::converged(), ContactGradient::Implicit);
        check_parts(&format!("friction {friction}"), &implicit, 1e-8, &[Part::Configuration], &[]);
    }
}

/// The adjoint says of what it cannot do that it cannot.
#[test]
fn a_diverging_rollout_has_no_gradient() {
    let mut world = standing_quadruped();
    world.state.v[3] = 1e300;
    let case = case(&world, 3, Ncp::default(), ContactGradient::Implicit);
    let probe = Probe::random(&case, &mut Random::new(1), &world.state);
    let (gradient, _) = adjoint::<f64>(&case, probe);
    assert!(gradient.failures[0].is_some() && gradient.cost.is_nan());
    assert!(gradient.start.v.iter().all(|x| *x == 0.0));
    assert!(gradient.checked().is_err());
}
