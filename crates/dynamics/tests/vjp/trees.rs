//! Random trees with every joint kind, and states of them.

use gradbody_dynamics::integrate;
use gradbody_math::random::{self, SplitMix64};
use gradbody_math::{Inertia, Mat3, Quat, Sym3, Transform, Vec3};
use gradbody_model::{
    ActuatorParams, Axis, FrameId, JointId, JointKind, JointSpec, Model, ModelBuilder,
};

use crate::stage::{Inputs, Stage};

/// Random numbers, vectors, rotations and inertias.
pub(crate) struct Random(random::Random<SplitMix64>);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(random::Random::split_mix(seed))
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0.bits() as usize % n
    }

    pub(crate) fn within(&mut self, low: f64, high: f64) -> f64 {
        self.0.between(low, high)
    }

    /// Uniform in [−1, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        self.0.signed()
    }

    pub(crate) fn numbers(&mut self, n: usize) -> Vec<f64> {
        self.0.numbers(n)
    }

    pub(crate) fn vector(&mut self) -> Vec3<f64> {
        Vec3::new(self.unit(), self.unit(), self.unit())
    }

    pub(crate) fn rotation(&mut self) -> Mat3<f64> {
        Quat::exp(self.vector()).to_mat3()
    }

    pub(crate) fn inertia(&mut self) -> Inertia<f64> {
        let [a, b, c] = [0, 1, 2].map(|_| self.within(0.02, 0.2));
        let principal = Sym3::diagonal(Vec3::new(a + b, a + c, b + c));
        Inertia {
            mass: self.within(0.5, 2.0),
            com: self.vector() * 0.3,
            rotational: principal.rotated(&self.rotation()),
        }
    }
}

const KINDS: [JointKind; 12] = [
    JointKind::Free,
    JointKind::Revolute(Axis::Any),
    JointKind::Spherical,
    JointKind::Prismatic(Axis::Any),
    JointKind::Universal,
    JointKind::Revolute(Axis::X),
    JointKind::Planar,
    JointKind::Revolute(Axis::Y),
    JointKind::Prismatic(Axis::X),
    JointKind::Revolute(Axis::Z),
    JointKind::Prismatic(Axis::Y),
    JointKind::Prismatic(Axis::Z),
];

/// A tree with every joint kind, `bounded` with limits, friction and ranges or without any of them.
pub(crate) fn random_tree(random: &mut Random, bounded: bool) -> Model<f64> {
    let mut robot = ModelBuilder::new("tree");
    robot.gravity(random.vector() * 9.0);
    let mut frames = vec![FrameId::WORLD];
    let shift = random.below(KINDS.len());
    for i in 0..KINDS.len() {
        let kind = KINDS[(i + shift) % KINDS.len()];
        let parent = if i % 5 == 4 { random.below(frames.len()) } else { i };
        let mut joint = JointSpec::new(format!("joint{i}"), kind)
            .at(Transform::new(random.rotation(), random.vector() * 0.5));
        let params = &mut joint.params;
        let any = |random: &mut Random| (random.vector() + Vec3::Z).normalized_or(Vec3::Z);
        if matches!(kind, JointKind::Revolute(Axis::Any) | JointKind::Prismatic(Axis::Any)) {
            params.axis = any(random);
        }
        if kind == JointKind::Universal {
            params.axis = any(random);
            params.axis2 = (params.axis.cross(random.vector())).normalized_or(Vec3::X);
        }
        params.armature = random.within(0.1, 0.3);
        params.damping = random.within(0.1, 1.0);
        params.stiffness = random.within(0.5, 2.0);
        if kind.is_flat() {
            params.rest = random.unit();
        }
        if bounded {
            params.friction = random.within(0.1, 1.0);
            params.friction_velocity = random.within(0.2, 1.0);
            params.effort_limit = random.within(0.5, 2.0);
            if kind.is_flat() {
                params.limit_lower = random.within(-0.5, -0.2);
                params.limit_upper = random.within(0.2, 0.5);
                params.limit_stiffness = random.within(2.0, 5.0);
                params.limit_damping = random.within(0.2, 1.0);
                params.limit_softness = random.within(0.05, 0.2);
            }
        }
        let link = robot.link(format!("link{i}"), frames[parent], joint, random.inertia()).unwrap();
        let tip = Transform::new(random.rotation(), random.vector());
        robot.frame(format!("tip{i}"), link, tip).unwrap();
        frames.push(link);
        if kind.nv() == 1 {
            // Two on one joint, one of them with a state of its own.
            for integrates in [false, true] {
                let mut motor = ActuatorParams::motor(random.within(0.5, 2.0));
                motor.gain = random.within(0.5, 2.0);
                motor.bias = [random.unit(), random.unit(), random.unit()];
                if bounded {
                    (motor.control_lower, motor.control_upper) = (-0.5, random.within(0.1, 0.6));
                    (motor.activation_lower, motor.activation_upper) = (-0.4, 0.5);
                    (motor.force_lower, motor.force_upper) = (-0.8, random.within(0.5, 1.0));
                }
                let name = format!("motor{i}{integrates}");
                robot.actuator(name, JointId::new(i), integrates, motor).unwrap();
            }
        }
    }
    let at = Transform::new(random.rotation(), random.vector());
    robot.frame("camera", FrameId::WORLD, at).unwrap();
    robot.build().unwrap()
}

pub(crate) fn random_inputs(random: &mut Random, bounded: bool, stage: &impl Stage) -> Inputs<f64> {
    let model = random_tree(random, bounded);
    let mut q = model.neutral();
    let dq: Vec<f64> = random.numbers(model.nv()).iter().map(|x| 1.5 * x).collect();
    integrate(&model, &mut q, &dq);
    let v = random.numbers(model.nv());
    let extra = random.numbers(stage.extra(&model));
    Inputs { model, q, v, extra }
}
