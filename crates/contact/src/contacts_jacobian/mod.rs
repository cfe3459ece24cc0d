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

mod change;
mod compliant;
mod impulses;
mod rigid;
mod variation;

use gradbody_dynamics::{Chains, Kinematics, SpatialAxes, TreeMotion};
use gradbody_model::{ContactLaw, Model};

use crate::contact::CONTACTS_PER_SHAPE;
use crate::joint_rows::POSITION_GAIN;
use crate::problem::GapOf;
use crate::solver::{HuntCrossley, ImpulseSlopes, Rows};
use crate::{CollideWork, Collisions, Demands, JointRow, Problem, StopKind};

pub use impulses::impulse_columns;

use compliant::compliant;
use rigid::rigid;

/// Buffers of [`contact_columns`] and [`impulse_columns`].
#[derive(Clone, Debug)]
pub struct ContactColumnsWork {
    /// The derivative of impulses. Written by [`Solver::impulse_slopes`](crate::Solver::impulse_slopes).
    pub slopes: ImpulseSlopes,
    /// β, a row for each row of `slopes`, with as many numbers as a row of the Jacobian.
    changes: Vec<f64>,
    /// dλ, in the same shape.
    impulses: Vec<f64>,
    /// The residual of dλ, in the same shape.
    rest: Vec<f64>,
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
        let numbers = || Vec::with_capacity(slopes.most_rows * columns.next_multiple_of(8));
        ContactColumnsWork {
            changes: numbers(),
            impulses: numbers(),
            rest: numbers(),
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
