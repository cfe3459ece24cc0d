//! Gradients: of a step, of rollouts, and of the two published workloads.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::bail;
use gradbody::augment::Plan;
use gradbody::contact::ContactGradient;
use gradbody::math::{Dual, Inertia, Kernel, Scalar, Sym3, Transform, Vec3};
use gradbody::model::{FrameId, JointSpec, Model, ModelBuilder};
use gradbody::sim::{
    Checkpointing, Constant, Gradient, GradientOptions, Input, Integrator, LinearState, Loss, Mean,
    NoTaps, Rollout, RolloutWork, State, StateCost, StateTarget, StepCotangents, StepOptions,
    StepVjpWork, TapsVjp, Target, Terminal, Workspace, rollout_vjp, step, step_vjp,
};

use super::measure::{Figure, calls, stretch};
use super::memory::most_in_use;
use super::scenes::Scene;
use super::stepping::{Settled, bound};
use crate::pend5;

/// Scenes whose gradients are measured.
pub(super) const SCENES: [&str; 2] = ["laikago_stand", "laikago_trot"];

/// A step with its adjoint: the step is made, and then walked back.
pub(super) struct StepBack<'a> {
    pub(super) settled: &'a Settled,
    pub(super) networks: Option<&'a Arc<Plan>>,
    pub(super) time: Duration,
}

/// A world on its way, and what is needed to go back.
struct Back<S, T> {
    taps: T,
    model: Model<S>,
    state: State<S>,
    start: State<S>,
    input: Input<S>,
    options: StepOptions<S>,
    work: Workspace<S>,
    back: StepVjpWork<S>,
    bars: StepCotangents<S>,
}

impl Kernel for StepBack<'_> {
    type Output = Figure;

    #[inline(always)]
    fn run<S: Scalar>(self) -> Figure {
        match self.networks {
            None => self.with::<S, _>(NoTaps),
            Some(plan) => self.with(bound::<S>(plan)),
        }
    }
}

impl StepBack<'_> {
    #[inline(always)]
    fn with<S: Scalar, T: TapsVjp<S>>(&self, taps: T) -> Figure {
        let scene = &self.settled.scene;
        let (model, state, input, options) = scene.cast::<S>(&self.settled.state);
        let mut world = Back {
            taps,
            start: state.clone(),
            work: Workspace::new(&model),
            back: StepVjpWork::new(&model),
            bars: StepCotangents::zero(&model),
            model,
            state,
            input,
            options,
        };
        let start = world.state.clone();
        let restart = |world: &mut Back<S, T>| world.state.copy_from(&start);
        stretch(self.time, S::LANES, scene.measured, &mut world, restart, |world, i| {
            let Back { taps, model, state, start, input, options, work, back, bars } = world;
            if scene.drive.trots {
                let time = i as f64 * scene.options.dt;
                scene.drive.trot(time, |k, u| input.control[k] = S::from_f64(u));
            }
            start.copy_from(state);
            step(model, state, input, options, taps, work);
            bars.state.q.fill(S::ONE);
            bars.state.v.fill(S::ONE);
            let kind = ContactGradient::Implicit;
            step_vjp(model, start, input, options, kind, taps, work, back, bars);
            black_box(bars);
        })
    }
}

/// A rollout's gradient, in microseconds a step.
pub(super) struct RolloutBack<'a> {
    pub(super) settled: &'a Settled,
    pub(super) steps: usize,
    pub(super) checkpointing: Checkpointing,
    pub(super) time: Duration,
}

impl Kernel for RolloutBack<'_> {
    type Output = Figure;

    #[inline(always)]
    fn run<S: Scalar>(self) -> Figure {
        let (model, start, input, options) = self.settled.scene.cast::<S>(&self.settled.state);
        let rolled = Rollout { model: &model, start: &start, steps: self.steps, options: &options };
        let mut work = RolloutWork::new(&model);
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

/// The product of a rollout's second derivative with a direction: its gradient on dual numbers.
pub(super) fn hvp(settled: &Settled, steps: usize, time: Duration) -> Figure {
    let back = RolloutBack { settled, steps, checkpointing: Checkpointing::EveryStep, time };
    back.run::<Dual<f64, 1>>()
}

/// Memory and time of gradients of 50 to 5000 steps, one robot and ten.
pub(super) struct Row {
    pub(super) robots: usize,
    pub(super) steps: usize,
    pub(super) checkpointing: &'static str,
    /// Beyond what the robots themselves take.
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
    let mut work = RolloutWork::new(&model);
    let how = GradientOptions { checkpointing, ..GradientOptions::default() };
    let mut go = |steps: usize| {
        let rolled = Rollout { steps, ..rolled };
        rollout_vjp(&rolled, &mut inputs, &mut loss, &mut NoTaps, &how, &mut work)
    };
    // Buffers get their size.
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

/// The double pendulum of the Tiny Differentiable Simulator: link masses 1, centres of mass at
/// (0, Lᵢ, 0), the second joint at y = L₂, 500 steps of 10 ms; cost the mean over steps of
/// Σ (q − 0.1)², by (L₁, L₂).
pub(super) struct Dp500 {
    model: Model<f64>,
}

impl Dp500 {
    pub(super) fn new() -> anyhow::Result<Self> {
        let lengths = [3.0, 4.0];
        let ball = 0.4 * 0.15 * 0.15;
        let link = |length: f64| Inertia {
            mass: 1.0,
            com: Vec3::new(0.0, length, 0.0),
            rotational: Sym3::diagonal(Vec3::new(ball, ball, ball)),
        };
        let mut builder = ModelBuilder::new("dp500");
        let first = JointSpec::revolute("first", Vec3::X);
        let upper = builder.link("upper", FrameId::WORLD, first, link(lengths[0]))?;
        let place = Transform::from_translation(Vec3::new(0.0, lengths[1], 0.0));
        let second = JointSpec::revolute("second", Vec3::X).at(place);
        builder.link("lower", upper, second, link(lengths[1]))?;
        Ok(Dp500 { model: builder.build()? })
    }

    /// The cost and its gradient.
    fn gradient(&self, work: &mut RolloutWork<f64>, loss: &mut impl Loss<f64>) -> (f64, [f64; 2]) {
        let model = &self.model;
        let start = State::neutral(model);
        let options = StepOptions::new(0.01).with(Integrator::SemiImplicitEuler);
        let rolled = Rollout { model, start: &start, steps: 500, options: &options };
        let Gradient { cost, params, .. } = rollout_vjp(
            &rolled,
            &mut Constant::none(model),
            loss,
            &mut NoTaps,
            &GradientOptions { checkpointing: Checkpointing::StoreAll, ..Default::default() },
            work,
        );
        let by_second = params.links[1].com.y + params.joints[1].placement.pos.y;
        (cost, [params.links[0].com.y, by_second])
    }

    /// Its time in microseconds for the whole, and the numbers.
    pub(super) fn measure(&self, time: Duration) -> (Figure, f64, [f64; 2]) {
        let mut work = RolloutWork::new(&self.model);
        let target = StateTarget { q: vec![0.1; 2], v: vec![0.0; 2] };
        let mut loss = Mean(StateCost::new(&self.model, 1.0, 0.0, Target::Constant(target)));
        let (cost, gradient) = self.gradient(&mut work, &mut loss);
        let figure = calls(time, 1, 1, |_| {
            black_box(self.gradient(&mut work, &mut loss));
        });
        (figure, cost, gradient)
    }
}

/// The five-link pendulum: the gradient of the mean of q over 5000 steps by the velocities at the start.
pub(super) fn pend5_gradient(time: Duration) -> anyhow::Result<(Figure, f64)> {
    let model = pend5::model()?;
    let (start, options) = (pend5::start(&model), pend5::options(pend5::SWEEPS));
    let steps = pend5::STEPS;
    let rolled = Rollout { model: &model, start: &start, steps, options: &options };
    let mut work = RolloutWork::new(&model);
    let mut loss = Mean(LinearState::mean_of_q(&model));
    let how = GradientOptions {
        contact: ContactGradient::Unrolled,
        checkpointing: Checkpointing::EveryStep,
    };
    let mut inputs = Constant::none(&model);
    let mut go = || rollout_vjp(&rolled, &mut inputs, &mut loss, &mut NoTaps, &how, &mut work);
    let cost = go().cost;
    let figure = calls(time, 1, 1, |_| {
        black_box(go());
    });
    Ok((figure, cost))
}
