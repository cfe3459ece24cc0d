//! Inputs for the worlds of a batch: arrays, or a policy that sees the state.

use gradbody_math::Scalar;
use gradbody_model::{Model, Topology};

use crate::{BatchError, Input, InputCotangents, Inputs, Simulated, State, StateCotangents};

/// Inputs for the worlds of a [`Batch`](crate::Batch). [`make`](BatchInputs::make) turns them into [`Inputs`] in lanes,
/// which serve one group of worlds after another. A policy is a kind of [`Inputs`], since these see the state.
pub trait BatchInputs: Sync {
    /// The inputs of a group of worlds, one world per lane.
    type Inputs<S: Simulated>: Inputs<S> + Send;

    /// Checks that they fit `worlds` worlds of a model with this topology.
    fn check(&self, worlds: usize, topology: &Topology) -> Result<(), BatchError> {
        let _ = (worlds, topology);
        Ok(())
    }

    /// Makes inputs that serve many groups of a batch in turn. `model` is the model of one of the groups.
    fn make<S: Simulated>(&self, model: &Model<S>) -> Self::Inputs<S>;

    /// Switches the inputs to a group: world `worlds[lane]` is in each lane. The last world may fill further lanes.
    fn turn_to<S: Simulated>(&self, _inputs: &mut Self::Inputs<S>, _worlds: &[usize]) {}

    /// The cotangents of the inputs' own numbers after a backward pass: controls, or a policy's weights.
    fn numbers_bar<S: Simulated>(_inputs: &Self::Inputs<S>) -> &[S] {
        &[]
    }
}

/// All inputs are zero.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoInputs;

impl BatchInputs for NoInputs {
    type Inputs<S: Simulated> = NoInputs;

    fn make<S: Simulated>(&self, _: &Model<S>) -> NoInputs {
        NoInputs
    }
}

impl<S: Scalar> Inputs<S> for NoInputs {
    fn set(&mut self, _: usize, _: &State<S>, _: &mut Input<S>) {}

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

/// Controls of actuators, or joint forces, from an array. After the array's last step they are zero.
#[derive(Clone, Copy, Debug)]
pub struct Controls<'a> {
    numbers: &'a [f64],
    worlds: usize,
    /// Numbers per world and step.
    width: usize,
    acts_on: ActsOn,
}

/// What the array sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ActsOn {
    Actuators,
    Joints,
}

impl<'a> Controls<'a> {
    /// Takes a control for each actuator, (worlds, steps, actuators).
    pub fn new(model: &Model<f64>, worlds: usize, numbers: &'a [f64]) -> Result<Self, BatchError> {
        Controls {
            numbers,
            worlds,
            width: model.topology.actuators.len(),
            acts_on: ActsOn::Actuators,
        }
        .checked()
    }

    /// Takes a joint force for each velocity coordinate, (worlds, steps, nv), as in [`Input::tau`].
    pub fn joint_forces(
        model: &Model<f64>,
        worlds: usize,
        numbers: &'a [f64],
    ) -> Result<Self, BatchError> {
        Controls { numbers, worlds, width: model.nv(), acts_on: ActsOn::Joints }.checked()
    }

    /// Fails if the array is not a whole number of steps.
    fn checked(self) -> Result<Self, BatchError> {
        let (given, a_step) = (self.numbers.len(), self.worlds * self.width);
        let whole = if a_step == 0 { given == 0 } else { given.is_multiple_of(a_step) };
        let part = match self.acts_on {
            ActsOn::Actuators => "controls",
            ActsOn::Joints => "joint forces",
        };
        if whole { Ok(self) } else { Err(BatchError::Steps { part, given, a_step }) }
    }

    fn steps(&self) -> usize {
        self.numbers.len().checked_div(self.worlds * self.width).unwrap_or(0)
    }
}

/// Controls of a group of worlds.
#[derive(Clone, Debug)]
pub struct GroupControls<'a, S> {
    controls: Controls<'a>,
    group: Vec<usize>,
    /// Cotangents of the controls, (steps, width).
    pub bars: Vec<S>,
}

impl<'a> BatchInputs for Controls<'a> {
    type Inputs<S: Simulated> = GroupControls<'a, S>;

    fn check(&self, worlds: usize, topology: &Topology) -> Result<(), BatchError> {
        let needed = match self.acts_on {
            ActsOn::Actuators => topology.actuators.len(),
            ActsOn::Joints => topology.nv,
        };
        if self.worlds != worlds {
            return Err(BatchError::Worlds { given: self.worlds, needed: worlds });
        }
        if self.width != needed {
            let part = "controls of a world and step";
            return Err(BatchError::Array { part, given: self.width, needed });
        }
        Ok(())
    }

    fn make<S: Simulated>(&self, _: &Model<S>) -> GroupControls<'a, S> {
        let bars = vec![S::ZERO; self.steps() * self.width];
        GroupControls { controls: *self, group: Vec::new(), bars }
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
        let Controls { numbers, width, acts_on, .. } = self.controls;
        let steps = self.controls.steps();
        if step >= steps {
            return;
        }
        let to = match acts_on {
            ActsOn::Actuators => &mut input.control,
            ActsOn::Joints => &mut input.tau,
        };
        for (k, to) in to.iter_mut().enumerate() {
            let place = |world: usize| (world * steps + step) * width + k;
            *to = S::from_lanes(|lane| numbers[place(self.group[lane])]);
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
        let from = match self.controls.acts_on {
            ActsOn::Actuators => &bar.control,
            ActsOn::Joints => &bar.tau,
        };
        let to = self.bars.iter_mut().skip(step * self.controls.width);
        to.zip(from).for_each(|(sum, bar)| *sum += *bar);
    }
}
