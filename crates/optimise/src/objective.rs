//! The cost to be minimised.

use rayon::prelude::*;

use super::Arrow;

/// A cost of a few or many numbers.
///
/// A cost that is not finite means that there is none at this point, for example because a rollout diverged: every
/// method treats it as infinitely bad and searches elsewhere.
pub trait Objective: Sync {
    /// Number of numbers that the cost depends on.
    fn len(&self) -> usize;

    /// True if it depends on no numbers.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The cost at `x` without the [`penalties`](Objective::penalties); not finite if there is none.
    fn cost(&self, x: &[f64]) -> f64;

    /// The cost at each of many points, as [`cost`](Objective::cost) gives it to rounding. Searches that compare whole
    /// generations ask for them together.
    fn costs(&self, points: &[Vec<f64>]) -> Vec<f64> {
        points.par_iter().map(|x| self.cost(x)).collect()
    }

    /// Writes the gradient of the cost, and returns the cost.
    fn gradient(&self, x: &[f64], gradient: &mut [f64]) -> f64;

    /// The second-order model of the cost, if it is half a sum of squares, or of a loss of residuals.
    fn quadratic(&self, x: &[f64]) -> Option<Quadratic> {
        let _ = x;
        None
    }

    /// Finds better numbers of the blocks of the second-order model's [`Arrow`] for the global numbers of `to`, each block by
    /// itself. `from` is where a step began, `to` where it leads. `attempt` is 0 after a step, and counts up where the cost
    /// was not lower. Returns whether blocks have settled.
    fn settle_blocks(&self, from: &[f64], to: &mut [f64], attempt: u64) -> bool {
        let _ = (from, to, attempt);
        false
    }

    /// The share of the cost below which its changes say nothing, for example because blocks settle only so well.
    fn resolution(&self) -> f64 {
        0.0
    }

    /// Lower and upper bound of each number, possibly infinite; empty if nothing is bounded.
    fn bounds(&self) -> &[(f64, f64)] {
        &[]
    }

    /// Number of parts (minibatches) that the cost is the mean of.
    fn parts(&self) -> usize {
        1
    }

    /// [`gradient`](Objective::gradient) of one part only: an unbiased estimate of the whole.
    fn part_gradient(&self, part: usize, x: &[f64], gradient: &mut [f64]) -> f64 {
        let _ = part;
        self.gradient(x, gradient)
    }

    /// Nonsmooth terms of the cost. Methods with proximal steps find exact zeros.
    fn penalties(&self) -> &[Penalty] {
        &[]
    }
}

/// Half a sum of squares ½‖r(x)‖² to second order, without the curvature of r itself. Residuals may also have a loss ρ(r)
/// that grows more slowly than ½ r², with weights W of ρ′(r)/r: reweighted least squares.
#[derive(Clone, Debug)]
pub struct Quadratic {
    /// ½‖r‖², or the sum of ρ.
    pub cost: f64,
    /// Jᵀr, or JᵀWr.
    pub gradient: Vec<f64>,
    /// JᵀJ, or JᵀWJ.
    pub hessian: Arrow,
}

impl Quadratic {
    /// The decrease of the cost along `step` that the model predicts: −(gᵀp + ½ pᵀHp).
    pub fn predicted_decrease(&self, step: &[f64]) -> f64 {
        let curved = self.hessian.multiply(step);
        let terms = step.iter().zip(&self.gradient).zip(&curved);
        -terms.map(|((p, g), hp)| p * (g + 0.5 * hp)).sum::<f64>()
    }
}

/// weight · Σ ‖x_group‖₂ over groups of numbers: drives each group as a whole to zero.
///
/// With groups of one number it is the lasso. A number may be in any number of groups of one and in one longer group:
/// the sparse-group lasso.
#[derive(Clone, Debug, PartialEq)]
pub struct Penalty {
    /// The weight, not negative.
    pub weight: f64,
    /// Indices of the numbers in each group.
    pub groups: Vec<Vec<usize>>,
}

impl Penalty {
    /// weight · Σ |x_i|.
    pub fn lasso(weight: f64, indices: impl IntoIterator<Item = usize>) -> Self {
        Penalty { weight, groups: indices.into_iter().map(|i| vec![i]).collect() }
    }

    /// weight · Σ ‖x_group‖₂.
    pub fn group_lasso(weight: f64, groups: Vec<Vec<usize>>) -> Self {
        Penalty { weight, groups }
    }

    /// Its contribution to the cost at `x`.
    pub fn value(&self, x: &[f64]) -> f64 {
        let length = |group: &Vec<usize>| group.iter().map(|&i| x[i] * x[i]).sum::<f64>().sqrt();
        self.weight * self.groups.iter().map(length).sum::<f64>()
    }

    /// Adds its slope at `x`; zero at a nonsmooth point.
    pub(super) fn add_slope(&self, x: &[f64], slope: &mut [f64]) {
        for group in &self.groups {
            let length = group.iter().map(|&i| x[i] * x[i]).sum::<f64>().sqrt();
            for &i in group.iter().filter(|_| length > 0.0) {
                slope[i] += self.weight * x[i] / length;
            }
        }
    }
}
