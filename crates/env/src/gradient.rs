//! Gradients of returns with respect to actions and starts.

use gradbody_model::Selection;
use gradbody_sim::{Failure, Precision, State, StateCotangents};

use crate::error::{check_finite, check_size};
use crate::medium::Around;
use crate::reward::{progress, reward_vjp};
use crate::{EnvBatch, EnvError, HeldActions, Returns, Seen, SeenCotangents, SeenWork};

/// The returns of all worlds over a horizon, and their gradients. A world that failed has rows of zeros and a return
/// of NaN.
#[derive(Clone, Debug, Default)]
pub struct EnvGradient {
    /// `Σ γᵏ rₖ` of each world, (worlds).
    pub returns: Vec<f64>,
    /// Gradient with respect to the actions, (worlds, horizon, actions).
    pub actions: Vec<f64>,
    /// Gradient with respect to the configuration at the start, in local coordinates, (worlds, nv).
    pub start_q: Vec<f64>,
    /// Gradient with respect to the velocity at the start, (worlds, nv).
    pub start_v: Vec<f64>,
    /// Gradient with respect to the selected parameters, (worlds, selected).
    pub params: Vec<f64>,
    /// Configuration of each world at the end of the horizon, (worlds, nq).
    pub end_q: Vec<f64>,
    /// Velocity of each world at the end, (worlds, nv).
    pub end_v: Vec<f64>,
    /// The largest residual of the contact solver in any step, (worlds) [m/s or rad/s]. The error of the gradient
    /// shrinks with it.
    pub residuals: Vec<f64>,
    /// The failure of each world, if any.
    pub failures: Vec<Option<Failure>>,
}

impl<T: Precision> EnvBatch<T> {
    /// Runs `actions`, (worlds, horizon, actions), from the present states, and returns the discounted sums of rewards
    /// with their gradients. The worlds and their episodes stay where they are. Commands stay as they are over the
    /// horizon, nothing is pushed, and late actions act late; those given before count as constants. Rewards are summed past ends of
    /// episodes; the rewards of [`RewardTerm::Healthy`](crate::RewardTerm::Healthy) count, with a derivative of zero.
    pub fn gradient(&mut self, actions: &[f64], discount: f64) -> Result<EnvGradient, EnvError> {
        self.gradient_with_params(actions, discount, &Selection::none())
    }

    /// The same, and the gradients with respect to the selected parameters. A fluid, and the inertias of bodies that
    /// are observed, count as constants.
    pub fn gradient_with_params(
        &mut self,
        actions: &[f64],
        discount: f64,
        selection: &Selection,
    ) -> Result<EnvGradient, EnvError> {
        let worlds = self.len();
        let a_step = (worlds * self.description.n_actions()).max(1);
        let horizon = actions.len() / a_step;
        let needed = horizon.max(1) * a_step;
        check_size("actions", "(worlds, horizon, actions)", actions.len(), needed)?;
        check_finite("the number of the action with index", actions, worlds)?;
        let of = &self.description;
        let inputs = HeldActions::new(of, worlds, actions)?.in_situations(&self.situations)?;
        let around = Around(of.medium.as_ref());
        let starts: Vec<State<f64>> =
            (0..worlds).filter_map(|world| self.batch.state(world)).collect();
        self.batch.forward(horizon * of.frame_skip, &inputs, &around)?;
        let (nq, nv) = (of.model.nq(), of.model.nv());
        let (mut end_q, mut end_v) = (vec![0.0; worlds * nq], vec![0.0; worlds * nv]);
        self.batch.read_states(&mut end_q, &mut end_v)?;
        let loss = Returns { of, discount, commands: &self.situations.commands };
        let found = self.batch.backward(&inputs, &around, &loss, selection)?;
        let mut gradient = EnvGradient {
            returns: found.costs,
            actions: found.inputs,
            start_q: found.start_q,
            start_v: found.start_v,
            params: found.params,
            end_q,
            end_v,
            residuals: found.residuals,
            failures: found.failures,
        };
        for (world, start) in starts.iter().enumerate() {
            self.batch.reset(&[world], start)?;
            if gradient.failures[world].is_none() {
                self.take_params(world);
                self.add_start(world, start, selection, &mut gradient);
            }
        }
        Ok(gradient)
    }

    /// Adds the part of the first reward that depends on the position at the start.
    fn add_start(
        &self,
        world: usize,
        start: &State<f64>,
        selection: &Selection,
        gradient: &mut EnvGradient,
    ) {
        let of = &self.description;
        let Some((_, rate)) = of.forward() else { return };
        let model = self.taken_model();
        let mut work = SeenWork::new(of, model);
        let (action, command) = (vec![0.0; of.n_actions()], vec![0.0; of.n_commands()]);
        let action_bar = &mut action.clone();
        let at = Seen { model, state: start, action: &action, command: &command, contacts: &[] };
        work.look(of, &at);
        gradient.returns[world] -= rate * progress(of, &at, &work);
        let (mut state, mut params) = (StateCotangents::zero(model), model.params.zeros_like());
        let mut bars = SeenCotangents {
            state: &mut state,
            action: action_bar,
            params: &mut params,
            contact_forces: &mut Vec::new(),
            contact_points: &mut Vec::new(),
        };
        reward_vjp(of, &at, 0.0, -rate, &mut work, &mut bars);
        add_row(&mut gradient.start_q, world, &state.q);
        add_row(&mut gradient.start_v, world, &state.v);
        add_row(&mut gradient.params, world, &selection.gradient(model, &params));
    }
}

/// Adds to the row of a world.
fn add_row(to: &mut [f64], world: usize, row: &[f64]) {
    let to = &mut to[world * row.len()..(world + 1) * row.len()];
    to.iter_mut().zip(row).for_each(|(to, bar)| *to += *bar);
}
