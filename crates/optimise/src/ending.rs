//! Why a method with a second-order model ends: at a minimum, or because its model does not describe the cost.
//!
//! A step can be short, or its predicted decrease small, only because shorter and shorter steps were tried. That says
//! nothing about the cost. The decrease that the model predicts for a step of full length says whether it is minimal.

use super::evaluate::Evaluator;
use super::{Convergence, Progress, Quadratic, Trouble};

/// A search has converged if its model predicts less than this relative decrease of the cost. In a fit with a cost of
/// 10⁴ (χ² = 2·10⁴) the numbers are then within 0.005 standard deviations of the minimum.
const NEGLIGIBLE: f64 = 1e-9;
/// Relative to the diagonal, so that the matrix can be factorised.
const RIDGES: [f64; 4] = [1e-12, 1e-10, 1e-8, 1e-6];
/// A full step may cross bounds. Then shorter ones may decrease the model where its projection does not.
const LENGTHS: i32 = 12;

/// How a search at `x` ends after its steps have failed. `size` is the size of `x` times the tolerance of steps, in the
/// norm of the diagonal of the matrix.
pub(super) fn after_failures(
    evaluator: &Evaluator<'_>,
    quadratic: &Quadratic,
    x: &[f64],
    size: f64,
) -> Progress {
    let promised = promised_decrease(evaluator, quadratic, x);
    let cost = quadratic.cost + penalties(evaluator, x);
    if (2.0 * promised).sqrt() <= size {
        Progress::Converged(Convergence::Step)
    } else if promised <= NEGLIGIBLE.max(evaluator.objective().resolution()) * cost {
        Progress::Converged(Convergence::Cost)
    } else {
        Progress::Stuck(Trouble::NoDescent)
    }
}

/// The largest decrease of the cost within the bounds that the model predicts, along the Gauss-Newton step and along the
/// scaled gradient.
fn promised_decrease(evaluator: &Evaluator<'_>, quadratic: &Quadratic, x: &[f64]) -> f64 {
    let bounds = evaluator.bounds();
    let diagonal = quadratic.hessian.diagonal();
    let least = diagonal.iter().fold(f64::MIN_POSITIVE, |most, d| f64::max(most, 1e-12 * d));
    let corners = evaluator.objective().penalties();
    let newton = RIDGES.iter().find_map(|ridge| {
        let damping: Vec<f64> = diagonal.iter().map(|d| ridge * d.max(least)).collect();
        bounds.newton_step(quadratic, corners, &damping, x)
    });
    let downhill = quadratic.gradient.iter().zip(&diagonal).map(|(g, d)| -g / d.max(least));
    let downhill: Vec<f64> = downhill.collect();
    let mut promised = 0.0_f64;
    for direction in newton.iter().chain([&downhill]) {
        for length in (0..LENGTHS).map(|k| 0.5_f64.powi(k)) {
            let mut trial: Vec<f64> =
                x.iter().zip(direction).map(|(x, p)| x + length * p).collect();
            bounds.project(&mut trial);
            let step: Vec<f64> = trial.iter().zip(x).map(|(trial, x)| trial - x).collect();
            let decrease = quadratic.predicted_decrease(&step) + penalties(evaluator, x)
                - penalties(evaluator, &trial);
            promised = promised.max(decrease);
        }
    }
    promised
}

/// The penalties' contribution to the cost.
pub(super) fn penalties(evaluator: &Evaluator<'_>, x: &[f64]) -> f64 {
    evaluator.objective().penalties().iter().map(|p| p.value(x)).sum()
}
