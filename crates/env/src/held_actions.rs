//! Actions from an array, each held for several steps of the simulation.

use gradbody_math::{Force, Scalar, Vec3};
use gradbody_model::{LinkId, Model, Topology};
use gradbody_sim::{
    BatchError, BatchInputs, Input, InputCotangents, Inputs, Simulated, State, StateCotangents,
};

use crate::{Actions, Description, EnvError, Situations, error::check_size};

/// Actions of all worlds, (worlds, horizon, actions): inputs for a [`Batch`](gradbody_sim::Batch) whose gradient is
/// with respect to the actions.
#[derive(Clone, Copy, Debug)]
pub struct HeldActions<'a> {
    of: &'a Description,
    actions: &'a [f64],
    worlds: usize,
    /// Delays and earlier actions, if actions may be late.
    situations: Option<&'a Situations>,
    forces: &'a [LinkForce],
}

/// A force on one link of every world.
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
        Ok(HeldActions { of, actions, worlds, situations: None, forces: &[] })
    }

    /// With the delays of worlds. Without this, actions act at once.
    pub fn in_situations(self, situations: &'a Situations) -> Result<Self, EnvError> {
        situations.check(self.of, self.worlds)?;
        let may_be_late = self.of.delay.most > 0;
        Ok(HeldActions { situations: may_be_late.then_some(situations), ..self })
    }

    /// With forces on links.
    pub(crate) fn with_forces(self, forces: &'a [LinkForce]) -> Self {
        HeldActions { forces, ..self }
    }

    /// Number of steps of the environment.
    pub fn horizon(&self) -> usize {
        self.actions.len().checked_div(self.worlds * self.of.n_actions()).unwrap_or(0)
    }

    /// A number of the action that acts on a world in a step.
    pub(crate) fn action(&self, world: usize, step: usize, k: usize) -> f64 {
        let late = self.situations.map_or(0, |of| of.delay(world));
        match (step.checked_sub(late), self.situations) {
            (None, Some(situations)) => situations.given(self.of, world, late - step, k),
            (given, _) => {
                let step = given.unwrap_or(0);
                self.actions[(world * self.horizon() + step) * self.of.n_actions() + k]
            }
        }
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
        let Some(situations) = self.held.situations else {
            let to = self.bars.iter_mut().skip(step * scale.len());
            for ((sum, bar), scale) in to.zip(&bar.control).zip(scale) {
                *sum = bar.mul_add(S::from_f64(*scale), *sum);
            }
            return;
        };
        for late in 0..=step.min(self.held.of.delay.most) {
            let to = self.bars.iter_mut().skip((step - late) * scale.len());
            for ((sum, bar), scale) in to.zip(&bar.control).zip(scale) {
                let bar = where_late(situations, &self.group, late, *bar);
                *sum = bar.mul_add(S::from_f64(*scale), *sum);
            }
        }
    }
}

/// `x` in the lanes of worlds whose actions are so many steps late, else zero.
pub(crate) fn where_late<S: Scalar>(
    situations: &Situations,
    group: &[usize],
    late: usize,
    x: S,
) -> S {
    let is_late = |lane: usize| situations.delay(group[lane]) == late;
    S::from_lanes(|lane| if is_late(lane) { 1.0 } else { 0.0 }).select_lt(S::ONE, S::ZERO, x)
}
