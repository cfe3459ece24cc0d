//! Contact forces of bodies, as observations and costs read them.
//!
//! ```text
//!   τ = Σ ± (p − c) × f,   f = Σ ± f
//! ```
//! over the contacts of a body, where f is the force on it and c the centre of mass of everything that moves. MuJoCo
//! calls these six numbers `cfrc_ext`.

use gradbody_dynamics::{Kinematics, KinematicsCotangents, centre_of_mass, centre_of_mass_vjp};
use gradbody_math::{Scalar, Vec3};

use crate::{Bodies, Seen, SeenCotangents};

/// Torque and force of the contacts of each body, (bodies, 6). Reads `kin`, the poses at the moment.
pub fn contact_wrenches<S: Scalar>(
    bodies: &Bodies,
    at: &Seen<'_, S>,
    kin: &Kinematics<S>,
    to: &mut [S],
) {
    to.fill(S::ZERO);
    if to.is_empty() || at.contacts.is_empty() {
        return;
    }
    let com = centre_of_mass(at.model, kin);
    S::in_registers(
        #[inline(always)]
        || {
            for contact in at.contacts {
                let force = contact.force_w;
                let torque = (contact.point_w - com).cross_add(force, contact.torque_w);
                for (shape, sign) in [(contact.id.b, S::ONE), (contact.id.a, -S::ONE)] {
                    let Some(body) = bodies.of(shape) else { continue };
                    for k in 0..3 {
                        to[6 * body + k] = torque[k].mul_add(sign, to[6 * body + k]);
                        to[6 * body + 3 + k] = force[k].mul_add(sign, to[6 * body + 3 + k]);
                    }
                }
            }
        },
    );
}

/// The adjoint of [`contact_wrenches`] for contacts that do not resist turning: adds to the forces and points of the
/// contacts in `bars`, and to the poses in `kin_bar`.
pub fn contact_wrenches_vjp<S: Scalar>(
    bodies: &Bodies,
    at: &Seen<'_, S>,
    kin: &Kinematics<S>,
    bar: &[S],
    kin_bar: &mut KinematicsCotangents<S>,
    bars: &mut SeenCotangents<'_, S>,
) {
    if bar.is_empty() || at.contacts.is_empty() {
        return;
    }
    let com = centre_of_mass(at.model, kin);
    let mut com_bar = Vec3::ZERO;
    bars.contact_forces.resize(at.contacts.len(), Vec3::ZERO);
    bars.contact_points.resize(at.contacts.len(), Vec3::ZERO);
    S::in_registers(
        #[inline(always)]
        || {
            for (i, contact) in at.contacts.iter().enumerate() {
                let (mut torque_bar, mut force_bar) = (Vec3::ZERO, Vec3::ZERO);
                for (shape, sign) in [(contact.id.b, S::ONE), (contact.id.a, -S::ONE)] {
                    let Some(body) = bodies.of(shape) else { continue };
                    let of_body = &bar[6 * body..6 * body + 6];
                    torque_bar += Vec3::from_slice(&of_body[..3]) * sign;
                    force_bar += Vec3::from_slice(&of_body[3..]) * sign;
                }
                let arm = contact.point_w - com;
                // τ̄ · (dr × f) = dr · (f × τ̄), and τ̄ · (r × df) = df · (τ̄ × r).
                let arm_bar = contact.force_w.cross(torque_bar);
                bars.contact_forces[i] += torque_bar.cross_add(arm, force_bar);
                bars.contact_points[i] += arm_bar;
                com_bar -= arm_bar;
            }
        },
    );
    centre_of_mass_vjp(at.model, kin, com_bar, kin_bar, bars.params);
}
