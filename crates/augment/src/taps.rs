//! [`Bound`] as taps of a step.

use gradbody_contact::{Contact, ContactCotangents};
use gradbody_dynamics::{Kinematics, KinematicsCotangents};
use gradbody_math::{Force, Motion, Scalar};
use gradbody_model::{ContactLaw, Params};
use gradbody_sim::{
    BatchTaps, GroupTaps, Input, InputCotangents, Simulated, State, StateCotangents, TapRecord,
    Taps, TapsVjp,
};

use crate::bound::{Bound, NetworksRecord, RecordCotangents};
use crate::call::{Call, backward, forward};
use crate::place::{
    AtContact, AtContactBack, Coordinates, CoordinatesBack, Links, LinksBack, Numbers, NumbersBack,
    Start, StartBack, Wrenches, WrenchesBack, read_contact, read_contact_vjp, read_state,
    read_state_vjp,
};
use crate::{Mode, Pair, Plan, Signal, Stage};

impl<S: Scalar> Taps<S> for Bound<S> {
    #[inline(always)]
    fn is_idle(&self) -> bool {
        self.plan.pieces.is_empty()
    }

    fn expected_memory(&self) -> Option<usize> {
        (!self.is_idle()).then(|| self.plan.n_memory())
    }

    fn n_signals(&self) -> usize {
        self.n_signals
    }

    fn state(&mut self, record: &mut TapRecord, input: &Input<S>, state: &mut State<S>) {
        self.recall(record, state);
        if self.changes_state() {
            self.at(Stage::State, record, Start { input, state });
        }
    }

    #[inline(always)]
    fn changes_model(&self) -> bool {
        self.busy[Stage::Model.index()]
    }

    fn model(
        &mut self,
        record: &mut TapRecord,
        input: &Input<S>,
        state: &State<S>,
        params: &mut Params<S>,
    ) {
        self.note_state(record, input, state);
        self.at(Stage::Model, record, Numbers(params));
    }

    fn begin_evaluation(&mut self, first: &TapRecord, record: &mut TapRecord) {
        let first: &NetworksRecord<S> = NetworksRecord::of(&self.plan, first);
        let noted = NetworksRecord::in_record(&self.plan, record);
        noted.table.copy_from_slice(&first.table);
        noted.memory.copy_from_slice(&first.memory);
    }

    fn links(
        &mut self,
        record: &mut TapRecord,
        input: &Input<S>,
        state: &State<S>,
        kin: &mut Kinematics<S>,
    ) {
        self.note_state(record, input, state);
        // No contact, unless the contact stage, which is skipped if nothing touches, records one.
        let noted = NetworksRecord::in_record(&self.plan, record);
        self.plan.contact_slots().for_each(|slot| noted.table[slot] = S::ZERO);
        self.at(Stage::Links, record, Links(kin));
    }

    fn contacts(&mut self, record: &mut TapRecord, contacts: &mut [Contact<S>]) {
        if self.busy[Stage::ContactForces.index()] {
            self.check_laws(contacts);
        }
        self.at_contacts(Stage::Contacts, record, contacts);
    }

    #[inline(always)]
    fn acts_at_rigid_contacts(&self) -> bool {
        !self.plan.at[Stage::ContactForces.index()].is_empty()
    }

    fn contact_forces(&mut self, record: &mut TapRecord, contacts: &mut [Contact<S>]) {
        self.at_contacts(Stage::ContactForces, record, contacts);
    }

    fn wrenches(&mut self, record: &mut TapRecord, kin: &Kinematics<S>, external: &mut [Force<S>]) {
        self.at(Stage::Wrenches, record, Wrenches { kin, external });
    }

    fn actuator_forces(&mut self, record: &mut TapRecord, tau: &mut [S]) {
        self.at(Stage::Actuators, record, Coordinates(tau));
    }

    fn passive_forces(&mut self, record: &mut TapRecord, tau: &mut [S]) {
        self.at(Stage::Passive, record, Coordinates(tau));
    }

    #[inline(always)]
    fn replaced_joints(&self) -> &[usize] {
        &self.plan.replaced
    }

    #[inline(always)]
    fn looks_at_accelerations(&self) -> bool {
        self.busy[Stage::Accelerations.index()]
    }

    fn accelerations(&mut self, record: &mut TapRecord, qdd: &mut [S]) {
        self.at(Stage::Accelerations, record, Coordinates(qdd));
    }

    fn velocity(&mut self, record: &mut TapRecord, v: &mut [S]) {
        self.at(Stage::Velocity, record, Coordinates(v));
    }

    fn end(&mut self, record: &mut TapRecord, contacts: &[Contact<S>], state: &mut State<S>) {
        if self.plan.n_memory() == 0 {
            return;
        }
        let noted = NetworksRecord::in_record(&self.plan, record);
        note_contacts(&self.plan, Stage::End, contacts, noted);
        for register in &self.plan.registers {
            let memory = &mut state.memory[register.memory.clone()];
            memory.copy_within(..memory.len() - 1, 1);
            memory[0] = noted.table[register.slot];
        }
        for (piece, calls) in self.plan.pieces.iter().zip(&noted.calls) {
            if !piece.memory.is_empty() {
                state.memory[piece.memory.clone()].copy_from_slice(calls[0].remembered());
            }
        }
    }
}

impl<S: Scalar> TapsVjp<S> for Bound<S> {
    fn wrote(&self, record: &TapRecord) -> bool {
        self.is_idle() || NetworksRecord::<S>::find(&self.plan, record).is_some()
    }

    fn begin_back(&mut self) {
        self.weights_bar.fill(S::ZERO);
    }

    fn is_finite_in(&self, lane: usize) -> bool {
        self.weights_bar.iter().all(|bar| bar.lane(lane).is_finite())
    }

    fn forget_worlds(&mut self, failed: &dyn Fn(usize) -> bool) {
        if (0..S::LANES).any(failed) {
            for bar in &mut self.weights_bar {
                *bar = S::from_lanes(|lane| if failed(lane) { 0.0 } else { bar.lane(lane) });
            }
        }
    }

    fn begin_model_vjp(&mut self, params_bar: &mut Params<S>) {
        for (later_params_bar, id) in self.later_params_bar.iter_mut().zip(&self.plan.params) {
            *later_params_bar = params_bar.get(*id);
            params_bar.set(*id, S::ZERO);
        }
    }

    fn end_vjp(
        &mut self,
        _record: &TapRecord,
        contacts: &[Contact<S>],
        bars: &mut [ContactCotangents<S>],
        state_bar: &mut StateCotangents<S>,
    ) {
        let Bound { plan, record_bar, .. } = self;
        state_bar.memory.resize(plan.n_memory(), S::ZERO);
        record_bar.next_memory.copy_from_slice(&state_bar.memory);
        state_bar.memory.fill(S::ZERO);
        record_bar.memory.fill(S::ZERO);
        record_bar.table.fill(S::ZERO);
        for register in &plan.registers {
            let next = &record_bar.next_memory[register.memory.clone()];
            record_bar.table[register.slot] += next[0];
            let before = &mut record_bar.memory[register.memory.clone()];
            for (before, next) in before.iter_mut().zip(&next[1..]) {
                *before += *next;
            }
        }
        note_contacts_vjp(plan, Stage::End, contacts, record_bar, bars);
    }

    fn velocity_vjp(&mut self, record: &TapRecord, v_bar: &mut [S]) {
        self.back(Stage::Velocity, record, CoordinatesBack(v_bar));
    }

    fn accelerations_vjp(&mut self, record: &TapRecord, qdd_bar: &mut [S]) {
        self.back(Stage::Accelerations, record, CoordinatesBack(qdd_bar));
    }

    fn passive_forces_vjp(&mut self, record: &TapRecord, tau_bar: &mut [S]) {
        self.back(Stage::Passive, record, CoordinatesBack(tau_bar));
    }

    fn actuator_forces_vjp(&mut self, record: &TapRecord, tau_bar: &mut [S]) {
        self.back(Stage::Actuators, record, CoordinatesBack(tau_bar));
    }

    fn wrenches_vjp(
        &mut self,
        record: &TapRecord,
        kin: &Kinematics<S>,
        external: &mut [Force<S>],
        external_bar: &mut [Motion<S>],
        kin_bar: &mut KinematicsCotangents<S>,
    ) {
        let place = WrenchesBack { kin, external, bars: external_bar, kin_bar };
        self.back(Stage::Wrenches, record, place);
    }

    fn contact_forces_vjp(
        &mut self,
        record: &TapRecord,
        contacts: &mut [Contact<S>],
        bars: &mut [ContactCotangents<S>],
    ) {
        self.back_at_contacts(Stage::ContactForces, record, contacts, bars);
    }

    fn contacts_vjp(
        &mut self,
        record: &TapRecord,
        contacts: &mut [Contact<S>],
        bars: &mut [ContactCotangents<S>],
    ) {
        self.back_at_contacts(Stage::Contacts, record, contacts, bars);
    }

    fn links_vjp(
        &mut self,
        record: &TapRecord,
        kin: &mut Kinematics<S>,
        kin_bar: &mut KinematicsCotangents<S>,
        state_bar: &mut StateCotangents<S>,
        input_bar: &mut InputCotangents<S>,
    ) {
        let Bound { plan, record_bar, .. } = self;
        plan.contact_slots().for_each(|slot| record_bar.table[slot] = S::ZERO);
        self.back(Stage::Links, record, LinksBack { kin, bars: kin_bar });
        self.note_state_vjp(state_bar, input_bar);
    }

    fn model_vjp(
        &mut self,
        record: &TapRecord,
        params_bar: &mut Params<S>,
        state_bar: &mut StateCotangents<S>,
        input_bar: &mut InputCotangents<S>,
    ) {
        self.back(Stage::Model, record, NumbersBack(params_bar));
        for (later_params_bar, id) in self.later_params_bar.iter().zip(&self.plan.params) {
            params_bar.set(*id, params_bar.get(*id) + *later_params_bar);
        }
        self.note_state_vjp(state_bar, input_bar);
    }

    fn state_vjp(
        &mut self,
        record: &TapRecord,
        state_bar: &mut StateCotangents<S>,
        input_bar: &mut InputCotangents<S>,
    ) {
        if self.changes_state() {
            self.back(Stage::State, record, StartBack { state_bar, input_bar });
            self.give_memory(state_bar);
        }
    }
}

/// One set of weights for all worlds.
impl BatchTaps for Bound<f64> {
    fn n_signals(&self) -> usize {
        self.plan().n_signals()
    }

    fn for_worlds<S: Simulated>(&self, _: &[usize]) -> Box<dyn GroupTaps<S> + '_> {
        self.cast().into_taps()
    }

    fn n_memory(&self) -> usize {
        self.plan.n_memory()
    }
}

impl<S: Scalar> GroupTaps<S> for Bound<S> {
    fn weights_bar(&self) -> &[S] {
        &self.weights_bar
    }
}

impl<S: Scalar> Bound<S> {
    /// Panics if networks read, scale or replace forces of compliant contacts, but the contacts are rigid.
    fn check_laws(&self, contacts: &[Contact<S>]) {
        for read in &self.plan.reads[Stage::ContactForces.index()] {
            let Signal::Contact(pair, _) = read.signal else { continue };
            let rigid = |c: &Contact<S>| pair.has(c.id.a, c.id.b) && c.law == ContactLaw::Rigid;
            assert!(
                !contacts.iter().any(rigid),
                "a network reads forces of compliant contacts, but these are rigid: bind with the options that are \
                 simulated"
            );
        }
        for &i in &self.plan.at[Stage::ContactForces.index()] {
            let piece = &self.plan.pieces[i];
            if piece.mode == Mode::Add && !piece.reads_forces() {
                continue;
            }
            let rigid = |c: &Contact<S>| stands_at(piece.pair, c) && c.law == ContactLaw::Rigid;
            assert!(
                !contacts.iter().any(rigid),
                "\"{}\" uses forces of compliant contacts, but these are rigid: bind with the options that are \
                 simulated",
                piece.name
            );
        }
    }

    /// Whether networks change the state that a step begins with.
    fn changes_state(&self) -> bool {
        !self.plan.at[Stage::State.index()].is_empty()
    }

    /// Records what is read of a state.
    fn note_state(&self, record: &mut TapRecord, input: &Input<S>, state: &State<S>) {
        if !self.busy[Stage::State.index()] {
            return;
        }
        let noted = NetworksRecord::in_record(&self.plan, record);
        for read in &self.plan.reads[Stage::State.index()] {
            noted.table[read.slot] = read_state(read.signal, input, state);
        }
    }

    fn note_state_vjp(
        &mut self,
        state_bar: &mut StateCotangents<S>,
        input_bar: &mut InputCotangents<S>,
    ) {
        let Bound { plan, record_bar, .. } = self;
        for read in &plan.reads[Stage::State.index()] {
            let bar = core::mem::replace(&mut record_bar.table[read.slot], S::ZERO);
            read_state_vjp(read.signal, bar, state_bar, input_bar);
        }
        self.give_memory(state_bar);
    }

    /// Adds the cotangents of the memory to those of the state.
    fn give_memory(&mut self, state_bar: &mut StateCotangents<S>) {
        state_bar.memory.resize(self.record_bar.memory.len(), S::ZERO);
        for (to, bar) in state_bar.memory.iter_mut().zip(&mut self.record_bar.memory) {
            *to += core::mem::replace(bar, S::ZERO);
        }
    }

    fn at_contacts(&mut self, stage: Stage, record: &mut TapRecord, contacts: &mut [Contact<S>]) {
        if !self.busy[stage.index()] {
            return;
        }
        let Bound { plan, weights, scratch, .. } = self;
        let noted = NetworksRecord::in_record(plan, record);
        let fade = (stage == Stage::ContactForces).then_some(plan.fade);
        for (e, contact) in contacts.iter_mut().enumerate() {
            for &i in &plan.at[stage.index()] {
                let piece = &plan.pieces[i];
                if stands_at(piece.pair, contact) {
                    let NetworksRecord { table, memory, calls, .. } = noted;
                    while calls[i].len() <= e {
                        calls[i].push(Call::new(piece));
                    }
                    let known = (&table[..], &memory[..]);
                    let place = &mut AtContact { contact: &mut *contact, fade };
                    forward(piece, weights, known, &mut calls[i][e], &mut scratch[i], place);
                }
            }
        }
        note_contacts(plan, stage, contacts, noted);
    }

    fn back_at_contacts(
        &mut self,
        stage: Stage,
        record: &TapRecord,
        contacts: &mut [Contact<S>],
        bars: &mut [ContactCotangents<S>],
    ) {
        if !self.busy[stage.index()] {
            return;
        }
        let Bound { plan, weights, weights_bar, record_bar, scratch, .. } = self;
        let noted = NetworksRecord::of(plan, record);
        note_contacts_vjp(plan, stage, contacts, record_bar, bars);
        let fade = (stage == Stage::ContactForces).then_some(plan.fade);
        for (e, (contact, bars)) in contacts.iter_mut().zip(bars).enumerate().rev() {
            for &i in plan.at[stage.index()].iter().rev() {
                let piece = &plan.pieces[i];
                if stands_at(piece.pair, contact) {
                    let (contact, bars) = (&mut *contact, &mut *bars);
                    let place = &mut AtContactBack { contact, fade, bars };
                    let of = (weights.as_slice(), noted.memory.as_slice(), &noted.calls[i][e]);
                    backward(piece, of, weights_bar, record_bar, &mut scratch[i], place);
                }
            }
        }
    }
}

/// Records contact quantities that are read elsewhere: those of the contact with the least gap; zero if there is none.
fn note_contacts<S: Scalar>(
    plan: &Plan,
    stage: Stage,
    contacts: &[Contact<S>],
    noted: &mut NetworksRecord<S>,
) {
    S::in_registers(
        #[inline(always)]
        || {
            for read in &plan.reads[stage.index()] {
                let Signal::Contact(pair, signal) = read.signal else { continue };
                let mut value = S::ZERO;
                nearest(
                    pair,
                    contacts,
                    #[inline(always)]
                    |i, share| value += read_contact(&contacts[i], signal) * share,
                );
                noted.table[read.slot] = value;
            }
        },
    );
}

fn note_contacts_vjp<S: Scalar>(
    plan: &Plan,
    stage: Stage,
    contacts: &[Contact<S>],
    record_bar: &mut RecordCotangents<S>,
    bars: &mut [ContactCotangents<S>],
) {
    S::in_registers(
        #[inline(always)]
        || {
            for read in &plan.reads[stage.index()] {
                let Signal::Contact(pair, signal) = read.signal else { continue };
                let bar = core::mem::replace(&mut record_bar.table[read.slot], S::ZERO);
                nearest(
                    pair,
                    contacts,
                    #[inline(always)]
                    |i, share| read_contact_vjp(&contacts[i], signal, bar * share, &mut bars[i]),
                );
            }
        },
    );
}

fn stands_at<S>(pair: Option<Pair>, contact: &Contact<S>) -> bool {
    pair.is_some_and(|pair| pair.has(contact.id.a, contact.id.b))
}

/// Visits the indices of a pair's contacts with 1 for the one with the least gap, in each lane, and 0 for others.
#[inline(always)]
fn nearest<S: Scalar>(pair: Pair, contacts: &[Contact<S>], mut visit: impl FnMut(usize, S)) {
    let of_pair = || contacts.iter().enumerate().filter(|(_, c)| pair.has(c.id.a, c.id.b));
    let far = S::from_f64(gradbody_contact::geometry::FAR);
    let least = of_pair().fold(far, |least, (_, c)| c.gap.min(least)).constant();
    let mut left = least.select_lt(far, S::ONE, S::ZERO);
    for (i, contact) in of_pair() {
        let share = contact.gap.constant().select_le(least, left, S::ZERO);
        left -= share;
        visit(i, share);
    }
}
