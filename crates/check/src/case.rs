//! The rollout under test.

use gradbody_contact::{ContactGradient, Solver};
use gradbody_math::{Force, Scalar};
use gradbody_model::Model;
use gradbody_sim::{Checkpointing, GradientOptions, Input, LinearAbout, State, StepOptions};

use crate::group::Group;
use crate::world::World;
use gradbody_math::random::{Random, SplitMix64};

/// A rollout to differentiate, and how.
#[derive(Clone, Debug)]
pub struct Case {
    /// The model.
    pub model: Model<f64>,
    /// The initial state.
    pub start: State<f64>,
    /// The input of each step, (steps).
    pub inputs: Vec<Input<f64>>,
    /// Options of a step.
    pub options: StepOptions<f64>,
    /// How the adjoint differentiates contact impulses.
    pub gradient: ContactGradient,
    /// What the adjoint stores for the backward pass.
    pub checkpointing: Checkpointing,
}

impl Case {
    /// With the gradient of [`GradientOptions::default`].
    pub fn new(
        model: Model<f64>,
        start: State<f64>,
        inputs: Vec<Input<f64>>,
        options: StepOptions<f64>,
    ) -> Self {
        let GradientOptions { contact: gradient, checkpointing } = GradientOptions::default();
        Case { model, start, inputs, options, gradient, checkpointing }
    }

    /// Number of steps of the rollout.
    pub fn steps(&self) -> usize {
        self.inputs.len()
    }

    /// The time after a step [s]; the first is number 0.
    pub fn time_after(&self, step: usize) -> f64 {
        self.start.time + (step + 1) as f64 * self.options.dt
    }

    /// How the adjoint differentiates.
    pub fn gradient_options(&self) -> GradientOptions {
        GradientOptions { contact: self.gradient, checkpointing: self.checkpointing }
    }

    /// The rollout in another scalar type, with each of these groups changed by its amount.
    pub fn world<S: Scalar>(&self, changes: &[(&Group, S)]) -> World<S> {
        let mut world = World {
            model: self.model.cast(),
            start: self.start.cast(),
            inputs: self.inputs.iter().map(|input| self.cast_input(input)).collect(),
            options: self.solver_options().cast(),
        };
        changes.iter().for_each(|(group, t)| group.change(&mut world, *t));
        world
    }

    /// Options of every rollout, so that all differentiate the same function: an unrolled gradient is one of sweeps alone.
    fn solver_options(&self) -> StepOptions<f64> {
        let mut options = self.options;
        if let (ContactGradient::Unrolled, Solver::Ncp(ncp)) =
            (self.gradient, &mut options.contact.solver)
        {
            ncp.rounds = 0;
        }
        options
    }

    /// An input in another scalar type, with a force on each link, so that the forces can be changed.
    fn cast_input<S: Scalar>(&self, input: &Input<f64>) -> Input<S> {
        let mut input = input.cast();
        input.external.resize(self.model.n_links(), Force::ZERO);
        input
    }

    /// The function that a check differentiates: linear in the last state, with random weights, about the end of the
    /// plain rollout.
    pub(crate) fn random_probe(
        &self,
        end: &State<f64>,
        random: &mut Random<SplitMix64>,
    ) -> LinearAbout<f64> {
        let (nv, na) = (self.model.nv(), self.model.topology.na);
        let mut numbers = |n: usize| (0..n).map(|_| random.signed()).collect();
        let (q, v) = (numbers(nv), numbers(nv));
        LinearAbout { about: end.q.clone(), q, v, activation: numbers(na) }
    }
}
