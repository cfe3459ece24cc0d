//! Times a resident batch against bare lanes on one thread: 4096 standing Laikagos, without and with feedback from a
//! network of two layers of 64. All take the same steps, because the network's last layer is zero, as before training.
//!
//! `cargo run --release -p gradbody --example batch_cost`

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use gradbody::neural::{Activation, Initial, Network, NetworkTrace};
use gradbody::prelude::*;
use gradbody::sim::{
    BatchError, BatchInputs, InputCotangents, Kernel, StateCotangents, run_widest,
};

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
    let sizes = [model.nq() + model.nv(), 64, 64, model.nv()];
    let network = Network::perceptron(&sizes, Activation::Tanh)?;
    let mut weights = network.initial_weights(&Initial::default());
    let last_layer = weights.len() - (64 + 1) * model.nv();
    weights[last_layer..].fill(0.0);
    let policy = Policy { network, weights };

    let bare = run_widest::<f64, _>(Bare { model: &model, start: &start, options });
    let alone = run_widest::<f64, _>(Alone { policy: &policy });
    let mut batch: Batch<f64> = Batch::new(&model, WORLDS, options).with_threads(1)?;
    let resident = shortest(&mut batch, &start, &NoInputs)?;
    let driven = shortest(&mut batch, &start, &policy)?;
    println!("bare lanes {bare:.3} µs per world and step, the network {alone:.3}");
    println!("batch      {resident:.3} µs: {:.3} times the bare lanes", resident / bare);
    println!("with feedback {driven:.3} µs: {:.3} times the sum", driven / (bare + alone));
    Ok(())
}

/// The shortest time of several rollouts of the batch, in microseconds per world and step.
fn shortest(
    batch: &mut Batch<f64>,
    start: &State<f64>,
    inputs: &impl BatchInputs,
) -> Result<f64, BatchError> {
    let all: Vec<usize> = (0..WORLDS).collect();
    let mut least = f64::INFINITY;
    for _ in 0..REPETITIONS {
        batch.reset(&all, start)?;
        let begin = Instant::now();
        batch.rollout(STEPS, inputs)?;
        least = least.min(begin.elapsed().as_secs_f64() * 1e6 / (WORLDS * STEPS) as f64);
    }
    Ok(least)
}

/// Steps one group of worlds in a loop, once for each group of the batch.
struct Bare<'a> {
    model: &'a Model<f64>,
    start: &'a State<f64>,
    options: StepOptions<f64>,
}

impl Kernel for Bare<'_> {
    type Output = f64;

    fn run<S: Simulated>(self) -> f64 {
        let model: Model<S> = self.model.cast();
        let start: State<S> = self.start.cast();
        let mut world = Simulation::new(&model, self.options.cast());
        let each = |_| {
            let begin = Instant::now();
            for _ in 0..WORLDS / S::LANES {
                world.state.clone_from(&start);
                for _ in 0..STEPS {
                    world.step();
                }
            }
            begin.elapsed().as_secs_f64() * 1e6 / (WORLDS * STEPS) as f64
        };
        (0..REPETITIONS).map(each).fold(f64::INFINITY, f64::min)
    }
}

/// A policy: joint torques from the whole state.
struct Policy {
    network: Network,
    weights: Vec<f64>,
}

/// The policy on lanes.
struct OnLanes<S> {
    network: Network,
    weights: Vec<S>,
    seen: Vec<S>,
    trace: NetworkTrace<S>,
}

impl<S: Scalar> OnLanes<S> {
    fn new(Policy { network, weights }: &Policy) -> Self {
        OnLanes {
            weights: weights.iter().map(|w| S::from_f64(*w)).collect(),
            seen: vec![S::ZERO; network.n_inputs()],
            trace: NetworkTrace::new(network),
            network: network.clone(),
        }
    }
}

impl BatchInputs for Policy {
    type Inputs<S: Simulated> = OnLanes<S>;

    fn make<S: Simulated>(&self, _: &Model<S>) -> OnLanes<S> {
        OnLanes::new(self)
    }
}

impl<S: Scalar> Inputs<S> for OnLanes<S> {
    fn set(&mut self, _: usize, state: &State<S>, input: &mut Input<S>) {
        let (q, v) = self.seen.split_at_mut(state.q.len());
        q.copy_from_slice(&state.q);
        v.copy_from_slice(&state.v);
        self.network.forward(&self.weights, &self.seen, &[], &mut self.trace);
        input.tau.copy_from_slice(self.trace.outputs());
    }

    fn begin_back(&mut self) {}

    fn set_vjp(
        &mut self,
        _: usize,
        _: &State<S>,
        _: &InputCotangents<S>,
        _: &mut StateCotangents<S>,
    ) {
    }
}

/// Times the network alone.
struct Alone<'a> {
    policy: &'a Policy,
}

impl Kernel for Alone<'_> {
    type Output = f64;

    fn run<S: Simulated>(self) -> f64 {
        let OnLanes { network, weights, seen, mut trace } = OnLanes::<S>::new(self.policy);
        let each = |_| {
            let begin = Instant::now();
            for _ in 0..STEPS * WORLDS / S::LANES {
                network.forward(black_box(&weights), black_box(&seen), &[], &mut trace);
            }
            begin.elapsed().as_secs_f64() * 1e6 / (WORLDS * STEPS) as f64
        };
        (0..REPETITIONS).map(each).fold(f64::INFINITY, f64::min)
    }
}
