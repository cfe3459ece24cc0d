//! A robot with features that the files of `models/` lack: every kind of joint, springs, friction, soft limits, and
//! motors with and without a state.

use gradbody::model::{ActuatorParams, JointId, ModelError};
use gradbody::prelude::*;

/// The robot. Its feet are balls, its hand is a box, and the ground slopes.
pub(crate) fn mixture() -> Result<Model<f64>, ModelError> {
    let at = |p: [f64; 3]| Transform::from_translation(Vec3::from_f64(p));
    let joints = [
        JointSpec::free("base"),
        JointSpec::revolute("arm", Vec3::Y).at(at([0.1, 0.02, 0.05])),
        JointSpec::prismatic("slider", Vec3::X).at(at([0.01, 0.05, 0.02])),
        JointSpec::spherical("ball").at(at([-0.1, 0.03, 0.0])),
        JointSpec::universal("cross", Vec3::X, Vec3::Y).at(at([0.0, -0.1, -0.05])),
        JointSpec::planar("plane").at(at([0.05, 0.1, 0.02])),
        JointSpec::revolute("wrist", Vec3::new(0.6, 0.0, 0.8)).at(at([0.02, 0.0, -0.1])),
    ];
    let parents = [None, Some(0), Some(1), Some(0), Some(3), Some(0), Some(4)];
    let mut robot = ModelBuilder::new("mixture");
    let mut links: Vec<FrameId> = Vec::new();
    for (i, (joint, parent)) in joints.into_iter().zip(parents).enumerate() {
        let inertia = Inertia {
            mass: 2.0 - 0.2 * i as f64,
            com: Vec3::new(0.01, -0.01, 0.02 * i as f64),
            rotational: Sym3 { xx: 0.02, yy: 0.025, zz: 0.03, xy: 0.001, xz: -0.002, yz: 0.001 },
        };
        let parent = parent.map_or(FrameId::WORLD, |parent: usize| links[parent]);
        links.push(robot.link(format!("link{i}"), parent, joint, inertia)?);
    }
    let material = Material { stiffness: 2e4, restitution: 0.3, ..Material::with_friction(0.4) };
    let shape = |p: [f64; 3], size: [f64; 3]| ShapeParams {
        placement: at(p),
        size: Vec3::from_f64(size),
        material,
    };
    robot.shape("foot", links[0], ShapeKind::Sphere, shape([0.0, 0.0, -0.15], [0.1; 3]))?;
    robot.shape("toe", links[4], ShapeKind::Sphere, shape([0.0, -0.1, -0.1], [0.1; 3]))?;
    robot.shape("hand", links[2], ShapeKind::Box, shape([0.2, 0.0, -0.2], [0.05, 0.04, 0.03]))?;
    let ground = ShapeParams {
        placement: Transform {
            rot: Mat3::from_rpy(Vec3::from_f64([0.1, -0.15, 0.0])),
            pos: Vec3::ZERO,
        },
        size: Vec3::ZERO,
        material,
    };
    robot.shape("ground", FrameId::WORLD, ShapeKind::Plane, ground)?;
    let motor = ActuatorParams { bias: [0.1, -0.5, -0.05], ..ActuatorParams::motor(2.0) };
    robot.actuator("motor", JointId::new(1), false, motor)?;
    robot.actuator("drive", JointId::new(2), true, motor)?;
    let mut model = robot.build()?;
    for joint in &mut model.params.joints[1..] {
        joint.limit_upper = 0.2;
        joint.limit_lower = -0.5;
        joint.limit_stiffness = 20.0;
        joint.limit_damping = 0.4;
        joint.limit_softness = 0.05;
        joint.damping = 0.3;
        joint.stiffness = 2.0;
        joint.rest = 0.1;
        joint.friction = 0.1;
        joint.friction_velocity = 0.5;
        joint.armature = 0.01;
        joint.effort_limit = 3.0;
    }
    Ok(model)
}
