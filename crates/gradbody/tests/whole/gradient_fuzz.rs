//! Random scenes and states: whatever touches whatever, however deep, at whatever speed, a gradient is
//! finite, or the rollout says why there is none.

use crate::support::fuzz::Recipe;
use crate::support::gradient::{Probe, adjoint, all_numbers};
use crate::support::random::Random;
use gradbody::contact::{Cone, ContactGradient, Lcp, Ncp, Solver};
use gradbody::prelude::*;
use gradbody::sim::Checkpointing;
use gradbody_check::Case;

const SCENES: u64 = 250;
const STEPS: usize = 6;

const GRADIENTS: [ContactGradient; 4] = [
    ContactGradient::Implicit,
    ContactGradient::Unrolled,
    ContactGradient::Smoothed { kappa: 1e-6 },
    ContactGradient::Smoothed { kappa: 1.0 },
];

fn shape(random: &mut Random) -> (ShapeKind, Vec3<f64>) {
    let points = |random: &mut Random| (0..5).map(|_| random.vector()).collect();
    let kind = match random.below(7) {
        0 | 1 => ShapeKind::Sphere,
        2 => ShapeKind::Capsule,
        3 => ShapeKind::Cylinder,
        4 => ShapeKind::Ellipsoid,
        5 => ShapeKind::Points(points(random)),
        _ => ShapeKind::Box,
    };
    let size = |random: &mut Random| match random.below(12) {
        0 => 0.0,
        _ => random.within(0.05, 0.3),
    };
    (kind, Vec3::new(size(random), size(random), size(random)))
}

const RECIPE: Recipe = Recipe {
    ground: |_| Transform::IDENTITY,
    posts: false,
    bodies: 4,
    shape,
    material: |random| Material {
        restitution: if random.below(3) == 0 { random.within(0.0, 1.0) } else { 0.0 },
        cfm: if random.below(3) == 0 { random.within(0.0, 1e-2) } else { 0.0 },
        velocity_gain: if random.below(3) == 0 { 0.5 } else { 1.0 },
        ..Material::with_friction(if random.below(4) == 0 { 0.0 } else { random.within(0.0, 1.5) })
    },
    spread: 0.3,
    warm_start: true,
    held: false,
    penetrating: false,
};

/// Finite numbers, or a failure and zeros. Gives whether there is a gradient.
fn check(name: &str, case: &mut Case) -> bool {
    let about = case.start.clone();
    let mut gradients = 0;
    for gradient in GRADIENTS {
        case.gradient = gradient;
        let probe = Probe::random(case, &mut Random::new(4), &about);
        let (found, inputs) = adjoint::<f64>(case, probe);
        if found.failures[0].is_some() {
            assert!(found.cost.is_nan(), "{name}, {gradient:?}: a cost of a failure");
            assert!(found.start.v.iter().all(|x| *x == 0.0), "{name}, {gradient:?}: zeros");
            continue;
        }
        gradients += 1;
        let numbers = all_numbers(&found, &inputs, 0);
        let bad = numbers.iter().filter(|x| !x.is_finite()).count();
        assert_eq!(bad, 0, "{name}, {gradient:?}: of {} numbers not finite", numbers.len());
    }
    gradients == GRADIENTS.len()
}

#[test]
fn gradients_are_finite_or_reported() {
    fuzz(&RECIPE, SCENES);
}

/// Hinges on the world leave bodies fewer degrees of freedom than contacts have rows.
#[test]
fn gradients_of_what_is_held_are_finite_or_reported() {
    fuzz(&Recipe { held: true, ..RECIPE }, SCENES / 2);
}

fn fuzz(recipe: &Recipe, scenes: u64) {
    let mut with_gradient = 0;
    for seed in 0..scenes {
        let mut random = Random::new(seed);
        let model = recipe.scene(&mut random);
        let start = recipe.start(&model, &mut random);
        let options = recipe.options(&model, &mut random);
        let mut case = Case {
            inputs: vec![Input::none(&model); STEPS],
            start,
            options,
            gradient: ContactGradient::Implicit,
            checkpointing: Checkpointing::EveryStep,
            model,
        };
        let name = format!("scene {seed}, {:?} {:?}", options.contact.solver, options.integrator);
        with_gradient += u64::from(check(&name, &mut case));
    }
    assert!(10 * with_gradient > 8 * scenes, "only {with_gradient} of {scenes} had one");
}

/// Balls and boxes where a formula could divide by nothing: touching exactly, at rest, centre on centre,
/// moving exactly along the normal, of no size, and without friction.
#[test]
fn gradients_at_singular_places_are_finite() {
    let heights = [0.1, 0.1 - 1e-4, 0.1 - 1e-3, 0.0, -0.1, 0.1 + 1e-4, 0.1 + 2e-3];
    let velocities = [[0.0; 3], [0.0, 0.0, -1.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]];
    let kinds = [ShapeKind::Sphere, ShapeKind::Box, ShapeKind::Capsule];
    let pyramid = Ncp { cone: Cone::Pyramid, ..Ncp::default() };
    let solvers = [
        Solver::Ncp(Ncp::default()),
        Solver::Ncp(Ncp::converged()),
        Solver::Ncp(pyramid),
        Solver::Lcp(Lcp::default()),
        Solver::HuntCrossley,
    ];
    for (kind, name) in kinds.iter().zip(["sphere", "box", "capsule"]) {
        for friction in [0.0, 0.5] {
            for size in [0.1, 0.0] {
                let mut b = ModelBuilder::new("singular");
                let material = Material { restitution: 0.5, ..Material::with_friction(friction) };
                let shape = |size| ShapeParams { placement: Transform::IDENTITY, size, material };
                b.shape("ground", FrameId::WORLD, ShapeKind::Plane, shape(Vec3::ZERO)).unwrap();
                for i in 0..2 {
                    let joint = JointSpec::free(format!("joint{i}"));
                    let body = crate::support::scenes::ball(0.1, 1.0);
                    let frame = b.link(format!("body{i}"), FrameId::WORLD, joint, body).unwrap();
                    let shape = shape(Vec3::new(size, size, size));
                    let shape = b.shape(format!("shape{i}"), frame, kind.clone(), shape).unwrap();
                    b.shape_mut(shape).resists_turning = i == 0;
                }
                let model = b.build().unwrap();
                for solver in solvers {
                    for height in heights {
                        for velocity in velocities {
                            // Two of them at the same place.
                            let mut start = State::neutral(&model);
                            for body in 0..2 {
                                start.q[7 * body + 2] = height;
                                start.v[6 * body..][..3].copy_from_slice(&velocity);
                            }
                            let mut case = Case {
                                inputs: vec![Input::none(&model); 2],
                                start,
                                options: StepOptions::new(1e-3).with_solver(solver),
                                gradient: ContactGradient::Implicit,
                                checkpointing: Checkpointing::EveryStep,
                                model: model.clone(),
                            };
                            let name = format!(
                                "{name} of {size} at {height}, {velocity:?}, {friction}, {solver:?}"
                            );
                            assert!(check(&name, &mut case), "{name}: no gradient");
                        }
                    }
                }
            }
        }
    }
}
