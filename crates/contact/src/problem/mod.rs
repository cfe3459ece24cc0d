//! The contact problem: the impulses that make velocities satisfy the contact conditions.
//!
//! The unknowns are the impulses λ, in *rows*: three for each rigid contact (along its normal and two tangents), three
//! more if it resists turning (about the same directions), and one for each joint that is at its limit or has friction.
//! The velocities along the rows after the step are
//!
//! ```text
//!   w = b + (G Gᵀ + R) λ
//! ```
//!
//! where b is the velocity without contact minus the demanded one, R is the constraint force mixing, and
//! `G Gᵀ = J M⁻¹ Jᵀ` is the Delassus matrix in the factors of [`response_factors`]. The matrix is never formed: a solver
//! keeps `u = Gᵀ λ` and computes w from it. So the cost of a sweep over all rows is linear in the number of contacts.
//!
//! Other kinds of rows (closed loops) can be added as another list with its own factors.

mod demands;
mod frame;
mod impulses;
mod products;
mod redundancy;

use gradbody_dynamics::{
    AbaWork, Kinematics, Pull, Response, joint_response_factors, response_factors,
};
use gradbody_math::{Carried, Force, Mat3, Motion, Scalar, Sym3, Vec3};
use gradbody_model::{ContactLaw, LinkId, Model, Topology};

use crate::contact::CONTACTS_PER_SHAPE;
use crate::geometry::FAR;
use crate::{Contact, JointStop, StopKind};

pub use demands::Demands;
pub(crate) use demands::GapOf;
pub use frame::{contact_frame, contact_frame_vjp};
use products::gram;

/// The rows of one step, and their impulses.
#[derive(Clone, Debug)]
pub struct Problem<S> {
    /// Rows of contacts.
    pub contacts: Vec<ContactRows<S>>,
    /// Rows of joints.
    pub joints: Vec<JointRow<S>>,
    /// Velocity coordinates that each group of rows can move, one group after another.
    pub(crate) coordinates: Vec<u32>,
    /// G of contacts: three rows at each of their coordinates.
    pub(crate) triples: Vec<Vec3<S>>,
    /// G of joints: a row at each of their coordinates.
    pub(crate) singles: Vec<S>,
    /// u = Gᵀ λ, (nv). Maintained by the solvers.
    pub u: Vec<S>,
    /// 1 in lanes to be solved, else 0.
    pub live: S,
    /// 1 in lanes where the solver did not come close to a solution, else 0. Written by the solvers.
    pub unsolved: S,
    /// The distance of each lane from a solution [m/s or rad/s]: the largest change of a row's velocity in its last
    /// sweep, or the largest violation. Written by the solvers.
    pub residual: S,
    /// 1 in lanes where sweeps replaced failed pivots, else 0.
    pub(crate) swept: S,
}

impl<S: Scalar> JointRow<S> {
    /// `free`, but a number beyond the bound in lanes where the impulse is at one: which of two touching limits acts is
    /// then not a matter of rounding.
    #[inline(always)]
    pub(crate) fn at_bound_or(&self, free: S) -> S {
        let below = self.impulse.select_lt(self.upper, free, self.upper + S::ONE);
        self.lower.select_lt(self.impulse, below, self.lower - S::ONE)
    }
}

/// A range within one of the lists.
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
    /// Index of the contact.
    pub contact: usize,
    /// Normal and tangents in the world, as columns.
    pub frame_w: Mat3<S>,
    /// b: velocity along the rows without impulses, minus the demand [m/s].
    pub free: Vec3<S>,
    /// The least normal velocity demanded [m/s].
    pub demand: S,
    /// 1 in lanes where a demand to part was dropped, else 0.
    pub(crate) forgone: S,
    /// For a bounce, the time within the step when the bodies touch [s]; else zero.
    pub(crate) impact_time: S,
    /// Its own block of the Delassus matrix, R included [1/kg].
    pub delassus: Sym3<S>,
    /// R [1/kg].
    pub cfm: S,
    /// Coefficient of friction.
    pub friction: S,
    /// Impulse of a on b along the rows [N s].
    pub impulse: Vec3<S>,
    /// Rows about the same directions, if the contact resists turning.
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
    /// What constrains it.
    pub stop: JointStop,
    /// Index of the velocity coordinate in the model.
    pub coordinate: usize,
    /// b: its velocity without impulses, minus the demand.
    pub free: S,
    /// The demanded velocity.
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

impl<S: Scalar> JointRow<S> {
    /// 1 in lanes where the limit of this row is near, so that it may push without bound, else 0.
    #[inline(always)]
    pub(crate) fn near(&self) -> S {
        let most = self.upper.max(-self.lower);
        most.select_lt(S::ONE, S::ZERO, S::ONE)
    }

    /// A number that identifies the row and increases in the order of the rows.
    pub(crate) fn key(&self) -> u32 {
        3 * self.coordinate as u32 + self.stop.kind as u32
    }
}

/// Unit forces along the directions of a frame, times `sign`, transferred to the origin of a link.
#[inline(always)]
fn pull<S: Scalar>(
    kin: &Kinematics<S>,
    link: Option<LinkId>,
    frame_w: &Mat3<S>,
    sign: S,
    force: &impl Fn(Vec3<S>, Vec3<S>) -> Force<S>,
) -> Pull<S, 3> {
    let origin = match link {
        Some(link) => kin.bodies[link.index()].pos_w,
        None => Vec3::ZERO,
    };
    let [n, s, t] = frame_w.cols;
    let forces = [force(origin, n * sign), force(origin, s * sign), force(origin, t * sign)];
    Pull { link, forces }
}

/// A robot's motion without contact forces, from which rows are computed.
#[derive(Clone, Copy, Debug)]
pub struct FreeMotion<'a, S> {
    /// The model.
    pub model: &'a Model<S>,
    /// Poses at the start of the step.
    pub kin: &'a Kinematics<S>,
    /// The forward dynamics of the step.
    pub aba: &'a AbaWork<S>,
    /// The response, prepared for `aba`.
    pub response: &'a Response<S>,
    /// Motions of the links at the end of the step without contacts.
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
            residual: S::ZERO,
            swept: S::ZERO,
        }
    }

    /// Removes all rows.
    pub fn clear(&mut self) {
        self.contacts.clear();
        self.joints.clear();
        self.coordinates.clear();
        self.triples.clear();
        self.singles.clear();
        self.u.fill(S::ZERO);
        self.live = S::ONE;
        self.unsolved = S::ZERO;
        self.residual = S::ZERO;
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
            #[inline(always)]
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
                #[inline(always)]
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

    /// G for the three directions of a contact's frame; `force` is a unit force (or torque) along a direction, at the
    /// origin of a link.
    #[inline(always)]
    fn triple(
        &mut self,
        free: &FreeMotion<'_, S>,
        contact: &Contact<S>,
        force: impl Fn(Vec3<S>, Vec3<S>) -> Force<S>,
        frame_w: &Mat3<S>,
        with_coordinates: bool,
    ) -> Stretch {
        let pulls = [
            pull(free.kin, contact.link_a, frame_w, -S::ONE, &force),
            pull(free.kin, contact.link_b, frame_w, S::ONE, &force),
        ];
        let from = self.triples.len() as u32;
        let FreeMotion { model, kin, aba, response, .. } = *free;
        response_factors(
            model,
            kin,
            aba,
            response,
            pulls,
            #[inline(always)]
            |k, [n, s, t]| {
                if with_coordinates {
                    self.coordinates.push(k as u32);
                }
                self.triples.push(Vec3::new(n, s, t));
            },
        );
        Stretch { from, to: self.triples.len() as u32 }
    }

    /// Adds the row of a joint stop with velocity `free`, demanded velocity `demand`, and an impulse between `lower`
    /// and `upper`.
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

    /// Visits the numbers that sweeps change: impulses and u.
    pub(crate) fn each_impulse(&mut self, visit: &mut dyn FnMut(&mut S)) {
        for rows in &mut self.contacts {
            rows.impulse.each(visit);
            if let Some(turning) = &mut rows.turning {
                turning.impulse.each(visit);
            }
        }
        self.joints.iter_mut().for_each(|row| visit(&mut row.impulse));
        self.u.each(visit);
    }

    /// Resets the impulses in the unsolved lanes, and leaves the other lanes unchanged.
    #[inline(always)]
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

    /// Drops the demands that push bodies apart, in the unsolved lanes: if bodies are wedged, no impulses satisfy all
    /// of these. The demand that bodies do not come closer can always be satisfied, by standing still.
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

    /// Kinetic energy that the impulses added; negative if they dissipated energy [J]. In a step with implicit damping,
    /// the damping counts as inertia.
    pub fn energy(&self) -> S {
        // With w⁻ and w⁺ before and after the impulses, it is ½ λ·(w⁻ + w⁺) = λ·w⁺ − ½ u·u.
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
}

/// What a solver may change: impulses, dropped demands, and its status.
impl<S: Scalar> Carried<S> for Problem<S> {
    fn each(&mut self, visit: &mut dyn FnMut(&mut S)) {
        self.each_impulse(visit);
        for rows in &mut self.contacts {
            [&mut rows.free.x, &mut rows.demand, &mut rows.forgone]
                .into_iter()
                .for_each(&mut *visit);
        }
        for row in &mut self.joints {
            [&mut row.free, &mut row.demand, &mut row.forgone].into_iter().for_each(&mut *visit);
        }
        [&mut self.live, &mut self.unsolved, &mut self.residual, &mut self.swept]
            .into_iter()
            .for_each(visit);
    }
}

/// The largest number of velocity coordinates between a link and the root.
fn deepest(topology: &Topology) -> usize {
    let mut depths: Vec<usize> = Vec::with_capacity(topology.links.len());
    for link in &topology.links {
        let inner = link.parent.map_or(0, |p| depths[p.index()]);
        depths.push(inner + link.joint.kind.nv());
    }
    depths.into_iter().max().unwrap_or(0)
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

/// 1 in lanes where a contact is active, else 0.
#[inline(always)]
pub(crate) fn is_active<S: Scalar>(contact: &Contact<S>) -> S {
    contact.gap.select_lt(S::from_f64(FAR), S::ONE, S::ZERO)
}
