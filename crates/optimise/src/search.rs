//! A search under way.

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
/// It can be written with serde at any time. One that is read back goes on with the same bits, on any number of
/// threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    iteration: u64,
    evaluations: Evaluations,
    best: Best,
    state: State,
    /// Set when there is nothing more to do.
    finished: Option<Progress>,
}

/// What an iteration came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Progress {
    /// There is more to do.
    Going,
    /// There is nothing more to find.
    Converged(Convergence),
    /// The method cannot go on.
    Stuck(Trouble),
}

/// Why nothing more is to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Convergence {
    /// The gradient is zero but for the tolerance.
    Gradient,
    /// The cost falls by less than the tolerance.
    Cost,
    /// The numbers change by less than the tolerance.
    Step,
    /// The schedule of the learning rate is at its end.
    Schedule,
    /// Nothing better was found for as long as the method's patience lasts.
    Patience,
}

/// Why a method cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trouble {
    /// No step makes the cost smaller, though the gradient says so.
    NoDescent,
    /// Costs or gradients around here are not finite.
    NotFinite,
    /// The search began with another objective.
    OtherObjective,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// There is nothing more to find.
    Converged(Convergence),
    /// As many iterations as allowed.
    Iterations,
    /// As much time as allowed.
    Time,
    /// The cost is as small as wanted.
    Target,
    /// The watcher broke off.
    Interrupted,
    /// The method cannot go on.
    Stuck(Trouble),
}

/// When a run ends at the latest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Limits {
    /// Iterations of the search, those before it was last written included.
    pub iterations: Option<u64>,
    /// Time of this run [s].
    pub seconds: Option<f64>,
    /// The cost that is small enough.
    pub target: Option<f64>,
}

impl Limits {
    /// No more than so many iterations.
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

    /// [`Search::begin`] for options and an objective that were checked.
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

    /// One iteration. Does nothing when the search is finished.
    pub fn advance(&mut self, objective: &dyn Objective) -> Progress {
        let evaluator = Evaluator::new(objective);
        let progress = self.step(&evaluator);
        self.evaluations.add(evaluator.evaluations());
        progress
    }

    /// [`Search::advance`], counted elsewhere.
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

    /// Goes on to the end or to a limit. `watch` sees the search after each iteration, to report on it, to write it
    /// to a file, or to break off.
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

    /// The best found and its cost, penalties included; the start and infinity if no cost was finite yet.
    pub fn best(&self) -> (&[f64], f64) {
        (&self.best.x, self.best.cost.unwrap_or(f64::INFINITY))
    }

    /// Where the search is now, which need not be the best.
    pub fn current(&self) -> &[f64] {
        self.state.running().current().unwrap_or(&self.best.x)
    }

    /// True if there is nothing more to do.
    pub fn is_finished(&self) -> bool {
        self.finished.is_some()
    }

    /// Iterations so far.
    pub fn iteration(&self) -> u64 {
        self.iteration
    }

    /// How often the objective was asked so far.
    pub fn evaluations(&self) -> Evaluations {
        self.evaluations
    }
}

/// What a method does, and remembers between iterations. Nothing in it may be infinite: JSON has no word for that.
pub(super) trait Running {
    /// One iteration; every finite cost met is offered to `best`.
    fn advance(&mut self, evaluator: &Evaluator<'_>, best: &mut Best) -> Progress;
    /// Where it is now, if it is at one place.
    fn current(&self) -> Option<&[f64]>;
    /// True if all it remembers is of `n` numbers.
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
    /// None as long as no cost was finite.
    pub(super) cost: Option<f64>,
}

impl Best {
    /// Takes `x` if it is better; of two that are equal, the first stays.
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
            Convergence::Step => "the numbers change no more",
            Convergence::Schedule => "the learning rate is at the end of its schedule",
            Convergence::Patience => "nothing better was found for a while",
        })
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Trouble::NoDescent => "no step makes the cost smaller, though its gradient is not zero",
            Trouble::NotFinite => "the cost or its gradient is not finite around here",
            Trouble::OtherObjective => "the search began with another objective",
        })
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Converged(why) => write!(f, "converged: {why}"),
            Stop::Iterations => f.write_str("as many iterations as allowed"),
            Stop::Time => f.write_str("as much time as allowed"),
            Stop::Target => f.write_str("the cost is as small as wanted"),
            Stop::Interrupted => f.write_str("interrupted"),
            Stop::Stuck(why) => write!(f, "stuck: {why}"),
        }
    }
}
