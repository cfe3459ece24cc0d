//! Compares the time of a Hessian-vector product with that of a gradient: a Laikago falls onto its feet, 50 steps.
//!
//! `cargo run --release -p gradbody --example hvp_cost`

use std::error::Error;
use std::time::Instant;

use gradbody::prelude::*;
use gradbody::sim::{Direction, hessian_vector_product};

const STEPS: usize = 50;

fn main() -> Result<(), Box<dyn Error>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/laikago.urdf");
    let mut model = load(path, &ImportOptions::default())?.model;
    model.add_ground(0.0, Material::with_friction(0.8))?;
    let mut world = Simulation::new(&model, StepOptions::new(1e-3));
    world.state.q[2] = 0.5;
    world.run(200)?;
    let options = world.options;
    let rollout = Rollout { model: &model, start: &world.state, steps: STEPS, options: &options };
    let inputs = vec![Input::none(&model); STEPS];
    let masses = Selection::of(&model, ["link/*/mass"])?;
    let mut direction = Direction::zero(&model, &masses, STEPS);
    direction.start.q.fill(1.0);
    let dual: Model<Dual<f64, 1>> = model.cast();
    let target = StateTarget { q: dual.neutral(), v: vec![Dual::ZERO; dual.nv()] };
    let mut cost = Terminal(StateCost::new(&dual, Dual::ONE, Dual::ZERO, Target::Constant(target)));
    let how = GradientOptions::default();
    let product = shortest(|| {
        hessian_vector_product(&rollout, &inputs, &masses, &mut cost, &how, &direction).map(|_| ())
    })?;
    let mut loss = Terminal(StateCost::from_configuration(&model, &State::neutral(&model)));
    let mut trace = RolloutTrace::new(&model);
    let mut inputs = Constant::none(&model);
    let gradient = shortest(|| {
        rollout_vjp(&rollout, &mut inputs, &mut loss, &mut NoTaps, &how, &mut trace)
            .checked()
            .map(|_| ())
    })?;
    println!(
        "gradient {gradient:.1} µs per step, product {product:.1}: {:.2} times",
        product / gradient
    );
    Ok(())
}

/// The shortest time of several calls, in microseconds per step.
fn shortest<E>(mut call: impl FnMut() -> Result<(), E>) -> Result<f64, E> {
    let mut least = f64::INFINITY;
    for _ in 0..200 {
        let begin = Instant::now();
        call()?;
        least = least.min(begin.elapsed().as_secs_f64() * 1e6 / STEPS as f64);
    }
    Ok(least)
}
