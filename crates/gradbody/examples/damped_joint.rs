//! Learns the damping that a model of a pendulum lacks, from its motion.
//!
//! `cargo run --release -p gradbody --example damped_joint`

mod adam;

use std::error::Error;
use std::sync::Arc;

use gradbody::neural::NetworkTrace;
use gradbody::prelude::*;
use gradbody::sim::{
    Constant, GradientOptions, Mean, Rollout, RolloutTrace, StateCost, StateTarget, Target,
    rollout_vjp,
};

use adam::Adam;

/// A rod of 1 kg on a hinge.
fn pendulum(damping: f64) -> Result<Model<f64>, Box<dyn Error>> {
    let rod = Inertia {
        mass: 1.0,
        com: Vec3::new(0.0, 0.0, -0.5),
        rotational: Sym3::diagonal(Vec3::new(0.083, 0.083, 0.001)),
    };
    let hinge = JointSpec::revolute("hinge", Vec3::Y).damping(damping);
    let mut robot = ModelBuilder::new("pendulum");
    robot.link("rod", FrameId::WORLD, hinge, rod)?;
    Ok(robot.build()?)
}

/// A torque on the hinge as a function of its velocity.
const BLUEPRINT: &str = r#"
[[augmentation]]
name = "damping"
outputs = ["joint/hinge/passive_torque"]
inputs = [{ site = "joint/hinge/velocity", scale = 3.0 }]

[augmentation.network]
hidden = [8]
"#;

const STEPS: usize = 200;
const DAMPING: f64 = 0.3;

fn main() -> Result<(), Box<dyn Error>> {
    run()
}

/// Trains, prints the result, and fails if the loss did not fall enough.
pub(crate) fn run() -> Result<(), Box<dyn Error>> {
    // The measurement: two seconds of the true pendulum, released at one radian.
    let (truth, model) = (pendulum(DAMPING)?, pendulum(0.0)?);
    let options = StepOptions::new(0.01);
    let mut state = State::neutral(&truth);
    state.q[0] = 1.0;
    let mut start = state.clone();
    let input = Input::none(&truth);
    let (mut trace, mut scratch) = (StepTrace::new(&truth), StepScratch::new(&truth));
    let mut measured = Vec::new();
    for _ in 0..STEPS {
        step(&truth, &mut state, &input, &options, &mut NoTaps, &mut trace, &mut scratch);
        measured.push(StateTarget::from(&state));
    }

    // The model with a network in it.
    let blueprint = Blueprint::from_toml(BLUEPRINT)?;
    let plan = Arc::new(bind(&blueprint, &model, &options.contact)?);
    let mut bound = Bound::new(plan.clone(), plan.initial_weights())?;
    bound.begin(&mut start);

    // Adam on the distance between the model's motion and the measured one.
    let mut loss = Mean(StateCost::new(&model, 1.0, 0.1, Target::PerStep(measured)));
    let rollout = Rollout { model: &model, start: &start, steps: STEPS, options: &options };
    let mut trace = RolloutTrace::new(&model);
    let mut adam = Adam::new(plan.n_weights(), 0.02);
    let (mut first, mut last) = (0.0, 0.0);
    for k in 1..=250 {
        let mut inputs = Constant::none(&model);
        let how = GradientOptions::default();
        last = rollout_vjp(&rollout, &mut inputs, &mut loss, &mut bound, &how, &mut trace)
            .checked()?
            .cost;
        if k == 1 {
            first = last;
        }
        adam.step(&mut bound.weights, &bound.weights_bar);
    }
    println!("damped joint: loss {first:.2e} before, {last:.2e} after");

    // The learnt torque beside the true one.
    for (_, network, weights) in plan.networks() {
        let mut trace = NetworkTrace::new(network);
        for velocity in [-2.0, -1.0, 0.0, 1.0, 2.0] {
            network.forward(&bound.weights[weights.clone()], &[velocity / 3.0], &[], &mut trace);
            let (learnt, true_torque) = (trace.outputs()[0], -DAMPING * velocity);
            println!(
                "  at {velocity:4} rad/s: learnt {learnt:6.3} N m, true {true_torque:6.3} N m"
            );
        }
    }
    if last < 1e-2 * first { Ok(()) } else { Err("the loss did not fall to a hundredth".into()) }
}
