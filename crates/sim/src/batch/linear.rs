//! The next step of every world of a batch as a linear map.

use gradbody_model::Model;
use rayon::prelude::*;

use super::resident::Lanes;
use super::tables::{GroupInputs, MakeInputs};
use super::{Batch, BatchInputs, check_size};
use crate::threads::Threads;
use crate::{
    BatchError, Failure, GradientOptions, Input, InputColumns, LinearPath, LinearStep, LinearWork,
    NoTaps, StepOptions, StepScratch, StepTrace, linearise_step, step,
};

/// What a thread needs to linearise one world after another.
struct Buffers<'a> {
    model: Model<f64>,
    inputs: Box<dyn GroupInputs<f64> + Send + 'a>,
    input: Input<f64>,
    trace: StepTrace<f64>,
    scratch: StepScratch<f64>,
    work: LinearWork,
    out: LinearStep,
}

impl<T> Batch<T> {
    /// Writes the derivatives of the next step of each world, without taking it: rows of [`LinearStep`], (worlds, states,
    /// states + inputs). Computes in double precision from the states as they are. The inputs are asked for step 0. Returns
    /// how each world was linearised, or why it could not be: its rows are then NaN.
    pub fn linearise(
        &self,
        inputs: &impl BatchInputs,
        columns: InputColumns,
        rows: &mut [f64],
    ) -> Result<Vec<Result<LinearPath, Failure>>, BatchError> {
        let Batch { resident, options, gradient, threads, .. } = self;
        inputs.check(resident.n_worlds(), resident.topology())?;
        linearise(&**resident, threads, (options, gradient), inputs, columns, rows)
    }
}

fn linearise(
    resident: &dyn Lanes,
    threads: &Threads,
    (options, gradient): (&StepOptions<f64>, &GradientOptions),
    inputs: &dyn MakeInputs<f64>,
    columns: InputColumns,
    rows: &mut [f64],
) -> Result<Vec<Result<LinearPath, Failure>>, BatchError> {
    let (states, width) = {
        let one = LinearStep::new(resident.model(), columns);
        (one.states(), one.states() + one.inputs())
    };
    check_size("derivatives", rows.len(), resident.n_worlds() * states * width)?;
    let buffers = || {
        let model = resident.model().clone();
        Buffers {
            inputs: inputs.make_inputs(&model),
            input: Input::none(&model),
            trace: StepTrace::new(&model).for_gradient(gradient.contact),
            scratch: StepScratch::new(&model),
            work: LinearWork::new(&model),
            out: LinearStep::new(&model, columns),
            model,
        }
    };
    let of_world = |buffers: &mut Buffers<'_>, world: usize, rows: &mut [f64]| {
        let Buffers { model, inputs, input, trace, scratch, work, out } = buffers;
        resident.apply_own_params(world, model);
        let mut state = resident.state(world);
        inputs.turn_to(&[world]);
        input.clear();
        inputs.set(0, &state, input);
        let report = step(model, &mut state, input, options, &mut NoTaps, trace, scratch);
        if let Some(link) = report.diverged {
            rows.fill(f64::NAN);
            return Err(Failure::Diverged { step: 0, link });
        }
        let path = linearise_step(model, trace, &mut NoTaps, scratch, work, out);
        for (k, row) in rows.chunks_exact_mut(width.max(1)).enumerate() {
            row.copy_from_slice(out.row(k));
        }
        Ok(path)
    };
    let mut places: Vec<&mut [f64]> = rows.chunks_mut((states * width).max(1)).collect();
    places.resize_with(resident.n_worlds(), Default::default);
    Ok(threads.enter(|| {
        let worlds = places.into_par_iter().enumerate();
        worlds.map_init(buffers, |buffers, (world, rows)| of_world(buffers, world, rows)).collect()
    }))
}
