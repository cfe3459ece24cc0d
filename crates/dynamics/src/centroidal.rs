//! Whole-body quantities: mass, centre of mass, momentum, energy.

use gradbody_math::{Force, Inertia, Motion, Scalar, Vec3};
use gradbody_model::{Model, Params};

use crate::crba_vjp::add_product;
use crate::{BodyCotangents, BodyKinematics, Kinematics, KinematicsCotangents};

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

/// The adjoint of [`centre_of_mass`]: adds to the poses in `bar` and the inertias in `params`.
pub fn centre_of_mass_vjp<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    com_bar: Vec3<S>,
    bar: &mut KinematicsCotangents<S>,
    params: &mut Params<S>,
) {
    S::vectorised(
        #[inline(always)]
        || {
            let mass = total_mass(model);
            let share_bar = com_bar * S::ZERO.select_lt(mass, mass, S::ONE).recip();
            let of_all = centre_of_mass(model, kin).dot(share_bar);
            let of_all = S::ZERO.select_lt(mass, of_all, S::ZERO);
            for (i, (inertia, body)) in bodies(model, kin).enumerate() {
                let of_link = &mut params.links[i];
                let com = body.rot_wb.mul_add(inertia.com, body.pos_w);
                of_link.mass += com.dot(share_bar) - of_all;
                let own_bar = share_bar * inertia.mass;
                of_link.com += point_vjp(body, inertia.com, own_bar, &mut bar.bodies[i]);
            }
        },
    );
}

/// Velocity of the centre of mass in the world's axes [m/s]; zero if nothing has mass.
pub fn centre_of_mass_velocity<S: Scalar>(model: &Model<S>, kin: &Kinematics<S>) -> Vec3<S> {
    S::vectorised(
        #[inline(always)]
        || {
            let momentum = bodies(model, kin).fold(Vec3::ZERO, |sum, (inertia, body)| {
                let com_vel = body.ang_vel_w.cross_add(body.rot_wb * inertia.com, body.lin_vel_w);
                com_vel.scale_add(inertia.mass, sum)
            });
            let mass = total_mass(model);
            let safe = S::ZERO.select_lt(mass, mass, S::ONE);
            momentum * safe.recip()
        },
    )
}

/// The adjoint of [`centre_of_mass_velocity`]: adds to the poses and velocities in `bar` and the inertias in `params`.
pub fn centre_of_mass_velocity_vjp<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    velocity_bar: Vec3<S>,
    bar: &mut KinematicsCotangents<S>,
    params: &mut Params<S>,
) {
    S::vectorised(
        #[inline(always)]
        || {
            let mass = total_mass(model);
            let share_bar = velocity_bar * S::ZERO.select_lt(mass, mass, S::ONE).recip();
            let of_all = centre_of_mass_velocity(model, kin).dot(share_bar);
            let of_all = S::ZERO.select_lt(mass, of_all, S::ZERO);
            for (i, (inertia, body)) in bodies(model, kin).enumerate() {
                let (of_link, link_bar) = (&mut params.links[i], &mut bar.bodies[i]);
                let com = body.rot_wb * inertia.com;
                let com_vel = body.ang_vel_w.cross_add(com, body.lin_vel_w);
                of_link.mass += com_vel.dot(share_bar) - of_all;
                let own_bar = share_bar * inertia.mass;
                let com_bar = own_bar.cross(body.ang_vel_w);
                of_link.com += body.rot_wb.transpose_mul(com_bar);
                link_bar.lin_vel_w += own_bar;
                link_bar.ang_vel_w = com.cross_add(own_bar, link_bar.ang_vel_w);
                link_bar.turn_w = com.cross_add(com_bar, link_bar.turn_w);
            }
        },
    );
}

/// The adjoint of the position of a link's point `point_b`: adds to the link's pose, and returns the cotangent of
/// `point_b`.
#[inline(always)]
fn point_vjp<S: Scalar>(
    body: &BodyKinematics<S>,
    point_b: Vec3<S>,
    point_bar: Vec3<S>,
    bar: &mut BodyCotangents<S>,
) -> Vec3<S> {
    bar.pos_w += point_bar;
    bar.turn_w = (body.rot_wb * point_b).cross_add(point_bar, bar.turn_w);
    body.rot_wb.transpose_mul(point_bar)
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

/// Kinetic energy `½ vᵀ M v` [J], including that of the rotors behind the armatures.
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

/// The adjoint of [`kinetic_energy`]: adds to the poses and velocities in `bar`, to `v_bar`, and to the inertias and
/// armatures in `params`.
pub fn kinetic_energy_vjp<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    v: &[S],
    energy_bar: S,
    bar: &mut KinematicsCotangents<S>,
    v_bar: &mut [S],
    params: &mut Params<S>,
) {
    S::vectorised(
        #[inline(always)]
        || {
            let half = energy_bar * S::from_f64(0.5);
            for (i, (inertia, body)) in bodies(model, kin).enumerate() {
                let (of_link, link_bar) = (&mut params.links[i], &mut bar.bodies[i]);
                let spin = body.ang_vel_w;
                let spin_b = body.rot_wb.transpose_mul(spin);
                let com = body.rot_wb * inertia.com;
                let com_vel = spin.cross_add(com, body.lin_vel_w);
                let lin = com_vel * (inertia.mass * energy_bar);
                let ang = body.rot_wb * (inertia.rotational * spin_b) * energy_bar;
                of_link.mass = com_vel.norm_squared().mul_add(half, of_link.mass);
                add_product(&mut of_link.rotational, spin_b, spin_b * half);
                let com_bar = lin.cross(spin);
                of_link.com += body.rot_wb.transpose_mul(com_bar);
                link_bar.lin_vel_w += lin;
                link_bar.ang_vel_w += com.cross_add(lin, ang);
                // In the link's axes, turning the link turns its spin the opposite way.
                link_bar.turn_w += com.cross_add(com_bar, ang.cross(spin));
            }
            for (i, link) in model.topology.links.iter().enumerate() {
                let armature = model.params.joints[i].armature * energy_bar;
                let armature_bar = &mut params.joints[i].armature;
                for k in link.joint.v_range() {
                    *armature_bar = (v[k] * v[k]).mul_add(half, *armature_bar);
                    v_bar[k] = v[k].mul_add(armature, v_bar[k]);
                }
            }
        },
    );
}

/// Potential energy in gravity [J], zero at the world's origin.
pub fn gravitational_energy<S: Scalar>(model: &Model<S>, kin: &Kinematics<S>) -> S {
    -centre_of_mass(model, kin).dot(model.params.gravity) * total_mass(model)
}

/// The adjoint of [`gravitational_energy`]: adds to the poses in `bar`, and to the inertias and gravity in `params`.
pub fn gravitational_energy_vjp<S: Scalar>(
    model: &Model<S>,
    kin: &Kinematics<S>,
    energy_bar: S,
    bar: &mut KinematicsCotangents<S>,
    params: &mut Params<S>,
) {
    S::vectorised(
        #[inline(always)]
        || {
            let lift = model.params.gravity * -energy_bar;
            for (i, (inertia, body)) in bodies(model, kin).enumerate() {
                let com = body.rot_wb.mul_add(inertia.com, body.pos_w);
                params.gravity = com.neg_scale_add(inertia.mass * energy_bar, params.gravity);
                let of_link = &mut params.links[i];
                of_link.mass += com.dot(lift);
                of_link.com +=
                    point_vjp(body, inertia.com, lift * inertia.mass, &mut bar.bodies[i]);
            }
        },
    );
}

fn bodies<'a, S: Scalar>(
    model: &'a Model<S>,
    kin: &'a Kinematics<S>,
) -> impl Iterator<Item = (&'a Inertia<S>, &'a BodyKinematics<S>)> {
    model.params.links.iter().zip(&kin.bodies)
}
