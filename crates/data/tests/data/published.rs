//! The published sets, where they are here; and their loaders on files as published, written by hand.

use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::path::{Path, PathBuf};

use gradbody_data::process::Split;
use gradbody_data::sets::{contactnets_cube, ibm_double_pendulum, mcube_push, multiarm_pendulum};
use gradbody_data::{Trajectory, look_over};

use crate::support::Folder;

/// The folder of a set, if it has this file.
fn data(set: &str, file: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let named = std::env::var_os("GRADBODY_DATA").filter(|name| !name.is_empty());
    let places = match named {
        Some(named) => vec![root.join(named)],
        None => vec![root.join("data"), root.join("../shared/data")],
    };
    let found = places.into_iter().map(|place| place.join(set)).find(|f| f.join(file).is_file());
    if found.is_none() {
        let test = std::thread::current().name().unwrap_or_default().to_owned();
        eprintln!("skipped: no data: {test} needs {set}/{file} in GRADBODY_DATA");
    }
    found
}

fn values<'a>(run: &'a Trajectory, channel: &str) -> &'a [f64] {
    &run.channel(channel).expect("a channel").values
}

fn largest_step(values: &[f64]) -> f64 {
    values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max)
}

#[test]
fn ibm_runs() {
    let Some(folder) = data("ibm_double_pendulum", "runs/0.csv") else { return };
    let set = ibm_double_pendulum::runs(&folder).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((set.trajectories.len(), set.files.len()), (16, 16));
    assert_eq!(set.trajectories[10].name, "runs/10");
    for (k, run) in set.trajectories.iter().enumerate() {
        assert!((17_000..18_500).contains(&run.t.len()));
        assert_eq!((run.missing(), run.uniform_rate().map(f64::round)), (0, Some(400.0)));
        // Filmed at another zoom.
        let arms = if k < 2 { [602.2, 460.8] } else { [588.9, 450.5] };
        for (arm, length) in ["arm1", "arm2"].into_iter().zip(arms) {
            let lengths = values(run, arm);
            let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
            assert!((mean - length).abs() < 0.6, "{} {arm}: {mean}", run.name);
            let spread = lengths.iter().map(|l| (l - mean).powi(2)).sum::<f64>();
            let spread = (spread / lengths.len() as f64).sqrt();
            assert!((1.0..2.1).contains(&spread), "{} {arm}: {spread}", run.name);
        }
        for (channel, step) in [("theta1", 0.1), ("theta2", 0.25)] {
            let angles = values(run, channel);
            assert!(largest_step(angles) < step, "{} {channel}", run.name);
            // No frame is missing: the speed is continuous too.
            let speeds: Vec<f64> = angles.windows(2).map(|pair| pair[1] - pair[0]).collect();
            assert!(largest_step(&speeds) < 0.03, "{} {channel}", run.name);
        }
        // At the end it swings around hanging, perhaps some turns away.
        let last = values(run, "theta1").last().expect("a sample").rem_euclid(2.0 * PI);
        assert!(last.min(2.0 * PI - last) < 1.0, "{}: {last}", run.name);
    }
}

#[test]
fn ibm_predictions() {
    let file = "validation/validation_inputs/60.csv";
    let Some(folder) = data("ibm_double_pendulum", file) else { return };
    let tasks = ibm_double_pendulum::predictions(&folder).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(tasks.len(), 24);
    for task in &tasks {
        assert_eq!((task.inputs.t.len(), task.targets.t.len()), (4, 200));
        assert_eq!(task.targets.t[0], 4.0 / 400.0);
        for channel in ["theta1", "theta2"] {
            let all = [values(&task.inputs, channel), values(&task.targets, channel)].concat();
            assert!(largest_step(&all) < 0.25, "{} {channel}", task.inputs.name);
        }
    }
}

#[test]
fn ibm_markers_that_are_lost() {
    let folder = Folder::new("ibm");
    // Hanging and then turned by a quarter; the tip is lost in line 2, the elbow in line 4.
    let rows = [
        "0,0,600,0,1050,0",
        "0,0,600,0,950,0",
        "0,0,0,600,0,1050",
        "0,0,50,50,0,1050",
        "0,0,0,600,450,600",
    ];
    folder.put("runs/0.csv", rows.join("\n"));
    let set = ibm_double_pendulum::runs(&folder.0).expect("a run");
    let run = &set.trajectories[0];
    let gaps = |channel: &str| values(run, channel).iter().map(|x| x.is_nan()).collect::<Vec<_>>();
    assert_eq!(gaps("theta1"), [false, false, false, true, false]);
    assert_eq!(gaps("theta2"), [false, true, false, true, false]);
    let (theta1, theta2) = (values(run, "theta1"), values(run, "theta2"));
    assert_eq!((theta1[0], theta1[2], theta2[2]), (0.0, PI / 2.0, 0.0));
    assert_eq!(theta2[4], -PI / 2.0, "relative to the first arm");
    assert_eq!(values(run, "arm2")[1], 350.0, "distances are as measured");
}

#[test]
fn multiarm_segments() {
    let Some(folder) = data("multiarm_pendulum", "double_pendulum.csv") else { return };
    let single = multiarm_pendulum::single(&folder).unwrap_or_else(|error| panic!("{error}"));
    let parts = multiarm_pendulum::single_split().apply(&single).expect("parts");
    assert_eq!((parts.train.trajectories.len(), parts.validation.trajectories.len()), (4, 2));
    let double = multiarm_pendulum::double(&folder).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((double.trajectories.len(), double.samples()), (26, 26 * 2667));
    assert_eq!(double.trajectories[25].name, "double_pendulum/id/25");
    // The first row of the file: 2.61578, 3.54142, 7.83444, -1.41046.
    let first = &double.trajectories[0];
    assert!((values(first, "theta1")[0] - (2.61578 - PI)).abs() < 1e-12);
    assert!((values(first, "theta2")[0] - (3.54142 - 2.61578)).abs() < 1e-12);
    assert!((values(first, "dtheta2")[0] - (-1.41046 - 7.83444)).abs() < 1e-12);
    for run in &double.trajectories {
        assert!((run.uniform_rate().expect("uniform") - 1000.0).abs() < 1e-6);
        assert!(
            largest_step(values(run, "theta1")).max(largest_step(values(run, "theta2"))) < 0.03
        );
        // Velocities are those of the angles.
        let (q, v) = (values(run, "theta2"), values(run, "dtheta2"));
        let travelled: f64 = v.windows(2).map(|pair| 0.0005 * (pair[0] + pair[1])).sum();
        assert!((travelled - (q[q.len() - 1] - q[0])).abs() < 0.05, "{}", run.name);
    }
}

#[test]
fn cube_tosses() {
    let Some(folder) = data("contactnets_cube", "tosses.csv") else { return };
    let tosses = contactnets_cube::indexed(&folder).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(tosses.len(), 400);
    let samples: usize = tosses.iter().map(|toss| toss.trajectory.t.len()).sum();
    assert_eq!(samples, 41_725);
    let falls: Vec<f64> = tosses.iter().filter_map(|toss| toss.free_fall).collect();
    let mean = falls.iter().sum::<f64>() / falls.len() as f64;
    assert!(falls.len() > 100 && (mean - 9.61).abs() < 0.1, "{mean}");
    for toss in &tosses {
        assert!((toss.trajectory.uniform_rate().expect("uniform") - 148.0).abs() < 0.1);
        let rest = values(&toss.trajectory, "pz").last().expect("a sample");
        assert!((0.045..0.11).contains(rest), "{}: {rest}", toss.trajectory.name);
    }
    let set = contactnets_cube::tosses(&folder).expect("tosses");
    assert!(look_over(&set).iter().all(|doubt| !doubt.what.contains("norm")), "unit quaternions");
}

#[test]
fn mcube_pushes() {
    let Some(folder) = data("mcube_push", "index.csv") else { return };
    let pushes = mcube_push::pushes(&folder).unwrap_or_else(|error| panic!("{error}"));
    let shapes = mcube_push::shapes(&folder).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(pushes.len(), 70);
    let mut splits: BTreeMap<&str, usize> = BTreeMap::new();
    for push in &pushes {
        *splits.entry(&push.split).or_default() += 1;
        let run = &push.trajectory;
        assert!((run.uniform_rate().expect("uniform") - 250.0).abs() < 1e-6);
        let (x, y) = (values(run, "tip_x"), values(run, "tip_y"));
        let travel = (x[x.len() - 1] - x[0]).hypot(y[y.len() - 1] - y[0]);
        assert!((travel - 0.05).abs() < 1e-3, "{}: {travel}", run.name);
        assert!(largest_step(values(run, "obj_yaw")) < 0.1);
        assert_eq!(push.has_forces, push.shape != "rect1");
        assert_eq!(run.channel("fx").is_ok(), push.has_forces);
        assert!(shapes.shapes.contains_key(&push.shape));
    }
    assert_eq!(splits, BTreeMap::from([("test_butter", 20), ("train", 50)]));
    assert_eq!((shapes.tip_radius, shapes.shapes.len()), (0.00475, 11));
    let hex = &shapes.shapes["hex"];
    assert_eq!((hex.mass, hex.inertia, hex.thickness), (0.9827, 0.001497, 0.013));
    assert!(
        matches!(&hex.outline, mcube_push::Outline::Polygon { vertices } if vertices.len() == 6)
    );
    let round = &shapes.shapes["ellip1"].outline;
    assert_eq!(round, &mcube_push::Outline::Ellipse { semi_axes: [0.0525, 0.0525] });
}

#[test]
fn a_set_that_is_not_there() {
    let folder = Folder::new("no_set");
    let message = ibm_double_pendulum::runs(&folder.0).expect_err("nothing").to_string();
    assert!(message.ends_with("runs/*.csv: no file matches this pattern"), "{message}");
    let message = mcube_push::pushes(&folder.0).expect_err("nothing").to_string();
    assert!(message.ends_with("index.csv: no such file"), "{message}");
    assert!(matches!(multiarm_pendulum::single_split(), Split::Named(_)));
}
