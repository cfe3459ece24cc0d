//! Parallel basin hopping, for costs with many minima.
//!
//! After NeuralSim [Heiden et al. 2021], and basin hopping [Wales and Doye 1997]: many local searches run in parallel,
//! each from a point near the best found so far or from anywhere. When all are finished, the next round starts from the
//! best of all. The random numbers of a searcher depend only on the seed, the round and its index, so that the number
//! of threads does not matter. An iteration is a slice of a round: a few iterations of every local search.

use gradbody_math::Scalar;
use gradbody_math::random::{Random, derived_seed};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::evaluate::Evaluator;
use super::method::{fraction, positive};
use super::search::{Best, Running};
use super::{Convergence, Lbfgs, Method, OptimiseError, Progress, Search};

/// Options of basin hopping.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct BasinHopping {
    /// Number of parallel local searches.
    pub searchers: usize,
    /// The method of each local search.
    pub local: Box<Method>,
    /// Maximum number of iterations of a local search.
    pub local_iterations: u64,
    /// Iterations of each local search per iteration of this method.
    pub slice: u64,
    /// Standard deviation of a hop, relative to the distance between a number's bounds, otherwise to its size. Each hop
    /// uses between a tenth of it and all of it.
    pub hop: f64,
    /// The fraction of searchers that start anywhere within the bounds instead of near the best.
    pub fresh: f64,
    /// Number of rounds without improvement after which the search ends.
    pub patience: u64,
}

impl Default for BasinHopping {
    fn default() -> Self {
        BasinHopping {
            searchers: 8,
            local: Box::new(Method::Lbfgs(Lbfgs::default())),
            local_iterations: 100,
            slice: 10,
            hop: 0.2,
            fresh: 0.25,
            patience: 25,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct State {
    options: BasinHopping,
    seed: u64,
    round: u64,
    /// Rounds since the cost last decreased.
    rounds_without_gain: u64,
    /// The best cost at the start of the round.
    cost_before: Option<f64>,
    /// True if the search that found the best had not finished: one searcher then continues from there.
    unfinished: bool,
    /// The local searches of this round; `None` where no start was found or the search is finished.
    searchers: Vec<Option<Search>>,
}

/// Number of points tried as the start of a local search.
const MOST_DRAWS: u64 = 10;
/// Relative decrease of the best cost in a round that counts as no improvement.
const GAIN: f64 = 1e-9;

impl BasinHopping {
    pub(super) fn check(&self) -> Result<(), OptimiseError> {
        positive("searchers", self.searchers as f64)?;
        positive("local-iterations", self.local_iterations as f64)?;
        positive("slice", self.slice as f64)?;
        positive("hop", self.hop)?;
        fraction("fresh", self.fresh)?;
        positive("patience", self.patience as f64)?;
        if !matches!(*self.local, Method::BasinHopping(_) | Method::Islands(_)) {
            self.local.check()
        } else {
            Err(OptimiseError::NotLocal)
        }
    }

    pub(super) fn begin(&self, evaluator: &Evaluator<'_>, best: &mut Best, seed: u64) -> State {
        let x = best.x.clone();
        best.offer(&x, evaluator.cost(&x));
        State {
            options: self.clone(),
            seed,
            round: 0,
            rounds_without_gain: 0,
            cost_before: best.cost,
            unfinished: true,
            searchers: Vec::new(),
        }
    }
}

impl Running for State {
    fn advance(&mut self, evaluator: &Evaluator<'_>, best: &mut Best) -> Progress {
        if self.searchers.iter().all(Option::is_none) {
            self.begin_round(evaluator, best);
        }
        let BasinHopping { slice, local_iterations, .. } = self.options;
        self.searchers.par_iter_mut().flatten().for_each(|search| {
            for _ in 0..slice {
                if search.iteration() >= local_iterations
                    || search.step(evaluator) != Progress::Going
                {
                    break;
                }
            }
        });
        for searcher in &mut self.searchers {
            let Some(search) = searcher else { continue };
            let (x, cost) = search.best();
            if best.offer(x, cost.is_finite().then_some(cost)) {
                self.unfinished = !search.is_finished();
            }
            if search.is_finished() || search.iteration() >= local_iterations {
                *searcher = None;
            }
        }
        if self.searchers.iter().any(Option::is_some) {
            return Progress::Going;
        }
        self.end_round(best)
    }

    fn current(&self) -> Option<&[f64]> {
        None
    }

    fn has_size(&self, n: usize) -> bool {
        self.searchers.iter().flatten().all(|search| search.best().0.len() == n)
    }
}

impl State {
    fn begin_round(&mut self, evaluator: &Evaluator<'_>, best: &Best) {
        self.cost_before = best.cost;
        let searchers = 0..self.options.searchers as u64;
        let started = searchers
            .into_par_iter()
            .map(|searcher| self.begin_searcher(evaluator, best, searcher));
        self.searchers = started.collect();
        self.unfinished = false;
    }

    /// Starts a local search near the best, or anywhere.
    fn begin_searcher(
        &self,
        evaluator: &Evaluator<'_>,
        best: &Best,
        searcher: u64,
    ) -> Option<Search> {
        let path = [self.round, searcher];
        let mut random = Random::derived(self.seed, &path);
        let bounds = evaluator.bounds();
        let n_fresh = (self.options.fresh * self.options.searchers as f64).round() as u64;
        let fresh = self.options.searchers as u64 - searcher <= n_fresh;
        (0..MOST_DRAWS).find_map(|draw| {
            let x = if self.unfinished && searcher == 0 && draw == 0 {
                best.x.clone()
            } else if fresh || best.cost.is_none() {
                bounds.draw(&best.x, &mut random)
            } else {
                // Closer with each start that has no cost.
                let size = self.options.hop * Scalar::exp(-std::f64::consts::LN_10 * random.unit());
                let size = size / (1 + draw) as f64;
                let scales = bounds.scales(&best.x);
                let mut x: Vec<f64> = best
                    .x
                    .iter()
                    .zip(scales)
                    .map(|(x, s)| x + size * s * random.normal())
                    .collect();
                bounds.reflect(&mut x);
                x
            };
            let seed = derived_seed(self.seed, &path);
            Search::start(&self.options.local, evaluator, x, seed).ok()
        })
    }

    fn end_round(&mut self, best: &Best) -> Progress {
        self.round += 1;
        let gained = match (self.cost_before, best.cost) {
            (Some(before), Some(now)) => before - now > GAIN * before.abs(),
            (None, now) => now.is_some(),
            (Some(_), None) => false,
        };
        self.rounds_without_gain = if gained { 0 } else { self.rounds_without_gain + 1 };
        if self.rounds_without_gain >= self.options.patience {
            Progress::Converged(Convergence::Patience)
        } else {
            Progress::Going
        }
    }
}
