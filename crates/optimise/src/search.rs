//! A search in progress.

use std::fmt;
use std::ops::ControlFlow;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::evaluate::Evaluator;
use super::{
    Evaluations, Method, Objective, OptimiseError, adam, basin_hopping, cma_es, gauss_newton,
    islands, lbfgs, levenberg_marquardt,
};

/// A search for the least cost, between two iterations.
///
/// It can be serialised with serde at any time. After reading it back it continues with the same bits, on any number of
/// threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    iteration: u64,
    evaluations: Evaluations,
    best: Best,
    state: State,
    /// Set when the search is finished.
    finished: Option<Progress>,
}

/// The result of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Progress {
    /// The search continues.
    Going,
    /// The search has converged.
    Converged(Convergence),
    /// The method cannot continue.
    Stuck(Trouble),
}

/// Why a search has converged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Convergence {
    /// The gradient is zero within the tolerance.
    Gradient,
    /// The cost decreases by less than the tolerance.
    Cost,
    /// The numbers change by less than the tolerance.
    Step,
    /// The schedule of the learning rate has ended.
    Schedule,
    /// No improvement for as long as the method's patience.
    Patience,
}

/// Why a method cannot continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trouble {
    /// No step decreases the cost, although its derivatives predict a decrease: the cost has a kink or a jump, or its
    /// derivatives are wrong. The point need not be a minimum.
    NoDescent,
    /// Costs or gradients near the current point are not finite.
    NotFinite,
    /// The search was started with another objective.
    OtherObjective,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The search has converged.
    Converged(Convergence),
    /// The limit of iterations was reached.
    Iterations,
    /// The time limit was reached.
    Time,
    /// The target cost was reached.
    Target,
    /// The watcher stopped the run.
    Interrupted,
    /// The method cannot continue.
    Stuck(Trouble),
}

/// Limits of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Limits {
    /// Maximum number of iterations of the search, including those before it was last written.
    pub iterations: Option<u64>,
    /// Maximum duration of this run [s].
    pub seconds: Option<f64>,
    /// Cost at which the run stops.
    pub target: Option<f64>,
}

impl Limits {
    /// At most this many iterations.
    pub fn iterations(iterations: u64) -> Self {
        Limits { iterations: Some(iterations), ..Limits::default() }
    }
}

impl Search {
    /// Begins at `x`, moved into the bounds if it is outside.
    pub fn begin(
        method: &Method,
        objective: &dyn Objective,
        x: Vec<f64>,
        seed: u64,
    ) -> Result<Search, OptimiseError> {
        method.check()?;
        method.check_for(objective)?;
        let evaluator = Evaluator::new(objective);
        let mut search = Search::start(method, &evaluator, x, seed)?;
        search.evaluations.add(evaluator.evaluations());
        Ok(search)
    }

    /// [`Search::begin`] for options and an objective that have been checked.
    pub(super) fn start(
        method: &Method,
        evaluator: &Evaluator<'_>,
        mut x: Vec<f64>,
        seed: u64,
    ) -> Result<Search, OptimiseError> {
        let (given, needed) = (x.len(), evaluator.objective().len());
        if given != needed {
            return Err(OptimiseError::StartLength { given, needed });
        }
        if let Some(index) = x.iter().position(|x| !x.is_finite()) {
            return Err(OptimiseError::Start { index });
        }
        evaluator.bounds().project(&mut x);
        let mut best = Best { x, cost: None };
        let state = match method {
            Method::LevenbergMarquardt(o) => {
                State::LevenbergMarquardt(o.begin(evaluator, &mut best)?)
            }
            Method::GaussNewton(o) => State::GaussNewton(o.begin(evaluator, &mut best)?),
            Method::Lbfgs(o) => State::Lbfgs(o.begin(evaluator, &mut best)?),
            Method::Adam(o) => State::Adam(o.begin(evaluator, &mut best, seed)?),
            Method::CmaEs(o) => State::CmaEs(o.begin(evaluator, &mut best, seed)),
            Method::BasinHopping(o) => State::BasinHopping(o.begin(evaluator, &mut best, seed)),
            Method::Islands(o) => State::Islands(o.begin(evaluator, &mut best, seed)),
        };
        let evaluations = Evaluations::default();
        Ok(Search { iteration: 0, evaluations, best, state, finished: None })
    }

    /// Does one iteration. Does nothing if the search is finished.
    pub fn advance(&mut self, objective: &dyn Objective) -> Progress {
        let evaluator = Evaluator::new(objective);
        let progress = self.step(&evaluator);
        self.evaluations.add(evaluator.evaluations());
        progress
    }

    /// [`Search::advance`] with an evaluator that counts elsewhere.
    pub(super) fn step(&mut self, evaluator: &Evaluator<'_>) -> Progress {
        if let Some(finished) = self.finished {
            return finished;
        }
        let n = evaluator.objective().len();
        if self.best.x.len() != n || !self.state.running().has_size(n) {
            return Progress::Stuck(Trouble::OtherObjective);
        }
        let progress = self.state.running_mut().advance(evaluator, &mut self.best);
        self.iteration += 1;
        if progress != Progress::Going {
            self.finished = Some(progress);
        }
        progress
    }

    /// Runs until the end or a limit. `watch` sees the search after each iteration, to report on it, to write it to a
    /// file, or to stop.
    pub fn run(
        &mut self,
        objective: &dyn Objective,
        limits: &Limits,
        watch: &mut dyn FnMut(&Search) -> ControlFlow<()>,
    ) -> Stop {
        let began = Instant::now();
        loop {
            if limits.target.is_some_and(|target| self.best().1 <= target) {
                return Stop::Target;
            }
            match self.finished {
                Some(Progress::Converged(why)) => return Stop::Converged(why),
                Some(Progress::Stuck(why)) => return Stop::Stuck(why),
                Some(Progress::Going) | None => {}
            }
            if limits.iterations.is_some_and(|most| self.iteration >= most) {
                return Stop::Iterations;
            }
            if limits.seconds.is_some_and(|most| began.elapsed().as_secs_f64() >= most) {
                return Stop::Time;
            }
            if let Progress::Stuck(Trouble::OtherObjective) = self.advance(objective) {
                return Stop::Stuck(Trouble::OtherObjective);
            }
            if watch(self).is_break() {
                return Stop::Interrupted;
            }
        }
    }

    /// The best point found and its cost including penalties; the start and infinity if no cost was finite yet.
    pub fn best(&self) -> (&[f64], f64) {
        (&self.best.x, self.best.cost.unwrap_or(f64::INFINITY))
    }

    /// The current point of the search, which need not be the best.
    pub fn current(&self) -> &[f64] {
        self.state.running().current().unwrap_or(&self.best.x)
    }

    /// True if the search is finished.
    pub fn is_finished(&self) -> bool {
        self.finished.is_some()
    }

    /// Number of iterations so far.
    pub fn iteration(&self) -> u64 {
        self.iteration
    }

    /// Number of evaluations of the objective so far.
    pub fn evaluations(&self) -> Evaluations {
        self.evaluations
    }
}

/// A method with the state it keeps between iterations. No number in it may be infinite: JSON cannot represent that.
pub(super) trait Running {
    /// Does one iteration; offers every finite cost to `best`.
    fn advance(&mut self, evaluator: &Evaluator<'_>, best: &mut Best) -> Progress;
    /// The current point, if there is a single one.
    fn current(&self) -> Option<&[f64]>;
    /// True if its whole state is for `n` numbers.
    fn has_size(&self, n: usize) -> bool;
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum State {
    LevenbergMarquardt(levenberg_marquardt::State),
    GaussNewton(gauss_newton::State),
    Lbfgs(lbfgs::State),
    Adam(adam::State),
    CmaEs(cma_es::State),
    BasinHopping(basin_hopping::State),
    Islands(islands::State),
}

impl State {
    fn running(&self) -> &dyn Running {
        match self {
            State::LevenbergMarquardt(state) => state,
            State::GaussNewton(state) => state,
            State::Lbfgs(state) => state,
            State::Adam(state) => state,
            State::CmaEs(state) => state,
            State::BasinHopping(state) => state,
            State::Islands(state) => state,
        }
    }

    fn running_mut(&mut self) -> &mut dyn Running {
        match self {
            State::LevenbergMarquardt(state) => state,
            State::GaussNewton(state) => state,
            State::Lbfgs(state) => state,
            State::Adam(state) => state,
            State::CmaEs(state) => state,
            State::BasinHopping(state) => state,
            State::Islands(state) => state,
        }
    }
}

/// The best found so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Best {
    pub(super) x: Vec<f64>,
    /// `None` while no cost was finite.
    pub(super) cost: Option<f64>,
}

impl Best {
    /// Takes `x` if it is better; the first of equal ones stays.
    pub(super) fn offer(&mut self, x: &[f64], cost: Option<f64>) -> bool {
        let Some(cost) = cost else { return false };
        let better = self.cost.is_none_or(|best| cost < best);
        if better {
            self.x.copy_from_slice(x);
            self.cost = Some(cost);
        }
        better
    }
}

impl fmt::Display for Convergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Convergence::Gradient => "the gradient is zero",
            Convergence::Cost => "the cost falls no further",
            Convergence::Step => "the numbers no longer change",
            Convergence::Schedule => "the learning rate is at the end of its schedule",
            Convergence::Patience => "no improvement for a while",
        })
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Trouble::NoDescent => {
                "no step decreases the cost as its derivatives predict, so this need not be a minimum"
            }
            Trouble::NotFinite => "the cost or its gradient is not finite near the current point",
            Trouble::OtherObjective => "the search was started with another objective",
        })
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Converged(why) => write!(f, "converged: {why}"),
            Stop::Iterations => f.write_str("the limit of iterations was reached"),
            Stop::Time => f.write_str("the time limit was reached"),
            Stop::Target => f.write_str("the target cost was reached"),
            Stop::Interrupted => f.write_str("interrupted"),
            Stop::Stuck(why) => write!(f, "stuck: {why}"),
        }
    }
}
