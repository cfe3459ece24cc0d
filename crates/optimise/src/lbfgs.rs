//! The limited-memory method of Broyden, Fletcher, Goldfarb and Shanno, with or without bounds.
//!
//! The direction comes from the last steps and changes of gradient [Nocedal 1980], over the numbers that are free of
//! bounds. The line search follows the direction projected onto the bounds, and ends where both the cost and its slope
//! have decreased enough, by bisection [Lewis and Overton 2013]. A cost that is not finite only halves the step.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::bounds::{Bounds, dot, norm};
use super::evaluate::Evaluator;
use super::method::{not_negative, positive};
use super::search::{Best, Running};
use super::{Convergence, OptimiseError, Progress, Trouble};

/// Options of L-BFGS.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Lbfgs {
    /// Number of stored steps.
    pub memory: usize,
    /// Converged if no entry of the gradient is larger than this.
    pub gradient_tolerance: f64,
    /// Converged if the relative decrease of the cost is below this.
    pub cost_tolerance: f64,
    /// Converged if the relative change of the numbers is below this.
    pub step_tolerance: f64,
}

impl Default for Lbfgs {
    fn default() -> Self {
        Lbfgs { memory: 10, gradient_tolerance: 1e-9, cost_tolerance: 1e-15, step_tolerance: 1e-14 }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct State {
    options: Lbfgs,
    x: Vec<f64>,
    cost: f64,
    gradient: Vec<f64>,
    /// Stored pairs, the newest last.
    memory: VecDeque<Pair>,
}

/// A step, and the change of the gradient over it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Pair {
    s: Vec<f64>,
    y: Vec<f64>,
}

/// The fraction of the predicted decrease that a step must achieve.
const ARMIJO: f64 = 1e-4;
/// The fraction of the slope that may remain after a step.
const CURVATURE: f64 = 0.9;
/// Maximum number of costs tried in a line search: 2⁻⁶⁰ of a step is negligible.
const MOST_TRIALS: usize = 60;

impl Lbfgs {
    pub(super) fn check(&self) -> Result<(), OptimiseError> {
        positive("memory", self.memory as f64)?;
        not_negative("gradient-tolerance", self.gradient_tolerance)?;
        not_negative("cost-tolerance", self.cost_tolerance)?;
        not_negative("step-tolerance", self.step_tolerance)
    }

    pub(super) fn begin(
        &self,
        evaluator: &Evaluator<'_>,
        best: &mut Best,
    ) -> Result<State, OptimiseError> {
        let x = best.x.clone();
        let mut gradient = vec![0.0; x.len()];
        let cost = evaluator.gradient(&x, &mut gradient).ok_or(OptimiseError::StartCost)?;
        best.offer(&x, Some(cost));
        Ok(State { options: self.clone(), x, cost, gradient, memory: VecDeque::new() })
    }
}

impl Running for State {
    fn advance(&mut self, evaluator: &Evaluator<'_>, best: &mut Best) -> Progress {
        let bounds = evaluator.bounds();
        let active = bounds.active(&self.x, &self.gradient);
        let free = self.gradient.iter().zip(active).filter(|(_, active)| !active);
        if free.fold(0.0, |most, (g, _)| f64::max(most, g.abs())) <= self.options.gradient_tolerance
        {
            return Progress::Converged(Convergence::Gradient);
        }
        let direction = self.direction(&bounds);
        let (found, finite) = self.line_search(evaluator, &direction);
        let Some(found) = found else {
            // The stored pairs may describe a different region; restart from steepest descent.
            if !self.memory.is_empty() {
                self.memory.clear();
                return Progress::Going;
            }
            return Progress::Stuck(if finite { Trouble::NoDescent } else { Trouble::NotFinite });
        };
        best.offer(&found.x, Some(found.cost));

        let difference =
            |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>();
        let pair = Pair {
            s: difference(&found.x, &self.x),
            y: difference(&found.gradient, &self.gradient),
        };
        let still = norm(&pair.s) <= self.options.step_tolerance * norm(&self.x);
        // Without curvature along the step, the pair carries no information.
        if dot(&pair.s, &pair.y) > f64::EPSILON * norm(&pair.s) * norm(&pair.y) {
            self.memory.push_back(pair);
        }
        while self.memory.len() > self.options.memory {
            self.memory.pop_front();
        }
        let decrease = self.cost - found.cost;
        let flat = decrease <= self.options.cost_tolerance * self.cost.abs().max(found.cost.abs());
        (self.x, self.cost, self.gradient) = (found.x, found.cost, found.gradient);
        match (flat, still) {
            (true, _) => Progress::Converged(Convergence::Cost),
            (_, true) => Progress::Converged(Convergence::Step),
            _ => Progress::Going,
        }
    }

    fn current(&self) -> Option<&[f64]> {
        Some(&self.x)
    }

    fn has_size(&self, n: usize) -> bool {
        let pair_fits = |pair: &Pair| pair.s.len() == n && pair.y.len() == n;
        self.x.len() == n && self.gradient.len() == n && self.memory.iter().all(pair_fits)
    }
}

/// A point on the line.
struct Point {
    x: Vec<f64>,
    cost: f64,
    gradient: Vec<f64>,
}

impl State {
    /// A descent direction over the numbers that are free of bounds.
    fn direction(&self, bounds: &Bounds<'_>) -> Vec<f64> {
        let n = self.x.len();
        let mut free: Vec<bool> =
            bounds.active(&self.x, &self.gradient).iter().map(|a| !a).collect();
        loop {
            let mut direction = self.two_loops(&free);
            if dot(&direction, &self.gradient) >= 0.0 {
                direction = (0..n).map(|i| if free[i] { -self.gradient[i] } else { 0.0 }).collect();
            }
            let blocked = |&i: &usize| free[i] && bounds.block(i, self.x[i], direction[i]);
            let blocked: Vec<usize> = (0..n).filter(blocked).collect();
            if blocked.is_empty() {
                return direction;
            }
            blocked.into_iter().for_each(|i| free[i] = false);
        }
    }

    /// −H⁻¹g over the free numbers, with H⁻¹ from the stored pairs [Nocedal and Wright 2006, algorithm 7.4].
    fn two_loops(&self, free: &[bool]) -> Vec<f64> {
        let inner = |a: &[f64], b: &[f64]| {
            (0..free.len()).filter(|&i| free[i]).map(|i| a[i] * b[i]).sum::<f64>()
        };
        let curved = |pair: &&Pair| inner(&pair.s, &pair.y) > 0.0;
        let pairs: Vec<&Pair> = self.memory.iter().filter(curved).collect();
        let mut q: Vec<f64> =
            (0..free.len()).map(|i| if free[i] { -self.gradient[i] } else { 0.0 }).collect();
        let add = |q: &mut [f64], factor: f64, a: &[f64]| {
            (0..free.len()).filter(|&i| free[i]).for_each(|i| q[i] += factor * a[i]);
        };
        let mut alphas = Vec::with_capacity(pairs.len());
        for pair in pairs.iter().rev() {
            let alpha = inner(&pair.s, &q) / inner(&pair.s, &pair.y);
            add(&mut q, -alpha, &pair.y);
            alphas.push(alpha);
        }
        // Without stored pairs, the first trial moves by at most 1.
        let scale = match pairs.last() {
            Some(pair) => inner(&pair.s, &pair.y) / inner(&pair.y, &pair.y),
            None => 1.0 / norm(&q).max(1.0),
        };
        q.iter_mut().for_each(|q| *q *= scale);
        for (pair, alpha) in pairs.iter().zip(alphas.iter().rev()) {
            let beta = inner(&pair.y, &q) / inner(&pair.s, &pair.y);
            add(&mut q, alpha - beta, &pair.s);
        }
        q
    }

    /// A point on the projected line where both the cost and its slope have decreased enough; or only the cost, if the
    /// trials are not enough for both. Also returns whether all costs on the way were finite.
    fn line_search(&self, evaluator: &Evaluator<'_>, direction: &[f64]) -> (Option<Point>, bool) {
        let bounds = evaluator.bounds();
        let slope = dot(&self.gradient, direction);
        let (mut low, mut high, mut length) = (0.0, None, 1.0);
        let (mut found, mut finite) = (None, true);
        for _ in 0..MOST_TRIALS {
            let mut x: Vec<f64> =
                self.x.iter().zip(direction).map(|(x, p)| x + length * p).collect();
            bounds.project(&mut x);
            let mut gradient = vec![0.0; x.len()];
            let cost = evaluator.gradient(&x, &mut gradient);
            finite &= cost.is_some();
            let promised: f64 = (0..x.len()).map(|i| self.gradient[i] * (x[i] - self.x[i])).sum();
            match cost.filter(|cost| *cost < self.cost && *cost <= self.cost + ARMIJO * promised) {
                None => {
                    high = Some(length);
                    // The minimum of the parabola through the known values, if the line began here.
                    let bend =
                        cost.map(|cost| cost - self.cost - slope * length).filter(|_| low == 0.0);
                    let lowest = bend.map_or(0.5, |bend| -0.5 * slope * length / bend);
                    length = low + (length - low) * lowest.clamp(0.1, 0.5);
                }
                Some(cost) => {
                    // The slope here, over the numbers that are not at a bound.
                    let moving = (0..x.len()).filter(|&i| !bounds.block(i, x[i], direction[i]));
                    let here: f64 = moving.map(|i| gradient[i] * direction[i]).sum();
                    found = Some(Point { x, cost, gradient });
                    if here >= CURVATURE * slope {
                        break;
                    }
                    low = length;
                    length = high.map_or(2.0 * length, |high| 0.5 * (low + high));
                }
            }
        }
        (found, finite)
    }
}
