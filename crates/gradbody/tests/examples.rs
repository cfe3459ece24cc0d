//! The examples learn what they say.

#![allow(dead_code, reason = "the examples' main functions")]
#![allow(clippy::duplicate_mod, reason = "each example is a program with a module of Adam")]

#[path = "../examples/actuator_with_delay.rs"]
mod actuator_with_delay;
#[path = "../examples/balance_many.rs"]
mod balance_many;
#[path = "../examples/conservative_spring.rs"]
mod conservative_spring;
#[path = "../examples/damped_joint.rs"]
mod damped_joint;
#[path = "../examples/fluid_force.rs"]
mod fluid_force;
#[path = "../examples/learned_friction.rs"]
mod learned_friction;

use std::path::Path;

use gradbody::prelude::*;

type Done = Result<(), Box<dyn std::error::Error>>;

#[test]
fn a_joint_is_damped() -> Done {
    damped_joint::run()
}

#[test]
fn many_poles_are_balanced() -> Done {
    balance_many::run()
}

#[test]
fn friction_is_learnt() -> Done {
    learned_friction::run()
}

#[test]
fn the_delay_of_an_actuator_is_found() -> Done {
    actuator_with_delay::run()
}

#[test]
fn springs_are_learnt_as_a_potential() -> Done {
    conservative_spring::run()
}

#[test]
fn the_force_of_a_fluid_is_learnt() -> Done {
    fluid_force::run()
}

#[test]
fn the_blueprint_of_the_guide_can_be_bound() -> Done {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let guide = std::fs::read_to_string(root.join("docs/augmentation.md"))?;
    let (_, rest) = guide.split_once("```toml\n").ok_or("no blueprint")?;
    let (blueprint, _) = rest.split_once("```").ok_or("no end of it")?;
    let model = load(root.join("models/laikago.urdf"), &ImportOptions::default())?.model;
    let options = StepOptions::<f64>::new(1e-3);
    let plan = bind(&Blueprint::from_toml(blueprint)?, &model, &options.contact)?;
    // 3-16-16-1, once for all twelve joints.
    assert_eq!(plan.n_weights(), 3 * 16 + 16 + 16 * 16 + 16 + 16 + 1);
    Ok(())
}
