//! Contacts of a step: totals for the rows of a run, and a separate file with every contact.

use std::path::Path;

use anyhow::Context as _;
use gradbody::contact::{Contact, ContactId};
use gradbody::math::Vec3;
use gradbody::model::{Model, ShapeId};
use gradbody::sim::{StepReport, StepTrace};

use crate::atomic_file::AtomicFile;

/// Totals of the contacts in one step.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactTotals {
    /// Contacts that push, or whose shapes are inside each other.
    pub(super) touching: usize,
    /// Total force of fixed bodies on moving ones [N].
    pub(super) force_w: Vec3<f64>,
    /// Deepest penetration at the start of the step [m].
    pub(super) depth: f64,
    /// The contact with that penetration.
    pub(super) deepest: Option<ContactId>,
    pub(super) sweeps: u32,
    /// Largest velocity error that the solver left in a row [m/s].
    pub(super) residual: f64,
}

impl ContactTotals {
    /// Names of the columns.
    pub(super) const COLUMNS: [&'static str; 7] =
        ["contacts", "fx", "fy", "fz", "depth", "sweeps", "residual"];

    /// Before the first step.
    pub(super) const NONE: Self = ContactTotals {
        touching: 0,
        force_w: Vec3::ZERO,
        depth: 0.0,
        deepest: None,
        sweeps: 0,
        residual: 0.0,
    };

    /// Totals of a step.
    pub(super) fn of(trace: &StepTrace<f64>, report: &StepReport) -> Self {
        let StepReport { solved, .. } = report;
        let mut totals =
            ContactTotals { sweeps: solved.sweeps, residual: solved.residual, ..Self::NONE };
        for contact in trace.contacts() {
            let Contact { gap, force_w, link_a, link_b, .. } = *contact;
            totals.touching += usize::from(gap <= 0.0 || force_w != Vec3::ZERO);
            if link_a.is_none() {
                totals.force_w += force_w;
            } else if link_b.is_none() {
                totals.force_w -= force_w;
            }
            if -gap > totals.depth {
                totals.depth = -gap;
                totals.deepest = Some(contact.id);
            }
        }
        totals
    }

    /// In the order of the columns.
    pub(super) fn values(&self) -> [f64; 7] {
        let [fx, fy, fz] = self.force_w.to_array();
        [self.touching as f64, fx, fy, fz, self.depth, f64::from(self.sweeps), self.residual]
    }
}

/// `"foot" and "ground"`.
pub(super) fn shapes_of(model: &Model<f64>, id: ContactId) -> String {
    let name = |shape: ShapeId| &model.topology.shapes[shape.index()].name;
    format!("\"{}\" and \"{}\"", name(id.a), name(id.b))
}

/// A CSV file with a row for every contact.
pub(super) struct ContactRows {
    csv: csv::Writer<AtomicFile>,
    file: String,
    rows: u64,
}

impl ContactRows {
    /// Starts the file with its header.
    pub(super) fn create(path: &Path) -> anyhow::Result<Self> {
        let mut csv = csv::Writer::from_writer(AtomicFile::create(path)?);
        let file = path.display().to_string();
        let header =
            ["t", "a", "b", "slot", "x", "y", "z", "nx", "ny", "nz", "gap", "fx", "fy", "fz"];
        csv.write_record(header).with_context(|| file.clone())?;
        Ok(ContactRows { csv, file, rows: 0 })
    }

    /// Writes the contacts of the step that ended at `time`.
    pub(super) fn step(
        &mut self,
        model: &Model<f64>,
        time: f64,
        contacts: &[Contact<f64>],
    ) -> anyhow::Result<()> {
        let name = |shape: ShapeId| model.topology.shapes[shape.index()].name.as_str();
        for Contact { id, point_w, normal_w, gap, force_w, .. } in contacts {
            let row = (
                time,
                name(id.a),
                name(id.b),
                id.slot,
                point_w.to_array(),
                normal_w.to_array(),
                gap,
                force_w.to_array(),
            );
            self.csv.serialize(row).with_context(|| self.file.clone())?;
            self.rows += 1;
        }
        Ok(())
    }

    /// Completes the file; returns its number of rows.
    pub(super) fn finish(self) -> anyhow::Result<u64> {
        let file = self.csv.into_inner().map_err(|e| e.into_error()).context(self.file)?;
        file.finish()?;
        Ok(self.rows)
    }
}
