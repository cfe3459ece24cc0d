//! Random numbers that are the same on every machine: splitmix64 [Steele, Lea, Flood 2014].

use gradbody_math::{Quat, Transform, Vec3};

/// A stream of random numbers.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in [low, high).
    pub(crate) fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Each component uniform in [low, high).
    pub(crate) fn vector(&mut self, low: f64, high: f64) -> Vec3<f64> {
        Vec3::new(self.within(low, high), self.within(low, high), self.within(low, high))
    }

    /// A direction, nearly uniform.
    pub(crate) fn direction(&mut self) -> Vec3<f64> {
        self.vector(-1.0, 1.0).normalized_or(Vec3::Z)
    }

    /// Any orientation, within `reach` of the origin along each axis.
    pub(crate) fn pose(&mut self, reach: f64) -> Transform<f64> {
        let mut part = || self.within(-1.0, 1.0);
        let quat = Quat::new(part(), part(), part(), part());
        Transform::from_quat(quat, self.vector(-reach, reach))
    }
}
