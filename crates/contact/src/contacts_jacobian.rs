//! The part of contacts in the Jacobian of a step.
//!
//! With J the rows' Jacobian, λ the impulses, M the mass matrix and v⁺ the end velocity, a step satisfies
//!
//! ```text
//!   M (v⁺ − v) = r + Jᵀ λ,      λ = f(λ, w),      w = J v⁺ − demand + R λ
//! ```
//!
//! where r are the impulses of all other forces. For a change of the state let x be the change of v⁺ − v that follows with
//! λ held fixed: M x = dr + (dJᵀ) λ − dM (v⁺ − v). Then
//!
//! ```text
//!   dλ = K β,      β = J (dv + x) + dJ v⁺ − d demand,      dv⁺ = dv + x + M⁻¹ Jᵀ dλ
//! ```
//!
//! with K of `implicit_matrix.rs`. Inverse dynamics has counted every force on a link as if it moved along
//! (`rnea_jacobian`). So [`contact_columns`] adds only what a contact's force does otherwise: it acts at the contact's
//! point, along the contact's frame, and a compliant one obeys its law. It also writes the part of β that does not depend on
//! x. [`impulse_columns`] adds the rest: in terms of X = Fᵀ M x (M⁻¹ = F Fᵀ) it is G X, and the impulses add Gᵀ dλ to X.
//!
//! A displacement along coordinate j changes the velocity field of a link beyond it by Sⱼ × V + σⱼ
//! (`tree_motion`), at the contact's point p by `ω × V(p) − Ω × S(p) + σ(p)`, with ω and Ω the angular parts of S and V.

use gradbody_dynamics::{Chains, Kinematics, SpatialAxes, TreeMotion, add_force_column};
use gradbody_math::{Force, Mat3, Motion, Vec3};
use gradbody_model::{ContactLaw, LinkId, Model};

use crate::contact::CONTACTS_PER_SHAPE;
use crate::contact_variation::{ContactVariation, GeometryChange, contact_variation};
use crate::joint_rows::POSITION_GAIN;
use crate::problem::{ContactRows, GapOf, contact_frame_vjp};
use crate::solver::{HuntCrossley, ImpulseSlopes, Rows};
use crate::{
    CollideWork, Collisions, Contact, ContactCotangents, Demands, JointRow, Problem, StopKind,
};

/// Buffers of this file.
#[derive(Clone, Debug)]
pub struct ContactColumnsWork {
    /// The derivative of impulses. Written by [`Solver::impulse_slopes`](crate::Solver::impulse_slopes).
    pub slopes: ImpulseSlopes,
    /// β, a row for each row of `slopes`, with as many numbers as a row of the Jacobian.
    changes: Vec<f64>,
    /// dλ, in the same shape.
    impulses: Vec<f64>,
    /// Of each contact of the problem, the first of its rows and of its turning rows.
    first_rows: Vec<[Option<usize>; 2]>,
}

impl ContactColumnsWork {
    /// Buffers with room for the most contacts that a model's system is factorised for.
    pub fn new(model: &Model<f64>) -> Self {
        let contacts = CONTACTS_PER_SHAPE * model.topology.shapes.len();
        let slopes = ImpulseSlopes::new(model, contacts);
        let topology = &model.topology;
        let columns = 3 * model.nv() + topology.na + topology.actuators.len();
        let numbers = || Vec::with_capacity(slopes.most_rows() * columns.next_multiple_of(8));
        ContactColumnsWork {
            changes: numbers(),
            impulses: numbers(),
            first_rows: Vec::with_capacity(contacts),
            slopes,
        }
    }
}

/// A step whose contacts are differentiated.
#[derive(Clone, Copy, Debug)]
pub struct ContactsAt<'a> {
    /// The model.
    pub model: &'a Model<f64>,
    /// Its structure.
    pub chains: &'a Chains,
    /// Configuration at the start, (nq).
    pub q: &'a [f64],
    /// Poses at the start.
    pub kin: &'a Kinematics<f64>,
    /// Axes in these poses.
    pub axes: &'a SpatialAxes,
    /// Motions at the start.
    pub start: &'a TreeMotion,
    /// Motions with the velocity at the end, in the poses of the start.
    pub end: &'a TreeMotion,
    /// The contacts.
    pub collisions: &'a Collisions<f64>,
    /// The rows with their impulses.
    pub problem: &'a Problem<f64>,
    /// The options that turned velocities into demands.
    pub demands: &'a Demands<f64>,
    /// The law of compliant contacts.
    pub compliance: &'a HuntCrossley,
}

/// A matrix that is stored row by row: a row for each velocity coordinate, and columns for q, v, and anything else.
#[derive(Debug)]
pub struct ColumnsMut<'a> {
    /// The entries.
    pub numbers: &'a mut [f64],
    /// Numbers in a row, a multiple of eight.
    pub stride: usize,
}

/// Rows are added up in blocks of this many numbers.
const BLOCK: usize = 8;

/// A demand depends on the velocity without impulses, as in a bounce: this file does not differentiate that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounces;

/// Adds to `x` the changes of impulses on the joints that follow from changes of contacts, with the impulses of rigid ones
/// held fixed along their frames; begins β. `work.slopes` must be written.
#[inline(always)]
pub fn contact_columns(
    at: &ContactsAt<'_>,
    collide: &mut CollideWork<f64>,
    work: &mut ContactColumnsWork,
    x: &mut ColumnsMut<'_>,
) -> Result<(), Bounces> {
    let contacts = &at.collisions.contacts;
    for contact in contacts.iter().filter(|c| c.law == ContactLaw::Compliant && c.gap <= 0.0) {
        compliant(at, contact, collide, x);
    }
    let ContactColumnsWork { slopes, changes, first_rows, .. } = work;
    changes.clear();
    changes.resize(slopes.rows * x.stride, 0.0);
    first_rows.clear();
    first_rows.resize(at.problem.contacts.len(), [None; 2]);
    for group in &slopes.groups {
        match group.rows {
            Rows::Contact(i) => first_rows[i][0] = Some(group.first),
            Rows::Turning(i) => first_rows[i][1] = Some(group.first),
            Rows::Joint(i) => {
                let change = &mut changes[group.first * x.stride..][..x.stride];
                joint(at, &at.problem.joints[i], change);
            }
        }
    }
    for (rows, first) in at.problem.contacts.iter().zip(first_rows.iter()) {
        if *first != [None; 2] {
            rigid(at, rows, *first, collide, (changes, x))?;
        }
    }
    Ok(())
}

/// Adds the effect of changed impulses to `x`, whose columns are Fᵀ times impulses on the joints.
#[inline(always)]
pub fn impulse_columns(
    problem: &Problem<f64>,
    work: &mut ContactColumnsWork,
    x: &mut ColumnsMut<'_>,
) {
    let ContactColumnsWork { slopes, changes, impulses, .. } = work;
    let ColumnsMut { numbers, stride } = x;
    let (stride, blocks) = (*stride, *stride / BLOCK);
    // β += G X.
    for group in &slopes.groups {
        let known = numbers.as_chunks::<BLOCK>().0;
        let to = changes[group.first * stride..].as_chunks_mut::<BLOCK>().0;
        for b in 0..blocks {
            let mut sums = [[0.0; BLOCK]; 3];
            let factors = Factors::of(problem, group.rows);
            factors.each(|k, g| {
                let from = &known[k * blocks + b];
                for c in 0..3 {
                    for lane in 0..BLOCK {
                        sums[c][lane] = g[c].mul_add(from[lane], sums[c][lane]);
                    }
                }
            });
            for (c, sum) in sums[..factors.width()].iter().enumerate() {
                let to = &mut to[c * blocks + b];
                for lane in 0..BLOCK {
                    to[lane] += sum[lane];
                }
            }
        }
    }
    // dλ = K β.
    impulses.clear();
    impulses.resize(slopes.rows * stride, 0.0);
    let known = changes.as_chunks::<BLOCK>().0;
    for (row, to) in impulses.chunks_exact_mut(stride).enumerate() {
        let slopes = &slopes.slopes[row * slopes.stride..][..slopes.rows];
        for (b, to) in to.as_chunks_mut::<BLOCK>().0.iter_mut().enumerate() {
            let mut sum = [0.0; BLOCK];
            for (k, slope) in slopes.iter().enumerate() {
                let from = &known[k * blocks + b];
                for lane in 0..BLOCK {
                    sum[lane] = slope.mul_add(from[lane], sum[lane]);
                }
            }
            *to = sum;
        }
    }
    // X += Gᵀ dλ.
    let known = impulses.as_chunks::<BLOCK>().0;
    for group in &slopes.groups {
        let factors = Factors::of(problem, group.rows);
        let from = &known[group.first * blocks..];
        factors.each(|k, g| {
            let to = numbers[k * stride..][..stride].as_chunks_mut::<BLOCK>().0;
            for (b, to) in to.iter_mut().enumerate() {
                let mut sum = *to;
                for (c, g) in g[..factors.width()].iter().enumerate() {
                    let from = &from[c * blocks + b];
                    for lane in 0..BLOCK {
                        sum[lane] = g.mul_add(from[lane], sum[lane]);
                    }
                }
                *to = sum;
            }
        });
    }
}

/// G of a group of rows.
#[derive(Clone, Copy)]
enum Factors<'a> {
    /// Three rows, at each of their coordinates.
    Three(&'a [u32], &'a [Vec3<f64>]),
    /// One row.
    One(&'a [u32], &'a [f64]),
}

impl<'a> Factors<'a> {
    #[inline(always)]
    fn of(problem: &'a Problem<f64>, rows: Rows) -> Self {
        let (of, factors) = match rows {
            Rows::Contact(i) => (&problem.contacts[i], problem.contacts[i].factors),
            Rows::Turning(i) => match &problem.contacts[i].turning {
                Some(turning) => (&problem.contacts[i], turning.factors),
                None => return Factors::One(&[], &[]),
            },
            Rows::Joint(i) => {
                let row = &problem.joints[i];
                let coordinates = row.coordinates.of(&problem.coordinates);
                return Factors::One(coordinates, row.factors.of(&problem.singles));
            }
        };
        Factors::Three(of.coordinates.of(&problem.coordinates), factors.of(&problem.triples))
    }

    #[inline(always)]
    fn width(&self) -> usize {
        match self {
            Factors::Three(..) => 3,
            Factors::One(..) => 1,
        }
    }

    /// Calls `f` with each coordinate and its entries of G.
    #[inline(always)]
    fn each(&self, mut f: impl FnMut(usize, [f64; 3])) {
        match self {
            Factors::Three(coordinates, factors) => {
                for (k, g) in coordinates.iter().zip(*factors) {
                    f(*k as usize, [g.x, g.y, g.z]);
                }
            }
            Factors::One(coordinates, factors) => {
                for (k, g) in coordinates.iter().zip(*factors) {
                    f(*k as usize, [*g, 0.0, 0.0]);
                }
            }
        }
    }
}

/// β of the row of a joint stop: its coordinate's velocity minus the demanded one.
#[inline(always)]
fn joint(at: &ContactsAt<'_>, row: &JointRow<f64>, change: &mut [f64]) {
    let nv = at.model.nv();
    change[nv + row.coordinate] += 1.0;
    let link = row.stop.link.index();
    let params = &at.model.params.joints[link];
    let q = at.q[at.model.topology.links[link].joint.q_start + row.stop.index];
    let keeps = 1.0 - row.forgone;
    let by_gap = |gap: f64| at.demands.position_vjp(gap, GapOf::JointStop, POSITION_GAIN, keeps).0;
    // The demand is a velocity back into the range: upwards at the lower end.
    change[row.coordinate] += match row.stop.kind {
        StopKind::Friction => 0.0,
        StopKind::Lower if row.near() > 0.0 => -by_gap(q - params.limit_lower),
        StopKind::Upper if row.near() > 0.0 => -by_gap(params.limit_upper - q),
        StopKind::Lower | StopKind::Upper => 0.0,
    };
}

/// The coordinates that move a contact's links.
#[derive(Clone, Copy)]
struct Sides<'a> {
    /// The coordinates of link a and b.
    a: &'a [u32],
    b: &'a [u32],
    /// How many they have in common.
    common: usize,
}

impl<'a> Sides<'a> {
    #[inline(always)]
    fn of(chains: &'a Chains, contact: &Contact<f64>) -> Self {
        let chain =
            |link: Option<LinkId>| link.map_or(&[][..], |link| chains.of_link(link.index()));
        let (a, b) = (chain(contact.link_a), chain(contact.link_b));
        let common = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        Sides { a, b, common }
    }
}

/// What moves with a coordinate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moves {
    A,
    B,
    Both,
}

impl Moves {
    /// 1 if link b moves, else 0.
    #[inline(always)]
    fn b(self) -> f64 {
        if self == Moves::A { 0.0 } else { 1.0 }
    }

    /// 1 if link a moves, else 0.
    #[inline(always)]
    fn a(self) -> f64 {
        if self == Moves::B { 0.0 } else { 1.0 }
    }
}

/// A contact and the motions of its links at its point.
struct At<'a> {
    contact: &'a Contact<f64>,
    variation: ContactVariation,
    /// Motions of the links at the contact's point.
    a: Motion<f64>,
    b: Motion<f64>,
}

/// What a unit change of a coordinate changes at a contact.
struct Change {
    /// S at the contact's point.
    motion: Motion<f64>,
    geometry: GeometryChange,
    /// Of the relative velocity and spin at the contact's point.
    relative: Motion<f64>,
}

impl<'a> At<'a> {
    #[inline(always)]
    fn new(
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
    fn change(&self, moves: Moves, axis: Motion<f64>, sway: Motion<f64>) -> Change {
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
fn for_coordinates(
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
fn push(
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
fn carried(force: Vec3<f64>, torque: Vec3<f64>, motion: Motion<f64>) -> Force<f64> {
    motion.cross_force(Force { ang: torque, lin: force })
}

/// A linear map from a change of the normal, row by row.
type ByNormal = [Vec3<f64>; 3];

#[inline(always)]
fn times(rows: &ByNormal, x: Vec3<f64>) -> Vec3<f64> {
    Vec3::new(rows[0].dot(x), rows[1].dot(x), rows[2].dot(x))
}

/// The change of `frame · numbers` per change of the normal.
#[inline(always)]
fn frame_times(normal: Vec3<f64>, numbers: Vec3<f64>) -> ByNormal {
    [0, 1, 2].map(|c| {
        let mut unit = Vec3::ZERO;
        unit[c] = 1.0;
        let bar = Mat3 { cols: [unit * numbers.x, unit * numbers.y, unit * numbers.z] };
        contact_frame_vjp(normal, &bar)
    })
}

/// The change of `frameᵀ · vector` per change of the normal.
#[inline(always)]
fn along_frame(normal: Vec3<f64>, vector: Vec3<f64>) -> ByNormal {
    [0, 1, 2].map(|c| {
        let mut bar = Mat3 { cols: [Vec3::ZERO; 3] };
        bar.cols[c] = vector;
        contact_frame_vjp(normal, &bar)
    })
}

/// A rigid contact: its impulses act at a point and along a frame that change; the velocities along its rows change with
/// both, and so does the demanded one.
#[inline(always)]
fn rigid(
    at: &ContactsAt<'_>,
    rows: &ContactRows<f64>,
    [first, first_turning]: [Option<usize>; 2],
    collide: &mut CollideWork<f64>,
    (changes, x): (&mut [f64], &mut ColumnsMut<'_>),
) -> Result<(), Bounces> {
    let (nv, stride) = (at.model.nv(), x.stride);
    let contact = &at.collisions.contacts[rows.contact];
    let mut demand_bar = ContactCotangents::zero();
    let free = rows.free.x + rows.demand;
    let keeps = 1.0 - rows.forgone;
    let (by_free, _) = at.demands.normal_velocity_vjp(contact, free, -keeps, &mut demand_bar);
    if by_free != 0.0 || !demand_bar.velocity_w.is_zero() || rows.impact_time != 0.0 {
        return Err(Bounces);
    }
    let normal = contact.normal_w;
    let twist = rows.turning.map_or(Vec3::ZERO, |turning| turning.impulse);
    let (force, torque) = (rows.frame_w * rows.impulse, rows.frame_w * twist);
    let of = At::new(at, contact, at.end, collide);
    let relative = of.b - of.a;
    let force_by_normal = frame_times(normal, rows.impulse);
    let torque_by_normal = frame_times(normal, twist);
    let along_by_normal = along_frame(normal, relative.lin);
    let about_by_normal = along_frame(normal, relative.ang);
    for_coordinates(contact, Sides::of(at.chains, contact), |j, link, moves| {
        let lever = contact.point_w - at.axes.points_w[link];
        let change = of.change(moves, at.axes.axes[j].at(lever), at.end.sways[j].at(lever));
        let Change { motion, geometry, relative } = change;
        let changed = Force {
            ang: geometry.point.cross_add(force, times(&torque_by_normal, geometry.normal)),
            lin: times(&force_by_normal, geometry.normal),
        };
        push(at, contact, changed, (moves, carried(force, torque, motion)), j, x);
        let sign = moves.b() - moves.a();
        if let Some(first) = first {
            let mut by_q =
                rows.frame_w.transpose_mul(relative.lin) + times(&along_by_normal, geometry.normal);
            by_q.x += demand_bar.gap * geometry.gap;
            let by_v = rows.frame_w.transpose_mul(motion.lin) * sign;
            put(changes, stride, first, j, by_q);
            put(changes, stride, first, nv + j, by_v);
        }
        if let Some(first) = first_turning {
            let by_q =
                rows.frame_w.transpose_mul(relative.ang) + times(&about_by_normal, geometry.normal);
            let by_v = rows.frame_w.transpose_mul(motion.ang) * sign;
            put(changes, stride, first, j, by_q);
            put(changes, stride, first, nv + j, by_v);
        }
    });
    Ok(())
}

#[inline(always)]
fn put(changes: &mut [f64], stride: usize, first: usize, column: usize, numbers: Vec3<f64>) {
    for c in 0..3 {
        changes[(first + c) * stride + column] = numbers[c];
    }
}

/// The derivative of a compliant contact's impulse over a step, force and torque: a row for each of their components.
struct Law {
    /// Of the force by gap, normal and relative velocity.
    force: [(f64, Vec3<f64>, Vec3<f64>); 3],
    /// Of the torque by gap, normal, relative velocity and spin, if the contact resists turning.
    torque: Option<[(f64, Vec3<f64>, Vec3<f64>, Vec3<f64>); 3]>,
}

impl Law {
    #[inline(always)]
    fn at(compliance: &HuntCrossley, contact: &Contact<f64>, dt: f64) -> Self {
        let row = |set: &dyn Fn(&mut ContactCotangents<f64>)| {
            let mut bar = [ContactCotangents::zero()];
            set(&mut bar[0]);
            compliance.forces_vjp(core::slice::from_ref(contact), &mut bar);
            bar[0]
        };
        let force = [0, 1, 2].map(|c| {
            let bar = row(&|bar| bar.force_w[c] = dt);
            (bar.gap, bar.normal_w, bar.velocity_w)
        });
        let torque = contact.resists_turning.then(|| {
            [0, 1, 2].map(|c| {
                let bar = row(&|bar| bar.torque_w[c] = dt);
                (bar.gap, bar.normal_w, bar.velocity_w, bar.spin_w)
            })
        });
        Law { force, torque }
    }

    /// The change by a relative motion.
    #[inline(always)]
    fn change(&self, relative: Motion<f64>) -> Force<f64> {
        let lin = self.force.map(|(_, _, velocity)| velocity.dot(relative.lin));
        let ang = self.torque.map_or([0.0; 3], |rows| {
            rows.map(|(_, _, velocity, spin)| velocity.dot(relative.lin) + spin.dot(relative.ang))
        });
        Force { ang: Vec3::from_slice(&ang), lin: Vec3::from_slice(&lin) }
    }

    /// The change by gap and normal.
    #[inline(always)]
    fn change_by_geometry(&self, change: &GeometryChange) -> Force<f64> {
        let by = |gap: f64, normal: Vec3<f64>| gap * change.gap + normal.dot(change.normal);
        let lin = self.force.map(|(gap, normal, _)| by(gap, normal));
        let ang =
            self.torque.map_or([0.0; 3], |rows| rows.map(|(gap, normal, _, _)| by(gap, normal)));
        Force { ang: Vec3::from_slice(&ang), lin: Vec3::from_slice(&lin) }
    }
}

/// A compliant contact: its force follows a law of gap, velocity and normal.
#[inline(always)]
fn compliant(
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
