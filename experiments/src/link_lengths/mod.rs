//! The two lengths of a double pendulum, found from its swing (NeuralSim, figure 4): where local search ends that
//! begins on a grid of guesses, and where parallel basin hopping does.

mod heat_map;
mod page;
mod problem;

use std::ops::ControlFlow;
use std::time::Instant;

use gradbody::learn::optimise::{
    BasinHopping, Lbfgs, LevenbergMarquardt, Limits, Method, Objective, Search,
};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use super::{Outcome, Prepared};
use problem::{BOUNDS, Problem, TRUTH};

/// What draws noise and hops.
const SEED: u64 = 1;
/// Guesses along each length, and in a quick run.
const GRID: usize = 20;
const QUICK_GRID: usize = 5;
/// Costs along each length, for the picture.
const PICTURE: usize = 60;
/// A length is found if it is off by no more than this part of it.
const FOUND: f64 = 0.01;

/// What a local search may do: it ends long before.
const LOCAL_ITERATIONS: u64 = 200;
/// Searchers at once, iterations of each in a round, and slices of ten iterations in all: at most 60 · 10 · 8 local
/// iterations.
const SEARCHERS: usize = 8;
const ROUND: u64 = 30;
const SLICES: u64 = 60;

pub(super) fn prepare(quick: bool) -> Prepared {
    Box::new(move |_| experiment(if quick { QUICK_GRID } else { GRID }))
}

/// A way to search.
struct Way {
    name: &'static str,
    method: Method,
    limits: Limits,
}

/// A search from one guess.
struct Trial {
    start: [f64; 2],
    end: [f64; 2],
    /// Rollouts with derivatives, and without.
    derivatives: u64,
    costs: u64,
}

/// All searches of a way.
struct Trials {
    name: &'static str,
    seconds: f64,
    trials: Vec<Trial>,
}

/// The cost over both lengths, row by row from the least of the second.
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

    /// The mean and the greatest of a number of each trial.
    fn mean_and_most(&self, number: impl Fn(&Trial) -> u64) -> (f64, u64) {
        let sum: u64 = self.trials.iter().map(&number).sum();
        let most = self.trials.iter().map(&number).max().unwrap_or(0);
        (sum as f64 / self.trials.len().max(1) as f64, most)
    }
}

/// Local search by two methods, and basin hopping around the better of them. Noise is known, so hopping knows when to
/// stop: when errors are no more than noise.
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
    // Digits far below the noise are not worth the rollouts.
    let quasi_newton =
        Method::Lbfgs(Lbfgs { cost_tolerance: 1e-9, gradient_tolerance: 1e-6, ..Lbfgs::default() });
    [
        Way { name: "L-BFGS", method: quasi_newton, limits: local },
        Way { name: "Levenberg-Marquardt", method: levenberg, limits: local },
        Way { name: "parallel basin hopping", method: hopping, limits: until },
    ]
}

fn experiment(grid: usize) -> anyhow::Result<Outcome> {
    let problem = Problem::new(SEED)?;
    let objective = problem.objective();
    let side = PICTURE.min(4 * grid);
    let costs = on_grid(side).into_par_iter().map(|x| problem.angle_error(objective.cost(&x)));
    let landscape = Landscape { side, errors: costs.collect() };
    let mut all = Vec::new();
    for way in ways(&problem) {
        all.push(run(&way, &objective, grid)?);
    }
    Ok(page::outcome(&problem, &landscape, &all))
}

/// A search from every guess of the grid.
fn run(way: &Way, objective: &dyn Objective, grid: usize) -> anyhow::Result<Trials> {
    let began = Instant::now();
    let starts = on_grid(grid);
    let bar = ProgressBar::new(starts.len() as u64).with_message(way.name);
    bar.set_style(ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} starts, {eta} left")?);
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

/// Middles of the cells of a grid over both lengths, the first length running first.
fn on_grid(side: usize) -> Vec<[f64; 2]> {
    let (low, high) = BOUNDS;
    let at = |k: usize| low + (high - low) * (k as f64 + 0.5) / side as f64;
    (0..side * side).map(|k| [at(k % side), at(k / side)]).collect()
}
