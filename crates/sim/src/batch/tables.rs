//! Inputs, taps, losses and readers of a batch, in lanes of one kind, behind tables of functions.
//!
//! What a batch does with its groups is compiled once for each kind of lanes, in this crate
//! (docs/decisions/0014-compiled-once.md). It calls what its caller gave by these tables, a few times a step. Whatever
//! implements [`BatchInputs`], [`BatchTaps`], [`BatchLoss`] or [`BatchReader`] has them.

use gradbody_model::Model;

use super::inputs::BatchInputs;
use super::reader::{BatchReader, GroupEnd};
use crate::{
    BatchLoss, BatchTaps, GroupTaps, Input, InputCotangents, Inputs, Loss, Simulated, State,
    StateCotangents,
};

/// The inputs of one group of worlds after another.
pub(super) trait GroupInputs<S: Simulated>: Inputs<S> {
    /// See [`BatchInputs::turn_to`].
    fn turn_to(&mut self, worlds: &[usize]);
    /// See [`BatchInputs::numbers_bar`].
    fn numbers_bar(&self) -> &[S];
}

/// See [`BatchInputs::make`].
pub(super) trait MakeInputs<S: Simulated>: Sync {
    /// Makes inputs that serve many groups.
    fn make_inputs(&self, model: &Model<S>) -> Box<dyn GroupInputs<S> + Send + '_>;
}

impl<S: Simulated, I: BatchInputs> MakeInputs<S> for I {
    fn make_inputs(&self, model: &Model<S>) -> Box<dyn GroupInputs<S> + Send + '_> {
        Box::new(Made { of: self, inputs: self.make(model) })
    }
}

/// Inputs with what made them.
struct Made<'a, I: BatchInputs, S: Simulated> {
    of: &'a I,
    inputs: I::Inputs<S>,
}

impl<I: BatchInputs, S: Simulated> GroupInputs<S> for Made<'_, I, S> {
    fn turn_to(&mut self, worlds: &[usize]) {
        self.of.turn_to(&mut self.inputs, worlds);
    }

    fn numbers_bar(&self) -> &[S] {
        I::numbers_bar(&self.inputs)
    }
}

impl<I: BatchInputs, S: Simulated> Inputs<S> for Made<'_, I, S> {
    fn set(&mut self, step: usize, state: &State<S>, input: &mut Input<S>) {
        self.inputs.set(step, state, input);
    }

    fn begin_back(&mut self) {
        self.inputs.begin_back();
    }

    fn set_vjp(
        &mut self,
        step: usize,
        state: &State<S>,
        bar: &InputCotangents<S>,
        state_bar: &mut StateCotangents<S>,
    ) {
        self.inputs.set_vjp(step, state, bar, state_bar);
    }
}

/// See [`BatchTaps`].
pub(super) trait MakeTaps<S: Simulated>: Sync {
    /// Size of their memory.
    fn memory(&self) -> usize;
    /// The taps of a group.
    fn taps_of(&self, worlds: &[usize]) -> Box<dyn GroupTaps<S> + '_>;
}

impl<S: Simulated, P: BatchTaps> MakeTaps<S> for P {
    fn memory(&self) -> usize {
        self.n_memory()
    }

    fn taps_of(&self, worlds: &[usize]) -> Box<dyn GroupTaps<S> + '_> {
        self.for_worlds(worlds)
    }
}

/// See [`BatchLoss`].
pub(super) trait MakeLoss<S: Simulated>: Sync {
    /// The loss of a group.
    fn loss_of(&self, model: &Model<S>, worlds: &[usize]) -> Box<dyn Loss<S> + '_>;
}

impl<S: Simulated, L: BatchLoss> MakeLoss<S> for L {
    fn loss_of(&self, model: &Model<S>, worlds: &[usize]) -> Box<dyn Loss<S> + '_> {
        Box::new(self.for_worlds(model, worlds))
    }
}

/// A reader with its buffers.
pub(super) trait GroupReader<S: Simulated> {
    /// See [`BatchReader::read`].
    fn read(&mut self, end: &GroupEnd<'_, S>, row: &mut [S]);
}

/// See [`BatchReader`].
pub(super) trait MakeReader<S: Simulated>: Sync {
    /// How many numbers it reads of a world.
    fn numbers(&self) -> usize;
    /// A reader that reads many groups.
    fn reader(&self, model: &Model<S>) -> Box<dyn GroupReader<S> + Send + '_>;
}

impl<S: Simulated, R: BatchReader> MakeReader<S> for R {
    fn numbers(&self) -> usize {
        self.width()
    }

    fn reader(&self, model: &Model<S>) -> Box<dyn GroupReader<S> + Send + '_> {
        Box::new(Reading { of: self, buffers: self.buffers(model) })
    }
}

struct Reading<'a, R: BatchReader, S: Simulated> {
    of: &'a R,
    buffers: R::Buffers<S>,
}

impl<R: BatchReader, S: Simulated> GroupReader<S> for Reading<'_, R, S> {
    fn read(&mut self, end: &GroupEnd<'_, S>, row: &mut [S]) {
        self.of.read(end, &mut self.buffers, row);
    }
}
