//! How far a check has come, and whether it is to go on.

use gradbody::model::LinkId;
use indicatif::{ProgressBar, ProgressStyle};

use crate::interrupt::Interrupt;

/// Why a check ends early.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stop {
    /// The motion of a link is no longer finite, at a time [s].
    Diverged { link: LinkId, time: f64 },
    /// Ctrl-C.
    Interrupted,
}

/// A bar on stderr, if that is a terminal, and an ear for Ctrl-C.
pub(super) struct Watch {
    bar: ProgressBar,
    interrupt: Interrupt,
}

impl Watch {
    /// From now on.
    pub(super) fn new() -> Self {
        let bar = ProgressBar::new(0);
        if let Ok(style) =
            ProgressStyle::with_template("{bar:40} {percent:>3}%  {pos}/{len} rollouts, {eta} left")
        {
            bar.set_style(style.progress_chars("━╸─"));
        }
        Watch { bar, interrupt: Interrupt::listen() }
    }

    /// There are so many rollouts to come.
    pub(super) fn expect(&self, rollouts: u64) {
        self.bar.inc_length(rollouts);
    }

    /// So many more are done, or need not be made.
    pub(super) fn done(&self, rollouts: usize) {
        self.bar.inc(rollouts as u64);
    }

    /// Whether to go on.
    pub(super) fn go_on(&self) -> Result<(), Stop> {
        if self.interrupt.asked() { Err(Stop::Interrupted) } else { Ok(()) }
    }

    /// Takes the bar away.
    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}
