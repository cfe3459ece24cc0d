//! The discounted sum of rewards, as a loss of a batch.

use gradbody_math::{Scalar, Vec3};
use gradbody_model::Model;
use gradbody_sim::{BatchLoss, Input, Loss, LossCotangents, Moment};

use crate::reward::{progress, reward_of_moment, reward_vjp};
use crate::situations::commands_in;
use crate::{Actions, Description, Seen, SeenCotangents, SeenWork};

/// The return `Σ γᵏ rₖ` over all steps of the environment in a rollout of [`Batch`](gradbody_sim::Batch), whose number
/// of steps must be a multiple of [`Description::frame_skip`]. It goes on past ends of episodes: choose horizons in
/// which worlds stay healthy. Larger is better: the gradient points where returns grow.
///
/// A batch's loss sees the moments after steps, but not the start. So the part of the first step's reward that depends
/// on the start, `−weight x₀ / Δt`, is missing in the sum and in the gradient with respect to the start. It does not
/// depend on actions or on a policy. [`EnvBatch::gradient`](crate::EnvBatch::gradient) adds it.
#[derive(Clone, Copy, Debug)]
pub struct Returns<'a> {
    /// The environment.
    pub of: &'a Description,
    /// The discount γ of a step.
    pub discount: f64,
    /// The commands of the worlds, (worlds, n_commands), over the whole horizon; those that are missing count as zero.
    pub commands: &'a [f64],
}

/// [`Returns`] of a group of worlds.
#[derive(Clone, Debug)]
pub struct GroupReturns<'a, S> {
    of: &'a Description,
    discount: f64,
    work: SeenWork<S>,
    command: Vec<S>,
    action: Vec<S>,
    action_bar: Vec<S>,
    contact_forces: Vec<Vec3<S>>,
    contact_points: Vec<Vec3<S>>,
}

impl<'a> BatchLoss for Returns<'a> {
    type Loss<S: Scalar> = GroupReturns<'a, S>;

    fn for_worlds<S: Scalar>(&self, model: &Model<S>, worlds: &[usize]) -> GroupReturns<'a, S> {
        let Returns { of, discount, commands } = *self;
        let mut command = Vec::new();
        commands_in(of, commands, worlds, &mut command);
        GroupReturns {
            of,
            discount,
            work: SeenWork::new(of, model),
            command,
            action: vec![S::ZERO; of.n_actions()],
            action_bar: vec![S::ZERO; of.n_actions()],
            contact_forces: Vec::new(),
            contact_points: Vec::new(),
        }
    }
}

impl<S: Scalar> GroupReturns<'_, S> {
    /// At the end of a step of the environment, the weights of the rewards of this moment and of its position.
    fn weights(&self, at: &Moment<'_, S>) -> Option<(f64, f64)> {
        let Description { frame_skip, .. } = *self.of;
        if !(at.step + 1).is_multiple_of(frame_skip) {
            return None;
        }
        let step = at.step / frame_skip;
        let weight = self.discount.powi(step as i32);
        let rate = self.of.forward().map_or(0.0, |(_, rate)| rate);
        // The position ends this step, and begins the next one if there is one.
        let next = if at.is_last() { 0.0 } else { weight * self.discount };
        Some((weight, rate * (weight - next)))
    }
}

impl<S: Scalar> Loss<S> for GroupReturns<'_, S> {
    fn cost(&mut self, at: &Moment<'_, S>) -> S {
        let Some((weight, of_position)) = self.weights(at) else { return S::ZERO };
        find_action(self.of, at.input, &mut self.action);
        let GroupReturns { of, work, command, action, .. } = self;
        let Moment { model, state, contacts, .. } = *at;
        let seen = Seen { model, state, action, command, contacts };
        work.look(of, &seen);
        let local = reward_of_moment(of, &seen, work) * S::from_f64(weight);
        progress(of, &seen, work).mul_add(S::from_f64(of_position), local)
    }

    fn cost_vjp(&mut self, at: &Moment<'_, S>, cost_bar: S, bars: &mut LossCotangents<'_, S>) {
        let Some((weight, of_position)) = self.weights(at) else { return };
        find_action(self.of, at.input, &mut self.action);
        let GroupReturns {
            of,
            work,
            command,
            action,
            action_bar,
            contact_forces,
            contact_points,
            ..
        } = self;
        let Moment { model, state, contacts, .. } = *at;
        let seen = Seen { model, state, action, command, contacts };
        work.look(of, &seen);
        action_bar.fill(S::ZERO);
        contact_forces.clear();
        contact_points.clear();
        let mut into = SeenCotangents {
            state: bars.state,
            action: action_bar,
            params: bars.params,
            contact_forces,
            contact_points,
        };
        let reward_bar = cost_bar * S::from_f64(weight);
        let progress_bar = cost_bar * S::from_f64(of_position);
        reward_vjp(of, &seen, reward_bar, progress_bar, work, &mut into);
        give_back(of, action_bar, contact_forces, contact_points, bars);
    }
}

/// The action that gave an input.
pub(crate) fn find_action<S: Scalar>(of: &Description, input: &Input<S>, action: &mut [S]) {
    let Actions { centre, scale, .. } = &of.actions;
    for (k, action) in action.iter_mut().enumerate() {
        *action = (input.control[k] - S::from_f64(centre[k])) / S::from_f64(scale[k]);
    }
}

/// Adds the cotangents of an action and of contacts to those of a loss.
pub(crate) fn give_back<S: Scalar>(
    of: &Description,
    action_bar: &[S],
    contact_forces: &[Vec3<S>],
    contact_points: &[Vec3<S>],
    bars: &mut LossCotangents<'_, S>,
) {
    for ((to, bar), scale) in bars.input.control.iter_mut().zip(action_bar).zip(&of.actions.scale) {
        *to += *bar / S::from_f64(*scale);
    }
    add(bars.contact_forces, contact_forces);
    add(bars.contact_points, contact_points);
}

/// Adds cotangents of contacts; an empty list is zero.
fn add<S: Scalar>(to: &mut Vec<Vec3<S>>, from: &[Vec3<S>]) {
    to.resize(from.len().max(to.len()), Vec3::ZERO);
    to.iter_mut().zip(from).for_each(|(to, bar)| *to += *bar);
}
