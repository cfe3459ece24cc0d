//! Directional derivatives of the end of a step or rollout with respect to its start, inputs, parameters and time step.

use gradbody_contact::ContactMemory;
use gradbody_math::{Dual, Scalar};
use gradbody_model::{Model, Params, Selection, WrongCount};

use super::dual_motion::{Motion, on_duals, read_changes, vary_selected};
use crate::ensemble::numbers_of;
use crate::{Failure, Input, Rollout, Simulated, State, StepOptions};

/// A small change of a state.
#[derive(Clone, Debug, PartialEq)]
pub struct StateChange<S> {
    /// Of the configuration, in local coordinates, (nv).
    pub q: Vec<S>,
    /// Of the velocity, (nv).
    pub v: Vec<S>,
    /// Of the actuator states, (na).
    pub activation: Vec<S>,
}

impl<S: Scalar> StateChange<S> {
    /// No change, sized for a model.
    pub fn zero(model: &Model<S>) -> Self {
        let zeros = |n| vec![S::ZERO; n];
        StateChange {
            q: zeros(model.nv()),
            v: zeros(model.nv()),
            activation: zeros(model.topology.na),
        }
    }

    /// All numbers: q, v, activation.
    pub fn iter(&self) -> impl Iterator<Item = &S> {
        self.q.iter().chain(&self.v).chain(&self.activation)
    }

    /// All numbers: q, v, activation.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut S> {
        self.q.iter_mut().chain(&mut self.v).chain(&mut self.activation)
    }
}

/// A small change of everything that a motion depends on.
#[derive(Clone, Debug)]
pub struct Change<S> {
    /// Of the initial state.
    pub start: StateChange<S>,
    /// Of the input of each step; later inputs do not change.
    pub inputs: Vec<Input<S>>,
    /// Of the parameters, where a rotation changes by its nine entries; see [`set_params`](Change::set_params).
    pub params: Option<Params<S>>,
    /// Of the time step.
    pub dt: S,
}

impl<S: Scalar> Change<S> {
    /// No change, for `steps` steps.
    pub fn zero(model: &Model<S>, steps: usize) -> Self {
        Change {
            start: StateChange::zero(model),
            inputs: vec![Input::none(model); steps],
            params: None,
            dt: S::ZERO,
        }
    }

    /// Sets the change of the parameters to that caused by a change `dx` of the selected numbers.
    pub fn set_params(
        &mut self,
        model: &Model<S>,
        selection: &Selection,
        dx: &[S],
    ) -> Result<(), WrongCount> {
        selection.check_count(dx)?;
        let mut varied: Model<Dual<S, 1>> = on_duals(model);
        vary_selected(&mut varied, &numbers_of(&model.params), selection, |k, _| dx[k]);
        self.params = Some(varied.params.map(|x| x.eps[0]));
        Ok(())
    }
}

/// Takes a step and returns its end and the change of the end along each direction of `changes`. With rigid contacts,
/// use [`StepOptions::accurate_gradients`]: sweeps that stop once values converge leave the derivatives inaccurate.
pub fn step_jvp<S: Scalar, const N: usize>(
    model: &Model<S>,
    state: &State<S>,
    input: &Input<S>,
    options: &StepOptions<S>,
    changes: &[Change<S>; N],
) -> Result<(State<S>, [StateChange<S>; N]), Failure>
where
    Dual<S, N>: Simulated,
{
    let rollout = Rollout { model, start: state, steps: 1, options };
    rollout_jvp(&rollout, core::slice::from_ref(input), changes)
}

/// Runs a rollout and returns its end and the change of the end along each direction of `changes`. After the last
/// input, inputs are zero. With rigid contacts, use [`StepOptions::accurate_gradients`]: sweeps that stop once values
/// converge leave the derivatives inaccurate.
pub fn rollout_jvp<S: Scalar, const N: usize>(
    rollout: &Rollout<'_, S>,
    inputs: &[Input<S>],
    changes: &[Change<S>; N],
) -> Result<(State<S>, [StateChange<S>; N]), Failure>
where
    Dual<S, N>: Simulated,
{
    let mut motion = Motion::new(rollout);
    motion.begin(rollout, inputs, changes);
    motion.run(rollout.steps, |_, _, _| {})?;
    let end = &motion.state;
    let mut found = core::array::from_fn(|_| StateChange::zero(rollout.model));
    read_changes(&motion.model, end, |k, slopes: &[S; N]| {
        for (change, slope) in found.iter_mut().zip(slopes) {
            if let Some(to) = change.iter_mut().nth(k) {
                *to = *slope;
            }
        }
    });
    let value = |x: &[Dual<S, N>]| x.iter().map(|x| x.re).collect();
    let end = State {
        time: end.time.re,
        q: value(&end.q),
        v: value(&end.v),
        activation: value(&end.activation),
        memory: value(&end.memory),
        contact: contact_value(rollout.model, end),
    };
    Ok((end, found))
}

fn contact_value<S: Scalar, const N: usize>(
    model: &Model<S>,
    state: &State<Dual<S, N>>,
) -> ContactMemory<S> {
    let mut contact = ContactMemory::new(model);
    let mut numbers = Vec::new();
    state.contact.for_numbers(|x| numbers.push(x.re));
    contact.restore(&state.contact.layout(), numbers.into_iter());
    contact
}
