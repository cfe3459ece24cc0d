//! Learns the springs of a two-link arm as one potential energy. For any weights the network conserves energy.
//!
//! `cargo run --release -p gradbody --example conservative_spring`

mod adam;

use std::error::Error;
use std::sync::Arc;

use gradbody::prelude::*;
use gradbody::sim::{
    Constant, GradientOptions, Mean, Rollout, RolloutTrace, StateCost, StateTarget, Target,
    rollout_vjp,
};

use adam::Adam;

/// Two links of 1 kg on a table, with or without springs in their hinges.
fn arm(stiffness: [f64; 2], rest: [f64; 2]) -> Result<Model<f64>, Box<dyn Error>> {
    let link = Inertia {
        mass: 1.0,
        com: Vec3::new(0.25, 0.0, 0.0),
        rotational: Sym3::diagonal(Vec3::new(0.001, 0.02, 0.02)),
    };
    let mut robot = ModelBuilder::new("arm");
    let shoulder = JointSpec::revolute("shoulder", Vec3::Z);
    let upper = robot.link("upper", FrameId::WORLD, shoulder, link)?;
    let end = Transform::from_translation(Vec3::new(0.5, 0.0, 0.0));
    robot.link("lower", upper, JointSpec::revolute("elbow", Vec3::Z).at(end), link)?;
    let mut model = robot.build()?;
    for (k, joint) in model.params.joints.iter_mut().enumerate() {
        (joint.stiffness, joint.rest) = (stiffness[k], rest[k]);
    }
    Ok(model)
}

/// One potential of both angles. A conservative augmentation reads the positions that its forces do work on, so it
/// names no inputs.
const BLUEPRINT: &str = r#"
[[augmentation]]
name = "springs"
outputs = ["joint/shoulder/passive_torque", "joint/elbow/passive_torque"]
kind = "conservative"
output_scale = 10.0

[augmentation.network]
hidden = [16]
activation = "softplus"

[augmentation.initial]
zero_last = true
"#;

const STEPS: usize = 150;
const ROUNDS: usize = 600;

fn main() -> Result<(), Box<dyn Error>> {
    run()
}

/// Trains, prints the result, and fails if the loss did not fall enough.
pub(crate) fn run() -> Result<(), Box<dyn Error>> {
    // The measurement: one and a half seconds of the true arm.
    let (truth, model) = (arm([8.0, 3.0], [0.4, -0.6])?, arm([0.0; 2], [0.0; 2])?);
    let options = StepOptions::new(0.01);
    let mut state = State::neutral(&truth);
    state.q.copy_from_slice(&[0.5, 0.7]);
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

    // Adam on the distance between the model's motion and the measured one, over a horizon that grows from the start:
    // a long motion is uninformative while the model is far off.
    let mut loss = Mean(StateCost::new(&model, 1.0, 0.1, Target::PerStep(measured)));
    let mut trace = RolloutTrace::new(&model);
    let mut cost = |bound: &mut Bound<f64>, steps: usize| {
        let rollout = Rollout { model: &model, start: &start, steps, options: &options };
        let mut inputs = Constant::none(&model);
        let how = GradientOptions::default();
        let found = rollout_vjp(&rollout, &mut inputs, &mut loss, bound, &how, &mut trace);
        found.checked().map(|gradient| gradient.cost)
    };
    let first = cost(&mut bound, STEPS)?;
    let mut adam = Adam::new(plan.n_weights(), 0.02);
    for k in 1..=ROUNDS {
        let steps = (STEPS * k / (2 * ROUNDS / 3)).clamp(15, STEPS);
        cost(&mut bound, steps)?;
        adam.step(&mut bound.weights, &bound.weights_bar);
    }
    let last = cost(&mut bound, STEPS)?;
    println!("conservative spring: loss {first:.2e} before, {last:.2e} after");
    if last < 1e-2 * first { Ok(()) } else { Err("the loss did not fall to a hundredth".into()) }
}
