//! A policy in the loop: it sees observations, and its actions are held.
//!
//! A batch asks its inputs at every step of the simulation. [`Acting`] asks the policy at the first of each step of
//! the environment and keeps the answer for the others. In the backward pass it sums the cotangents of an action until
//! it is back at that first step, where they go through the policy and the observation to the state. The actions of
//! the whole horizon are kept in plain numbers, because a backward pass runs steps again from anywhere.

use std::sync::atomic::{AtomicU64, Ordering};

use gradbody_math::{Scalar, Vec3};
use gradbody_model::{Model, Params, Topology};
use gradbody_sim::{
    BatchError, BatchInputs, Input, InputCotangents, Inputs, Simulated, State, StateCotangents,
};

use crate::held_actions::where_late;
use crate::situations::commands_in;
use crate::{
    Description, EnvError, Observed, Seen, SeenCotangents, SeenWork, Situations, observe,
    observe_vjp,
};

/// A policy for the worlds of a batch.
pub trait Policy: Sync {
    /// The policy in lanes.
    type InLanes<S: Simulated>: PolicyInLanes<S> + Send;

    /// Makes it; it serves many groups of worlds in turn.
    fn make<S: Simulated>(&self) -> Self::InLanes<S>;
}

/// A policy that acts in lanes.
pub trait PolicyInLanes<S: Scalar> {
    /// Writes the action for an observation. `worlds` has the world of each lane, and `step` is the step of the
    /// environment, from 0: a policy may draw its noise from them. The same step may be asked for again.
    fn act(&mut self, worlds: &[usize], step: usize, observation: &[S], action: &mut [S]);

    /// The adjoint of [`act`](PolicyInLanes::act): adds to `observation_bar` and to the policy's own cotangents.
    fn act_vjp(
        &mut self,
        worlds: &[usize],
        step: usize,
        observation: &[S],
        action_bar: &[S],
        observation_bar: &mut [S],
    );

    /// Clears the policy's own cotangents.
    fn begin_back(&mut self);

    /// The cotangents of its own numbers, such as weights.
    fn numbers_bar(&self) -> &[S];
}

/// A policy that acts in an environment, as inputs of a [`Batch`](gradbody_sim::Batch) whose gradient is with respect
/// to the policy's numbers.
///
/// Observations are computed with the model that [`make`](BatchInputs::make) gets. If worlds have their own lengths,
/// what depends on these is that of the first group, and a gradient with respect to such parameters lacks the way
/// through the observation.
#[derive(Debug)]
pub struct Acting<'a, P> {
    of: &'a Description,
    policy: &'a P,
    worlds: usize,
    horizon: usize,
    /// Commands, delays and earlier actions.
    situations: Option<&'a Situations>,
    /// Bits of the actions since the forward pass, (worlds, horizon, actions); NaN until then. A world belongs to one
    /// group, so no two threads use the same numbers.
    actions: Vec<AtomicU64>,
}

impl<'a, P: Policy> Acting<'a, P> {
    /// A policy that acts in `worlds` worlds for `horizon` steps of the environment; after these, controls are zero.
    /// The backward pass needs the same `Acting` as the forward pass. Fails if observations have contact forces or
    /// forces of actuators: they belong to a step that ended, which a batch's inputs do not see
    /// ([`Description::without_forces`]).
    pub fn new(
        of: &'a Description,
        policy: &'a P,
        worlds: usize,
        horizon: usize,
    ) -> Result<Self, EnvError> {
        if of.observation.iter().any(Observed::is_of_a_step) {
            let why = "a policy in the loop sees the state only; observe no forces".into();
            return Err(EnvError::Description { name: of.name.clone(), why });
        }
        let unknown = || AtomicU64::new(f64::NAN.to_bits());
        let actions = (0..worlds * horizon * of.n_actions()).map(|_| unknown()).collect();
        Ok(Acting { of, policy, worlds, horizon, situations: None, actions })
    }

    /// The actions that were given in the last `steps` steps of the horizon, (worlds, steps, actions).
    pub(crate) fn last_actions(&self, steps: usize) -> Vec<f64> {
        let n = self.of.n_actions();
        let skipped = (self.horizon - steps) * n;
        let of_world = |row: &[AtomicU64]| -> Vec<f64> {
            row[skipped..].iter().map(|x| f64::from_bits(x.load(Ordering::Relaxed))).collect()
        };
        self.actions.chunks(self.horizon * n).flat_map(of_world).collect()
    }

    /// With the commands, delays and earlier actions of the worlds. Without this, commands are zero and actions act at
    /// once.
    pub fn in_situations(self, situations: &'a Situations) -> Result<Self, EnvError> {
        situations.check(self.of, self.worlds)?;
        Ok(Acting { situations: Some(situations), ..self })
    }
}

/// A policy that acts in a group of worlds.
#[derive(Debug)]
pub struct GroupActing<'a, P, S> {
    of: &'a Description,
    horizon: usize,
    situations: Option<&'a Situations>,
    /// By how many steps actions may be late: the largest delay; zero without situations.
    latest: usize,
    kept: &'a [AtomicU64],
    policy: P,
    model: Model<S>,
    group: Vec<usize>,
    work: SeenWork<S>,
    observation: Vec<S>,
    observation_bar: Vec<S>,
    /// (n_commands).
    command: Vec<S>,
    /// The action that is held, (actions).
    action: Vec<S>,
    /// The step of the environment that it acts in.
    held: Option<usize>,
    /// Cotangents of the actions of the present step and of those before it that may act in it, (latest + 1, actions);
    /// that of step k is in row k modulo their number.
    action_bars: Vec<S>,
    /// Buffers for cotangents that no observation has: of the action before, of parameters and of contacts.
    unused: Unused<S>,
}

#[derive(Debug)]
struct Unused<S> {
    action: Vec<S>,
    action_bar: Vec<S>,
    params: Params<S>,
    contacts: Vec<Vec3<S>>,
    contact_points: Vec<Vec3<S>>,
}

impl<'a, P: Policy> BatchInputs for &'a Acting<'_, P> {
    type Inputs<S: Simulated> = GroupActing<'a, P::InLanes<S>, S>;

    fn check(&self, worlds: usize, topology: &Topology) -> Result<(), BatchError> {
        let (given, needed) = (self.of.n_actions(), topology.actuators.len());
        if given != needed {
            return Err(BatchError::Array { part: "numbers of an action", given, needed });
        }
        let (given, needed) = (self.actions.len(), worlds * self.horizon * needed);
        match given == needed {
            true => Ok(()),
            false => Err(BatchError::Array { part: "kept actions", given, needed }),
        }
    }

    fn make<S: Simulated>(&self, model: &Model<S>) -> Self::Inputs<S> {
        let Acting { of, policy, horizon, situations, ref actions, .. } = **self;
        let latest = situations.map_or(0, |_| of.delay.most);
        let (observations, kept, actions) = (of.n_observations(), actions, of.n_actions());
        GroupActing {
            of,
            horizon,
            situations,
            latest,
            kept,
            policy: policy.make(),
            model: model.clone(),
            group: Vec::new(),
            work: SeenWork::new(of, model),
            observation: vec![S::ZERO; observations],
            observation_bar: vec![S::ZERO; observations],
            command: Vec::new(),
            action: vec![S::ZERO; actions],
            held: None,
            action_bars: vec![S::ZERO; (latest + 1) * actions],
            unused: Unused {
                action: vec![S::ZERO; actions],
                action_bar: vec![S::ZERO; actions],
                params: model.params.zeros_like(),
                contacts: Vec::new(),
                contact_points: Vec::new(),
            },
        }
    }

    fn turn_to<S: Simulated>(&self, inputs: &mut Self::Inputs<S>, worlds: &[usize]) {
        inputs.group.clear();
        inputs.group.extend_from_slice(worlds);
        let commands = self.situations.map_or(&[][..], |of| &of.commands);
        commands_in(self.of, commands, worlds, &mut inputs.command);
        inputs.held = None;
    }

    fn numbers_bar<S: Simulated>(inputs: &Self::Inputs<S>) -> &[S] {
        inputs.policy.numbers_bar()
    }
}

impl<P: PolicyInLanes<S>, S: Scalar> GroupActing<'_, P, S> {
    /// Where a number of an action of a world is kept.
    fn place(&self, world: usize, step: usize, k: usize) -> &AtomicU64 {
        &self.kept[(world * self.horizon + step) * self.action.len() + k]
    }

    fn keep(&self, step: usize) {
        for (k, action) in self.action.iter().enumerate() {
            for (lane, world) in self.group.iter().enumerate() {
                let bits = action.lane(lane).to_bits();
                self.place(*world, step, k).store(bits, Ordering::Relaxed);
            }
        }
    }

    /// Puts the action that acts in a step into `action`.
    fn recall(&mut self, step: usize) {
        for k in 0..self.action.len() {
            let kept =
                |world, step| f64::from_bits(self.place(world, step, k).load(Ordering::Relaxed));
            self.action[k] = S::from_lanes(|lane| {
                let world = self.group[lane];
                let late = self.situations.map_or(0, |of| of.delay(world));
                match (step.checked_sub(late), self.situations) {
                    (None, Some(of)) => of.given(self.of, world, late - step, k),
                    (given, _) => kept(world, given.unwrap_or(0)),
                }
            });
        }
    }

    /// Observes a state.
    fn look(&mut self, state: &State<S>) {
        let GroupActing { of, model, work, command, observation, unused, .. } = self;
        let at = Seen { model, state, action: &unused.action, command, contacts: &[] };
        work.look(of, &at);
        observe(of, &at, work, observation);
    }
}

impl<P: PolicyInLanes<S>, S: Scalar> Inputs<S> for GroupActing<'_, P, S> {
    fn set(&mut self, step: usize, state: &State<S>, input: &mut Input<S>) {
        let (step, substep) = (step / self.of.frame_skip, step % self.of.frame_skip);
        if step >= self.horizon {
            return;
        }
        if substep == 0 {
            self.look(state);
            let GroupActing { policy, group, observation, action, .. } = self;
            policy.act(group, step, observation, action);
            self.keep(step);
            if self.latest > 0 {
                self.recall(step);
            }
        } else if self.held != Some(step) {
            self.recall(step);
        }
        self.held = Some(step);
        let GroupActing { of, action, .. } = self;
        let numbers = of.actions.centre.iter().zip(&of.actions.scale);
        for ((to, action), (centre, scale)) in input.control.iter_mut().zip(action).zip(numbers) {
            *to = action.mul_add(S::from_f64(*scale), S::from_f64(*centre));
        }
    }

    fn begin_back(&mut self) {
        self.policy.begin_back();
        self.action_bars.fill(S::ZERO);
    }

    fn set_vjp(
        &mut self,
        step: usize,
        state: &State<S>,
        bar: &InputCotangents<S>,
        state_bar: &mut StateCotangents<S>,
    ) {
        let (step, substep) = (step / self.of.frame_skip, step % self.of.frame_skip);
        if step >= self.horizon {
            return;
        }
        let rows = self.latest + 1;
        let row =
            |step: usize| step % rows * bar.control.len()..(step % rows + 1) * bar.control.len();
        for late in 0..=self.latest.min(step) {
            let scale = self.of.actions.scale.iter().map(|x| S::from_f64(*x));
            let sums = &mut self.action_bars[row(step - late)];
            for ((sum, bar), scale) in sums.iter_mut().zip(&bar.control).zip(scale) {
                let bar = match self.situations {
                    Some(situations) if rows > 1 => where_late(situations, &self.group, late, *bar),
                    _ => *bar,
                };
                *sum = bar.mul_add(scale, *sum);
            }
        }
        if substep > 0 {
            return;
        }
        self.look(state);
        let GroupActing { of, policy, model, group, work, command, observation, .. } = self;
        self.observation_bar.fill(S::ZERO);
        let action_bar = &mut self.action_bars[row(step)];
        policy.act_vjp(group, step, observation, action_bar, &mut self.observation_bar);
        action_bar.fill(S::ZERO);
        let Unused { action, action_bar, params, contacts, contact_points } = &mut self.unused;
        let at = Seen { model, state, action, command, contacts: &[] };
        let mut bars = SeenCotangents {
            state: state_bar,
            action: action_bar,
            params,
            contact_forces: contacts,
            contact_points,
        };
        observe_vjp(of, &at, &self.observation_bar, work, &mut bars);
    }
}
