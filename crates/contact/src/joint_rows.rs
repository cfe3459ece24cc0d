//! Rows of joints: hard limits, and friction that sticks.
//!
//! Near a limit, the joint may not move faster than would bring it to the limit within the step; the impulse can only
//! push back. Coulomb friction opposes the joint's motion with an impulse of at most friction times dt, in either
//! direction.

use gradbody_dynamics::has_friction;
use gradbody_math::Scalar;
use gradbody_model::LinkId;

use crate::problem::GapOf;
use crate::{Demands, FreeMotion, Problem};
use StopKind::{Friction, Lower, Upper};

/// What constrains a velocity coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JointStop {
    /// The joint's link.
    pub link: LinkId,
    /// Which of the joint's velocity coordinates.
    pub index: usize,
    /// The kind of constraint.
    pub kind: StopKind,
}

/// The kind of constraint of a velocity coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopKind {
    /// Coulomb friction.
    Friction,
    /// The lower limit of its range.
    Lower,
    /// The upper limit of its range.
    Upper,
}

/// Distance from a limit below which its row is always present [rad or m]: far above rounding.
const MARGIN: f64 = 1e-3;

/// Fraction of a violation of a limit that a step corrects, as for contacts.
pub(crate) const POSITION_GAIN: f64 = 0.2;

impl<S: Scalar> Problem<S> {
    /// Adds the rows of all joints that are near a limit or have friction, at configuration `q` and
    /// velocity `v` without impulses.
    #[inline(always)]
    pub fn add_joints(&mut self, free: &FreeMotion<'_, S>, q: &[S], v: &[S], demands: &Demands<S>) {
        let topology = &free.model.topology;
        for (i, params) in free.model.params.joints.iter().enumerate() {
            let joint = &topology.links[i].joint;
            let link = LinkId::new(i);
            let most = params.friction * demands.dt;
            let rubs = has_friction(params);
            for (index, k) in joint.v_range().enumerate() {
                if rubs {
                    let range = (-most, most);
                    let stop = JointStop { link, index, kind: Friction };
                    self.add_joint(free, stop, v[k], S::ZERO, range);
                }
                if joint.kind.is_flat() {
                    let q = q[joint.q_start + index];
                    let lower = JointStop { link, index, kind: Lower };
                    self.add_limit(free, lower, q - params.limit_lower, v[k], demands);
                    let upper = JointStop { link, index, kind: Upper };
                    self.add_limit(free, upper, params.limit_upper - q, v[k], demands);
                }
            }
        }
    }

    /// Adds the row of a limit at distance `gap`, if it is near in any lane.
    #[inline(always)]
    fn add_limit(
        &mut self,
        free: &FreeMotion<'_, S>,
        stop: JointStop,
        gap: S,
        v: S,
        demands: &Demands<S>,
    ) {
        let away = if stop.kind == Upper { -S::ONE } else { S::ONE };
        let closing = (-(v * away)).max(S::ZERO);
        let within = closing.mul_add(demands.dt, S::from_f64(MARGIN));
        let near = gap.select_lt(within, S::ONE, S::ZERO);
        if !near.any() {
            return;
        }
        // In lanes where the limit is far its row is inactive; its distance may be infinite.
        let gap = gap.select_lt(within, gap, S::ZERO);
        let demand = demands.position(gap, GapOf::JointStop, S::from_f64(POSITION_GAIN)) * away;
        let most = near.select_lt(S::ONE, S::ZERO, S::from_f64(f64::INFINITY));
        let range = if stop.kind == Upper { (-most, S::ZERO) } else { (S::ZERO, most) };
        self.add_joint(free, stop, v, demand, range);
    }
}
