//! The environments that Gymnasium does not have.

use gradbody_math::{Transform, Vec3};
use gradbody_model::{
    Activation, Actuator, ActuatorParams, Frame, FrameId, JointId, LinkId, Material, Model,
};
use gradbody_sim::Integrator;

use crate::catalogue::{forward, model, robot};
use crate::{Actions, Commands, Condition, Description, Noise, Observed, Position, RewardTerm};

/// A chain of 1 to 7 links that is swung up by a motor at each joint. It begins horizontally at rest.
///
/// Figures of Qiao, Liang, Koltun and Lin 2021, and of the program that they published where the paper gives none:
/// links of 0.5 m without mass, a bob of 1 kg at the end of the first and of 2.16 kg at the ends of the others, no
/// friction, torques of up to 10 N m, steps of 1/60 s, 100 steps. Its scheme is semi-implicit Euler's.
pub(crate) fn pendulum(links: usize) -> Description {
    const LENGTH: f64 = 0.5;
    const TORQUE: f64 = 10.0;
    let mut model = match links {
        1 => model!("pendulum1.urdf"),
        2 => model!("pendulum2.urdf"),
        3 => model!("pendulum3.urdf"),
        4 => model!("pendulum4.urdf"),
        5 => model!("pendulum5.urdf"),
        6 => model!("pendulum6.urdf"),
        _ => model!("pendulum7.urdf"),
    };
    add_actuators(&mut model, 0, ActuatorParams::motor(1.0));
    for motor in &mut model.params.actuators {
        (motor.control_lower, motor.control_upper) = (-TORQUE, TORQUE);
    }
    let Model { topology, params } = &mut model;
    let end = FrameId::new(topology.frames.len());
    topology.frames.push(Frame { name: "end".into(), link: Some(LinkId::new(links - 1)) });
    params.frames.push(Transform::from_translation(Vec3::new(0.0, LENGTH, 0.0)));
    topology.timestep = Some(1.0 / 60.0);
    let mut env = robot(model, Integrator::Rk4, 1);
    env.time_limit = 100;
    env.actions = Actions {
        low: vec![-1.0; links],
        high: vec![1.0; links],
        centre: vec![0.0; links],
        scale: vec![TORQUE; links],
    };
    env.observation = vec![
        Observed::CosSin { count: links },
        Observed::Velocity { count: links, limit: f64::INFINITY },
    ];
    let top = [0.0, 0.0, LENGTH * links as f64];
    let position = Position::Closeness { of: end, to: top };
    // The progress of a step, not its rate.
    env.reward = vec![RewardTerm::Forward { weight: env.seconds_per_step(), position }];
    env.terminates = false;
    env
}

/// Gives each joint from this one on an actuator with the joint's name.
fn add_actuators(model: &mut Model<f64>, from: usize, like: ActuatorParams<f64>) {
    let Model { topology, params } = model;
    for (i, link) in topology.links.iter().enumerate().skip(from) {
        let name = link.joint.name.clone();
        let joint = JointId::new(i);
        topology.actuators.push(Actuator { name, joint, activation: Activation::Direct });
        params.actuators.push(like);
    }
}

/// The same robot, which follows commands. Terms that pay for following fall off as bells that are wide enough to have
/// a slope at the start, where the robot stands.
pub(crate) fn laikago_commands() -> Description {
    let mut env = laikago_walk();
    let height = env.start.q[2];
    env.commands = Some(Commands {
        low: [-0.5, -0.4, -1.0],
        high: [1.0, 0.4, 1.0],
        standing: 0.1,
        mean_time: 5.0,
    });
    env.observation.push(Observed::Command);
    env.reward = vec![
        RewardTerm::FollowVelocity { weight: 1.0, width: 0.7 },
        RewardTerm::FollowYawRate { weight: 0.5, width: 0.7 },
        RewardTerm::VerticalVelocity { weight: 0.5 },
        RewardTerm::RollAndPitch { weight: 0.05 },
        RewardTerm::Height { weight: 10.0, height },
        RewardTerm::Control { weight: 0.01 },
        RewardTerm::Healthy { reward: 0.5 },
    ];
    env
}

/// A Laikago with a servo on each joint. An action of ±1 moves the targets by 0.4 rad from a standing pose, 50 times a
/// second.
pub(crate) fn laikago_walk() -> Description {
    // Hip, thigh and calf of a leg on the ground [rad], and the height of the trunk [m]: models/README.md.
    const STANCE: [f64; 3] = [0.0, 0.7, -1.4];
    const HEIGHT: f64 = 0.42;
    const REACH: f64 = 0.4;
    let mut model = model!("laikago.urdf");
    let ground = Material::with_friction(0.8);
    model.add_ground(0.0, ground).expect("the robot's file has no ground");
    add_actuators(&mut model, 1, ActuatorParams::position(80.0, 2.0));
    model.topology.timestep = Some(0.004);
    let mut env = robot(model, Integrator::ImplicitDamping, 5);
    let joints = env.n_actions();
    env.start.q[2] = HEIGHT;
    for (k, angle) in env.start.q[7..].iter_mut().enumerate() {
        *angle = STANCE[k % 3];
    }
    env.start.q_noise = Noise::Uniform(0.02);
    env.start.v_noise = Noise::Uniform(0.02);
    env.actions = Actions {
        low: vec![-1.0; joints],
        high: vec![1.0; joints],
        centre: (0..joints).map(|k| STANCE[k % 3]).collect(),
        scale: vec![REACH; joints],
    };
    env.observation = vec![
        Observed::Configuration { from: 7 },
        Observed::BaseMotion,
        Observed::Velocity { count: env.model.nv(), limit: 50.0 },
    ];
    env.reward = vec![
        forward(1.0),
        RewardTerm::Control { weight: 0.02 },
        RewardTerm::Healthy { reward: 0.5 },
    ];
    env.healthy =
        vec![Condition::Between { q: 2, low: 0.22, high: 0.8 }, Condition::Upright { least: 0.6 }];
    env
}
