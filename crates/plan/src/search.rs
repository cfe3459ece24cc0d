//! A search for a plan by any method, between two iterations.

use gradbody_control::{
    ControlError, Gains, Ilqr, IlqrSearch, IlqrState, MppiSearch, MppiState, PlannedMotion,
    Problem, Progress, Shooting,
};
use gradbody_experiment::ExperimentError;
use gradbody_optimise::{self as optimise, Evaluations, Objective as _, Search, Trouble};
use gradbody_sim::GradientOptions;
use serde::{Deserialize, Serialize};

use crate::run::Ending;
use crate::{PlanMethod, Setup};

/// What a search needs to go on with the same bits, besides its task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SearchState {
    /// Of iLQR.
    Ilqr(IlqrState),
    /// Of MPPI.
    Mppi(MppiState),
    /// Of a method that minimises a function of all actions and parameters.
    Direct(Box<Search>),
}

/// A search for a plan.
#[derive(Debug)]
pub(crate) enum PlanSearch {
    Ilqr(Box<IlqrSearch>),
    Mppi(Box<MppiSearch>),
    Direct(Box<Direct>),
}

/// Direct shooting.
#[derive(Debug)]
pub(crate) struct Direct {
    shooting: Shooting,
    search: Search,
    /// Whether it follows derivatives.
    descends: bool,
    ended: Option<Ending>,
}

impl Direct {
    /// Whether all slopes of the cost are zero at the best plan, which costs something.
    fn is_flat(&self) -> bool {
        let numbers = self.search.best().0;
        let mut gradient = vec![0.0; numbers.len()];
        let cost = self.shooting.gradient(numbers, &mut gradient);
        cost > 0.0 && gradient.iter().all(|slope| *slope == 0.0)
    }
}

impl PlanSearch {
    /// A search that has not begun, or the one of `state`.
    pub(crate) fn new(
        setup: &Setup,
        method: &PlanMethod,
        state: Option<SearchState>,
    ) -> Result<Self, ExperimentError> {
        setup.check_method(method)?;
        let wrong = |error: ControlError| {
            let place = match error {
                ControlError::Option { .. } => "search",
                _ => "actions.begin",
            };
            setup.no_first_motion(&error, place)
        };
        let other = || ExperimentError::wrong("resume", "the search was made by another method");
        let problem = setup.problem.clone();
        let seed = setup.task.seed;
        match (method, method.direct()) {
            (PlanMethod::Ilqr(options), _) => {
                let options: Ilqr = options.clone();
                let search = match state {
                    None => IlqrSearch::begin(problem, options, &setup.begin),
                    Some(SearchState::Ilqr(state)) => IlqrSearch::resume(problem, options, state),
                    Some(_) => return Err(other()),
                };
                Ok(PlanSearch::Ilqr(Box::new(search.map_err(wrong)?)))
            }
            (PlanMethod::Mppi(options), _) => {
                let options = options.clone();
                let search = match state {
                    None => MppiSearch::begin(problem, options, &setup.begin, seed),
                    Some(SearchState::Mppi(state)) => MppiSearch::resume(problem, options, state),
                    Some(_) => return Err(other()),
                };
                Ok(PlanSearch::Mppi(Box::new(search.map_err(wrong)?)))
            }
            (_, Some(method)) => {
                let (parameters, bounds) = (setup.parameters.clone(), &setup.parameter_bounds);
                let how = GradientOptions::default();
                let shooting = Shooting::new(problem, parameters, bounds, how).map_err(wrong)?;
                let is_new = state.is_none();
                let search = match state {
                    None => {
                        let begin = shooting.begin_with(&setup.begin);
                        if method.is_local() {
                            shooting
                                .motion(&begin)
                                .map_err(|diverged| wrong(diverged.error(&setup.problem)))?;
                        }
                        Search::begin(&method, &shooting, begin, seed)
                            .map_err(|error| ExperimentError::wrong("search", error.to_string()))?
                    }
                    Some(SearchState::Direct(search)) => *search,
                    Some(_) => return Err(other()),
                };
                let descends = method.is_local();
                let mut direct = Direct { shooting, search, descends, ended: None };
                if is_new && descends && direct.is_flat() {
                    direct.ended = Some(Ending::Flat);
                }
                Ok(PlanSearch::Direct(Box::new(direct)))
            }
            (_, None) => Err(other()),
        }
    }

    /// What [`PlanSearch::new`] needs to go on.
    pub(crate) fn state(&self) -> SearchState {
        match self {
            PlanSearch::Ilqr(search) => SearchState::Ilqr(search.state()),
            PlanSearch::Mppi(search) => SearchState::Mppi(search.state()),
            PlanSearch::Direct(direct) => SearchState::Direct(Box::new(direct.search.clone())),
        }
    }

    /// Makes an iteration; why the search ended, if it did. The best plan never becomes worse.
    pub(crate) fn advance(&mut self) -> Option<Ending> {
        match self {
            PlanSearch::Ilqr(search) => ending(search.advance()),
            PlanSearch::Mppi(search) => ending(search.advance()),
            PlanSearch::Direct(direct) => {
                let Direct { shooting, search, descends, ended } = &mut **direct;
                if *ended == Some(Ending::Flat) {
                    return *ended;
                }
                *ended = match search.advance(shooting) {
                    optimise::Progress::Going => None,
                    optimise::Progress::Converged(_) => Some(Ending::Converged),
                    optimise::Progress::Stuck(why) => Some(match (why, *descends) {
                        (Trouble::NotFinite, _) => Ending::NotFinite,
                        (Trouble::NoDescent, true) => Ending::Stuck,
                        // That the search is of this objective was seen by the fingerprint of its journal.
                        (Trouble::NoDescent, false) | (Trouble::OtherObjective, _) => {
                            Ending::NoBetter
                        }
                    }),
                };
                *ended
            }
        }
    }

    /// The cost of the best plan so far; infinite if there is none yet.
    pub(crate) fn cost(&self) -> f64 {
        match self {
            PlanSearch::Ilqr(search) => search.motion().cost,
            PlanSearch::Mppi(search) => search.motion().cost,
            PlanSearch::Direct(direct) => direct.search.best().1,
        }
    }

    /// How many motions were simulated. A gradient or linearisation of a motion counts as one more.
    pub(crate) fn simulations(&self) -> u64 {
        match self {
            PlanSearch::Ilqr(search) => {
                let of = |iteration: &gradbody_control::Iteration| iteration.motions as u64 + 1;
                search.history().iter().map(of).sum()
            }
            PlanSearch::Mppi(search) => search.simulations(),
            PlanSearch::Direct(direct) => {
                let Evaluations { costs, gradients, .. } = direct.search.evaluations();
                costs + 2 * gradients
            }
        }
    }

    /// Where the first step that was tried in the last iteration diverged, in words.
    pub(crate) fn diverged(&self, problem: &Problem) -> Option<String> {
        let PlanSearch::Ilqr(search) = self else { return None };
        let diverged = search.history().last()?.diverged?;
        Some(diverged.in_words(problem))
    }

    /// The best plan so far: its problem, with the parameters that were chosen, its motion, and these parameters.
    pub(crate) fn best(&self) -> Option<(Problem, PlannedMotion, Vec<f64>)> {
        match self {
            PlanSearch::Ilqr(search) => {
                Some((search.problem().clone(), search.motion().clone(), vec![]))
            }
            PlanSearch::Mppi(search) => {
                Some((search.problem().clone(), search.motion().clone(), vec![]))
            }
            PlanSearch::Direct(direct) => {
                let numbers = direct.search.best().0;
                let motion = direct.shooting.motion(numbers).ok()?;
                let problem = direct.shooting.problem_with(numbers);
                let parameters = numbers[problem.numbers()..].to_vec();
                Some((problem, motion, parameters))
            }
        }
    }

    /// How the actions of the best plan should answer to other states; none if the method does not tell.
    pub(crate) fn feedback(&mut self) -> Option<Vec<Gains>> {
        match self {
            PlanSearch::Ilqr(search) => search.feedback(),
            PlanSearch::Mppi(_) | PlanSearch::Direct(_) => None,
        }
    }
}

fn ending(progress: Progress) -> Option<Ending> {
    match progress {
        Progress::Going => None,
        Progress::Converged => Some(Ending::Converged),
        Progress::Stuck => Some(Ending::Stuck),
        Progress::Flat => Some(Ending::Flat),
        Progress::NotFinite => Some(Ending::NotFinite),
    }
}
