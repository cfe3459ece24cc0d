//! When each foot is on the ground.

use super::error::{finite, positive, share};
use super::{LEGS, LeggedError};

/// A gait that repeats. A leg's phase is the share of the period that has passed for it; it is on the ground first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gait {
    /// Duration of a stride [s].
    pub period: f64,
    /// Share of the period that a foot is on the ground.
    pub stance_share: f64,
    /// Phase of each leg at time zero.
    pub offsets: [f64; LEGS],
}

/// What a leg does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LegPhase {
    /// It is on the ground.
    Stance {
        /// Share of the stance that has passed.
        passed: f64,
    },
    /// It is on its way to the next foothold.
    Swing {
        /// Share of the swing that has passed.
        passed: f64,
    },
}

impl Gait {
    /// Refuses numbers that are out of range.
    pub fn check(&self) -> Result<(), LeggedError> {
        positive("gait.period", self.period)?;
        share("gait.stance_share", self.stance_share)?;
        self.offsets.iter().try_for_each(|offset| finite("gait.offsets", *offset))
    }

    /// Diagonal legs together, for legs in the order front left, front right, rear left, rear right.
    pub fn trot(period: f64, stance_share: f64) -> Self {
        Gait { period, stance_share, offsets: [0.0, 0.5, 0.5, 0.0] }
    }

    /// Phase of the gait at a time [s], from 0 to 1.
    pub fn phase(&self, time: f64) -> f64 {
        (time / self.period).rem_euclid(1.0)
    }

    /// What a leg does at a phase of the gait, which may be above 1.
    pub fn leg(&self, leg: usize, phase: f64) -> LegPhase {
        let phase = (phase + self.offsets[leg]).rem_euclid(1.0);
        if phase < self.stance_share {
            LegPhase::Stance { passed: phase / self.stance_share }
        } else {
            LegPhase::Swing { passed: (phase - self.stance_share) / (1.0 - self.stance_share) }
        }
    }

    /// Duration of a foot on the ground [s].
    pub fn stance_time(&self) -> f64 {
        self.period * self.stance_share
    }

    /// Duration of a foot in the air [s].
    pub fn swing_time(&self) -> f64 {
        self.period - self.stance_time()
    }

    /// Time until a leg's next touchdown, seen from a phase of the gait [s].
    pub fn time_to_touchdown(&self, leg: usize, phase: f64) -> f64 {
        let phase = (phase + self.offsets[leg]).rem_euclid(1.0);
        (1.0 - phase) * self.period
    }
}
