//! Motions in CSV files: those of `gradbody simulate` and of `gradbody plan`.

use std::fs;
use std::path::Path;

use anyhow::{anyhow, bail};
use gradbody::model::Model;
use gradbody::sim::{Input, State};
use gradbody_view::record::KnownMoment;

use crate::state_file::activation_names;
use crate::suggest::did_you_mean;

/// What a column has.
enum Column {
    Time,
    Position(usize),
    Velocity(usize),
    Activation(usize),
    Control(usize),
    Force(usize),
    /// Something that follows from the others.
    Other,
}

/// Fails if there is no such file, with the name of a similar one beside it.
pub(super) fn must_exist(path: &Path) -> anyhow::Result<()> {
    if path.exists() {
        return Ok(());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let beside = fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten().flatten();
    let tables = beside.map(|entry| entry.path()).filter(|path| {
        path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"))
    });
    let last = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut names: Vec<String> = tables.map(|path| last(&path)).collect();
    names.sort();
    let hint = did_you_mean(&last(path), names.iter().map(String::as_str));
    bail!("{}: no such file{hint}", path.display())
}

/// Reads all rows.
pub(super) fn read(path: &Path, model: &Model<f64>) -> anyhow::Result<Vec<KnownMoment>> {
    let file = path.display();
    must_exist(path)?;
    let text = fs::read_to_string(path).map_err(|e| anyhow!("{file}: cannot be read: {e}"))?;
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|e| anyhow!("{file}: {e}"))?.clone();
    let columns = columns(&header, model).map_err(|e| anyhow!("{file}:1: {e}"))?;
    let mut moments: Vec<KnownMoment> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|e| anyhow!("{file}: {e}"))?;
        let line = record.position().map_or(0, csv::Position::line);
        let mut moment = KnownMoment { state: State::neutral(model), input: Input::none(model) };
        let KnownMoment { state, input } = &mut moment;
        for ((column, field), name) in columns.iter().zip(&record).zip(&header) {
            let to = match column {
                Column::Time => &mut state.time,
                Column::Position(k) => &mut state.q[*k],
                Column::Velocity(k) => &mut state.v[*k],
                Column::Activation(k) => &mut state.activation[*k],
                Column::Control(k) => &mut input.control[*k],
                Column::Force(k) => &mut input.tau[*k],
                Column::Other => continue,
            };
            let number = field.parse::<f64>().ok().filter(|x| x.is_finite());
            *to = number.ok_or_else(|| {
                anyhow!("{file}:{line}: column \"{name}\": \"{field}\" is not a finite number")
            })?;
        }
        let topology = &model.topology;
        topology
            .normalise_quaternions(&mut state.q)
            .map_err(|problem| anyhow!("{file}:{line}: {problem}"))?;
        if let Some(before) = moments.last().filter(|m| m.state.time > state.time) {
            let before = before.state.time;
            bail!("{file}:{line}: the time decreases from {before} to {}", state.time);
        }
        moments.push(moment);
    }
    if moments.is_empty() {
        bail!("{file}: no row below the header");
    }
    Ok(moments)
}

/// What each column has. All positions are needed.
fn columns(header: &csv::StringRecord, model: &Model<f64>) -> anyhow::Result<Vec<Column>> {
    let topology = &model.topology;
    let (positions, velocities) = (topology.position_names(), topology.velocity_names());
    let activations = activation_names(topology);
    let actuators: Vec<String> = topology.actuators.iter().map(|a| a.name.clone()).collect();
    let place = |names: &[String], name: &str| {
        names.iter().position(|n| n == name).ok_or_else(|| {
            let hint = did_you_mean(name, names.iter().map(String::as_str));
            anyhow!("this model has no \"{name}\"{hint}; is it the model of this run?")
        })
    };
    let mut found = Vec::new();
    for column in header {
        // Some spreadsheets start a file with a byte-order mark.
        let column = column.trim_start_matches('\u{feff}');
        found.push(match column.split_once(':') {
            _ if column == "t" => Column::Time,
            Some(("q", name)) => Column::Position(place(&positions, name)?),
            Some(("v", name)) => Column::Velocity(place(&velocities, name)?),
            Some(("a", name)) => Column::Activation(place(&activations, name)?),
            Some(("tau", name)) => Column::Force(place(&velocities, name)?),
            _ => match (column.strip_prefix("control/"), column.strip_prefix("joint/")) {
                (Some(name), _) => Column::Control(place(&actuators, name)?),
                (_, Some(joint)) if joint.ends_with("/force") => {
                    Column::Force(place(&velocities, joint.trim_end_matches("/force"))?)
                }
                (_, Some(joint)) if joint.contains("/force/") => {
                    Column::Force(place(&velocities, &joint.replacen("/force/", "/", 1))?)
                }
                _ => Column::Other,
            },
        });
    }
    let has = |wanted: &dyn Fn(&Column) -> bool| found.iter().any(wanted);
    if !has(&|c| matches!(c, Column::Time)) {
        bail!("no column \"t\" (the time in seconds)");
    }
    for (k, name) in positions.iter().enumerate() {
        if !has(&|c| matches!(c, Column::Position(q) if *q == k)) {
            bail!("no column \"q:{name}\"; is it a run of this model?");
        }
    }
    Ok(found)
}
