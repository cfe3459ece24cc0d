//! Fits of tosses without advice: the search finds out by itself that derivatives mislead it.

use std::fs;

use serde_json::Value;

use super::{documents, folder_with, read_json};
use crate::support::gradbody_in;

/// Fits the tosses of the tutorial, whose experiment is changed first. Returns the numbers of the fit.
fn fit(name: &str, change: impl Fn(&str) -> String) -> Value {
    let folder = folder_with(name, "fit-tosses");
    let markdown = fs::read_to_string(documents().join("fit-tosses.md")).expect("a walk-through");
    let experiment = markdown.split("```toml\n").nth(1).expect("an experiment");
    let experiment = experiment.split("```").next().expect("its end");
    let changed = change(experiment);
    assert_ne!(changed, experiment);
    fs::write(folder.join("tosses.toml"), changed).expect("written");
    let ran = gradbody_in(&folder, &["fit", "tosses.toml"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    read_json(&folder.join("tosses-fit/metrics.json"))
}

/// The stages of a fit, and what was said about each.
fn stages(metrics: &Value) -> Vec<(&str, String)> {
    let stages = metrics["stages"].as_array().expect("a list");
    let of = |stage: &'_ Value| stage["remarks"].to_string();
    stages.iter().map(|stage| (stage["name"].as_str().expect("a name"), of(stage))).collect()
}

/// The truth of friction and restitution is 0.3; the search begins at 0.45 and 0.
fn check_numbers(metrics: &Value) {
    let parameters = metrics["parameters"].as_array().expect("a list");
    assert_eq!(parameters.len(), 2);
    for (parameter, within) in parameters.iter().zip([0.045, 0.075]) {
        let fitted = parameter["fitted"].as_f64().expect("a number");
        assert!((fitted - 0.3).abs() < within, "{parameter}");
    }
}

#[test]
fn a_search_that_derivatives_mislead_goes_on_with_secants() {
    let metrics =
        fit("fit_without_secants", |text| text.replace("gradient = { secant = 0.2 }\n", ""));
    let stages = stages(&metrics);
    let names: Vec<&str> = stages.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["parameters, by derivatives", "parameters"]);
    assert!(stages[0].1.contains("went on with secants"), "{}", stages[0].1);
    check_numbers(&metrics);
}

#[test]
fn a_curriculum_fits_shorter_windows_first() {
    let metrics = fit("fit_curriculum", |text| {
        text.replace("window = 12\n", "window = 12\ncurriculum = [6]\n")
    });
    let stages = stages(&metrics);
    let names: Vec<&str> = stages.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["shorter windows", "parameters"]);
    check_numbers(&metrics);
}
