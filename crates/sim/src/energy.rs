//! The energy of a model.

use gradbody_dynamics::{Kinematics, elastic_energy, gravitational_energy, kinetic_energy};
use gradbody_math::Scalar;
use gradbody_model::Model;

/// Energies [J].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Energy<S> {
    /// Kinetic, including rotors.
    pub kinetic: S,
    /// Potential in gravity, zero at the world's origin.
    pub gravitational: S,
    /// Stored in joint springs.
    pub elastic: S,
}

impl<S: Scalar> Energy<S> {
    /// The energies at a state whose poses and velocities are in `kin`.
    pub fn of(model: &Model<S>, kin: &Kinematics<S>, q: &[S], v: &[S]) -> Self {
        Energy {
            kinetic: kinetic_energy(model, kin, v),
            gravitational: gravitational_energy(model, kin),
            elastic: elastic_energy(model, q),
        }
    }

    /// The sum of all.
    pub fn total(&self) -> S {
        self.kinetic + self.gravitational + self.elastic
    }
}
