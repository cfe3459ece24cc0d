//! The Levenberg-Marquardt method, for half sums of squares.
//!
//! A step minimises the Gauss-Newton model with μ·D added to its matrix. D is the largest diagonal seen so far [Moré
//! 1978], so that the units of the numbers do not matter; μ depends on how well the model predicted the decrease of the
//! cost [Nielsen 1999]. At bounds, numbers that would leave are held, and the rest of the step is projected. The step
//! also minimises nonsmooth penalties, so that zeros are exact: a proximal Newton method [Lee, Sun and Saunders 2014].
//!
//! Where the cost is a sum over blocks (windows of recordings, each with a start of its own), blocks may settle by
//! themselves after a step of the global numbers, so that one at a kink of its cost does not hold up the others: variable
//! projection [Golub and Pereyra 1973].

use serde::{Deserialize, Serialize};

use super::ending::{after_failures, penalties};
use super::evaluate::Evaluator;
use super::method::{not_negative, positive};
use super::search::{Best, Running};
use super::{Convergence, OptimiseError, Progress, Quadratic, Trouble};

/// Options of Levenberg-Marquardt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct LevenbergMarquardt {
    /// μ of the first step: small for starts near the solution.
    pub damping: f64,
    /// Converged if the cosine between the residual and each column of the Jacobian is below this.
    pub gradient_tolerance: f64,
    /// Converged if the relative decrease of the cost is below this.
    pub cost_tolerance: f64,
    /// Converged if the relative change of the numbers is below this.
    pub step_tolerance: f64,
}

impl Default for LevenbergMarquardt {
    fn default() -> Self {
        LevenbergMarquardt {
            damping: 1e-3,
            gradient_tolerance: 1e-12,
            cost_tolerance: 1e-15,
            step_tolerance: 1e-12,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct State {
    options: LevenbergMarquardt,
    x: Vec<f64>,
    cost: f64,
    /// μ.
    damping: f64,
    /// ν: factor of μ after the next failure.
    growth: f64,
    /// D.
    scale: Vec<f64>,
}

/// Maximum number of steps tried in an iteration: by then μ has exceeded its limit, whatever it was.
const MOST_TRIALS: usize = 20;
/// The same for a cost of limited resolution: a step that is a thousand times shorter decreases it no more.
const FEW_TRIALS: usize = 5;
/// With limited resolution a decrease of this share of the predicted one says that the model is right.
const WORTH: f64 = 0.1;
/// Before a search of a cost of limited resolution ends, its blocks settle again, this often at most, as long as that
/// decreases the cost by this share.
const ATTEMPTS: u64 = 3;
const SETTLED: f64 = 1e-4;
/// Limits of μ, so that it can always recover in a few steps.
const DAMPING: (f64, f64) = (1e-15, 1e15);

impl LevenbergMarquardt {
    pub(super) fn check(&self) -> Result<(), OptimiseError> {
        positive("damping", self.damping)?;
        not_negative("gradient-tolerance", self.gradient_tolerance)?;
        not_negative("cost-tolerance", self.cost_tolerance)?;
        not_negative("step-tolerance", self.step_tolerance)
    }

    pub(super) fn begin(
        &self,
        evaluator: &Evaluator<'_>,
        best: &mut Best,
    ) -> Result<State, OptimiseError> {
        let start = best.x.clone();
        evaluator.objective().settle_blocks(&start, &mut best.x, 0);
        let quadratic = starting_quadratic(evaluator, &best.x)?;
        let n_global = quadratic.hessian.global.nrows();
        let penalised = evaluator.objective().penalties().iter().flat_map(|p| &p.groups).flatten();
        if let Some(&index) = penalised.into_iter().find(|&&i| i >= n_global) {
            return Err(OptimiseError::PenaltyInBlock { index });
        }
        let cost = quadratic.cost + penalties(evaluator, &best.x);
        best.offer(&best.x.clone(), Some(cost));
        Ok(State {
            options: self.clone(),
            x: best.x.clone(),
            cost,
            damping: self.damping,
            growth: 2.0,
            scale: vec![0.0; best.x.len()],
        })
    }
}

/// The second-order model at the start of a search.
pub(super) fn starting_quadratic(
    evaluator: &Evaluator<'_>,
    x: &[f64],
) -> Result<Quadratic, OptimiseError> {
    match evaluator.quadratic(x) {
        Some(quadratic) => Ok(quadratic),
        None if evaluator.cost(x).is_none() => Err(OptimiseError::StartCost),
        None => Err(OptimiseError::NoQuadratic),
    }
}

/// The largest cosine between the residual and a column of the Jacobian, over numbers that may move: zero where the
/// cost is stationary, whatever the units.
pub(super) fn stationarity(evaluator: &Evaluator<'_>, quadratic: &Quadratic, x: &[f64]) -> f64 {
    let residual = (2.0 * quadratic.cost).sqrt();
    let active = evaluator.bounds().active(x, &quadratic.gradient);
    let cosine =
        |(g, h): (&f64, f64)| if *g == 0.0 { 0.0 } else { g.abs() / (h.sqrt() * residual) };
    let cosines = quadratic.gradient.iter().zip(quadratic.hessian.diagonal()).map(cosine);
    cosines
        .zip(active)
        .filter(|(_, active)| !active)
        .fold(0.0, |most, (cosine, _)| f64::max(most, cosine))
}

impl Running for State {
    fn advance(&mut self, evaluator: &Evaluator<'_>, best: &mut Best) -> Progress {
        let Some(quadratic) = evaluator.quadratic(&self.x) else {
            return Progress::Stuck(Trouble::NotFinite);
        };
        let smooth = evaluator.objective().penalties().is_empty();
        if smooth && stationarity(evaluator, &quadratic, &self.x) <= self.options.gradient_tolerance
        {
            return Progress::Converged(Convergence::Gradient);
        }
        for (scale, diagonal) in self.scale.iter_mut().zip(quadratic.hessian.diagonal()) {
            *scale = scale.max(diagonal);
        }
        let mut finite = true;
        let rough = evaluator.objective().resolution() > 0.0;
        let damping = self.damping;
        for _ in 0..if rough { FEW_TRIALS } else { MOST_TRIALS } {
            match self.attempt(&quadratic, evaluator, best, &mut finite) {
                Trial::Accepted => return Progress::Going,
                Trial::Negligible => break,
                Trial::Failed => {
                    self.damping = (self.damping * self.growth).min(DAMPING.1);
                    self.growth = (2.0 * self.growth).min(1e3);
                }
            }
        }
        if !finite {
            return Progress::Stuck(Trouble::NotFinite);
        }
        if rough && self.resettle(evaluator, best) {
            (self.damping, self.growth) = (damping, 2.0);
            return Progress::Going;
        }
        // Damping makes steps short wherever the search is, so their length does not tell whether this is a minimum.
        let tolerance = self.options.step_tolerance;
        let size = tolerance * (self.size(&self.x) + tolerance);
        after_failures(evaluator, &quadratic, &self.x, size)
    }

    fn current(&self) -> Option<&[f64]> {
        Some(&self.x)
    }

    fn has_size(&self, n: usize) -> bool {
        self.x.len() == n && self.scale.len() == n
    }
}

/// The result of trying one step.
enum Trial {
    /// The cost decreased.
    Accepted,
    /// The damping must grow.
    Failed,
    /// The step, or the change of the cost, is below the tolerances.
    Negligible,
}

impl State {
    /// The length of a vector in the norm of D.
    fn size(&self, a: &[f64]) -> f64 {
        a.iter().zip(&self.scale).map(|(a, s)| a * a * s).sum::<f64>().sqrt()
    }

    /// Lets the blocks settle again where the search is; returns whether that has decreased the cost.
    fn resettle(&mut self, evaluator: &Evaluator<'_>, best: &mut Best) -> bool {
        let objective = evaluator.objective();
        for attempt in 1..=ATTEMPTS {
            let mut trial = self.x.clone();
            if !objective.settle_blocks(&self.x, &mut trial, attempt) {
                return false;
            }
            let enough = self.cost * (1.0 - SETTLED.max(objective.resolution()));
            if let Some(cost) = evaluator.cost(&trial).filter(|cost| *cost < enough) {
                best.offer(&trial, Some(cost));
                (self.x, self.cost) = (trial, cost);
                return true;
            }
        }
        false
    }

    /// Tries one step; clears `finite` if there was no cost.
    fn attempt(
        &mut self,
        quadratic: &Quadratic,
        evaluator: &Evaluator<'_>,
        best: &mut Best,
        finite: &mut bool,
    ) -> Trial {
        // Numbers without influence here are held by a small fraction of the others' scale.
        let least = self.scale.iter().fold(f64::MIN_POSITIVE, |most, s| f64::max(most, 1e-12 * s));
        let damping: Vec<f64> = self.scale.iter().map(|s| self.damping * s.max(least)).collect();
        let corners = evaluator.objective().penalties();
        let Some(step) = evaluator.bounds().newton_step(quadratic, corners, &damping, &self.x)
        else {
            return Trial::Failed;
        };
        let mut trial: Vec<f64> = self.x.iter().zip(&step).map(|(x, p)| x + p).collect();
        evaluator.bounds().project(&mut trial);
        let step: Vec<f64> = trial.iter().zip(&self.x).map(|(trial, x)| trial - x).collect();

        let tolerance = self.options.step_tolerance;
        if self.size(&step) <= tolerance * (self.size(&self.x) + tolerance) {
            return Trial::Negligible;
        }
        let predicted = quadratic.predicted_decrease(&step) + penalties(evaluator, &self.x)
            - penalties(evaluator, &trial);
        let objective = evaluator.objective();
        let resolution = objective.resolution();
        let least = self.options.cost_tolerance.max(resolution) * self.cost;
        if resolution > 0.0 && predicted <= resolution * self.cost && *finite {
            return Trial::Negligible;
        }
        let settled = objective.settle_blocks(&self.x, &mut trial, 0);
        let mut cost = evaluator.cost(&trial);
        let failed = cost.is_none_or(|cost| cost >= self.cost) && predicted > least;
        if failed && !settled && objective.settle_blocks(&self.x, &mut trial, 1) {
            cost = evaluator.cost(&trial);
        }
        let Some(cost) = cost else {
            *finite = false;
            return Trial::Failed;
        };
        let decrease = self.cost - cost;
        let flat = predicted <= least && decrease.abs() <= least && *finite;
        if predicted <= 0.0 || decrease <= 0.0 {
            return if flat { Trial::Negligible } else { Trial::Failed };
        }

        // μ falls to a third if the model is right and stays if it is half right.
        let ratio = decrease / predicted;
        let factor = match resolution > 0.0 && ratio > WORTH {
            true => 1.0 / 3.0,
            false => (1.0 - (2.0 * ratio - 1.0).powi(3)).max(1.0 / 3.0),
        };
        self.damping = (self.damping * factor).clamp(DAMPING.0, DAMPING.1);
        self.growth = 2.0;
        best.offer(&trial, Some(cost));
        (self.x, self.cost) = (trial, cost);
        if flat { Trial::Negligible } else { Trial::Accepted }
    }
}
