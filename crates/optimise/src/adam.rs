//! Adam [Kingma and Ba 2015], with proximal steps for nonsmooth penalties.
//!
//! x ← prox(x − α m̂/h), h = √v̂ + ε, where prox uses the metric h/α of Adam's step [Yun, Lozano and Yang 2021]: a
//! fixed point is then a minimum of cost and penalties together, and its zeros are exact.

use gradbody_math::Scalar;
use gradbody_math::random::Random;
use serde::{Deserialize, Serialize};

use super::bounds::norm;
use super::evaluate::Evaluator;
use super::method::{fraction, not_negative, positive};
use super::proximal::proximal_step;
use super::search::{Best, Running};
use super::{Convergence, OptimiseError, Progress, Trouble, random_state};

/// Options of Adam. An iteration is one step, on one part of the objective.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Adam {
    /// α of the first step: roughly how far a number moves in one step.
    pub learning_rate: f64,
    /// How α changes.
    pub decay: Decay,
    /// Decay factor of the mean gradient per step.
    pub beta1: f64,
    /// Decay factor of the mean squared gradient per step.
    pub beta2: f64,
    /// Gradients much smaller than this are not scaled up.
    pub epsilon: f64,
    /// Maximum length of the gradient: longer ones are shortened. 0 for no limit.
    pub clip: f64,
    /// Converged if no number changes by more than this in a step; 0 never converges.
    pub step_tolerance: f64,
}

/// How a learning rate changes with the steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Decay {
    /// It stays constant.
    Constant,
    /// Falls to zero along half a period of a cosine, after which the search is finished.
    Cosine {
        /// Number of steps.
        steps: u64,
    },
    /// Halves repeatedly.
    Exponential {
        /// Number of steps per halving.
        half_life: f64,
    },
}

impl Default for Adam {
    fn default() -> Self {
        Adam {
            learning_rate: 1e-3,
            decay: Decay::Constant,
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
            clip: 0.0,
            step_tolerance: 0.0,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct State {
    options: Adam,
    x: Vec<f64>,
    /// Steps taken.
    step: u64,
    /// Running means of the gradient and of its square, biased towards their start at zero.
    mean: Vec<f64>,
    square: Vec<f64>,
    /// Parts still to visit in this pass, in reverse order.
    order: Vec<usize>,
    #[serde(with = "random_state")]
    random: Random,
    /// The last point with a finite gradient.
    good: Vec<f64>,
    /// Shortens the steps after one that led to a point without a finite cost.
    caution: f64,
    failures: u32,
}

/// Number of consecutive failures after which the search gives up.
const MOST_FAILURES: u32 = 60;

impl Decay {
    /// α at a step, relative to the first.
    fn factor(&self, step: u64) -> f64 {
        match *self {
            Decay::Constant => 1.0,
            Decay::Cosine { steps } if step >= steps => 0.0,
            Decay::Cosine { steps } => {
                let (_, cos) = Scalar::sin_cos(std::f64::consts::PI * step as f64 / steps as f64);
                0.5 * (1.0 + cos)
            }
            Decay::Exponential { half_life } => {
                Scalar::exp(-std::f64::consts::LN_2 * step as f64 / half_life)
            }
        }
    }
}

impl Adam {
    pub(super) fn check(&self) -> Result<(), OptimiseError> {
        positive("learning-rate", self.learning_rate)?;
        fraction("beta1", self.beta1)?;
        fraction("beta2", self.beta2)?;
        positive("1 - beta1", 1.0 - self.beta1)?;
        positive("1 - beta2", 1.0 - self.beta2)?;
        positive("epsilon", self.epsilon)?;
        not_negative("clip", self.clip)?;
        not_negative("step-tolerance", self.step_tolerance)?;
        match self.decay {
            Decay::Constant => Ok(()),
            Decay::Cosine { steps } => positive("steps", steps as f64),
            Decay::Exponential { half_life } => positive("half-life", half_life),
        }
    }

    pub(super) fn begin(
        &self,
        evaluator: &Evaluator<'_>,
        best: &mut Best,
        seed: u64,
    ) -> Result<State, OptimiseError> {
        let x = best.x.clone();
        let cost = evaluator.cost(&x).ok_or(OptimiseError::StartCost)?;
        best.offer(&x, Some(cost));
        Ok(State {
            options: self.clone(),
            step: 0,
            mean: vec![0.0; x.len()],
            square: vec![0.0; x.len()],
            order: Vec::new(),
            random: Random::new(seed),
            good: x.clone(),
            caution: 1.0,
            failures: 0,
            x,
        })
    }
}

impl Running for State {
    fn advance(&mut self, evaluator: &Evaluator<'_>, best: &mut Best) -> Progress {
        let rate = self.options.learning_rate * self.options.decay.factor(self.step);
        if rate == 0.0 {
            best.offer(&self.x, evaluator.cost(&self.x));
            return Progress::Converged(Convergence::Schedule);
        }
        let parts = evaluator.objective().parts();
        if self.order.is_empty() {
            self.order = (0..parts.max(1)).collect();
            self.random.shuffle(&mut self.order);
        }
        let part = self.order.pop().unwrap_or(0);
        let mut gradient = vec![0.0; self.x.len()];
        let cost = match parts {
            0 | 1 => evaluator.gradient(&self.x, &mut gradient),
            _ => evaluator.part_gradient(part, &self.x, &mut gradient),
        };
        // A gradient whose squared length overflows counts as not finite.
        if cost.is_none() || !norm(&gradient).is_finite() {
            return self.go_back();
        }
        if parts <= 1 {
            best.offer(&self.x, cost);
        }
        self.failures = 0;
        self.good.copy_from_slice(&self.x);
        self.descend(evaluator, rate * self.caution, &mut gradient);
        self.caution = (1.05 * self.caution).min(1.0);
        // The cost of a part is not that of the whole: evaluate the whole after each pass.
        if parts > 1 && self.order.is_empty() {
            best.offer(&self.x, evaluator.cost(&self.x));
        }
        let change = self
            .x
            .iter()
            .zip(&self.good)
            .fold(0.0, |most, (x, good)| f64::max(most, (x - good).abs()));
        if change <= self.options.step_tolerance && self.options.step_tolerance > 0.0 {
            best.offer(&self.x, evaluator.cost(&self.x));
            return Progress::Converged(Convergence::Step);
        }
        Progress::Going
    }

    fn current(&self) -> Option<&[f64]> {
        Some(&self.x)
    }

    fn has_size(&self, n: usize) -> bool {
        [&self.x, &self.good, &self.mean, &self.square].iter().all(|a| a.len() == n)
    }
}

impl State {
    /// One step of length `rate` against `gradient`.
    fn descend(&mut self, evaluator: &Evaluator<'_>, rate: f64, gradient: &mut [f64]) {
        let Adam { beta1, beta2, epsilon, clip, .. } = self.options;
        let length = norm(gradient);
        if clip > 0.0 && length > clip {
            gradient.iter_mut().for_each(|g| *g *= clip / length);
        }
        self.step += 1;
        let steps = i32::try_from(self.step).unwrap_or(i32::MAX);
        let (unbias1, unbias2) = (1.0 - beta1.powi(steps), 1.0 - beta2.powi(steps));
        let mut metric = vec![0.0; gradient.len()];
        for (i, g) in gradient.iter().enumerate() {
            self.mean[i] = beta1 * self.mean[i] + (1.0 - beta1) * g;
            self.square[i] = beta2 * self.square[i] + (1.0 - beta2) * g * g;
            let h = (self.square[i] / unbias2).sqrt() + epsilon;
            self.x[i] -= rate * self.mean[i] / unbias1 / h;
            metric[i] = h / rate;
        }
        proximal_step(evaluator.objective().penalties(), &metric, &mut self.x);
        evaluator.bounds().project(&mut self.x);
    }

    /// The last step led to a point without a gradient: return, and continue with shorter steps.
    fn go_back(&mut self) -> Progress {
        self.x.copy_from_slice(&self.good);
        self.mean.fill(0.0);
        self.caution *= 0.5;
        self.failures += 1;
        let stuck = self.failures >= MOST_FAILURES;
        if stuck { Progress::Stuck(Trouble::NotFinite) } else { Progress::Going }
    }
}
