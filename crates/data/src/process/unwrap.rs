//! Angles without jumps of whole turns.

use std::f64::consts::TAU;

use crate::{DataError, Dimension, Trajectory};

/// Adds whole turns to angles [rad] so that each differs by at most half a turn from the previous one. Gaps stay, and
/// the angle after a gap is the nearest to the one before: turns during a long gap are lost.
pub fn unwrap_angles(angles: &mut [f64]) {
    let mut before: Option<f64> = None;
    for angle in angles.iter_mut().filter(|angle| angle.is_finite()) {
        if let Some(before) = before {
            *angle -= TAU * ((*angle - before) / TAU).round();
        }
        before = Some(*angle);
    }
}

impl Trajectory {
    /// Removes the jumps from a channel that is an angle.
    pub fn unwrap_angle(&mut self, channel: &str) -> Result<(), DataError> {
        let channel = self.channel_mut(channel)?;
        channel.expect(Dimension::Angle)?;
        unwrap_angles(&mut channel.values);
        Ok(())
    }
}
