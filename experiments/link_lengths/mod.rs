//! Finds the two lengths of a double pendulum from its swing (NeuralSim, figure 4), by local search and by parallel
//! basin hopping, from a grid of guesses.

mod fit_folder;
mod heat_map;
mod page;
mod problem;

use std::ops::ControlFlow;
use std::time::Instant;

use gradbody::learn::optimise::{
    BasinHopping, Lbfgs, LevenbergMarquardt, Limits, Method, Objective, Search,
};
use gradbody_cli::progress;
use rayon::prelude::*;

use super::{Findings, Prepared};
use crate::parts::Parts;
use problem::{BOUNDS, Problem, TRUTH};

/// Seed of noise and hops.
const SEED: u64 = 1;
/// Guesses along each length, in a full and in a quick run.
const GRID: usize = 20;
const QUICK_GRID: usize = 5;
/// Cells of the heat map along each length.
const PICTURE: usize = 60;
/// Largest relative error of a length that counts as found.
const FOUND: f64 = 0.01;

/// Iteration limit of a local search, which ends long before it.
const LOCAL_ITERATIONS: u64 = 200;
/// Parallel searches, iterations of each per round, and total slices of ten iterations: at most 60 · 10 · 8 local
/// iterations.
const SEARCHERS: usize = 8;
const ROUND: u64 = 30;
const SLICES: u64 = 60;

pub(super) fn prepare(quick: bool) -> Prepared {
    Box::new(move |parts| experiment(if quick { QUICK_GRID } else { GRID }, parts))
}

/// A search method with its limits.
struct Way {
    name: &'static str,
    method: Method,
    limits: Limits,
}

/// A search from one guess.
struct Trial {
    start: [f64; 2],
    end: [f64; 2],
    /// Number of rollouts with derivatives, and without.
    derivatives: u64,
    costs: u64,
}

/// All searches by one method.
struct Trials {
    name: &'static str,
    seconds: f64,
    trials: Vec<Trial>,
}

/// The cost over both lengths, row by row from the smallest second length.
struct Landscape {
    side: usize,
    /// Root mean square error of an angle [rad].
    errors: Vec<f64>,
}

impl Trial {
    fn found(&self) -> bool {
        self.end.iter().zip(TRUTH).all(|(end, truth)| (end / truth - 1.0).abs() <= FOUND)
    }
}

impl Trials {
    fn found(&self) -> usize {
        self.trials.iter().filter(|trial| trial.found()).count()
    }

    /// The mean and the largest value of a count over the trials.
    fn mean_and_most(&self, number: impl Fn(&Trial) -> u64) -> (f64, u64) {
        let sum: u64 = self.trials.iter().map(&number).sum();
        let most = self.trials.iter().map(&number).max().unwrap_or(0);
        (sum as f64 / self.trials.len().max(1) as f64, most)
    }
}

/// Local search by two methods, and basin hopping around the better one. The noise is known, so hopping stops once
/// errors are at noise level.
fn ways(problem: &Problem) -> [Way; 3] {
    let local = Limits::iterations(LOCAL_ITERATIONS);
    let levenberg = Method::LevenbergMarquardt(LevenbergMarquardt::default());
    let hopping = Method::BasinHopping(BasinHopping {
        searchers: SEARCHERS,
        local: Box::new(levenberg.clone()),
        local_iterations: ROUND,
        ..BasinHopping::default()
    });
    let until = Limits { target: Some(problem.noise_cost()), ..Limits::iterations(SLICES) };
    // Precision far below the noise is not worth the rollouts.
    let quasi_newton =
        Method::Lbfgs(Lbfgs { cost_tolerance: 1e-9, gradient_tolerance: 1e-6, ..Lbfgs::default() });
    [
        Way { name: "L-BFGS", method: quasi_newton, limits: local },
        Way { name: "Levenberg-Marquardt", method: levenberg, limits: local },
        Way { name: "parallel basin hopping", method: hopping, limits: until },
    ]
}

fn experiment(grid: usize, parts: &Parts) -> anyhow::Result<Findings> {
    let problem = Problem::new(SEED)?;
    let objective = problem.objective();
    let side = PICTURE.min(4 * grid);
    let costs = on_grid(side).into_par_iter().map(|x| problem.angle_error(objective.cost(&x)));
    let landscape = Landscape { side, errors: costs.collect() };
    let mut all = Vec::new();
    for way in ways(&problem) {
        all.push(run(&way, &objective, grid)?);
    }
    // The last way is the most thorough.
    let cost = |trial: &&Trial| objective.cost(&trial.end);
    let best =
        all.last().and_then(|way| way.trials.iter().min_by(|a, b| cost(a).total_cmp(&cost(b))));
    if let Some(Trial { start, end, .. }) = best {
        fit_folder::write(&parts.results().join("fit"), &problem, *start, *end)?;
    }
    Ok(page::outcome(&problem, &landscape, &all))
}

/// Searches from every guess of the grid.
fn run(way: &Way, objective: &dyn Objective, grid: usize) -> anyhow::Result<Trials> {
    let began = Instant::now();
    let starts = on_grid(grid);
    let bar = progress::bar(starts.len() as u64, "starts").with_message(way.name);
    let trial = |(k, start): (usize, [f64; 2])| {
        let mut search = Search::begin(&way.method, objective, start.to_vec(), SEED + k as u64)?;
        search.run(objective, &way.limits, &mut |_| ControlFlow::Continue(()));
        let (end, _) = search.best();
        let asked = search.evaluations();
        bar.inc(1);
        Ok(Trial {
            start,
            end: [end[0], end[1]],
            derivatives: asked.gradients + asked.quadratics,
            costs: asked.costs,
        })
    };
    let trials = starts.into_par_iter().enumerate().map(trial);
    let trials = trials.collect::<anyhow::Result<Vec<_>>>()?;
    bar.finish_and_clear();
    Ok(Trials { name: way.name, seconds: began.elapsed().as_secs_f64(), trials })
}

/// Centres of the cells of a grid over both lengths; the first length varies fastest.
fn on_grid(side: usize) -> Vec<[f64; 2]> {
    let (low, high) = BOUNDS;
    let at = |k: usize| low + (high - low) * (k as f64 + 0.5) / side as f64;
    (0..side * side).map(|k| [at(k % side), at(k / side)]).collect()
}
