//! What controls the worlds of a batch: arrays, or a policy that sees the state.

use gradbody_math::Scalar;
use gradbody_model::Model;

use crate::{BatchError, Input, InputCotangents, Inputs, Simulated, State, StateCotangents};

/// What acts on the worlds of a [`Batch`](crate::Batch). It is turned into [`Inputs`] on lanes, which then serve one group
/// of worlds after the other. A policy is such [`Inputs`]: they see the state.
pub trait BatchInputs: Sync {
    /// The inputs of a group of worlds, one a lane.
    type Inputs<S: Simulated>: Inputs<S> + Send;

    /// Whether they are for so many worlds of a model with so many actuators.
    fn check(&self, worlds: usize, actuators: usize) -> Result<(), BatchError> {
        let _ = (worlds, actuators);
        Ok(())
    }

    /// Inputs for many groups of a batch, one after the other. `model` is that of one of them.
    fn make<S: Simulated>(&self, model: &Model<S>) -> Self::Inputs<S>;

    /// Turns them to a group: world `worlds[lane]` is in each lane. The last world may fill further lanes.
    fn turn_to<S: Simulated>(&self, _inputs: &mut Self::Inputs<S>, _worlds: &[usize]) {}

    /// Cotangents of their own numbers after a way back: controls, or a policy's weights.
    fn numbers_bar<S: Simulated>(_inputs: &Self::Inputs<S>) -> &[S] {
        &[]
    }
}

/// Nothing acts.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoInputs;

impl BatchInputs for NoInputs {
    type Inputs<S: Simulated> = NoInputs;

    fn make<S: Simulated>(&self, _: &Model<S>) -> NoInputs {
        NoInputs
    }
}

impl<S: Scalar> Inputs<S> for NoInputs {
    fn set(&mut self, _: usize, _: &State<S>, input: &mut Input<S>) {
        input.clear();
    }

    fn begin_back(&mut self) {}

    fn set_vjp(
        &mut self,
        _: usize,
        _: &State<S>,
        _: &InputCotangents<S>,
        _: &mut StateCotangents<S>,
    ) {
    }
}

/// Controls from an array, (worlds, steps, actuators); after the last step nothing acts.
#[derive(Clone, Copy, Debug)]
pub struct Controls<'a> {
    numbers: &'a [f64],
    worlds: usize,
    actuators: usize,
}

impl<'a> Controls<'a> {
    /// An array for so many worlds of a model; none if it is not a whole number of steps.
    pub fn new(model: &Model<f64>, worlds: usize, numbers: &'a [f64]) -> Option<Self> {
        let actuators = model.topology.actuators.len();
        let a_step = worlds * actuators;
        let whole =
            if a_step == 0 { numbers.is_empty() } else { numbers.len().is_multiple_of(a_step) };
        whole.then_some(Controls { numbers, worlds, actuators })
    }

    fn steps(&self) -> usize {
        self.numbers.len().checked_div(self.worlds * self.actuators).unwrap_or(0)
    }
}

/// Controls of a group of worlds.
#[derive(Clone, Debug)]
pub struct GroupControls<'a, S> {
    array: &'a [f64],
    steps: usize,
    actuators: usize,
    group: Vec<usize>,
    /// Cotangents of each step's controls, one after the other, (steps, actuators).
    pub bars: Vec<S>,
}

impl<'a> BatchInputs for Controls<'a> {
    type Inputs<S: Simulated> = GroupControls<'a, S>;

    fn check(&self, worlds: usize, actuators: usize) -> Result<(), BatchError> {
        if self.worlds != worlds {
            let (given, needed) = (self.worlds, worlds);
            return Err(BatchError::Array { part: "worlds with controls", given, needed });
        }
        if worlds > 0 && self.actuators != actuators {
            let (given, needed) = (self.actuators, actuators);
            return Err(BatchError::Array { part: "controls of a world and step", given, needed });
        }
        Ok(())
    }

    fn make<S: Simulated>(&self, _: &Model<S>) -> GroupControls<'a, S> {
        let (steps, actuators) = (self.steps(), self.actuators);
        let bars = vec![S::ZERO; steps * actuators];
        GroupControls { array: self.numbers, steps, actuators, group: Vec::new(), bars }
    }

    fn turn_to<S: Simulated>(&self, inputs: &mut GroupControls<'a, S>, worlds: &[usize]) {
        inputs.group.clear();
        inputs.group.extend_from_slice(worlds);
    }

    fn numbers_bar<'s, S: Simulated>(inputs: &'s GroupControls<'a, S>) -> &'s [S] {
        &inputs.bars
    }
}

impl<S: Scalar> Inputs<S> for GroupControls<'_, S> {
    fn set(&mut self, step: usize, _: &State<S>, input: &mut Input<S>) {
        if step >= self.steps {
            return input.clear();
        }
        for (k, control) in input.control.iter_mut().enumerate() {
            let place = |world: usize| (world * self.steps + step) * self.actuators + k;
            *control = S::from_lanes(|lane| self.array[place(self.group[lane])]);
        }
    }

    fn begin_back(&mut self) {
        self.bars.fill(S::ZERO);
    }

    fn set_vjp(
        &mut self,
        step: usize,
        _: &State<S>,
        bar: &InputCotangents<S>,
        _: &mut StateCotangents<S>,
    ) {
        let to = self.bars.iter_mut().skip(step * self.actuators);
        to.zip(&bar.control).for_each(|(sum, bar)| *sum += *bar);
    }
}
