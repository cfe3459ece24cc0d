//! A call of a batch on all its groups, in lanes of one kind.
//!
//! [`Simulated::in_batch`] runs it, so that it is compiled in this crate; callers compile the kernels at the end of this
//! file, which only wrap what they gave into tables.

use gradbody_model::Selection;
use rayon::prelude::*;

use super::inputs::BatchInputs;
use super::reader::{BatchReader, GroupEnd};
use super::resident::{Group, Lanes, Lease, Make, Resident, on_lanes};
use super::results::{BatchGradient, BatchRecord, Rows};
use super::tables::{MakeInputs, MakeLoss, MakeReader, MakeTaps};
use crate::state::in_lane;
use crate::{
    BatchError, BatchLoss, BatchTaps, Failure, Gradient, GradientOptions, Kernel, LossCotangents,
    Moment, Rollout, RolloutTrace, Simulated, rollout_backward, rollout_forward,
};

/// What a batch does with all its worlds.
#[allow(missing_debug_implementations)]
pub struct BatchCall<'a, S> {
    resident: &'a mut dyn Lanes,
    inputs: &'a dyn MakeInputs<S>,
    taps: &'a dyn MakeTaps<S>,
    work: Work<'a, S>,
}

enum Work<'a, S> {
    Advance { steps: usize, rows: Vec<BatchRecord<'a>> },
    Read { steps: usize, reader: &'a dyn MakeReader<S>, rows: &'a mut [f64] },
    Forward { steps: usize, how: GradientOptions, rows: Vec<BatchRecord<'a>> },
    Backward { loss: &'a dyn MakeLoss<S>, selection: &'a Selection, found: &'a mut BatchGradient },
}

impl<S: Simulated> BatchCall<'_, S> {
    pub(crate) fn run(self) -> Result<(), BatchError> {
        let BatchCall { resident, inputs, taps, work } = self;
        let resident = on_lanes::<S>(resident);
        match work {
            Work::Advance { steps, rows } => advance(resident, steps, inputs, taps, rows),
            Work::Read { steps, reader, rows } => read(resident, steps, inputs, taps, reader, rows),
            Work::Forward { steps, how, rows } => forward(resident, steps, inputs, taps, how, rows),
            Work::Backward { loss, selection, found } => {
                backward(resident, inputs, taps, loss, selection, found);
                Ok(())
            }
        }
    }
}

fn advance<S: Simulated>(
    resident: &mut Resident<S>,
    steps: usize,
    inputs: &dyn MakeInputs<S>,
    taps: &dyn MakeTaps<S>,
    rows: Vec<BatchRecord<'_>>,
) -> Result<(), BatchError> {
    let n_memory = taps.memory();
    let done = resident.each(inputs, rows, |group, mut rows, options, inputs, lease| {
        let mut taps = taps.taps_of(&group.worlds);
        group.make_memory(n_memory, &*taps);
        let buffers = lease.buffers(&group.model);
        (0..steps).try_for_each(|k| {
            group.step(k, options, inputs, &mut *taps, buffers)?;
            if let Some(rows) = &mut rows {
                rows.write(k, steps, &group.state);
            }
            Ok(())
        })
    });
    done.into_iter().collect()
}

/// Steps, and then reads numbers of each world into `rows`, (worlds, numbers).
fn read<S: Simulated>(
    resident: &mut Resident<S>,
    steps: usize,
    inputs: &dyn MakeInputs<S>,
    taps: &dyn MakeTaps<S>,
    reader: &dyn MakeReader<S>,
    rows: &mut [f64],
) -> Result<(), BatchError> {
    let n_memory = taps.memory();
    let Resident { groups, options, buffers, .. } = resident;
    let (options, buffers, width) = (&*options, &*buffers, reader.numbers());
    let Some(model) = groups.first().map(|group| group.model.clone()) else {
        return Ok(());
    };
    let mut rows: Vec<&mut [f64]> = rows.chunks_mut((S::LANES * width).max(1)).collect();
    rows.resize_with(groups.len(), Default::default);
    groups.par_iter_mut().zip(rows).try_for_each_init(
        || {
            let (inputs, reader) = (inputs.make_inputs(&model), reader.reader(&model));
            (inputs, Lease::new(buffers), reader, vec![S::ZERO; width])
        },
        |(inputs, lease, reader, row), (group, rows)| {
            inputs.turn_to(&group.worlds);
            let mut taps = taps.taps_of(&group.worlds);
            group.make_memory(n_memory, &*taps);
            let buffers = lease.buffers(&group.model);
            for k in 0..steps {
                group.step(k, options, &mut **inputs, &mut *taps, buffers)?;
            }
            let contacts = if steps == 0 { &[] } else { buffers.last.contacts() };
            let Group { worlds, model, state, .. } = &*group;
            reader.read(&GroupEnd { worlds, model, state, contacts }, row);
            for (lane, world) in rows.chunks_mut(width.max(1)).enumerate() {
                world.iter_mut().zip(row.iter()).for_each(|(to, x)| *to = x.lane(lane));
            }
            Ok(())
        },
    )
}

fn forward<S: Simulated>(
    resident: &mut Resident<S>,
    steps: usize,
    inputs: &dyn MakeInputs<S>,
    taps: &dyn MakeTaps<S>,
    how: GradientOptions,
    rows: Vec<BatchRecord<'_>>,
) -> Result<(), BatchError> {
    let n_memory = taps.memory();
    let done = resident.each(inputs, rows, |group, mut rows, options, inputs, _| {
        let mut taps = taps.taps_of(&group.worlds);
        group.make_memory(n_memory, &*taps);
        let Group { model, state, home, failures, residual, kept, .. } = group;
        let since = &mut group.steps_since_home;
        home.copy_from(state);
        *since = S::from_f64(steps as f64);
        let trace = kept.get_or_insert_with(|| Box::new(RolloutTrace::new(model)));
        let rollout = Rollout { model, start: home, steps, options };
        let record = |at: &Moment<'_, S>| {
            if let Some(rows) = &mut rows {
                rows.write(at.step, steps, at.state);
            }
        };
        let rolled = rollout_forward(&rollout, inputs, &mut *taps, &how, record, trace);
        if let Some(Failure::MissingSignals { given, needed }) = rolled.failures[0] {
            trace.forget();
            *since = S::ZERO;
            return Err(BatchError::Signals { given, needed });
        }
        state.copy_from(&rolled.end);
        *residual = rolled.residual;
        for (lane, new) in rolled.failures.into_iter().enumerate() {
            if let (Some(rows), Some(failure)) = (&mut rows, new) {
                let from = match failure {
                    Failure::Diverged { step, .. } => step,
                    _ => 0,
                };
                rows.lose(lane, from, steps, [model.nq(), model.nv()]);
            }
            if new.is_some() {
                // A failed world returns to its start even if its neighbours did not fail.
                state.return_lane(lane, home);
                state.time = in_lane(state.time, lane, home.time.lane(lane));
                *since = in_lane(*since, lane, 0.0);
            }
            failures[lane] = failures[lane].or(new);
        }
        Ok(())
    });
    done.into_iter().collect()
}

fn backward<S: Simulated>(
    resident: &mut Resident<S>,
    inputs: &dyn MakeInputs<S>,
    taps: &dyn MakeTaps<S>,
    loss: &dyn MakeLoss<S>,
    selection: &Selection,
    all: &mut BatchGradient,
) {
    let worlds = resident.worlds;
    let found = resident.each(inputs, Vec::new(), |group, _, _, inputs, _| {
        let mut taps = taps.taps_of(&group.worlds);
        let mut loss = loss.loss_of(&group.model, &group.worlds);
        let Group { model, kept, .. } = group;
        let trace = kept.get_or_insert_with(|| Box::new(RolloutTrace::new(model)));
        let too_few = loss.check(trace.kept_steps().unwrap_or(0));
        let judge = |at: &Moment<'_, S>, bars: &mut LossCotangents<'_, S>| {
            loss.cost_vjp(at, S::ONE, bars);
            loss.cost(at)
        };
        let gradient = match too_few {
            Err(too_few) => Gradient::failed(model, Failure::TooFewTargets(too_few)),
            Ok(()) => rollout_backward(model, inputs, &mut *taps, judge, trace),
        };
        Rows {
            params: selection.gradient(model, &gradient.params),
            inputs: inputs.numbers_bar().to_vec(),
            taps: taps.weights_bar().to_vec(),
            gradient,
        }
    });
    for world in 0..worlds {
        found[world / S::LANES].write(world % S::LANES, all);
    }
}

// --- what callers compile ---------------------------------------------------------------------------

impl Kernel for Make<'_> {
    type Output = Box<dyn Lanes>;

    fn run<S: Simulated>(self) -> Box<dyn Lanes> {
        S::new_batch(self)
    }
}

/// Steps, and how to keep them.
pub(super) struct Steps<'a, I, P> {
    pub(super) resident: &'a mut dyn Lanes,
    pub(super) steps: usize,
    pub(super) inputs: &'a I,
    pub(super) taps: &'a P,
    pub(super) rows: Vec<BatchRecord<'a>>,
    /// How the steps will be differentiated, if they will.
    pub(super) kept: Option<GradientOptions>,
}

impl<I: BatchInputs, P: BatchTaps> Kernel for Steps<'_, I, P> {
    type Output = Result<(), BatchError>;

    fn run<S: Simulated>(self) -> Result<(), BatchError> {
        let Steps { resident, steps, inputs, taps, rows, kept } = self;
        let work = match kept {
            None => Work::Advance { steps, rows },
            Some(how) => Work::Forward { steps, how, rows },
        };
        S::in_batch(BatchCall { resident, inputs, taps, work })
    }
}

pub(super) struct StepsAndReading<'a, I, P, R> {
    pub(super) resident: &'a mut dyn Lanes,
    pub(super) steps: usize,
    pub(super) inputs: &'a I,
    pub(super) taps: &'a P,
    pub(super) reader: &'a R,
    /// (worlds, width).
    pub(super) rows: &'a mut [f64],
}

impl<I: BatchInputs, P: BatchTaps, R: BatchReader> Kernel for StepsAndReading<'_, I, P, R> {
    type Output = Result<(), BatchError>;

    fn run<S: Simulated>(self) -> Result<(), BatchError> {
        let StepsAndReading { resident, steps, inputs, taps, reader, rows } = self;
        let work = Work::Read { steps, reader, rows };
        S::in_batch(BatchCall { resident, inputs, taps, work })
    }
}

pub(super) struct Backward<'a, I, P, L> {
    pub(super) resident: &'a mut dyn Lanes,
    pub(super) inputs: &'a I,
    pub(super) taps: &'a P,
    pub(super) loss: &'a L,
    pub(super) selection: &'a Selection,
}

impl<I: BatchInputs, P: BatchTaps, L: BatchLoss> Kernel for Backward<'_, I, P, L> {
    type Output = Result<BatchGradient, BatchError>;

    fn run<S: Simulated>(self) -> Result<BatchGradient, BatchError> {
        let Backward { resident, inputs, taps, loss, selection } = self;
        let mut found = BatchGradient::default();
        let work = Work::Backward { loss, selection, found: &mut found };
        S::in_batch(BatchCall { resident, inputs, taps, work })?;
        Ok(found)
    }
}
