//! The gradient of the return with respect to an action through one true step of the simulation.
//!
//! ```text
//!   ∂r/∂a + γ ∂Q(s′, μ(s′))/∂s′ ∂s′/∂a
//! ```
//! The stored states are put into worlds of their own, which take a step under the policy's present actions. The critics
//! give the slope of the return after that; the adjoint of the step takes it back to the action. The way of s′ through
//! the policy's mean action μ(s′) counts.

use gradbody_env::{Description, Transitions};
use gradbody_sim::Precision;

use super::PolicyEnhancement;
use super::agent::side_by_side;
use super::critics::Critics;
use super::replay::Minibatch;
use crate::{Actor, DenseRows, TrainError};

/// Worlds that take single steps from stored states, in the precision `T`.
#[derive(Debug)]
pub(crate) struct OneStep<T> {
    transitions: Transitions<T>,
    /// The policy at s′.
    rows: DenseRows,
    longest_gradient: f32,
    found: Through,
    work: Work,
}

/// The gradients of some samples.
#[derive(Debug, Default)]
pub(crate) struct Through {
    /// r + γ Q(s′, μ(s′)), (rows).
    pub(crate) values: Vec<f32>,
    /// Its slopes with respect to actions in ±1, (rows, actions).
    pub(crate) by_action: Vec<f32>,
    /// Where the step or its adjoint diverged: slopes are zero there.
    pub(crate) failed: Vec<bool>,
}

#[derive(Debug, Default)]
struct Work {
    actions: Vec<f64>,
    observations: Vec<f32>,
    outputs: Vec<f32>,
    next_actions: Vec<f32>,
    inputs: Vec<f32>,
    values: Vec<f32>,
    slopes: Vec<f32>,
    outputs_bar: Vec<f32>,
    through_policy: Vec<f32>,
    rewards_bar: Vec<f64>,
    observations_bar: Vec<f64>,
}

impl<T: Precision> OneStep<T> {
    /// At most `minibatch` samples at a time.
    pub(crate) fn new(
        of: &Description,
        actor: &Actor,
        options: &PolicyEnhancement,
        minibatch: usize,
    ) -> Result<Self, TrainError> {
        Ok(OneStep {
            transitions: Transitions::new(of.clone(), options.samples.min(minibatch))?,
            rows: DenseRows::new(&actor.network, "actor")?,
            longest_gradient: options.longest_gradient,
            found: Through::default(),
            work: Work::default(),
        })
    }

    /// Number of samples at a time.
    pub(crate) fn rows(&self) -> usize {
        self.transitions.len()
    }

    /// The gradients for the first samples of a batch under `actions` in ±1, (rows, actions). `scales` are the discount
    /// and what rewards are multiplied by.
    pub(crate) fn slopes(
        &mut self,
        actor: &Actor,
        critics: &mut Critics,
        batch: &Minibatch,
        actions: &[f32],
        (discount, reward_scale): (f32, f32),
    ) -> Result<&Through, TrainError> {
        let (rows, n, m) = (self.rows(), actor.n_observations(), actor.n_actions());
        let (nq, nv) = (batch.widths.q, batch.widths.v);
        let OneStep { transitions, rows: policy, longest_gradient, found, work } = self;
        work.actions.clear();
        let scaled = actions.iter().enumerate().map(|(k, a)| f64::from(actor.to_range(k % m, *a)));
        work.actions.extend(scaled);
        let (q, v) = (&batch.q[..rows * nq], &batch.v[..rows * nv]);
        let step = transitions.forward(q, v, &work.actions)?;
        // The critics at s′ under the mean action.
        work.observations.resize(rows * n, 0.0);
        actor.normaliser.normalise(&step.observations, &mut work.observations);
        for (row, failed) in work.observations.chunks_exact_mut(n).zip(&step.failed) {
            if *failed {
                row.fill(0.0);
            }
        }
        work.outputs.resize(rows * 2 * m, 0.0);
        policy.forward(&actor.weights, &work.observations, &mut work.outputs);
        work.next_actions.clear();
        for row in work.outputs.chunks_exact(2 * m) {
            work.next_actions.extend(row[..m].iter().map(|mean| mean.tanh()));
        }
        side_by_side(&work.observations, n, &work.next_actions, m, &mut work.inputs);
        critics.slopes(&work.inputs, &mut work.values, &mut work.slopes);
        // Through the mean action to s′.
        work.outputs_bar.clear();
        work.outputs_bar.resize(rows * 2 * m, 0.0);
        for row in 0..rows {
            for k in 0..m {
                let a = work.next_actions[row * m + k];
                let slope = work.slopes[row * (n + m) + n + k];
                work.outputs_bar[row * 2 * m + k] = slope * (1.0 - a * a);
            }
        }
        work.through_policy.resize(rows * n, 0.0);
        let to = Some(&mut work.through_policy[..]);
        policy.backward(&actor.weights, &work.outputs_bar, None, to);
        // Through the normalisation, and back through the step.
        found.values.clear();
        work.observations_bar.clear();
        for row in 0..rows {
            let goes_on = if step.terminated[row] { 0.0 } else { discount };
            let reward = if step.failed[row] { 0.0 } else { step.rewards[row] as f32 };
            found.values.push(goes_on.mul_add(work.values[row], reward_scale * reward));
            for k in 0..n {
                let slope = work.slopes[row * (n + m) + k] + work.through_policy[row * n + k];
                let by_raw = actor.normaliser.slope(k, work.observations[row * n + k]);
                let bar = if step.failed[row] { 0.0 } else { goes_on * slope * by_raw };
                work.observations_bar.push(f64::from(bar));
            }
        }
        work.rewards_bar.clear();
        work.rewards_bar.resize(rows, f64::from(reward_scale));
        let gradient = transitions.backward(&work.rewards_bar, &work.observations_bar)?;
        found.failed = gradient.failed;
        found.by_action.clear();
        for (k, slope) in gradient.actions.iter().enumerate() {
            found.by_action.push(*slope as f32 * actor.half_range(k % m));
        }
        for (row, failed) in found.by_action.chunks_exact_mut(m).zip(&mut found.failed) {
            *failed |= row.iter().any(|x| !x.is_finite());
            if *failed {
                row.fill(0.0);
            }
            crate::clip_norm(row, *longest_gradient);
        }
        Ok(found)
    }
}
