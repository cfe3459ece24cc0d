//! Random numbers, vectors and poses that are the same every time.
#![allow(dead_code, reason = "each test uses a part")]

use gradbody_math::random::{self, SplitMix64};
use gradbody_math::{Quat, Transform, Vec3};

/// A stream of random numbers.
pub(crate) struct Random(random::Random<SplitMix64>);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(random::Random::split_mix(seed))
    }

    /// In [−1, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0.signed()
    }

    /// In [low, high).
    pub(crate) fn within(&mut self, low: f64, high: f64) -> f64 {
        self.0.between(low, high)
    }

    pub(crate) fn vec3(&mut self) -> Vec3<f64> {
        self.vector(-1.0, 1.0)
    }

    /// Each component in [low, high).
    pub(crate) fn vector(&mut self, low: f64, high: f64) -> Vec3<f64> {
        Vec3::new(self.within(low, high), self.within(low, high), self.within(low, high))
    }

    /// A direction, nearly uniform.
    pub(crate) fn direction(&mut self) -> Vec3<f64> {
        self.vec3().normalized_or(Vec3::Z)
    }

    /// Any orientation, within a distance along each axis [m].
    pub(crate) fn pose(&mut self, reach: f64) -> Transform<f64> {
        let q = [self.uniform(), self.uniform(), self.uniform(), self.uniform()];
        Transform::from_quat(Quat::from_slice(&q), self.vec3() * reach)
    }
}
