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

/// A body that turns at 4 rad/s; a tracker gives its quaternion now one sign and now the other.
#[test]
fn quaternions_of_either_sign_are_written_as_one_curve() {
    let folder = folder("fit_signs");
    let mut spin = String::from("t,x,y,z,qw,qx,qy,qz\n");
    for k in 0..200 {
        let t = f64::from(k) * 0.01;
        let sign = if k % 7 < 3 { -1.0 } else { 1.0 };
        let (sin, cos) = (0.5 * (4.0 * t + 0.002 * f64::from(k * k % 5))).sin_cos();
        writeln!(spin, "{t},0,0,0,{},0,0,{}", sign * cos, sign * sin).expect("written");
    }
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
