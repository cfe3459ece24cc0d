//! `gradbody predict` with networks, and on new recordings that the experiment's `[data]` does not describe.

use std::fs;

use super::{arm_with, fit, network};
use crate::support::{gradbody_in, header_and_rows};

#[test]
fn predict_gives_the_model_without_networks_beside_the_others() {
    let quick = network().replace("iterations = 400", "iterations = 3");
    let folder = arm_with("predict_networks", &quick);
    fit(&folder, &[]);
    let ran = gradbody_in(&folder, &["predict", "arm-fit", "--out", "p"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let mut reader = csv::Reader::from_path(folder.join("p/predictions.csv")).expect("a CSV file");
    let header: Vec<String> =
        reader.headers().expect("a header").iter().map(String::from).collect();
    let elbow = ["elbow:measured", "elbow:before", "elbow:without networks", "elbow:after"];
    assert_eq!(header[3..7], elbow);
    let text = fs::read_to_string(folder.join("p/errors.json")).expect("a file");
    let errors: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let models: Vec<_> = errors["models"].as_array().expect("a list").iter().collect();
    let by: Vec<&str> = models.iter().filter_map(|model| model["by"].as_str()).collect();
    assert_eq!(by, ["before", "without networks", "after"]);
}

/// Recordings whose clock the experiment does not describe, as with a published set.
#[test]
fn predict_reads_new_recordings_by_the_column_of_the_time_or_by_the_rate() {
    let folder = arm_with("predict_clock", super::SPRING);
    fit(&folder, &[]);
    let text = fs::read_to_string(folder.join("run6.csv")).expect("a recording");
    let predict = |name: &str, text: &str, more: &[&str]| {
        fs::write(folder.join(name), text).expect("written");
        let args = [&["predict", "arm-fit", "--json", "--data", name], more].concat();
        let ran = gradbody_in(&folder, &args);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        let errors: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
        errors["models"].clone()
    };
    let own = predict("own.csv", &text, &[]);
    let renamed = text.replacen("time", "stamp", 1);
    assert_eq!(predict("stamp.csv", &renamed, &["--time", "stamp"]), own);
    assert_eq!(predict("stamp.csv", &renamed, &["--rate", "100"]), own);
    // Two recordings in one file.
    let (_, rows) = header_and_rows(&folder.join("run6.csv"));
    let mut both = format!("toss,{}\n", renamed.lines().next().expect("a header"));
    for toss in ["first", "second"] {
        for row in renamed.lines().skip(1) {
            both += &format!("{toss},{row}\n");
        }
    }
    let two =
        ["predict", "arm-fit", "--data", "both.csv", "--time", "stamp", "--trajectory", "toss"];
    fs::write(folder.join("both.csv"), both).expect("written");
    let ran = gradbody_in(&folder, &two);
    // Only whole windows: 8 samples that are given and 50 that are predicted.
    let windows = 2 * (rows.len() / 58);
    assert!(
        ran.stdout.contains(&format!("in {windows} windows of the new data")),
        "{}",
        ran.stdout
    );
    let unknown = ["predict", "arm-fit", "--data", "stamp.csv", "--time", "stamp=hours"];
    assert_eq!(gradbody_in(&folder, &unknown).status, 1, "no such unit");
    let alone = gradbody_in(&folder, &["predict", "arm-fit", "--rate", "100"]);
    assert_eq!(alone.status, 2, "a rate without new data: {}", alone.stderr);
}
