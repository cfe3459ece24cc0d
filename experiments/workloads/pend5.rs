//! The five-link benchmark of the Tiny Differentiable Simulator, with its settings.
//!
//! `models/pend5.urdf` over the plane z = 0; semi-implicit Euler steps of 1 ms; projected Gauss-Seidel sweeps from
//! zero; a fifth of the penetration removed per step; constraint force mixing 1e-5; friction 0.5 in two directions.
//! Only penetrating bodies are contacts, and the spheres do not touch each other.

use gradbody::contact::{Cone, ContactGradient, Detection, Ncp, Solver};
use gradbody::model::{Material, Model};
use gradbody::sim::Simulated;
use gradbody::sim::{
    Checkpointing, Constant, GradientOptions, Integrator, LinearState, Mean, NoTaps, Rollout,
    RolloutTrace, State, StepOptions, rollout, rollout_vjp,
};
use gradbody_cli::builtin;

use super::Workload;

pub(crate) const LINKS: usize = 5;
/// Steps of a run.
pub(crate) const STEPS: usize = 5000;
/// Time step [s].
pub(crate) const DT: f64 = 1e-3;
/// Sweeps per step.
pub(crate) const SWEEPS: u32 = 50;

/// Velocities at the start [rad/s].
const START: [f64; LINKS] = [0.1, 0.2, -0.1, 0.05, 0.3];

/// The pendulum over its ground.
pub(crate) fn model() -> anyhow::Result<Model<f64>> {
    let mut model = builtin::model("pend5")?;
    let surface = Material { cfm: 1e-5, position_gain: 0.2, ..Material::with_friction(0.5) };
    let ground = model.add_ground(0.0, surface)?;
    for (i, (shape, params)) in
        model.topology.shapes.iter_mut().zip(&mut model.params.shapes).enumerate()
    {
        params.material = surface;
        // Spheres touch the ground and nothing else.
        (shape.collision_group, shape.collides_with) =
            if i == ground.index() { (0, 1) } else { (1, 0) };
    }
    Ok(model)
}

/// Step options.
pub(crate) fn options(sweeps: u32) -> StepOptions<f64> {
    let solver = Ncp { cone: Cone::Pyramid, sweeps, tolerance: 0.0, rounds: 0, warm_start: false };
    let mut options =
        StepOptions::new(DT).with(Integrator::SemiImplicitEuler).with_solver(Solver::Ncp(solver));
    options.contact.detection = Detection::Penetrating;
    options.contact.recovery_speed = f64::INFINITY;
    options.contact.slop = 0.0;
    options
}

/// The start: stretched out, with small velocities.
pub(crate) fn start(model: &Model<f64>) -> State<f64> {
    let mut state = State::neutral(model);
    state.v.copy_from_slice(&START);
    state
}

/// The cost: the mean of all angles over all steps, as a function of the initial velocities.
pub(crate) struct Pend5 {
    model: Model<f64>,
}

impl Pend5 {
    pub(crate) fn new() -> anyhow::Result<Self> {
        Ok(Pend5 { model: model()? })
    }
}

impl Workload for Pend5 {
    fn numbers(&self) -> Vec<f64> {
        START.to_vec()
    }

    #[inline(always)]
    fn cost<S: Simulated>(&self) -> impl FnMut(&[S]) -> S {
        let model: Model<S> = self.model.cast();
        let (mut start, options) = (State::neutral(&model), options(SWEEPS).cast());
        let (mut loss, mut work) =
            (Mean(LinearState::mean_of_q(&model)), RolloutTrace::new(&model));
        let mut inputs = Constant::none(&model);
        move |velocities| {
            start.v.copy_from_slice(velocities);
            let rolled = Rollout { model: &model, start: &start, steps: STEPS, options: &options };
            rollout(&rolled, &mut inputs, &mut loss, &mut NoTaps, &mut work).cost
        }
    }

    #[inline(always)]
    fn gradient<S: Simulated>(&self) -> impl FnMut(&[S], &mut [S]) -> S {
        let model: Model<S> = self.model.cast();
        let (mut start, options) = (State::neutral(&model), options(SWEEPS).cast());
        let (mut loss, mut work) =
            (Mean(LinearState::mean_of_q(&model)), RolloutTrace::new(&model));
        let mut inputs = Constant::none(&model);
        let how = GradientOptions {
            contact: ContactGradient::Unrolled,
            checkpointing: Checkpointing::EveryStep,
        };
        move |velocities, velocities_bar| {
            start.v.copy_from_slice(velocities);
            let rolled = Rollout { model: &model, start: &start, steps: STEPS, options: &options };
            let found = rollout_vjp(&rolled, &mut inputs, &mut loss, &mut NoTaps, &how, &mut work);
            velocities_bar.copy_from_slice(&found.start.v);
            found.cost
        }
    }
}
