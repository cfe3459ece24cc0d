//! `gradbody train` and `gradbody play`: tasks, their results, and trainings that are interrupted.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use gradbody::policy::{Actor, PolicyFile};

use crate::support::{
    folder, gradbody_in, header_and_rows, misused, names, refused, refused_at_a_line,
};

const POLE: &str = r#"environment = "InvertedPendulum"
method = "ppo"
limits = { samples = 16384 }
[ppo]
epochs = 4
[evaluate]
episodes = 4
every = "4096 samples"
"#;

/// A folder with a task.
fn with_task(name: &str, task: &str) -> PathBuf {
    let folder = folder(name);
    fs::write(folder.join("pole.toml"), task).expect("written");
    folder
}

#[track_caller]
fn succeeds(folder: &Path, args: &[&str]) -> String {
    let ran = gradbody_in(folder, args);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    ran.stdout
}

fn last(folder: &Path) -> Actor {
    let file = folder.join("pole-train/last.safetensors");
    PolicyFile::read(file).expect("a policy").actor
}

#[test]
fn a_policy_that_was_trained_keeps_a_pole_upright() {
    let folder = folder("train_pole");
    let told = succeeds(&folder, &["train", "inverted-pendulum", "--seed", "1", "--out", "out"]);
    assert!(told.contains("A return of 1000 is asked for; it was reached after "), "{told}");
    let out = folder.join("out");
    assert_eq!(
        names(&out),
        [
            "checkpoint.bin",
            "curve.csv",
            "last.safetensors",
            "lock",
            "outcome.json",
            "policy.safetensors",
            "report.html",
            "task.toml"
        ]
    );
    let curve = fs::read_to_string(out.join("curve.csv")).expect("a curve");
    let rows: Vec<Vec<&str>> = curve.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0][..3], ["seconds", "processor_seconds", "samples"]);
    assert_eq!(rows.last().expect("rows")[6], "1000");
    let page = fs::read_to_string(out.join("report.html")).expect("a page");
    assert!(page.contains("Return over wall-clock time") && page.contains("class=\"player\""));

    // The policy is played, written and shown.
    let args =
        ["play", "out", "--episodes", "3", "--out", "motion.csv", "--onnx", "pole.onnx", "--json"];
    let told: serde_json::Value = serde_json::from_str(&succeeds(&folder, &args)).expect("JSON");
    assert_eq!(told["returns"], serde_json::json!([1000.0, 1000.0, 1000.0]));
    let (header, rows) = header_and_rows(&folder.join("motion.csv"));
    assert_eq!(
        header,
        ["t", "q:slider", "q:hinge", "v:slider", "v:hinge", "control/slider", "return"]
    );
    assert_eq!((rows.len(), rows[1000][6]), (1001, 1000.0));
    assert!(fs::read(folder.join("pole.onnx")).expect("a file").len() > 1000);
    succeeds(&folder, &["view", "motion.csv", "--model", "motion.xml", "--save", "a.html"]);
    succeeds(&folder, &["view", "out/policy.safetensors", "--time", "2", "--save", "b.html"]);
    let told =
        succeeds(&folder, &["play", "out", "--push", "pole=300,0,0@1:0.2", "--episodes", "2"]);
    assert!(told.contains("0 of 2 lasted all 1000 steps"), "{told}");
}

/// Waits until a file is there.
fn wait_for(file: &Path) {
    let began = Instant::now();
    while !file.exists() && began.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn begin(folder: &Path, args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_gradbody"))
        .args([&["train", "pole.toml", "--checkpoint", "0", "--threads", "1"], args].concat())
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program runs")
}

#[test]
fn a_training_that_is_killed_goes_on_with_the_same_bits() {
    let whole = with_task("train_whole", POLE);
    succeeds(&whole, &["train", "pole.toml", "--threads", "2"]);
    let killed = with_task("train_killed", POLE);
    let checkpoint = killed.join("pole-train/checkpoint.bin");
    let mut child = begin(&killed, &[]);
    wait_for(&checkpoint);
    let mut resumed = 0;
    // Ever later, at moments that have nothing to do with what the training does.
    for wait in [7, 23, 61] {
        std::thread::sleep(Duration::from_millis(wait));
        if child.try_wait().expect("a process").is_some() {
            break;
        }
        child.kill().expect("a process");
        child.wait().expect("it ends");
        child = begin(&killed, &["--resume"]);
        resumed += 1;
    }
    assert!(child.wait().expect("it ends").success() && resumed > 0);
    assert_eq!(last(&killed), last(&whole));
    let out = killed.join("pole-train");
    let ours = names(&out);
    assert!(ours.iter().all(|name| !name.ends_with(".tmp")), "{ours:?}");
}

#[cfg(unix)]
#[test]
fn an_interruption_leaves_a_policy_and_the_training_goes_on() {
    let long = POLE.replace("16384", "1e9");
    let folder = with_task("train_interrupted", &long);
    let mut child = begin(&folder, &[]);
    wait_for(&folder.join("pole-train/checkpoint.bin"));
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(interrupt.expect("kill runs").success());
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let page = fs::read_to_string(folder.join("pole-train/report.html")).expect("a page");
    assert!(page.contains("it was interrupted"));
    succeeds(&folder, &["play", "pole-train", "--episodes", "2"]);
    let already = "pole-train: already contains a training; --resume continues it, --restart replaces it, or choose \
                   another --out";
    refused(&folder, &["train", "pole.toml"], already);
    // The limit that is given counts from the beginning, and is reached at once.
    let told = succeeds(&folder, &["train", "pole.toml", "--resume", "--samples", "1"]);
    assert!(told.contains("used all its samples"), "{told}");
    // The folder's own copy of the task continues it too.
    let own =
        ["train", "pole-train/task.toml", "--out", "pole-train", "--resume", "--samples", "1"];
    succeeds(&folder, &own);
    fs::write(folder.join("pole.toml"), long.replace("epochs = 4", "epochs = 5")).expect("written");
    let checkpoint = "pole-train/checkpoint.bin: resume: the task has changed since this training began; train again with \
                      --restart, or into another folder with --out";
    refused(&folder, &["train", "pole.toml", "--resume"], checkpoint);
    let file = folder.join("pole-train/checkpoint.bin");
    let mut bytes = fs::read(&file).expect("a checkpoint");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, bytes).expect("written");
    fs::write(folder.join("pole.toml"), &long).expect("written");
    let damaged = "pole-train/checkpoint.bin: resume: the file is damaged: its checksum does not match its contents; train \
                   again with --restart, or into another folder with --out";
    refused(&folder, &["train", "pole.toml", "--resume"], damaged);
}

#[test]
fn wrong_tasks_are_refused_with_a_line_and_leave_nothing() {
    for (from, to, message) in [
        (
            "InvertedPendulum",
            "InvertedPendulun",
            "environment: there is no environment \"InvertedPendulun\"; did you mean \"InvertedPendulum\"?",
        ),
        ("epochs = 4", "epochs = 0", "ppo.epochs: epochs = 0: it must be at least 1"),
        (
            "epochs = 4",
            "epoch = 4",
            "[ppo] epoch = 4: unknown key \"epoch\"; did you mean \"epochs\"?",
        ),
        (
            "epochs = 4",
            "discount = 1.5",
            "ppo.discount: discount = 1.5: it must be between 0 and 1",
        ),
        (
            "limits = { samples = 16384 }",
            "worlds = 4\nlimits = { return = 1001 }",
            "limits.return: 1001: an episode of InvertedPendulum returns 1000 at most",
        ),
    ] {
        assert!(POLE.contains(from), "{from}");
        let folder = with_task("train_wrong", &POLE.replacen(from, to, 1));
        refused_at_a_line(&folder, &["train", "pole.toml"], message);
        assert_eq!(names(&folder), ["pole.toml"]);
    }
    let folder = with_task("train_nothing", POLE);
    let told = |args: &[&str], message: &str| refused(&folder, args, message);
    told(
        &["train", "ants"],
        "ants: no such file, and no built-in task of that name; did you mean \"ant\"?",
    );
    told(&["train", "."], ". is a folder; give the task's TOML file in it");
    told(&["train", "pole.toml", "--resume"], "pole-train: there is no training to resume");
    told(
        &["train", "policy.safetensors"],
        "policy.safetensors is a policy, not a task; `gradbody play` plays episodes of it",
    );
    told(&["play", "policy.safetensors"], "policy.safetensors: no such file");
    misused(
        &folder,
        &["train", "pole.toml", "--checkpoint", "nan"],
        "--checkpoint: a number of seconds that is not negative is needed",
    );
    assert_eq!(names(&folder), ["pole.toml"]);
}

#[test]
fn a_table_of_another_method_is_told() {
    let task = POLE.replace("16384", "2048") + "[sac]\nminibatch = 64\n";
    let folder = with_task("train_other_table", &task);
    let ran = gradbody_in(&folder, &["train", "pole.toml"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("note: [sac] changes nothing: the method is ppo"),
        "{}",
        ran.stderr
    );
}

#[test]
fn the_help_names_every_built_in_task() {
    let told = succeeds(&folder("train_help"), &["train", "--help"]);
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    for task in &gradbody::train::builtin::BUILTINS {
        assert!(told.contains(task.name), "{} is not in {told}", task.name);
    }
}

/// A policy for one environment in another, and numbers of the model that it does not have.
#[test]
fn what_a_policy_does_not_fit_is_said() {
    let folder = with_task("play_wrong", &POLE.replace("16384", "2048"));
    succeeds(&folder, &["train", "pole.toml"]);
    let told = |args: &[&str], message: &str| {
        refused(&folder, &[&["play", "pole-train"], args].concat(), message);
    };
    told(
        &["--environment", "Hopper"],
        "pole-train: the policy is for InvertedPendulum with 4 observations, but Hopper has 11",
    );
    told(
        &["--push", "pol=1,0,0@0:1"],
        "pole-train: InvertedPendulum has no link \"pol\"; did you mean \"pole\"?",
    );
    told(&["--friction", "-1"], "pole-train: friction -1: a number that is not negative is needed");
    let policy = folder.join("pole-train/policy.safetensors");
    let mut bytes = fs::read(&policy).expect("a policy");
    let end = bytes.len() - 5;
    bytes[end] ^= 4;
    fs::write(&policy, bytes).expect("written");
    refused(
        &folder,
        &["play", "pole-train"],
        "pole-train/policy.safetensors: the file is damaged: its checksum does not match its contents",
    );
}
