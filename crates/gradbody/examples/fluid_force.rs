//! Learns the drag of a plate that sinks in a fluid. The drag depends on the orientation of the plate; for any weights
//! it can only remove energy.
//!
//! `cargo run --release -p gradbody --example fluid_force`

mod adam;

use std::error::Error;
use std::sync::Arc;

use gradbody::math::Force;
use gradbody::prelude::*;
use gradbody::sim::{
    Constant, GradientOptions, Mean, Rollout, RolloutTrace, StateCost, StateTarget, TapRecord,
    Taps, Target, rollout_vjp,
};

use adam::Adam;

/// The true fluid: it resists motion across the plate five times as much as along it.
struct Fluid;

impl Taps<f64> for Fluid {
    fn wrenches(&mut self, _: &mut TapRecord, kin: &Kinematics<f64>, external: &mut [Force<f64>]) {
        for (body, force) in kin.bodies.iter().zip(external) {
            let v = body.rot_wb.transpose_mul(body.lin_vel_w);
            let drag = Vec3::new(0.4 * v.x, 0.4 * v.y, 2.0 * v.z);
            force.lin -= body.rot_wb * drag;
            force.ang -= body.ang_vel_w * 0.02;
        }
    }
}

/// A wrench on the plate: −D times its spatial velocity, with D = L Lᵀ and L a network of the orientation.
const BLUEPRINT: &str = r#"
[[augmentation]]
name = "drag"
outputs = ["link/plate/wrench"]
inputs = ["link/plate/orientation", "link/plate/motion"]
kind = { dissipative = "full" }

[augmentation.network]
hidden = [16]

[augmentation.initial]
spread = { small = 0.1 }
"#;

const STEPS: usize = 100;

fn main() -> Result<(), Box<dyn Error>> {
    run()
}

/// Trains, prints the result, and fails if the loss did not fall enough.
pub(crate) fn run() -> Result<(), Box<dyn Error>> {
    let plate = Inertia {
        mass: 0.5,
        com: Vec3::ZERO,
        rotational: Sym3::diagonal(Vec3::new(0.01, 0.01, 0.02)),
    };
    let mut robot = ModelBuilder::new("plate");
    robot.link("plate", FrameId::WORLD, JointSpec::free("float"), plate)?;
    robot.gravity(Vec3::new(0.0, 0.0, -4.0));
    let model = robot.build()?;

    // The measurement: one second of sinking and turning from a tilted start.
    let options = StepOptions::new(0.01);
    let mut state = State::neutral(&model);
    state.q[3..].copy_from_slice(&[0.92, 0.3, 0.2, 0.15].map(|x: f64| x / 1.0099));
    state.v.copy_from_slice(&[0.5, -0.3, 0.0, 1.0, -1.5, 0.5]);
    let mut start = state.clone();
    let input = Input::none(&model);
    let (mut trace, mut scratch) = (StepTrace::new(&model), StepScratch::new(&model));
    let mut measured = Vec::new();
    for _ in 0..STEPS {
        step(&model, &mut state, &input, &options, &mut Fluid, &mut trace, &mut scratch);
        measured.push(StateTarget::from(&state));
    }

    // The model with a network in it.
    let blueprint = Blueprint::from_toml(BLUEPRINT)?;
    let plan = Arc::new(bind(&blueprint, &model, &options.contact)?);
    let mut bound = Bound::new(plan.clone(), plan.initial_weights())?;
    bound.begin(&mut start);

    // Adam on the distance between the model's motion and the measured one.
    let mut loss = Mean(StateCost::new(&model, 1.0, 0.3, Target::PerStep(measured)));
    let rollout = Rollout { model: &model, start: &start, steps: STEPS, options: &options };
    let mut trace = RolloutTrace::new(&model);
    let mut adam = Adam::new(plan.n_weights(), 0.01);
    let (mut first, mut last) = (0.0, 0.0);
    for k in 1..=300 {
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
    println!("fluid force: loss {first:.2e} before, {last:.2e} after");
    if last < 1e-2 * first { Ok(()) } else { Err("the loss did not fall to a hundredth".into()) }
}
