//! Products with the factors: G u, the velocities along rows for a given u, and Gᵀ x, the u of impulses x along rows.

use gradbody_math::{Scalar, Sym3, Vec3};

use super::{JointRow, Problem, Stretch, TurningRows};

impl<S: Scalar> Problem<S> {
    /// Velocities w along the rows of contact `i`.
    #[inline(always)]
    pub fn velocity(&self, i: usize) -> Vec3<S> {
        let rows = &self.contacts[i];
        let start = rows.impulse.scale_add(rows.cfm, rows.free);
        self.along(rows.coordinates, rows.factors, start)
    }

    /// Angular velocities along the turning rows of contact `i`.
    #[inline(always)]
    pub fn turning_velocity(&self, i: usize, turning: &TurningRows<S>) -> Vec3<S> {
        self.along(self.contacts[i].coordinates, turning.factors, turning.free)
    }

    /// Velocity along joint row `i`.
    #[inline(always)]
    pub fn joint_velocity(&self, i: usize) -> S {
        self.along_joint(&self.joints[i], self.joints[i].free)
    }

    /// The part of [`velocity`](Problem::velocity) that the impulses cause.
    pub(crate) fn response(&self, i: usize) -> Vec3<S> {
        let rows = &self.contacts[i];
        self.along(rows.coordinates, rows.factors, rows.impulse * rows.cfm)
    }

    /// The part of [`turning_velocity`](Problem::turning_velocity) that the impulses cause.
    pub(crate) fn turning_response(&self, i: usize, turning: &TurningRows<S>) -> Vec3<S> {
        self.along(self.contacts[i].coordinates, turning.factors, Vec3::ZERO)
    }

    /// The part of [`joint_velocity`](Problem::joint_velocity) that the impulses cause.
    pub(crate) fn joint_response(&self, i: usize) -> S {
        self.along_joint(&self.joints[i], S::ZERO)
    }

    /// Adds an impulse along the rows of contact `i`.
    #[inline(always)]
    pub fn push(&mut self, i: usize, impulse: Vec3<S>) {
        let rows = &mut self.contacts[i];
        rows.impulse += impulse;
        spread(
            rows.coordinates.of(&self.coordinates),
            rows.factors.of(&self.triples),
            impulse,
            &mut self.u,
        );
    }

    /// Adds an angular impulse along the turning rows of contact `i`, if it has any.
    #[inline(always)]
    pub fn twist(&mut self, i: usize, impulse: Vec3<S>) {
        let rows = &mut self.contacts[i];
        let Some(turning) = &mut rows.turning else { return };
        turning.impulse += impulse;
        spread(
            rows.coordinates.of(&self.coordinates),
            turning.factors.of(&self.triples),
            impulse,
            &mut self.u,
        );
    }

    /// Adds an impulse to joint row `i`.
    #[inline(always)]
    pub fn push_joint(&mut self, i: usize, impulse: S) {
        let row = &mut self.joints[i];
        row.impulse += impulse;
        let coordinates = row.coordinates.of(&self.coordinates);
        for (k, g) in coordinates.iter().zip(row.factors.of(&self.singles)) {
            self.u[*k as usize] = g.mul_add(impulse, self.u[*k as usize]);
        }
    }

    /// Adds Gᵀ (λ t) to `u`, where t is the time within the step at which a bounce begins; returns whether there is any
    /// bounce.
    #[inline(always)]
    pub fn delays(&self, u: &mut [S]) -> bool {
        let mut any = false;
        for (i, rows) in self.contacts.iter().enumerate() {
            if !rows.impact_time.is_zero() {
                any = true;
                self.contact_spread(i, rows.impulse * rows.impact_time, u);
                if let Some(turning) = &rows.turning {
                    self.turning_spread(i, turning.impulse * rows.impact_time, u);
                }
            }
        }
        any
    }

    /// G u of contact `i`, for any u.
    #[inline(always)]
    pub(crate) fn contact_along(&self, i: usize, u: &[S]) -> Vec3<S> {
        let rows = &self.contacts[i];
        self.sum(rows.coordinates, rows.factors, u, Vec3::ZERO)
    }

    /// G u of the turning rows of contact `i`, for any u; zero if there are none.
    #[inline(always)]
    pub(crate) fn turning_along(&self, i: usize, u: &[S]) -> Vec3<S> {
        let rows = &self.contacts[i];
        match &rows.turning {
            Some(turning) => self.sum(rows.coordinates, turning.factors, u, Vec3::ZERO),
            None => Vec3::ZERO,
        }
    }

    /// G u of joint row `i`, for any u.
    #[inline(always)]
    pub(crate) fn single_along(&self, i: usize, u: &[S]) -> S {
        self.sum_joint(&self.joints[i], u, S::ZERO)
    }

    /// Adds Gᵀ x of contact `i` to any u.
    #[inline(always)]
    pub(crate) fn contact_spread(&self, i: usize, x: Vec3<S>, u: &mut [S]) {
        let rows = &self.contacts[i];
        spread(rows.coordinates.of(&self.coordinates), rows.factors.of(&self.triples), x, u);
    }

    /// Adds Gᵀ x of the turning rows of contact `i`, if there are any.
    #[inline(always)]
    pub(crate) fn turning_spread(&self, i: usize, x: Vec3<S>, u: &mut [S]) {
        let rows = &self.contacts[i];
        let Some(turning) = &rows.turning else { return };
        spread(rows.coordinates.of(&self.coordinates), turning.factors.of(&self.triples), x, u);
    }

    /// Adds Gᵀ x of joint row `i` to any u.
    #[inline(always)]
    pub(crate) fn single_spread(&self, i: usize, x: S, u: &mut [S]) {
        let row = &self.joints[i];
        let coordinates = row.coordinates.of(&self.coordinates);
        for (k, g) in coordinates.iter().zip(row.factors.of(&self.singles)) {
            u[*k as usize] = g.mul_add(x, u[*k as usize]);
        }
    }

    #[inline(always)]
    fn along(&self, coordinates: Stretch, factors: Stretch, start: Vec3<S>) -> Vec3<S> {
        self.sum(coordinates, factors, &self.u, start)
    }

    #[inline(always)]
    fn along_joint(&self, row: &JointRow<S>, start: S) -> S {
        self.sum_joint(row, &self.u, start)
    }

    #[inline(always)]
    fn sum(&self, coordinates: Stretch, factors: Stretch, u: &[S], start: Vec3<S>) -> Vec3<S> {
        // Two sums, so that their additions can overlap.
        let (mut even, mut odd) = (start, Vec3::ZERO);
        let coordinates = coordinates.of(&self.coordinates);
        let factors = factors.of(&self.triples);
        let (pairs, last) = coordinates.as_chunks::<2>();
        let (factor_pairs, last_factor) = factors.as_chunks::<2>();
        for ([j, k], [g, h]) in pairs.iter().zip(factor_pairs) {
            even = g.scale_add(u[*j as usize], even);
            odd = h.scale_add(u[*k as usize], odd);
        }
        if let ([k], [g]) = (last, last_factor) {
            even = g.scale_add(u[*k as usize], even);
        }
        even + odd
    }

    #[inline(always)]
    fn sum_joint(&self, row: &JointRow<S>, u: &[S], start: S) -> S {
        let coordinates = row.coordinates.of(&self.coordinates);
        let mut sum = start;
        for (k, g) in coordinates.iter().zip(row.factors.of(&self.singles)) {
            sum = g.mul_add(u[*k as usize], sum);
        }
        sum
    }
}

/// G Gᵀ of three rows.
#[inline(always)]
pub(super) fn gram<S: Scalar>(factors: &[Vec3<S>]) -> Sym3<S> {
    let mut sum = Sym3::ZERO;
    for g in factors {
        sum.xx = g.x.mul_add(g.x, sum.xx);
        sum.yy = g.y.mul_add(g.y, sum.yy);
        sum.zz = g.z.mul_add(g.z, sum.zz);
        sum.xy = g.x.mul_add(g.y, sum.xy);
        sum.xz = g.x.mul_add(g.z, sum.xz);
        sum.yz = g.y.mul_add(g.z, sum.yz);
    }
    sum
}

#[inline(always)]
fn spread<S: Scalar>(coordinates: &[u32], factors: &[Vec3<S>], impulse: Vec3<S>, u: &mut [S]) {
    for (k, g) in coordinates.iter().zip(factors) {
        let u = &mut u[*k as usize];
        *u = g.x.mul_add(impulse.x, g.y.mul_add(impulse.y, g.z.mul_add(impulse.z, *u)));
    }
}
