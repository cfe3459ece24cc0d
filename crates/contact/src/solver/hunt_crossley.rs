//! Compliant contact: a force that grows with the penetration [Hunt and Crossley 1975], and friction.
//!
//! ```text
//!   Fₙ = max(0, k xⁿ + d xⁿ ẋ)      at penetration x, growing at ẋ
//!   Fₜ = −Fₙ μ(|vₜ|) vₜ / |vₜ|        μ(v) by a friction law
//! ```

use gradbody_dynamics::{Kinematics, KinematicsCotangents};
use gradbody_math::{Dual, Force, Motion, Scalar, Vec3};
use gradbody_model::{ContactLaw, LinkId, Material};

use super::{ContactSolver, FrictionLaw};
use crate::{Contact, ContactCotangents};

/// Options of the law; its constants are in each contact's material.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HuntCrossley {
    /// The friction law.
    pub friction: FrictionLaw,
}

impl<S: Scalar> ContactSolver<S> for HuntCrossley {
    fn forces(&self, contacts: &mut [Contact<S>]) {
        S::vectorised(
            #[inline(always)]
            || {
                for contact in contacts.iter_mut().filter(|c| c.law == ContactLaw::Compliant) {
                    self.act(contact);
                }
            },
        );
    }
}

/// Adds the forces of contacts to `external`: the force on each link at its origin, in the world's axes. Compliant
/// contacts always count, rigid ones if `with_rigid`: their forces, before the solver has found any, are those of taps.
pub fn apply_forces<S: Scalar>(
    contacts: &[Contact<S>],
    kin: &Kinematics<S>,
    with_rigid: bool,
    external: &mut [Force<S>],
) {
    S::vectorised(
        #[inline(always)]
        || {
            for contact in contacts.iter().filter(|c| counts(c, with_rigid)) {
                apply(contact, kin, contact.link_b, S::ONE, external);
                apply(contact, kin, contact.link_a, -S::ONE, external);
            }
        },
    );
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

    /// Torsional and rolling friction per unit of normal force: the same law for the speed at a lever of the
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
        let spin = self.torque_by_speed(&unit, material.torsional_friction, spinning.abs());
        let roll = self.torque_by_speed(&unit, material.rolling_friction, rolling_w.norm());
        -normal_w.scale_add(spin * spinning, rolling_w * roll)
    }

    /// Torque per unit of angular speed, at a lever [m].
    #[inline(always)]
    fn torque_by_speed<S: Scalar>(&self, unit: &Material<S>, lever: S, speed: S) -> S {
        self.friction.coefficient_by_speed(unit, speed * lever) * lever * lever
    }

    /// Adjoint of the forces and torques of compliant contacts: adds the cotangents of the contacts' other numbers to
    /// `bars`.
    pub fn forces_vjp<S: Scalar>(
        &self,
        contacts: &[Contact<S>],
        bars: &mut [ContactCotangents<S>],
    ) {
        S::vectorised(
            #[inline(always)]
            || {
                let pairs = contacts.iter().zip(bars.iter_mut());
                for (contact, bar) in pairs.filter(|(c, _)| c.law == ContactLaw::Compliant) {
                    let (force, torque) = (bar.force_w, bar.torque_w);
                    self.act_vjp(contact, force, torque, bar);
                }
            },
        );
    }

    /// Adjoint of one contact.
    #[inline(always)]
    fn act_vjp<S: Scalar>(
        &self,
        contact: &Contact<S>,
        force_bar: Vec3<S>,
        torque_bar: Vec3<S>,
        bar: &mut ContactCotangents<S>,
    ) {
        let Contact { normal_w, velocity_w, spin_w, ref material, .. } = *contact;
        let depth = (-contact.gap).max(S::ZERO);
        let parting = velocity_w.dot(normal_w);
        let normal = normal_force(material, depth, -parting);
        let sliding_w = normal_w.neg_scale_add(parting, velocity_w);
        let speed = sliding_w.norm();
        let by_speed = self.friction.coefficient_by_speed(material, speed);
        let along = sliding_w.neg_scale_add(by_speed, normal_w);
        let mut normal_bar = force_bar.dot(along);
        if contact.resists_turning {
            normal_bar += torque_bar.dot(self.torque(material, normal_w, spin_w));
            self.torque_vjp(material, normal_w, spin_w, torque_bar * normal, bar);
        }
        // The direction: normal − by_speed · sliding.
        let along_bar = force_bar * normal;
        let by_speed_bar = -along_bar.dot(sliding_w);
        let speed_bar = self.friction.coefficient_by_speed_vjp(
            material,
            speed,
            by_speed_bar,
            &mut bar.material,
        );
        let sliding_bar = along_bar.neg_scale_add(by_speed, norm_vjp(sliding_w, speed, speed_bar));
        // The normal force, at the penetration and its rate −parting.
        let (depth_bar, rate_bar) =
            normal_force_vjp(material, depth, -parting, normal_bar, &mut bar.material);
        bar.gap += contact.gap.select_le(S::ZERO, -depth_bar, S::ZERO);
        let parting_bar = -rate_bar - sliding_bar.dot(normal_w);
        bar.velocity_w += normal_w.scale_add(parting_bar, sliding_bar);
        bar.normal_w +=
            sliding_bar.neg_scale_add(parting, velocity_w.scale_add(parting_bar, along_bar));
    }

    /// Adjoint of [`HuntCrossley::torque`]; adds to the cotangents of the normal, the spin and the material.
    #[inline(always)]
    fn torque_vjp<S: Scalar>(
        &self,
        material: &Material<S>,
        normal_w: Vec3<S>,
        spin_w: Vec3<S>,
        torque_bar: Vec3<S>,
        bar: &mut ContactCotangents<S>,
    ) {
        let unit = Material { friction: S::ONE, static_friction: S::ONE, ..*material };
        let mut unit_bar = ContactCotangents::zero().material;
        let spinning = spin_w.dot(normal_w);
        let rolling_w = normal_w.neg_scale_add(spinning, spin_w);
        let rolling = rolling_w.norm();
        let spin_bar = -torque_bar.dot(normal_w);
        let (spin, torsional_bar, spin_speed_bar) = self.torque_by_speed_vjp(
            &unit,
            material.torsional_friction,
            spinning.abs(),
            spin_bar * spinning,
            &mut unit_bar,
        );
        let roll_bar = -torque_bar.dot(rolling_w);
        let (roll, rolling_friction_bar, roll_speed_bar) = self.torque_by_speed_vjp(
            &unit,
            material.rolling_friction,
            rolling,
            roll_bar,
            &mut unit_bar,
        );
        let rolling_bar =
            torque_bar.neg_scale_add(roll, norm_vjp(rolling_w, rolling, roll_speed_bar));
        let spinning_bar =
            spin_bar.mul_add(spin, spinning.signum() * spin_speed_bar) - rolling_bar.dot(normal_w);
        bar.spin_w += normal_w.scale_add(spinning_bar, rolling_bar);
        let straight = torque_bar.scale_add(spin, rolling_bar) * spinning;
        bar.normal_w += spin_w.scale_add(spinning_bar, -straight);
        bar.material.torsional_friction += torsional_bar;
        bar.material.rolling_friction += rolling_friction_bar;
        bar.material.slip_velocity += unit_bar.slip_velocity;
    }

    /// The value c(speed · lever) · lever² of [`HuntCrossley::torque_by_speed`], and cotangents of lever and speed; adds
    /// to those of the unit material.
    #[inline(always)]
    fn torque_by_speed_vjp<S: Scalar>(
        &self,
        unit: &Material<S>,
        lever: S,
        speed: S,
        bar: S,
        unit_bar: &mut Material<S>,
    ) -> (S, S, S) {
        let per_area = self.friction.coefficient_by_speed(unit, speed * lever);
        let area = lever * lever;
        let at_lever_bar =
            self.friction.coefficient_by_speed_vjp(unit, speed * lever, bar * area, unit_bar);
        let lever_bar = at_lever_bar.mul_add(speed, (per_area + per_area) * lever * bar);
        (per_area * area, lever_bar, at_lever_bar * lever)
    }
}

/// The normal force at a penetration `depth ≥ 0` that grows at `rate`.
#[inline(always)]
fn normal_force<S: Scalar>(material: &Material<S>, depth: S, rate: S) -> S {
    let spring = depth.powf(material.exponent);
    (spring * material.damping.mul_add(rate, material.stiffness)).max(S::ZERO)
}

/// Adjoint of the normal force: returns the cotangents of depth and rate; adds those of the material.
#[inline(always)]
fn normal_force_vjp<S: Scalar>(
    material: &Material<S>,
    depth: S,
    rate: S,
    bar: S,
    material_bar: &mut Material<S>,
) -> (S, S) {
    // Dual numbers of the power, which define its derivatives at zero.
    let power = Dual::<S, 2>::variable(depth, 0).powf(Dual::variable(material.exponent, 1));
    let (spring, [by_depth, by_exponent]) = (power.re, power.eps);
    let level = material.damping.mul_add(rate, material.stiffness);
    let bar = S::ZERO.select_le(spring * level, bar, S::ZERO);
    let spring_bar = bar * level;
    let level_bar = bar * spring;
    material_bar.exponent += spring_bar * by_exponent;
    material_bar.stiffness += level_bar;
    material_bar.damping += level_bar * rate;
    (spring_bar * by_depth, level_bar * material.damping)
}

/// The cotangent of a vector from that of its length; zero at length zero.
#[inline(always)]
fn norm_vjp<S: Scalar>(vector: Vec3<S>, norm: S, bar: S) -> Vec3<S> {
    let safe = S::ZERO.select_lt(norm, norm, S::ONE);
    vector * S::ZERO.select_lt(norm, bar / safe, S::ZERO)
}

#[inline(always)]
fn counts<S>(contact: &Contact<S>, with_rigid: bool) -> bool {
    with_rigid || contact.law == ContactLaw::Compliant
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

/// Adjoint of [`apply_forces`]: from `external_bar`, the cotangent of the force at each link's origin, adds to those of
/// the contacts' forces, torques and points, and of the links' origins.
pub fn apply_forces_vjp<S: Scalar>(
    contacts: &[Contact<S>],
    kin: &Kinematics<S>,
    with_rigid: bool,
    external_bar: &[Motion<S>],
    bars: &mut [ContactCotangents<S>],
    kin_bar: &mut KinematicsCotangents<S>,
) {
    S::vectorised(
        #[inline(always)]
        || {
            let pairs = contacts.iter().zip(bars.iter_mut());
            for (contact, bar) in pairs.filter(|(c, _)| counts(c, with_rigid)) {
                for (link, sign) in [(contact.link_b, S::ONE), (contact.link_a, -S::ONE)] {
                    let Some(link) = link.map(LinkId::index) else { continue };
                    let lever = contact.point_w - kin.bodies[link].pos_w;
                    let Motion { ang, lin } = external_bar[link];
                    let Motion { ang, lin } = Motion::new(ang * sign, lin * sign).at(lever);
                    bar.force_w += lin;
                    bar.torque_w += ang;
                    let lever_bar = contact.force_w.cross(ang);
                    bar.point_w += lever_bar;
                    kin_bar.bodies[link].pos_w -= lever_bar;
                }
            }
        },
    );
}
