//! Worlds in lanes, in either precision, and what acts on them.

use gradbody::augment::Bound as Networked;
use gradbody::model::Selection;
use gradbody::sim::{
    self, BatchCotangents, BatchError, BatchGradient, BatchRecord, BatchTaps, Controls,
    GradientOptions, InputColumns, LinearPath, NoInputs, NoTaps, NoThreads, StepOptions,
};
use pyo3::prelude::*;

use crate::arrays::Dtype;
use crate::exceptions::value_error;
use crate::guarded::all_cores;

type Inner = gradbody::model::Model<f64>;

/// Worlds in either precision.
pub(crate) enum Worlds {
    F64(sim::Batch<f64>),
    F32(sim::Batch<f32>),
}

macro_rules! in_either {
    ($worlds:expr, $batch:ident => $call:expr) => {
        match $worlds {
            Worlds::F64($batch) => $call,
            Worlds::F32($batch) => $call,
        }
    };
}

pub(crate) use in_either;

/// Most worlds of a batch.
pub(crate) const MOST_WORLDS: usize = 1 << 24;

/// What acts on the worlds during a rollout.
pub(crate) struct Acts {
    /// (worlds, steps, width), or nothing.
    pub(crate) numbers: Vec<f64>,
    pub(crate) are_forces: bool,
    pub(crate) steps: usize,
}

impl Worlds {
    pub(crate) fn new(
        model: &Inner,
        n: usize,
        (step, gradient): (StepOptions<f64>, GradientOptions),
        dtype: Dtype,
        threads: usize,
    ) -> Result<Self, NoThreads> {
        macro_rules! make {
            ($t:ty) => {
                sim::Batch::<$t>::new(model, n, step)
                    .with_gradient(gradient)
                    .with_threads(threads)?
            };
        }
        Ok(match dtype {
            Dtype::F64 => Worlds::F64(make!(f64)),
            Dtype::F32 => Worlds::F32(make!(f32)),
        })
    }

    pub(crate) fn rollout(
        &mut self,
        model: &Inner,
        worlds: usize,
        steps: usize,
        acts: (&[f64], bool),
        networks: Option<&Networked<f64>>,
        record: Option<BatchRecord<'_>>,
        keep: bool,
    ) -> Result<(), BatchError> {
        match networks {
            None => self.rollout_with(model, worlds, steps, acts, &NoTaps, record, keep),
            Some(networks) => self.rollout_with(model, worlds, steps, acts, networks, record, keep),
        }
    }

    fn rollout_with(
        &mut self,
        model: &Inner,
        worlds: usize,
        steps: usize,
        acts: (&[f64], bool),
        taps: &impl BatchTaps,
        record: Option<BatchRecord<'_>>,
        keep: bool,
    ) -> Result<(), BatchError> {
        let (numbers, are_forces) = acts;
        let controls = match are_forces {
            true => Controls::joint_forces(model, worlds, numbers)?,
            false => Controls::new(model, worlds, numbers)?,
        };
        let nothing = numbers.is_empty();
        in_either!(self, batch => match (keep, nothing) {
            (true, true) => batch.forward_into(steps, &NoInputs, taps, record),
            (true, false) => batch.forward_into(steps, &controls, taps, record),
            (false, true) => batch.rollout_into(steps, &NoInputs, taps, record),
            (false, false) => batch.rollout_into(steps, &controls, taps, record),
        })
    }

    pub(crate) fn backward(
        &mut self,
        model: &Inner,
        worlds: usize,
        acts: &Acts,
        networks: Option<&Networked<f64>>,
        bars: &BatchCotangents<'_>,
        selection: &Selection,
    ) -> Result<BatchGradient, BatchError> {
        match networks {
            None => self.backward_with(model, worlds, acts, &NoTaps, bars, selection),
            Some(networks) => self.backward_with(model, worlds, acts, networks, bars, selection),
        }
    }

    fn backward_with(
        &mut self,
        model: &Inner,
        worlds: usize,
        acts: &Acts,
        taps: &impl BatchTaps,
        bars: &BatchCotangents<'_>,
        selection: &Selection,
    ) -> Result<BatchGradient, BatchError> {
        if acts.numbers.is_empty() {
            return in_either!(self, batch => batch.backward(&NoInputs, taps, bars, selection));
        }
        let controls = match acts.are_forces {
            true => Controls::joint_forces(model, worlds, &acts.numbers)?,
            false => Controls::new(model, worlds, &acts.numbers)?,
        };
        in_either!(self, batch => batch.backward(&controls, taps, bars, selection))
    }

    /// The derivatives of the next step by state, controls and joint forces.
    pub(crate) fn linearise(
        &self,
        model: &Inner,
        worlds: usize,
        (numbers, are_forces): (&[f64], bool),
        rows: &mut [f64],
    ) -> Result<Vec<Result<LinearPath, sim::Failure>>, BatchError> {
        let columns = InputColumns::Both;
        if numbers.is_empty() {
            return in_either!(self, batch => batch.linearise(&NoInputs, columns, rows));
        }
        let controls = match are_forces {
            true => Controls::joint_forces(model, worlds, numbers)?,
            false => Controls::new(model, worlds, numbers)?,
        };
        in_either!(self, batch => batch.linearise(&controls, columns, rows))
    }
}

/// The number of threads to use; all cores if none is given.
pub(crate) fn number_of_threads(given: Option<usize>) -> PyResult<usize> {
    match given {
        Some(0) => Err(value_error("threads is 0; give at least one")),
        Some(threads) => Ok(threads),
        None => Ok(all_cores()),
    }
}
