//! `gradbody simulate`: the files it writes, and those it refuses.

use std::fs;

use crate::support::{Ran, folder, gradbody_in, header_and_rows, names, refused, simulate};

#[test]
fn a_run_is_written_and_can_go_on() {
    let folder = folder("simulate_run");
    let common = ["laikago", "--dt", "0.001", "--integrator", "rk4"];
    let q = "--q=0,0,1,1,0.1,0,0,0,0.7,-1.4,0,0.7,-1.4,0,0.7,-1.4,0,0.7,-1.4";
    let ran =
        simulate(&folder, &[&common[..], &[q, "--time", "0.2", "--out", "whole.csv"]].concat());
    assert!(ran.stdout.contains("wrote 201 rows to whole.csv"), "{}", ran.stdout);
    assert!(ran.stdout.contains("energy") && ran.stdout.contains("centre of mass"));
    simulate(&folder, &[&common[..], &[q, "--time", "0.1", "--out", "first.csv"]].concat());
    let more = ["--state", "first.csv", "--time", "0.1", "--every", "30", "--out", "second.csv"];
    simulate(&folder, &[&common[..], &more].concat());
    assert_eq!(names(&folder), ["first.csv", "second.csv", "whole.csv"]);

    let (header, whole) = header_and_rows(&folder.join("whole.csv"));
    assert_eq!(header[..2], ["t", "q:root/x"]);
    assert_eq!(header[20], "v:root/vx");
    let last = ["kinetic", "potential", "elastic", "energy"];
    let contact = ["contacts", "fx", "fy", "fz", "depth", "sweeps", "residual"];
    assert_eq!(header[header.len() - 11..], [&last[..], &contact[..]].concat());
    let (_, second) = header_and_rows(&folder.join("second.csv"));
    assert_eq!(second.len(), 5);
    let (a, b) = (&whole[200], &second[4]);
    assert!((a[0] - b[0]).abs() < 1e-12);
    assert_eq!(a[1..], b[1..], "a run in two parts is the same run");
    // The trunk falls freely.
    assert!(
        (a[header.iter().position(|h| h == "v:root/vz").expect("a column")] + 1.962).abs() < 0.05
    );
}

#[test]
fn controls_are_held_between_rows() {
    let folder = folder("simulate_controls");
    fs::write(folder.join("c.csv"), "t, tau:joint2\n0.0, 0\n0.05, 3\n").expect("written");
    let args = ["double_pendulum", "--set", "gravity/z=0", "--dt", "0.01"];
    let more = ["--time", "0.1", "--controls", "c.csv", "--out", "run.csv"];
    simulate(&folder, &[&args[..], &more].concat());
    let (_, rows) = header_and_rows(&folder.join("run.csv"));
    assert_eq!(rows[5][3..5], [0.0, 0.0], "nothing acts before 0.05 s");
    assert!(rows[6][4] > 0.0, "and a torque from there on");
    fs::write(folder.join("m.csv"), "front_left_hip,t\n1,0\n").expect("written");
    simulate(&folder, &["ant", "--time", "0.02", "--controls", "m.csv", "--out", "ant.csv"]);
    let (header, rows) = header_and_rows(&folder.join("ant.csv"));
    let hip = header.iter().position(|h| h == "v:front_left_hip").expect("a column");
    assert!(rows[1][hip] > 0.1);
}

#[test]
fn controls_with_mistakes_are_refused_and_nothing_is_written() {
    let folder = folder("simulate_mistakes");
    for (text, message) in [
        (
            "t,front_left_hop\n0,1\n",
            "1: no actuator \"front_left_hop\"; did you mean \"front_left_hip\"?",
        ),
        (
            "time,front_left_hip\n0,1\n",
            "1: no column \"t\" (the time in seconds); the header is: time, front_left_hip",
        ),
        ("t,front_left_hip,front_left_hip\n0,1,1\n", "1: two columns are named \"front_left_hip\""),
        ("t,front_left_hip\n0,1\n1,1\n0.5,1\n", "4: the time decreases from 1 to 0.5"),
        (
            "t,front_left_hip\n0,1\n1,NaN\n",
            "3: column \"front_left_hip\": \"NaN\" is not a finite number",
        ),
        ("t,front_left_hip\n0,1\n1\n", "3: 1 fields, the header has 2"),
        ("t,front_left_hip\n", " no row below the header"),
    ] {
        fs::write(folder.join("c.csv"), text).expect("written");
        let args = ["simulate", "ant", "--time", "1", "--controls", "c.csv", "--out", "run.csv"];
        refused(&folder, &args, &format!("c.csv:{message}"));
    }
    assert_eq!(names(&folder), ["c.csv"]);
}

#[test]
fn a_run_that_diverges_keeps_its_rows_and_names_the_link() {
    let folder = folder("simulate_divergence");
    let stiff = ["--set", "joint/joint2/stiffness=1e12", "--q=0,1"];
    let args = ["simulate", "double_pendulum", "--time", "2", "--dt", "0.01", "--out", "run.csv"];
    let Ran { status, stderr, .. } = gradbody_in(&folder, &[&args[..], &stiff].concat());
    assert_eq!(status, 1);
    assert!(stderr.contains("error: the simulation diverged: at t = "), "{stderr}");
    assert!(stderr.contains("the motion of link \"link") && stderr.contains("--dt"), "{stderr}");
    let (_, rows) = header_and_rows(&folder.join("run.csv"));
    assert!(rows.len() > 1 && rows.len() < 200);
    assert_eq!(names(&folder), ["run.csv"]);
}

#[test]
fn a_file_appears_complete_or_stays_as_it_was() {
    let folder = folder("simulate_atomic");
    fs::write(folder.join("run.csv"), "precious").expect("written");
    let args = ["simulate", "double_pendulum", "--out", "run.csv"];
    refused(
        &folder,
        &[&args[..], &["--time", "1e8"]].concat(),
        "1e8 s in steps of 0.001 s are 1e11 steps, more than 1e9; use a larger --dt or a shorter --time",
    );
    assert_eq!(fs::read_to_string(folder.join("run.csv")).expect("still there"), "precious");
    simulate(&folder, &["double_pendulum", "--time", "0.01", "--out", "run.csv"]);
    assert!(fs::read_to_string(folder.join("run.csv")).expect("a file").starts_with("t,q:joint1"));
    assert_eq!(names(&folder), ["run.csv"]);
    let into_nowhere = ["simulate", "double_pendulum", "--time", "1", "--out", "no/run.csv"];
    refused(&folder, &into_nowhere, "no/run.csv: its folder does not exist");
    let onto_folder = ["simulate", "double_pendulum", "--time", "1", "--out", "."];
    refused(&folder, &onto_folder, ".: this is a folder; name a file in it");
}

#[cfg(unix)]
#[test]
fn a_pipe_or_a_device_can_be_written_to() {
    let folder = folder("simulate_pipe");
    let args = ["double_pendulum", "--time", "0.01", "--out"];
    simulate(&folder, &[&args[..], &["whole.csv"]].concat());
    let whole = fs::read_to_string(folder.join("whole.csv")).expect("a file");
    for name in ["/dev/stdout", "/dev/fd/1"] {
        let Ran { stdout, stderr, .. } = simulate(&folder, &[&args[..], &[name]].concat());
        assert_eq!(stdout, whole, "the rows and nothing else");
        assert!(stderr.contains(&format!("wrote 11 rows to {name}")), "{stderr}");
    }
    let ran = simulate(&folder, &[&args[..], &["/dev/stderr"]].concat());
    assert!(ran.stderr.ends_with(&whole) && ran.stdout.contains("wrote 11 rows"), "{}", ran.stderr);
    let ran = simulate(&folder, &[&args[..], &["/dev/null"]].concat());
    assert!(ran.stdout.contains("wrote 11 rows to /dev/null"), "{}", ran.stdout);
    assert_eq!(names(&folder), ["whole.csv"]);
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_the_rows_so_far() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let folder = folder("simulate_interrupt");
    let child = Command::new(env!("CARGO_BIN_EXE_gradbody"))
        .args(["simulate", "laikago", "--time", "9e5", "--every", "100", "--out", "run.csv"])
        .current_dir(&folder)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    // It listens before it writes its first rows, which leave a buffer of a few kilobytes soon.
    let started = Instant::now();
    let has_rows = || {
        let files = fs::read_dir(&folder).expect("a folder").filter_map(Result::ok);
        files.filter_map(|f| f.metadata().ok()).any(|m| m.len() > 0)
    };
    while !has_rows() && started.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill runs").success());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&output.stderr).contains("interrupted: the file ends at t = "));
    assert_eq!(names(&folder), ["run.csv"]);
    assert!(header_and_rows(&folder.join("run.csv")).1.len() > 1);
}
