//! How a contact's point, normal and gap change with the poses of its two links.
//!
//! Only the motion of b relative to a matters: if both links move together, the contact moves along as if rigid. So seven
//! numbers change by seven linear forms of one relative motion. Each form is a row of the pair's adjoint
//! (`touches_vjp.rs`), which gives a force on shape b; here its moment is about the contact's point.

use gradbody_math::{Force, Motion, Vec3};
use gradbody_model::{Model, ShapeId};

use crate::geometry::{Placed, PlacedCotangents, TouchCotangents, slots, touches_vjp};
use crate::{CollideWork, Collisions, Contact};

/// Changes of a contact's geometry per motion of its link b relative to its link a, the latter about the contact's point,
/// in the world's axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactVariation {
    /// Of the components of the point.
    pub(super) point: [Force<f64>; 3],
    /// Of the components of the normal.
    pub(super) normal: [Force<f64>; 3],
    /// Of the gap.
    pub(super) gap: Force<f64>,
}

/// A change of a contact's geometry.
#[derive(Clone, Copy, Debug)]
pub(super) struct GeometryChange {
    pub(super) point: Vec3<f64>,
    pub(super) normal: Vec3<f64>,
    pub(super) gap: f64,
}

impl ContactVariation {
    /// The change if b moves relative to a.
    #[inline(always)]
    pub(super) fn relative(&self, motion: Motion<f64>) -> GeometryChange {
        let along = |rows: &[Force<f64>; 3]| {
            Vec3::new(rows[0].dot(motion), rows[1].dot(motion), rows[2].dot(motion))
        };
        GeometryChange {
            point: along(&self.point),
            normal: along(&self.normal),
            gap: self.gap.dot(motion),
        }
    }
}

impl GeometryChange {
    /// The change if both links move together.
    #[inline(always)]
    pub(super) fn together(contact: &Contact<f64>, motion: Motion<f64>) -> Self {
        let normal = motion.ang.cross(contact.normal_w);
        GeometryChange { point: motion.lin, normal, gap: 0.0 }
    }

    /// The difference of two changes.
    #[inline(always)]
    pub(super) fn minus(&self, other: &Self) -> Self {
        GeometryChange {
            point: self.point - other.point,
            normal: self.normal - other.normal,
            gap: self.gap - other.gap,
        }
    }
}

/// The variation of one of the contacts that [`collide`](crate::collide()) found.
#[inline(always)]
pub(super) fn contact_variation(
    model: &Model<f64>,
    shapes: &Collisions<f64>,
    contact: &Contact<f64>,
    work: &mut CollideWork<f64>,
) -> ContactVariation {
    let Collisions { poses_w, balls, .. } = shapes;
    let CollideWork { scratch, touch_bars, .. } = work;
    let (a, b) = (contact.id.a, contact.id.b);
    let placed = |id: ShapeId| Placed {
        kind: &model.topology.shapes[id.index()].kind,
        pose_w: poses_w[id.index()],
        size: model.params.shapes[id.index()].size,
    };
    let (placed_a, placed_b) = (placed(a), placed(b));
    scratch.set_reach(balls[a.index()].reach + balls[b.index()].reach);
    touch_bars.clear();
    touch_bars.resize(slots(placed_a.kind, placed_b.kind), TouchCotangents::ZERO);
    let lever = placed_b.pose_w.pos - contact.point_w;
    let mut row = |bar: TouchCotangents<f64>| {
        touch_bars[contact.id.slot as usize] = bar;
        let (mut a_bar, mut b_bar) = (PlacedCotangents::ZERO, PlacedCotangents::ZERO);
        touches_vjp(&placed_a, &placed_b, scratch, touch_bars, &mut a_bar, &mut b_bar);
        Force { ang: b_bar.turn_w, lin: b_bar.pos_w }.acting_at(lever)
    };
    let unit = |c: usize| {
        let mut unit = Vec3::ZERO;
        unit[c] = 1.0;
        unit
    };
    let zero = TouchCotangents::ZERO;
    ContactVariation {
        point: [0, 1, 2].map(|c| row(TouchCotangents { point_w: unit(c), ..zero })),
        normal: [0, 1, 2].map(|c| row(TouchCotangents { normal_w: unit(c), ..zero })),
        gap: row(TouchCotangents { gap: 1.0, ..zero }),
    }
}
