//! A model on its way through time, with everything that a step needs.

use gradbody_contact::Contact;
use gradbody_model::Model;

use crate::{
    Constant, Failure, Gradient, GradientOptions, Input, Loss, NoTaps, Rollout, RolloutTrace,
    Simulated, State, StepOptions, StepReport, StepScratch, StepTrace, Taps, rollout_vjp, step,
};

/// A model on its way through time: the short form of [`step`](crate::step()), which it calls with buffers of its own.
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
    /// Where it is: at first every joint at zero, at rest.
    pub state: State<S>,
    /// What acts: at first nothing.
    pub input: Input<S>,
    trace: StepTrace<S>,
    scratch: StepScratch<S>,
}

impl<'a, S: Simulated> Simulation<'a, S> {
    /// Every joint at zero, at rest, and nothing acts.
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

    /// From another state.
    pub fn from_state(mut self, state: State<S>) -> Self {
        self.state = state;
        self
    }

    /// One step.
    pub fn step(&mut self) -> StepReport {
        self.step_with(&mut NoTaps)
    }

    /// One step that taps look into.
    pub fn step_with(&mut self, taps: &mut dyn Taps<S>) -> StepReport {
        let Simulation { model, options, state, input, trace, scratch } = self;
        step(model, state, input, options, taps, trace, scratch)
    }

    /// So many steps, or as many as stay finite.
    pub fn run(&mut self, steps: usize) -> Result<(), Failure> {
        for k in 0..steps {
            if let Some(link) = self.step().diverged {
                return Err(Failure::Diverged { step: k, link });
            }
        }
        Ok(())
    }

    /// The gradient of a loss over so many steps from where it is, under the same input, with respect to the start, every
    /// number of the model and the time step. It stays where it is. [`Gradient::residual`] says how far contacts were from
    /// solved: where that is large, the gradient means little (see [`StepOptions::accurate_gradients`]). For gradients with
    /// respect to inputs, inputs that change, taps and other kinds of gradients see [`rollout_vjp`].
    pub fn gradient(&self, steps: usize, loss: &mut impl Loss<S>) -> Result<Gradient<S>, Failure> {
        let Simulation { model, options, state, input, .. } = self;
        let rollout = Rollout { model, start: state, steps, options };
        let mut inputs = Constant::new(model, input.clone());
        let (how, trace) = (GradientOptions::default(), &mut RolloutTrace::new(model));
        rollout_vjp(&rollout, &mut inputs, loss, &mut NoTaps, &how, trace).checked()
    }

    /// What the last step computed.
    pub fn trace(&self) -> &StepTrace<S> {
        &self.trace
    }

    /// The contacts of the last step, with their forces.
    pub fn contacts(&self) -> &[Contact<S>] {
        self.trace.contacts()
    }
}
