//! A quadruped that stands, stepped as often as told: what `scripts/tap_cost.py` counts the instructions of.
//!
//!     tap_cost none|empty|joints [STEPS]
//!
//! without taps, with a blueprint without networks, or with a network on each of twelve joints.

use std::path::Path;
use std::sync::Arc;

use gradbody_augment::{Augmentation, Blueprint, Bound, bind};
use gradbody_model::import::{ImportOptions, load};
use gradbody_model::{Activation, Actuator, ActuatorParams, JointId, Material, Model};
use gradbody_sim::{Input, NoTaps, State, StepOptions, StepScratch, StepTrace, Taps, step};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let steps: usize = arguments.get(1).map_or(Ok(1000), |n| n.parse())?;
    let model = quadruped()?;
    let options = StepOptions::new(0.002);
    let mut blueprint = Blueprint::default();
    let how = arguments.first().map_or("none", String::as_str);
    if how == "joints" {
        let (outputs, inputs) =
            (["joint/*/passive_torque"], ["joint/*/position", "joint/*/velocity"]);
        let mut network = Augmentation::new("joints", outputs, inputs);
        // The joints of legs; the base has six degrees of freedom and no name of this kind.
        network.initial.zero_last = true;
        blueprint = blueprint.with(network);
    }
    match how {
        "none" => stand(&model, &options, &mut NoTaps, |_| {}, steps),
        "empty" | "joints" => {
            let plan = Arc::new(bind(&blueprint, &model, &options.contact)?);
            let mut bound = Bound::new(plan.clone(), plan.initial_weights())?;
            let begin = bound.clone();
            stand(&model, &options, &mut bound, |state| begin.begin(state), steps);
        }
        other => return Err(format!("\"{other}\" is none of none, empty and joints").into()),
    }
    Ok(())
}

fn quadruped() -> Result<Model<f64>, Box<dyn std::error::Error>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/laikago.urdf");
    let mut model = load(&file, &ImportOptions::default())?.model;
    model.add_ground(0.0, Material::with_friction(0.8))?;
    for (i, link) in model.topology.links.iter().enumerate().skip(1) {
        let (name, joint) = (link.joint.name.clone(), JointId::new(i));
        model.topology.actuators.push(Actuator { name, joint, activation: Activation::Direct });
        model.params.actuators.push(ActuatorParams::position(150.0, 2.0));
    }
    Ok(model)
}

fn stand(
    model: &Model<f64>,
    options: &StepOptions<f64>,
    taps: &mut impl Taps<f64>,
    begin: impl Fn(&mut State<f64>),
    steps: usize,
) {
    let pose = [0.0, 0.7, -1.4].repeat(4);
    let mut state = State::neutral(model);
    state.q[2] = 0.409;
    state.q[7..].copy_from_slice(&pose);
    begin(&mut state);
    let mut input = Input::none(model);
    input.control.copy_from_slice(&pose);
    let (mut trace, mut scratch) = (StepTrace::new(model), StepScratch::new(model));
    for _ in 0..steps {
        step(model, &mut state, &input, options, taps, &mut trace, &mut scratch);
    }
    println!("{} contacts, {:.6} m high", trace.contacts().len(), state.q[2]);
}
