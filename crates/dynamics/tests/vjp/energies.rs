//! Energies and the centre of mass.

use gradbody_dynamics::{
    Kinematics, centre_of_mass, centre_of_mass_velocity, centre_of_mass_velocity_vjp,
    centre_of_mass_vjp, elastic_energy, elastic_energy_vjp, gravitational_energy,
    gravitational_energy_vjp, kinetic_energy, kinetic_energy_vjp,
};
use gradbody_math::{Scalar, Vec3};

use crate::check::check;
use crate::stage::{Cotangents, Inputs, Stage, through_kinematics};

pub(crate) struct Springs;

impl Stage for Springs {
    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        vec![elastic_energy(&x.model, &x.q)]
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        let mut out = Cotangents::zero(x);
        elastic_energy_vjp(&x.model, &x.q, y_bar[0], &mut out.q, &mut out.params);
        out
    }
}

pub(crate) struct Energies;

impl Stage for Energies {
    fn forward<S: Scalar>(&self, x: &Inputs<S>) -> Vec<S> {
        let kin = Kinematics::at(&x.model, &x.q, &x.v);
        let com = centre_of_mass(&x.model, &kin);
        let drift = centre_of_mass_velocity(&x.model, &kin);
        let kinetic = kinetic_energy(&x.model, &kin, &x.v);
        let potential = gravitational_energy(&x.model, &kin);
        vec![kinetic, potential, com.x, com.y, com.z, drift.x, drift.y, drift.z]
    }

    fn back<S: Scalar>(&self, x: &Inputs<S>, y_bar: &[S]) -> Cotangents<S> {
        through_kinematics(x, |kin, bar, out| {
            let (v_bar, params) = (&mut out.v, &mut out.params);
            kinetic_energy_vjp(&x.model, kin, &x.v, y_bar[0], bar, v_bar, params);
            gravitational_energy_vjp(&x.model, kin, y_bar[1], bar, params);
            centre_of_mass_vjp(&x.model, kin, Vec3::from_slice(&y_bar[2..5]), bar, params);
            let drift_bar = Vec3::from_slice(&y_bar[5..]);
            centre_of_mass_velocity_vjp(&x.model, kin, drift_bar, bar, params);
        })
    }
}

#[test]
fn energies_back() {
    check("elastic_energy", &Springs);
    check("energies, centre of mass and its velocity", &Energies);
}
