//! Fits of motion on a ground: which friction acts, and which numbers have no influence.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{folder, gradbody_in, refused, simulate};

const EXPERIMENT: &str = r#"[model]
file = "cube"
ground = { friction = 0.6 }

[data]
files = "slide.csv"
time = "t"

[channels]
x = { column = "q:root/x", unit = "m", is = "link/cube/position/x", noise = 0.001 }
y = { column = "q:root/y", unit = "m", is = "link/cube/position/y", noise = 0.001 }
z = { column = "q:root/z", unit = "m", is = "link/cube/position/z", noise = 0.001 }
qw = { column = "q:root/qw", unit = "1", is = "link/cube/orientation/w", noise = 0.001 }
qx = { column = "q:root/qx", unit = "1", is = "link/cube/orientation/x" }
qy = { column = "q:root/qy", unit = "1", is = "link/cube/orientation/y" }
qz = { column = "q:root/qz", unit = "1", is = "link/cube/orientation/z" }

[change]
parameters = ["shape/ground/friction"]
starts = "measured"

[simulation]
substeps = 10

[prediction]
baselines = []
"#;

/// A folder with a recording of a cube that slides on a ground with friction 0.3, and an experiment.
fn sliding_cube(name: &str, experiment: &str) -> PathBuf {
    let folder = folder(name);
    let start =
        ["cube", "--ground", "--friction", "0.3", "--q=0,0,0.0524,1,0,0,0", "--v=3,0,0,0,0,0"];
    let run = ["--time", "0.4", "--every", "10", "--out", "slide.csv"];
    simulate(&folder, &[&start[..], &run].concat());
    fs::write(folder.join("cube.toml"), experiment).expect("written");
    folder
}

#[track_caller]
fn fitted(folder: &Path) -> (f64, String) {
    let ran = gradbody_in(folder, &["fit", "cube.toml"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let text = fs::read_to_string(folder.join("cube-fit/metrics.json")).expect("a file");
    let metrics: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let friction = metrics["parameters"][0]["fitted"].as_f64().expect("a number");
    (friction, ran.stderr)
}

#[test]
fn friction_of_the_ground_is_found_from_a_sliding_cube() {
    let folder = sliding_cube("fit_ground", EXPERIMENT);
    let (friction, notes) = fitted(&folder);
    assert!((friction - 0.3).abs() < 0.003, "{friction}");
    assert!(
        notes.contains("note: the friction that acts is 0.6 between ground and cube"),
        "{notes}"
    );
    assert!(!notes.contains("no influence"), "{notes}");
}

#[test]
fn friction_that_cannot_act_is_not_fitted() {
    let of_cube = EXPERIMENT.replace("shape/ground", "shape/cube");
    let folder = sliding_cube("fit_idle", &of_cube);
    refused(
        &folder,
        &["fit", "cube.toml"],
        "cube.toml:19: change.parameters: shape/cube/friction has no influence: between cube and ground, \
         shape/ground/friction counts, because the friction of cube is not given; fit the number that counts, or give \
         this one in model.set",
    );
    // Once it is given, the larger of both counts.
    let given = of_cube.replace(
        "ground = { friction = 0.6 }",
        "ground = { friction = 0 }\nset = { \"shape/cube/friction\" = 0.5 }",
    );
    fs::write(folder.join("cube.toml"), given).expect("written");
    let (friction, notes) = fitted(&folder);
    assert!((friction - 0.3).abs() < 0.003, "{friction}");
    assert!(notes.contains("0.5 between ground and cube"), "{notes}");
    let idle = "note: model.ground.friction has no influence: between cube and ground, the larger number counts, and \
                shape/cube/friction is 0.5";
    assert!(notes.contains(idle), "{notes}");
}

#[test]
fn friction_that_is_set_without_influence_is_told() {
    let rough = EXPERIMENT.replace(
        "{ friction = 0.6 }",
        "{ friction = 0.6 }\nset = { \"shape/cube/friction\" = 0.2 }",
    );
    let folder = sliding_cube("fit_set_idle", &rough);
    let (_, notes) = fitted(&folder);
    let idle = "note: model.set.\"shape/cube/friction\" has no influence: between cube and ground, the larger number \
                counts, and shape/ground/friction is 0.6";
    assert!(notes.contains(idle), "{notes}");
}
