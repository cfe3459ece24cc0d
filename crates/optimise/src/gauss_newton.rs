//! The Gauss-Newton method with a line search, for half sums of squares with small residuals.

use serde::{Deserialize, Serialize};

use super::bounds::{dot, norm};
use super::ending::after_failures;
use super::evaluate::Evaluator;
use super::levenberg_marquardt::{starting_quadratic, stationarity};
use super::method::not_negative;
use super::search::{Best, Running};
use super::{Convergence, OptimiseError, Progress, Trouble};

/// Options of Gauss-Newton.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct GaussNewton {
    /// Added to the matrix, relative to its diagonal, so that it can be factorised.
    pub ridge: f64,
    /// Converged if the cosine between the residual and each column of the Jacobian is below this.
    pub gradient_tolerance: f64,
    /// Converged if the relative decrease of the cost is below this.
    pub cost_tolerance: f64,
    /// Converged if the relative change of the numbers is below this.
    pub step_tolerance: f64,
}

impl Default for GaussNewton {
    fn default() -> Self {
        GaussNewton {
            ridge: 1e-12,
            gradient_tolerance: 1e-12,
            cost_tolerance: 1e-15,
            step_tolerance: 1e-12,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct State {
    options: GaussNewton,
    x: Vec<f64>,
    cost: f64,
}

/// The fraction of the predicted decrease that a step must achieve [Armijo 1966].
const ARMIJO: f64 = 1e-4;
/// 2⁻⁵⁰ of a step is negligible.
const MOST_HALVINGS: i32 = 50;
/// The ridge grows by a factor of 100 until the matrix can be factorised.
const MOST_RIDGES: i32 = 12;

impl GaussNewton {
    pub(super) fn check(&self) -> Result<(), OptimiseError> {
        not_negative("ridge", self.ridge)?;
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
        let cost = starting_quadratic(evaluator, &best.x)?.cost;
        best.offer(&best.x.clone(), Some(cost));
        Ok(State { options: self.clone(), x: best.x.clone(), cost })
    }
}

impl Running for State {
    fn advance(&mut self, evaluator: &Evaluator<'_>, best: &mut Best) -> Progress {
        let Some(quadratic) = evaluator.quadratic(&self.x) else {
            return Progress::Stuck(Trouble::NotFinite);
        };
        if stationarity(evaluator, &quadratic, &self.x) <= self.options.gradient_tolerance {
            return Progress::Converged(Convergence::Gradient);
        }
        let diagonal = quadratic.hessian.diagonal();
        let largest = diagonal.iter().fold(f64::MIN_POSITIVE, |most, d| f64::max(most, *d));
        let direction = (0..MOST_RIDGES).find_map(|i| {
            let ridge = self.options.ridge.max(f64::EPSILON) * 100_f64.powi(i);
            let damping: Vec<f64> =
                diagonal.iter().map(|d| ridge * d.max(1e-12 * largest)).collect();
            evaluator.bounds().newton_step(&quadratic, &[], &damping, &self.x)
        });
        let Some(direction) = direction else { return Progress::Stuck(Trouble::NoDescent) };

        let resolution = evaluator.objective().resolution();
        let mut finite = true;
        for halvings in 0..MOST_HALVINGS {
            let length = 0.5_f64.powi(halvings);
            let mut trial: Vec<f64> =
                self.x.iter().zip(&direction).map(|(x, p)| x + length * p).collect();
            evaluator.bounds().project(&mut trial);
            let step: Vec<f64> = trial.iter().zip(&self.x).map(|(trial, x)| trial - x).collect();
            if norm(&step) <= self.options.step_tolerance * norm(&self.x) {
                break;
            }
            let promised = -dot(&quadratic.gradient, &step);
            if resolution > 0.0 && promised <= resolution * self.cost {
                break;
            }
            evaluator.objective().settle_blocks(&self.x, &mut trial, 0);
            let Some(cost) = evaluator.cost(&trial) else {
                finite = false;
                continue;
            };
            let decrease = self.cost - cost;
            let least = self.options.cost_tolerance * self.cost;
            let flat = promised <= least && decrease.abs() <= least && finite;
            if promised > 0.0 && decrease >= ARMIJO * promised {
                best.offer(&trial, Some(cost));
                (self.x, self.cost) = (trial, cost);
                if !flat {
                    return Progress::Going;
                }
            }
            if flat {
                break;
            }
        }
        if !finite {
            return Progress::Stuck(Trouble::NotFinite);
        }
        // Halving makes steps short wherever the search is, so their length does not tell whether this is a minimum.
        let scaled = |(x, d): (&f64, &f64)| x * x * d;
        let size = self.x.iter().zip(&diagonal).map(scaled).sum::<f64>().sqrt();
        after_failures(evaluator, &quadratic, &self.x, self.options.step_tolerance * size)
    }

    fn current(&self) -> Option<&[f64]> {
        Some(&self.x)
    }

    fn has_size(&self, n: usize) -> bool {
        self.x.len() == n
    }
}
