//! What networks did in a step, for whoever shows it.

use gradbody_math::Vec3;
use gradbody_model::LinkId;
use gradbody_sim::StepTrace;

use crate::bound::NetworksRecord;
use crate::plan::{Head, Piece};
use crate::taps::stands_at;
use crate::{Bound, ContactSignal, Signal, Stage};

/// What a network acted on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Acted {
    /// A quantity that is no contact's: its value before, and the change.
    On(Signal, f64, f64),
    /// A quantity of the contact of this index in the step: its value before, and the change.
    OnContact(usize, ContactSignal, f64, f64),
    /// It pushed the first link away from the second, at the point midway between their origins: the force and the
    /// torque on the first one, in the world [N, N m].
    Apart([LinkId; 2], Vec3<f64>, Vec3<f64>),
}

/// A change that a network made in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change<'a> {
    /// The network, by the name of its weights.
    pub network: &'a str,
    /// What it changed, and by how much.
    pub acted: Acted,
}

impl Bound<f64> {
    /// What each network changed at the start of a step, in the order in which they ran. Empty if the step had other
    /// taps.
    pub fn changes(&self, trace: &StepTrace<f64>) -> Vec<Change<'_>> {
        let Some(noted) = NetworksRecord::<f64>::find(&self.plan, trace.taps()) else {
            return Vec::new();
        };
        let mut all = Vec::new();
        for stage in Stage::ALL {
            for &i in &self.plan.at[stage.index()] {
                let (piece, calls) = (&self.plan.pieces[i], &noted.calls[i]);
                let mut add = |acted| all.push(Change { network: &piece.name, acted });
                match (&piece.head, piece.pair) {
                    (Head::Symmetric(links, torque), _) => {
                        let (force, torque) = calls[0].push(*torque);
                        add(Acted::Apart(*links, force, torque));
                    }
                    (_, None) => {
                        let changes = piece.outputs.iter().zip(calls[0].changes());
                        changes.for_each(|(signal, (before, by))| {
                            add(Acted::On(*signal, before, by));
                        });
                    }
                    (_, Some(_)) => at_contacts(piece, trace, calls, &mut add),
                }
            }
        }
        all
    }
}

/// The calls at contacts that the network stands at; the others have not run in this step.
fn at_contacts(
    piece: &Piece,
    trace: &StepTrace<f64>,
    calls: &[crate::call::Call<f64>],
    add: &mut impl FnMut(Acted),
) {
    for (e, (contact, call)) in trace.contacts().iter().zip(calls).enumerate() {
        if !stands_at(piece.pair, contact) {
            continue;
        }
        for (signal, (before, by)) in piece.outputs.iter().zip(call.changes()) {
            if let Signal::Contact(_, signal) = signal {
                add(Acted::OnContact(e, *signal, before, by));
            }
        }
    }
}
