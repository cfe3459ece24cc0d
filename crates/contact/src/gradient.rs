//! How impulses are differentiated, and the cotangents of a problem.

use gradbody_math::{Carried, Scalar, Sym3, Vec3};

use crate::Problem;

/// What the derivative of contact impulses is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ContactGradient {
    /// Of the conditions that the impulses satisfy, where they stand: which contacts press, stick or
    /// slide stays as it is. Exact where the solver has converged; the cheapest.
    #[default]
    Implicit,
    /// Of the sweeps that were made, walked backwards one by one: exact whether they converged or
    /// not. Of solvers that do not sweep it is the implicit one.
    Unrolled,
    /// As the implicit one, but contacts about to press, part, stick or slide do both in part, so
    /// that a gradient sees them: over velocities of about `kappa`. Not the derivative of anything
    /// that was computed: a direction to search in.
    Smoothed {
        /// The velocity over which contacts change [m/s].
        kappa: f64,
    },
}

/// Cotangents of a [`Problem`]: what its solution depends on.
#[derive(Clone, Debug, Default)]
pub struct ProblemCotangents<S> {
    /// Of the rows of contacts.
    pub contacts: Vec<ContactRowCotangents<S>>,
    /// Of the rows of joints.
    pub joints: Vec<JointRowCotangents<S>>,
    /// Of G, in the order of the problem's own; of the sweeps alone.
    pub(crate) triples: Vec<Vec3<S>>,
    pub(crate) singles: Vec<S>,
    /// Whether those of G are used.
    pub(crate) of_factors: bool,
}

/// Cotangents of the rows of a contact.
#[derive(Clone, Copy, Debug)]
pub struct ContactRowCotangents<S> {
    /// Of the impulse: at first of the result, then of what a warm start began with.
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

/// All but those of G and of the Delassus matrix, which are of the recorded sweeps.
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
    /// Begins with the cotangent `u` of u = Gᵀ λ: that of the impulses is G u; all others are zero.
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
