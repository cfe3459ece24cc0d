//! What a rollout stores for its backward pass, and in which order it is used.
//!
//! The backward pass needs the state of every step, last first. A [`Schedule`] is a list of [`Action`]s for a driver
//! that holds one current state and some numbered slots. With a slot for each step, every state is stored. With fewer
//! slots, the states in between are recomputed with the least number of steps, by the binomial numbers
//!
//! ```text
//!   β(s, r) = (s + r)! / (s! r!)        the most steps that s slots serve with no step run more than r times
//!   r l − β(s + 1, r − 1)               steps to run for l steps, where β(s, r − 1) < l ≤ β(s, r)
//! ```
//! not counting the steps that `Backward` runs again.      [Griewank & Walther 2000, Algorithm 799 (revolve)]

use gradbody_math::Scalar;
use gradbody_model::Model;

/// What a rollout stores for its backward pass: memory against time. All variants give the same gradient.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Checkpointing {
    /// Stores the trace of every step; no step is run twice.
    StoreAll,
    /// Stores the state of every step; each step is run once more to get its trace.
    #[default]
    EveryStep,
    /// Stores this many states (at least one, the initial one) and recomputes the steps between them. With 20
    /// snapshots, no step of a rollout of a million steps is run more than nine times.
    Revolve {
        /// Number of stored states.
        snapshots: usize,
    },
}

/// One action of a schedule. State k is the state before step k.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Store the current state in a slot.
    Store(usize),
    /// Copy the state in a slot to the current state; the slot keeps it.
    Restore(usize),
    /// From the current state, run the steps from the first number up to, not including, the second.
    Advance(usize, usize),
    /// Run this step from the current state and take the cotangents back through it. The current state is not used
    /// after that.
    Backward(usize),
}

/// The actions of a rollout and its backward pass, in order.
///
/// Under [`Checkpointing::StoreAll`] and [`Checkpointing::EveryStep`] slot k holds step k, and every `Advance` is one
/// step after a `Store` (so the slot may hold that step's trace, too).
#[derive(Clone, Debug)]
pub struct Schedule {
    slots: usize,
    /// The steps whose states are in the slots, in ascending order.
    stored: Vec<usize>,
    /// The step whose state is the current state.
    at: Option<usize>,
    /// Number of steps not yet differentiated.
    left: usize,
}

impl Checkpointing {
    /// The largest number of slots that a rollout of `steps` steps needs.
    pub fn slots(self, steps: usize) -> usize {
        match self {
            Checkpointing::StoreAll | Checkpointing::EveryStep => steps,
            Checkpointing::Revolve { snapshots } => snapshots.max(1).min(steps),
        }
    }

    /// Estimates the bytes stored for the backward pass over `steps` steps with `contacts` contacts at a time. The
    /// buffers of the rollout itself are not included.
    pub fn bytes<S: Scalar>(self, model: &Model<S>, steps: usize, contacts: usize) -> usize {
        let state = model.nq() + model.nv() + model.topology.na + 3 * contacts;
        let of_state = state * size_of::<S>() + size_of::<u32>();
        let of_slot = match self {
            // Approximate size of a trace, per link, coordinate and contact.
            Checkpointing::StoreAll => {
                let numbers = 150 * model.n_links() + 40 * model.nv() + 100 * contacts;
                of_state + numbers * size_of::<S>()
            }
            Checkpointing::EveryStep | Checkpointing::Revolve { .. } => of_state,
        };
        self.slots(steps) * of_slot
    }

    /// The schedule of a rollout of `steps` steps.
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
                // Includes the slot that holds this state.
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
                // The initial state stays stored until its own step is differentiated.
                self.at = top;
                Some(Action::Restore(self.stored.len() - 1))
            }
        }
    }
}

/// How many steps to run before the next store, from a stored state with `steps` > 1 left to differentiate. `slots`
/// counts the slot of this state and those still free.
fn stride(steps: usize, slots: usize) -> usize {
    if slots == 1 {
        return steps - 1;
    }
    // A stride m runs m steps; then steps − m are differentiated with one slot less, then m with all slots. The total
    // is least where
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
