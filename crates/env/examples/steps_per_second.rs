//! Measures how many steps of an environment a second takes, and its gradient, on one thread and both precisions.
//!
//! `cargo run --release -p gradbody-env --example steps_per_second -- [WORLDS] [NAME...]`

use std::time::{Duration, Instant};

use gradbody_env::{Autoreset, EnvBatch, EnvError, Environment};
use gradbody_math::random::Random;
use gradbody_sim::Precision;

const MEASURED: Duration = Duration::from_secs(2);
const HORIZON: usize = 8;

fn main() -> Result<(), EnvError> {
    let mut arguments = std::env::args().skip(1);
    let worlds = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(256);
    let names: Vec<String> = arguments.collect();
    println!("{worlds} worlds, one thread, random actions: steps of the environment per second");
    println!("{:25} {:>10} {:>10} {:>22}", "", "f64", "f32", "with gradient, f64");
    for environment in Environment::ALL {
        let name = environment.name();
        if names.is_empty() || names.iter().any(|chosen| chosen == name) {
            let double = steps_per_second::<f64>(environment, worlds)?;
            let single = steps_per_second::<f32>(environment, worlds)?;
            let gradient = gradients_per_second(environment, worlds)?;
            println!("{name:25} {double:10.0} {single:10.0} {gradient:22.0}");
        }
    }
    Ok(())
}

fn steps_per_second<T: Precision>(
    environment: Environment,
    worlds: usize,
) -> Result<f64, EnvError> {
    let mut batch: EnvBatch<T> =
        EnvBatch::new(environment, worlds, 0, Some(1))?.with_autoreset(Autoreset::SameStep);
    let mut random = Random::new(1);
    let actions = draw(&batch, &mut random, 16);
    // The first steps make room, and bring the robots to the ground.
    for given in actions.iter().cycle().take(50) {
        batch.step(given)?;
    }
    let begin = Instant::now();
    let mut steps = 0;
    for given in actions.iter().cycle() {
        batch.step(given)?;
        steps += worlds;
        if begin.elapsed() > MEASURED {
            break;
        }
    }
    Ok(steps as f64 / begin.elapsed().as_secs_f64())
}

fn gradients_per_second(environment: Environment, worlds: usize) -> Result<f64, EnvError> {
    let mut batch: EnvBatch<f64> = EnvBatch::new(environment, worlds, 0, Some(1))?;
    let mut random = Random::new(1);
    let actions = draw(&batch, &mut random, HORIZON).concat();
    batch.gradient(&actions, 0.99)?;
    let begin = Instant::now();
    let mut steps = 0;
    while begin.elapsed() < MEASURED {
        batch.gradient(&actions, 0.99)?;
        steps += worlds * HORIZON;
    }
    Ok(steps as f64 / begin.elapsed().as_secs_f64())
}

/// Random actions of all worlds, for some steps.
fn draw<T: Precision>(batch: &EnvBatch<T>, random: &mut Random, steps: usize) -> Vec<Vec<f64>> {
    let bounds = &batch.description().actions;
    let mut step = || {
        let numbers = |_| bounds.low.iter().zip(&bounds.high).collect::<Vec<_>>();
        let all = (0..batch.len()).flat_map(numbers);
        all.map(|(low, high)| random.between(*low, *high)).collect()
    };
    (0..steps).map(|_| step()).collect()
}
