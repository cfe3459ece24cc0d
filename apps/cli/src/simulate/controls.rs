//! Controls over time, from a CSV file: each row holds until the next one's time.

use std::fs::File;
use std::path::Path;

use anyhow::{anyhow, bail};
use gradbody::model::Topology;
use gradbody::sim::Input;

use crate::suggest::{did_you_mean, list};

/// What a column drives.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Target {
    /// An actuator, by its index.
    Actuator(usize),
    /// The force on a velocity coordinate, by its index.
    Force(usize),
}

/// A schedule of controls.
#[derive(Clone, Debug)]
pub(crate) struct Controls {
    targets: Vec<Target>,
    /// Times [s], never decreasing.
    times: Vec<f64>,
    /// One row for each time, one value for each target.
    rows: Vec<Vec<f64>>,
    /// Number of rows whose time has come.
    passed: usize,
}

impl Controls {
    /// No controls.
    pub(crate) fn none() -> Self {
        Controls { targets: vec![], times: vec![], rows: vec![], passed: 0 }
    }

    /// Reads a file of controls for this model.
    pub(crate) fn read(path: &Path, topology: &Topology) -> anyhow::Result<Self> {
        let file = path.display();
        let input = File::open(path).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => anyhow!("{file}: no such file"),
            _ => anyhow!("{file}: cannot be read: {e}"),
        })?;
        let mut reader =
            csv::ReaderBuilder::new().trim(csv::Trim::All).flexible(true).from_reader(input);
        let header = reader.headers().map_err(|e| anyhow!("{file}: {e}"))?.clone();
        let (time_column, targets) =
            columns(&header, topology).map_err(|e| anyhow!("{file}:1: {e}"))?;

        let mut controls = Controls { targets, ..Controls::none() };
        for record in reader.records() {
            let record = record.map_err(|e| anyhow!("{file}: {e}"))?;
            let line = record.position().map_or(0, csv::Position::line);
            controls
                .add_row(&header, &record, time_column)
                .map_err(|e| anyhow!("{file}:{line}: {e}"))?;
        }
        if controls.rows.is_empty() {
            bail!("{file}: no row below the header");
        }
        Ok(controls)
    }

    fn add_row(
        &mut self,
        header: &csv::StringRecord,
        record: &csv::StringRecord,
        time_column: usize,
    ) -> anyhow::Result<()> {
        if record.len() != header.len() {
            bail!("{} fields, the header has {}", record.len(), header.len());
        }
        let mut row = Vec::with_capacity(self.targets.len());
        for (i, (name, field)) in header.iter().zip(record).enumerate() {
            let value = field.parse::<f64>().ok().filter(|x| x.is_finite());
            let value = value
                .ok_or_else(|| anyhow!("column \"{name}\": \"{field}\" is not a finite number"))?;
            if i != time_column {
                row.push(value);
            } else if let Some(before) = self.times.last().filter(|t| **t > value) {
                bail!("the time decreases from {before} to {value}");
            } else {
                self.times.push(value);
            }
        }
        self.rows.push(row);
        Ok(())
    }

    /// Sets the controls in `input` for a step of length `dt` that starts at `time`; times must not decrease from call
    /// to call.
    pub(crate) fn apply(&mut self, time: f64, dt: f64, input: &mut Input<f64>) {
        // A row meant for the start of this step may be off by rounding.
        let now = time + 1e-6 * dt;
        let before = self.passed;
        while self.times.get(self.passed).is_some_and(|t| *t <= now) {
            self.passed += 1;
        }
        if self.passed == before {
            return;
        }
        for (target, value) in self.targets.iter().zip(&self.rows[self.passed - 1]) {
            match *target {
                Target::Actuator(i) => input.control[i] = *value,
                Target::Force(k) => input.tau[k] = *value,
            }
        }
    }
}

/// The column of the time, and what every other column drives.
fn columns(
    header: &csv::StringRecord,
    topology: &Topology,
) -> anyhow::Result<(usize, Vec<Target>)> {
    let actuators: Vec<String> = topology.actuators.iter().map(|a| a.name.clone()).collect();
    let forces: Vec<String> =
        topology.velocity_names().into_iter().map(|name| format!("tau:{name}")).collect();
    // Some spreadsheets start a file with a byte-order mark.
    let strip = |name: &str| name.trim_start_matches('\u{feff}').to_owned();
    let names: Vec<String> = header.iter().map(strip).collect();
    let time = names.iter().position(|name| name == "t").ok_or_else(|| {
        anyhow!("no column \"t\" (the time in seconds); the header is: {}", list(&names))
    })?;
    let mut targets = Vec::new();
    for (i, name) in names.iter().enumerate().filter(|(i, _)| *i != time) {
        if names[..i].contains(name) {
            bail!("two columns are named \"{name}\"");
        }
        let actuator = actuators.iter().position(|a| a == name).map(Target::Actuator);
        let force = forces.iter().position(|f| f == name).map(Target::Force);
        match actuator.or(force) {
            Some(target) => targets.push(target),
            None => {
                let known = actuators.iter().chain(&forces).map(String::as_str);
                let hint = match (did_you_mean(name, known), actuators.is_empty()) {
                    (hint, false) => hint,
                    (hint, true) if !hint.is_empty() => hint,
                    _ => format!(
                        "; this model has no actuators; its joint forces are: {}",
                        list(&forces)
                    ),
                };
                bail!("no actuator \"{name}\"{hint}");
            }
        }
    }
    Ok((time, targets))
}
