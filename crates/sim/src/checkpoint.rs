//! What a rollout keeps for the way back, and the order in which it is used.
//!
//! The way back needs the state of every step, last first. A [`Schedule`] says how to have them: it is a
//! list of [`Action`]s for a driver that holds one current state and some numbered slots. With a slot
//! for each step every state is kept; with fewer, those in between are computed again, in the way that
//! takes the least steps: from the binomial numbers
//!
//! ```text
//!   β(s, r) = (s + r)! / (s! r!)        how many steps s slots serve, none run more than r times
//!   r l − β(s + 1, r − 1)               steps to run for l steps, where β(s, r − 1) < l ≤ β(s, r)
//! ```
//! those run again by `Backward` not counted.      [Griewank & Walther 2000, Algorithm 799 (revolve)]

use gradbody_math::Scalar;
use gradbody_model::Model;

/// What a rollout keeps for the way back. Memory against time: all give the same gradient.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Checkpointing {
    /// The trace of every step; no step is run twice.
    StoreAll,
    /// The state of every step; each step is run once more to have its trace.
    #[default]
    EveryStep,
    /// So many states (at least one, that at the start); the steps between are run again. With 20 of
    /// them, a rollout of a million steps runs no step more than nine times.
    Revolve {
        /// How many.
        snapshots: usize,
    },
}

/// One thing to do. State k is that before step k.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Put the current state into a slot.
    Store(usize),
    /// Make the state in a slot the current one; it stays in the slot.
    Restore(usize),
    /// Run the steps from this one to before that one, from the current state.
    Advance(usize, usize),
    /// Run this step from the current state and take the cotangents back through it. What is then the
    /// current state is not used again.
    Backward(usize),
}

/// The actions of a rollout and its way back, in order.
///
/// Under [`Checkpointing::StoreAll`] and [`Checkpointing::EveryStep`] slot k holds step k, and every
/// `Advance` is one step after a `Store` (so a slot may take that step's trace, too).
#[derive(Clone, Debug)]
pub struct Schedule {
    slots: usize,
    /// The steps whose states are in the slots, ascending.
    stored: Vec<usize>,
    /// The step whose state is the current one.
    at: Option<usize>,
    /// How many steps have not been taken back.
    left: usize,
}

impl Checkpointing {
    /// How many slots a rollout of so many steps needs at most.
    pub fn slots(self, steps: usize) -> usize {
        match self {
            Checkpointing::StoreAll | Checkpointing::EveryStep => steps,
            Checkpointing::Revolve { snapshots } => snapshots.max(1).min(steps),
        }
    }

    /// About how many bytes are kept for the way back over so many steps, if `contacts` touch at a time:
    /// to know before. The buffers of the rollout itself come on top.
    pub fn bytes<S: Scalar>(self, model: &Model<S>, steps: usize, contacts: usize) -> usize {
        let state = model.nq() + model.nv() + model.topology.na + 3 * contacts;
        let of_state = state * size_of::<S>() + size_of::<u32>();
        let of_slot = match self {
            // A trace has about so many numbers a link, coordinate and contact.
            Checkpointing::StoreAll => {
                let numbers = 150 * model.n_links() + 40 * model.nv() + 100 * contacts;
                of_state + numbers * size_of::<S>()
            }
            Checkpointing::EveryStep | Checkpointing::Revolve { .. } => of_state,
        };
        self.slots(steps) * of_slot
    }

    /// What to do for a rollout of so many steps.
    pub fn schedule(self, steps: usize) -> Schedule {
        Schedule { slots: self.slots(steps), stored: Vec::new(), at: Some(0), left: steps }
    }
}

impl Iterator for Schedule {
    type Item = Action;

    fn next(&mut self) -> Option<Action> {
        let last = self.left.checked_sub(1)?;
        let top = self.stored.last().copied();
        match self.at {
            Some(at) if at == last => {
                if top == Some(last) {
                    self.stored.pop();
                }
                self.left = last;
                self.at = None;
                Some(Action::Backward(last))
            }
            Some(at) if top == Some(at) => {
                // With the slot that holds this state.
                let slots = self.slots - self.stored.len() + 1;
                let to = at + stride(last + 1 - at, slots);
                self.at = Some(to);
                Some(Action::Advance(at, to))
            }
            Some(at) => {
                self.stored.push(at);
                Some(Action::Store(self.stored.len() - 1))
            }
            None => {
                // The state at the start stays stored until its own step is taken back.
                self.at = top;
                Some(Action::Restore(self.stored.len() - 1))
            }
        }
    }
}

/// How far to go before the next store, from a stored state with `steps` > 1 left to take back, and
/// with `slots` that hold this state and may hold others.
fn stride(steps: usize, slots: usize) -> usize {
    if slots == 1 {
        return steps - 1;
    }
    // A stride m costs m, then steps − m are taken back with a slot less, then m with all slots. Both
    // rise with m's change alike, and the sum is least, where
    //   β(s, r−2) ≤ m ≤ β(s, r−1)  and  β(s−1, r−1) ≤ steps − m ≤ β(s−1, r).
    let (l, s) = (steps as u128, slots as u128);
    let mut r = 1;
    let mut before = 1; // β(s, r − 1)
    loop {
        let reach = before * (s + r) / r;
        if l <= reach {
            break;
        }
        before = reach;
        r += 1;
    }
    // β(s − 1, r − 1) = β(s, r − 1) s / (s + r − 1)
    let rest = before * s / (s + r - 1);
    before.min(l - rest) as usize
}
