//! Random scenes and states: whatever touches whatever, however deep, at whatever speed, a gradient is
//! finite, or the rollout says why there is none.

use crate::support::gradient::{Case, all_numbers};
use crate::support::random::Random;
use gradbody::contact::{Cone, ContactGradient, FrictionLaw, HuntCrossley, Lcp, Ncp, Solver};
use gradbody::dynamics::JointStops;
use gradbody::model::{ContactLaw, Material, ShapeKind, ShapeParams};
use gradbody::prelude::*;
use gradbody::sim::Checkpointing;

const SCENES: u64 = 250;
const STEPS: usize = 6;

const GRADIENTS: [ContactGradient; 4] = [
    ContactGradient::Implicit,
    ContactGradient::Unrolled,
    ContactGradient::Smoothed { kappa: 1e-6 },
    ContactGradient::Smoothed { kappa: 1.0 },
];

fn add_shape(b: &mut ModelBuilder, frame: FrameId, name: String, random: &mut Random) {
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
    let size = Vec3::new(size(random), size(random), size(random));
    let pos = if random.below(2) == 0 { Vec3::ZERO } else { random.vector() * 0.2 };
    let rot = if random.below(2) == 0 { Mat3::IDENTITY } else { random.rotation() };
    let material = Material {
        restitution: if random.below(3) == 0 { random.within(0.0, 1.0) } else { 0.0 },
        cfm: if random.below(3) == 0 { random.within(0.0, 1e-2) } else { 0.0 },
        velocity_gain: if random.below(3) == 0 { 0.5 } else { 1.0 },
        ..Material::with_friction(if random.below(4) == 0 { 0.0 } else { random.within(0.0, 1.5) })
    };
    let placement = Transform::new(rot, pos);
    let shape = b.shape(name, frame, kind, ShapeParams { placement, size, material }).unwrap();
    b.shape_mut(shape).resists_turning = random.below(3) == 0;
    if random.below(5) == 0 {
        b.shape_mut(shape).law = ContactLaw::Compliant;
    }
}

fn scene(random: &mut Random) -> Model<f64> {
    let mut b = ModelBuilder::new("scene");
    let plane = ShapeParams {
        placement: Transform::IDENTITY,
        size: Vec3::ZERO,
        material: Material::DEFAULT,
    };
    b.shape("ground", FrameId::WORLD, ShapeKind::Plane, plane).unwrap();
    let mut last = FrameId::WORLD;
    for i in 0..1 + random.below(4) {
        let moment = random.within(1e-3, 0.1);
        let body = Inertia {
            mass: random.within(0.1, 5.0),
            com: random.vector() * 0.05,
            rotational: Sym3::diagonal(Vec3::new(moment, moment, moment)),
        };
        let chained = last != FrameId::WORLD && random.below(2) == 0;
        let (joint, on) = if chained {
            let mut hinge = JointSpec::revolute(format!("joint{i}"), random.direction());
            hinge.params.limit_lower = -0.5;
            hinge.params.limit_upper = 0.5;
            hinge.params.friction = random.within(0.0, 1.0);
            (hinge.at(Transform::from_translation(random.vector() * 0.3)), last)
        } else {
            (JointSpec::free(format!("joint{i}")), FrameId::WORLD)
        };
        last = b.link(format!("body{i}"), on, joint, body).unwrap();
        for k in 0..1 + random.below(2) {
            add_shape(&mut b, last, format!("shape{i}.{k}"), random);
        }
    }
    b.build().unwrap()
}

/// A third with every body at the same place, on the ground; a third at rest.
fn start(model: &Model<f64>, random: &mut Random) -> State<f64> {
    let mut state = State::neutral(model);
    if random.below(3) > 0 {
        let dq: Vec<f64> = random.numbers(model.nv()).iter().map(|x| 0.3 * x).collect();
        integrate(model, &mut state.q, &dq);
    }
    if random.below(3) > 0 {
        let speed = 10.0_f64.powi(random.below(3) as i32 - 1);
        state.v.iter_mut().for_each(|v| *v = speed * random.unit());
    }
    state
}

fn options(model: &Model<f64>, random: &mut Random) -> StepOptions<f64> {
    let mut options = StepOptions::new([1e-4, 1e-3, 1e-2][random.below(3)]);
    options.integrator =
        [Integrator::ImplicitDamping, Integrator::SemiImplicitEuler, Integrator::Rk4]
            [random.below(3)];
    options.contact.solver = match random.below(6) {
        0 => Solver::HuntCrossley,
        1 if model.n_links() < 3 => Solver::Lcp(Lcp { sides: 4 }),
        2 => Solver::Ncp(Ncp { cone: Cone::Pyramid, tolerance: 0.0, sweeps: 5, warm_start: true }),
        _ => Solver::Ncp(Ncp::default()),
    };
    let laws =
        [FrictionLaw::Coulomb, FrictionLaw::Brown, FrictionLaw::Andersson, FrictionLaw::Hollars];
    options.contact.compliance = HuntCrossley { friction: laws[random.below(4)] };
    if random.below(2) == 0 || options.integrator != Integrator::ImplicitDamping {
        options.joint_stops = JointStops::Hard;
    }
    options
}

/// Finite numbers, or a failure and zeros. Gives whether there is a gradient.
fn check(name: &str, case: &mut Case) -> bool {
    let about = case.start.clone();
    let mut gradients = 0;
    for gradient in GRADIENTS {
        case.gradient = gradient;
        let probe = case.probe::<f64>(&mut Random::new(4), &about);
        let (found, inputs) = case.adjoint::<f64>(probe);
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
    let mut with_gradient = 0;
    for seed in 0..SCENES {
        let mut random = Random::new(seed);
        let model = scene(&mut random);
        let (start, options) = (start(&model, &mut random), options(&model, &mut random));
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
    assert!(10 * with_gradient > 8 * SCENES, "only {with_gradient} of {SCENES} had one");
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
