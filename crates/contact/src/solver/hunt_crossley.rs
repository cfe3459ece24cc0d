//! Compliant contact: a force that grows with the penetration [Hunt and Crossley 1975], and friction.
//!
//! ```text
//!   Fₙ = max(0, k xⁿ + d xⁿ ẋ)      at penetration x, growing at ẋ
//!   Fₜ = −Fₙ μ(|vₜ|) vₜ / |vₜ|        μ(v) by a friction law
//! ```

use gradbody_dynamics::Kinematics;
use gradbody_math::{Force, Scalar, Vec3};
use gradbody_model::{ContactLaw, LinkId, Material};

use super::{ContactSolver, FrictionLaw};
use crate::Contact;

/// Options of the law; its constants are in each contact's material.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HuntCrossley {
    /// How friction depends on speed.
    pub friction: FrictionLaw,
}

impl<S: Scalar> ContactSolver<S> for HuntCrossley {
    fn forces(&self, contacts: &mut [Contact<S>], kin: &Kinematics<S>, external: &mut [Force<S>]) {
        S::vectorised(
            #[inline(always)]
            || {
                for contact in contacts.iter_mut() {
                    if contact.law == ContactLaw::Compliant {
                        self.act(contact);
                        apply(contact, kin, contact.link_b, S::ONE, external);
                        apply(contact, kin, contact.link_a, -S::ONE, external);
                    }
                }
            },
        );
    }
}

impl HuntCrossley {
    /// Writes a contact's force and torque.
    #[inline(always)]
    fn act<S: Scalar>(&self, contact: &mut Contact<S>) {
        let Contact { normal_w, velocity_w, spin_w, material, .. } = *contact;
        let depth = (-contact.gap).max(S::ZERO);
        let parting = velocity_w.dot(normal_w);
        let normal = normal_force(&material, depth, -parting);
        let sliding_w = normal_w.neg_scale_add(parting, velocity_w);
        let by_speed = self.friction.coefficient_by_speed(&material, sliding_w.norm());
        contact.force_w = sliding_w.neg_scale_add(by_speed, normal_w) * normal;
        if contact.resists_turning {
            contact.torque_w = self.torque(&material, normal_w, spin_w) * normal;
        }
    }

    /// Torsional and rolling friction per normal force: the same law for the speed at a lever of the
    /// coefficient's length, with a coefficient of friction of one.
    #[inline(always)]
    fn torque<S: Scalar>(
        &self,
        material: &Material<S>,
        normal_w: Vec3<S>,
        spin_w: Vec3<S>,
    ) -> Vec3<S> {
        let unit = Material { friction: S::ONE, static_friction: S::ONE, ..*material };
        let spinning = spin_w.dot(normal_w);
        let rolling_w = normal_w.neg_scale_add(spinning, spin_w);
        let about = |lever: S, speed: S| {
            self.friction.coefficient_by_speed(&unit, speed * lever) * lever * lever
        };
        let spin = about(material.torsional_friction, spinning.abs()) * spinning;
        let roll = about(material.rolling_friction, rolling_w.norm());
        -normal_w.scale_add(spin, rolling_w * roll)
    }
}

/// The normal force at a penetration `depth ≥ 0` that grows at `rate`.
#[inline(always)]
fn normal_force<S: Scalar>(material: &Material<S>, depth: S, rate: S) -> S {
    let spring = depth.powf(material.exponent);
    (spring * material.damping.mul_add(rate, material.stiffness)).max(S::ZERO)
}

#[inline(always)]
fn apply<S: Scalar>(
    contact: &Contact<S>,
    kin: &Kinematics<S>,
    link: Option<LinkId>,
    sign: S,
    external: &mut [Force<S>],
) {
    let Some(link) = link else { return };
    let lever = contact.point_w - kin.bodies[link.index()].pos_w;
    let lin = contact.force_w * sign;
    let ang = lever.cross_add(lin, contact.torque_w * sign);
    external[link.index()] += Force { ang, lin };
}
