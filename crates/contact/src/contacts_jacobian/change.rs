//! What a unit change of a coordinate changes at a contact, and what a changed force does to the joints.

use gradbody_dynamics::{Chains, TreeMotion, add_force_column};
use gradbody_math::{Force, Motion, Vec3};
use gradbody_model::LinkId;

use super::variation::{ContactVariation, GeometryChange, contact_variation};
use super::{ColumnsMut, ContactsAt};
use crate::{CollideWork, Contact};

/// The coordinates that move a contact's links.
#[derive(Clone, Copy)]
pub(super) struct Sides<'a> {
    /// The coordinates of link a and b.
    a: &'a [u32],
    b: &'a [u32],
    /// How many they have in common.
    common: usize,
}

impl<'a> Sides<'a> {
    #[inline(always)]
    pub(super) fn of(chains: &'a Chains, contact: &Contact<f64>) -> Self {
        let chain =
            |link: Option<LinkId>| link.map_or(&[][..], |link| chains.of_link(link.index()));
        let (a, b) = (chain(contact.link_a), chain(contact.link_b));
        let common = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        Sides { a, b, common }
    }
}

/// What moves with a coordinate.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Moves {
    A,
    B,
    Both,
}

impl Moves {
    /// 1 if link b moves, else 0.
    #[inline(always)]
    pub(super) fn b(self) -> f64 {
        if self == Moves::A { 0.0 } else { 1.0 }
    }

    /// 1 if link a moves, else 0.
    #[inline(always)]
    pub(super) fn a(self) -> f64 {
        if self == Moves::B { 0.0 } else { 1.0 }
    }
}

/// A contact and the motions of its links at its point.
pub(super) struct At<'a> {
    contact: &'a Contact<f64>,
    variation: ContactVariation,
    /// Motions of the links at the contact's point.
    pub(super) a: Motion<f64>,
    pub(super) b: Motion<f64>,
}

/// What a unit change of a coordinate changes at a contact.
pub(super) struct Change {
    /// S at the contact's point.
    pub(super) motion: Motion<f64>,
    pub(super) geometry: GeometryChange,
    /// Of the relative velocity and spin at the contact's point.
    pub(super) relative: Motion<f64>,
}

impl<'a> At<'a> {
    #[inline(always)]
    pub(super) fn new(
        at: &ContactsAt<'a>,
        contact: &'a Contact<f64>,
        motion: &TreeMotion,
        collide: &mut CollideWork<f64>,
    ) -> Self {
        let variation = contact_variation(at.model, at.collisions, contact, collide);
        let of = |link: Option<LinkId>| match link {
            Some(link) => {
                let lever = contact.point_w - at.axes.points_w[link.index()];
                motion.links[link.index()].at(lever)
            }
            None => Motion::ZERO,
        };
        At { contact, variation, a: of(contact.link_a), b: of(contact.link_b) }
    }

    /// The effect of a displacement along an axis; `axis` and `sway` are about the contact's point.
    #[inline(always)]
    pub(super) fn change(&self, moves: Moves, axis: Motion<f64>, sway: Motion<f64>) -> Change {
        let together = GeometryChange::together(self.contact, axis);
        let geometry = match moves {
            Moves::B => self.variation.relative(axis),
            Moves::A => together.minus(&self.variation.relative(axis)),
            Moves::Both => together,
        };
        // Links that move along see what carries them change by `sway`, and their own motion turn.
        let field = |of: Motion<f64>| axis.cross_motion(of) + sway;
        let mut relative = field(self.b) * moves.b() - field(self.a) * moves.a();
        relative.lin += (self.b.ang - self.a.ang).cross(geometry.point);
        Change { motion: axis, geometry, relative }
    }
}

/// Calls `f` with each coordinate that moves a contact, the link it moves, and which sides move.
#[inline(always)]
pub(super) fn for_coordinates(
    contact: &Contact<f64>,
    sides: Sides<'_>,
    mut f: impl FnMut(usize, usize, Moves),
) {
    if let Some(link) = contact.link_b {
        for (i, j) in sides.b.iter().enumerate() {
            let moves = if i < sides.common { Moves::Both } else { Moves::B };
            f(*j as usize, link.index(), moves);
        }
    }
    if let Some(link) = contact.link_a {
        for j in &sides.a[sides.common..] {
            f(*j as usize, link.index(), Moves::A);
        }
    }
}

/// Adds to column `column` of `x` what a changed force on both links of a contact does. `change` is the change of force
/// and torque on b; where a link moves, `carried` is the change if they moved along, which is already counted.
#[inline(always)]
pub(super) fn push(
    at: &ContactsAt<'_>,
    contact: &Contact<f64>,
    change: Force<f64>,
    (moves, carried): (Moves, Force<f64>),
    column: usize,
    x: &mut ColumnsMut<'_>,
) {
    let sides = [(contact.link_b, 1.0, moves.b()), (contact.link_a, -1.0, moves.a())];
    for (link, sign, moves) in sides {
        if let Some(link) = link {
            let force = (change - carried * moves) * sign;
            let place = (link.index(), contact.point_w);
            let to = (&mut *x.numbers, x.stride);
            add_force_column(at.chains, at.axes, place, force, column, to);
        }
    }
}

/// The change of a force and a torque that act at a point, if they move along with `motion` (at that point): about the
/// point where it was.
#[inline(always)]
pub(super) fn carried(force: Vec3<f64>, torque: Vec3<f64>, motion: Motion<f64>) -> Force<f64> {
    motion.cross_force(Force { ang: torque, lin: force })
}
