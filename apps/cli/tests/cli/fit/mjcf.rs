//! `gradbody fit` of a model from an MJCF file: the fitted model is one, and predicts the same.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{SPRING, arm};
use crate::support::{gradbody_in, names};

/// The errors of a model in what `gradbody predict` says, by channel.
fn errors(folder: &Path, fit: &str, by: &str) -> Vec<f64> {
    let ran = gradbody_in(folder, &["predict", fit, "--json"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let told: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let models = told["models"].as_array().expect("a list");
    let model = models.iter().find(|model| model["by"] == by).expect("the model");
    let rms = model["rms"].as_object().expect("an object");
    rms.values().map(|channel| channel["all"].as_f64().expect("a number")).collect()
}

#[test]
fn a_fit_of_an_mjcf_writes_an_mjcf_that_predicts_the_same() {
    let folder = arm("fit_mjcf");
    let run = |args: &[&str]| {
        let ran = gradbody_in(&folder, args);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
    };
    let experiment = |file: &str, model: &str| {
        fs::write(folder.join(file), SPRING.replace("arm.urdf", model)).expect("written");
    };
    run(&["export", "arm.urdf", "--out", "arm.xml"]);
    experiment("arm.toml", "arm.xml");
    run(&["fit", "arm.toml"]);
    let written = names(&folder.join("arm-fit"));
    assert!(written.iter().any(|name| name == "model.xml"), "{written:?}");
    assert!(!written.iter().any(|name| name == "model.urdf"), "{written:?}");

    experiment("again.toml", "arm-fit/model.xml");
    run(&["fit", "again.toml"]);
    let (fitted, before) =
        (errors(&folder, "arm-fit", "after"), errors(&folder, "again-fit", "before"));
    assert_eq!(fitted.len(), 2);
    for (fitted, before) in fitted.iter().zip(&before) {
        assert!((fitted - before).abs() <= 1e-9 * fitted, "{fitted} is not {before}");
    }
    let unfitted = errors(&folder, "arm-fit", "before");
    assert!(fitted.iter().zip(&unfitted).all(|(after, before)| after < before));
}
