//! Where a model's energy is.

use gradbody_dynamics::{Kinematics, elastic_energy, gravitational_energy, kinetic_energy};
use gradbody_math::Scalar;
use gradbody_model::Model;

/// Energies [J].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Energy<S> {
    /// Of motion, rotors included.
    pub kinetic: S,
    /// In gravity, zero at the world's origin.
    pub gravitational: S,
    /// In joint springs.
    pub elastic: S,
}

impl<S: Scalar> Energy<S> {
    /// Energies at a state whose poses and velocities are in `kin`.
    pub fn of(model: &Model<S>, kin: &Kinematics<S>, q: &[S], v: &[S]) -> Self {
        Energy {
            kinetic: kinetic_energy(model, kin, v),
            gravitational: gravitational_energy(model, kin),
            elastic: elastic_energy(model, q),
        }
    }

    /// Their sum.
    pub fn total(&self) -> S {
        self.kinetic + self.gravitational + self.elastic
    }
}
