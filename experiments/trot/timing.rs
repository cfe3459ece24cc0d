//! Microseconds of a choice of forces, by the program and by the network.

use std::convert::Infallible;
use std::hint::black_box;
use std::time::Duration;

use gradbody::math::Vec3;
use gradbody::neural::{Network, NetworkTrace};
use gradbody::sim::{Kernel, Simulated, run_widest};
use gradbody_control::{ConvexMpc, ForceChooser, LEGS, QpError, QpSolver, QuadraticProgram, Situation};
use serde::{Deserialize, Serialize};

use super::SEED;
use super::course::{Course, Purpose};
use super::policy::Scaling;
use super::robot::Laikago;
use super::walk::walk;
use crate::measure::clock::{Figure, Stretch, calls, stretch};

/// Seconds of the walk whose choices are timed, and the push in it [N].
const SECONDS: f64 = 6.0;
const PUSH: f64 = 100.0;

/// Times [µs], least of many repetitions.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Times {
    /// Setting up the program, solving it from the bounds of the last choice, and solving it without.
    pub(super) set_up: f64,
    pub(super) solve: f64,
    pub(super) solve_cold: f64,
    /// A choice of forces by the program, as in the walk.
    pub(super) program: f64,
    /// The network: one evaluation on f64 and on f32.
    pub(super) f64: f64,
    pub(super) f32: f64,
    /// In lanes, a world, and the number of lanes.
    pub(super) f64_lanes: (f64, usize),
    pub(super) f32_lanes: (f64, usize),
    /// Choices that were timed, mean unknowns, iterations (warm, cold) and active bounds; the longest choice counted in
    /// iterations.
    pub(super) choices: usize,
    pub(super) unknowns: f64,
    pub(super) iterations: f64,
    pub(super) iterations_cold: f64,
    pub(super) most_iterations: usize,
    pub(super) active: f64,
    /// Largest violation of a bound and largest residual of the slope.
    pub(super) violation: f64,
    pub(super) slope: f64,
}

/// Times both on the choices of one walk.
pub(super) fn measure(
    laikago: &Laikago,
    network: &Network,
    weights: &[f64],
    time: Duration,
) -> anyhow::Result<(Times, Vec<QuadraticProgram>)> {
    let situations = situations(laikago)?;
    let new = || ConvexMpc::new(&laikago.robot, &laikago.gait, laikago.mpc.clone());
    let mut times = Times { choices: situations.len(), ..Times::default() };
    let mut mpc = new();
    let mut programs = Vec::new();
    let (mut solver, mut cold) = (QpSolver::default(), 0);
    for situation in &situations {
        mpc.choose(situation)?;
        let report = mpc.report();
        times.unknowns += mpc.program().unknowns() as f64;
        times.iterations += report.iterations as f64;
        times.most_iterations = times.most_iterations.max(report.iterations);
        times.active += report.active as f64;
        times.violation = times.violation.max(report.violation);
        times.slope = times.slope.max(report.slope);
        cold += solver.solve(mpc.program(), &[])?.iterations;
        programs.push(mpc.program().clone());
    }
    let count = situations.len() as f64;
    for sum in [&mut times.unknowns, &mut times.iterations, &mut times.active] {
        *sum /= count;
    }
    times.iterations_cold = cold as f64 / count;
    let steps = Stretch { steps: situations.len(), chunk: 10 };
    let timed = |mpc: &mut ConvexMpc, work: &mut dyn FnMut(&mut ConvexMpc, usize)| {
        stretch(time, 1, steps, mpc, ConvexMpc::forget, work).min
    };
    times.set_up = timed(&mut mpc, &mut |mpc, k| mpc.set_up(&situations[k]));
    times.program = timed(&mut mpc, &mut |mpc, k| {
        let _ = black_box(mpc.choose(black_box(&situations[k])));
    });
    times.solve = times.program - times.set_up;
    times.solve_cold = stretch(time, 1, steps, &mut solver, |_| (), |solver, k| {
        let _ = black_box(solver.solve(black_box(&programs[k]), &[]));
    })
    .min;
    let scaling = Scaling::of(&laikago.robot, &laikago.mpc);
    let inputs: Vec<Vec<f64>> = situations.iter().map(|s| scaling.inputs(s).to_vec()).collect();
    let evaluating = Evaluating { network, weights, inputs: &inputs, time };
    times.f64 = evaluating.run::<f64>().min;
    times.f32 = evaluating.run::<f32>().min;
    let lanes = run_widest::<f64, _>(evaluating);
    times.f64_lanes = (lanes.min, lanes.lanes);
    let lanes = run_widest::<f32, _>(evaluating);
    times.f32_lanes = (lanes.min, lanes.lanes);
    Ok((times, programs))
}

/// The situations of the choices of a walk with a push.
fn situations(laikago: &Laikago) -> anyhow::Result<Vec<Situation>> {
    let course = Course::random(SEED, Purpose::Timed, 0, SECONDS).pushed(SEED, 0, PUSH);
    let mpc = ConvexMpc::new(&laikago.robot, &laikago.gait, laikago.mpc.clone());
    let (_, watcher) = walk(laikago, &course, Watcher { mpc, seen: Vec::new() }, false)?;
    Ok(watcher.seen)
}

/// Remembers all situations.
struct Watcher {
    mpc: ConvexMpc,
    seen: Vec<Situation>,
}

impl ForceChooser for Watcher {
    type Error = QpError;

    fn choose(&mut self, situation: &Situation) -> Result<[Vec3<f64>; LEGS], QpError> {
        self.seen.push(*situation);
        self.mpc.choose(situation)
    }
}

/// Times evaluations of the network.
#[derive(Clone, Copy)]
struct Evaluating<'a> {
    network: &'a Network,
    weights: &'a [f64],
    inputs: &'a [Vec<f64>],
    time: Duration,
}

impl Kernel for Evaluating<'_> {
    type Output = Figure;

    #[inline(always)]
    fn run<S: Simulated>(self) -> Figure {
        let cast = |x: &[f64]| x.iter().map(|x| S::from_f64(*x)).collect::<Vec<S>>();
        let weights = cast(self.weights);
        let inputs: Vec<Vec<S>> = self.inputs.iter().map(|x| cast(x)).collect();
        let mut trace = NetworkTrace::new(self.network);
        calls(self.time, S::LANES, inputs.len(), |k| {
            self.network.forward(black_box(&weights), black_box(&inputs[k]), &[], &mut trace);
            black_box(trace.outputs());
        })
    }
}

pub(super) fn print(laikago: &Laikago, network: &Network) -> anyhow::Result<()> {
    let weights = network.initial_weights(&Default::default());
    let (times, programs) = measure(laikago, network, &weights, Duration::from_millis(1500))?;
    println!("{times:#?}");
    std::fs::write("/tmp/trot/programs.json", super::programs::json(&programs).to_string())?;
    let _: Option<Infallible> = None;
    Ok(())
}
