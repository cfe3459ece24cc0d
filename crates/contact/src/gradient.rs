//! Kinds of derivatives of contact impulses, and the cotangents of a problem.

use gradbody_math::{Carried, Scalar, Sym3, Vec3};

use crate::Problem;

/// Which derivative of contact impulses is used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ContactGradient {
    /// The derivative of the conditions that the impulses satisfy, with the contacts that press, stick or slide held
    /// fixed. Exact where the solver has converged; the cheapest.
    #[default]
    Implicit,
    /// The derivative of the sweeps that were made, one by one backwards: exact whether they converged or not. Rollouts
    /// for it are solved by sweeps alone, so simulate with [`Ncp::rounds`](crate::Ncp::rounds) 0 to see the same motion.
    /// For solvers without sweeps it is the implicit one.
    Unrolled,
    /// Like the implicit one, but smoothed over velocities of about `kappa`: contacts close to a change between
    /// pressing and parting, or sticking and sliding, count partly as both. It is not the derivative of anything that
    /// was computed, but a direction to search in.
    Smoothed {
        /// The velocity over which contacts change [m/s].
        kappa: f64,
    },
}

/// Cotangents of the quantities that the solution of a [`Problem`] depends on.
#[derive(Clone, Debug, Default)]
pub struct ProblemCotangents<S> {
    /// Of the rows of contacts.
    pub contacts: Vec<ContactRowCotangents<S>>,
    /// Of the rows of joints.
    pub joints: Vec<JointRowCotangents<S>>,
    /// Of G, in the order of the problem's own; only for unrolled sweeps.
    pub(crate) triples: Vec<Vec3<S>>,
    pub(crate) singles: Vec<S>,
    /// Whether the cotangents of G are used.
    pub(crate) of_factors: bool,
}

/// Cotangents of the rows of a contact.
#[derive(Clone, Copy, Debug)]
pub struct ContactRowCotangents<S> {
    /// Of the impulse: first of the solution, then of the impulse that a warm start began with.
    pub impulse: Vec3<S>,
    /// Of the velocity without impulses.
    pub free: Vec3<S>,
    /// Of the coefficient of friction.
    pub friction: S,
    /// Of the constraint force mixing.
    pub cfm: S,
    /// Of the block of the Delassus matrix.
    pub(crate) delassus: Sym3<S>,
    /// Of the turning rows, if there are any.
    pub turning: TurningRowCotangents<S>,
}

/// Cotangents of the turning rows of a contact.
#[derive(Clone, Copy, Debug)]
pub struct TurningRowCotangents<S> {
    /// Of the angular impulse.
    pub impulse: Vec3<S>,
    /// Of the angular velocity without impulses.
    pub free: Vec3<S>,
    /// Of torsional friction.
    pub torsional: S,
    /// Of rolling friction.
    pub rolling: S,
}

/// Cotangents of the row of a joint.
#[derive(Clone, Copy, Debug)]
pub struct JointRowCotangents<S> {
    /// Of the impulse.
    pub impulse: S,
    /// Of the velocity without impulses.
    pub free: S,
    /// Of the least impulse.
    pub lower: S,
    /// Of the largest impulse.
    pub upper: S,
}

/// All but the cotangents of G and of the Delassus matrix, which belong to recorded sweeps.
impl<S: Scalar> Carried<S> for ProblemCotangents<S> {
    fn each(&mut self, visit: &mut dyn FnMut(&mut S)) {
        for bar in &mut self.contacts {
            let turning = &mut bar.turning;
            [&mut bar.impulse, &mut bar.free, &mut turning.impulse, &mut turning.free]
                .into_iter()
                .for_each(|v| v.each(visit));
            [&mut bar.friction, &mut bar.cfm, &mut turning.torsional, &mut turning.rolling]
                .into_iter()
                .for_each(&mut *visit);
        }
        for bar in &mut self.joints {
            [&mut bar.impulse, &mut bar.free, &mut bar.lower, &mut bar.upper]
                .into_iter()
                .for_each(&mut *visit);
        }
    }
}

impl<S: Scalar> ProblemCotangents<S> {
    /// Starts from the cotangent `u` of u = Gᵀ λ: that of the impulses is G u; all others are zero.
    #[inline(always)]
    pub fn begin(&mut self, problem: &Problem<S>, u: &[S]) {
        self.of_factors = false;
        self.contacts.clear();
        for i in 0..problem.contacts.len() {
            let turning = TurningRowCotangents {
                impulse: problem.turning_along(i, u),
                free: Vec3::ZERO,
                torsional: S::ZERO,
                rolling: S::ZERO,
            };
            self.contacts.push(ContactRowCotangents {
                impulse: problem.contact_along(i, u),
                free: Vec3::ZERO,
                friction: S::ZERO,
                cfm: S::ZERO,
                delassus: Sym3::ZERO,
                turning,
            });
        }
        self.joints.clear();
        self.joints.extend((0..problem.joints.len()).map(|i| JointRowCotangents {
            impulse: problem.single_along(i, u),
            free: S::ZERO,
            lower: S::ZERO,
            upper: S::ZERO,
        }));
    }
}
