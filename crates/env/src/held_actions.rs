//! Actions from an array, each held for several steps of the simulation.

use gradbody_math::{Force, Scalar, Vec3};
use gradbody_model::{LinkId, Model, Topology};
use gradbody_sim::{
    BatchError, BatchInputs, Input, InputCotangents, Inputs, Simulated, State, StateCotangents,
};

use crate::{Actions, Description, EnvError, error::check_size};

/// Actions of all worlds, (worlds, horizon, actions): inputs for a [`Batch`](gradbody_sim::Batch) whose gradient is
/// with respect to the actions.
#[derive(Clone, Copy, Debug)]
pub struct HeldActions<'a> {
    of: &'a Description,
    actions: &'a [f64],
    worlds: usize,
    forces: &'a [LinkForce],
}

/// A force that forces one link of every world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkForce {
    /// The link, at whose origin the force acts.
    pub link: LinkId,
    /// In the world's axes [N].
    pub force_w: [f64; 3],
}

impl<'a> HeldActions<'a> {
    /// Takes actions, (worlds, horizon, actions). Fails if the array is not a whole number of steps.
    pub fn new(of: &'a Description, worlds: usize, actions: &'a [f64]) -> Result<Self, EnvError> {
        let a_step = worlds * of.n_actions();
        let steps = actions.len().checked_div(a_step).unwrap_or(0);
        check_size("actions", "(worlds, horizon, actions)", actions.len(), steps * a_step)?;
        Ok(HeldActions { of, actions, worlds, forces: &[] })
    }

    /// With forces on links.
    pub(crate) fn with_forces(self, forces: &'a [LinkForce]) -> Self {
        HeldActions { forces, ..self }
    }

    /// Number of steps of the environment.
    pub fn horizon(&self) -> usize {
        self.actions.len().checked_div(self.worlds * self.of.n_actions()).unwrap_or(0)
    }

    /// A number of the action of a world.
    pub(crate) fn action(&self, world: usize, step: usize, k: usize) -> f64 {
        self.actions[(world * self.horizon() + step) * self.of.n_actions() + k]
    }
}

/// Held actions of a group of worlds.
#[derive(Clone, Debug)]
pub struct GroupActions<'a, S> {
    held: HeldActions<'a>,
    group: Vec<usize>,
    /// Cotangents of the actions, (horizon, actions); empty before a backward pass.
    bars: Vec<S>,
}

impl<'a> BatchInputs for HeldActions<'a> {
    type Inputs<S: Simulated> = GroupActions<'a, S>;

    fn check(&self, worlds: usize, topology: &Topology) -> Result<(), BatchError> {
        if self.worlds != worlds {
            return Err(BatchError::Worlds { given: self.worlds, needed: worlds });
        }
        let (given, needed) = (self.of.n_actions(), topology.actuators.len());
        if given != needed {
            return Err(BatchError::Array { part: "numbers of an action", given, needed });
        }
        Ok(())
    }

    fn make<S: Simulated>(&self, _: &Model<S>) -> GroupActions<'a, S> {
        GroupActions { held: *self, group: Vec::new(), bars: Vec::new() }
    }

    fn turn_to<S: Simulated>(&self, inputs: &mut GroupActions<'a, S>, worlds: &[usize]) {
        inputs.group.clear();
        inputs.group.extend_from_slice(worlds);
    }

    fn numbers_bar<'s, S: Simulated>(inputs: &'s GroupActions<'a, S>) -> &'s [S] {
        &inputs.bars
    }
}

impl<S: Scalar> Inputs<S> for GroupActions<'_, S> {
    fn set(&mut self, step: usize, _: &State<S>, input: &mut Input<S>) {
        let step = step / self.held.of.frame_skip;
        if step >= self.held.horizon() {
            return;
        }
        let Actions { centre, scale, .. } = &self.held.of.actions;
        for (k, to) in input.control.iter_mut().enumerate() {
            let action = S::from_lanes(|lane| self.held.action(self.group[lane], step, k));
            *to = action.mul_add(S::from_f64(scale[k]), S::from_f64(centre[k]));
        }
        for LinkForce { link, force_w } in self.held.forces {
            input.external.resize(self.held.of.model.n_links(), Force::ZERO);
            input.external[link.index()].lin += Vec3::from_f64(*force_w);
        }
    }

    fn begin_back(&mut self) {
        self.bars.clear();
        self.bars.resize(self.held.horizon() * self.held.of.n_actions(), S::ZERO);
    }

    fn set_vjp(
        &mut self,
        step: usize,
        _: &State<S>,
        bar: &InputCotangents<S>,
        _: &mut StateCotangents<S>,
    ) {
        let step = step / self.held.of.frame_skip;
        let scale = &self.held.of.actions.scale;
        let to = self.bars.iter_mut().skip(step * scale.len());
        for ((sum, bar), scale) in to.zip(&bar.control).zip(scale) {
            *sum = bar.mul_add(S::from_f64(*scale), *sum);
        }
    }
}
