//! One controller balances 64 poles of different masses. The worlds stay in vector lanes, a policy reads their states,
//! and the gradient of all losses is taken with respect to its gains.
//!
//! `cargo run --release -p gradbody --example balance_many`

use std::error::Error;

use gradbody::prelude::*;

const WORLDS: usize = 64;
const STEPS: usize = 300;

fn main() -> Result<(), Box<dyn Error>> {
    run()
}

/// The force on the cart is −gains · (q, v).
struct Feedback {
    gains: [f64; 4],
}

/// The same in lanes, with the cotangents of the gains.
struct InLanes<S> {
    gains: [S; 4],
    gains_bar: [S; 4],
}

impl BatchInputs for Feedback {
    type Inputs<S: Simulated> = InLanes<S>;

    fn make<S: Simulated>(&self, _: &Model<S>) -> InLanes<S> {
        InLanes { gains: self.gains.map(S::from_f64), gains_bar: [S::ZERO; 4] }
    }

    fn numbers_bar<S: Simulated>(inputs: &InLanes<S>) -> &[S] {
        &inputs.gains_bar
    }
}

impl<S: Scalar> Inputs<S> for InLanes<S> {
    fn set(&mut self, _: usize, state: &State<S>, input: &mut Input<S>) {
        for (gain, x) in self.gains.iter().zip(state.q.iter().chain(&state.v)) {
            input.tau[0] -= *gain * *x;
        }
    }

    fn begin_back(&mut self) {
        self.gains_bar = [S::ZERO; 4];
    }

    fn set_vjp(
        &mut self,
        _: usize,
        state: &State<S>,
        bar: &InputCotangents<S>,
        state_bar: &mut StateCotangents<S>,
    ) {
        let force_bar = bar.tau[0];
        for (bar, x) in self.gains_bar.iter_mut().zip(state.q.iter().chain(&state.v)) {
            *bar -= force_bar * *x;
        }
        let state_bars = state_bar.q.iter_mut().chain(&mut state_bar.v);
        for (bar, gain) in state_bars.zip(&self.gains) {
            *bar -= force_bar * *gain;
        }
    }
}

/// The loss: mean squared distance from upright and at rest in the middle.
struct Upright;

impl BatchLoss for Upright {
    type Loss<S: Scalar> = Mean<StateCost<S>>;

    fn for_worlds<S: Scalar>(&self, model: &Model<S>, _: &[usize]) -> Self::Loss<S> {
        let target = StateTarget::from(&State::neutral(model));
        Mean(StateCost::new(model, S::ONE, S::from_f64(0.1), Target::Constant(target)))
    }
}

/// Finds the gains, prints the largest angle they allow, and fails if a pole falls.
pub(crate) fn run() -> Result<(), Box<dyn Error>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/cartpole.urdf");
    let model = load(path, &ImportOptions::default())?.model;
    let mut batch: Batch<f64> = Batch::new(&model, WORLDS, StepOptions::new(0.01));

    // Each world has its own pole: from half to twice the mass.
    let mass = Selection::of(&model, ["link/pole/mass"])?;
    let usual = mass.values(&model)[0];
    let masses: Vec<f64> =
        (0..WORLDS).map(|world| usual * 4f64.powf(world as f64 / WORLDS as f64 - 0.5)).collect();
    batch.set_params(&mass, &masses)?;

    // Each pole starts at its own angle.
    let (nq, nv) = (model.nq(), model.nv());
    let mut q = vec![0.0; WORLDS * nq];
    q.chunks_mut(nq).enumerate().for_each(|(world, q)| q[1] = 0.02 * (world % 11) as f64 - 0.1);
    let v = vec![0.0; WORLDS * nv];

    let no_params = Selection::none();
    let mut failed = None;
    let found = minimise(vec![-1.0, -40.0, -1.0, -5.0], 60, |gains, slopes| {
        let policy = Feedback { gains: std::array::from_fn(|k| gains[k]) };
        let mut mean = || {
            batch.write_states(&q, &v)?;
            batch.forward(STEPS, &policy, &NoTaps)?;
            let found = batch.backward(&policy, &NoTaps, &Upright, &no_params)?;
            for (k, slope) in slopes.iter_mut().enumerate() {
                *slope = found.inputs.iter().skip(k).step_by(4).sum::<f64>() / WORLDS as f64;
            }
            Ok(found.costs.iter().sum::<f64>() / WORLDS as f64)
        };
        mean().unwrap_or_else(|error: BatchError| {
            failed = Some(error);
            f64::NAN
        })
    })?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    println!(
        "gains {:.2?} after {} iterations, loss {:.2e}",
        found.x, found.iterations, found.value
    );

    // Three seconds of every world with these gains.
    batch.write_states(&q, &v)?;
    let policy = Feedback { gains: std::array::from_fn(|k| found.x[k]) };
    batch.rollout(STEPS, &policy)?;
    let (mut q_end, mut v_end) = (vec![0.0; WORLDS * nq], vec![0.0; WORLDS * nv]);
    batch.read_states(&mut q_end, &mut v_end)?;
    let worst = q_end.chunks(nq).map(|q| q[1].abs()).fold(0.0, f64::max);
    println!("the largest angle of {WORLDS} poles after 3 s: {worst:.4} rad");
    if worst < 0.02 { Ok(()) } else { Err("a pole is not upright".into()) }
}
