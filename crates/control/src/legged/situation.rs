//! What the choice of contact forces depends on.

use gradbody_math::Vec3;

/// Number of legs.
pub const LEGS: usize = 4;

/// What the robot is told to do, in its heading axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Command {
    /// Velocity forwards [m/s].
    pub forwards: f64,
    /// Velocity to the left [m/s].
    pub sideways: f64,
    /// Turning to the left [rad/s].
    pub turning: f64,
}

impl Command {
    /// The commanded velocity in heading axes that are turned by `yaw` from those of the command.
    pub fn velocity(&self, yaw: f64) -> Vec3<f64> {
        turned(Vec3::new(self.forwards, self.sideways, 0.0), yaw)
    }

    /// Where the command leads in a time: the integral of [`Command::velocity`] [m].
    pub fn path(&self, time: f64) -> Vec3<f64> {
        // A straight line in the mean direction, whose relative error is (turn)²/24.
        self.velocity(0.5 * self.turning * time) * time
    }
}

/// A vector turned about the vertical.
pub(super) fn turned(v: Vec3<f64>, angle: f64) -> Vec3<f64> {
    let (sin, cos) = angle.sin_cos();
    Vec3::new(cos * v.x - sin * v.y, sin * v.x + cos * v.y, v.z)
}

/// The robot's motion, its feet and what it is told to do, at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Situation {
    /// Phase of the gait, from 0 to 1.
    pub phase: f64,
    /// Which feet are on the ground by the gait.
    pub stance: [bool; LEGS],
    /// Roll and pitch of the trunk [rad].
    pub tilt: [f64; 2],
    /// Height of the centre of mass above the ground [m].
    pub height: f64,
    /// Velocity of the centre of mass [m/s].
    pub velocity_h: Vec3<f64>,
    /// Angular velocity of the trunk [rad/s].
    pub angular_velocity_h: Vec3<f64>,
    /// Where the centre of mass should be, horizontally, from where it is [m].
    pub position_error_h: [f64; 2],
    /// The heading that the trunk should have minus its own [rad].
    pub heading_error: f64,
    /// The command.
    pub command: Command,
    /// The soles, from the centre of mass [m].
    pub feet_h: [Vec3<f64>; LEGS],
    /// Where each sole will touch the ground next, from the present centre of mass [m].
    pub footholds_h: [Vec3<f64>; LEGS],
}
