//! [`Bound`] as taps of a step.

use gradbody_contact::{Contact, ContactCotangents};
use gradbody_dynamics::{Kinematics, KinematicsCotangents};
use gradbody_math::{Force, Motion, Scalar};
use gradbody_model::{ContactLaw, Model, Params};
use gradbody_sim::{BatchTaps, Input, InputCotangents, State, StateCotangents, Taps, TapsVjp};

use crate::bound::{Bound, backward, forward};
use crate::place::{
    AtContact, AtContactBack, Coordinates, CoordinatesBack, Links, LinksBack, Numbers, NumbersBack,
    Start, StartBack, Wrenches, WrenchesBack, read_contact, read_contact_vjp, read_state,
    read_state_vjp,
};
use crate::{Pair, Signal, Stage};

impl<S: Scalar> Taps<S> for Bound<S> {
    #[inline(always)]
    fn is_idle(&self) -> bool {
        self.plan.pieces.is_empty()
    }

    #[inline(always)]
    fn changes_state(&self) -> bool {
        !self.plan.at[Stage::State.index()].is_empty()
    }

    #[inline(always)]
    fn state(&mut self, input: &Input<S>, state: &mut State<S>) {
        self.recall(state);
        if self.changes_state() {
            self.at(Stage::State, Start { input, state });
        }
    }

    fn lend_model(
        &mut self,
        model: &Model<S>,
        input: &Input<S>,
        state: &State<S>,
    ) -> Option<Model<S>> {
        if !self.busy[Stage::Model.index()] {
            return None;
        }
        self.note_state(input, state);
        let mut lent = self.lent.take().unwrap_or_else(|| model.clone());
        lent.params.copy_from(&model.params);
        self.at(Stage::Model, Numbers(&mut lent.params));
        Some(lent)
    }

    #[inline(always)]
    fn return_model(&mut self, model: Model<S>) {
        self.lent = Some(model);
    }

    #[inline(always)]
    fn links(&mut self, input: &Input<S>, state: &State<S>, kin: &mut Kinematics<S>) {
        self.note_state(input, state);
        // Nothing touches, unless a stage below finds otherwise: it is left out where nothing does.
        let Bound { plan, run, .. } = self;
        plan.contact_slots().for_each(|slot| run.table[slot] = S::ZERO);
        self.at(Stage::Links, Links(kin));
    }

    #[inline(always)]
    fn contacts(&mut self, contacts: &mut [Contact<S>]) {
        if self.busy[Stage::ContactForces.index()] {
            self.check_laws(contacts);
        }
        self.at_contacts(Stage::Contacts, contacts);
    }

    #[inline(always)]
    fn contact_forces(&mut self, contacts: &mut [Contact<S>]) {
        self.at_contacts(Stage::ContactForces, contacts);
    }

    #[inline(always)]
    fn actuator_forces(&mut self, tau: &mut [S]) {
        self.at(Stage::Actuators, Coordinates(tau));
    }

    #[inline(always)]
    fn passive_forces(&mut self, tau: &mut [S]) {
        self.at(Stage::Passive, Coordinates(tau));
    }

    #[inline(always)]
    fn replaced_joints(&self) -> &[usize] {
        &self.plan.replaced
    }

    #[inline(always)]
    fn wrenches(&mut self, kin: &Kinematics<S>, external: &mut [Force<S>]) {
        self.at(Stage::Wrenches, Wrenches { kin, external });
    }

    #[inline(always)]
    fn looks_at_accelerations(&self) -> bool {
        self.busy[Stage::Accelerations.index()]
    }

    #[inline(always)]
    fn accelerations(&mut self, qdd: &mut [S]) {
        self.at(Stage::Accelerations, Coordinates(qdd));
    }

    #[inline(always)]
    fn velocity(&mut self, v: &mut [S]) {
        self.at(Stage::Velocity, Coordinates(v));
    }

    fn end(&mut self, contacts: &[Contact<S>], state: &mut State<S>) {
        if self.run.memory.is_empty() {
            return;
        }
        self.note_contacts(Stage::End, contacts);
        let Bound { plan, run, .. } = self;
        for register in &plan.registers {
            let memory = &mut state.memory[register.memory.clone()];
            memory.copy_within(..memory.len() - 1, 1);
            memory[0] = run.table[register.slot];
        }
        for (piece, works) in plan.pieces.iter().zip(&run.works) {
            if !piece.memory.is_empty() {
                state.memory[piece.memory.clone()].copy_from_slice(works[0].remembered());
            }
        }
    }
}

impl<S: Scalar> TapsVjp<S> for Bound<S> {
    fn begin_back(&mut self) {
        self.weights_bar.fill(S::ZERO);
    }

    fn is_finite_in(&self, lane: usize) -> bool {
        self.weights_bar.iter().all(|bar| bar.lane(lane).is_finite())
    }

    fn forget_worlds(&mut self, failed: impl Fn(usize) -> bool) {
        if (0..S::LANES).any(&failed) {
            for bar in &mut self.weights_bar {
                *bar = S::from_lanes(|lane| if failed(lane) { 0.0 } else { bar.lane(lane) });
            }
        }
    }

    fn end_vjp(
        &mut self,
        contacts: &[Contact<S>],
        bars: &mut [ContactCotangents<S>],
        state_bar: &mut StateCotangents<S>,
    ) {
        let Bound { plan, run, .. } = self;
        state_bar.memory.resize(plan.n_memory(), S::ZERO);
        run.next_bar.copy_from_slice(&state_bar.memory);
        state_bar.memory.fill(S::ZERO);
        run.memory_bar.fill(S::ZERO);
        run.table_bar.fill(S::ZERO);
        for register in &plan.registers {
            let next = &run.next_bar[register.memory.clone()];
            run.table_bar[register.slot] += next[0];
            let before = &mut run.memory_bar[register.memory.clone()];
            for (before, next) in before.iter_mut().zip(&next[1..]) {
                *before += *next;
            }
        }
        self.note_contacts_vjp(Stage::End, contacts, bars);
    }

    fn velocity_vjp(&mut self, v: &mut [S], v_bar: &mut [S]) {
        self.back(Stage::Velocity, CoordinatesBack { values: Some(v), bars: v_bar });
    }

    fn accelerations_vjp(&mut self, qdd: &mut [S], qdd_bar: &mut [S]) {
        let place = CoordinatesBack { values: Some(qdd), bars: qdd_bar };
        self.back(Stage::Accelerations, place);
    }

    fn passive_forces_vjp(&mut self, tau_bar: &mut [S]) {
        self.back(Stage::Passive, CoordinatesBack { values: None, bars: tau_bar });
    }

    fn actuator_forces_vjp(&mut self, tau_bar: &mut [S]) {
        self.back(Stage::Actuators, CoordinatesBack { values: None, bars: tau_bar });
    }

    fn wrenches_vjp(
        &mut self,
        kin: &Kinematics<S>,
        external: &mut [Force<S>],
        external_bar: &mut [Motion<S>],
        kin_bar: &mut KinematicsCotangents<S>,
    ) {
        let place = WrenchesBack { kin, external, bars: external_bar, kin_bar };
        self.back(Stage::Wrenches, place);
    }

    fn contact_forces_vjp(
        &mut self,
        contacts: &mut [Contact<S>],
        bars: &mut [ContactCotangents<S>],
    ) {
        self.back_at_contacts(Stage::ContactForces, contacts, bars);
    }

    fn contacts_vjp(&mut self, contacts: &mut [Contact<S>], bars: &mut [ContactCotangents<S>]) {
        self.back_at_contacts(Stage::Contacts, contacts, bars);
    }

    fn links_vjp(
        &mut self,
        kin: &mut Kinematics<S>,
        kin_bar: &mut KinematicsCotangents<S>,
        state_bar: &mut StateCotangents<S>,
        input_bar: &mut InputCotangents<S>,
    ) {
        let Bound { plan, run, .. } = self;
        plan.contact_slots().for_each(|slot| run.table_bar[slot] = S::ZERO);
        self.back(Stage::Links, LinksBack { kin, bars: kin_bar });
        self.note_state_vjp(state_bar, input_bar);
    }

    fn lend_model_again(&mut self, params_bar: &mut Params<S>) -> Option<Model<S>> {
        let lent = self.lent.take()?;
        for (aside, id) in self.aside.iter_mut().zip(&self.plan.params) {
            *aside = params_bar.get(*id);
            params_bar.set(*id, S::ZERO);
        }
        Some(lent)
    }

    fn model_vjp(
        &mut self,
        params_bar: &mut Params<S>,
        state_bar: &mut StateCotangents<S>,
        input_bar: &mut InputCotangents<S>,
    ) {
        self.back(Stage::Model, NumbersBack(params_bar));
        for (aside, id) in self.aside.iter().zip(&self.plan.params) {
            params_bar.set(*id, params_bar.get(*id) + *aside);
        }
        self.note_state_vjp(state_bar, input_bar);
    }

    fn state_vjp(
        &mut self,
        state_bar: &mut StateCotangents<S>,
        input_bar: &mut InputCotangents<S>,
    ) {
        self.back(Stage::State, StartBack { state_bar, input_bar });
        self.give_memory(state_bar);
    }
}

/// One set of weights for all worlds.
impl BatchTaps for Bound<f64> {
    type Taps<S: Scalar> = Bound<S>;

    fn for_worlds<S: Scalar>(&self, _: &[usize]) -> Bound<S> {
        self.cast()
    }

    fn n_memory(&self) -> usize {
        self.plan.n_memory()
    }

    fn weights_bar<S: Scalar>(taps: &Bound<S>) -> &[S] {
        &taps.weights_bar
    }
}

impl<S: Scalar> Bound<S> {
    /// Forces of contacts that a solver finds are out of reach of networks that were bound to change them.
    fn check_laws(&self, contacts: &[Contact<S>]) {
        for &i in &self.plan.at[Stage::ContactForces.index()] {
            let piece = &self.plan.pieces[i];
            let rigid = |c: &Contact<S>| stands_at(piece.pair, c) && c.law == ContactLaw::Rigid;
            assert!(
                !contacts.iter().any(rigid),
                "\"{}\" changes forces of compliant contacts, but these are rigid: bind with the options that are \
                 simulated",
                piece.name
            );
        }
    }

    /// Notes what is read of a state.
    #[inline(always)]
    fn note_state(&mut self, input: &Input<S>, state: &State<S>) {
        if !self.busy[Stage::State.index()] {
            return;
        }
        let Bound { plan, run, .. } = self;
        for read in &plan.reads[Stage::State.index()] {
            run.table[read.slot] = read_state(read.signal, input, state);
        }
    }

    fn note_state_vjp(
        &mut self,
        state_bar: &mut StateCotangents<S>,
        input_bar: &mut InputCotangents<S>,
    ) {
        let Bound { plan, run, .. } = self;
        for read in &plan.reads[Stage::State.index()] {
            let bar = core::mem::replace(&mut run.table_bar[read.slot], S::ZERO);
            read_state_vjp(read.signal, bar, state_bar, input_bar);
        }
        self.give_memory(state_bar);
    }

    /// Adds the cotangents of what was remembered to those of the state.
    fn give_memory(&mut self, state_bar: &mut StateCotangents<S>) {
        state_bar.memory.resize(self.run.memory_bar.len(), S::ZERO);
        for (to, bar) in state_bar.memory.iter_mut().zip(&mut self.run.memory_bar) {
            *to += core::mem::replace(bar, S::ZERO);
        }
    }

    #[inline(always)]
    fn at_contacts(&mut self, stage: Stage, contacts: &mut [Contact<S>]) {
        if self.busy[stage.index()] {
            self.run_at_contacts(stage, contacts);
        }
    }

    fn run_at_contacts(&mut self, stage: Stage, contacts: &mut [Contact<S>]) {
        let Bound { plan, weights, run, .. } = self;
        for (e, contact) in contacts.iter_mut().enumerate() {
            for &i in &plan.at[stage.index()] {
                let piece = &plan.pieces[i];
                if stands_at(piece.pair, contact) {
                    forward(piece, weights, i, e, run, &mut AtContact(contact));
                }
            }
        }
        self.note_contacts(stage, contacts);
    }

    fn back_at_contacts(
        &mut self,
        stage: Stage,
        contacts: &mut [Contact<S>],
        bars: &mut [ContactCotangents<S>],
    ) {
        if !self.busy[stage.index()] {
            return;
        }
        self.note_contacts_vjp(stage, contacts, bars);
        let Bound { plan, weights, weights_bar, run, .. } = self;
        for (e, (contact, bars)) in contacts.iter_mut().zip(bars).enumerate().rev() {
            for &i in plan.at[stage.index()].iter().rev() {
                let piece = &plan.pieces[i];
                if stands_at(piece.pair, contact) {
                    let place = &mut AtContactBack { contact: &mut *contact, bars: &mut *bars };
                    backward(piece, weights, weights_bar, i, e, run, place);
                }
            }
        }
    }

    /// Notes what is read of contacts elsewhere: that of the one with the least gap; zero if there is none.
    fn note_contacts(&mut self, stage: Stage, contacts: &[Contact<S>]) {
        let Bound { plan, run, .. } = self;
        for read in &plan.reads[stage.index()] {
            let Signal::Contact(pair, signal) = read.signal else { continue };
            let mut value = S::ZERO;
            nearest(pair, contacts, |i, share| {
                value += read_contact(&contacts[i], signal) * share;
            });
            run.table[read.slot] = value;
        }
    }

    fn note_contacts_vjp(
        &mut self,
        stage: Stage,
        contacts: &[Contact<S>],
        bars: &mut [ContactCotangents<S>],
    ) {
        let Bound { plan, run, .. } = self;
        for read in &plan.reads[stage.index()] {
            let Signal::Contact(pair, signal) = read.signal else { continue };
            let bar = core::mem::replace(&mut run.table_bar[read.slot], S::ZERO);
            nearest(pair, contacts, |i, share| {
                read_contact_vjp(&contacts[i], signal, bar * share, &mut bars[i]);
            });
        }
    }
}

fn stands_at<S>(pair: Option<Pair>, contact: &Contact<S>) -> bool {
    pair.is_some_and(|pair| pair.has(contact.id.a, contact.id.b))
}

/// Goes through the indices of a pair's contacts with 1 for the one with the least gap, in each lane, and
/// 0 for others.
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
