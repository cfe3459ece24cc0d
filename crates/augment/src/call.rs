//! One call of a network inside a step, and its adjoint.

use gradbody_math::{Scalar, Vec3};
use gradbody_neural::{ConservativeWork, NetworkCotangents, NetworkScratch, NetworkTrace};

use crate::Mode;
use crate::bound::RecordCotangents;
use crate::place::{Back, Place, Replaced};
use crate::plan::{Head, Piece, Source};

/// What a call read, computed and replaced.
#[derive(Clone, Debug)]
pub(crate) struct Call<S> {
    inputs: Vec<S>,
    network: NetworkTrace<S>,
    /// Velocities of a dissipative force.
    velocities: Vec<S>,
    /// The results of the head.
    found: Vec<S>,
    /// For each output: its value before, the change, and what the change replaced.
    values: Vec<S>,
    deltas: Vec<S>,
    replaced: Vec<Replaced<S>>,
}

/// Buffers of the calls of a piece, whose contents have no meaning between calls.
#[derive(Clone, Debug)]
pub(crate) struct CallScratch<S> {
    network: NetworkScratch<S>,
    conservative: Option<ConservativeWork<S>>,
    /// Cotangents of the inputs, the velocities, the network's outputs and the results of the head.
    inputs_bar: Vec<S>,
    velocities_bar: Vec<S>,
    outputs_bar: Vec<S>,
    found_bar: Vec<S>,
}

impl<S: Scalar> Call<S> {
    pub(crate) fn new(piece: &Piece) -> Self {
        let zeros = |n: usize| vec![S::ZERO; n];
        let n = piece.outputs.len();
        Call {
            inputs: zeros(piece.inputs.len()),
            network: NetworkTrace::new(&piece.network),
            velocities: zeros(n_velocities(piece)),
            found: zeros(n),
            values: zeros(n),
            deltas: zeros(n),
            replaced: vec![Replaced::Nothing; n],
        }
    }

    /// The memory of a recurrent network for the next step.
    pub(crate) fn remembered(&self) -> &[S] {
        self.network.memory()
    }
}

impl<S: Scalar> CallScratch<S> {
    pub(crate) fn new(piece: &Piece) -> Self {
        let zeros = |n: usize| vec![S::ZERO; n];
        CallScratch {
            network: NetworkScratch::new(&piece.network),
            conservative: match &piece.head {
                Head::Conservative(head) => Some(ConservativeWork::new(head)),
                _ => None,
            },
            inputs_bar: zeros(piece.inputs.len()),
            velocities_bar: zeros(n_velocities(piece)),
            outputs_bar: zeros(piece.network.n_outputs()),
            found_bar: zeros(piece.outputs.len()),
        }
    }
}

fn n_velocities(piece: &Piece) -> usize {
    match &piece.head {
        Head::Dissipative(_, sources) => sources.len(),
        _ => 0,
    }
}

/// Runs a piece. Reads the table, the memory and `place`; writes `call` and changes `place`.
pub(crate) fn forward<S: Scalar>(
    piece: &Piece,
    weights: &[S],
    (table, memory): (&[S], &[S]),
    call: &mut Call<S>,
    scratch: &mut CallScratch<S>,
    place: &mut impl Place<S>,
) {
    S::in_registers(
        #[inline(always)]
        || run(piece, weights, (table, memory), call, scratch, place),
    );
}

#[inline(always)]
fn run<S: Scalar>(
    piece: &Piece,
    weights: &[S],
    (table, memory): (&[S], &[S]),
    call: &mut Call<S>,
    scratch: &mut CallScratch<S>,
    place: &mut impl Place<S>,
) {
    let Call { inputs, network, velocities, found, values, deltas, replaced } = call;
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
            let Some(work) = &mut scratch.conservative else { return };
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
        replaced[0] = place.push(links, force, torque);
        return;
    }
    let live = place.live();
    for (k, output) in piece.outputs.iter().enumerate() {
        values[k] = place.read(*output);
        deltas[k] = live
            * match piece.mode {
                Mode::Add => found[k],
                Mode::Scale => values[k] * found[k],
                Mode::Replace => found[k] - values[k],
            };
        replaced[k] = place.change(*output, deltas[k]);
    }
}

#[inline(always)]
fn push_of<S: Scalar>(found: &[S], torque: bool) -> (Vec3<S>, Vec3<S>) {
    let vector = |from: usize| Vec3::new(found[from], found[from + 1], found[from + 2]);
    (vector(0), if torque { vector(3) } else { Vec3::ZERO })
}

/// Adjoint of [`forward`]: reads weights, memory and the call; restores in `place` what the call replaced, and adds to
/// the cotangents.
pub(crate) fn backward<S: Scalar>(
    piece: &Piece,
    of: (&[S], &[S], &Call<S>),
    weights_bar: &mut [S],
    record_bar: &mut RecordCotangents<S>,
    scratch: &mut CallScratch<S>,
    place: &mut impl Back<S>,
) {
    S::in_registers(
        #[inline(always)]
        || run_back(piece, of, weights_bar, record_bar, scratch, place),
    );
}

#[inline(always)]
fn run_back<S: Scalar>(
    piece: &Piece,
    (weights, memory, call): (&[S], &[S], &Call<S>),
    weights_bar: &mut [S],
    record_bar: &mut RecordCotangents<S>,
    scratch: &mut CallScratch<S>,
    place: &mut impl Back<S>,
) {
    match piece.head {
        Head::Symmetric(links, torque) => {
            let (force, _) = push_of(&call.found, torque);
            let (force_bar, moment_bar) = place.push_vjp(links, force, &call.replaced[0]);
            scratch.found_bar[..3].copy_from_slice(&force_bar.to_array());
            if torque {
                scratch.found_bar[3..6].copy_from_slice(&moment_bar.to_array());
            }
        }
        _ => outputs_back(piece, call, &mut scratch.found_bar, place),
    }
    let CallScratch { network, conservative, inputs_bar, velocities_bar, .. } = scratch;
    let CallScratch { outputs_bar, found_bar, .. } = scratch;
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
            head.force_vjp(weights, &call.inputs, found_bar, work, inputs_bar, weights_bar);
        }
        Head::Dissipative(head, sources) => {
            found_bar.iter_mut().for_each(|bar| *bar *= scale.abs());
            velocities_bar.fill(S::ZERO);
            let outputs = call.network.outputs();
            head.force_vjp(outputs, &call.velocities, found_bar, outputs_bar, velocities_bar);
            for (bar, source) in velocities_bar.iter().zip(sources) {
                read_back(*source, *bar, record_bar, place);
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
        let next = &mut record_bar.next_memory[own.clone()];
        let bar = NetworkCotangents {
            outputs: outputs_bar,
            next_memory: next,
            inputs: inputs_bar,
            memory: &mut record_bar.memory[own.clone()],
            weights: Some(weights_bar),
        };
        piece.network.vjp(weights, &memory[own], &call.network, network, bar);
        // Only the last forward evaluation writes the memory; zero its cotangent after use.
        next.fill(S::ZERO);
    }
    for (bar, from) in inputs_bar.iter().zip(&piece.inputs) {
        read_back(from.source, *bar * S::from_f64(from.rate), record_bar, place);
    }
}

/// Adjoint of reading an input: passes its cotangent on to its source.
#[inline(always)]
fn read_back<S: Scalar>(
    source: Source,
    bar: S,
    record_bar: &mut RecordCotangents<S>,
    place: &mut impl Back<S>,
) {
    match source {
        Source::Slot(slot) => record_bar.table[slot] += bar,
        Source::Past(k) => record_bar.memory[k] += bar,
        Source::Here(signal) => place.read_vjp(signal, bar),
    }
}

/// Adjoint of the changes of a piece's outputs, to `found_bar`.
#[inline(always)]
fn outputs_back<S: Scalar>(
    piece: &Piece,
    call: &Call<S>,
    found_bar: &mut [S],
    place: &mut impl Back<S>,
) {
    let Call { found, values, deltas, replaced, .. } = call;
    let live = place.live();
    let mut live_bar = S::ZERO;
    for (k, output) in piece.outputs.iter().enumerate().rev() {
        let change_bar = place.change_vjp(*output, deltas[k], &replaced[k]);
        let change = match piece.mode {
            Mode::Add => found[k],
            Mode::Scale => values[k] * found[k],
            Mode::Replace => found[k] - values[k],
        };
        live_bar = change_bar.mul_add(change, live_bar);
        let delta_bar = change_bar * live;
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
    place.live_vjp(live_bar);
}
