//! `gradbody inspect`: what it prints, and what it refuses.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{Ran, folder, gradbody, gradbody_in, misused, refused};

/// Sums of a few products of numbers of order one to a hundred, in f64.
const ROUNDING: f64 = 1e-10;

fn json(args: &[&str]) -> Value {
    let Ran { status, stdout, stderr } = gradbody(&[&["inspect"], args, &["--json"]].concat());
    assert_eq!(status, 0, "{stderr}");
    serde_json::from_str(&stdout).expect("JSON")
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

#[test]
fn json_has_the_promised_keys() {
    let value = json(&["laikago"]);
    assert_eq!((value["nq"].as_u64(), value["nv"].as_u64()), (Some(19), Some(18)));
    assert_eq!(value["names"][0], "root/vx");
    assert_eq!(value["names"][6], "FL_hip_joint");
    assert_eq!(value["position_names"][3], "root/qw");
    assert_eq!(value["M"].as_array().map(Vec::len), Some(18));
    for key in ["bias", "qdd", "tau", "v", "passive", "qdd_passive"] {
        assert_eq!(numbers(&value[key]).len(), 18, "{key}");
    }
    assert_eq!(numbers(&value["com"]).len(), 3);
    assert!(value["kinetic"].is_f64() && value["potential"].is_f64());
    let foot = &value["poses"]["FL_foot"];
    assert_eq!(numbers(&foot["position"]).len(), 3);
    assert_eq!(numbers(&foot["quaternion"]).len(), 4);
    assert!(value.get("params").is_none());
    let with_params = json(&["laikago", "--params"]);
    assert_eq!(with_params["params"]["link/trunk/mass"].as_f64(), Some(13.733));
}

#[test]
fn forces_balance() {
    let q = "--q=0.1,-0.2,0.9,2,0.2,-0.4,0.6,0.1,0.8,-1.4,0.2,0.7,-1.3,-0.1,0.9,-1.2,0,0.6,-1.5";
    let v = "--v=0.3,-0.4,0.5,1,-2,3,1,2,3,-1,-2,-3,0.5,1.5,2.5,-0.5,-1.5,-2.5";
    let tau = "--tau=0,0,0,0,0,0,1,2,3,4,5,6,7,8,9,10,11,12";
    let value = json(&["laikago", q, v, tau]);
    let matrix = value["M"].as_array().expect("rows");
    let (qdd, bias, tau) =
        (numbers(&value["qdd"]), numbers(&value["bias"]), numbers(&value["tau"]));
    for (i, row) in matrix.iter().enumerate() {
        let inertial: f64 = numbers(row).iter().zip(&qdd).map(|(m, a)| m * a).sum();
        assert!((inertial + bias[i] - tau[i]).abs() < ROUNDING * qdd[i].abs().max(1.0), "{i}");
    }
    // The quaternion was not of length one.
    let norm: f64 = numbers(&value["q"])[3..7].iter().map(|x| x * x).sum();
    assert!((norm - 1.0).abs() < ROUNDING);
    // ½ vᵀ M v
    let v = numbers(&value["v"]);
    let momentum = matrix.iter().map(|row| numbers(row).iter().zip(&v).map(|(m, v)| m * v).sum());
    let twice: f64 = momentum.zip(&v).map(|(p, v): (f64, &f64)| p * v).sum();
    let kinetic = value["kinetic"].as_f64().expect("a number");
    assert!((kinetic - 0.5 * twice).abs() < ROUNDING * kinetic);
}

#[test]
fn text_shows_the_tree_and_the_state() {
    let Ran { status, stdout, .. } = gradbody(&["inspect", "laikago", "--params"]);
    assert_eq!(status, 0);
    for part in [
        "25.433 kg",
        "│  └─ FL_thigh",
        "└╌ FL_foot",
        "link/trunk/mass",
        "import report",
        "effort ≤ 40",
    ] {
        assert!(stdout.contains(part), "{part}:\n{stdout}");
    }
    assert!(!stdout.contains("mass matrix"));
    let Ran { stdout, .. } = gradbody(&["inspect", "double_pendulum", "--q", "-1,0.5"]);
    for part in ["mass matrix", "kinetic energy", "qdd", "poses", "-1"] {
        assert!(stdout.contains(part), "{part}:\n{stdout}");
    }
}

#[test]
fn states_come_from_files_and_keyframes() {
    let folder = folder("inspect_states");
    let at = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).expect("written");
        path.to_str().expect("UTF-8").to_owned()
    };
    let file = at("s.json", r#"{"q": [0.3, 0.4], "tau": [1, 2]}"#);
    let value = json(&["double_pendulum", "--state", &file]);
    assert_eq!(numbers(&value["q"]), [0.3, 0.4]);
    assert_eq!(numbers(&value["v"]), [0.0, 0.0]);
    assert_eq!(numbers(&value["tau"]), [1.0, 2.0]);
    let file =
        at("s.csv", "t,q:joint2,v:joint1,energy,q:joint1,v:joint2\n0,1,2,3,0,0\n1,4,5,6,0,0\n");
    let value = json(&["double_pendulum", "--state", &file, "--q=7,8"]);
    assert_eq!(numbers(&value["q"]), [7.0, 8.0]);
    assert_eq!(numbers(&value["v"]), [5.0, 0.0]);
    assert_ne!(json(&["ant", "--key", "stand"])["q"], json(&["ant"])["q"]);

    let refused = |args: &[&str], message: &str| {
        refused(&folder, &[&["inspect", "double_pendulum"], args].concat(), message);
    };
    at("few.json", r#"{"q": [0.3]}"#);
    refused(
        &["--state", "few.json"],
        "few.json: q has 1 number, this model needs 2: joint1, joint2",
    );
    at("odd.csv", "t,q:join1\n0,1\n");
    refused(
        &["--state", "odd.csv"],
        "odd.csv: column \"q:join1\": this model has no coordinate \"join1\"; \
         did you mean \"joint1\"?",
    );
    at("twice.csv", "t,q:joint1,q:joint1\n0,1,1\n");
    refused(&["--state", "twice.csv"], "twice.csv: two columns are named \"q:joint1\"");
    at("gap.csv", "t,q:joint1,q:joint2,v:joint1\n0,1,1,1\n");
    refused(&["--state", "gap.csv"], "gap.csv: no column \"v:joint2\"");
    at("nan.csv", "t,q:joint1\n0,NaN\n");
    refused(
        &["--state", "nan.csv"],
        "nan.csv: last row: \"NaN\" (q:joint1) is not a finite number",
    );
    refused(&["--state", "none.json"], "none.json: no such file");
    let here = |model, key| ["inspect", model, "--key", key];
    misused(&folder, &here("double_pendulum", "up"), "--key: this model has no keyframes");
    misused(
        &folder,
        &here("ant", "stend"),
        "--key: no keyframe \"stend\"; did you mean \"stand\"? (there are: qpos0, stand)",
    );
}

#[test]
fn the_pose_of_the_file_is_the_default() {
    for model in ["ant", "hopper"] {
        assert_eq!(json(&[model])["q"], json(&[model, "--key", "qpos0"])["q"], "{model}");
    }
    assert_ne!(numbers(&json(&["ant"])["q"])[2], 0.0, "the torso of the ant is above the ground");
    assert_eq!(numbers(&json(&["laikago"])["q"])[..4], [0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn every_model_file_is_built_in() {
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut count = 0;
    for file in fs::read_dir(files).expect("a folder") {
        let path = file.expect("a file").path();
        if path.extension().is_some_and(|end| end == "urdf" || end == "xml") {
            let name = path.file_stem().and_then(|stem| stem.to_str()).expect("UTF-8");
            let Ran { status, stderr, .. } = gradbody(&["inspect", name]);
            assert_eq!(status, 0, "{name}: {stderr}");
            count += 1;
        }
    }
    assert!(count >= 25);
}

#[test]
fn a_file_that_is_used_wholly_is_said_to_be() {
    let report = |model| gradbody(&["inspect", model]).stdout;
    // It has a shape to collide with, and its base is assumed free.
    assert!(!report("cube").contains("everything in the file is used"), "{}", report("cube"));
    let bare = "<robot name='a'><link name='a'><inertial><mass value='1'/>\
                <inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>\
                <collision><geometry><sphere radius='1'/></geometry></collision></link></robot>";
    let folder = folder("inspect_report");
    fs::write(folder.join("bare.urdf"), bare).expect("written");
    let stdout = gradbody_in(&folder, &["inspect", "bare.urdf", "--base", "free"]).stdout;
    assert!(stdout.contains("  everything in the file is used\n"), "{stdout}");
}

#[test]
fn surfaces_are_shown_where_they_are_not_the_default() {
    let world = r#"<mujoco><worldbody>
      <geom name="floor" type="plane" size="1 1 1"/>
      <body name="egg"><freejoint/><geom name="shell" type="ellipsoid" size="1 1 2" condim="4"
        friction="0.5 0.01 7"/></body>
      <body name="ball"><freejoint/><geom name="ball" size="0.1" friction="1 3 3"/></body>
    </worldbody><contact><pair geom1="floor" geom2="ball" friction="0.25 0.25"/></contact></mujoco>"#;
    let folder = folder("inspect_surfaces");
    fs::write(folder.join("egg.xml"), world).expect("written");
    let stdout = gradbody_in(&folder, &["inspect", "egg.xml"]).stdout;
    let expected = "\nsurfaces that are not the default\n  \
        shell       of egg  resists turning, friction 0.5, torsional friction 0.01, \
        rolling friction 0\n  \
        floor-ball  a pair  friction 0.25\n\n";
    assert!(stdout.contains(expected), "{stdout}");
    let args = ["inspect", "egg.xml", "--json", "--set", "shape/ball/restitution=0.5"];
    let value: Value = serde_json::from_str(&gradbody_in(&folder, &args).stdout).expect("JSON");
    let shapes = value["shapes"].as_array().expect("a list");
    assert_eq!(shapes.len(), 3);
    assert_eq!(shapes[0]["name"], "floor");
    assert_eq!(shapes[0]["surface"], serde_json::json!({}));
    assert_eq!((&shapes[1]["kind"], &shapes[1]["frame"]), (&"ellipsoid".into(), &"egg".into()));
    assert_eq!((&shapes[1]["law"], &shapes[1]["resists_turning"]), (&"rigid".into(), &true.into()));
    assert_eq!(shapes[2]["surface"], serde_json::json!({ "restitution": 0.5 }));
    assert_eq!(
        value["contact_pairs"],
        serde_json::json!([{
            "name": "floor-ball",
            "shapes": ["floor", "ball"],
            "law": "rigid",
            "resists_turning": false,
            "surface": { "friction": 0.25 },
        }])
    );
    // A surface of the default is not worth a line.
    let stdout = gradbody(&["inspect", "cube"]).stdout;
    assert!(!stdout.contains("surfaces"), "{stdout}");
}

#[test]
fn a_long_chain_is_drawn_in_little_room() {
    use std::fmt::Write as _;
    let mut urdf = String::from("<robot name='chain'><link name='world'/>");
    for i in 0..500 {
        let parent = if i == 0 { "world".to_owned() } else { format!("rod{}", i - 1) };
        let _ = write!(
            urdf,
            "<link name='rod{i}'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' \
             ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='hinge{i}' \
             type='continuous'><parent link='{parent}'/><child link='rod{i}'/></joint>"
        );
    }
    urdf.push_str("</robot>");
    let folder = folder("inspect_chain");
    fs::write(folder.join("chain.urdf"), urdf).expect("written");
    let Ran { status, stdout, stderr } = gradbody_in(&folder, &["inspect", "chain.urdf"]);
    assert_eq!(status, 0, "{stderr}");
    assert!(stdout.len() < 500 * 400, "{}", stdout.len());
    assert!(stdout.contains("   └─ rod23 "), "{stdout}");
    assert!(!stdout.contains("depth 24 ") && stdout.contains("… depth 25 └─ rod24 "), "{stdout}");
    assert!(stdout.contains("… depth 500 └─ rod499 "));
}

#[test]
fn what_is_not_finite_is_refused() {
    for args in [
        &["double_pendulum", "--v=1e200,0"][..],
        &["cube", "--q=1e308,0,0,1,0,0,0", "--v=1e308,0,0,0,0,0"],
    ] {
        let Ran { status, stdout, stderr } = gradbody(&[&["inspect", "--json"], args].concat());
        assert_eq!((status, stdout.as_str()), (1, ""), "{args:?}");
        assert!(stderr.starts_with("error: at this state the "), "{stderr}");
    }
}

#[test]
fn numbers_that_cannot_be_used_are_refused() {
    let here = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let misused =
        |args: &[&str], message: &str| misused(here, &[&["inspect"], args].concat(), message);
    misused(
        &["double_pendulum", "--q=1,2,3"],
        "--q has 3 numbers, this model needs 2: joint1, joint2",
    );
    misused(
        &["double_pendulum", "--v=1,fast", "--json"],
        "--v: \"fast\" (number 2, joint2) is not a finite number",
    );
    misused(
        &["double_pendulum", "--tau=NaN,0"],
        "--tau: \"NaN\" (number 1, joint1) is not a finite number",
    );
    misused(
        &["cube", "--q=0,0,0,0,0,0,0"],
        "joint \"root\": a zero quaternion is not an orientation; use 1,0,0,0",
    );
    misused(
        &["double_pendulum", "--set", "link/link1/mas=2"],
        "--set: no parameter \"link/link1/mas\"; did you mean \"link/link1/mass\"?",
    );
    refused(
        here,
        &["inspect", "double_pendulum", "--set", "link/link1/mass=-2"],
        "after --set: link/link1/mass: -2 is negative",
    );
}

#[test]
fn files_that_cannot_be_used_are_refused() {
    let folder = folder("inspect_files");
    refused(&folder, &["inspect", "robot.urdf"], "robot.urdf: no such file");
    refused(
        &folder,
        &["inspect", "laikagoo"],
        "laikagoo: no such file, and no built-in model of that name; did you mean \"laikago\"?",
    );
    for (i, text) in
        ["", "robot", "<robot", "<robot><link/></robot>", "\u{0}<a/>"].iter().enumerate()
    {
        let name = format!("broken{i}.urdf");
        fs::write(folder.join(&name), text).expect("written");
        let Ran { status, stdout, stderr } = gradbody_in(&folder, &["inspect", &name, "--json"]);
        assert_eq!((status, stdout.as_str()), (1, ""), "{text}");
        assert!(
            stderr.starts_with(&format!("error: {name}")) && stderr.lines().count() == 1,
            "{stderr}"
        );
    }
}

#[test]
fn wrong_usage_is_exit_status_2() {
    for args in [
        &["inspect"][..],
        &["inspct", "laikago"],
        &["inspect", "laikago", "--base", "floating"],
        &["inspect", "laikago", "--set", "link/trunk/mass"],
        &["inspect", "laikago", "--set", "link/trunk/mass=heavy"],
        &["inspect", "laikago", "--state", "a.json", "--key", "b"],
        &["simulate", "laikago", "--out", "run.csv"],
        &["simulate", "laikago", "--time", "-1", "--out", "run.csv"],
        &["simulate", "laikago", "--time", "nan", "--out", "run.csv"],
        &["simulate", "laikago", "--time", "1", "--dt", "0", "--out", "run.csv"],
        &["simulate", "laikago", "--time", "1", "--every", "0", "--out", "run.csv"],
        &["export", "laikago"],
        &["inspect", "double_pendulum", "--q=abc"],
        &["simulate", "double_pendulum", "--time", "1", "--q=nan,0", "--out", "run.csv"],
        &["simulate", "ant", "--time", "1", "--key", "sit", "--out", "run.csv"],
        &["export", "laikago", "--set", "nothing=1", "--out", "a.urdf"],
    ] {
        let Ran { status, stderr, .. } = gradbody(args);
        assert_eq!(status, 2, "{args:?}: {stderr}");
        assert!(stderr.starts_with("error: "), "{stderr}");
    }
}

#[cfg(unix)]
#[test]
fn a_ground_has_numbers_too() {
    let with = json(&["cube", "--params", "--ground=0.1"]);
    let without = json(&["cube", "--params"]);
    let has = |value: &Value| value["params"].to_string().contains("shape/ground/friction");
    assert!(has(&with) && !has(&without));
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_gradbody"))
        .args(["inspect", "laikago", "--params"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program ends");
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
