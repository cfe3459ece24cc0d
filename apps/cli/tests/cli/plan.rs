//! `gradbody plan`: tasks, their results, and searches that are interrupted.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::support::{folder, gradbody_in, header_and_rows, names, refused, refused_at_a_line};

const SWING_UP: &str = r#"[model]
file = "cartpole"

[start]
positions = { hinge = 3.141592653589793 }

[simulation]
step = 0.005

[horizon]
seconds = 2
knot = 0.02

[actions]
inputs = "joint/slider/force"

[costs]
up = { of = "joint/*/position", target = 0, weight = 100, when = "end", within = 0.05 }
rest = { of = "joint/*/velocity", weight = 10, when = "end" }
effort = { of = "joint/slider/force", weight = 1e-3 }
"#;

/// A folder with a task.
fn with_task(name: &str, task: &str) -> PathBuf {
    let folder = folder(name);
    fs::write(folder.join("swing.toml"), task).expect("written");
    folder
}

#[track_caller]
fn plan(folder: &Path, args: &[&str]) -> String {
    let ran = gradbody_in(folder, &[&["plan", "swing.toml"], args].concat());
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    ran.stdout
}

#[test]
fn a_plan_is_written_and_its_controls_do_the_task() {
    let folder = with_task("plan_swing", SWING_UP);
    let told = plan(&folder, &[]);
    assert!(told.contains("The task is done (up: at most "), "{told}");
    let out = folder.join("swing-plan");
    assert_eq!(
        names(&out),
        [
            "checkpoint.json",
            "controls.csv",
            "gains.npy",
            "lock",
            "model.xml",
            "outcome.json",
            "plan.csv",
            "progress.csv",
            "report.html",
            "task.toml"
        ]
    );
    let (header, rows) = header_and_rows(&out.join("plan.csv"));
    assert_eq!(header, ["t", "q:slider", "q:hinge", "v:slider", "v:hinge", "joint/slider/force"]);
    assert_eq!(rows.len(), 101);
    // Simulated from its controls alone, the robot ends where the plan does.
    let args = [
        "simulate",
        "cartpole",
        "--q=0,3.141592653589793",
        "--controls",
        "swing-plan/controls.csv",
        "--time",
        "2",
        "--dt",
        "0.005",
        "--integrator",
        "implicit-damping",
        "--out",
        "run.csv",
    ];
    let ran = gradbody_in(&folder, &args);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let (header, simulated) = header_and_rows(&folder.join("run.csv"));
    let column = |name: &str| header.iter().position(|h| h == name).expect("a column");
    let last = simulated.last().expect("rows");
    for (name, planned) in ["q:slider", "q:hinge"].into_iter().zip(&rows[100][1..3]) {
        let off = (last[column(name)] - planned).abs();
        assert!(off < 1e-6, "{name}: {} and {planned}", last[column(name)]);
    }
    // The written model begins where the plan does.
    let (_, again) = simulated_again(&folder, &told);
    let off = (again.last().expect("rows")[column("q:hinge")] - rows[100][2]).abs();
    assert!(off < 1e-6, "{off}");
    let page = fs::read_to_string(out.join("report.html")).expect("a page");
    assert!(page.contains("The task is done") && page.contains("class=\"player\""));
}

/// Runs the command that a plan has printed, and reads its file.
fn simulated_again(folder: &Path, told: &str) -> (Vec<String>, Vec<Vec<f64>>) {
    let told = told.split_once("again without feedback: gradbody ").expect("a command").1;
    let args: Vec<&str> = told.split_whitespace().collect();
    let ran = gradbody_in(folder, &args);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    header_and_rows(&folder.join(args.last().expect("a file")))
}

#[test]
fn the_printed_command_simulates_with_the_options_of_the_task() {
    let task = SWING_UP
        .replace("step = 0.005", "step = 0.02\nintegrator = \"rk4\"\ncontact = \"hunt-crossley\"")
        + "[limits]\niterations = 2\n";
    let folder = with_task("plan_rk4", &task);
    let told = plan(&folder, &["--out", "a plan"]);
    let file = "--dt 0.02 --integrator rk4 --solver hunt-crossley --out \"a plan/again.csv\"";
    assert!(told.contains(file), "{told}");
    let told =
        told.replace("\"a plan/", "a_plan/").replace(".xml\"", ".xml").replace(".csv\"", ".csv");
    fs::rename(folder.join("a plan"), folder.join("a_plan")).expect("renamed");
    let (_, again) = simulated_again(&folder, &told);
    let (_, planned) = header_and_rows(&folder.join("a_plan/plan.csv"));
    let (again, planned) = (again.last().expect("rows"), planned.last().expect("rows"));
    for k in 1..5 {
        assert!((again[k] - planned[k]).abs() < 1e-9, "{again:?} and {planned:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_search_that_is_interrupted_goes_on_with_the_same_bits() {
    // Many random plans, so that the search takes seconds and is interrupted long before its end.
    let search = "[search]\nmethod = \"mppi\"\nsamples = 2000\n[limits]\niterations = 40\n";
    let task = format!("{SWING_UP}{search}");
    let program = || Command::new(env!("CARGO_BIN_EXE_gradbody"));
    let whole = with_task("plan_whole", &task);
    let ran = program()
        .args(["plan", "swing.toml"])
        .env("RAYON_NUM_THREADS", "2")
        .current_dir(&whole)
        .stdout(std::process::Stdio::null())
        .status();
    assert!(ran.expect("the program runs").success());
    let halves = with_task("plan_halves", &task);
    let mut child = program()
        .args(["plan", "swing.toml", "--checkpoint", "0"])
        .env("RAYON_NUM_THREADS", "1")
        .current_dir(&halves)
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("the program runs");
    let checkpoint = halves.join("swing-plan/checkpoint.json");
    let began = Instant::now();
    while !checkpoint.exists() && began.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(interrupt.expect("kill runs").success());
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let iterations =
        |folder: &Path| header_and_rows(&folder.join("swing-plan/progress.csv")).1.len();
    assert!(iterations(&halves) < iterations(&whole), "it was interrupted on the way");
    assert!(halves.join("swing-plan/report.html").exists());
    plan(&halves, &["--resume"]);
    let of = |folder: &Path| fs::read_to_string(folder.join("swing-plan/controls.csv"));
    assert_eq!(of(&whole).expect("controls"), of(&halves).expect("controls"), "on 1 and 2 threads");
    let already = "swing-plan: already contains a plan; --resume continues it, --restart replaces it, or choose another --out";
    refused(&halves, &["plan", "swing.toml"], already);
    fs::write(halves.join("swing.toml"), task.replace("2000", "1000")).expect("written");
    let changed = "resume: the task has changed since this search began; plan again with --restart, or into another folder \
                   with --out";
    refused(&halves, &["plan", "swing.toml", "--resume"], changed);
}

#[test]
fn wrong_tasks_are_refused_with_a_line_and_leave_nothing() {
    for (from, to, message) in [
        (
            "joint/slider/force\"\n",
            "joint/slide/force\"\n",
            "actions.inputs: the model has no input \"joint/slide/force\"; did you mean \"joint/slider/force\"?",
        ),
        ("seconds = 2", "seconds = 0", "horizon.seconds: 0: a plan needs a positive time [s]"),
        (
            "inputs =",
            "bounds = { \"joint/slider/force\" = [3, -3] }\ninputs =",
            "actions.bounds.\"joint/slider/force\": the bounds are crossed: 3 to -3",
        ),
        (
            "\"joint/*/velocity\"",
            "\"joint/hing/velocity\"",
            "costs.rest.of: the model has no \"joint/hing/velocity\"; did you mean \"joint/hinge/velocity\"?",
        ),
    ] {
        assert!(SWING_UP.contains(from), "{from}");
        let folder = with_task("plan_wrong", &SWING_UP.replacen(from, to, 1));
        refused_at_a_line(&folder, &["plan", "swing.toml"], message);
        assert_eq!(names(&folder), ["swing.toml"]);
    }
    let folder = with_task("plan_not_toml", "[model]\nfile = \"cartpole\"\n[horizn]\n");
    let ran = gradbody_in(&folder, &["plan", "swing.toml"]);
    assert!(
        ran.stderr
            .contains("swing.toml:3: [horizn]: unknown key \"horizn\"; did you mean \"horizon\"?"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_cost_that_nothing_reaches_is_told() {
    let task = SWING_UP
        .replace("\"cartpole\"", "\"cartpole\"\nobjects = { ball = { ball = 0.1, mass = 1 } }")
        .replace("\"joint/*/position\"", "[\"joint/slider/position\", \"joint/hinge/position\"]")
        + "idle = { of = \"link/ball/position/x\", target = 1 }\n";
    let folder = with_task("plan_idle", &task);
    let ran = gradbody_in(&folder, &["plan", "swing.toml"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let note = "note: swing.toml:22: costs.idle: nothing that the plan chooses changes it in the first motion";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
    assert!(!ran.stderr.contains("costs.up"), "{}", ran.stderr);
}

#[test]
fn plans_on_the_way_hold_a_pole() {
    let task = SWING_UP
        .replace("hinge = 3.141592653589793", "hinge = 0.2")
        .replace("seconds = 2", "seconds = 1")
        + "[receding]\nseconds = 3\npushes = [{ link = \"pole\", at = 1, seconds = 0.1, force = [1, 0, 0] }]\n";
    let folder = with_task("plan_receding", &task);
    let told = plan(&folder, &[]);
    assert!(
        told.contains("The task is done (up: at most ") && told.contains("by 150 plans"),
        "{told}"
    );
    let (_, rows) = header_and_rows(&folder.join("swing-plan/plan.csv"));
    assert_eq!(rows.len(), 151);
    let out = folder.join("swing-plan");
    let replans = fs::read_to_string(out.join("replans.csv")).expect("plans");
    let lines: Vec<&str> = replans.lines().collect();
    assert_eq!(lines[0], "t,begun,before,cost,step,residual,microseconds");
    assert_eq!(lines.len(), 151);
    assert!(lines[1].starts_with("0,first-actions,") && lines[2].contains(",feedback,"));
    assert!(told.contains("note: In this simulation the robot waits for each plan"), "{told}");
    assert!(out.join("model.xml").exists() && !out.join("progress.csv").exists());
    assert!(!told.contains("again without feedback"), "pushes are no controls: {told}");
    // Resumed, it begins again.
    assert!(plan(&folder, &["--resume"]).contains("by 150 plans"));
    let saved = "--checkpoint is about searches for one plan; this task has [receding], and begins again when resumed";
    refused(&folder, &["plan", "swing.toml", "--restart", "--checkpoint", "1"], saved);
}

#[test]
fn a_plan_is_kept_when_its_task_has_changed_to_plans_on_the_way() {
    let folder = with_task("plan_then_receding", SWING_UP);
    plan(&folder, &[]);
    let out = folder.join("swing-plan");
    let all = || -> Vec<(String, Vec<u8>)> {
        let read = |name: String| (name.clone(), fs::read(out.join(&name)).expect("a file"));
        names(&out).into_iter().map(read).collect()
    };
    let before = all();
    let task = format!("{SWING_UP}[receding]\nseconds = 3\n");
    fs::write(folder.join("swing.toml"), task).expect("written");
    let changed = "resume: the task has changed since this search began; plan again with --restart, or into another folder \
                   with --out";
    refused(&folder, &["plan", "swing.toml", "--resume"], changed);
    assert!(before == all(), "nothing was changed");
}

/// The comparison takes much longer than the plan, which is there before it.
#[test]
fn a_plan_is_written_before_other_methods_are_compared() {
    let folder = with_task("plan_peers", SWING_UP);
    let mut child = Command::new(env!("CARGO_BIN_EXE_gradbody"))
        .args(["plan", "swing.toml", "--peers"])
        .current_dir(&folder)
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("the program runs");
    let checkpoint = folder.join("swing-plan/checkpoint.json");
    let began = Instant::now();
    while !checkpoint.exists() && began.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(child.try_wait().expect("a process").is_none(), "other methods are at work");
    child.kill().expect("a process");
    child.wait().expect("it ends");
    let out = names(&folder.join("swing-plan"));
    for file in ["controls.csv", "gains.npy", "model.xml", "plan.csv", "report.html"] {
        assert!(out.iter().any(|name| name == file), "no {file} in {out:?}");
    }
}

/// A folder of the user may have files with the names of results, above all the model that the task names.
#[test]
fn files_of_the_user_are_not_replaced() {
    let model = r#"<mujoco model="m"><worldbody><body><joint name="slider" type="slide"/>
        <geom type="sphere" size="0.1"/></body></worldbody></mujoco>"#;
    let task = "[model]\nfile = \"model.xml\"\n[horizon]\nseconds = 0.1\n[costs]\n\
                rest = { of = \"joint/slider/velocity\" }\n[limits]\niterations = 1\n";
    let folder = with_task("plan_here", task);
    fs::write(folder.join("model.xml"), model).expect("written");
    let told = |file: &str| {
        format!("{file}: this file is not a result, and one would replace it; choose another --out")
    };
    refused(&folder, &["plan", "swing.toml", "--out", "."], &told("./model.xml"));
    assert_eq!(names(&folder), ["model.xml", "swing.toml"]);
    plan(&folder, &["--out", "there"]);
    plan(&folder, &["--out", "there", "--restart"]);
    fs::create_dir(folder.join("notes")).expect("a folder");
    fs::write(folder.join("notes/plan.csv"), "my own").expect("written");
    refused(&folder, &["plan", "swing.toml", "--out", "notes"], &told("notes/plan.csv"));
    assert_eq!(fs::read_to_string(folder.join("notes/plan.csv")).expect("a file"), "my own");
    fs::remove_file(folder.join("there/checkpoint.json")).expect("removed");
    let gone = "there: already contains results of a plan, but not its checkpoint; --restart replaces them, or choose \
                another --out";
    refused(&folder, &["plan", "swing.toml", "--out", "there"], gone);
    plan(&folder, &["--out", "there", "--restart"]);
}

#[test]
fn a_seed_that_changes_nothing_is_told() {
    let task = format!("{SWING_UP}[limits]\niterations = 1\n");
    let folder = with_task("plan_seed", &task);
    let ran = gradbody_in(&folder, &["plan", "swing.toml", "--seed", "3"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let note = "note: --seed changes nothing: ilqr draws no random numbers";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
    let ran = gradbody_in(&folder, &["plan", "swing.toml", "--seed", "-1"]);
    let why = "a seed is a whole number that is not negative";
    assert!(ran.status == 2 && ran.stderr.contains(why), "{}", ran.stderr);
}
