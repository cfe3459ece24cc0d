//! Networks of a kind keep its promise whatever their weights, where they stand in a step.

use std::sync::Arc;

use crate::support::{Scene, check_gradients};
use gradbody_augment::{Augmentation, Blueprint, Bound, Kind, Networks, Plan, bind};
use gradbody_contact::{Contact, ContactId, Ncp, Solver};
use gradbody_dynamics::{Kinematics, integrate, momentum};
use gradbody_math::random::Random;
use gradbody_math::{Dual, Force, Inertia, Scalar, Sym3, Vec3};
use gradbody_model::{
    ContactLaw, FrameId, JointSpec, LinkId, Material, Model, ModelBuilder, ShapeId,
};
use gradbody_neural::{Activation, Damping, NetworkTrace};
use gradbody_sim::{
    Energy, Input, Integrator, State, StepOptions, StepScratch, StepTrace, TapRecord, Taps, step,
};

const DAMPINGS: [Damping; 3] = [Damping::Isotropic, Damping::Diagonal, Damping::Full];
const DRAWS: usize = 10_000;
/// Relative: some hundred roundings.
const PROMISE: f64 = 1e-12;

fn compliant() -> Scene {
    Scene::new("hunt-crossley", Solver::HuntCrossley, Integrator::ImplicitDamping)
}

fn of_kind(kind: Kind, outputs: &[&str], inputs: &[&'static str]) -> Blueprint {
    let mut augmentation = Augmentation::new("net", [], inputs.iter().copied());
    augmentation.outputs = outputs.iter().map(|o| (*o).to_owned()).collect();
    augmentation.kind = kind;
    augmentation.networks = Networks::Together;
    augmentation.network.hidden = vec![6];
    Blueprint { signals: vec!["temperature".into()], augmentations: vec![augmentation] }
}

fn bound(blueprint: &Blueprint, scene: &Scene) -> Bound<f64> {
    let plan = bind(blueprint, &scene.model, &scene.options.contact);
    let plan = Arc::new(plan.unwrap_or_else(|e| panic!("{e}")));
    Bound::new(plan.clone(), vec![0.0; plan.n_weights()]).unwrap()
}

/// Weights and speeds over some orders of magnitude.
fn draw(random: &mut Random, n: usize, orders: f64) -> Vec<f64> {
    let size = 10.0_f64.powf(orders * random.signed());
    random.numbers(n).into_iter().map(|x| x * size).collect()
}

/// A state of a scene, and its kinematics.
fn draw_state(scene: &Scene, random: &mut Random) -> (State<f64>, Kinematics<f64>) {
    let mut state = scene.start.clone();
    let dq = random.numbers(scene.model.nv());
    integrate(&scene.model, &mut state.q, &dq);
    state.v = draw(random, scene.model.nv(), 2.0);
    let kin = Kinematics::at(&scene.model, &state.q, &state.v);
    (state, kin)
}

/// The power of a force, relative to what its parts exchange.
fn relative_power(force: &[f64], velocity: &[f64]) -> f64 {
    let parts = force.iter().zip(velocity).map(|(f, v)| f * v);
    let (power, size) = parts.fold((0.0, 0.0), |(power, size), x: f64| (power + x, size + x.abs()));
    if size > 0.0 { power / size } else { 0.0 }
}

/// The largest and the least of what draws give, which must not add energy but often take some.
fn check_powers(label: &str, powers: impl Iterator<Item = f64>) {
    let (mut most, mut least) = (f64::MIN, f64::MAX);
    for power in powers {
        (most, least) = (most.max(power), least.min(power));
    }
    println!("{label}: power from {least:.1e} to {most:.1e} of what is exchanged");
    assert!(most <= PROMISE, "{label}: {most:e}");
    assert!(least < -0.5, "{label}: nothing is taken out");
}

#[test]
fn dissipative_networks_on_all_joints_together_add_no_energy() {
    let scene = compliant();
    for damping in DAMPINGS {
        let blueprint = of_kind(
            Kind::Dissipative(damping),
            &["joint/*/passive_torque"],
            &["joint/*/velocity", "joint/arm/position", "signal/temperature"],
        );
        let (mut bound, mut record) = (bound(&blueprint, &scene), TapRecord::default());
        let mut random = Random::new(1);
        let powers = (0..DRAWS).map(|_| {
            bound.weights = draw(&mut random, bound.weights.len(), 1.0);
            let (state, mut kin) = draw_state(&scene, &mut random);
            bound.links(&mut record, &scene.input, &state, &mut kin);
            let mut tau = vec![0.0; scene.model.nv()];
            bound.passive_forces(&mut record, &mut tau);
            relative_power(&tau, &state.v)
        });
        check_powers(&format!("{damping:?} on joints"), powers);
    }
}

#[test]
fn dissipative_networks_on_links_add_no_energy() {
    let scene = compliant();
    for damping in DAMPINGS {
        let blueprint = of_kind(
            Kind::Dissipative(damping),
            &["link/trunk/wrench", "link/tool/wrench"],
            &["link/trunk/motion", "link/tool/pose"],
        );
        let (mut bound, mut record) = (bound(&blueprint, &scene), TapRecord::default());
        let mut random = Random::new(2);
        let powers = (0..DRAWS).map(|_| {
            bound.weights = draw(&mut random, bound.weights.len(), 1.0);
            let (state, mut kin) = draw_state(&scene, &mut random);
            bound.links(&mut record, &scene.input, &state, &mut kin);
            let mut external = vec![Force::ZERO; scene.model.n_links()];
            bound.wrenches(&mut record, &kin, &mut external);
            assert!(external[1] == Force::ZERO, "the arm is left alone");
            let forces: Vec<f64> = external
                .iter()
                .flat_map(|f| [f.ang.to_array(), f.lin.to_array()].concat())
                .collect();
            let motions: Vec<f64> = kin
                .bodies
                .iter()
                .flat_map(|b| [b.ang_vel_w.to_array(), b.lin_vel_w.to_array()].concat())
                .collect();
            relative_power(&forces, &motions)
        });
        check_powers(&format!("{damping:?} on links"), powers);
    }
}

fn vector(random: &mut Random) -> Vec3<f64> {
    Vec3::from_f64([random.signed(), random.signed(), random.signed()])
}

/// A contact of the foot with the ground.
fn draw_contact(random: &mut Random, law: ContactLaw) -> Contact<f64> {
    Contact {
        id: ContactId { a: ShapeId::new(0), b: ShapeId::new(2), slot: 0 },
        link_a: Some(LinkId::new(0)),
        link_b: None,
        law,
        resists_turning: false,
        point_w: vector(random),
        normal_w: vector(random).normalized_or(Vec3::Z),
        gap: -0.01 * random.signed().abs(),
        velocity_w: vector(random) * 10.0_f64.powf(2.0 * random.signed()),
        spin_w: vector(random),
        material: Material::with_friction(0.5),
        force_w: Vec3::ZERO,
        torque_w: Vec3::ZERO,
    }
}

/// Both kinds of contact, and the scenes that have them.
fn laws() -> [(ContactLaw, Scene); 2] {
    let ncp = Solver::Ncp(Ncp::converged());
    let rigid = Scene::new("ncp", ncp, Integrator::ImplicitDamping);
    [(ContactLaw::Compliant, compliant()), (ContactLaw::Rigid, rigid)]
}

/// The force of a network at a contact, and the contact's velocity, for many weights and contacts.
fn contact_powers(kind: Kind, outputs: &[&str], check: impl Fn(&Contact<f64>)) {
    let inputs =
        ["contact/*/sliding_velocity", "contact/*/gap", "contact/*/point", "joint/arm/velocity"];
    for (law, scene) in laws() {
        let blueprint = of_kind(kind, outputs, &inputs);
        let (mut bound, mut record) = (bound(&blueprint, &scene), TapRecord::default());
        let mut random = Random::new(3);
        let powers = (0..DRAWS).map(|_| {
            bound.weights = draw(&mut random, bound.weights.len(), 1.0);
            let (state, mut kin) = draw_state(&scene, &mut random);
            bound.links(&mut record, &scene.input, &state, &mut kin);
            let mut contacts = [draw_contact(&mut random, law)];
            bound.contacts(&mut record, &mut contacts);
            bound.contact_forces(&mut record, &mut contacts);
            check(&contacts[0]);
            let Contact { force_w, velocity_w, .. } = contacts[0];
            relative_power(&force_w.to_array(), &velocity_w.to_array())
        });
        check_powers(&format!("{kind:?} {outputs:?}, {law:?}"), powers);
    }
}

#[test]
fn dissipative_friction_adds_no_energy_and_does_not_push_along_the_normal() {
    for damping in DAMPINGS {
        contact_powers(Kind::Dissipative(damping), &["contact/*/friction"], |contact| {
            let Contact { force_w, normal_w, .. } = *contact;
            assert!(force_w.dot(normal_w).abs() <= PROMISE * force_w.norm(), "{force_w:?}");
        });
    }
}

#[test]
fn a_dissipative_force_in_all_directions_of_a_contact_adds_no_energy() {
    let all = ["contact/*/normal_force", "contact/*/friction"];
    for damping in DAMPINGS {
        contact_powers(Kind::Dissipative(damping), &all, |_| ());
    }
}

/// Three frictionless joints in gravity.
fn arm() -> Model<f64> {
    let body = |mass: f64| Inertia {
        mass,
        com: Vec3::from_f64([0.2, 0.05, -0.02]),
        rotational: Sym3::diagonal(Vec3::from_f64([0.02, 0.03, 0.04])),
    };
    let mut arm = ModelBuilder::new("arm");
    let base = JointSpec::revolute("swing", Vec3::Y);
    let first = arm.link("upper", FrameId::WORLD, base, body(1.0)).unwrap();
    let mut elbow = JointSpec::revolute("twist", Vec3::X);
    elbow.placement.pos = Vec3::from_f64([0.4, 0.0, 0.0]);
    let second = arm.link("lower", first, elbow, body(0.6)).unwrap();
    arm.link("tip", second, JointSpec::prismatic("slide", Vec3::Z), body(0.4)).unwrap();
    arm.build().unwrap()
}

fn conservative(outputs: &[&str], activation: Activation) -> Plan {
    let mut blueprint = of_kind(Kind::Conservative, outputs, &[]);
    blueprint.augmentations[0].network.activation = activation;
    blueprint.augmentations[0].output_scale = 1.7;
    bind(&blueprint, &arm(), &StepOptions::<f64>::new(1e-3).contact).unwrap()
}

type D = Dual<f64, 3>;

/// By how much a matrix is not symmetric, relative to its largest entry; and that entry.
fn asymmetry(rows: [[f64; 3]; 3]) -> (f64, f64) {
    let most = rows.iter().flatten().fold(0.0_f64, |most, x| most.max(x.abs()));
    let pairs = [(0, 1), (0, 2), (1, 2)];
    let gap = pairs.map(|(i, j)| (rows[i][j] - rows[j][i]).abs()).into_iter().fold(0.0, f64::max);
    // Where a potential is nearly linear its curvature is rounding.
    (gap / most.max(1e-3), most)
}

#[test]
fn conservative_forces_on_joints_and_links_have_a_symmetric_jacobian() {
    let model: Model<D> = arm().cast();
    let places: [&[&str]; 2] = [&["joint/*/passive_torque"], &["link/tip/force"]];
    for outputs in places {
        let plan = Arc::new(conservative(outputs, Activation::Softplus));
        let mut bound = Bound::<D>::new(plan.clone(), vec![D::ZERO; plan.n_weights()]).unwrap();
        let mut record = TapRecord::default();
        let mut random = Random::new(4);
        let (mut worst, mut bent) = (0.0_f64, 0.0_f64);
        for _ in 0..DRAWS {
            let weights = draw(&mut random, plan.n_weights(), 0.5);
            bound.weights = weights.into_iter().map(D::constant).collect();
            let variables: Vec<D> = (0..3).map(|k| D::variable(random.signed(), k)).collect();
            let mut state = State::neutral(&model);
            state.q.copy_from_slice(&variables);
            let mut kin = Kinematics::at(&model, &state.q, &state.v);
            // The link's place itself is what its force is the slope over.
            kin.bodies[2].pos_w = Vec3::from_slice(&variables);
            bound.links(&mut record, &Input::none(&model), &state, &mut kin);
            let (mut tau, mut external) = (vec![D::ZERO; 3], vec![Force::ZERO; 3]);
            bound.wrenches(&mut record, &kin, &mut external);
            bound.passive_forces(&mut record, &mut tau);
            let lin = external[2].lin.to_array();
            let (gap, most) = asymmetry([0, 1, 2].map(|k| (tau[k] + lin[k]).eps));
            (worst, bent) = (worst.max(gap), bent.max(most));
        }
        println!("{outputs:?}: asymmetry {worst:.1e}");
        assert!(worst <= PROMISE && bent > 0.1, "{outputs:?}: {worst:e} of {bent}");
    }
}

#[test]
fn a_conservative_force_does_no_work_around_a_loop() {
    let model = arm();
    let plan = Arc::new(conservative(&["joint/*/passive_torque"], Activation::Tanh));
    let mut random = Random::new(5);
    // On a circle the sum converges faster than any power of the number of points.
    const POINTS: usize = 400;
    let mut worst = 0.0_f64;
    for _ in 0..DRAWS / POINTS {
        let mut bound = Bound::new(plan.clone(), random.numbers(plan.n_weights())).unwrap();
        let mut record = TapRecord::default();
        let (u, w) = (random.numbers(3), random.numbers(3));
        let (mut work, mut size) = (0.0, 0.0);
        for i in 0..POINTS {
            let (sin, cos) = (core::f64::consts::TAU * i as f64 / POINTS as f64).sin_cos();
            let mut state = State::neutral(&model);
            for k in 0..3 {
                state.q[k] = u[k] * cos + w[k] * sin;
            }
            let mut kin = Kinematics::at(&model, &state.q, &state.v);
            bound.links(&mut record, &Input::none(&model), &state, &mut kin);
            let mut tau = vec![0.0; 3];
            bound.passive_forces(&mut record, &mut tau);
            let power: f64 = (0..3).map(|k| tau[k] * (w[k] * cos - u[k] * sin)).sum();
            work += power;
            size += power.abs();
        }
        worst = worst.max(work.abs() / size);
    }
    println!("work around a loop: {worst:.1e} of what is exchanged");
    assert!(worst <= PROMISE, "{worst:e}");
}

/// How far kinetic and potential energy stray within a second.
fn drift(plan: &Arc<Plan>, weights: &[f64], dt: f64) -> f64 {
    let model = arm();
    let options = StepOptions::new(dt).with(Integrator::Rk4);
    let mut bound = Bound::new(plan.clone(), weights.to_vec()).unwrap();
    let (mut state, input) = (State::neutral(&model), Input::none(&model));
    let (mut trace, mut scratch) = (StepTrace::new(&model), StepScratch::new(&model));
    (state.q, state.v) = (vec![0.3, -0.5, 0.1], vec![1.0, 2.0, -0.4]);
    bound.begin(&mut state);
    let (_, network, _) = plan.networks().next().unwrap();
    let mut potential = NetworkTrace::new(network);
    let mut energy = |state: &State<f64>| {
        let kin = Kinematics::at(&model, &state.q, &state.v);
        network.forward(weights, &state.q, &[], &mut potential);
        Energy::of(&model, &kin, &state.q, &state.v).total() + 1.7 * potential.outputs()[0]
    };
    let start = energy(&state);
    let mut most = 0.0_f64;
    for k in 1..=(1.0 / dt).round() as usize {
        step(&model, &mut state, &input, &options, &mut bound, &mut trace, &mut scratch);
        // At the same times for every step.
        if (k as f64 * dt * 50.0).fract() < 1e-6 {
            most = most.max((energy(&state) - start).abs());
        }
    }
    most
}

#[test]
fn with_a_conservative_network_energy_strays_by_the_fourth_power_of_the_step() {
    let plan = Arc::new(conservative(&["joint/*/passive_torque"], Activation::Tanh));
    let weights: Vec<f64> =
        Random::new(6).numbers(plan.n_weights()).into_iter().map(|w| 3.0 * w).collect();
    let drifts = [0.01, 0.005, 0.0025].map(|dt| drift(&plan, &weights, dt));
    let ratios = [drifts[0] / drifts[1], drifts[1] / drifts[2]];
    println!("drift {drifts:?}, ratios {ratios:.1?}");
    assert!(ratios.iter().all(|r| (12.0..40.0).contains(r)), "{drifts:?}");
    // Without its potential, the network's force would seem to come from nowhere.
    let still = drift(&plan, &vec![0.0; weights.len()], 0.0025);
    assert!(still < 1e-6 && drifts[2] < 1e-6, "{still:e}, {drifts:?}");
}

/// Two balls in empty space.
fn balls() -> Model<f64> {
    let ball = |mass: f64| Inertia {
        mass,
        com: Vec3::ZERO,
        rotational: Sym3::diagonal(Vec3::from_f64([0.1 * mass; 3])),
    };
    let mut balls = ModelBuilder::new("balls");
    balls.gravity(Vec3::ZERO);
    balls.link("a", FrameId::WORLD, JointSpec::free("a"), ball(1.0)).unwrap();
    balls.link("b", FrameId::WORLD, JointSpec::free("b"), ball(2.5)).unwrap();
    balls.build().unwrap()
}

#[test]
fn symmetric_networks_between_two_bodies_conserve_momentum() {
    let (model, options) =
        (balls(), StepOptions::new(0.01).with(Integrator::SemiImplicitEuler).without_contact());
    let inputs = ["link/a/pose", "link/b/motion", "time"];
    for outputs in [["link/a/force", "link/b/force"], ["link/a/wrench", "link/b/wrench"]] {
        let blueprint = of_kind(Kind::Symmetric, &outputs, &inputs);
        let plan = Arc::new(bind(&blueprint, &model, &options.contact).unwrap());
        let mut bound = Bound::new(plan.clone(), vec![0.0; plan.n_weights()]).unwrap();
        let (mut random, input) = (Random::new(7), Input::none(&model));
        let (mut trace, mut scratch) = (StepTrace::new(&model), StepScratch::new(&model));
        let (mut worst, mut moved) = (0.0_f64, 0.0_f64);
        for _ in 0..DRAWS {
            bound.weights = draw(&mut random, plan.n_weights(), 1.0);
            let mut state = State::neutral(&model);
            integrate(&model, &mut state.q, &random.numbers(12));
            state.v = random.numbers(12);
            let kin = Kinematics::at(&model, &state.q, &state.v);
            let (before, v) = (momentum(&model, &kin), state.v.clone());
            step(&model, &mut state, &input, &options, &mut bound, &mut trace, &mut scratch);
            let kin = Kinematics::at(&model, &state.q, &state.v);
            let after = momentum(&model, &kin);
            // Of the momenta that are exchanged and carried.
            let pushes = state.v.iter().zip(&v).map(|(a, b)| (a - b).abs());
            let push = pushes.fold(0.0, f64::max);
            let size = 2.5 * (push + 1.0);
            let change = (after.lin - before.lin).norm().max((after.ang - before.ang).norm());
            (worst, moved) = (worst.max(change / size), moved.max(push));
        }
        println!("{outputs:?}: momentum changes by {worst:.1e}");
        assert!(worst <= PROMISE && moved > 0.1, "{outputs:?}: {worst:e}, moved {moved}");
    }
}

#[test]
fn gradients_through_every_kind_are_those_of_dual_numbers() {
    let wrenches: &[&str] = &["link/trunk/wrench", "link/tool/wrench"];
    let joints: &[&str] = &["joint/arm/passive_torque", "joint/slider/passive_torque"];
    let actuators: &[&str] = &["joint/arm/actuator_force", "joint/base/actuator_force"];
    let friction: &[&str] = &["contact/*/friction"];
    // The rigid foot sticks: its friction holds against what a network adds. The hand slides.
    let contact: &[&str] = &["contact/hand-ground/friction", "contact/hand-ground/normal_force"];
    let mut cases: Vec<(Kind, &[&str], &[&'static str])> = vec![
        (Kind::Conservative, joints, &[]),
        (Kind::Conservative, &["joint/arm/actuator_force"], &[]),
        (Kind::Conservative, &["link/trunk/force", "link/tool/force/y"], &[]),
        (Kind::Symmetric, wrenches, &["link/trunk/pose", "link/tool/motion", "time"]),
        (Kind::Symmetric, &["link/arm/force", "link/trunk/force"], &["link/arm/position"]),
    ];
    for damping in DAMPINGS {
        let kind = Kind::Dissipative(damping);
        cases.push((kind, &["joint/*/passive_torque"], &[]));
        cases.push((kind, joints, &["joint/arm/position", "signal/temperature"]));
        cases.push((kind, actuators, &[]));
        cases.push((kind, wrenches, &["link/arm/pose"]));
        cases.push((kind, friction, &["contact/*/normal_force", "contact/*/sliding_velocity"]));
        cases.push((kind, friction, &["contact/*/sliding_speed", "contact/*/gap"]));
        cases.push((kind, friction, &[]));
        cases.push((kind, contact, &[]));
    }
    let mut worst = 0.0_f64;
    for scene in Scene::all() {
        let compliant = !scene.options.contact.solver.is_rigid();
        for (kind, outputs, inputs) in &cases {
            // A rigid contact's own force is found after its networks.
            if inputs.contains(&"contact/*/normal_force") && !compliant {
                continue;
            }
            let mut blueprint = of_kind(*kind, outputs, inputs);
            // Normal forces are some ten newtons.
            blueprint.augmentations[0].output_scale = 0.05;
            let label = format!("{}: {kind:?} {outputs:?} ← {inputs:?}", scene.name);
            let found = check_gradients(&scene, &blueprint, &label);
            assert!(found.slope != 0.0, "{label} does nothing");
            worst = worst.max(found.error);
        }
    }
    println!("worst {worst:.1e}");
}
