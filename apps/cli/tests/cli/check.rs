//! `gradbody check`.

use std::fs;

use serde_json::Value;

use crate::support::{Ran, folder, gradbody_in, misused, names, refused};

const PENDULUM: &str = "<robot name='p'><link name='world'/><link name='rod'><inertial>\
    <origin xyz='0.5 0 0'/><mass value='1'/><inertia ixx='0.01' iyy='0.1' izz='0.1' ixy='0' ixz='0' \
    iyz='0'/></inertial></link><joint name='hinge' type='continuous'><parent link='world'/>\
    <child link='rod'/><axis xyz='0 1 0'/><dynamics damping='0.1'/></joint></robot>";

/// A quadruped above the ground, its legs bent, that has landed after a tenth of a second.
const LANDING: [&str; 5] = [
    "laikago",
    "--ground",
    "--q=0,0,0.47,1,0.03,0.06,0,0,0.7,-1.4,0,0.7,-1.4,0,0.7,-1.4,0,0.7,-1.4",
    "--time",
    "0.1",
];

/// The result of `--json`, and the exit status.
#[track_caller]
fn json(name: &str, args: &[&str]) -> (Value, i32) {
    let Ran { status, stdout, stderr } =
        gradbody_in(&folder(name), &[&["check"], args, &["--json"]].concat());
    (serde_json::from_str(&stdout).unwrap_or_else(|e| panic!("{e}: {stdout}{stderr}")), status)
}

/// What is said of a group.
#[track_caller]
fn verdict<'a>(json: &'a Value, group: &str) -> &'a str {
    let groups = json["groups"].as_array().expect("groups");
    let found = groups.iter().find(|g| g["name"] == group);
    found.unwrap_or_else(|| panic!("{group}"))["verdict"].as_str().expect("a word")
}

#[test]
fn the_gradients_of_a_pendulum_agree() {
    let folder = folder("check_pendulum");
    fs::write(folder.join("p.urdf"), PENDULUM).expect("written");
    let args = ["check", "p.urdf", "--q=0.3", "--steps", "200", "--out", "made/there"];
    let Ran { status, stdout, stderr } = gradbody_in(&folder, &args);
    assert_eq!(status, 0, "{stdout}{stderr}");
    for part in [
        "p: 200 steps of 0.001 s, implicit gradient",
        "  initial configuration ",
        "  link masses ",
        "  joint rest                           1                                       \
         has no influence on this motion",
        "- adjoint and duals agree to ",
        "so the gradient can be trusted",
        "wrote made/there/check.svg\nwrote made/there/check.json\n",
    ] {
        assert!(stdout.contains(part), "{part}: {stdout}");
    }
    let without = |line: &&str| line.starts_with("  ") && !line.contains("no influence");
    let rows: Vec<&str> = stdout.lines().filter(without).skip(1).collect();
    assert!(rows.len() > 8 && rows.iter().all(|row| row.ends_with("agree")), "{stdout}");
    let made = folder.join("made/there");
    assert_eq!(names(&made), ["check.json", "check.svg"]);
    let svg = fs::read_to_string(made.join("check.svg")).expect("a drawing");
    assert!(svg.starts_with("<svg xmlns=") && svg.contains("class=\"line c0\""));
    let json = fs::read_to_string(made.join("check.json")).expect("JSON");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["sensitivity"]["jacobian_norm"].as_array().map(Vec::len), Some(200));
    assert_eq!(json["sensitivity"]["differences_lost_at_step"], Value::Null);
}

#[test]
fn the_gradients_of_a_quadruped_that_lands_agree() {
    let (json, status) = json("check_landing", &LANDING);
    assert_eq!(status, 0, "{json:#}");
    assert_eq!(json["adjoint_and_duals_agree"], true);
    for group in ["initial configuration", "link masses", "joint positions", "shape sizes"] {
        assert_eq!(verdict(&json, group), "agree", "{group}");
    }
    assert_eq!(verdict(&json, "surface stiffness"), "no_influence");
    // Of two surfaces the larger number counts, and all are equal.
    assert_eq!(verdict(&json, "surface cfm"), "kink");
}

#[test]
fn sweeps_that_have_not_converged_are_named_as_the_reason() {
    // A cube that falls on its corners, and comes to rest on a face.
    let start = ["cube", "--ground", "--q=0,0,0.08,1,0.15,0.1,0", "--time"];
    let few = ["0.25", "--sweeps", "2", "--tolerance", "0"];
    let (json_of, status) = json("check_few", &[&start[..], &few].concat());
    assert_eq!(status, 3, "{json_of:#}");
    let all = json_of["advice"].as_array().expect("lines");
    assert!(all.iter().all(|line| !line.as_str().expect("words").contains("trusted")), "{all:?}");
    let advice = json_of["advice"][0].as_str().expect("words");
    assert!(advice.starts_with("the solver's residual is why"), "{advice}");
    assert!(advice.contains("--gradient unrolled"), "{advice}");
    let smoothed = ["0.1", "--gradient", "smoothed=0.01"];
    let (json_of, status) = json("check_smoothed", &[&start[..], &smoothed].concat());
    assert_eq!(status, 0, "not a derivative, and not meant to be: {json_of:#}");
    let (json_of, status) = json("check_converged", &[&start[..], &["0.1"]].concat());
    assert_eq!(status, 0, "{json_of:#}");
}

/// At rest a step ends after a sweep or two, which is enough for values and not for duals.
#[test]
fn duals_that_are_not_settled_do_not_make_the_adjoint_wrong() {
    let args = ["cube", "--ground", "--time", "0.5", "--tolerance", "0", "--sweeps", "300"];
    let (json, status) = json("check_unsettled", &args);
    assert_eq!(verdict(&json, "joint forces of every step"), "duals_unsettled", "{json:#}");
    // Four corners share the weight in many ways.
    assert_eq!(verdict(&json, "surface cfm"), "load_shares");
    let advice = json["advice"].as_array().expect("lines");
    let said =
        advice.iter().any(|line| line.as_str().is_some_and(|x| x.contains("no one derivative")));
    assert!(status == 0 && said, "{advice:?}");
}

#[test]
fn what_is_at_the_end_of_its_range_is_at_a_kink() {
    // It falls on the ground, which returns nothing: one could return more, but not less.
    let args = ["cube", "--ground", "--q=0,0,0.08,1,0.15,0.1,0", "--time", "0.05"];
    let (json, status) = json("check_kink", &args);
    assert_eq!(status, 0, "{json:#}");
    assert_eq!(verdict(&json, "surface restitution"), "kink");
    let advice: Vec<&str> =
        json["advice"].as_array().expect("lines").iter().filter_map(Value::as_str).collect();
    let note = advice.iter().find(|line| line.starts_with("at a kink: ")).expect("a note");
    assert!(note.contains("surface restitution, exactly 0 ("), "{note}");
    assert!(advice[0].ends_with("is right, but for what is at a kink"), "{}", advice[0]);
}

#[test]
fn the_help_says_what_the_exit_status_means() {
    let Ran { status, stdout, .. } = gradbody_in(&folder("check_help"), &["check", "--help"]);
    assert_eq!(status, 0);
    for line in
        ["  1    the model cannot be used", "  2    wrong usage", "  3    the gradient is wrong"]
    {
        assert!(stdout.contains(line), "{line}: {stdout}");
    }
}

#[cfg(unix)]
#[test]
fn a_check_can_be_interrupted() {
    use std::process::{Command, Stdio};
    let folder = folder("check_interrupted");
    let start = ["check", "laikago", "--ground", "--steps", "20000", "--out", "made"];
    let child = Command::new(env!("CARGO_BIN_EXE_gradbody"))
        .args(start)
        .current_dir(&folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    // It listens when its folder is there.
    while !folder.join("made").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let id = child.id().to_string();
    let told = Command::new("kill").args(["-INT", &id]).status().expect("kill runs");
    assert!(told.success());
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.ends_with("interrupted: no result yet, and nothing was written\n"), "{stderr}");
    assert!(output.stdout.is_empty() && names(&folder.join("made")).is_empty());
}

#[test]
fn what_cannot_be_checked_says_why() {
    let folder = folder("check_refused");
    fs::write(folder.join("broken.urdf"), "<robot name='a'><link name='a'></robot>")
        .expect("written");
    fs::write(folder.join("p.urdf"), PENDULUM).expect("written");
    let Ran { status, stderr, .. } = gradbody_in(&folder, &["check", "broken.urdf"]);
    assert_eq!(status, 1, "{stderr}");
    assert!(stderr.starts_with("error: broken.urdf:1: "), "{stderr}");
    refused(
        &folder,
        &["check", "laikag"],
        "laikag: no such file, and no built-in model of that name; did you mean \"laikago\"?",
    );
    let Ran { status, stderr, .. } = gradbody_in(&folder, &["check", "p.urdf", "--gradent", "x"]);
    assert!(status == 2 && stderr.contains("--gradient"), "{stderr}");
    let Ran { status, stderr, .. } =
        gradbody_in(&folder, &["check", "p.urdf", "--gradient=implict"]);
    assert_eq!(status, 2);
    assert!(stderr.contains("did you mean \"implicit\"?"), "{stderr}");
    let args = ["check", "p.urdf", "--solver", "lcp", "--sweeps", "3"];
    misused(&folder, &args, "--sweeps works with --solver ncp, not lcp");
    let args = ["check", "p.urdf", "--ground"];
    misused(&folder, &args, "--ground: this model has no collision shapes, so nothing touches it");
    let many = "1000000 steps are too many to check (at most 100000); use a larger --dt or a shorter \
                --time";
    refused(&folder, &["check", "p.urdf", "--steps", "1000000"], many);
    let long = "the time step of 1 s is longer than the time of 0.5 s; use a smaller --dt or a longer \
                --time";
    refused(&folder, &["check", "p.urdf", "--dt", "1", "--time", "0.5"], long);
    refused(&folder, &["check", "p.urdf", "--dt", "1"], long);
    let file = "broken.urdf: this is a file; name a folder";
    refused(&folder, &["check", "p.urdf", "--out", "broken.urdf"], file);
    assert_eq!(names(&folder), ["broken.urdf", "p.urdf"]);
}
