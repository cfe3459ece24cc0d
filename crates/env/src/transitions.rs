//! Single steps of an environment from states that are given, with their adjoint.
//!
//! Learning from stored samples asks what a step would have given under another action, and how that grows with the
//! action. [`Transitions`] places its worlds in stored states, takes one step, and carries cotangents of rewards and of
//! observations back to the actions. Episodes play no part.

use gradbody_math::{Scalar, Vec3};
use gradbody_model::{Model, Selection};
use gradbody_sim::{
    Batch, BatchLoss, Input, Loss, LossCotangents, Moment, Precision, State, in_lanes,
};

use crate::error::{check_finite, check_size};
use crate::medium::Around;
use crate::reward::{progress, reward_vjp};
use crate::step_reader::{Columns, StepReader};
use crate::{
    Actions, Description, EnvError, HeldActions, Seen, SeenCotangents, SeenWork, observe_vjp,
};

/// Worlds that take single steps from given states, in the precision `T` (f64 or f32). They have the parameters of the
/// description. The results have the same bits on any number of threads.
#[derive(Debug)]
pub struct Transitions<T> {
    description: Description,
    batch: Batch<T>,
    /// The actions of the last step, (worlds, actions).
    actions: Vec<f64>,
    /// The rewarded position of each world before the step.
    positions: Vec<f64>,
    rows: Vec<f64>,
    outcome: Transition,
    /// For positions before the step.
    start: State<f64>,
    work: SeenWork<f64>,
    no_action: Vec<f64>,
}

/// What one step of each world gave.
#[derive(Clone, Debug, Default)]
pub struct Transition {
    /// The observation after the step, (worlds, n_observations).
    pub observations: Vec<f64>,
    /// The reward, (worlds).
    pub rewards: Vec<f64>,
    /// Whether the episode would end in an unhealthy state, (worlds).
    pub terminated: Vec<bool>,
    /// Whether the world diverged, (worlds): its other numbers are then meaningless.
    pub failed: Vec<bool>,
}

/// A gradient of a [`Transition`] with respect to the actions.
#[derive(Clone, Debug, Default)]
pub struct TransitionGradient {
    /// For each number of the actions, (worlds, actions); zeros in worlds that failed.
    pub actions: Vec<f64>,
    /// Whether the world failed, forwards or backwards, (worlds).
    pub failed: Vec<bool>,
}

impl<T: Precision> Transitions<T> {
    /// So many worlds of an environment without commands and late actions, at least one.
    pub fn new(description: Description, worlds: usize) -> Result<Self, EnvError> {
        description.check()?;
        description.check_alone()?;
        if worlds == 0 {
            return Err(EnvError::NoWorlds);
        }
        let model = &description.model;
        Ok(Transitions {
            batch: Batch::new(model, worlds, description.options),
            actions: vec![0.0; worlds * description.n_actions()],
            positions: vec![0.0; worlds],
            rows: vec![0.0; worlds * Columns::of(&description).width],
            outcome: Transition::default(),
            start: State::neutral(model),
            work: SeenWork::new(&description, model),
            no_action: vec![0.0; description.n_actions()],
            description,
        })
    }

    /// The environment.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Number of worlds.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are no worlds; there is always at least one.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Takes one step of the environment from the configurations `q`, (worlds, nq), and velocities `v`, (worlds, nv),
    /// under `actions`, (worlds, actions).
    pub fn forward(
        &mut self,
        q: &[f64],
        v: &[f64],
        actions: &[f64],
    ) -> Result<&Transition, EnvError> {
        let (worlds, of) = (self.len(), &self.description);
        check_size("actions", "(worlds, actions)", actions.len(), self.actions.len())?;
        check_finite("the number of the action with index", actions, worlds)?;
        self.batch.write_states(q, v)?;
        self.actions.copy_from_slice(actions);
        if of.forward().is_some() {
            for world in 0..worlds {
                // As the batch holds it: in f32 it was rounded.
                let Some(state) = self.batch.state(world) else { continue };
                self.start.copy_from(&state);
                let action = &self.no_action;
                let at = Seen {
                    model: &of.model,
                    state: &self.start,
                    action,
                    command: &[],
                    contacts: &[],
                };
                self.work.look(of, &at);
                self.positions[world] = progress(of, &at, &self.work);
            }
        }
        let held = HeldActions::new(of, worlds, &self.actions)?;
        let reader = StepReader { of, held: &held, commands: &[], before: &self.positions };
        let around = Around(of.medium.as_ref());
        self.batch.forward_reading(of.frame_skip, &held, &around, &reader, &mut self.rows)?;
        self.read_outcome();
        Ok(&self.outcome)
    }

    fn read_outcome(&mut self) {
        let columns = Columns::of(&self.description);
        let failures = self.batch.failures();
        let Transition { observations, rewards, terminated, failed } = &mut self.outcome;
        observations.clear();
        rewards.clear();
        terminated.clear();
        failed.clear();
        for (row, failure) in self.rows.chunks_exact(columns.width).zip(failures) {
            observations.extend_from_slice(&row[..columns.terms]);
            rewards.push(row[columns.terms..columns.healthy].iter().sum());
            terminated.push(self.description.terminates && row[columns.healthy] == 0.0);
            failed.push(failure.is_some() || row.iter().any(|x| !x.is_finite()));
        }
    }

    /// The adjoint of the last [`forward`](Transitions::forward): from the cotangents of the rewards, (worlds), and of
    /// the observations, (worlds, n_observations), finds those of the actions. Each step can be differentiated once.
    pub fn backward(
        &mut self,
        rewards_bar: &[f64],
        observations_bar: &[f64],
    ) -> Result<TransitionGradient, EnvError> {
        let (worlds, of) = (self.len(), &self.description);
        let width = of.n_observations();
        check_size("cotangents of rewards", "(worlds)", rewards_bar.len(), worlds)?;
        let shape = "(worlds, n_observations)";
        check_size("cotangents of observations", shape, observations_bar.len(), worlds * width)?;
        let held = HeldActions::new(of, worlds, &self.actions)?;
        let around = Around(of.medium.as_ref());
        let loss = EndOfStep { of, rewards_bar, observations_bar };
        let found = self.batch.backward(&held, &around, &loss, &Selection::none())?;
        let failed = found.failures.iter().zip(&self.outcome.failed);
        let failed = failed.map(|(back, forth)| back.is_some() || *forth).collect();
        Ok(TransitionGradient { actions: found.inputs, failed })
    }
}

/// Cotangents of rewards and observations at the end of a step, as a loss that costs nothing.
#[derive(Clone, Copy)]
struct EndOfStep<'a> {
    of: &'a Description,
    rewards_bar: &'a [f64],
    observations_bar: &'a [f64],
}

/// The same for a group of worlds.
struct GroupEndOfStep<'a, S> {
    of: &'a Description,
    reward_bar: S,
    observation_bar: Vec<S>,
    work: SeenWork<S>,
    action: Vec<S>,
    action_bar: Vec<S>,
}

impl<'a> BatchLoss for EndOfStep<'a> {
    type Loss<S: Scalar> = GroupEndOfStep<'a, S>;

    fn for_worlds<S: Scalar>(&self, model: &Model<S>, worlds: &[usize]) -> GroupEndOfStep<'a, S> {
        let EndOfStep { of, rewards_bar, observations_bar } = *self;
        let width = of.n_observations();
        let of_world = |k: usize| in_lanes(worlds, |world| observations_bar[world * width + k]);
        GroupEndOfStep {
            of,
            reward_bar: in_lanes(worlds, |world| rewards_bar[world]),
            observation_bar: (0..width).map(of_world).collect(),
            work: SeenWork::new(of, model),
            action: vec![S::ZERO; of.n_actions()],
            action_bar: vec![S::ZERO; of.n_actions()],
        }
    }
}

impl<S: Scalar> GroupEndOfStep<'_, S> {
    /// The action that gave this input.
    fn find_action(&mut self, input: &Input<S>) {
        let Actions { centre, scale, .. } = &self.of.actions;
        for (k, action) in self.action.iter_mut().enumerate() {
            *action = (input.control[k] - S::from_f64(centre[k])) / S::from_f64(scale[k]);
        }
    }
}

impl<S: Scalar> Loss<S> for GroupEndOfStep<'_, S> {
    fn cost(&mut self, _: &Moment<'_, S>) -> S {
        S::ZERO
    }

    fn cost_vjp(&mut self, at: &Moment<'_, S>, cost_bar: S, bars: &mut LossCotangents<'_, S>) {
        if !at.is_last() {
            return;
        }
        self.find_action(at.input);
        let GroupEndOfStep { of, reward_bar, observation_bar, work, action, action_bar } = self;
        let Moment { model, state, contacts, .. } = *at;
        let seen = Seen { model, state, action, command: &[], contacts };
        work.look(of, &seen);
        action_bar.fill(S::ZERO);
        let (mut contact_forces, mut contact_points) = (Vec::new(), Vec::new());
        let mut into = SeenCotangents {
            state: bars.state,
            action: action_bar,
            params: bars.params,
            contact_forces: &mut contact_forces,
            contact_points: &mut contact_points,
        };
        let reward_bar = cost_bar * *reward_bar;
        let rate = of.forward().map_or(0.0, |(_, rate)| rate);
        reward_vjp(of, &seen, reward_bar, reward_bar * S::from_f64(rate), work, &mut into);
        let observation_bar: Vec<S> = observation_bar.iter().map(|x| *x * cost_bar).collect();
        observe_vjp(of, &seen, &observation_bar, work, &mut into);
        let scales = &of.actions.scale;
        for ((to, bar), scale) in bars.input.control.iter_mut().zip(&*action_bar).zip(scales) {
            *to += *bar / S::from_f64(*scale);
        }
        add(bars.contact_forces, &contact_forces);
        add(bars.contact_points, &contact_points);
    }
}

/// Adds cotangents of contacts; an empty list is zero.
fn add<S: Scalar>(to: &mut Vec<Vec3<S>>, from: &[Vec3<S>]) {
    to.resize(from.len().max(to.len()), Vec3::ZERO);
    to.iter_mut().zip(from).for_each(|(to, bar)| *to += *bar);
}
