//! `gradbody simulate` where bodies touch.

use std::fs;
use std::path::Path;

use crate::support::{Ran, folder, gradbody_in, header_and_rows, misused, names, simulate};

/// Weight of the cube of `models/cube.urdf` [N], and half its side [m].
const WEIGHT: f64 = 0.37 * 9.81;
const HALF: f64 = 0.0524;

/// A column of a run's CSV.
#[track_caller]
fn column(file: &Path, name: &str) -> Vec<f64> {
    let (header, rows) = header_and_rows(file);
    let place = header.iter().position(|column| column == name).expect("such a column");
    rows.iter().map(|row| row[place]).collect()
}

#[track_caller]
fn last(file: &Path, name: &str) -> f64 {
    *column(file, name).last().expect("a row")
}

#[test]
fn a_cube_falls_on_the_ground_and_the_ground_carries_it() {
    let folder = folder("contact_cube");
    let start = ["cube", "--ground", "--q=0,0,0.2,1,0.2,0.1,0", "--time", "1.5"];
    let files = ["--every", "10", "--out", "run.csv", "--contacts", "contacts.csv"];
    let Ran { stdout, stderr, .. } = simulate(&folder, &[&start[..], &files].concat());
    assert!(!stderr.contains("not simulated"), "{stderr}");
    for part in ["  contacts  ", " 4 at the end", "wrote 151 rows to run.csv", "to contacts.csv"] {
        assert!(stdout.contains(part), "{part}: {stdout}");
    }
    let run = folder.join("run.csv");
    assert!((last(&run, "q:root/z") - HALF).abs() < 1e-4);
    assert!((last(&run, "fz") / WEIGHT - 1.0).abs() < 1e-3, "{}", last(&run, "fz"));
    assert!(last(&run, "fx").abs() < 1e-3 && last(&run, "depth") < 1e-4);
    assert_eq!(last(&run, "contacts"), 4.0);
    assert_eq!(column(&run, "fz")[0], 0.0, "no step has been made");
    assert!(column(&run, "fz").iter().any(|f| *f > 3.0 * WEIGHT), "it hit the ground");

    let mut contacts = csv::Reader::from_path(folder.join("contacts.csv")).expect("a CSV file");
    let header: Vec<String> =
        contacts.headers().expect("a header").iter().map(String::from).collect();
    assert_eq!(
        header,
        ["t", "a", "b", "slot", "x", "y", "z", "nx", "ny", "nz", "gap", "fx", "fy", "fz"]
    );
    let records: Vec<csv::StringRecord> = contacts.records().map(|r| r.expect("a row")).collect();
    let at_end: Vec<_> = records.iter().filter(|r| &r[0] == "1.5").collect();
    assert_eq!(at_end.len(), 4);
    assert!(at_end.iter().all(|r| (&r[1], &r[2], &r[9]) == ("cube", "ground", "-1.0")));
    // Of a, the cube, on b.
    let push: f64 = at_end.iter().map(|r| r[13].parse::<f64>().expect("a number")).sum();
    assert!((push / WEIGHT + 1.0).abs() < 1e-3, "{push}");
    assert_eq!(names(&folder), ["contacts.csv", "run.csv"]);
}

#[test]
fn every_solver_holds_a_cube_but_off() {
    let folder = folder("contact_solvers");
    let start = ["cube", "--ground=-0.1", "--q=0,0,-0.04,1,0,0,0", "--time", "0.6"];
    for (solver, more, height) in [
        ("ncp", &["--sweeps", "20", "--tolerance", "1e-7", "--cone", "pyramid"][..], HALF - 0.1),
        ("ncp", &["--no-warm-start"], HALF - 0.1),
        ("lcp", &[], HALF - 0.1),
        ("hunt-crossley", &["--friction-law", "hollars", "--dt", "2e-4"], HALF - 0.1),
        ("off", &[], -0.04 - 0.5 * 9.81 * 0.36),
    ] {
        let out = ["--solver", solver, "--out", "run.csv"];
        simulate(&folder, &[&start[..], &out, more].concat());
        let z = last(&folder.join("run.csv"), "q:root/z");
        // A compliant ground gives way by less than a millimetre.
        assert!((z - height).abs() < 4e-3, "{solver}: {z}, not {height}");
    }
    assert_eq!(last(&folder.join("run.csv"), "contacts"), 0.0);
}

#[test]
fn friction_decides_how_far_a_cube_slides() {
    let folder = folder("contact_friction");
    let start = ["cube", "--ground", "--q=0,0,0.0524,1,0,0,0", "--v=1,0,0,0,0,0", "--time", "1"];
    for friction in ["0.3", "0.6"] {
        simulate(&folder, &[&start[..], &["--friction", friction, "--out", "run.csv"]].concat());
        let way = last(&folder.join("run.csv"), "q:root/x");
        let expected = 1.0 / (2.0 * friction.parse::<f64>().expect("a number") * 9.81);
        assert!((way - expected).abs() < 2e-3, "{friction}: {way}, not {expected}");
    }
}

#[test]
fn options_that_do_not_fit_are_wrong_usage() {
    let folder = folder("contact_usage");
    for (args, message) in [
        (&["--solver", "lcp", "--sweeps", "9"][..], "--sweeps works with --solver ncp, not lcp"),
        (&["--solver", "off", "--cone", "pyramid"], "--cone works with --solver ncp, not off"),
        (
            &["--solver", "lcp", "--no-warm-start"],
            "--no-warm-start works with --solver ncp, not lcp",
        ),
        (&["--friction-law", "brown"], "--friction-law works with --solver hunt-crossley, not ncp"),
        (&["--contacts", "run.csv"], "--out and --contacts name the same file"),
        (&["--ground"], "--ground: this model has no collision shapes, so nothing touches it"),
    ] {
        let model = ["simulate", "bare.urdf", "--time", "1", "--out", "run.csv"];
        fs::write(folder.join("bare.urdf"), BARE).expect("written");
        misused(&folder, &[&model[..], args].concat(), message);
    }
    fs::write(folder.join("named.xml"), NAMED).expect("written");
    let args = ["simulate", "named.xml", "--ground", "--time", "1", "--out", "run.csv"];
    misused(&folder, &args, "--ground: this model has a shape named \"ground\" already");
    for (flag, value) in [
        ("--ground", "high"),
        ("--friction", "-1"),
        ("--tolerance", "nan"),
        ("--sweeps", "0"),
        ("--solver", "magic"),
    ] {
        let args = ["simulate", "cube", flag, value, "--time", "1", "--out", "run.csv"];
        let Ran { status, stderr, .. } = gradbody_in(&folder, &args);
        assert_eq!(status, 2, "{flag} {value}: {stderr}");
        assert!(
            stderr.starts_with(&format!("error: invalid value '{value}' for '{flag}")),
            "{stderr}"
        );
    }
    assert_eq!(names(&folder), ["bare.urdf", "named.xml"]);
}

const BARE: &str = "<robot name='a'><link name='a'><inertial><mass value='1'/>\
    <inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>";

const NAMED: &str = "<mujoco><worldbody><geom name='ground' type='plane' size='1 1 1'/>\
    <body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>";

/// Three balls in a bent row, the first and the last inside each other.
fn overlapping() -> String {
    let link = |name: &str| {
        format!(
            "<link name='{name}'><inertial><mass value='1'/><inertia ixx='0.1' iyy='0.1' izz='0.1' \
             ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry><sphere radius='0.1'/></geometry>\
             </collision></link>"
        )
    };
    let joint = |parent: &str, child: &str, z: f64| {
        format!(
            "<joint name='{child}' type='continuous'><parent link='{parent}'/><child link='{child}'/>\
             <origin xyz='0.06 0 {z}'/><axis xyz='0 1 0'/></joint>"
        )
    };
    let links = ["a", "b", "c"].map(link).concat();
    format!("<robot name='row'>{links}{}{}</robot>", joint("a", "b", 0.05), joint("b", "c", -0.05))
}

#[test]
fn shapes_that_overlap_at_the_start_do_not_collide_and_that_is_said() {
    let folder = folder("contact_overlaps");
    fs::write(folder.join("row.urdf"), overlapping()).expect("written");
    let run = |more: &[&str]| {
        let args = [
            "row.urdf",
            "--base",
            "free",
            "--set",
            "gravity/z=0",
            "--time",
            "0.1",
            "--out",
            "run.csv",
        ];
        let ran = simulate(&folder, &[&args[..], more].concat());
        (ran.stderr, last(&folder.join("run.csv"), "kinetic"))
    };
    let note =
        "note: these bodies overlap at the start and never collide: a and c; see --self-collision";
    let (stderr, energy) = run(&[]);
    assert!(stderr.contains(note) && energy == 0.0, "{stderr} {energy}");
    let (stderr, energy) = run(&["--self-collision", "none"]);
    assert!(!stderr.contains("overlap") && energy == 0.0, "{stderr} {energy}");
    let (stderr, energy) = run(&["--self-collision", "all"]);
    assert!(!stderr.contains("never collide") && energy > 0.0, "pushed apart: {stderr} {energy}");
    let inside = "note: at the start \"a\" and \"c\" overlap by 0.08 m";
    assert!(stderr.contains(inside), "{stderr}");
}

#[test]
fn a_contact_that_diverges_names_the_link_and_what_to_try() {
    let folder = folder("contact_divergence");
    let stiff = ["--set", "shape/cube/stiffness=1e300", "--set", "shape/cube/damping=1e300"];
    let start = ["simulate", "cube", "--ground", "--q=0,0,0.1,1,0.1,0,0", "--time", "1"];
    let solver = ["--solver", "hunt-crossley", "--dt", "0.01", "--out", "run.csv"];
    let ground = ["--set", "link/cube/mass=1e-3"];
    let Ran { status, stderr, .. } =
        gradbody_in(&folder, &[&start[..], &solver, &stiff, &ground].concat());
    assert_eq!(status, 1, "{stderr}");
    let message = "error: the simulation diverged: at t = ";
    assert!(stderr.contains(message) && stderr.contains("link \"cube\""), "{stderr}");
    assert!(stderr.contains("a softer surface"), "{stderr}");
}

#[test]
fn hard_stops_keep_a_joint_in_its_range() {
    let folder = folder("contact_stops");
    let robot = "<robot name='p'><link name='world'/><link name='rod'><inertial>\
        <origin xyz='0.5 0 0'/><mass value='1'/><inertia ixx='0.01' iyy='0.1' izz='0.1' ixy='0' ixz='0' \
        iyz='0'/></inertial></link><joint name='hinge' type='revolute'><parent link='world'/>\
        <child link='rod'/><axis xyz='0 1 0'/><limit lower='-1' upper='0.5' effort='1' velocity='1'/>\
        </joint></robot>";
    fs::write(folder.join("p.urdf"), robot).expect("written");
    for (more, most) in
        [(&["--hard-stops"][..], 0.5 + 1e-9), (&["--hard-stops", "--solver", "lcp"], 0.5 + 1e-9)]
    {
        let args = ["p.urdf", "--base", "fixed", "--time", "2", "--out", "run.csv"];
        simulate(&folder, &[&args[..], more].concat());
        let angles = column(&folder.join("run.csv"), "q:hinge");
        let highest = angles.iter().fold(0.0_f64, |m, q| m.max(*q));
        assert!(highest <= most && highest > 0.499, "{more:?}: {highest}");
    }
}

const BALLS: &str = r#"<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1" friction="0.4"/>
<body name="one" pos="0 0 1"><freejoint/><geom name="one" size="0.1" friction="0.7"/></body>
<body name="two" pos="0 0 2"><freejoint/><geom name="two" size="0.1" friction="0.2"/></body>
</worldbody></mujoco>
"#;

#[test]
fn friction_that_acts_is_told_for_every_pair() {
    let folder = folder("contact_told");
    fs::write(folder.join("balls.xml"), BALLS).expect("written");
    let all = ["0.7 between floor and one", "0.4 between floor and two", "0.7 between one and two"];
    let shown = gradbody_in(&folder, &["inspect", "balls.xml"]).stdout;
    let (_, frictions) = shown.split_once("friction where shapes may touch\n").expect("a part");
    let lines: Vec<&str> = frictions.lines().take(3).map(str::trim).collect();
    assert_eq!(lines, all, "{shown}");
    let ran = simulate(&folder, &["balls.xml", "--time", "0.01", "--out", "run.csv"]);
    for friction in all {
        assert!(
            ran.stdout.contains(&format!("  friction          {friction}\n")),
            "{}",
            ran.stdout
        );
    }
    let off = ["balls.xml", "--time", "0.01", "--solver", "off", "--out", "run.csv"];
    assert!(!simulate(&folder, &off).stdout.contains("friction"), "nothing touches");
}

#[test]
fn friction_that_is_set_and_counts_nowhere_is_told() {
    let folder = folder("contact_idle");
    fs::write(folder.join("balls.xml"), BALLS).expect("written");
    let run = |set: &str| {
        let args = ["balls.xml", "--time", "0.01", "--out", "run.csv", "--set", set];
        simulate(&folder, &args).stderr
    };
    let idle = "note: --set shape/two/friction has no influence: between floor and two, the larger number counts, and \
                shape/floor/friction is 0.4, and likewise in its other pair";
    assert!(run("shape/two/friction=0.3").contains(idle), "{}", run("shape/two/friction=0.3"));
    let soft = "note: --set shape/two/stiffness has no influence: stiffness counts only where a contact is compliant";
    assert!(run("shape/two/stiffness=100").contains(soft));
    for counts in ["shape/two/friction=0.5", "shape/floor/friction=0.4", "link/one/mass=2"] {
        assert!(!run(counts).contains("no influence"), "{counts}");
    }
}
