//! Quantities of the whole: mass, centre of mass, momentum, energy.

use gradbody_math::{Force, Inertia, Motion, Scalar, Vec3};
use gradbody_model::Model;

use crate::{BodyKinematics, Kinematics};

/// Mass of everything that moves [kg].
pub fn total_mass<S: Scalar>(model: &Model<S>) -> S {
    model.params.links.iter().fold(S::ZERO, |sum, i| sum + i.mass)
}

/// Centre of mass in the world [m]; the origin if nothing has mass.
pub fn centre_of_mass<S: Scalar>(model: &Model<S>, kin: &Kinematics<S>) -> Vec3<S> {
    S::vectorised(
        #[inline(always)]
        || {
            let moment = bodies(model, kin).fold(Vec3::ZERO, |sum, (inertia, body)| {
                body.rot_wb.mul_add(inertia.com, body.pos_w).scale_add(inertia.mass, sum)
            });
            let mass = total_mass(model);
            let safe = S::ZERO.select_lt(mass, mass, S::ONE);
            moment * safe.recip()
        },
    )
}

/// Momentum about the centre of mass, in the world's axes: angular [N m s] and linear [N s].
pub fn momentum<S: Scalar>(model: &Model<S>, kin: &Kinematics<S>) -> Force<S> {
    S::vectorised(
        #[inline(always)]
        || {
            let com = centre_of_mass(model, kin);
            bodies(model, kin).fold(Force::ZERO, |sum, (inertia, body)| {
                let own = inertia
                    .rotated(&body.rot_wb)
                    .momentum(Motion::new(body.ang_vel_w, body.lin_vel_w));
                sum + own.acting_at(body.pos_w - com)
            })
        },
    )
}

/// Kinetic energy `½ vᵀ M v` [J], that of the rotors which armature stands for included.
pub fn kinetic_energy<S: Scalar>(model: &Model<S>, kin: &Kinematics<S>, v: &[S]) -> S {
    S::vectorised(
        #[inline(always)]
        || {
            let twice = bodies(model, kin).fold(S::ZERO, |sum, (inertia, body)| {
                let spin_b = body.rot_wb.transpose_mul(body.ang_vel_w);
                let com_vel = body.ang_vel_w.cross_add(body.rot_wb * inertia.com, body.lin_vel_w);
                let turning = (inertia.rotational * spin_b).dot(spin_b);
                com_vel.norm_squared().mul_add(inertia.mass, sum + turning)
            });
            let joints = model.topology.links.iter().zip(&model.params.joints);
            let with_rotors = joints.fold(twice, |sum, (link, params)| {
                v[link.joint.v_range()]
                    .iter()
                    .fold(sum, |sum, v| (*v * *v).mul_add(params.armature, sum))
            });
            with_rotors * S::from_f64(0.5)
        },
    )
}

/// Potential energy in gravity [J], zero at the world's origin.
pub fn gravitational_energy<S: Scalar>(model: &Model<S>, kin: &Kinematics<S>) -> S {
    -centre_of_mass(model, kin).dot(model.params.gravity) * total_mass(model)
}

fn bodies<'a, S: Scalar>(
    model: &'a Model<S>,
    kin: &'a Kinematics<S>,
) -> impl Iterator<Item = (&'a Inertia<S>, &'a BodyKinematics<S>)> {
    model.params.links.iter().zip(&kin.bodies)
}
