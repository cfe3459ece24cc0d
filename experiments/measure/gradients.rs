//! Times gradients of a step, of rollouts and of two published workloads.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::bail;
use gradbody::augment::Plan;
use gradbody::model::Model;
use gradbody::sim::{
    Checkpointing, Constant, GradientOptions, Input, Kernel, LinearState, NoTaps, Rollout,
    RolloutTrace, Simulated, State, StepCotangents, StepOptions, StepScratch, StepTrace, TapsVjp,
    Terminal, rollout, rollout_vjp, step, step_vjp,
};

use super::clock::{Figure, calls, stretch};
use super::memory::most_in_use;
use super::scenes::Scene;
use super::stepping::{Settled, bound};
use crate::workloads::Workload;

/// Scenes whose gradients are measured.
pub(super) const SCENES: [&str; 3] = ["laikago_stand", "laikago_trot", "ant_stand"];

/// Those whose rollouts are measured.
pub(super) const ROLLED: [&str; 2] = ["laikago_stand", "ant_stand"];

/// A step and its adjoint.
pub(super) struct StepBack<'a> {
    pub(super) settled: &'a Settled,
    pub(super) networks: Option<&'a Arc<Plan>>,
    pub(super) time: Duration,
}

/// A moving world with the buffers of its adjoint.
struct Back<S, T> {
    taps: T,
    model: Model<S>,
    state: State<S>,
    input: Input<S>,
    options: StepOptions<S>,
    trace: StepTrace<S>,
    scratch: StepScratch<S>,
    bars: StepCotangents<S>,
}

impl Kernel for StepBack<'_> {
    type Output = Figure;

    fn run<S: Simulated>(self) -> Figure {
        match self.networks {
            None => self.with::<S, _>(NoTaps),
            Some(plan) => self.with(bound::<S>(plan)),
        }
    }
}

impl StepBack<'_> {
    fn with<S: Simulated, T: TapsVjp<S>>(&self, taps: T) -> Figure {
        let scene = &self.settled.scene;
        let (model, state, input, options) = scene.cast::<S>(&self.settled.state);
        let mut world = Back {
            taps,
            trace: StepTrace::new(&model),
            scratch: StepScratch::new(&model),
            bars: StepCotangents::zero(&model),
            model,
            state,
            input,
            options,
        };
        let start = world.state.clone();
        let restart = |world: &mut Back<S, T>| world.state.copy_from(&start);
        stretch(self.time, S::LANES, scene.measured, &mut world, restart, |world, i| {
            let Back { taps, model, state, input, options, trace, scratch, bars } = world;
            if scene.drive.trots {
                let time = i as f64 * scene.options.dt;
                scene.drive.trot(time, |k, u| input.control[k] = S::from_f64(u));
            }
            step(model, state, input, options, taps, trace, scratch);
            bars.state.q.fill(S::ONE);
            bars.state.v.fill(S::ONE);
            step_vjp(model, trace, taps, scratch, bars);
            black_box(bars);
        })
    }
}

/// A rollout and its loss, in microseconds per step.
pub(super) struct RolloutAlone<'a> {
    pub(super) settled: &'a Settled,
    pub(super) steps: usize,
    pub(super) time: Duration,
}

impl Kernel for RolloutAlone<'_> {
    type Output = Figure;

    fn run<S: Simulated>(self) -> Figure {
        let (model, start, input, options) = self.settled.scene.cast::<S>(&self.settled.state);
        let rolled = Rollout { model: &model, start: &start, steps: self.steps, options: &options };
        let mut work = RolloutTrace::new(&model);
        let mut inputs = Constant::new(&model, input);
        let mut loss = Terminal(LinearState::mean_of_q(&model));
        calls(self.time, S::LANES * self.steps, 1, |_| {
            black_box(rollout(&rolled, &mut inputs, &mut loss, &mut NoTaps, &mut work));
        })
    }
}

/// The gradient of a rollout, in microseconds per step.
pub(super) struct RolloutBack<'a> {
    pub(super) settled: &'a Settled,
    pub(super) steps: usize,
    pub(super) checkpointing: Checkpointing,
    pub(super) time: Duration,
}

impl Kernel for RolloutBack<'_> {
    type Output = Figure;

    fn run<S: Simulated>(self) -> Figure {
        let (model, start, input, options) = self.settled.scene.cast::<S>(&self.settled.state);
        let rolled = Rollout { model: &model, start: &start, steps: self.steps, options: &options };
        let mut work = RolloutTrace::new(&model);
        let mut inputs = Constant::new(&model, input);
        let mut loss = Terminal(LinearState::mean_of_q(&model));
        let how =
            GradientOptions { checkpointing: self.checkpointing, ..GradientOptions::default() };
        let worlds = S::LANES * self.steps;
        calls(self.time, worlds, 1, |_| {
            let gradient =
                rollout_vjp(&rolled, &mut inputs, &mut loss, &mut NoTaps, &how, &mut work);
            black_box(gradient);
        })
    }
}

/// Memory and time of gradients over 50 to 5000 steps, for one robot and for ten.
pub(super) struct Row {
    pub(super) robots: usize,
    pub(super) steps: usize,
    pub(super) checkpointing: &'static str,
    /// Peak memory in addition to that of the robots.
    pub(super) bytes: usize,
    pub(super) seconds: f64,
}

pub(super) fn row(
    scene: &Scene,
    state: &State<f64>,
    robots: usize,
    steps: usize,
    checkpointing: Checkpointing,
) -> anyhow::Result<Row> {
    let (model, start, input, options) = scene.cast::<f64>(state);
    let rolled = Rollout { model: &model, start: &start, steps, options: &options };
    let mut inputs = Constant::new(&model, input);
    let mut loss = Terminal(LinearState::mean_of_q(&model));
    let mut work = RolloutTrace::new(&model);
    let how = GradientOptions { checkpointing, ..GradientOptions::default() };
    let mut go = |steps: usize| {
        let rolled = Rollout { steps, ..rolled };
        rollout_vjp(&rolled, &mut inputs, &mut loss, &mut NoTaps, &how, &mut work)
    };
    // The first call sizes the buffers.
    go(steps.min(20));
    let begin = Instant::now();
    let (bytes, gradient) = most_in_use(|| go(steps));
    let seconds = begin.elapsed().as_secs_f64();
    if let Some(failure) = gradient.failures.iter().flatten().next() {
        bail!("{failure}");
    }
    let checkpointing = match checkpointing {
        Checkpointing::StoreAll => "store all",
        Checkpointing::EveryStep => "every step",
        Checkpointing::Revolve { .. } => "revolve",
    };
    Ok(Row { robots, steps, checkpointing, bytes, seconds })
}

/// The gradient of a published workload: its total time in microseconds, the cost, the gradient.
pub(super) fn workload(workload: &impl Workload, time: Duration) -> (Figure, f64, Vec<f64>) {
    let numbers = workload.numbers();
    let mut gradient = vec![0.0; numbers.len()];
    let mut differentiate = workload.gradient::<f64>();
    let cost = differentiate(&numbers, &mut gradient);
    let figure = calls(time, 1, 1, |_| {
        differentiate(black_box(&numbers), &mut gradient);
        black_box(&gradient);
    });
    (figure, cost, gradient)
}
