//! `gradbody fit` of a model from an MJCF file: the fitted model is one, and predicts the same.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{folder, gradbody_in, names};

const EXPERIMENT: &str = r#"[model]
file = "MODEL"

[data]
files = "run*.csv"
time = "time"
split = { named = { train = ["run1", "run2"], test = ["run6"] } }
samples = 120

[channels]
shoulder = { unit = "deg", is = "joint/shoulder/position", noise = 0.05 }
elbow = { unit = "deg", is = "joint/elbow/position", noise = 0.05 }
torque1 = { unit = "Nm", is = "joint/shoulder/force" }
torque2 = { unit = "Nm", is = "joint/elbow/force" }

[change]
parameters = ["link/*/mass", "joint/*/damping", "joint/elbow/stiffness", "joint/elbow/rest"]

[simulation]
integrator = "rk4"

[objective]
window = 20

[prediction]
horizon = 50
baselines = []
"#;

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
    let folder = folder("fit_mjcf");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/fit-your-robot");
    for file in names(&source).iter().filter(|f| f.ends_with(".csv") || f.ends_with(".urdf")) {
        fs::copy(source.join(file), folder.join(file)).expect("copied");
    }
    let run = |args: &[&str]| {
        let ran = gradbody_in(&folder, args);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
    };
    let experiment = |file: &str, model: &str| {
        fs::write(folder.join(file), EXPERIMENT.replace("MODEL", model)).expect("written");
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
