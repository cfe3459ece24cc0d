//! What was shown and can be shown again: kept moments, the oldest of which are forgotten.

use std::collections::VecDeque;

use gradbody_sim::State;

use crate::protocol::{ContactNumbers, DragNumbers};

/// Memory for kept moments [bytes].
const ROOM: usize = 192 << 20;

/// Everything that a moment shows, and everything that going on from it needs.
#[derive(Clone, Debug)]
pub(crate) struct Moment {
    /// The states of all worlds.
    pub(crate) states: Vec<State<f64>>,
    /// Contacts of the world that was followed.
    pub(crate) contacts: Vec<ContactNumbers>,
    /// The pull.
    pub(crate) drag: DragNumbers,
    /// What cannot be found from the states, of all worlds.
    pub(crate) accounts: Vec<Account>,
}

/// Numbers of a world that its state does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Account {
    /// Force of bodies that do not move on those that do [N].
    pub(crate) contact_force: [f64; 3],
    /// Largest velocity error that the solver left [m/s].
    pub(crate) residual: f64,
    /// Sweeps of the solver.
    pub(crate) sweeps: u32,
    /// Work of the mouse since the start [J].
    pub(crate) drag_work: f64,
    /// Energy that impulses of contacts and joint stops added since the start; mostly negative [J].
    pub(crate) contact_work: f64,
}

impl Moment {
    /// The time [s].
    pub(crate) fn time(&self) -> f64 {
        self.states.first().map_or(0.0, |state| state.time)
    }

    /// About how much memory it takes [bytes].
    fn size(&self) -> usize {
        let of_state = |s: &State<f64>| {
            8 * (s.q.len() + s.v.len() + s.activation.len() + s.memory.len())
                + size_of::<State<f64>>()
        };
        // A remembered impulse has about 80 bytes, and there are about as many as contacts.
        self.states.iter().map(of_state).sum::<usize>()
            + self.contacts.len() * (size_of::<ContactNumbers>() + 80 * self.states.len())
            + self.accounts.len() * size_of::<Account>()
            + size_of::<Moment>()
    }
}

/// Kept moments in the order of time.
#[derive(Clone, Debug)]
pub(crate) struct History {
    moments: VecDeque<Moment>,
    size: usize,
    room: usize,
}

impl Default for History {
    fn default() -> Self {
        History::with_room(ROOM)
    }
}

impl History {
    /// Empty, with memory for about this many bytes.
    pub(crate) fn with_room(room: usize) -> Self {
        History { moments: VecDeque::new(), size: 0, room }
    }

    /// Keeps a moment, and forgets the oldest ones if there is no room.
    pub(crate) fn push(&mut self, moment: Moment) {
        self.size += moment.size();
        self.moments.push_back(moment);
        while self.size > self.room && self.moments.len() > 1 {
            self.size -= self.moments.pop_front().map_or(0, |old| old.size());
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        *self = History::with_room(self.room);
    }

    /// Forgets what came after a moment.
    pub(crate) fn forget_after(&mut self, index: usize) {
        let forgotten: usize = self.moments.range(index + 1..).map(Moment::size).sum();
        self.size -= forgotten;
        self.moments.truncate(index + 1);
    }

    /// Number of moments.
    pub(crate) fn len(&self) -> usize {
        self.moments.len()
    }

    /// A moment.
    pub(crate) fn get(&self, index: usize) -> Option<&Moment> {
        self.moments.get(index)
    }

    /// The moment nearest to a time.
    pub(crate) fn nearest(&self, time: f64) -> Option<usize> {
        let after = self.moments.partition_point(|moment| moment.time() < time);
        let distance = |k: &usize| (self.moments[*k].time() - time).abs();
        let around = after.saturating_sub(1)..(after + 1).min(self.moments.len());
        around.min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }

    /// First and last time [s].
    pub(crate) fn span(&self) -> [f64; 2] {
        let time = |moment: Option<&Moment>| moment.map_or(0.0, Moment::time);
        [time(self.moments.front()), time(self.moments.back())]
    }
}
