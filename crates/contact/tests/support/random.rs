//! Numbers that look random and are the same every time.

use gradbody_math::{Quat, Transform, Vec3};

/// A generator (xorshift).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// In [−1, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(crate) fn vec3(&mut self) -> Vec3<f64> {
        Vec3::new(self.uniform(), self.uniform(), self.uniform())
    }

    /// Any orientation, within a distance along each axis [m].
    pub(crate) fn pose(&mut self, reach: f64) -> Transform<f64> {
        let q = [self.uniform(), self.uniform(), self.uniform(), self.uniform()];
        Transform::from_quat(Quat::from_slice(&q), self.vec3() * reach)
    }
}
