//! Summary of a run: energy, momentum and contacts.

use std::fmt;

use gradbody::contact::ContactId;
use gradbody::model::Model;
use gradbody::sim::Totals;

use super::contact_rows::{ContactTotals, shapes_of};
use gradbody_report::text::{number, tuple};

/// Totals at the start, now, and the largest change between.
#[derive(Clone, Copy, Debug)]
pub(super) struct Summary<'a> {
    model: &'a Model<f64>,
    start: Totals,
    end: Totals,
    largest_change: f64,
    largest_change_at: f64,
    contact: ContactSummary,
}

/// Largest values of a run, and their times [s].
#[derive(Clone, Copy, Debug, Default)]
struct ContactSummary {
    touching: usize,
    touching_now: usize,
    first_at: Option<f64>,
    depth: f64,
    depth_at: f64,
    deepest: Option<ContactId>,
    residual: f64,
    residual_at: f64,
    steps: usize,
    unconverged: usize,
}

/// Residual above which a step counts as not converged [m/s]: a millimetre in a second.
const UNCONVERGED: f64 = 1e-3;

impl<'a> Summary<'a> {
    /// At the start of a run.
    pub(super) fn new(model: &'a Model<f64>, start: Totals) -> Self {
        Summary {
            model,
            start,
            end: start,
            largest_change: 0.0,
            largest_change_at: start.time,
            contact: ContactSummary::default(),
        }
    }

    /// Adds the contacts of a step that began at `time`.
    pub(super) fn add_contact(&mut self, time: f64, totals: &ContactTotals) {
        let contact = &mut self.contact;
        contact.touching = contact.touching.max(totals.touching);
        contact.touching_now = totals.touching;
        if totals.touching > 0 {
            contact.first_at.get_or_insert(time);
        }
        if totals.depth > contact.depth {
            (contact.depth, contact.depth_at) = (totals.depth, time);
            contact.deepest = totals.deepest;
        }
        contact.steps += 1;
        contact.unconverged += usize::from(totals.residual > UNCONVERGED);
        if totals.residual > contact.residual {
            (contact.residual, contact.residual_at) = (totals.residual, time);
        }
    }

    /// Adds the totals at a later time.
    pub(super) fn add(&mut self, totals: Totals) {
        self.end = totals;
        let change = (totals.energy.total() - self.start.energy.total()).abs();
        if change > self.largest_change {
            self.largest_change = change;
            self.largest_change_at = totals.time;
        }
    }

    /// Time of the last totals [s].
    pub(super) fn end_time(&self) -> f64 {
        self.end.time
    }
}

impl fmt::Display for Summary<'_> {
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
        line("centre of mass", format!("{} → {} m", tuple(&from), tuple(&to)))?;
        let ContactSummary { touching, touching_now, depth, residual, .. } = self.contact;
        let Some(first) = self.contact.first_at else { return Ok(()) };
        line(
            "contacts",
            format!(
                "from t = {} s on, {touching} at most, {touching_now} at the end",
                number(first)
            ),
        )?;
        if let Some(deepest) = self.contact.deepest {
            let at = number(self.contact.depth_at);
            let shapes = shapes_of(self.model, deepest);
            line("penetration", format!("{} m at most, at t = {at} s ({shapes})", number(depth)))?;
        }
        if residual > 0.0 {
            let at = number(self.contact.residual_at);
            line("solver residual", format!("{} m/s at most, at t = {at} s", number(residual)))?;
            let ContactSummary { steps, unconverged, .. } = self.contact;
            if unconverged > 0 {
                let what = "had not converged to 1 mm/s: more --sweeps or a smaller --dt may help";
                line("", format!("{unconverged} of {steps} steps {what}"))?;
            }
        }
        Ok(())
    }
}
