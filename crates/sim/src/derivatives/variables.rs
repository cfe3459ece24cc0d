//! The variables to differentiate by, and their columns in a matrix.

use gradbody_math::Scalar;
use gradbody_model::{Model, Selection};

use super::Change;

/// Which variables to differentiate by. The columns of a matrix are in the order of the fields.
#[derive(Clone, Copy, Debug, Default)]
pub struct Variables<'a> {
    /// The initial state.
    pub state: bool,
    /// The controls; over several steps, one step after another.
    pub control: bool,
    /// The commanded joint forces, in the same order as the controls.
    pub tau: bool,
    /// The selected parameters.
    pub params: Option<&'a Selection>,
}

/// Which columns belong to which variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// Columns of the state.
    pub state: core::ops::Range<usize>,
    /// Columns of the controls.
    pub control: core::ops::Range<usize>,
    /// Columns of the commanded joint forces.
    pub tau: core::ops::Range<usize>,
    /// Columns of the parameters.
    pub params: core::ops::Range<usize>,
}

impl Variables<'_> {
    /// The columns for a rollout of `steps` steps.
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

    /// The changes for the columns from `first` on, `N` in each lane. Parameters are left out.
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

/// Number of coordinates of a change of state.
pub(super) fn coordinates<S: Scalar>(model: &Model<S>) -> usize {
    2 * model.nv() + model.topology.na
}
