//! What to differentiate by, and which column of a matrix is which variable.

use gradbody_math::Scalar;
use gradbody_model::{Model, Selection};

use super::Change;

/// What to differentiate by. The columns of a matrix are in the order of the fields.
#[derive(Clone, Copy, Debug, Default)]
pub struct Variables<'a> {
    /// The state at the start.
    pub state: bool,
    /// The controls; of several steps, one step after the other.
    pub control: bool,
    /// The commanded joint forces, likewise.
    pub tau: bool,
    /// Some parameters.
    pub params: Option<&'a Selection>,
}

/// Which columns belong to which variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// Those of the state.
    pub state: core::ops::Range<usize>,
    /// Those of the controls.
    pub control: core::ops::Range<usize>,
    /// Those of the commanded joint forces.
    pub tau: core::ops::Range<usize>,
    /// Those of the parameters.
    pub params: core::ops::Range<usize>,
}

impl Variables<'_> {
    /// The columns of a rollout of so many steps.
    pub fn columns<S: Scalar>(&self, model: &Model<S>, steps: usize) -> Columns {
        let mut end = 0;
        let mut next = |wanted: bool, count: usize| {
            let begin = end;
            end += if wanted { count } else { 0 };
            begin..end
        };
        Columns {
            state: next(self.state, coordinates(model)),
            control: next(self.control, steps * model.topology.actuators.len()),
            tau: next(self.tau, steps * model.nv()),
            params: next(true, self.params.map_or(0, Selection::len)),
        }
    }

    /// The changes that columns from `first` on stand for: `N` in each lane. Those of parameters are
    /// left out.
    pub(super) fn changes<S: Scalar, const N: usize>(
        &self,
        model: &Model<S>,
        columns: &Columns,
        steps: usize,
        first: usize,
    ) -> [Change<S>; N] {
        core::array::from_fn(|n| {
            let first = first + n * S::LANES;
            // 1 in the lane of this column.
            let unit =
                |column| S::from_lanes(|lane| if first + lane == column { 1.0 } else { 0.0 });
            let touches = |range: &core::ops::Range<usize>| {
                first < range.end && first + S::LANES > range.start && !range.is_empty()
            };
            let acts = touches(&columns.control) || touches(&columns.tau);
            let mut change = Change::zero(model, if acts { steps } else { 0 });
            for (column, x) in columns.state.clone().zip(change.start.iter_mut()) {
                *x = unit(column);
            }
            if acts {
                let controls = change.inputs.iter_mut().flat_map(|input| &mut input.control);
                columns.control.clone().zip(controls).for_each(|(column, x)| *x = unit(column));
                let taus = change.inputs.iter_mut().flat_map(|input| &mut input.tau);
                columns.tau.clone().zip(taus).for_each(|(column, x)| *x = unit(column));
            }
            change
        })
    }
}

/// How many numbers a change of state has.
pub(super) fn coordinates<S: Scalar>(model: &Model<S>) -> usize {
    2 * model.nv() + model.topology.na
}
