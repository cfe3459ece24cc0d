//! Random scenes: whatever touches whatever, however deep, a step either gives finite numbers or says
//! which link's are not.

use std::sync::Arc;

use crate::support::random::Random;
use gradbody::contact::{Cone, Detection, FrictionLaw, HuntCrossley, Lcp, Ncp, Solver};
use gradbody::dynamics::JointStops;
use gradbody::model::{ContactLaw, Hull, Material, Mesh, Outline, ShapeKind, ShapeParams};
use gradbody::prelude::*;

const SCENES: usize = 2500;
const STEPS: usize = 40;

fn size(random: &mut Random) -> f64 {
    match random.below(12) {
        0 => 0.0,
        1 => 1e-9,
        2 => 3.0,
        _ => random.within(0.02, 0.4),
    }
}

fn kind(random: &mut Random) -> (ShapeKind, Vec3<f64>) {
    let kind = match random.below(8) {
        0 => ShapeKind::Sphere,
        1 => ShapeKind::Capsule,
        2 => ShapeKind::Cylinder,
        3 => ShapeKind::Box,
        4 => ShapeKind::Ellipsoid,
        5 => {
            let points: Vec<_> = (0..12).map(|_| random.vector()).collect();
            let hull = Hull::of_points(&points).expect("points in general position");
            ShapeKind::Mesh(Arc::new(Mesh { path: "".into(), hull: Some(hull) }))
        }
        6 => {
            let corners = vec![[1.0, 0.0], [0.2, 0.2], [0.0, 1.0], [-1.0, -1.0]];
            ShapeKind::Extrusion(Arc::new(Outline::new(corners).expect("a concave outline")))
        }
        _ => ShapeKind::Points((0..5).map(|_| random.vector()).collect()),
    };
    (kind, Vec3::new(size(random), size(random), size(random)))
}

fn add_shape(b: &mut ModelBuilder, frame: FrameId, name: String, random: &mut Random) {
    let (kind, size) = kind(random);
    let pos = if random.below(2) == 0 { Vec3::ZERO } else { random.vector() * 0.2 };
    let rot = if random.below(2) == 0 { Mat3::IDENTITY } else { random.rotation() };
    let material = Material {
        restitution: if random.below(3) == 0 { random.within(0.0, 1.0) } else { 0.0 },
        cfm: if random.below(3) == 0 { random.within(0.0, 1e-3) } else { 0.0 },
        ..Material::with_friction(random.within(0.0, 1.5))
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
        placement: Transform::new(
            if random.below(3) == 0 { random.rotation() } else { Mat3::IDENTITY },
            Vec3::new(0.0, 0.0, random.within(-0.3, 0.3)),
        ),
        size: Vec3::ZERO,
        material: Material::DEFAULT,
    };
    b.shape("ground", FrameId::WORLD, ShapeKind::Plane, plane).unwrap();
    if random.below(2) == 0 {
        add_shape(&mut b, FrameId::WORLD, "post".into(), random);
    }
    let mut last = FrameId::WORLD;
    for i in 0..1 + random.below(5) {
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

fn start(model: &Model<f64>, random: &mut Random) -> State<f64> {
    let mut state = State::neutral(model);
    // A third of the scenes with every body at the same place.
    if random.below(3) > 0 {
        let dq: Vec<f64> = random.numbers(model.nv()).iter().map(|x| 0.5 * x).collect();
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
        // Its cost grows with the cube of the contacts.
        1 if model.n_links() < 3 => Solver::Lcp(Lcp { sides: 4 }),
        2 => Solver::Ncp(Ncp { cone: Cone::Pyramid, tolerance: 0.0, sweeps: 5, warm_start: false }),
        _ => Solver::Ncp(Ncp::default()),
    };
    let laws =
        [FrictionLaw::Coulomb, FrictionLaw::Brown, FrictionLaw::Andersson, FrictionLaw::Hollars];
    options.contact.compliance = HuntCrossley { friction: laws[random.below(4)] };
    if random.below(3) == 0 {
        options.contact.detection = Detection::Penetrating;
    }
    // Soft stops are springs too stiff for an explicit step.
    if random.below(2) == 0 || options.integrator != Integrator::ImplicitDamping {
        options.joint_stops = JointStops::Hard;
    }
    options
}

#[test]
fn any_scene_gives_finite_numbers_or_says_which_link_does_not() {
    let mut touched = 0;
    for seed in 0..SCENES {
        let mut random = Random::new(seed as u64);
        let model = scene(&mut random);
        let (mut state, options) = (start(&model, &mut random), options(&model, &mut random));
        let (input, mut work) = (Input::none(&model), Workspace::new(&model));
        // Forces of springs that begin metres deep are beyond any step; impulses are not.
        let compliant = options.contact.solver == Solver::HuntCrossley
            || model.topology.shapes.iter().any(|s| s.law == ContactLaw::Compliant);
        for i in 0..STEPS {
            let report = step(&model, &mut state, &input, &options, &mut NoTaps, &mut work);
            let finite = state.q.iter().chain(&state.v).all(|x| x.is_finite());
            assert_eq!(report.diverged.is_none(), finite, "scene {seed} step {i}: {report:?}");
            touched += report.contacts;
            assert!(finite || compliant, "scene {seed} step {i} flew apart: {options:?}");
            if !finite {
                break;
            }
            for contact in work.contacts() {
                let length = contact.normal_w.norm();
                assert!((length - 1.0).abs() < 1e-6, "scene {seed} step {i}: normal {length}");
                let all = contact.force_w + contact.torque_w + contact.point_w;
                assert!(all.is_finite() && contact.gap.is_finite(), "scene {seed} step {i}");
            }
        }
    }
    assert!(touched > 100 * SCENES, "only {touched} contacts: nothing was tried");
}
