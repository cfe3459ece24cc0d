//! Models that several tests use.

use gradbody::math::{Force, Inertia, Mat3, Sym3, Transform, Vec3};
use gradbody::model::import::{Base, ImportOptions, load};
use gradbody::model::{ActuatorParams, FrameId, JointId, JointSpec, Model, ModelBuilder};

use super::golden::repository;
use super::random::Random;

/// A body that exists: its inertia is that of a cloud of mass.
pub(crate) fn random_inertia(random: &mut Random) -> Inertia<f64> {
    let mass = random.within(0.3, 3.0);
    // trace(C) 1 − C for a covariance C of mass, about the centre.
    let spread: [Vec3<f64>; 3] = core::array::from_fn(|_| random.vector() * 0.3);
    let c = |i: usize, j: usize| mass * spread[i].dot(spread[j]);
    let trace = c(0, 0) + c(1, 1) + c(2, 2);
    let rotational =
        Sym3::new(trace - c(0, 0), trace - c(1, 1), trace - c(2, 2), -c(0, 1), -c(0, 2), -c(1, 2));
    Inertia { mass, com: random.vector() * 0.3, rotational }
}

/// Kinds of joints in [`random_tree`]: hinges and slides along a coordinate axis or any, and the
/// others.
pub(crate) const KINDS: usize = 10;

fn random_joint(random: &mut Random, name: &str, kind: usize) -> JointSpec {
    let any = random.direction();
    let mut spec = match kind {
        0 => JointSpec::revolute(name, any),
        1 => JointSpec::revolute(name, Vec3::X),
        2 => JointSpec::revolute(name, Vec3::Y),
        3 => JointSpec::revolute(name, Vec3::Z),
        4 => JointSpec::prismatic(name, any),
        5 => JointSpec::prismatic(name, [Vec3::X, Vec3::Y, Vec3::Z][random.below(3)]),
        6 => JointSpec::spherical(name),
        7 => JointSpec::planar(name),
        8 => JointSpec::universal(name, any, random.direction().cross(any)),
        _ => JointSpec::free(name),
    };
    spec.placement = Transform::new(random.rotation(), random.vector() * 0.5);
    spec.params.armature = [0.0, random.within(0.01, 0.3)][random.below(2)];
    spec
}

/// A tree of `n` links with all kinds of joints (from ten links on, each kind at least once),
/// hanging on any link before them or on the world, so that neither depth nor breadth comes first.
pub(crate) fn random_tree(seed: u64, n: usize) -> Model<f64> {
    let mut random = Random::new(seed);
    let mut builder = ModelBuilder::new(format!("tree {seed} of {n}"));
    builder.gravity(random.vector() * 10.0);
    let first_kind = random.below(KINDS);
    let mut frames = vec![FrameId::WORLD];
    for i in 0..n {
        let near = frames.len() - 1 - random.below(2).min(i);
        let parent = frames[[near, random.below(frames.len())][random.below(2)]];
        let joint = random_joint(&mut random, &format!("joint{i}"), (first_kind + 7 * i) % KINDS);
        let inertia = random_inertia(&mut random);
        frames.push(builder.link(format!("link{i}"), parent, joint, inertia).expect("a link"));
        let tip = Transform::new(random.rotation(), random.vector() * 0.4);
        builder.frame(format!("tip{i}"), frames[i + 1], tip).expect("a frame");
    }
    builder.build().expect("a model")
}

/// [`random_tree`] whose joints lose energy, have springs, limits and motors.
pub(crate) fn random_robot(seed: u64, n: usize) -> Model<f64> {
    let mut model = random_tree(seed, n);
    let mut random = Random::new(seed + 1000);
    for joint in &mut model.params.joints {
        joint.damping = random.within(0.1, 2.0);
        joint.friction = random.within(0.1, 1.0);
        joint.friction_velocity = random.within(0.05, 0.2);
        joint.stiffness = random.within(1.0, 20.0);
        joint.rest = random.unit();
        joint.limit_lower = random.within(-1.0, -0.2);
        joint.limit_upper = random.within(0.2, 1.0);
        joint.limit_stiffness = random.within(50.0, 100.0);
        joint.effort_limit = random.within(0.5, 5.0);
    }
    add_motors(model, &mut random)
}

/// The model with a motor on each joint of one degree of freedom, every second one an integrator.
fn add_motors(model: Model<f64>, random: &mut Random) -> Model<f64> {
    use gradbody::model::{Activation, Actuator};
    let Model { mut topology, mut params } = model;
    for (i, link) in topology.links.iter().enumerate().filter(|(_, l)| l.joint.kind.nv() == 1) {
        let activation = match topology.actuators.len() % 2 {
            0 => Activation::Direct,
            _ => {
                topology.na += 1;
                Activation::Integrator { index: topology.na - 1 }
            }
        };
        let name = format!("motor of {}", link.joint.name);
        topology.actuators.push(Actuator { name, joint: JointId::new(i), activation });
        params.actuators.push(ActuatorParams {
            gear: random.within(0.5, 2.0),
            gain: random.within(0.5, 5.0),
            bias: [random.unit(), random.unit(), random.unit()],
            control_lower: -0.7,
            control_upper: 0.7,
            activation_lower: -0.5,
            activation_upper: 0.5,
            force_lower: -2.0,
            force_upper: 2.0,
        });
    }
    Model { topology, params }
}

/// A quadruped of 12 hinges on a free trunk.
pub(crate) fn quadruped() -> Model<f64> {
    let path = repository().join("models/laikago.urdf");
    let options = ImportOptions { base: Base::Free, ..ImportOptions::default() };
    load(&path, &options).unwrap_or_else(|e| panic!("{e}")).model
}

/// A body with this mass, centre of mass and principal moments.
pub(crate) fn body(mass: f64, com: [f64; 3], moments: [f64; 3]) -> Inertia<f64> {
    let rotational = Sym3::diagonal(Vec3::from_f64(moments));
    Inertia { mass, com: Vec3::from_f64(com), rotational }
}

/// One link on the world.
pub(crate) fn single(joint: JointSpec, inertia: Inertia<f64>, gravity: [f64; 3]) -> Model<f64> {
    let mut builder = ModelBuilder::new("single");
    builder.gravity(Vec3::from_f64(gravity));
    builder.link("body", FrameId::WORLD, joint, inertia).expect("a link");
    builder.build().expect("a model")
}

/// A chain of `n` equal links about one axis, each a rod of `length` along −z.
pub(crate) fn chain(n: usize, axis: Vec3<f64>, length: f64, rod: Inertia<f64>) -> Model<f64> {
    let mut builder = ModelBuilder::new(format!("chain of {n}"));
    let mut parent = FrameId::WORLD;
    for i in 0..n {
        let reach = if i == 0 { 0.0 } else { -length };
        let joint = JointSpec::revolute(format!("joint{i}"), axis)
            .at(Transform::new(Mat3::IDENTITY, Vec3::new(0.0, 0.0, reach)));
        parent = builder.link(format!("link{i}"), parent, joint, rod).expect("a link");
    }
    builder.build().expect("a model")
}

/// A force on each link.
pub(crate) fn random_forces(random: &mut Random, model: &Model<f64>) -> Vec<Force<f64>> {
    (0..model.n_links()).map(|_| Force::new(random.vector() * 3.0, random.vector() * 5.0)).collect()
}
