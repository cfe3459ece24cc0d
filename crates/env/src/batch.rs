//! Many worlds of an environment.

use gradbody_math::random::Random;
use gradbody_model::{Model, Selection};
use gradbody_sim::{Batch, Kernel, Precision, Simulated, State, run_widest};

use crate::disturbances::Drawn;
use crate::error::{check_finite, check_size};
use crate::medium::Around;
use crate::start::draw;
use crate::step_reader::{Columns, StepReader};
use crate::{
    Autoreset, Description, EnvError, Environment, HeldActions, LinkForce, Observed, Outcome, Seen,
    SeenWork, Situations, observe, progress,
};

/// Many worlds of an environment that stay in vector lanes, in the precision `T` (f64 or f32). Each world draws its
/// starts from a sequence of its own. So its results have the same bits whatever the number of worlds, its neighbours
/// and the number of threads.
#[derive(Debug)]
pub struct EnvBatch<T> {
    pub(crate) description: Description,
    pub(crate) batch: Batch<T>,
    autoreset: Autoreset,
    /// The random numbers of each world.
    pub(crate) random: Vec<Random>,
    /// Steps since each world's episode began.
    pub(crate) steps: Vec<usize>,
    /// Sum of the rewards since each world's episode began.
    pub(crate) returns: Vec<f64>,
    /// Worlds whose episode has ended and that have not been started anew.
    pub(crate) ended: Vec<bool>,
    /// The rewarded position of each world.
    pub(crate) positions: Vec<f64>,
    /// What a step reads of each world, (worlds, [`Columns`]).
    rows: Vec<f64>,
    pub(crate) outcome: Outcome,
    /// The start that is being drawn.
    start: State<f64>,
    /// For observations of starts.
    work: SeenWork<f64>,
    /// The action at a start: zeros.
    no_action: Vec<f64>,
    /// A command in the precision of the simulation, (n_commands).
    command: Vec<f64>,
    /// Commands, delays, and actions that have not acted yet.
    pub(crate) situations: Situations,
    /// Parameters that are drawn at the start of each episode.
    drawn: Vec<Drawn>,
    /// Parameters that differ between worlds, oldest first, each (worlds, selected).
    pub(crate) params: Vec<(Selection, Vec<f64>)>,
    /// The model with the parameters of one world, for observations of starts.
    model: Model<f64>,
    /// Forces on links of every world.
    forces: Vec<LinkForce>,
}

impl<T: Precision> EnvBatch<T> {
    /// Worlds of an environment with its default weights, each at a start drawn from `seed`, on `threads` threads of
    /// their own (`None` for those that all batches share).
    pub fn new(
        environment: Environment,
        worlds: usize,
        seed: u64,
        threads: Option<usize>,
    ) -> Result<Self, EnvError> {
        EnvBatch::with_description(environment.describe(), worlds, seed, threads)
    }

    /// The same for any description.
    pub fn with_description(
        description: Description,
        worlds: usize,
        seed: u64,
        threads: Option<usize>,
    ) -> Result<Self, EnvError> {
        description.check()?;
        if worlds == 0 {
            return Err(EnvError::NoWorlds);
        }
        let model = &description.model;
        let mut batch = Batch::new(model, worlds, description.options);
        if let Some(threads) = threads {
            batch = batch.with_threads(threads)?;
        }
        let columns = Columns::of(&description);
        let drawn = Drawn::of(&description)?;
        let own = |part: &Drawn| (part.selection.clone(), part.own.repeat(worlds));
        let mut made = EnvBatch {
            batch,
            autoreset: Autoreset::default(),
            random: Vec::new(),
            steps: vec![0; worlds],
            returns: vec![0.0; worlds],
            ended: vec![false; worlds],
            positions: vec![0.0; worlds],
            rows: vec![0.0; worlds * columns.width],
            outcome: Outcome::new(&description, worlds),
            start: State::neutral(model),
            work: SeenWork::new(&description, model),
            no_action: vec![0.0; description.n_actions()],
            command: Vec::new(),
            situations: Situations::new(&description, worlds),
            params: drawn.iter().map(own).collect(),
            drawn,
            model: model.clone(),
            forces: Vec::new(),
            description,
        };
        for (selection, values) in made.params.clone() {
            made.batch.set_params(&selection, &values)?;
        }
        made.reset(Some(seed));
        Ok(made)
    }

    /// Sets when worlds start anew.
    pub fn with_autoreset(mut self, autoreset: Autoreset) -> Self {
        self.autoreset = autoreset;
        self
    }

    /// The environment.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// When worlds start anew.
    pub fn autoreset(&self) -> Autoreset {
        self.autoreset
    }

    /// Number of worlds.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are no worlds; there is always at least one.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The outcome of the last step, with the observations of the last reset.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Starts every world anew. A seed begins the random numbers of all worlds again; without one they go on. Returns
    /// the observations, (worlds, n_observations).
    pub fn reset(&mut self, seed: Option<u64>) -> &[f64] {
        if let Some(seed) = seed {
            self.random = (0..self.len()).map(|world| random_of(seed, world)).collect();
        }
        for world in 0..self.len() {
            self.begin(world);
            self.outcome.forget_end(world);
        }
        &self.outcome.observations
    }

    /// Starts the worlds with `true` in the mask anew, and leaves the others alone. A seed begins the random numbers
    /// of the chosen worlds again. Returns the present observations of all worlds, (worlds, n_observations).
    pub fn reset_worlds(&mut self, mask: &[bool], seed: Option<u64>) -> Result<&[f64], EnvError> {
        check_size("the reset mask", "(worlds)", mask.len(), self.len())?;
        if !mask.contains(&true) {
            return Err(EnvError::EmptyMask);
        }
        for world in (0..self.len()).filter(|world| mask[*world]) {
            if let Some(seed) = seed {
                self.random[world] = random_of(seed, world);
            }
            self.begin(world);
            self.outcome.forget_end(world);
        }
        Ok(&self.outcome.observations)
    }

    /// The configuration and velocity of every world, (worlds, nq) and (worlds, nv).
    pub fn states(&self) -> (Vec<f64>, Vec<f64>) {
        let model = &self.description.model;
        let mut q = vec![0.0; self.len() * model.nq()];
        let mut v = vec![0.0; self.len() * model.nv()];
        let read = self.batch.read_states(&mut q, &mut v);
        debug_assert!(read.is_ok(), "the arrays have the batch's sizes");
        (q, v)
    }

    /// Puts every world into a state, (worlds, nq) and (worlds, nv), at the start of an episode. Returns the
    /// observations.
    pub fn set_states(&mut self, q: &[f64], v: &[f64]) -> Result<&[f64], EnvError> {
        let (nq, nv) = (self.description.model.nq(), self.description.model.nv());
        check_size("configurations", "(worlds, nq)", q.len(), self.len() * nq)?;
        check_size("velocities", "(worlds, nv)", v.len(), self.len() * nv)?;
        check_finite("the number of the configuration with index", q, self.len())?;
        check_finite("velocity", v, self.len())?;
        for world in 0..self.len() {
            self.start = State::neutral(&self.description.model);
            self.start.q.copy_from_slice(&q[world * nq..(world + 1) * nq]);
            self.start.v.copy_from_slice(&v[world * nv..(world + 1) * nv]);
            self.place(world);
            self.outcome.forget_end(world);
        }
        Ok(&self.outcome.observations)
    }

    /// Gives each world its own values of the selected parameters, (worlds, selected), such as masses or friction. The
    /// worlds go on from where they are. Where an environment observes inertias of bodies or has a fluid, these stay
    /// those of the description. If a world's values are invalid, returns an error and changes nothing.
    pub fn set_params(&mut self, selection: &Selection, values: &[f64]) -> Result<(), EnvError> {
        self.batch.set_params(selection, values)?;
        self.params.retain(|(earlier, _)| earlier.names() != selection.names());
        self.params.push((selection.clone(), values.to_vec()));
        Ok(())
    }

    /// The command of each world, (worlds, n_commands); empty if the environment has none.
    pub fn commands(&self) -> &[f64] {
        &self.situations.commands
    }

    /// Gives each world a command, (worlds, n_commands), until another is drawn: at the start of an episode, and at
    /// random times within it unless [`Commands::mean_time`](crate::Commands::mean_time) is infinite. Returns the
    /// present observations, (worlds, n_observations), which have the new commands.
    pub fn set_commands(&mut self, commands: &[f64]) -> Result<&[f64], EnvError> {
        let needed = self.situations.commands.len();
        check_size("commands", "(worlds, n_commands)", commands.len(), needed)?;
        check_finite("command", commands, self.len())?;
        self.situations.commands.copy_from_slice(commands);
        for world in 0..self.len() {
            self.show_command(world);
        }
        Ok(&self.outcome.observations)
    }

    /// What the worlds carry besides their states: commands, delays, actions of the last steps.
    pub fn situations(&self) -> &Situations {
        &self.situations
    }

    /// Writes the command of a world into its present observation.
    fn show_command(&mut self, world: usize) {
        let (of, mut at) = (&self.description, 0);
        let command = self.situations.command_of(of, world);
        for part in &of.observation {
            let width = of.width(part);
            if matches!(part, Observed::Command) {
                let to = &mut self.outcome.observation_of(world)[at..at + width];
                to.iter_mut().zip(&*command).for_each(|(to, x)| *to = rounded::<T>(*x));
            }
            at += width;
        }
    }

    /// Pushes worlds whose episode goes on, at random.
    pub(crate) fn push_worlds(&mut self) {
        let Some(pushes) = self.description.pushes else { return };
        let seconds = self.description.seconds_per_step();
        for world in (0..self.len()).filter(|world| !self.ended[*world]) {
            if !pushes.is_due(seconds, &mut self.random[world]) {
                continue;
            }
            if let Some(mut state) = self.batch.state(world) {
                pushes.push(&mut self.random[world], &mut state.v);
                let placed = self.batch.reset(&[world], &state);
                debug_assert!(placed.is_ok(), "the state is the world's own");
            }
        }
    }

    /// At random, replaces the command of a world whose episode goes on; its present observation has the new one.
    pub(crate) fn change_command(&mut self, world: usize) {
        let of = &self.description;
        let Some(commands) = &of.commands else { return };
        let random = &mut self.random[world];
        if random.unit() < of.seconds_per_step() / commands.mean_time {
            commands.draw(random, self.situations.command_of(of, world));
            self.show_command(world);
        }
    }

    /// The values that worlds have of these parameters, (worlds, selected), if they were set or drawn together by
    /// this selection.
    pub fn params_of(&self, selection: &Selection) -> Option<&[f64]> {
        let found = self.params.iter().find(|(set, _)| set.names() == selection.names());
        found.map(|(_, values)| &values[..])
    }

    /// Forces on links of every world from the next step on, in place of earlier ones. Fails if the model lacks a link or a
    /// force is not finite.
    pub fn set_forces(&mut self, forces: Vec<LinkForce>) -> Result<(), EnvError> {
        for LinkForce { link, force_w } in &forces {
            if link.index() >= self.description.model.n_links() {
                let why = format!("the model has no link {}", link.index());
                return Err(EnvError::Description { name: self.description.name.clone(), why });
            }
            check_finite("the force along axis", force_w, 1)?;
        }
        self.forces = forces;
        Ok(())
    }

    /// Puts the parameters of a world into `model`.
    pub(crate) fn take_params(&mut self, world: usize) {
        self.model.params.copy_from(&self.description.model.params);
        for (selection, values) in &self.params {
            let n = selection.len();
            let applied = selection.apply(&mut self.model, &values[world * n..(world + 1) * n]);
            debug_assert!(applied.is_ok(), "the batch has accepted the parameters");
        }
    }

    /// The model with the parameters that were taken last.
    pub(crate) fn taken_model(&self) -> &Model<f64> {
        &self.model
    }

    /// Takes one step of the environment in every world, under `actions`, (worlds, n_actions).
    pub fn step(&mut self, actions: &[f64]) -> Result<&Outcome, EnvError> {
        let worlds = self.len();
        let n_actions = self.description.n_actions();
        check_size("actions", "(worlds, actions)", actions.len(), worlds * n_actions)?;
        check_finite("the number of the action with index", actions, worlds)?;
        if self.autoreset == Autoreset::Disabled
            && let Some(world) = self.ended.iter().position(|ended| *ended)
        {
            return Err(EnvError::Ended { world });
        }
        self.push_worlds();
        let of = &self.description;
        let held = HeldActions::new(of, worlds, actions)?
            .in_situations(&self.situations)?
            .with_forces(&self.forces);
        let commands = &self.situations.commands;
        let reader = StepReader { of, held: &held, commands, before: &self.positions };
        let around = Around(of.medium.as_ref());
        self.batch.rollout_reading(of.frame_skip, &held, &around, &reader, &mut self.rows)?;
        let failures = self.batch.failures();
        for (world, failure) in failures.into_iter().enumerate() {
            if self.autoreset == Autoreset::NextStep && self.ended[world] {
                self.begin(world);
                self.outcome.forget_end(world);
                continue;
            }
            self.take_row(world, failure.is_some());
            let action = &actions[world * n_actions..(world + 1) * n_actions];
            self.situations.note(&self.description, world, action);
            let ended = self.outcome.terminated[world] || self.outcome.truncated[world];
            self.ended[world] = ended;
            if ended {
                self.outcome.keep_final(world);
                if self.autoreset == Autoreset::SameStep {
                    let (length, reward) = (self.steps[world], self.returns[world]);
                    self.begin(world);
                    // What the step reports is the episode that ended.
                    self.outcome.episode_lengths[world] = length;
                    self.outcome.episode_returns[world] = reward;
                }
            }
            if failure.is_some() && self.autoreset != Autoreset::SameStep {
                self.clear_failure(world);
            }
            if !ended {
                self.change_command(world);
            }
        }
        Ok(&self.outcome)
    }

    /// Takes what the step read of a world into the outcome.
    fn take_row(&mut self, world: usize, diverged: bool) {
        let columns = Columns::of(&self.description);
        let row = &self.rows[world * columns.width..(world + 1) * columns.width];
        let out = &mut self.outcome;
        let (mut sound, mut position) = (false, self.positions[world]);
        // Forces may overflow before the state does.
        let diverged = diverged || row.iter().any(|x| !x.is_finite());
        if diverged {
            out.terms_of(world).fill(0.0);
        } else {
            out.observation_of(world).copy_from_slice(&row[..columns.terms]);
            out.terms_of(world).copy_from_slice(&row[columns.terms..columns.healthy]);
            (sound, position) = (row[columns.healthy] != 0.0, row[columns.position]);
        }
        let reward = out.terms_of(world).iter().sum();
        self.positions[world] = position;
        self.steps[world] += 1;
        self.returns[world] += reward;
        out.rewards[world] = reward;
        out.terminated[world] = diverged || (self.description.terminates && !sound);
        out.truncated[world] = self.steps[world] >= self.description.time_limit;
        out.diverged[world] = diverged;
        out.was_reset[world] = false;
        out.positions[world] = position;
        out.episode_returns[world] = self.returns[world];
        out.episode_lengths[world] = self.steps[world];
    }

    /// Clears a diverged world's failure; the batch has already returned it to its start.
    fn clear_failure(&mut self, world: usize) {
        if let Some(state) = self.batch.state(world) {
            let placed = self.batch.reset(&[world], &state);
            debug_assert!(placed.is_ok(), "the state is the world's own");
        }
    }

    /// Draws a start for a world, with its parameters, its delay and its command, and places it there.
    pub(crate) fn begin(&mut self, world: usize) {
        let of = &self.description;
        let random = &mut self.random[world];
        draw(of, random, &mut self.start);
        for part in &self.drawn {
            let (selection, batch, params) = (&part.selection, &mut self.batch, &mut self.params);
            part.draw(random, |values| {
                let accepted = batch.set_params_of(world, selection, values).is_ok();
                let known = params.iter_mut().find(|(of, _)| of.names() == selection.names());
                if let (true, Some((_, all))) = (accepted, known) {
                    all[world * values.len()..(world + 1) * values.len()].copy_from_slice(values);
                }
                accepted
            });
        }
        if let Some(delay) = self.situations.delays.get_mut(world) {
            *delay = of.delay.draw(random);
        }
        if let Some(commands) = &of.commands {
            commands.draw(random, self.situations.command_of(of, world));
        }
        self.place(world);
    }

    /// Puts a world into the state `start`, as the start of an episode.
    fn place(&mut self, world: usize) {
        let placed = self.batch.reset(&[world], &self.start);
        debug_assert!(placed.is_ok(), "the state has the model's sizes");
        // As the batch holds it: in f32 it was rounded.
        if let Some(held) = self.batch.state(world) {
            self.start.copy_from(&held);
        }
        self.take_params(world);
        let of = &self.description;
        self.situations.given_of(of, world).fill(0.0);
        let command = self.situations.command_of(of, world);
        command_as_held::<T>(command, &mut self.command);
        let at = Seen {
            model: &self.model,
            state: &self.start,
            action: &self.no_action,
            command: &self.command,
            contacts: &[],
        };
        self.work.look(&self.description, &at);
        observe(&self.description, &at, &self.work, self.outcome.observation_of(world));
        let position = progress(&self.description, &at, &self.work);
        self.positions[world] = position;
        (self.steps[world], self.returns[world], self.ended[world]) = (0, 0.0, false);
        let out = &mut self.outcome;
        out.positions[world] = position;
        (out.episode_lengths[world], out.episode_returns[world]) = (0, 0.0);
        out.was_reset[world] = true;
    }
}

/// A number in the precision of a simulation.
fn rounded<T: Precision>(x: f64) -> f64 {
    struct Round(f64);
    impl Kernel for Round {
        type Output = f64;
        fn run<S: Simulated>(self) -> f64 {
            S::from_f64(self.0).lane(0)
        }
    }
    run_widest::<T, _>(Round(x))
}

fn command_as_held<T: Precision>(command: &[f64], to: &mut Vec<f64>) {
    to.clear();
    to.extend(command.iter().map(|x| rounded::<T>(*x)));
}

fn random_of(seed: u64, world: usize) -> Random {
    Random::derived(seed, &[world as u64])
}
