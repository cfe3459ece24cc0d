//! Energy, centre of mass and momentum of a whole model.
//!
//! Programs ask for these at every step. They are of double precision alone, so this crate compiles them, with
//! optimisation, and a program that is compiled without it is not slow (docs/decisions/0014-compiled-once.md).

use gradbody_dynamics::{Kinematics, centre_of_mass, kinematics, momentum, velocities};
use gradbody_math::{Force, Vec3};
use gradbody_model::Model;

use crate::{Energy, State};

/// What a model has in all at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Totals {
    /// Time [s].
    pub time: f64,
    /// Energies [J].
    pub energy: Energy<f64>,
    /// The centre of mass in the world [m].
    pub com: Vec3<f64>,
    /// Momentum [N s], and angular momentum about the centre of mass [N m s].
    pub momentum: Force<f64>,
}

impl Totals {
    /// At a state. Writes the poses and velocities there to `kin`.
    pub fn at(model: &Model<f64>, state: &State<f64>, kin: &mut Kinematics<f64>) -> Self {
        kinematics(model, &state.q, kin);
        velocities(model, &state.v, kin);
        Totals {
            time: state.time,
            energy: Energy::of(model, kin, &state.q, &state.v),
            com: centre_of_mass(model, kin),
            momentum: momentum(model, kin),
        }
    }
}
