//! What a run did to energy and momentum.

use std::fmt;

use super::recorder::Totals;
use crate::text::{number, tuple};

/// Totals at the start, now, and the largest change between.
#[derive(Clone, Copy, Debug)]
pub(super) struct Summary {
    start: Totals,
    end: Totals,
    largest_change: f64,
    largest_change_at: f64,
}

impl Summary {
    /// At the start of a run.
    pub(super) fn new(start: Totals) -> Self {
        Summary { start, end: start, largest_change: 0.0, largest_change_at: start.time }
    }

    /// Goes on to a later time.
    pub(super) fn add(&mut self, totals: Totals) {
        self.end = totals;
        let change = (totals.energy.total() - self.start.energy.total()).abs();
        if change > self.largest_change {
            self.largest_change = change;
            self.largest_change_at = totals.time;
        }
    }

    /// The time it has come to [s].
    pub(super) fn end_time(&self) -> f64 {
        self.end.time
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Summary { start, end, .. } = self;
        let mut line = |name: &str, value: String| writeln!(f, "  {name:<17} {value}");
        line("time", format!("{} → {} s", number(start.time), number(end.time)))?;
        let (before, after) = (start.energy.total(), end.energy.total());
        line(
            "energy",
            format!(
                "{} → {} J, change {} J; the largest change was {} J at t = {} s",
                number(before),
                number(after),
                number(after - before),
                number(self.largest_change),
                number(self.largest_change_at)
            ),
        )?;
        let change = end.momentum - start.momentum;
        let (p, l) = (change.lin.to_array(), change.ang.to_array());
        line("linear momentum", format!("change {} N s", tuple(&p)))?;
        line("angular momentum", format!("change {} N m s, about the centre of mass", tuple(&l)))?;
        let (from, to) = (start.com.to_array(), end.com.to_array());
        line("centre of mass", format!("{} → {} m", tuple(&from), tuple(&to)))
    }
}
