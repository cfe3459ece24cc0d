//! The measured tosses: poses and initial velocities.

use crate::data::DataFolder;
use crate::tosses::{self, Pose};

/// A measured toss.
pub(super) struct Toss {
    pub(super) name: String,
    /// Frame by frame.
    pub(super) poses: Vec<Pose>,
    /// Velocity and spin at the start, in the coordinates of a state.
    pub(super) v: [f64; 6],
}

/// Reads the tosses.
pub(super) fn read(data: &DataFolder) -> anyhow::Result<Vec<Toss>> {
    let tosses = tosses::read(data)?.into_iter();
    let toss = |(name, frames): (String, Vec<tosses::Frame>)| Toss {
        name,
        v: frames[0].1,
        poses: frames.into_iter().map(|(pose, _)| pose).collect(),
    };
    Ok(tosses.map(toss).collect())
}
