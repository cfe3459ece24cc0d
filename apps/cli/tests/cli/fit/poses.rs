//! Recordings of poses: a free body whose orientation is measured.

use std::fmt::Write as _;
use std::fs;

use crate::support::{folder, gradbody_in};

const BODY: &str = r#"<robot name="body"><link name="body"><inertial><mass value="1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>
"#;

const EXPERIMENT: &str = r#"[model]
file = "body.urdf"
base = "free"
set = { "gravity/z" = 0 }

[data]
files = "spin.csv"
time = "t"

[channels]
x = { unit = "m", is = "link/body/position/x", noise = 0.001 }
y = { unit = "m", is = "link/body/position/y", noise = 0.001 }
z = { unit = "m", is = "link/body/position/z", noise = 0.001 }
qw = { unit = "1", is = "link/body/orientation/w" }
qx = { unit = "1", is = "link/body/orientation/x" }
qy = { unit = "1", is = "link/body/orientation/y" }
qz = { unit = "1", is = "link/body/orientation/z" }

[change]
parameters = ["link/body/mass"]
priors = { "link/body/mass" = { mean = 1.0, sigma = 0.1 } }

[objective]
window = 20

[prediction]
baselines = []
"#;

/// Poses of a body that turns at 4 rad/s; a tracker gives its quaternion now one sign and now the other. Its place is
/// given in each row by `place`.
fn spin(place: impl Fn(u32) -> [f64; 3]) -> String {
    let mut spin = String::from("t,x,y,z,qw,qx,qy,qz\n");
    for k in 0..200 {
        let t = f64::from(k) * 0.01;
        let sign = if k % 7 < 3 { -1.0 } else { 1.0 };
        let (sin, cos) = (0.5 * (4.0 * t + 0.002 * f64::from(k * k % 5))).sin_cos();
        let [x, y, z] = place(k);
        writeln!(spin, "{t},{x},{y},{z},{},0,0,{}", sign * cos, sign * sin).expect("written");
    }
    spin
}

#[test]
fn quaternions_of_either_sign_are_written_as_one_curve() {
    let folder = folder("fit_signs");
    let spin = spin(|_| [0.0; 3]);
    for (file, text) in [("body.urdf", BODY), ("body.toml", EXPERIMENT), ("spin.csv", &spin)] {
        fs::write(folder.join(file), text).expect("written");
    }
    for args in [&["fit", "body.toml"][..], &["predict", "body-fit", "--out", "p"]] {
        let ran = gradbody_in(&folder, args);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
    }
    let mut reader = csv::Reader::from_path(folder.join("p/predictions.csv")).expect("a CSV file");
    let header = reader.headers().expect("a header").clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("a row")).collect();
    let quaternion = |row: &csv::StringRecord, of: &str| {
        ["qw", "qx", "qy", "qz"].map(|part| {
            let column = header.iter().position(|name| name == format!("{part}:{of}"));
            row[column.expect("a column")].parse::<f64>().expect("a number")
        })
    };
    let dot = |a: [f64; 4], b: [f64; 4]| a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>();
    for of in ["measured", "before", "after"] {
        for pair in rows.windows(2).filter(|pair| pair[0][1] == pair[1][1]) {
            let [before, now] = [&pair[0], &pair[1]].map(|row| quaternion(row, of));
            assert!(dot(before, now) > 0.9, "{of}: from {before:?} to {now:?}");
        }
    }
    for row in &rows {
        assert!(dot(quaternion(row, "measured"), quaternion(row, "after")) > 0.9, "{row:?}");
    }
}

/// Errors of a pose are a distance and an angle, not components: in the summary, in metrics.json and in what `predict`
/// says. The place jumps by 5 mm, 3 along x and 4 along z, where predictions begin.
#[test]
fn the_errors_of_a_pose_are_a_distance_and_an_angle() {
    let folder = folder("fit_pose_errors");
    let spin = spin(|k| if k < 100 { [0.0; 3] } else { [0.003, 0.0, 0.004] });
    let experiment = EXPERIMENT
        .replace("baselines = []", "baselines = []\nwarm-up = 100\nhorizon = 100\n")
        .replace("0.001 }", "0.0001 }");
    for (file, text) in [("body.urdf", BODY), ("body.toml", &experiment), ("spin.csv", &spin)] {
        fs::write(folder.join(file), text).expect("written");
    }
    let run = |args: &[&str]| {
        let ran = gradbody_in(&folder, args);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        ran.stdout
    };
    let told = run(&["fit", "body.toml"]);
    // Without gravity and forces, only its prior says anything about the mass.
    assert!(told.contains("1 → 1 kg  (the data do not determine it)"), "{told}");
    let errors = told.split("errors on the part").nth(1).expect("errors");
    assert!(errors.contains("after              link/body position 5"), "{told}");
    assert!(errors.contains(" mm, link/body orientation 0."), "{told}");
    let told = run(&["predict", "body-fit"]);
    let rows: Vec<Vec<&str>> = told
        .lines()
        .filter(|line| line.contains("after"))
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows[0][..4], ["link/body", "position", "[mm]", "after"], "{told}");
    assert_eq!(rows[1][..4], ["link/body", "orientation", "[deg]", "after"], "{told}");
    assert_eq!(rows.len(), 2, "{told}");
    let told: serde_json::Value =
        serde_json::from_str(&run(&["predict", "body-fit", "--json"])).expect("JSON");
    let models = told["models"].as_array().expect("a list");
    let after = models.iter().find(|model| model["by"] == "after").expect("the fitted model");
    let place = &after["rms"]["link/body position"];
    assert_eq!(place["unit"], "m");
    // The only window: its own root mean square is that over all.
    assert_eq!(place["all"], place["median"]);
    assert!((place["all"].as_f64().expect("a number") - 0.005).abs() < 1e-4, "{place}");
    // The tracker's angles scatter by a few thousandths of a radian.
    let turn = after["rms"]["link/body orientation"]["all"].as_f64().expect("a number");
    assert!(turn > 0.05 && turn < 1.0, "{turn}");
}
