//! Inputs for each step of a rollout.

use gradbody_math::Scalar;
use gradbody_model::Model;

use crate::{Input, InputCotangents, State, StateCotangents};

/// Gives the input of each step, and takes back its cotangents.
pub trait Inputs<S: Scalar> {
    /// Writes the input of the step that begins in `state`. `input` is zero before the call. The same step may be asked
    /// for again.
    fn set(&mut self, step: usize, state: &State<S>, input: &mut Input<S>);

    /// Clears the cotangents of an earlier rollout.
    fn begin_back(&mut self);

    /// Takes the cotangents of the input of this step. If the input depends on the state, adds to `state_bar`. The last
    /// call of `set` may have been for a different step.
    fn set_vjp(
        &mut self,
        step: usize,
        state: &State<S>,
        bar: &InputCotangents<S>,
        state_bar: &mut StateCotangents<S>,
    );
}

/// The same input at every step.
#[derive(Clone, Debug)]
pub struct Constant<S> {
    /// The input.
    pub input: Input<S>,
    /// Its cotangents, summed over the steps.
    pub bar: InputCotangents<S>,
}

impl<S: Scalar> Constant<S> {
    /// Uses `input` at every step.
    pub fn new(model: &Model<S>, input: Input<S>) -> Self {
        Constant { input, bar: InputCotangents::zero(model) }
    }

    /// All inputs are zero.
    pub fn none(model: &Model<S>) -> Self {
        Constant::new(model, Input::none(model))
    }
}

impl<S: Scalar> Inputs<S> for Constant<S> {
    fn begin_back(&mut self) {
        self.bar.clear();
    }

    fn set(&mut self, _: usize, _: &State<S>, input: &mut Input<S>) {
        input.copy_from(&self.input);
    }

    fn set_vjp(
        &mut self,
        _: usize,
        _: &State<S>,
        bar: &InputCotangents<S>,
        _: &mut StateCotangents<S>,
    ) {
        self.bar.add(bar);
    }
}

/// An input for each step.
#[derive(Clone, Debug)]
pub struct Sequence<S> {
    /// The input of each step. After the last one, controls, joint forces, link forces and signals are zero.
    pub inputs: Vec<Input<S>>,
    /// The cotangents of each input.
    pub bars: Vec<InputCotangents<S>>,
}

impl<S: Scalar> Sequence<S> {
    /// Uses these inputs, one after another.
    pub fn new(model: &Model<S>, inputs: Vec<Input<S>>) -> Self {
        let bars = vec![InputCotangents::zero(model); inputs.len()];
        Sequence { inputs, bars }
    }
}

impl<S: Scalar> Inputs<S> for Sequence<S> {
    fn begin_back(&mut self) {
        self.bars.iter_mut().for_each(InputCotangents::clear);
    }

    fn set(&mut self, step: usize, _: &State<S>, input: &mut Input<S>) {
        match self.inputs.get(step) {
            Some(given) => input.copy_from(given),
            None => {
                input.clear();
                let signals = self.inputs.last().map_or(0, |last| last.signals.len());
                input.signals.resize(signals, S::ZERO);
            }
        }
    }

    fn set_vjp(
        &mut self,
        step: usize,
        _: &State<S>,
        bar: &InputCotangents<S>,
        _: &mut StateCotangents<S>,
    ) {
        if let Some(sum) = self.bars.get_mut(step) {
            sum.add(bar);
        }
    }
}
