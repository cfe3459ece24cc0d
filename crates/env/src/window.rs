//! A policy in the loop for a window of some steps: what it returned, and the gradient of that.
//!
//! Worlds go on from window to window, and their episodes end in between. What a world does after the end of its episode
//! counts for nothing, and it starts anew when the window ends. Where the episode goes on, or was only cut off by its
//! time limit, a [`Value`] estimates the return after the window.
//!
//! ```text
//!  J = Σ γᵏ r_k + γⁿ V(o_n),   n the number of steps that count; without V where the episode ended unhealthily
//! ```

use std::sync::atomic::{AtomicU64, Ordering};

use gradbody_math::{Scalar, Vec3};
use gradbody_model::{Model, Selection};
use gradbody_sim::{
    BatchLoss, BatchRecord, Failure, Loss, LossCotangents, Moment, Precision, State,
};

use crate::medium::Around;
use crate::returns::{find_action, give_back};
use crate::reward::{reward_of_moment, reward_vjp};
use crate::situations::commands_in;
use crate::{
    Acting, Description, EnvBatch, EnvError, Policy, Seen, SeenCotangents, SeenWork, healthy,
    observe, observe_vjp, progress,
};

/// The value of observations.
pub trait Value: Sync {
    /// The value in lanes.
    type InLanes<S: Scalar>: ValueInLanes<S>;

    /// Makes it; it serves one group of worlds.
    fn make<S: Scalar>(&self) -> Self::InLanes<S>;
}

/// A value of observations in lanes.
pub trait ValueInLanes<S: Scalar> {
    /// The value of an observation.
    fn value(&mut self, observation: &[S]) -> S;

    /// The adjoint of the last [`value`](ValueInLanes::value): adds to `observation_bar`.
    fn value_vjp(&mut self, observation: &[S], value_bar: S, observation_bar: &mut [S]);
}

/// The value is zero everywhere.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoValue;

impl Value for NoValue {
    type InLanes<S: Scalar> = NoValue;

    fn make<S: Scalar>(&self) -> NoValue {
        NoValue
    }
}

impl<S: Scalar> ValueInLanes<S> for NoValue {
    fn value(&mut self, _: &[S]) -> S {
        S::ZERO
    }

    fn value_vjp(&mut self, _: &[S], _: S, _: &mut [S]) {}
}

/// What a window gave.
#[derive(Clone, Debug, Default)]
pub struct Window {
    /// Discounted return of each world, with the value of what is to come, (worlds).
    pub returns: Vec<f64>,
    /// Rewards, (worlds, horizon); zero in steps that do not count.
    pub rewards: Vec<f64>,
    /// Number of steps of each world that count, (worlds): up to the end of its episode.
    pub lengths: Vec<usize>,
    /// Whether the episode ended in an unhealthy state, or because the world diverged, (worlds).
    pub terminated: Vec<bool>,
    /// Whether the episode was cut off by its time limit, (worlds).
    pub truncated: Vec<bool>,
    /// The observation after the last step that counts, (worlds, n_observations).
    pub end_observations: Vec<f64>,
    /// Sum of the rewards and number of steps of each episode that ended.
    pub episodes: Vec<(f64, usize)>,
    /// Why a world has no gradient, (worlds): the policy's cotangents of this world are zero then, or not finite.
    pub failures: Vec<Option<Failure>>,
}

impl<T: Precision> EnvBatch<T> {
    /// Lets a policy act for `horizon` steps from the present states, differentiates the discounted returns, and starts
    /// those worlds anew whose episodes ended. Pushes and new commands come between windows, as often on average as in
    /// single steps. The policy gets the cotangents of its actions by
    /// [`act_vjp`](crate::PolicyInLanes::act_vjp), with a factor of one for each world. The environment must observe
    /// no forces.
    pub fn window<P: Policy>(
        &mut self,
        policy: &P,
        value: &impl Value,
        horizon: usize,
        discount: f64,
    ) -> Result<Window, EnvError> {
        if horizon == 0 {
            let why = "a window needs at least one step".into();
            return Err(EnvError::Description { name: self.description.name.clone(), why });
        }
        for _ in 0..horizon {
            self.push_worlds();
        }
        let of = &self.description;
        let worlds = self.len();
        let acting = Acting::new(of, policy, worlds, horizon)?.in_situations(&self.situations)?;
        let around = Around(of.medium.as_ref());
        let steps = horizon * of.frame_skip;
        let (nq, nv) = (of.model.nq(), of.model.nv());
        let mut q = vec![0.0; worlds * steps * nq];
        let mut v = vec![0.0; worlds * steps * nv];
        let record = BatchRecord { q: &mut q, v: &mut v };
        self.batch.forward_into(steps, &&acting, &around, Some(record))?;
        let diverged = self.batch.failures();

        let mut window = Window {
            rewards: vec![0.0; worlds * horizon],
            lengths: vec![0; worlds],
            terminated: vec![false; worlds],
            truncated: vec![false; worlds],
            end_observations: vec![0.0; worlds * of.n_observations()],
            ..Window::default()
        };
        let mut look = Look::new(of);
        for (world, diverged) in diverged.iter().enumerate() {
            if diverged.is_some() {
                window.terminated[world] = true;
                continue;
            }
            let left = of.time_limit - self.steps[world];
            let mut length = 0;
            while length < horizon && !window.terminated[world] && !window.truncated[world] {
                let end = world * steps + (length + 1) * of.frame_skip - 1;
                let command = &self.situations.commands[world * of.n_commands()..];
                look.place(&q[end * nq..(end + 1) * nq], &v[end * nv..(end + 1) * nv], command);
                length += 1;
                window.terminated[world] = of.terminates && !look.is_healthy(&of.model);
                window.truncated[world] = length >= left;
            }
            window.lengths[world] = length;
            let n = of.n_observations();
            look.observe(&of.model, &mut window.end_observations[world * n..(world + 1) * n]);
        }

        let (rewards, positions) = (unknown(worlds * horizon), unknown(worlds * horizon));
        let loss = WindowReturn {
            of,
            discount,
            value,
            horizon,
            commands: &self.situations.commands,
            lengths: &window.lengths,
            terminated: &window.terminated,
            rewards: &rewards,
            positions: &positions,
        };
        let found = self.batch.backward(&&acting, &around, &loss, &Selection::none())?;
        let rate = of.forward().map_or(0.0, |(_, rate)| rate);
        window.returns = found.costs;
        window.failures = found.failures;
        for world in 0..worlds {
            let mut before = self.positions[world];
            let counted = world * horizon..world * horizon + window.lengths[world];
            let is_known =
                |k: usize| number(&rewards[k]).is_finite() && number(&positions[k]).is_finite();
            if !counted.clone().all(is_known) {
                // Overflow, in the rewards or on the way back before they were asked for.
                (window.lengths[world], window.terminated[world]) = (0, true);
                window.truncated[world] = false;
                window.failures[world].get_or_insert(Failure::Overflow { step: None });
            } else if !counted.is_empty() {
                window.returns[world] -= rate * before;
            }
            for step in 0..window.lengths[world] {
                let k = world * horizon + step;
                let position = number(&positions[k]);
                window.rewards[k] = number(&rewards[k]) + rate * (position - before);
                before = position;
            }
            self.positions[world] = before;
        }
        let late = of.delay.most.min(horizon);
        let given = acting.last_actions(late);
        self.end_window(&mut window, horizon, &given);
        Ok(window)
    }

    /// Counts the steps of a window, and starts worlds anew whose episodes ended. The others remember the actions that
    /// were given last, (worlds, some steps, actions), and may get another command.
    fn end_window(&mut self, window: &mut Window, horizon: usize, given: &[f64]) {
        for world in 0..self.len() {
            let rewards = &window.rewards[world * horizon..(world + 1) * horizon];
            self.steps[world] += window.lengths[world];
            self.returns[world] += rewards.iter().sum::<f64>();
            if window.terminated[world] || window.truncated[world] {
                window.episodes.push((self.returns[world], self.steps[world]));
                self.begin(world);
                self.outcome.forget_end(world);
                continue;
            }
            let row = given.len() / self.len();
            for action in given[world * row..(world + 1) * row].chunks(self.description.n_actions())
            {
                self.situations.note(&self.description, world, action);
            }
            for _ in 0..horizon {
                self.change_command(world);
            }
        }
    }
}

/// Bits of numbers that are not known yet.
fn unknown(n: usize) -> Vec<AtomicU64> {
    (0..n).map(|_| AtomicU64::new(f64::NAN.to_bits())).collect()
}

fn number(bits: &AtomicU64) -> f64 {
    f64::from_bits(bits.load(Ordering::Relaxed))
}

/// Looks at recorded states, one at a time.
struct Look<'a> {
    of: &'a Description,
    state: State<f64>,
    action: Vec<f64>,
    command: Vec<f64>,
    work: SeenWork<f64>,
}

impl<'a> Look<'a> {
    fn new(of: &'a Description) -> Self {
        Look {
            of,
            state: State::neutral(&of.model),
            action: vec![0.0; of.n_actions()],
            command: vec![0.0; of.n_commands()],
            work: SeenWork::new(of, &of.model),
        }
    }

    /// `command` begins with that of the world.
    fn place(&mut self, q: &[f64], v: &[f64], command: &[f64]) {
        self.state.q.copy_from_slice(q);
        self.state.v.copy_from_slice(v);
        let width = self.command.len();
        self.command.copy_from_slice(&command[..width]);
    }

    fn is_healthy(&mut self, model: &Model<f64>) -> bool {
        let Look { of, state, action, command, work } = self;
        let at = Seen { model, state, action, command, contacts: &[] };
        work.look(of, &at);
        healthy(of, &at, work) != 0.0
    }

    /// Observes the state that [`is_healthy`](Look::is_healthy) was asked for.
    fn observe(&mut self, model: &Model<f64>, to: &mut [f64]) {
        let Look { of, state, action, command, work } = self;
        let at = Seen { model, state, action, command, contacts: &[] };
        work.look(of, &at);
        observe(of, &at, work, to);
    }
}

/// The return of a window, as a loss of a batch.
struct WindowReturn<'a, V> {
    of: &'a Description,
    discount: f64,
    value: &'a V,
    horizon: usize,
    /// (worlds, n_commands).
    commands: &'a [f64],
    /// Number of steps of each world that count.
    lengths: &'a [usize],
    terminated: &'a [bool],
    /// Bits of the rewards but that for the rate of a position, (worlds, horizon). Written by `cost`.
    rewards: &'a [AtomicU64],
    /// Bits of the rewarded positions, (worlds, horizon). Written by `cost`.
    positions: &'a [AtomicU64],
}

impl<V> Clone for WindowReturn<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for WindowReturn<'_, V> {}

/// [`WindowReturn`] of a group of worlds.
struct GroupReturn<'a, V: Value, S: Scalar> {
    window: WindowReturn<'a, V>,
    worlds: Vec<usize>,
    value: V::InLanes<S>,
    work: SeenWork<S>,
    command: Vec<S>,
    action: Vec<S>,
    action_bar: Vec<S>,
    observation: Vec<S>,
    observation_bar: Vec<S>,
    contact_forces: Vec<Vec3<S>>,
    contact_points: Vec<Vec3<S>>,
}

/// Factors of what the end of a step gives, in lanes.
struct Weights<S> {
    /// The step, from 0.
    step: usize,
    reward: S,
    position: S,
    /// If a value counts in some lane.
    value: Option<S>,
}

impl<'a, V: Value> BatchLoss for WindowReturn<'a, V> {
    type Loss<S: Scalar> = GroupReturn<'a, V, S>;

    fn for_worlds<S: Scalar>(&self, model: &Model<S>, worlds: &[usize]) -> GroupReturn<'a, V, S> {
        let of = self.of;
        let mut command = Vec::new();
        commands_in(of, self.commands, worlds, &mut command);
        GroupReturn {
            command,
            window: *self,
            worlds: worlds.to_vec(),
            value: self.value.make(),
            work: SeenWork::new(of, model),
            action: vec![S::ZERO; of.n_actions()],
            action_bar: vec![S::ZERO; of.n_actions()],
            observation: vec![S::ZERO; of.n_observations()],
            observation_bar: vec![S::ZERO; of.n_observations()],
            contact_forces: Vec::new(),
            contact_points: Vec::new(),
        }
    }
}

impl<V: Value, S: Scalar> GroupReturn<'_, V, S> {
    /// The factors at a moment, if a step of the environment ends there.
    fn weights(&self, at: &Moment<'_, S>) -> Option<Weights<S>> {
        let WindowReturn { of, discount, lengths, terminated, .. } = self.window;
        if !(at.step + 1).is_multiple_of(of.frame_skip) {
            return None;
        }
        let step = at.step / of.frame_skip;
        let now = discount.powi(step as i32);
        let rate = of.forward().map_or(0.0, |(_, rate)| rate);
        let length = |lane: usize| lengths[self.worlds[lane]];
        let counts = |lane, weight| if step < length(lane) { weight } else { 0.0 };
        // The position ends this step, and begins the next one if that counts.
        let of_position = |lane| {
            let next = if step + 1 < length(lane) { discount } else { 0.0 };
            counts(lane, rate * now * (1.0 - next))
        };
        let of_value = |lane: usize| {
            let goes_on = step + 1 == length(lane) && !terminated[self.worlds[lane]];
            if goes_on { now * discount } else { 0.0 }
        };
        let any_value = (0..S::LANES).any(|lane| of_value(lane) != 0.0);
        Some(Weights {
            step,
            reward: S::from_lanes(|lane| counts(lane, now)),
            position: S::from_lanes(of_position),
            value: any_value.then(|| S::from_lanes(of_value)),
        })
    }

    /// Keeps a number of each world.
    fn keep(&self, numbers: &[AtomicU64], step: usize, x: S) {
        for (lane, world) in self.worlds.iter().enumerate() {
            let bits = x.lane(lane).to_bits();
            numbers[world * self.window.horizon + step].store(bits, Ordering::Relaxed);
        }
    }
}

impl<V: Value, S: Scalar> Loss<S> for GroupReturn<'_, V, S> {
    fn cost(&mut self, at: &Moment<'_, S>) -> S {
        let Some(Weights { step, reward, position, value }) = self.weights(at) else {
            return S::ZERO;
        };
        let WindowReturn { of, rewards, positions, .. } = self.window;
        find_action(of, at.input, &mut self.action);
        let GroupReturn { work, command, action, .. } = self;
        let Moment { model, state, contacts, .. } = *at;
        let seen = Seen { model, state, action, command, contacts };
        work.look(of, &seen);
        let (local, place) = (reward_of_moment(of, &seen, work), progress(of, &seen, work));
        let mut cost = local * reward + place * position;
        if let Some(weight) = value {
            observe(of, &seen, work, &mut self.observation);
            cost += self.value.value(&self.observation) * weight;
        }
        self.keep(rewards, step, local);
        self.keep(positions, step, place);
        cost
    }

    fn cost_vjp(&mut self, at: &Moment<'_, S>, cost_bar: S, bars: &mut LossCotangents<'_, S>) {
        let Some(Weights { reward, position, value, .. }) = self.weights(at) else { return };
        let of = self.window.of;
        find_action(of, at.input, &mut self.action);
        let GroupReturn {
            work, command, action, action_bar, contact_forces, contact_points, ..
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
        reward_vjp(of, &seen, cost_bar * reward, cost_bar * position, work, &mut into);
        if let Some(weight) = value {
            observe(of, &seen, work, &mut self.observation);
            self.value.value(&self.observation);
            self.observation_bar.fill(S::ZERO);
            let value_bar = cost_bar * weight;
            self.value.value_vjp(&self.observation, value_bar, &mut self.observation_bar);
            observe_vjp(of, &seen, &self.observation_bar, work, &mut into);
        }
        give_back(of, action_bar, contact_forces, contact_points, bars);
    }
}
