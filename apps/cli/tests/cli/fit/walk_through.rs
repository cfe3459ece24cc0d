//! The documents: the walk-through word for word, and the reference.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{arm, documents, folder_with, network, read_json};
use crate::support::{gradbody_in, names};

/// The blocks of a Markdown text: their language and what is in them.
fn blocks(markdown: &str) -> Vec<(&str, &str)> {
    let fenced = markdown.split("```").skip(1).step_by(2);
    fenced.filter_map(|block| block.split_once('\n')).collect()
}

/// Saves the experiments of a document and runs its commands, in order. Returns the number of commands.
#[cfg(unix)]
fn type_in(folder: &Path, markdown: &str) -> usize {
    let program = Path::new(env!("CARGO_BIN_EXE_gradbody")).parent().expect("a folder");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let mut ran = 0;
    for (language, block) in blocks(markdown) {
        match language {
            "toml" => {
                let name = block.lines().next().and_then(|line| line.strip_prefix("# "));
                fs::write(folder.join(name.expect("a file name")), block).expect("written");
            }
            "sh" => {
                let mut command = Command::new("sh");
                command.args(["-e", "-c", block]).env("PATH", &path).current_dir(folder);
                let output = command.output().expect("a shell");
                let stderr = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{block}\n{stderr}");
                ran += 1;
            }
            _ => {}
        }
    }
    ran
}

#[cfg(unix)]
#[test]
fn the_walk_through_of_tosses_can_be_typed_as_it_stands() {
    let folder = folder_with("fit_walk_through_of_tosses", "fit-tosses");
    let markdown = fs::read_to_string(documents().join("fit-tosses.md")).expect("a walk-through");
    assert_eq!(type_in(&folder, &markdown), 3, "commands in the walk-through");
    let metrics = read_json(&folder.join("tosses-fit/metrics.json"));
    let parameters = metrics["parameters"].as_array().expect("a list");
    // The truth of both is 0.3; the search begins at 0.45 and 0.
    for (parameter, within) in parameters.iter().zip([0.045, 0.075]) {
        let fitted = parameter["fitted"].as_f64().expect("a number");
        assert!((fitted - 0.3).abs() < within, "{parameter}");
    }
    assert_eq!(names(&folder.join("predictions")), ["errors.json", "predictions.csv"]);
}

#[cfg(unix)]
#[test]
fn the_walk_through_can_be_typed_as_it_stands() {
    let folder = arm("fit_walk_through");
    let markdown =
        fs::read_to_string(documents().join("fit-your-robot.md")).expect("a walk-through");
    assert_eq!(type_in(&folder, &markdown), 8, "commands in the walk-through");

    // The table of section 5: | path | before | fitted ± sigma unit | truth |
    let metrics = read_json(&folder.join("spring-fit/metrics.json"));
    let mut rows = 0;
    for row in markdown.lines().filter(|line| line.starts_with("| ") && line.contains('±')) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let found = metrics["parameters"].as_array().expect("a list");
        let found = found.iter().find(|p| p["name"] == cells[1]).expect("a parameter");
        let (fitted, sigma) =
            (found["fitted"].as_f64().expect("a number"), found["sigma"].as_f64());
        let sigma = sigma.expect("a standard deviation");
        let told: f64 = cells[3].split_once(' ').expect("±").0.parse().expect("a number");
        let truth: f64 = cells[4].parse().expect("a number");
        assert!((told - fitted).abs() < sigma, "{row}: {fitted} ± {sigma}");
        assert!((truth - fitted).abs() < 3.0 * sigma, "{row}: {fitted} ± {sigma}");
        assert!((truth - fitted).abs() < 2e-3 * truth, "{row}: {fitted}");
        rows += 1;
    }
    assert_eq!(rows, 6);
    let rms = |fit: &str, by: &str, channel: &str| {
        let errors = read_json(&folder.join(fit).join("metrics.json"))["errors"].clone();
        let table = errors
            .as_array()
            .expect("a list")
            .iter()
            .find(|t| t["by"] == by && t["part"] == "test");
        let channels = table.expect("a table")["channels"].clone();
        let channel =
            channels.as_array().expect("a list").iter().find(|c| c["name"] == channel).cloned();
        channel.expect("a channel")["rms"].as_f64().expect("a number")
    };
    for channel in ["shoulder", "elbow"] {
        assert!(rms("arm-fit", "after", channel) > 5.0, "the arm lacks a spring");
        assert!(
            rms("network-fit", "after", channel) < 0.2,
            "{}",
            rms("network-fit", "after", channel)
        );
        assert!(rms("spring-fit", "after", channel) < 0.1);
    }
    let greedy = read_json(&folder.join("greedy-fit/metrics.json"));
    let untold =
        greedy["parameters"].as_array().expect("a list").iter().filter(|p| p["sigma"].is_null());
    let untold: Vec<&str> = untold.filter_map(|p| p["name"].as_str()).collect();
    assert_eq!(untold, ["link/upper/mass", "link/upper/com/z", "link/upper/inertia/yy"]);
    assert_eq!(names(&folder.join("predictions")), ["errors.json", "predictions.csv"]);
}

#[test]
fn the_experiment_of_the_readme_finds_the_upper_arm() {
    let folder = arm("fit_readme");
    let readme = fs::read_to_string(documents().join("../README.md")).expect("a README");
    let (_, experiment) =
        *blocks(&readme).iter().find(|(language, _)| *language == "toml").expect("it");
    fs::write(folder.join("spring.toml"), experiment).expect("written");
    for command in [["fit", "spring.toml"], ["predict", "spring-fit"]] {
        let ran = gradbody_in(&folder, &command);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
    }
    let metrics = read_json(&folder.join("spring-fit/metrics.json"));
    let parameters = metrics["parameters"].as_array().expect("a list");
    let upper = parameters.iter().find(|p| p["name"] == "link/upper/mass").expect("a parameter");
    let told = format!("{:.4}", upper["fitted"].as_f64().expect("a number"));
    assert!(readme.contains(&format!("as {told} ±")), "{told}");
}

#[test]
fn every_key_of_an_experiment_is_in_the_reference() {
    let reference =
        fs::read_to_string(documents().join("experiment-file.md")).expect("a reference");
    let experiment = gradbody::learn::Experiment::from_toml(&network(), "arm.toml").expect("right");
    let experiment = serde_json::to_value(experiment).expect("JSON");
    let mut tables = vec![&experiment, &experiment["channels"]["elbow"]];
    tables.extend(experiment.as_object().expect("a table").values().filter(|v| v.is_object()));
    let mut seen = 0;
    for table in tables {
        // The names of channels are the user's.
        if table == &experiment["channels"] {
            continue;
        }
        for key in table.as_object().expect("a table").keys() {
            let headings = [format!("`{key}`"), format!("`[{key}]`"), format!("`[[{key}]]`")];
            assert!(headings.iter().any(|heading| reference.contains(heading)), "{key}");
            seen += 1;
        }
    }
    assert!(seen > 60, "{seen}");
}
