//! A plan with its weights: what runs inside a step.
//!
//! Forwards, each stage notes in a table what is read there and runs its networks. Backwards, each stage
//! runs their adjoints in reverse; the cotangents of what they read wait in the table until the stage is
//! reached where that was noted.

use std::sync::Arc;

use gradbody_math::{Scalar, Vec3};
use gradbody_model::Model;
use gradbody_neural::{ConservativeWork, NetworkCotangents, NetworkWork};
use gradbody_sim::State;

use crate::place::{Back, Place};
use crate::plan::{Head, Piece, Source};
use crate::{BlueprintError, Mode, Plan, Stage};

/// Networks inside a step, with weights: taps for [`step`](gradbody_sim::step) and its adjoint.
#[derive(Clone, Debug)]
pub struct Bound<S> {
    pub(crate) plan: Arc<Plan>,
    /// The weights, one network after the other: see [`Plan::networks`].
    pub weights: Vec<S>,
    /// Their cotangents. Added to by every step that is gone back over; a rollout begins with zero.
    pub weights_bar: Vec<S>,
    pub(crate) run: Run<S>,
    /// The model with the numbers of a step, if any change.
    pub(crate) lent: Option<Model<S>>,
    /// Cotangents of those numbers over the steps before.
    pub(crate) aside: Vec<S>,
    /// Whether anything is read or changed at each stage.
    pub(crate) busy: [bool; Stage::ALL.len()],
}

/// What is known of a step.
#[derive(Clone, Debug)]
pub(crate) struct Run<S> {
    pub(crate) table: Vec<S>,
    pub(crate) table_bar: Vec<S>,
    /// What is remembered from the step before.
    pub(crate) memory: Vec<S>,
    pub(crate) memory_bar: Vec<S>,
    /// Cotangents of what is remembered for the next.
    pub(crate) next_bar: Vec<S>,
    /// Of each piece, each evaluation: one, or one for each contact.
    pub(crate) works: Vec<Vec<Work<S>>>,
}

/// One evaluation of a network.
#[derive(Clone, Debug)]
pub(crate) struct Work<S> {
    inputs: Vec<S>,
    inputs_bar: Vec<S>,
    network: NetworkWork<S>,
    conservative: Option<ConservativeWork<S>>,
    /// Velocities of a dissipative force.
    velocities: Vec<S>,
    velocities_bar: Vec<S>,
    /// The network's outputs, and their cotangents.
    outputs_bar: Vec<S>,
    /// What the head makes of them, and its cotangents.
    found: Vec<S>,
    found_bar: Vec<S>,
    /// Of each output: its value before, the change, and what is kept to take it back.
    values: Vec<S>,
    deltas: Vec<S>,
    kept: Vec<Vec3<S>>,
}

impl<S: Scalar> Work<S> {
    fn new(piece: &Piece) -> Self {
        let zeros = |n: usize| vec![S::ZERO; n];
        let (n_in, n) = (piece.inputs.len(), piece.outputs.len());
        let n_velocities = match &piece.head {
            Head::Dissipative(_, sources) => sources.len(),
            _ => 0,
        };
        Work {
            inputs: zeros(n_in),
            inputs_bar: zeros(n_in),
            network: NetworkWork::new(&piece.network),
            conservative: match &piece.head {
                Head::Conservative(head) => Some(ConservativeWork::new(head)),
                _ => None,
            },
            velocities: zeros(n_velocities),
            velocities_bar: zeros(n_velocities),
            outputs_bar: zeros(piece.network.n_outputs()),
            found: zeros(n),
            found_bar: zeros(n),
            values: zeros(n),
            deltas: zeros(n),
            kept: vec![Vec3::ZERO; n],
        }
    }

    /// What a recurrent network remembers for the next step.
    pub(crate) fn remembered(&self) -> &[S] {
        self.network.memory()
    }
}

impl<S: Scalar> Bound<S> {
    /// A plan with these weights.
    pub fn new(plan: Arc<Plan>, weights: Vec<S>) -> Result<Self, BlueprintError> {
        plan.check_weights(&weights)?;
        Ok(Bound::with_buffers(plan, weights))
    }

    fn with_buffers(plan: Arc<Plan>, weights: Vec<S>) -> Self {
        let zeros = |n: usize| vec![S::ZERO; n];
        Bound {
            weights_bar: zeros(weights.len()),
            weights,
            run: Run {
                table: zeros(plan.n_slots),
                table_bar: zeros(plan.n_slots),
                memory: zeros(plan.n_memory()),
                memory_bar: zeros(plan.n_memory()),
                next_bar: zeros(plan.n_memory()),
                works: plan.pieces.iter().map(|piece| vec![Work::new(piece)]).collect(),
            },
            lent: None,
            aside: zeros(plan.params.len()),
            busy: core::array::from_fn(|k| !(plan.at[k].is_empty() && plan.reads[k].is_empty())),
            plan,
        }
    }

    /// The plan.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Makes a state one to begin with: nothing is remembered.
    pub fn begin(&self, state: &mut State<S>) {
        state.memory.clear();
        state.memory.resize(self.plan.n_memory(), S::ZERO);
    }

    /// Takes what is remembered from the state.
    pub(crate) fn recall(&mut self, state: &State<S>) {
        assert_eq!(
            state.memory.len(),
            self.run.memory.len(),
            "a state that remembers what these networks do: see Bound::begin"
        );
        assert_eq!(self.weights.len(), self.weights_bar.len(), "as many weights as the plan has");
        self.run.memory.copy_from_slice(&state.memory);
    }

    /// Notes what is read at a stage, and runs its networks.
    #[inline(always)]
    pub(crate) fn at(&mut self, stage: Stage, mut place: impl Place<S>) {
        if self.busy[stage.index()] {
            self.run_at(stage, &mut place);
        }
    }

    fn run_at(&mut self, stage: Stage, place: &mut impl Place<S>) {
        let plan = &*self.plan;
        let note = |run: &mut Run<S>, place: &_| {
            for read in &plan.reads[stage.index()] {
                run.table[read.slot] = Place::read(place, read.signal);
            }
        };
        note(&mut self.run, &*place);
        for &i in &plan.at[stage.index()] {
            forward(&plan.pieces[i], &self.weights, i, 0, &mut self.run, place);
            // A change of one signal can be one of others: a force in the world's axes and in the link's.
            note(&mut self.run, &*place);
        }
    }

    /// Back over [`at`](Bound::at).
    #[inline(always)]
    pub(crate) fn back(&mut self, stage: Stage, mut place: impl Back<S>) {
        if self.busy[stage.index()] {
            self.run_back(stage, &mut place);
        }
    }

    fn run_back(&mut self, stage: Stage, place: &mut impl Back<S>) {
        let plan = &*self.plan;
        let note_vjp = |run: &mut Run<S>, place: &mut _| {
            for read in &plan.reads[stage.index()] {
                let bar = core::mem::replace(&mut run.table_bar[read.slot], S::ZERO);
                Back::read_vjp(place, read.signal, bar);
            }
        };
        for &i in plan.at[stage.index()].iter().rev() {
            note_vjp(&mut self.run, &mut *place);
            let (weights, bars) = (&self.weights, &mut self.weights_bar);
            backward(&plan.pieces[i], weights, bars, i, 0, &mut self.run, place);
        }
        note_vjp(&mut self.run, place);
    }
}

impl Bound<f64> {
    /// The same in another scalar: in every lane, with zero derivatives.
    pub fn cast<T: Scalar>(&self) -> Bound<T> {
        let weights = self.weights.iter().map(|w| T::from_f64(*w)).collect();
        Bound::with_buffers(self.plan.clone(), weights)
    }
}

/// Runs a piece for the `e`th time.
pub(crate) fn forward<S: Scalar>(
    piece: &Piece,
    weights: &[S],
    i: usize,
    e: usize,
    run: &mut Run<S>,
    place: &mut impl Place<S>,
) {
    let Run { table, memory, works, .. } = run;
    while works[i].len() <= e {
        works[i].push(Work::new(piece));
    }
    let Work { inputs, network, conservative, velocities, found, values, deltas, kept, .. } =
        &mut works[i][e];
    let read = |source: Source, place: &_| match source {
        Source::Slot(slot) => table[slot],
        Source::Past(k) => memory[k],
        Source::Here(signal) => Place::read(place, signal),
    };
    for (x, from) in inputs.iter_mut().zip(&piece.inputs) {
        let (mean, rate) = (S::from_f64(from.mean), S::from_f64(from.rate));
        *x = (read(from.source, &*place) - mean) * rate;
    }
    let weights = &weights[piece.weights.clone()];
    let scale = S::from_f64(piece.output_scale);
    match &piece.head {
        Head::Conservative(head) => {
            let Some(work) = conservative else { return };
            head.force(weights, inputs, work, found);
            for (f, from) in found.iter_mut().zip(&piece.inputs) {
                *f *= S::from_f64(from.rate) * scale;
            }
        }
        Head::Dissipative(head, sources) => {
            piece.network.forward(weights, inputs, &memory[piece.memory.clone()], network);
            for (v, source) in velocities.iter_mut().zip(sources) {
                *v = read(*source, &*place);
            }
            head.force(network.outputs(), velocities, found);
            found.iter_mut().for_each(|f| *f *= scale.abs());
        }
        Head::Free | Head::Symmetric(..) => {
            piece.network.forward(weights, inputs, &memory[piece.memory.clone()], network);
            for (f, y) in found.iter_mut().zip(network.outputs()) {
                *f = *y * scale;
            }
        }
    }
    if let Head::Symmetric(links, torque) = piece.head {
        let (force, torque) = push_of(found, torque);
        return place.push(links, force, torque);
    }
    let live = place.live();
    for (k, output) in piece.outputs.iter().enumerate() {
        values[k] = place.read(*output);
        kept[k] = place.kept();
        deltas[k] = live
            * match piece.mode {
                Mode::Add => found[k],
                Mode::Scale => values[k] * found[k],
                Mode::Replace => found[k] - values[k],
            };
        place.change(*output, deltas[k]);
    }
}

fn push_of<S: Scalar>(found: &[S], torque: bool) -> (Vec3<S>, Vec3<S>) {
    let vector = |from: usize| Vec3::new(found[from], found[from + 1], found[from + 2]);
    (vector(0), if torque { vector(3) } else { Vec3::ZERO })
}

/// Back over [`forward`].
pub(crate) fn backward<S: Scalar>(
    piece: &Piece,
    weights: &[S],
    weights_bar: &mut [S],
    i: usize,
    e: usize,
    run: &mut Run<S>,
    place: &mut impl Back<S>,
) {
    let Run { table_bar, memory, memory_bar, next_bar, works, .. } = run;
    let work = &mut works[i][e];
    match piece.head {
        Head::Symmetric(links, torque) => {
            let (force, moment) = push_of(&work.found, torque);
            let (force_bar, moment_bar) = place.push_vjp(links, force, moment);
            work.found_bar[..3].copy_from_slice(&force_bar.to_array());
            if torque {
                work.found_bar[3..6].copy_from_slice(&moment_bar.to_array());
            }
        }
        _ => outputs_back(piece, work, place),
    }
    let Work { inputs, inputs_bar, network, conservative, velocities, velocities_bar, .. } = work;
    let Work { outputs_bar, found_bar, .. } = work;
    let range = piece.weights.clone();
    let (weights, weights_bar) = (&weights[range.clone()], &mut weights_bar[range]);
    let scale = S::from_f64(piece.output_scale);
    inputs_bar.fill(S::ZERO);
    outputs_bar.fill(S::ZERO);
    match &piece.head {
        Head::Conservative(head) => {
            let Some(work) = conservative else { return };
            for (bar, from) in found_bar.iter_mut().zip(&piece.inputs) {
                *bar *= S::from_f64(from.rate) * scale;
            }
            head.force_vjp(weights, inputs, found_bar, work, inputs_bar, weights_bar);
        }
        Head::Dissipative(head, sources) => {
            found_bar.iter_mut().for_each(|bar| *bar *= scale.abs());
            velocities_bar.fill(S::ZERO);
            head.force_vjp(network.outputs(), velocities, found_bar, outputs_bar, velocities_bar);
            for (bar, source) in velocities_bar.iter().zip(sources) {
                read_back(*source, *bar, table_bar, memory_bar, place);
            }
        }
        Head::Free | Head::Symmetric(..) => {
            for (bar, found) in outputs_bar.iter_mut().zip(found_bar.iter()) {
                *bar = *found * scale;
            }
        }
    }
    if !matches!(piece.head, Head::Conservative(_)) {
        let own = piece.memory.clone();
        let next = &mut next_bar[own.clone()];
        let bar = NetworkCotangents {
            outputs: outputs_bar,
            next_memory: next,
            inputs: inputs_bar,
            memory: &mut memory_bar[own.clone()],
            weights: Some(weights_bar),
        };
        piece.network.vjp(weights, &memory[own], network, bar);
        // Only the last forward evaluation writes the memory: zero its cotangent after use.
        next.fill(S::ZERO);
    }
    for (bar, from) in inputs_bar.iter().zip(&piece.inputs) {
        read_back(from.source, *bar * S::from_f64(from.rate), table_bar, memory_bar, place);
    }
}

/// Back over reading an input: its cotangent goes to where it came from.
fn read_back<S: Scalar>(
    source: Source,
    bar: S,
    table_bar: &mut [S],
    memory_bar: &mut [S],
    place: &mut impl Back<S>,
) {
    match source {
        Source::Slot(slot) => table_bar[slot] += bar,
        Source::Past(k) => memory_bar[k] += bar,
        Source::Here(signal) => place.read_vjp(signal, bar),
    }
}

/// Back over the changes of a piece's outputs.
fn outputs_back<S: Scalar>(piece: &Piece, work: &mut Work<S>, place: &mut impl Back<S>) {
    let Work { found, found_bar, values, deltas, kept, .. } = work;
    let live = place.live();
    for (k, output) in piece.outputs.iter().enumerate().rev() {
        let delta_bar = place.change_vjp(*output, deltas[k], kept[k]) * live;
        let (by_found, by_value) = match piece.mode {
            Mode::Add => (delta_bar, S::ZERO),
            Mode::Scale => (delta_bar * values[k], delta_bar * found[k]),
            Mode::Replace => (delta_bar, -delta_bar),
        };
        found_bar[k] = by_found;
        if piece.mode != Mode::Add {
            place.read_vjp(*output, by_value);
        }
    }
}
