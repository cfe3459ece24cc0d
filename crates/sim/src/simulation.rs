//! A model, its state, and everything that a step needs.

use gradbody_contact::Contact;
use gradbody_model::Model;

use crate::{
    Constant, Failure, Gradient, GradientOptions, Input, Loss, NoTaps, Rollout, RolloutTrace,
    Simulated, State, StepOptions, StepReport, StepScratch, StepTrace, Taps, rollout_vjp, step,
};

/// A simulation in its simplest form: it calls [`step`](crate::step()) with its own state, input and buffers.
///
/// ```
/// use gradbody_sim::{Simulation, StepOptions};
/// # use gradbody_model::{FrameId, JointSpec, ModelBuilder};
/// # use gradbody_math::{Inertia, Sym3, Vec3};
/// # let rotational = Sym3::diagonal(Vec3::new(0.083, 0.083, 0.001));
/// # let rod = Inertia { mass: 1.0, com: Vec3::new(0.0, 0.0, -0.5), rotational };
/// # let mut robot = ModelBuilder::new("pendulum");
/// # robot.link("rod", FrameId::WORLD, JointSpec::revolute("hinge", Vec3::Y), rod)?;
/// # let model = robot.build()?;
/// let mut world = Simulation::new(&model, StepOptions::new(1e-3));
/// world.state.q[0] = 1.0; // let go at one radian
/// world.run(1000)?;
/// assert!(world.state.q[0].abs() < 1.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Simulation<'a, S> {
    /// The model.
    pub model: &'a Model<S>,
    /// How to step.
    pub options: StepOptions<S>,
    /// The current state; initially at rest with every joint at zero.
    pub state: State<S>,
    /// The current input; initially zero.
    pub input: Input<S>,
    trace: StepTrace<S>,
    scratch: StepScratch<S>,
}

impl<'a, S: Simulated> Simulation<'a, S> {
    /// At rest with every joint at zero, and zero inputs.
    pub fn new(model: &'a Model<S>, options: StepOptions<S>) -> Self {
        Simulation {
            model,
            options,
            state: State::neutral(model),
            input: Input::none(model),
            trace: StepTrace::new(model),
            scratch: StepScratch::new(model),
        }
    }

    /// Sets the state.
    pub fn from_state(mut self, state: State<S>) -> Self {
        self.state = state;
        self
    }

    /// Takes one step.
    pub fn step(&mut self) -> StepReport {
        self.step_with(&mut NoTaps)
    }

    /// Takes one step with taps.
    pub fn step_with(&mut self, taps: &mut dyn Taps<S>) -> StepReport {
        let Simulation { model, options, state, input, trace, scratch } = self;
        step(model, state, input, options, taps, trace, scratch)
    }

    /// Takes `steps` steps. Fails at the first step after which the state is not finite.
    pub fn run(&mut self, steps: usize) -> Result<(), Failure> {
        for k in 0..steps {
            if let Some(link) = self.step().diverged {
                return Err(Failure::Diverged { step: k, link });
            }
        }
        Ok(())
    }

    /// The gradient of a loss over `steps` steps from the current state, under the current input, with respect to the
    /// start, every number of the model and the time step. The simulation itself does not advance.
    /// [`Gradient::residual`] says how far contacts were from solved: where that is large, the gradient is inaccurate
    /// (see [`StepOptions::accurate_gradients`]). For gradients with respect to inputs, inputs that change, taps and
    /// other gradient options see [`rollout_vjp`].
    pub fn gradient(&self, steps: usize, loss: &mut impl Loss<S>) -> Result<Gradient<S>, Failure> {
        let Simulation { model, options, state, input, .. } = self;
        let rollout = Rollout { model, start: state, steps, options };
        let mut inputs = Constant::new(model, input.clone());
        let (how, trace) = (GradientOptions::default(), &mut RolloutTrace::new(model));
        rollout_vjp(&rollout, &mut inputs, loss, &mut NoTaps, &how, trace).checked()
    }

    /// The intermediate results of the last step.
    pub fn trace(&self) -> &StepTrace<S> {
        &self.trace
    }

    /// The contacts of the last step, with their forces.
    pub fn contacts(&self) -> &[Contact<S>] {
        self.trace.contacts()
    }
}
