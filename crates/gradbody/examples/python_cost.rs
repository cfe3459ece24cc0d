//! What `scripts/python_cost.py` does, without Python, on one thread: batches of standing Laikagos, their gradients,
//! and single steps.
//!
//! `cargo run --release -p gradbody --example python_cost`

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use gradbody::prelude::*;
use gradbody::sim::{BatchCotangents, BatchRecord, Precision};

const WORLDS: usize = 4096;
const STEPS: usize = 20;
const REPETITIONS: usize = 15;

fn main() -> Result<(), Box<dyn Error>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/laikago.urdf");
    let mut model = load(path, &ImportOptions::default())?.model;
    model.add_ground(0.0, Material::with_friction(0.8))?;
    let options = StepOptions::new(1e-3);
    let mut world = Simulation::new(&model, options);
    world.state.q[2] = 0.5;
    world.run(500)?;
    let start = world.state;
    println!("batch step float64: {:.4} µs", steps::<f64>(&model, options, &start)?);
    println!("batch step float32: {:.4} µs", steps::<f32>(&model, options, &start)?);
    let of_gradient = gradient(&model, options, &start)?;
    println!("gradient of 32 steps, 1024 worlds: {of_gradient:.4} µs");
    let mut world = Simulation::new(&model, options);
    let single = shortest(REPETITIONS, || {
        for _ in 0..1000 {
            world.state.clone_from(&start);
            world.step();
            black_box(&world.state);
        }
    });
    println!("single step: {:.4} µs", single * 1e3);
    println!("one pendulum, a call a step: {:.4} µs", pendulum()?);
    Ok(())
}

/// Microseconds of a call that sets a state, takes a step and reads the state: as a function of arrays does.
fn pendulum() -> Result<f64, Box<dyn Error>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/pendulum1.urdf");
    let model = load(path, &ImportOptions::default())?.model;
    let mut batch: Batch<f64> = Batch::new(&model, 1, StepOptions::new(1e-3)).with_threads(1)?;
    let (mut q, mut v) = ([0.5], [0.0]);
    let time = shortest(REPETITIONS, || {
        for _ in 0..256 {
            batch.write_states(&q, &v).expect("the sizes fit");
            let record = Some(BatchRecord { q: &mut q, v: &mut v });
            batch.rollout_into(1, &NoInputs, &NoTaps, record).expect("a pendulum has a next step");
        }
    });
    Ok(time * 1e6 / 256.0)
}

/// The shortest time of a call [s].
fn shortest(repetitions: usize, mut run: impl FnMut()) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..repetitions {
        let begin = Instant::now();
        run();
        least = least.min(begin.elapsed().as_secs_f64());
    }
    least
}

/// Microseconds a world and step, one call a step.
fn steps<T: Precision>(
    model: &Model<f64>,
    options: StepOptions<f64>,
    start: &State<f64>,
) -> Result<f64, Box<dyn Error>> {
    let mut batch = Batch::<T>::new(model, WORLDS, options).with_threads(1)?;
    let all: Vec<usize> = (0..WORLDS).collect();
    let mut least = f64::INFINITY;
    for _ in 0..REPETITIONS {
        batch.reset(&all, start)?;
        let time = shortest(1, || {
            (0..STEPS)
                .for_each(|_| batch.step(&NoInputs).expect("a standing robot has a next step"));
        });
        least = least.min(time);
    }
    Ok(least * 1e6 / (WORLDS * STEPS) as f64)
}

/// Microseconds a world and step of a rollout under joint forces, forwards and back.
fn gradient(
    model: &Model<f64>,
    options: StepOptions<f64>,
    start: &State<f64>,
) -> Result<f64, Box<dyn Error>> {
    let (worlds, steps, nv) = (1024, 32, model.nv());
    let mut batch: Batch<f64> = Batch::new(model, worlds, options).with_threads(1)?;
    let zero = vec![0.0; worlds * steps * nv];
    let mut q_bar = zero.clone();
    q_bar.chunks_mut(steps * nv).for_each(|world| world[(steps - 1) * nv..].fill(1.0));
    let all: Vec<usize> = (0..worlds).collect();
    let mut least = f64::INFINITY;
    for _ in 0..7 {
        batch.reset(&all, start)?;
        let begin = Instant::now();
        let forces = Controls::joint_forces(model, worlds, &zero)?;
        batch.forward(steps, &forces, &NoTaps)?;
        let bars = BatchCotangents::new(model, worlds, steps, &q_bar, &zero)?;
        black_box(batch.backward(&forces, &NoTaps, &bars, &Selection::none())?);
        least = least.min(begin.elapsed().as_secs_f64());
    }
    Ok(least * 1e6 / (worlds * steps) as f64)
}
