//! Progress of a check on stderr, and Ctrl-C.

use gradbody_check::Watch;

use crate::interrupt::Interrupt;
use crate::progress::{self, ProgressBar};

/// A bar on stderr, if that is a terminal, and a listener for Ctrl-C.
pub(super) struct Progress {
    bar: ProgressBar,
    interrupt: Interrupt,
}

impl Progress {
    /// Starts both.
    pub(super) fn new() -> Self {
        Progress { bar: progress::bar(0, "rollouts"), interrupt: Interrupt::listen() }
    }

    /// Removes the bar.
    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

impl Watch for Progress {
    fn expect(&self, rollouts: usize) {
        self.bar.inc_length(rollouts as u64);
    }

    fn done(&self, rollouts: usize) {
        self.bar.inc(rollouts as u64);
    }

    fn asks_to_stop(&self) -> bool {
        self.interrupt.asked()
    }
}
