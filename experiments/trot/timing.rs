//! Microseconds of a choice of forces, by the program and by the network.

use std::hint::black_box;
use std::time::Duration;

use gradbody::math::Vec3;
use gradbody::math::random::Random;
use gradbody::neural::{Network, NetworkTrace};
use gradbody::sim::{Kernel, Simulated, run_widest};
use gradbody_control::legged::{ConvexMpc, ForceChooser, LEGS, Situation};
use gradbody_control::{QpError, QpSolver, QuadraticProgram};
use serde::{Deserialize, Serialize};

use super::SEED;
use super::course::{Course, Purpose};
use super::policy::{Policy, Scaling};
use super::robot::Laikago;
use super::walk::walk;
use crate::measure::clock::{Figure, Stretch, calls, stretch};

/// Seconds of the walk whose choices are timed, and the push in it [N].
const SECONDS: f64 = 6.0;
const PUSH: f64 = 100.0;
/// Largest random change of velocities [m/s, rad/s] and tilt [rad] of situations in which many bounds are active.
const THROWN: (f64, f64) = (1.0, 0.2);

/// Times of choices by the program [µs], least of many repetitions, and what the programs are like.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct ProgramTimes {
    pub(super) choices: usize,
    /// Setting up the program.
    pub(super) set_up: f64,
    /// The whole choice: setting up, and solving from the active bounds of the last choice.
    pub(super) choice: f64,
    /// Solving without a guess.
    pub(super) solve_cold: f64,
    /// Means: unknowns, active bounds, and bounds that came or went, with and without a guess.
    pub(super) unknowns: f64,
    pub(super) active: f64,
    pub(super) iterations: f64,
    pub(super) iterations_cold: f64,
    pub(super) most_iterations: usize,
    /// Largest violation of a bound [N], and largest residual of the slope.
    pub(super) violation: f64,
    pub(super) slope: f64,
}

/// Times of both ways to choose forces [µs].
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Times {
    /// The program in the situations of a walk, and in situations that are changed at random.
    pub(super) walking: ProgramTimes,
    pub(super) thrown: ProgramTimes,
    /// A choice by the network on f64: inputs, network, forces.
    pub(super) policy: f64,
    /// The network alone: one evaluation on f64 and on f32.
    pub(super) f64: f64,
    pub(super) f32: f64,
    /// In lanes, a world, and the number of lanes.
    pub(super) f64_lanes: (f64, usize),
    pub(super) f32_lanes: (f64, usize),
}

/// The programs that were timed: of a walk, and of situations that are changed at random.
pub(super) struct Programs {
    pub(super) walking: Vec<QuadraticProgram>,
    pub(super) thrown: Vec<QuadraticProgram>,
}

/// Times both on the choices of one walk.
pub(super) fn measure(
    laikago: &Laikago,
    network: &Network,
    weights: &[f64],
    time: Duration,
) -> anyhow::Result<(Times, Programs)> {
    let situations = situations(laikago)?;
    let (walking, programs) = time_program(laikago, &situations, time)?;
    let (thrown, thrown_programs) = time_program(laikago, &thrown(&situations), time)?;
    let scaling = Scaling::of(&laikago.robot, &laikago.mpc);
    let mut policy = Policy::new(network, weights, scaling);
    let choice = calls(time, 1, situations.len(), |k| {
        let _ = black_box(policy.choose(black_box(&situations[k])));
    });
    let inputs: Vec<Vec<f64>> = situations.iter().map(|s| scaling.inputs(s).to_vec()).collect();
    let evaluating = Evaluating { network, weights, inputs: &inputs, time };
    let wide = |figure: Figure| (figure.min, figure.lanes);
    let times = Times {
        walking,
        thrown,
        policy: choice.min,
        f64: evaluating.run::<f64>().min,
        f32: evaluating.run::<f32>().min,
        f64_lanes: wide(run_widest::<f64, _>(evaluating)),
        f32_lanes: wide(run_widest::<f32, _>(evaluating)),
    };
    Ok((times, Programs { walking: programs, thrown: thrown_programs }))
}

/// Times the program on situations that follow each other, and returns the programs.
fn time_program(
    laikago: &Laikago,
    situations: &[Situation],
    time: Duration,
) -> anyhow::Result<(ProgramTimes, Vec<QuadraticProgram>)> {
    let mut mpc = ConvexMpc::new(&laikago.robot, &laikago.gait, laikago.mpc.clone())?;
    let mut times = ProgramTimes { choices: situations.len(), ..ProgramTimes::default() };
    let mut programs = Vec::new();
    let mut solver = QpSolver::default();
    let share = 1.0 / situations.len() as f64;
    for situation in situations {
        mpc.choose(situation)?;
        let report = mpc.report();
        times.unknowns += share * mpc.program().unknowns() as f64;
        times.active += share * report.active as f64;
        times.iterations += share * report.iterations as f64;
        times.most_iterations = times.most_iterations.max(report.iterations);
        times.violation = times.violation.max(report.violation);
        times.slope = times.slope.max(report.slope);
        times.iterations_cold += share * solver.solve(mpc.program(), &[])?.iterations as f64;
        programs.push(mpc.program().clone());
    }
    let steps = Stretch { steps: situations.len(), chunk: 10 };
    let set_up = |mpc: &mut ConvexMpc, k: usize| mpc.set_up(black_box(&situations[k]));
    let choose = |mpc: &mut ConvexMpc, k: usize| {
        let _ = black_box(mpc.choose(black_box(&situations[k])));
    };
    let solve = |solver: &mut QpSolver, k: usize| {
        let _ = black_box(solver.solve(black_box(&programs[k]), &[]));
    };
    times.set_up = stretch(time, 1, steps, &mut mpc, ConvexMpc::forget, set_up).min;
    times.choice = stretch(time, 1, steps, &mut mpc, ConvexMpc::forget, choose).min;
    times.solve_cold = stretch(time, 1, steps, &mut solver, |_| (), solve).min;
    Ok((times, programs))
}

/// Situations as after a strong blow.
fn thrown(situations: &[Situation]) -> Vec<Situation> {
    let mut random = Random::new(SEED);
    let mut change = |size: f64| size * random.signed();
    let (speed, tilt) = THROWN;
    let thrown = |situation: &Situation| {
        let mut thrown = *situation;
        for k in 0..3 {
            thrown.velocity_h[k] += change(speed);
            thrown.angular_velocity_h[k] += change(speed);
        }
        thrown.tilt = thrown.tilt.map(|angle| angle + change(tilt));
        thrown
    };
    situations.iter().map(thrown).collect()
}

/// The situations of the choices of a walk with a push.
fn situations(laikago: &Laikago) -> anyhow::Result<Vec<Situation>> {
    let course = Course::random(SEED, Purpose::Timed, 0, SECONDS).pushed(SEED, 0, PUSH);
    let mpc = ConvexMpc::new(&laikago.robot, &laikago.gait, laikago.mpc.clone())?;
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
