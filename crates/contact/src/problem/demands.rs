//! Demands: which velocities rows should have after the step, and when within it a bounce begins, each
//! with its adjoint.

use gradbody_math::Scalar;

use crate::{Contact, ContactCotangents};

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

impl<S: Scalar> Demands<S> {
    /// The velocity with which a gap may close within the step, negative; inside, with which the share
    /// `gain` of the penetration beyond the slop is taken back, positive.
    #[inline(always)]
    pub(crate) fn position(&self, gap: S, gain: S) -> S {
        let excess = (-gap - self.slop).max(S::ZERO);
        let recovery = (excess * gain / self.dt).min(self.recovery_speed);
        recovery - gap.max(S::ZERO) / self.dt
    }

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

    /// The least normal velocity after the step, of a contact that would have `free` without it.
    ///
    /// A gap may close but not more; of a penetration, the share α is taken back. Approach beyond that
    /// is stopped, but for the share 1 − β; an impact bounces, with the velocity before the step.
    #[inline(always)]
    pub(super) fn normal_velocity(&self, contact: &Contact<S>, free: S) -> S {
        let material = &contact.material;
        let position = self.position(contact.gap, material.position_gain);
        let beyond = (free - position.min(S::ZERO)).min(S::ZERO);
        let kept = (S::ONE - material.velocity_gain) * beyond;
        let bounce = self.bounce(contact, free);
        let at_impact = bounce + self.impact_change(contact, free);
        S::ZERO.select_lt(bounce, position.max(at_impact), position + kept)
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
        let (impact_gap_bar, impact_free_bar) = self.impact_change_vjp(contact, free, bounce_bar);
        let beyond_bar = kept_bar * (S::ONE - material.velocity_gain);
        let past_bar = past.select_le(S::ZERO, beyond_bar, S::ZERO);
        let position_bar = bar - bounce_bar - position.select_le(S::ZERO, past_bar, S::ZERO);
        let approach_bar = bounce_bar * material.restitution * closes;
        let (gap_bar, gain_bar, dt_bar) =
            self.position_vjp(gap, material.position_gain, position_bar);
        contact_bar.gap += gap_bar + impact_gap_bar;
        contact_bar.velocity_w = normal_w.neg_scale_add(approach_bar, contact_bar.velocity_w);
        contact_bar.normal_w = velocity_w.neg_scale_add(approach_bar, contact_bar.normal_w);
        let material_bar = &mut contact_bar.material;
        material_bar.position_gain += gain_bar;
        material_bar.velocity_gain = kept_bar.neg_mul_add(beyond, material_bar.velocity_gain);
        material_bar.restitution += bounce_bar * approach * closes;
        (past_bar + impact_free_bar, dt_bar)
    }

    /// The velocity with which an impact bounces; zero if there is none.
    #[inline(always)]
    fn bounce(&self, contact: &Contact<S>, free: S) -> S {
        let approach = -contact.velocity_w.dot(contact.normal_w);
        let closes = free.mul_add(self.dt, contact.gap).select_lt(S::ZERO, S::ONE, S::ZERO);
        let bounce = approach * contact.material.restitution * closes;
        self.bounce_speed.select_lt(approach, bounce, S::ZERO)
    }

    /// How the velocity after a bounce changes with the time of impact t: what accelerates the bodies
    /// towards each other, a, does so until t, so that they bounce with e a t more, and again from t on,
    /// for h − t. But for a constant that is −(1 + e) a t. It has a derivative, by t, and no value.
    #[inline(always)]
    fn impact_change(&self, contact: &Contact<S>, free: S) -> S {
        let time = self.impact_time(contact, free);
        if time.is_zero() {
            return S::ZERO;
        }
        self.impact_rate(contact, free) * (time - time.constant())
    }

    /// Cotangents of the gap and the free velocity from that of what [`Demands::impact_change`] gives.
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

    /// When within the step a bounce begins; zero if there is none, or if it has begun.
    #[inline(always)]
    pub(super) fn impact_time(&self, contact: &Contact<S>, free: S) -> S {
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
