//! Pendulums with one and two arms, measured by encoders at 1 kHz.
//!
//! Kaheman, Fasel, Bramburger, Strom, Kutz, Brunton 2022, "The Experimental Multi-Arm Pendulum on a Cart". Published at
//! <https://github.com/dynamicslab/MultiArm-Pendulum> (MIT) as MATLAB files. Expected here: `single_pendulum.csv` and
//! `double_pendulum.csv` with the columns `split,segment,t,theta1,…,dtheta1,…`, angles [rad] absolute, π hanging down.
//!
//! Channels: `theta1` from hanging and its velocity `dtheta1`; with two arms also `theta2` and `dtheta2` of the second
//! relative to the first. A trajectory is a segment, such as `double_pendulum/id/7`: its name includes its split, `id`
//! for identification or `vad` for validation. Segments are cut from one continuous recording: each begins where the
//! previous one ends.

use std::f64::consts::PI;
use std::path::Path;

use super::channels;
use crate::process::{Named, Split};
use crate::{DataError, DataSet, ReadOptions, TimeColumn, read};

/// The pendulum with one arm.
pub fn single(folder: &Path) -> Result<DataSet, DataError> {
    let units = [("theta1", "rad"), ("dtheta1", "rad/s")];
    let mut set = read(folder, &options("single_pendulum.csv", units))?;
    for segment in &mut set.trajectories {
        segment.channel_mut("theta1")?.values.iter_mut().for_each(|theta| *theta -= PI);
    }
    Ok(set)
}

/// The pendulum with two arms.
pub fn double(folder: &Path) -> Result<DataSet, DataError> {
    let units = [("theta1", "rad"), ("theta2", "rad"), ("dtheta1", "rad/s"), ("dtheta2", "rad/s")];
    let mut set = read(folder, &options("double_pendulum.csv", units))?;
    for segment in &mut set.trajectories {
        for (of, from) in [("theta2", "theta1"), ("dtheta2", "dtheta1")] {
            let first = segment.channel(from)?.values.clone();
            let second = &mut segment.channel_mut(of)?.values;
            second.iter_mut().zip(first).for_each(|(second, first)| *second -= first);
        }
        segment.channel_mut("theta1")?.values.iter_mut().for_each(|theta| *theta -= PI);
    }
    Ok(set)
}

/// The authors' own split of the pendulum with one arm; the one with two arms has segments for identification only.
pub fn single_split() -> Split {
    Split::Named(Named {
        train: vec!["single_pendulum/id/*".to_owned()],
        validation: vec!["single_pendulum/vad/*".to_owned()],
        test: Vec::new(),
    })
}

fn options<const N: usize>(file: &str, units: [(&str, &str); N]) -> ReadOptions {
    ReadOptions {
        time: Some(TimeColumn { column: "t".to_owned(), unit: "s".to_owned() }),
        trajectory: vec!["split".to_owned(), "segment".to_owned()],
        channels: channels(units),
        ..ReadOptions::new(file)
    }
}
