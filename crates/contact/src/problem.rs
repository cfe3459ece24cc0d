//! The contact problem: which impulses at the contacts make the velocities right.
//!
//! Unknown are the impulses λ, in *rows*: three for each rigid contact (along its normal and two
//! tangents), three more where it resists turning (about them), and one for each joint that is at its
//! limit or held by friction. The velocities along the rows after the step are
//!
//! ```text
//!   w = b + (G Gᵀ + R) λ
//! ```
//!
//! with b from the velocities without contact, less what they should be; R the constraint force
//! mixing; and the Delassus matrix J M⁻¹ Jᵀ = G Gᵀ in the factors of [`response_factors`]. It is
//! never formed: a solver keeps `u = Gᵀ λ`, and reads w off it. So a sweep over all rows costs as much
//! as there are contacts, and stays so when bodies become many.
//!
//! Rows of other kinds (closed loops) join as one more list with factors of its own.

use gradbody_dynamics::{
    AbaWork, Kinematics, Pull, Response, joint_response_factors, response_factors,
};
use gradbody_math::{Force, Mat3, Motion, Scalar, Sym3, Vec3};
use gradbody_model::{ContactLaw, LinkId, Model, Topology};

use crate::contact::CONTACTS_PER_SHAPE;
use crate::geometry::FAR;
use crate::{Contact, ContactCotangents, JointStop, StopKind};

/// The rows of one step, and their impulses.
#[derive(Clone, Debug)]
pub struct Problem<S> {
    /// Rows of contacts.
    pub contacts: Vec<ContactRows<S>>,
    /// Rows of joints.
    pub joints: Vec<JointRow<S>>,
    /// Velocity coordinates that each group of rows can move, one list after the other.
    pub(crate) coordinates: Vec<u32>,
    /// G of contacts: three rows at each of their coordinates.
    pub(crate) triples: Vec<Vec3<S>>,
    /// G of joints: a row at each of its coordinates.
    pub(crate) singles: Vec<S>,
    /// u = Gᵀ λ, (nv). Kept by the solvers.
    pub u: Vec<S>,
    /// 1 in lanes that are to be solved, else 0.
    pub live: S,
    /// 1 in lanes where the solver did not get near a solution, else 0. Written by the solvers.
    pub unsolved: S,
    /// 1 in lanes where sweeps took over from pivots that had gone astray, else 0.
    pub(crate) swept: S,
}

/// A stretch of one of the lists.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stretch {
    from: u32,
    to: u32,
}

impl Stretch {
    #[inline(always)]
    pub(crate) fn of<T>(self, list: &[T]) -> &[T] {
        &list[self.from as usize..self.to as usize]
    }

    #[inline(always)]
    pub(crate) fn of_mut<T>(self, list: &mut [T]) -> &mut [T] {
        &mut list[self.from as usize..self.to as usize]
    }
}

/// The rows of a contact. Vectors along rows are (normal, tangent, other tangent).
#[derive(Clone, Copy, Debug)]
pub struct ContactRows<S> {
    /// Which contact.
    pub contact: usize,
    /// Normal and tangents in the world, as columns.
    pub frame_w: Mat3<S>,
    /// b: velocity along the rows without impulses, less what it should be [m/s].
    pub free: Vec3<S>,
    /// The least normal velocity it should have [m/s].
    pub demand: S,
    /// 1 in lanes where a demand to part was dropped, else 0.
    pub(crate) forgone: S,
    /// Of a bounce: when within the step the bodies touch [s]; else zero.
    pub(crate) impact_time: S,
    /// Its own block of the Delassus matrix, R included [1/kg].
    pub delassus: Sym3<S>,
    /// R [1/kg].
    pub cfm: S,
    /// Coefficient of friction.
    pub friction: S,
    /// Impulse of a on b along the rows [N s].
    pub impulse: Vec3<S>,
    /// Rows about the same directions, if it resists turning.
    pub turning: Option<TurningRows<S>>,
    pub(crate) coordinates: Stretch,
    pub(crate) factors: Stretch,
}

/// The rows of a contact about its normal and tangents.
#[derive(Clone, Copy, Debug)]
pub struct TurningRows<S> {
    /// b: relative angular velocity without impulses [rad/s].
    pub free: Vec3<S>,
    /// Diagonal of its block of the Delassus matrix [1/(kg m²)].
    pub delassus: Vec3<S>,
    /// Torsional friction [m].
    pub torsional: S,
    /// Rolling friction [m].
    pub rolling: S,
    /// Angular impulse of a on b about the directions [N m s].
    pub impulse: Vec3<S>,
    pub(crate) factors: Stretch,
}

/// The row of one velocity coordinate of a joint.
#[derive(Clone, Copy, Debug)]
pub struct JointRow<S> {
    /// What holds it.
    pub stop: JointStop,
    /// Which velocity coordinate of the model.
    pub coordinate: usize,
    /// b: its velocity without impulses, less what it should be.
    pub free: S,
    /// The velocity it should have.
    pub demand: S,
    /// 1 in lanes where a demand to go back was dropped, else 0.
    pub(crate) forgone: S,
    /// Its entry of the Delassus matrix.
    pub delassus: S,
    /// The least impulse.
    pub lower: S,
    /// The largest impulse.
    pub upper: S,
    /// The impulse.
    pub impulse: S,
    pub(crate) coordinates: Stretch,
    pub(crate) factors: Stretch,
}

impl<S> JointRow<S> {
    /// A number that identifies the row and grows with its place among the others.
    pub(crate) fn key(&self) -> u32 {
        3 * self.coordinate as u32 + self.stop.kind as u32
    }
}

/// What turns velocities into the demands of rows.
#[derive(Clone, Copy, Debug)]
pub struct Demands<S> {
    /// Time step [s].
    pub dt: S,
    /// Whether derivatives know when within the step a bounce begins.
    pub impact_times: bool,
    /// Approach speed from which on an impact bounces [m/s].
    pub bounce_speed: S,
    /// Penetration that is left alone [m, rad].
    pub slop: S,
    /// Largest speed at which bodies that are inside each other are pushed apart, and joints back
    /// into their range [m/s, rad/s].
    pub recovery_speed: S,
}

/// A robot in some state without contact forces: what rows are computed from.
#[derive(Clone, Copy, Debug)]
pub struct FreeMotion<'a, S> {
    /// The model.
    pub model: &'a Model<S>,
    /// Poses at the start of the step.
    pub kin: &'a Kinematics<S>,
    /// The forward dynamics of the step.
    pub aba: &'a AbaWork<S>,
    /// Prepared for it.
    pub response: &'a Response<S>,
    /// Motions of the links at the end of the step, were there no contacts.
    pub motions_w: &'a [Motion<S>],
}

impl<S: Scalar> Problem<S> {
    /// Buffers for a model.
    pub fn new(model: &Model<S>) -> Self {
        let topology = &model.topology;
        let contacts = CONTACTS_PER_SHAPE * topology.shapes.len();
        let deep = deepest(topology);
        let turns = topology.shapes.iter().any(|s| s.resists_turning)
            || topology.contact_pairs.iter().any(|p| p.resists_turning);
        Problem {
            contacts: Vec::with_capacity(contacts),
            joints: Vec::with_capacity(3 * model.nv()),
            coordinates: Vec::with_capacity(2 * deep * contacts + 3 * deep * model.nv()),
            triples: Vec::with_capacity(2 * deep * contacts * if turns { 2 } else { 1 }),
            singles: Vec::with_capacity(3 * deep * model.nv()),
            u: vec![S::ZERO; model.nv()],
            live: S::ONE,
            unsolved: S::ZERO,
            swept: S::ZERO,
        }
    }

    /// No rows.
    pub fn clear(&mut self) {
        self.contacts.clear();
        self.joints.clear();
        self.coordinates.clear();
        self.triples.clear();
        self.singles.clear();
        self.u.fill(S::ZERO);
        self.live = S::ONE;
        self.unsolved = S::ZERO;
        self.swept = S::ZERO;
    }

    /// Whether there is nothing to solve.
    pub fn is_empty(&self) -> bool {
        self.contacts.is_empty() && self.joints.is_empty()
    }

    /// Adds the rows of all rigid contacts.
    #[inline(always)]
    pub fn add_contacts(
        &mut self,
        free: &FreeMotion<'_, S>,
        contacts: &[Contact<S>],
        demands: &Demands<S>,
    ) {
        for (i, contact) in contacts.iter().enumerate() {
            if contact.law == ContactLaw::Rigid {
                self.add_contact(free, i, contact, demands);
            }
        }
    }

    #[inline(always)]
    fn add_contact(
        &mut self,
        free: &FreeMotion<'_, S>,
        index: usize,
        contact: &Contact<S>,
        demands: &Demands<S>,
    ) {
        let frame_w = contact_frame(contact.normal_w);
        let point = contact.point_w;
        let from = self.coordinates.len() as u32;
        let factors = self.triple(
            free,
            contact,
            |origin_w, direction| Force {
                ang: (point - origin_w).cross(direction),
                lin: direction,
            },
            &frame_w,
            true,
        );
        let coordinates = Stretch { from, to: self.coordinates.len() as u32 };
        let motion = free.motion_at(contact.link_b, point) - free.motion_at(contact.link_a, point);
        let mut velocity = frame_w.transpose() * motion.lin;
        let demand = demands.normal_velocity(contact, velocity.x);
        let impact_time = demands.impact_time(contact, velocity.x);
        velocity.x -= demand;
        let cfm = contact.material.cfm;
        let turning = if contact.resists_turning {
            let factors = self.triple(
                free,
                contact,
                |_, direction| Force { ang: direction, lin: Vec3::ZERO },
                &frame_w,
                false,
            );
            let Sym3 { xx, yy, zz, .. } = gram(factors.of(&self.triples));
            Some(TurningRows {
                free: frame_w.transpose() * motion.ang,
                delassus: Vec3::new(xx, yy, zz),
                torsional: contact.material.torsional_friction,
                rolling: contact.material.rolling_friction,
                impulse: Vec3::ZERO,
                factors,
            })
        } else {
            None
        };
        self.contacts.push(ContactRows {
            contact: index,
            frame_w,
            free: velocity,
            demand,
            forgone: S::ZERO,
            impact_time,
            delassus: gram(factors.of(&self.triples)) + Sym3::diagonal(Vec3::new(cfm, cfm, cfm)),
            cfm,
            friction: contact.material.friction,
            impulse: Vec3::ZERO,
            turning,
            coordinates,
            factors,
        });
    }

    /// G of the three directions of a contact's frame; `force` is a unit force (or torque) along a
    /// direction, at the origin of a link.
    #[inline(always)]
    fn triple(
        &mut self,
        free: &FreeMotion<'_, S>,
        contact: &Contact<S>,
        force: impl Fn(Vec3<S>, Vec3<S>) -> Force<S>,
        frame_w: &Mat3<S>,
        with_coordinates: bool,
    ) -> Stretch {
        let pull = |link: Option<LinkId>, sign: S| {
            let origin = match link {
                Some(link) => free.kin.bodies[link.index()].pos_w,
                None => Vec3::ZERO,
            };
            let [n, s, t] = frame_w.cols;
            let forces =
                [force(origin, n * sign), force(origin, s * sign), force(origin, t * sign)];
            Pull { link, forces }
        };
        let pulls = [pull(contact.link_a, -S::ONE), pull(contact.link_b, S::ONE)];
        let from = self.triples.len() as u32;
        let FreeMotion { model, kin, aba, response, .. } = *free;
        response_factors(model, kin, aba, response, pulls, |k, [n, s, t]| {
            if with_coordinates {
                self.coordinates.push(k as u32);
            }
            self.triples.push(Vec3::new(n, s, t));
        });
        Stretch { from, to: self.triples.len() as u32 }
    }

    /// Adds the row of a joint stop: at velocity `free` where it should have `demand`, with an impulse
    /// between `lower` and `upper`.
    #[inline(always)]
    pub fn add_joint(
        &mut self,
        motion: &FreeMotion<'_, S>,
        stop: JointStop,
        free: S,
        demand: S,
        (lower, upper): (S, S),
    ) {
        let FreeMotion { model, kin, aba, response, .. } = *motion;
        let (c, f) = (self.coordinates.len() as u32, self.singles.len() as u32);
        let JointStop { link, index, .. } = stop;
        joint_response_factors(model, kin, aba, response, link, index, |k, [g]| {
            self.coordinates.push(k as u32);
            self.singles.push(g);
        });
        let factors = Stretch { from: f, to: self.singles.len() as u32 };
        let delassus = factors.of(&self.singles).iter().fold(S::ZERO, |sum, g| g.mul_add(*g, sum));
        self.joints.push(JointRow {
            stop,
            coordinate: model.topology.links[link.index()].joint.v_start + index,
            free: free - demand,
            demand,
            forgone: S::ZERO,
            delassus,
            lower,
            upper,
            impulse: S::ZERO,
            coordinates: Stretch { from: c, to: self.coordinates.len() as u32 },
            factors,
        });
    }

    /// Starts anew in the lanes that are unsolved, and leaves the others as they are.
    pub(crate) fn restart(&mut self) {
        let keep = S::ONE - self.unsolved;
        for rows in &mut self.contacts {
            rows.impulse = rows.impulse * keep;
            if let Some(turning) = &mut rows.turning {
                turning.impulse = turning.impulse * keep;
            }
        }
        self.joints.iter_mut().for_each(|row| row.impulse *= keep);
        self.u.iter_mut().for_each(|u| *u *= keep);
        self.live = self.unsolved;
    }

    /// Drops the demands that push bodies apart, in the lanes that are unsolved: bodies may be wedged,
    /// and then no impulses satisfy all of these. That bodies do not come closer can always be
    /// satisfied: by standing still.
    pub(crate) fn forgo_recovery(&mut self) {
        let drop = self.unsolved;
        for rows in &mut self.contacts {
            let push = rows.demand.max(S::ZERO) * drop;
            rows.forgone = S::ZERO.select_lt(push, S::ONE, S::ZERO);
            rows.free.x += push;
            rows.demand -= push;
        }
        for row in &mut self.joints {
            let away = if row.stop.kind == StopKind::Upper { -S::ONE } else { S::ONE };
            let push = (row.demand * away).max(S::ZERO) * away * drop;
            row.forgone = S::ZERO.select_lt(push.abs(), S::ONE, S::ZERO);
            row.free += push;
            row.demand -= push;
        }
    }

    /// Writes the average forces over a step of `dt` to the contacts.
    #[inline(always)]
    pub fn write_forces(&self, contacts: &mut [Contact<S>], dt: S) {
        let rate = dt.recip();
        for rows in &self.contacts {
            let contact = &mut contacts[rows.contact];
            contact.force_w = rows.frame_w * (rows.impulse * rate);
            if let Some(turning) = &rows.turning {
                contact.torque_w = rows.frame_w * (turning.impulse * rate);
            }
        }
    }

    /// Adds Gᵀ (λ t) to `u`, with t the time within the step at which a bounce begins; gives whether
    /// there is any.
    #[inline(always)]
    pub fn delays(&self, u: &mut [S]) -> bool {
        let mut any = false;
        for (i, rows) in self.contacts.iter().enumerate() {
            if rows.impact_time != S::ZERO {
                any = true;
                self.contact_spread(i, rows.impulse * rows.impact_time, u);
                if let Some(turning) = &rows.turning {
                    self.turning_spread(i, turning.impulse * rows.impact_time, u);
                }
            }
        }
        any
    }

    /// Energy that the impulses brought into the motion; negative if they took it out [J]. Of a step
    /// with implicit damping the damping counts as inertia.
    pub fn energy(&self) -> S {
        // With the velocities w before and after, it is ½ λ·(w⁻ + w⁺) = λ·w⁺ − ½ u·u.
        let mut energy = S::ZERO;
        for (i, rows) in self.contacts.iter().enumerate() {
            let mut after = rows.impulse.neg_scale_add(rows.cfm, self.velocity(i));
            after.x += rows.demand;
            energy += rows.impulse.dot(after);
            if let Some(turning) = &rows.turning {
                energy += turning.impulse.dot(self.turning_velocity(i, turning));
            }
        }
        for (i, row) in self.joints.iter().enumerate() {
            energy += row.impulse * (self.joint_velocity(i) + row.demand);
        }
        let half = S::from_f64(0.5);
        self.u.iter().fold(energy, |sum, u| (*u * half).neg_mul_add(*u, sum))
    }

    /// Velocities along the rows of contact `i`: w of its directions.
    #[inline(always)]
    pub fn velocity(&self, i: usize) -> Vec3<S> {
        let rows = &self.contacts[i];
        let start = rows.impulse.scale_add(rows.cfm, rows.free);
        self.along(rows.coordinates, rows.factors, start)
    }

    /// The part of [`velocity`](Problem::velocity) that the impulses make.
    pub(crate) fn response(&self, i: usize) -> Vec3<S> {
        let rows = &self.contacts[i];
        self.along(rows.coordinates, rows.factors, rows.impulse * rows.cfm)
    }

    /// The part of [`turning_velocity`](Problem::turning_velocity) that the impulses make.
    pub(crate) fn turning_response(&self, i: usize, turning: &TurningRows<S>) -> Vec3<S> {
        self.along(self.contacts[i].coordinates, turning.factors, Vec3::ZERO)
    }

    /// The part of [`joint_velocity`](Problem::joint_velocity) that the impulses make.
    pub(crate) fn joint_response(&self, i: usize) -> S {
        self.along_joint(&self.joints[i], S::ZERO)
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
    fn along_joint(&self, row: &JointRow<S>, start: S) -> S {
        self.sum_joint(row, &self.u, start)
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

    #[inline(always)]
    fn along(&self, coordinates: Stretch, factors: Stretch, start: Vec3<S>) -> Vec3<S> {
        self.sum(coordinates, factors, &self.u, start)
    }

    #[inline(always)]
    fn sum(&self, coordinates: Stretch, factors: Stretch, u: &[S], start: Vec3<S>) -> Vec3<S> {
        // Two sums, so that one does not wait for the other.
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
}

/// The most velocity coordinates between a link and the root.
fn deepest(topology: &Topology) -> usize {
    let mut depths: Vec<usize> = Vec::with_capacity(topology.links.len());
    for link in &topology.links {
        let inner = link.parent.map_or(0, |p| depths[p.index()]);
        depths.push(inner + link.joint.kind.nv());
    }
    depths.into_iter().max().unwrap_or(0)
}

#[inline(always)]
fn spread<S: Scalar>(coordinates: &[u32], factors: &[Vec3<S>], impulse: Vec3<S>, u: &mut [S]) {
    for (k, g) in coordinates.iter().zip(factors) {
        let u = &mut u[*k as usize];
        *u = g.x.mul_add(impulse.x, g.y.mul_add(impulse.y, g.z.mul_add(impulse.z, *u)));
    }
}

/// G Gᵀ of three rows.
#[inline(always)]
fn gram<S: Scalar>(factors: &[Vec3<S>]) -> Sym3<S> {
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

impl<S: Scalar> FreeMotion<'_, S> {
    #[inline(always)]
    fn motion_at(&self, link: Option<LinkId>, point_w: Vec3<S>) -> Motion<S> {
        match link {
            Some(link) => {
                let lever = point_w - self.kin.bodies[link.index()].pos_w;
                self.motions_w[link.index()].at(lever)
            }
            None => Motion::ZERO,
        }
    }
}

impl<S: Scalar> Demands<S> {
    /// The velocity with which a gap may close within the step, negative; inside, with which the share
    /// `gain` of the penetration beyond the slop is taken back, positive.
    #[inline(always)]
    pub(crate) fn position(&self, gap: S, gain: S) -> S {
        let excess = (-gap - self.slop).max(S::ZERO);
        let recovery = (excess * gain / self.dt).min(self.recovery_speed);
        recovery - gap.max(S::ZERO) / self.dt
    }

    /// The least normal velocity after the step, of a contact that would have `free` without it.
    ///
    /// A gap may close but not more; of a penetration, the share α is taken back. Approach beyond that
    /// is stopped, but for the share 1 − β; an impact bounces, with the velocity before the step.
    #[inline(always)]
    fn normal_velocity(&self, contact: &Contact<S>, free: S) -> S {
        let material = &contact.material;
        let position = self.position(contact.gap, material.position_gain);
        let beyond = (free - position.min(S::ZERO)).min(S::ZERO);
        let kept = (S::ONE - material.velocity_gain) * beyond;
        let bounce = self.bounce(contact, free);
        S::ZERO.select_lt(bounce, position.max(bounce), position + kept)
    }

    /// The velocity with which an impact bounces; zero if there is none.
    #[inline(always)]
    fn bounce(&self, contact: &Contact<S>, free: S) -> S {
        let approach = -contact.velocity_w.dot(contact.normal_w);
        let closes = free.mul_add(self.dt, contact.gap).select_lt(S::ZERO, S::ONE, S::ZERO);
        let bounce = approach * contact.material.restitution * closes;
        self.bounce_speed.select_lt(approach, bounce, S::ZERO)
    }

    /// When within the step a bounce begins; zero if there is none, or if it has begun.
    #[inline(always)]
    fn impact_time(&self, contact: &Contact<S>, free: S) -> S {
        if !self.impact_times {
            return S::ZERO;
        }
        let ahead = S::ZERO.select_lt(contact.gap, self.bounce(contact, free), S::ZERO);
        let safe = S::ZERO.select_lt(ahead, free, -S::ONE);
        S::ZERO.select_lt(ahead, -(contact.gap / safe), S::ZERO)
    }

    /// Cotangents of the gap and the free velocity from that of what [`Demands::impact_time`] gives.
    #[inline(always)]
    pub(crate) fn impact_time_vjp(&self, contact: &Contact<S>, free: S, bar: S) -> (S, S) {
        if !self.impact_times {
            return (S::ZERO, S::ZERO);
        }
        let ahead = S::ZERO.select_lt(contact.gap, self.bounce(contact, free), S::ZERO);
        let safe = S::ZERO.select_lt(ahead, free, -S::ONE);
        let bar = S::ZERO.select_lt(ahead, bar, S::ZERO);
        (-(bar / safe), bar * contact.gap / (safe * safe))
    }
}

/// The normal and two tangents, as columns [Duff et al. 2017, "Building an orthonormal basis,
/// revisited"].
#[inline(always)]
pub(crate) fn contact_frame<S: Scalar>(normal: Vec3<S>) -> Mat3<S> {
    let Vec3 { x, y, z } = normal;
    let sign = z.select_lt(S::ZERO, -S::ONE, S::ONE);
    let a = -(sign + z).recip();
    let b = x * y * a;
    let s = Vec3::new((sign * x * x).mul_add(a, S::ONE), sign * b, -(sign * x));
    let t = Vec3::new(b, (y * y).mul_add(a, sign), -y);
    Mat3 { cols: [normal, s, t] }
}

/// Whether a contact acts, as 1 or 0 in each lane.
#[inline(always)]
pub(crate) fn is_active<S: Scalar>(contact: &Contact<S>) -> S {
    contact.gap.select_lt(S::from_f64(FAR), S::ONE, S::ZERO)
}

/// The cotangent of a contact's normal from that of its frame: the adjoint of [`contact_frame`].
#[inline(always)]
pub(crate) fn contact_frame_vjp<S: Scalar>(normal: Vec3<S>, frame_bar: &Mat3<S>) -> Vec3<S> {
    let Vec3 { x, y, z } = normal;
    let [n_bar, s_bar, t_bar] = frame_bar.cols;
    let sign = z.select_lt(S::ZERO, -S::ONE, S::ONE);
    let a = -(sign + z).recip();
    let b_bar = sign.mul_add(s_bar.y, t_bar.x);
    let (sxx_bar, tyy_bar) = (sign * s_bar.x, t_bar.y);
    let a_bar = x * x.mul_add(sxx_bar, y * b_bar) + y * y * tyy_bar;
    let two_a = a + a;
    Vec3::new(
        n_bar.x + two_a * x * sxx_bar + a * y * b_bar - sign * s_bar.z,
        n_bar.y + two_a * y * tyy_bar + a * x * b_bar - t_bar.z,
        a_bar.mul_add(a * a, n_bar.z),
    )
}

impl<S: Scalar> Demands<S> {
    /// Cotangents of the gap, the gain and the time step from that of what [`Demands::position`]
    /// gives.
    #[inline(always)]
    pub(crate) fn position_vjp(&self, gap: S, gain: S, bar: S) -> (S, S, S) {
        let rate = self.dt.recip();
        let inside = -gap - self.slop;
        let excess = inside.max(S::ZERO);
        let recovery = excess * gain * rate;
        let recovery_bar = recovery.select_le(self.recovery_speed, bar, S::ZERO);
        let excess_bar = S::ZERO.select_le(inside, recovery_bar * gain * rate, S::ZERO);
        let closing_bar = S::ZERO.select_le(gap, bar * rate, S::ZERO);
        let dt_bar = closing_bar.mul_add(gap, -(recovery_bar * recovery)) * rate;
        (-excess_bar - closing_bar, recovery_bar * excess * rate, dt_bar)
    }

    /// Cotangents of the free velocity and of the time step from that of what
    /// [`Demands::normal_velocity`] gives; adds those of the contact to `contact_bar`.
    #[inline(always)]
    pub(crate) fn normal_velocity_vjp(
        &self,
        contact: &Contact<S>,
        free: S,
        bar: S,
        contact_bar: &mut ContactCotangents<S>,
    ) -> (S, S) {
        let Contact { gap, velocity_w, normal_w, ref material, .. } = *contact;
        let position = self.position(gap, material.position_gain);
        let past = free - position.min(S::ZERO);
        let beyond = past.min(S::ZERO);
        let approach = -velocity_w.dot(normal_w);
        let closes = free.mul_add(self.dt, gap).select_lt(S::ZERO, S::ONE, S::ZERO);
        let bounce = self.bounce(contact, free);
        // Which of the three it is: the bounce, the position, or that and what is kept.
        let kept_bar = S::ZERO.select_lt(bounce, S::ZERO, bar);
        let bounce_bar = bounce.select_le(position, S::ZERO, bar - kept_bar);
        let beyond_bar = kept_bar * (S::ONE - material.velocity_gain);
        let past_bar = past.select_le(S::ZERO, beyond_bar, S::ZERO);
        let position_bar = bar - bounce_bar - position.select_le(S::ZERO, past_bar, S::ZERO);
        let approach_bar = bounce_bar * material.restitution * closes;
        let (gap_bar, gain_bar, dt_bar) =
            self.position_vjp(gap, material.position_gain, position_bar);
        contact_bar.gap += gap_bar;
        contact_bar.velocity_w = normal_w.neg_scale_add(approach_bar, contact_bar.velocity_w);
        contact_bar.normal_w = velocity_w.neg_scale_add(approach_bar, contact_bar.normal_w);
        let material_bar = &mut contact_bar.material;
        material_bar.position_gain += gain_bar;
        material_bar.velocity_gain = kept_bar.neg_mul_add(beyond, material_bar.velocity_gain);
        material_bar.restitution += bounce_bar * approach * closes;
        (past_bar, dt_bar)
    }
}
