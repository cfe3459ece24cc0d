//! The rows of a run: state, energies and contact, as CSV.

use std::path::Path;

use anyhow::Context as _;
use gradbody::dynamics::Kinematics;
use gradbody::model::Model;
use gradbody::sim::{Energy, State, Totals};

use super::contact_rows::ContactTotals;
use crate::atomic_file::AtomicFile;
use crate::state_file::activation_names;

/// A CSV file being written.
pub(super) struct Recorder {
    csv: csv::Writer<AtomicFile>,
    file: String,
    kin: Kinematics<f64>,
    row: Vec<f64>,
    rows: u64,
}

impl Recorder {
    /// Starts the file with its header.
    pub(super) fn create(path: &Path, model: &Model<f64>) -> anyhow::Result<Self> {
        let topology = &model.topology;
        let mut header = vec!["t".to_owned()];
        for (prefix, names) in [
            ("q", topology.position_names()),
            ("v", topology.velocity_names()),
            ("a", activation_names(topology)),
        ] {
            header.extend(names.iter().map(|name| format!("{prefix}:{name}")));
        }
        header.extend(["kinetic", "potential", "elastic", "energy"].map(String::from));
        header.extend(ContactTotals::COLUMNS.map(String::from));
        let mut csv = csv::Writer::from_writer(AtomicFile::create(path)?);
        let file = path.display().to_string();
        csv.write_record(&header).with_context(|| file.clone())?;
        let kin = Kinematics::new(model);
        Ok(Recorder { csv, file, kin, row: Vec::with_capacity(header.len()), rows: 0 })
    }

    /// Writes a row: a state, and the contacts of the step that led to it.
    pub(super) fn row(
        &mut self,
        model: &Model<f64>,
        state: &State<f64>,
        contact: &ContactTotals,
    ) -> anyhow::Result<Totals> {
        let totals = Totals::at(model, state, &mut self.kin);
        let Energy { kinetic, gravitational, elastic } = totals.energy;
        self.row.clear();
        self.row.push(state.time);
        self.row.extend(state.q.iter().chain(&state.v).chain(&state.activation));
        self.row.extend([kinetic, gravitational, elastic, totals.energy.total()]);
        self.row.extend(contact.values());
        self.csv.serialize(&self.row).with_context(|| self.file.clone())?;
        self.rows += 1;
        Ok(totals)
    }

    /// Completes the file; returns its number of rows.
    pub(super) fn finish(self) -> anyhow::Result<u64> {
        let file = self.csv.into_inner().map_err(|e| e.into_error()).context(self.file)?;
        file.finish()?;
        Ok(self.rows)
    }
}
