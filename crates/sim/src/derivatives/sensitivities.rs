//! The derivatives of the states of a rollout, column by column in dual numbers.

use gradbody_math::{Dual, Scalar};
use gradbody_model::Model;
use rayon::prelude::*;

use super::dual_motion::{Motion, read_changes, vary_selected};
use super::variables::coordinates;
use super::{Columns, DerivativeError, Matrix, Variables};
use crate::ensemble::{numbers_of, state_in};
use crate::{DualKernel, Failure, Input, Rollout, Simulated, State, run_widest_duals};

/// States of a rollout and their derivatives.
#[derive(Clone, Debug)]
pub struct Sensitivities {
    /// The sampled states.
    pub states: Vec<State<f64>>,
    /// The Jacobian of each state: a row for each coordinate of its change, a column for each variable.
    pub matrices: Vec<Matrix>,
    /// Which columns belong to which variables.
    pub columns: Columns,
}

/// The Jacobians of the states after the steps `sampled` (ascending, from 0), as Gauss-Newton needs them. They are
/// computed with dual numbers, as many columns at a time as vectors hold, on all threads; the bits do not depend on
/// either. After the last input, inputs are zero. With rigid contacts, use [`StepOptions::accurate_gradients`]: sweeps
/// that stop once values converge leave the derivatives inaccurate.
pub fn sensitivities(
    rollout: &Rollout<'_, f64>,
    inputs: &[Input<f64>],
    variables: &Variables<'_>,
    sampled: &[usize],
) -> Result<Sensitivities, DerivativeError> {
    if let Some(pair) = sampled.windows(2).find(|pair| pair[0] >= pair[1]) {
        return Err(DerivativeError::NotAscending { before: pair[0], step: pair[1] });
    }
    let steps = rollout.steps;
    if let Some(&step) = sampled.last().filter(|last| **last >= steps) {
        return Err(DerivativeError::NoSuchStep { step, steps });
    }
    let columns = &variables.columns(rollout.model, rollout.steps);
    Ok(run_widest_duals(ByColumns { rollout: *rollout, inputs, variables, columns, sampled })?)
}

/// Directions per lane. With one, the values are recomputed for each direction; two take about as long, four take
/// longer. On plain numbers, eight take half as long again.
const TO_A_LANE: usize = 1;

pub(super) struct ByColumns<'a> {
    pub(super) rollout: Rollout<'a, f64>,
    pub(super) inputs: &'a [Input<f64>],
    pub(super) variables: &'a Variables<'a>,
    pub(super) columns: &'a Columns,
    pub(super) sampled: &'a [usize],
}

impl DualKernel for ByColumns<'_> {
    type Output = Result<Sensitivities, Failure>;

    fn run<S: Simulated>(self) -> Self::Output
    where
        Dual<S, TO_A_LANE>: Simulated,
    {
        by_columns::<S, TO_A_LANE>(&self)
    }
}

/// One column per lane of each direction.
fn by_columns<S: Scalar, const N: usize>(of: &ByColumns<'_>) -> Result<Sensitivities, Failure>
where
    Dual<S, N>: Simulated,
{
    let ByColumns { rollout, inputs, variables, columns, sampled } = *of;
    let model: Model<S> = rollout.model.cast();
    let (start, options) = (rollout.start.cast(), rollout.options.cast());
    let cast_inputs: Vec<Input<S>> = inputs.iter().map(Input::cast).collect();
    let cast = Rollout { model: &model, start: &start, steps: rollout.steps, options: &options };
    let count = columns.params.end;
    let width = N * S::LANES;
    let rows = coordinates(&model);
    let values = numbers_of(&model.params);
    let params_from = columns.params.start;
    // For each sample: the state, and the slopes of each of its rows.
    type Part<S, const N: usize> = Vec<(State<f64>, Vec<[S; N]>)>;
    let part = |motion: &mut Option<Motion<S, N>>, chunk: usize| -> Result<Part<S, N>, Failure> {
        let motion = motion.get_or_insert_with(|| Motion::new(&cast));
        let changes = variables.changes(&model, columns, rollout.steps, chunk * width);
        motion.begin(&cast, &cast_inputs, &changes);
        if let Some(selection) = variables.params.filter(|_| (chunk + 1) * width > params_from) {
            let unit = |k: usize, n: usize| {
                let first = chunk * width + n * S::LANES;
                S::from_lanes(|lane| if first + lane == params_from + k { 1.0 } else { 0.0 })
            };
            vary_selected(&mut motion.model, &values, selection, unit);
            motion.varied = true;
        }
        let mut part = Vec::with_capacity(sampled.len());
        let mut next = sampled.iter().peekable();
        motion.run(rollout.steps, |step, model, state| {
            if next.next_if_eq(&&step).is_some() {
                let mut slopes = Vec::with_capacity(rows);
                read_changes(model, state, |_, of_row| slopes.push(*of_row));
                part.push((state_in(state, 0), slopes));
            }
        })?;
        Ok(part)
    };
    // At least one, to get the states.
    let chunks = count.div_ceil(width).max(1);
    let parts: Result<Vec<Part<S, N>>, Failure> = if chunks * rollout.steps < WORTH_THREADS {
        let mut motion = None;
        (0..chunks).map(|chunk| part(&mut motion, chunk)).collect()
    } else {
        (0..chunks).into_par_iter().map_init(|| None, part).collect()
    };
    let parts = parts?;
    let mut matrices = vec![Matrix::zero(rows, count); sampled.len()];
    for (chunk, part) in parts.iter().enumerate() {
        for (matrix, (_, slopes)) in matrices.iter_mut().zip(part) {
            for (row, of_row) in slopes.iter().enumerate() {
                let first = (chunk * width).min(count);
                for (k, to) in matrix.row_mut(row)[first..].iter_mut().take(width).enumerate() {
                    *to = of_row[k / S::LANES].lane(k % S::LANES);
                }
            }
        }
    }
    let states = parts
        .into_iter()
        .next()
        .map_or(Vec::new(), |part| part.into_iter().map(|(state, _)| state).collect());
    Ok(Sensitivities { states, matrices, columns: columns.clone() })
}

/// Number of steps above which several threads are worth starting.
const WORTH_THREADS: usize = 32;
