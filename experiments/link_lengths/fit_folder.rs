//! The lengths that were found as the folder of a fit, which `gradbody predict` runs on other swings.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context as _;
use gradbody::learn::Experiment;
use gradbody::model::export;

use super::problem::{BOUNDS, DT, PLACES, Problem, START, TRUTH};
use crate::double_pendulum::{self as pendulum, JOINTS};
use crate::found::{self, Found};

/// A swing begins at rest. Both parameters of the upper length are one number.
const EXPERIMENT: &str = r#"
name = "link-lengths"

[model]
file = "pendulum.xml"

[data]
files = "swing.csv"
time = "t"

[channels]
shoulder = { is = "joint/shoulder/position", unit = "rad", noise = 0.01 }
elbow = { is = "joint/elbow/position", unit = "rad", noise = 0.01 }

[change]
starts = "measured"

[simulation]
contact = "off"

[objective]
estimate = { reach = 0 }

[prediction]
warm-up = 1
baselines = []
"#;

/// Writes the folder of a search that began at the lengths `start` and ended at `end` [m].
pub(super) fn write(
    path: &Path,
    problem: &Problem,
    start: [f64; 2],
    end: [f64; 2],
) -> anyhow::Result<()> {
    let mut experiment = Experiment::from_toml(EXPERIMENT, "link-lengths")?;
    for (place, k) in PLACES {
        experiment.model.set.insert(place.into(), -start[k]);
        experiment.change.parameters.push(place.into());
    }
    // The bounds of the first of several places hold for all.
    for length in 0..2 {
        let places = PLACES.iter().filter(|(_, k)| *k == length);
        let places: Vec<String> = places.map(|(place, _)| (*place).to_owned()).collect();
        experiment.change.bounds.insert(places[0].clone(), (-BOUNDS.1, -BOUNDS.0));
        if places.len() > 1 {
            experiment.change.ties.push(places);
        }
    }
    let file = export::mjcf(&pendulum::model(TRUTH, [0.0; 2])?)?;
    let found = Found {
        experiment,
        files: vec![("pendulum.xml".into(), file.text), ("swing.csv".into(), table(problem))],
        ended: "found by `cargo reproduce link-lengths`, by parallel basin hopping".into(),
    };
    found::write(path, found, |setup| {
        let unknowns = setup.unknowns()?;
        let found = unknowns.params.iter().map(|unknown| {
            let place = PLACES.iter().find(|(place, _)| *place == unknown.name);
            let (_, k) = place.with_context(|| format!("{} is no length", unknown.name))?;
            Ok(-end[*k] / unknown.scale)
        });
        found.collect()
    })
}

/// The recorded swing: time and angles. Its start is known.
fn table(problem: &Problem) -> String {
    let mut text = format!("t,{},{}\n", JOINTS[0], JOINTS[1]);
    for (k, [shoulder, elbow]) in problem.angles().enumerate() {
        let [shoulder, elbow] = if k == 0 { START } else { [shoulder, elbow] };
        let _ = writeln!(text, "{:.2},{shoulder},{elbow}", DT * k as f64);
    }
    text
}

#[cfg(test)]
mod tests {
    use gradbody::learn::optimise::Objective as _;

    use super::super::SEED;
    use super::*;

    /// The file of a fit has the cost that the search made small.
    #[test]
    fn the_folder_of_a_fit_has_the_cost_of_the_experiment() {
        let problem = Problem::new(SEED).expect("a problem");
        let objective = problem.objective();
        let folder =
            std::env::temp_dir().join(format!("gradbody-lengths-fit-{}", std::process::id()));
        let (start, end) = ([2.5, 4.5], [3.001, 3.999]);
        write(&folder, &problem, start, end).expect("a fit");
        let text = std::fs::read_to_string(folder.join("checkpoint.json")).expect("a file");
        let checkpoint: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let done = &checkpoint["journal"]["done"][0];
        for (key, lengths) in [("before", start), ("cost", end)] {
            let cost = done[key].as_f64().expect("a number");
            let own = objective.cost(&lengths);
            assert!((cost / own - 1.0).abs() < 1e-6, "{key}: {cost} and {own}");
        }
        let args = ["gradbody", "predict"].map(std::ffi::OsString::from);
        let new = [folder.clone().into(), "--data".into(), folder.join("swing.csv").into()];
        gradbody_cli::run(args.into_iter().chain(new)).unwrap_or_else(|e| panic!("{e:#}"));
        std::fs::remove_dir_all(folder).expect("removed");
    }
}
