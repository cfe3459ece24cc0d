//! What test models are made of.

use gradbody_math::{Inertia, Mat3, Sym3, Transform, Vec3};

pub(crate) fn body() -> Inertia<f64> {
    Inertia {
        mass: 1.5,
        com: Vec3::new(0.1, -0.2, 0.3),
        rotational: Sym3::new(0.3, 0.4, 0.5, 0.01, -0.02, 0.03),
    }
}

pub(crate) fn pose(seed: f64) -> Transform<f64> {
    let rpy = Vec3::new(seed, 1.3 * seed - 1.0, 2.0 - seed);
    Transform::new(Mat3::from_rpy(rpy), Vec3::new(seed, -seed, 0.5))
}
