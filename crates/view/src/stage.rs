//! What is simulated: a model in one or many worlds, the moments kept so far, and the mouse's pull. It knows neither real
//! time nor pages.

use gradbody_contact::{Lcp, Ncp, Solver};
use gradbody_dynamics::integrate;
use gradbody_math::random::{Random, Xoshiro256};
use gradbody_math::text::number;
use gradbody_model::{Keyframe, LinkId, Model};
use gradbody_sim::{State, StepOptions};

use crate::contacts;
use crate::drag::{Hand, Pull};
use crate::history::{Account, History, Moment};
use crate::parameters::{self, Changed};
use crate::protocol::{ContactNumbers, Drag, DragNumbers};
use crate::world::World;

/// Simulated time between kept moments [s].
const KEPT_EVERY: f64 = 1.0 / 120.0;
/// How far the starts of many worlds differ, in each local coordinate [m or rad].
const SPREAD: f64 = 0.05;
/// The longest and the shortest time step that a page can set [s].
const TIME_STEPS: [f64; 2] = [1e-6, 0.1];
/// Names of the solvers.
pub(crate) const SOLVERS: [&str; 4] = ["ncp", "lcp", "hunt-crossley", "off"];

/// What a session shows at its start and after a model was read anew.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The model, with its ground.
    pub model: Model<f64>,
    /// The state at the start.
    pub start: State<f64>,
    /// Controls of the actuators at the start.
    pub control: Vec<f64>,
    /// Joint forces throughout.
    pub tau: Vec<f64>,
    /// How to step.
    pub options: StepOptions<f64>,
}

/// A simulation that can be looked at.
#[derive(Clone, Debug)]
pub(crate) struct Stage {
    pub(crate) model: Model<f64>,
    pub(crate) options: StepOptions<f64>,
    pub(crate) worlds: Vec<World>,
    pub(crate) accounts: Vec<Account>,
    pub(crate) followed: usize,
    /// Contacts of the followed world, of the step that led to what is shown.
    pub(crate) contacts: Vec<ContactNumbers>,
    pub(crate) drag: Option<Drag>,
    pub(crate) pull: Option<Pull>,
    /// The pull at the kept moment that is shown.
    drag_shown: DragNumbers,
    pub(crate) history: History,
    /// The kept moment that is shown. None if what is shown is not kept (yet).
    pub(crate) at: Option<usize>,
    /// Time of the moment kept last [s].
    kept: f64,
    starts: Vec<State<f64>>,
    control: Vec<f64>,
    hand: Hand,
    ncp: Ncp,
    v_start: Vec<f64>,
}

impl Stage {
    pub(crate) fn new(subject: Subject, worlds: usize) -> Self {
        let Subject { model, start, control, tau, options } = subject;
        let starts: Vec<State<f64>> =
            (0..worlds.max(1)).map(|k| beside(&model, &start, k)).collect();
        let world = |state: &State<f64>| World::new(&model, state.clone(), &control, &tau);
        let ncp = match options.contact.solver {
            Solver::Ncp(ncp) => ncp,
            _ => Ncp::default(),
        };
        let mut stage = Stage {
            worlds: starts.iter().map(world).collect(),
            accounts: vec![Account::default(); starts.len()],
            followed: 0,
            contacts: Vec::new(),
            drag: None,
            pull: None,
            drag_shown: [0.0; 8],
            history: History::default(),
            at: None,
            kept: f64::NEG_INFINITY,
            hand: Hand::new(&model),
            v_start: vec![0.0; model.nv()],
            model,
            options,
            starts,
            control,
            ncp,
        };
        stage.keep();
        stage
    }

    /// The time shown [s].
    pub(crate) fn time(&self) -> f64 {
        self.worlds[0].state.time
    }

    /// Whether the newest moment is shown.
    pub(crate) fn is_newest(&self) -> bool {
        self.at.is_none_or(|at| at + 1 == self.history.len())
    }

    /// Takes a step in all worlds. Going on from an earlier moment forgets what came after it. If the motion is then not
    /// finite, the state before the step stays, and the error names the link and the step.
    pub(crate) fn step(&mut self) -> Result<(), String> {
        if let Some(at) = self.at.filter(|_| !self.is_newest()) {
            self.history.forget_after(at);
            self.kept = self.time();
        }
        let followed = self.followed;
        let time = self.time();
        self.pull();
        for k in 0..self.worlds.len() {
            let pull = self.pull.filter(|_| k == followed);
            self.step_world(k, pull).map_err(|link| {
                // The others stay with the one that cannot go on.
                for other in &mut self.worlds[..k] {
                    other.back();
                }
                let name = &self.model.topology.links[link.index()].name;
                let step = (time / self.options.dt).round();
                let of = if self.worlds.len() > 1 { format!(" of world {k}") } else { String::new() };
                format!(
                    "the motion of link \"{name}\"{of} is not finite after step {} (t = {} s); try a smaller time \
                     step, or go back and change what led here",
                    number(step + 1.0),
                    number(time),
                )
            })?;
        }
        contacts::numbers(&self.worlds[followed].trace, followed, &mut self.contacts);
        self.at = None;
        if self.time() - self.kept >= KEPT_EVERY - 0.5 * self.options.dt {
            self.keep();
        }
        Ok(())
    }

    fn step_world(&mut self, k: usize, pull: Option<Pull>) -> Result<(), LinkId> {
        let Stage { model, options, worlds, accounts, hand, v_start, .. } = self;
        let (world, account) = (&mut worlds[k], &mut accounts[k]);
        world.input.external.clear();
        if let Some(pull) = pull {
            world.input.external.resize(model.n_links(), gradbody_math::Force::ZERO);
            world.input.external[pull.link.index()] = pull.on_link();
            v_start.copy_from_slice(&world.state.v);
        }
        world.step(model, options)?;
        if let Some(pull) = pull {
            account.drag_work += hand.work(model, &pull, v_start, &world.state.v, options.dt);
        }
        account.contact_force = contacts::from_the_fixed(&world.trace).to_array();
        account.contact_work += world.trace.problem().energy();
        account.residual = world.report.solved.residual;
        account.sweeps = world.report.solved.sweeps;
        Ok(())
    }

    /// Finds the pull at what is shown.
    pub(crate) fn pull(&mut self) {
        let Stage { model, options, worlds, followed, drag, hand, drag_shown, .. } = self;
        *drag_shown = [0.0; 8];
        let State { q, v, .. } = &worlds[*followed].state;
        self.pull = drag.as_ref().map(|drag| hand.pull(model, q, v, options.dt, drag));
    }

    /// The pull, as in a frame.
    pub(crate) fn drag_numbers(&self) -> DragNumbers {
        self.pull.as_ref().map_or(self.drag_shown, Pull::numbers)
    }

    /// Keeps what is shown.
    pub(crate) fn keep(&mut self) {
        if self.at.is_some() {
            return;
        }
        let moment = Moment {
            states: self.worlds.iter().map(|world| world.state.clone()).collect(),
            accounts: self.accounts.clone(),
            contacts: self.contacts.clone(),
            drag: self.drag_numbers(),
        };
        self.history.push(moment);
        self.kept = self.time();
        self.at = Some(self.history.len() - 1);
    }

    /// Shows a kept moment.
    pub(crate) fn go_to(&mut self, index: usize) {
        let Some(moment) = self.history.get(index) else { return };
        for (world, state) in self.worlds.iter_mut().zip(&moment.states) {
            world.go_to(state);
        }
        self.accounts.clone_from(&moment.accounts);
        self.contacts.clone_from(&moment.contacts);
        self.drag_shown = moment.drag;
        self.at = Some(index);
        self.pull = None;
    }

    /// Shows the kept moment nearest to a time.
    pub(crate) fn seek(&mut self, time: f64) {
        self.keep();
        if let Some(index) = self.history.nearest(time) {
            self.go_to(index);
        }
    }

    /// Shows an earlier kept moment.
    pub(crate) fn back(&mut self, moments: usize) {
        self.keep();
        let at = self.at.unwrap_or(0);
        self.go_to(at.saturating_sub(moments));
    }

    /// Goes to the start, or to a keyframe by its name or number, with time 0.
    pub(crate) fn reset(&mut self, keyframe: Option<&str>) -> Result<(), String> {
        let (starts, control) = match keyframe {
            None => (self.starts.clone(), self.control.clone()),
            Some(name) => {
                let key = self.keyframe(name)?;
                let start = State::from_keyframe(&self.model, key);
                let mut control = vec![0.0; self.model.topology.actuators.len()];
                control.iter_mut().zip(&key.control).for_each(|(to, from)| *to = *from);
                let worlds = 0..self.worlds.len();
                (worlds.map(|k| beside(&self.model, &start, k)).collect(), control)
            }
        };
        for (world, start) in self.worlds.iter_mut().zip(&starts) {
            world.go_to(start);
            world.input.control.copy_from_slice(&control);
        }
        self.begin();
        Ok(())
    }

    fn keyframe(&self, name: &str) -> Result<&Keyframe, String> {
        let found = self.model.topology.keyframe(name);
        let place = name.parse::<usize>().ok();
        let by_place = place.and_then(|k| self.model.topology.keyframes.get(k));
        found.or_else(|error| by_place.ok_or(error)).map_err(|error| error.to_string())
    }

    /// A new history that begins with what is shown.
    fn begin(&mut self) {
        self.history.clear();
        self.accounts.fill(Account::default());
        self.contacts.clear();
        self.pull = None;
        self.drag_shown = [0.0; 8];
        self.at = None;
        self.keep();
    }

    /// What is shown was changed by hand: forgets what came after, and shows no force of a step that was not.
    fn edited(&mut self) {
        if let Some(at) = self.at {
            // The moment itself is replaced, unless it is the only one.
            self.history.forget_after(at.saturating_sub(1));
            if at == 0 {
                self.history.clear();
            }
        }
        self.contacts.clear();
        self.at = None;
        self.keep();
    }

    /// Sets a position of the followed world.
    pub(crate) fn set_joint(&mut self, q: usize, value: f64) -> Result<(), String> {
        let links = &self.model.topology.links;
        let Some(link) = links.iter().find(|link| link.joint.q_range().contains(&q)) else {
            return Err(format!("there is no position {q}; the model has {}", self.model.nq()));
        };
        let state = &mut self.worlds[self.followed].state;
        let before = state.q[q];
        state.q[q] = value;
        if let Err(error) = self.model.topology.normalise_quaternions(&mut state.q) {
            state.q[q] = before;
            return Err(error.to_string());
        }
        state.v[link.joint.v_range()].fill(0.0);
        // Impulses of another position are a bad start for the solver.
        state.contact.clear();
        self.edited();
        Ok(())
    }

    /// Sets the control of an actuator in all worlds.
    pub(crate) fn set_control(&mut self, index: usize, value: f64) -> Result<(), String> {
        if index >= self.model.topology.actuators.len() {
            let there_are = self.model.topology.actuators.len();
            return Err(format!("there is no actuator {index}; the model has {there_are}"));
        }
        self.worlds.iter_mut().for_each(|world| world.input.control[index] = value);
        Ok(())
    }

    /// Sets a number of the model.
    pub(crate) fn set_parameter(&mut self, path: &str, value: f64) -> Result<(), String> {
        if parameters::set(&mut self.model, path, value)? == Changed::Structure {
            self.worlds.iter_mut().for_each(|world| world.structure_changed(&self.model));
        }
        Ok(())
    }

    /// Sets the solver of contacts by its name.
    pub(crate) fn set_solver(&mut self, name: &str) -> Result<(), String> {
        self.options.contact.solver = match name {
            "ncp" => Solver::Ncp(self.ncp),
            "lcp" => Solver::Lcp(Lcp::default()),
            "hunt-crossley" => Solver::HuntCrossley,
            "off" => Solver::Off,
            _ => return Err(format!("no solver \"{name}\"; there are {}", SOLVERS.join(", "))),
        };
        self.worlds.iter_mut().for_each(|world| world.state.contact.clear());
        Ok(())
    }

    /// The name of the solver.
    pub(crate) fn solver(&self) -> &'static str {
        solver_name(&self.options.contact.solver)
    }

    /// Sets the time step.
    pub(crate) fn set_time_step(&mut self, dt: f64) -> Result<(), String> {
        let [least, most] = TIME_STEPS;
        if !(least..=most).contains(&dt) {
            let (dt, least, most) = (number(dt), number(least), number(most));
            return Err(format!("a time step of {dt} s is not between {least} and {most} s"));
        }
        self.options.dt = dt;
        Ok(())
    }

    /// Follows a world.
    pub(crate) fn follow(&mut self, world: usize) -> Result<(), String> {
        if world >= self.worlds.len() {
            return Err(format!("there is no world {world}; there are {}", self.worlds.len()));
        }
        self.followed = world;
        self.drag = None;
        self.pull = None;
        self.contacts.clear();
        if self.worlds[world].stepped {
            contacts::numbers(&self.worlds[world].trace, world, &mut self.contacts);
        }
        Ok(())
    }

    /// Pulls a body.
    pub(crate) fn hold(&mut self, drag: Drag) -> Result<(), String> {
        if drag.body == 0 || drag.body > self.model.n_links() {
            return Err(format!("body {} cannot be pulled", drag.body));
        }
        self.drag = Some(drag);
        Ok(())
    }

    /// Lets go.
    pub(crate) fn release(&mut self) {
        self.drag = None;
        self.pull = None;
        self.drag_shown = [0.0; 8];
    }

    /// Replaces the model. Worlds keep their states and controls if the new one has the same coordinates. Returns
    /// whether they do.
    pub(crate) fn replace(&mut self, subject: Subject) -> bool {
        let same = same_coordinates(&self.model, &subject.model);
        let (followed, count) = (self.followed, self.worlds.len());
        let mut new = Stage::new(subject, count);
        new.followed = followed;
        new.options.dt = if same { self.options.dt } else { new.options.dt };
        if same {
            for (new, old) in new.worlds.iter_mut().zip(&self.worlds) {
                new.state.copy_from(&old.state);
                new.state.contact.clear();
                new.input.control.copy_from_slice(&old.input.control);
            }
            new.begin();
        }
        *self = new;
        same
    }
}

/// The name of a solver.
pub(crate) fn solver_name(solver: &Solver) -> &'static str {
    match solver {
        Solver::Ncp(_) => "ncp",
        Solver::Lcp(_) => "lcp",
        Solver::HuntCrossley => "hunt-crossley",
        Solver::Off => "off",
    }
}

/// Whether two models have the same coordinates and actuators, by name and kind.
fn same_coordinates(a: &Model<f64>, b: &Model<f64>) -> bool {
    let (a, b) = (&a.topology, &b.topology);
    a.links.len() == b.links.len()
        && a.links.iter().zip(&b.links).all(|(a, b)| {
            a.parent == b.parent
                && a.joint.name == b.joint.name
                && a.joint.kind.name() == b.joint.kind.name()
        })
        && a.actuators.len() == b.actuators.len()
        && a.actuators.iter().zip(&b.actuators).all(|(a, b)| a.name == b.name)
        && a.na == b.na
}

/// The start of a world: the first is as given, the others are near it.
fn beside(model: &Model<f64>, start: &State<f64>, world: usize) -> State<f64> {
    let mut state = start.clone();
    if world > 0 {
        let mut random = Random::<Xoshiro256>::derived(0, &[world as u64]);
        let change: Vec<f64> = (0..model.nv()).map(|_| SPREAD * random.signed()).collect();
        integrate(model, &mut state.q, &change);
    }
    state
}
