//! `gradbody fit` and `gradbody predict`: the walk-through word for word, and everything that can go wrong.

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
    let folder = folder(name);
    for file in names(&documents().join("fit-your-robot")) {
        if file.ends_with(".csv") || file.ends_with(".urdf") {
            let from = documents().join("fit-your-robot").join(&file);
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

/// The blocks of a Markdown text: their language and what is in them.
fn blocks(markdown: &str) -> Vec<(&str, &str)> {
    let fenced = markdown.split("```").skip(1).step_by(2);
    fenced.filter_map(|block| block.split_once('\n')).collect()
}

#[cfg(unix)]
#[test]
fn the_walk_through_can_be_typed_as_it_stands() {
    let folder = arm("fit_walk_through");
    let markdown =
        fs::read_to_string(documents().join("fit-your-robot.md")).expect("a walk-through");
    let program = Path::new(env!("CARGO_BIN_EXE_gradbody")).parent().expect("a folder");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let mut ran = 0;
    for (language, block) in blocks(&markdown) {
        match language {
            "toml" => {
                let name = block.lines().next().and_then(|line| line.strip_prefix("# "));
                fs::write(folder.join(name.expect("a file name")), block).expect("written");
            }
            "sh" => {
                let mut command = Command::new("sh");
                command.args(["-e", "-c", block]).env("PATH", &path).current_dir(&folder);
                let output = command.output().expect("a shell");
                let stderr = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{block}\n{stderr}");
                ran += 1;
            }
            _ => {}
        }
    }
    assert_eq!(ran, 8, "commands in the walk-through");

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
            assert_eq!(rms["by_horizon"], channel["by_horizon"]);
        }
    }
    // New data with the same columns: the same samples, and no need for the old ones.
    let text = fs::read_to_string(folder.join("run6.csv")).expect("a recording");
    let head: Vec<&str> = text.lines().take(121).collect();
    fs::create_dir(folder.join("new")).expect("a folder");
    fs::write(folder.join("new/one.csv"), head.join("\n")).expect("written");
    fs::rename(folder.join("run1.csv"), folder.join("new/run1.csv")).expect("moved");
    let new = of(&["--data", "new/one.csv", "--out", "p"]);
    assert_eq!(new["part"], "new");
    assert_eq!(new["models"], own["models"]);
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
    fails(&folder, &predict(&[]), &["run1"]);
    fs::rename(folder.join("new/run1.csv"), folder.join("run1.csv")).expect("moved back");
    fails(&folder, &["predict", "no-fit"], &["no-fit: no such folder"]);
    fails(
        &folder,
        &["predict", "arm.toml"],
        &["arm.toml: this is a file; name the folder of a fit"],
    );
    fails(
        &folder,
        &["predict", "new"],
        &["new: no fit is in this folder: it has no checkpoint.json"],
    );
    let no_part = "the experiment has no part \"validation\"; it has train, test";
    fails(&folder, &predict(&["--part", "validation"]), &[no_part]);
    let short = "the part \"test\": the data are too short: the longest recording has 120 samples, and 120 are given";
    fails(&folder, &predict(&["--warm-up", "120"]), &[short]);
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
    fails(parent, &["predict", "alone"], &["arm.urdf: no such file, but the fit is of this model"]);
    assert_eq!(gradbody_in(parent, &["predict", "alone", "--files", "there"]).status, 0);
}

#[test]
fn what_is_wrong_with_an_experiment_is_said() {
    let folder = arm("fit_mistakes");
    for (from, to, message) in [
        ("[model]", "[model", "arm.toml:1: "),
        (
            "window = 20",
            "windo = 20",
            "arm.toml:23: [objective] windo = 20: unknown key \"windo\"; did you mean \"window\"?",
        ),
        (
            "window = 20",
            "window = \"long\"",
            "arm.toml:23: [objective] window = \"long\": string \"long\", expected a whole number",
        ),
        ("file = \"arm.urdf\"", "", "arm.toml:1: [model]: the key \"file\" is missing"),
        (
            "[change]",
            "[chance]",
            "arm.toml:16: [chance]: unknown key \"chance\"; did you mean \"change\"?",
        ),
        (
            "\"rk4\"",
            "\"rk5\"",
            "arm.toml:20: [simulation] integrator = \"rk5\": unknown name \"rk5\"; did you mean \"rk4\"?",
        ),
        ("\"arm.urdf\"", "\"arn.urdf\"", "model: arn.urdf: "),
        ("run*.csv", "walk*.csv", "data: walk*.csv: no file fits this pattern"),
        ("run*.csv", "run7.csv", "data: run7.csv: no such file; did you mean \"run"),
        (
            "time = \"time\"",
            "time = \"tim\"",
            "run1.csv: no column \"tim\"; did you mean \"time\"?",
        ),
        ("\"run6\"", "\"run7\"", "split: part \"test\": no recording fits \"run7\"; did you mean"),
        (
            "joint/elbow/position",
            "joint/elbo/position",
            "channels.elbow: the model has no \"joint/elbo/position\"; did you mean \"joint/elbow/position\"?",
        ),
        (
            "elbow = { unit = \"deg\"",
            "elbov = { unit = \"deg\"",
            "no column \"elbov\"; did you mean \"elbow\"?",
        ),
        (
            "elbow = { unit = \"deg\"",
            "elbow = { unit = \"Nm\"",
            "channel \"elbow\" is an angle, but \"Nm\" is a unit of a torque",
        ),
        (
            "elbow = { unit = \"deg\"",
            "elbow = { unit = \"dag\"",
            "unknown unit \"dag\"; did you mean \"deg\"?",
        ),
        (
            "noise = 0.05 }\nelbow",
            "noise = 0 }\nelbow",
            "channels.shoulder.noise: 0 is no standard deviation",
        ),
        ("link/*/mass", "link/*/mas", "change.parameters: "),
        (
            "horizon = 50",
            "horizon = 50\nprofiles = [\"link/hand/mass\"]",
            "prediction.profiles: \"link/hand/mass\" is no parameter that may change",
        ),
        (
            "[simulation]",
            "bounds = { \"link/fore/mass\" = [2.0, 1.0] }\n[simulation]",
            "change.bounds.\"link/fore/mass\": 2 is not below 1",
        ),
        (
            "[simulation]",
            "bounds = { \"link/fore/mass\" = [2.0, 3.0] }\n[simulation]",
            "link/fore/mass: its value in the model, 0.5, is outside 2 to 3; set another in model.set",
        ),
        (
            "[simulation]",
            "[optimiser]\nmethod = \"levenberg\"\n[simulation]",
            "[optimiser] method = \"levenberg\": unknown name \"levenberg\"; known are levenberg-marquardt, ",
        ),
        (
            "[simulation]",
            "[optimiser]\nmethod = \"adam\"\nlearning_rate = 1\n[simulation]",
            "unknown key \"learning_rate\"; did you mean \"learning-rate\"?",
        ),
        (
            "[simulation]",
            "[optimiser]\nmethod = \"adam\"\nlearning-rate = -1\n[simulation]",
            "optimiser: learning-rate = -1 makes no sense: it must be above 0",
        ),
    ] {
        assert!(SPRING.contains(from), "{from}");
        fs::write(folder.join("arm.toml"), SPRING.replacen(from, to, 1)).expect("written");
        fails(&folder, &["fit", "arm.toml"], &[message]);
        let wrote = folder.join("arm-fit");
        assert!(!wrote.join("metrics.json").exists(), "{message}: a result all the same");
        let _ = fs::remove_dir_all(wrote);
    }
    fails(&folder, &["fit", "arn.toml"], &["arn.toml: ", "No such file"]);
}

#[test]
fn what_is_wrong_with_a_recording_is_said() {
    let folder = arm_with("fit_recordings", SPRING);
    let good = fs::read_to_string(folder.join("run2.csv")).expect("a recording");
    let with_line = |number: usize, line: &str| {
        let mut lines: Vec<&str> = good.lines().collect();
        lines[number - 1] = line;
        lines.join("\n")
    };
    for (line, message) in [
        (
            "0.08,nan,1,0,0",
            "run2.csv:10: column \"shoulder\": \"nan\" where a number should be; say missing = \"gap\"",
        ),
        ("0.08,,1,0,0", "run2.csv:10: column \"shoulder\": nothing where a number should be"),
        ("0.08,inf,1,0,0", "run2.csv:10: column \"shoulder\": \"inf\" is not finite"),
        ("0.08,1;5,1,0,0", "run2.csv:10: column \"shoulder\": \"1;5\" is not a number"),
        ("0.08,1,1,0", "run2.csv:10: 4 columns where line 1 has 5"),
        ("0.01,1,1,0,0", "run2.csv:10: column \"time\": time goes back from 0.07 s to 0.01 s"),
        ("0.07,1,1,0,0", "run2.csv:10: column \"time\": time stands still at 0.07 s"),
        ("0.0899,1,1,0,0", "the samples of \"run2\" are not evenly spaced; add resample"),
    ] {
        fs::write(folder.join("run2.csv"), with_line(10, line)).expect("written");
        fails(&folder, &["fit", "arm.toml"], &[message]);
    }
    // What acts cannot be missing; what is measured can.
    let gaps = SPRING.replace("time = \"time\"", "time = \"time\"\nmissing = \"gap\"");
    fs::write(folder.join("arm.toml"), gaps).expect("written");
    fs::write(folder.join("run2.csv"), with_line(10, "0.08,1,1,,0")).expect("written");
    fails(&folder, &["fit", "arm.toml"], &["channels.torque1: \"run2\" has no value at sample 9"]);
    fs::write(folder.join("run2.csv"), with_line(10, "0.08,,1,0,0")).expect("written");
    fit(&folder, &["--restart"]);
    fs::write(folder.join("run2.csv"), good.lines().next().expect("a header")).expect("written");
    fails(
        &folder,
        &["fit", "arm.toml", "--restart"],
        &["run2.csv: empty, it has no rows of numbers"],
    );
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

fn spawn(folder: &Path, args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_gradbody"))
        .args(["fit", "arm.toml"])
        .args(args)
        .current_dir(folder)
        .stdout(Stdio::null())
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
            Some("urdf") => assert!(text().trim_end().ends_with("</robot>"), "{name}"),
            Some("toml" | "csv") => assert!(text().ends_with('\n'), "{name}"),
            Some("safetensors") => assert!(!fs::read(&file).expect("a file").is_empty()),
            _ => panic!("{name}: an unknown file"),
        }
    }
}

#[test]
fn a_fit_that_is_killed_again_and_again_comes_to_the_same_end() {
    const KILLS: u32 = 6;
    let folder = arm_with("fit_killed", &network());
    let began = Instant::now();
    fit(&folder, &["--out", "whole"]);
    let whole = began.elapsed();
    // Another moment in every run of this test.
    let mut random = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(1, |t| u64::from(t.subsec_nanos()));
    println!("moments from {random}");
    let out = folder.join("parts");
    let (mut kills, mut resumed) = (0, 0);
    let ended = loop {
        let there = out.join("checkpoint.json").exists();
        resumed += u32::from(there);
        if there && kills == KILLS {
            // As if the last one had been killed while it was writing.
            fs::write(out.join(".metrics.json.999999999.tmp"), "{\"name\": ").expect("written");
        }
        let mut args = vec!["--out", "parts", "--checkpoint", "0.05"];
        args.extend(there.then_some("--resume"));
        let mut child = spawn(&folder, &args);
        if kills == KILLS {
            break child.wait_with_output().expect("it ends");
        }
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let share = 0.02 + 0.25 * ((random >> 33) as f64 / f64::from(1_u32 << 31));
        std::thread::sleep(whole.mul_f64(share));
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        kills += 1;
        all_are_whole(&out);
    };
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    assert!(resumed > 1, "killed {kills} times, never resumed");
    all_are_whole(&out);
    assert!(names(&out).iter().all(|name| !name.starts_with('.')), "{:?}", names(&out));
    assert_eq!(result(&out), result(&folder.join("whole")));
    for file in ["weights.safetensors", "model.urdf", "parameters.toml"] {
        let bytes = |run: &str| fs::read(folder.join(run).join(file)).expect("a file");
        assert_eq!(bytes("whole"), bytes("parts"), "{file}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_everything_and_a_fit_goes_on() {
    let folder = arm_with("fit_interrupted", &network());
    let child = spawn(&folder, &["--checkpoint", "0.05"]);
    wait_for(&folder.join("arm-fit/checkpoint.json"));
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill runs").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    all_are_whole(&folder.join("arm-fit"));
    assert!(
        folder.join("arm-fit/report.html").exists() && folder.join("arm-fit/metrics.json").exists()
    );
    let again = "arm-fit: has a fit already; --resume goes on with it, --restart begins again";
    fails(&folder, &["fit", "arm.toml"], &[again]);
    assert_eq!(gradbody_in(&folder, &["predict", "arm-fit"]).status, 0, "of the best so far");
    fit(&folder, &["--resume"]);
    fit(&folder, &["--out", "whole"]);
    assert_eq!(result(&folder.join("arm-fit")), result(&folder.join("whole")));
    fails(
        &folder,
        &["fit", "arm.toml", "--resume", "--out", "none"],
        &["none: there is no fit to go on with"],
    );
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
fn data_that_change_are_noticed() {
    let folder = arm_with("fit_changed", &network());
    let append = |file: &str| {
        let text = fs::read_to_string(folder.join(file)).expect("a recording");
        fs::write(folder.join(file), text + "4.01,0,0,0,0\n").expect("written");
    };
    // Under the run: it is of what was read, and says so.
    let child = spawn(&folder, &[]);
    wait_for(&folder.join("arm-fit/checkpoint.json"));
    append("run1.csv");
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    let note = "note: run1.csv: changed since it was read";
    assert!(
        stderr.contains(note) && stderr.contains("the fit is of what was read at the beginning"),
        "{stderr}"
    );
    // Between an interrupt and going on: that would be another fit.
    let resume = ["fit", "arm.toml", "--resume"];
    fails(
        &folder,
        &resume,
        &["resume: run1.csv has changed since this fit began", "another folder"],
    );
    fit(&folder, &["--restart"]);
    fs::copy(folder.join("run2.csv"), folder.join("run7.csv")).expect("copied");
    fails(&folder, &resume, &["resume: run7.csv was not there when this fit began"]);
    fs::remove_file(folder.join("run7.csv")).expect("removed");
    fs::rename(folder.join("run3.csv"), folder.join("kept")).expect("moved");
    fails(&folder, &resume, &["resume: run3.csv is gone since this fit began"]);
    fs::rename(folder.join("kept"), folder.join("run3.csv")).expect("moved");
    let text = fs::read_to_string(folder.join("arm.toml")).expect("an experiment");
    fs::write(folder.join("arm.toml"), text + "# more\n").expect("written");
    fails(&folder, &resume, &["resume: the experiment has changed since this fit began"]);
    fs::write(folder.join("arm-fit/checkpoint.json"), "{\"half\": ").expect("written");
    fails(&folder, &resume, &["arm-fit/checkpoint.json: this is no checkpoint of this version"]);
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_is_said() {
    let folder = arm_with("fit_unwritable", SPRING);
    fails(
        &folder,
        &["fit", "arm.toml", "--out", "arm.urdf"],
        &["arm.urdf: this is a file; name a folder"],
    );
    fails(
        &folder,
        &["fit", "arm.toml", "--out", "arm.urdf/in"],
        &["arm.urdf/in: cannot be made: "],
    );
    fit(&folder, &[]);
    let onto_file = ["predict", "arm-fit", "--out", "arm.urdf"];
    fails(&folder, &onto_file, &["arm.urdf: this is a file; name a folder"]);
}

/// A disk that is full: no file may have more than so many blocks.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_and_what_was_found_is_told() {
    let folder = arm_with("fit_full", SPRING);
    let limited = |blocks: u32, args: &str| {
        let program = env!("CARGO_BIN_EXE_gradbody");
        let script =
            format!("trap '' XFSZ; ulimit -f {blocks}; exec '{program}' fit arm.toml {args}");
        let output = Command::new("sh")
            .args(["-c", &script])
            .current_dir(&folder)
            .output()
            .expect("a shell");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    // The page does not find room, all else does. Blocks have 512 bytes.
    fit(&folder, &["--out", "roomy"]);
    let length = |file: &str| fs::metadata(folder.join("roomy").join(file)).expect("a file").len();
    assert!(length("metrics.json") + 2048 < length("report.html"));
    let blocks = u32::try_from(length("report.html") / 512 - 2).expect("a small page");
    let (status, stdout, stderr) = limited(blocks, "--out page");
    assert_eq!(status, Some(1), "{stderr}");
    let last = stderr.lines().last().unwrap_or_default();
    assert!(
        last.starts_with("error: page/report.html: cannot be written: File too large"),
        "{stderr}"
    );
    assert!(stdout.contains("link/fore/mass"), "{stdout}");
    assert!(!folder.join("page/report.html").exists());
    all_are_whole(&folder.join("page"));
    assert!(names(&folder.join("page")).iter().all(|name| !name.starts_with('.')));
    // When there is room again, the rest is written.
    fit(&folder, &["--out", "page", "--resume"]);
    assert!(folder.join("page/report.html").exists());
    // Not even a checkpoint does.
    let (status, stdout, stderr) = limited(4, "--out nothing");
    assert_eq!(status, Some(1), "{stderr}");
    assert!(
        stderr.contains("note: no checkpoint: nothing/checkpoint.json: cannot be written"),
        "{stderr}"
    );
    assert!(stderr.contains("the fit goes on without"), "{stderr}");
    let last = stderr.lines().last().unwrap_or_default();
    assert!(
        last.starts_with("error: nothing/checkpoint.json: cannot be written: File too large"),
        "{stderr}"
    );
    assert!(stdout.contains("link/fore/mass"), "{stdout}");
    all_are_whole(&folder.join("nothing"));
}
