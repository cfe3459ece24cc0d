//! Learns the friction between a sled and the ground as a function of normal force and sliding velocity.
//!
//! `cargo run --release -p gradbody --example learned_friction`

mod adam;

use std::error::Error;
use std::sync::Arc;

use gradbody::prelude::*;
use gradbody::sim::{
    GradientOptions, Mean, Rollout, RolloutTrace, Sequence, StateCost, StateTarget, Target,
    rollout_vjp,
};

use adam::Adam;

/// A ball of 1 kg that slides over the ground in any direction and does not turn.
fn sled(friction: f64) -> Result<Model<f64>, Box<dyn Error>> {
    let nothing = Inertia { mass: 0.0, com: Vec3::ZERO, rotational: Sym3::ZERO };
    let body =
        Inertia { mass: 1.0, rotational: Sym3::diagonal(Vec3::new(0.01, 0.01, 0.01)), ..nothing };
    let mut robot = ModelBuilder::new("sled");
    let x = robot.link("x", FrameId::WORLD, JointSpec::prismatic("x", Vec3::X), nothing)?;
    let y = robot.link("y", x, JointSpec::prismatic("y", Vec3::Y), nothing)?;
    let sled = robot.link("sled", y, JointSpec::prismatic("z", Vec3::Z), body)?;
    let material = Material { static_friction: friction, ..Material::with_friction(friction) };
    let size = Vec3::new(0.1, 0.0, 0.0);
    let ball = ShapeParams { placement: Transform::IDENTITY, size, material };
    robot.shape("runner", sled, ShapeKind::Sphere, ball)?;
    let mut model = robot.build()?;
    model.add_ground(0.0, material)?;
    Ok(model)
}

/// Friction that can only brake: −L² times the sliding velocity, with L a network of the inputs. This needs compliant
/// contacts; a solver finds the forces of rigid ones.
const BLUEPRINT: &str = r#"
[[augmentation]]
name = "friction"
outputs = ["contact/*/friction"]
inputs = [
    { site = "contact/*/normal_force", mean = 10.0, scale = 5.0 },
    { site = "contact/*/sliding_velocity", scale = 1.0 },
]
kind = { dissipative = "isotropic" }

[augmentation.network]
hidden = [12]
"#;

const STEPS: usize = 250;
const DT: f64 = 2e-3;

fn main() -> Result<(), Box<dyn Error>> {
    run()
}

/// Trains, prints the result, and fails if the loss did not fall enough.
pub(crate) fn run() -> Result<(), Box<dyn Error>> {
    // The measurement: half a second of sliding under a changing downward force.
    let (truth, model) = (sled(0.3)?, sled(0.0)?);
    let options = StepOptions::new(DT).with_solver(Solver::HuntCrossley);
    let mut state = State::neutral(&truth);
    state.q[2] = 0.0995;
    state.v.copy_from_slice(&[2.0, 1.0, 0.0]);
    let mut start = state.clone();
    let (mut trace, mut scratch) = (StepTrace::new(&truth), StepScratch::new(&truth));
    let (mut measured, mut inputs) = (Vec::new(), Vec::new());
    for k in 0..STEPS {
        let mut input = Input::none(&truth);
        input.tau[2] = -4.0 * (1.0 - (20.0 * DT * k as f64).cos());
        step(&truth, &mut state, &input, &options, &mut NoTaps, &mut trace, &mut scratch);
        measured.push(StateTarget::from(&state));
        inputs.push(input);
    }

    // The model with a network at every contact.
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
    for k in 1..=250 {
        let how = GradientOptions::default();
        last = rollout_vjp(&rollout, &mut inputs, &mut loss, &mut bound, &how, &mut trace)
            .checked()?
            .cost;
        if k == 1 {
            first = last;
        }
        adam.step(&mut bound.weights, &bound.weights_bar);
    }
    println!("learned friction: loss {first:.2e} before, {last:.2e} after");
    if last < 1e-2 * first { Ok(()) } else { Err("the loss did not fall to a hundredth".into()) }
}
