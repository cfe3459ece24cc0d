//! How a foot moves through the air.

use std::f64::consts::PI;

use gradbody_math::Vec3;

/// The motion of a foot in the air, and the spring and damper that pull it along.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SwingOptions {
    /// How far a foot is lifted [m].
    pub clearance: f64,
    /// Stiffness of the spring between a foot and where it should be [N/m].
    pub stiffness: f64,
    /// Damping of its velocity towards that which it should have [N s/m].
    pub damping: f64,
}

impl Default for SwingOptions {
    fn default() -> Self {
        SwingOptions { clearance: 0.08, stiffness: 1200.0, damping: 40.0 }
    }
}

/// A way through the air in the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct Swing {
    /// Where it begins and ends [m].
    pub(super) from_w: Vec3<f64>,
    pub(super) to_w: Vec3<f64>,
    /// Duration [s].
    pub(super) duration: f64,
    pub(super) clearance: f64,
}

impl Swing {
    /// Position and velocity when a share of the time has passed. Both ends are reached at rest.
    pub(super) fn at(&self, passed: f64) -> (Vec3<f64>, Vec3<f64>) {
        let u = passed.clamp(0.0, 1.0);
        // A polynomial without velocity and acceleration at both ends.
        let share = u * u * u * (10.0 + u * (6.0 * u - 15.0));
        let share_rate = 30.0 * u * u * (1.0 - u) * (1.0 - u) / self.duration;
        let way = self.to_w - self.from_w;
        let lift = self.clearance * (PI * u).sin().powi(2);
        let lift_rate = self.clearance * PI * (2.0 * PI * u).sin() / self.duration;
        let position = way * share + self.from_w + Vec3::Z * lift;
        (position, way * share_rate + Vec3::Z * lift_rate)
    }

    /// The force that pulls a foot to where it should be.
    pub(super) fn force(
        &self,
        passed: f64,
        position_w: Vec3<f64>,
        velocity_w: Vec3<f64>,
        options: &SwingOptions,
    ) -> Vec3<f64> {
        let (sought, sought_velocity) = self.at(passed);
        (sought - position_w) * options.stiffness + (sought_velocity - velocity_w) * options.damping
    }
}
