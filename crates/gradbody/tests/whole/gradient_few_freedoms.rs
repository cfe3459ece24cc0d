//! Mechanisms with fewer degrees of freedom than their contacts have rows: which impulse friction has is
//! then not unique, and the velocity it would need is out of reach, but the motion and its gradient are
//! as definite as ever.

use crate::support::component::Component;
use gradbody::contact::{ContactGradient, Ncp, Solver};
use gradbody::prelude::*;
use gradbody::sim::{Constant, GradientOptions, Rollout, RolloutTrace, rollout, rollout_vjp};

const HEIGHT: f64 = 0.6;
const LENGTH: f64 = 1.0;
const RADIUS: f64 = 0.1;

/// A boom on a hinge over the ground, with a ball at its tip; or, with a `trolley`, two degrees of
/// freedom in the same plane.
fn boom(material: Material<f64>, trolley: bool) -> Model<f64> {
    let inertia = Inertia {
        mass: 2.0,
        com: Vec3::new(0.5, 0.0, 0.0),
        rotational: Sym3::diagonal(Vec3::new(0.01, 0.2, 0.2)),
    };
    let mut b = ModelBuilder::new("boom");
    let hinge = JointSpec::revolute("luff", Vec3::Y)
        .at(Transform::from_translation(Vec3::new(0.0, 0.0, HEIGHT)));
    let link = b.link("boom", FrameId::WORLD, hinge, inertia).unwrap();
    let ball = ShapeParams {
        placement: Transform::from_translation(Vec3::new(LENGTH, 0.0, 0.0)),
        size: Vec3::new(RADIUS, RADIUS, RADIUS),
        material,
    };
    b.shape("tip", link, ShapeKind::Sphere, ball).unwrap();
    if trolley {
        let mut run = JointSpec::prismatic("run", Vec3::X);
        run.params.damping = 1.0;
        run.params.stiffness = 50.0;
        b.link("trolley", link, run, Inertia { com: Vec3::ZERO, ..inertia }).unwrap();
    }
    let mut model = b.build().unwrap();
    model.add_ground(0.0, material).unwrap();
    model
}

fn frictions() -> [f64; 4] {
    [0.0, 0.3, 0.5, 1.0]
}

fn solvers() -> [Ncp; 2] {
    [Ncp::default(), Ncp::converged()]
}

/// Let down on the ground, the boom lies where its tip touches: H − L sin q = r, whatever the start,
/// the friction and the solver's sweeps.
#[test]
fn a_boom_at_rest_has_the_gradient_of_where_it_rests() {
    let q = ((HEIGHT - RADIUS) / LENGTH).asin();
    let exact = [0.0, 1.0 / (LENGTH * q.cos()), -q.tan() / LENGTH, -1.0 / (LENGTH * q.cos())];
    for (friction, solver) in frictions().into_iter().flat_map(|f| solvers().map(|s| (f, s))) {
        let model = &boom(Material::with_friction(friction), false);
        let mut start = State::neutral(model);
        start.q[0] = 0.2;
        let options = &StepOptions::new(1e-3).with_solver(Solver::Ncp(solver));
        let gradient = rollout_vjp(
            &Rollout { model, start: &start, steps: 400, options },
            &mut Constant::none(model),
            &mut Component { coordinate: 0, of_velocity: false },
            &mut NoTaps,
            &GradientOptions::default(),
            &mut RolloutTrace::new(model),
        );
        let gradient = gradient.checked().unwrap();
        // It may come to rest inside the slop.
        assert!((gradient.cost - q).abs() < 2e-4, "{friction} {solver:?}: at {}", gradient.cost);
        let tip = &gradient.params.shapes[0];
        let found = [
            gradient.start.q[0],
            gradient.params.joints[0].placement.pos.z,
            tip.placement.pos.x,
            tip.size.x,
        ];
        for (found, exact) in found.into_iter().zip(exact) {
            let error = (found - exact).abs();
            assert!(error < 1e-3, "friction {friction}, {solver:?}: {found} for {exact}");
        }
    }
}

/// A step from on the ground to above and below it, where a gap may close, is left alone or is taken
/// back; with one and two degrees of freedom. One step's derivative, against differences of steps.
#[test]
fn a_step_of_a_held_boom_differentiates() {
    let touching = ((HEIGHT - RADIUS) / LENGTH).asin();
    let mut seen = Vec::new();
    for (friction, trolley) in frictions().into_iter().flat_map(|f| [(f, false), (f, true)]) {
        let model = &boom(Material::with_friction(friction), trolley);
        let options = &StepOptions::accurate_gradients(1e-3);
        for lift in [-1e-3, -5e-5, 1e-6, 1e-5, 1e-4] {
            let mut start = State::neutral(model);
            start.q[0] = touching - lift;
            start.v[0] = 0.3;
            let end = |change: f64| {
                let mut start = start.clone();
                start.q[0] += change;
                let trace = &mut RolloutTrace::new(model);
                let rolled = Rollout { model, start: &start, steps: 1, options };
                let inputs = &mut Constant::none(model);
                let mut loss = Component { coordinate: 0, of_velocity: true };
                rollout(&rolled, inputs, &mut loss, &mut NoTaps, trace).cost
            };
            let difference = (end(1e-8) - end(-1e-8)) / 2e-8;
            let gradient = rollout_vjp(
                &Rollout { model, start: &start, steps: 1, options },
                &mut Constant::none(model),
                &mut Component { coordinate: 0, of_velocity: true },
                &mut NoTaps,
                &GradientOptions { contact: ContactGradient::Implicit, ..Default::default() },
                &mut RolloutTrace::new(model),
            );
            let found = gradient.checked().unwrap().start.q[0];
            let error = (found - difference).abs() / difference.abs().max(1.0);
            assert!(error < 1e-4, "{friction} {trolley} {lift}: {found} for {difference}");
            seen.push(found);
        }
    }
    // Open gaps close within the step, penetration beyond the slop is taken back.
    for slope in [-1000.0, -200.0, 0.0] {
        assert!(seen.iter().any(|x| (x - slope).abs() < 1.0), "no slope near {slope}: {seen:?}");
    }
}

/// It bounces a few times, with its friction: adjoint against differences.
#[test]
fn a_bouncing_boom_differentiates() {
    for (friction, trolley) in [(0.0, false), (0.5, false), (0.5, true)] {
        let material = Material { restitution: 0.6, ..Material::with_friction(friction) };
        let model = &boom(material, trolley);
        let options = &StepOptions::accurate_gradients(5e-4);
        let mut start = State::neutral(model);
        start.q[0] = 0.2;
        let steps = 600;
        let end = |change: f64| {
            let mut start = start.clone();
            start.v[0] += change;
            let trace = &mut RolloutTrace::new(model);
            let rolled = Rollout { model, start: &start, steps, options };
            let inputs = &mut Constant::none(model);
            let mut loss = Component { coordinate: 0, of_velocity: false };
            rollout(&rolled, inputs, &mut loss, &mut NoTaps, trace).cost
        };
        // Differences see the time of impact in whole steps; over many of them it evens out, so that the mean
        // of the gradients is the slope between the ends.
        let (width, count) = (0.3, 40);
        let difference = (end(width) - end(-width)) / (2.0 * width);
        let gradient_at = |k: usize| {
            let mut start = start.clone();
            start.v[0] += width * ((2 * k + 1) as f64 / count as f64 - 1.0);
            let gradient = rollout_vjp(
                &Rollout { model, start: &start, steps, options },
                &mut Constant::none(model),
                &mut Component { coordinate: 0, of_velocity: false },
                &mut NoTaps,
                &GradientOptions::default(),
                &mut RolloutTrace::new(model),
            );
            gradient.checked().unwrap().start.v[0]
        };
        let found = (0..count).map(gradient_at).sum::<f64>() / count as f64;
        let error = (found - difference).abs() / difference.abs();
        assert!(error < 0.05, "friction {friction}, {trolley}: {found} for {difference}");
    }
}
