//! The next step of every world of a batch as a linear map.

use gradbody_model::Model;
use rayon::prelude::*;

use crate::batch::check_size;
use crate::{
    Batch, BatchError, BatchInputs, Failure, Input, InputColumns, Inputs, LinearPath, LinearStep,
    LinearWork, NoTaps, Precision, StepScratch, StepTrace, linearise_step, step,
};

/// What a thread needs to linearise one world after another.
struct Buffers<I> {
    model: Model<f64>,
    inputs: I,
    input: Input<f64>,
    trace: StepTrace<f64>,
    scratch: StepScratch<f64>,
    work: LinearWork,
    out: LinearStep,
}

impl<T: Precision> Batch<T> {
    /// Writes the derivatives of the next step of each world, without taking it: rows of [`LinearStep`], (worlds, states,
    /// states + inputs). Computes in double precision from the states as they are. The inputs are asked for step 0. Returns
    /// how each world was linearised, or why it could not be: its rows are then NaN.
    pub fn linearise(
        &self,
        inputs: &impl BatchInputs,
        columns: InputColumns,
        rows: &mut [f64],
    ) -> Result<Vec<Result<LinearPath, Failure>>, BatchError> {
        let resident = self.resident();
        inputs.check(self.len(), resident.topology())?;
        let (options, contact) = (*self.options(), self.gradient_options().contact);
        let (states, width) = {
            let one = LinearStep::new(resident.model(), columns);
            (one.states(), one.states() + one.inputs())
        };
        check_size("derivatives", rows.len(), self.len() * states * width)?;
        let buffers = || {
            let model = resident.model().clone();
            Buffers {
                inputs: inputs.make::<f64>(&model),
                input: Input::none(&model),
                trace: StepTrace::new(&model).for_gradient(contact),
                scratch: StepScratch::new(&model),
                work: LinearWork::new(&model),
                out: LinearStep::new(&model, columns),
                model,
            }
        };
        let of_world = |buffers: &mut Buffers<_>, world: usize, rows: &mut [f64]| {
            let Buffers { model, inputs: given, input, trace, scratch, work, out } = buffers;
            resident.apply_own_params(world, model);
            let mut state = resident.state(world);
            inputs.turn_to(given, &[world]);
            input.clear();
            given.set(0, &state, input);
            let report = step(model, &mut state, input, &options, &mut NoTaps, trace, scratch);
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
        places.resize_with(self.len(), Default::default);
        Ok(self.on_threads(|| {
            let worlds = places.into_par_iter().enumerate();
            worlds
                .map_init(buffers, |buffers, (world, rows)| of_world(buffers, world, rows))
                .collect()
        }))
    }
}
