//! Compliant contacts: a force that follows a law, at a point that moves.

use gradbody_math::{Force, Motion, Vec3};

use super::change::{At, Change, Moves, Sides, carried, for_coordinates, push};
use super::variation::GeometryChange;
use super::{ColumnsMut, ContactsAt};
use crate::{CollideWork, Contact, ContactCotangents, HuntCrossley};

/// The derivative of one component of a force or torque.
#[derive(Clone, Copy)]
struct Row {
    by_gap: f64,
    by_normal: Vec3<f64>,
    by_velocity: Vec3<f64>,
    by_spin: Vec3<f64>,
}

/// The derivative of a compliant contact's impulse over a step.
struct Law {
    /// Of the components of the force.
    force: [Row; 3],
    /// Of the components of the torque, if the contact resists turning.
    torque: Option<[Row; 3]>,
}

impl Law {
    #[inline(always)]
    fn at(compliance: &HuntCrossley, contact: &Contact<f64>, dt: f64) -> Self {
        let zero = ContactCotangents::zero();
        let unit = |c: usize| {
            let mut unit = Vec3::ZERO;
            unit[c] = dt;
            unit
        };
        let row = |bar: ContactCotangents<f64>| {
            let mut bars = [bar];
            compliance.forces_vjp(core::slice::from_ref(contact), &mut bars);
            let [ContactCotangents { gap, normal_w, velocity_w, spin_w, .. }] = bars;
            Row { by_gap: gap, by_normal: normal_w, by_velocity: velocity_w, by_spin: spin_w }
        };
        let force = [0, 1, 2].map(|c| row(ContactCotangents { force_w: unit(c), ..zero }));
        let torque = [0, 1, 2];
        let torque = contact
            .resists_turning
            .then(|| torque.map(|c| row(ContactCotangents { torque_w: unit(c), ..zero })));
        Law { force, torque }
    }

    /// The change of force and torque, component by component.
    #[inline(always)]
    fn each(&self, by: impl Fn(&Row) -> f64) -> Force<f64> {
        let along = |rows: &[Row; 3]| Vec3::new(by(&rows[0]), by(&rows[1]), by(&rows[2]));
        Force { ang: self.torque.as_ref().map_or(Vec3::ZERO, along), lin: along(&self.force) }
    }

    /// The change by a relative motion at the contact's point.
    #[inline(always)]
    fn change(&self, relative: Motion<f64>) -> Force<f64> {
        self.each(|row| row.by_velocity.dot(relative.lin) + row.by_spin.dot(relative.ang))
    }

    /// The change by gap and normal.
    #[inline(always)]
    fn change_by_geometry(&self, change: &GeometryChange) -> Force<f64> {
        self.each(|row| row.by_gap * change.gap + row.by_normal.dot(change.normal))
    }
}

/// A compliant contact: its force follows a law of gap, velocity and normal.
#[inline(always)]
pub(super) fn compliant(
    at: &ContactsAt<'_>,
    contact: &Contact<f64>,
    collide: &mut CollideWork<f64>,
    x: &mut ColumnsMut<'_>,
) {
    let (nv, dt) = (at.model.nv(), at.demands.dt);
    let (force, torque) = (contact.force_w * dt, contact.torque_w * dt);
    let law = Law::at(at.compliance, contact, dt);
    let of = At::new(at, contact, at.start, collide);
    for_coordinates(contact, Sides::of(at.chains, contact), |j, link, moves| {
        let lever = contact.point_w - at.axes.points_w[link];
        let change = of.change(moves, at.axes.axes[j].at(lever), at.start.sways[j].at(lever));
        let Change { motion, geometry, relative } = change;
        let mut changed = law.change(relative) + law.change_by_geometry(&geometry);
        changed.ang = geometry.point.cross_add(force, changed.ang);
        push(at, contact, changed, (moves, carried(force, torque, motion)), j, x);
        if moves != Moves::Both {
            let sign = moves.b() - moves.a();
            let changed = law.change(motion * sign);
            push(at, contact, changed, (moves, Force::ZERO), nv + j, x);
        }
    });
}
