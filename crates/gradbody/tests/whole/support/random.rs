//! Random numbers that are the same on every machine: splitmix64 [Steele, Lea, Flood 2014].

use gradbody::dynamics::integrate;
use gradbody::math::{Mat3, Quat, Vec3};
use gradbody::model::Model;

/// A stream of random numbers.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in [low, high).
    pub(crate) fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in [−1, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        self.within(-1.0, 1.0)
    }

    /// One of `0..n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    pub(crate) fn numbers(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.unit()).collect()
    }

    pub(crate) fn vector(&mut self) -> Vec3<f64> {
        Vec3::new(self.unit(), self.unit(), self.unit())
    }

    /// A direction, not uniform.
    pub(crate) fn direction(&mut self) -> Vec3<f64> {
        (self.vector() + Vec3::new(0.0, 0.0, 1.5)).normalized_or(Vec3::Z)
    }

    pub(crate) fn quaternion(&mut self) -> Quat<f64> {
        Quat::new(self.unit(), self.unit(), self.unit(), self.unit()).normalized()
    }

    pub(crate) fn rotation(&mut self) -> Mat3<f64> {
        self.quaternion().to_mat3()
    }

    /// A configuration away from every joint's zero.
    pub(crate) fn configuration(&mut self, model: &Model<f64>) -> Vec<f64> {
        let mut q = model.neutral();
        let dq: Vec<f64> = (0..model.nv()).map(|_| self.within(-1.5, 1.5)).collect();
        integrate(model, &mut q, &dq);
        q
    }
}
