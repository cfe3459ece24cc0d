//! A plan with its weights, as it runs inside a step.
//!
//! In the forward pass, each stage records in a table what is read there and runs its networks. In the backward pass,
//! each stage runs their adjoints in reverse order. Cotangents of inputs wait in the table until the pass reaches the
//! stage that recorded them.

use std::sync::Arc;

use gradbody_math::Scalar;
use gradbody_sim::{State, TapRecord};

use crate::call::{Call, CallScratch, backward, forward};
use crate::place::{Back, Place};
use crate::{BlueprintError, Plan, Stage};

/// Networks inside a step, with weights: taps for [`step`](gradbody_sim::step()) and its adjoint.
#[derive(Clone, Debug)]
pub struct Bound<S> {
    pub(crate) plan: Arc<Plan>,
    /// The weights, one network after another: see [`Plan::networks`].
    pub weights: Vec<S>,
    /// Their cotangents. The backward pass of every step adds to them; a rollout starts from zero.
    pub weights_bar: Vec<S>,
    pub(crate) record_bar: RecordCotangents<S>,
    /// Buffers of each piece.
    pub(crate) scratch: Vec<CallScratch<S>>,
    /// Cotangents of the model's numbers that change in each step, summed over the steps already differentiated.
    pub(crate) later_params_bar: Vec<S>,
    /// Whether anything is read or changed at each stage.
    pub(crate) busy: [bool; Stage::ALL.len()],
    /// Number of signals of the input that are read.
    pub(crate) n_signals: usize,
}

/// What networks read, computed and replaced in an evaluation: their part of the step's trace.
#[derive(Clone)]
pub(crate) struct NetworksRecord<S> {
    plan: Arc<Plan>,
    /// The values that were read.
    pub(crate) table: Vec<S>,
    /// The memory of the step before.
    pub(crate) memory: Vec<S>,
    /// The calls of each piece: one, or one for each contact.
    pub(crate) calls: Vec<Vec<Call<S>>>,
}

/// Cotangents that wait for the stage that recorded their value.
#[derive(Clone, Debug)]
pub(crate) struct RecordCotangents<S> {
    pub(crate) table: Vec<S>,
    pub(crate) memory: Vec<S>,
    /// Of the memory for the next step.
    pub(crate) next_memory: Vec<S>,
}

impl<S: Scalar> NetworksRecord<S> {
    fn new(plan: &Arc<Plan>) -> Self {
        NetworksRecord {
            plan: plan.clone(),
            table: vec![S::ZERO; plan.n_slots],
            memory: vec![S::ZERO; plan.n_memory()],
            calls: plan.pieces.iter().map(|piece| vec![Call::new(piece)]).collect(),
        }
    }

    /// The record of these networks, to be overwritten; created if there is none.
    pub(crate) fn in_record<'a>(plan: &Arc<Plan>, record: &'a mut TapRecord) -> &'a mut Self {
        let noted = record.get_or_insert_with(|| NetworksRecord::new(plan));
        if !Arc::ptr_eq(&noted.plan, plan) {
            *noted = NetworksRecord::new(plan);
        }
        noted
    }

    /// The record of these networks in a step, if they took part in it.
    pub(crate) fn find<'a>(plan: &Arc<Plan>, record: &'a TapRecord) -> Option<&'a Self> {
        record.get::<Self>().filter(|noted| Arc::ptr_eq(&noted.plan, plan))
    }

    /// The record of these networks in the step that is being differentiated.
    pub(crate) fn of<'a>(plan: &Arc<Plan>, record: &'a TapRecord) -> &'a Self {
        Self::find(plan, record).expect("the adjoint of a step needs the same networks as the step")
    }
}

impl<S: Scalar> Bound<S> {
    /// A plan with these weights. Fails if their number is wrong.
    pub fn new(plan: Arc<Plan>, weights: Vec<S>) -> Result<Self, BlueprintError> {
        plan.check_weights(&weights)?;
        Ok(Bound::with_buffers(plan, weights))
    }

    fn with_buffers(plan: Arc<Plan>, weights: Vec<S>) -> Self {
        let zeros = |n: usize| vec![S::ZERO; n];
        Bound {
            weights_bar: zeros(weights.len()),
            weights,
            record_bar: RecordCotangents {
                table: zeros(plan.n_slots),
                memory: zeros(plan.n_memory()),
                next_memory: zeros(plan.n_memory()),
            },
            scratch: plan.pieces.iter().map(CallScratch::new).collect(),
            later_params_bar: zeros(plan.params.len()),
            n_signals: plan.n_signals(),
            busy: core::array::from_fn(|k| !(plan.at[k].is_empty() && plan.reads[k].is_empty())),
            plan,
        }
    }

    /// The plan.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Prepares an initial state: clears the memory.
    pub fn begin(&self, state: &mut State<S>) {
        state.memory.clear();
        state.memory.resize(self.plan.n_memory(), S::ZERO);
    }

    /// Reads the memory from the state.
    pub(crate) fn recall(&self, record: &mut TapRecord, state: &State<S>) {
        assert_eq!(
            state.memory.len(),
            self.plan.n_memory(),
            "the state's memory has the size that these networks need: see Bound::begin"
        );
        assert_eq!(
            self.weights.len(),
            self.weights_bar.len(),
            "the number of weights is that of the plan"
        );
        NetworksRecord::in_record(&self.plan, record).memory.copy_from_slice(&state.memory);
    }

    /// Records what is read at a stage, and runs its networks.
    #[inline(always)]
    pub(crate) fn at(&mut self, stage: Stage, record: &mut TapRecord, mut place: impl Place<S>) {
        if self.busy[stage.index()] {
            self.run_at(stage, record, &mut place);
        }
    }

    fn run_at(&mut self, stage: Stage, record: &mut TapRecord, place: &mut impl Place<S>) {
        let Bound { plan, weights, scratch, .. } = self;
        let noted = NetworksRecord::in_record(plan, record);
        let note = |noted: &mut NetworksRecord<S>, place: &_| {
            for read in &plan.reads[stage.index()] {
                noted.table[read.slot] = Place::read(place, read.signal);
            }
        };
        note(noted, &*place);
        for &i in &plan.at[stage.index()] {
            let NetworksRecord { table, memory, calls, .. } = noted;
            let known = (&table[..], &memory[..]);
            forward(&plan.pieces[i], weights, known, &mut calls[i][0], &mut scratch[i], place);
            // A change of one signal can change others: a force in the world's axes and in the link's.
            note(noted, &*place);
        }
    }

    /// Adjoint of [`at`](Bound::at).
    #[inline(always)]
    pub(crate) fn back(&mut self, stage: Stage, record: &TapRecord, mut place: impl Back<S>) {
        if self.busy[stage.index()] {
            self.run_back(stage, record, &mut place);
        }
    }

    fn run_back(&mut self, stage: Stage, record: &TapRecord, place: &mut impl Back<S>) {
        let Bound { plan, weights, weights_bar, record_bar, scratch, .. } = self;
        let noted = NetworksRecord::of(plan, record);
        let note_vjp = |record_bar: &mut RecordCotangents<S>, place: &mut _| {
            for read in &plan.reads[stage.index()] {
                let bar = core::mem::replace(&mut record_bar.table[read.slot], S::ZERO);
                Back::read_vjp(place, read.signal, bar);
            }
        };
        for &i in plan.at[stage.index()].iter().rev() {
            note_vjp(record_bar, &mut *place);
            let of = (weights.as_slice(), noted.memory.as_slice(), &noted.calls[i][0]);
            backward(&plan.pieces[i], of, weights_bar, record_bar, &mut scratch[i], place);
        }
        note_vjp(record_bar, place);
    }
}

impl Bound<f64> {
    /// The same networks in another scalar: equal in every lane, with zero derivatives.
    pub fn cast<T: Scalar>(&self) -> Bound<T> {
        let weights = self.weights.iter().map(|w| T::from_f64(*w)).collect();
        Bound::with_buffers(self.plan.clone(), weights)
    }
}
