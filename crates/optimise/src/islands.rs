//! Populations that evolve separately and exchange their best individuals.
//!
//! Each island is an evolution strategy: children combine two parents and mutate at random, with an inherited mutation
//! size that mutates too [Schwefel 1981]; the best survive. From time to time the best of each island migrate to the
//! next in a ring. Optionally, a local search runs from the best of each island, and its result joins the island. An
//! iteration is a generation.

use gradbody_math::Scalar;
use gradbody_math::random::{Random, derived_seed};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::bounds::Bounds;
use super::evaluate::Evaluator;
use super::method::positive;
use super::search::{Best, Running};
use super::{Convergence, Lbfgs, Method, OptimiseError, Progress, Search, random_state};

/// Options of islands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Islands {
    /// Number of populations.
    pub islands: usize,
    /// Individuals per island.
    pub population: usize,
    /// Number of best individuals that survive into the next generation.
    pub elite: usize,
    /// Generations between migrations.
    pub migrate_every: u64,
    /// Number of best individuals that migrate to the next island.
    pub migrants: usize,
    /// Initial standard deviation of mutations, relative to the distance between a number's bounds, otherwise to its
    /// size.
    pub mutation: f64,
    /// Number of generations without improvement after which the search ends.
    pub patience: u64,
    /// An optional local search for each island.
    pub refinement: Option<Refinement>,
}

/// A local search from the best of an island.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Refinement {
    /// The method.
    pub local: Box<Method>,
    /// Maximum number of iterations of one local search.
    pub iterations: u64,
    /// Iterations per generation.
    pub slice: u64,
}

impl Default for Islands {
    fn default() -> Self {
        Islands {
            islands: 4,
            population: 40,
            elite: 8,
            migrate_every: 10,
            migrants: 2,
            mutation: 0.1,
            patience: 200,
            refinement: None,
        }
    }
}

impl Default for Refinement {
    fn default() -> Self {
        Refinement { local: Box::new(Method::Lbfgs(Lbfgs::default())), iterations: 100, slice: 5 }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct State {
    options: Islands,
    seed: u64,
    generation: u64,
    generations_without_gain: u64,
    islands: Vec<Island>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Island {
    #[serde(with = "random_state")]
    random: Random,
    /// Sorted, the best first.
    individuals: Vec<Individual>,
    refining: Option<Search>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Individual {
    x: Vec<f64>,
    cost: Option<f64>,
    /// Mutation size of its children, relative to the scales.
    mutation: f64,
}

/// The fraction of children in which one number makes a large jump, so that small mutations do not end in a local
/// minimum.
const LEAPS: f64 = 0.2;
/// Relative decrease of the best cost that counts as no improvement.
const GAIN: f64 = 1e-9;

impl Islands {
    pub(super) fn check(&self) -> Result<(), OptimiseError> {
        positive("islands", self.islands as f64)?;
        positive("elite", self.elite as f64)?;
        positive("migrate-every", self.migrate_every as f64)?;
        positive("mutation", self.mutation)?;
        positive("patience", self.patience as f64)?;
        let within = |option, value: usize, least: usize, most: usize, hint| {
            let right = (least..=most).contains(&value);
            right.then_some(()).ok_or(OptimiseError::Option { option, value: value as f64, hint })
        };
        let (largest, half) = (usize::MAX, self.population / 2);
        within("population", self.population, 4, largest, "an island needs at least 4")?;
        within("elite", self.elite, 1, half, "at most half of the population")?;
        within("migrants", self.migrants, 0, half, "at most half of the population")?;
        let Some(refinement) = &self.refinement else { return Ok(()) };
        positive("iterations", refinement.iterations as f64)?;
        positive("slice", refinement.slice as f64)?;
        if !matches!(*refinement.local, Method::BasinHopping(_) | Method::Islands(_)) {
            refinement.local.check()
        } else {
            Err(OptimiseError::NotLocal)
        }
    }

    pub(super) fn begin(&self, evaluator: &Evaluator<'_>, best: &mut Best, seed: u64) -> State {
        let start = best.x.clone();
        let islands: Vec<Island> = (0..self.islands as u64)
            .into_par_iter()
            .map(|island| {
                let mut random = Random::derived(seed, &[island]);
                let mut places = vec![start.clone()];
                places
                    .resize_with(self.population, || evaluator.bounds().draw(&start, &mut random));
                let settle = |x: Vec<f64>| Individual {
                    cost: evaluator.cost(&x),
                    x,
                    mutation: self.mutation,
                };
                let mut individuals: Vec<Individual> = places.into_par_iter().map(settle).collect();
                rank(&mut individuals);
                Island { random, individuals, refining: None }
            })
            .collect();
        for island in &islands {
            island.offer(best);
        }
        State { options: self.clone(), seed, generation: 0, generations_without_gain: 0, islands }
    }
}

impl Running for State {
    fn advance(&mut self, evaluator: &Evaluator<'_>, best: &mut Best) -> Progress {
        let before = best.cost;
        let State { options, seed, generation, islands, .. } = self;
        islands.par_iter_mut().enumerate().for_each(|(i, island)| {
            island.evolve(options, evaluator);
            if let Some(refinement) = &options.refinement {
                island.refine(refinement, evaluator, derived_seed(*seed, &[i as u64, *generation]));
            }
        });
        self.generation += 1;
        if self.generation.is_multiple_of(self.options.migrate_every) {
            self.migrate();
        }
        self.islands.iter().for_each(|island| island.offer(best));

        let gained = match (before, best.cost) {
            (Some(before), Some(now)) => before - now > GAIN * before.abs(),
            (None, now) => now.is_some(),
            (Some(_), None) => false,
        };
        self.generations_without_gain = if gained { 0 } else { self.generations_without_gain + 1 };
        if self.generations_without_gain >= self.options.patience {
            Progress::Converged(Convergence::Patience)
        } else {
            Progress::Going
        }
    }

    fn current(&self) -> Option<&[f64]> {
        None
    }

    fn has_size(&self, n: usize) -> bool {
        self.islands.iter().all(|island| {
            let refining_fits =
                island.refining.as_ref().is_none_or(|search| search.best().0.len() == n);
            let settled = island.individuals.len() == self.options.population;
            settled && refining_fits && island.individuals.iter().all(|i| i.x.len() == n)
        })
    }
}

impl State {
    /// The best of each island replace the worst of the next.
    fn migrate(&mut self) {
        let leaving: Vec<Vec<Individual>> =
            self.islands.iter().map(|i| i.individuals[..self.options.migrants].to_vec()).collect();
        for (i, migrants) in leaving.into_iter().enumerate() {
            let next = (i + 1) % self.islands.len();
            if next != i {
                self.islands[next].settle(migrants);
            }
        }
    }
}

impl Island {
    /// Replaces all but the elite by children.
    fn evolve(&mut self, options: &Islands, evaluator: &Evaluator<'_>) {
        let bounds = evaluator.bounds();
        let mut children: Vec<Individual> =
            (options.elite..options.population).map(|_| self.child(options, &bounds)).collect();
        children.par_iter_mut().for_each(|child| child.cost = evaluator.cost(&child.x));
        self.individuals.truncate(options.elite);
        self.individuals.append(&mut children);
        rank(&mut self.individuals);
    }

    /// A mixture of two parents with a mutation.
    fn child(&mut self, options: &Islands, bounds: &Bounds<'_>) -> Individual {
        let (a, b) = (self.parent(), self.parent());
        let (a, b) = (&self.individuals[a], &self.individuals[b]);
        let random = &mut self.random;
        let n = a.x.len();
        let change = Scalar::exp(random.normal() / (n.max(1) as f64).sqrt());
        let mutation = ((a.mutation * b.mutation).sqrt() * change).clamp(1e-15, 1.0);
        // Each number from one of the two, or from between them.
        let whole = random.unit() < 0.5;
        let scales = bounds.scales(&a.x);
        let mut x: Vec<f64> = (0..n)
            .map(|i| {
                let part = random.unit();
                let part = if whole { part.round() } else { part };
                a.x[i] + part * (b.x[i] - a.x[i]) + mutation * scales[i] * random.normal()
            })
            .collect();
        if random.unit() < LEAPS {
            let i = random.below(n);
            x[i] += options.mutation * scales[i] * random.normal();
        }
        bounds.reflect(&mut x);
        Individual { x, cost: None, mutation }
    }

    /// The better of two random individuals; they are sorted.
    fn parent(&mut self) -> usize {
        let n = self.individuals.len();
        self.random.below(n).min(self.random.below(n))
    }

    /// Continues the local search, or starts one if there is none.
    fn refine(&mut self, refinement: &Refinement, evaluator: &Evaluator<'_>, seed: u64) {
        if self.refining.is_none() {
            let x = self.individuals[0].x.clone();
            self.refining = Search::start(&refinement.local, evaluator, x, seed).ok();
        }
        let Some(search) = &mut self.refining else { return };
        for _ in 0..refinement.slice {
            if search.iteration() >= refinement.iterations
                || search.step(evaluator) != Progress::Going
            {
                break;
            }
        }
        if search.is_finished() || search.iteration() >= refinement.iterations {
            let (x, cost) = search.best();
            let mutation = self.individuals[0].mutation;
            let refined =
                Individual { x: x.to_vec(), cost: Some(cost).filter(|c| c.is_finite()), mutation };
            self.refining = None;
            self.settle(vec![refined]);
        }
    }

    /// The newcomers replace the worst.
    fn settle(&mut self, newcomers: Vec<Individual>) {
        self.individuals.truncate(self.individuals.len() - newcomers.len());
        self.individuals.extend(newcomers);
        rank(&mut self.individuals);
    }

    fn offer(&self, best: &mut Best) {
        if let Some(first) = self.individuals.first() {
            best.offer(&first.x, first.cost);
        }
    }
}

/// Sorts the best first, those without a cost last.
fn rank(individuals: &mut [Individual]) {
    let key = |i: &Individual| i.cost.unwrap_or(f64::INFINITY);
    individuals.sort_by(|a, b| key(a).total_cmp(&key(b)));
}
