//! Signals in the buffers of a step: how they are read and changed, and the adjoints of both.
//!
//! If a signal is `a · x`, a change by Δ moves x along one direction: `x += a Δ`. The change returns what it
//! [`Replaced`], and its adjoint restores that, so that earlier stages see the buffers as they were.

use gradbody_contact::{
    Contact, ContactCotangents, contact_frame, contact_frame_vjp, geometry::FAR,
};
use gradbody_dynamics::{Kinematics, KinematicsCotangents};
use gradbody_math::{Force, Mat3, Motion, Scalar, Vec3};
use gradbody_model::{ContactLaw, LinkId, Params};
use gradbody_sim::{Input, InputCotangents, State, StateCotangents};

use crate::{ContactSignal, Signal};

/// What a change has replaced.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Replaced<S> {
    /// Something that no earlier stage reads in the backward pass.
    Nothing,
    Number(S),
    Vector(Vec3<S>),
    Rotation(Mat3<S>),
    /// The forces on two links.
    Forces([Force<S>; 2]),
}

/// A place only restores what it returned itself.
fn misrestored() -> ! {
    unreachable!("a place only restores what it replaced")
}

impl<S: Scalar> Replaced<S> {
    fn number(&self) -> S {
        match self {
            Replaced::Number(x) => *x,
            _ => misrestored(),
        }
    }

    fn vector(&self) -> Vec3<S> {
        match self {
            Replaced::Vector(x) => *x,
            _ => misrestored(),
        }
    }

    fn rotation(&self) -> Mat3<S> {
        match self {
            Replaced::Rotation(x) => *x,
            _ => misrestored(),
        }
    }
}

/// Buffers of one stage.
pub(crate) trait Place<S: Scalar> {
    /// The value of a signal of this stage.
    fn read(&self, signal: Signal) -> S;

    /// Adds to it; returns what was there before.
    fn change(&mut self, signal: Signal, delta: S) -> Replaced<S>;

    /// The share of a change that counts: 1 or 0, or in between where it fades.
    #[inline(always)]
    fn live(&self) -> S {
        S::ONE
    }

    /// Pushes two links apart: a force (and a torque) on `a`, and its opposite on `b`, at a point midway; returns the
    /// previous forces.
    fn push(&mut self, _: [LinkId; 2], _force: Vec3<S>, _torque: Vec3<S>) -> Replaced<S> {
        Replaced::Nothing
    }
}

/// Buffers of one stage with their cotangents.
pub(crate) trait Back<S: Scalar> {
    /// Adjoint of reading a signal.
    fn read_vjp(&mut self, signal: Signal, bar: S);

    /// Returns the cotangent of a change; restores what it replaced.
    fn change_vjp(&mut self, signal: Signal, delta: S, replaced: &Replaced<S>) -> S;

    /// The share of a change that counts: 1 or 0, or in between where it fades.
    #[inline(always)]
    fn live(&self) -> S {
        S::ONE
    }

    /// Adjoint of that share.
    #[inline(always)]
    fn live_vjp(&mut self, _bar: S) {}

    /// Returns the cotangents of a push's force and torque; restores what it replaced.
    fn push_vjp(
        &mut self,
        _links: [LinkId; 2],
        _force: Vec3<S>,
        _replaced: &Replaced<S>,
    ) -> (Vec3<S>, Vec3<S>) {
        (Vec3::ZERO, Vec3::ZERO)
    }
}

/// For signals that do not belong to a stage; `bind` never asks for these.
fn misplaced(signal: Signal) -> ! {
    unreachable!("{signal:?} is only read at the stage where it is known")
}

// --- state --------------------------------------------------------------------------------------

pub(crate) fn read_state<S: Scalar>(signal: Signal, input: &Input<S>, state: &State<S>) -> S {
    match signal {
        // Constant: derivatives with respect to the time step do not include the growth of time.
        Signal::Time => state.time.constant(),
        // Rollouts refuse inputs that have fewer (`Taps::n_signals`).
        Signal::User(k) => match input.signals.get(k) {
            Some(signal) => *signal,
            None => panic!("a network reads input.signals[{k}], but there are fewer signals"),
        },
        Signal::Position { q, .. } => state.q[q],
        Signal::Velocity(v) => state.v[v],
        _ => misplaced(signal),
    }
}

pub(crate) fn read_state_vjp<S: Scalar>(
    signal: Signal,
    bar: S,
    state_bar: &mut StateCotangents<S>,
    input_bar: &mut InputCotangents<S>,
) {
    match signal {
        Signal::Time => {}
        Signal::User(k) => {
            input_bar.signals.resize(input_bar.signals.len().max(k + 1), S::ZERO);
            input_bar.signals[k] += bar;
        }
        Signal::Position { v, .. } => state_bar.q[v] += bar,
        Signal::Velocity(v) => state_bar.v[v] += bar,
        _ => misplaced(signal),
    }
}

pub(crate) struct Start<'a, S> {
    pub(crate) input: &'a Input<S>,
    pub(crate) state: &'a mut State<S>,
}

impl<S: Scalar> Place<S> for Start<'_, S> {
    fn read(&self, signal: Signal) -> S {
        read_state(signal, self.input, self.state)
    }

    fn change(&mut self, signal: Signal, delta: S) -> Replaced<S> {
        match signal {
            Signal::Position { q, .. } => self.state.q[q] += delta,
            Signal::Velocity(v) => self.state.v[v] += delta,
            _ => misplaced(signal),
        }
        Replaced::Nothing
    }
}

pub(crate) struct StartBack<'a, S> {
    pub(crate) state_bar: &'a mut StateCotangents<S>,
    pub(crate) input_bar: &'a mut InputCotangents<S>,
}

impl<S: Scalar> Back<S> for StartBack<'_, S> {
    fn read_vjp(&mut self, signal: Signal, bar: S) {
        read_state_vjp(signal, bar, self.state_bar, self.input_bar);
    }

    fn change_vjp(&mut self, signal: Signal, _: S, _: &Replaced<S>) -> S {
        match signal {
            Signal::Position { v, .. } => self.state_bar.q[v],
            Signal::Velocity(v) => self.state_bar.v[v],
            _ => misplaced(signal),
        }
    }
}

// --- numbers of the model -----------------------------------------------------------------------

pub(crate) struct Numbers<'a, S>(pub(crate) &'a mut Params<S>);

impl<S: Scalar> Place<S> for Numbers<'_, S> {
    fn read(&self, signal: Signal) -> S {
        match signal {
            Signal::Param(id) => self.0.get(id),
            _ => misplaced(signal),
        }
    }

    fn change(&mut self, signal: Signal, delta: S) -> Replaced<S> {
        match signal {
            Signal::Param(id) => self.0.set(id, self.0.get(id) + delta),
            _ => misplaced(signal),
        }
        Replaced::Nothing
    }
}

/// The same with cotangents.
pub(crate) struct NumbersBack<'a, S>(pub(crate) &'a mut Params<S>);

impl<S: Scalar> Back<S> for NumbersBack<'_, S> {
    fn read_vjp(&mut self, signal: Signal, bar: S) {
        match signal {
            Signal::Param(id) => self.0.set(id, self.0.get(id) + bar),
            _ => misplaced(signal),
        }
    }

    fn change_vjp(&mut self, signal: Signal, _: S, _: &Replaced<S>) -> S {
        match signal {
            Signal::Param(id) => self.0.get(id),
            _ => misplaced(signal),
        }
    }
}

// --- coordinates --------------------------------------------------------------------------------

fn coordinate(signal: Signal) -> usize {
    match signal {
        Signal::ActuatorForce(k)
        | Signal::PassiveForce(k)
        | Signal::Acceleration(k)
        | Signal::EndVelocity(k) => k,
        _ => misplaced(signal),
    }
}

/// A number for each velocity coordinate.
pub(crate) struct Coordinates<'a, S>(pub(crate) &'a mut [S]);

impl<S: Scalar> Place<S> for Coordinates<'_, S> {
    #[inline(always)]
    fn read(&self, signal: Signal) -> S {
        self.0[coordinate(signal)]
    }

    #[inline(always)]
    fn change(&mut self, signal: Signal, delta: S) -> Replaced<S> {
        self.0[coordinate(signal)] += delta;
        Replaced::Nothing
    }
}

/// The same with cotangents.
pub(crate) struct CoordinatesBack<'a, S>(pub(crate) &'a mut [S]);

impl<S: Scalar> Back<S> for CoordinatesBack<'_, S> {
    #[inline(always)]
    fn read_vjp(&mut self, signal: Signal, bar: S) {
        self.0[coordinate(signal)] += bar;
    }

    #[inline(always)]
    fn change_vjp(&mut self, signal: Signal, _: S, _: &Replaced<S>) -> S {
        self.0[coordinate(signal)]
    }
}

// --- links --------------------------------------------------------------------------------------

pub(crate) struct Links<'a, S>(pub(crate) &'a mut Kinematics<S>);

fn link_of(signal: Signal) -> usize {
    match signal {
        Signal::LinkPosition(link, _)
        | Signal::LinkOrientation(link, _)
        | Signal::LinkVelocity(link, _)
        | Signal::LinkSpin(link, _) => link.index(),
        _ => misplaced(signal),
    }
}

/// The axes about which roll, pitch and yaw turn, and their rates for a turn about each of the world's axes.
#[inline(never)]
fn rpy_axes<S: Scalar>(rot: &Mat3<S>) -> (Mat3<S>, Mat3<S>) {
    S::in_registers(
        #[inline(always)]
        || axes_at(rot.to_rpy()),
    )
}

#[inline(always)]
fn axes_at<S: Scalar>(rpy: Vec3<S>) -> (Mat3<S>, Mat3<S>) {
    let (sin_pitch, cos_pitch) = rpy.y.sin_cos();
    let (sin, cos) = rpy.z.sin_cos();
    let axes = Mat3 {
        cols: [
            Vec3::new(cos * cos_pitch, sin * cos_pitch, -sin_pitch),
            Vec3::new(-sin, cos, S::ZERO),
            Vec3::Z,
        ],
    };
    // Roll and yaw are not distinct where the link points straight up or down.
    let small = S::from_f64(1e-9);
    let safe = cos_pitch.abs().select_lt(small, small, cos_pitch);
    let (secant, tangent) = (safe.recip(), sin_pitch / safe);
    let rates = Mat3 {
        cols: [
            Vec3::new(cos * secant, sin * secant, S::ZERO),
            Vec3::new(-sin, cos, S::ZERO),
            Vec3::new(cos * tangent, sin * tangent, S::ONE),
        ],
    };
    (axes, rates)
}

#[inline(never)]
fn turn<S: Scalar>(rot: &mut Mat3<S>, angle: usize, delta: S) {
    S::in_registers(
        #[inline(always)]
        || {
            let turned = delta.sin_cos();
            *rot = match angle {
                0 => rot.rotate_x(turned),
                _ => {
                    let axis = if angle == 1 { rpy_axes(rot).0.cols[1] } else { Vec3::Z };
                    Mat3::from_axis_sin_cos(axis, turned) * *rot
                }
            };
        },
    );
}

impl<S: Scalar> Place<S> for Links<'_, S> {
    fn read(&self, signal: Signal) -> S {
        let body = &self.0.bodies[link_of(signal)];
        match signal {
            Signal::LinkPosition(_, k) => body.pos_w[k],
            Signal::LinkOrientation(_, k) => body.rot_wb.to_rpy()[k],
            Signal::LinkVelocity(_, k) => body.lin_vel_w[k],
            Signal::LinkSpin(_, k) => body.ang_vel_w[k],
            _ => misplaced(signal),
        }
    }

    fn change(&mut self, signal: Signal, delta: S) -> Replaced<S> {
        let body = &mut self.0.bodies[link_of(signal)];
        let (x, k) = match signal {
            Signal::LinkPosition(_, k) => (&mut body.pos_w, k),
            Signal::LinkVelocity(_, k) => (&mut body.lin_vel_w, k),
            Signal::LinkSpin(_, k) => (&mut body.ang_vel_w, k),
            Signal::LinkOrientation(_, k) => {
                let before = body.rot_wb;
                turn(&mut body.rot_wb, k, delta);
                return Replaced::Rotation(before);
            }
            _ => misplaced(signal),
        };
        let before = *x;
        x[k] += delta;
        Replaced::Vector(before)
    }
}

pub(crate) struct LinksBack<'a, S> {
    pub(crate) kin: &'a mut Kinematics<S>,
    pub(crate) bars: &'a mut KinematicsCotangents<S>,
}

impl<S: Scalar> Back<S> for LinksBack<'_, S> {
    fn read_vjp(&mut self, signal: Signal, bar: S) {
        let link = link_of(signal);
        let body = &mut self.bars.bodies[link];
        match signal {
            Signal::LinkPosition(_, k) => body.pos_w[k] += bar,
            Signal::LinkOrientation(_, k) => {
                let (_, rates) = rpy_axes(&self.kin.bodies[link].rot_wb);
                body.turn_w += rates.cols[k] * bar;
            }
            Signal::LinkVelocity(_, k) => body.lin_vel_w[k] += bar,
            Signal::LinkSpin(_, k) => body.ang_vel_w[k] += bar,
            _ => misplaced(signal),
        }
    }

    fn change_vjp(&mut self, signal: Signal, _: S, replaced: &Replaced<S>) -> S {
        let link = link_of(signal);
        let (body, bar) = (&mut self.kin.bodies[link], &mut self.bars.bodies[link]);
        match signal {
            Signal::LinkPosition(_, k) => {
                body.pos_w = replaced.vector();
                bar.pos_w[k]
            }
            Signal::LinkVelocity(_, k) => {
                body.lin_vel_w = replaced.vector();
                bar.lin_vel_w[k]
            }
            Signal::LinkSpin(_, k) => {
                body.ang_vel_w = replaced.vector();
                bar.ang_vel_w[k]
            }
            Signal::LinkOrientation(_, k) => {
                // One of roll, pitch and yaw has changed. A turn before the change moves the old angles at their old
                // rates; the new angles turn the link about their new axes.
                let (axes, _) = rpy_axes(&body.rot_wb);
                body.rot_wb = replaced.rotation();
                let (_, rates) = rpy_axes(&body.rot_wb);
                let of_angles = axes.transpose_mul(bar.turn_w);
                bar.turn_w = rates * of_angles;
                of_angles[k]
            }
            _ => misplaced(signal),
        }
    }
}

// --- one contact --------------------------------------------------------------------------------

/// The column of a contact's frame along which a signal of its velocity or force points, and the sign.
#[inline(always)]
fn column<S: Scalar>(signal: ContactSignal) -> (usize, S) {
    match signal {
        ContactSignal::Rate => (0, -S::ONE),
        ContactSignal::Slide(k) | ContactSignal::Friction(k) => (1 + k, S::ONE),
        _ => (0, S::ONE),
    }
}

/// For signals that cannot be changed; `bind` refuses such outputs.
fn only_read(signal: ContactSignal) -> ! {
    unreachable!("{signal:?} is only read")
}

fn of_contact(signal: Signal) -> ContactSignal {
    match signal {
        Signal::Contact(_, signal) => signal,
        _ => misplaced(signal),
    }
}

#[inline(always)]
fn live<S: Scalar>(contact: &Contact<S>) -> S {
    contact.gap.select_lt(S::from_f64(FAR), S::ONE, S::ZERO)
}

impl ContactSignal {
    /// Its value at a contact.
    pub fn of<S: Scalar>(self, contact: &Contact<S>) -> S {
        read_contact(contact, self)
    }
}

#[inline(always)]
pub(crate) fn read_contact<S: Scalar>(contact: &Contact<S>, signal: ContactSignal) -> S {
    let vector = match signal {
        ContactSignal::Gap => return contact.gap,
        ContactSignal::Speed => return sliding(contact).norm(),
        ContactSignal::Point(k) => return contact.point_w[k],
        ContactSignal::Normal(k) => return contact.normal_w[k],
        ContactSignal::Coefficient => return contact.material.friction,
        ContactSignal::Restitution => return contact.material.restitution,
        ContactSignal::Rate | ContactSignal::Parting | ContactSignal::Slide(_) => {
            contact.velocity_w
        }
        ContactSignal::NormalForce | ContactSignal::Friction(_) => contact.force_w,
    };
    let (k, sign) = column(signal);
    contact_frame(contact.normal_w).cols[k].dot(vector) * sign
}

#[inline(always)]
pub(crate) fn read_contact_vjp<S: Scalar>(
    contact: &Contact<S>,
    signal: ContactSignal,
    bar: S,
    bars: &mut ContactCotangents<S>,
) {
    let (k, sign) = column(signal);
    let bar = bar * sign;
    let (vector, vector_bar) = match signal {
        ContactSignal::Gap => return bars.gap += bar,
        ContactSignal::Point(k) => return bars.point_w[k] += bar,
        ContactSignal::Normal(k) => return bars.normal_w[k] += bar,
        ContactSignal::Coefficient => return bars.material.friction += bar,
        ContactSignal::Restitution => return bars.material.restitution += bar,
        ContactSignal::Rate | ContactSignal::Parting | ContactSignal::Slide(_) => {
            (contact.velocity_w, &mut bars.velocity_w)
        }
        ContactSignal::Speed => {
            // At rest the direction counts as zero, as in the derivative of a norm.
            let direction = sliding(contact).normalized_or(Vec3::ZERO) * bar;
            let parting = contact.velocity_w.dot(contact.normal_w);
            let across = direction.dot(contact.normal_w);
            bars.velocity_w += contact.normal_w.neg_scale_add(across, direction);
            bars.normal_w -= direction.scale_add(parting, contact.velocity_w * across);
            return;
        }
        ContactSignal::NormalForce | ContactSignal::Friction(_) => {
            (contact.force_w, &mut bars.force_w)
        }
    };
    *vector_bar = contact_frame(contact.normal_w).cols[k].scale_add(bar, *vector_bar);
    bars.normal_w += column_vjp(contact.normal_w, k, vector * bar);
}

/// The relative velocity without its part along the normal [m/s].
#[inline(always)]
fn sliding<S: Scalar>(contact: &Contact<S>) -> Vec3<S> {
    let parting = contact.velocity_w.dot(contact.normal_w);
    contact.normal_w.neg_scale_add(parting, contact.velocity_w)
}

/// The cotangent of a normal from that of a column of its frame.
#[inline(always)]
fn column_vjp<S: Scalar>(normal: Vec3<S>, k: usize, bar: Vec3<S>) -> Vec3<S> {
    let mut frame_bar = Mat3 { cols: [Vec3::ZERO; 3] };
    frame_bar.cols[k] = bar;
    contact_frame_vjp(normal, &frame_bar)
}

/// The share of a force that is added at a contact. At a rigid contact it is 1 where the shapes touch, and falls to 0 at
/// the gap `fade`: contacts are listed before bodies touch. Else it is 1 where the contact is live.
#[inline(always)]
fn touching<S: Scalar>(contact: &Contact<S>, fade: f64) -> S {
    if contact.law == ContactLaw::Compliant {
        return live(contact);
    }
    let left = (S::from_f64(fade) - contact.gap) * S::from_f64(1.0 / fade);
    contact.gap.select_le(S::ZERO, S::ONE, S::ZERO.select_lt(left, left, S::ZERO))
}

/// Adjoint of [`touching`]: the cotangent of the gap.
#[inline(always)]
fn touching_vjp<S: Scalar>(contact: &Contact<S>, fade: f64, bar: S) -> S {
    if contact.law == ContactLaw::Compliant {
        return S::ZERO;
    }
    let slope = bar * S::from_f64(-1.0 / fade);
    let near = contact.gap.select_lt(S::from_f64(fade), slope, S::ZERO);
    contact.gap.select_le(S::ZERO, S::ZERO, near)
}

pub(crate) struct AtContact<'a, S> {
    pub(crate) contact: &'a mut Contact<S>,
    /// For the stage of forces, the gap at which they have faded to zero [m].
    pub(crate) fade: Option<f64>,
}

impl<S: Scalar> Place<S> for AtContact<'_, S> {
    fn read(&self, signal: Signal) -> S {
        S::vectorised(
            #[inline(always)]
            || read_contact(self.contact, of_contact(signal)) * live(self.contact),
        )
    }

    fn live(&self) -> S {
        self.fade.map_or_else(|| live(self.contact), |fade| touching(self.contact, fade))
    }

    fn change(&mut self, signal: Signal, delta: S) -> Replaced<S> {
        S::vectorised(
            #[inline(always)]
            || change_contact(self.contact, of_contact(signal), delta),
        )
    }
}

#[inline(always)]
fn change_contact<S: Scalar>(
    contact: &mut Contact<S>,
    signal: ContactSignal,
    delta: S,
) -> Replaced<S> {
    let (k, sign) = column(signal);
    let along = contact_frame(contact.normal_w).cols[k] * (delta * sign);
    let replaced = replaced_of_contact(contact, signal);
    match signal {
        ContactSignal::Gap => contact.gap += delta,
        ContactSignal::Point(k) => contact.point_w[k] += delta,
        ContactSignal::Normal(k) => contact.normal_w = tilted(contact.normal_w, k, delta),
        // Static friction keeps its distance above the coefficient.
        ContactSignal::Coefficient => {
            contact.material.friction += delta;
            contact.material.static_friction += delta;
        }
        ContactSignal::Restitution => contact.material.restitution += delta,
        ContactSignal::Rate | ContactSignal::Slide(_) => contact.velocity_w += along,
        ContactSignal::NormalForce | ContactSignal::Friction(_) => contact.force_w += along,
        ContactSignal::Parting | ContactSignal::Speed => only_read(signal),
    }
    replaced
}

/// What a change of a signal replaces.
#[inline(always)]
fn replaced_of_contact<S: Scalar>(contact: &Contact<S>, signal: ContactSignal) -> Replaced<S> {
    let material = &contact.material;
    match signal {
        ContactSignal::Gap => Replaced::Number(contact.gap),
        ContactSignal::Point(_) => Replaced::Vector(contact.point_w),
        ContactSignal::Normal(_) => Replaced::Vector(contact.normal_w),
        ContactSignal::Coefficient => {
            Replaced::Vector(Vec3::new(material.friction, material.static_friction, S::ZERO))
        }
        ContactSignal::Restitution => Replaced::Number(material.restitution),
        ContactSignal::Rate | ContactSignal::Slide(_) => Replaced::Vector(contact.velocity_w),
        ContactSignal::NormalForce | ContactSignal::Friction(_) => {
            Replaced::Vector(contact.force_w)
        }
        ContactSignal::Parting | ContactSignal::Speed => only_read(signal),
    }
}

/// A normal with one component changed, normalised again; a change of zero leaves it unchanged.
#[inline(always)]
fn tilted<S: Scalar>(normal: Vec3<S>, k: usize, delta: S) -> Vec3<S> {
    let mut moved = normal;
    moved[k] += delta;
    normal + (moved.normalized_or(normal) - normal.normalized_or(normal))
}

/// The cotangent of a vector from that of its direction.
#[inline(always)]
fn direction_vjp<S: Scalar>(vector: Vec3<S>, bar: Vec3<S>) -> Vec3<S> {
    let direction = vector.normalized_or(Vec3::Z);
    direction.neg_scale_add(direction.dot(bar), bar) * vector.norm().recip()
}

pub(crate) struct AtContactBack<'a, S> {
    pub(crate) contact: &'a mut Contact<S>,
    pub(crate) fade: Option<f64>,
    pub(crate) bars: &'a mut ContactCotangents<S>,
}

impl<S: Scalar> Back<S> for AtContactBack<'_, S> {
    fn live(&self) -> S {
        self.fade.map_or_else(|| live(self.contact), |fade| touching(self.contact, fade))
    }

    fn live_vjp(&mut self, bar: S) {
        if let Some(fade) = self.fade {
            self.bars.gap += touching_vjp(self.contact, fade, bar);
        }
    }

    fn read_vjp(&mut self, signal: Signal, bar: S) {
        S::vectorised(
            #[inline(always)]
            || {
                let bar = bar * live(self.contact);
                read_contact_vjp(self.contact, of_contact(signal), bar, self.bars);
            },
        );
    }

    fn change_vjp(&mut self, signal: Signal, delta: S, replaced: &Replaced<S>) -> S {
        S::vectorised(
            #[inline(always)]
            || change_contact_vjp(self.contact, self.bars, of_contact(signal), delta, replaced),
        )
    }
}

#[inline(always)]
fn change_contact_vjp<S: Scalar>(
    contact: &mut Contact<S>,
    bars: &mut ContactCotangents<S>,
    signal: ContactSignal,
    delta: S,
    replaced: &Replaced<S>,
) -> S {
    let (k, sign) = column(signal);
    let axis = contact_frame(contact.normal_w).cols[k] * sign;
    let normal = contact.normal_w;
    let (vector, vector_bar) = match signal {
        ContactSignal::Gap => {
            contact.gap = replaced.number();
            return bars.gap;
        }
        ContactSignal::Point(k) => {
            contact.point_w = replaced.vector();
            return bars.point_w[k];
        }
        ContactSignal::Normal(k) => {
            let before = replaced.vector();
            let mut moved = before;
            moved[k] += delta;
            let by_moved = direction_vjp(moved, bars.normal_w);
            bars.normal_w += by_moved - direction_vjp(before, bars.normal_w);
            contact.normal_w = before;
            return by_moved[k];
        }
        ContactSignal::Coefficient => {
            let before = replaced.vector();
            (contact.material.friction, contact.material.static_friction) = (before.x, before.y);
            return bars.material.friction + bars.material.static_friction;
        }
        ContactSignal::Restitution => {
            contact.material.restitution = replaced.number();
            return bars.material.restitution;
        }
        ContactSignal::Rate | ContactSignal::Slide(_) => (&mut contact.velocity_w, bars.velocity_w),
        ContactSignal::NormalForce | ContactSignal::Friction(_) => {
            (&mut contact.force_w, bars.force_w)
        }
        ContactSignal::Parting | ContactSignal::Speed => only_read(signal),
    };
    *vector = replaced.vector();
    bars.normal_w += column_vjp(normal, k, vector_bar * (delta * sign));
    axis.dot(vector_bar)
}

// --- forces on links ----------------------------------------------------------------------------

pub(crate) struct Wrenches<'a, S> {
    pub(crate) kin: &'a Kinematics<S>,
    pub(crate) external: &'a mut [Force<S>],
}

/// For a force on a link: the link, whether it is a torque, the axis, and whether that is the link's own.
fn of_wrench(signal: Signal) -> (usize, bool, usize, bool) {
    match signal {
        Signal::Force(link, k) => (link.index(), false, k, false),
        Signal::Torque(link, k) => (link.index(), true, k, false),
        Signal::LocalForce(link, k) => (link.index(), false, k, true),
        Signal::LocalTorque(link, k) => (link.index(), true, k, true),
        _ => misplaced(signal),
    }
}

fn unit<S: Scalar>(k: usize) -> Vec3<S> {
    Mat3::IDENTITY.cols[k]
}

impl<S: Scalar> Wrenches<'_, S> {
    fn axis(&self, signal: Signal) -> Vec3<S> {
        let (link, _, k, local) = of_wrench(signal);
        if local { self.kin.bodies[link].rot_wb.cols[k] } else { unit(k) }
    }
}

impl<S: Scalar> Place<S> for Wrenches<'_, S> {
    fn read(&self, signal: Signal) -> S {
        let (link, torque, ..) = of_wrench(signal);
        let Force { ang, lin } = self.external[link];
        self.axis(signal).dot(if torque { ang } else { lin })
    }

    fn change(&mut self, signal: Signal, delta: S) -> Replaced<S> {
        let (link, torque, ..) = of_wrench(signal);
        let along = self.axis(signal) * delta;
        let Force { ang, lin } = &mut self.external[link];
        let x = if torque { ang } else { lin };
        let before = *x;
        *x += along;
        Replaced::Vector(before)
    }

    fn push(&mut self, [a, b]: [LinkId; 2], force: Vec3<S>, torque: Vec3<S>) -> Replaced<S> {
        let half = half_way(self.kin, [a, b]);
        let moment = half.cross(force);
        let before = [self.external[a.index()], self.external[b.index()]];
        self.external[a.index()] += Force::new(moment + torque, force);
        self.external[b.index()] += Force::new(moment - torque, -force);
        Replaced::Forces(before)
    }
}

/// Half the vector from one link's origin to another's.
fn half_way<S: Scalar>(kin: &Kinematics<S>, [a, b]: [LinkId; 2]) -> Vec3<S> {
    (kin.bodies[b.index()].pos_w - kin.bodies[a.index()].pos_w) * S::from_f64(0.5)
}

pub(crate) struct WrenchesBack<'a, S> {
    pub(crate) kin: &'a Kinematics<S>,
    pub(crate) external: &'a mut [Force<S>],
    pub(crate) bars: &'a mut [Motion<S>],
    pub(crate) kin_bar: &'a mut KinematicsCotangents<S>,
}

impl<S: Scalar> Back<S> for WrenchesBack<'_, S> {
    fn read_vjp(&mut self, signal: Signal, bar: S) {
        let (link, torque, k, local) = of_wrench(signal);
        let Force { ang, lin } = self.external[link];
        let x = if torque { ang } else { lin };
        let axis = if local { self.kin.bodies[link].rot_wb.cols[k] } else { unit(k) };
        let Motion { ang, lin } = &mut self.bars[link];
        *(if torque { ang } else { lin }) += axis * bar;
        if local {
            let turn = &mut self.kin_bar.bodies[link].turn_w;
            *turn = axis.cross_add(x * bar, *turn);
        }
    }

    fn change_vjp(&mut self, signal: Signal, delta: S, replaced: &Replaced<S>) -> S {
        let (link, torque, k, local) = of_wrench(signal);
        let axis = if local { self.kin.bodies[link].rot_wb.cols[k] } else { unit(k) };
        let Motion { ang, lin } = self.bars[link];
        let x_bar = if torque { ang } else { lin };
        let Force { ang, lin } = &mut self.external[link];
        *(if torque { ang } else { lin }) = replaced.vector();
        if local {
            let turn = &mut self.kin_bar.bodies[link].turn_w;
            *turn = axis.cross_add(x_bar * delta, *turn);
        }
        axis.dot(x_bar)
    }

    fn push_vjp(
        &mut self,
        [a, b]: [LinkId; 2],
        force: Vec3<S>,
        replaced: &Replaced<S>,
    ) -> (Vec3<S>, Vec3<S>) {
        let half = half_way(self.kin, [a, b]);
        match replaced {
            Replaced::Forces([on_a, on_b]) => {
                self.external[a.index()] = *on_a;
                self.external[b.index()] = *on_b;
            }
            _ => misrestored(),
        }
        let (on_a, on_b) = (self.bars[a.index()], self.bars[b.index()]);
        let moment_bar = on_a.ang + on_b.ang;
        let way_bar = force.cross(moment_bar) * S::from_f64(0.5);
        self.kin_bar.bodies[a.index()].pos_w -= way_bar;
        self.kin_bar.bodies[b.index()].pos_w += way_bar;
        (moment_bar.cross(half) + on_a.lin - on_b.lin, on_a.ang - on_b.ang)
    }
}
