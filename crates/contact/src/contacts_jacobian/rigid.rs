//! Rigid contacts: their impulses act at a point and along a frame, and so do the velocities they answer to.

use gradbody_math::{Force, Mat3, Vec3};

use super::change::{At, Change, Sides, carried, for_coordinates, push};
use super::{Bounces, ColumnsMut, ContactsAt};
use crate::problem::{ContactRows, contact_frame_vjp};
use crate::{CollideWork, ContactCotangents};

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
pub(super) fn rigid(
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
