//! `gradbody view`: pages that are saved, and what is refused. The live server is tested in crates/view.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::process::{Command, Stdio};

use crate::support::{folder, gradbody_in, misused, refused};

#[test]
fn a_page_is_saved_of_a_model_and_of_a_run() {
    let folder = folder("view");
    let ran = gradbody_in(&folder, &["view", "ant", "--save", "ant.html", "--time", "1"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("wrote ant.html ("), "{}", ran.stdout);
    let run =
        ["simulate", "cube", "--ground", "--time", "0.5", "--q=0,0,1,1,0,0,0", "--out", "run.csv"];
    assert_eq!(gradbody_in(&folder, &run).status, 0);
    let view =
        ["view", "run.csv", "--model", "cube", "--ground", "--gradient", "--save", "run.html"];
    let ran = gradbody_in(&folder, &view);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    for page in ["ant.html", "run.html"] {
        let text = std::fs::read_to_string(folder.join(page)).expect("written");
        assert!(text.contains("gradbodyView(") && text.contains("{recording: \""), "{page}");
        assert!(text.len() < 3_000_000, "{page} has {} bytes", text.len());
    }
    // Without the ground the run is another one.
    let other = [
        "view",
        "run.csv",
        "--model",
        "cube",
        "--gradient",
        "--set",
        "gravity/z=-1",
        "--save",
        "x.html",
    ];
    let ran = gradbody_in(&folder, &other);
    assert_eq!(ran.status, 1);
    assert!(ran.stderr.contains("away from its last row"), "{}", ran.stderr);
}

#[test]
fn what_cannot_be_shown_is_said_in_a_line() {
    let folder = folder("view-refused");
    std::fs::write(folder.join("run.csv"), "t,q:x\n0,0\n").expect("written");
    std::fs::create_dir(folder.join("empty")).expect("made");
    std::fs::write(folder.join("policy.safetensors"), "").expect("written");
    misused(
        &folder,
        &["view", "run.csv"],
        "run.csv: a run does not say of which model it is; say so by --model MODEL",
    );
    refused(&folder, &["view", "rum.csv"], "rum.csv: no such file; did you mean \"run.csv\"?");
    refused(&folder, &["view", "empty/run.csv"], "empty/run.csv: no such file");
    misused(&folder, &["view", "empty"], "empty: this folder has no fit, no plan and no policy");
    refused(
        &folder,
        &["view", "policy.safetensors"],
        "policy.safetensors: not a safetensors file: header too small",
    );
    misused(
        &folder,
        &["view", "policy.onnx"],
        "policy.onnx: only policies that gradbody wrote are shown: policy.safetensors; simulate another one, and show the run: \
         `gradbody view run.csv`",
    );
    misused(&folder, &["view", "ant", "--model", "ant"], "--model works with a run (a .csv file)");
    misused(
        &folder,
        &["view", "ant", "--save", "x.html", "--worlds", "3"],
        "--worlds works with a live simulation",
    );
    refused(
        &folder,
        &["view", "run.csv", "--model", "pendulum1"],
        "run.csv:1: this model has no \"x\"; is it the model of this run?",
    );
}

#[test]
fn a_port_that_is_taken_is_named() {
    let folder = folder("view-port");
    let taken = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let message =
        format!("port {port} is taken; choose another one, or none to take the next free one");
    misused(&folder, &["view", "pendulum1", "--headless", "--port", &port], &message);
}

#[test]
fn the_address_is_printed_at_once() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_gradbody"))
        .args(["view", "pendulum1", "--headless"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut line = String::new();
    let out = program.stdout.take().expect("its output");
    BufReader::new(out).read_line(&mut line).expect("a line");
    program.kill().expect("ended");
    program.wait().expect("ended");
    assert!(line.starts_with("http://127.0.0.1:") && line.contains("/?token="), "{line}");
}
