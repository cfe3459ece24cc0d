//! Covariance matrix adaptation evolution strategy, CMA-ES [Hansen 2016, arXiv:1604.00772].
//!
//! Each generation draws points from a normal distribution, evaluates them in parallel, and moves and deforms the
//! distribution towards the best half. The matrix is dense: suitable for tens of numbers, not for thousands.

use gradbody_math::Scalar;
use gradbody_math::random::Random;
use nalgebra::{DMatrix, DVector, SymmetricEigen};
use serde::{Deserialize, Serialize};

use super::evaluate::Evaluator;
use super::method::{not_negative, positive};
use super::search::{Best, Running};
use super::{Convergence, OptimiseError, Progress, Trouble, random_state};

/// Options of CMA-ES. An iteration is a generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct CmaEs {
    /// Points per generation; 0 for 4 + 3 ln n. Larger populations escape more local minima.
    pub population: usize,
    /// Standard deviation of the first generation, relative to the distance between a number's bounds, otherwise to its
    /// size.
    pub spread: f64,
    /// Converged if the standard deviation, relative in the same way, falls below this.
    pub step_tolerance: f64,
}

impl Default for CmaEs {
    fn default() -> Self {
        CmaEs { population: 0, spread: 0.3, step_tolerance: 1e-11 }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct State {
    options: CmaEs,
    #[serde(with = "random_state")]
    random: Random,
    generation: u64,
    /// Scales of the numbers; all fields below refer to scaled numbers.
    scales: Vec<f64>,
    mean: Vec<f64>,
    sigma: f64,
    /// C, column by column.
    covariance: Vec<f64>,
    /// p_σ and p_c: the recent path of the mean, with and without C.
    path_sigma: Vec<f64>,
    path_c: Vec<f64>,
    /// The mean, in the objective's units.
    current: Vec<f64>,
}

/// How often a point outside the bounds is redrawn before it is moved onto them.
const MOST_DRAWS: usize = 20;
/// Generations without any finite cost after which the search gives up.
const MOST_LOST: u64 = 200;
/// Largest meaningful σ.
const LARGEST_SIGMA: f64 = 1e12;

impl CmaEs {
    pub(super) fn check(&self) -> Result<(), OptimiseError> {
        if self.population != 0 {
            let hint = "give at least 4, or 0 to choose by the number of numbers";
            let value = self.population as f64;
            (self.population >= 4).then_some(()).ok_or(OptimiseError::Option {
                option: "population",
                value,
                hint,
            })?;
        }
        positive("spread", self.spread)?;
        not_negative("step-tolerance", self.step_tolerance)
    }

    pub(super) fn begin(&self, evaluator: &Evaluator<'_>, best: &mut Best, seed: u64) -> State {
        let x = best.x.clone();
        best.offer(&x, evaluator.cost(&x));
        let n = x.len();
        // Bounds that coincide give no scale.
        let scales: Vec<f64> =
            evaluator.bounds().scales(&x).iter().map(|s| if *s > 0.0 { *s } else { 1.0 }).collect();
        State {
            options: self.clone(),
            random: Random::new(seed),
            generation: 0,
            mean: x.iter().zip(&scales).map(|(x, s)| x / s).collect(),
            scales,
            sigma: self.spread,
            covariance: DMatrix::<f64>::identity(n, n).as_slice().to_vec(),
            path_sigma: vec![0.0; n],
            path_c: vec![0.0; n],
            current: x,
        }
    }

    fn population_for(&self, n: usize) -> usize {
        match self.population {
            0 => 4 + (3.0 * Scalar::ln(n.max(1) as f64)) as usize,
            given => given,
        }
    }
}

impl Running for State {
    fn advance(&mut self, evaluator: &Evaluator<'_>, best: &mut Best) -> Progress {
        let n = self.mean.len();
        let covariance = DMatrix::from_column_slice(n, n, &self.covariance);
        let Some(eigen) = SymmetricEigen::try_new(covariance, f64::EPSILON, 10_000) else {
            return Progress::Stuck(Trouble::NoDescent);
        };
        // C = B D² Bᵀ.
        let d = eigen.eigenvalues.map(|value| value.max(0.0).sqrt());
        let b = eigen.eigenvectors;
        if self.sigma * d.max() <= self.options.step_tolerance {
            return Progress::Converged(Convergence::Step);
        }
        if d.min() <= 1e-8 * d.max() {
            return Progress::Stuck(Trouble::NoDescent);
        }
        let population = self.options.population_for(n);
        let (points, distances): (Vec<Vec<f64>>, Vec<DVector<f64>>) =
            (0..population).map(|_| self.draw(evaluator, &b, &d)).unzip();
        let costs = evaluator.costs(&points);
        self.generation += 1;

        let mut order: Vec<(f64, usize)> =
            costs.iter().enumerate().filter_map(|(i, cost)| Some(((*cost)?, i))).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        for &(cost, i) in order.iter().take(1) {
            best.offer(&points[i], Some(cost));
        }
        let parents: Vec<&DVector<f64>> =
            order.iter().take(population / 2).map(|&(_, i)| &distances[i]).collect();
        if parents.is_empty() {
            return self.search_elsewhere(best);
        }
        self.adapt(&parents, &b, &d);
        Progress::Going
    }

    fn current(&self) -> Option<&[f64]> {
        Some(&self.current)
    }

    fn has_size(&self, n: usize) -> bool {
        let all = [&self.mean, &self.scales, &self.path_sigma, &self.path_c, &self.current];
        all.iter().all(|a| a.len() == n) && self.covariance.len() == n * n
    }
}

impl State {
    /// A point within the bounds, and its distance from the mean in units of σ.
    fn draw(
        &mut self,
        evaluator: &Evaluator<'_>,
        b: &DMatrix<f64>,
        d: &DVector<f64>,
    ) -> (Vec<f64>, DVector<f64>) {
        let bounds = evaluator.bounds();
        let n = self.mean.len();
        let mut x = Vec::new();
        for _ in 0..MOST_DRAWS {
            let y = b * DVector::from_fn(n, |i, _| d[i] * self.random.normal());
            x = (0..n).map(|i| self.scales[i] * (self.mean[i] + self.sigma * y[i])).collect();
            if bounds.contain(&x) {
                return (x, y);
            }
        }
        bounds.project(&mut x);
        let y = DVector::from_fn(n, |i, _| (x[i] / self.scales[i] - self.mean[i]) / self.sigma);
        (x, y)
    }

    /// No point had a finite cost: return to the best and search closer to it or, if there is none yet, farther out.
    fn search_elsewhere(&mut self, best: &Best) -> Progress {
        if best.cost.is_none() {
            self.sigma = (2.0 * self.sigma).min(self.options.spread.max(1.0));
            let lost = self.generation >= MOST_LOST;
            return if lost { Progress::Stuck(Trouble::NotFinite) } else { Progress::Going };
        }
        self.current.copy_from_slice(&best.x);
        self.mean = best.x.iter().zip(&self.scales).map(|(x, s)| x / s).collect();
        self.sigma *= 0.5;
        let lost = self.sigma <= self.options.step_tolerance.max(1e-12);
        if lost { Progress::Stuck(Trouble::NotFinite) } else { Progress::Going }
    }

    /// Moves mean, σ and C towards the parents, the best first [Hansen 2016, appendix A, without negative weights].
    fn adapt(&mut self, parents: &[&DVector<f64>], b: &DMatrix<f64>, d: &DVector<f64>) {
        let n = self.mean.len() as f64;
        let mu = parents.len();
        let raw: Vec<f64> =
            (0..mu).map(|i| Scalar::ln(mu as f64 + 0.5) - Scalar::ln(i as f64 + 1.0)).collect();
        let sum: f64 = raw.iter().sum();
        let weights: Vec<f64> = raw.iter().map(|w| w / sum).collect();
        let mu_eff = 1.0 / weights.iter().map(|w| w * w).sum::<f64>();

        let c_sigma = (mu_eff + 2.0) / (n + mu_eff + 5.0);
        let d_sigma =
            1.0 + 2.0 * f64::max(0.0, ((mu_eff - 1.0) / (n + 1.0)).sqrt() - 1.0) + c_sigma;
        let c_c = (4.0 + mu_eff / n) / (n + 4.0 + 2.0 * mu_eff / n);
        let c_1 = 2.0 / ((n + 1.3).powi(2) + mu_eff);
        let c_mu =
            f64::min(1.0 - c_1, 2.0 * (mu_eff - 2.0 + 1.0 / mu_eff) / ((n + 2.0).powi(2) + mu_eff));
        // The mean length of n normal numbers.
        let chi = n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n));

        let mut y = DVector::zeros(self.mean.len());
        parents.iter().zip(&weights).for_each(|(parent, w)| y.axpy(*w, parent, 1.0));
        for i in 0..self.mean.len() {
            self.mean[i] += self.sigma * y[i];
            self.current[i] = self.scales[i] * self.mean[i];
        }
        // C^{−½} y = B D⁻¹ Bᵀ y.
        let whitened = b * b.tr_mul(&y).component_div(d);
        let mut path = DVector::from_column_slice(&self.path_sigma);
        path.axpy((c_sigma * (2.0 - c_sigma) * mu_eff).sqrt(), &whitened, 1.0 - c_sigma);
        let length = path.norm();
        let settled = 1.0
            - (1.0 - c_sigma)
                .powi(2 * i32::try_from(self.generation).unwrap_or(1 << 29).min(1 << 29));
        let h = if length / settled.sqrt() < (1.4 + 2.0 / (n + 1.0)) * chi { 1.0 } else { 0.0 };
        let mut path_c = DVector::from_column_slice(&self.path_c);
        path_c.axpy(h * (c_c * (2.0 - c_c) * mu_eff).sqrt(), &y, 1.0 - c_c);

        let size = self.mean.len();
        let mut c = DMatrix::from_column_slice(size, size, &self.covariance);
        c *= 1.0 - c_1 - c_mu + c_1 * (1.0 - h) * c_c * (2.0 - c_c);
        c.ger(c_1, &path_c, &path_c, 1.0);
        parents.iter().zip(&weights).for_each(|(parent, w)| c.ger(c_mu * w, parent, parent, 1.0));

        // At most a factor e per generation, as in Hansen's own program.
        let growth = (c_sigma / d_sigma * (length / chi - 1.0)).min(1.0);
        self.sigma = (self.sigma * Scalar::exp(growth)).min(LARGEST_SIGMA);
        self.path_sigma = path.as_slice().to_vec();
        self.path_c = path_c.as_slice().to_vec();
        self.covariance = c.as_slice().to_vec();
    }
}
