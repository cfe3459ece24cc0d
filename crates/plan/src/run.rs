//! Runs a search for a plan. A [`Journal`] holds its progress: it can be written between any two iterations, and a search
//! that resumes from it gives the same bits.

use std::ops::ControlFlow;
use std::time::Instant;

use gradbody_control::{Gains, Mppi};
use gradbody_data::Fingerprint;
use gradbody_experiment::ExperimentError;
use gradbody_model::Model;
use gradbody_optimise::{CmaEs, Limits};
use serde::{Deserialize, Serialize};

use crate::outcome::{Note, PlanOutcome, Point, Rival, finite};
use crate::search::{PlanSearch, SearchState};
use crate::{PlanMethod, Setup, Task};

/// The progress of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Journal {
    /// The text of the task's file when the search began.
    pub task: String,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Fingerprint of the model, all of whose numbers count.
    pub model: Option<Fingerprint>,
    /// The search; none before its first iteration.
    pub search: Option<SearchState>,
    /// The cost over the iterations.
    pub points: Vec<Point>,
    /// Why the search ended, if it has.
    pub ended: Option<Ending>,
    /// Other methods on the same task, those that are finished.
    pub rivals: Vec<Rival>,
    /// Seconds of work so far.
    pub seconds: f64,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// The cost falls no more.
    Converged,
    /// The cost falls no more, although its derivatives promise more.
    Stuck,
    /// A method without derivatives finds no better plan, although it has not converged.
    NoBetter,
    /// Nothing that the plan chooses changes the cost.
    Flat,
    /// Costs or derivatives near the plan are not finite.
    NotFinite,
    /// The number of iterations that the task allows.
    Iterations,
    /// The time that the task allows.
    Time,
    /// The cost that the task asks for.
    Target,
    /// As many simulations as a rival may have.
    Simulations,
    /// The comparison with a rival was interrupted.
    Interrupted,
}

impl Ending {
    /// Whether the search itself ended, so that it would do nothing more.
    pub(crate) fn is_final(self) -> bool {
        match self {
            Ending::Converged
            | Ending::Stuck
            | Ending::NoBetter
            | Ending::Flat
            | Ending::NotFinite => true,
            Ending::Iterations
            | Ending::Time
            | Ending::Target
            | Ending::Simulations
            | Ending::Interrupted => false,
        }
    }

    /// In words.
    pub fn in_words(self) -> &'static str {
        match self {
            Ending::Converged => "converged: the cost falls no more",
            Ending::Stuck => {
                "stuck: the cost hardly falls any more, although its derivatives promise more, so this need not be a minimum"
            }
            Ending::NoBetter => {
                "stuck: the search finds no better plan, but it has not converged, so this need not be a minimum"
            }
            Ending::Flat => {
                "stuck: nothing that the plan chooses changes the cost here, since all its slopes are zero"
            }
            Ending::NotFinite => {
                "stuck: costs or derivatives near the plan are not finite, so this need not be a minimum"
            }
            Ending::Iterations => "reached the limit of iterations",
            Ending::Time => "reached the limit of time",
            Ending::Target => "reached the cost that was asked for",
            Ending::Simulations => "used all its simulations",
            Ending::Interrupted => "interrupted",
        }
    }
}

/// A search for a plan that can be run, interrupted and resumed.
#[derive(Debug)]
pub struct Run {
    setup: Setup,
    journal: Journal,
    search: PlanSearch,
    /// Why methods were not compared.
    not_compared: Vec<Note>,
}

/// What a watcher sees after each iteration.
#[derive(Debug)]
pub struct Glimpse<'a> {
    /// The name of the method at work.
    pub method: &'a str,
    /// The progress of the search; a rival's in its own points.
    pub point: Point,
    /// The most iterations that are allowed.
    pub most: Option<u64>,
    journal: &'a Journal,
    search: &'a PlanSearch,
}

impl Glimpse<'_> {
    /// The journal with the search under way, as it is written to a file.
    pub fn snapshot(&self) -> Journal {
        Journal { search: Some(self.search.state()), ..self.journal.clone() }
    }
}

/// More iterations than any search needs that makes progress: the limit if neither iterations nor a time are given.
const ENOUGH: u64 = 500;
/// A rival ends when it has had this many times the simulations of the task's own method.
const RIVAL_SIMULATIONS: u64 = 100;
/// Or when it has worked this many times as long.
const RIVAL_TIME: f64 = 20.0;
/// But it may work this long in any case [s].
const RIVAL_LEAST: f64 = 30.0;
/// CMA-ES is not compared with more numbers than this: its work in an iteration grows with their cube.
const RIVAL_NUMBERS: usize = 2000;

impl Journal {
    /// The journal of a task that has not begun. `text` is the content of the task's file.
    pub fn new(setup: &Setup, text: &str) -> Self {
        Journal {
            task: text.to_owned(),
            seed: setup.task.seed,
            model: Some(setup.fingerprint()),
            ..Journal::default()
        }
    }

    /// Refuses another task or model than those of the journal. Limits may differ, so that a search can be extended.
    pub fn check(&self, setup: &Setup, text: &str) -> Result<(), ExperimentError> {
        let unlimited = |text: &str| {
            let task = Task::from_toml(text, "").ok()?;
            Some(Task { limits: None, ..task })
        };
        let is_same = || unlimited(&self.task).is_some_and(|task| Some(task) == unlimited(text));
        let changed = match () {
            _ if self.task != text && !is_same() => "task",
            _ if self.model.as_ref() != Some(&setup.fingerprint()) => "model",
            _ => return Ok(()),
        };
        let why = format!("the {changed} has changed since this search began");
        Err(ExperimentError::wrong("resume", why))
    }
}

impl Run {
    /// A search that has not begun. `text` is the content of the task's file. Fails if the first motion diverges.
    pub fn new(setup: Setup, text: &str) -> Result<Self, ExperimentError> {
        let journal = Journal::new(&setup, text);
        Self::at(setup, journal)
    }

    /// A search that resumes from its journal. An error if more of the task has changed than its limits.
    pub fn resume(
        mut setup: Setup,
        text: &str,
        mut journal: Journal,
    ) -> Result<Self, ExperimentError> {
        journal.check(&setup, text)?;
        text.clone_into(&mut journal.task);
        setup.task.seed = journal.seed;
        Self::at(setup, journal)
    }

    fn at(setup: Setup, mut journal: Journal) -> Result<Self, ExperimentError> {
        let search = PlanSearch::new(&setup, &setup.task.search, journal.search.take())?;
        if journal.points.is_empty() {
            journal.points.push(Point { cost: finite(search.cost()), ..Point::default() });
        }
        // A search that ran out of time has as much again.
        journal.ended = journal.ended.filter(|ended| ended.is_final());
        Ok(Run { setup, journal, search, not_compared: vec![] })
    }

    /// The task with its model.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The progress so far.
    pub fn journal(&self) -> Journal {
        Journal { search: Some(self.search.state()), ..self.journal.clone() }
    }

    /// Runs to the end, or until `watch` breaks off. Returns whether the search came to its end.
    pub fn go(&mut self, watch: &mut dyn FnMut(&Glimpse<'_>) -> ControlFlow<()>) -> bool {
        let mut limits = self.setup.task.limits.unwrap_or_default();
        if limits.seconds.is_none() {
            limits.iterations.get_or_insert(ENOUGH);
        }
        let Run { setup, journal, search, .. } = self;
        let method = setup.task.search.name();
        let (began, earlier) = (Instant::now(), journal.seconds);
        while journal.ended.is_none() {
            let last = journal.points.last().copied().unwrap_or_default();
            journal.ended = limit(&limits, &last, began.elapsed().as_secs_f64());
            if journal.ended.is_some() {
                break;
            }
            // Other methods were compared with a plan that is about to change.
            journal.rivals.clear();
            journal.ended = search.advance();
            journal.seconds = earlier + began.elapsed().as_secs_f64();
            let point = Point::of(search, last.iteration + 1, journal.seconds);
            journal.points.push(point);
            let most = limits.iterations;
            let glimpse = Glimpse { method, point, most, journal, search };
            if watch(&glimpse).is_break() {
                return journal.ended.is_some();
            }
        }
        true
    }

    /// Methods that need no derivatives and have not been compared with the plan.
    fn rival_methods(&self) -> Vec<PlanMethod> {
        let mut methods = vec![PlanMethod::CmaEs(CmaEs::default())];
        if self.setup.parameters.is_empty() {
            methods.push(PlanMethod::Mppi(Mppi::default()));
        }
        let is_done =
            |rival: &Rival, name: &str| rival.method == name && rival.ended != Ending::Interrupted;
        methods.retain(|method| {
            let name = method.name();
            let rivals = &self.journal.rivals;
            name != self.setup.task.search.name() && !rivals.iter().any(|r| is_done(r, name))
        });
        methods
    }

    /// The names of the methods that [`Run::go_rivals`] will run, and how long each may take [s].
    pub fn rivals_ahead(&self) -> (Vec<&'static str>, f64) {
        let own = self.journal.points.last().copied().unwrap_or_default();
        let names = self.rival_methods().iter().map(PlanMethod::name).collect();
        (names, (own.seconds * RIVAL_TIME).max(RIVAL_LEAST))
    }

    /// Runs the same task with methods that need no derivatives: until they are as good as the plan, or have had 100 times
    /// its simulations or 20 times its time. What cannot be compared is a note of the outcome. Returns whether all came to
    /// their ends; one that is interrupted is kept as far as it came, and begins again the next time.
    pub fn go_rivals(&mut self, watch: &mut dyn FnMut(&Glimpse<'_>) -> ControlFlow<()>) -> bool {
        let own = self.journal.points.last().copied().unwrap_or_default();
        let most = own.simulations.max(1) * RIVAL_SIMULATIONS;
        let (_, seconds) = self.rivals_ahead();
        let methods = self.rival_methods();
        self.journal.rivals.retain(|rival| rival.ended != Ending::Interrupted);
        self.not_compared.clear();
        let numbers = self.setup.problem.numbers() + self.setup.parameters.len();
        for method in methods {
            let name = method.name();
            let is_large = matches!(method, PlanMethod::CmaEs(_)) && numbers > RIVAL_NUMBERS;
            let begun = match is_large {
                true => {
                    Err(format!("{numbers} numbers are too many for it, {RIVAL_NUMBERS} at most"))
                }
                false => {
                    PlanSearch::new(&self.setup, &method, None).map_err(|error| error.to_string())
                }
            };
            let mut search = match begun {
                Ok(search) => search,
                Err(why) => {
                    self.not_compared.push(format!("{name} was not compared: {why}"));
                    continue;
                }
            };
            let began = Instant::now();
            let mut rival = Rival { method: name.to_owned(), points: vec![], ended: Ending::Time };
            for iteration in 1.. {
                let ended = search.advance();
                let point = Point::of(&search, iteration, began.elapsed().as_secs_f64());
                rival.points.push(point);
                let is_as_good = point.cost.zip(own.cost).is_some_and(|(its, own)| its <= own);
                let ended = ended
                    .or(is_as_good.then_some(Ending::Target))
                    .or((point.simulations >= most).then_some(Ending::Simulations))
                    .or((point.seconds >= seconds).then_some(Ending::Time));
                if let Some(ended) = ended {
                    rival.ended = ended;
                    break;
                }
                let glimpse = Glimpse {
                    method: name,
                    point,
                    most: None,
                    journal: &self.journal,
                    search: &self.search,
                };
                if watch(&glimpse).is_break() {
                    rival.ended = Ending::Interrupted;
                    break;
                }
            }
            let is_interrupted = rival.ended == Ending::Interrupted;
            self.journal.rivals.push(rival);
            if is_interrupted {
                return false;
            }
        }
        true
    }

    /// The best plan so far, with everything that a report shows. None if no plan has a finite cost.
    pub fn outcome(&self) -> Option<PlanOutcome> {
        let mut outcome = PlanOutcome::of_search(&self.setup, &self.journal, &self.search)?;
        outcome.notes.extend_from_slice(&self.not_compared);
        Some(outcome)
    }

    /// The model with the parameters of the best plan, and a keyframe "start" where it begins.
    pub fn model(&self) -> Option<Model<f64>> {
        Some(self.setup.with_start(self.search.best()?.0.model))
    }

    /// How the actions of the best plan should answer to other states, knot by knot; none if the method does not tell.
    pub fn feedback(&mut self) -> Option<Vec<Gains>> {
        self.search.feedback()
    }
}

fn limit(limits: &Limits, last: &Point, seconds: f64) -> Option<Ending> {
    if limits.target.zip(last.cost).is_some_and(|(target, cost)| cost <= target) {
        return Some(Ending::Target);
    }
    if limits.iterations.is_some_and(|most| last.iteration >= most) {
        return Some(Ending::Iterations);
    }
    limits.seconds.is_some_and(|most| seconds >= most).then_some(Ending::Time)
}
