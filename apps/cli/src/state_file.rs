//! States in files.
//!
//! JSON: `{"t": 0, "q": […], "v": […], "tau": […], "activation": […], "control": […]}`, every part optional. CSV:
//! columns `q:NAME`, `v:NAME` and `a:NAME` for every coordinate and actuator state, as `simulate` writes them, and
//! optionally `t` and `tau:NAME`; the last row is used, so that a run can continue another one.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use gradbody::model::{Activation, Model, Topology};
use serde::Deserialize;

use crate::state_args::{Start, check_count};
use crate::suggest::did_you_mean;

/// Reads a state of this model.
pub(crate) fn read(path: &Path, model: &Model<f64>) -> anyhow::Result<Start> {
    let file = path.display();
    let text = fs::read_to_string(path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => anyhow!("{file}: no such file"),
        _ => anyhow!("{file}: cannot be read: {e}"),
    })?;
    let start = if text.trim_start().starts_with('{') {
        from_json(&text, model)
    } else if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv")) {
        from_csv(&text, model)
    } else {
        Err(anyhow!("a state is a JSON object or a .csv file from `gradbody simulate`"))
    };
    start.with_context(|| file.to_string())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Json {
    t: Option<f64>,
    q: Option<Vec<f64>>,
    v: Option<Vec<f64>>,
    tau: Option<Vec<f64>>,
    activation: Option<Vec<f64>>,
    control: Option<Vec<f64>>,
}

fn from_json(text: &str, model: &Model<f64>) -> anyhow::Result<Start> {
    let json: Json = serde_json::from_str(text)?;
    let mut start = Start::neutral(model);
    start.state.time = json.t.unwrap_or(0.0);
    let topology = &model.topology;
    let velocities = topology.velocity_names();
    let actuators: Vec<String> = topology.actuators.iter().map(|a| a.name.clone()).collect();
    for (what, given, names, target) in [
        ("q", json.q, &topology.position_names(), &mut start.state.q),
        ("v", json.v, &velocities, &mut start.state.v),
        ("tau", json.tau, &velocities, &mut start.tau),
        ("activation", json.activation, &activation_names(topology), &mut start.state.activation),
        ("control", json.control, &actuators, &mut start.control),
    ] {
        if let Some(values) = given {
            check_count(what, values.len(), names).map_err(|problem| anyhow!(problem))?;
            *target = values;
        }
    }
    Ok(start)
}

/// Names of the actuators that have a state, in the order of those states.
pub(crate) fn activation_names(topology: &Topology) -> Vec<String> {
    let mut names = vec![String::new(); topology.na];
    for actuator in &topology.actuators {
        if let Activation::Integrator { index } = actuator.activation {
            names[index] = actuator.name.clone();
        }
    }
    names
}

fn from_csv(text: &str, model: &Model<f64>) -> anyhow::Result<Start> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let header = reader.headers()?.clone();
    let last = reader.records().last().ok_or_else(|| anyhow!("no row below the header"))??;
    let mut start = Start::neutral(model);
    let topology = &model.topology;
    let velocities = topology.velocity_names();
    let activations = activation_names(topology);
    let positions = topology.position_names();
    let mut columns = HashSet::new();
    if let Some(column) = header.iter().find(|column| !columns.insert(*column)) {
        bail!("two columns are named \"{column}\"");
    }
    for (column, field) in header.iter().zip(&last) {
        let number = || {
            let value = field.parse::<f64>().ok().filter(|x| x.is_finite());
            value.ok_or_else(|| anyhow!("last row: \"{field}\" ({column}) is not a finite number"))
        };
        let (names, target) = match column.split_once(':') {
            Some(("q", _)) => (&positions, &mut start.state.q),
            Some(("v", _)) => (&velocities, &mut start.state.v),
            Some(("tau", _)) => (&velocities, &mut start.tau),
            Some(("a", _)) => (&activations, &mut start.state.activation),
            _ => {
                if column == "t" {
                    start.state.time = number()?;
                }
                continue;
            }
        };
        let (_, name) = column.split_once(':').unwrap_or_default();
        let Some(place) = names.iter().position(|n| n == name) else {
            let hint = did_you_mean(name, names.iter().map(String::as_str));
            bail!("column \"{column}\": this model has no coordinate \"{name}\"{hint}");
        };
        target[place] = number()?;
    }
    for (prefix, names) in [("q", &positions), ("v", &velocities), ("a", &activations)] {
        let mut needed = names.iter().map(|name| format!("{prefix}:{name}"));
        if let Some(column) = needed.find(|column| !columns.contains(column.as_str())) {
            bail!("no column \"{column}\"");
        }
    }
    Ok(start)
}
