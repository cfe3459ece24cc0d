//! Learns the delay of a motor: a network that reads the last commands finds the number of steps.
//!
//! `cargo run --release -p gradbody --example actuator_with_delay`

mod adam;

use std::error::Error;
use std::sync::Arc;

use gradbody::prelude::*;
use gradbody::sim::{
    GradientOptions, Mean, Rollout, RolloutTrace, Sequence, StateCost, StateTarget, Target,
    rollout_vjp,
};

use adam::Adam;

/// The torque of a wheel's motor: a weighted sum of the command and the seven before it. With hidden layers, or with
/// `recurrent` neurons instead of a history, it could be any function of them.
const BLUEPRINT: &str = r#"
signals = ["command"]

[[augmentation]]
name = "motor"
outputs = ["joint/axle/actuator_force"]
inputs = [{ site = "signal/command", history = 7 }]

[augmentation.network]
hidden = []
bias = false
"#;

/// Delay of the motor [steps].
const DELAY: usize = 3;
const STEPS: usize = 150;

fn main() -> Result<(), Box<dyn Error>> {
    run()
}

/// Trains, prints the result, and fails if the delay was not found.
pub(crate) fn run() -> Result<(), Box<dyn Error>> {
    let disc = Inertia {
        mass: 1.0,
        com: Vec3::ZERO,
        rotational: Sym3::diagonal(Vec3::new(0.01, 0.01, 0.02)),
    };
    let axle = JointSpec::revolute("axle", Vec3::Z).damping(0.05);
    let mut robot = ModelBuilder::new("wheel");
    robot.link("disc", FrameId::WORLD, axle, disc)?;
    let model = robot.build()?;
    let options = StepOptions::new(0.01);

    // Jumping commands [N m], and the measurement: the wheel, driven by them with a delay.
    let command = |k: usize| 0.3 * (0.9 * k as f64).sin() + 0.2 * (0.07 * (k * k) as f64).cos();
    let mut start = State::neutral(&model);
    let mut state = start.clone();
    let (mut trace, mut scratch) = (StepTrace::new(&model), StepScratch::new(&model));
    let (mut measured, mut inputs) = (Vec::new(), Vec::new());
    for k in 0..STEPS {
        let mut input = Input::none(&model);
        input.tau[0] = if k < DELAY { 0.0 } else { command(k - DELAY) };
        step(&model, &mut state, &input, &options, &mut NoTaps, &mut trace, &mut scratch);
        measured.push(StateTarget::from(&state));
        // The model gets the command as a signal; the network turns it into the torque.
        input.tau[0] = 0.0;
        input.signals = vec![command(k)];
        inputs.push(input);
    }

    // The model with a network in it. The network's memory is part of the state.
    let blueprint = Blueprint::from_toml(BLUEPRINT)?;
    let plan = Arc::new(bind(&blueprint, &model, &options.contact)?);
    let mut bound = Bound::new(plan.clone(), plan.initial_weights())?;
    bound.begin(&mut start);

    // Adam on the distance between the model's motion and the measured one.
    let mut loss = Mean(StateCost::new(&model, 1.0, 1.0, Target::PerStep(measured)));
    let mut inputs = Sequence::new(&model, inputs);
    let rollout = Rollout { model: &model, start: &start, steps: STEPS, options: &options };
    let mut trace = RolloutTrace::new(&model);
    let mut adam = Adam::new(plan.n_weights(), 0.02);
    let (mut first, mut last) = (0.0, 0.0);
    for k in 1..=400 {
        let how = GradientOptions::default();
        last = rollout_vjp(&rollout, &mut inputs, &mut loss, &mut bound, &how, &mut trace)
            .checked()?
            .cost;
        if k == 1 {
            first = last;
        }
        adam.step(&mut bound.weights, &bound.weights_bar);
    }
    println!("actuator with delay: loss {first:.2e} before, {last:.2e} after");
    for (delay, weight) in bound.weights.iter().enumerate() {
        println!("  weight of the command {delay} steps before: {weight:6.3}");
    }
    let delay = (0..8).max_by(|a, b| bound.weights[*a].total_cmp(&bound.weights[*b]));
    if last < 1e-2 * first && delay == Some(DELAY) {
        Ok(())
    } else {
        Err("the delay was not found".into())
    }
}
