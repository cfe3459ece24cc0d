//! Rewards, and their adjoint.
//!
//! A reward is a sum of terms. All but one depend on a single moment; the rate of a position depends on two. So the
//! position stands apart: [`progress`] is the position, and the term is a constant times its change. A discounted sum
//! of rewards is then a sum over moments, where each position counts once for the step that it ends and once for the
//! step that it begins.

use gradbody_dynamics::{centre_of_mass, centre_of_mass_vjp, frame_pose, frame_pose_vjp};
use gradbody_math::{Scalar, Vec3};
use gradbody_model::FrameId;

use crate::base_terms::{base_term, base_term_vjp};
use crate::contact_wrenches::contact_wrenches_vjp;
use crate::observation::{number_vjp, offset_vjp, within};
use crate::{Description, Position, RewardTerm, Seen, SeenCotangents, SeenWork, healthy};

/// The position whose rate is rewarded [m, or m² for a squared distance]; zero if none is. Reads `work` as [`SeenWork::look`] left it.
pub fn progress<S: Scalar>(of: &Description, at: &Seen<'_, S>, work: &SeenWork<S>) -> S {
    match of.forward() {
        Some((Position::Configuration(k), _)) => at.state.q[k],
        Some((Position::CentreOfMass, _)) => centre_of_mass(at.model, &work.kin).x,
        Some((Position::Closeness { of, to }, _)) => -away(at, of, to, work).norm_squared(),
        None => S::ZERO,
    }
}

/// From a fixed point to a frame's origin [m].
fn away<S: Scalar>(at: &Seen<'_, S>, of: FrameId, to: [f64; 3], work: &SeenWork<S>) -> Vec3<S> {
    frame_pose(at.model, &work.kin, of).pos - Vec3::from_f64(to)
}

/// Writes the terms of the reward of a step that ends at this moment, in the order of [`Description::reward`].
/// `before` is the [`progress`] at the start of the step. Reads `work` as [`SeenWork::look`] left it.
pub fn reward_terms<S: Scalar>(
    of: &Description,
    at: &Seen<'_, S>,
    before: S,
    work: &SeenWork<S>,
    to: &mut [S],
) {
    for (to, term) in to.iter_mut().zip(&of.reward) {
        *to = match term {
            RewardTerm::Forward { weight, .. } => {
                let moved = progress(of, at, work) - before;
                moved / S::from_f64(of.seconds_per_step()) * S::from_f64(*weight)
            }
            other => term_of_moment(other, of, at, work),
        };
    }
}

/// A term that depends on one moment only.
fn term_of_moment<S: Scalar>(
    term: &RewardTerm,
    of: &Description,
    at: &Seen<'_, S>,
    work: &SeenWork<S>,
) -> S {
    match *term {
        RewardTerm::Forward { .. } => S::ZERO,
        RewardTerm::Healthy { reward } => healthy(of, at, work) * S::from_f64(reward),
        RewardTerm::Control { weight } => {
            let squares = at.action.iter().fold(S::ZERO, |sum, a| a.mul_add(*a, sum));
            -(squares * S::from_f64(weight))
        }
        RewardTerm::Contact { weight, limit, most } => {
            -contact_cost(weight, limit, work).min(S::from_f64(most))
        }
        RewardTerm::Distance { weight, of, from } => {
            let position = |frame| frame_pose(at.model, &work.kin, frame).pos;
            -((position(of) - position(from)).norm() * S::from_f64(weight))
        }
        RewardTerm::FollowVelocity { .. }
        | RewardTerm::FollowYawRate { .. }
        | RewardTerm::VerticalVelocity { .. }
        | RewardTerm::RollAndPitch { .. }
        | RewardTerm::Height { .. } => base_term(term, &work.kin.bodies[0], at.command),
    }
}

fn contact_cost<S: Scalar>(weight: f64, limit: f64, work: &SeenWork<S>) -> S {
    let limit = S::from_f64(limit);
    let squares = work.wrenches.iter().fold(S::ZERO, |sum, f| {
        let f = f.clamp(-limit, limit);
        f.mul_add(f, sum)
    });
    squares * S::from_f64(weight)
}

/// The sum of the terms that depend on one moment only.
pub(crate) fn reward_of_moment<S: Scalar>(
    of: &Description,
    at: &Seen<'_, S>,
    work: &SeenWork<S>,
) -> S {
    of.reward.iter().fold(S::ZERO, |sum, term| sum + term_of_moment(term, of, at, work))
}

/// The adjoint of the reward: adds `reward_bar` times the derivative of the sum of all terms but
/// [`RewardTerm::Forward`], and `progress_bar` times that of [`progress`]. For the reward of a single step,
/// `progress_bar` is `reward_bar` times the weight over the duration of the step, at its end, and minus that at its
/// start, where `reward_bar` is zero.
pub fn reward_vjp<S: Scalar>(
    of: &Description,
    at: &Seen<'_, S>,
    reward_bar: S,
    progress_bar: S,
    work: &mut SeenWork<S>,
    bars: &mut SeenCotangents<'_, S>,
) {
    let mut through_poses = false;
    for term in &of.reward {
        match *term {
            RewardTerm::Forward { position: Position::Configuration(k), .. } => {
                number_vjp(at.model, k, progress_bar, &mut bars.state.q);
            }
            RewardTerm::Forward { position: Position::CentreOfMass, .. } => {
                let com_bar = Vec3::new(progress_bar, S::ZERO, S::ZERO);
                let SeenWork { kin, kin_bar, .. } = work;
                centre_of_mass_vjp(at.model, kin, com_bar, kin_bar, bars.params);
                through_poses = true;
            }
            RewardTerm::Forward { position: Position::Closeness { of, to }, .. } => {
                let pos_bar = away(at, of, to, work) * (progress_bar * S::from_f64(-2.0));
                let SeenWork { kin, kin_bar, .. } = work;
                frame_pose_vjp(at.model, kin, of, Vec3::ZERO, pos_bar, kin_bar, bars.params);
                through_poses = true;
            }
            // Piecewise constant.
            RewardTerm::Healthy { .. } => {}
            RewardTerm::Control { weight } => {
                let slope = reward_bar * S::from_f64(-2.0 * weight);
                for (bar, a) in bars.action.iter_mut().zip(at.action) {
                    *bar = slope.mul_add(*a, *bar);
                }
            }
            RewardTerm::Contact { weight, limit, most } => {
                let capped = S::from_f64(most).select_lt(
                    contact_cost(weight, limit, work),
                    S::ZERO,
                    reward_bar,
                );
                let slope = capped * S::from_f64(-2.0 * weight);
                let SeenWork { kin, kin_bar, wrenches, wrenches_bar, .. } = work;
                for (bar, f) in wrenches_bar.iter_mut().zip(&*wrenches) {
                    *bar = within(*f, limit, slope * *f);
                }
                contact_wrenches_vjp(&of.bodies, at, kin, wrenches_bar, kin_bar, bars);
                through_poses = true;
            }
            RewardTerm::Distance { weight, of, from } => {
                let position = |frame| frame_pose(at.model, &work.kin, frame).pos;
                let offset = position(of) - position(from);
                let distance = offset.norm();
                // At distance zero the derivative is zero.
                let safe = S::ZERO.select_lt(distance, distance, S::ONE);
                let offset_bar = offset * (reward_bar * S::from_f64(-weight) / safe);
                offset_vjp(at, of, from, offset_bar, work, bars);
                through_poses = true;
            }
            RewardTerm::FollowVelocity { .. }
            | RewardTerm::FollowYawRate { .. }
            | RewardTerm::VerticalVelocity { .. }
            | RewardTerm::RollAndPitch { .. }
            | RewardTerm::Height { .. } => {
                let SeenWork { kin, kin_bar, .. } = work;
                let (base, base_bar) = (&kin.bodies[0], &mut kin_bar.bodies[0]);
                base_term_vjp(term, base, at.command, reward_bar, base_bar);
                through_poses = true;
            }
        }
    }
    if through_poses {
        work.poses_back(at, bars);
    }
}
