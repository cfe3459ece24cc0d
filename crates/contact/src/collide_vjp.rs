//! The adjoint of `collide.rs`: from contacts to poses, velocities, shapes and surfaces.
//!
//! Which points are contacts depends on values by comparison and has no derivative: the contacts that `collide` found
//! are kept. Contacts of one pair of shapes are consecutive, so each pair's geometry is visited once.

use gradbody_dynamics::{Kinematics, KinematicsCotangents, add_turn};
use gradbody_math::{Scalar, Transform, Vec3};
use gradbody_model::{
    FrictionOf, LinkId, Material, MaterialScalar, Model, Params, ShapeId, ShapeParams,
};

use crate::geometry::{FAR, Placed, PlacedCotangents, TouchCotangents, slots, touches_vjp};
use crate::{CollideWork, Collisions, Contact, ContactCotangents};

/// What [`collide`](crate::collide) read and found.
#[derive(Clone, Copy, Debug)]
pub struct Collided<'a, S> {
    /// Poses and velocities of the links.
    pub kin: &'a Kinematics<S>,
    /// The poses of the shapes.
    pub shapes: &'a Collisions<S>,
    /// The contacts, as `collide` wrote them.
    pub contacts: &'a [Contact<S>],
}

/// The cotangents that the adjoint of [`collide`](crate::collide) adds to.
#[derive(Debug)]
pub struct CollideCotangents<'a, S> {
    /// Of poses and velocities of links.
    pub kin: &'a mut KinematicsCotangents<S>,
    /// Of shapes and surfaces.
    pub params: &'a mut Params<S>,
}

/// Takes the cotangents `bars`, one for each contact, back to poses and velocities of links, and to shapes and
/// surfaces. Reads `of`; adds to `out`. In lanes where a contact is not active, its cotangents are ignored.
pub fn collide_vjp<S: Scalar>(
    model: &Model<S>,
    of: Collided<'_, S>,
    bars: &[ContactCotangents<S>],
    work: &mut CollideWork<S>,
    out: CollideCotangents<'_, S>,
) {
    assert_eq!(bars.len(), of.contacts.len(), "a cotangent for each contact");
    S::vectorised(
        #[inline(always)]
        || {
            let mut from = 0;
            while from < bars.len() {
                let pair = |c: &Contact<S>| (c.id.a, c.id.b);
                let rest = &of.contacts[from..];
                let n = rest.iter().take_while(|c| pair(c) == pair(&rest[0])).count();
                let of_pair = Collided { contacts: &rest[..n], ..of };
                pair_back(model, of_pair, &bars[from..from + n], work, out.kin, out.params);
                from += n;
            }
        },
    );
}

/// Adjoint of the contacts of one pair of shapes.
#[inline(always)]
fn pair_back<S: Scalar>(
    model: &Model<S>,
    of: Collided<'_, S>,
    bars: &[ContactCotangents<S>],
    work: &mut CollideWork<S>,
    kin_bar: &mut KinematicsCotangents<S>,
    params: &mut Params<S>,
) {
    let Collided { kin, shapes: Collisions { poses_w, balls, .. }, contacts } = of;
    let CollideWork { candidates, scratch, touch_bars, .. } = work;
    let (a, b) = (contacts[0].id.a, contacts[0].id.b);
    let placed = |id: ShapeId| Placed {
        kind: &model.topology.shapes[id.index()].kind,
        pose_w: poses_w[id.index()],
        size: model.params.shapes[id.index()].size,
    };
    let (placed_a, placed_b) = (placed(a), placed(b));

    // Points that are not contacts have no influence.
    let none = TouchCotangents { point_w: Vec3::ZERO, normal_w: Vec3::ZERO, gap: S::ZERO };
    touch_bars.clear();
    touch_bars.resize(slots(placed_a.kind, placed_b.kind), none);
    let mut material_bar = ContactCotangents::zero().material;
    for (contact, bar) in contacts.iter().zip(bars) {
        let bar = where_active(contact, bar);
        let mut point_bar = bar.point_w;
        point_bar += motion_back(kin, contact.link_b, contact, S::ONE, &bar, kin_bar);
        point_bar += motion_back(kin, contact.link_a, contact, -S::ONE, &bar, kin_bar);
        touch_bars[contact.id.slot as usize] =
            TouchCotangents { point_w: point_bar, normal_w: bar.normal_w, gap: bar.gap };
        add(&mut material_bar, &bar.material);
    }

    let still = PlacedCotangents { turn_w: Vec3::ZERO, pos_w: Vec3::ZERO, size: Vec3::ZERO };
    let (mut a_bar, mut b_bar) = (still, still);
    scratch.set_reach(balls[a.index()].reach + balls[b.index()].reach);
    touches_vjp(&placed_a, &placed_b, scratch, touch_bars, &mut a_bar, &mut b_bar);
    for (id, link, placed, bar) in
        [(a, contacts[0].link_a, placed_a, a_bar), (b, contacts[0].link_b, placed_b, b_bar)]
    {
        let given = &model.params.shapes[id.index()].placement;
        let shape_bar = &mut params.shapes[id.index()];
        shape_back(kin, link, given, &placed.pose_w, &bar, kin_bar, shape_bar);
    }

    let rule = candidates.rule(a, b);
    match rule.and_then(|rule| rule.pair) {
        Some(pair) => add(&mut params.pairs[pair.index()], &material_bar),
        None => {
            let [given_a, given_b] = [a, b].map(|id| &model.params.shapes[id.index()].material);
            // Shape a has the lower number.
            let (before, after) = params.shapes.split_at_mut(b.index());
            let (to_a, to_b) = (&mut before[a.index()].material, &mut after[0].material);
            let friction = rule.map_or(FrictionOf::Larger, |rule| rule.friction);
            Material::between_vjp(given_a, given_b, friction, &material_bar, to_a, to_b);
        }
    }
}

/// `bar` in lanes where the contact is active, else zero.
#[inline(always)]
fn where_active<S: Scalar>(
    contact: &Contact<S>,
    bar: &ContactCotangents<S>,
) -> ContactCotangents<S> {
    let mask = |x: S| contact.gap.select_lt(S::from_f64(FAR), x, S::ZERO);
    let mask3 = |v: Vec3<S>| Vec3::new(mask(v.x), mask(v.y), mask(v.z));
    ContactCotangents {
        point_w: mask3(bar.point_w),
        normal_w: mask3(bar.normal_w),
        gap: mask(bar.gap),
        velocity_w: mask3(bar.velocity_w),
        spin_w: mask3(bar.spin_w),
        material: bar.material.map(mask),
        ..*bar
    }
}

/// Adjoint of the motion of one link at a contact's point, which counts with `sign`; returns the cotangent of the
/// point.
#[inline(always)]
fn motion_back<S: Scalar>(
    kin: &Kinematics<S>,
    link: Option<LinkId>,
    contact: &Contact<S>,
    sign: S,
    bar: &ContactCotangents<S>,
    kin_bar: &mut KinematicsCotangents<S>,
) -> Vec3<S> {
    let Some(link) = link else { return Vec3::ZERO };
    let body = &kin.bodies[link.index()];
    let body_bar = &mut kin_bar.bodies[link.index()];
    // The point's velocity is lin + ang × lever.
    let lever = contact.point_w - body.pos_w;
    let lin_bar = bar.velocity_w * sign;
    let lever_bar = lin_bar.cross(body.ang_vel_w);
    body_bar.lin_vel_w += lin_bar;
    body_bar.ang_vel_w += lever.cross_add(lin_bar, bar.spin_w * sign);
    body_bar.pos_w -= lever_bar;
    lever_bar
}

/// Adjoint of a shape's pose in the world: to its link, to its placement on the link, and to its size.
#[inline(always)]
fn shape_back<S: Scalar>(
    kin: &Kinematics<S>,
    link: Option<LinkId>,
    given: &Transform<S>,
    pose_w: &Transform<S>,
    bar: &PlacedCotangents<S>,
    kin_bar: &mut KinematicsCotangents<S>,
    shape_bar: &mut ShapeParams<S>,
) {
    let PlacedCotangents { turn_w, pos_w, size } = *bar;
    let in_link = match link {
        Some(link) => {
            let body = &kin.bodies[link.index()];
            let body_bar = &mut kin_bar.bodies[link.index()];
            body_bar.pos_w += pos_w;
            // The shape moves with the link when the link turns about its origin.
            body_bar.turn_w += (pose_w.pos - body.pos_w).cross_add(pos_w, turn_w);
            body.rot_wb.transpose_mul(pos_w)
        }
        None => pos_w,
    };
    shape_bar.placement.pos += in_link;
    add_turn(&mut shape_bar.placement.rot, &given.rot, pose_w.rot.transpose_mul(turn_w));
    shape_bar.size += size;
}

/// Adds one material's numbers to another's.
#[inline(always)]
fn add<S: Scalar>(sum: &mut Material<S>, more: &Material<S>) {
    for number in MaterialScalar::ALL {
        *sum.get_mut(*number) += *more.get(*number);
    }
}
