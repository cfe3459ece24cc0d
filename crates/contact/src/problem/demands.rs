//! Demands: the velocities that rows should have after the step, and the time of a bounce within it, each with its
//! adjoint.

use gradbody_math::Scalar;

use crate::{Contact, ContactCotangents};

/// Options that turn velocities into the demands of rows.
#[derive(Clone, Copy, Debug)]
pub struct Demands<S> {
    /// Time step [s].
    pub dt: S,
    /// Whether derivatives account for the time within the step at which a bounce begins.
    pub impact_times: bool,
    /// Least approach speed at which an impact bounces [m/s].
    pub bounce_speed: S,
    /// Penetration that is not corrected [m, rad].
    pub slop: S,
    /// Largest speed at which penetrating bodies are pushed apart, and joints back into their range [m/s, rad/s].
    pub recovery_speed: S,
}

/// Where closing gaps end: bodies touch by this little [m], joints stay this short of their stops [rad, m].
///
/// A gap counts as closed up to half this distance before its end. So a small change of a gap that has closed makes no
/// difference. If gaps counted from their very end on, rounding would decide which derivative a body at rest has. (In
/// single precision, and farther than about a kilometre from the origin, rounding is larger than this, and does.)
const CLOSED: f64 = 5e-13;

/// What a gap is between, which decides at which side of zero it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GapOf {
    Bodies,
    JointStop,
}

/// How far a gap may close within the step, and the derivative of that.
#[inline(always)]
fn closing<S: Scalar>(gap: S, of: GapOf) -> (S, S) {
    let closed = S::from_f64(CLOSED);
    let whole = match of {
        GapOf::Bodies => gap + closed,
        GapOf::JointStop => gap - closed,
    };
    // Zero up to half of `closed` before the end, slope 2 over the next half, and slope 1 beyond: the whole way.
    let short = whole + whole - closed;
    let (way, slope) = (whole.min(short), short.select_lt(whole, S::ONE + S::ONE, S::ONE));
    (S::ZERO.select_lt(short, way, S::ZERO), S::ZERO.select_lt(short, slope, S::ZERO))
}

impl<S: Scalar> Demands<S> {
    /// The velocity at which a gap may close within the step (negative). If the bodies penetrate: the velocity that
    /// corrects the share `gain` of the penetration beyond the slop (positive).
    #[inline(always)]
    pub(crate) fn position(&self, gap: S, of: GapOf, gain: S) -> S {
        let excess = (-gap - self.slop).max(S::ZERO);
        let recovery = (excess * gain / self.dt).min(self.recovery_speed);
        recovery - closing(gap, of).0 / self.dt
    }

    /// Adjoint of [`Demands::position`]: cotangents of the gap, the gain and the time step.
    #[inline(always)]
    pub(crate) fn position_vjp(&self, gap: S, of: GapOf, gain: S, bar: S) -> (S, S, S) {
        let rate = self.dt.recip();
        let inside = -gap - self.slop;
        let excess = inside.max(S::ZERO);
        let recovery = excess * gain * rate;
        let recovery_bar = recovery.select_le(self.recovery_speed, bar, S::ZERO);
        let excess_bar = S::ZERO.select_le(inside, recovery_bar * gain * rate, S::ZERO);
        let (closing, slope) = closing(gap, of);
        let closing_bar = bar * rate;
        let dt_bar = closing_bar.mul_add(closing, -(recovery_bar * recovery)) * rate;
        (-closing_bar.mul_add(slope, excess_bar), recovery_bar * excess * rate, dt_bar)
    }

    /// The least normal velocity after the step, for a contact with velocity `free` without impulses.
    ///
    /// A gap may close but no further; the share α of a penetration is corrected. Approach beyond that is stopped,
    /// except for the share 1 − β. An impact bounces, according to the velocity before the step.
    #[inline(always)]
    pub(super) fn normal_velocity(&self, contact: &Contact<S>, free: S) -> S {
        let material = &contact.material;
        let position = self.position(contact.gap, GapOf::Bodies, material.position_gain);
        let beyond = (free - position.min(S::ZERO)).min(S::ZERO);
        let kept = (S::ONE - material.velocity_gain) * beyond;
        let bounce = self.bounce(contact, free);
        let at_impact = bounce + self.impact_change(contact, free);
        S::ZERO.select_lt(bounce, position.max(at_impact), position + kept)
    }

    /// Adjoint of [`Demands::normal_velocity`]: returns the cotangents of the free velocity and of the time step; adds
    /// those of the contact to `contact_bar`.
    #[inline(always)]
    pub(crate) fn normal_velocity_vjp(
        &self,
        contact: &Contact<S>,
        free: S,
        bar: S,
        contact_bar: &mut ContactCotangents<S>,
    ) -> (S, S) {
        let Contact { gap, velocity_w, normal_w, ref material, .. } = *contact;
        let position = self.position(gap, GapOf::Bodies, material.position_gain);
        let past = free - position.min(S::ZERO);
        let beyond = past.min(S::ZERO);
        let approach = -velocity_w.dot(normal_w);
        let closes = free.mul_add(self.dt, gap).select_lt(S::ZERO, S::ONE, S::ZERO);
        let bounce = self.bounce(contact, free);
        // Which of three applies: the bounce, the position, or the position and the remaining approach.
        let kept_bar = S::ZERO.select_lt(bounce, S::ZERO, bar);
        let bounce_bar = bounce.select_le(position, S::ZERO, bar - kept_bar);
        let (impact_gap_bar, impact_free_bar) = self.impact_change_vjp(contact, free, bounce_bar);
        let beyond_bar = kept_bar * (S::ONE - material.velocity_gain);
        let past_bar = past.select_le(S::ZERO, beyond_bar, S::ZERO);
        let position_bar = bar - bounce_bar - position.select_le(S::ZERO, past_bar, S::ZERO);
        let approach_bar = bounce_bar * material.restitution * closes;
        let (gap_bar, gain_bar, dt_bar) =
            self.position_vjp(gap, GapOf::Bodies, material.position_gain, position_bar);
        contact_bar.gap += gap_bar + impact_gap_bar;
        contact_bar.velocity_w = normal_w.neg_scale_add(approach_bar, contact_bar.velocity_w);
        contact_bar.normal_w = velocity_w.neg_scale_add(approach_bar, contact_bar.normal_w);
        let material_bar = &mut contact_bar.material;
        material_bar.position_gain += gain_bar;
        material_bar.velocity_gain = kept_bar.neg_mul_add(beyond, material_bar.velocity_gain);
        material_bar.restitution += bounce_bar * approach * closes;
        (past_bar + impact_free_bar, dt_bar)
    }

    /// The velocity after a bounce; zero if there is none.
    #[inline(always)]
    fn bounce(&self, contact: &Contact<S>, free: S) -> S {
        let approach = -contact.velocity_w.dot(contact.normal_w);
        let closes = free.mul_add(self.dt, contact.gap).select_lt(S::ZERO, S::ONE, S::ZERO);
        let bounce = approach * contact.material.restitution * closes;
        self.bounce_speed.select_lt(approach, bounce, S::ZERO)
    }

    /// A term whose value is zero, and whose derivative is that of the velocity after a bounce with respect to the
    /// time of impact t. The bodies accelerate towards each other by a until t, which makes the bounce faster by e a t, and again from t on,
    /// for h − t. Up to a constant, the velocity is −(1 + e) a t.
    #[inline(always)]
    fn impact_change(&self, contact: &Contact<S>, free: S) -> S {
        let time = self.impact_time(contact, free);
        if time.is_zero() {
            return S::ZERO;
        }
        self.impact_rate(contact, free) * (time - time.constant())
    }

    /// Adjoint of [`Demands::impact_change`]: cotangents of the gap and the free velocity.
    #[inline(always)]
    fn impact_change_vjp(&self, contact: &Contact<S>, free: S, bar: S) -> (S, S) {
        if self.impact_time(contact, free).is_zero() {
            return (S::ZERO, S::ZERO);
        }
        self.impact_time_vjp(contact, free, bar * self.impact_rate(contact, free))
    }

    /// −(1 + e) a.
    #[inline(always)]
    fn impact_rate(&self, contact: &Contact<S>, free: S) -> S {
        let acceleration = (free - contact.velocity_w.dot(contact.normal_w)) / self.dt;
        -((S::ONE + contact.material.restitution) * acceleration).constant()
    }

    /// The time within the step at which a bounce begins; zero if there is none, or if it has already begun.
    #[inline(always)]
    pub(super) fn impact_time(&self, contact: &Contact<S>, free: S) -> S {
        if !self.impact_times {
            return S::ZERO;
        }
        let ahead = S::ZERO.select_lt(contact.gap, self.bounce(contact, free), S::ZERO);
        let safe = S::ZERO.select_lt(ahead, free, -S::ONE);
        S::ZERO.select_lt(ahead, -(contact.gap / safe), S::ZERO)
    }

    /// Adjoint of [`Demands::impact_time`]: cotangents of the gap and the free velocity.
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
