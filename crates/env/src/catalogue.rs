//! The environments that Gymnasium has too, one function each. The others are in `ours.rs`.
//!
//! Weights, ranges, noise, steps and time limits are those of Gymnasium's environments, version 5
//! [Gymnasium 1.4, gymnasium/envs/mujoco/*_v5.py and their documentation].

use std::path::Path;

use gradbody_dynamics::JointStops;
use gradbody_model::import::{ImportOptions, from_text};
use gradbody_model::{ActuatorParams, FrameId, Model};
use gradbody_sim::{Integrator, StepOptions};

use crate::firm_limits::firm_limits;
use crate::{
    Actions, Bodies, Condition, Delay, Description, Environment, Goal, Medium, Noise, Observed,
    Position, RewardTerm, Start, ours,
};

pub(crate) fn describe(environment: Environment) -> Description {
    let described = match environment {
        Environment::InvertedPendulum => inverted_pendulum(),
        Environment::HalfCheetah => half_cheetah(),
        Environment::Hopper => hopper(),
        Environment::Ant => ant(true),
        Environment::AntWithoutContactForces => ant(false),
        Environment::Walker2d => walker2d(),
        Environment::Reacher => reacher(),
        Environment::Swimmer => swimmer(),
        Environment::LaikagoWalk => ours::laikago_walk(),
        Environment::Humanoid => humanoid(),
        Environment::LaikagoCommands => ours::laikago_commands(),
        Environment::Pendulum1 => ours::pendulum(1),
        Environment::Pendulum2 => ours::pendulum(2),
        Environment::Pendulum3 => ours::pendulum(3),
        Environment::Pendulum4 => ours::pendulum(4),
        Environment::Pendulum5 => ours::pendulum(5),
        Environment::Pendulum6 => ours::pendulum(6),
        Environment::Pendulum7 => ours::pendulum(7),
    };
    Description { name: environment.name().into(), ..described }
}

/// How fast a joint returns into its range [rad/s]. With this number robots under random actions are about as far
/// beyond their limits as in MuJoCo (tests/environments/limits.rs).
const LIMIT_RATE: f64 = 100.0;

/// A model in the program.
macro_rules! model {
    ($file:literal) => {
        $crate::catalogue::read($file, include_str!(concat!("../../../models/", $file)))
    };
}
pub(crate) use model;

pub(crate) fn read(file: &str, text: &str) -> Model<f64> {
    let read = from_text(text, Path::new(file), &ImportOptions::default());
    read.expect("a model of the program is valid").model
}

/// A robot from a file of `models/gymnasium`, which starts at zero. Nothing is observed or rewarded yet.
pub(crate) fn robot(model: Model<f64>, integrator: Integrator, frame_skip: usize) -> Description {
    let dt = model.topology.timestep.expect("a model of the program gives its time step");
    let range = |f: fn(&ActuatorParams<f64>) -> f64| model.params.actuators.iter().map(f).collect();
    let actuators = model.topology.actuators.len();
    let actions = Actions {
        low: range(|actuator| actuator.control_lower),
        high: range(|actuator| actuator.control_upper),
        centre: vec![0.0; actuators],
        scale: vec![1.0; actuators],
    };
    Description {
        name: String::new(),
        options: StepOptions::new(dt).with(integrator),
        frame_skip,
        time_limit: 1000,
        start: Start {
            q: model.neutral(),
            q_noise: Noise::Uniform(0.0),
            v_noise: Noise::Uniform(0.0),
            goal: None,
        },
        actions,
        observation: Vec::new(),
        reward: Vec::new(),
        healthy: Vec::new(),
        terminates: true,
        bodies: Bodies::none(&model),
        medium: None,
        commands: None,
        randomise: Vec::new(),
        delay: Delay::default(),
        pushes: None,
        model,
    }
}

/// Sets where episodes start, (nq), how random starts are, and how firm joint limits are there.
fn starting(env: &mut Description, q: Vec<f64>, q_noise: Noise, v_noise: Noise) {
    // As fast as a step of this length can follow.
    let rate = LIMIT_RATE.min(1.0 / env.options.dt);
    firm_limits(&mut env.model, &q, rate);
    env.start = Start { q, q_noise, v_noise, goal: None };
}

/// The neutral configuration with one number changed.
fn neutral_but(model: &Model<f64>, number: usize, value: f64) -> Vec<f64> {
    let mut q = model.neutral();
    q[number] = value;
    q
}

/// All numbers of the configuration from one on, and all velocities.
fn state_from(model: &Model<f64>, from: usize, limit: f64) -> Vec<Observed> {
    vec![Observed::Configuration { from }, Observed::Velocity { count: model.nv(), limit }]
}

pub(crate) fn forward(weight: f64) -> RewardTerm {
    RewardTerm::Forward { weight, position: Position::Configuration(0) }
}

fn inverted_pendulum() -> Description {
    let mut env = robot(model!("gymnasium/inverted_pendulum.xml"), Integrator::Rk4, 2);
    let q = env.model.neutral();
    starting(&mut env, q, Noise::Uniform(0.01), Noise::Uniform(0.01));
    env.observation = state_from(&env.model, 0, f64::INFINITY);
    env.reward = vec![RewardTerm::Healthy { reward: 1.0 }];
    let finite = Condition::Bounded { from: 0, limit: f64::INFINITY };
    env.healthy = vec![finite, Condition::Within { q: 1, low: -0.2, high: 0.2 }];
    env
}

fn half_cheetah() -> Description {
    let mut env = robot(model!("gymnasium/half_cheetah.xml"), Integrator::ImplicitDamping, 5);
    let q = env.model.neutral();
    starting(&mut env, q, Noise::Uniform(0.1), Noise::Normal(0.1));
    env.observation = state_from(&env.model, 1, f64::INFINITY);
    env.reward = vec![forward(1.0), RewardTerm::Control { weight: 0.1 }];
    env.terminates = false;
    env
}

fn hopper() -> Description {
    let mut env = robot(model!("gymnasium/hopper.xml"), Integrator::Rk4, 4);
    let q = neutral_but(&env.model, 1, 1.25);
    starting(&mut env, q, Noise::Uniform(5e-3), Noise::Uniform(5e-3));
    env.observation = state_from(&env.model, 1, 10.0);
    env.reward = vec![
        forward(1.0),
        RewardTerm::Control { weight: 1e-3 },
        RewardTerm::Healthy { reward: 1.0 },
    ];
    env.healthy = vec![
        Condition::Bounded { from: 2, limit: 100.0 },
        Condition::Between { q: 1, low: 0.7, high: f64::INFINITY },
        Condition::Between { q: 2, low: -0.2, high: 0.2 },
    ];
    env
}

fn ant(observes_contacts: bool) -> Description {
    let mut env = robot(model!("gymnasium/ant.xml"), Integrator::Rk4, 5);
    let q = neutral_but(&env.model, 2, 0.75);
    starting(&mut env, q, Noise::Uniform(0.1), Noise::Normal(0.1));
    let leg = |part| (1..=4).map(move |leg| format!("{part}_{leg}"));
    let parts = ["shoulder", "leg", "foot"].map(|part| leg(part).collect::<Vec<String>>());
    let mut bodies: Vec<(&str, [&str; 1])> = vec![("torso", ["torso"])];
    for leg in 0..4 {
        bodies.extend(parts.iter().map(|part| (part[leg].as_str(), [part[leg].as_str()])));
    }
    let bodies: Vec<(&str, &[&str])> = bodies.iter().map(|(name, of)| (*name, &of[..])).collect();
    env.bodies = Bodies::of_solids(&env.model, 5.0, &bodies);
    env.observation = state_from(&env.model, 2, f64::INFINITY);
    if observes_contacts {
        env.observation.push(Observed::ContactForces { limit: 1.0 });
    }
    env.reward = vec![
        forward(1.0),
        RewardTerm::Control { weight: 0.5 },
        RewardTerm::Contact { weight: 5e-4, limit: 1.0, most: f64::INFINITY },
        RewardTerm::Healthy { reward: 1.0 },
    ];
    let finite = Condition::Bounded { from: 0, limit: f64::INFINITY };
    env.healthy = vec![finite, Condition::Within { q: 2, low: 0.2, high: 1.0 }];
    env
}

fn humanoid() -> Description {
    let mut env = robot(model!("gymnasium/humanoid.xml"), Integrator::Rk4, 5);
    // Its shoulders move very different masses in different poses: firm_limits.rs.
    env.options.joint_stops = JointStops::Hard;
    let q = neutral_but(&env.model, 2, 1.4);
    starting(&mut env, q, Noise::Uniform(0.01), Noise::Uniform(0.01));
    let bodies: [(&str, &[&str]); 13] = [
        ("torso", &["chest", "head", "belly"]),
        ("waist", &["waist"]),
        ("pelvis", &["pelvis"]),
        ("right_thigh", &["right_thigh"]),
        ("right_shin", &["right_shin"]),
        ("right_foot", &["right_foot"]),
        ("left_thigh", &["left_thigh"]),
        ("left_shin", &["left_shin"]),
        ("left_foot", &["left_foot"]),
        ("right_upper_arm", &["right_upper_arm"]),
        ("right_forearm", &["right_forearm", "right_hand"]),
        ("left_upper_arm", &["left_upper_arm"]),
        ("left_forearm", &["left_forearm", "left_hand"]),
    ];
    env.bodies = Bodies::of_solids(&env.model, 1000.0, &bodies);
    env.observation = state_from(&env.model, 2, f64::INFINITY);
    env.observation.extend([
        Observed::BodyInertias,
        Observed::BodyVelocities,
        Observed::ActuatorForces { from: 6 },
        Observed::ContactForces { limit: f64::INFINITY },
    ]);
    env.reward = vec![
        RewardTerm::Forward { weight: 1.25, position: Position::CentreOfMass },
        RewardTerm::Control { weight: 0.1 },
        RewardTerm::Contact { weight: 5e-7, limit: f64::INFINITY, most: 10.0 },
        RewardTerm::Healthy { reward: 5.0 },
    ];
    env.healthy = vec![Condition::Between { q: 2, low: 1.0, high: 2.0 }];
    env
}

fn walker2d() -> Description {
    let mut env = robot(model!("gymnasium/walker2d.xml"), Integrator::Rk4, 4);
    let q = neutral_but(&env.model, 1, 1.25);
    starting(&mut env, q, Noise::Uniform(5e-3), Noise::Uniform(5e-3));
    env.observation = state_from(&env.model, 1, 10.0);
    env.reward = vec![
        forward(1.0),
        RewardTerm::Control { weight: 1e-3 },
        RewardTerm::Healthy { reward: 1.0 },
    ];
    env.healthy = vec![
        Condition::Between { q: 1, low: 0.8, high: 2.0 },
        Condition::Between { q: 2, low: -1.0, high: 1.0 },
    ];
    env
}

fn reacher() -> Description {
    let mut env = robot(model!("gymnasium/reacher.xml"), Integrator::Rk4, 2);
    let frame = |name| env.model.topology.frame(name).expect("the model has this body");
    let (of, from): (FrameId, FrameId) = (frame("fingertip"), frame("target"));
    env.time_limit = 50;
    let q = env.model.neutral();
    starting(&mut env, q, Noise::Uniform(0.1), Noise::Uniform(0.005));
    env.start.goal = Some(Goal { q: 2, v: 2, radius: 0.2 });
    env.observation = vec![
        Observed::CosSin { count: 2 },
        Observed::Configuration { from: 2 },
        Observed::Velocity { count: 2, limit: f64::INFINITY },
        Observed::Offset { of, from },
    ];
    env.reward =
        vec![RewardTerm::Distance { weight: 1.0, of, from }, RewardTerm::Control { weight: 1.0 }];
    env.terminates = false;
    env
}

fn swimmer() -> Description {
    let mut env = robot(model!("gymnasium/swimmer.xml"), Integrator::Rk4, 4);
    let q = env.model.neutral();
    starting(&mut env, q, Noise::Uniform(0.1), Noise::Uniform(0.1));
    env.observation = state_from(&env.model, 2, f64::INFINITY);
    env.reward = vec![forward(1.0), RewardTerm::Control { weight: 1e-4 }];
    env.terminates = false;
    env.medium = Some(Medium::new(&env.model, 4000.0, 0.1));
    env
}
