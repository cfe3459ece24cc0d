//! What acts on a model at each step of a rollout.

use gradbody_math::Scalar;
use gradbody_model::Model;

use crate::{Input, InputCotangents, State, StateCotangents};

/// What acts on the model at each step.
pub trait Inputs<S: Scalar> {
    /// Writes the input of a step that begins in `state`; it comes with nothing acting. The same step may be asked for
    /// again.
    fn set(&mut self, step: usize, state: &State<S>, input: &mut Input<S>);

    /// Forgets cotangents of a rollout before.
    fn begin_back(&mut self);

    /// Takes the cotangents of that input; what depends on the state is added to `state_bar`. `set` need not have been
    /// called for this step just before.
    fn set_vjp(
        &mut self,
        step: usize,
        state: &State<S>,
        bar: &InputCotangents<S>,
        state_bar: &mut StateCotangents<S>,
    );
}

/// The same at every step.
#[derive(Clone, Debug)]
pub struct Constant<S> {
    /// What acts.
    pub input: Input<S>,
    /// Its cotangents, summed over the steps.
    pub bar: InputCotangents<S>,
}

impl<S: Scalar> Constant<S> {
    /// This input, always.
    pub fn new(model: &Model<S>, input: Input<S>) -> Self {
        Constant { input, bar: InputCotangents::zero(model) }
    }

    /// Nothing acts.
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
    /// What acts. After the last, controls, joint forces, forces on links and signals are zero.
    pub inputs: Vec<Input<S>>,
    /// The cotangents of each.
    pub bars: Vec<InputCotangents<S>>,
}

impl<S: Scalar> Sequence<S> {
    /// These inputs, one after the other.
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
