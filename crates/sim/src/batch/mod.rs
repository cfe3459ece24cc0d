//! Many worlds that stay in vector lanes from call to call.
//!
//! A [`Batch`] holds the states of thousands of worlds of one model. A group has one world per lane of the machine's
//! widest vectors. All calls (step, rollout, gradient) work on these groups in place, on all threads; no call gathers
//! the states again. Inputs and results are plain arrays with a row for each world. A world's results have the same
//! bits whatever its position, its neighbours and the number of threads: docs/decisions/0008-batches.md.

mod call;
mod cotangents;
mod inputs;
mod linear;
mod reader;
mod resident;
mod results;
mod tables;

use std::marker::PhantomData;

use gradbody_model::{Model, Selection};

pub use call::BatchCall;
pub use cotangents::{BatchCotangents, GroupCotangents};
pub use inputs::{BatchInputs, Controls, GroupControls, NoInputs};
pub use reader::{BatchReader, GroupEnd};
pub use resident::{Lanes, Make};
pub use results::{BatchGradient, BatchRecord};

use crate::threads::Threads;
use crate::{
    BatchError, BatchLoss, BatchTaps, Failure, GradientOptions, NoTaps, NoThreads, Precision,
    State, StepOptions, run_widest,
};
use call::{Backward, Steps, StepsAndReading};

/// Worlds of one model that stay in vector lanes, in the precision `T` (f64 or f32).
#[derive(Debug)]
pub struct Batch<T> {
    /// A `Resident<S>`, where S is the widest vector of T that this machine has.
    resident: Box<dyn Lanes>,
    options: StepOptions<f64>,
    gradient: GradientOptions,
    threads: Threads,
    precision: PhantomData<T>,
}

impl<T: Precision> Batch<T> {
    /// `worlds` worlds of a model, each at rest with every joint at zero.
    pub fn new(model: &Model<f64>, worlds: usize, options: StepOptions<f64>) -> Self {
        Batch {
            resident: run_widest::<T, _>(Make { model, worlds, options }),
            options,
            gradient: GradientOptions::default(),
            threads: Threads::default(),
            precision: PhantomData,
        }
    }

    /// Sets the gradient options.
    pub fn with_gradient(mut self, gradient: GradientOptions) -> Self {
        self.gradient = gradient;
        self
    }

    /// Uses a pool of `threads` threads of its own, at least one. Fails if the system cannot start them.
    pub fn with_threads(mut self, threads: usize) -> Result<Self, NoThreads> {
        self.threads = Threads::of_its_own(threads)?;
        Ok(self)
    }

    /// Number of worlds.
    pub fn len(&self) -> usize {
        self.resident.n_worlds()
    }

    /// Whether the batch has no worlds.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The state of a world, or `None` if there is no such world.
    pub fn state(&self, world: usize) -> Option<State<f64>> {
        (world < self.len()).then(|| self.resident.state(world))
    }

    /// Puts the given worlds into a state and clears their failures and residuals. The last [`forward`](Batch::forward)
    /// can then no longer be differentiated, for any world.
    pub fn reset(&mut self, worlds: &[usize], state: &State<f64>) -> Result<(), BatchError> {
        if let Some(&world) = worlds.iter().find(|world| **world >= self.len()) {
            return Err(BatchError::NoSuchWorld { world, worlds: self.len() });
        }
        let [q, v, activation] = self.resident.sizes();
        // The state may come with an empty memory even if the taps have one.
        let memory = match (self.resident.memory(), state.memory.len()) {
            (0, given) | (_, given @ 0) => given,
            (held, _) => held,
        };
        let parts = [
            ("q", state.q.len(), q),
            ("v", state.v.len(), v),
            ("activation", state.activation.len(), activation),
            ("memory", state.memory.len(), memory),
        ];
        if let Some((part, given, needed)) = parts.into_iter().find(|(_, n, needed)| n != needed) {
            let world = worlds.first().copied().unwrap_or(0);
            return Err(BatchError::Start { world, part, given, needed });
        }
        self.resident.forget();
        worlds.iter().for_each(|world| self.resident.put(*world, state));
        Ok(())
    }

    /// Writes the configurations, (worlds, nq), and velocities, (worlds, nv), of all worlds.
    pub fn read_states(&self, q: &mut [f64], v: &mut [f64]) -> Result<(), BatchError> {
        let [nq, nv, _] = self.resident.sizes();
        check_size("q", q.len(), self.len() * nq)?;
        check_size("v", v.len(), self.len() * nv)?;
        self.resident.read(q, v);
        Ok(())
    }

    /// Sets the configurations, (worlds, nq), and velocities, (worlds, nv), of all worlds, at time zero with actuators
    /// at rest. Failures and residuals are cleared.
    pub fn write_states(&mut self, q: &[f64], v: &[f64]) -> Result<(), BatchError> {
        let [nq, nv, _] = self.resident.sizes();
        check_size("q", q.len(), self.len() * nq)?;
        check_size("v", v.len(), self.len() * nv)?;
        let Some(mut state) = self.state(0) else { return Ok(()) };
        state.time = 0.0;
        state.activation.fill(0.0);
        state.memory.clear();
        state.contact.clear();
        self.resident.forget();
        for world in 0..self.len() {
            state.q.copy_from_slice(&q[world * nq..(world + 1) * nq]);
            state.v.copy_from_slice(&v[world * nv..(world + 1) * nv]);
            self.resident.put(world, &state);
        }
        Ok(())
    }

    /// Gives each world its own values of the selected parameters, (worlds, selected). If a world's values are invalid
    /// (a negative mass), returns an error and changes nothing.
    pub fn set_params(&mut self, selection: &Selection, values: &[f64]) -> Result<(), BatchError> {
        self.check_selection(selection)?;
        check_size("parameters", values.len(), self.len() * selection.len())?;
        let Batch { resident, threads, .. } = self;
        threads.enter(|| resident.set_params(selection, values))
    }

    /// The failure of each world, if any, since it was last placed. A world that diverges returns to where it was
    /// placed and continues. A world that diverges in a [`forward`](Batch::forward) returns to where that began, and
    /// waits.
    pub fn failures(&self) -> Vec<Option<Failure>> {
        self.resident.failures()
    }

    /// The largest residual of the contact solver in each world since it was last placed or since the last
    /// [`forward`](Batch::forward) began [m/s or rad/s].
    pub fn residuals(&self) -> Vec<f64> {
        self.resident.residuals()
    }

    /// Takes one step in every world. The inputs are asked for step 0.
    pub fn step(&mut self, inputs: &impl BatchInputs) -> Result<(), BatchError> {
        self.rollout(1, inputs)
    }

    /// Takes `steps` steps in every world. The inputs are asked for steps 0 to `steps` − 1.
    pub fn rollout(&mut self, steps: usize, inputs: &impl BatchInputs) -> Result<(), BatchError> {
        self.rollout_with(steps, inputs, &NoTaps)
    }

    /// [`rollout`](Batch::rollout) with taps. Their memory is part of the states. It starts at zero, and is reset to
    /// zero when taps with a memory of a different size are used.
    pub fn rollout_with(
        &mut self,
        steps: usize,
        inputs: &impl BatchInputs,
        taps: &impl BatchTaps,
    ) -> Result<(), BatchError> {
        self.rollout_into(steps, inputs, taps, None)
    }

    /// [`rollout_with`](Batch::rollout_with) that also writes the states after each step.
    pub fn rollout_into(
        &mut self,
        steps: usize,
        inputs: &impl BatchInputs,
        taps: &impl BatchTaps,
        record: Option<BatchRecord<'_>>,
    ) -> Result<(), BatchError> {
        inputs.check(self.len(), self.resident.topology())?;
        let rows = self.rows(steps, record)?;
        let Batch { resident, threads, .. } = self;
        let resident = &mut **resident;
        threads.enter_for(resident.n_groups(), || {
            run_widest::<T, _>(Steps { resident, steps, inputs, taps, rows, kept: None })
        })
    }

    /// [`rollout`](Batch::rollout), after which `reader` writes some numbers of each world to `rows`, (worlds, width).
    /// With zero steps it reads the present states, without contacts.
    pub fn rollout_reading(
        &mut self,
        steps: usize,
        inputs: &impl BatchInputs,
        taps: &impl BatchTaps,
        reader: &impl BatchReader,
        rows: &mut [f64],
    ) -> Result<(), BatchError> {
        inputs.check(self.len(), self.resident.topology())?;
        check_size("rows", rows.len(), self.len() * reader.width())?;
        let Batch { resident, threads, .. } = self;
        let resident = &mut **resident;
        let call = StepsAndReading { resident, steps, inputs, taps, reader, rows };
        threads.enter(|| run_widest::<T, _>(call))
    }

    /// Runs `steps` steps of every world and keeps what [`backward`](Batch::backward) needs.
    pub fn forward(
        &mut self,
        steps: usize,
        inputs: &impl BatchInputs,
        taps: &impl BatchTaps,
    ) -> Result<(), BatchError> {
        self.forward_into(steps, inputs, taps, None)
    }

    /// [`forward`](Batch::forward) that also writes the states after each step.
    pub fn forward_into(
        &mut self,
        steps: usize,
        inputs: &impl BatchInputs,
        taps: &impl BatchTaps,
        record: Option<BatchRecord<'_>>,
    ) -> Result<(), BatchError> {
        inputs.check(self.len(), self.resident.topology())?;
        let rows = self.rows(steps, record)?;
        let Batch { resident, threads, gradient, .. } = self;
        let (resident, kept) = (&mut **resident, Some(*gradient));
        threads.enter_for(resident.n_groups(), || {
            run_widest::<T, _>(Steps { resident, steps, inputs, taps, rows, kept })
        })
    }

    /// The rows of a record that belong to each group of worlds.
    fn rows<'a>(
        &self,
        steps: usize,
        record: Option<BatchRecord<'a>>,
    ) -> Result<Vec<BatchRecord<'a>>, BatchError> {
        let Some(BatchRecord { mut q, mut v }) = record else { return Ok(Vec::new()) };
        let [nq, nv, _] = self.resident.sizes();
        check_size("record of q", q.len(), self.len() * steps * nq)?;
        check_size("record of v", v.len(), self.len() * steps * nv)?;
        let mut rows = Vec::new();
        let mut left = self.len();
        while left > 0 {
            let worlds = left.min(self.resident.lanes());
            let q = q.split_off_mut(..worlds * steps * nq).expect("the size was checked");
            let v = v.split_off_mut(..worlds * steps * nv).expect("the size was checked");
            rows.push(BatchRecord { q, v });
            left -= worlds;
        }
        Ok(rows)
    }

    /// The adjoint of the last [`forward`](Batch::forward), with respect to the selected parameters among others.
    /// Inputs and taps must be the same as in the forward pass. Each `forward` can be differentiated once, and only if
    /// no state or parameter was changed since; otherwise the call fails with [`BatchError::NothingKept`].
    pub fn backward(
        &mut self,
        inputs: &impl BatchInputs,
        taps: &impl BatchTaps,
        loss: &impl BatchLoss,
        selection: &Selection,
    ) -> Result<BatchGradient, BatchError> {
        inputs.check(self.len(), self.resident.topology())?;
        self.check_selection(selection)?;
        if !self.resident.is_kept() {
            return Err(BatchError::NothingKept);
        }
        let Batch { resident, threads, .. } = self;
        let resident = &mut **resident;
        threads.enter_for(resident.n_groups(), || {
            run_widest::<T, _>(Backward { resident, inputs, taps, loss, selection })
        })
    }
}

impl<T> Batch<T> {
    fn check_selection(&self, selection: &Selection) -> Result<(), BatchError> {
        let fits = selection.fits(self.resident.topology());
        if fits { Ok(()) } else { Err(BatchError::OtherSelection) }
    }
}

pub(crate) fn check_size(
    part: &'static str,
    given: usize,
    needed: usize,
) -> Result<(), BatchError> {
    if given == needed { Ok(()) } else { Err(BatchError::Array { part, given, needed }) }
}
