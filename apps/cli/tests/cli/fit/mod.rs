//! `gradbody fit` and `gradbody predict`: what comes of a fit, and what is made of it later.

mod faults;
mod ground;
mod impacts;
mod messages;
mod mjcf;
mod poses;
mod predict;
mod shapes;
mod walk_through;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Ran, folder, gradbody_in, header_and_rows, names};

/// A small experiment: it is done in a moment.
const SPRING: &str = r#"[model]
file = "arm.urdf"

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

/// What makes it one that takes some seconds, with random numbers.
const NETWORK: &str = r#"
[[augmentation]]
name = "elbow"
outputs = ["joint/elbow/passive_torque"]
inputs = ["joint/elbow/position", "joint/elbow/velocity"]

[augmentation.network]
hidden = [6]

[training]
optimiser = { method = "adam", learning-rate = 0.01 }
limits = { iterations = 400 }
windows = 4
"#;

fn documents() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// A folder with the arm and its recordings.
fn arm(name: &str) -> PathBuf {
    folder_with(name, "fit-your-robot")
}

/// A folder with the model and the recordings of a tutorial.
fn folder_with(name: &str, tutorial: &str) -> PathBuf {
    let folder = folder(name);
    for file in names(&documents().join(tutorial)) {
        if [".csv", ".urdf", ".xml"].iter().any(|ending| file.ends_with(ending)) {
            let from = documents().join(tutorial).join(&file);
            fs::copy(from, folder.join(&file)).expect("copied");
        }
    }
    folder
}

/// The same with an experiment `arm.toml`.
fn arm_with(name: &str, experiment: &str) -> PathBuf {
    let folder = arm(name);
    fs::write(folder.join("arm.toml"), experiment).expect("written");
    folder
}

fn network() -> String {
    SPRING.replace(", \"joint/elbow/stiffness\", \"joint/elbow/rest\"", "") + NETWORK
}

fn read_json(file: &Path) -> Value {
    let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

/// What came of a fit, without how long it took.
fn result(fit: &Path) -> Value {
    let mut metrics = read_json(&fit.join("metrics.json"));
    let object = metrics.as_object_mut().expect("an object");
    object.remove("seconds");
    object.remove("gradients_per_second");
    for point in object["progress"].as_array_mut().expect("a list") {
        point.as_object_mut().expect("an object").remove("seconds");
    }
    metrics
}

#[track_caller]
fn fit(folder: &Path, args: &[&str]) -> Ran {
    let ran = gradbody_in(folder, &[&["fit", "arm.toml"], args].concat());
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    ran
}

/// Asserts that these arguments fail with exit status 1 and a last line that has all of these pieces.
#[track_caller]
fn fails(folder: &Path, args: &[&str], pieces: &[&str]) {
    let Ran { status, stderr, .. } = gradbody_in(folder, args);
    let last = stderr.lines().last().unwrap_or_default();
    assert_eq!(status, 1, "{stderr}");
    for piece in pieces {
        assert!(last.starts_with("error: ") && last.contains(piece), "no {piece:?} in:\n{stderr}");
    }
}

fn spawn(folder: &Path, args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_gradbody"))
        .args(["fit", "arm.toml"])
        .args(args)
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs")
}

/// Every file of a fit that is there is whole.
#[track_caller]
fn all_are_whole(fit: &Path) {
    if !fit.exists() {
        return;
    }
    for name in names(fit).iter().filter(|name| !name.starts_with('.')) {
        let file = fit.join(name);
        let text = || fs::read_to_string(&file).unwrap_or_else(|e| panic!("{name}: {e}"));
        match name.rsplit_once('.').map(|(_, ending)| ending) {
            Some("json") => drop(read_json(&file)),
            Some("html") => assert!(text().trim_end().ends_with("</html>"), "{name}"),
            Some("xml") => assert!(text().trim_end().ends_with("</mujoco>"), "{name}"),
            Some("urdf") => assert!(text().trim_end().ends_with("</robot>"), "{name}"),
            Some("toml" | "csv") => assert!(text().ends_with('\n'), "{name}"),
            None if name == "lock" => {}
            Some("safetensors") => assert!(!fs::read(&file).expect("a file").is_empty()),
            _ => panic!("{name}: an unknown file"),
        }
    }
}

#[track_caller]
fn wait_for(file: &Path) {
    let began = Instant::now();
    while !file.exists() {
        assert!(began.elapsed() < Duration::from_secs(60), "{} never comes", file.display());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn predictions_are_those_of_the_fit() {
    let folder = arm_with("fit_predict", SPRING);
    fit(&folder, &[]);
    let of = |args: &[&str]| -> Value {
        let Ran { status, stdout, stderr } =
            gradbody_in(&folder, &[&["predict", "arm-fit", "--json"], args].concat());
        assert_eq!(status, 0, "{stderr}");
        serde_json::from_str(&stdout).expect("JSON")
    };
    let own = of(&[]);
    assert_eq!(
        (&own["part"], &own["warm_up"], &own["horizon"]),
        (&"test".into(), &8.into(), &50.into())
    );
    let metrics = read_json(&folder.join("arm-fit/metrics.json"));
    for model in own["models"].as_array().expect("a list") {
        let tables = metrics["errors"].as_array().expect("a list").iter();
        let table = tables
            .clone()
            .find(|t| t["by"] == model["by"] && t["part"] == "test")
            .expect("a table");
        for channel in table["channels"].as_array().expect("a list") {
            let rms = &model["rms"][channel["name"].as_str().expect("a name")];
            assert_eq!(rms["all"], channel["rms"]);
            assert_eq!(rms["median"], channel["median"]);
            assert_eq!(rms["by_horizon"], channel["by_horizon"]);
        }
    }
    // A horizon that no recording allows is cut, and that is said.
    let long = gradbody_in(&folder, &["predict", "arm-fit", "--horizon", "100000"]);
    assert!(long.stderr.contains("--horizon 100000 is too long: the longest"), "{}", long.stderr);
    // New data with the same columns: the same samples, and no need for the old ones.
    let text = fs::read_to_string(folder.join("run6.csv")).expect("a recording");
    let head: Vec<&str> = text.lines().take(121).collect();
    fs::create_dir(folder.join("new")).expect("a folder");
    fs::write(folder.join("new/one.csv"), &text).expect("written");
    fs::rename(folder.join("run1.csv"), folder.join("new/run1.csv")).expect("moved");
    let new = of(&["--data", "new/one.csv"]);
    assert_eq!(new["part"], "new");
    assert_eq!(new["models"], own["models"]);
    fs::write(folder.join("new/one.csv"), head.join("\n")).expect("written");
    of(&["--data", "new/one.csv", "--out", "p"]);
    let mut reader = csv::Reader::from_path(folder.join("p/predictions.csv")).expect("a CSV file");
    let header: Vec<String> =
        reader.headers().expect("a header").iter().map(String::from).collect();
    assert_eq!(header[..4], ["recording", "window", "time", "elbow:measured"]);
    assert_eq!(header[4..6], ["elbow:before", "elbow:after"]);
    let rows: Vec<csv::StringRecord> = reader.records().map(|r| r.expect("a row")).collect();
    assert_eq!(rows.len(), 100, "two windows of 50 samples");
    assert_eq!((&rows[0][0], &rows[0][2]), ("new/one", "0.08"));
    let number = |row: usize, column: usize| rows[row][column].parse::<f64>().expect("a number");
    assert_eq!(number(0, 3), header_and_rows(&folder.join("new/one.csv")).1[8][2]);
    let worst = |column: usize| {
        (0..50).map(|row| (number(row, 3) - number(row, column)).abs()).fold(0.0, f64::max)
    };
    assert!(worst(5) < 1.0 && worst(4) > 10.0, "after {}, before {}", worst(5), worst(4));

    let predict = |args: &[&'static str]| [&["predict", "arm-fit"], args].concat();
    let one = gradbody_in(&folder, &predict(&["--data", "new/one.csv", "--horizon", "112"]));
    assert!(one.stdout.contains("in 1 window of the new data"), "{}{}", one.stdout, one.stderr);
    fails(&folder, &predict(&[]), &["run1"]);
    fs::rename(folder.join("new/run1.csv"), folder.join("run1.csv")).expect("moved back");
    fails(&folder, &["predict", "no-fit"], &["no-fit: no such folder"]);
    fails(
        &folder,
        &["predict", "arm.toml"],
        &["arm.toml: this is a file; name the folder of a fit"],
    );
    fails(&folder, &["predict", "new"], &["new: this folder contains no fit (no checkpoint.json)"]);
    let no_part = "the experiment has no part \"validation\"; it has train, test";
    fails(&folder, &predict(&["--part", "validation"]), &[no_part]);
    let short = "the part \"test\": the data are too short: the longest recording has 401 samples, and 500 are given";
    fails(&folder, &predict(&["--warm-up", "500"]), &[short]);
    fs::write(folder.join("few.csv"), "time,shoulder,torque1,torque2\n0,0,0,0\n0.01,0,0,0\n")
        .expect("written");
    fails(&folder, &predict(&["--data", "few.csv"]), &["few.csv: no column \"elbow\""]);
    fails(
        &folder,
        &predict(&["--data", "fewer.csv"]),
        &["fewer.csv: no such file; did you mean \"few.csv\"?"],
    );
    fs::write(folder.join("few.csv"), head[..5].join("\n")).expect("written");
    fails(
        &folder,
        &predict(&["--data", "few.csv"]),
        &["few.csv: the data are too short", "has 4 samples"],
    );
    let text = fs::read_to_string(folder.join("arm.urdf")).expect("a model");
    fs::write(folder.join("arm.urdf"), text + "<!-- changed -->").expect("written");
    fails(&folder, &predict(&[]), &["arm.urdf: has changed since this fit began"]);
    fails(
        &folder,
        &["fit", "arm.toml", "--resume"],
        &["arm.urdf: has changed since this fit began"],
    );
}

#[test]
fn a_fit_and_its_files_can_be_moved_together() {
    let folder = arm_with("fit_moved/here", SPRING);
    fit(&folder, &[]);
    let there = folder.with_file_name("there");
    let _ = fs::remove_dir_all(&there);
    fs::rename(&folder, &there).expect("moved");
    assert_eq!(gradbody_in(&there, &["predict", "arm-fit"]).status, 0);
    // The fit alone: its files are no longer where they were.
    let alone = there.with_file_name("alone");
    let _ = fs::remove_dir_all(&alone);
    fs::rename(there.join("arm-fit"), alone).expect("moved");
    let parent = there.parent().expect("a folder");
    fails(parent, &["predict", "alone"], &["arm.urdf: no such file; the fit used this model"]);
    assert_eq!(gradbody_in(parent, &["predict", "alone", "--files", "there"]).status, 0);
}

#[test]
fn one_seed_gives_one_result_on_any_number_of_threads() {
    let folder = arm_with("fit_seed", &network().replace("iterations = 400", "iterations = 40"));
    let run = |out: &str, threads: &str, seed: &str| {
        let ran = Command::new(env!("CARGO_BIN_EXE_gradbody"))
            .args(["fit", "arm.toml", "--out", out, "--seed", seed])
            .env("RAYON_NUM_THREADS", threads)
            .current_dir(&folder)
            .output()
            .expect("the program runs");
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    };
    run("one", "1", "7");
    run("again", "1", "7");
    run("four", "4", "7");
    run("other", "4", "8");
    for same in ["again", "four"] {
        assert_eq!(result(&folder.join("one")), result(&folder.join(same)));
        for file in ["weights.safetensors", "model.urdf", "parameters.toml"] {
            let bytes = |run: &str| fs::read(folder.join(run).join(file)).expect("a file");
            assert_eq!(bytes("one"), bytes(same), "{file}");
        }
    }
    assert_ne!(result(&folder.join("one")), result(&folder.join("other")), "minibatches are drawn");
}
