//! The double pendulum of IBM: 16 long runs filmed by a fast camera, and 24 short ones to predict.
//!
//! Asseman, Kornuta, Ozcan 2018, "Learning beyond simulated physics". Published at
//! <https://developer.ibm.com/exchanges/data/all/double-pendulum-chaotic/> (CDLA-Sharing-1.0) as
//! `original/dpc_dataset_csv/N.csv` and the validation sequences beside them. Expected here:
//!
//! - `runs/N.csv`: one frame per line, with x and y of the pivot, the elbow and the tip, separated by `,`, in fifths of
//!   a pixel;
//! - `validation/validation_inputs/N.csv`, `validation/validation_targets/N.csv`: the same columns, separated by
//!   spaces; 4 frames to start from and the 200 that follow.
//!
//! x is down. Channels: `theta1`, the angle of the first arm from hanging, `theta2`, the angle of the second relative
//! to the first [rad], both without jumps, and the distances `arm1` and `arm2` between the markers, in the unit of the
//! file. Where a distance differs from the arm's length a marker was lost, and the angles that depend on it are gaps.

use std::f64::consts::TAU;
use std::path::Path;

use crate::process::unwrap_angles;
use crate::{
    Channel, DataError, DataSet, Dimension, Fingerprint, ReadOptions, Trajectory, files, read,
};

/// Frame rate, as published [Hz]. With the published arms (91 mm, 70 mm) gravity would then not be 9.81 m/s²; a fit
/// should leave the time step free.
pub const RATE: f64 = 400.0;

/// Tolerance for the distance of markers from its median [fifths of a pixel]. Rounding and the lens change it by up to
/// 6.
pub const LOST: f64 = 10.0;

/// A task of the set: given the first frames, predict the rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The given part: 4 frames.
    pub inputs: Trajectory,
    /// The part to predict: 200 frames. Times and angles continue from the inputs.
    pub targets: Trajectory,
    /// Fingerprints of both files.
    pub files: [Fingerprint; 2],
}

/// The long runs.
pub fn runs(folder: &Path) -> Result<DataSet, DataError> {
    let mut set = read(folder, &options("runs/*.csv"))?;
    for run in &mut set.trajectories {
        angles(run)?;
    }
    Ok(set)
}

/// The short sequences to predict.
pub fn predictions(folder: &Path) -> Result<Vec<Prediction>, DataError> {
    let mut found = Vec::new();
    for file in files::find(folder, "validation/validation_inputs/*.csv")? {
        let of = |file: &str| {
            let mut set = read(folder, &options(file))?;
            let one = set.trajectories.pop().zip(set.files.pop());
            one.ok_or_else(|| DataError::Empty { file: files::shown(folder, file) })
        };
        let (mut inputs, first) = of(&file)?;
        let (mut targets, second) = of(&file.replace("validation_inputs", "validation_targets"))?;
        let given = inputs.t.len();
        // Both together, so that the angles continue.
        inputs.t.extend(targets.t.iter().map(|t| t + given as f64 / RATE));
        for (channel, rest) in inputs.channels.iter_mut().zip(&targets.channels) {
            channel.values.extend(&rest.values);
        }
        angles(&mut inputs)?;
        targets.t = inputs.t.split_off(given);
        let split = |c: &mut Channel| Channel {
            name: c.name.clone(),
            unit: c.unit,
            values: c.values.split_off(given),
        };
        targets.channels = inputs.channels.iter_mut().map(split).collect();
        found.push(Prediction { inputs, targets, files: [first, second] });
    }
    Ok(found)
}

fn options(files: &str) -> ReadOptions {
    let columns = ["pivot_x", "pivot_y", "elbow_x", "elbow_y", "tip_x", "tip_y"];
    ReadOptions {
        columns: Some(columns.map(str::to_owned).to_vec()),
        header: Some(false),
        rate: Some(RATE),
        ..ReadOptions::new(files)
    }
}

/// Converts markers to angles.
fn angles(run: &mut Trajectory) -> Result<(), DataError> {
    let (angle1, arm1) = arm(run, "pivot", "elbow")?;
    let (angle2, arm2) = arm(run, "elbow", "tip")?;
    let (right1, right2) = (as_usual(&arm1), as_usual(&arm2));
    let known = |x: f64, right: bool| if right { x } else { f64::NAN };
    let rows = 0..run.t.len();
    let mut theta1: Vec<f64> = rows.clone().map(|k| known(angle1[k], right1[k])).collect();
    let relative =
        |k: usize| (angle2[k] - angle1[k]) - TAU * ((angle2[k] - angle1[k]) / TAU).round();
    let mut theta2: Vec<f64> = rows.map(|k| known(relative(k), right1[k] && right2[k])).collect();
    unwrap_angles(&mut theta1);
    unwrap_angles(&mut theta2);
    run.channels = vec![
        Channel::si("theta1", Dimension::Angle, theta1),
        Channel::si("theta2", Dimension::Angle, theta2),
        Channel::si("arm1", Dimension::Number, arm1),
        Channel::si("arm2", Dimension::Number, arm2),
    ];
    Ok(())
}

/// The angle from hanging and the length of the line between two markers.
fn arm(run: &Trajectory, from: &str, to: &str) -> Result<(Vec<f64>, Vec<f64>), DataError> {
    let values = |marker: &str, axis: &str| {
        run.channel(&format!("{marker}_{axis}")).map(|channel| &channel.values)
    };
    let (x0, y0, x1, y1) =
        (values(from, "x")?, values(from, "y")?, values(to, "x")?, values(to, "y")?);
    let lines = (0..x0.len()).map(|k| (x1[k] - x0[k], y1[k] - y0[k]));
    Ok(lines.map(|(dx, dy)| (dy.atan2(dx), dx.hypot(dy))).unzip())
}

/// Which distances are those of a rigid arm.
fn as_usual(distances: &[f64]) -> Vec<bool> {
    let mut sorted = distances.to_vec();
    sorted.sort_by(f64::total_cmp);
    let median = sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN);
    distances.iter().map(|distance| (distance - median).abs() <= LOST).collect()
}
