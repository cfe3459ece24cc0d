//! Joints that hold: limits that are not passed, friction that sticks.
//!
//! At a limit, the joint's velocity may be no more than what brings it there within the step; the
//! impulse pushes only back. Coulomb friction stops the joint with an impulse of at most friction
//! times dt, either way.

use gradbody_dynamics::has_friction;
use gradbody_math::Scalar;
use gradbody_model::LinkId;

use crate::{Demands, FreeMotion, Problem};
use StopKind::{Friction, Lower, Upper};

/// What holds a velocity coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JointStop {
    /// The joint's link.
    pub link: LinkId,
    /// Which of the joint's velocity coordinates.
    pub index: usize,
    /// How it is held.
    pub kind: StopKind,
}

/// How a velocity coordinate is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopKind {
    /// By Coulomb friction.
    Friction,
    /// By the lower end of its range.
    Lower,
    /// By the upper end of its range.
    Upper,
}

/// Distance from a limit at which its row is always there [rad or m]: far above rounding.
const MARGIN: f64 = 1e-3;

/// Fraction of a passed limit that a step takes back, as for contacts.
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

    /// Adds a limit that is `gap` away, if it is near in any lane.
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
        // In lanes where the limit is far its row is idle; its distance may be infinite.
        let gap = gap.select_lt(within, gap, S::ZERO);
        let demand = demands.position(gap, S::from_f64(POSITION_GAIN)) * away;
        let most = near.select_lt(S::ONE, S::ZERO, S::from_f64(f64::INFINITY));
        let range = if stop.kind == Upper { (-most, S::ZERO) } else { (S::ZERO, most) };
        self.add_joint(free, stop, v, demand, range);
    }
}
