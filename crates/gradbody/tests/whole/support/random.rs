//! Random numbers, vectors and configurations that are the same on every machine.

use gradbody::dynamics::integrate;
use gradbody::math::random::{self, SplitMix64};
use gradbody::math::{Mat3, Quat, Vec3};
use gradbody::model::Model;

/// A stream of random numbers. The cases of the tests are drawn by SplitMix64 and by remainders.
pub(crate) struct Random(random::Random<SplitMix64>);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(random::Random::split_mix(seed))
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// Uniform in [low, high).
    pub(crate) fn within(&mut self, low: f64, high: f64) -> f64 {
        self.0.between(low, high)
    }

    /// Uniform in [−1, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        self.0.signed()
    }

    /// One of `0..n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    pub(crate) fn numbers(&mut self, n: usize) -> Vec<f64> {
        self.0.numbers(n)
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
