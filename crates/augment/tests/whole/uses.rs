//! What networks in a step are for: each learns, from motions alone, something that the model leaves out.

use crate::support::training::{Episode, Training};
use gradbody_augment::{Augmentation, Blueprint, Reading, ReadingOptions};
use gradbody_contact::{Contact, Ncp, Solver};
use gradbody_dynamics::Kinematics;
use gradbody_math::random::Random;
use gradbody_math::{Force, Inertia, Sym3, Transform, Vec3};
use gradbody_model::{FrameId, JointSpec, Material, Model, ModelBuilder, ShapeKind, ShapeParams};
use gradbody_neural::Activation;
use gradbody_sim::{Input, Integrator, State, StepOptions, TapRecord, Taps};

fn body(mass: f64) -> Inertia<f64> {
    let rotational = Sym3::diagonal(Vec3::from_f64([0.02, 0.03, 0.04]));
    Inertia { mass, com: Vec3::ZERO, rotational }
}

fn scaled(site: &str, scale: f64) -> Reading {
    let site = site.to_owned();
    Reading::With(ReadingOptions { site, previous: false, history: 0, mean: 0.0, scale })
}

fn only(augmentation: Augmentation) -> Blueprint {
    Blueprint::default().with(augmentation)
}

/// Trains, and asserts that the loss falls by a factor from that of the model without a network.
fn learns(training: &mut Training<'_>, iterations: usize, rate: f64, factor: f64) {
    let initial = training.bound.weights.clone();
    training.bound.weights.fill(0.0);
    let before = training.loss().0;
    training.bound.weights = initial;
    let (_, after) = training.descend(iterations, rate);
    println!("loss {before:.2e} → {after:.2e}: {:.0} times less", before / after);
    assert!(after * factor < before, "{before:e} → {after:e}");
}

/// Two hinges.
fn pendulum(damping: f64, friction: f64) -> Model<f64> {
    let mut pendulum = ModelBuilder::new("pendulum");
    let body = |mass| Inertia { com: Vec3::from_f64([0.0, 0.0, -0.2]), ..body(mass) };
    let upper = JointSpec::revolute("shoulder", Vec3::Y);
    let upper = pendulum.link("upper", FrameId::WORLD, upper, body(1.0)).unwrap();
    let below = Transform::from_translation(Vec3::from_f64([0.0, 0.0, -0.4]));
    let lower = JointSpec::revolute("elbow", Vec3::Y).at(below);
    pendulum.link("lower", upper, lower, body(0.5)).unwrap();
    let mut model = pendulum.build().unwrap();
    for joint in &mut model.params.joints {
        (joint.damping, joint.friction, joint.friction_velocity) = (damping, friction, 1.0);
    }
    model
}

#[test]
fn damping_and_friction_of_joints_are_learnt_by_one_network_for_all() {
    let (real, model) = (pendulum(0.1, 0.2), pendulum(0.0, 0.0));
    // Both explicit: implicit damping is for the joint's own.
    let options = StepOptions::new(0.01).with(Integrator::SemiImplicitEuler);
    let mut random = Random::new(1);
    let episodes: Vec<Episode> = (0..10)
        .map(|_| {
            let mut start = State::neutral(&real);
            start.q = random.numbers(2);
            start.v = random.numbers(2).into_iter().map(|v| 3.0 * v).collect();
            Episode::recorded(&real, &options, start, vec![Input::none(&real); 20])
        })
        .collect();
    let mut of = Augmentation::new("friction", ["joint/*/passive_torque"], []);
    of.inputs = vec![scaled("joint/*/velocity", 3.0)];
    of.network.hidden = vec![6];
    let mut training = Training::new(&only(of), &model, &options, episodes);
    assert_eq!(training.bound.weights.len(), 2 * 6 + 6 + 1, "one network");
    learns(&mut training, 500, 0.05, 100.0);
}

/// A ball that slides without turning, on a plane.
pub(crate) fn puck(friction: f64) -> Model<f64> {
    let mut puck = ModelBuilder::new("puck");
    let x = JointSpec::prismatic("x", Vec3::X);
    let x = puck.link("rail", FrameId::WORLD, x, body(0.05)).unwrap();
    let y = puck.link("carriage", x, JointSpec::prismatic("y", Vec3::Y), body(0.05)).unwrap();
    let z = puck.link("puck", y, JointSpec::prismatic("z", Vec3::Z), body(1.0)).unwrap();
    let material = Material { slip_velocity: 0.1, ..Material::with_friction(friction) };
    let size = Vec3::from_f64([0.1, 0.0, 0.0]);
    let shape = ShapeParams { placement: Transform::IDENTITY, size, material };
    puck.shape("ball", z, ShapeKind::Sphere, shape).unwrap();
    let plane = ShapeParams { placement: Transform::IDENTITY, size: Vec3::ZERO, material };
    puck.shape("ground", FrameId::WORLD, ShapeKind::Plane, plane).unwrap();
    puck.build().unwrap()
}

/// Slides that do not come to rest, under different loads.
fn slides(
    real: &Model<f64>,
    options: &StepOptions<f64>,
    sideways: f64,
    taps: &mut impl Taps<f64>,
) -> Vec<Episode> {
    let mut random = Random::new(2);
    let compliant = !options.contact.solver.is_rigid();
    (0..8)
        .map(|k| {
            let load = 4.0 * random.signed();
            let mut start = State::neutral(real);
            // Where a compliant ground carries it.
            let depth = if compliant { ((9.81 + load) / 5e4).powf(1.0 / 1.5) } else { 0.0 };
            start.q = vec![random.signed(), sideways * random.signed(), 0.1 - depth];
            let speed = 2.2 + 0.7 * random.signed();
            let forwards = if k % 2 == 0 { 1.0 } else { -1.0 };
            start.v = vec![forwards * speed, sideways * 2.0 * random.signed(), 0.0];
            let mut input = Input::none(real);
            input.tau[2] = -load;
            Episode::with(real, options, start, vec![input; 30], taps)
        })
        .collect()
}

#[test]
fn a_friction_force_is_learnt_from_normal_force_and_sliding_velocity() {
    let (real, model) = (puck(0.5), puck(0.0));
    let options = StepOptions::new(5e-3).with_solver(Solver::HuntCrossley);
    let episodes = slides(&real, &options, 0.0, &mut gradbody_sim::NoTaps);
    let mut of = Augmentation::new("friction", ["contact/*/friction/x"], []);
    of.inputs =
        vec![scaled("contact/*/normal_force", 10.0), scaled("contact/*/sliding_velocity/x", 2.0)];
    of.network.hidden = vec![3, 2];
    of.network.activation = Activation::Elu;
    of.output_scale = 5.0;
    let mut training = Training::new(&only(of), &model, &options, episodes);
    let weights = (2 + 1) * 3 + (3 + 1) * 2 + (2 + 1);
    assert_eq!(training.bound.weights.len(), weights, "2-3-2-1");
    learns(&mut training, 600, 0.05, 100.0);
}

/// A ground that is rough in one direction and from place to place.
struct Rough;

fn roughness(x: f64) -> f64 {
    0.4 + 0.2 * (2.0 * x).sin()
}

impl Taps<f64> for Rough {
    fn contact_forces(&mut self, _: &mut TapRecord, contacts: &mut [Contact<f64>]) {
        for contact in contacts {
            let normal = contact.force_w.dot(contact.normal_w);
            let v = contact.velocity_w;
            let sliding = (v.x * v.x + v.y * v.y + 0.01).sqrt();
            let by_speed = -roughness(contact.point_w.x) * normal / sliding;
            contact.force_w += Vec3::new(v.x * by_speed, 1.5 * v.y * by_speed, 0.0);
        }
    }
}

#[test]
fn a_friction_vector_is_learnt_from_normal_force_point_and_velocity() {
    let model = puck(0.0);
    let options = StepOptions::new(5e-3).with_solver(Solver::HuntCrossley);
    let episodes = slides(&model, &options, 1.0, &mut Rough);
    let mut of = Augmentation::new("friction", ["contact/*/friction"], ["contact/*/point"]);
    of.inputs.push(scaled("contact/*/normal_force", 10.0));
    of.inputs.push(scaled("contact/*/sliding_velocity", 2.0));
    of.network.hidden = vec![12];
    of.output_scale = 5.0;
    let mut training = Training::new(&only(of), &model, &options, episodes);
    learns(&mut training, 300, 0.05, 100.0);
}

/// Water with a current that turns, and drag that grows with the square of the speed.
struct Water;

impl Taps<f64> for Water {
    fn wrenches(&mut self, _: &mut TapRecord, kin: &Kinematics<f64>, external: &mut [Force<f64>]) {
        let body = &kin.bodies[0];
        let current = Vec3::from_f64([0.5 * body.pos_w.y.sin(), -0.5 * body.pos_w.x.sin(), 0.0]);
        let v = body.lin_vel_w - current;
        let drag = -(0.5 + 1.5 * v.norm());
        // The keel keeps it along.
        let along = body.rot_wb.cols[0];
        let force = v * drag + along * (v.dot(along) * 0.3);
        let turn = body.ang_vel_w.z;
        external[0] += Force::new(Vec3::Z * (-0.5 * turn - 0.3 * turn * turn.abs()), force);
    }
}

#[test]
fn drag_is_learnt_from_a_links_pose_and_velocity() {
    let mut boat = ModelBuilder::new("boat");
    boat.gravity(Vec3::ZERO);
    let hull = Inertia { rotational: Sym3::diagonal(Vec3::from_f64([0.5; 3])), ..body(1.0) };
    boat.link("boat", FrameId::WORLD, JointSpec::planar("water"), hull).unwrap();
    let model = boat.build().unwrap();
    let options = StepOptions::new(0.02);
    let mut random = Random::new(3);
    let episodes: Vec<Episode> = (0..12)
        .map(|_| {
            let mut start = State::neutral(&model);
            (start.q, start.v) = (random.numbers(3), random.numbers(3));
            start.v.iter_mut().for_each(|v| *v *= 2.0);
            Episode::with(&model, &options, start, vec![Input::none(&model); 20], &mut Water)
        })
        .collect();
    let outputs = ["link/boat/force/x", "link/boat/force/y", "link/boat/torque/z"];
    let inputs = [
        "link/boat/position/x",
        "link/boat/position/y",
        "link/boat/orientation/yaw",
        "link/boat/velocity/x",
        "link/boat/velocity/y",
        "link/boat/spin/z",
    ];
    let mut of = Augmentation::new("drag", outputs, inputs);
    of.network.hidden = vec![16];
    of.output_scale = 3.0;
    let mut training = Training::new(&only(of), &model, &options, episodes);
    learns(&mut training, 400, 0.03, 100.0);
}

/// The same ground to a solver of rigid contacts.
struct Slippery;

impl Taps<f64> for Slippery {
    fn contacts(&mut self, _: &mut TapRecord, contacts: &mut [Contact<f64>]) {
        for contact in contacts {
            contact.material.friction = roughness(contact.point_w.x);
        }
    }
}

#[test]
fn friction_that_changes_from_place_to_place_is_learnt_through_the_solver() {
    let model = puck(0.3);
    let options = StepOptions::new(5e-3).with_solver(Solver::Ncp(Ncp::converged()));
    let episodes = slides(&model, &options, 0.5, &mut Slippery);
    let at = ["contact/*/point/x"];
    let mut of = Augmentation::new("friction", ["contact/*/friction_coefficient"], at);
    of.network.hidden = vec![8];
    of.output_scale = 0.3;
    let mut training = Training::new(&only(of), &model, &options, episodes);
    learns(&mut training, 300, 0.05, 100.0);
}
